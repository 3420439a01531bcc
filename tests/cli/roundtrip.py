#!/usr/bin/env python3
"""60,000 random rows (OBKV_STRESS=1: 100,000), all byte values in keys, qualifiers and values, through the programs and back.

    roundtrip.py BIN [--seed N] [--keep] [-v] [NAME ...]

Text cells go in; what `obkv-verify dump` prints must be the same cells, each file in HBase's order and each row in the partition
that placement computed here gives. Then the output bytes are compared for threads, memory and the way of the input; parts merged
with the whole; re-partitioned and back with the original. The last line is "N passed, N failed, N skipped".
"""
import json
import os
import random
import sys

from programs import (NOW, Suite, Wrong, bytes_of_files, cell_line, demand, digest, file_order, key_partition, manifest,
                      range_partition, unhex)

ROWS = 100000 if os.environ.get("OBKV_STRESS") else 60000
FAMILY = b"f"
BOUNDS = [b"\x10", b"\x40\x00", b"\x40\x00\x00", b"\x7f\xff", b"\x80", b"\xc0\xff\xee", b"\xff\xff"]
SEQ_MAX = (1 << 62)


def random_row(r):
    kind = r.random()
    if kind < 0.5:
        return r.randbytes(r.randint(1, 24))
    if kind < 0.9:  # neighbours with long common beginnings, ends that differ in a NUL, bytes of one kind
        return b"tenant-%03d/" % r.randrange(40) + r.randbytes(r.randint(0, 6))
    if kind < 0.95:
        return bytes([r.randrange(256)]) * r.randint(1, 40)
    return r.randbytes(r.randint(200, 900))


def random_tags(r):
    """Well-formed tags: u16 length (of type and value), type, value. Type 8 is a TTL."""
    out = b""
    for _ in range(r.randint(1, 3)):
        if r.random() < 0.3:
            out += b"\0\x09\x08" + r.randrange(1, 1 << 50).to_bytes(8, "big")
        else:
            value = r.randbytes(r.randint(0, 20))
            out += (len(value) + 1).to_bytes(2, "big") + bytes([r.choice((1, 2, 3, 200, 255))]) + value
    return out


def random_cell(r, row, qualifiers):
    kind = r.choice((4,) * 12 + (8, 10, 12, 14))
    qualifier = b"" if kind in (10, 14) else r.choice(qualifiers)
    size = r.choice((0, 1, 2, 8, 60, 400, 1200, 3300)) if kind == 4 else 0
    ts = r.choice((0, 1, NOW, NOW - r.randrange(10000), r.randrange(1 << 62)))
    seq = r.choice((0, 0, 0, 1, 7, r.randrange(SEQ_MAX)))
    return cell_line(row, FAMILY, qualifier, ts, kind, seq, r.randbytes(size), random_tags(r) if r.random() < 0.1 else b"")


def make_cells(seed):
    """Lines of text cells. No two cells share row, qualifier, timestamp, type and sequence id: then their order is known."""
    r = random.Random(seed)
    qualifiers = [b"", b"\0", b"\xff", b"q", b"qq"] + [r.randbytes(r.randint(1, 30)) for _ in range(50)]
    qualifiers += [bytes(range(256))]
    rows = {bytes([i]) for i in range(256)}
    while len(rows) < ROWS:
        rows.add(random_row(r))
    cells = {}
    for row in sorted(rows):
        for _ in range(r.choice((1, 1, 1, 1, 2, 4))):
            line = random_cell(r, row, qualifiers)
            cells.setdefault(tuple(line.split("\t")[:6]), line)
    lines = list(cells.values())
    r.shuffle(lines)
    return lines


def write_lines(path, lines):
    path.write_text("".join(line + "\n" for line in lines))
    return path


