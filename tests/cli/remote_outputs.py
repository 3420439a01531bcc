#!/usr/bin/env python3
"""Outputs on servers (-o s3://, -o hdfs://): the bytes of a local run, whatever the server does; published by the manifest, which
comes last; after a kill at any request, the next run completes it and leaves nothing else behind.

    remote_outputs.py BIN [--seed N] [--keep] [-v] [NAME ...]

The servers are those of remote_writers.py, and moto. The last line is "N passed, N failed, N skipped".
"""
import os
import random
import signal
import subprocess
import sys

import remote_servers as servers
from programs import NOW, Suite, bytes_of_files, demand, manifest, shown
from remote_kit import COLUMNS, KEY, configured, remote_call, rows
from remote_outputs_disturbed import CASES
from remote_writers import Faults, HdfsWriteHandler, S3WriteHandler, WritingServer
from venvs import Moto

PARTS = ("--s3-part-size", "100000")


def data(suite):
    root = suite.tmp / "root"
    if not root.exists():
        (root / "in").mkdir(parents=True)
        (root / "in/a.csv").write_bytes(rows(0, 20000))
        (root / "in/b.csv").write_bytes(rows(15000, 9000))
    return root


class Place:
    """A server with outputs in the folder out/ of its root."""

    def __init__(self, suite, kind, **faults):
        self.kind, root = kind, data(suite)
        faults = Faults(suite.seed, **faults)
        if kind == "s3":
            suite.env.update(AWS_ACCESS_KEY_ID=servers.KEY_ID, AWS_SECRET_ACCESS_KEY=servers.SECRET,
                             AWS_SESSION_TOKEN=servers.TOKEN)
            self.server = WritingServer(S3WriteHandler, root, suite.tmp / "spool", faults, token=servers.TOKEN)
            self.at = ("--s3-endpoint", self.server.base, *PARTS)
        else:
            suite.env["HADOOP_USER_NAME"] = servers.USER
            self.server = WritingServer(HdfsWriteHandler, root, suite.tmp / "spool", faults)
            self.at = ("--hdfs-namenodes", self.server.base.removeprefix("http://"))
        self.root = root

    def url(self, name):
        return ("s3://bucket/" if self.kind == "s3" else "hdfs://nn/") + name

    def __enter__(self):
        self.server.__enter__()
        return self

    def __exit__(self, *args):
        self.server.__exit__(*args)


def clear(suite, name):
    return suite.fresh("root/" + name)


def is_clean(place, name):
    """Nothing is there but what a local output has."""
    left = [str(p) for p in (place.root / name).rglob("*") if p.is_file() and ".obkv" in p.parts]
    demand(not left, "left on the server: %s" % left)
    demand(not getattr(place.server, "uploads", None), "uploads are left: %s" % place.server.uploads)


def same_output(a, place, name):
    """Names and bytes of all files but the manifest, which has other times."""
    def listing(root):
        return {str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*")
                if p.is_file() and ".obkv" not in p.parts and p.name not in ("MANIFEST.json", "report.html")}
    one, other = listing(a), listing(place.root / name)
    demand(one.keys() == other.keys(), "other files: %s, %s" % (sorted(one), sorted(other)))
    demand(all(one[k] == other[k] for k in one), "other bytes: %s" % [k for k in one if one[k] != other[k]])
    is_clean(place, name)


IMPORT = ("import", *COLUMNS, *KEY, "--remote-retries", 6)


def local_import(suite, *inputs):
    out = suite.fresh("local")
    suite.call("import", *COLUMNS, *KEY, "-o", out, *inputs)
    return out


