"""Servers of remote_outputs.py, which take files, too: S3 with uploads in parts, and WebHDFS with CREATE, RENAME and DELETE. They
lose what they have taken, or the answer, give wrong tags, and stop whoever writes at a request of the test's choice."""
import base64
import hashlib
import os
import re
import shutil
import urllib.parse
from xml.sax.saxutils import escape

from remote_servers import DELEGATION, USER, HdfsHandler, S3Handler, Server, Trouble


class Faults(Trouble):
    """lose: taken, answered, and not kept. mute: kept, but the answer does not come. lie_tag: another tag than the file's.
    stop: (number of the request, what to call). deny: part of a name that may not be written. skew: the clock is wrong.
    before: (end of a name, what to call once before such a file is taken). closed: no file is taken for now. stubborn: uploads
    that are given up stay."""

    def __init__(self, seed=1, lose=0.0, mute=0.0, lie_tag=0.0, stop=None, deny=None, skew=False, spoil=0.0, before=None,
                 closed=False, stubborn=False, **kw):
        super().__init__(seed, **kw)
        self.lose, self.mute, self.lie_tag, self.stop, self.deny, self.skew = lose, mute, lie_tag, stop, deny, skew
        self.spoil, self.before, self.closed, self.stubborn = spoil, before, closed, stubborn


class Writes:
    """What both servers do with a file that comes."""

    def body(self):
        data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        with self.server.lock:
            self.server.came += len(data)
        return data

    def dice(self, chance):
        with self.server.lock:
            return self.server.trouble.random.random() < chance

    def stopped(self):
        """Whoever writes is stopped before this request is answered."""
        stop = self.server.trouble.stop
        with self.server.lock:
            self.server.requests_seen += 1
            now = stop and self.server.requests_seen == stop[0]
        if now:
            stop[1]()
            self.end()
        return now

    def is_closed(self, name):
        t = self.server.trouble
        if t.before and name.endswith(t.before[0]):
            t.before, (_, call) = None, t.before
            call()
        return t.closed

    def keep(self, at, data):
        with self.server.lock:
            self.server.written += 1
            made = self.server.spool / str(self.server.written)
        made.write_bytes(data)
        at.parent.mkdir(parents=True, exist_ok=True)
        os.replace(made, at)
        with self.server.lock:
            self.server.puts.append(str(at.relative_to(self.server.root)))


class S3WriteHandler(Writes, S3Handler):
    def target(self):
        path, _, query = self.path.partition("?")
        return urllib.parse.unquote(path).removeprefix("/bucket/"), dict(urllib.parse.parse_qsl(query, keep_blank_values=True))

    def may(self):
        """The request is signed, and nothing goes wrong on the way."""
        path, _, query = self.path.partition("?")
        t = self.server.trouble
        if self.stopped() or self.trouble():
            return False
        if t.skew:
            self.fault(403, "RequestTimeTooSkewed", "The difference between the request time and the current time is too large")
            return False
        return self.is_signed(path, query)

    def do_GET(self):
        if "uploads=" not in self.path:
            if not self.stopped():
                super().do_GET()
            return
        if not self.may():
            return
        _, q = self.target()
        with self.server.lock:
            found = sorted((u["key"], i) for i, u in self.server.uploads.items() if u["key"].startswith(q.get("prefix", "")))
        self.say(200, ("<ListMultipartUploadsResult><KeyMarker/>%s</ListMultipartUploadsResult>" % "".join(
            "<Upload><Key>%s</Key><UploadId>%s</UploadId></Upload>" % (escape(k), escape(i)) for k, i in found[:1])).encode())

    def do_PUT(self):
        data, (key, q) = self.body(), self.target()
        if not self.may():
            return
        t = self.server.trouble
        if self.is_closed(key):
            return self.fault(503, "SlowDown")
        if t.deny and t.deny in key:
            return self.fault(403, "AccessDenied", "Access Denied")
        given = self.headers.get("Content-MD5")
        if self.dice(t.spoil) and data:
            data = data[:-1] + bytes([data[-1] ^ 1])
        tag = hashlib.md5(data).hexdigest()
        if given and base64.b64decode(given).hex() != tag:
            return self.fault(400, "BadDigest", "The Content-MD5 you specified did not match what we received.")
        if "uploadId" in q:
            with self.server.lock:
                upload = self.server.uploads.get(q["uploadId"])
                if upload:
                    upload["parts"][int(q["partNumber"])] = data
            if not upload:
                return self.fault(404, "NoSuchUpload", "The specified upload does not exist.")
        elif not self.dice(t.lose):
            self.keep(self.server.root / key, data)
        return self.answer_tag(tag)

    def answer_tag(self, tag):
        t = self.server.trouble
        if self.dice(t.mute):
            return self.end()
        return self.say(200, b"", [("ETag", '"%s"' % ("0" * 32 if self.dice(t.lie_tag) else tag))])

    def do_POST(self):
        data, (key, q) = self.body(), self.target()
        if not self.may():
            return
        if "uploads" in q:
            with self.server.lock:
                self.server.started += 1
                name = "up/load+%d=" % self.server.started
                self.server.uploads[name] = {"key": key, "parts": {}}
            if self.dice(self.server.trouble.mute):
                return self.end()
            return self.say(200, ("<InitiateMultipartUploadResult><UploadId>%s</UploadId></InitiateMultipartUploadResult>"
                                  % name).encode())
        return self.complete(data.decode(), key, q["uploadId"])

    def complete(self, text, key, name):
        with self.server.lock:
            upload = self.server.uploads.get(name)
        if not upload:
            return self.fault(404, "NoSuchUpload", "The specified upload does not exist.")
        if self.dice(self.server.trouble.busy):
            return self.fault(200, "InternalError", "We encountered an internal error. Please try again.")
        listed = re.findall(r"<PartNumber>(\d+)</PartNumber><ETag>\"(\w+)\"</ETag>", text)
        parts = [upload["parts"].get(int(n), b"") for n, _ in listed]
        if [t for _, t in listed] != [hashlib.md5(p).hexdigest() for p in parts]:
            return self.fault(400, "InvalidPart", "One or more of the specified parts could not be found.")
        tag = "%s-%d" % (hashlib.md5(b"".join(hashlib.md5(p).digest() for p in parts)).hexdigest(), len(parts))
        at = self.server.root / key
        if not self.dice(self.server.trouble.lose):
            self.keep(at, b"".join(parts))
            state = at.stat()
            self.server.tags[(at, state.st_size, state.st_mtime_ns)] = tag
        with self.server.lock:
            self.server.uploads.pop(name, None)
        if self.dice(self.server.trouble.mute):
            return self.end()
        return self.say(200, ("<CompleteMultipartUploadResult><ETag>&quot;%s&quot;</ETag></CompleteMultipartUploadResult>"
                              % tag).encode())

    def do_DELETE(self):
        key, q = self.target()
        if not self.may():
            return
        if "uploadId" in q:
            with self.server.lock:
                if not self.server.trouble.stubborn:
                    self.server.uploads.pop(q["uploadId"], None)
        else:
            (self.server.root / key).unlink(missing_ok=True)
        self.say(204)


