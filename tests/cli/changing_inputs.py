#!/usr/bin/env python3
"""Inputs that change while they are read: the run ends with 5 and publishes nothing, or it read one of the two states.

    changing_inputs.py BIN [--seed N] [--keep] [-v] [NAME ...]

Each kind of input is truncated, appended to, replaced by rename, and rewritten with the same size and time of change, at random
moments of an import; a file of a dataset also while other programs read it. Only moments count at which the program still runs:
it is stopped for the change. Half of the kinds of inputs and of the programs are drawn for each change. OBKV_STRESS=1 (`make
stress`) takes all, at 100 moments each instead of 10. The last line is "N passed, N failed, N skipped".
"""
import collections
import gzip
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time

from disturbed import until
from programs import NOW, Done, Suite, demand, digest, drawn, shown, tail

STRESS = bool(os.environ.get("OBKV_STRESS"))
MOMENTS, ROWS = (100, 60000) if STRESS else (10, 12000)
TRIES = 40 * MOMENTS  # at most, for that many moments, one of them at a time at which a change is noticed
DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
LOGS, HASHES = DATA / "wals/migration", DATA / "hashtable/raw"


def csv_text(mark, rows=ROWS):
    return b"".join(b"row%07d,%s%d\n" % (i * 7919 % rows, mark, i % 1000 + 1000) for i in range(rows))


# ---- inputs: file(suite, mark) makes one of two states; operand(path) is what a program is given ----

def as_csv(suite, path, mark):
    path.write_bytes(csv_text(mark))


def as_gzip(suite, path, mark):
    path.write_bytes(gzip.compress(csv_text(mark), 1, mtime=0))


def as_tar(suite, path, mark):
    inner = suite.fresh("inner.csv")
    inner.write_bytes(csv_text(mark))
    with tarfile.open(path, "w") as t:
        t.add(inner, "inner.csv")


def made(suite, mark):
    """A dataset of one file, which takes a good part of a run."""
    out = suite.tmp / ("made-" + mark.decode())
    if not out.exists():
        source = suite.fresh("source.csv")
        source.write_bytes(csv_text(mark, 5 * ROWS))
        suite.call("import", "--quiet", "--partition", "none", "--columns", "HBASE_ROW_KEY,cf:a", "--timestamp", 1, "--now", NOW,
                   "-o", out, source)
    return out


def small(suite):
    """A dataset of one row, to be compacted onto another."""
    out = suite.tmp / "made-small"
    if not out.exists():
        source = suite.fresh("one.csv")
        source.write_text("row,value\n")
        suite.call("import", "--quiet", "--partition", "none", *COLUMNS, "--now", NOW, "-o", out, source)
    return out


def as_hfile(suite, path, mark):
    shutil.copyfile(next(made(suite, mark).rglob("p*.hfile")), path)


def as_cells(suite, path, mark):
    path.write_bytes(suite.call("verify", "dump", made(suite, mark)).out)


def as_seqfile(suite, path, mark):
    shutil.copyfile(next((DATA / "seqfiles" / ("none_v5" if mark == b"a" else "gzip_block")).glob("part*")), path)


def as_log(suite, path, mark):
    shutil.copyfile(DATA / "wals" / ("gz2.log" if mark == b"a" else "dict2.log"), path)


# ---- changes ----

