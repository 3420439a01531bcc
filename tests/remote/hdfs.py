#!/usr/bin/env python3
"""Inputs on a real HDFS, and on an S3 server that checks signatures, give what the same local files give, whatever happens to the
machines of HDFS.

    hdfs.py BIN [--seed N] [--keep] [-v] [NAME ...]        (through tests/remote/run.sh, which has compiled the server)

One HDFS has a pair of namenodes and two datanodes; the other one lets in by Kerberos only, with a KDC of its own. With
OBKV_STRESS, also a CSV of 1 GB, from HDFS, S3Proxy and moto. The last line is "N passed, N failed, N skipped".
"""
import gzip
import os
import re
import sys
import tarfile
import time

from mini_hdfs import ROOT, MiniHdfs, Watched
from s3_proxy import KEYS, S3Proxy

sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import NOW, Suite, bytes_of_files, demand, shown  # noqa: E402
from remote_kit import COLUMNS, KEY, call_import, imported, remote_call, rows, same, server_call  # noqa: E402
from venvs import Moto  # noqa: E402

BIG = 6 << 20  # of several blocks, and more than is read ahead


def data(suite):
    root = suite.tmp / "root"
    if root.exists():
        return root
    (root / "in/deep").mkdir(parents=True)
    (root / "in/big.csv").write_bytes(rows(0, BIG // 66))
    for i in range(12):
        (root / "in/deep" / ("part-%02d.csv" % i)).write_bytes(rows(100000 + 300 * i, 300))
    (root / "in/deep/a b+c%25é&='.csv").write_bytes(rows(200000, 50))
    (root / "in/deep/packed.csv.gz").write_bytes(gzip.compress(rows(300000, 5000)))
    with tarfile.open(ROOT / "tests/data/hbase_trees/b_split_merge.tar.xz") as t:
        t.extractall(suite.tmp / "tree")
    [tree] = (suite.tmp / "tree").iterdir()
    os.rename(tree / "hbase", root / "hbase")
    suite.hdfs.call("put", root, "/data")
    return root


def pair(suite):
    return "--hdfs-namenodes", ",".join(suite.hdfs.http)


def files(suite):
    root = data(suite)
    demand(int(suite.hdfs.call("blocks", "/data/in/big.csv")) > 4, "the file has too few blocks to be a test")
    same(suite, [root / "in/big.csv"], ["webhdfs://%s/data/in/big.csv" % suite.hdfs.http[0]])
    same(suite, [root / "in/big.csv"], ["hdfs://mycluster/data/in/big.csv"], *pair(suite))
    same(suite, [root / "in"], ["hdfs://mycluster/data/in/"], "--hdfs-namenodes", ",".join(reversed(suite.hdfs.http)))
    same(suite, [str(root / "in/d*/part-0[0-4].csv")], ["hdfs://mycluster/data/in/d*/part-0[0-4].csv"], *pair(suite))
    done = imported(suite, "none", ["hdfs://mycluster/data/in/none"], *pair(suite), want=5)
    demand(b"hdfs://mycluster/data/in/none: there is no such file" in done.err, shown(done.err))


def not_webhdfs(suite):
    """The port of RPC, and a page that is not there: no claim that the file does not exist."""
    data(suite)
    done = imported(suite, "none", ["webhdfs://%s/data/in" % suite.hdfs.rpc[0]], "--remote-retries", 1, want={5, 75})
    demand(b"no such file" not in done.err, shown(done.err))
    url = "http://%s/none" % suite.hdfs.http[0]
    done = imported(suite, "none", [url], want=5)
    demand(b"no such file" in done.err, shown(done.err))


def snapshot(suite):
    root = data(suite)
    options = ("--snapshot", "snap_b1")
    same(suite, [root / "hbase"], ["hdfs://mycluster/data/hbase"], *pair(suite), columns=options)
    server_call(suite, "verify", "diff", *options, *pair(suite), "hdfs://mycluster/data/hbase", root / "hbase")
    made = [imported(suite, "shard%d" % i, ["hdfs://mycluster/data/hbase"], *pair(suite), "--shard", "%d/2" % i,
                     columns=options) for i in (1, 2)]
    out = suite.fresh("joined")
    suite.call("split", "join", "-o", out, *made)
    demand(bytes_of_files(out) == bytes_of_files(imported(suite, "local", [root / "hbase"], columns=options)), "join differs")


def killed_datanode(suite):
    """In the middle of the file, right before it would be read from. The namenode goes on sending readers there."""
    root = data(suite)
    port = lambda location: re.match(r"http://[^/:]*:(\d+)/", location).group(1)  # noqa: E731
    with Watched(suite.hdfs.http[0], 4, lambda location: suite.hdfs.call("kill", port(location))) as w:
        done = same(suite, [root / "in/big.csv"], ["hdfs://nn/data/in/big.csv"], "--hdfs-namenodes", w.address, "--verbose",
                    "--memory", "64M", "--remote-retries", 3)
        demand(w.acted, "no datanode was killed")
    again = int(re.search(rb"(\d+) of them repeated", done.err + done.out).group(1))
    demand(again > 0, "nothing was read from the dead datanode")
    demand(again <= 26, "%d requests were repeated: readers go back to the dead datanode" % again)
    suite.hdfs.call("revive")


def switched_namenodes(suite):
    """The active namenode becomes the standby one while a file is read."""
    root = data(suite)
    with Watched(suite.hdfs.http[0], 3, lambda location: suite.hdfs.call("switch")) as w:
        both = "%s,%s" % (w.address, suite.hdfs.http[1])
        done = same(suite, [root / "in/big.csv"], ["hdfs://mycluster/data/in/big.csv"], "--hdfs-namenodes", both, "--verbose",
                    "--memory", "64M", "--remote-retries", 3)
        demand(w.acted, "the namenodes were not switched")
        demand(b" 0 of them repeated" not in done.err + done.out, "nothing was asked of the standby namenode")
    suite.hdfs.call("switch")


def users(suite):
    """Permissions of HDFS hold."""
    root = data(suite)
    suite.hdfs.call("put", root / "in/big.csv", "/private/big.csv")
    suite.hdfs.call("own", "/private/big.csv", "alice", "600")
    url, local, at = ["hdfs://mycluster/private/big.csv"], [root / "in/big.csv"], pair(suite)
    same(suite, local, url, *at, "--hdfs-user", "alice")
    done = imported(suite, "none", url, *at, "--hdfs-user", "bob", want=5)
    demand(b"HTTP 403 AccessControlException" in done.err and b"user=bob" in done.err, shown(done.err))


def kerberos(suite):
    """Tickets from a keytab, as a nightly job has them, and a delegation token."""
    h, root = suite.secured, data(suite)
    h.call("put", root / "in/deep", "/deep")
    h.call("put", root / "in/big.csv", "/private/big.csv")
    h.call("own", "/private/big.csv", "reader", "600")
    url, local = ["webhdfs://%s/private/big.csv" % h.http[0]], [root / "in/big.csv"]
    before = dict(suite.env)
    suite.env.update(KRB5_CONFIG=h.addresses[2], KRB5CCNAME="FILE:%s" % (suite.tmp / "tickets"))
    for options, text in (((), b"negotiate = yes"), (("--negotiate",), b"no valid Kerberos ticket: get one with kinit")):
        done = imported(suite, "none", url, *options, want=5)
        demand(b"HTTP 401" in done.err and text in done.err, shown(done.err))
    suite.env["KRB5_CLIENT_KTNAME"] = "FILE:%s" % (h.folder / "reader.keytab")
    same(suite, local, url, "--negotiate")
    same(suite, [root / "in/deep"], ["hdfs://nn:8020/deep"], "--hdfs-namenodes", h.http[0], "--negotiate")
    suite.env = before
    token = suite.tmp / "token"
    token.write_text(h.call("token", "reader") + "\n")
    token.chmod(0o600)
    same(suite, local, url, "--hdfs-token-file", token)
    h.call("cancel", "reader", token.read_text().strip())
    done = imported(suite, "none", url, "--hdfs-token-file", token, want=5)
    demand(b"InvalidToken" in done.err and b"get new ones" in done.err, shown(done.err))
    demand(token.read_bytes().strip() not in done.err, "the token is shown")


def s3(suite):
    """Files, directories, patterns and a snapshot; keys that are wrong."""
    root, before = data(suite), dict(suite.env)
    suite.env = dict({k: v for k, v in suite.env.items() if not k.startswith("AWS_")}, **KEYS)
    suite.s3.wait().put_tree(root, suite.env)
    at = ("--s3-endpoint", suite.s3.base)
    same(suite, [root / "in/big.csv"], ["s3://bucket/in/big.csv"], *at)
    same(suite, [root / "in/deep"], ["s3a://bucket/in/deep/"], *at)
    same(suite, [str(root / "in/d*/part-0[0-4].csv")], ["s3://bucket/in/d*/part-0[0-4].csv"], *at)
    same(suite, [root / "hbase"], ["s3://bucket/hbase"], *at, columns=("--snapshot", "snap_b1"))
    suite.env["AWS_SECRET_ACCESS_KEY"] += "x"
    done = imported(suite, "none", ["s3://bucket/in/big.csv"], *at, want=5)
    demand(b"HTTP 403 SignatureDoesNotMatch" in done.err and b"check the credentials" in done.err, shown(done.err))
    suite.env = before


def journey(suite, url, fetch, *at):
    """Shards, join, compaction, check and export on the server, with nothing local but scratch. fetch: gets a directory of it."""
    root = data(suite)
    shards = [url("shards/%d" % i) for i in (1, 2)]
    for i, shard in enumerate(shards):
        remote_call(suite, "import", *COLUMNS, *KEY, *at, "--shard", "%d/2" % (i + 1), "-o", shard, root / "in")
    remote_call(suite, "split", "join", *at, "-o", url("joined"), *shards)
    local = imported(suite, "local", [root / "in"])
    demand(bytes_of_files(local) == bytes_of_files(fetch("joined")), "the join differs")
    small = suite.fresh("small")
    suite.call("compact", "--versions", 1, "--now", NOW, "-o", small, local)
    remote_call(suite, "compact", "--versions", 1, "--now", NOW, *at, "-o", url("small"), url("joined"))
    demand(bytes_of_files(small) == bytes_of_files(fetch("small")), "the compaction differs")
    remote_call(suite, "verify", "check", *at, url("small"))
    text = suite.fresh("text")
    suite.call("export", "--format", "csv", "-o", text, small)
    remote_call(suite, "export", "--format", "csv", *at, "-o", url("text"), url("small"))
    there = fetch("text")
    files_of = sorted(p.relative_to(text) for p in text.rglob("*.csv*"))
    demand(files_of and all((text / p).read_bytes() == (there / p).read_bytes() for p in files_of), "the export differs")
    again = remote_call(suite, "compact", "--versions", 1, "--now", NOW, *at, "-o", url("small"), url("joined"))
    demand(b"nothing to do" in again.out + again.err, shown(again.out + again.err))
    remote_call(suite, "compact", "--versions", 1, "--now", NOW, *at, "--set", "BLOCKSIZE=16K", "--overwrite", "-o", url("small"),
                url("joined"))
    remote_call(suite, "verify", "diff", *at, small, url("small"))
    left = [p for p in fetch("small").rglob("*") if p.is_file() and ".obkv" in p.parts]
    demand(not left, "left on the server: %s" % left)


def outputs_on_hdfs(suite):
    """Also with one datanode, and a first namenode that is the standby one."""
    def fetch(name):
        to = suite.fresh("fetched")
        suite.hdfs.call("get", "/out/" + name, to)
        return to
    journey(suite, lambda name: "hdfs://mycluster/out/" + name, fetch, *pair(suite))
    suite.hdfs.call("switch")
    suite.hdfs.call("kill", "any")
    remote_call(suite, "import", *COLUMNS, *KEY, *pair(suite), "-o", "hdfs://mycluster/out/one", data(suite) / "in")
    suite.hdfs.call("switch")
    suite.hdfs.call("revive")
    demand(bytes_of_files(fetch("one")) == bytes_of_files(imported(suite, "local", [data(suite) / "in"])), "other cell files")


def outputs_on_s3(suite):
    """S3Proxy checks signatures, and keeps a bucket as a folder. Parts of 5 MB are the smallest that S3 takes."""
    before = dict(suite.env)
    suite.env = dict({k: v for k, v in suite.env.items() if not k.startswith("AWS_")}, **KEYS)
    suite.s3.wait().put_tree(data(suite) / "in/deep", suite.env)  # makes the bucket
    at = ("--s3-endpoint", suite.s3.base, "--s3-part-size", "5M")
    journey(suite, lambda name: "s3://bucket/out/" + name, lambda name: suite.tmp / "buckets/bucket/out" / name, *at)
    big, rows_of_parts = suite.fresh("big"), suite.tmp / "parts.csv"
    rows_of_parts.write_bytes(rows(0, 40000, 100))
    options = ("--partition", "none", "--codec", "none", "--now", NOW)
    suite.call("import", *COLUMNS, *options, "-o", big, rows_of_parts)
    remote_call(suite, "import", *COLUMNS, *options, *at, "-o", "s3://bucket/out/big", rows_of_parts)
    demand(max(p.stat().st_size for p in big.rglob("*.hfile")) > 5 << 20, "nothing is sent in parts")
    demand(bytes_of_files(big) == bytes_of_files(suite.tmp / "buckets/bucket/out/big"), "other cell files")
    suite.env["AWS_SECRET_ACCESS_KEY"] += "x"
    done = remote_call(suite, "import", *COLUMNS, *KEY, *at, "-o", "s3://bucket/out/none", data(suite) / "in", want={5, 7})
    demand(b"SignatureDoesNotMatch" in done.err, shown(done.err))
    suite.env = before


def large(suite):
    """A CSV of 1 GB from each of three servers: the bytes of the local run, for little more traffic than the file has."""
    folder, before = suite.fresh("large"), dict(suite.env)
    folder.mkdir()
    path = folder / "large.csv"
    with open(path, "wb") as f:
        for first in range(0, 4_500_000, 50000):
            f.write(rows(first, 50000, 100))
    size, started = path.stat().st_size, time.monotonic()
    demand(size > 10 ** 9, "%d bytes" % size)
    local = imported(suite, "local", [path])
    print("# %d bytes, local: %.0f s" % (size, time.monotonic() - started), flush=True)
    suite.env.update(KEYS)
    suite.hdfs.call("put", path, "/large.csv")
    large_by_url(suite, local, size, "hdfs://mycluster/large.csv", *pair(suite))
    suite.hdfs.call("remove", "/large.csv")
    suite.s3.wait().put_tree(folder, suite.env)
    large_by_url(suite, local, size, "s3://bucket/large.csv", "--s3-endpoint", suite.s3.base)
    with Moto() as moto:
        moto.put_tree(folder)
        large_by_url(suite, local, size, "s3://bucket/large.csv", "--s3-endpoint", moto.base)
    suite.env = before


def large_by_url(suite, local, size, url, *options):
    started = time.monotonic()
    out, done = call_import(suite, "remote", [url], *options, "--verbose", timeout=900)
    fetched, requests = map(int, re.search(rb"from servers: (\d+) bytes in (\d+) requests", done.out + done.err).groups())
    print("# %s: %.0f s, %d bytes in %d requests" % (url, time.monotonic() - started, fetched, requests), flush=True)
    demand(bytes_of_files(local) == bytes_of_files(out), "%s: other cell files" % url)
    demand(size <= fetched <= 1.001 * size, "%s: %d bytes of %d were fetched" % (url, fetched, size))


def main():
    suite = Suite(__doc__)
    suite.env = {k: v for k, v in suite.env.items() if not k.startswith("KRB5") and not k.lower().endswith("_proxy")}
    (suite.tmp / "temp").mkdir()
    suite.env.update(HADOOP_USER_NAME="root", TMPDIR=str(suite.tmp / "temp"))
    stress = (large,) if os.environ.get("OBKV_STRESS") else ()
    with MiniHdfs(suite.tmp / "pair", "pair") as suite.hdfs, MiniHdfs(suite.tmp / "kerberos", "kerberos") as suite.secured, \
            S3Proxy(suite.tmp / "s3proxy", suite.tmp / "buckets") as suite.s3:
        for test in (files, not_webhdfs, snapshot, killed_datanode, switched_namenodes, users, s3, kerberos, outputs_on_hdfs,
                     outputs_on_s3, *stress):
            suite.run(test.__name__.replace("_", " "), test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
