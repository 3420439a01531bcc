#!/usr/bin/env python3
"""How wrong the time left is: runs of about 20 s (or --seconds), and the error of their forecasts at 25, 50 and 75 %.

    progress.py BIN [--seconds S] [--memory-small M] [NAME ...]        (make bench-progress)

Names: memory, spill, one, gz, zstd, shards, compact, apply, export, check, diff (the rows that a CSV names twice are read again),
differ (a third of the rows are on one side only), load, target (OceanBase's engine; by name, or left out where it is not
installed). The error is that of the forecast length of the run
(elapsed_s + eta_s), in percent of its real length. A report, not a gate: nothing fails.
"""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oceanbase"))
from peers import Engine  # noqa: E402
from rig import Bench, each_row  # noqa: E402

COLUMNS = "HBASE_ROW_KEY,f:a,f:b,g:c"
LOADED_PER_S = 75000  # rows; a slower engine only makes the runs longer


def make_csv(path, megabytes, seed=1):
    rnd, size = random.Random(seed), 0
    with open(path, "w") as f:
        while size < megabytes << 20:
            lines = "".join("%012d,%r,name%d,%s\n" % (rnd.randrange(10**12), rnd.random(), i, "x" * rnd.randrange(60))
                            for i in range(10000))
            size += f.write(lines)


def watch(command):
    """(seconds, [(elapsed, share, eta)]) of a run"""
    began, seen = time.monotonic(), []
    p = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in p.stderr:
        try:
            j = json.loads(line)
        except ValueError:
            sys.stderr.write(line)
            continue
        if "share" in j and j["phase"] != "end":
            seen.append((j["elapsed_s"], j["share"], j["eta_s"]))
    if p.wait() not in (0, 1):
        raise SystemExit("%s: exit %d" % (" ".join(command), p.returncode))
    return time.monotonic() - began, seen


def at(seen, seconds, quarter):
    """What was forecast nearest to this quarter of the run"""
    known = [s for s in seen if s[2] is not None]
    if not known:
        return "    ?"
    elapsed, _, eta = min(known, key=lambda s: abs(s[0] - seconds * quarter))
    return "%+5.0f" % (100 * (elapsed + eta - seconds) / seconds)


def report(name, command):
    seconds, seen = watch(command + ["--progress", "json"])
    gaps = [b[0] - a[0] for a, b in zip(seen, seen[1:])]
    errors = " ".join(at(seen, seconds, q) for q in (.25, .5, .75))
    silence = max(gaps, default=seconds)
    print("%-8s %6.1f s   error of the time: %s %%   longest silence %.1f s" % (name, seconds, errors, silence),
          flush=True)
    return seconds


class LargeEngine(Engine):
    datafile = "4096M"


def with_engine(binaries, seconds, names):
    """load and target, on an engine of their own"""
    folder = tempfile.mkdtemp(prefix="progress-engine-")
    engine = LargeEngine(folder)
    try:
        b = Bench(engine.prepare(), os.path.abspath(binaries), folder, False)
        where = b.export("forecast", each_row(int(seconds * LOADED_PER_S), size=100))
        engine.sql(open(os.path.join(where, "create.sql")).read())
        told = [*engine.options(), where]
        report("load", [os.path.join(b.binaries, "obkv-load"), *told])
        if "target" in names:
            report("target", [os.path.join(b.binaries, "obkv-verify"), "target", "-q", *told])
    finally:
        engine.stop()
        shutil.rmtree(folder)


def main():
    a = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    a.add_argument("bin")
    a.add_argument("names", nargs="*")
    a.add_argument("--seconds", type=float, default=20)
    a.add_argument("--memory-small", default="128M")
    o = a.parse_intermixed_args()
    tool = lambda name: os.path.join(os.path.abspath(o.bin), "obkv-" + name)
    where = tempfile.mkdtemp(prefix="progress-")
    dir_of = lambda name: os.path.join(where, name)
    csv, more = dir_of("probe.csv"), dir_of("more.csv")
    add = lambda out, memory, parts="key:17": [tool("import"), "-q", "--memory", memory, "-p", parts, "--columns", COLUMNS,
                                               "--overwrite", "--now", "1700000000000", "-o", dir_of(out), csv]
    runs = {"memory": lambda: report("memory", add("d", "16G")),
            "spill": lambda: report("spill", add("s", o.memory_small)),
            "one": lambda: report("one", add("n", "16G", "none")),
            "gz": lambda: report("gz", [*add("z", "16G"), "--codec", "gz"]),
            "zstd": lambda: report("zstd", [*add("z", "16G"), "--codec", "zstd"]),
            "shards": lambda: report("shards", [*add("m", "4G"), "--quote", "none", "--shards", "8"]),
            "compact": lambda: report("compact", [tool("compact"), "-q", "--versions", "1", "-o", dir_of("c"), dir_of("d"),
                                                  dir_of("s")]),
            "apply": lambda: report("apply", [tool("split"), "apply", "-q", "-p", "key:5", "-o", dir_of("a"), dir_of("d")]),
            "export": lambda: report("export", [tool("export"), "-q", "--format", "csv", "-o", dir_of("e"), dir_of("d")]),
            "check": lambda: report("check", [tool("verify"), "check", "-q", dir_of("d")]),
            "diff": lambda: report("diff", [tool("verify"), "diff", "-q", dir_of("d"), dir_of("s")]),
            "more": lambda: (make_csv(more, int(0.3 * os.path.getsize(csv)) >> 20, 2), watch([*add("w", "16G"), more])),
            "differ": lambda: report("differ", [tool("verify"), "diff", "-q", dir_of("d"), dir_of("w")])}
    needs = {"compact": ("memory", "spill"), "apply": ("memory",), "export": ("memory",), "check": ("memory",),
             "diff": ("memory", "spill"), "differ": ("memory", "more")}
    databases = [n for n in o.names if n in ("load", "target")] or ([] if o.names or Engine.missing() else ["load", "target"])
    names = [n for n in o.names if n not in databases] or ([] if o.names else [n for n in runs if n != "more"])
    done = set()
    try:
        if names:
            make_csv(csv, 32)
            took, _ = watch([*add("probe", "4G"), "--progress", "json"])
            shutil.rmtree(dir_of("probe"))
            make_csv(csv, max(32, int(32 * o.seconds / took)))
            print("input %.0f MB" % (os.path.getsize(csv) / 1e6), flush=True)
        for name in names:
            for n in (*needs.get(name, ()), name):
                if n not in done:
                    runs[n]()
                    done.add(n)
    finally:
        shutil.rmtree(where)
    if databases:
        with_engine(o.bin, o.seconds, databases)


if __name__ == "__main__":
    main()
