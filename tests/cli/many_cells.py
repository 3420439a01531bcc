#!/usr/bin/env python3
"""Very many cells: counts and digests agree with what was written, computed apart; the order of rows and of files means nothing.

    many_cells.py BIN [--seed N] [--keep] [-v] [NAME ...]

tests/cli/many_cells.c writes the rows and adds up their digests by itself. 500,000 cells by default. OBKV_STRESS=1
(`make stress`): 10^9 cells in 97 partitions, more than 2^31 in a single file, a file of more than 4 GiB without
compression, 40 GB of disk. 0.1 is a tenth of it.
The last line is "N passed, N failed, N skipped".
"""
import multiprocessing
import os
import random
import shutil
import subprocess
import sys

from programs import NOW, Skip, Suite, demand, manifest, shown

SCALE = float(os.environ.get("OBKV_STRESS") or 0)
ROWS = int(10 ** 8 * SCALE) or 50_000
ROWS_OF_FILE = int(214_748_370 * SCALE) or 50_000  # of ten cells each: 2^31 and 52 more
LARGE_ROWS = int(4400 * SCALE) or 48  # of a megabyte
SHUFFLED = 61_803_399  # without a common divisor with ROWS
MEMORY = "512M" if SCALE else "64M"
COLUMNS = "HBASE_ROW_KEY," + ",".join("f:%d" % i for i in range(10))


def generator(suite):
    program = suite.tmp / "many_cells"
    if not program.exists():
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "many_cells.c")
        for compiler in ("cc", "gcc", "clang"):
            command = [compiler, "-O2", "-D_GNU_SOURCE", "-o", program, source, "-lxxhash"]
            if shutil.which(compiler) and subprocess.run(command, check=False).returncode == 0:
                return program
        raise Skip("no C compiler")
    return program


def imported(suite, name, rows, factor, *args):
    """A dataset of generated rows, whose cells and digest are those that the generator has added up."""
    out, sums = suite.fresh(name), suite.tmp / "sums"
    with subprocess.Popen([generator(suite), str(rows), str(factor), sums], stdout=subprocess.PIPE) as made:
        suite.call("import", "--quiet", "--columns", COLUMNS, "--format", "csv", "--timestamp", 1, "--now", NOW, "--memory",
                   MEMORY, *args, "-o", out, "-", stdin=made.stdout, timeout=6 * 3600)
    cells, digest = sums.read_text().split()
    totals = manifest(out)["totals"]
    demand((totals["cells"], totals["digest"]) == (int(cells), digest), "%s, not %s cells with %s" % (totals, cells, digest))
    return out


def checked(suite, dataset):
    done = suite.call("verify", "check", "--memory", MEMORY, dataset, timeout=6 * 3600)
    demand(": good" in shown(done.out), shown(done.out))


def files_of(dataset):
    return {f["path"]: f["checksum"] for f in manifest(dataset)["files"]}


def many(suite):
    """In random order, over many partitions."""
    checked(suite, imported(suite, "many", ROWS, SHUFFLED, "--partition", "key:97"))


def one_file(suite):
    """Sorted, in one file."""
    shutil.rmtree(suite.tmp / "many", ignore_errors=True)
    out = imported(suite, "one", ROWS_OF_FILE, 1, "--partition", "none", "--target-file-size", "1T")
    demand(len(files_of(out)) == 1, str(files_of(out)))
    checked(suite, out)
    shutil.rmtree(out)


def large_rows(seed, path):
    """Rows of a megabyte that no codec makes smaller, the last one first: a line each."""
    noise = random.Random(seed).randbytes((1 << 19) + 500).hex().encode()
    with open(path, "wb") as out:
        for i in reversed(range(LARGE_ROWS)):
            out.write(b"%08d,%08d%s\n" % (i, i, noise[i % 999:]))


