#!/usr/bin/env python3
"""Nights onto a base whose files are too large to be linked: blocks that no new row touches are copied as they are.

    copied_blocks.py BIN [--seed N] [--keep] [-v] [NAME ...]

What a night makes must be the cells of a compaction of everything, a dataset that a full check finds nothing wrong with (sums,
keys, times, bloom filters, chains of blocks), and the same bytes for any number of threads. Whether blocks were copied is in the
result document. Of options, places and nights a part is drawn; OBKV_STRESS=1 takes all. The last line is "N passed, N failed, N
skipped".
"""
import os
import random
import sys

from programs import NOW, Suite, bytes_of_files, cell_files, cell_line, demand, drawn, shown

RULES = ("--now", NOW + 10**9)
COLUMNS = ("--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a,f:b,f:c", "--partition", "none")
PLAIN = ("--codec", "none")


def value(r, n):
    return "%0*x" % (n, r.getrandbits(4 * n))


def write_csv(path, r, rows, ts, length=700):
    """Rows with three columns each, of which blocks hold about 30: most blocks begin within a row."""
    with open(path, "w", encoding="ascii") as out:
        for row in rows:
            out.write("r%08d,%d,%s,%s,%s\n" % (row, ts + r.randrange(1000), value(r, length), value(r, length), value(r, 8)))
    return path


def dataset(suite, name, r, rows, ts, options, length=700):
    source = write_csv(suite.tmp / (name + ".csv"), r, rows, ts, length)
    out = suite.fresh(name)
    suite.call("import", *COLUMNS, *RULES, *options, "-o", out, source)
    source.unlink()
    return out


def base_of(suite, r, options, rules, rows=range(0, 60000, 2), length=700):
    out = suite.fresh("base")
    suite.call("compact", *RULES, *rules, *options, "-o", out, dataset(suite, "first", r, rows, NOW, options, length))
    return out


def night(suite, name, base, new, options, rules, *more):
    out = suite.fresh(name)
    made = suite.result("compact", *RULES, *rules, *options, *more, "--base", base, "-o", out, new)
    return out, made["base"]["taken_over"].get("cells_in_copied_blocks", 0)


def expect_whole(suite, base, new, options, rules, copied):
    """Runs a night and compares it; returns its dataset."""
    out, cells = night(suite, "night", base, new, options, rules, "--verify-base")
    demand((cells > 0) == copied, "%d cells in copied blocks" % cells)
    full = suite.fresh("full")
    suite.call("compact", *RULES, *rules, *options, "-o", full, base, new)
    suite.call("verify", "check", "--strict", out)
    suite.call("verify", "diff", out, full)
    for threads in (1, 4):
        again, _ = night(suite, "again", base, new, options, rules, "--threads", threads)
        demand(bytes_of_files(again) == bytes_of_files(out), "other bytes with %d threads" % threads)
    return out


def kinds_of_files(suite):
    """Each encoding, codec and bloom filter with which blocks are copied."""
    r = random.Random(suite.seed)
    kinds = (("--codec", "snappy"), ("--encoding", "none", *PLAIN), ("--encoding", "none", "--codec", "zstd"),
             ("--encoding", "diff", "--codec", "lz4"), ("--set", "BLOOMFILTER=none"), ("--encoding", "row_index_v1", *PLAIN))
    for options in drawn(kinds, 2, "kinds"):
        rules = ("--versions", 2)
        expect_whole(suite, base_of(suite, r, options, rules), dataset(suite, "new", r, range(30001, 30801), NOW + 5000, options),
                     options, rules, True)


def not_copied(suite):
    """Other kinds of files than the base has, bloom filters whose keys are no rows, and rows everywhere: all is merged."""
    r = random.Random(suite.seed + 1)
    rules = ("--versions", 2)
    base = base_of(suite, r, PLAIN, rules)
    new = dataset(suite, "new", r, range(30001, 30801), NOW + 5000, PLAIN)
    for options in drawn((("--codec", "zstd"), ("--encoding", "prefix", *PLAIN), ("--set", "BLOOMFILTER=rowcol", *PLAIN),
                          ("--target-file-size", "8M", *PLAIN)), 2, "not copied"):
        expect_whole(suite, base, new, options, rules, False)
    expect_whole(suite, base, dataset(suite, "new", r, range(0, 60000, 60), NOW + 5000, PLAIN), PLAIN, rules, False)


def ends_of_files(suite):
    """New rows at the first and the last row of the file, before and after them, and in several places."""
    r = random.Random(suite.seed + 2)
    rules = ("--versions", 1)
    base = base_of(suite, r, PLAIN, rules, range(1000, 61000, 2))
    for rows in drawn(((1000,), (60998,), (999, 1000, 1001), (60998, 60999), (1001,), (60997,), (0, 31000, 70000),
                       tuple(range(20000, 20300)) + tuple(range(50000, 50300)), (1000, 31000, 60998)), 3, "ends"):
        expect_whole(suite, base, dataset(suite, "new", r, rows, NOW + 5000, PLAIN), PLAIN, rules, True)