def imports(suite):
    """First, again, with other settings, and replaced."""
    for kind in ("s3", "hdfs"):
        with Place(suite, kind) as p:
            clear(suite, "out")
            a = local_import(suite, p.root / "in")
            done = remote_call(suite, *IMPORT, *p.at, "--verbose", "-o", p.url("out"), p.url("in"))
            demand(p.url("out").encode() in done.out, shown(done.out))
            same_output(a, p, "out")
            demand(p.server.puts[-1].endswith("MANIFEST.json"), "the manifest is not last: %s" % p.server.puts[-3:])
            demand(kind != "s3" or p.server.started >= 3, "nothing was sent in parts")
            demand("obkv-remote" not in (p.root / "out/MANIFEST.json").read_text(), "a temporary path is in the manifest")
            puts = len(p.server.puts)
            done = remote_call(suite, *IMPORT, *p.at, "-o", p.url("out"), p.url("in"))
            demand(b"nothing to do" in done.out + done.err and len(p.server.puts) == puts, shown(done.out + done.err))
            done = remote_call(suite, *IMPORT, *p.at, "-o", p.url("out"), p.url("in/a.csv"), want=2)
            demand(b"made with other inputs" in done.err and p.url("out").encode() in done.err, shown(done.err))
            remote_call(suite, *IMPORT, *p.at, "--overwrite", "--partition", "key:2", "-o", p.url("out"), p.url("in/a.csv"))
            suite.call("import", *COLUMNS, "--partition", "key:2", "--now", NOW, "--overwrite", "-o", a, p.root / "in/a.csv")
            same_output(a, p, "out")
            remote_call(suite, "verify", "check", *p.at, p.url("out"))
            server_refusals(suite, p)


def server_refusals(suite, p):
    done = remote_call(suite, *IMPORT, *p.at, "-o", p.url("in"), p.root / "in/a.csv", want=2)
    demand(b"is not empty and holds no dataset" in done.err, shown(done.err))
    done = remote_call(suite, *IMPORT, *p.at, "-o", p.url("out/f"), p.url("in/a.csv"), want=2)
    demand(b"is inside the dataset" in done.err, shown(done.err))
    done = remote_call(suite, "compact", "--versions", 1, *p.at, "--overwrite", "-o", p.url("out"), p.url("out"), want=2)
    demand(b"cannot be an input as well" in done.err, shown(done.err))
    done = remote_call(suite, *IMPORT, *p.at, "-o", p.url("o*"), p.url("in/a.csv"), want=2)
    demand(b"have no *, ? or [" in done.err, shown(done.err))
    done = remote_call(suite, *IMPORT, *p.at, "--shards", 3, "-o", p.url("out2"), p.url("in/a.csv"), want=2)
    demand(b"--shards I/N" in done.err, shown(done.err))


def journey(suite):
    """Server -> import of shards -> join -> compact -> check -> export -> server, with nothing local but scratch."""
    for kind in ("s3", "hdfs"):
        with Place(suite, kind) as p:
            for name in ("shards", "joined", "small", "text", "split"):
                clear(suite, name)
            shards = [p.url("shards/%d" % i) for i in (1, 2, 3)]
            for i, shard in enumerate(shards):
                remote_call(suite, *IMPORT, *p.at, "--shard", "%d/3" % (i + 1), "-o", shard, p.url("in"))
            remote_call(suite, "split", "join", *p.at, "-o", p.url("joined"), *shards)
            same_output(local_import(suite, p.root / "in"), p, "joined")
            local = suite.fresh("small")
            suite.call("compact", "--versions", 1, "--now", NOW, "-o", local, suite.tmp / "local")
            remote_call(suite, "compact", "--versions", 1, "--now", NOW, *p.at, "-o", p.url("small"), p.url("joined"))
            same_output(local, p, "small")
            remote_call(suite, "verify", "check", *p.at, p.url("small"))
            remote_call(suite, "verify", "diff", *p.at, local, p.url("small"))
            text = suite.fresh("text")
            suite.call("export", "--format", "csv", "-o", text, local)
            remote_call(suite, "export", "--format", "csv", *p.at, "-o", p.url("text"), p.url("small"))
            same_output(text, p, "text")
            for_a_database(suite, p, local)
            split = suite.fresh("split")
            suite.call("split", "apply", "--partition", "key:5", "--now", NOW, "-o", split, local)
            remote_call(suite, "split", "apply", "--partition", "key:5", "--now", NOW, *p.at, "-o", p.url("split"),
                        p.url("small"))
            same_output(split, p, "split")


