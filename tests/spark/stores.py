"""Jobs on a real HDFS, with its pair of namenodes, and on S3A. jobs.py runs them."""
import re
import shutil

from spark_kit import COLUMNS, NOW, bytes_of_files, csv_file, demand, demand_no_orphans, demand_same, said, tree
from remote_kit import server_call
from venvs import Moto


def csv_on_hdfs(suite):
    """Programs from an archive, tasks beside their blocks, a busy program, an executor killed. Then, by the other namenode, the
    same command again: only what is missing is made; and with another setting: refused."""
    hdfs, spark, shared = suite.shared.hdfs, suite.shared.spark, suite.shared.tmp
    csv_file(suite.tmp / "a.csv", 60000)
    csv_file(suite.tmp / "b.csv", 100)
    one = suite.fresh("one")
    inputs = ["hdfs://mycluster/in/%s.csv" % name for name in "ab"]
    for name in "ab":
        hdfs.call("put", suite.tmp / (name + ".csv"), "/in/%s.csv" % name)
    server_call(suite, "import", "--quiet", "--now", NOW, *COLUMNS, "--hdfs-namenodes", ",".join(hdfs.http), "-o", one, *inputs)
    arguments = ["--input", inputs[0], "--input", inputs[1], "--out", "hdfs://mycluster/out", "--shards", "3",
                 "--shares", "2", "--now", NOW, "--check", "--keep-work", "--bin", "obkv", "--", *COLUMNS]
    text = spark.submit(arguments)
    demand((shared / "busy").exists() and (shared / "killed").exists(), "nothing was killed")
    demand("Lost executor" in text and "locked by a test" in text, "Spark's log does not say what happened")
    demand(said(text, "shards") == (3, 3) and said(text, "shares") == (2, 2), "stages: " + text[-500:])
    demand("read 60100 records and wrote 240400 cells" in text, "counters: " + text[-2000:])
    demand("NODE_LOCAL" in text, "no task was started where its blocks are: " + text[-3000:])
    demand_same_as_on_hdfs(suite, hdfs, one)
    demand_no_orphans("297.31")
    hdfs.call("remove", "/out/MANIFEST.json")
    hdfs.call("remove", "/out.work/shards/00002.done")
    hdfs.call("switch")
    text = spark.submit(arguments)
    demand(said(text, "shards") == (1, 3) and said(text, "shares") == (0, 2), "started again: " + text[-1500:])
    demand_same_as_on_hdfs(suite, hdfs, one)
    arguments[arguments.index("--shards") + 1] = "4"
    text = spark.submit(arguments, want=2)
    demand("has pieces of other settings: 'shards 3' instead of 'shards 4'" in text, text[-500:])
    demand("at obkv.spark." not in text, "a stack trace of ours")


def demand_same_as_on_hdfs(suite, hdfs, one):
    out = suite.fresh("got")
    hdfs.call("get", "/out", out)
    demand_same(one, out)


def damaged_on_hdfs(suite):
    """An HFile of one shard: our message with file and place, at once. The same command again finds the other shards made."""
    hdfs, one = suite.shared.hdfs, suite.tmp / "one"
    csv_file(suite.tmp / "a.csv", 20000)
    suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "-o", one, suite.tmp / "a.csv")
    files = sorted(one.glob("f/*.hfile"))
    raw = bytearray(files[-1].read_bytes())
    raw[200:400] = bytes(200)
    (suite.tmp / "in").mkdir()
    for path in files:
        shutil.copy(path, suite.tmp / "in")
    (suite.tmp / "in" / files[-1].name).write_bytes(raw)
    hdfs.call("put", suite.tmp / "in", "/damaged/in")
    arguments = ["--input", "hdfs://mycluster/damaged/in", "--out", "hdfs://mycluster/damaged/out", "--shards", "4", "--bin",
                 suite.bin, "--", "--families", "f", "--partition", "key:5"]
    made = 0
    for _ in range(2):
        text = suite.shared.spark.submit(arguments, want=5)
        [line] = re.findall(r"(?m)^obkv-spark: (shard .*)", text)
        demand("obkv-import: error: hdfs://mycluster/damaged/in/%s" % files[-1].name in line and re.search(r"\d", line.split(
            files[-1].name)[1]), "no file and place: " + line)
        demand("at obkv.spark." not in text and "Exception" not in text, "a stack trace: " + text[-1500:])
        again = [at for at in text.splitlines() if "Lost task" in at and "TaskKilled" not in at]
        demand(not again, "tried again: %s" % again)
        todo = said(text, "shards")
        demand(todo[1] == 4 and (todo[0] == 4 if not made else todo[0] < 4), "to do: %s" % (todo,))
        made += 1
    demand(hdfs.call("exists", "/damaged/out") == "false", "OUT is there")


