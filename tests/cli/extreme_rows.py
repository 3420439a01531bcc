#!/usr/bin/env python3
"""Rows and stores that no table should have: compacted within --memory, in time that grows with the input.

    extreme_rows.py BIN [--seed N] [--keep] [-v] [NAME ...]

One row of very many cells, many versions of a cell, many inputs for one partition, many delete markers over few Puts. Each runs
with a quarter of its size and with all of it, and may take four times the processor time, with some room. Small by default;
OBKV_STRESS=1 (`make stress`): 20 million cells in a row, 10,000 versions of each of 200 cells, 1,000 inputs, 100 million markers;
0.1 is a tenth of it (but 10,000 versions as well).
-v prints peaks and times. The last line is "N passed, N failed, N skipped".
"""
import os
import subprocess
import sys

from measured import measure
from programs import NOW, Skip, Suite, demand, manifest

SIZES = {"CELLS": 200_000, "COLUMNS": 8, "VERSIONS": 2000, "INPUTS": 60, "MARKERS": 200_000}
if os.environ.get("OBKV_STRESS"):
    SCALE = float(os.environ["OBKV_STRESS"])
    SIZES = {"CELLS": 20_000_000, "COLUMNS": 200, "VERSIONS": 10_000 / SCALE, "INPUTS": 1000, "MARKERS": 100_000_000}
    SIZES = {name: int(SCALE * n) for name, n in SIZES.items()}
CELLS, COLUMNS, VERSIONS, INPUTS, MARKERS = SIZES.values()
MEMORY_MB = 128
SLACK, START_S = 1.6, 0.3  # over linear growth; what a run takes anyway
BATCH = 10_000
ROWS_OF_MARKERS = 1000

# A program that writes cells to standard output: they need not lie on the disk. argv: kind, from, to, step.
GENERATOR = """
import sys
kind, first, last, step = sys.argv[1], *map(int, sys.argv[2:5])
def wide(i): return "72\\t66\\t%08x\\t1000\\t4\\t0\\t%08x\\t-\\n" % (i, i)
def version(i): return "72\\t66\\t71%06x\\t%d\\t4\\t0\\t76\\t-\\n" % (i // VERSIONS, 1000 + i % VERSIONS)
MARKS = "72%06x\\t66\\t-\\t%d\\t14\\t0\\t-\\t-\\n", "72%06x\\t66\\t-\\t%d\\t10\\t0\\t-\\t-\\n", \\
    "72%06x\\t66\\t71\\t%d\\t12\\t0\\t-\\t-\\n", "72%06x\\t66\\t72\\t%d\\t8\\t0\\t-\\t-\\n"
def marker(i): return MARKS[i & 3] % (i // 4 % ROWS, 1000 + i // 4 // ROWS)
def single(i): return "72\\t66\\t-\\t%d\\t10\\t0\\t-\\t-\\n" % (1000 + i)
line = {"wide": wide, "version": version, "marker": marker, "single": single}[kind]
for at in range(first, last, BATCH * step):
    sys.stdout.write("".join(map(line, range(at, min(last, at + BATCH * step), step))))
""".replace("VERSIONS", str(VERSIONS)).replace("ROWS", str(ROWS_OF_MARKERS)).replace("BATCH", str(BATCH))


def imported(suite, name, kind, first, last, step=1):
    """A dataset of generated cells."""
    out = suite.fresh(name)
    with subprocess.Popen([sys.executable, "-S", "-c", GENERATOR, kind, str(first), str(last), str(step)],
                          stdout=subprocess.PIPE) as made:
        suite.call("import", "--quiet", "--partition", "none", "--now", NOW, "--memory", "256M", "--format", "cells", "-o", out,
                   "-", stdin=made.stdout, timeout=3600)
    demand(made.returncode == 0, "the generator of %s failed" % kind)
    return out


def compacted(suite, inputs, *rules, want):
    """Merges within the limit; seconds of processor time. want: cells that are left."""
    out = suite.fresh("out")
    _, peak, cpu_s = measure(suite, MEMORY_MB, "compact", "--quiet", "--now", NOW, *rules, "-o", out, *inputs)
    cells = manifest(out)["totals"]["cells"]
    demand(cells == want, "%d cells are left, not %d" % (cells, want))
    if suite.args.verbose:
        print("    # %.1f MB, %.2f s" % (peak, cpu_s))
    return cpu_s


def grows_linearly(run, n):
    quarter, whole = run(n // 4), run(n)
    most = 4 * max(quarter, START_S) * SLACK
    demand(whole <= most, "%d take %.2f s, %d take %.2f s" % (n // 4, quarter, n, whole))


def wide_row(suite):
    """Columns of two inputs in turn, so that every cell is merged."""
    def run(n):
        inputs = [imported(suite, "in%d" % i, "wide", i, n, 2) for i in (0, 1)]
        return compacted(suite, inputs, "--versions", 1, want=n)
    grows_linearly(run, CELLS)


def many_versions(suite):
    def run(columns):
        n = columns * VERSIONS
        inputs = [imported(suite, "in%d" % i, "version", i, n, 4) for i in range(4)]
        return compacted(suite, inputs, "--versions", 3, want=3 * columns)
    grows_linearly(run, COLUMNS)


def many_inputs(suite):
    """Each holds the same columns of one row, and one more: the last input wins."""
    common = 500
    text = suite.tmp / "one.cells"
    datasets = []
    for i in range(INPUTS):
        lines = ["72\t66\t%08x\t1000\t4\t0\t%04x\t-\n" % (q, i) for q in [*range(common), 10**6 + i]]
        text.write_text("".join(lines))
        datasets.append(suite.fresh("many-%d" % i))
        suite.call("import", "--quiet", "--partition", "none", "--now", NOW, "--format", "cells", "-o", datasets[-1], text)
    grows_linearly(lambda n: compacted(suite, datasets[:n], "--versions", 1, want=common + n), INPUTS)


def many_markers(suite):
    """Of all kinds, over rows with one Put each; and of the kind that a row must remember one by one."""
    def run(n):
        puts = suite.fresh("puts.cells")
        puts.write_text("".join("72%06x\t66\t73\t5\t4\t0\t76\t-\n" % i for i in range(ROWS_OF_MARKERS)))
        few = suite.fresh("few")
        suite.call("import", "--quiet", "--partition", "none", "--now", NOW, "--format", "cells", "-o", few, puts)
        return compacted(suite, [few, imported(suite, "markers", "marker", 0, n)], "--versions", 1, want=0)
    grows_linearly(run, MARKERS)


def markers_of_one_row(suite):
    def run(n):
        return compacted(suite, [imported(suite, "markers", "single", 0, n)], "--versions", 1, want=0)
    grows_linearly(run, MARKERS // 20)


def main():
    suite = Suite(__doc__)
    for test in (wide_row, many_versions, many_inputs, many_markers, markers_of_one_row):
        suite.run(test.__name__.replace("_", " "), limited, test)
    return suite.end()


def limited(suite, test):
    if suite.sanitized():
        raise Skip("sanitizers need memory and time of their own")
    test(suite)


if __name__ == "__main__":
    sys.exit(main())
