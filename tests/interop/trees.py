"""Directory trees that a running HBase leaves behind, read by obkv-import and held against what HBase's classes see there."""
import itertools
import shutil
import tarfile

import celldata
from hbase import Failed

TTL_TAG = 8
PARTITIONS = "key:3"
MOB_CLONE = "mob_clone"  # a snapshot of a clone of a table with MOB files
INPUT_EXIT = 5


class Subject:
    """A snapshot, a table's folder or an output of Export."""

    def __init__(self, line):
        self.name, self.kind, self.place, self.table, clocks, self.regions, self.note = line.split("\t")
        self.clocks = [int(ms) for ms in clocks.split(",")]

    def folder(self):
        """The table's folder below a root."""
        namespace, _, name = self.table.rpartition(":")
        return f"data/{namespace or 'default'}/{name}"


class Family:
    def __init__(self, fields):
        self.min_versions, ttl_s = int(fields[1]), int(fields[2])
        self.ttl_ms = None if ttl_s == 2**31 - 1 else ttl_s * 1000
        # then a plain scan shows what a major compaction leaves
        self.scan_is_compaction = fields[3] == "FALSE" and fields[5] == "0"


class Trees:
    def __init__(self, interop):
        self.interop, self.report, self.hbase = interop, interop.report, interop.hbase["trees"]
        self.made = interop.work / "trees"       # what MakeTrees writes
        self.seen = interop.work / "trees-seen"  # what DumpTrees writes: SUBJECT@CLOCK.KIND
        self.runs = interop.work / "trees-runs"
        self.counter = itertools.count()
        self.subjects, self.families = [], {}

    # ---- HBase's side

    def make(self):
        seed = self.interop.args.seed
        print(f"trees: --seed {seed}", flush=True)
        ok, text = self.hbase.run("MakeTrees", (self.made, seed), ["MakeTrees"])["MakeTrees"]
        if self.report.check(ok, f"trees by HBase {self.hbase.version}, --seed {seed}", text):
            self.subjects = [Subject(line) for line in (self.made / "SUBJECTS.tsv").read_text().splitlines()]
            for line in (self.made / "FAMILIES.tsv").read_text().splitlines():
                table, family, *fields = line.split("\t")
                self.families[(table, family.encode().hex())] = Family(fields)
        return ok

    def see(self):
        """Every snapshot and table at its clocks; what the running HBase showed must be what its classes show now."""
        copy = self.interop.work / "trees-copy"
        shutil.copytree(self.made / "trees", copy)
        self.seen.mkdir()
        jobs = [(f"{s.name}@{clock}", s.kind, copy / s.place, s.name if s.kind == "snapshot" else s.table, s.regions, clock,
                 self.seen / f"{s.name}@{clock}") for s in self.subjects if s.kind != "export" for clock in s.clocks]
        verdicts = self.hbase.run_jobs("DumpTrees", jobs, self.interop.work, before=(self.interop.work / "trees-scratch",))
        ok = self.report.group(f"seen by HBase {self.hbase.version}",
                               [(name, "" if passed else text) for name, (passed, text) in verdicts.items()])
        live = [(f"{s.name} {kind}", celldata.difference(celldata.without_seq(self.live(s, kind)),
                                                         celldata.without_seq(self.hbase_cells(s, kind))))
                for s in self.subjects if s.kind != "export" and s.note == "-" for kind in ("raw", "visible")]
        return ok and self.report.group("seen as it was shown when it was alive", live)

    def live(self, subject, kind):
        return celldata.read_lines(self.made / "live" / f"{subject.name}.{kind}")

    def hbase_cells(self, subject, kind, clock=None):
        return celldata.read_lines(self.seen / f"{subject.name}@{clock or subject.clocks[0]}.{kind}")

    # ---- our side

    def imported(self, *args):
        """The cells of a dataset made with these arguments."""
        out = self.runs / str(next(self.counter))
        dump = f"{out}.dump"
        self.interop.tools.run("obkv-import", *args, "--partition", PARTITIONS, "--quiet", "-o", out)
        self.interop.tools.run("obkv-verify", "check", out)
        self.interop.tools.run("obkv-verify", "dump", out, out=dump)
        shutil.rmtree(out)
        return celldata.read_lines(dump)

    def where(self, subject, root):
        return ("--snapshot", subject.name, root) if subject.kind == "snapshot" else (root / subject.folder(),)

    def whole(self, subject, root):
        """Everything that is stored, sequence ids included; and what a raw scan makes of it."""
        try:
            got = self.imported(*self.where(subject, root), "--now", subject.clocks[0])
        except Failed as e:
            return str(e)
        return (celldata.difference(sorted(self.hbase_cells(subject, "stored")), sorted(got))
                or self.raw_differs(subject, got))

    def raw_differs(self, subject, got):
        now = subject.clocks[0]
        alive = [line for line in got if not self.expired(subject, line, now)]
        newest = {}
        for line in alive:
            f = line.split("\t")
            newest.setdefault(tuple(f[:5]), []).append((int(f[5]), line))
        for key, cells in newest.items():
            newest[key] = [line for seq, line in cells if seq == max(cells)[0]]  # one, but for files of one bulk load
        shown = self.hbase_cells(subject, "raw")
        wrong = [line for line in shown if line not in newest.pop(tuple(line.split("\t")[:5]), ())]
        return f"a raw scan shows {wrong[:1]}, the import has {list(newest.values())[:1]}" if wrong or newest else ""

    def expired(self, subject, line, now):
        f = line.split("\t")
        family = self.families[(subject.table, f[1])]
        if family.ttl_ms is not None and int(f[3]) < now - family.ttl_ms:
            return family.min_versions == 0
        ttl = cell_ttl_ms(f[7])
        return ttl is not None and int(f[3]) + ttl < now

    def compacted(self, subject, root, clock):
        """--compact leaves what a major compaction leaves, sequence ids included; for many families that is what a scan shows."""
        try:
            got = self.imported(*self.where(subject, root), "--compact", "--now", clock)
        except Failed as e:
            return str(e)
        problem = celldata.difference(sorted(self.hbase_cells(subject, "compacted", clock)), sorted(got))
        want, shown = ([line for line in lines if self.families[(subject.table, line.split("\t")[1])].scan_is_compaction]
                       for lines in (self.hbase_cells(subject, "visible", clock), got))
        return problem or celldata.difference(celldata.without_seq(want), celldata.without_seq(shown))

    def compare(self):
        self.runs.mkdir()
        trees = self.made / "trees"
        whole = [(s, trees / s.place) for s in self.subjects if s.kind != "export"]
        whole += [(s, tree) for s in self.subjects if s.kind == "snapshot" for tree in sorted(trees.iterdir())
                  if tree.name != s.place and (tree / ".hbase-snapshot" / s.name).is_dir()]
        whole += [(s, self.made / "exported" / s.name) for s in self.subjects
                  if s.name != MOB_CLONE and (self.made / "exported" / s.name).is_dir()]
        self.group("imported", [(f"{s.name} of {root.name}", self.whole, (s, root)) for s, root in whole])
        problem = self.mob_clone_refused()
        self.report.check(not problem, "an export that lacks MOB files is refused", problem)
        self.group("imported --compact", [(f"{s.name} at {clock}", self.compacted, (s, trees / s.place, clock))
                                          for s in self.subjects if s.kind != "export" for clock in s.clocks])

    def mob_clone_refused(self):
        """ExportSnapshot leaves out the MOB files that a clone shares with its origin (HBase's own loss): to be said by name."""
        try:
            said = self.interop.tools.run("obkv-import", "--snapshot", MOB_CLONE, self.made / "exported" / MOB_CLONE,
                                          "--partition", PARTITIONS, "-o", self.runs / MOB_CLONE, want=(INPUT_EXIT,))
        except Failed as e:
            return str(e)
        return "" if "mob file" in said else f"the message names no mob file: {said}"

    def group(self, name, cases):
        results = self.interop.in_parallel(lambda c: (c[0], c[1](*c[2])), cases)
        return self.report.group(name, results)


def cell_ttl_ms(tags):
    """Of the first TTL tag; tags as in a line."""
    raw = b"" if tags == "-" else bytes.fromhex(tags)
    while raw:
        n = int.from_bytes(raw[:2], "big")
        if raw[2] == TTL_TAG:
            return int.from_bytes(raw[3:2 + n], "big", signed=True)
        raw = raw[2 + n:]
    return None


def run(interop):
    trees = Trees(interop)
    if trees.make() and trees.see() and interop.with_tools:
        trees.compare()
