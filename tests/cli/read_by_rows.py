#!/usr/bin/env python3
"""Snapshots that are read by rows, straight into the files of all partitions, give what sorting them gives.

    read_by_rows.py BIN [--seed N] [--keep] [-v] [NAME ...]

The last line is "N passed, N failed, N skipped".
"""
import os
import random
import re
import sys

from planted_hfile import of_kind, renew
from programs import NOW, Suite, cell_files, demand, manifest, shown
from shards_kit import loads_of_regions

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench"))
from make_snapshot import make_snapshot  # noqa: E402

ROWS, LARGE_ROWS, LARGE_BYTES, LOADS, WIDE_CELLS = 40000, 6000, 10000, 3, 300000
REGIONS = 4
SORTED = ("--memory", "100M", "--threads", 2)  # too little for files of 97 partitions at once
BY_ROWS = ("--memory", "300M", "--threads", 2)
BY_ROWS_AND_RULES = ("--memory", "600M", "--threads", 2)


def cell(row, qualifier, ts, value):
    return "%s\t6366\t%s\t%d\t4\t0\t%s\t-\n" % (row.encode().hex(), qualifier.encode().hex(), ts, value.hex() or "-")


def many_rows(r, out):
    """Of any length, many of them in several loads, some with the same cells."""
    for _ in range(ROWS):
        row = "row%06d" % r.randrange(2 * ROWS) + "x" * r.randrange(0, 40, 13)
        for q in range(r.randrange(1, 4)):
            out.write(cell(row, "q%d" % q, NOW - r.randrange(3), b"%d" % r.randrange(1000)))
    for _ in range(LARGE_ROWS):
        out.write(cell("row%06d" % r.randrange(2 * ROWS), "large", NOW, r.randbytes(16) * (LARGE_BYTES // 16)))


def one_row(r, out):
    for i in range(WIDE_CELLS):
        out.write(cell("row%06d" % (ROWS // 2), "%08d" % i, NOW, b"%060d" % r.randrange(1000)))


def texts(suite, fill, n):
    r = random.Random(suite.seed)
    for _ in range(n):
        path = suite.tmp / "cells.txt"
        with open(path, "w") as out:
            for f in fill:
                f(r, out)
        yield path


def snapshot(suite, name, *fill, regions=REGIONS, n_loads=LOADS, options=()):
    bounds = ["row%06d" % (2 * ROWS * i // regions) for i in range(1, regions)]
    loads = loads_of_regions(suite, name, bounds, texts(suite, fill, n_loads), "--encoding", "none", *options)
    root = suite.tmp / name
    make_snapshot(str(root), "snap", "t", loads)
    return root


def imported(suite, root, out, *options, want=0):
    """The output, and in how many windows and rounds."""
    done = suite.call("import", "--verbose", "--partition", "key:97", "--now", NOW, *options, "--snapshot", "snap", "-o", out,
                      root, want=want)
    found = re.search(rb"(\d+) windows by rows, .* spilled in (\d+) rounds", done.err)
    return int(found.group(1)), int(found.group(2))


def bytes_of(out):
    return [(p.relative_to(out), p.read_bytes()) for p in cell_files(out)]


def same_bytes(suite, root, *options, memory=BY_ROWS):
    plain, by_rows = suite.fresh("sorted"), suite.fresh("by_rows")
    windows, rounds = imported(suite, root, plain, *SORTED, *options)
    demand(windows == 0 and rounds > 0, "the smaller memory was meant to spill: %d windows, %d rounds" % (windows, rounds))
    for threads in (1, 2, 3):
        windows, rounds = imported(suite, root, by_rows, *memory, "--threads", threads, *options)
        demand(windows > 3 and rounds == 0, "%d windows, %d rounds" % (windows, rounds))
        demand(bytes_of(plain) == bytes_of(by_rows), "%d threads: other files than sorting makes" % threads)
        demand(manifest(plain)["ledger"] == manifest(by_rows)["ledger"], "other ledgers")
        suite.call("verify", "check", "--quiet", by_rows)
        suite.fresh("by_rows")
    suite.fresh("sorted")


def several_files(suite, root):
    same_bytes(suite, root, "--target-file-size", "400K")


def compacted(suite, root):
    same_bytes(suite, root, "--compact", "--versions", 1, memory=BY_ROWS_AND_RULES)


def encoded(suite, root):
    same_bytes(suite, root, "--encoding", "fast_diff", "--codec", "zstd")


def one_partition(suite, root, wide):
    """Several threads cut each window into slices, one does not; a row that fills a window is not cut."""
    for of, options in ((root, ()), (root, ("--target-file-size", "3M")), (root, ("--compact", "--versions", 1)), (wide, ()),
                        (wide, ("--compact", "--versions", 1))):
        one = suite.fresh("one")
        windows, rounds = imported(suite, of, one, *BY_ROWS_AND_RULES, "--threads", 1, "--partition", "none", *options)
        demand(windows > 0 and rounds == 0, "%d windows, %d rounds" % (windows, rounds))
        for threads in (2, 3, 8):
            out = suite.fresh("slices")
            imported(suite, of, out, *BY_ROWS_AND_RULES, "--threads", threads, "--partition", "none", *options)
            demand(bytes_of(one) == bytes_of(out), "%d threads %s: other files than one thread makes" % (threads, options))
            demand(manifest(one)["ledger"] == manifest(out)["ledger"], "other ledgers")
            suite.call("verify", "check", "--quiet", out)


def rejects(suite, root):
    """The same ones, in an order of their own."""
    found = []
    for memory in (SORTED, BY_ROWS):
        out = suite.fresh("rejecting")
        imported(suite, root, out, *memory, "--set", "hbase.client.keyvalue.maxsize=9000", "--max-rejects", "90%", want=3)
        found.append(sorted(line for p in out.glob("_report/**/rejects.cells") for line in p.read_bytes().splitlines()))
        demand(manifest(out)["ledger"]["records"]["rejected"] == LOADS * LARGE_ROWS, "other rejects")
    demand(found[0] == found[1] and len(found[0]) == LOADS * LARGE_ROWS, "%d and %d rejects" % tuple(map(len, found)))


def gives_up(suite, root):
    """A row that is more than a window: what follows is sorted, and comes behind what has been written."""
    plain, by_rows = suite.fresh("sorted"), suite.fresh("by_rows")
    demand(imported(suite, root, plain, *SORTED)[0] == 0, "the smaller memory was meant to be too small")
    windows, _ = imported(suite, root, by_rows, *BY_ROWS)
    demand(windows > 0, "not read by rows at all")
    demand(bytes_of(plain) == bytes_of(by_rows), "other files than sorting makes")


def wrong_index(suite):
    """An index that names later rows than its blocks hold is told, however late it shows."""
    root = snapshot(suite, "misled", many_rows, many_rows, regions=2, n_loads=1, options=("--codec", "none"))
    path = max(root.glob("archive/**/*_SeqId_*"), key=lambda p: p.stat().st_size)
    raw = bytearray(path.read_bytes())
    index = of_kind(raw, "IDXROOT2")[0]
    rows = [m.start() for m in re.finditer(rb"row\d{6}", raw[index.payload:index.sums])]
    last = raw[index.payload + rows[-1]:index.payload + rows[-1] + 9]
    for at in rows[1:]:
        raw[index.payload + at:index.payload + at + 9] = last
    renew(raw, index)
    path.unlink()  # it is a link
    path.write_bytes(raw)
    out = suite.fresh("misled-out")
    done = suite.call("import", "--partition", "key:97", "--now", NOW, *BY_ROWS, "--snapshot", "snap", "-o", out, root, want=5)
    demand(b"before the one that its index names" in done.err and path.name.encode() in done.err, shown(done.err))


def main():
    suite = Suite(__doc__)
    root = snapshot(suite, "root", many_rows)
    suite.run("the same bytes", same_bytes, root)
    suite.run("several files a partition", several_files, root)
    suite.run("compacted", compacted, root)
    suite.run("encoded", encoded, root)
    suite.run("rejects", rejects, root)
    wide = snapshot(suite, "wide", many_rows, one_row)
    suite.run("a huge row", gives_up, wide)
    suite.run("one partition", one_partition, root, wide)
    suite.run("a wrong index", wrong_index)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
