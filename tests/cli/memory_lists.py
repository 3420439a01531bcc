#!/usr/bin/env python3
"""Lists that grow with the input, with thousands of long entries, at --memory 64M: refused with 6 before they take more.

    memory_lists.py BIN [--seed N] [--keep] [-v] [NAME ...]

-v prints the peaks. Skipped for sanitizer builds. Paths of 2,300 bytes make a few thousand files weigh as much as many.
The last line is "N passed, N failed, N skipped".
"""
import json
import os
import pathlib
import sys
import tarfile
import urllib.parse

from measured import measured
from programs import NOW, Suite, demand, shown, tail
from remote_servers import Handler, Server

FLOOR_MB = 64
COLUMNS = ("--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a,cf:b")
DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
LONG = "/".join(["d" * 240] * 9)


def refused(suite, words, *command):
    done = measured(suite, FLOOR_MB, *command, want=6)
    demand(words in shown(done.err), "no %r: %s" % (words, tail(done.err, 400)))


def long_folder(suite, name):
    path = suite.tmp / name / LONG
    path.mkdir(parents=True, exist_ok=True)
    return path


def dataset(suite, name="one", rows=1):
    out, source = suite.tmp / name, suite.tmp / (name + ".csv")
    if not out.exists():
        source.write_text("".join("k%05d,1,v,x\n" % i for i in range(rows)))
        suite.call("import", "--quiet", "--partition", "none", *COLUMNS, "--now", NOW, "-o", out, source)
    return out


def store_files(suite):
    """14,000 regions of a table with a file each, and one region with 14,000."""
    one = dataset(suite)
    source = one / json.loads((one / "MANIFEST.json").read_text())["files"][0]["path"]
    many, single = (long_folder(suite, "root") / "data/default" / t for t in ("many", "single"))
    for i in range(14000):
        for to in (many / ("%032x/cf/%032x" % (i, i)), single / ("%032x/cf/%032x" % (1, i))):
            to.parent.mkdir(parents=True, exist_ok=True)
            os.link(source, to)
    words = "the list of store files takes more than 32M, half of --memory; give more --memory"
    for table in (many, single):
        for command in (("import", "--partition", "none", "-o", suite.tmp / "out"), ("import", "--list"), ("verify", "check"),
                        ("verify", "skew", "--partition", "none")):
            refused(suite, words, *command, table)
        refused(suite, words, "verify", "diff", table, one)


