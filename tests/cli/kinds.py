#!/usr/bin/env python3
"""What a dataset is of its table follows from what was read, however it was given and whatever call failed once.

    kinds.py BIN [--keep] [-v] [NAME ...]

Logs alone are a delta, whose markers a compaction keeps: as files, in archives, through a pipe, and from a delta. Then every call
that opens or reads a file fails once: the run fails, or makes the dataset of an undisturbed run.
The last line is "N passed, N failed, N skipped".
"""
import pathlib
import shutil
import subprocess
import sys
import tarfile

from faulty_calls import Faulty
from programs import NOW, Suite, demand, digest, manifest, tail
from wals import made_log

WALS = pathlib.Path(__file__).resolve().parent.parent / "data" / "wals"
LOGS = (WALS / "dict1.log", WALS / "dict2.log")
SNAPSHOT = WALS / "migration/.hbase-snapshot/base"
COMMON = ("--quiet", "--partition", "key:3", "--table", "t1", "--now", NOW)
RULES = ("--compact", "--versions", "3")
CALLS = {"open": 5, "read": 5, "stat": 5, "dir": 5, "map": 12}  # kind: errno


def made(suite, *args, command="import", stdin=None):
    out = suite.tmp / ("out%d" % sum(1 for _ in suite.tmp.glob("out*")))
    if stdin is None:
        suite.call(command, "-o", out, *args)
    else:
        with open(stdin, "rb") as file, subprocess.Popen(["cat"], stdin=file, stdout=subprocess.PIPE) as cat:
            argv = suite.command(command, ("-o", out, *args))
            done = subprocess.run(argv, stdin=cat.stdout, stderr=subprocess.PIPE, env=suite.env, check=False)
            demand(done.returncode == 0, tail(done.stderr))
    return out


def kind(out):
    return manifest(out).get("kind")


def packed_logs(suite):
    path = suite.tmp / "logs.tar"
    with tarfile.open(path, "w") as tar:
        for log in LOGS:
            tar.add(log, log.name)
    gz = suite.tmp / "logs.tar.gz"
    with tarfile.open(gz, "w:gz") as tar:
        tar.add(path, "inner.tar")
    return path, gz


def check_delta(suite):
    """Each way to give the two logs makes the dataset that the files make."""
    tar, nested = packed_logs(suite)
    for rules in ((), RULES, RULES + ("--rules", "oceanbase")):
        want = made(suite, *COMMON, *rules, *LOGS)
        demand(kind(want) == "delta", "files: kind %s" % kind(want))
        for path in (tar, nested):
            got = made(suite, *COMMON, *rules, path)
            demand(kind(got) == "delta" and digest(got) == digest(want), "%s: kind %s" % (path.name, kind(got)))
            demand(manifest(got).get("rules") == manifest(want).get("rules"), "%s: other rules" % path.name)
        piped = made(suite, *COMMON, *rules, "-", stdin=tar)
        demand(kind(piped) == "delta" and digest(piped) == digest(want), "a pipe of an archive")
        one, stdin = made(suite, *COMMON, *rules, LOGS[0]), made(suite, *COMMON, *rules, "-", stdin=LOGS[0])
        demand(kind(stdin) == "delta" and digest(one) == digest(stdin), "a pipe of a log")
    # a delta that is imported or compacted again stays one, and a log that is compacted makes one
    delta = made(suite, *COMMON, *LOGS)
    want = made(suite, *COMMON, *RULES, *LOGS)
    for again in (made(suite, "--quiet", "--partition", "key:3", "--now", NOW, *RULES, delta),
                  made(suite, "--quiet", "--now", NOW, "--versions", "3", delta, command="compact")):
        demand(kind(again) == "delta" and digest(again) == digest(want), "a delta again: kind %s" % kind(again))


def check_others(suite):
    """What is not logs alone is no delta."""
    cells = suite.tmp / "more.cells"
    cells.write_text("61\t61\t63\t5\t4\t0\t64\t-\n")
    both = suite.tmp / "both.tar"
    with tarfile.open(both, "w") as tar:
        tar.add(LOGS[0], "a.log")
        tar.add(cells, "b.cells")
    for args in ((LOGS[0], cells), (both,)):
        out = made(suite, *COMMON, *args)
        demand(kind(out) is None, "%s: kind %s" % (args[0].name, kind(out)))
    logs = suite.tmp / "migration.tar"
    with tarfile.open(logs, "w") as tar:
        for log in sorted((WALS / "migration/WALs").glob("*/*"))[:2]:
            tar.add(log, log.name)
    out = made(suite, "--quiet", "--partition", "key:3", "--now", NOW, SNAPSHOT, logs)
    demand(kind(out) == "whole", "a snapshot and logs: kind %s" % kind(out))
    single, one = suite.tmp / "single.log", suite.tmp / "one.tar"
    single.write_bytes(made_log([(6, [(b"r", b"a", b"q", b"v")])]))
    with tarfile.open(one, "w") as tar:
        tar.add(single, "single.log")
    raw = made(suite, "--quiet", "--now", NOW, "--partition", "none", "--versions", "3", single,
               command="compact")
    demand(kind(raw) == "delta", "a log that is compacted: kind %s" % kind(raw))
    done = suite.call("import", "--quiet", "--partition", "key:3", "--now", NOW, "--shard", "1/1", "-o", suite.fresh("shard"),
                      one, want=2)
    demand(b"holds a write-ahead log" in done.err, tail(done.err))


def tree_of(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file() and ".obkv" not in p.parts}


def check_faults(suite, args):
    out = suite.fresh("faulty")
    program = Faulty(suite, ("import", *COMMON, *RULES, "-t", "1", "-o", out, *args))
    done, _ = program.run()
    demand(done.code == 0, tail(done.err))
    want, runs, wrong = tree_of(out), 0, []
    demand(kind(out) == "delta", "no delta")
    for name, errno in CALLS.items():
        shutil.rmtree(out, ignore_errors=True)
        for at in range(1, program.run(name)[1] + 1):
            shutil.rmtree(out, ignore_errors=True)
            done, _ = program.run(name, at, "once", errno)
            runs += 1
            if done.code == 0 and tree_of(out) != want:
                wrong.append("%s %d: kind %s" % (name, at, kind(out)))
    program.end()
    demand(not wrong, "%d of %d runs end with 0 and another dataset: %s" % (len(wrong), runs, ", ".join(wrong[:6])))
    if suite.args.verbose:
        print("# %d runs with one failing call" % runs)


def main():
    suite = Suite(__doc__, in_memory=True)
    suite.run("delta", check_delta)
    suite.run("others", check_others)
    suite.run("calls fail: files", check_faults, LOGS)
    suite.run("calls fail: archive", check_faults, packed_logs(suite)[:1])
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
