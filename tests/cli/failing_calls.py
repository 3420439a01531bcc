#!/usr/bin/env python3
"""Every call of the system fails once, those inside libraries too, or is where the program is killed.

    failing_calls.py BIN [--seed N] [--keep] [-v] [NAME ...]

faulty_calls.c is preloaded and counts the calls of each kind that an undisturbed run makes. Then one run for each: this call
fails, or this and all after it, or each so-many-th. OBKV_STRESS=1 (make stress) tries every call, otherwise a seeded part of
them. After each run the exit code is one of the table, the message names a reason, standard output and the output directory are
those of an undisturbed run or show nothing, and nothing is left behind. OBKV_COMPLAINTS=N shows N failed runs of a test instead
of 6. Skipped where there is no C compiler. The last line is "N passed, N failed, N skipped".
"""
import collections
import difflib
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile

from disturbed import RULES, TWO_COLUMNS, left_behind
from faulty_calls import Faulty
from programs import NOW, Suite, Wrong, demand, digest, manifest, tail

TOP = pathlib.Path(__file__).resolve().parents[2]
DATA = TOP / "tests/data"
STRESS = bool(os.environ.get("OBKV_STRESS"))
EIO, EAGAIN, ENOMEM, ENOSPC = 5, 11, 12, 28
# Kind of call: its errno, the exit codes besides success that may follow, and how many calls of a command the suite tries.
Kind = collections.namedtuple("Kind", "errno codes most")
KINDS = {"alloc": Kind(ENOMEM, {6}, 40), "map": Kind(ENOMEM, {6}, 10), "thread": Kind(EAGAIN, {6}, 10),
         "open": Kind(EIO, {5, 7}, 12), "read": Kind(EIO, {5, 7}, 12), "stat": Kind(EIO, {5, 7}, 12),
         "dir": Kind(EIO, {5, 7}, 12), "close": Kind(EIO, {5, 7}, 12), "write": Kind(ENOSPC, {6}, 12),
         "space": Kind(ENOSPC, {6}, 5),
         "sync": Kind(EIO, {7}, 8), "rename": Kind(ENOSPC, {6}, 10), "unlink": Kind(EIO, {7}, 10),
         "mkdir": Kind(ENOSPC, {6}, 10)}
KILLED_AT = ("open", "write", "space", "sync", "rename", "unlink", "mkdir", "close", "stat", "dir")
Command = collections.namedtuple("Command", "args out good old")  # old: what lies at `out` before


# ---- inputs ----

def text_rows(suite):
    path = suite.tmp / "rows.csv"
    if not path.exists():
        path.write_text("".join("k%d,%d,%s,z\n" % (i % 20, i, "v" * i) for i in range(40)) + "bad\n")
    return path


def dataset(suite, name="plain", seed=0, partition="key:2"):
    """Forty rows of two columns."""
    out = suite.tmp / ("dataset-" + name)
    if not out.exists():
        r = random.Random(seed)
        source = suite.tmp / (name + ".csv")
        source.write_text("".join("k%03d,%d,%s,%d\n" % (r.randrange(100), seed * 10 + k % 7, "v" * k, k) for k in range(40)))
        suite.call("import", "--quiet", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "--codec", "zstd", "-o", out,
                   source)
    return out


def large_base(suite):
    """A file of 18 MB, of which a night copies all blocks but the first."""
    out, source = suite.tmp / "large-base", suite.tmp / "large.csv"
    if not out.exists():
        r = random.Random(1)
        source.write_text("".join("%s,1,%s,z\n" % ("m%d" % i if i else "k050", "%08x" % r.getrandbits(32) * 250)
                                  for i in range(9000)))
        first = suite.tmp / "large-first"
        suite.call("import", "--quiet", "--partition", "none", *TWO_COLUMNS, "--now", NOW, "--codec", "none", "-o", first, source)
        suite.call("compact", *RULES, "--quiet", "--codec", "none", "--now", NOW, "-o", out, first)
    return out


