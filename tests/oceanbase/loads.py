#!/usr/bin/env python3
"""obkv-export, obkv-load and obkv-verify target on OceanBase's own engine and on MariaDB (peers.py).

    loads.py BIN [-v] [--only mariadb|engine|hbase] [NAME ...]
hbase: the engine beside a real HBase; engine: without it. Each case ends with what is in the target: every row once. The last
line is "N passed, N failed, N skipped". A peer that cannot be had here skips its cases; with OBKV_REQUIRE_INTEROP=1 they fail.
"""
import contextlib
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import batches
import beside_hbase
import datasets
import definitions
import deltas
import dialects
import differences
import externals
import faulty
import flips
import forms
import guide
import mistakes
import nightly
import readback
import rollback
import scans
import statements
from programs import failed_test  # faulty.py has added tests/cli to the path
import writers
from rig import (NOW, PREFIX, RANGE, Bench, Skipped, Wrong, certificates, demand, each_row, finish, fits, is_loading,
                 kill_often, manifest, plain_rows, wait_until)
from peers import CannotStart, Engine, MariaDb, SqlError

MODULES = (batches, externals, datasets, scans, definitions, deltas, beside_hbase, mistakes, nightly, faulty, flips, forms, guide,
           writers, dialects, differences, statements, readback, rollback)


# ---- cases of the engine: each gets a Bench

def case_whole_way(b):
    """100,000 cells: a dry run touches nothing; made, loaded, each partition as we placed it; then there is nothing to do."""
    where = b.export("whole", plain_rows(100000))
    out = b.load(where, "--create", "--dry-run")[0]
    demand("PASS" in out and "LOAD DATA /*+ direct" in out and "`p5`, `p6`)" in out, out)
    demand(not b.peer.sql("SHOW TABLES LIKE 'whole$f'"), "a dry run made a table")
    b.load(where, want=2)
    fits(json.loads(b.load(where, "--create", "--dry-run", "--json")[0]))
    metrics = b.path("whole.prom")
    out, lines = b.load(where, "--create", "--json", "--metrics", metrics, "--progress", "json")
    result, lines = json.loads(out), [json.loads(line) for line in lines.splitlines() if line.startswith("{")]
    for line in lines:
        fits(line, "obkv-progress-1")
    demand(lines[-1]["phase"] == "end" and [line["together"] for line in lines if line.get("step") == "done"] == [7], lines)
    demand(result["rows"] == 100000 and result["files"]["loaded"] == 7, result)
    fits(result)
    fits(b.verify(where)[-1])
    with open(metrics) as f:
        demand(re.search(r"^obkv_load_success\{.*\} 1$", f.read(), re.M), "no success in the metrics")
    for file in manifest(where)["files"]:
        n = b.peer.one("SELECT COUNT(*) FROM `whole$f` PARTITION (p%d)" % file["partition"])
        demand(int(n) == file["rows"], "p%d holds %s rows, the file %d" % (file["partition"], n, file["rows"]))
    b.expect_equal(where)
    b.expect_equal(where, "--strong")
    b.expect_equal(b.path("whole.ds"))
    demand("nothing to do" in b.load(where)[0], "loaded again")
    newest = b.peer.sql("SELECT T FROM `whole$f` WHERE K = 'row00-000000' ORDER BY K, Q, T")
    demand(len(newest) <= 1, newest)


def case_by_shares(b):
    """Three loads of a third of the partitions, two of them at once: every row once; each share is compared alone."""
    where = b.export("shares", plain_rows(30000))
    b.load(where, "--create", "--partitions", "1/3")
    loaded = sum(f["rows"] for f in manifest(where)["files"] if f["partition"] % 3 == 0)
    demand(b.rows("shares") == loaded > 0, "share 1: %d rows instead of %d" % (b.rows("shares"), loaded))
    for share, want in (("1/3", 0), ("2/3", 1), ("3/3", 1)):
        b.verify(where, "--partitions", share, want=want)
        b.verify(b.path("shares.ds"), "--partitions", share, want=want)
    for p in [b.begin_load(where, "--partitions", share) for share in ("2/3", "3/3")]:
        finish(p, 0)
    for share in ("1/3", "2/3", "3/3"):
        demand("nothing to do" in b.load(where, "--partitions", share)[0], "share %s: loaded again" % share)
    b.expect_equal(where)
    summaries = [b.verify(b.path("shares.ds"), "--partitions", "%d/3" % j)[-1] for j in (1, 2, 3)]
    demand([sum(s[n] for s in summaries) for n in ("partitions", "rows_a", "rows_b")] == [7, 30000, 30000], summaries)
    b.load(where, "--partitions", "p9", want=2)