class World:
    """The input and the four placements, made once."""

    def __init__(self, suite):
        self.suite = suite
        self.lines = make_cells(suite.seed)
        self.sorted = sorted(self.lines)
        self.input = write_lines(suite.tmp / "all.cells", self.lines)
        bounds = suite.tmp / "bounds.txt"
        bounds.write_text("".join("hex:%s\n" % b.hex() for b in BOUNDS))
        self.shapes = {
            "key:97": lambda row: key_partition(row, 97),
            "key:31:substring(1,4)": lambda row: key_partition(row[:4], 31),
            "range:%s" % bounds: lambda row: range_partition(row, BOUNDS),
            "none": lambda row: 0,
        }
        print("# %d cells of %d rows, %.1f MB of text" % (len(self.lines), ROWS, self.input.stat().st_size / 1e6))

    def name(self, spec):
        return spec.split(":/")[0].replace(":", "-")

    def whole(self, spec):
        """The dataset of all cells in this partitioning."""
        out = self.suite.tmp / ("whole-" + self.name(spec))
        if not out.exists():
            self.suite.call("import", "--quiet", "--format", "cells", "--partition", spec, "--now", NOW, "-o", out, self.input)
        return out


def dumped(suite, *args):
    return suite.call("verify", "dump", *args).out.decode("ascii").splitlines()


def same_set(got, want, what):
    got = sorted(got)
    if got == want:
        return
    missing, extra = sorted(set(want) - set(got))[:2], sorted(set(got) - set(want))[:2]
    raise Wrong("%s: %d cells, wanted %d; missing %s, extra %s" % (what, len(got), len(want), missing, extra))


def comes_back(suite, world, spec):
    """Import, dump: the same cells."""
    out = world.whole(spec)
    same_set(dumped(suite, out), world.sorted, spec)
    suite.call("verify", "check", "--quiet", out)
    demand(suite.call("verify", "diff", out, world.input).out.startswith(b"equal:"), "diff with the input")


def placed(suite, world, spec):
    """Every file: in order, and every row where placement computed here puts it."""
    out, of = world.whole(spec), world.shapes[spec]
    seen = 0
    for f in manifest(out)["files"]:
        lines = dumped(suite, out / f["path"])
        keys = [file_order(line) for line in lines]
        demand(keys == sorted(keys), "%s is not in order" % f["path"])
        wrong = [k[0].hex() for k in keys if of(k[0]) != f["partition"]]
        demand(not wrong, "%s: rows of other partitions: %s" % (f["path"], wrong[:3]))
        demand(len(lines) == f["cells"], "%s: %d cells, the manifest says %d" % (f["path"], len(lines), f["cells"]))
        seen += len(lines)
    demand(seen == len(world.lines), "%d cells in the files" % seen)


def import_to(suite, name, *args):
    out = suite.fresh(name)
    result = suite.result("import", "--format", "cells", "--now", NOW, "-o", out, *args)
    return out, result


def bytes_do_not_depend(suite, world, spec, extra):
    """Threads and memory change nothing; the small memory must have spilled."""
    hashes, spilled = {}, 0
    for run in (("-t", 1, "-m", "4G"), ("-t", 2, "-m", "4G"), ("-t", 8, "-m", "4G"), ("-t", 1, "-m", "64M"),
                ("-t", 2, "-m", "64M"), ("-t", 8, "-m", "64M")):
        out, result = import_to(suite, "bytes", "--partition", spec, *run, *extra, world.input)
        hashes.setdefault(bytes_of_files(out), []).append(run)
        spilled += run[3] == "64M" and result["spilled_bytes"] > 0
    demand(len(hashes) == 1, "bytes depend on the run: %s" % list(hashes.values()))
    demand(spilled == 3, "only %d of the runs with 64M spilled: the input is too small for this test" % spilled)