def unpacked(suite):
    root = suite.tmp / "snapshot"
    if not root.exists():
        root.mkdir()
        subprocess.run(["tar", "-xzf", TOP / "samples/simple_snapshot.tar.gz", "-C", root], check=True)
    return root / "export"


def mapping(suite):
    path = suite.tmp / "map.json"
    path.write_text('{"row": "salt(md5($1), 37)", "timestamp": "$2",\n'
                    ' "cells": [{"column": "cf:a", "value": "upper($3)"}, {"column": "cf:b", "value": "$4"}]}\n')
    return path


def with_table(suite):
    path = suite.tmp / "with_table.json"
    (suite.tmp / "table.csv").write_text("id,name\n" + "".join("k%d,n%d\n" % (i, i) for i in range(20)))
    path.write_text('{"tables": {"t": {"file": "table.csv", "key": "id"}}, "row": "$1", "timestamp": "$2",\n'
                    ' "cells": {"cf:a": "lookup(\'t\', $1, \'name\')"}}\n')
    return path


def cells_of(suite, a):
    path = suite.tmp / "cells.txt"
    path.write_bytes(suite.call("verify", "dump", a).out)
    return path


def lines_of(suite, a):
    path = suite.tmp / "lines.jsonl"
    path.write_bytes(suite.call("export", "--quiet", "--format", "jsonl", "-o", "-", a).out)
    return path


def shard_inputs(suite):
    paths = [suite.tmp / ("shard%d.csv" % i) for i in range(2)]
    for path in paths:
        if not path.exists():
            path.write_text("".join("%s%d,%d,v,z\n" % (path.stem, i, i) for i in range(20)))
            os.utime(path, (1700000000, 1700000000))
    return paths


def shards(suite):
    made = [suite.tmp / ("made-shard%d" % i) for i in (1, 2)]
    for i, out in enumerate(made, 1):
        if not out.exists():
            suite.call("import", "--quiet", "--shard", "%d/2" % i, "--partition", "key:2", *TWO_COLUMNS, "--now", NOW, "-o", out,
                       *shard_inputs(suite))
    return made


def damaged(suite):
    """A file of whose cells some cannot be read, told apart from whole ones before anything is read."""
    path = suite.tmp / "damaged.hfile"
    a = dataset(suite)
    blob = bytearray((a / manifest(a)["files"][0]["path"]).read_bytes())
    blob[100] ^= 1
    path.write_bytes(blob)
    return path


def packed(suite, kind):
    path = suite.tmp / ("rows." + kind)
    if not path.exists():
        shutil.copy(text_rows(suite), suite.tmp / "in.csv")
        shutil.make_archive(str(suite.tmp / "packed"), "zip" if kind == "zip" else "xztar", suite.tmp, "in.csv")
        next(suite.tmp.glob("packed.*")).rename(path)
    return path


# ---- commands ----

