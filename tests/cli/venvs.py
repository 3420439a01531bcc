"""Finds the Pythons that samples/setup.sh makes beside the system's: `engines`, which has Airflow and the types of Kubernetes'
API, `python`, which has what builds and reads the package obkv-sst, and `s3`, which has moto. Starts
moto, an S3 server that is not ours."""
import os
import pathlib
import re
import socket
import subprocess
import time
import urllib.request

from programs import Missing

ROOT = pathlib.Path(__file__).resolve().parents[2]


def setup(name):
    """A setting of samples/setup.sh."""
    return re.search(r"(?m)^%s=(\S+)$" % name, (ROOT / "samples/setup.sh").read_text()).group(1)


def cached(name):
    """Where samples/setup.sh puts it."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return cache / "obkv-tests" / name


def python_of(group, module):
    """Its path; Missing where it, or the module, is not there."""
    python = cached(setup(group + "_venv")) / "bin/python"
    if not python.exists() or subprocess.run([python, "-c", "import " + module], capture_output=True).returncode:
        raise Missing(group, "the Python package %s is not installed: sh samples/setup.sh %s" % (module, group))
    return str(python)


class Moto:
    """An S3 server that ends with the `with` block. It does not check signatures, so files are put into it without any."""

    def __init__(self):
        self.python = python_of("s3", "moto")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.base = "http://127.0.0.1:%d" % self.port

    def __enter__(self):
        self.server = subprocess.Popen([self.python, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            try:
                self.put("/bucket", b"")
                return self
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        raise RuntimeError("moto does not answer")

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    def put(self, path, body):
        request = urllib.request.Request(self.base + urllib.request.quote(path), data=body, method="PUT")
        request.add_header("Content-Type", "application/octet-stream")
        urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60).read()

    def put_tree(self, root, prefix=""):
        for p in sorted(root.rglob("*")):
            if p.is_file():
                self.put("/bucket/%s%s" % (prefix, p.relative_to(root)), p.read_bytes())

    def get(self, key, query=""):
        at = urllib.request.Request(self.base + urllib.request.quote("/bucket/" + key) + query)
        at.add_header("Authorization", "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, "
                      "Signature=none")
        return urllib.request.build_opener(urllib.request.ProxyHandler({})).open(at, timeout=60).read()

    def keys(self, prefix):
        found = re.findall(rb"<Key>([^<]*)</Key>", self.get("", "?list-type=2&max-keys=1000"))
        return [k.decode() for k in found if k.decode().startswith(prefix)]
