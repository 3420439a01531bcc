#!/usr/bin/env python3
"""What the tests on databases do where no database can be had: skipped with a reason, or failed with OBKV_REQUIRE_INTEROP=1.

    missing.py

Nothing is hidden from them but what they look for: PATH has no MariaDB, the cache folder no engine, or one that ends at once.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

from peers import trial_size

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
ENGINE = "pylibseekdb-1.3.0.post5/pylibseekdb/seekdb"


def tools(folder, names):
    """A PATH with these programs only."""
    os.makedirs(folder)
    for name in names:
        found = shutil.which(name)
        if found:
            os.symlink(found, os.path.join(folder, name))
    return folder


def run(command, path, cache, require):
    env = {"PATH": path, "HOME": cache, "XDG_CACHE_HOME": cache}
    if require:
        env["OBKV_REQUIRE_INTEROP"] = "1"
    done = subprocess.run(command, cwd=TOP, env=env, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode(errors="replace") + done.stderr.decode(errors="replace")


def loads(*names):
    return [sys.executable, "-B", os.path.join(HERE, "loads.py"), "/nowhere"] + list(names)


BASIC = ["sh", "python3", "dirname", "mkdir", "mktemp", "rm", "cat", "env"]


def cases(folder):
    """Name, what came out, wanted exit code, what the output must match."""
    bare = tools(folder + "/bare", BASIC)
    client = tools(folder + "/client", BASIC + ["mariadb"])
    empty, broken = folder + "/empty", folder + "/broken"
    os.makedirs(os.path.dirname(os.path.join(broken, "obkv-tests", ENGINE)))
    os.makedirs(empty)
    shutil.copy(shutil.which("false"), os.path.join(broken, "obkv-tests", ENGINE))
    beside = [sys.executable, "-B", os.path.join(HERE, "peers.py"), "engine", "true"]
    skipped = r"(?s)skip mariadb_scripts: MariaDB is .*skip scripts: the engine is not in .*\n0 passed, 0 failed, 2 skipped\n$"
    yield "skipped", run(loads("scripts", "mariadb_scripts"), bare, empty, False), 0, skipped
    yield ("required", run(loads("scripts", "mariadb_scripts"), bare, empty, True), 1,
           r"(?s)FAIL mariadb: MariaDB is missing.*FAIL engine: .*OBKV_REQUIRE_INTEROP=1\)\n0 passed, 2 failed, 0 skipped\n$")
    yield "no case asked for", run(loads("scripts"), bare, empty, True), 1, r"0 passed, 1 failed, 0 skipped\n$"
    yield "no client", run(loads("scripts"), bare, broken, False), 0, r"skip scripts: the mariadb client is missing"
    yield ("engine that ends", run(loads("scripts", "duplicates", "mariadb_scripts"), client, broken, False), 1,
           r"(?s)FAIL engine: engine does not come up.*\n0 passed, 1 failed, 1 skipped\n$")
    yield ("beside a server", run(beside, bare, empty, False), 77,
           r"skip: the engine is not in .*\n0 passed, 0 failed, 1 skipped\n$")
    yield "beside a server, required", run(beside, bare, empty, True), 1, r"FAIL: .*\n0 passed, 1 failed, 0 skipped\n$"
    yield "beside one that ends", run(beside, client, broken, False), 1, r"FAIL: engine does not come up(.|\n)*0 passed, 1 failed"
    sizes = [trial_size(disk << 30, memory << 30) for disk, memory in ((1, 64), (2, 2), (100, 16), (1000, 64))]
    yield "sizes of a trial", (0, str(sizes)), 0, r"^\[None, \(1024, 1024\), \(51200, 4096\), \(65536, 8192\)\]$"
    yield ("a cache folder that cannot be made", run(["sh", "samples/setup.sh", "oceanbase"], os.environ["PATH"], "/dev/null/x",
                                                     False), 1, r"setup.sh: |mkdir: ")


def main():
    if not shutil.which("mariadb"):
        print("skip: the mariadb client is missing (samples/setup.sh oceanbase)\n0 passed, 0 failed, 1 skipped")
        return 77
    passed = failed = 0
    with tempfile.TemporaryDirectory(prefix="obkv-missing-") as folder:
        for name, (code, text), want, pattern in cases(folder):
            ok = code == want and re.search(pattern, text)
            passed, failed = passed + bool(ok), failed + (not ok)
            print("ok %s" % name if ok else "FAIL %s: exit %d instead of %d:\n%s" % (name, code, want, text[-1500:]))
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
