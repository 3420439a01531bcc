#!/usr/bin/env python3
"""Several loaders beside each other on OceanBase's engine, in turns: does it help to load from several machines?

    load_many.py BIN [CELLS [ROUNDS]]     (600,000, 3: four minutes)

The same cells, of datasets without an export: one table by one loader; one table by two loaders, a share of the partitions
each; two tables by one loader after the other; two tables by two loaders side by side. Wall seconds, CPU seconds of the
engine, and retries because of locks; medians. The last lines are a table for docs/loading-design.md.
"""
import concurrent.futures
import os
import shutil
import statistics
import sys
import tempfile


from load_shapes import Slow, rows_of, took
from rig import NOW
from peers import Engine

KEY = dict(partition="PARTITION BY KEY(K) PARTITIONS 97")


def load(b, dataset, *options):
    """Returns what the loader said: retries are notes."""
    return b.run("obkv-load", *b.peer.options(), "--restart", "--on-duplicate", "replace", "--now", NOW, *options, dataset)[1]


def ways(b):
    one, halves = b.path("one.ds"), [b.path("half%d.ds" % i) for i in (1, 2)]

    def side_by_side(calls):
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return "".join(pool.map(lambda c: load(b, *c), calls))

    return {
        "one table, one loader": lambda: load(b, one),
        "one table, two loaders (--partitions 1/2, 2/2)": lambda: side_by_side(
            [(one, "--partitions", "%d/2" % i) for i in (1, 2)]),
        "two tables, one loader after the other": lambda: "".join(load(b, h) for h in halves),
        "two tables, two loaders side by side": lambda: side_by_side([(h,) for h in halves]),
    }


def main():
    binaries, cells, rounds = sys.argv[1], *(int(n) for n in (sys.argv[2:] + ["600000", "3"][len(sys.argv) - 2:])[:2])
    folder = tempfile.mkdtemp(prefix="obkv-load-many-")
    server = Engine(folder)
    try:
        b = Slow(server.prepare(), os.path.abspath(binaries), folder, False)
        b.dataset("one", list(rows_of(cells)), **KEY)
        for i in (1, 2):
            b.dataset("half%d" % i, list(rows_of(cells))[i - 1::2], **KEY)
        for name in ("one", "half1", "half2"):
            b.run("obkv-load", *b.peer.options(), "--create", "--now", NOW, b.path(name + ".ds"))
        figures, retries = {}, {}
        for _ in range(rounds):
            for name, way in ways(b).items():
                said = []
                figures.setdefault(name, []).append(took(b, lambda: said.append(way())))
                retries[name] = retries.get(name, 0) + said[0].count("again")
        print("| %d cells, all replaced | s | CPU s of the engine | retries |\n|---|---|---|---|" % cells)
        for name, values in figures.items():
            wall, cpu = (statistics.median(v[i] for v in values) for i in (0, 1))
            print("| %s | %.1f | %.1f | %d |" % (name, wall, cpu, retries[name]))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
