"""What these programs do with W1 in other ways: with little memory, with one thread, into one partition, from a snapshot, and as
a night onto a base. Each runs once a round of peers.py, so that its ratios are of one run with those of the peers."""
import shutil
import subprocess

from against_unpack import Unpacked, cell_files
from measure import NOW_MS, VALUES, Measured, Part, demand, manifest
from snapshot import KEY_SPACE, Snapshot

NIGHTS = ("spread", "clustered")
NIGHT_FILES = "64M"  # of the base: see docs/nightly.md
SEED = 90  # of what a night delivers
BY_RATIO = 10  # nights until --policy ratio merges, however small the base is


class Variants:
    def __init__(self, work, inputs):
        self.work, self.place, self.args, self.inputs = work, work.place, work.args, inputs
        self.snapshot = Snapshot(self.place).build(work.csv)
        self.base = self.place.fresh("peers-base")
        subprocess.run([*self.night_argv(), "-o", self.base, *inputs], check=True)
        self.nights = {name: self.delivery(name) for name in NIGHTS}
        self.later = [self.nights["spread"], *(self.delivery("spread", i) for i in range(1, BY_RATIO))]
        self.whole = self.whole_digest()

    # ---- inputs ----

    def clustered(self, csv):
        """The same rows with keys in 1 % of the key range."""
        out = self.place.path("w1-clustered.csv")
        with open(csv) as lines, open(out, "w") as moved:
            for line in lines:
                key, rest = line.split(",", 1)
                moved.write("user%012d,%s" % (KEY_SPACE // 2 + int(key[4:]) % (KEY_SPACE // 100), rest))
        return out

    def delivery(self, name, i=0):
        csv = self.place.generate(max(1, self.work.rows // 100), SEED + i)
        out = self.place.fresh("peers-night-%s-%d" % (name, i))
        subprocess.run(self.work.import_argv(out, csv if name == "spread" else self.clustered(csv), "none"), check=True)
        return out

    def whole_digest(self):
        out = self.place.fresh("peers-variant")
        subprocess.run([*self.night_argv(), "-o", out, self.base, *self.later], check=True)
        digest = manifest(out)["totals"]["digest"]
        shutil.rmtree(out)
        return digest

    # ---- commands ----

    def night_argv(self):
        return [*self.work.compact_argv(self.args.threads), "--target-file-size", NIGHT_FILES]

    # ---- runs ----

    def imported(self, name, argv, out):
        self.work.keep(name, Measured(argv, [out]))
        totals = manifest(out)["totals"]
        demand(totals["cells"] == VALUES * self.work.rows, "%s: %d cells" % (name, totals["cells"]))
        self.work.digests.add(totals["digest"])
        shutil.rmtree(out)

    def imports(self):
        out = self.place.fresh("peers-variant")
        csv, key = self.work.csv, "key:97"
        self.imported("import, one partition", self.work.import_argv(out, csv, "none"), out)
        self.imported("import, one thread", self.work.import_argv(out, csv, key, threads=1), out)
        self.imported("import of a snapshot", self.work.tool(
            "import", "--snapshot", "snap_w1", self.snapshot, "--partition", key, "--codec", "snappy", "--set", "BLOOMFILTER=row",
            *self.place.common(self.args.memory), "-o", out), out)
        if self.args.small:
            self.imported("import, little memory", self.work.import_argv(out, csv, key, memory=self.args.small), out)
            self.work.sort("GNU sort, little memory", self.args.small)

    def with_one_thread(self):
        out = self.place.fresh("peers-variant")
        check = self.work.tool("verify", "check", *self.place.common(self.args.memory, 1), self.work.dataset)
        self.work.keep("check, one thread", Measured(check, [], stdout=subprocess.DEVNULL))
        self.work.keep("compact, one thread", Measured([*self.work.compact_argv(1), "-o", out, *self.inputs], [out]))
        shutil.rmtree(out)

    def night(self, name, delta):
        """A night beside a full compaction of base and delivery: they must keep the same cells."""
        out, digests = self.place.fresh("peers-variant"), []
        argv = self.night_argv()
        for title, inputs in (("night, " + name, ("--base", self.base, delta)), ("full, " + name, (self.base, delta))):
            self.work.keep(title, Measured([*argv, "-o", out, *inputs], [out]))
            digests.append(manifest(out)["totals"]["digest"])
            shutil.rmtree(out)
        demand(digests[0] == digests[1], "a night and a full compaction keep different cells: %s" % digests)

    def nights_by_ratio(self):
        """Nights that leave what they are given, and the one that merges all: the mean one, in seconds and CPU."""
        argv = [*self.night_argv(), "--policy", "ratio:1.2,3,%d,0" % BY_RATIO]
        bases, runs = [self.base], []
        for i in range(1, BY_RATIO + 1):
            out = self.place.fresh("peers-by-ratio-%d" % i)
            runs.append(Measured([*argv, "--base", bases[-1], "-o", out, *self.later[:i]], [out]))
            demand(("pending" in manifest(out)) == (i < BY_RATIO), "night %d by ratio merged, or did not" % i)
            bases.append(out)
        demand(manifest(bases[-1])["totals"]["digest"] == self.whole, "nights by ratio keep other cells")
        for out in bases[1:]:
            shutil.rmtree(out)
        self.work.keep("night, by ratio", Part(*(sum(getattr(run, f) for run in runs) / BY_RATIO for f in ("cpu", "seconds"))))

    def round(self):
        self.imports()
        self.with_one_thread()
        for name, delta in self.nights.items():
            self.night(name, delta)
        self.nights_by_ratio()
        unpacked = Unpacked(self.place, [path for one in self.inputs for path in cell_files(one)])
        self.work.keep("decompression, compact", Part(unpacked.cpu, unpacked.seconds))

    def remove(self):
        """All but what is called peers-*."""
        shutil.rmtree(self.snapshot)