def bytes_of_halves(suite, world, spec):
    """Two input files, their order, compression and stdin: the same cells, so the same bytes."""
    half = len(world.lines) // 2
    one, two = (write_lines(suite.tmp / n, part) for n, part in
                (("one.cells", world.lines[:half]), ("two.cells", world.lines[half:])))
    a, _ = import_to(suite, "halves", "--partition", spec, one, two)
    want = bytes_of_files(world.whole(spec))
    demand(bytes_of_files(a) == want, "two files of halves")
    b, _ = import_to(suite, "halves", "--partition", spec, two, one)
    demand(bytes_of_files(b) == want, "the halves in the other order")


def from_stdin(suite, world, spec):
    with open(world.input, "rb") as f:
        out = suite.fresh("stdin")
        suite.call("import", "--quiet", "--format", "cells", "--partition", spec, "--now", NOW, "-o", out, "-", stdin=f)
    demand(bytes_of_files(out) == bytes_of_files(world.whole(spec)), "bytes differ from those of the file")


def hfiles_in(suite, world, spec):
    """The dataset's own files as input: tags, types and sequence ids survive, and so do the bytes."""
    out = suite.fresh("again")
    suite.call("import", "--quiet", "--partition", spec, "--now", NOW, "-o", out, world.whole("none"))
    demand(bytes_of_files(out) == bytes_of_files(world.whole(spec)), "bytes differ from those of the text")


def compaction_keeps_all(suite, world, spec):
    """Halves compacted with nothing to drop: markers go, and puts they mask; so only puts are taken, without cell TTLs."""
    puts = [line for line in world.lines if line.split("\t")[4] == "4" and line.endswith("\t-")]
    unique = {}
    for line in puts:  # equal row, qualifier and timestamp are versions of one cell
        f = line.split("\t")
        unique.setdefault((f[0], f[2], f[3]), line)
    puts = list(unique.values())
    third = len(puts) // 3
    parts = []
    for i, part in enumerate((puts[:third], puts[third:2 * third], puts[2 * third:])):
        path = write_lines(suite.tmp / ("part%d.cells" % i), part)
        parts.append(import_to(suite, "part%d" % i, "--partition", spec, path)[0])
    whole = write_lines(suite.tmp / "puts.cells", puts)
    want, _ = import_to(suite, "puts", "--partition", spec, whole)
    out = suite.fresh("merged")
    suite.call("compact", "--quiet", "--versions", "unlimited", "--now", NOW, "-o", out, *parts)
    demand(digest(out) == digest(want), "digest of the merged parts")
    same_set(dumped(suite, out), sorted(puts), "merged parts")
    demand(suite.call("verify", "diff", out, want).out.startswith(b"equal:"), "diff")


RULES = (("--versions", "1"), ("--versions", "2", "--set", "KEEP_DELETED_CELLS=TRUE"), ("--versions", "unlimited"),
         ("--versions", "3", "--ttl", "86400", "--set", "MIN_VERSIONS=1"),
         ("--versions", "1", "--set", "KEEP_DELETED_CELLS=TTL", "--ttl", "100"))


def compact_in_one_pass(suite, world, spec, rules):
    """import --compact is import, then compact."""
    a, _ = import_to(suite, "onepass", "--partition", spec, "--compact", *rules, world.input)
    b = suite.fresh("twopass")
    suite.call("compact", "--quiet", "--rank", "sequence", "--now", NOW, "-o", b, *rules, world.whole(spec))
    if digest(a) != digest(b):
        raise Wrong("digests differ; diff says\n" + suite.call("verify", "diff", "--limit", 4, a, b, want={0, 1}).out.decode())
    suite.call("verify", "check", "--quiet", a)
    suite.call("verify", "check", "--quiet", b)
    if any("KEEP_DELETED" in word for word in rules) or "--ttl" in rules:
        return  # what a marker still has to hide depends on the oldest put of the files: the second time that may be another
    again = suite.fresh("again")
    suite.call("compact", "--quiet", "--rank", "sequence", "--now", NOW, "-o", again, *rules, b)
    demand(digest(again) == digest(b), "compacting twice changes something")