def commands(suite):
    """Every command, with inputs as small as they can be: what is tried is its calls, not its data."""
    a, b = dataset(suite), dataset(suite, "second", 1)
    out, rows, tree = suite.tmp / "out", text_rows(suite), TOP / "samples/simple_snapshot.tar.gz"
    to = ("--now", NOW, "-t", 1, "-o", out)
    text = ("--partition", "key:2", *TWO_COLUMNS, "--max-rejects", 5)
    old = a
    table = suite.tmp / "table.sql"
    table.write_text("CREATE TABLE `t$cf` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL,\n"
                     "V mediumblob, PRIMARY KEY (K, Q, T))\n"
                     "KV_ATTRIBUTES = '{\"Hbase\": {\"TimeToLive\": 3600, \"MaxVersions\": 2}}'\n"
                     "PARTITION BY KEY(K) PARTITIONS 2;\n")
    hfile = a / manifest(a)["files"][0]["path"]
    writes = {
        "import CSV": ("import", *text, *to, rows),
        "import as ZSTD": ("import", *text, "--codec", "zstd", *to, rows),
        "import by mapping": ("import", "--map", mapping(suite), "--partition", "key:2", "--max-rejects", 5, *to, rows),
        "import by DDL": ("import", "--ddl", table, "--compact", *TWO_COLUMNS, "--max-rejects", 5, *to, rows),
        "import HFile": ("import", "--partition", "key:2", *to, hfile),
        "import snapshot": ("import", "--partition", "key:2", *to, unpacked(suite)),
        "import archive": ("import", "--partition", "key:2", *to, tree),
        "import of damage": ("import", "--partition", "key:2", "--on-damage", "skip-file", *to, damaged(suite), hfile),
        "import with a table": ("import", "--map", with_table(suite), "--partition", "key:2", "--max-rejects", 5, *to, rows),
        "import text cells": ("import", "--format", "cells", "--partition", "none", *to, cells_of(suite, a)),
        "import JSON lines": ("import", "--format", "jsonl", "--partition", "none", *to, lines_of(suite, a)),
        "import SequenceFiles": ("import", "--partition", "none", *to, next((DATA / "seqfiles/gzip_block").glob("part*"))),
        "import logs": ("import", "--partition", "none", "--format", "wal", "--table", "t1", *to, DATA / "wals/gz2.log"),
        "import a shard": ("import", *text[:-2], "--shard", "1/2", *to, *shard_inputs(suite)),
        "join": ("split", "join", "-t", 1, "-o", out, *shards(suite)),
        "import zip": ("import", *text, *to, packed(suite, "zip")),
        "import tar.xz": ("import", *text, *to, packed(suite, "tar.xz")),
        "compact": ("compact", *RULES, *to, a, b),
        "compact over a base": ("compact", *RULES, "--base", a, *to, b),
        "night of copied blocks": ("compact", *RULES, "--codec", "none", "--base", large_base(suite), *to,
                                  dataset(suite, "single", 0, "none")),
        "apply": ("split", "apply", "--partition", "none", *to, a),
        "export": ("export", "--create", "--table", "t", *to, a),
    }
    over = {
        "import --overwrite": ("import", *text, *to, "--overwrite", rows),
        "apply in place": ("split", "apply", "--partition", "none", *to, "--overwrite", out),
    }
    reads = {
        "import --list": (("import", "--list", "-t", 1, unpacked(suite)), {0}),
        "import --preview": (("import", "--preview", 3, *text, "--now", NOW, "-t", 1, rows), {0}),
        "plan": (("split", "plan", "--json", "--counts", 2, "-t", 1, "--now", NOW, a), {0}),
        "simulate": (("split", "simulate", "--json", "--partition", "key:2", "-t", 1, "--now", NOW, "--splits", "none", a), {0}),
        "export as text": (("export", "--format", "jsonl", "--now", NOW, "-t", 1, "-o", "-", a), {0}),
        "check": (("verify", "check", "-t", 1, a), {0}),
        "check of HBase": (("verify", "check", "-t", 1, unpacked(suite)), {0}),
        "dump": (("verify", "dump", "-t", 1, a), {0}),
        "diff": (("verify", "diff", "-t", 1, a, b), {1}),
        "diff of equals": (("verify", "diff", "-t", 1, a, a), {0}),
        "hashtable": (("verify", "hashtable", "-t", 1, DATA / "hashtable/raw", DATA / "seqfiles/none_raw"), {0}),
        "skew": (("verify", "skew", "-t", 1, "--json", a), {0}),
        "info": (("verify", "info", hfile), {0}),
        "account": (("verify", "account", "--json", "-t", 1, a), {0}),
        "info of a dataset": (("verify", "info", "--json", a), {0}),
    }
    found = {name: Command(args, out, {0, 3}, None) for name, args in writes.items()}
    found.update({name: Command(args, out, {0, 3}, old) for name, args in over.items()})
    found.update({name: Command(args, None, good, None) for name, (args, good) in reads.items()})
    return found


# ---- one command ----

def lasting(text):
    """Without times, which differ from run to run."""
    return re.sub(rb'"seconds": [0-9.e-]+|[0-9.]+ s\b|[0-9.,]+ .?i?B/s', b"", text)


def difference(want, have):
    lines = difflib.unified_diff(*(lasting(t).decode("utf-8", "replace").splitlines() for t in (want, have)), lineterm="", n=0)
    return "\n".join(list(lines)[2:12])


