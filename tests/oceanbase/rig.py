"""What the cases of loads.py are made of: rows, a table for them, the programs beside a database, and waiting."""
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import time

NOW = 1_700_000_100_000
GROUP = "CREATE TABLEGROUP %s SHARDING = 'ADAPTIVE';\n"
TABLE = """CREATE TABLE `%(name)s$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V %(v)s NOT NULL,
%(extra)s PRIMARY KEY (K, Q, T)) %(grouped)s %(kv)s %(partition)s;
"""
RANGE = "PARTITION BY RANGE COLUMNS(K) (PARTITION lo VALUES LESS THAN ('row03'), PARTITION `P-1` VALUES LESS THAN ('row07'), " \
        "PARTITION hi VALUES LESS THAN (MAXVALUE))"
PREFIX = "KP varbinary(1024) GENERATED ALWAYS AS (substring(K, 1, 5)),"


class Wrong(Exception):
    pass


class Skipped(Exception):
    """What a case needs is not to be had here; the text says what."""


def demand(ok, text):
    if not ok:
        raise Wrong(text)


def fits(document, name=None):
    """Its schema (name: that of lines, which name none) is in docs/schemas; checked where python3-jsonschema is installed."""
    name = name or document["schema"].replace("/", "-")
    path = os.path.join(os.path.dirname(__file__), "../../docs/schemas", name + ".json")
    with open(path) as f:
        schema = json.load(f)
    with contextlib.suppress(ImportError):
        import jsonschema
        errors = [e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(document)]
        demand(not errors, "%s: %s" % (name, errors[:3]))


