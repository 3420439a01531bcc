"""Tables whose definition decides how, where and whether they can be loaded. The cases are cases of loads.py."""
import glob
import os
import subprocess
import time

from rig import demand, plain_rows


def export_of(b, name, statement, rows=3):
    """An export of a few rows into a table of this statement."""
    with open(b.path(name + ".sql"), "w") as f:
        f.write(statement)
    b.cells(name, plain_rows(rows))
    b.run("obkv-import", "--now", 1, "--ddl", b.path(name + ".sql"), "--format", "cells", "-o", b.path(name + ".ds"),
          b.path(name + ".cells"))
    b.run("obkv-export", "--now", 1, "--create", "-o", b.path(name), b.path(name + ".ds"))
    return b.path(name)


def table(name, columns="", options=""):
    return ("CREATE TABLE %s (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024), %s "
            "PRIMARY KEY (K, Q, T)) %s PARTITION BY KEY(K) PARTITIONS 3;\n" % (name, columns, options))


def case_database_in_front(b):
    """Tables are made where --target says, whatever database stands before their names."""
    where = export_of(b, "front", table("IF NOT EXISTS `shop`.`front$f`"))
    demand("created table front$f" in b.load(where, "--create")[1], "it is called otherwise")
    b.expect_equal(where, "--now", 1)


def case_namespace(b):
    """The table of a namespace in another database is loaded, and said."""
    where = export_of(b, "space", table("`n1:space$f`"))
    said = b.load(where, "--create")[1]
    found = [line for line in said.splitlines() if line.startswith(("PASS  ", "WARN  "))]
    demand("WARN  namespace" in said and len(found) == len(set(found)), "no word of the namespace, or twice:\n" + said)
    b.peer.sql("CREATE DATABASE n1")
    there = ["--target", b.peer.target("n1")] + b.peer.options()[2:]
    demand("namespace" not in b.run("obkv-load", *there, "--create", where)[1], "it is in its own database")


def case_list_in_its_order(b):
    """The server prints the values of a LIST partition in an order of its own: they are those of the export."""
    lists = "PARTITION BY LIST COLUMNS(K) (PARTITION b VALUES IN ('z', 'row9', 'row8'), PARTITION a VALUES IN ('y', 'x'), " \
            "PARTITION c VALUES IN (DEFAULT))"
    where = b.export("lists", plain_rows(50), partition=lists)
    b.load(where, "--create")
    b.expect_equal(where)


def case_view(b):
    """A view of the table's name is called one."""
    where = export_of(b, "view", table("`view$f`"))
    b.peer.sql("CREATE TABLE under (K varbinary(9)); CREATE VIEW `view$f` AS SELECT K FROM under")
    demand("is a view" in b.load(where, "--create", want=2)[1], "not called a view")
    b.peer.sql("DROP VIEW `view$f`; DROP TABLE under")


def case_computed_default(b):
    """Direct load waits without end for a column with such a default: it is loaded in another way, or refused."""
    columns = "id bigint NOT NULL AUTO_INCREMENT, made timestamp DEFAULT CURRENT_TIMESTAMP, KEY ix (id) LOCAL,"
    where = export_of(b, "made", table("`made$f`", columns))
    b.load(where, "--create")
    b.expect_equal(where, "--now", 1)
    where = export_of(b, "madetoo", table("`madetoo$f`"))
    b.peer.sql(table("`madetoo$f`", columns))
    demand("waits without end" in b.load(where, want=2)[1], "not refused")
    where = export_of(b, "fixed", table("`fixed$f`", "made timestamp DEFAULT '2020-01-01 00:00:00', x bigint DEFAULT 5,"))
    said = b.load(where, "--create", "--dry-run")[0]
    demand("files by direct load\n" in said and "not atomic" not in said, "a literal keeps it from direct load")
    b.load(where, "--create")
    b.expect_equal(where, "--now", 1)


def case_table_ttl(b):
    """The option TTL of the table in the target is said before a load and by verify."""
    where = export_of(b, "tabttl", table("`tabttl$f`", "ts timestamp(6) NULL,"))
    b.peer.sql(table("`tabttl$f`", "ts timestamp(6) NULL,", "TTL (ts + INTERVAL 1 DAY)"))
    demand("option TTL" in b.load(where)[1], "not said by load")
    demand("option TTL" in b.run("obkv-verify", "target", "--now", 1, *b.peer.options(), where)[1], "not said by verify")


def case_scripts_without_locale(b):
    """The scripts make and load the table that they name, also by a client that begins with latin1."""
    where = export_of(b, "latin", table("`订单$f`"))
    host, port = b.peer.target().split("/")[0].split(":")
    for name in ("create.sql", "load.sql", "check.sql"):
        with open(os.path.join(where, name)) as f:
            done = subprocess.run(["mariadb", "--no-defaults", "--comments", "-h" + host, "-P" + port, "-uroot", "test"],
                                  stdin=f, capture_output=True, check=False,
                                  env={"PATH": os.environ["PATH"], "MYSQL_PWD": b.peer.password})
        demand(not done.returncode, "%s: %s" % (name, done.stderr))
    b.expect_equal(where, "--now", 1)


