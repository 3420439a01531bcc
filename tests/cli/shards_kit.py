"""What the cases of shards.py and shares.py are made of: inputs, shards of an import, joins, and what is compared."""
import json
import os
import random

from programs import NOW, bytes_of_files, demand, shown

STRESS = bool(os.environ.get("OBKV_STRESS"))
SHARDS = (1, 2, 7, 64) if STRESS else (1, 2, 7)
SHARES = (1, 3, 97) if STRESS else (1, 3)
STRETCH = 1 << 20
KEY = ("--partition", "key:5", "--now", NOW)


def whole_bytes(out):
    return (out / "MANIFEST.json").read_bytes(), bytes_of_files(out)


def shards(suite, n, inputs, options, stem="shard"):
    """In any order: a join sorts them."""
    made = [suite.fresh("%s-%d" % (stem, i)) for i in range(1, n + 1)]
    for i, out in enumerate(made, 1):
        suite.call("import", "--quiet", "--shard", "%d/%d" % (i, n), *options, "-o", out, *inputs)
    random.Random(suite.seed + n).shuffle(made)
    return made


def lists_of(suite, n, inputs, *options):
    """What each of n shards reads, by one call; the last one is asked for alone, too."""
    every = json.loads(suite.call("import", "--shards", n, "--list", "--json", *options, *inputs).out)["shards"]
    last = json.loads(suite.call("import", "--shard", "%d/%d" % (n, n), "--list", "--json", *options, *inputs).out)
    demand(len(every) == n and every[-1] == {k: last[k] for k in every[-1]}, "of all: %s, alone: %s" % (every[-1], last))
    return every


def joined(suite, made, m):
    out = suite.fresh("joined")
    if m == 1:
        suite.call("split", "join", "--quiet", "-o", out, *made)
        return out
    shares = [suite.fresh("share-%d" % j) for j in range(1, m + 1)]
    for j, share in enumerate(shares, 1):
        suite.call("split", "join", "--quiet", "--partitions", "%d/%d" % (j, m), "-o", share, *made)
    suite.call("split", "join", "--quiet", "-o", out, *reversed(shares))
    return out


def text(r, path, size, end=b"\n", quoted=False, long_lines=False, header=b""):
    """Lines of any length; some end right where a cut may be, or one byte before or after it."""
    out = bytearray(header)
    while len(out) < size:
        row = b"row%05d" % r.randrange(3000)
        value = r.randbytes(r.randrange(1, 60)).hex().encode()
        if quoted and r.random() < 0.3:
            value = b'"%s,%s""%s"' % (value, end if r.random() < 0.5 else b" ", value)
        if long_lines and r.random() < 0.00005:
            value *= STRETCH * 5 // 2 // len(value)
        line = b"%s,%d,%s,%s" % (row, NOW - r.randrange(5), value, b"x" * r.randrange(3))
        left = STRETCH - len(out) % STRETCH
        if 300 < left < 600 and not quoted:
            line += b"y" * (left - len(line) - len(end) + r.choice((-1, 0, 1)))
        out += line + end
    path.write_bytes(bytes(out[:-len(end)] if r.random() < 0.3 else out))
    return path


COLUMNS = ("--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a,g:b")


def cells_file(r, path, n, rows, families=("f", "g")):
    """Text cells of two families: puts and markers of all four kinds, many of them with one key, some with a sequence id."""
    with open(path, "w") as f:
        for _ in range(n):
            kind, value = (4, b"%d" % r.randrange(4)) if r.random() < 0.85 else (r.choice((8, 10, 12, 14)), b"")
            qualifier = b"" if kind in (10, 14) else b"q%d" % r.randrange(2)
            f.write("%s\t%s\t%s\t%d\t%d\t%d\t%s\t-\n" % (
                (b"row%04d" % r.randrange(rows)).hex(), r.choice(families).encode().hex(), qualifier.hex() or "-",
                NOW - r.randrange(3), kind, r.choice((0, 0, 5, 9)), value.hex() or "-"))
    return path


def loads_of_regions(suite, name, bounds, texts, *options):
    """A dataset for each text of cells, all cut at the same rows: the stores of a snapshot's regions."""
    rows = suite.tmp / ("%s-bounds.txt" % name)
    rows.write_text("".join("%s\n" % row for row in bounds))
    loads = []
    for path in texts:
        loads.append(str(suite.fresh("%s-%d" % (name, len(loads)))))
        suite.call("import", "--quiet", "--format", "cells", "--partition", "range:%s" % rows, "--now", NOW, *options,
                   "-o", loads[-1], path)
    return loads


def cells_files(suite, r, n, rows):
    """Of family cf, one after the other under one name."""
    for _ in range(3):
        yield cells_file(r, suite.tmp / "cells.txt", n, rows, families=("cf",))


def refused(suite, made, *wanted, want=2):
    out = suite.fresh("refused")
    done = suite.call("split", "join", "-o", out, *made, want=want)
    for text in wanted:
        demand(text.encode() in done.err, "'%s' is not in: %s" % (text, shown(done.err)))
    demand(not (out / "MANIFEST.json").exists(), "a dataset was published")
