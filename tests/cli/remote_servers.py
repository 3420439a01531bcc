"""Servers of remote.py on 127.0.0.1, each in a thread: an S3 server that checks every signature (AWS Signature Version 4), HDFS's
namenodes and a datanode by WebHDFS, and plain HTTP. They serve a directory, count what they send, and can be made to fail."""
import hashlib
import hmac
import http.server
import json
import random
import threading
import time
import urllib.parse
from xml.sax.saxutils import escape

KEY_ID, SECRET, TOKEN = "AKIDEXAMPLE", "secret/of+the=test", "session//token=="
ROLE = "arn:aws:iam::123456789012:role/reader"
IDENTITY = "web.identity+token/of=the-test"
PAGE = 7  # names on a page of a listing
USER, DELEGATION = "tester", "delegation+token/of=the test"


class Trouble:
    """What goes wrong, by chance; the same in every run."""

    def __init__(self, seed=1, cut=0.0, busy=0.0, slow=0.0, short=0.0, dead=0.0, expire_after=None, change=None, lie=None,
                 storm=0):
        self.random = random.Random(seed)
        self.cut, self.busy, self.slow, self.short, self.expire_after = cut, busy, slow, short, expire_after
        self.change, self.lie, self.storm, self.dead = change, lie, storm, dead


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def say(self, status, body=b"", headers=(), length=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        self.wfile.write(body)
        with self.server.lock:
            self.server.sent += len(body)

    def end(self):
        """The connection, without another word."""
        self.close_connection = True

    def fault(self, status, code, text="refused"):
        self.say(status, ("<?xml version=\"1.0\"?><Error><Code>%s</Code><Message>%s</Message></Error>" % (code, text)).encode())

    def trouble(self):
        """True: the answer was given already."""
        t = self.server.trouble
        with self.server.lock:
            self.server.requests += 1
            number, dice = self.server.requests, t.random.random()
        if t.slow:
            time.sleep(t.slow)
        if number <= t.storm or dice < t.busy:
            self.say(503, b"<Error><Code>SlowDown</Code></Error>")
            return True
        if t.change and number == t.change[0]:
            t.change[1]()
        return False

    def serve_part(self, path, extra=()):
        """A file, or the part of it that Range asks for."""
        data = path.read_bytes()
        tag = '"%s"' % self.server.tag(path)
        when = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(path.stat().st_mtime))
        headers = [("ETag", tag), ("Last-Modified", when), *extra]
        wanted = self.headers.get("Range")
        if not wanted or self.server.no_ranges:
            return self.send_some(200, data, headers)
        first, last = wanted.removeprefix("bytes=").split("-")
        first, last = int(first), min(int(last or len(data)), len(data) - 1)
        if first >= len(data):
            return self.say(416, b"", [("Content-Range", "bytes */%d" % len(data))])
        lie = self.server.trouble.lie
        shift = 1 if lie == "offset" else 0
        total = len(data) + (1 if lie == "total" else 0)
        headers.append(("Content-Range", "bytes %d-%d/%d" % (first + shift, last + shift, total)))
        return self.send_some(206, data[first:last + 1], headers)

    def send_some(self, status, body, headers):
        t = self.server.trouble
        with self.server.lock:
            cut, short, part = t.random.random() < t.cut, t.random.random() < t.short, t.random.random()
        if len(body) > 1 and cut:
            self.say(status, body[:int(part * len(body))], headers, len(body))
            return self.end()
        if len(body) > 1 and short:  # the length fits what is sent, but not what was asked for
            return self.say(status, body[:1 + int(part * (len(body) - 1))], headers)
        return self.say(status, body, headers)