class Bench:
    """One peer, the programs, and a folder."""

    timeout = 300  # seconds for one program

    def __init__(self, peer, binaries, folder, verbose):
        self.peer, self.binaries, self.folder, self.verbose = peer, binaries, folder, verbose

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, tool, *args, want=0):
        done = subprocess.run([os.path.join(self.binaries, tool)] + [str(a) for a in args], capture_output=True,
                              timeout=self.timeout)
        out = done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace")
        if self.verbose:
            print("   ", tool, *args, "->", done.returncode, *[t[-700:] for t in out])
        wanted = want if isinstance(want, tuple) else (want,)
        demand(done.returncode in wanted, "%s %s: exit %d instead of %s\n%s%s" % (
            tool, " ".join(map(str, args)), done.returncode, wanted, out[0][-1500:], out[1][-1500:]))
        return out

    def print_definition(self, table, path):
        """The statements of a table in the database, as a file for --ddl."""
        with open(path, "w") as f:
            f.write(self.run("obkv-load", *self.peer.options(), "--from-target", table)[0])

    def code(self, tool, *args):
        """The exit code; what is printed does not matter."""
        return subprocess.run([os.path.join(self.binaries, tool)] + [str(a) for a in args], capture_output=True,
                              timeout=self.timeout).returncode

    def ddl(self, name, partition="PARTITION BY KEY(K) PARTITIONS 7", v="varbinary(1048576)", extra="", kv="", grouped=True):
        """grouped: in a table group, which only OceanBase has."""
        path = self.path(name + ".sql")
        with open(path, "w") as f:
            f.write(GROUP % name if grouped else "")
            f.write(TABLE % dict(name=name, partition=partition, v=v, extra=extra, kv="KV_ATTRIBUTES = '%s'" % kv if kv else "",
                                 grouped="TABLEGROUP = " + name if grouped else ""))
        return path

    def export(self, name, rows, *options, **table):
        """Rows (bytes K, Q, V, int timestamp) through import and export; the folder of the export."""
        self.dataset(name, rows, **table)
        self.run("obkv-export", "--now", NOW, "--create", "-o", self.path(name), *options, self.path(name + ".ds"))
        return self.path(name)

    def dataset(self, name, rows, **table):
        ddl = self.ddl(name, **table)
        self.cells(name, rows)
        self.run("obkv-import", "--now", NOW, "--ddl", ddl, "--format", "cells", "-o", self.path(name + ".ds"),
                 self.path(name + ".cells"))
        return self.path(name + ".ds")

    def cells(self, name, rows):
        with open(self.path(name + ".cells"), "w") as f:
            for k, q, v, ts in rows:
                f.write("%s\t66\t%s\t%d\t4\t0\t%s\t-\n" % (k.hex(), q.hex() or "-", ts, v.hex() or "-"))

    def load(self, where, *options, want=0):
        return self.run("obkv-load", *self.peer.options(), *options, where, want=want)

    def begin_load(self, where, *options):
        """A load that looks at signals already: before that they would end it in another way."""
        p = subprocess.Popen([os.path.join(self.binaries, "obkv-load")] + self.peer.options() + list(options) + [where],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        wait_until(lambda: p.poll() is not None or blocks(p.pid, signal.SIGINT))
        return p

    def verify(self, where, *options, want=0):
        """Lines of JSON, the summary last."""
        out = self.run("obkv-verify", "target", "--now", NOW, "--json", *self.peer.options(), *options, where, want=want)[0]
        return [json.loads(line) for line in out.splitlines()]

    def expect_equal(self, where, *options):
        demand(self.verify(where, *options)[-1]["equal"], "not equal")

    def rows(self, name):
        return int(self.peer.one("SELECT COUNT(*) FROM `%s$f`" % name))


def manifest(where):
    with open(os.path.join(where, "MANIFEST.json")) as f:
        return json.load(f)


def each_row(n, seed=1, size=60):
    r = random.Random(seed)
    for i in range(n):
        yield (b"row%02d-%06d" % (r.randrange(10), i), b"q%d" % r.randrange(3), r.randbytes(r.randrange(size)), NOW - i)


def plain_rows(n, **how):
    return list(each_row(n, **how))


def wait_until(what, seconds=120):
    end = time.monotonic() + seconds
    while True:
        found = what()
        if found:
            return found
        demand(time.monotonic() < end, "waited in vain")
        time.sleep(0.02)


def blocks(pid, sig):
    """This signal, and not all of them: that is what the C library does for a moment while a thread starts."""
    with open("/proc/%d/status" % pid) as f:
        blocked = int(re.search(r"SigBlk:\s*(\w+)", f.read())[1], 16)
    return blocked >> (sig - 1) & ~(blocked >> (signal.SIGUSR1 - 1)) & 1


def loading(b):
    """Sessions in which a file is loaded in the server, not only tried to be read."""
    return [row[0] for row in b.peer.sql("SELECT id FROM information_schema.processlist WHERE (info LIKE 'LOAD DATA%' AND info "
                                         "NOT LIKE '%probe.kqvt%') OR info LIKE 'INSERT /*+ enable_parallel_dml%'")]


def is_loading(b):
    return bool(loading(b))


def kill_often(b, where, delays, *options):
    """kill -9 of the loader while a statement runs, of each one that goes on; options are the first one's, --restart only its."""
    for n, delay in enumerate(delays):
        p = b.begin_load(where, *[o for o in options if not n or o != "--restart"])
        wait_until(lambda: is_loading(b) or p.poll() is not None)
        time.sleep(delay)
        p.kill()
        p.communicate()


def finish(process, want):
    out, errors = process.communicate(timeout=120)
    demand(process.returncode == want, "exit %d instead of %d: %s%s" % (process.returncode, want, out.decode(), errors.decode()))
    return out.decode() + errors.decode()


def certificates(folder):
    """Of the authority ca for the hosts 127.0.0.1 and elsewhere, and the authority other, which has signed none."""
    os.mkdir(folder)

    def openssl(*args):
        subprocess.run(["openssl"] + [a if not a.endswith((".key", ".pem", ".csr")) else folder + "/" + a for a in args],
                       check=True, capture_output=True)

    key = ["-newkey", "rsa:2048", "-nodes"]
    for name in ("ca", "other"):
        openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".pem")
    for name in ("127.0.0.1", "elsewhere"):
        openssl("req", *key, "-subj", "/CN=" + name, "-keyout", name + ".key", "-out", name + ".csr")
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                "-out", name + ".pem")
    return folder
