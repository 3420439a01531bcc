"""Full check and compaction, beside what decompressing the same files takes at least, and beside HBase's own major compaction."""
import glob
import os
import shutil
import statistics
import subprocess

from hbase_java import java_command
from measure import NOW_MS, VALUES, Measured, demand, manifest


def cell_files(dataset):
    return sorted(glob.glob(dataset + "/cf/*.hfile"))


class Unpacked:
    """One run of unpack_hfile."""

    def __init__(self, place, files):
        argv = [place.built("bench/unpack_hfile"), str(place.args.threads), *files]
        done = subprocess.run(argv, capture_output=True, text=True)
        demand(done.returncode == 0, done.stderr)
        blocks, size, seconds, cpu = done.stdout.split()
        self.blocks, self.bytes, self.seconds, self.cpu = int(blocks), int(size), float(seconds), float(cpu)


def median(runs, field="seconds"):
    return statistics.median(getattr(r, field) for r in runs)


def line(name, runs, logical, unpack):
    peak = "%6.0f MB" % max(r.rss_mb for r in runs) if hasattr(runs[0], "rss_mb") else "       -"
    print("%-34s %8.2f %8.0f %8.1f %9s %8.2f %8.2f" % (
        name, median(runs), logical / 1e6 / median(runs), median(runs, "cpu"), peak, median(runs) / median(unpack),
        median(runs, "cpu") / median(unpack, "cpu")))


def head(title):
    print("\n%s\n%-34s %8s %8s %8s %9s %8s %8s" % (
        title, "", "seconds", "MB/s", "CPU s", "memory", "x wall", "x CPU"))


class Check:
    """Full check of W1 in 97 partitions, and in one: many files and a huge one."""

    def __init__(self, place):
        self.place, self.args = place, place.args

    def run(self):
        csv = self.place.generate(self.args.rows, 1)
        for name, partition in (("97 files", "key:97"), ("one file", "none")):
            out = self.place.fresh("check")
            subprocess.run(self.place.import_argv(out, [csv], "--partition", partition, "--codec", "snappy", "--set",
                                                  "BLOOMFILTER=row",
                                                  *self.place.common(self.args.memory)), check=True)
            self.compare(name, out)
            shutil.rmtree(out)

    def compare(self, name, out):
        whole, quick, unpack = [], [], []
        tool = [self.place.built("bin/obkv-verify"), "check", *self.place.common(self.args.memory)]
        Unpacked(self.place, cell_files(out))  # the page cache is warm for all
        for _ in range(self.args.runs):
            unpack.append(Unpacked(self.place, cell_files(out)))
            whole.append(Measured([*tool, out], [], stdout=subprocess.DEVNULL))
            quick.append(Measured([*tool, "--quick", out], [], stdout=subprocess.DEVNULL))
        totals = manifest(out)["totals"]
        demand(totals["cells"] == VALUES * self.args.rows, "%d cells" % totals["cells"])
        head("check of %s, %d cells, %.0f MB of KeyValues, Snappy, page cache warm; x: over decompression alone" % (
            name, totals["cells"], totals["kv_bytes"] / 1e6))
        line("decompression alone", unpack, totals["kv_bytes"], unpack)
        line("full check", whole, totals["kv_bytes"], unpack)
        line("check --quick", quick, totals["kv_bytes"], unpack)


class Compaction:
    """One line of CompactSpeed."""

    def __init__(self, text):
        cells, seconds, cpu = text.split()
        self.cells, self.seconds, self.cpu = int(cells), float(seconds), float(cpu)


class Compact:
    """Files of rows / inputs rows each, in one partition: obkv-compact and a real region of HBase on the same files."""

    def __init__(self, place):
        self.place, self.args = place, place.args

    def datasets(self):
        made = []
        for i in range(self.args.inputs):
            out = self.place.fresh("compact-%d" % i)
            csv = self.place.generate(self.args.rows // self.args.inputs, 2 + i)
            subprocess.run(self.place.import_argv(out, [csv], "--partition", "none", "--codec", "snappy", "--set",
                                                  "BLOOMFILTER=row",
                                                  *self.place.common(self.args.memory)), check=True)
            made.append(out)
        return made

    def ours(self, inputs):
        out = self.place.fresh("compacted")
        argv = [self.place.built("bin/obkv-compact"), "--versions", "1", "--now", NOW_MS, "--codec", "snappy", "--set",
                "BLOOMFILTER=row",
                *self.place.common(self.args.memory), "-o", out, *inputs]
        return Measured(argv, [out]), manifest(out)["totals"]["cells"]

    def hbase(self, java, files, rounds):
        work = self.place.fresh("hbase-compact")
        os.makedirs(work)
        done = subprocess.run([*java, "snappy", str(rounds), work, *files], capture_output=True, text=True)
        demand(done.returncode == 0, done.stderr[-2000:])
        shutil.rmtree(work)
        return [Compaction(text) for text in done.stdout.splitlines()]

    def run(self):
        java = java_command(self.place, "CompactSpeed", "compact")
        inputs = self.datasets()
        files = [path for out in inputs for path in cell_files(out)]
        demand(len(files) == len(inputs), "%d files" % len(files))
        ours, cold, warm, unpack, left = [], [], [], [], set()
        Unpacked(self.place, files)
        for _ in range(self.args.runs):
            unpack.append(Unpacked(self.place, files))
            measured, cells = self.ours(inputs)
            ours.append(measured)
            left.add(cells)
            rounds = self.hbase(java, files, 2) if java else []
            left.update(r.cells for r in rounds)
            cold += rounds[:1]
            warm += rounds[1:]
        demand(len(left) == 1, "survivors differ: %s" % sorted(left))
        totals = [manifest(out)["totals"] for out in inputs]
        logical = sum(t["kv_bytes"] for t in totals)
        head("compaction of %d x %d cells, %.0f MB of KeyValues, to %d cells, Snappy, ROW bloom; x: over decompression alone\n"
             "(obkv-compact ends with a sync; HBase's time is without JVM start, opening and sync)"
             % (len(inputs), totals[0]["cells"], logical / 1e6, left.pop()))
        line("decompression alone", unpack, logical, unpack)
        line("obkv-compact", ours, logical, unpack)
        if java:
            line("HBase major compaction, first", cold, logical, unpack)
            line("HBase major compaction, second", warm, logical, unpack)
            print("obkv-compact is %.1f times as fast as HBase's second compaction in a JVM (CPU: %.1f times less)" % (
                median(warm) / median(ours), median(warm, "cpu") / median(ours, "cpu")))
        for out in inputs:
            shutil.rmtree(out)