def signature(secret, date, region, service, text):
    key = ("AWS4" + secret).encode()
    for part in (date, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class S3Handler(Handler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        if self.trouble() or not self.is_signed(path, query):
            return
        parts = urllib.parse.unquote(path).lstrip("/").split("/", 1)
        host = self.headers["Host"].split(":")[0]
        if host.endswith(".localhost"):  # the bucket is in the name of the host, and the path is the key
            parts = [host.removesuffix(".localhost"), urllib.parse.unquote(path).removeprefix("/")]
        if parts[0] != "bucket":
            self.fault(404, "NoSuchBucket")
        elif "list-type=2" in query:
            self.listing(dict(urllib.parse.parse_qsl(query, keep_blank_values=True)))
        else:
            at = self.server.root / parts[1]
            if at.is_file():
                self.serve_part(at)
            else:
                self.fault(404, "NoSuchKey")

    def is_signed(self, path, query):
        t = self.server.trouble
        if t.expire_after is not None and self.server.requests > t.expire_after:
            self.fault(400, "ExpiredToken", "The provided token has expired.")
            return False
        given = self.headers.get("Authorization", "")
        if not given.startswith("AWS4-HMAC-SHA256 "):
            self.fault(403, "AccessDenied", "Anonymous access is forbidden")
            return False
        fields = dict(f.strip().split("=", 1) for f in given.split(" ", 1)[1].split(","))
        key_id, date, region, service, _ = fields["Credential"].split("/")
        names = fields["SignedHeaders"].split(";")
        pairs = sorted(query.split("&")) if query else []
        canonical = "\n".join([self.command, path, "&".join(p if "=" in p else p + "=" for p in pairs)] +
                              ["%s:%s" % (n, self.headers.get(n, "").strip()) for n in names] +
                              ["", ";".join(names), self.headers.get("x-amz-content-sha256", hashlib.sha256(b"").hexdigest())])
        text = "\n".join(["AWS4-HMAC-SHA256", self.headers["x-amz-date"], "%s/%s/%s/aws4_request" % (date, region, service),
                          hashlib.sha256(canonical.encode()).hexdigest()])
        good = key_id == KEY_ID and region == self.server.region and \
            fields["Signature"] == signature(SECRET, date, region, service, text)
        if good and self.server.token and (self.headers.get("x-amz-security-token") != self.server.token or
                                           "x-amz-security-token" not in names):
            good = False
        if not good:
            self.fault(403, "SignatureDoesNotMatch", "The signature does not match")
        return good

    def listing(self, q):
        root, prefix, token = self.server.root, q.get("prefix", ""), q.get("continuation-token", "")
        names = sorted(str(p.relative_to(root)) for p in root.rglob("*") if p.is_file())
        names = [n for n in names if n.startswith(prefix) and n > token.removeprefix("again")]
        page, rest = names[:PAGE], names[PAGE:]
        out = ["<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">",
               "<IsTruncated>%s</IsTruncated>" % ("true" if rest else "false")]
        if rest:
            out.append("<NextContinuationToken>%s</NextContinuationToken>" %
                       escape("again" if self.server.trouble.lie == "token" else page[-1]))
        for n in page:
            when = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime((root / n).stat().st_mtime))
            out.append("<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>&quot;%s&quot;</ETag><Size>%d</Size>"
                       "</Contents>" % (escape(n), when, self.server.tag(root / n), (root / n).stat().st_size))
        if self.server.trouble.lie == "beside":
            out.append("<Contents><Key>x</Key><Size>1</Size></Contents>")
        self.say(200, ("".join(out) + "</ListBucketResult>").encode())


class StsHandler(Handler):
    """The token service: keys for a web identity. server.root is where its token is."""

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if self.trouble():
            return
        asked = [form.get(name) for name in ("Action", "Version", "RoleArn")]
        if asked != ["AssumeRoleWithWebIdentity", "2011-06-15", ROLE]:
            self.fault(400, "InvalidAction")
        elif form.get("WebIdentityToken") != self.server.root.read_text().strip():
            self.fault(400, "InvalidIdentityToken", "No OpenIDConnect provider found")
        else:
            until = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + self.server.valid_s))
            self.say(200, ("<AssumeRoleWithWebIdentityResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">"
                           "<AssumeRoleWithWebIdentityResult><Credentials><AccessKeyId>%s</AccessKeyId><SecretAccessKey>%s"
                           "</SecretAccessKey><SessionToken>%s</SessionToken><Expiration>%s</Expiration></Credentials>"
                           "</AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>"
                           % (KEY_ID, SECRET, TOKEN, until)).encode())