def rejects_of_shards(suite):
    """Bad records of all shards count together, and their reports are kept: in OUT, or, where there are too many, in WORK."""
    hdfs, one = suite.shared.hdfs, suite.fresh("one")
    for i in range(4):
        lines = ["row%06d,%s,v,w\n" % (n, "never" if n % 1000 == 0 or i == 1 and n < 5008 else n) for n in
                 range(5000 * i, 5000 * i + 5000)]
        (suite.tmp / ("%d.csv" % i)).write_text("".join(lines))
        hdfs.call("put", suite.tmp / ("%d.csv" % i), "/rejects/in/%d.csv" % i)
    url = "hdfs://mycluster/rejects"

    def job(limit, want):
        return suite.shared.spark.submit(["--input", url + "/in", "--out", url + "/out", "--work", "%s/work%s" % (url, limit),
                                          "--shards", "4", "--shares", "2", "--now", NOW, "--bin", suite.bin, "--", *COLUMNS,
                                          "--max-rejects", limit], want)

    for limit, what in (("0.1%", r"share \d: obkv-split: error: 27 of 20000 records rejected by all shards together"),
                        ("7", "shard 2: obkv-import: error: 12 of 5000 records rejected")):
        [line] = re.findall(r"(?m)^obkv-spark: (shar[de] .*)", job(limit, 4))
        report = re.search(r"hdfs://mycluster(/rejects/work%s/shards/0000[12]-\S+/_report/reasons.tsv)" % limit, line)
        demand(re.match(what + ", more than --max-rejects", line) and report, line)
        demand(hdfs.call("exists", report[1]) == "true", "no report there: " + line)
        demand(hdfs.call("exists", "/rejects/out") == "false", "OUT is there")
    server_call(suite, "import", "--quiet", "--now", NOW, *COLUMNS, "--max-rejects", "0.2%", "--hdfs-namenodes",
                ",".join(hdfs.http), "-o", one, url + "/in", want=3)
    text = job("0.2%", 0)
    demand("obkv-spark: records were rejected; see %s/out/_report" % url in text, "not said: " + text[-500:])
    out = suite.fresh("got")
    hdfs.call("get", "/rejects/out", out)
    demand_same(one, out)
    bad = [(p / "rejects.txt").read_text() for p in [one / "_report", *sorted((out / "_report").iterdir())]]
    demand(len(bad) == 5 and bad[0] == "".join(bad[1:]) and bad[0].count("\n") == 27, "rejects: %s" % bad)


def s3(suite):
    if not isinstance(suite.shared.s3, Moto):
        raise suite.shared.s3
    return suite.shared.s3


def fetched(suite, server, prefix):
    out = suite.fresh("got")
    for key in server.keys(prefix):
        path = out / key.removeprefix(prefix)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(server.get(key))
    return out


def snapshot_on_s3a(suite):
    """From a bucket into a bucket, where a rename is a copy."""
    server = s3(suite)
    root, one = tree(suite, "b_split_merge") / "hbase", suite.fresh("one")
    options = ("--snapshot", "snap_b1", "--partition", "key:5")
    suite.call("import", "--quiet", "--now", NOW, *options, "-o", one, root)
    server.put_tree(root, "hbase/")
    suite.shared.spark.submit(["--input", "s3a://bucket/hbase", "--out", "s3a://bucket/out", "--shards", "2", "--shares", "2",
                               "--now", NOW, "--bin", suite.bin, "--", *options])
    out = fetched(suite, server, "out/")
    demand(bytes_of_files(one) == bytes_of_files(out), "other cell files than by one run")
    demand(not server.keys("out.work/sha"), "pieces were left: %s" % server.keys("out.work/sha"))
    suite.call("verify", "check", out)


def csv_on_s3a(suite):
    """Text is cut in the middle of objects. A line that is none ends the job with 4, and is named."""
    server, one = s3(suite), suite.fresh("one")
    (suite.tmp / "csv").mkdir()
    csv_file(suite.tmp / "csv/a.csv", 30000)
    csv_file(suite.tmp / "csv/b.csv", 300)
    suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "-o", one, suite.tmp / "csv")
    server.put_tree(suite.tmp / "csv", "csv/")
    text = suite.shared.spark.submit(["--input", "s3a://bucket/csv", "--out", "s3a://bucket/rows", "--shards", "2", "--shares",
                                      "1", "--now", NOW, "--bin", suite.bin, "--", *COLUMNS])
    demand(said(text, "shards") == (2, 2), "stages: " + text[-500:])
    demand(bytes_of_files(one) == bytes_of_files(fetched(suite, server, "rows/")), "other cell files than by one run")
    server.put("/bucket/bad/a.csv", (suite.tmp / "csv/b.csv").read_bytes() + b"row,no time,x,y\n")
    text = suite.shared.spark.submit(["--input", "s3a://bucket/bad", "--out", "s3a://bucket/none", "--shards", "2", "--bin",
                                      suite.bin, "--", *COLUMNS], want=4)
    [line] = re.findall(r"(?m)^obkv-spark: (shard .*)", text)
    demand("s3a://bucket/bad/a.csv" in line, "the message: " + line)
    demand("at obkv.spark." not in text, "a stack trace: " + text[-1500:])


TESTS = (csv_on_hdfs, damaged_on_hdfs, rejects_of_shards, snapshot_on_s3a, csv_on_s3a)