def case_found_by_hand(b):
    """One value changed, one row gone, one more, all named; a dataset finds the same."""
    where = b.export("hand", plain_rows(20000), "--strong")
    b.load(where, "--create")
    gone, changed = plain_rows(20000)[77], next(r for r in plain_rows(20000)[5000:] if len(r[2]) > 3)
    b.peer.sql("DELETE FROM `hand$f` WHERE K = x'%s'; UPDATE `hand$f` SET V = x'%s' WHERE K = x'%s'; INSERT INTO `hand$f` "
               "(K, Q, T, V) VALUES ('new', '', -3, 'v')" % (gone[0].hex(), (bytes([changed[2][0] ^ 1]) + changed[2][1:]).hex(),
                                                            changed[0].hex()))
    want = {("missing", gone[0].hex(), gone[3]), ("changed", changed[0].hex(), changed[3]), ("extra", b"new".hex(), 3)}
    for what, options in ((where, []), (where, ["--strong"]), (b.path("hand.ds"), [])):
        lines = b.verify(what, *options, want=1)
        found = {(x["kind"], x["row"], x["ts"]) for x in lines if "row" in x}
        demand(found == want, found)
        demand(lines[-1]["missing"] == lines[-1]["extra"] == lines[-1]["changed"] == 1, lines[-1])
    b.load(where, "--restart", "--on-duplicate", "replace")
    demand([x["kind"] for x in b.verify(where, want=1) if "row" in x] == ["extra"], "replace did not mend")


def case_duplicates(b):
    """error stops and leaves all as it was, ignore keeps old rows, replace takes new ones."""
    where = b.export("dup", plain_rows(3000), partition=RANGE)
    b.load(where, "--create")
    b.peer.sql("UPDATE `dup$f` SET V = 'old' WHERE K < 'row01'")
    old = int(b.peer.one("SELECT COUNT(*) FROM `dup$f` WHERE V = 'old'"))
    demand("1062" in b.load(where, "--restart", want=7)[1], "no word of the duplicate")
    gone = int(b.peer.one("SELECT COUNT(*) FROM `dup$f` WHERE K >= 'row07'"))
    b.peer.sql("DELETE FROM `dup$f` WHERE K >= 'row07'")
    out, lines = b.load(where, "--restart", "--on-duplicate", "ignore", "--json", "--progress", "json")
    result, lines = json.loads(out), [json.loads(line) for line in lines.splitlines() if line.startswith('{"step"')]
    fits(result)
    for line in lines:
        fits(line, "obkv-progress-1")
    demand((result["rows"], result["rows_kept"]) == (gone, 3000 - gone) and gone, result)
    done = [(line["rows"], line.get("kept", 0)) for line in lines if line["step"] == "done"]
    demand([sum(n) for n in zip(*done)] == [gone, 3000 - gone], done)
    demand(int(b.peer.one("SELECT COUNT(*) FROM `dup$f` WHERE V = 'old'")) == old > 0, "ignore changed rows")
    b.load(where, "--restart", "--on-duplicate", "replace")
    b.expect_equal(where)


