"""What a job asks of a store and of local disks, as counts: a store of the tests (src/obkv/spark/CountingFileSystem.java) writes
down every request, and the programs are wrapped by scripts that count files. Tables of Spark as inputs. jobs.py runs them."""
import collections
import re

from spark_kit import COLUMNS, NOW, csv_file, demand, demand_same, said, wrapped

SHARDS, SHARES, FILES = 8, 3, 5
COUNT_FILES = """echo "$*" >>"{d}/%s"
find . -type f -name '*.hfile' 2>/dev/null | wc -l >>"{d}/staged"
exec {real} "$@"
"""
# Both attempts at a shard work to the end, and end together.
TWICE = """case " $* " in
*" --list "*) exec {real} "$@" ;;
*" --shards 2/3 "*) {real} "$@" || exit
    touch "{d}/ended.$$"
    for i in $(seq 900); do [ "$(ls "{d}" | grep -c '^ended')" = 2 ] && exit 0; sleep 0.1; done
    exit 70 ;;
esac
exec {real} "$@"
"""
DATA = """CREATE TABLE made USING parquet LOCATION '{d}/parquet' AS
    SELECT id, DATE_ADD(DATE '2026-01-01', CAST(id % 9 AS INT)) AS day, IF(id % 5 = 0, NULL, CONCAT('n\\t', id, '\\n')) AS name,
        UNHEX(CONCAT('00090A0D5CFF', HEX(CAST(id % 7 AS STRING)))) AS raw, ARRAY(id, id + 1) AS list FROM RANGE(0, 3000, 1, 4)"""
# The catalogue of Iceberg is one of these statements; a real one is set by --conf.
ICEBERG = ("SET spark.sql.catalog.ice=org.apache.iceberg.spark.SparkCatalog", "SET spark.sql.catalog.ice.type=hadoop",
           "SET spark.sql.catalog.ice.warehouse=file:{d}/ice", """CREATE TABLE ice.db.users USING iceberg AS SELECT id,
           TIMESTAMP_NTZ '2026-01-01 00:00:00' AS changed, UNHEX(HEX(id)) AS raw FROM RANGE(0, 900, 1, 3)""",
           "DELETE FROM ice.db.users WHERE id >= 700", """SELECT CONCAT('k', LPAD(id, 4, '0')) AS HBASE_ROW_KEY, changed AS
           HBASE_TS_KEY, raw AS `f:raw` FROM ice.db.users""")
QUERY = """SELECT CONCAT(LPAD(id, 6, '0'), '_', day) AS HBASE_ROW_KEY, day AS HBASE_TS_KEY, name AS `f:name`,
    raw AS `f:raw`, list AS `f:list` FROM parquet.`{d}/parquet` WHERE id > 9"""


def requests(suite):
    """One listing for all shards, no file of others on a disk, many requests at a time, names in the store that are final."""
    log = suite.shared.requests
    path, one, out = suite.tmp / "in", suite.fresh("one"), suite.tmp / "out"
    path.mkdir()
    for i in range(FILES):
        csv_file(path / ("%d.csv" % i), 20000)
    programs = wrapped(suite, suite.tmp / "bin", "obkv-split", COUNT_FILES.replace("{d}", str(suite.tmp)) % "joins", ())
    listing = wrapped(suite, suite.tmp / "bin2", "obkv-import", COUNT_FILES.replace("{d}", str(suite.tmp)) % "imports", ())
    (programs / "obkv-import").symlink_to(listing / "obkv-import")
    log.write_text("")
    text = suite.shared.spark.submit(["--input", "count://%s" % path, "--out", "count://%s" % out, "--shards", SHARDS, "--shares",
                                      SHARES, "--now", NOW, "--bin", programs, "--keep-work", "--", *COLUMNS])
    demand(said(text, "shards") == (SHARDS, SHARDS), text[-500:])
    suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "-o", one, path)
    demand_same_but_for_names(one, out, "count:%s" % path, str(path))
    imports = (suite.tmp / "imports").read_text().splitlines()
    demand(sum(" --list " in line or line.startswith("--list ") for line in imports) == 1, "listings: %s" % imports)
    asked = [line.split() for line in log.read_text().splitlines()]
    kinds = collections.Counter(a[0] for a in asked)
    print("# %d shards of %d files, %d shares of 7 partitions: %s" % (SHARDS, FILES, SHARES, dict(kinds)))
    demand(not [a for a in asked if a[0] == "rename" and a[1].endswith(".hfile")], "cell files are renamed in a store")
    demand(max(int(a[2]) for a in asked) > 4, "one request after the other")
    twice = 2  # a speculative attempt may do each task once more
    demand(kinds["open"] <= twice * (FILES + 2 * SHARDS + SHARES * SHARDS + 7 * SHARDS + 3 * SHARES + 20), "opens: %s" % kinds)
    demand(kinds["create"] <= twice * (9 * SHARDS + 2 * SHARES + 7 + 10), "creates: %s" % kinds)
    demand(kinds["list"] <= 40, "lists: %s" % kinds)
    staged = [int(n) for n in (suite.tmp / "staged").read_text().split()]
    demand(max(staged) <= SHARDS * 3, "files of other shares on the disk of one: %s" % staged)


