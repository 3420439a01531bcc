#!/usr/bin/env python3
"""A table directory of very many small store files and one region with most of the rows, in little memory and few descriptors.

    many_files.py BIN [--seed N] [--keep] [-v] [NAME ...]

2,000 files, 6,000 of no store, and 64 descriptors; OBKV_STRESS=1 (`make stress`): 100,000, 30,000, 256 descriptors, a region of
300 MB of text. All in 64 MB of memory. -v prints times and peaks. The last line is "N passed, N failed, N skipped".
"""
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

from disturbed import TWO_COLUMNS, cpu_s, csv_of, ended_cpu_s, looks_at_signals, until
from measured import measured
from programs import NOW, Done, Suite, cell_files, demand, digest, manifest

STRESS = bool(os.environ.get("OBKV_STRESS"))
ORIGINALS, REGIONS, DESCRIPTORS, BIG_ROWS = (2000, 50, 256, 3000000) if STRESS else (100, 20, 64, 300000)
MEMORY_MB = 64
END_S = 2  # of processor time at most between a signal and the end: a tenth of that is usual
MANIFEST_MAX = 200000


class Tree:
    """Files of ours are HFiles: those of one dataset, linked into every region, and a larger one in the first region."""

    def __init__(self, suite):
        self.dir = suite.tmp / "root/data/default/many"
        small, big = self.dataset(suite, 10 * ORIGINALS, "key:%d" % ORIGINALS), self.dataset(suite, BIG_ROWS, "none")
        self.small, originals = small, cell_files(small)  # a few partitions may stay without rows
        for region in range(REGIONS):
            for number, path in enumerate(originals):
                self.link(path, region + 1, number)
        self.link(cell_files(big)[0], 0, 0)
        self.last = self.path(REGIONS, len(originals) - 1)
        self.files = sum(len(files) for _, _, files in os.walk(self.dir))
        self.cells = REGIONS * manifest(small)["totals"]["cells"] + manifest(big)["totals"]["cells"]
        self.digest = (REGIONS * digest(small) + digest(big)) % (1 << 128)
        print("# %d files, %d cells" % (self.files, self.cells))

    @staticmethod
    def dataset(suite, rows, partition):
        out = suite.fresh("made-%d" % rows)
        suite.call("import", "--quiet", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "-o", out, csv_of(suite, rows))
        return out

    def path(self, region, number):
        return self.dir / ("%032x" % region) / "cf" / ("%032x" % number)

    def link(self, path, region, number):
        to = self.path(region, number)
        to.parent.mkdir(parents=True, exist_ok=True)
        os.link(path, to)

    def importing(self, out, *args):
        return ("--quiet", "--partition", "key:97", "--now", NOW, *args, "-o", out, self.dir)


def timed(suite, tool, *args, **kw):
    """With --memory, which the peak must respect."""
    started = time.monotonic()
    done = measured(suite, MEMORY_MB, tool, *args, **kw)
    if suite.args.verbose:
        print("    # %.1f s" % (time.monotonic() - started))
    return done


def is_whole(tree, out):
    demand(digest(out) == tree.digest, "the digest is not that of the files")
    demand(manifest(out)["totals"]["cells"] == tree.cells, "cells are missing")
    size = (out / "MANIFEST.json").stat().st_size
    demand(size < MANIFEST_MAX, "the manifest has %d bytes" % size)


def imports(suite, tree, out):
    timed(suite, "import", *tree.importing(out))
    is_whole(tree, out)


def nothing_to_do(suite, tree, out):
    """A finished run is found finished; also when only the time of change of a file is another one."""
    before = (out / "MANIFEST.json").stat().st_mtime_ns
    timed(suite, "import", *tree.importing(out))
    if not STRESS:
        os.utime(tree.last)
        timed(suite, "import", *tree.importing(out))
    demand((out / "MANIFEST.json").stat().st_mtime_ns == before, "a finished run was made again")


def flat(suite, tree):
    """HFiles in no store: each is an input of its own, with an entry in the manifest. Long paths stand in for more files."""
    files, n = manifest(tree.small)["files"], 30000 if STRESS else 6000
    where, out = suite.tmp.joinpath("flat", *(["a" * 240] * (0 if STRESS else 4))), suite.fresh("from-flat")
    where.mkdir(parents=True)
    for i in range(n):
        os.link(tree.small / files[i % len(files)]["path"], where / ("%06d" % i))
    command = ("--quiet", "--partition", "key:97", "--now", NOW, "-o", out, where)
    timed(suite, "import", *command)
    cells = sum(files[i % len(files)]["cells"] for i in range(n))
    demand(manifest(out)["totals"]["cells"] == cells, "cells are missing")
    demand(len(manifest(out)["inputs"]) == n, "inputs are missing")
    before = (out / "MANIFEST.json").stat().st_mtime_ns
    timed(suite, "import", *command)
    demand((out / "MANIFEST.json").stat().st_mtime_ns == before, "a finished run was made again")
    shutil.rmtree(suite.tmp / "flat")


