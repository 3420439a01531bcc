"""The wheel of obkv-sst as the tests use it: built once for a run, and installed in the Python that has its peers.

`needs_python` begins a script anew in that Python, which `sh samples/setup.sh python` makes; without it, each test says so."""
import contextlib
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import Missing, demand, shown  # noqa: E402
from venvs import cached, python_of, setup  # noqa: E402

PACKAGES = "auditwheel, cffi, duckdb, fastavro, fsspec, mypy, pandas, polars, pyarrow"


def needs_python():
    with contextlib.suppress(Missing):
        python = python_of("python", PACKAGES)
        if python != sys.executable:
            os.execv(python, [python, "-B", *sys.argv])


def with_packages(suite, test):
    python_of("python", PACKAGES)
    test(suite)


def offline():
    """The folder of the wheels that obkv-sst needs."""
    return cached(setup("python_venv")) / "wheels"


def built(suite):
    """The wheel, made of the library beside the programs by the script that users have."""
    folder = suite.tmp / "wheels"
    if not folder.exists():
        library = suite.bin.parent / "lib/libsst.so.1"
        env = dict(os.environ, PYTHON=sys.executable, CCACHE_BASEDIR=str(ROOT))
        if library.exists():
            env["OBKV_LIBSST"] = str(library)
        run(["sh", ROOT / "samples/python/wheel.sh", folder], env=env)
    found = list(folder.glob("*.whl"))
    demand(len(found) == 1, "%d wheels" % len(found))
    return found[0]


def imported(suite):
    """The package of that wheel, in this process and, by the environment, in those that it starts."""
    place = suite.tmp / "site"
    if not place.exists():
        run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--no-index", "--target",
             place, built(suite)])
        sys.path.insert(0, str(place))
        suite.env["PYTHONPATH"] = str(place)
    import obkv_sst
    demand(obkv_sst.__file__.startswith(str(place)), "another obkv_sst: %s" % obkv_sst.__file__)
    return obkv_sst


def run(command, **kw):
    done = subprocess.run([str(c) for c in command], capture_output=True, timeout=300, **kw)
    demand(done.returncode == 0,
           "exit %d: %s\n%s" % (done.returncode, " ".join(map(str, command)), shown(done.stdout + done.stderr)))
    return done.stdout.decode()


def module(suite, *arguments, want=0):
    """python -m obkv_sst …"""
    imported(suite)
    done = subprocess.run([sys.executable, "-B", "-m", "obkv_sst", *map(str, arguments)], capture_output=True, timeout=300,
                          env=suite.env, cwd=suite.tmp)
    demand(done.returncode == want, "exit %d, wanted %d: %s" % (done.returncode, want, shown(done.stderr)))
    return done
