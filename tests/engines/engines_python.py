"""Finds the Python of `sh samples/setup.sh engines`, which has Airflow and the types of Kubernetes' API, beside the system's."""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def python_of_engines(module):
    """Its path, or None where it, or the module, is missing."""
    name = re.search(r"(?m)^engines_venv=(\S+)$", (ROOT / "samples/setup.sh").read_text()).group(1)
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    python = cache / "obkv-tests" / name / "bin/python"
    if not python.exists() or subprocess.run([python, "-c", "import " + module], capture_output=True).returncode:
        return None
    return str(python)
