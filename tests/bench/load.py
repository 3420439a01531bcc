#!/usr/bin/env python3
"""What loading costs, on OceanBase's engine: the same load files by hand and by obkv-load in turns, beside INSERTs.

    tests/bench/load.py BIN [CELLS [ROUNDS]]     (make bench-load; default 1,000,000 cells, 3 rounds; several minutes, 3 GB)

By hand: the best single statement for all files, by a client. Who goes first changes from round to round, since the engine's
pace does from one load to the next; medians count. "Around the statements" is what obkv-load takes beside them: checks,
checksums, journal.
Multi-row INSERTs of 1000 rows and row-by-row REPLACE send 20,000 rows. The last load is verified. At the end one byte of one
value is changed by hand: verify target has to name its row.
The export is timed beside obkv-verify check of the same dataset. CPU is what the programs themselves took, user and system.
"""
import itertools
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oceanbase"))
from rig import NOW, Bench, each_row, manifest  # noqa: E402
from peers import Engine  # noqa: E402

FEW = 20000
SIZE = 200  # bytes of a value, at most


class Slow(Bench):
    timeout = 7200


def engine_for(cells):
    """Bytes of its data file: rows twice, since what TRUNCATE frees is given back later."""
    class BenchEngine(Engine):
        datafile = "%dM" % max(2048, cells * 800 >> 20)
    return BenchEngine


class Took:
    """Seconds of wall time, and of CPU of the programs that were run."""

    def __init__(self, what):
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        what()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.wall = time.monotonic() - start
        self.cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def middle(times):
    """Of an odd number, the one of the median CPU."""
    return sorted(times, key=lambda t: t.cpu)[len(times) // 2]


def bytes_of(folder):
    return sum(os.path.getsize(os.path.join(at, f)) for at, _, files in os.walk(folder) for f in files)


def show(name, rows, took, note=""):
    print("%-34s %9d rows %8.1f s %9d rows/s  CPU %6.1f s  %s" % (name, rows, took.wall, rows / took.wall, took.cpu, note),
          flush=True)


def by_hand(b, where):
    b.peer.sql("SET ob_query_timeout = 36000000000, ob_trx_timeout = 36000000000; "
               "LOAD DATA /*+ direct(false, 0, 'inc') parallel(4) */ "
               "INFILE '%s/data/*.kqvt' INTO TABLE `bench$f` CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' "
               "LINES TERMINATED BY '\\n' (K, Q, V, T)" % where, timeout=Slow.timeout)


def by_tool(b, where):
    """Seconds inside the statements, by obkv-load's own events."""
    command = [os.path.join(b.binaries, "obkv-load")] + b.peer.options() + ["--restart", "--progress", "json", where]
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=Slow.timeout)
    if done.returncode:
        raise SystemExit(done.stderr.decode(errors="replace"))
    events = [json.loads(line) for line in done.stderr.splitlines() if line.startswith(b"{")]
    return sum(e["seconds"] for e in events if e.get("step") == "done")


def values(row):
    k, q, v, ts = row
    return "(x'%s', x'%s', %d, x'%s')" % (k.hex(), q.hex(), -ts, v.hex())


def inserts(b, rows, verb, each):
    into = "%s INTO `bench$f` (K, Q, T, V) VALUES " % verb
    b.peer.sql(";\n".join(into + ", ".join(map(values, rows[i:i + each])) for i in range(0, len(rows), each)), timeout=3600)


def truncate(b):
    b.peer.sql("TRUNCATE TABLE `bench$f`")


