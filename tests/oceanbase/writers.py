"""`obkv-verify target` beside others who write to the table.

Its numbers are of one moment: "equal" only where they are, a difference only where there is one. Writers insert, update, swap and
delete rows, roll back what they wrote, change the table's definition, or load. WRITER_RUNS sets how often each is compared.
The cases are cases of loads.py.
"""
import contextlib
import os
import random
import threading
import time

from peers import MariaDb, SqlError
from rig import RANGE, NOW, demand, finish, plain_rows

RUNS = int(os.environ.get("WRITER_RUNS") or 4)


def statements(kind, table, r, rows):
    """What a writer of this kind does once; rows: keys of the table, which are hexadecimal texts."""
    a, b = r.sample(rows, 2)
    value = "(SELECT V FROM (SELECT V FROM `%s` WHERE K = x'%s') x)"
    put = "UPDATE `%s` SET V = %s WHERE K = x'%s';"
    swap = "START TRANSACTION; SET @a = (SELECT V FROM `%s` WHERE K = x'%s'); " % (table, a)
    swap += "".join([put % (table, value % (table, b), a), put % (table, "@a", b), "COMMIT;"])
    return {"insert": "INSERT IGNORE INTO `%s` (K, Q, T, V) VALUES ('new%d', '', -%d, 'v');" % (table, r.randrange(99), NOW),
            "update": put % (table, "'%d'" % r.randrange(99), a),
            "delete": "DELETE FROM `%s` WHERE K = x'%s';" % (table, a),
            "swap": swap,
            "rollback": "START TRANSACTION; DELETE FROM `%s` WHERE K < x'%s'; INSERT INTO `%s` (K, Q, T, V) VALUES "
                        "('new', '', -1, ''); ROLLBACK;" % (table, a, table),
            "define": "ALTER TABLE `%s` COMMENT = '%d';" % (table, r.randrange(99))}[kind]


@contextlib.contextmanager
def writing(b, kind, table, rows, seed):
    """A session that writes without a pause."""
    stop, failures = threading.Event(), []

    def write():
        r = random.Random("%s %s" % (kind, seed))
        while not stop.is_set():
            try:
                b.peer.sql("".join(statements(kind, table, r, rows) for _ in range(40)))
            except SqlError as error:
                failures.append(error)
                time.sleep(0.05)

    thread = threading.Thread(target=write)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    demand(len(failures) < 50, "the writer fails: %s" % failures[:2])


def honest(lines, code):
    """What a comparison says follows from its numbers."""
    end = lines[-1]
    demand(end["equal"] == (not code), end)
    demand(not end["equal"] or (end["rows_a"] == end["rows_b"] and not end["differing"] and len(lines) == 1), lines)
    demand(not code or end["differing"], lines)
    if not end["changing"]:
        demand(end["rows_a"] - end["missing"] + end["extra"] == end["rows_b"], lines)
    return end


def compare(b, where, tally):
    lines = b.verify(where, want=(0, 1))
    end = honest(lines, not lines[-1]["equal"])
    tally["changing" if end["changing"] else "equal" if end["equal"] else "different"] += 1
    return end


def beside(b, name, kinds, harmless, snapshots, **table):
    """harmless: kinds that leave every moment's rows as they were."""
    rows = plain_rows(30000)
    where = b.export(name, rows, **table)
    if isinstance(b.peer, MariaDb):
        with open(where + "/create.sql") as f:
            b.peer.sql(f.read())
    b.load(where, *([] if isinstance(b.peer, MariaDb) else ["--create"]))
    keys, tally = [row[0].hex() for row in rows], {"equal": 0, "different": 0, "changing": 0}
    for kind in kinds:
        with writing(b, kind, name + "$f", keys, RUNS):
            for _ in range(RUNS):
                end = compare(b, where, tally)
                demand(kind not in harmless or end["equal"], "%s: %s" % (kind, end))
                demand(not snapshots or not end["changing"], "%s: %s" % (kind, end))
        if kind not in harmless:
            b.load(where, "--restart", "--on-duplicate", "replace")
            b.peer.sql("DELETE FROM `%s$f` WHERE K LIKE 'new%%'" % name)
        b.expect_equal(where)
    return "%d comparisons: %s" % (sum(tally.values()), tally)


def case_beside_writers(b):
    """Read at one moment: what is rolled back, or of the definition only, is no difference, and nothing is said to change."""
    return beside(b, "writers", ["insert", "update", "delete", "swap", "rollback", "define"], {"rollback", "define"}, True,
                  partition="PARTITION BY KEY(K) PARTITIONS 3")


def case_beside_a_load(b):
    """Compared again and again while it is loaded, by files of a partition: equal at the end only."""
    where = b.export("byload", plain_rows(60000), partition="PARTITION BY KEY(K) PARTITIONS 3")
    with open(where + "/create.sql") as f:
        b.peer.sql(f.read())
    tally = {"equal": 0, "different": 0, "changing": 0}
    for _ in range(RUNS):
        process = b.begin_load(where, "--restart")
        while process.poll() is None:
            compare(b, where, tally)
        finish(process, 0)
        b.expect_equal(where)
        b.peer.sql("TRUNCATE TABLE `byload$f`")
    demand(not tally["changing"], tally)
    return "%d comparisons: %s" % (sum(tally.values()), tally)


def case_mariadb_beside_writers(b):
    """A server that reads no past: a partition is read again, and said to change if it does."""
    return beside(b, "mwriters", ["insert", "update", "delete", "swap"], set(), False, partition=RANGE, v="longblob",
                  grouped=False)