def tree_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and ".obkv" not in p.parts}


def gave_up(done):
    """A library ended the program without memory: what was unpacked is left to the next run, as after a kill."""
    return b"a library gave up" in done.err


class Tried:
    """A command, what an undisturbed run of it leaves, and what a disturbed one may leave."""

    def __init__(self, suite, command):
        self.suite, self.command = suite, command
        self.temp = suite.fresh("temp")
        self.temp.mkdir()
        suite.env["TMPDIR"] = str(self.temp)
        self.program = Faulty(suite, command.args)
        self.checker = Faulty(suite, ("verify", "check", "--quiet", command.out)) if command.out else None
        self.prepare()
        self.normal, _ = self.program.run()
        demand(self.normal.code in command.good, "undisturbed: exit %d: %s" % (self.normal.code, tail(self.normal.err)))
        self.good = {self.normal.code}
        self.tree = tree_of(command.out) if command.out else None
        self.skips = "--on-damage" in command.args
        self.runs, self.wrong = 0, []

    def prepare(self):
        out = self.command.out
        if out and out.exists():
            shutil.rmtree(out)
        if self.command.old:
            shutil.copytree(self.command.old, out)
        for left in self.temp.iterdir():
            shutil.rmtree(left)

    def calls(self, kind):
        self.prepare()
        return self.program.run(kind)[1]

    def check_reading(self, kind, done):
        """Standard output tells all, or the exit code that it does not."""
        codes = KINDS[kind].codes
        if self.command.args[1] == "check" and kind not in ("alloc", "map"):
            codes = codes | {1}  # what cannot be read is a finding
        if done.code in self.good and lasting(done.out) == lasting(self.normal.out):
            return
        demand(done.code in codes, "exit %d: %s%s" % (done.code, tail(done.err), difference(self.normal.out, done.out)))
        demand(done.code == 1 or b"error: " in done.err, "no message")

    def check_writing(self, kind, how, done):
        out, published = self.command.out, (self.command.out / "MANIFEST.json").exists()
        if done.code in self.good:
            demand(published, "success without a dataset")
            if self.skips and kind in ("open", "read", "stat"):
                return  # what cannot be read is skipped, and counted
            demand(tree_of(out) == self.tree or self.is_again(), "success with another output: %s" %
                   difference(self.tree["MANIFEST.json"], (out / "MANIFEST.json").read_bytes()))
        else:
            demand(done.code in KINDS[kind].codes, "exit %d: %s" % (done.code, tail(done.err)))
            demand(b"error: " in done.err, "no message")
            demand(kind != "write" or done.code != 6 or b"standard output" in done.err or b": make room there" in done.err,
                   "a full disk, and no remedy: " + tail(done.err))
            self.check_remains()
        can_clear = (kind == "alloc" or how == "once" and kind != "unlink") and not gave_up(done)
        demand(not can_clear or not left_behind(out, self.temp), "leaves %s" % left_behind(out, self.temp))

    def is_again(self):
        """The same cells, but the manifest tells of what was replaced: the run before, or a dataset that could not be read."""
        return self.command.old and digest(self.command.out) == self.digest()

    def check_remains(self):
        """Nothing is published, or what was there before, or all that is new. While a replacement exchanges names, its journal is
        there instead of the manifest, and the next program that opens the output completes it."""
        out = self.command.out
        published = (out / "MANIFEST.json").exists()
        completes = self.command.old and (out / ".obkv" / "journal").exists()
        demand(published or completes or not self.command.old, "neither the old dataset nor the new one is there")
        if not (published or completes) or self.command.args[0] == "export":
            return
        done, _ = self.checker.run()
        demand(done.code == 0, "published, but check says %d: %s" % (done.code, tail(done.err + done.out)))
        olds = {digest(self.command.old)} if self.command.old else set()
        demand(digest(out) in olds | {self.digest()}, "published with other cells")

    def digest(self):
        return sum(int(f["digest"], 16) for f in json.loads(self.tree["MANIFEST.json"])["files"]) % (1 << 128)

    def check_rerun(self):
        """The same command, undisturbed. It also removes what a killed run unpacked to the directory for temporary files."""
        done, _ = self.program.run()
        demand(done.code in self.good, "the same command afterwards: exit %d: %s" % (done.code, tail(done.err)))
        self.check_writing("none", "once", done)
        debris = [p.name for p in (self.command.out / ".obkv").glob("*") if p.name != "lock"]
        demand(not debris, "the run afterwards leaves .obkv/%s" % ", ".join(debris))

    def try_one(self, kind, at, how, what):
        self.prepare()
        self.runs += 1
        try:
            done, _ = self.program.run(kind, at, how, what)
            if what == "KILL":
                self.check_remains()
                self.check_rerun()
            elif self.command.out:
                self.check_writing(kind, how, done)
                finished = self.skips and done.code in self.good
                if gave_up(done) or (kind != "alloc" and not finished):
                    self.check_rerun()
            else:
                self.check_reading(kind, done)
        except Wrong as e:
            self.wrong.append("%s number %d (%s, %s): %s" % (kind, at, how, what, e))

    def end(self):
        self.program.end()
        if self.checker:
            self.checker.end()
        shown = int(os.environ.get("OBKV_COMPLAINTS", "6"))
        demand(not self.wrong, "%d of %d runs:\n%s" % (len(self.wrong), self.runs, "\n".join(self.wrong[:shown])))


