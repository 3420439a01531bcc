#!/usr/bin/env python3
"""obkv-load beside the best single statement by hand, on OceanBase's engine, for tables of several shapes, in turns:

    load_shapes.py BIN [CELLS [ROUNDS [SHAPE ...]]]     (make bench-load-shapes; 2,000,000, 3: an hour, 30 GB)

Shapes: key97, key997, range60, prefix97 (a generated column). Ways: fresh, into an empty table; replace, the same rows again;
delta, a tenth of the rows with other values. By hand is one LOAD DATA over all files with the hint for sorted ones, or for
prefix97 and fresh one INSERT … SELECT from an external table. Wall seconds and CPU seconds of the engine are medians, ratios
are of these. verify is obkv-verify target after the last load of a way; "of load" is its part of obkv-load's wall time. The
last lines are a table for docs/loading-design.md. Other work on the machine shows in all: the load of the machine is printed.
"""
import os
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oceanbase"))
from rig import NOW, Bench  # noqa: E402
from peers import Engine  # noqa: E402

TICKS = os.sysconf("SC_CLK_TCK")
BOUNDS = ["row%02d-%06d" % (i // 6, i % 6 * 1000000 // 6) for i in range(1, 60)]
SHAPES = {
    "key97": dict(partition="PARTITION BY KEY(K) PARTITIONS 97"),
    "key997": dict(partition="PARTITION BY KEY(K) PARTITIONS 997"),
    "range60": dict(partition="PARTITION BY RANGE COLUMNS(K) (%s, PARTITION p59 VALUES LESS THAN (MAXVALUE))" % ", ".join(
        "PARTITION p%d VALUES LESS THAN ('%s')" % (i, b) for i, b in enumerate(BOUNDS))),
    "prefix97": dict(partition="PARTITION BY KEY(KP) PARTITIONS 97",
                     extra="KP varbinary(1024) GENERATED ALWAYS AS (substring(K, 1, 9)),"),
}
SETTINGS = "SET ob_query_timeout = 36000000000, ob_trx_timeout = 36000000000; "
FORMAT = "CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ESCAPED BY '\\\\' LINES TERMINATED BY '\\n' (K, Q, V, T)"
EXTERNAL = """DROP TABLE IF EXISTS by_hand; CREATE EXTERNAL TABLE by_hand (K varbinary(1024) AS (metadata$filecol1),
Q varbinary(256) AS (metadata$filecol2), V varbinary(1048576) AS (metadata$filecol3), T bigint AS (metadata$filecol4))
LOCATION = 'file://%s/data' FORMAT = (TYPE = 'CSV' FIELD_DELIMITER = '\\t' LINE_DELIMITER = '\\n' ESCAPE = '\\\\'
ENCODING = 'utf8mb4') PATTERN = '.*kqvt$';
INSERT /*+ enable_parallel_dml parallel(4) NO_GATHER_OPTIMIZER_STATISTICS */ INTO `%s` (K, Q, V, T)
SELECT K, Q, V, T FROM by_hand;
DROP TABLE by_hand"""


class Slow(Bench):
    timeout = 7200


def rows_of(cells, step=1, salt=b""):
    for i in range(0, cells, step):
        scattered = i // 4 * 7919 % 10000000  # four columns a row
        yield (b"row%02d-%06d" % (scattered // 1000000, scattered % 1000000), b"q%d" % (i % 4), (salt + b"%d " % i) * 6, NOW - i)


def engine_cpu(b):
    with open("/proc/%d/stat" % b.peer.process.pid) as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def took(b, what):
    start, cpu = time.monotonic(), engine_cpu(b)
    what()
    return time.monotonic() - start, engine_cpu(b) - cpu


def by_hand(b, shape, where, replace):
    table = shape + "$f"
    if shape.startswith("prefix") and not replace:
        text = EXTERNAL % (where, table)
    elif shape.startswith("prefix"):
        text = "LOAD DATA INFILE '%s/data/*.kqvt' REPLACE INTO TABLE `%s` %s" % (where, table, FORMAT)
    else:
        text = "LOAD DATA /*+ direct(false, 0, '%s') parallel(4) */ INFILE '%s/data/*.kqvt' INTO TABLE `%s` %s" % (
            "inc_replace" if replace else "inc", where, table, FORMAT)
    b.peer.sql(SETTINGS + text, timeout=Slow.timeout)


def by_tool(b, where, replace):
    b.run("obkv-load", *b.peer.options(), "-q", "--restart", *(["--on-duplicate", "replace"] if replace else []), where)


def show(label, pair, note=""):
    print("  %-22s %7.1f s %7.1f s CPU of the engine  %s" % (label, *pair, note), flush=True)


def medians(pairs):
    return tuple(statistics.median(p[i] for p in pairs) for i in (0, 1))


def turns(b, shape, way, where, full, rounds):
    """Both in turns, who is first changes. Medians (wall, CPU) of by hand, obkv-load and verify."""
    replace, hand, tool, proofs = way != "fresh", [], [], []
    for n in range(rounds):
        for program in ((False, True), (True, False))[n % 2]:
            b.peer.sql("TRUNCATE TABLE `%s$f`" % shape, timeout=600)
            time.sleep(5)  # the server still clears away what it held
            if replace:
                by_hand(b, shape, full, False)
            pair = took(b, lambda: by_tool(b, where, replace) if program else by_hand(b, shape, where, replace))
            (tool if program else hand).append(pair)
            show("%s %s" % (way, "obkv-load" if program else "by hand"), pair, "load %.1f" % os.getloadavg()[0])
            if program:
                options = ["--delta"] if way == "delta" else []
                proofs.append(took(b, lambda: b.run("obkv-verify", "target", "--now", NOW, *b.peer.options(), *options, where)))
    return medians(hand), medians(tool), medians(proofs)


def measure(b, shape, cells, rounds):
    where = b.export(shape, rows_of(cells), **SHAPES[shape])
    with open(where + "/create.sql") as f:
        b.peer.sql(f.read(), timeout=600)
    b.cells("delta", rows_of(cells, 10, b"new"))
    delta = b.path(shape + ".delta")
    b.run("obkv-import", "--now", NOW, "--ddl", b.path(shape + ".sql"), "--format", "cells", "-q", "-o", delta + ".ds",
          b.path("delta.cells"))
    b.run("obkv-export", "--now", NOW, "-q", "-o", delta, delta + ".ds")
    lines = []
    for way in ("fresh", "replace", "delta"):
        hand, tool, proof = turns(b, shape, way, delta if way == "delta" else where, where, rounds)
        lines.append("| %s, %s | %.1f (%.1f) | %.1f (%.1f) | %.2f | %.2f | %.1f (%.1f) | %.2f |" % (
            shape, way, *hand, *tool, tool[0] / hand[0], tool[1] / hand[1], *proof, proof[0] / tool[0]))
        print(lines[-1], flush=True)
    b.peer.sql("DROP TABLE `%s$f`; DROP TABLEGROUP %s" % (shape, shape))
    for path in (where, delta, where + ".ds", delta + ".ds"):
        shutil.rmtree(path, ignore_errors=True)
    return lines


def main():
    why = Engine.missing()
    if why:
        print(why)
        return 77
    cells = int(sys.argv[2]) if len(sys.argv) > 2 else 2000000
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3

    class BenchEngine(Engine):
        # What TRUNCATE frees is given back later, and each of 997 partitions takes 2 MB.
        datafile = "%dM" % max(24576, cells * 4000 >> 20)
        memory = "4G"

    folder = tempfile.mkdtemp(prefix="obkv-load-shapes-")
    server = BenchEngine(folder)
    lines = []
    try:
        b = Slow(server.prepare(), os.path.abspath(sys.argv[1]), folder, False)
        for shape in sys.argv[4:] or SHAPES:
            print("%s: %d cells" % (shape, cells), flush=True)
            lines += measure(b, shape, cells, rounds)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print("| %d cells | by hand: s (CPU) | obkv-load: s (CPU) | wall | CPU | verify: s (CPU) | of load |" % cells)
    print("|---|---|---|---|---|---|---|")
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
