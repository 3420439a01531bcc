#!/usr/bin/env python3
"""Checks our HFiles against real HBase; started by run.sh, which prepares build/interop.

    interop.py [--bin build/release/bin] [--java-only] [--keep] [--only STEP]... [--seed N]

Prints one line per check and at last "N passed, N failed, N skipped"; exit 1 when a check failed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import backups
import celldata
import compactions
import cross
import hashes
import loads
import missing_logs
import order
import policies
import splits
import trees
from hbase import Failed, HBase, Tools
from programs import failed_test

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
BUILD = ROOT / "build" / "interop"
COMPARE_INFO = ROOT / "tests" / "cli" / "obkv-verify" / "info_as_hbase" / "compare.py"

CODECS = ("none", "gz", "snappy", "lz4", "zstd", "brotli")
PLAIN = ("--encoding", "none")  # cross.py has every encoding
HADOOP_CODECS = ("none", "gz", "snappy", "lz4")  # what HBase 2.6.4 reads without its compression modules
BLOOMS = ("none", "row")  # all of them: cross.py
BLOCK_SIZES = (1024, 65536, 1 << 20)
NOW_MS = 1750000000000
STEPS = ("files", "cross", "loads", "splits", "trees", "compactions", "hashes", "policies", "order", "backups",
         "logs")
LONG_STEPS = ("logs",)  # only where named, or with OBKV_STRESS; tests/cli/wals.py has small logs of which one is missing
FAILURES_SHOWN = 8  # of a group of cases
SEEKS = 300  # about so many cells of a file HBase looks up


class Report:
    def __init__(self):
        self.counts = {"ok": 0, "FAIL": 0, "skip": 0}
        self.step = None  # of STEPS, which can run alone

    def line(self, word, name, text=""):
        self.count(word)
        print(f"{word:4} {name}" + (f": {text}" if text else ""), flush=True)

    def count(self, word, n=1):
        self.counts[word] += n
        for _ in range(n if word == "FAIL" and self.step else 0):
            failed_test("--only", self.step)

    def check(self, ok, name, text=""):
        self.line("ok" if ok else "FAIL", name, text)
        return ok

    def group(self, name, results):
        """results: (case, problem or ""): one line for the first failures each, and one for all that passed. True: all did."""
        failed = [(case, problem) for case, problem in results if problem]
        for case, problem in failed[:FAILURES_SHOWN]:
            self.line("FAIL", f"{name}: {case}", problem)
        if len(failed) > FAILURES_SHOWN:
            self.line("FAIL", name, f"{len(failed) - FAILURES_SHOWN} more cases")
            self.count("FAIL", len(failed) - FAILURES_SHOWN - 1)
        if len(results) > len(failed):
            self.line("ok", name, f"{len(results) - len(failed)} cases")
            self.count("ok", len(results) - len(failed) - 1)
        return not failed

    def end(self):
        print(f"{self.counts['ok']} passed, {self.counts['FAIL']} failed, {self.counts['skip']} skipped")
        return 1 if self.counts["FAIL"] else 0


class File:
    """One HFile to be read by HBase, and what is known about it."""

    def __init__(self, name, path, codec, bloom="-", block="-", encoding="NONE"):
        self.name, self.path, self.codec, self.bloom = name, pathlib.Path(path), codec.upper(), bloom.upper()
        self.block, self.encoding = block, encoding
        self.cells = None  # the lines it must hold, where they are known for the single file


class Interop:
    def __init__(self, args):
        self.args = args
        self.report = Report()
        self.tools = Tools(args.bin)
        self.work = BUILD / "work"
        shutil.rmtree(self.work, ignore_errors=True)
        self.logs = self.work / "log"
        self.logs.mkdir(parents=True)
        self.hbase = {p: HBase(p, BUILD, HERE, self.logs) for p in ("trees", "codecs")}
        self.with_tools = False  # are our programs there, and wanted?
        self.files = []     # File: written by us, and by HBase
        self.datasets = {}  # name -> (folder, cells it must hold as sorted lines)

    @staticmethod
    def in_parallel(function, items):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(function, items))

    # ---- files by HBase

    def write_by_hbase(self):
        for profile, codecs in (("trees", ("NONE", "GZ")), ("codecs", ("NONE", "GZ", "SNAPPY", "LZ4", "ZSTD", "BROTLI"))):
            hbase = self.hbase[profile]
            folder = self.work / f"hbase-{profile}"
            ok, text = hbase.run("WriteHFiles", (folder, "shapes", *codecs), ["WriteHFiles"])["WriteHFiles"]
            if not self.report.check(ok, f"files by HBase {hbase.version}", text):
                return False
            for row in (folder / "MANIFEST.tsv").read_text().splitlines():
                name, cell_set, codec, encoding, bloom, block = row.split("\t")
                file = File(f"by-hbase/{profile}/{name}", folder / f"{name}.hfile", codec, bloom, block, encoding)
                file.cells = celldata.read_lines(folder / f"{cell_set}.tsv")
                self.files.append(file)
        return True

    def damaged(self):
        """(file, words of the complaint, program): the checks must be able to fail."""
        good = self.work / "hbase-codecs"
        here = self.work / "damaged"
        here.mkdir()
        unsummed = bytearray((good / "unsummed.hfile").read_bytes())

        def saved(name, data, **known):
            (here / f"{name}.hfile").write_bytes(data)
            return File(f"damaged/{name}", here / f"{name}.hfile", known.get("codec", "-"), known.get("bloom", "-"))

        flipped = bytearray((good / "rows_none.hfile").read_bytes())
        flipped[flipped.index(b"x", 200)] ^= 1
        chunk = unsummed.index(b"BLMFBLK2")
        unbloomed = unsummed[:chunk + 33] + bytes(400) + unsummed[chunk + 433:]
        disordered = bytearray(unsummed)
        disordered[disordered.index(b"row")] = ord("z")
        rows = (good / "rows_none.hfile").read_bytes()
        return [(saved("flipped-bit", flipped), "checksum failures", "ScanHFile"),
                (saved("zeroed-bloom", unbloomed), "denies", "ScanHFile"),
                (saved("disordered", disordered), "smaller than the one before", "ScanHFile"),
                (saved("other-codec", rows, codec="GZ"), "codec: want GZ", "ScanHFile"),
                (saved("cut", rows[:len(rows) // 2]), "exception", "ScanHFile"),
                (saved("disordered-print", disordered), "previous row is greater", "PrettyPrint"),
                (saved("cut-print", rows[:len(rows) // 2]), "result: want 0", "PrettyPrint")]

    # ---- files by us

    def imported(self, name, cells, *options):
        """A dataset of these cells; the checks of its files follow when HBase has read them."""
        text = self.work / "in" / f"{name.replace('/', '-')}.cells"
        text.parent.mkdir(exist_ok=True)
        celldata.write(text, cells)
        return self.run_tool(name, celldata.lines(cells), "obkv-import", "--format", "cells", *options, text)

    def run_tool(self, name, want, tool, *args):
        """Runs a tool that writes a dataset, and takes its dump; None when that failed."""
        out = self.work / "out" / name
        out.parent.mkdir(parents=True, exist_ok=True)
        dump = self.work / f"{name.replace('/', '-')}.dump"
        try:
            self.tools.run(tool, *args, "-o", out, "--now", NOW_MS, "--quiet")
            self.tools.run("obkv-verify", "check", out)
            self.tools.run("obkv-verify", "dump", out, out=dump)
        except Failed as e:
            self.report.check(False, name, e)
            return None
        problem = "" if want is None else celldata.difference(sorted(want), sorted(celldata.read_lines(dump)))
        self.report.check(not problem, f"{name} ({tool})", problem or f"{len(list(out.glob('*/*.hfile')))} files")
        self.datasets[name] = (out, celldata.read_lines(dump))
        return out

    def add_files(self, name, codec, bloom, block, encoding="NONE"):
        if name not in self.datasets:
            return
        out, _ = self.datasets[name]
        for path in sorted(out.glob("*/*.hfile")):
            self.files.append(File(f"{name}/{path.relative_to(out)}", path, codec, bloom, block, encoding))

    def dataset(self, name, cells, codec="snappy", bloom="row", block=65536, partition="none", more=()):
        self.imported(name, cells, "--codec", codec, *PLAIN, "--set", "BLOOMFILTER=%s" % bloom, "--set",
                      "BLOCKSIZE=%s" % block, "--partition", partition,
                      *more)
        self.add_files(name, codec, bloom, block)

    def write_by_us(self):
        mixed = celldata.mixed(11, 600)
        for i, codec in enumerate(CODECS):
            for j, block in enumerate(BLOCK_SIZES):
                # each two settings meet; all three by OBKV_STRESS
                for bloom in BLOOMS if os.environ.get("OBKV_STRESS") else BLOOMS[(i + j + self.args.seed) % 2:][:1]:
                    self.dataset(f"{codec}/{bloom}/{block}", mixed, codec, bloom, block)
            self.dataset(f"{codec}/big", celldata.big(12, 4), codec)
        for codec in ("gz", "zstd"):
            self.dataset(f"{codec}/wide", celldata.wide(13, 40000), codec, block=512)
        self.dataset("plain", celldata.plain(14, 3000))
        self.dataset("families", celldata.plain(15, 500, families=(b"a", b"b", b"cf", b"long-family-name", b"z")))
        self.dataset("one-cell", celldata.plain(16, 1, qualifiers=1), "none")
        self.dataset("empty-partitions", celldata.plain(17, 10), "gz", partition="key:97")
        self.dataset("key", mixed, "lz4", partition="key:7")
        self.dataset("many-files", mixed, "gz", more=("--target-file-size", 20000))
        self.imported("default", mixed, "--partition", "key:7")
        self.add_files("default", "snappy", "row", 65536, "FAST_DIFF")
        self.write_from_csv()
        self.write_from_datasets(mixed)
        self.write_with_copied_blocks()
        self.write_from_hfiles()

    def write_from_csv(self):
        rows = [(b"k%05d" % (i * 11 % 5000), b"v%d" % i, b"w" * (i % 30)) for i in range(4000)]
        rows = list({r[0]: r for r in rows}.values())
        text = self.work / "in.csv"
        text.write_bytes(b"".join(b",".join(r) + b"\n" for r in rows))
        cells = [(k, b"cf", q, celldata.BASE_MS, celldata.PUT, 0, v, b"") for k, a, b in rows for q, v in ((b"a", a), (b"b", b))]
        self.run_tool("csv", celldata.lines(cells), "obkv-import", "--format", "csv", "--columns", "HBASE_ROW_KEY,cf:a,cf:b",
                      "--timestamp", celldata.BASE_MS, "--partition", "key:5", "--codec", "zstd", *PLAIN, text)
        self.add_files("csv", "zstd", "row", 65536)

    def write_from_datasets(self, mixed):
        """obkv-compact and obkv-split write the same kind of files."""
        if "key" in self.datasets:
            folder, dump = self.datasets["key"]
            bounds = self.work / "bounds"
            bounds.write_text("user0200\nuser0400\n")
            self.run_tool("split-range", dump, "obkv-split", "apply", "--partition", f"range:{bounds}", "--codec", "gz", *PLAIN,
                          folder)
            self.add_files("split-range", "gz", "row", 65536)
        self.dataset("delta", celldata.others(celldata.mixed(18, 600), mixed), partition="key:7")
        if "key" in self.datasets and "delta" in self.datasets:
            # what survives is checked against HBase's own compaction in loads.py; here only the files
            self.run_tool("compacted", None, "obkv-compact", "--versions", 2, "--codec", "snappy", *PLAIN,
                          self.datasets["key"][0], self.datasets["delta"][0])
            self.add_files("compacted", "snappy", "row", 65536)

    def write_with_copied_blocks(self):
        """A night whose file has blocks and bloom chunks of its base, whole and in part."""
        r = random.Random(19)
        made = [(b"r%06d" % i, b"cf", b"q%d" % q, celldata.BASE_MS, celldata.PUT, 0, r.randbytes(1400), b"")
                for i in range(10000) for q in range(2)]
        new = [(b"r%06d" % i, b"cf", b"q1", celldata.BASE_MS + 5, celldata.PUT, 0, b"new", b"") for i in range(4990, 5010)]
        options = ("--codec", "none", *PLAIN)
        self.imported("copied/first", made, "--partition", "none", *options)
        delta = self.imported("copied/delta", new, "--partition", "none", *options)
        rules = ("--versions", 1, *options)
        base = self.run_tool("copied/base", None, "obkv-compact", *rules, self.datasets["copied/first"][0])
        self.run_tool("copied/full", None, "obkv-compact", *rules, base, delta)
        night = self.run_tool("copied/night", self.datasets["copied/full"][1], "obkv-compact", *rules, "--base", base, delta)
        manifest = self.work / "copied.json"
        self.tools.run("obkv-compact", *rules, "--base", base, "--json", "--now", NOW_MS, "-o", f"{night}-again", delta,
                       out=manifest)
        taken = json.loads(manifest.read_text())["base"]["taken_over"]
        self.report.check(taken.get("cells_in_copied_blocks", 0) > len(made) // 2, "copied/night has copied blocks", str(taken))
        self.add_files("copied/night", "none", "row", 65536)

    def write_from_hfiles(self):
        """HBase's files through our reader: the dump must be the cells, and so must what we write from them."""
        for file in [f for f in self.files if f.name.startswith("by-hbase/")]:
            dump = self.work / "by-hbase.dump"
            try:
                self.tools.run("obkv-verify", "dump", file.path, out=dump)
                problem = celldata.difference(file.cells, celldata.read_lines(dump))
            except Failed as e:
                problem = str(e)
            self.report.check(not problem, f"read {file.name}", problem)
            if file.name.startswith("by-hbase/codecs/"):
                name = f"again/{file.path.stem}"
                self.run_tool(name, file.cells, "obkv-import", "--format", "hfile", "--partition", "none", *PLAIN, file.path)
                self.add_files(name, "snappy", "row", 65536)

    # ---- HBase reads

    def scan_all(self, damaged):
        for profile, hbase in self.hbase.items():
            files = [f for f in self.files if profile == "codecs" or f.codec.lower() in HADOOP_CODECS]
            folder = self.work / f"scan-{profile}"
            folder.mkdir()
            bad = [d for d in damaged if d[2] == "ScanHFile"]
            jobs = [(f.name, f.path, folder / f"{i}.cells", f.codec, f.encoding if f.codec != "-" else "-", f.bloom, f.block,
                     SEEKS) for i, f in enumerate(files + [d[0] for d in bad])]
            verdicts = hbase.run_jobs("ScanHFile", jobs, self.work)
            for file, job in zip(files, jobs):
                self.scanned(hbase, file, verdicts[file.name], job[2])
            self.found(hbase, bad, verdicts)
            wide = [verdicts[f.name][1] for f in files if "/wide/" in f.name]
            if wide:
                self.report.check(all("2 index levels" in text for text in wide), f"index levels {hbase.version} of wide rows")

    def scanned(self, hbase, file, verdict, cells):
        ok, text = verdict
        if ok:
            problem = self.cells_differ(file, cells)
            ok, text = not problem, problem or text
        self.report.check(ok, f"scan {hbase.version} {file.name}", text)

    def cells_differ(self, file, cells):
        got = celldata.read_lines(cells)
        if file.cells is not None:
            return celldata.difference(file.cells, got)
        dump = self.work / "one.dump"
        try:
            self.tools.run("obkv-verify", "dump", file.path, out=dump)
        except Failed as e:
            return str(e)
        return celldata.difference(celldata.read_lines(dump), got)

    def print_all(self, damaged):
        hbase = self.hbase["codecs"]
        bad = [d for d in damaged if d[2] == "PrettyPrint"]
        files = [f for f in self.files if f.cells != []]  # HBase's printer fails on its own empty files: no mid key
        folder = self.work / "printed"
        folder.mkdir()
        jobs = [(f.name, f.path, folder / f"{i}.txt") for i, f in enumerate(files)]
        verdicts = hbase.run_jobs("PrettyPrint", jobs + [(d[0].name, d[0].path, "-") for d in bad], self.work)
        for file, job in zip(files, jobs):
            ok, text = verdicts[file.name]
            if ok and self.with_tools:
                ok, text = self.info_agrees(file.path, job[2])
            self.report.check(ok, f"print {hbase.version} {file.name}", text)
        self.found(hbase, bad, verdicts)

    def info_agrees(self, file, printed):
        """`obkv-verify info` gives the figures that HBase's printer gives."""
        path = f"{self.tools.folder.absolute()}:{os.environ['PATH']}"
        p = subprocess.run([sys.executable, COMPARE_INFO, printed, file], env={**os.environ, "PATH": path}, text=True,
                           stdin=subprocess.DEVNULL, capture_output=True, check=False, timeout=120)
        return p.returncode == 0, (p.stdout + p.stderr).strip()[-600:]

    def found(self, hbase, bad, verdicts):
        for file, words, program in bad:
            ok, text = verdicts[file.name]
            self.report.check(not ok and words in text, f"{program} {hbase.version} notices {file.name}", text)

    def single_files(self):
        damaged = self.damaged()
        if self.with_tools:
            self.write_by_us()
        self.scan_all(damaged)
        self.print_all(damaged)

    def run(self):
        if not self.write_by_hbase():
            return self.report.end()  # without HBase's own files nothing below would mean anything
        if not self.args.java_only:
            missing = self.tools.missing()
            text = f"missing in {self.args.bin}: {missing}" if missing else ""
            self.with_tools = self.report.check(not missing, "our programs", text)
        steps = dict(zip(STEPS, (self.single_files, lambda: cross.run(self), lambda: loads.run(self),
                                 lambda: splits.run(self), lambda: trees.run(self), lambda: compactions.run(self),
                                 lambda: hashes.run(self), lambda: policies.run(self),
                                 lambda: order.run(self), lambda: backups.run(self),
                                 lambda: missing_logs.run(self))))
        for step in self.args.only or [s for s in steps if s not in LONG_STEPS or os.environ.get("OBKV_STRESS")]:
            started = time.monotonic()
            self.report.step = step
            steps[step]()
            print(f"interop: {step} took {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        if not self.args.keep and not self.report.counts["FAIL"]:
            shutil.rmtree(self.work)
        return self.report.end()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=ROOT / "build" / "release" / "bin", help="folder of our programs")
    parser.add_argument("--java-only", action="store_true", help="only the Java side, on files written by HBase")
    parser.add_argument("--keep", action="store_true", help="keep build/interop/work (it is kept after a failure anyway)")
    parser.add_argument("--only", action="append", choices=STEPS, help="not everything, but this step")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("OBKV_INTEROP_SEED", 1)),
                        help="of trees, compactions, hashes, policies, order, backups, logs (default: OBKV_INTEROP_SEED, or 1)")
    parser.add_argument("--order-tables", type=int, default=order.TABLES, help="of the step order, each with some 40 decisions")
    start = time.monotonic()
    interop = Interop(parser.parse_args())
    code = interop.run()
    print(f"interop: {time.monotonic() - start:.0f} s", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main())