def files_that_grow(suite):
    """A gap in the base takes more than a file may hold: it is cut as usual, instead of being one file with copied blocks."""
    r = random.Random(suite.seed + 9)
    rules = ("--versions", 1)
    base = base_of(suite, r, PLAIN, rules)
    source, new = suite.tmp / "gap.csv", suite.fresh("new")
    source.write_text("".join("r00030000.%06d,%d,%s,b,c\n" % (i, NOW, value(r, 700)) for i in range(50000)))
    suite.call("import", *COLUMNS, *RULES, *PLAIN, "-o", new, source)
    for size, is_one in (("40M", False), ("60M", True)):  # 85 MB are more, or less, than one and a half times that
        out = expect_whole(suite, base, new, ("--target-file-size", size, *PLAIN), rules, is_one)
        demand((len(cell_files(out)) == 1) == is_one, "%s: %d files" % (size, len(cell_files(out))))


def little_memory(suite):
    """Fewer threads are used before a base is not reused."""
    r = random.Random(suite.seed + 10)
    rules, options = ("--versions", 1), ("--set", "BLOCKSIZE=256K", *PLAIN)
    base = base_of(suite, r, options, rules)
    new = [dataset(suite, "new%d" % i, r, range(30001 + i, 30801 + i), NOW + 5000 + i, options) for i in range(3)]
    made = []
    for name, memory in (("night", ("--threads", 2)), ("again", ("--threads", 16, "--memory", "200M"))):
        out = suite.fresh(name)
        done = suite.call("compact", *RULES, *rules, *options, *memory, "--base", base, "-o", out, *new)
        demand(b"base-not-reused" not in done.err, "the base is not reused: %s" % shown(done.err))
        made.append(bytes_of_files(out))
    demand(made[0] == made[1], "other bytes with little memory")


def night_after_night(suite):
    """Each night's dataset is the next one's base; old cells go, among them the oldest and the longest of the file."""
    r = random.Random(suite.seed + 3)
    rules = ("--versions", 1)
    base = base_of(suite, r, PLAIN, rules)
    for i in range(6 if os.environ.get("OBKV_STRESS") else 3):
        start = r.randrange(0, 58000)
        new = dataset(suite, "new", r, range(start, start + r.randrange(1, 1500)), NOW + 10000 * (i + 1), PLAIN,
                      r.choice((300, 700, 900)))
        made = expect_whole(suite, base, new, PLAIN, rules, True)
        base = made.rename(suite.fresh("base%d" % i))


def values_that_go(suite):
    """The oldest, the newest and the longest cell of the base are replaced, or deleted: what the file says of them is right."""
    r = random.Random(suite.seed + 4)
    rules = ("--versions", 1)
    lines = write_csv(suite.tmp / "one.csv", r, range(0, 60000, 2), NOW).read_text().splitlines()
    lines[15000] = "r%08d,%d,%s,b,c" % (30000, NOW - 50000, value(r, 1500))
    lines[15001] = "r%08d,%d,%s,b,c" % (30002, NOW + 4000, value(r, 1500))
    (suite.tmp / "one.csv").write_text("\n".join(lines) + "\n")
    first, base = suite.fresh("first"), suite.fresh("base")
    suite.call("import", *COLUMNS, *RULES, *PLAIN, "-o", first, suite.tmp / "one.csv")
    suite.call("compact", *RULES, *rules, *PLAIN, "-o", base, first)
    for rows in ((30000,), (30002,), (30000, 30002)):
        expect_whole(suite, base, dataset(suite, "new", r, rows, NOW + 4500, PLAIN, 30), PLAIN, rules, True)
    for gone in ((30000, 30002), range(0, 1000, 2), range(59000, 60000, 2)):
        expect_whole(suite, base, deletes_of(suite, gone), PLAIN, rules, True)


def file_begins_copied(suite):
    """A block for each row: of deleted ones, nothing is left before the first copied block, or after the last one."""
    r = random.Random(suite.seed + 7)
    rules = ("--versions", 1)
    base = base_of(suite, r, PLAIN, rules, range(100, 900), 32720)
    for gone in (range(100, 103), range(896, 900), (*range(100, 110), *range(500, 503), 899)):
        expect_whole(suite, base, deletes_of(suite, gone), PLAIN, rules, True)


def filter_that_grows(suite):
    """Each copied stretch adds a chunk to the bloom filter; when it has become too large, a night writes the file anew."""
    r = random.Random(suite.seed + 8)
    rules = ("--versions", 1)
    options = ("--encoding", "none", *PLAIN)
    base, anew = base_of(suite, r, options, rules, range(300000), 20), 0
    for i in range(20):
        rows = sorted({place + n for place in r.sample(range(300000), 5) for n in range(20)})
        out, cells = night(suite, "night%d" % i, base, dataset(suite, "new", r, rows, NOW + 10000 * (i + 1), options), options,
                           rules)
        suite.call("verify", "check", "--strict", out)
        base, copied_again = out, anew and cells
        anew += not cells
        if copied_again:
            return
    demand(False, "%d of 20 nights wrote the file anew" % anew)


