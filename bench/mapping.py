"""W1 imported by --columns, by a mapping that says the same, and by one that makes other keys of it."""
import json
import statistics

from measure import NOW_MS, VALUES, Measured, Place, demand, manifest

CELLS = {"cf:v%d" % i: "$%d" % (i + 2) for i in range(1, VALUES + 1)}
KEYS = {
    "equal": ("$1", "$2"),
    "salted": ("salt(md5($1), 100) + '_' + $1 + '_' + Long.MAX - $2", "$2"),
}


class Mapping(Place):
    def __init__(self, place):
        super().__init__(place.args)
        self.csv = self.generate(self.args.rows, 1)
        self.runs = {}

    def options(self, kind):
        """Later options win, but --columns and --map exclude each other."""
        if kind == "columns":
            return []
        path = self.path("map-%s.json" % kind)
        row, timestamp = KEYS[kind]
        with open(path, "w") as f:
            json.dump({"row": row, "timestamp": timestamp, "cells": CELLS}, f)
        return ["--map", path]

    def measure(self, kind):
        out = self.fresh("mapped")
        argv = self.import_argv(out, [self.csv], "--partition", "key:97", "--codec", "snappy", "--bloom", "row",
                                *self.common(self.args.memory), *self.options(kind))
        if kind != "columns":
            at = argv.index("--columns")
            del argv[at:at + 2]
        measured = Measured(argv, [out])
        self.runs.setdefault(kind, []).append(measured)
        print("%-12s %7.2f s  CPU %7.2f s  peak %6.0f MB memory" % (
            kind, measured.seconds, measured.cpu, measured.rss_mb), flush=True)
        m = manifest(out)
        demand(m["totals"]["cells"] == VALUES * self.args.rows, "%s wrote %d cells" % (kind, m["totals"]["cells"]))
        return m["totals"]["digest"]

    def run(self):
        for _ in range(self.args.runs):
            digests = {kind: self.measure(kind) for kind in ("columns", *KEYS)}
            demand(digests["equal"] == digests["columns"], "the equal mapping made other cells")
            demand(digests["salted"] != digests["columns"], "the salted keys are the plain ones")
        print("\nW1 with %d rows, --now %s; %d runs, medians of the ratios of neighbouring runs" % (
            self.args.rows, NOW_MS, self.args.runs))
        for kind in KEYS:
            pairs = list(zip(self.runs["columns"], self.runs[kind]))
            print("mapping, %s: %.2f times the time and %.2f times the CPU of --columns" % (
                kind, statistics.median(b.seconds / a.seconds for a, b in pairs),
                statistics.median(b.cpu / a.cpu for a, b in pairs)))