def for_a_database(suite, p, local):
    """Exports for LOAD DATA need the path that the database has; a dataset by URL needs a place for the journal."""
    clear(suite, "load")
    done = remote_call(suite, "export", "--name", "t", *p.at, "-o", p.url("load"), p.url("small"), want=2)
    demand(b"is on a server: give --server-dir" in done.err, shown(done.err))
    a = suite.fresh("load")
    suite.call("export", "--name", "t", "--server-dir", "/there", "-o", a, local)
    remote_call(suite, "export", "--name", "t", "--server-dir", "/there", *p.at, "-o", p.url("load"), p.url("small"))
    same_output(a, p, "load")
    path = manifest(p.root / "load")["dataset"]["path"]
    demand(path == p.url("small"), "exported from %s" % path)
    to = ("--target", "127.0.0.1:1/test", *p.at)
    done = remote_call(suite, "load", *to, "--via", "server", p.url("load"), want=2)
    demand(b"--via server: %s is a URL: give --server-dir" % p.url("load").encode() in done.err, shown(done.err))
    for name in ("load", "small"):
        done = remote_call(suite, "load", *to, p.url(name), want=2)
        demand(b"is on a server: give --journal FILE" in done.err, shown(done.err))


def shares(suite):
    """Shares of a join are put together by copies of their files."""
    for kind in ("s3", "hdfs"):
        with Place(suite, kind) as p:
            for name in ("s", "shares", "joined"):
                clear(suite, name)
            made = [p.url("s/%d" % i) for i in (1, 2)]
            for i, shard in enumerate(made):
                remote_call(suite, *IMPORT, *p.at, "--shard", "%d/2" % (i + 1), "-o", shard, p.url("in"))
            parts = [p.url("shares/%d" % i) for i in (1, 2)]
            for i, part in enumerate(parts):
                remote_call(suite, "split", "join", *p.at, "--partitions", "%d/2" % (i + 1), "-o", part, *made)
            remote_call(suite, "split", "join", *p.at, "-o", p.url("joined"), *parts)
            same_output(local_import(suite, p.root / "in"), p, "joined")


def rejects(suite):
    """Too many bad records: nothing is published, but the rejects are there."""
    with Place(suite, "s3") as p:
        clear(suite, "out")
        (p.root / "bad.csv").write_bytes(rows(0, 10) + b"no time\n")
        done = remote_call(suite, *IMPORT, *p.at, "-o", p.url("out"), p.url("bad.csv"), want=4)
        demand(p.url("out/_report").encode() in done.err, shown(done.err))
        names = sorted(str(q.relative_to(p.root / "out")) for q in (p.root / "out").rglob("*") if q.is_file())
        demand(names and all(n.startswith("_report/") for n in names), names)
        remote_call(suite, *IMPORT, *p.at, "--max-rejects", 1, "-o", p.url("out"), p.url("bad.csv"), want=3)
        a = suite.fresh("local")
        suite.call("import", *COLUMNS, *KEY, "--max-rejects", 1, "-o", a, p.root / "bad.csv", want=3)
        demand(bytes_of_files(a) == bytes_of_files(p.root / "out"), "other cell files")
        demand((p.root / "out/_report").is_dir(), "no report")
        is_clean(p, "out")


def troubled(suite):
    """503, answers that are lost, bytes that change on the way: the same output after all."""
    a = local_import(suite, data(suite) / "in")
    for kind, kw in (("s3", {"busy": 0.2, "mute": 0.1, "spoil": 0.1}), ("s3", {"storm": 9}),
                     ("hdfs", {"busy": 0.1, "mute": 0.1})):
        with Place(suite, kind, **kw) as p:
            clear(suite, "out")
            remote_call(suite, *IMPORT, *p.at, "--remote-retries", 20, "-o", p.url("out"), p.root / "in")
            same_output_of(a, p)