def case_expired_since(b):
    """Rows that expired after a load, and that the server has removed since, are told from rows that are lost; what the messages
    advise works."""
    now = int(time.time() * 1000)
    rows = [(b"r%03d" % i, b"", b"v", now - (3597000 if i % 2 else 1000)) for i in range(300)]
    where = b.export("since", rows, "--now", now, kv='{"Hbase": {"TimeToLive": 3600}}')
    b.load(where, "--create")
    time.sleep(max(0, now / 1000 + 4 - time.time()))
    b.peer.sql("DELETE FROM `since$f` WHERE -T < (unix_timestamp() - 3600) * 1000")
    demand(b.rows("since") == 150, "%d rows" % b.rows("since"))
    demand("nothing to do" in b.load(where)[0] and "expired" in b.load(where, "--dry-run")[0], "the rows that expired are missed")
    b.peer.sql("DELETE FROM `since$f` WHERE K = 'r000'")
    told = b.load(where, want=2)[1]
    demand("1 of those missing have not expired" in told and "--restart --on-duplicate replace" in told, told)
    b.load(where, "--restart", "--on-duplicate", "replace")
    b.run("obkv-verify", "target", *b.peer.options(), where)
    b.peer.sql("TRUNCATE TABLE `since$f`")
    demand("emptied or recreated" in b.load(where, "--on-duplicate", "error", want=2)[1], "not told of an empty table")
    b.load(where, "--restart")


def case_expired_since_dataset(b):
    """The same of a dataset: a table that was emptied is not taken for one whose rows have expired."""
    now = int(time.time() * 1000)
    rows = [(b"r%03d" % i, b"", b"v", now - (3597000 if i % 2 else 1000)) for i in range(300)]
    b.dataset("sinceds", rows, kv='{"Hbase": {"TimeToLive": 3600}}')
    where = b.path("sinceds.ds")
    b.load(where, "--create", "--now", now)
    time.sleep(max(0, now / 1000 + 4 - time.time()))
    b.peer.sql("DELETE FROM `sinceds$f` WHERE -T < (unix_timestamp() - 3600) * 1000")
    demand("nothing to do" in b.load(where)[0], "the rows that expired are missed")
    b.peer.sql("DELETE FROM `sinceds$f` WHERE K = 'r000'")
    demand("1 of those missing have not expired" in b.load(where, want=2)[1], "a row that is lost counts as expired")
    b.peer.sql("TRUNCATE TABLE `sinceds$f`")
    demand("emptied or recreated" in b.load(where, want=2)[1], "not told of an empty table")
    b.load(where, "--restart")
    b.run("obkv-verify", "target", *b.peer.options(), where)


def case_dropped_family(b):
    """One family of two is dropped after the load: what the message advises works."""
    with open(b.path("twofam.sql"), "w") as f:
        f.write(table("`twofam$f`") + table("`twofam$g`"))
    with open(b.path("twofam.csv"), "w") as f:
        f.writelines("r%d,v,w\n" % i for i in range(50))
    b.run("obkv-import", "--ddl", b.path("twofam.sql"), "--columns", "HBASE_ROW_KEY,f:q,g:q", "-o", b.path("twofam.ds"),
          b.path("twofam.csv"))
    b.load(b.path("twofam.ds"), "--create")
    b.peer.sql("DROP TABLE `twofam$f`")
    told = b.load(b.path("twofam.ds"), "--create", want=2)[1]
    demand("was dropped since" in told and "--restart --on-duplicate replace" in told, told)
    b.load(b.path("twofam.ds"), "--create", "--restart", "--on-duplicate", "replace")
    b.run("obkv-verify", "target", *b.peer.options(), b.path("twofam.ds"))


def case_expired_and_interrupted(b):
    """Nobody saw the end of a file's statement, and meanwhile the server removes rows of its partition that expired: the load is
    resumed, and nothing is missing or there twice."""
    now = int(time.time() * 1000)
    rows = [(b"r%03d" % i, b"", b"v", now - (3597000 if i % 2 else 1000)) for i in range(300)]
    where = b.export("expint", rows, "--now", now, kv='{"Hbase": {"TimeToLive": 3600}}')
    b.load(where, "--create")
    journal = glob.glob(where + "/_load/*.journal")[0]
    with open(journal) as f:
        lines = f.read().splitlines()
    with open(journal, "w") as f:  # as if killed before the last "done" was written
        f.write("\n".join(lines[:-1]) + "\n")
    time.sleep(max(0, now / 1000 + 4 - time.time()))
    b.peer.sql("DELETE FROM `expint$f` WHERE -T < (unix_timestamp() - 3600) * 1000")
    demand(b.rows("expint") == 150, "%d rows" % b.rows("expint"))
    b.load(where)
    b.run("obkv-verify", "target", *b.peer.options(), where)


def case_deleted_since(b):
    """A row that an application deleted after the load: what the message advises works."""
    where = b.export("gone", plain_rows(200))
    b.load(where, "--create")
    b.peer.sql("DELETE FROM `gone$f` LIMIT 1")
    told = b.load(where, want=2)[1]
    demand("199 rows, but 200" in told and "emptied" not in told, told)
    b.load(where, "--restart", "--on-duplicate", "replace")
    b.expect_equal(where)