def ties(suite, world, spec):
    """Many cells with the same row, column, timestamp, type and even sequence id: the same ones win on every way."""
    r = random.Random(suite.seed + 3)
    files, datasets = [], []
    for n in range(3):
        lines = []
        for i in range(8000):
            kind = r.choice((4, 4, 4, 4, 8, 12, 14))
            lines.append(cell_line(b"row%02d" % r.randrange(60), FAMILY, b"" if kind == 14 else r.choice((b"", b"a", b"b")),
                                   {14: 1, 12: 2}.get(kind) or r.randrange(1, 6), kind, r.choice((0, 0, 3)),
                                   b"%d.%d" % (n, i) if kind == 4 else b"", b""))
        files.append(write_lines(suite.tmp / ("ties%d.cells" % n), lines))
        datasets.append(import_to(suite, "ties%d" % n, "--partition", spec, files[-1])[0])
    for rules in (("--versions", "unlimited"), ("--versions", "2"), ("--versions", "2", "--set", "KEEP_DELETED_CELLS=TRUE")):
        want = None
        table = ("--partition", spec, "--format", "cells")
        for way, tool, inputs in (("import --compact", ("import", "--compact", *table), files),
                                  ("compact of text", ("compact", "--rank", "sequence", *table), files),
                                  ("compact of datasets", ("compact", "--rank", "sequence"), datasets),
                                  ("with little memory", ("compact", "--rank", "sequence", "-m", "64M", "-t", 1), datasets)):
            out = suite.fresh("tied")
            suite.call(*tool, "--quiet", "--now", NOW, *rules, "-o", out, *inputs)
            got = dumped(suite, out)
            demand(want is None or got == want, "%s, %s: other cells survive than with import --compact" % (way, " ".join(rules)))
            want = got
            demand(got, "nothing survives: the test tests nothing")


def compact_is_steady(suite, world, spec):
    """Threads and memory change no byte of a compaction."""
    hashes = {}
    for run in (("-t", 1, "-m", "4G"), ("-t", 2, "-m", "64M"), ("-t", 8, "-m", "256M")):
        out = suite.fresh("steady")
        suite.call("compact", "--quiet", "--versions", 2, "--now", NOW, "-o", out, *run, world.whole(spec))
        hashes.setdefault(bytes_of_files(out), []).append(run)
    demand(len(hashes) == 1, "bytes depend on the run: %s" % list(hashes.values()))


def files_of(dataset):
    return [(f["path"], f["cells"], f["digest"]) for f in manifest(dataset)["files"]]


def there_and_back(suite, world, spec, other):
    """split apply into another partitioning holds what an import into it holds, file by file; and back the same."""
    there, back = suite.fresh("there"), suite.fresh("back")
    for source, out, to, memory in ((world.whole(spec), there, other, "1G"), (there, back, spec, "64M")):
        suite.call("split", "apply", "--quiet", "--partition", to, "-m", memory, "--now", NOW, "-o", out, source)
        want = world.whole(to)
        demand(digest(out) == digest(want), "%s: digest" % out.name)
        demand(files_of(out) == files_of(want), "%s: its files hold other cells than those of an import" % out.name)
        demand(dumped(suite, out) == dumped(suite, want), "%s: order of cells differs from that of an import" % out.name)
        suite.call("verify", "check", "--quiet", out)


def split_is_steady(suite, world, spec, other):
    """Threads and memory change no byte of a re-partitioning."""
    hashes = {}
    for run in (("-t", 1, "-m", "4G"), ("-t", 2, "-m", "64M"), ("-t", 8, "-m", "256M")):
        out = suite.fresh("steady")
        suite.call("split", "apply", "--quiet", "--partition", other, "--now", NOW, "-o", out, *run, world.whole(spec))
        hashes.setdefault(bytes_of_files(out), []).append(run)
    demand(len(hashes) == 1, "bytes depend on the run: %s" % list(hashes.values()))


