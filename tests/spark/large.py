"""A CSV of 1 GB and a snapshot of 10 million cells, on HDFS and on S3A, by Spark and by one run. Only with OBKV_STRESS (make
stress): they need several GB of disk. jobs.py runs them."""
import os
import random
import sys
import time

from spark_kit import NOW, ROOT, bytes_of_files, demand, demand_same, said
from remote_kit import server_call
from stores import fetched, s3

sys.path.insert(0, str(ROOT / "tests/bench"))
from make_snapshot import make_snapshot  # noqa: E402

ROWS, AT_ONCE, REGIONS = 5_000_000, 1000, 5
CELLS = 2 * ROWS
COLUMNS = ("--quote", "none", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a,f:b")
KEY = ("--partition", "key:7")


def inputs(suite):
    """Of both tests: (name, path, options of obkv-import)."""
    folder = suite.shared.tmp / "large"
    csv, hbase = folder / "rows.csv", folder / "hbase"
    if not hbase.exists():
        folder.mkdir()
        r = random.Random(7)
        with open(csv, "w") as f:
            for first in range(0, ROWS, AT_ONCE):
                f.write("".join("row%07d,%d,%s,%s\n" % (n, 10 ** 12 + n % 7, r.randbytes(48).hex(), r.randbytes(48).hex())
                                for n in range(first, first + AT_ONCE)))
        demand(csv.stat().st_size > 10 ** 9, "%d bytes" % csv.stat().st_size)
        bounds, regions = folder / "bounds", folder / "regions"
        bounds.write_text("".join("row%07d\n" % (ROWS // REGIONS * n) for n in range(1, REGIONS)))
        suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "--partition", "range:%s" % bounds, "-o", regions, csv)
        make_snapshot(hbase, "snap", "t", [regions])
    return (("csv", csv, COLUMNS), ("snapshot", hbase, ("--snapshot", "snap")))


def by_one_run(suite, options, at):
    one, started = suite.fresh("one"), time.monotonic()
    server_call(suite, "import", "--quiet", "--now", NOW, *options, *KEY, "-o", one, *at, timeout=1800)
    return one, time.monotonic() - started


def by_spark(suite, options, url, out):
    started = time.monotonic()
    text = suite.shared.spark.submit(["--input", url, "--out", out, "--shards", "8", "--shares", "4", "--memory", "256M", "--now",
                                      NOW, "--bin", suite.bin, "--", *options, *KEY], timeout=3600)
    demand(said(text, "shards") == (8, 8) and said(text, "shares") == (4, 4), "stages: " + text[-500:])
    demand(" wrote %d cells" % (2 * CELLS) in text, "counters: " + text[-500:])
    return time.monotonic() - started


def large_on_hdfs(suite):
    hdfs = suite.shared.hdfs
    for name, path, options in inputs(suite):
        url = "hdfs://mycluster/large-%s" % name
        hdfs.call("put", path, "/large-%s/%s" % (name, path.name))
        one, alone = by_one_run(suite, options, ("--hdfs-namenodes", ",".join(hdfs.http), "%s/%s" % (url, path.name)))
        spark = by_spark(suite, options, "%s/%s" % (url, path.name), url + "-out")
        print("# %s on HDFS: %.0f s by one run, %.0f s by Spark" % (name, alone, spark), flush=True)
        out = suite.fresh("got")
        hdfs.call("get", "/large-%s-out" % name, out)
        demand_same(one, out)
        for done in ("", "-out", "-out.work"):
            hdfs.call("remove", "/large-" + name + done)


def large_on_s3a(suite):
    server = s3(suite)
    for name, path, options in inputs(suite):
        key = "large-%s" % name
        if path.is_dir():
            server.put_tree(path, "%s/%s/" % (key, path.name))
        else:
            server.put("/bucket/%s/%s" % (key, path.name), path.read_bytes())
        one, alone = by_one_run(suite, options, (path,))
        spark = by_spark(suite, options, "s3a://bucket/%s/%s" % (key, path.name), "s3a://bucket/%s-out" % key)
        print("# %s on S3A: %.0f s by one run of local files, %.0f s by Spark" % (name, alone, spark), flush=True)
        demand(bytes_of_files(one) == bytes_of_files(fetched(suite, server, key + "-out/")), "other cell files than by one run")


TESTS = (large_on_hdfs, large_on_s3a) if os.environ.get("OBKV_STRESS") else ()
