"""W1 imported by --columns and by mappings: one that says the same, one that makes other keys, one with four dates a row."""
import json
import statistics

from measure import NOW_MS, VALUES, Measured, Place, demand, manifest

CELLS = {"cf:v%d" % i: "$%d" % (i + 2) for i in range(1, VALUES + 1)}
ZONES = ("UTC", "+08:00", "Asia/Shanghai", "America/New_York")
DATES = {"cf:v%d" % i: "date(format_date($2, 'yyyy-MM-dd HH:mm:ss.SSS', '%s'), 'yyyy-MM-dd HH:mm:ss.SSS', 'UTC')" % zone
         for i, zone in enumerate(ZONES, 1)}
MAPPINGS = {
    "equal": ("$1", "$2", CELLS),
    "salted": ("salt(md5($1), 100) + '_' + $1 + '_' + Long.MAX - $2", "$2", CELLS),
    "dated": ("$1", "$2", DATES),  # each is printed in a zone and read again
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
        row, timestamp, cells = MAPPINGS[kind]
        with open(path, "w") as f:
            json.dump({"row": row, "timestamp": timestamp, "cells": cells}, f)
        return ["--map", path]

    def measure(self, kind):
        out = self.fresh("mapped")
        argv = self.import_argv(out, [self.csv], "--partition", "key:97", "--codec", "snappy", "--set", "BLOOMFILTER=row",
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
            digests = {kind: self.measure(kind) for kind in ("columns", *MAPPINGS)}
            demand(digests["equal"] == digests["columns"], "the equal mapping made other cells")
            demand(digests["salted"] != digests["columns"], "the salted keys are the plain ones")
            demand(digests["dated"] != digests["columns"], "the dates are the plain values")
        print("\nW1 with %d rows, --now %s; %d runs, medians of the ratios of neighbouring runs" % (
            self.args.rows, NOW_MS, self.args.runs))
        for kind in MAPPINGS:
            pairs = list(zip(self.runs["columns"], self.runs[kind]))
            print("mapping, %s: %.2f times the time and %.2f times the CPU of --columns" % (
                kind, statistics.median(b.seconds / a.seconds for a, b in pairs),
                statistics.median(b.cpu / a.cpu for a, b in pairs)))