def snapshots(suite):
    """A snapshot's manifest of 100,000 regions."""
    with tarfile.open(DATA / "hbase_trees/a1_snapshot.tar.xz") as archive:
        archive.extractall(suite.tmp, filter="data")
    root = suite.tmp / "a1_snapshot/hbase"
    path = root / ".hbase-snapshot/snap_a/data.manifest"
    content = path.read_bytes()
    at, regions_of = 0, []
    while at < len(content):  # fields of SnapshotDataManifest, all of them messages
        number, length, shift, begin = content[at] >> 3, 0, 0, at
        at += 1
        while True:
            length |= (content[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if content[at - 1] < 128:
                break
        at += length
        if number == 2:
            regions_of.append(content[begin:at])
    path.write_bytes(content + max(regions_of, key=len) * 100000)
    path.with_name(".data.manifest.crc").unlink()
    for command in (("import", "--partition", "none", "-o", suite.tmp / "out"), ("verify", "check")):
        refused(suite, "the list of a snapshot's files takes more than 32M", *command, "--snapshot", "snap_a", root)


class Listing(Handler):
    """A bucket of names of 2,300 bytes, without end."""

    def do_GET(self):
        q = dict(urllib.parse.parse_qsl(self.path.partition("?")[2]))
        if "list-type" not in q:
            return self.fault(404, "NoSuchKey")
        first = int(q.get("continuation-token", 0))
        return self.say(200, ("<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>%d"
                              "</NextContinuationToken>" %
                              (first + 1000) + "".join("<Contents><Key>%s/%09d</Key><Size>9</Size></Contents>" % (LONG, i)
                                                       for i in range(first, first + 1000)) + "</ListBucketResult>").encode())


def servers(suite):
    """What a server lists."""
    with Server(Listing, suite.tmp) as s:
        suite.env["AWS_ENDPOINT_URL_S3"] = s.base
        refused(suite, "the list of remote files takes more than 32M, half of --memory; give more --memory", "import",
                "--partition", "none", *COLUMNS, "-o", suite.tmp / "out", "s3://bucket/" + LONG)
    del suite.env["AWS_ENDPOINT_URL_S3"]


def logs(suite):
    folder = long_folder(suite, "logs")
    first = folder / "h%2C1%2C2.1700000000000"
    first.write_bytes((DATA / "wals/dict1.log").read_bytes())
    for i in range(1, 6000):
        os.link(first, folder / ("h%%2C1%%2C2.%013d" % (1700000000000 + i)))
    refused(suite, "the list of input files takes more than 32M", "import", "--partition", "none", "--table", "t1", "-o",
            suite.tmp / "out", folder)


def text_files(suite, n=4400):
    folder = long_folder(suite, "text")
    for i in range(n):
        (folder / ("%05d.csv" % i)).write_text("k%05d,1,a,b\n" % i)
    return folder


def patterns(suite):
    """30,000 paths that a quoted pattern of several levels matches."""
    folder, first = long_folder(suite, "matched"), None
    for i in range(30000):
        path = folder / ("%03d/part-%05d.csv" % (i % 100, i))
        path.parent.mkdir(exist_ok=True)
        if first is None:
            path.write_text("k,1,a,b\n")
            first = path
        else:
            os.link(first, path)
    refused(suite, "the list of input files takes more than 32M", "import", "--partition", "none", *COLUMNS, "-o",
            suite.tmp / "out", folder / "[0-9]*/part-*.csv")


def manifests(suite):
    """A dataset of 4,400 inputs, whose manifest has 10 MB, and 12 shards whose manifests have as much and can be joined."""
    source, big = text_files(suite), suite.tmp / "big"
    suite.call("import", "--quiet", "--memory", "1G", "--partition", "none", *COLUMNS, "--now", NOW, "-o", big, source)
    words = "the manifests of the inputs take more than 6M, a tenth of --memory; give more --memory"
    out = ("-o", suite.tmp / "out")
    for command in (("verify", "check"), ("verify", "info"), ("verify", "account"), ("verify", "skew"),
                    ("verify", "target", "--target", "127.0.0.1:1/x", "--user", "u"), ("export", "--name", "t", *out),
                    ("compact", "--versions", 1, *out), ("split", "apply", "--partition", "key:3", *out),
                    ("import", "--partition", "none", *out)):
        refused(suite, words, *command, big)
    refused(suite, words, "verify", "diff", big, dataset(suite))
    shards = [suite.tmp / ("shard-%d" % i) for i in range(1, 13)]
    for i, shard in enumerate(shards, 1):
        suite.call("import", "--quiet", "--memory", "1G", "--shard", "%d/12" % i, "--partition", "key:3", *COLUMNS,
                   "--now", NOW, "-o", shard, source)
    measured(suite, FLOOR_MB, "split", "join", *out, *shards)  # keeps once what all of them say
    measured(suite, FLOOR_MB, "split", "join", "--partitions", "1/2", "-o", suite.tmp / "share", *shards)


def partitions(suite):
    """8,000 partitions with bounds of 1,900 bytes."""
    bounds, ddl, source = suite.tmp / "bounds", suite.tmp / "t.sql", suite.tmp / "one.csv"
    source.write_text("k,1,v,x\n")
    bounds.write_text("".join("m%05d%s\n" % (i, "x" * 1900) for i in range(8000)))
    ddl.write_text("CREATE TABLE `t$cf` (K varbinary(16384) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, "
                   "V varbinary(99), PRIMARY KEY(K, Q, T)) PARTITION BY RANGE COLUMNS(K) (%s);\n" % ", ".join(
                       "PARTITION p%d VALUES LESS THAN ('m%05d%s')" % (i, i, "x" * 1900) for i in range(8000)))
    for options in (("--partition", "range:%s" % bounds), ("--partition", "ddl:%s" % ddl), ("--ddl", ddl)):
        refused(suite, ": the definition of partitions takes more than 2M, a 32nd of --memory; give more --memory", "import",
                *options, *COLUMNS, "-o", suite.tmp / "out", source)


def warnings(suite):
    """Thousands of warnings of 2,300 bytes: those that have no room are printed, and counted."""
    source = text_files(suite)
    done = measured(suite, FLOOR_MB, "import", "--json", "--partition", "none", *COLUMNS, "--now", NOW, "-o", suite.fresh("out"),
                    source)
    listed = json.loads(done.out)["warnings"]
    for code in {w["code"] for w in listed}:
        n = sum(w["count"] for w in listed if w["code"] == code)
        demand(n and n % 4400 == 0, "%d of %s" % (n, code))
    more = [w["text"] for w in listed if "more of this kind, for which the list has no room" in w["text"]]
    demand(more and len(listed) < 600, "%d listed, %s" % (len(listed), more))


def rejects(suite):
    """20,000 inputs with a reject each, read side by side."""
    folder = suite.tmp / "bad"
    folder.mkdir()
    for i in range(20000):
        (folder / ("%05d.csv" % i)).write_text("k%05d,1\n" % i)
    out = suite.fresh("out")
    measured(suite, FLOOR_MB, "import", "--quiet", "--partition", "none", "--max-rejects", "20000", *COLUMNS, "-t", 2, "-o", out,
             folder, want=3)
    lines = (out / "_report/rejects.txt").read_bytes().splitlines()
    demand(lines == [b"k%05d,1" % i for i in range(20000)], "%d rejects, or in another order" % len(lines))


def main():
    suite = Suite(__doc__, in_memory=True)
    for test in (store_files, snapshots, servers, logs, patterns, manifests, partitions, warnings, rejects):
        suite.run("lists: " + test.__name__.replace("_", " "), test)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
