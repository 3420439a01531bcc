"""Jobs on a real HDFS, with its pair of namenodes, and on S3A; and a scratch disk that is full. jobs.py runs them."""
import os
import re
import subprocess
import sys
import tarfile
import time

from spark_kit import COLUMNS, FLAKY, NOW, ROOT, bytes_of_files, csv_file, demand, demand_same, said, submit, tree

sys.path.insert(0, str(ROOT / "tests/remote"))
from mini_hdfs import MiniHdfs  # noqa: E402
from programs import Skip  # noqa: E402
from venvs import Moto  # noqa: E402


def pair_of(hdfs):
    """Settings of Hadoop for hdfs://mycluster, as an hdfs-site.xml has them."""
    of = "spark.hadoop.dfs."
    return [of + "nameservices=mycluster", of + "ha.namenodes.mycluster=nn1,nn2",
            *("%snamenode.rpc-address.mycluster.nn%d=%s" % (of, i + 1, a) for i, a in enumerate(hdfs.rpc)),
            of + "client.failover.proxy.provider.mycluster="
            "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider"]


def packed(suite):
    """The programs as an archive that travels with the job; the import fails once by shard."""
    path = suite.tmp / "obkv.tar.gz"
    (suite.tmp / "flaky").write_text(FLAKY.format(d=suite.tmp, bin=suite.bin))
    (suite.tmp / "flaky").chmod(0o755)
    with tarfile.open(path, "w:gz", compresslevel=1) as t:
        t.add(suite.tmp / "flaky", "bin/obkv-import")
        for name in ("obkv-split", "obkv-compact", "obkv-verify"):
            t.add(suite.bin / name, "bin/" + name)
    return path


def csv_on_hdfs(suite):
    """Programs from an archive, tasks beside their blocks, a busy program, an executor killed. Then, by the other namenode, the
    same command again: only what is missing is made; and with another setting: refused."""
    with MiniHdfs(suite.tmp / "hdfs", "pair") as hdfs:
        csv_file(suite.tmp / "a.csv", 60000)
        csv_file(suite.tmp / "b.csv", 100)
        archive, one = packed(suite), suite.fresh("one")
        inputs = ["hdfs://mycluster/in/%s.csv" % name for name in "ab"]
        for name in "ab":
            hdfs.call("put", suite.tmp / (name + ".csv"), "/in/%s.csv" % name)
        suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "--hdfs-namenodes", ",".join(hdfs.http), "-o", one, *inputs)
        arguments = ["--input", inputs[0], "--input", inputs[1], "--out", "hdfs://mycluster/out", "--shards", "3",
                     "--shares", "2", "--now", NOW, "--check", "--keep-work", "--bin", "obkv", "--", *COLUMNS]
        settings = [*pair_of(hdfs), "spark.archives=%s#obkv" % archive]
        text = submit(suite, "spark", arguments, conf=settings)
        demand((suite.tmp / "busy").exists() and (suite.tmp / "killed").exists(), "nothing was killed")
        demand("Lost executor" in text and "locked by a test" in text, "Spark's log does not say what happened")
        demand(said(text, "shards") == (3, 3) and said(text, "shares") == (2, 2), "stages: " + text[-500:])
        demand("read 60100 records and wrote 240400 cells" in text, "counters: " + text[-2000:])
        demand("NODE_LOCAL" in text, "no task was started where its blocks are: " + text[-3000:])
        demand_same_as_on_hdfs(suite, hdfs, one)
        demand_no_orphans()
        hdfs.call("remove", "/out/MANIFEST.json")
        hdfs.call("remove", "/out.work/shards/00002.done")
        hdfs.call("switch")
        text = submit(suite, "spark", arguments, conf=settings)
        demand(said(text, "shards") == (1, 3) and said(text, "shares") == (0, 2), "started again: " + text[-1500:])
        demand_same_as_on_hdfs(suite, hdfs, one)
        arguments[arguments.index("--shards") + 1] = "4"
        text = submit(suite, "spark", arguments, want=2, conf=settings)
        demand("has pieces of other settings: 'shards 3' instead of 'shards 4'" in text, text[-500:])
        demand("at obkv.spark." not in text, "a stack trace of ours")


def demand_no_orphans():
    """The program of the executor that was killed ends, too."""
    deadline = time.monotonic() + 10
    while subprocess.run(["pgrep", "-f", "^sleep 297.31$"], stdout=subprocess.DEVNULL).returncode == 0:
        demand(time.monotonic() < deadline, "the program of the lost executor still runs")
        time.sleep(0.2)


def demand_same_as_on_hdfs(suite, hdfs, one):
    out = suite.fresh("got")
    hdfs.call("get", "/out", out)
    demand_same(one, out)


def snapshot_on_s3a(suite):
    """From a bucket into a bucket, where a rename is a copy."""
    jars = (ROOT / "build/spark/s3a.classpath").read_text().strip()
    root, one, out = tree(suite, "b_split_merge") / "hbase", suite.fresh("one"), suite.fresh("got")
    options = ("--snapshot", "snap_b1", "--partition", "key:5")
    suite.call("import", "--quiet", "--now", NOW, *options, "-o", one, root)
    with Moto() as s3:
        s3.put_tree(root, "hbase/")
        of = "spark.hadoop.fs.s3a."
        submit(suite, "spark", ["--input", "s3a://bucket/hbase", "--out", "s3a://bucket/out", "--shards", "2", "--shares", "2",
                                "--now", NOW, "--bin", suite.bin, "--", *options],
               conf=["spark.driver.extraClassPath=" + jars, "spark.executor.extraClassPath=" + jars, of + "endpoint=" + s3.base,
                     of + "access.key=key", of + "secret.key=secret", of + "path.style.access=true",
                     of + "connection.ssl.enabled=false"])
        for key in s3.keys("out/"):
            path = out / key.removeprefix("out/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(s3.get(key))
        left = s3.keys("out.work/sha")
    demand(bytes_of_files(one) == bytes_of_files(out), "other cell files than by one run")
    demand(not left, "pieces were left: %s" % left)
    suite.call("verify", "check", out)


def full_scratch_disk(suite):
    """Every attempt finds it full: the job ends with the program's message, and leaves nothing there."""
    disk = suite.tmp / "disk"
    disk.mkdir()
    if os.getuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).returncode:
        raise Skip("a small disk can only be mounted by root")
    try:
        csv_file(suite.tmp / "a.csv", 60000)
        text = submit(suite, "spark", ["--input", suite.tmp / "a.csv", "--out", suite.tmp / "out", "--shards", "2", "--shares",
                                       "1", "--scratch", disk, "--bin", suite.bin, "--", *COLUMNS], want=6)
        [line] = re.findall(r"(?m)^obkv-spark: (shard .*)", text)
        demand("No space left on device" in line, "the message: " + line)
        demand(not list(disk.iterdir()), "left on the disk: %s" % list(disk.iterdir()))
    finally:
        subprocess.run(["umount", disk], check=True)


STORES = (csv_on_hdfs, snapshot_on_s3a, full_scratch_disk)
