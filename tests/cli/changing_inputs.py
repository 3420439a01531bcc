#!/usr/bin/env python3
"""Inputs that change while they are read: the run ends with 5 and publishes nothing, or it read one of the two states.

    changing_inputs.py BIN [--seed N] [--keep] [-v] [NAME ...]

Each kind of input is truncated, appended to, replaced by rename, and rewritten with the same size and time of change, at random
moments of an import; OBKV_STRESS=1 (`make stress`): at 100 moments each. The last line is "N passed, N failed, N skipped".
"""
import gzip
import os
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time

from programs import NOW, Done, Suite, demand, digest, shown, tail

STRESS = bool(os.environ.get("OBKV_STRESS"))
MOMENTS, ROWS = (100, 200000) if STRESS else (4, 60000)


def csv_text(mark, rows=ROWS):
    return b"".join(b"row%07d,%s%d\n" % (i * 7919 % rows, mark, i % 1000 + 1000) for i in range(rows))


def as_csv(suite, path, text):
    path.write_bytes(text)


def as_gzip(suite, path, text):
    path.write_bytes(gzip.compress(text, 1, mtime=0))


def as_tar(suite, path, text):
    inner = suite.fresh("inner.csv")
    inner.write_bytes(text)
    with tarfile.open(path, "w") as t:
        t.add(inner, "inner.csv")


def as_hfile(suite, path, text):
    source, out = suite.fresh("source.csv"), suite.fresh("made")
    source.write_bytes(text)
    suite.call("import", "--quiet", "--partition", "none", "--columns", "HBASE_ROW_KEY,cf:a", "--now", NOW, "-o", out, source)
    shutil.copyfile(next(out.rglob("p*.hfile")), path)


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


def command(suite, path, out):
    columns = () if path.suffix == ".hfile" else ("--columns", "HBASE_ROW_KEY,cf:a")
    return ("--quiet", "--partition", "key:3", *columns, "--now", NOW, "-t", 2, "-o", out, path)


def whole(suite, path):
    """Digest of an undisturbed import, or None when the file is damaged; and how long that took."""
    out, began = suite.fresh("whole"), time.monotonic()
    done = suite.call("import", *command(suite, path, out), want=None)
    return (digest(out) if done.code == 0 else None), time.monotonic() - began


def disturbed(suite, path, other, change, pause):
    out = suite.fresh("out")
    argv = suite.command("import", command(suite, path, out))
    p = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=suite.env, cwd=suite.tmp)
    time.sleep(pause)
    p.send_signal(signal.SIGSTOP)
    change(path, other)
    p.send_signal(signal.SIGCONT)
    stdout, stderr = p.communicate(timeout=300)
    return suite.judge(argv, Done(p.returncode, stdout, stderr), {0, 5}), out


def changing(suite, ending, write, change):
    r = random.Random("%d %s %s" % (suite.seed, ending, change.__name__))
    first, second, path = suite.fresh("first" + ending), suite.fresh("second" + ending), suite.fresh("input" + ending)
    write(suite, first, csv_text(b"a"))
    write(suite, second, csv_text(b"b"))
    other, (before, took) = second.read_bytes(), whole(suite, first)
    refused = 0
    for _ in range(MOMENTS):
        shutil.copyfile(first, path)
        time.sleep(0.03)
        done, out = disturbed(suite, path, other, change, r.random() * took)
        refused += done.code == 5
        if done.code == 5:
            demand(not (out / "MANIFEST.json").exists(), "published though it ended with 5")
            demand("changed" in shown(done.err) or whole(suite, path)[0] is None, tail(done.err))
            continue
        after, _ = whole(suite, path)
        demand(digest(out) in (before, after), "exit 0 with data of neither state")
    if suite.args.verbose:
        print("# %s %s: %d of %d runs refused" % (ending, change.__name__, refused, MOMENTS))


def growing(suite):
    """A pipe is read as it comes; a file that never stops growing is refused."""
    text = csv_text(b"a", 1000)
    suite.call("import", "--quiet", "--partition", "none", "--format", "csv", "--columns", "HBASE_ROW_KEY,cf:a", "--now", NOW,
               "-o", suite.fresh("piped"), "-", stdin=text)
    path = suite.fresh("log.csv")
    path.write_bytes(csv_text(b"a"))
    with subprocess.Popen(["sh", "-c", "while :; do echo row,value; sleep 0.01; done >>'%s'" % path]) as writer:
        try:
            done = suite.call("import", *command(suite, path, suite.fresh("out")), want=5)
        finally:
            writer.kill()
    demand("changed while it was read" in shown(done.err), tail(done.err))


def main():
    suite = Suite(__doc__)
    kinds = ((".csv", as_csv), (".csv.gz", as_gzip), (".tar", as_tar), (".hfile", as_hfile))
    for ending, write in kinds:
        for change in (truncate, append, replace, rewrite):
            suite.run("%s %s" % (change.__name__, ending[1:]), changing, ending, write, change)
    suite.run("growing", growing)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