def same_output_of(a, p):
    demand(bytes_of_files(a) == bytes_of_files(p.root / "out"), "other cell files")
    is_clean(p, "out")


def lost(suite):
    """What the server loses, or has with another tag, is noticed before the manifest is put; the next run sends only that."""
    a = local_import(suite, data(suite) / "in")
    for kind, kw in (("s3", {"lose": 0.5}), ("s3", {"lie_tag": 0.5}), ("hdfs", {"lose": 0.5})):
        with Place(suite, kind, **kw) as p:
            clear(suite, "out")
            done = remote_call(suite, *IMPORT, *p.at, *(("--s3-part-size", "1G") if kind == "s3" else ()), "-o", p.url("out"),
                               p.root / "in", want=75)
            demand(b"after it was written" in done.err or b"not there as it was written" in done.err, shown(done.err))
            demand(not (p.root / "out/MANIFEST.json").exists(), "it was published")
            p.server.trouble = Faults()
            done = remote_call(suite, *IMPORT, *p.at, *(("--s3-part-size", "1G") if kind == "s3" else ()), "-o", p.url("out"),
                               p.root / "in", "--verbose")
            same_output_of(a, p)


def refused(suite):
    """Rights, clocks, quotas, and servers that do not come back."""
    local = data(suite) / "in/a.csv"
    for kind, kw, want, text in (("s3", {"deny": "p00001"}, 7, b"HTTP 403 AccessDenied"),
                                 ("s3", {"skew": True}, {5, 7}, b"the clock of this machine is wrong"),
                                 ("s3", {"storm": 10 ** 6}, 75, b"attempts failed"),
                                 ("hdfs", {"deny": "p00001"}, 7, b"the quota of the directory is used up"),
                                 ("hdfs", {"storm": 10 ** 6}, 75, b"attempts failed")):
        with Place(suite, kind, **kw) as p:
            clear(suite, "out")
            done = remote_call(suite, *IMPORT, *p.at, "--remote-retries", 2, "-o", p.url("out"), local, want=want)
            demand(text in done.err, "%s %s: %s" % (kind, kw, shown(done.err)))
            demand(not (p.root / "out/MANIFEST.json").exists(), "it was published")
    done = remote_call(suite, *IMPORT, "-o", "https://host/out", local, want=2)
    demand(b"only local paths are written" in done.err, shown(done.err))
    done = remote_call(suite, *IMPORT, "-o", "gs://b/out", local, want=2)
    demand(b"write to a local directory" in done.err, shown(done.err))


def two_writers(suite):
    """Another run begins at the same place: the first one publishes nothing."""
    with Place(suite, "s3") as p:
        clear(suite, "out")
        mark = p.root / "out/.obkv/writer"
        p.server.trouble.stop = (12, lambda: (mark.parent.mkdir(parents=True, exist_ok=True), mark.write_bytes(b"another\n")))
        done = remote_call(suite, *IMPORT, *p.at, "-o", p.url("out"), p.root / "in", want=75)
        demand(b"another run writes there" in done.err, shown(done.err))


def disturbed(case, kinds):
    def test(suite):
        for kind in kinds:
            with Place(suite, kind) as p:
                case(suite, p)
    return test


def killed(suite):
    """kill -9 at any request of a first run and of one that replaces: finished, or not; then completed by the next run."""
    choice = random.Random(suite.seed)
    a, b = suite.fresh("first"), suite.fresh("second")
    suite.call("import", *COLUMNS, *KEY, "-o", a, data(suite) / "in")
    suite.call("import", *COLUMNS, *KEY, "-o", b, data(suite) / "in/a.csv")
    rounds = int(os.environ.get("OBKV_KILLS") or (40 if os.environ.get("OBKV_STRESS") else 8))
    for kind in ("s3", "hdfs"):
        for i in range(rounds):
            with Place(suite, kind) as p:
                kill_once(suite, p, choice, a, b, i % 2 == 1)