class HdfsHandler(Handler):
    """A namenode, or (path /data/) the datanode that it sends readers to."""

    def exception(self, status, name, text):
        self.say(status, json.dumps({"RemoteException": {"exception": name, "javaClassName": "x", "message": text}}).encode(),
                 [("Content-Type", "application/json")])

    def do_GET(self):
        if self.trouble():
            return
        path, _, query = self.path.partition("?")
        q = dict(urllib.parse.parse_qsl(query))
        if self.server.standby:
            self.exception(403, "StandbyException", "Operation category READ is not supported in state standby")
            return
        if q.get("user.name") != USER and q.get("delegation") != DELEGATION:
            self.exception(401, "SecurityException", "Failed to obtain user group information")
            return
        at = self.server.root / urllib.parse.unquote(path).removeprefix("/webhdfs/v1").removeprefix("/data").lstrip("/")
        if not at.exists():
            self.exception(404, "FileNotFoundException", "File does not exist")
        elif path.startswith("/data/"):
            self.part(at, int(q.get("offset", 0)), int(q.get("length", 1 << 40)))
        else:
            self.operation(at, q, query)

    def part(self, at, offset, length):
        with open(at, "rb") as f:
            f.seek(offset)
            self.send_some(200, f.read(length), [])

    def operation(self, at, q, query):
        op = q["op"]
        if op == "OPEN":
            with self.server.lock:  # nobody listens on port 1
                port = 1 if self.server.trouble.random.random() < self.server.trouble.dead else self.server.server_port
            where = "http://127.0.0.1:%d/data/%s?%s" % (port, urllib.parse.quote(str(at.relative_to(self.server.root))), query)
            self.say(307, b"", [("Location", where)])
        elif op == "GETFILESTATUS":
            self.say(200, json.dumps({"FileStatus": self.status(at, "")}).encode())
        elif op == "LISTSTATUS":
            self.say(200, json.dumps({"FileStatuses": {"FileStatus": [
                self.status(p, p.name) for p in sorted(at.iterdir())]}}).encode())
        elif op == "LISTSTATUS_BATCH" and self.server.batches:
            after = "" if self.server.trouble.lie == "token" else q.get("startAfter", "")
            names = [p for p in sorted(at.iterdir()) if p.name > after]
            self.say(200, json.dumps({"DirectoryListing": {
                "partialListing": {"FileStatuses": {"FileStatus": [self.status(p, p.name) for p in names[:PAGE]]}},
                "remainingEntries": len(names[PAGE:])}}).encode())
        else:
            self.exception(400, "IllegalArgumentException", "Invalid value for webhdfs parameter \"op\"")

    @staticmethod
    def status(at, name):
        s = at.stat()
        return {"pathSuffix": name, "type": "DIRECTORY" if at.is_dir() else "FILE", "length": 0 if at.is_dir() else s.st_size,
                "modificationTime": s.st_mtime_ns // 1000000, "owner": "o", "group": "g", "permission": "644", "blockSize": 1,
                "replication": 1, "accessTime": 0}


class HttpHandler(Handler):
    def do_GET(self):
        if self.trouble():
            return
        at = self.server.root / urllib.parse.unquote(self.path.partition("?")[0]).lstrip("/")
        if at.is_file():
            self.serve_part(at)
        else:
            self.say(404, b"no")


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, handler, root, trouble=None, token=None, region="us-east-1", standby=False, batches=True, tls=None,
                 no_ranges=False):
        super().__init__(("127.0.0.1", 0), handler)
        self.root, self.trouble, self.token, self.region = root, trouble or Trouble(), token, region
        self.standby, self.batches, self.no_ranges = standby, batches, no_ranges
        self.valid_s = 3600
        self.lock, self.sent, self.requests, self.tags = threading.Lock(), 0, 0, {}
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.base = "%s://127.0.0.1:%d" % ("https" if tls else "http", self.server_port)

    def tag(self, path):
        state = path.stat()
        key = (path, state.st_size, state.st_mtime_ns)
        if key not in self.tags:
            self.tags[key] = hashlib.md5(path.read_bytes()).hexdigest()
        return self.tags[key]

    def handle_error(self, request, address):
        pass  # a client that has left

    def __enter__(self):
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *args):
        self.shutdown()
        self.server_close()
