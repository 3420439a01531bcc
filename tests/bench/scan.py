"""Reading whole HFiles in one thread, beside HBase's own reader on the same file (scan_hfile.c, ScanSpeed.java)."""
import glob
import os
import statistics
import subprocess

from hbase_java import java_command
from measure import demand, manifest

KINDS = [("none", "none"), ("gz", "none"), ("snappy", "none"), ("lz4", "none"), ("zstd", "none"), ("none", "fast_diff"),
         ("snappy", "fast_diff")]
WARM_ROUND = 4


class Round:
    def __init__(self, line):
        cells, size, seconds, cpu, self.digest = line.split()
        self.cells, self.bytes, self.seconds, self.cpu = int(cells), int(size), float(seconds), float(cpu)


class Scan:
    def __init__(self, place):
        self.place = place
        self.args = place.args
        self.java = None
        self.table = []

    def find_java(self):
        """Without HBase our figures stand alone."""
        self.java = java_command(self.place, "ScanSpeed", "scan")

    def rounds(self, argv, *options):
        done = subprocess.run([*argv, *options], capture_output=True, text=True)
        demand(done.returncode == 0, "%s: %s" % (" ".join(argv[:1]), done.stderr[-2000:]))
        return [Round(line) for line in done.stdout.splitlines()]

    def file_of(self, csv, codec, encoding):
        out = self.place.fresh("scan-%s-%s" % (codec, encoding))
        subprocess.run(self.place.import_argv(out, [csv], "--partition", "none", "--codec", codec, "--encoding", encoding,
                                              *self.place.common(self.args.memory)), check=True)
        files = glob.glob(out + "/cf/*.hfile")
        demand(len(files) == 1, "%d files instead of one in %s" % (len(files), out))
        return files[0], manifest(out)["totals"]["cells"]

    def compare(self, path, cells):
        """Medians of interleaved runs: ours, HBase in a fresh JVM, HBase after it has warmed up."""
        ours, cold, warm = [], [], []
        tool = [self.place.built("bench/scan_hfile")]
        first = self.rounds(tool, "--digest", "1", path)[0]
        demand(first.cells == cells, "%d cells read of %d" % (first.cells, cells))
        same = "-"
        if self.java:
            theirs = self.rounds(self.java, "--digest", "1", path)[0]
            demand((theirs.cells, theirs.bytes, theirs.digest) == (first.cells, first.bytes, first.digest),
                   "HBase reads other cells out of %s" % path)
            same = "equal"
        for _ in range(self.args.runs):
            ours.append(self.rounds(tool, "1", path)[0])
            if self.java:
                rounds = self.rounds(self.java, str(WARM_ROUND), path)
                cold.append(rounds[0])
                warm.append(rounds[-1])
        return first.bytes, ours, cold, warm, same

    def run(self):
        self.find_java()
        csv = self.place.generate(self.args.scan_rows, 1)
        for codec, encoding in KINDS:
            path, cells = self.file_of(csv, codec, encoding)
            self.table.append((codec, encoding, os.path.getsize(path), *self.compare(path, cells)))
            print("scan of %s, %s: done" % (codec, encoding), flush=True)
            self.place.fresh("scan-%s-%s" % (codec, encoding))
        self.report()

    def report(self):
        print("\nHFiles of %d rows (%.0f MB of KeyValues), page cache warm: MB of KeyValues per second of CPU, medians of %d"
              " runs.\nHBase cold: first scan of a JVM, without its start; warm: its scan number %d. x: HBase's CPU or"
              " wall time over ours" % (
                  self.args.scan_rows, self.table[0][3] / 1e6, self.args.runs, WARM_ROUND))
        print("%-8s %-10s %8s %8s %8s %8s %8s %8s %8s  %s" % (
            "codec", "encoding", "file MB", "ours", "cold", "warm", "x cold", "x warm", "x wall", "digests"))
        for codec, encoding, file_bytes, size, ours, cold, warm, same in self.table:
            line = "%-8s %-10s %8.0f %8.0f" % (codec, encoding, file_bytes / 1e6, speed(size, ours))
            if self.java:
                line += " %8.0f %8.0f %8.2f %8.2f %8.2f" % (speed(size, cold), speed(size, warm), ratio(cold, ours, "cpu"),
                                                            ratio(warm, ours, "cpu"), ratio(cold, ours, "seconds"))
            print("%s  %s" % (line, same))


def speed(size, rounds):
    return size / 1e6 / statistics.median(r.cpu for r in rounds)


def ratio(theirs, ours, field):
    """Median of the ratios of neighbouring runs."""
    return statistics.median(getattr(a, field) / getattr(b, field) for a, b in zip(theirs, ours))
