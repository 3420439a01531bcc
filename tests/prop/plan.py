#!/usr/bin/env python3
"""obkv-split plan on data of many kinds: what it predicts of all rows is what lies in the partitions after the import, and what
it predicts of a sample is within the errors it tells.

    plan.py BIN [--seed N] [--keep] [-v] [NAME ...]

The last line is "N passed, N failed, N skipped".
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from programs import NOW, Suite, cell_line, demand  # noqa: E402

COUNT = 11
COLUMNS = "HBASE_ROW_KEY,HBASE_TS_KEY,f:v,f:w"


def text(r, most):
    return "v" * r.randrange(most)


def records(keys, r, most=40):
    """Records of (key, v, w)."""
    return [(k, text(r, most), text(r, 5)) for k in keys]


def sequential(r, n):
    return records(("%012d" % i for i in range(n)), r)


def hashed(r, n):
    return records(("%016x" % r.getrandbits(64) for _ in range(n)), r)


def salted(r, n):
    return records(("%02d_user%07d" % (r.randrange(16), i) for i in range(n)), r)


def time_first(r, n):
    return records(("%d-%03d" % (1600000000000 + i * 37, r.randrange(1000)) for i in range(n)), r)


def reversed_keys(r, n):
    return sorted(records((("%09d" % i)[::-1] for i in range(n)), r))


def users(r, n):
    """Rows of a user stand together, some users have many; half of the records share their key with others nearby."""
    keys = sorted("u%05d:%04d" % (int(r.paretovariate(1)) % 90000, r.randrange(60)) for _ in range(n))
    return records(keys, r)


def heavy(r, n):
    keys = ["heavy%d" % (i % 3) if i % 4 == 0 else "k%09d" % r.randrange(10 ** 9) for i in range(n)]
    return records(sorted(keys), r)


def heavy_shuffled(r, n):
    out = heavy(r, n)
    r.shuffle(out)
    return out


def repeated(r, n):
    return records(("k%07d" % r.randrange(n) for _ in range(n)), r)


def drifting(r, n):
    """Values grow through the file, and key ranges come one after the other."""
    return [("%c%06d" % ("abcdefgh"[i * 8 // n], r.randrange(10 ** 6)), "v" * (i * 60 // n), "") for i in range(n)]


def tiny(r, n):
    return records(("row%d" % i for i in range(7)), r)


KINDS = [sequential, hashed, salted, time_first, reversed_keys, users, heavy, heavy_shuffled, repeated, drifting, tiny]


def write_csv(path, rows, bad=False):
    lines = ["%s,%d,%s,%s" % (k, NOW - i, v, w) for i, (k, v, w) in enumerate(rows)]
    if bad:
        lines[::50] = [",1,no key,"] * len(lines[::50])
    path.write_text("\n".join(lines) + "\n")
    return path


def plan(s, *args, want=0):
    return s.result("split", "plan", "--counts", COUNT, "--now", NOW, *args, want=want)["designs"][0]


def find(design, kind, prefix):
    return next(c for c in design["choices"] if c["kind"] == kind and c["prefix"] == prefix)


def spec_of(s, choice):
    if choice["kind"] == "key":
        return "key:%d" % COUNT if not choice["prefix"] else "key:%d:substring(1,%d)" % (COUNT, choice["prefix"])
    path = s.fresh("bounds")
    path.write_text("".join("hex:%s\n" % b for b in choice["bounds_hex"]))
    return "range:%s" % path


def imported(s, choice, inputs, want):
    """[rows, cells, bytes] of each partition, after the import. Of several families rows are None: each has its own."""
    out = s.fresh("out")
    s.call("import", "--partition", spec_of(s, choice), "--now", NOW, "--max-rejects", "100%", "--quiet", "-o", out, *inputs,
           want=want)
    told = s.result("verify", "skew", out)
    one = len(told["families"]) == 1
    return [[p["rows"] if one else None, p["cells"], p["kv_bytes"]] for p in told["partitions"]]


def choices(design):
    shortest = min(design["keys"]["longest"], 5)
    return [find(design, "key", 0), find(design, "key", 3), find(design, "key", shortest), find(design, "range", 0)]


def exact(s, inputs, want=0):
    design = plan(s, "--sample", 0, *inputs, want=want)
    for c in choices(design):
        if c["kind"] == "range" and c["count"] == 1:
            continue
        got = imported(s, c, inputs, want)
        same = all(t[1:] == g[1:] and g[0] in (None, t[0]) for t, g in zip(c["partitions"], got))
        demand(same and len(got) == len(c["partitions"]), "%s %d: planned %s, found %s" % (
            c["kind"], c["prefix"], c["partitions"], got))


def within(s, inputs, *sample):
    """Of every choice, against the exact plan; ranges against the import, as they have bounds of their own."""
    design, truth = plan(s, *sample, *inputs), plan(s, "--sample", 0, *inputs)
    demand(design["sample_by"] == sample[1] and design["share"] < 1, "%s, share %s: %s" % (
        design["sample_by"], design["share"], design["not_by_blocks"]))
    for c in design["choices"]:
        t = imported(s, c, inputs, 0) if c["kind"] == "range" else find(truth, c["kind"], c["prefix"])["partitions"]
        for i, (told, error, true) in enumerate(zip(c["partitions"], c["errors"], t)):
            for what, got, most, want in (("rows", told[0], error[0], true[0]), ("bytes", told[2], error[1], true[2])):
                demand(want is None or abs(got - want) <= most, "%s %d, partition %d: %d %s +- %d, in truth %s" % (
                    c["kind"], c["prefix"], i, got, what, most, want))
    return design


def of_csv(s, kind, r):
    exact(s, ["--columns", COLUMNS, write_csv(s.tmp / "all.csv", kind(r, 2000), bad=kind is salted)], 3 if kind is salted else 0)


def of_sample(s, kind, r, by):
    csv = write_csv(s.tmp / "big.csv", kind(r, 40000))
    args = ["--columns", COLUMNS, csv]
    design = within(s, args, "--sample-by", by, "--sample", 400000)
    again = plan(s, "--sample-by", by, "--sample", 400000, "--threads", 1, *args)
    demand(design == again, "another number of threads makes another sample")


def of_hfiles(s, r):
    """Cells of binary keys and two families, in files of their own."""
    lines = []
    for i in range(30000):
        row = r.randbytes(r.randint(1, 9)) if i % 3 else b"wide" + bytes([65 + i % 5])
        for family in (b"f", b"g")[:1 + i % 2]:
            lines.append(cell_line(row, family, b"q%d" % (i % 2000), NOW - i, 4, 0, r.randbytes(r.randrange(60)), b""))
    cells = s.tmp / "some.cells"
    cells.write_text("\n".join(lines) + "\n")
    s.call("import", "--format", "cells", "--partition", "none", "--now", NOW, "--codec", "gz", "-o", s.fresh("set"), cells)
    files = sorted((s.tmp / "set").glob("*/*.hfile"))
    demand(len(files) == 2, "two families make two files")
    exact(s, files)
    within(s, files[:1], "--sample-by", "blocks", "--sample", 200000)
    within(s, files, "--sample-by", "blocks", "--sample", 200000)


def main():
    s = Suite(__doc__, in_memory=True)
    for i, kind in enumerate(KINDS):
        s.run("exact/" + kind.__name__, of_csv, kind, random.Random(s.seed + i))
        for by in ("blocks", "rows"):
            if kind is not tiny and not (by == "rows" and "heavy" in kind.__name__):
                s.run("%s/%s" % (by, kind.__name__), of_sample, kind, random.Random(s.seed + i), by)
    s.run("hfiles", of_hfiles, random.Random(s.seed))
    return s.end()


if __name__ == "__main__":
    sys.exit(main())
