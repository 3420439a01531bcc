"""A snapshot of W1 imported into KEY partitions, beside the CSV that holds the same cells."""
import shutil
import statistics
import subprocess

from make_snapshot import make_snapshot
from measure import VALUES, Measured, demand, manifest

KEY_SPACE = 20000000  # gen_w1's


class Snapshot:
    def __init__(self, place):
        self.place = place
        self.args = place.args
        self.runs = {"csv": [], "snapshot": []}

    def missing(self):
        usage = subprocess.run([self.place.built("bin/obkv-import"), "--help"], check=True, capture_output=True, text=True).stdout
        return None if "--snapshot" in usage else "obkv-import has no --snapshot"

    def build(self, csv):
        """Regions of equal width, two bulk loads each."""
        top = self.place.fresh("snapshot")
        self.place.fresh("snapshot-loads")
        parts = self.place.path("snapshot-loads")
        bounds = self.place.path("snapshot-bounds.txt")
        with open(bounds, "w") as f:
            f.writelines("user%012d\n" % (KEY_SPACE * i // self.args.regions) for i in range(1, self.args.regions))
        subprocess.run(["mkdir", "-p", parts], check=True)
        subprocess.run(["split", "-n", "l/2", csv, parts + "/csv."], check=True)
        loads = []
        for half in ("aa", "ab"):
            loads.append("%s/%s" % (parts, half))
            options = ["--partition", "range:" + bounds, "--codec", "snappy", *self.place.common(self.args.memory)]
            argv = self.place.import_argv(loads[-1], [parts + "/csv." + half], *options)
            subprocess.run(argv, check=True)
        make_snapshot(top, "snap_w1", "w1", loads)
        shutil.rmtree(parts)
        return top

    def once(self, name, argv, out):
        m = Measured(argv, [out])
        self.runs[name].append(m)
        print("%-12s %7.2f s  CPU %7.2f s  peak %6.0f MB memory, %6.0f MB disk" % (
            "import " + name, m.seconds, m.cpu, m.rss_mb, m.disk_mb), flush=True)
        totals = manifest(out)["totals"]
        demand(totals["cells"] == VALUES * self.args.rows, "import of %s wrote %d cells" % (name, totals["cells"]))
        return totals["digest"]

    def run(self):
        why = self.missing()
        if why:
            print("snapshot: skipped: %s" % why)
            return
        csv = self.place.generate(self.args.rows, 1)
        root = self.build(csv)
        target = ["--partition", "key:97", "--codec", "snappy", *self.place.common(self.args.memory)]
        digests = set()
        for _ in range(self.args.runs):
            out = self.place.fresh("import")
            digests.add(self.once("csv", self.place.import_argv(out, [csv], *target), out))
            out = self.place.fresh("import-snapshot")
            argv = [self.place.built("bin/obkv-import"), "--snapshot", "snap_w1", root, *target, "-o", out]
            digests.add(self.once("snapshot", argv, out))
        demand(len(digests) == 1, "the snapshot and the CSV have different digests: %s" % sorted(digests))
        self.report()

    def report(self):
        print("\nimport of %d cells into KEY 97, %d regions with two store files each; medians of %d runs" % (
            VALUES * self.args.rows, self.args.regions, self.args.runs))
        print("%-12s %8s %10s %8s %9s  %s" % ("", "seconds", "cells/s", "CPU s", "memory", "digest"))
        for name, runs in self.runs.items():
            seconds = statistics.median(m.seconds for m in runs)
            print("%-12s %8.2f %8.2f M %8.1f %6.0f MB  %s" % (
                name, seconds, VALUES * self.args.rows / 1e6 / seconds, statistics.median(m.cpu for m in runs),
                max(m.rss_mb for m in runs), "equal"))
        ratio = statistics.median(a.seconds / b.seconds for a, b in zip(self.runs["csv"], self.runs["snapshot"]))
        print("the snapshot is imported %.2f times as fast as the CSV" % ratio)