def lists(suite, tree):
    done = timed(suite, "import", "--list", "--json", tree.dir)
    demand(b'"files": %d' % tree.files in done.out, "--list does not count %d files" % tree.files)
    timed(suite, "import", "--dry-run", *tree.importing(suite.fresh("dry")))


def compacts(suite, tree):
    out = suite.fresh("compacted")
    timed(suite, "compact", "--quiet", "--versions", 1, "--partition", "key:97", "--now", NOW, "-o", out, tree.dir)
    demand(manifest(out)["ledger"]["cells"]["in"]["cells"] == tree.cells, "cells are missing")


def compares(suite, tree, out):
    timed(suite, "verify", "diff", out, tree.dir)


def begun(suite, tree, out):
    """A run whose files have been listed and are being read. Whoever watches it comes first on a busy machine."""
    command = suite.command("import", ("--memory", "64M", *tree.importing(out)))
    p = subprocess.Popen(["nice", "-n", "19", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         env=suite.env)
    until(p, (out / ".obkv").exists, "the output folder")
    return command, p


def ended(suite, command, p, want):
    text, errors = p.communicate(timeout=120)
    return suite.judge(command, Done(p.returncode, text, errors), want)


def file_vanishes(suite, tree):
    """Between the look at it and reading it: exit 5, named, and the run can be made once it is back."""
    out, aside = suite.fresh("vanished"), suite.tmp / "aside"
    command, p = begun(suite, tree, out)
    p.send_signal(signal.SIGSTOP)
    tree.last.rename(aside)
    p.send_signal(signal.SIGCONT)
    done = ended(suite, command, p, 5)
    aside.rename(tree.last)
    demand(str(tree.last).encode() in done.err, "the file is not named: %r" % done.err)
    demand(not (out / "MANIFEST.json").exists(), "published in spite of it")
    suite.call("import", *tree.importing(out))
    is_whole(tree, out)


def signal_ends(suite, tree, sig, reading):
    out = suite.fresh("stopped")
    if reading:
        command, p = begun(suite, tree, out)
    else:
        command = suite.command("import", tree.importing(out))
        p = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=suite.env)
        looks_at_signals(p)
        time.sleep(2 if STRESS else random.Random(suite.seed).random() / 50)
    before = ended_cpu_s() + cpu_s(p)
    p.send_signal(sig)
    ended(suite, command, p, 128 + sig)
    took = ended_cpu_s() - before
    if suite.args.verbose:
        print("    # %.2f s of work after the signal" % took)
    demand(took < END_S, "%.1f s of work from the signal to the end" % took)
    demand(not (out / "MANIFEST.json").exists(), "published in spite of the signal")
    if reading:
        suite.call("import", *tree.importing(out))
        is_whole(tree, out)


def disk_limit(suite, tree):
    out = suite.fresh("limited")
    suite.call("import", *tree.importing(out, "--memory", "64M", "--disk-limit", "1M"), want={6, 7})
    demand(not (out / "MANIFEST.json").exists(), "published in spite of it")
    suite.call("import", *tree.importing(out))
    is_whole(tree, out)


def main():
    suite = Suite(__doc__)
    tree = Tree(suite)
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    out = suite.tmp / "whole"
    suite.run("import", imports, tree, out)
    suite.run("nothing to do", nothing_to_do, tree, out)
    suite.run("files of no store", flat, tree)
    suite.run("list and dry run", lists, tree)
    suite.run("compact", compacts, tree)
    suite.run("diff", compares, tree, out)
    shutil.rmtree(suite.tmp / "compacted", ignore_errors=True)
    suite.run("a file vanishes", file_vanishes, tree)
    for sig in (signal.SIGINT, signal.SIGTERM):
        suite.run("listing, " + sig.name, signal_ends, tree, sig, False)
        suite.run("reading, " + sig.name, signal_ends, tree, sig, True)
    suite.run("disk limit", disk_limit, tree)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