def export(b, rows):
    """The folder of the export, and the median seconds of making it: three times, in turns with a check of the dataset."""
    dataset, where = b.dataset("bench", rows), b.path("bench")
    os.remove(b.path("bench.cells"))
    checks, exports = [], []
    for _ in range(3):
        shutil.rmtree(where, ignore_errors=True)
        checks.append(Took(lambda: b.run("obkv-verify", "check", dataset)))
        exports.append(Took(lambda: b.run("obkv-export", "--now", NOW, "--create", "-o", where, dataset)))
    totals = manifest(where)["totals"]
    check, took = middle(checks), middle(exports)
    show("obkv-verify check", totals["rows"], check)
    show("obkv-export", totals["rows"], took, "%.2f of check's CPU, %.2f of its time; %.2f of it for each byte in and out" % (
        took.cpu / check.cpu, took.wall / check.wall,
        took.cpu / check.cpu * bytes_of(dataset) / (bytes_of(dataset) + bytes_of(where))))
    return where, took


def one_byte(b, where, cells):
    """Changes it by hand; whether verify named its row, and nothing else."""
    one = next(r for r in itertools.islice(each_row(cells, size=SIZE), cells // 2, None) if len(r[2]) > 3)
    b.peer.sql("UPDATE `bench$f` SET V = x'%s' WHERE K = x'%s'" % ((bytes([one[2][0] ^ 1]) + one[2][1:]).hex(), one[0].hex()))
    found = []
    took = Took(lambda: found.extend(b.verify(where, want=1)))
    named = [x["row"] for x in found if "row" in x] == [one[0].hex()]
    show("obkv-verify target, one byte", cells, took, "named" if named else "NOT NAMED: " + json.dumps(found)[:2000])
    return named


def rounds_of(b, where, cells, rounds):
    """Both ways in turns; the median seconds of obkv-load. Rows of the last load stay."""
    hand, tool, around = [], [], []

    def load_by_hand():
        hand.append(Took(lambda: by_hand(b, where)))
        show("one statement by hand", cells, hand[-1])

    def load_by_tool():
        inside = []
        tool.append(Took(lambda: inside.append(by_tool(b, where))))
        around.append(tool[-1].wall - inside[0])
        show("obkv-load", cells, tool[-1], "%.1f s around the statements" % around[-1])

    for n in range(rounds):
        for way in (load_by_hand, load_by_tool)[::-1 if n % 2 else 1]:
            truncate(b)
            way()
    medians = [statistics.median(t.wall for t in times) for times in (hand, tool)]
    print("medians of %d: by hand %.1f s, obkv-load %.1f s, %.2f of by hand; %.1f s around the statements, %.1f %% of it" %
          (rounds, *medians, medians[1] / medians[0], statistics.median(around), 100 * statistics.median(around) / medians[1]),
          flush=True)
    return medians[1]


def run(b, cells, rounds):
    where, exported = export(b, each_row(cells, size=SIZE))
    print("%d cells, %d files" % (cells, len(manifest(where)["files"])), flush=True)
    b.peer.sql(open(os.path.join(where, "create.sql")).read())
    took = rounds_of(b, where, cells, rounds)
    equal = Took(lambda: b.expect_equal(where))
    show("obkv-verify target, equal", cells, equal)
    whole = exported.wall + took + equal.wall
    print("export, load and verify: %.1f s; export is %.1f %% of it" % (whole, 100 * exported.wall / whole))
    named = one_byte(b, where, cells)
    few = list(itertools.islice(each_row(cells, size=SIZE), FEW))
    for name, verb, each in (("multi-row INSERT, 1000 rows", "INSERT", 1000), ("row-by-row REPLACE", "REPLACE", 1)):
        truncate(b)
        show(name, len(few), Took(lambda: inserts(b, few, verb, each)))
    return 0 if named else 1


def main():
    why = Engine.missing()
    if why:
        print(why)
        return 77
    cells = int(sys.argv[2]) if len(sys.argv) > 2 else 1000000
    folder = tempfile.mkdtemp(prefix="obkv-bench-load-")
    server = engine_for(cells)(folder)
    try:
        return run(Slow(server.prepare(), os.path.abspath(sys.argv[1]), folder, False), cells,
                   int(sys.argv[3]) if len(sys.argv) > 3 else 3)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
