#!/usr/bin/env python3
"""Two builds of the programs side by side: is a change faster, on a machine that others use as well?

    tests/bench/paired.py COMMIT              this work tree beside an older commit, which is built in a work tree of its own
    tests/bench/paired.py DIR [--build DIR]   two directories with programs

Each task is run by one and by the other in turn, A B A B …, and medians are printed. CPU time counts, not wall time; where the
machine lets `perf stat` count instructions and cycles of the programs, these are printed, too. Both must write the same bytes:
cell files are compared, or the run ends; with --other-bytes, the digests of all cells are.

    import      W1 into 97 partitions      import-one   into one       import-small   with 128 MB, so that it spills
    compact     four datasets into one partition                       check          of the imported, all of it
    diff        of the imported with itself                            export         of the imported, as CSV"""
import argparse
import hashlib
import os
import resource
import statistics
import subprocess
import sys
import tempfile

from measure import NOW_MS, Place, manifest

COUNTERS = ("instructions:u", "cycles:u")
FIELDS = ("user", "sys", "faults", "wall") + COUNTERS


def counters_work():
    done = subprocess.run(["perf", "stat", "-x,", "-e", ",".join(COUNTERS), "true"], capture_output=True, text=True)
    return done.returncode == 0 and "not supported" not in done.stderr