def case_killed_loader(b):
    """kill -9 of the loader while a statement runs, then SIGINT, then the same command: each row once."""
    where = b.export("killed", plain_rows(150000, size=200), partition=RANGE)
    for n in range(2):
        p = b.begin_load(where, "--create")
        wait_until(lambda: is_loading(b))
        time.sleep(0.3)
        p.send_signal(signal.SIGKILL if n == 0 else signal.SIGINT)
        demand(p.wait(60) == (-9 if n == 0 else 130), "exit %d" % p.returncode)
        p.communicate()
    b.load(where)
    demand(b.rows("killed") == 150000, "%d rows" % b.rows("killed"))
    b.expect_equal(where)


def case_killed_engine(b):
    """kill -9 of the engine while a statement runs: the loader waits for it, settles the file and goes on."""
    where = b.export("engine", plain_rows(150000, size=200), partition=RANGE)
    b.load(where, "--create", "--dry-run")
    p = b.begin_load(where, "--create", "--retries", "8")
    wait_until(lambda: is_loading(b))
    time.sleep(0.3)
    b.peer.kill()
    b.peer.start()
    text = finish(p, 0)
    demand("trying again" in text, text)
    demand(b.rows("engine") == 150000, "%d rows" % b.rows("engine"))
    b.expect_equal(where)


def case_generated_column(b):
    """K_PREFIX: loaded without direct load, which is not atomic; killed in the middle, no row is lost or doubled."""
    where = b.export("prefix", plain_rows(60000, size=200), partition="PARTITION BY KEY(KP) PARTITIONS 3", extra=PREFIX)
    demand("not atomic" in b.load(where, "--create", "--dry-run")[0], "no warning")
    kill_often(b, where, (0.5, 0.1, 0.9, 0.3), "--create")
    b.load(where)
    demand(b.rows("prefix") == 60000, "%d rows" % b.rows("prefix"))
    b.expect_equal(where)
    b.load(where, "--restart", want=2)  # not empty, and not atomic: which rows are whose could not be told afterwards
    b.peer.sql("DELETE FROM `prefix$f` WHERE K < 'row05'; INSERT INTO `prefix$f` (K, Q, T, V) VALUES ('mine', 'x', -1, '')")
    kill_often(b, where, (0.2, 0.4), "--restart", "--on-duplicate", "replace")
    b.load(where, "--on-duplicate", "replace")
    demand(b.rows("prefix") == 60001, "%d rows" % b.rows("prefix"))
    demand([x["kind"] for x in b.verify(where, want=1) if "row" in x] == ["extra"], "not what replace should leave")


def case_all_bytes(b):
    """All byte values in K, Q and V, empty ones, escapes at every end, 1 MB of backslashes (too long for direct load)."""
    r = random.Random(7)
    every = bytes(range(256))
    rows = [(bytes([i]) + every, every[:i], bytes([i]) + every + bytes([i]), NOW - i) for i in range(256)]
    rows += [(b"k%d" % i + v, v, v, i) for i, v in enumerate([b"", b"\\", b"\\N", b"\t", b"\n", b"\\t", b"\\\n", b"\r\n", b"\0",
                                                           b"\x1a", b"\xc3\\", b"\xf0\x9f\t", b"\xe2\n", b"'", b'"', b"NULL"])]
    rows += [(r.randbytes(r.randint(1, 20)), r.randbytes(r.randrange(9)), r.randbytes(r.randrange(400)), NOW - i)
             for i in range(3000)]
    rows += [(b"big\\", b"", b"\\" * (1 << 20), 1), (b"big0", b"x", r.randbytes(1 << 20), 2)]
    rows = list({(k, q, ts): (k, q, v, ts) for k, q, v, ts in rows}.values())
    where = b.export("bytes", rows, v="varbinary(1048576)")
    demand(any(f["path"].startswith("big/") for f in manifest(where)["files"]), "no file of long lines")
    b.load(where, "--create")
    demand(b.rows("bytes") == len(rows), "%d rows of %d" % (b.rows("bytes"), len(rows)))
    b.expect_equal(where, "--strong")


def case_sent_from_here(b):
    """--via local and compressed files."""
    where = b.export("local", plain_rows(5000), "--compress", "gzip")
    b.load(where, "--create", "--via", "local")
    b.expect_equal(where)
    b.peer.sql("DELETE FROM `local$f` WHERE K < 'row01'")
    demand(b.verify(where, want=1)[-1]["missing"] > 0, "nothing missing")  # reads compressed files


