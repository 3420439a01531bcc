"""A real HDFS (src/MiniHdfs.java), started by tests that have run `tests/remote/run.sh --classes`."""
import http.client
import http.server
import pathlib
import subprocess
import threading

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLASSES = ROOT / "build/remote"


class Failed(Exception):
    pass


class MiniHdfs:
    """kind: pair or kerberos. It starts beside its caller; the first command waits until it is there."""

    def __init__(self, folder, kind):
        folder.mkdir()
        self.folder = folder
        path = "%s:%s" % (CLASSES / "classes", (CLASSES / "classpath").read_text().strip())
        with open(folder / "log", "w") as log:
            self.process = subprocess.Popen(
                ["java", "-Xmx500m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", path,
                 "-Dlog4j.configuration=file:%s" % (ROOT / "tests/interop/conf/log4j.properties"), "MiniHdfs", folder, kind],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
        self.addresses = None

    def answer(self):
        line = self.process.stdout.readline()
        if not line.startswith("ok "):
            raise Failed("MiniHdfs: %s: %s" % (line.strip() or "it ended", (self.folder / "log").read_text()[-2000:]))
        return line[3:].strip()

    def wait(self):
        """Ports of the namenodes: http and rpc in turn; then krb5.conf."""
        if self.addresses is None:
            self.addresses = self.answer().split()
        return self

    def call(self, *words):
        self.wait()
        self.process.stdin.write("\t".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        return self.answer()

    @property
    def http(self):
        return [a for a in self.wait().addresses[0::2] if ":" in a]

    @property
    def rpc(self):
        return self.wait().addresses[1::2]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Watched(http.server.ThreadingHTTPServer):
    """Stands before a namenode and passes everything on. Before the answer to the n-th OPEN, it calls act(the datanode's URL)."""
    daemon_threads = True

    def __init__(self, namenode, n, act):
        super().__init__(("127.0.0.1", 0), Passing)
        self.namenode, self.left, self.act, self.lock, self.acted = namenode, n, act, threading.Lock(), False
        self.address = "127.0.0.1:%d" % self.server_port

    def opened(self, location):
        with self.lock:
            self.left -= 1
            if self.left == 0:
                self.act(location)
                self.acted = True

    def handle_error(self, request, address):
        pass  # a client that has left

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Passing(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        c = http.client.HTTPConnection(self.server.namenode)
        c.request("GET", self.path, headers={"Accept": "*/*"})
        answer = c.getresponse()
        body = answer.read()
        if "op=OPEN" in self.path and answer.status == 307:
            self.server.opened(answer.headers["Location"])
        self.send_response(answer.status)
        for name in ("Location", "Content-Type"):
            if answer.headers[name]:
                self.send_header(name, answer.headers[name])
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        c.close()
