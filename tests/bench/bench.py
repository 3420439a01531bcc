#!/usr/bin/env python3
"""The work of tests/bench/run.sh (see there). Every timed region starts with a synced file system and ends with a sync."""
import argparse
import os
import shlex
import shutil
import statistics
import subprocess

from against_unpack import Check, Compact
from mapping import Mapping
from measure import NOW_MS, VALUES, Measured, Place, cpu_name, demand, manifest
from peers import Peers
from plan import Plan
from scan import Scan
from snapshot import Snapshot
from wal import Wal


class Bench(Place):
    """W1 itself: import beside GNU sort, verification, compaction."""

    def __init__(self, args):
        super().__init__(args)
        self.csv = self.generate(args.rows, 1)
        self.runs = {}

    def keep(self, name, measured):
        self.runs.setdefault(name, []).append(measured)
        print("%-12s %7.2f s  CPU %7.2f s  peak %6.0f MB memory, %6.0f MB disk" % (
            name, measured.seconds, measured.cpu, measured.rss_mb, measured.disk_mb), flush=True)

    def sort(self):
        top = self.fresh("sort")
        os.mkdir(top)
        out = os.path.join(top, "sorted.csv")
        argv = ["sort", "-S", self.args.memory, "--parallel=%d" % self.args.threads, "-T", top, "-o", out, self.csv]
        self.keep("sort", Measured(argv, [top], env=dict(os.environ, LC_ALL="C")))
        demand(os.path.getsize(out) == os.path.getsize(self.csv), "sort lost bytes")
        shutil.rmtree(top)

    def w1_argv(self, csv, out, memory):
        return self.import_argv(out, [csv], "--partition", "key:97", "--codec", "snappy", "--bloom", "row", *self.common(memory),
                                *shlex.split(self.args.import_args))

    def imported(self, name, memory):
        out = self.fresh(name)
        self.keep(name, Measured(self.w1_argv(self.csv, out, memory), [out]))
        m = manifest(out)
        demand(m["ledger"]["records"]["read"] == self.args.rows, "%s read %d rows" % (name, m["ledger"]["records"]["read"]))
        demand(m["totals"]["cells"] == VALUES * self.args.rows, "%s wrote %d cells" % (name, m["totals"]["cells"]))
        return m["totals"]["digest"]

    def verified(self, name, dataset):
        argv = [self.built("bin/obkv-verify"), "check", *self.common(self.args.memory), dataset]
        self.keep(name, Measured(argv, [], stdout=subprocess.DEVNULL))

    def compact(self):
        inputs, csvs = [], []
        for i in range(self.args.inputs):
            csvs.append(self.generate(self.args.rows // self.args.inputs, 2 + i))
            inputs.append(self.fresh("delivery-%d" % i))
            subprocess.run(self.w1_argv(csvs[-1], inputs[-1], self.args.memory), check=True)
        keys = subprocess.run("cat %s | cut -d, -f1 | LC_ALL=C sort -u -S 1G | wc -l" % " ".join(map(shlex.quote, csvs)),
                              shell=True, check=True, capture_output=True).stdout
        for _ in range(self.args.runs):
            out = self.fresh("compacted")
            argv = [self.built("bin/obkv-compact"), "--versions", "1", "--now", NOW_MS, "--codec", "snappy", "--bloom", "row",
                    *self.common(self.args.memory), "-o", out, *inputs]
            self.keep("compact", Measured(argv, [out]))
            m = manifest(out)
            read = sum(manifest(i)["totals"]["cells"] for i in inputs)
            demand(m["ledger"]["cells"]["in"]["cells"] == read, "compact read %d of %d cells" % (
                m["ledger"]["cells"]["in"]["cells"], read))
            left = m["totals"]["cells"]
            demand(left == VALUES * int(keys), "compact left %d cells of %d keys" % (left, int(keys)))
        subprocess.run([self.built("bin/obkv-verify"), "check", "--quiet", out], check=True, stdout=subprocess.DEVNULL)
        return sum(manifest(i)["totals"]["kv_bytes"] for i in inputs), read

    def run(self):
        digests = set()
        for _ in range(self.args.runs):
            self.sort()
            digests.add(self.imported("import", self.args.memory))
            if self.args.small:
                digests.add(self.imported("import-small", self.args.small))
        demand(len(digests) == 1, "imports of one file have different digests: %s" % sorted(digests))
        for _ in range(self.args.runs):
            self.verified("verify", self.path("import"))
        logical = manifest(self.path("import"))["totals"]["kv_bytes"]
        compact_logical, compact_cells = self.compact()
        cells = VALUES * self.args.rows
        size = os.path.getsize(self.csv)
        self.report({"sort": (size, 0), "import": (size, cells), "import-small": (size, cells), "verify": (logical, cells),
                     "compact": (compact_logical, compact_cells)})

    def median(self, name, field="seconds"):
        return statistics.median(getattr(m, field) for m in self.runs[name])

    def ratio(self, name, other):
        """Median of the ratios of neighbouring runs."""
        return statistics.median(b.seconds / a.seconds for a, b in zip(self.runs[name], self.runs[other]))

    def report(self, work):
        print("\n%s, %d processors, W1 with %d rows, %.0f MB; %d runs, medians; sync is in the time" % (
            cpu_name(), os.cpu_count(), self.args.rows, os.path.getsize(self.csv) / 1e6, self.args.runs))
        print("%-12s %8s %8s %10s %8s %9s %9s  %s" % ("", "seconds", "MB/s", "cells/s", "CPU s", "memory", "disk", "MB of"))
        for name, (size, cells) in work.items():
            if name in self.runs:
                s = self.median(name)
                print("%-12s %8.2f %8.0f %10s %8.1f %6.0f MB %6.0f MB  %s" % (
                    name, s, size / 1e6 / s, "%.2f M" % (cells / 1e6 / s) if cells else "-", self.median(name, "cpu"),
                    max(m.rss_mb for m in self.runs[name]), max(m.disk_mb for m in self.runs[name]),
                    "CSV" if name in ("sort", "import", "import-small") else "KeyValues"))
        print("import is %.2f times as fast as GNU sort (%s, %d threads)" % (
            self.ratio("import", "sort"), self.args.memory, self.args.threads))
        if self.args.small:
            print("import with %s takes %.2f times as long as with %s" % (
                self.args.small, self.ratio("import", "import-small"), self.args.memory))


def main():
    parts = {"w1": lambda place: Bench(place.args), "scan": Scan, "snapshot": Snapshot, "check": Check, "compact": Compact,
             "map": Mapping, "plan": Plan, "wal": Wal, "peers": Peers}
    ap = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "dir", "memory", "small", "import-args", "python", "record"):
        ap.add_argument("--" + name, required=True)
    for name in ("rows", "runs", "threads", "inputs", "scan-rows", "regions"):
        ap.add_argument("--" + name, type=int, required=True)
    ap.add_argument("parts", nargs="+", choices=parts)
    args = ap.parse_args()
    place = Place(args)
    for part in args.parts:
        parts[part](place).run()


if __name__ == "__main__":
    main()
