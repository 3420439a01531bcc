"""Imports of W1 compressed in several ways beside that of the plain text. Streams in one piece are unpacked by one thread, those
in several pieces (bgzip, pzstd, all of bzip2) by all."""
import os
import shutil
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import bgzip  # noqa: E402
from measure import VALUES, Measured, Place, demand, manifest  # noqa: E402

PACKERS = {"gz": ["gzip", "-c"], "zst": ["zstd", "-q", "-c"], "xz": ["xz", "-1", "-c"], "bz2": ["bzip2", "-c"],
           "pzst": ["pzstd", "-q", "-c"]}


class Packed(Place):
    def __init__(self, place):
        super().__init__(place.args)
        self.inputs = {"plain": self.generate(self.args.rows, 1)}
        for kind in (*PACKERS, "bgz"):
            if kind == "bgz" or shutil.which(PACKERS[kind][0]):
                self.inputs[kind] = self.pack(kind)
            else:
                print("%s is left out: there is no %s" % (kind, PACKERS[kind][0]), flush=True)
        self.runs = {}

    def pack(self, kind):
        path = self.path("w1-packed.csv." + kind)
        with open(self.inputs["plain"], "rb") as source, open(path, "wb") as out:
            if kind == "bgz":
                bgzip.pack(source, out)
            else:
                subprocess.run(PACKERS[kind], stdin=source, stdout=out, check=True)
        return path

    def measure(self, kind, threads):
        out = self.fresh("packed")
        options = ("--partition", "key:97", *self.common(self.args.memory, threads))
        run = Measured(self.import_argv(out, [self.inputs[kind]], *options), [out])
        self.runs.setdefault((kind, threads), []).append(run)
        print("%-6s %2d threads %7.2f s  CPU %7.2f s  peak %6.0f MB memory" % (
            kind, threads, run.seconds, run.cpu, run.rss_mb), flush=True)
        totals = manifest(out)["totals"]
        demand(totals["cells"] == VALUES * self.args.rows, "%s wrote %d cells" % (kind, totals["cells"]))
        return totals["digest"]

    def run(self):
        each = [(kind, threads) for kind in self.inputs for threads in sorted({1, self.args.threads})]
        for _ in range(self.args.runs):
            demand(len({self.measure(*one) for one in each}) == 1, "compressed inputs made other cells")
        print("\nW1 with %d rows; %d runs, medians of the ratios of neighbouring runs" % (self.args.rows, self.args.runs))
        for kind, threads in each:
            pairs = list(zip(self.runs["plain", threads], self.runs[kind, threads]))
            print("%-6s %2d threads: %.2f times the time and %.2f times the CPU of the plain text" % (
                kind, threads, statistics.median(b.seconds / a.seconds for a, b in pairs),
                statistics.median(b.cpu / a.cpu for a, b in pairs)))