def truncate(path, other):
    os.truncate(path, os.stat(path).st_size * 2 // 3)


def append(path, other):
    with open(path, "ab") as f:
        f.write(other[:max(4096, len(other) // 10)])


def replace(path, other):
    beside = path.with_name("beside")
    beside.write_bytes(other)
    os.replace(beside, path)


def rewrite(path, other):
    """The same size and time of change."""
    st = os.stat(path)
    with open(path, "r+b") as f:
        f.write(other[:st.st_size].ljust(st.st_size, b"\n"))
    os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))


# ---- programs: what to run, and what came out of it ----

Program = collections.namedtuple("Program", "argv result codes", defaults=((0, 5),))
COLUMNS = ("--columns", "HBASE_ROW_KEY,cf:a", "--timestamp", 1)
MAKE = ("--quiet", "--now", NOW, "-t", 2, "-o")


def cells(suite, done, out):
    return digest(out)


def load_files(suite, done, out):
    return tuple(p.read_bytes() for p in sorted((out / "data").rglob("*")) if p.is_file())


def printed(suite, done, out):
    return done.out


def counted(suite, done, out):
    found = json.loads(done.out)
    return [found[k] for k in ("digest", "cells", "bytes", "kv_bytes") if k in found]


def importing(*more):
    return Program(lambda suite, x, out: ("import", "--partition", "key:3", *more, *MAKE, out, x), cells, (0, 4, 5))


READERS = {
    "import": importing(),
    "compact": Program(lambda suite, x, out: ("compact", "--versions", 1, *MAKE, out, x), cells),
    "split": Program(lambda suite, x, out: ("split", "apply", "--partition", "key:3", *MAKE, out, x), cells),
    "export": Program(lambda suite, x, out: ("export", "--name", "t", *MAKE, out, x), load_files),
    "check": Program(lambda suite, x, out: ("verify", "check", "--json", "-t", 2, x), counted, (0, 1, 5)),
    "diff": Program(lambda suite, x, out: ("verify", "diff", "-t", 2, x, made(suite, b"a")), printed, (0, 1, 5)),
    "dump": Program(lambda suite, x, out: ("verify", "dump", "-t", 2, x), printed),
    "plan": Program(lambda suite, x, out: ("split", "plan", "--json", "-t", 2, x), lambda suite, done, out: None),
    "skew": Program(lambda suite, x, out: ("verify", "skew", "--json", "-t", 2, x), lambda suite, done, out: None, (0, 1, 5)),
    "simulate": Program(lambda suite, x, out: ("split", "simulate", "--json", "--splits", "none", "-t", 2, x),
                        lambda suite, done, out: None),
    "hashtable": Program(lambda suite, x, out: ("verify", "hashtable", "-t", 2, HASHES, x), printed, (0, 1, 5)),
    "compact onto it": Program(lambda suite, x, out: ("compact", "--versions", 1, "--base", x, *MAKE, out, small(suite)), cells),
}
HASHED = Program(lambda suite, x, out: ("verify", "hashtable", "-t", 2, x, DATA / "seqfiles/none_raw"), printed, (0, 1, 5))
AFTER = Program(lambda suite, x, out: ("import", "--partition", "none", "--after", x, *MAKE, out, LOGS / "WALs"), cells)


# ---- runs ----

def undisturbed(suite, program, operand):
    """What it makes of that, or None where it refuses it; and how long that takes."""
    out, began = suite.fresh("whole"), time.monotonic()
    argv = program.argv(suite, operand, out)
    done = suite.call(*argv, want=set(program.codes))
    return (program.result(suite, done, out) if done.code == 0 else None), time.monotonic() - began


def stopped(p):
    """Stops it; whether it still ran."""
    if p.poll() is not None:
        return False
    os.kill(p.pid, signal.SIGSTOP)
    return os.waitid(os.P_PID, p.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT).si_code == os.CLD_STOPPED


def disturbed(suite, program, operand, act, pause):
    """The end of a run, and whether it still ran when its input changed."""
    out = suite.fresh("out")
    argv = program.argv(suite, operand, out)
    argv = suite.command(argv[0], argv[1:])
    p = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=suite.env, cwd=suite.tmp)
    time.sleep(pause)
    ran = stopped(p)
    act()
    p.send_signal(signal.SIGCONT)
    stdout, stderr = p.communicate(timeout=300)
    return suite.judge(argv, Done(p.returncode, stdout, stderr), set(program.codes)), out, ran


def changing(suite, program, operand, path, states, change):
    """path: the file that changes, in operand or operand itself."""
    r = random.Random("%d %s %s" % (suite.seed, path.name, change.__name__))
    other, count = states[1].read_bytes(), collections.Counter()
    shutil.copyfile(states[0], path)
    before, took = undisturbed(suite, program, operand)
    change(path, other)
    after, _ = undisturbed(suite, program, operand)
    while count["hit"] < MOMENTS or not count["refused"]:
        demand(count["hit"] + count["ended"] < TRIES, "no change was noticed: %s" % dict(count))
        shutil.copyfile(states[0], path)
        time.sleep(0.03)
        done, out, ran = disturbed(suite, program, operand, lambda: change(path, other), r.random() * took)
        took *= 1 if ran else 0.9  # the machine was busier when it was measured
        count["hit" if ran else "ended"] += 1
        count["refused"] += done.code == 5
        if done.code == 0:
            demand(program.result(suite, done, out) in (before, after), "exit 0 with data of neither state")
        else:
            demand(not (out / "MANIFEST.json").exists(), "published though it ended with %d" % done.code)
        if done.code == 5:
            demand("changed" in shown(done.err) or after is None, tail(done.err))
    if suite.args.verbose:
        print("# %s: %d of %d runs refused" % (change.__name__, count["refused"], count["hit"]))


def file_changing(suite, ending, write, program, change):
    states = [suite.fresh(name + ending) for name in ("first", "second")]
    for state, mark in zip(states, (b"a", b"b")):
        write(suite, state, mark)
    path = suite.fresh("input" + ending)
    changing(suite, program, path, path, states, change)


def dataset_changing(suite, name, change):
    """One file of a dataset; the manifest stays."""
    operand = suite.fresh("dataset")
    shutil.copytree(made(suite, b"a"), operand)
    states = [next(made(suite, mark).rglob("p*.hfile")) for mark in (b"a", b"b")]
    changing(suite, READERS[name], operand, next(operand.rglob("p*.hfile")), states, change)


def unpacked(suite, name):
    directory = suite.fresh("tree")
    with tarfile.open(DATA / "hbase_trees" / (name + ".tar.xz")) as tar:
        tar.extractall(directory)
    for crc in directory.rglob("*.crc"):
        crc.unlink()
    return directory / name / "hbase"


def largest_changing(suite, program, operand, files, change):
    """The largest of some files becomes the smallest."""
    states, files = [suite.fresh("first"), suite.fresh("second")], sorted(files, key=lambda p: p.stat().st_size)
    shutil.copyfile(files[-1], states[0])
    shutil.copyfile(files[0], states[1])
    changing(suite, program, operand, files[-1], states, change)


def named(top, length):
    """Store files: 32 digits, those of values outside of them 72 or more."""
    digits = set("0123456789abcdef_")
    return [p for p in top.rglob("*") if p.is_file() and length <= len(p.name) < 2 * length and set(p.name) <= digits]


def tree_changing(suite, program, change):
    """A store file of a table directory."""
    table = unpacked(suite, "a1_snapshot") / "data/default/simple"
    largest_changing(suite, program, table, named(table, 32), change)


def values_changing(suite, change):
    """A file of values outside of the store files."""
    root = unpacked(suite, "e_codecs_mob")
    largest_changing(suite, importing(), root / "data/default/codecs", named(root / "mobdir/data/default/codecs", 72), change)


def base_of_logs_changing(suite, change):
    """A store file of the snapshot after which logs are read."""
    root = suite.fresh("migration")
    shutil.copytree(LOGS, root)
    largest_changing(suite, AFTER, root / ".hbase-snapshot/base", named(root / "archive", 32) + named(root / "data", 32), change)


def hashes_changing(suite, change):
    directory = suite.fresh("hashes")
    shutil.copytree(DATA / "hashtable/raw", directory)
    largest_changing(suite, HASHED, directory, list(directory.glob("hashes/*/data")), change)


def by_descriptor(suite, given, *more):
    argv = suite.command("import", ("--quiet", "--partition", "none", "--format", "csv", *COLUMNS, *MAKE, suite.fresh("out"), "-",
                                    *more))
    return argv, subprocess.Popen(argv, stdin=given, stderr=subprocess.PIPE, env=suite.env, cwd=suite.tmp)


def ended(suite, argv, p, codes):
    err = p.communicate(timeout=300)[1]
    return suite.judge(argv, Done(p.returncode, b"", err), codes)


def changed_after_it(suite, given, act):
    """A pipe is the next input: all of the file has been read, and the run cannot end before the pipe does."""
    pipe = suite.fresh("pipe")
    os.mkfifo(pipe)
    argv, p = by_descriptor(suite, given, pipe)
    with pipe.open("wb") as f:  # waits for the reader
        act()
        f.write(b"last,value\n")
    return ended(suite, argv, p, {0, 5})


def changed_within_it(suite, given, act, at):
    """As soon as so much has been read, if that is seen in time."""
    argv, p = by_descriptor(suite, given)
    while p.poll() is None and os.lseek(given.fileno(), 0, os.SEEK_CUR) < at:
        pass
    stopped(p)
    act()
    p.send_signal(signal.SIGCONT)
    return ended(suite, argv, p, {0, 5})


def standard_input_changing(suite, change):
    """A file that is given by <, by its descriptor: cut or rewritten under way it is refused; replaced or removed, it stays."""
    path, out, r = suite.fresh("given.csv"), suite.tmp / "out", random.Random(suite.seed)
    stays, text, other = change in (replace, pathlib.Path.unlink), csv_text(b"a", 20 * ROWS), csv_text(b"b", 20 * ROWS)
    for disturb, at in ((changed_after_it, ()), (changed_within_it, (0,))):
        path.write_bytes(text)
        with path.open("rb") as given:
            disturb(suite, given, lambda: None, *at)
        want = digest(out)
        for _ in range(MOMENTS // 2):
            path.write_bytes(text)
            time.sleep(0.03)
            with path.open("rb") as given:
                done = disturb(suite, given, lambda: change(path, other), *(r.randrange(1, len(text)) for _ in at))
            demand(at or done.code == (0 if stays else 5), "exit %d" % done.code)
            if done.code == 5:
                demand(not (out / "MANIFEST.json").exists() and "standard input: changed" in shown(done.err), tail(done.err))
            else:
                demand(digest(out) == want, "other data than the file had that was given")


def growing(suite):
    """A pipe is read as it comes; a file that never stops growing is refused."""
    text = csv_text(b"a", 1000)
    suite.call("import", "--quiet", "--partition", "none", "--format", "csv", *COLUMNS, "--now", NOW, "-o", suite.fresh("piped"),
               "-", stdin=text)
    path, pipe = suite.fresh("log.csv"), suite.fresh("pipe")
    path.write_bytes(csv_text(b"a"))
    os.mkfifo(pipe)
    with subprocess.Popen(["sh", "-c", "while :; do echo row,value; sleep 0.01; done >>'%s'" % path]) as writer:
        try:
            size = path.stat().st_size
            until(writer, lambda: path.stat().st_size > size, "the first growth")
            argv = importing(*COLUMNS, "--format", "csv").argv(suite, path, suite.fresh("out"))
            argv = suite.command(argv[0], (*argv[1:], pipe))
            p = subprocess.Popen(argv, stderr=subprocess.PIPE, env=suite.env, cwd=suite.tmp)
            with pipe.open("wb"):  # the run has begun, and does not end before this does
                size = path.stat().st_size
                until(p, lambda: path.stat().st_size > size, "growth while it is read")
            done = ended(suite, argv, p, {5})
        finally:
            writer.kill()
    demand("changed while it was being read" in shown(done.err), tail(done.err))


KINDS = ((".csv", as_csv, COLUMNS), (".csv.gz", as_gzip, COLUMNS), (".tar", as_tar, COLUMNS), (".hfile", as_hfile, ()),
         (".cells", as_cells, ("--format", "cells")), (".seq", as_seqfile, ("--format", "seqfile")),
         (".log", as_log, ("--format", "wal", "--table", "t1")))


def main():
    suite = Suite(__doc__)
    for change in (truncate, append, replace, rewrite):
        for ending, write, more in drawn(KINDS, 2, change.__name__):
            suite.run("%s %s" % (change.__name__, ending[1:]), file_changing, ending, write, importing(*more), change)
        suite.run("%s store file" % change.__name__, tree_changing, importing(), change)
        for changing_part in (values_changing, base_of_logs_changing, hashes_changing):
            suite.run("%s, %s" % (changing_part.__name__, change.__name__), changing_part, change)
        for name in drawn(READERS, 2, change.__name__):
            if name == "compact onto it" and change is rewrite:
                continue  # its files are shared, so what is written into one is in the other
            suite.run("%s dataset, %s" % (change.__name__, name), dataset_changing, name, change)
    for change in (truncate, append, replace, rewrite):
        suite.run("%s standard input" % change.__name__, standard_input_changing, change)
    suite.run("growing", growing)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
