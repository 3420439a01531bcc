"""Files that HBase 2.6.4 splits while it bulk-loads them: all bloom filters of files and families, and all encodings of both."""
import celldata
from hbase import Failed

TABLE = "root/data/default/split"


def run(interop):
    hbase = interop.hbase["trees"]
    work, cells = interop.work / "split-cluster", interop.work / "split.cells"
    work.mkdir()
    ok, text = hbase.run("SplitLoads", (work, cells), ["SplitLoads"])["SplitLoads"]
    if not interop.report.check(ok, f"files split in a bulk load by HBase {hbase.version}", text) or not interop.with_tools:
        return
    dump = interop.work / "split.dump"
    try:
        interop.tools.run("obkv-verify", "check", work / TABLE, out=interop.work / "split.check")
        interop.tools.run("obkv-verify", "dump", work / TABLE, out=dump)
    except Failed as e:
        interop.report.check(False, "split in a bulk load: check and dump", e)
        return
    want, got = (celldata.without_seq(celldata.read_lines(p)) for p in (cells, dump))
    problem = celldata.difference(want, got)
    interop.report.check(not problem, "split in a bulk load: check is good, dump shows all cells", problem or f"{len(got)} cells")
