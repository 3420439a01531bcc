"""S3Proxy, an S3 server that is not ours, checks signatures and serves a directory: a bucket is a folder in it."""
import os
import socket
import subprocess
import sys
import time

from mini_hdfs import CLASSES, ROOT, Failed

sys.path.insert(0, str(ROOT / "tests/cli"))
from venvs import python_of  # noqa: E402

KEYS = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret+of/the=test"}
SETTINGS = """s3proxy.endpoint=http://127.0.0.1:%d
s3proxy.authorization=aws-v2-or-v4
s3proxy.identity=%s
s3proxy.credential=%s
jclouds.provider=filesystem-nio2
jclouds.identity=none
jclouds.credential=none
jclouds.filesystem.basedir=%s
"""
QUIET = '<configuration><root level="WARN"/></configuration>\n'  # else each step is logged


# boto3 signs what it sends, large files in parts, and moto's Python has it. Arguments: the server and a folder.
UPLOAD = """import boto3, pathlib, sys
s3 = boto3.client("s3", endpoint_url=sys.argv[1], region_name="us-east-1")
if "bucket" not in [b["Name"] for b in s3.list_buckets()["Buckets"]]:
    s3.create_bucket(Bucket="bucket")
for path in pathlib.Path(sys.argv[2]).rglob("*"):
    if path.is_file():
        s3.upload_file(str(path), "bucket", str(path.relative_to(sys.argv[2])))
"""


class S3Proxy:
    """It starts beside its caller; wait() until it answers."""

    def __init__(self, folder, buckets):
        folder.mkdir()
        buckets.mkdir(exist_ok=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.base, self.log = "http://127.0.0.1:%d" % self.port, folder / "log"
        (folder / "settings").write_text(SETTINGS % (self.port, *KEYS.values(), buckets))
        (folder / "logback.xml").write_text(QUIET)
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                ["java", "-Xmx200m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                 "-Dlogback.configurationFile=%s" % (folder / "logback.xml"), "-cp",
                 (CLASSES / "s3proxy.classpath").read_text().strip(), "org.gaul.s3proxy.Main", "--properties",
                 folder / "settings"], env=dict(os.environ, LC_ALL="C.UTF-8"), stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT)

    def wait(self, seconds=120):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), 5).close()
                return self
            except OSError:
                time.sleep(0.1)
        raise Failed("S3Proxy: %s" % self.log.read_text()[-2000:])

    def put_tree(self, root, env):
        env = dict(env, AWS_REQUEST_CHECKSUM_CALCULATION="when_required", **KEYS)  # it does not know checksums at the end
        subprocess.run([python_of("s3", "boto3"), "-c", UPLOAD, self.base, root], check=True, env=env)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