class HdfsWriteHandler(Writes, HdfsHandler):
    def do_GET(self):
        if not self.stopped():
            super().do_GET()

    def allowed(self, q):
        if self.stopped() or self.trouble():
            return False
        if self.server.standby:
            self.exception(403, "StandbyException", "Operation category WRITE is not supported in state standby")
            return False
        if q.get("user.name") != USER and q.get("delegation") != DELEGATION:
            self.exception(401, "SecurityException", "Failed to obtain user group information")
            return False
        if self.server.trouble.deny and self.server.trouble.deny in self.path:
            self.exception(403, "NSQuotaExceededException", "The NameSpace quota is exceeded")
            return False
        return True

    def target(self):
        path, _, query = self.path.partition("?")
        name = urllib.parse.unquote(path).removeprefix("/webhdfs/v1").removeprefix("/data").lstrip("/")
        return path, self.server.root / name, dict(urllib.parse.parse_qsl(query)), query

    def do_PUT(self):
        data, (path, at, q, query) = self.body(), self.target()
        if not self.allowed(q):
            return
        if q["op"] == "RENAME":
            to = self.server.root / q["destination"].lstrip("/")
            done = at.is_file() and not to.exists()
            if done:
                os.replace(at, to)
            if self.dice(self.server.trouble.mute):
                return self.end()
            return self.say(200, b'{"boolean": %s}' % (b"true" if done else b"false"))
        if not path.startswith("/data/"):
            where = "http://127.0.0.1:%d/data%s?%s" % (self.server.server_port, path.removeprefix("/webhdfs/v1"), query)
            return self.say(307, b"", [("Location", where)]) if not data else self.exception(400, "IOException", "with data")
        if self.is_closed(at.name):
            return self.exception(503, "RetriableException", "later")
        if not self.dice(self.server.trouble.lose):
            self.keep(at, data)
        if self.dice(self.server.trouble.mute):
            return self.end()
        return self.say(201)

    def do_DELETE(self):
        _, at, q, _ = self.target()
        if not self.allowed(q):
            return
        there = at.exists()
        if at.is_dir():
            shutil.rmtree(at)
        elif there:
            at.unlink()
        self.say(200, b'{"boolean": %s}' % (b"true" if there else b"false"))


class WritingServer(Server):
    def __init__(self, handler, root, spool, trouble=None, **kw):
        super().__init__(handler, root, trouble or Faults(), **kw)
        spool.mkdir(exist_ok=True)
        self.spool, self.written, self.came, self.started, self.requests_seen = spool, 0, 0, 0, 0
        self.uploads, self.puts = {}, []
