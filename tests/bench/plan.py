"""Plans for W1: by blocks, by rows and of everything, beside the import of the same file, which reads as much and writes too."""
import json
import os
import statistics

from measure import NOW_MS, Measured, Place, demand

WAYS = {
    "blocks": ("--sample-by", "blocks", "--sample", "64M"),
    "rows": ("--sample-by", "rows", "--sample", "64M"),
    "all": ("--sample", "0"),
}


class Plan(Place):
    def __init__(self, place):
        super().__init__(place.args)
        self.csv = self.generate(self.args.rows, 1)
        self.runs = {}

    def measure(self, name, argv, out):
        measured = Measured(argv, [out])
        self.runs.setdefault(name, []).append(measured)
        print("%-12s %7.2f s  CPU %7.2f s  peak %6.0f MB memory" % (
            name, measured.seconds, measured.cpu, measured.rss_mb), flush=True)

    def plan(self, name):
        out = self.fresh("plan-%s" % name)
        columns = self.import_argv(out, [self.csv])
        at = columns.index("--columns")
        argv = [self.built("bin/obkv-split"), "plan", *columns[at:at + 2], "--now", NOW_MS, "--counts", "97", "--quiet",
                "--memory", self.args.memory, "--threads", str(self.args.threads), *WAYS[name], "-o", out, self.csv]
        self.measure(name, argv, out)
        with open(os.path.join(out, "plan.json")) as f:
            choices = json.load(f)["designs"][0]["choices"]
        key = next(c for c in choices if c["kind"] == "key" and c["prefix"] == 0)
        return key["partitions"], key.get("errors", [[0, 0]] * key["count"])

    def run(self):
        for _ in range(self.args.runs):
            out = self.fresh("planned")
            self.measure("import", self.import_argv(out, [self.csv], "--partition", "key:97", "--codec", "snappy",
                                                    *self.common(self.args.memory)), out)
            truth, _ = self.plan("all")
            for name in ("blocks", "rows"):
                told, errors = self.plan(name)
                demand(all(abs(t[0] - p[0]) <= e[0] and abs(t[2] - p[2]) <= e[1] for t, p, e in zip(truth, told, errors)),
                       "a partition by %s is not within its error" % name)
        print("\nplans for W1 with %d rows, %.0f MB, KEY 97; %d runs, medians; every partition within its error" % (
            self.args.rows, os.path.getsize(self.csv) / 1e6, self.args.runs))
        for name in ("blocks", "rows", "all"):
            pairs = zip(self.runs["import"], self.runs[name])
            print("plan, %s: %.2f s, %.2f times the time of the import" % (
                name, statistics.median(m.seconds for m in self.runs[name]),
                statistics.median(b.seconds / a.seconds for a, b in pairs)))
