"""Random stores compacted by a region of HBase and by obkv-compact: the same cells are left, in the same order, with their
sequence ids. Stores are drawn as in tests/prop/compaction.py. Of every third group some files are older than five days: there
HBase's own files are compacted, as stores. OBKV_STRESS takes three times as many groups."""
import os
import pathlib
import random
import sys

import celldata
from hbase import Failed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "prop"))
from compaction import NOW, draw_case, draw_large_case, draw_settings, options  # noqa: E402 (the folder comes first)

GROUPS = 34 if os.environ.get("OBKV_STRESS") else 12
STORES, AGED = 9, 3  # stores of a group share settings and a run of obkv-compact
LATER = 10 * 86_400_000  # aged stores: Java cannot set times of change before 1970
LIMIT_MS = 1500
SKIPPED_MOST = 0.2


class Group:
    def __init__(self, seed, folder):
        self.name, self.folder = f"seed {seed}", folder
        r = random.Random(seed)
        s = draw_settings(r)
        # one store, as HBase 2.6.4 does it: before HBASE-30036
        rules = {"since": "before", "oceanbase": "major"}.get(s.rules, s.rules)
        self.settings = s._replace(rules=rules, rank="sequence")
        self.stores = {f"s{i:02d}": distinct(draw_case(r, self.settings, b"s%02d" % i)) for i in range(STORES)}
        if seed % 10 == 0 and not s.mvcc:
            self.stores["z"] = distinct(draw_large_case(r, b"z"))
        self.stores = {name: files for name, files in self.stores.items() if any(files)}
        self.aged = seed % AGED == 0
        self.old = {name: old_files(r, files) if self.aged else "-" for name, files in self.stores.items()}

    def write(self):
        """Files of cells for HBase, one for each store; and for obkv-compact, each with a file of every store."""
        self.folder.mkdir(parents=True)
        for name, files in self.stores.items():
            lines = (f"{n}\t{self.text(c)}" for n, cells in enumerate(files) for c in cells)
            (self.folder / f"{name}.in").write_text("".join(lines))
        (self.folder / "bounds").write_text("".join(f"{name}~\n" for name in self.stores))
        inputs = [self.folder / f"{n}.cells" for n in range(max(map(len, self.stores.values())))]
        for n, path in enumerate(inputs):
            lines = [c.text[1] for files in self.stores.values() if n < len(files) for c in files[n]]
            path.write_text("".join(lines) or "# none\n")
        return inputs

    def text(self, cell):
        if not self.aged or cell.ts > 2**62:
            return cell.text[1]
        f = cell.text[1].split("\t")
        return "\t".join(f[:3] + [str(cell.ts + LATER)] + f[4:])

    def jobs(self):
        s = self.settings
        kind = "major" if s.rules == "major" else "minor"
        rules = kind, s.versions, s.min_versions, s.ttl_s, s.kept, str(s.mvcc).lower(), s.delay
        now = NOW + LATER * self.aged
        return [(f"{self.name} {name}", self.folder / f"{name}.in", self.folder / f"{name}.out", now, *rules, self.old[name])
                for name in self.stores]


def distinct(files):
    """No file holds a cell twice: which of them is the newer one is HBase's chance."""
    return [list({(c.row, c.q, c.ts, c.type, c.seq): c for c in cells}.values()) for cells in files]


def old_files(r, files):
    """HBase goes by the time of change; which files that is true of is none of our business: any of them."""
    return ",".join(str(n) for n, cells in enumerate(files) if cells and r.random() < 0.5) or "none"


def ours_aged(interop, group, name):
    """The cells of a store, and its sequence ids, that are left of HBase's files."""
    out, dump = group.folder / f"{name}.ours", group.folder / f"{name}.dump"
    interop.tools.run("obkv-compact", *options(group.settings), "--now", NOW + LATER, "--partition", "none", "--quiet", "-o", out,
                      group.folder / f"{name}.out.store" / "f")
    interop.tools.run("obkv-verify", "dump", out, out=dump)
    return list(celldata.read_lines(dump))


def forgotten(group):
    """How many of its stores HBase has left with a sequence id of 0 that no such cell had."""
    def keys(path, skip):
        fields = [line.split("\t")[skip:] for line in celldata.read_lines(path)]
        return {tuple(f) for f in fields if f[5] == "0"}
    return sum(bool(keys(group.folder / f"{name}.out", 0) - keys(group.folder / f"{name}.in", 1))
               for name in group.stores if (group.folder / f"{name}.out").exists())


def ours(interop, group, inputs):
    """{store: its cells that obkv-compact leaves}."""
    out, dump = group.folder / "out", group.folder / "dump"
    interop.tools.run("obkv-compact", *options(group.settings), "--partition", f"range:{group.folder / 'bounds'}",
                      "--format", "cells", "--quiet", "-o", out, *inputs)
    interop.tools.run("obkv-verify", "dump", out, out=dump)
    left = {name: [] for name in group.stores}
    for line in celldata.read_lines(dump):
        row = bytes.fromhex(line.split("\t", 1)[0]).decode("latin-1")
        left[row[:1] if row.startswith("z") else row[:3]].append(line)
    return left


def compared(interop, group, inputs, verdicts):
    """[(store, problem or "")] for those that HBase has compacted."""
    try:
        left = ours(interop, group, inputs) if not group.aged else {}
    except Failed as e:
        return [(group.name, str(e))]
    results = []
    for name in group.stores:
        subject = f"{group.name} {name}"
        ok, text = verdicts[subject]
        if not ok:
            results.append((subject, text))
        elif not text.startswith("skipped"):
            have = ours_aged(interop, group, name) if group.aged else left[name]
            problem = celldata.difference(celldata.read_lines(group.folder / f"{name}.out"), have)
            results.append((subject, problem and f"{problem}; {group.settings}, old files {group.old[name]}"))
    return results


def run(interop):
    seed = interop.args.seed
    print(f"compactions: --seed {seed}", flush=True)
    groups = [Group(seed + i, interop.work / "compactions" / str(i)) for i in range(GROUPS)]
    inputs = [group.write() for group in groups]
    hbase = interop.hbase["trees"]
    jobs = [job for group in groups for job in group.jobs()]
    verdicts = hbase.run_jobs("CompactStores", jobs, interop.work, before=(interop.work / "compactions-scratch", LIMIT_MS))
    skipped = [text for ok, text in verdicts.values() if ok and text.startswith("skipped")]
    interop.report.check(len(skipped) <= SKIPPED_MOST * len(jobs), f"compactions by HBase {hbase.version}",
                         f"{len(jobs)} stores, of {len(skipped)} of them HBase has no result (does not end, or fails)")
    zeroed = sum(forgotten(group) for group in groups if group.aged)
    interop.report.check(zeroed > 0, "sequence ids that HBase forgets", f"in {zeroed} stores")
    if interop.with_tools:
        results = interop.in_parallel(lambda g: compared(interop, *g, verdicts), zip(groups, inputs))
        interop.report.group("compacted as by HBase", [r for group in results for r in group])