def deletes_of(suite, rows):
    """Markers of whole rows."""
    source, out = suite.tmp / "deletes.cells", suite.fresh("gone")
    source.write_text("".join(cell_line(b"r%08d" % row, b"f", b"", NOW + 9000, 14, 0, b"", b"") + "\n" for row in rows))
    suite.call("import", "--format", "cells", "--partition", "none", *RULES, *PLAIN, "-o", out, source)
    return out


def long_rows(suite):
    """Rows of many blocks: one reaches into blocks that are copied, and one lies in them whole."""
    r = random.Random(suite.seed + 5)
    rules = ("--versions", "unlimited")
    source = suite.tmp / "long.cells"
    with open(source, "w", encoding="ascii") as out:
        for row in range(12):
            for q in range(3000):
                out.write(cell_line(b"row%02d" % row, b"f", b"q%05d" % q, NOW + q, 4, 0, r.randbytes(800), b"") + "\n")
    cells, base = suite.fresh("cells"), suite.fresh("base")
    suite.call("import", "--format", "cells", "--partition", "none", *RULES, *PLAIN, "-o", cells, source)
    suite.call("compact", *RULES, *rules, *PLAIN, "-o", base, cells)
    for row, q in ((b"row05", 1500), (b"row00", 0), (b"row11", 9999), (b"row050", 1)):
        new = suite.tmp / "new.cells"
        new.write_text(cell_line(row, b"f", b"q%05d" % q, NOW + 10**6, 4, 0, b"0", b"") + "\n")
        out = suite.fresh("new")
        suite.call("import", "--format", "cells", "--partition", "none", *RULES, *PLAIN, "-o", out, new)
        expect_whole(suite, base, out, PLAIN, rules, True)


def times_that_end(suite):
    """Cells of copied blocks expire in a later night: not before their time, not after it, and the ledger has them."""
    r, hour = random.Random(suite.seed + 11), 3_600_000
    rules = ("--versions", 2, "--ttl", 100 * 3600, *PLAIN)
    ages = {30000: 95, 20000: 91}  # hours; the others have 50 left

    def made(name, rows, now, age, *options):
        source, out = suite.tmp / (name + ".csv"), suite.fresh(name)
        with open(source, "w", encoding="ascii") as lines:
            for row in rows:
                lines.write("r%08d,%d,%s,%s,c\n" % (row, now - age(row) * hour, value(r, 700), value(r, 700)))
        suite.call("import", *COLUMNS, "--now", now, *options, "-o", out, source)
        source.unlink()
        return out

    base = made("base", range(0, 40000, 2), NOW, lambda row: ages.get(row, 50 - row % 40), "--compact", *rules)
    for hours, row, copied, expired in ((1, 39001, True, 0), (2, 30000, True, 0), (5, 39003, True, 0), (5.1, 7, False, 3),
                                        (5.2, 9, True, 0), (9, 11, True, 0), (9.1, 13, False, 3)):
        now = NOW + int(hours * hour)
        new = made("new", (row,), now, lambda _: 0, *PLAIN)
        out, full = suite.fresh("night %s" % hours), suite.fresh("full")
        told = suite.result("compact", "--now", now, *rules, "--base", base, "-o", out, new)
        want = suite.result("compact", "--now", now, *rules, "-o", full, base, new)
        cells = told["base"]["taken_over"].get("cells_in_copied_blocks", 0)
        demand((cells > 0) == copied, "hour %s: %d cells in copied blocks" % (hours, cells))
        demand(told["cells"] == want["cells"], "hour %s: ledger %s, want %s" % (hours, told["cells"], want["cells"]))
        demand(told["cells"]["expired"]["cells"] == expired, "hour %s: expired %s" % (hours, told["cells"]["expired"]))
        suite.call("verify", "check", "--strict", out)
        suite.call("verify", "diff", out, full)
        base = out


def damaged_block(suite):
    """A flipped bit in a block that would be copied ends the run: nothing is published."""
    r = random.Random(suite.seed + 6)
    rules = ("--versions", 1)
    base = base_of(suite, r, PLAIN, rules)
    new = dataset(suite, "new", r, range(30001, 30801), NOW + 5000, PLAIN)
    file = cell_files(base)[0]
    good = file.read_bytes()
    for at in (r.randrange(4 << 20, 12 << 20), r.randrange(28 << 20, 34 << 20)):
        bad = bytearray(good)
        bad[at] ^= 1 << r.randrange(8)
        file.write_bytes(bad)
        out = suite.fresh("night")
        suite.call("compact", *RULES, *rules, *PLAIN, "--base", base, "-o", out, new, want=5)
        demand(not out.exists() or not (out / "MANIFEST.json").exists(), "published")


def main():
    suite = Suite(__doc__)
    suite.run("kinds of files", kinds_of_files)
    suite.run("not copied", not_copied)
    suite.run("ends of files", ends_of_files)
    suite.run("files that grow", files_that_grow)
    suite.run("little memory", little_memory)
    suite.run("night after night", night_after_night)
    suite.run("values that go", values_that_go)
    suite.run("file begins copied", file_begins_copied)
    suite.run("filter that grows", filter_that_grows)
    suite.run("long rows", long_rows)
    suite.run("times that end", times_that_end)
    suite.run("damaged block", damaged_block)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
