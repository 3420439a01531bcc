#!/usr/bin/env python3
"""The application cmd/spark on clusters of two workers: its result is the dataset of one run, whatever happens to its tasks.

    jobs.py BIN [--keep] [-v] [NAME ...]        (through tests/spark/run.sh, which has compiled it)

A snapshot with links, references and MOB files on Spark 4, and options that are wrong, with local files. Jobs
on HDFS and S3A are in stores.py, those on which much goes wrong in troubles.py. Most jobs run on one cluster (cluster.py).
The last line is "N passed, N failed, N skipped".
"""
import contextlib
import subprocess
import sys

import counts
import executors
import large
import stores
import troubles
import yarn
from cluster import Shared
from spark_kit import NOW, ROOT, Session, bytes_of_files, demand, demand_same, said, tail, tree
from programs import Suite


def snapshot_on_spark_4(suite):
    """Regions with references and files of the archive: a shard has its own store files, of the others only names and sizes."""
    root = tree(suite, "b_split_merge") / "hbase"
    one, out = suite.fresh("one"), suite.tmp / "out"
    options = ("--snapshot", "snap_b1", "--partition", "key:5")
    suite.call("import", "--quiet", "--now", NOW, *options, "-o", one, root)
    spark = Session(suite, "spark4", suite.tmp / "spark4")
    suite.shared.stack.callback(spark.close)
    text = spark.submit(["--input", root, "--out", out, "--shards", "3", "--shares", "3", "--now", NOW, "--bin", suite.bin, "--",
                         *options])
    demand(said(text, "shards") == (3, 3), "stages: " + text[-500:])
    demand_same(one, out)
    suite.call("verify", "diff", "--quiet", "--snapshot", "snap_b1", root, out)
    kept = sorted(p.name for p in (suite.tmp / "out.work").iterdir())
    demand(kept == ["job", "listing"], "pieces were kept: %s" % kept)
    text = spark.submit(["--input", root, "--out", out, "--bin", suite.bin, "--", *options])
    demand("was finished with the same settings; nothing to do" in text, text[-500:])


def mob_compacted_and_exported(suite):
    """Values in MOB files, version rules, and load files of each share."""
    root = tree(suite, "e_codecs_mob") / "hbase"
    one, compacted, out, whole = suite.fresh("one"), suite.fresh("compacted"), suite.tmp / "out", suite.fresh("whole")
    options = ("--snapshot", "snap_e", "--partition", "key:4")
    suite.call("import", "--quiet", "--now", NOW, *options, "-o", one, root)
    suite.call("compact", "--quiet", "--now", NOW, "--versions", "1", "-o", compacted, one)
    suite.call("export", "--quiet", "--format", "jsonl", "-o", whole, compacted)
    suite.shared.spark.submit(["--input", root, "--out", out, "--shards", "2", "--shares", "2", "--now", NOW, "--bin", suite.bin,
                               "--compact", "--versions 1", "--export", suite.tmp / "export", "--export-options",
                               "--format jsonl", "--", *options])
    demand(bytes_of_files(compacted) == bytes_of_files(out), "other cell files than by one run")
    lines = [sorted(b"".join(p.read_bytes() for p in d.rglob("*.jsonl")).splitlines()) for d in (whole, suite.tmp / "export")]
    demand(lines[0] and lines[0] == lines[1], "the exports of the shares are not that of the whole")


def wrong_options(suite):
    for arguments, want in ((["--input", "x"], "--input and --out are needed"),
                            (["--shards", "0"], "--shards 0: expected a number"),
                            (["--input", "x", "--out", "y", "--", "-o", "z"], "this application gives that option"),
                            (["--what", "1"], "--what: no such option")):
        done = subprocess.run(["java", "-cp", "%s:%s/jars/*" % (ROOT / "build/spark/test.jar", ROOT / "build/spark/home"),
                               "obkv.spark.SparkJob", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        demand(done.returncode == 2 and want in done.stdout.decode(), "%s: %s" % (arguments, tail(done.stdout)))


def main():
    suite = Suite(__doc__)
    base = suite.tmp
    with contextlib.ExitStack() as stack:
        suite.shared = Shared(suite, stack)
        for test in (snapshot_on_spark_4, wrong_options, *counts.TESTS, *stores.TESTS, mob_compacted_and_exported, *large.TESTS,
                     *troubles.TESTS, *yarn.TESTS, *executors.TESTS):
            suite.tmp = base / test.__name__
            suite.tmp.mkdir()
            suite.run(test.__name__, test)
    suite.tmp = base
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