def case_changed_table(b):
    """Another number of partitions, a partition renamed, a shorter column: told before anything is loaded, and by verify."""
    where = b.export("changed", plain_rows(1000), partition=RANGE)
    for other in (RANGE.replace("'row07'", "'row08'"), RANGE.replace("P-1", "P-2"), "PARTITION BY KEY(K) PARTITIONS 3"):
        b.peer.sql("DROP TABLE IF EXISTS `changed$f`; CREATE TABLE `changed$f` (K varbinary(1024) NOT NULL, Q "
                   "varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1048576) NOT NULL, PRIMARY KEY (K, Q, T)) " + other)
        demand("FAIL" in b.load(where, want=2)[1], other)
        lines = b.verify(where, want=1)
        demand(lines[0]["kind"] == "definition" and lines[-1]["uncompared"] == 1000 and not lines[-1]["partitions"], lines)
        told = b.run("obkv-verify", "target", *b.peer.options(), where, want=1)[0].splitlines()[-1]
        demand(told == "different: 1 table not as in the export, so its 1,000 rows were not compared", told)
        demand(b.rows("changed") == 0, "rows were loaded")
    b.peer.sql("DROP TABLE `changed$f`")
    b.load(where, "--create")
    b.peer.sql("TRUNCATE TABLE `changed$f`")
    demand("--restart" in b.load(where, want=2)[1], "an emptied table is not noticed")
    b.load(where, "--restart")
    b.peer.sql("DROP TABLE `changed$f`")
    demand("dropped since" in b.load(where, "--create", want=2)[1], "a dropped table is not noticed")
    b.load(where, "--restart", "--create")
    b.expect_equal(where)


