#!/usr/bin/env python3
"""The peak of resident memory stays within --memory at its floor of 64 MB: each tool, hard inputs, 1 to 64 threads.

    memory_kept.py BIN [--seed N] [--keep] [-v] [NAME ...]

-v prints the peaks. Skipped for sanitizer builds. A run may end with 6 where that is said here; then the message says what is
missing. memory_limits.py has larger inputs. The last line is "N passed, N failed, N skipped".
"""
import json
import os
import random
import shutil
import sys

from disturbed import RULES, TWO_COLUMNS, csv_of, made
from measured import measure, measured
from programs import NOW, Suite, Wrong, cell_line, demand, digest, shown, tail

FLOOR_MB = 64
ONE_COLUMN = ("--format", "csv", "--columns", "HBASE_ROW_KEY,cf:a")


def each(suite, runs, threads):
    """All of runs with each number of threads; a run that takes too much does not keep the others from being looked at."""
    wrong = []
    for t in threads:
        for command, want in runs:
            try:
                with open(os.devnull, "wb") as null:
                    done = measured(suite, FLOOR_MB, *command, "-t", t, want=want, stdout=null)
                demand(done.code == 0 or "memory" in shown(done.err) or "limit" in shown(done.err), tail(done.err))
            except Wrong as e:
                wrong.append("%d threads: %s" % (t, e))
            for name in ("out", "export"):
                shutil.rmtree(suite.tmp / name, ignore_errors=True)
    demand(not wrong, "\n".join(wrong))


def everything(suite, dataset, partition, want=0):
    """Each tool over a dataset. Its manifest must fit; its blocks may not, with want = {0, 6}."""
    out, export = ("-o", suite.tmp / "out"), ("-o", suite.tmp / "export")
    commands = [("compact", "--quiet", *RULES, *out, dataset, dataset),
                ("split", "apply", "--quiet", "--partition", partition, *out, dataset),
                ("split", "plan", "--quiet", dataset),
                ("split", "simulate", "--quiet", "--partition", "key:5", dataset),
                ("verify", "check", "--quiet", dataset),
                ("verify", "diff", "--quiet", dataset, dataset),
                ("verify", "skew", "--quiet", dataset),
                ("verify", "dump", dataset)]
    commands += [("export", "--quiet", "--name", "t", "--compress", kind, *export, dataset)
                 for kind in ("none", "gzip:1", "zstd")]
    return [(c, want) for c in commands]


def values_of_1_mb(suite):
    """More threads than such values fit."""
    def make(path):
        r = random.Random(suite.seed)
        with open(path, "wb") as f:
            for i in range(90):
                f.write(b"k%03d,1,%s,x\n" % (i * 7 % 90, r.randbytes(524288).hex().encode()))
    source, dataset = made(suite, "values.csv", make), suite.tmp / "values"
    suite.call("import", "--quiet", "--partition", "key:97", *TWO_COLUMNS, "--now", NOW, "-m", "1G", "-o", dataset, source)
    imports = [(("import", "--quiet", "--partition", "key:97", *options, *TWO_COLUMNS, "-o", suite.tmp / "out", source), 0)
               for options in ((), ("--encoding", "FAST_DIFF"))]
    each(suite, imports + everything(suite, dataset, "key:31"), (8,))
    each(suite, imports + [(("verify", tool, "--quiet", dataset), 0) for tool in ("check", "skew")], (64,))
    shutil.rmtree(dataset)
    source.unlink()


def records_of_3_mb(suite):
    """Records of 3.4 MB, some with one key: fewer threads, or a record that is refused."""
    def make(path):
        r = random.Random(suite.seed)
        with open(path, "wb") as f:
            for i in range(45):
                f.write(b"k%02d,%d,%s,%d\n" % (r.randrange(20), r.randrange(4), r.randbytes(1700000).hex().encode(), i))
    source = made(suite, "records.csv", make)
    command = ("import", "--quiet", "--partition", "none", *TWO_COLUMNS, "-o", suite.tmp / "out", source)
    each(suite, [(command, 0)], (1, 2))
    each(suite, [(command, 6)], (8,))
    source.unlink()


def one_key(suite):
    """400,000 cells with one key: HFile does not part them. Compacted, one is left."""
    def make(path):
        with open(path, "w", encoding="ascii") as f:
            for i in range(400000):
                f.write("the key,%s\n" % ("v" * (i % 160)))
    source, out = made(suite, "same.csv", make), suite.tmp / "out"
    command = ("import", "--quiet", "--partition", "key:7", *ONE_COLUMN, "--now", NOW, "-o", out, source)
    for threads in (1, 2, 8):
        done = measured(suite, FLOOR_MB, *command, "-t", threads, want=6)
        demand("its cells make one block of 4" in shown(done.err), tail(done.err))
    each(suite, [(command + ("--compact", "--versions", "1"), 0)], (1, 8))
    measured(suite, 512, *command, "-t", 8)  # threads take no memory from such a block
    shutil.move(out, suite.tmp / "same")
    each(suite, everything(suite, suite.tmp / "same", "none", {0, 6}), (2,))
    shutil.rmtree(suite.tmp / "same")
    source.unlink()


