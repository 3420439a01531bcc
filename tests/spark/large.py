"""A CSV of 1 GB and a snapshot of 10 million cells on HDFS, by Spark and by one run. Only with OBKV_STRESS (make stress): it
needs several GB of disk. jobs.py runs it."""
import os
import random
import sys
import time

from spark_kit import NOW, ROOT, demand, demand_same, said

sys.path.insert(0, str(ROOT / "tests/bench"))
from make_snapshot import make_snapshot  # noqa: E402

ROWS, AT_ONCE, REGIONS = 5_000_000, 1000, 5
COLUMNS = ("--quote", "none", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a,f:b")
KEY = ("--partition", "key:7")


def large_csv_and_snapshot(suite):
    csv, cells = suite.tmp / "rows.csv", 2 * ROWS
    r = random.Random(7)
    with open(csv, "w") as f:
        for first in range(0, ROWS, AT_ONCE):
            f.write("".join("row%07d,%d,%s,%s\n" % (n, 10 ** 12 + n % 7, r.randbytes(48).hex(), r.randbytes(48).hex())
                            for n in range(first, first + AT_ONCE)))
    demand(csv.stat().st_size > 10 ** 9, "%d bytes" % csv.stat().st_size)
    as_by_one_run(suite, "csv", csv, COLUMNS, cells)
    bounds, regions = suite.tmp / "bounds", suite.tmp / "regions"
    bounds.write_text("".join("row%07d\n" % (ROWS // REGIONS * n) for n in range(1, REGIONS)))
    suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "--partition", "range:%s" % bounds, "-o", regions, csv)
    make_snapshot(suite.tmp / "hbase", "snap", "t", [regions])
    as_by_one_run(suite, "snapshot", suite.tmp / "hbase", ("--snapshot", "snap"), cells)


def as_by_one_run(suite, name, path, options, cells):
    one, out, url = suite.fresh("one"), suite.fresh("got"), "hdfs://mycluster/large-%s" % name
    suite.shared.hdfs.call("put", path, "/large-%s/%s" % (name, path.name))
    at = ("--hdfs-namenodes", ",".join(suite.shared.hdfs.http))
    started = time.monotonic()
    suite.call("import", "--quiet", "--now", NOW, *options, *KEY, *at, "-o", one, "%s/%s" % (url, path.name), timeout=1800)
    middle = time.monotonic()
    text = suite.shared.spark.submit(["--input", "%s/%s" % (url, path.name), "--out", url + "-out", "--shards", "8", "--shares",
                                      "4", "--memory", "256M", "--now", NOW, "--bin", suite.bin, "--", *options, *KEY],
                                     timeout=3600)
    print("# %s: %.0f s by one run, %.0f s by Spark" % (name, middle - started, time.monotonic() - middle), flush=True)
    demand(said(text, "shards") == (8, 8) and said(text, "shares") == (4, 4), "stages: " + text[-500:])
    demand(" wrote %d cells" % (2 * cells) in text, "counters: " + text[-500:])
    suite.shared.hdfs.call("get", "/large-%s-out" % name, out)
    demand_same(one, out)
    for done in (url, url + "-out", url + "-out.work"):
        suite.shared.hdfs.call("remove", done.removeprefix("hdfs://mycluster"))


TESTS = (large_csv_and_snapshot,) if os.environ.get("OBKV_STRESS") else ()