def large_file(suite):
    """A file whose offsets need more than 32 bits: every reader reaches its end."""
    fifo, common = suite.fresh("rows"), ("--quiet", "--memory", "256M", "--now", NOW)
    os.mkfifo(fifo)
    writer = multiprocessing.Process(target=large_rows, args=(suite.seed, fifo), daemon=True)
    writer.start()
    suite.call("import", *common, "--codec", "none", "--partition", "none", "--target-file-size", "1T", "--timestamp", 1,
               "--columns", "HBASE_ROW_KEY,f:a", "--format", "csv", "-o", suite.fresh("large"), fifo, timeout=6 * 3600)
    writer.join()
    out, last = suite.tmp / "large", LARGE_ROWS - 1
    made = manifest(out)["totals"]
    demand(made["cells"] == LARGE_ROWS and made["bytes"] > LARGE_ROWS << 20 and made["files"] == 1, str(made))
    checked(suite, out)
    text = shown(suite.call("verify", "info", out).out)
    demand("{:,}".format(LARGE_ROWS) in text, text)
    rows = ("--rows", "%08d:" % last)
    for done in (suite.call("verify", "dump", *rows, out), suite.call("export", "--format", "cells", *rows, "-o", "-", out)):
        lines = [line for line in done.out.splitlines() if not line.startswith(b"#")]
        demand(len(lines) == 1 and lines[0].startswith((b"%08d" % last).hex().encode()), "not the last row: %r" % done.out[:200])
        demand((b"%08d" % last).hex().encode() in lines[0][20:200], "another value")
    suite.call("compact", *common, "--versions", 1, "--codec", "none", "--target-file-size", "1T", "-o", suite.fresh("next"), out,
               timeout=6 * 3600)
    demand(manifest(suite.tmp / "next")["totals"]["digest"] == made["digest"], "compaction has other cells")
    shutil.rmtree(suite.tmp / "next")
    shutil.rmtree(out)


def order_of_rows(suite):
    """Sorted and shuffled rows make the same bytes."""
    rows = min(ROWS, 100_000)
    files = [files_of(imported(suite, "order", rows, factor, "--partition", "key:7")) for factor in (1, SHUFFLED, rows - 1)]
    demand(files[0] == files[1] == files[2], "other files")


def order_of_files(suite):
    """So do rows that lie in other files, given in another order; and datasets that are merged in another order."""
    rows, parts, r = 20_000, 8, random.Random(suite.seed)
    made = subprocess.run([generator(suite), str(rows), str(SHUFFLED), suite.tmp / "sums"], stdout=subprocess.PIPE, check=True)
    lines = made.stdout.splitlines(keepends=True)
    common = ("--columns", COLUMNS, "--timestamp", 1, "--now", NOW, "--partition", "key:3", "--quiet")
    files, merged = [], []
    for turn in range(4):
        r.shuffle(lines)
        cuts = [0] + sorted(r.sample(range(1, rows), parts - 1)) + [rows]
        names = []
        for i in range(parts):
            names.append(suite.fresh("part%d.csv" % i))
            names[-1].write_bytes(b"".join(lines[cuts[i]:cuts[i + 1]]))
        r.shuffle(names)
        suite.call("import", *common, "-o", suite.fresh("whole"), *names)
        files.append(files_of(suite.tmp / "whole"))
        if turn < 2:
            for i, name in enumerate(names):
                suite.call("import", *common, "-o", suite.fresh("d%d" % i), name)
            suite.call("compact", "--quiet", "--versions", 1, "--now", NOW, "-o", suite.fresh("merged"),
                       *(suite.tmp / ("d%d" % i) for i in range(parts)))
            merged.append(files_of(suite.tmp / "merged"))
    demand(all(f == files[0] for f in files), "other files")
    demand(merged[0] == merged[1], "other files after merging")


def main():
    suite = Suite(__doc__)
    for test in (many, one_file, large_file, order_of_rows, order_of_files):
        suite.run(test.__name__.replace("_", " "), test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
