"""Bulk loads into an HBase 2.6.4 that runs in one process, and a major compaction beside obkv-compact."""
import shutil

import celldata

JUNK_CELLS = celldata.plain(20, 50)
VERSIONS = 3


class Load:
    """One table: what is loaded into it one after the other, and the cells a raw scan must then show."""

    def __init__(self, name, folders, want, families="cf:1", splits=(), files="whole", limit=32, compact=False):
        self.name, self.folders, self.want = name, folders, want
        self.families, self.splits, self.files, self.limit, self.compact = families, splits, files, limit, compact

    def job(self, out):
        return (self.name, self.families, ",".join(s.hex() for s in self.splits) or "-", ",".join(map(str, self.folders)), out,
                self.limit, self.files, "compact" if self.compact else "-")


def run(interop):
    wanted = [by_hbase(interop)]
    if interop.with_tools:
        wanted += [one_region(interop), by_range(interop), by_key(interop, 5, 32), by_key(interop, 40, 64), compaction(interop)]
    wanted = [w for w in wanted if w]
    hbase = interop.hbase["trees"]
    cluster = interop.work / "cluster"
    cluster.mkdir()
    outs = {w.name: interop.work / f"load-{w.name}.cells" for w in wanted}
    verdicts = hbase.run_jobs("BulkLoad", [w.job(outs[w.name]) for w in wanted], interop.work, before=(cluster,))
    for w in wanted:
        ok, text = verdicts[w.name]
        if ok:
            got = celldata.read_lines(outs[w.name])
            problem = celldata.difference(celldata.without_seq(w.want), celldata.without_seq(got))
            ok, text = not problem, problem or text
        interop.report.check(ok, f"bulk load {hbase.version} {w.name}", text)


def by_hbase(interop):
    """HBase's own file first: when this fails, the others say nothing about us."""
    folder = interop.work / "load-by-hbase"
    (folder / "cf").mkdir(parents=True)
    shutil.copy(interop.work / "hbase-trees" / "rows_gz.hfile", folder / "cf" / "rows.hfile")
    want = celldata.read_lines(interop.work / "hbase-trees" / "rows.tsv")
    return Load("by_hbase", [folder], want, splits=[b"row02000"], files="split")


def loadable(interop, name, cells, **options):
    """(a copy of the dataset with HFile-like junk in its work folder, its dump)"""
    interop.dataset(f"load/{name}", cells, **options)
    if f"load/{name}" not in interop.datasets:
        return None, None
    out, dump = interop.datasets[f"load/{name}"]
    copy = interop.work / "loadable" / name
    shutil.copytree(out, copy)
    return copy, dump


def one_region(interop):
    folder, dump = loadable(interop, "none", celldata.mixed(21, 400, seqs=False))
    junk, _ = loadable(interop, "junk", JUNK_CELLS)
    if not folder or not junk:
        return None
    source = next(junk.glob("*/*.hfile"))
    for place in (folder / ".obkv", folder / ".obkv" / "tmp", folder / ".obkv" / "tmp" / "cf"):
        place.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, place / "junk.hfile")
    return Load("one_region", [folder], dump, families="cf:1,meta:1")


def by_range(interop):
    bounds = interop.work / "load-bounds"
    splits = [b"user0100", b"user0300"]
    bounds.write_bytes(b"\n".join(splits) + b"\n")
    folder, dump = loadable(interop, "range", celldata.mixed(22, 400, seqs=False), codec="lz4", partition=f"range:{bounds}")
    return folder and Load("by_range", [folder], dump, families="cf:1,meta:1", splits=splits)


def by_key(interop, partitions, limit):
    """Every file of a KEY dataset spans all regions: HBase must split them all."""
    cells = celldata.plain(23, 1500)
    folder, dump = loadable(interop, f"key-{partitions}", cells, codec="gz", partition=f"key:{partitions}")
    splits = [b"row%06d" % n for n in (2000, 5000, 9000)]
    return folder and Load(f"by_key_{partitions}", [folder], dump, splits=splits, files="split", limit=limit)


def compaction(interop):
    """Two loads, then a major compaction: HBase must be left with what obkv-compact leaves of the same two datasets."""
    # qualifier "" only for family markers: HBase may loop for ever over other deletes there
    older, newer = ([c for c in celldata.mixed(seed, 500, seqs=False) if c[2] or c[4] in (10, 14)] for seed in (24, 25))
    old_folder, _ = loadable(interop, "older", older)
    new_folder, _ = loadable(interop, "newer", celldata.others(newer, older))
    if not old_folder or not new_folder:
        return None
    interop.run_tool("load/compacted", None, "obkv-compact", "--versions", VERSIONS, old_folder, new_folder)
    if "load/compacted" not in interop.datasets:
        return None
    _, dump = interop.datasets["load/compacted"]
    families = ",".join(f"{f}:{VERSIONS}" for f in ("cf", "meta"))
    return Load("compacted", [old_folder, new_folder], dump, families=families, compact=True)