def case_changed_while_loading(b):
    """A row is written by somebody else into a partition whose file's end nobody saw: the load stops instead of guessing."""
    where = b.export("others", plain_rows(1000), partition=RANGE)
    b.load(where, "--create")
    journal = glob.glob(where + "/_load/*.journal")[0]
    with open(journal) as f:
        lines = f.read().splitlines()
    with open(journal, "w") as f:  # as if killed before the last "done" was written
        f.write("\n".join(line for line in lines if line != lines[-1]) + "\n")
    out, told = b.load(where, "--json")
    demand("already loaded" in told, "a file that was in was not recognised")
    files = json.loads(out)["files"]
    demand(files == {"count": len(lines) // 2, "loaded": 0, "found": 1, "before": len(lines) // 2 - 1}, files)
    with open(journal, "w") as f:
        f.write("\n".join(line for line in lines if line != lines[-1]) + "\n")
    b.peer.sql("INSERT INTO `others$f` (K, Q, T, V) VALUES ('row0', 'x', -1, ''), ('row03', 'x', -1, ''), ('z', 'x', -1, '')")
    demand("another program wrote" in b.load(where, want=7)[1], "not noticed")


def case_expired(b):
    """Rows that TTL has expired are no difference, whether SQL still sees them or not."""
    rows = [(b"row%d" % i, b"q", b"v", NOW - i * 1000) for i in range(100)]
    where = b.export("ttl", rows, kv='{"Hbase": {"TimeToLive": 50}}')
    b.load(where, "--create")
    demand(b.rows("ttl") == 51, "%d rows" % b.rows("ttl"))  # 50 s is not past 50 s
    b.peer.sql("INSERT INTO `ttl$f` (K, Q, T, V) VALUES ('old', 'q', -%d, '')" % (NOW - 60000))
    demand(b.verify(where)[-1]["expired"] == 1, "SQL sees an expired row, no difference")
    b.peer.sql("DELETE FROM `ttl$f` WHERE K = 'row1'")
    demand(b.verify(where, want=1)[-1]["missing"] == 1, "a live row is gone")
    demand(b.verify(where, "--now", NOW + 49500)[-1]["missing"] == 0, "it is expired by then")


def case_own_ttl(b):
    """A row that differs only in its own time to live is told with it."""
    where = b.export("ttls", plain_rows(100), extra="TTL bigint,")
    b.load(where, "--create")
    row = plain_rows(100)[7][0]
    b.peer.sql("UPDATE `ttls$f` SET TTL = 90000000 WHERE K = '%s'" % row.decode())
    found = [x for x in b.verify(where, want=1) if "row" in x]
    demand([(x["kind"], bytes.fromhex(x["row"]), x.get("ttl_ms_a"), x.get("ttl_ms_b")) for x in found] ==
           [("changed", row, None, 90000000)], found)


def case_definition_back(b):
    """--from-target: exact bounds, also those with NUL and quotes that print loses; the table can be made from it again."""
    bounds = [b"\0", b"a\0b", b"a'b", b"a\\b", "é".encode()]
    partition = "PARTITION BY RANGE COLUMNS(K) (%s, PARTITION pm VALUES LESS THAN (MAXVALUE))" % ", ".join(
        "PARTITION p%d VALUES LESS THAN (x'%s')" % (i, bound.hex()) for i, bound in enumerate(sorted(bounds)))
    rows = [(bound + tail, b"q", b"v", 5) for bound in sorted(bounds) for tail in (b"", b"\0", b"x")]
    where = b.export("exact", rows, partition=partition)
    b.load(where, "--create")
    b.expect_equal(where)
    b.print_definition("exact", b.path("back.sql"))
    with open(b.path("back.sql")) as f:
        text = f.read()
    for bound in bounds:
        demand("x'%s'" % bound.hex() in text, text)
    b.run("obkv-import", "--now", NOW, "--ddl", b.path("back.sql"), "--format", "cells", "-o", b.path("back.ds"),
          b.path("exact.cells"))
    b.peer.sql("DROP TABLE `exact$f`; DROP TABLEGROUP exact")
    b.peer.sql(text)
    b.run("obkv-export", "--now", NOW, "-o", b.path("back"), b.path("back.ds"))
    b.load(b.path("back"))
    b.expect_equal(where)
    b.run("obkv-load", *b.peer.options(), "--from-target", "absent", want=2)


def case_few_statements(b):
    """Many files go into one statement; few rows that may be replaced go in by REPLACE, many by one statement, too."""
    where = b.export("together", plain_rows(60000), partition="PARTITION BY KEY(K) PARTITIONS 23")
    for how, statements, small in (("error", 1, 0), ("replace", 1, 0)):
        out = b.load(where, "--create", "--dry-run", "--on-duplicate", how)[0]
        demand((out.count("LOAD DATA"), out.count("by REPLACE")) == (statements, small), out)
    where = b.export("smalls", plain_rows(3000), partition="PARTITION BY KEY(K) PARTITIONS 23")
    demand(b.load(where, "--create", "--dry-run")[0].count("LOAD DATA") == 1, "small files by several statements")
    demand(b.load(where, "--create", "--dry-run", "--on-duplicate", "replace")[0].count("by REPLACE") == 23, "no REPLACE")


def case_partitions_by_hand(b):
    """Kinds of partitions said by --partition: the table that create.sql makes of them takes each file."""
    time = "RANGE COLUMNS(G)", "VALUES LESS THAN (%d)" % (NOW - 1000), "VALUES LESS THAN (MAXVALUE)"
    specs = ["key:5:K,Q", "key:3:substring(4,2)",
             "sql:LIST COLUMNS(K) (PARTITION a VALUES IN ('row01-000004', 'x'), PARTITION `b c` VALUES IN (DEFAULT))",
             "sql:KEY(K) SUBPARTITION BY %s SUBPARTITION TEMPLATE (SUBPARTITION old %s, SUBPARTITION new %s) PARTITIONS 3" % time,
             "sql:%s SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (PARTITION old %s, PARTITION new %s)" % time]
    with open(b.path("hand.cells"), "w") as f:
        for k, q, v, ts in plain_rows(3000):
            f.write("%s\t66\t%s\t%d\t4\t0\t%s\t-\n" % (k.hex(), q.hex() or "-", ts, v.hex() or "-"))
    for i, spec in enumerate(specs):
        ds, where, name = b.path("ds%d" % i), b.path("hand%d" % i), "byhand%d" % i
        b.run("obkv-import", "--now", NOW, "--partition", spec, "--format", "cells", "-o", ds, b.path("hand.cells"))
        b.run("obkv-export", "--now", NOW, "--create", "--name", name, "-o", where, ds)
        b.load(where, "--create")
        b.expect_equal(where)
        b.print_definition(name, b.path("back.sql"))
        b.run("obkv-split", "apply", "--now", NOW, "--partition", "ddl:" + b.path("back.sql"), "-o", b.path("again%d" % i), ds)
        demand(manifest(ds)["table"]["partitioning"] == manifest(b.path("again%d" % i))["table"]["partitioning"], spec)
        b.peer.sql("DROP TABLE `%s$f`; DROP TABLEGROUP %s" % (name, name))


def case_million(b):
    """A million cells: each row in the partition that we put it into, by the server's own count and by its sums."""
    where = b.export("million", each_row(1000000), partition="PARTITION BY KEY(K) PARTITIONS 97")
    b.load(where, "--create")
    for file in manifest(where)["files"]:
        n = b.peer.one("SELECT COUNT(*) FROM `million$f` PARTITION (p%d)" % file["partition"])
        demand(int(n) == file["rows"], "p%d holds %s rows, the file %d" % (file["partition"], n, file["rows"]))
    demand(b.rows("million") == 1000000, "%d rows" % b.rows("million"))
    b.expect_equal(where)
    b.peer.sql("DROP TABLE `million$f`; DROP TABLEGROUP million")


class SmallEngine(Engine):
    datafile = "128M"


def case_disk_full(b):
    """The engine's disk is full: exit code 6, no part of the file is there; with more room the same command goes on."""
    r = random.Random(3)
    rows = [(b"row%02d-%03d" % (n // 20, n), b"q", r.randbytes(1000000), 5) for n in range(170)]
    where = b.export("full", rows, partition=RANGE)
    mine, small = b.peer, SmallEngine(b.folder)
    try:
        b.peer = small.prepare()
        out = b.load(where, "--create", "--retries", "1", want=6)[1]
        demand("free space there" in out, out)
        files = {f["partition"]: f["rows"] for f in manifest(where)["files"]}
        demand(b.rows("full") in (0, files[0], files[0] + files[1]), "a part of a file is there: %d rows" % b.rows("full"))
        b.peer.sql("ALTER SYSTEM SET datafile_maxsize = '1G'; ALTER SYSTEM SET datafile_size = '1G'")
        b.load(where)
        b.expect_equal(where)
    finally:
        b.peer = mine
        small.stop()


def script_rows():
    """With them load.sql has all its forms: both probes, files of long lines."""
    return plain_rows(3000) + [(b"row05-big", b"", b"\\" * (1 << 20), 1)]


def run_scripts(b, where, names):
    """The scripts as they are, by a client; a byte changed by hand is what check.sql prints."""
    for name in names:
        with open(os.path.join(where, name)) as f:
            text = f.read()
        demand(name == "create.sql" or text.count(" INFILE ") == 6 or name == "check.sql", text)
        b.peer.sql(text)
    b.expect_equal(where)
    with open(where + "/check.sql") as f:
        check = f.read()
    demand(len(b.peer.sql(check)) == 1, "check.sql finds differences")
    b.peer.sql("UPDATE `script$f` SET V = CONCAT(V, 'x') WHERE K = 'row05-big'")
    demand(len(b.peer.sql(check)) == 2, "check.sql finds nothing")


def case_scripts(b):
    run_scripts(b, b.export("script", script_rows(), partition=RANGE, v="longblob"), ["create.sql", "load.sql"])


# ---- cases of MariaDB, which has neither table groups nor kv_attributes

def make_plain(b, name, partition=""):
    b.peer.sql("CREATE TABLE `%s$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, "
               "V longblob NOT NULL, PRIMARY KEY (K, Q, T)) %s" % (name, partition))


def case_mariadb_scripts(b):
    """load.sql and check.sql unchanged: each statement that OceanBase gets."""
    make_plain(b, "script", RANGE)
    run_scripts(b, b.export("script", script_rows(), partition=RANGE, v="longblob"), ["load.sql"])


def case_mariadb_bytes(b):
    """All byte values, KEY partitions of another hash: whole tables are compared."""
    every = bytes(range(256))
    rows = [(bytes([i]) + every, every[:i], every * 9, NOW - i) for i in range(256)] + plain_rows(20000)
    where = b.export("mbytes", rows, v="longblob")
    make_plain(b, "mbytes", "PARTITION BY KEY(K) PARTITIONS 7")
    b.load(where)
    b.expect_equal(where)
    b.expect_equal(where, "--strong")
    b.peer.sql("UPDATE `mbytes$f` SET V = 'x' LIMIT 1")
    demand(not b.verify(where, want=1)[-1]["equal"], "a changed row is not found")
    out = b.run("obkv-verify", "target", *b.peer.options(), where, want=1)[0]
    demand("1 of them different: by their sums" in out and "0 missing" not in out, out)


def case_mariadb_rows(b):
    """RANGE partitions: descends to the rows; killed and gone on with."""
    where = b.export("mrange", plain_rows(60000, size=120), partition=RANGE, v="longblob")
    make_plain(b, "mrange", RANGE)
    p = b.begin_load(where)
    wait_until(lambda: is_loading(b))
    time.sleep(0.2)
    p.kill()
    p.communicate()
    b.load(where)
    demand(b.rows("mrange") == 60000, "%d rows" % b.rows("mrange"))
    b.expect_equal(where)
    b.peer.sql("DELETE FROM `mrange$f` WHERE K LIKE 'row05%' LIMIT 3")
    demand(b.verify(where, want=1)[-1]["missing"] == 3, "three rows are gone")


def case_mariadb_encrypted(b):
    """Certificates: believed or checked; another host name, another authority, a server that does not encrypt. The command that
    proves a load runs as it was printed."""
    tls = certificates(b.path("a user's tls"))
    where = b.export("mtls", plain_rows(100), partition="", v="longblob")
    make_plain(b, "mtls")
    b.load(where, "--tls", "require", "--dry-run", want=2)
    for name, want in (("127.0.0.1", 0), ("elsewhere", 2)):
        b.peer.kill()
        b.peer.extra = ["--ssl-ca=%s/ca.pem" % tls, "--ssl-cert=%s/%s.pem" % (tls, name),
                        "--ssl-key=%s/%s.key" % (tls, name)]
        b.peer.start()
        b.load(where, "--tls", "verify", "--tls-ca", tls + "/ca.pem", want=want)
        b.load(where, "--tls", "verify", "--tls-ca", tls + "/other.pem", want=2)
        demand("encrypted with" in b.load(where, "--tls", "require", "--dry-run")[0], "not encrypted")
    b.expect_equal(where, "--tls", "require")
    said = b.load(where, "--tls", "require", "--tls-ca", tls + "/ca.pem", "--on-duplicate", "ignore", "--restart")[0]
    proof = re.search(r"^  proof     (obkv-verify target .* --tls-ca .*)$", said, re.M)
    demand(proof and b.peer.user in proof.group(1), said)
    done = subprocess.run(["sh", "-c", proof.group(1)], env={**os.environ, "PATH": "%s:%s" % (b.binaries, os.environ["PATH"])},
                          capture_output=True, text=True, check=False)
    demand(done.returncode == 0 and "equal" in done.stdout, "%s: %s" % (proof.group(1), done.stdout + done.stderr))
    b.peer.kill()
    b.peer.extra = []
    b.peer.start()


def case_mariadb_wide_row(b):
    """One row of 30,000 cells: ranges are cut inside it."""
    rows = [(b"wide", b"q%05d" % i, b"v%d" % i, NOW) for i in range(30000)]
    where = b.export("mwide", rows, partition="", v="longblob")
    make_plain(b, "mwide")
    b.load(where)
    b.expect_equal(where)
    b.peer.sql("UPDATE `mwide$f` SET V = 'w' WHERE Q = 'q12345'; DELETE FROM `mwide$f` WHERE Q = 'q29999'; "
               "INSERT INTO `mwide$f` (K, Q, T, V) VALUES ('wide', 'q00000', -7, '')")
    found = {(x["kind"], bytes.fromhex(x["qualifier"])) for x in b.verify(where, want=1) if "row" in x}
    demand(found == {("changed", b"q12345"), ("missing", b"q29999"), ("extra", b"q00000")}, found)


GROUPS = {"mariadb": MariaDb, "engine": Engine, "hbase": Engine}


def group_of(name, case):
    beside = (beside_hbase.__name__, rollback.__name__)
    return "mariadb" if name.startswith("case_mariadb") else "hbase" if case.__module__ in beside else "engine"


def cases_of(groups):
    named = {**{name: case for module in MODULES for name, case in vars(module).items()}, **globals()}
    return [(n[5:], f) for n, f in named.items() if n.startswith("case_") and group_of(n, f) in groups]


class Tally:
    passed = failed = skipped = 0


def processor_time(server):
    """Of programs that have ended, and of the server so far."""
    return sum(os.times()[2:4]) + server.processor_time()


def run_case(tally, name, case, bench):
    start, used = time.monotonic(), processor_time(bench.peer)
    bench.folder = tempfile.mkdtemp(prefix=name + "-", dir=bench.folder)
    try:
        note = case(bench)
        tally.passed += 1
        print("ok %s (%.1f s, %.1f s of processor time)%s" % (
            name, time.monotonic() - start, processor_time(bench.peer) - used, " " + note if note else ""), flush=True)
    except Skipped as why:
        tally.skipped += 1
        print("skip %s: %s" % (name, why), flush=True)
    except (Wrong, AssertionError, SqlError, RuntimeError, subprocess.TimeoutExpired, OSError, LookupError, ValueError) as error:
        tally.failed += 1
        failed_test(name)
        print("FAIL %s: %s" % (name, error), flush=True)
        if bench.verbose:
            traceback.print_exc()
    shutil.rmtree(bench.folder, ignore_errors=True)
    bench.folder = os.path.dirname(bench.folder)


def run_peer(tally, peer, cases, binaries, folder, verbose):
    if not cases:
        return
    why = peer.missing()
    if why and os.environ.get("OBKV_REQUIRE_INTEROP") == "1":
        tally.failed += 1
        print("FAIL %s: %s (OBKV_REQUIRE_INTEROP=1)" % (peer.name, why))
    elif why:
        tally.skipped += len(cases)
        print("skip %s: %s" % (", ".join(name for name, _ in cases), why))
    if why:
        return
    server = peer(folder)
    try:
        bench = Bench(server.prepare(), os.path.abspath(binaries), folder, verbose)
        for name, case in cases:
            run_case(tally, name, case, bench)
    except CannotStart as error:
        tally.failed += 1
        print("FAIL %s: %s" % (peer.name, error))
    finally:
        server.stop()


def main():
    args, groups = [a for a in sys.argv[1:] if a != "-v"], list(GROUPS)
    if "--only" in args:
        at = args.index("--only")
        groups = [args[at + 1]]
        del args[at:at + 2]
    binaries, names = args[0], args[1:]
    tally = Tally()
    folder = tempfile.mkdtemp(prefix="obkv-loads-")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        for peer in (MariaDb, Engine):
            cases = cases_of([g for g in groups if GROUPS[g] is peer])
            cases = [(n, f) for n, f in cases if not names or n in names]
            run_peer(tally, peer, cases, binaries, folder, "-v" in sys.argv)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("%d passed, %d failed, %d skipped" % (tally.passed, tally.failed, tally.skipped))
    return 1 if tally.failed else 0


if __name__ == "__main__":
    sys.exit(main())
