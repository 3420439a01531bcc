"""One scan sums all partitions of a table: what is equal is found so by one statement, in tables of every shape, and what is not,
among empty partitions and others, is found all the same. The cases are cases of loads.py."""
import json
import random

from rig import NOW, PREFIX, RANGE, demand, manifest, plain_rows

TWO_LEVEL = "PARTITION BY RANGE COLUMNS(G) SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (PARTITION `a b` VALUES LESS THAN (%d), " \
            "PARTITION c VALUES LESS THAN (MAXVALUE))" % (NOW - 700)
SHAPES = {
    "scankey": dict(partition="PARTITION BY KEY(K) PARTITIONS 7"),
    "scanrange": dict(partition=RANGE),
    "scanprefix": dict(partition="PARTITION BY KEY(KP) PARTITIONS 13", extra=PREFIX),
    "scantwo": dict(partition=TWO_LEVEL, extra="G bigint GENERATED ALWAYS AS (ABS(T)),"),
    "scannone": dict(partition=""),
}


def sums_asked(b, name):
    """Statements that have summed all partitions by their numbers, and those that have summed one or a few by name."""
    audit = "SELECT query_sql FROM oceanbase.GV$OB_SQL_AUDIT WHERE query_sql LIKE 'SELECT%%NO_MERGE%%%s$f%%' AND query_sql NOT " \
            "LIKE '%%OB_SQL_AUDIT%%'" % name
    said = [row[0] for row in b.peer.sql(audit)]
    return sum("GROUP BY p" in s for s in said), sum("GROUP BY p" not in s for s in said)


def case_one_scan(b):
    """A load asks for keys by one statement, a comparison for sums by one, whatever the table's shape is."""
    for name, table in SHAPES.items():
        rows = [(k, q, v, NOW - i) for i, (k, q, v, _) in enumerate(plain_rows(1500))]
        where = b.export(name, rows, **table)
        b.load(where, "--create")
        loaded = sums_asked(b, name)
        b.expect_equal(where)
        asked = sums_asked(b, name)
        one = 0 if name == "scannone" else 1
        demand(asked[0] - loaded[0] == one, "%s: %s %s" % (name, loaded, asked))
        demand(asked[1] - loaded[1] == 1 - one, "%s: %s %s" % (name, loaded, asked))
        b.expect_equal(where, "--strong")


def case_node_and_threads(b):
    """Before a load: which node will read the files, and with how many threads."""
    where = b.export("node", plain_rows(50))
    with open(where + "/create.sql") as f:
        b.peer.sql(f.read())
    said = b.load(where, "--dry-run")[0]
    demand("file access    node 127.0.0.1:" in said and "parallel(4)" in said, said)
    demand("parallel(2)" in b.load(where, "--dry-run", "--jobs", "2")[0], "not 2 threads")


def case_one_scan_differs(b):
    """Rows that are missing, changed or extra in some partitions, also in empty ones: exactly their partitions are named."""
    r = random.Random(5)
    where = b.export("scandiff", plain_rows(600), partition="PARTITION BY KEY(K) PARTITIONS 197")
    b.load(where, "--create")
    full = [p["name"] for p in manifest(where)["partitions"]]
    empty = sorted({"p%d" % i for i in range(197)} - set(full))
    demand(empty, "every partition has rows")
    for _ in range(4):
        emptied, changed = r.sample(full, 2)
        b.peer.sql("DELETE FROM `scandiff$f` PARTITION (%s); UPDATE `scandiff$f` PARTITION (%s) SET V = 'other'" % (
            emptied, changed))
        extra = ", ".join("('extra%d', 'q', -1, 'v')" % i for i in range(40))
        b.peer.sql("INSERT INTO `scandiff$f` (K, Q, T, V) VALUES " + extra)
        want = {emptied, changed}
        for name in full + empty:
            if b.peer.one("SELECT COUNT(*) FROM `scandiff$f` PARTITION (%s) WHERE K LIKE 'extra%%'" % name) != "0":
                want.add(name)
        demand(want & set(empty), "no extra row in an empty partition")
        found = b.verify(where, want=1)
        got = {x["partition"] for x in found if x.get("kind") == "partition"}
        demand(got == want, "%s instead of %s" % (sorted(got), sorted(want)))
        demand(found[-1]["extra"] == 40, json.dumps(found[-1]))
        b.peer.sql("TRUNCATE TABLE `scandiff$f`")
        b.load(where, "--restart")
        b.expect_equal(where)