def large_blocks(suite):
    """Blocks of 4 and 16 MB: read whole by fewer threads, or refused."""
    source, dataset = csv_of(suite, 300000), suite.tmp / "blocks"
    for size in ("4M", "16M"):
        suite.call("import", "--quiet", "--partition", "none", "--set", "BLOCKSIZE=%s" % size, *TWO_COLUMNS, "-m", "2G", "-o",
                   dataset,
                   source)
        each(suite, everything(suite, dataset, "key:5", {0, 6}), (8,))
        shutil.rmtree(dataset)


def many_families(suite):
    """200 families in 3 partitions: buckets, files, figures of each."""
    def make(path):
        with open(path, "w", encoding="ascii") as f:
            for i in range(20000):
                f.write(cell_line(b"k%06d" % (i // 20), b"f%03d" % (i * 7919 % 200), b"q", 1, 4, 0, b"v" * 50, b"") + "\n")
    source, dataset = made(suite, "families.cells", make), suite.tmp / "families"
    suite.call("import", "--quiet", "--partition", "key:3", "--format", "cells", "-m", "1G", "-o", dataset, source)
    each(suite, everything(suite, dataset, "key:5"), (8,))
    shutil.rmtree(dataset)


def long_keys(suite):
    """Keys of 30 KB, and a block for each cell: the index of blocks has as many bytes as the cells."""
    def make(path):
        r = random.Random(suite.seed)
        with open(path, "w", encoding="ascii") as f:
            for _ in range(70):
                f.write("%s,%s\n" % (r.randbytes(15000).hex(), ",".join("v%d" % i for i in range(300))))
    source, dataset = made(suite, "keys.csv", make), suite.tmp / "keys"
    columns = ("--format", "csv", "--columns", "HBASE_ROW_KEY," + ",".join("cf:c%d" % i for i in range(300)))
    command = ("import", "--quiet", "--partition", "none", "--set", "BLOCKSIZE=4K", *columns, "--now", NOW, "-o")
    suite.call(*command, dataset, source)
    each(suite, [((*command, suite.tmp / "out", source), 0), (("verify", "check", "--quiet", dataset), 0),
                 (("compact", "--quiet", *RULES, "-o", suite.tmp / "out", dataset, dataset), 0),
                 (("split", "apply", "--quiet", "--partition", "key:3", "-o", suite.tmp / "out", dataset), 0)], (2,))
    shutil.rmtree(dataset)
    source.unlink()


def spilled(suite):
    """More than memory holds: rows that are sorted in rounds, by few and by many threads, make the same cells."""
    source, out, digests = csv_of(suite, 600000), suite.tmp / "sorted", set()
    for threads, partition in ((1, "none"), (8, "key:97"), (64, "none")):
        shutil.rmtree(out, ignore_errors=True)
        measured(suite, FLOOR_MB, "import", "--quiet", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "-t", threads, "-o",
                 out, source)
        digests.add(digest(out))
    demand(len(digests) == 1, "cells depend on the run")


def with_table(suite, rows):
    """A mapping whose table for lookup() has so many rows of 250 bytes."""
    mapping = suite.tmp / ("map%d.json" % rows)
    with open(suite.tmp / ("table%d.csv" % rows), "w", encoding="ascii") as f:
        f.write("id,name\n" + "".join("user%012d,%s\n" % (i, "n" * 233) for i in range(rows)))
    mapping.write_text(json.dumps({"tables": {"t": {"file": "table%d.csv" % rows, "key": "id"}},
                                   "row": "$1", "timestamp": "$2", "cells": {"cf:a": "lookup('t', $1, 'name')", "cf:b": "$4"}}))
    return mapping


def tables(suite):
    """Tables for lookup() take of what sorting has, those of one side of a diff, too. What is too large is not even read."""
    source, out, small, large = csv_of(suite, 600000), suite.tmp / "out", with_table(suite, 40000), with_table(suite, 200000)
    for mapping, options in ((large, ()), (large, ("--preview", 1))):
        command = ("import", "--quiet", "--partition", "none", "--map", mapping, *options, "-o", out, source)
        done = measure(suite, FLOOR_MB, *command, want=6)
        demand("use --memory 19" in shown(done[0].err) and done[1] < 30, "%.1f MB: %s" % (done[1], tail(done[0].err)))
    each(suite, [(("import", "--quiet", "--partition", "key:7", "--map", small, "--now", NOW, "-o", out, source), 0),
                 (("verify", "diff", "--quiet", "--format", "csv", "--a", "map=%s" % small, "--b", "map=%s" % small, source,
                   source), 0)], (2,))
    done = suite.call("verify", "diff", "--memory", "64M", "--format", "csv", "--a", "map=%s" % large, source, source, want=6)
    demand("use --memory 19" in shown(done.err), tail(done.err))


def main():
    suite = Suite(__doc__)
    suite.run("memory kept: values of 1 MB", values_of_1_mb)
    suite.run("memory kept: records of 3.4 MB", records_of_3_mb)
    suite.run("memory kept: one key", one_key)
    suite.run("memory kept: large blocks", large_blocks)
    suite.run("memory kept: many families", many_families)
    suite.run("memory kept: long keys", long_keys)
    suite.run("memory kept: spilled", spilled)
    suite.run("memory kept: tables", tables)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