def chosen(suite, what, calls, most):
    """All of them, or the last ones, in which results are printed, and some others, of which each seed has its own."""
    if STRESS or calls <= most:
        return range(1, calls + 1)
    last = most // 4
    return sorted(random.Random("%d %s" % (suite.seed, what)).sample(range(1, calls - last + 1), most - last)) + list(
        range(calls - last + 1, calls + 1))


def each_call_fails(suite, name, command, total):
    tried = Tried(suite, command)
    for kind, k in KINDS.items():
        calls = tried.calls(kind)
        for at in chosen(suite, name + kind, calls, k.most):
            tried.try_one(kind, at, "once", k.errno)
        for at in chosen(suite, name + kind + "after", calls, k.most // 4):
            tried.try_one(kind, at, "after", k.errno)
        for at in {2, 10, 100}:
            if at <= calls:
                tried.try_one(kind, at, "every", k.errno)
    total["runs"] += tried.runs
    tried.end()


def killed_at_each_call(suite, name, command, total):
    tried = Tried(suite, command)
    for kind in KILLED_AT:
        for at in chosen(suite, name + kind + "killed", tried.calls(kind), KINDS[kind].most // 2):
            tried.try_one(kind, at, "once", "KILL")
    total["runs"] += tried.runs
    tried.end()


def roots_name_the_cause(suite):
    """What could not be looked at is neither missing nor something else: the message names the system's error."""
    with tarfile.open(DATA / "hbase_trees/a1_snapshot.tar.xz") as archive:
        archive.extractall(suite.tmp, filter="data")
    root = suite.tmp / "a1_snapshot/hbase"
    for command in (["verify", "check", "--quick", root], ["import", "-t", "1", "--partition", "none", "--now", "1700960000000",
                                                           "--snapshot", "snap_a", "--dry-run", "-o", suite.tmp / "none", root]):
        faulty = Faulty(suite, command)
        whole, calls = faulty.run("stat")
        for at in range(1, calls + 1):
            done, _ = faulty.run("stat", at, "once", EIO)
            demand((done.code, done.out) == (whole.code, whole.out) or b"Input/output error" in done.err,
                   "stat %d: %s" % (at, tail(done.err)))
        faulty.end()


def main():
    suite = Suite(__doc__, in_memory=True)
    total = collections.Counter()
    for name, command in commands(suite).items():
        suite.run("calls fail: " + name, each_call_fails, name, command, total)
        if command.out:
            suite.run("killed at calls: " + name, killed_at_each_call, name, command, total)
    suite.run("roots name the cause", roots_name_the_cause)
    print("# %d runs" % total["runs"])
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