class Pair(Place):
    def __init__(self, args, sides):
        super().__init__(args)
        self.sides = sides
        self.counts = counters_work() if not args.no_counters else False
        self.rows = {}

    def tool(self, side, name):
        return os.path.join(self.sides[side], "obkv-" + name)

    def measure(self, argv):
        """What one run of argv costs."""
        with tempfile.NamedTemporaryFile("r") as counted:
            head = ["perf", "stat", "-x,", "-o", counted.name, "-e", ",".join(COUNTERS)] if self.counts else []
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), os.times().elapsed
            done = subprocess.run([*head, *argv], stdout=subprocess.DEVNULL)
            wall, after = os.times().elapsed - start, resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode:
                sys.exit("paired: exit %d: %s" % (done.returncode, " ".join(argv)))
            values = {"user": after.ru_utime - before.ru_utime, "sys": after.ru_stime - before.ru_stime, "wall": wall,
                      "faults": after.ru_minflt - before.ru_minflt}
            if self.counts:
                for line in counted:
                    part = line.split(",")
                    if len(part) > 2 and part[2] in COUNTERS:
                        values[part[2]] = float(part[0])
            return values

    def run(self, name, argv_of, out_of=None):
        """argv_of(side) is run in turn; out_of(side) names the dataset that it writes."""
        sums = set()
        for _ in range(self.args.runs):
            for side in ("A", "B"):
                values = self.measure(argv_of(side))
                self.rows.setdefault((name, side), []).append(values)
                if out_of:
                    sums.add(manifest(out_of(side))["totals"]["digest"] if self.args.other_bytes else cell_sums(out_of(side)))
        if len(sums) > 1:
            sys.exit("paired: %s: %s differ" % (name, "cells" if self.args.other_bytes else "cell files"))
        self.tell(name)

    def tell(self, name):
        for field in FIELDS:
            sides = [[r[field] for r in self.rows[name, s] if field in r] for s in ("A", "B")]
            if not sides[0]:
                continue
            a, b = map(statistics.median, sides)
            ratio = statistics.median(y / x if x else 1 for x, y in zip(*sides))
            unit = "%.3f" if field in ("user", "sys", "wall") else "%.0f"
            print("%-13s %-15s A %14s   B %14s   B/A %.3f" % (name, field, unit % a, unit % b, ratio), flush=True)

    def imports(self, tag, partition, memory, csv):
        def out(side):
            return self.path("paired-%s-%s" % (tag, side))

        def argv(side):
            self.fresh("paired-%s-%s" % (tag, side))
            made = self.import_argv(out(side), [csv], "--partition", partition, "--codec", "snappy", "--set", "BLOOMFILTER=row",
                                    *self.common(memory))
            return [self.tool(side, "import"), *made[1:]]
        return argv, out

    def all(self, tasks):
        csv = self.generate(self.args.rows, 1, self.args.workload)
        whole, whole_out = self.imports("import", "key:97", self.args.memory, csv)
        if "import" in tasks:
            self.run("import", whole, whole_out)
        if "import-one" in tasks:
            self.run("import-one", *self.imports("one", "none", self.args.memory, csv))
        if "import-small" in tasks:
            self.run("import-small", *self.imports("small", "key:97", "128M", csv))
        if "compact" in tasks:
            self.compact()
        reading = [name for name in ("check", "diff", "export") if name in tasks]
        if reading and "import" not in tasks:
            subprocess.run(whole("A"), check=True)
        for name in reading:
            self.run(name, lambda side, name=name: self.reader(side, name, whole_out("A")))

    def reader(self, side, name, dataset):
        common = self.common(self.args.memory)
        if name == "export":
            out = self.fresh("paired-export-" + side)
            return [self.tool(side, "export"), "--format", "csv", *common, "-o", out, dataset]
        return [self.tool(side, "verify"), name, *common, *[dataset] * (2 if name == "diff" else 1)]

    def compact(self):
        inputs = []
        for i in range(4):
            csv = self.generate(self.args.rows // 4, 2 + i, self.args.workload)
            argv, out = self.imports("delivery-%d" % i, "none", self.args.memory, csv)
            subprocess.run(argv("A"), check=True)
            inputs.append(out("A"))

        def argv(side):
            out = self.fresh("paired-compacted-" + side)
            return [self.tool(side, "compact"), "--versions", "1", "--now", NOW_MS, "--codec", "snappy", "--set",
                    "BLOOMFILTER=row",
                    *self.common(self.args.memory), "-o", out, *inputs]
        self.run("compact", argv, lambda side: self.path("paired-compacted-" + side))


def cell_sums(dataset):
    """One sum over the names and bytes of all cell files."""
    total = hashlib.sha256()
    for top, folders, names in os.walk(dataset):
        folders.sort()
        for name in sorted(n for n in names if n.endswith(".hfile")):
            total.update(name.encode())
            with open(os.path.join(top, name), "rb") as f:
                for piece in iter(lambda: f.read(1 << 20), b""):
                    total.update(piece)
    return total.hexdigest()


def built_at(commit, folder):
    """The programs as they were at a commit."""
    tree = os.path.join(folder, "at-" + commit)
    if not os.path.exists(tree):
        subprocess.run(["git", "worktree", "add", "--detach", tree, commit], check=True)
    subprocess.run(["make", "-s", "-C", tree, "-j%d" % os.cpu_count(), "CONFIG=release", "CC=" + os.environ.get("CC", "gcc"),
                    "all"], check=True)
    return os.path.join(tree, "build/release/bin")


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("against", help="A: a directory with programs, or a commit")
    ap.add_argument("tasks", nargs="*", default=["import", "import-one", "import-small", "compact", "check", "diff", "export"])
    ap.add_argument("--build", default="build/release", help="B: a build directory; also has the generator of W1")
    ap.add_argument("--dir", default="build/release/bench-data")
    ap.add_argument("--rows", type=int, default=1000000)
    ap.add_argument("--runs", type=int, default=5)
    ap.add_argument("--threads", type=int, default=1)
    ap.add_argument("--memory", default="4G")
    ap.add_argument("--workload", choices=("w1", "w2"), default="w1", help="random values, or rows as of a web site")
    ap.add_argument("--other-bytes", action="store_true", help="A and B may write other bytes: only their cells must be the same")
    ap.add_argument("--no-counters", action="store_true", help="no perf stat")
    args = ap.parse_intermixed_args()
    os.makedirs(args.dir, exist_ok=True)
    a = args.against if os.path.isdir(args.against) else built_at(args.against, os.path.abspath(args.dir))
    Pair(args, {"A": os.path.abspath(a), "B": os.path.abspath(os.path.join(args.build, "bin"))}).all(args.tasks)


if __name__ == "__main__":
    main()
