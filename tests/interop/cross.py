"""Every codec x encoding x bloom x tags x sequence ids as one small file: written by HBase and read by us, and the other way."""
import concurrent.futures
import itertools
import os

import celldata
from hbase import Failed

CODECS = ("none", "gz", "snappy", "lz4", "zstd", "brotli")  # all for which HBase publishes a codec
READ_CODECS = ("none", "gz", "snappy", "lz4", "zstd")
READ_ENCODINGS = ("none",)
WRITE_CODECS = ("none", "gz", "snappy", "lz4", "zstd")
WRITE_ENCODINGS = ("none",)
BLOOMS = {"none": "none", "row": "row"}  # as we call them -> as HBase does
TAGS = ("none", "yes")
SEQS = ("zero", "seq")
LOOKUPS = 30  # cells HBase seeks in each of our files


def run(interop):
    files = by_hbase(interop)
    if files and interop.with_tools:
        read(interop, files)
        scan(interop, write(interop, files))


class Case:
    """One file of HBase's: its name says all about it, `cells` are its lines."""

    def __init__(self, folder, name, cell_set):
        self.name, self.cell_set = name, cell_set
        self.codec, self.encoding, self.bloom, self.tags, self.seqs = name.split("-")
        self.path = folder / f"{name}.hfile"
        self.cells_path = folder / f"{cell_set}.tsv"

    def cells(self):
        return celldata.read_lines(self.cells_path)


def by_hbase(interop):
    hbase = interop.hbase["codecs"]
    folder = interop.work / "cross"
    ok, text = hbase.run("WriteHFiles", (folder, "cross", *[c.upper() for c in CODECS]), ["WriteHFiles"])["WriteHFiles"]
    if not interop.report.check(ok, f"cross product by HBase {hbase.version}", text):
        return []
    rows = (line.split("\t") for line in (folder / "MANIFEST.tsv").read_text().splitlines())
    return [Case(folder, name, cell_set) for name, cell_set, *_ in rows]


def in_parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))


def read(interop, files):
    """`check` finds nothing wrong, and `dump` prints the cells in order."""
    files = [f for f in files if f.codec in READ_CODECS and f.encoding in READ_ENCODINGS]
    (interop.work / "cross-read").mkdir()

    def one(file):
        out = interop.work / "cross-read" / f"{file.name}.cells"
        try:
            interop.tools.run("obkv-verify", "check", file.path)
            interop.tools.run("obkv-verify", "dump", file.path, out=out)
        except Failed as e:
            return file.name, str(e)
        return file.name, celldata.difference(file.cells(), celldata.read_lines(out))

    interop.report.group("cross product read", in_parallel(one, files))


def write(interop, files):
    """One dataset for each combination that we write, of the cells of the HBase file it corresponds to."""
    known = {f.name: f for f in files}
    combinations = itertools.product(WRITE_CODECS, WRITE_ENCODINGS, BLOOMS, TAGS, SEQS)

    def one(combination):
        codec, encoding, bloom, tags, seqs = combination
        file = known["-".join((codec, encoding, BLOOMS[bloom].lower(), tags, seqs))]
        out = interop.work / "cross-out" / file.name
        try:
            interop.tools.run("obkv-import", "--format", "cells", "--codec", codec, "--encoding", encoding, "--bloom", bloom,
                              "--block-size", 1024, "--partition", "none", "--quiet", "-o", out, file.cells_path)
            interop.tools.run("obkv-verify", "check", out)
        except Failed as e:
            return file, None, str(e)
        return file, next(out.glob("cf/*.hfile")), ""

    (interop.work / "cross-out").mkdir()
    results = in_parallel(one, combinations)
    interop.report.group("cross product written", [(f.name, problem) for f, _, problem in results])
    return [(f, path) for f, path, _ in results if path]


def scan(interop, written):
    hbase = interop.hbase["codecs"]
    folder = interop.work / "cross-scan"
    folder.mkdir()
    jobs = [(f.name, path, folder / f"{f.name}.cells", f.codec.upper(), f.encoding.upper(), f.bloom.upper(), 1024, LOOKUPS)
            for f, path in written]
    verdicts = hbase.run_jobs("ScanHFile", jobs, interop.work)
    results = []
    for (file, _), job in zip(written, jobs):
        ok, text = verdicts[file.name]
        results.append((file.name, celldata.difference(file.cells(), celldata.read_lines(job[2])) if ok else text))
    interop.report.group(f"cross product scanned by HBase {hbase.version}", results)