def kill_once(suite, p, choice, a, b, replaces):
    clear(suite, "out")
    inputs = [p.root / "in"]
    if replaces:
        remote_call(suite, *IMPORT, *p.at, "-o", p.url("out"), p.root / "in/a.csv")
    words = [*IMPORT, *p.at, *(["--overwrite"] if replaces else []), "-o", p.url("out"), *inputs]
    at, running = choice.randint(1, 45), []
    p.server.requests_seen = 0
    p.server.trouble.stop = (at, lambda: running[0].send_signal(signal.SIGKILL))
    with configured(suite, words[1:]) as rest:
        gate = suite.tmp / "gate"
        running.append(subprocess.Popen(suite.command("import", rest), env=suite.env, cwd=suite.tmp, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=open(gate, "wb")))
        code = running[0].wait(120)
    p.server.trouble.stop = None
    demand(code in (0, -signal.SIGKILL), "exit %d: %s" % (code, shown(gate.read_bytes())))
    if (p.root / "out/MANIFEST.json").exists():
        finished = bytes_of_files(p.root / "out")
        demand(finished in (bytes_of_files(a), bytes_of_files(b) if replaces else None), "request %d: a mixture" % at)
        remote_call(suite, "verify", "check", *p.at, p.url("out"))
    remote_call(suite, *words)
    same_output_of(a, p)
    remote_call(suite, "verify", "check", *p.at, p.url("out"))


def a_second_s3_server(suite):
    """moto, which is not ours; parts of 5 MB are the smallest that it takes."""
    with Moto() as s:
        (suite.tmp / "big.csv").write_bytes(rows(0, 60000, 100))
        a = suite.fresh("local")
        options = ("--partition", "none", "--codec", "none", "--now", NOW)
        suite.call("import", *COLUMNS, *options, "-o", a, suite.tmp / "big.csv")
        at = ("--s3-endpoint", s.base, "--s3-part-size", "5M")
        words = ("import", *COLUMNS, *options, *at, "-o", "s3://bucket/out/set", suite.tmp / "big.csv")
        suite.env.update(AWS_ACCESS_KEY_ID="key", AWS_SECRET_ACCESS_KEY="secret")
        suite.env.pop("AWS_SESSION_TOKEN", None)
        remote_call(suite, *words)
        names = sorted(s.keys("out/set/"))
        demand(names == ["out/set/MANIFEST.json", "out/set/f/p00000-000.hfile"], names)
        demand(s.get(names[1]) == (a / "f/p00000-000.hfile").read_bytes(), "other bytes")
        done = remote_call(suite, *words)
        demand(b"nothing to do" in done.out + done.err, shown(done.out + done.err))
        s.put("/bucket/out/set/.obkv/writer", b"killed")
        remote_call(suite, *words, "--overwrite", "--set", "BLOCKSIZE=32K")
        demand(sorted(s.keys("out/set/")) == names, s.keys("out/set/"))
        remote_call(suite, "verify", "check", *at, "s3://bucket/out/set")
        demand(manifest(a)["totals"]["cells"] == 60000, "cells")


def main():
    suite = Suite(__doc__)
    (suite.tmp / "temp").mkdir()
    suite.env = {k: v for k, v in suite.env.items() if not k.startswith("AWS_") and not k.lower().endswith("_proxy")}
    suite.env["TMPDIR"] = str(suite.tmp / "temp")
    for test in (imports, journey, shares, rejects, troubled, lost, refused, two_writers, killed, a_second_s3_server):
        suite.run(test.__name__.replace("_", " "), test)
    for case, kinds in CASES:
        suite.run(case.__name__.replace("_", " "), disturbed(case, kinds))
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