def demand_same_but_for_names(one, out, url, path):
    manifest = out / "MANIFEST.json"
    manifest.write_text(manifest.read_text().replace(url, path))
    demand_same(one, out)


def attempts_that_both_finish(suite):
    """A shard is made twice at a time, to the end: one piece stays, and nothing of the other one counts."""
    one, out = suite.fresh("one"), suite.tmp / "out"
    path = csv_file(suite.tmp / "a.csv", 60000)
    suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "-o", one, path)
    programs = wrapped(suite, suite.tmp / "bin", "obkv-import", TWICE.replace("{d}", str(suite.tmp)), ("obkv-split",))
    text = suite.shared.spark.submit(["--input", path, "--out", out, "--shards", "3", "--shares", "1", "--now", NOW, "--bin",
                                      programs, "--", *COLUMNS])
    demand(len(list(suite.tmp.glob("ended.*"))) == 2, "not two attempts")
    demand_same(one, out)
    [counts] = re.findall(r"this job read (\d+) records", text)
    demand(int(counts) == 60000, "records counted: " + counts)


def rows_of_a_query(suite):
    """A Parquet table by expressions: text, NULL, bytes of any value, times and lists, in several files and shards."""
    out = suite.tmp / "out"
    arguments = [a for statement in (DATA, QUERY) for a in ("--sql", " ".join(statement.replace("{d}", str(suite.tmp)).split()))]
    arguments += ["--out", out, "--shards", "3", "--shares", "2", "--now", NOW, "--bin", suite.bin, "--", "--partition", "key:7"]
    suite.shared.spark.submit(arguments)
    cells = suite.tmp / "cells"
    with open(cells, "w") as f:
        for i in range(10, 3000):
            day = 1 + i % 9
            time_ms = 1767225600000 + 86400000 * (day - 1)
            values = {"raw": b"\0\t\n\r\\\xff" + str(i % 7).encode(), "list": b"[%d,%d]" % (i, i + 1)}
            if i % 5:
                values["name"] = b"n\t%d\n" % i
            for q, v in values.items():
                f.write("%s\t66\t%s\t%d\t4\t0\t%s\t-\n" % ((b"%06d_2026-01-%02d" % (i, day)).hex(), q.encode().hex(), time_ms,
                                                           v.hex()))
    one = suite.fresh("one")
    suite.call("import", "--quiet", "--now", NOW, "--format", "cells", "--partition", "key:7", "-o", one, cells)
    suite.call("verify", "diff", "--quiet", one, out)
    kept = sorted(p.name for p in (suite.tmp / "out.work").iterdir())
    demand(kept == ["job", "listing", "rows.done"], "pieces were kept: %s" % kept)
    text = suite.shared.spark.submit(["--sql", "SELECT 1 AS one", "--out", suite.tmp / "o2", "--bin", suite.bin, "--"], want=2)
    demand("column one: name it HBASE_ROW_KEY" in text, text[-500:])
    text = suite.shared.spark.submit(["--sql", "SELECT x FROM", "--out", suite.tmp / "o3", "--bin", suite.bin, "--"], want=2)
    demand("obkv-spark: --sql: " in text, text[-500:])


def iceberg_table(suite):
    """A table of Iceberg, as its last snapshot is: rows that were deleted do not come."""
    out = suite.tmp / "out"
    statements = [a for s in ICEBERG for a in ("--sql", " ".join(s.replace("{d}", str(suite.tmp)).split()))]
    suite.shared.spark.submit([*statements, "--out", out, "--shards", "2", "--shares", "1", "--now", NOW, "--bin", suite.bin,
                               "--", "--partition", "key:3"])
    with open(suite.tmp / "cells", "w") as f:
        for i in range(700):
            f.write("%s\t66\t%s\t1767225600000\t4\t0\t%s\t-\n" % ((b"k%04d" % i).hex(), b"raw".hex(), hexadecimal(i)))
    one = suite.fresh("one")
    suite.call("import", "--quiet", "--now", NOW, "--format", "cells", "--partition", "key:3", "-o", one, suite.tmp / "cells")
    suite.call("verify", "diff", "--quiet", one, out)


def hexadecimal(i):
    text = "%X" % i
    return text if len(text) % 2 == 0 else "0" + text


TESTS = (iceberg_table, requests, attempts_that_both_finish, rows_of_a_query)
