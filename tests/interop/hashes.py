"""Hashes that HBase's HashTable job made of a running table, against obkv-verify hashtable over its snapshot; and what SyncTable
says of a changed copy."""
import json
import shutil

from hbase import Failed

COUNTERS = ("batches", "hashes_matched", "hashes_not_matched", "empty_batches")  # as HashTables.java writes SyncTable's
DIFFERENT_EXIT = 1


class Reference:
    def __init__(self, line, made):
        self.name, ignore, self.clock, *counters = line.split("\t")
        self.options = ("--ignore-timestamps",) if ignore == "ignore" else ()
        self.counters = dict(zip(COUNTERS, map(int, counters)))
        self.folder = made / "hashes" / self.name


def summary(interop, reference, *inputs):
    out = interop.work / f"hashes-{reference.name}-{len(inputs)}.json"
    interop.tools.run("obkv-verify", "hashtable", "--json", "--limit", 1, "--now", reference.clock, *reference.options,
                      reference.folder, *inputs, out=out, want=(0, DIFFERENT_EXIT))
    return json.loads(out.read_text().splitlines()[-1])


def same(interop, reference, *inputs):
    """The table that was hashed: every batch is the same."""
    try:
        got = summary(interop, reference, *inputs)
    except Failed as e:
        return str(e)
    return "" if got["equal"] and got["hashes_matched"] == reference.counters["batches"] else f"{got}"


def changed(interop, reference, root):
    """The changed copy: as many batches as SyncTable found."""
    try:
        got = summary(interop, reference, "--snapshot", "target", root)
    except Failed as e:
        return str(e)
    got = {name: got[name] for name in COUNTERS}
    if not got["hashes_not_matched"]:
        return "nothing was changed"
    return "" if got == reference.counters else f"SyncTable: {reference.counters}, obkv-verify: {got}"


def run(interop):
    seed = interop.args.seed
    hbase, made = interop.hbase["trees"], interop.work / "hashes"
    ok, text = hbase.run("HashTables", (made, seed), ["HashTables"])["HashTables"]
    if not interop.report.check(ok, f"hashes by HBase {hbase.version}, --seed {seed}", text) or not interop.with_tools:
        return
    references = [Reference(line, made) for line in (made / "HASHES.tsv").read_text().splitlines()]
    root, whole = made / "root", interop.work / "hashes-dataset"
    interop.report.group("hashes of the snapshot", [(r.name, same(interop, r, "--snapshot", "source", root)) for r in references])
    try:
        interop.tools.run("obkv-import", "--quiet", "--partition", "key:5", "--snapshot", "source", "-o", whole, root)
    except Failed as e:
        interop.report.check(False, "a dataset of the hashed table", str(e))
        return
    interop.report.group("hashes of a dataset of it", [(r.name, same(interop, r, whole)) for r in references])
    interop.report.group("a changed copy, as SyncTable sees it", [(r.name, changed(interop, r, root)) for r in references])
    shutil.rmtree(whole)
