#!/usr/bin/env python3
"""What loading costs, on OceanBase's engine: the same load files by hand and by obkv-load in turns, beside INSERTs.

    bench/load.py BIN [CELLS]        (make bench-load; default 1,000,000 cells, several minutes, 3 GB of disk)

By hand: each statement of load.sql, by a client. Multi-row INSERTs of 1000 rows and row-by-row REPLACE send 20,000 rows.
Every load is verified. At the end one byte of one value is changed by hand: verify target has to name its row.
"""
import json
import os
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "oceanbase"))
from loads import Bench, manifest, plain_rows  # noqa: E402
from peers import Engine  # noqa: E402

FEW = 20000


class BenchEngine(Engine):
    datafile = "2G"


def timed(what):
    start = time.monotonic()
    what()
    return time.monotonic() - start


def show(name, rows, seconds, note=""):
    print("%-34s %9d rows %8.1f s %9d rows/s  %s" % (name, rows, seconds, rows / seconds, note), flush=True)


def statements(where):
    with open(os.path.join(where, "load.sql")) as f:
        text = f.read()
    return [s for s in text.split(";\n") if s.lstrip().startswith("LOAD DATA") and "probe" not in s]


def by_hand(b, where):
    for statement in statements(where):
        b.peer.sql("SET ob_query_timeout = 36000000000; " + statement, timeout=3600)


def values(row):
    k, q, v, ts = row
    return "(x'%s', x'%s', %d, x'%s')" % (k.hex(), q.hex(), -ts, v.hex())


def inserts(b, rows, verb, each):
    into = "%s INTO `bench$f` (K, Q, T, V) VALUES " % verb
    b.peer.sql(";\n".join(into + ", ".join(map(values, rows[i:i + each])) for i in range(0, len(rows), each)), timeout=3600)


def run(b, cells):
    rows = plain_rows(cells, size=200)
    where = b.export("bench", rows)
    print("%d cells, %d files" % (cells, len(manifest(where)["files"])))
    b.load(where, "--create")  # warms up
    hand, tool = [], []
    for _ in range(3):
        b.peer.sql("TRUNCATE TABLE `bench$f`")
        hand.append(timed(lambda: by_hand(b, where)))
        b.expect_equal(where)
        b.peer.sql("TRUNCATE TABLE `bench$f`")
        tool.append(timed(lambda: b.load(where, "--restart")))
    show("load.sql by hand", cells, min(hand))
    show("obkv-load", cells, min(tool), "%.2f of by hand" % (min(tool) / min(hand)))
    show("obkv-verify target, equal", cells, timed(lambda: b.expect_equal(where)))
    one = next(r for r in rows[cells // 2:] if len(r[2]) > 3)
    b.peer.sql("UPDATE `bench$f` SET V = x'%s' WHERE K = x'%s'" % ((bytes([one[2][0] ^ 1]) + one[2][1:]).hex(), one[0].hex()))
    found = []
    seconds = timed(lambda: found.extend(b.verify(where, want=1)))
    named = [x["row"] for x in found if "row" in x] == [one[0].hex()]
    show("obkv-verify target, one byte", cells, seconds, "named" if named else "NOT NAMED: " + json.dumps(found))
    for name, verb, each in (("multi-row INSERT, 1000 rows", "INSERT", 1000), ("row-by-row REPLACE", "REPLACE", 1)):
        b.peer.sql("TRUNCATE TABLE `bench$f`")
        show(name, FEW, timed(lambda: inserts(b, rows[:FEW], verb, each)))
    return 0 if named else 1


def main():
    why = Engine.missing()
    if why:
        print(why)
        return 77
    folder = tempfile.mkdtemp(prefix="obkv-bench-load-")
    server = BenchEngine(folder)
    try:
        return run(Bench(server.prepare(), os.path.abspath(sys.argv[1]), folder, False),
                   int(sys.argv[2]) if len(sys.argv) > 2 else 1000000)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