def row_ranges(suite, world, spec):
    """dump --rows is a cut of the whole dump."""
    r = random.Random(suite.seed + 1)
    rows = sorted({unhex(line.split("\t")[0]) for line in world.lines})
    out = world.whole(spec)
    for _ in range(12):
        start, stop = sorted(r.sample(rows, 2))
        if r.random() < 0.5:
            start, stop = start + b"\0", stop[:-1] or stop
        got = dumped(suite, out, "--rows", "hex:%s:hex:%s" % (start.hex(), stop.hex()))
        want = sorted(line for line in world.lines if start <= unhex(line.split("\t")[0]) < stop)
        same_set(got, want, "rows from %s to %s" % (start.hex(), stop.hex()))
    last = rows[-1]
    got = dumped(suite, out, "--rows", "hex:" + last.hex() + ":")
    same_set(got, sorted(line for line in world.lines if unhex(line.split("\t")[0]) == last), "the last row")
    demand(dumped(suite, out, "--rows", "hex:" + last.hex() + "00:") == [], "behind the last row")


def differences(suite, world, spec):
    """diff names exactly the cells that were changed."""
    r = random.Random(suite.seed + 2)
    lines = list(world.lines)
    picked = r.sample(range(len(lines)), 30)
    gone, altered = picked[:10], picked[10:]
    changed = 0
    for i in altered:
        f = lines[i].split("\t")
        f[6] = "ab" + f[6].replace("-", "")
        lines[i] = "\t".join(f)
        changed += 1
    for i in sorted(gone, reverse=True):
        del lines[i]
    path = write_lines(suite.tmp / "changed.cells", lines)
    done = suite.call("verify", "diff", "--json", "--limit", 1000, world.whole(spec), path, want=1)
    docs = [json.loads(line) for line in done.out.decode().splitlines()]
    kinds = [d["kind"] for d in docs[:-1]]
    found = [kinds.count(kind) for kind in ("missing", "changed", "extra")]
    demand(found == [10, changed, 0], "found %s" % docs[-1])


def main():
    suite = Suite(__doc__)
    world = World(suite)
    specs = list(world.shapes)
    key, rng = specs[0], specs[2]
    for spec in specs:
        suite.run("comes back: " + world.name(spec), comes_back, world, spec)
        suite.run("placed: " + world.name(spec), placed, world, spec)
    small = ("--target-file-size", "100K", "--set", "BLOCKSIZE=512")
    suite.run("same bytes: key", bytes_do_not_depend, world, key, ())
    suite.run("same bytes: none, small files and blocks", bytes_do_not_depend, world, "none", small)
    suite.run("same bytes: range, zstd, small files", bytes_do_not_depend, world, rng, ("--codec", "zstd", *small))
    suite.run("same bytes: halves", bytes_of_halves, world, key)
    suite.run("same bytes: stdin", from_stdin, world, key)
    suite.run("same bytes: hfiles as input", hfiles_in, world, key)
    suite.run("compact: parts are the whole", compaction_keeps_all, world, key)
    suite.run("compact: parts are the whole, range", compaction_keeps_all, world, rng)
    for rules in RULES:
        suite.run("compact: one pass or two: " + " ".join(rules), compact_in_one_pass, world, key, rules)
    suite.run("compact: ties", ties, world, "key:3")
    suite.run("compact: same bytes", compact_is_steady, world, key)
    suite.run("split: key to range and back", there_and_back, world, key, rng)
    suite.run("split: none to key and back", there_and_back, world, "none", key)
    suite.run("split: range to none and back", there_and_back, world, rng, "none")
    suite.run("split: key to substring and back", there_and_back, world, key, specs[1])
    suite.run("split: same bytes", split_is_steady, world, rng, key)
    suite.run("dump: row ranges, range", row_ranges, world, rng)
    suite.run("dump: row ranges, key", row_ranges, world, key)
    suite.run("diff: names what changed", differences, world, key)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
