"""Every codec x encoding x bloom x tags x sequence ids as one small file: written by HBase and read by us, and the other way.
A run takes a third of them, chosen by the seed so that every two settings meet; OBKV_STRESS takes all."""
import itertools
import os

import celldata
from hbase import Failed

CODECS = ("none", "gz", "snappy", "lz4", "zstd", "brotli")  # all for which HBase publishes a codec
ENCODINGS = ("none", "prefix", "diff", "fast_diff", "row_index_v1")
# as we call them -> as HBase does
BLOOMS = {"none": "none", "row": "row", "rowcol": "rowcol", "prefix:6": "rowprefix_fixed_length"}
TAGS = {"none": (), "yes": (), "dict": ("--set", "COMPRESS_TAGS=true")}
SEQS = ("none", "zero", "seq")
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
    files = [Case(folder, name, cell_set) for name, cell_set, *_ in rows]
    taken = [f for f in files if os.environ.get("OBKV_STRESS") or is_taken(f, interop.args.seed)]
    print(f"cross: {len(taken)} of {len(files)} files, --seed {interop.args.seed}", flush=True)
    return taken


def is_taken(f, seed):
    """Of settings that differ in one place, the next one is taken by the next seed; so each pair is in every run, with one of
    the kinds of tags."""
    values = ((CODECS, f.codec), (ENCODINGS, f.encoding), (tuple(BLOOMS.values()), f.bloom), (tuple(TAGS), f.tags),
              (SEQS, f.seqs))
    return (seed + sum(all_of.index(value) for all_of, value in values)) % len(TAGS) == 0


def read(interop, files):
    """`check` finds nothing wrong, and `dump` prints the cells in order."""
    (interop.work / "cross-read").mkdir()

    def one(file):
        out = interop.work / "cross-read" / f"{file.name}.cells"
        try:
            interop.tools.run("obkv-verify", "check", file.path)
            interop.tools.run("obkv-verify", "dump", file.path, out=out)
        except Failed as e:
            return file.name, str(e)
        return file.name, celldata.difference(file.cells(), celldata.read_lines(out))

    interop.report.group("cross product read", interop.in_parallel(one, files))


def name_of(combination):
    codec, encoding, bloom, tag, seqs = combination
    return "-".join((codec, encoding, BLOOMS[bloom], tag, seqs))


def write(interop, files):
    """One dataset for each combination that we write (tags and sequence ids always have their place in the file), of the
    cells of the HBase file it corresponds to."""
    known = {f.name: f for f in files}
    combinations = [c for c in itertools.product(CODECS, ENCODINGS, BLOOMS, TAGS, SEQS[1:])
                    if (c[1] != "none" or c[3] != "dict") and name_of(c) in known]

    def one(combination):
        codec, encoding, bloom, tag, seqs = combination
        file = known[name_of(combination)]
        out = interop.work / "cross-out" / file.name
        try:
            interop.tools.run("obkv-import", "--format", "cells", "--codec", codec, "--encoding", encoding, "--set",
                              "BLOOMFILTER=%s" % bloom,
                              "--set", "BLOCKSIZE=1024", *TAGS[tag], "--partition", "none", "--quiet", "-o", out,
                              file.cells_path)
            interop.tools.run("obkv-verify", "check", out)
        except Failed as e:
            return file, None, str(e)
        return file, next(out.glob("cf/*.hfile")), ""

    (interop.work / "cross-out").mkdir()
    results = interop.in_parallel(one, combinations)
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
