#!/usr/bin/env python3
"""Inputs on servers (s3://, hdfs://, webhdfs://, http://) give what the same local files give; a server that fails ends a run
with the right result, or with 5 or 75 and the reason, and never with other data.

    remote.py BIN [--seed N] [--keep] [-v] [NAME ...]

The servers are those of remote_servers.py, on 127.0.0.1, and moto (`sh samples/setup.sh s3`), an S3 server that is not ours.
The last line is "N passed, N failed, N skipped".
"""
import gzip
import os
import shutil
import ssl
import subprocess
import sys
import tarfile
import zipfile

import remote_servers as servers
from programs import NOW, Skip, Suite, bytes_of_files, demand, digest, manifest, shown
from remote_kit import COLUMNS, KEY, imported, remote_call, rows, same, server_call
from remote_servers import HdfsHandler, HttpHandler, S3Handler, Server, StsHandler, Trouble
from venvs import Moto

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench"))
from make_snapshot import make_snapshot  # noqa: E402


def data(suite):
    root = suite.tmp / "root"
    if root.exists():
        return root
    (root / "in/deep").mkdir(parents=True)
    (root / "in/all.csv").write_bytes(rows(0, 60000))
    for i in range(9):
        (root / "in/deep" / ("part-%d.csv" % i)).write_bytes(rows(100000 + 300 * i, 300))
    (root / "in/deep/a b+c%25é&='.csv").write_bytes(rows(200000, 50))
    (root / "in/deep/packed.csv.gz").write_bytes(gzip.compress(rows(300000, 5000)))
    (root / "in/empty.csv").write_bytes(b"")
    return root


def s3(suite, **kw):
    suite.env.update(AWS_ACCESS_KEY_ID=servers.KEY_ID, AWS_SECRET_ACCESS_KEY=servers.SECRET, AWS_SESSION_TOKEN=servers.TOKEN)
    return Server(S3Handler, data(suite), token=servers.TOKEN, **kw)


def s3_files(suite):
    root = data(suite)
    with s3(suite) as s:
        same(suite, [root / "in/all.csv"], ["s3://bucket/in/all.csv"], "--s3-endpoint", s.base)
        same(suite, [root / "in/deep"], ["s3://bucket/in/deep"], "--s3-endpoint", s.base)
        same(suite, [root / "in/deep"], ["s3a://bucket/in/deep/"], "--s3-endpoint", s.base + "/")
        same(suite, [str(root / "in/d*/part-[0-4].csv")], ["s3://bucket/in/d*/part-[0-4].csv"], "--s3-endpoint", s.base)
        same(suite, [root / "in/all.csv", root / "in/empty.csv"], ["s3://bucket/in/all.csv", root / "in/empty.csv"],
             "--s3-endpoint", s.base)
        host = ("--s3-virtual-host", "--s3-endpoint", s.base.replace("127.0.0.1", "localhost"))  # signed, too
        same(suite, [root / "in/all.csv"], ["s3://bucket/in/all.csv"], *host)
        same(suite, [root / "in/deep"], ["s3://bucket/in/deep"], *host)
        done = imported(suite, "none", ["s3://other/in"], *host, want=5)
        demand(b"NoSuchBucket" in done.err, shown(done.err))
        done = imported(suite, "none", ["s3://bucket/in/nothing"], "--s3-endpoint", s.base, want=5)
        demand(b"s3://bucket/in/nothing: there is no such file" in done.err, shown(done.err))
        done = imported(suite, "none", ["s3://other/in"], "--s3-endpoint", s.base, want=5)
        demand(b"NoSuchBucket" in done.err, shown(done.err))


def s3_settings(suite):
    """From the environment and the credentials file, as AWS's tools have them."""
    root, file = data(suite), suite.tmp / "credentials"
    with s3(suite, region="eu-north-7") as s:
        keys = {k: suite.env.pop(k) for k in list(suite.env) if k.startswith("AWS_")}
        file.write_text("[default]\naws_access_key_id = other\naws_secret_access_key=none\n[night]\r\n"
                        "aws_access_key_id = %s\t\r\naws_secret_access_key = %s\r\n# text\naws_session_token=%s\nregion = x\n"
                        % (servers.KEY_ID, servers.SECRET, servers.TOKEN))
        suite.env.update(AWS_SHARED_CREDENTIALS_FILE=str(file), AWS_PROFILE="night", AWS_ENDPOINT_URL=s.base,
                         AWS_REGION="eu-north-7")
        same(suite, [root / "in/deep"], ["s3://bucket/in/deep"])
        for change, text in (({"AWS_PROFILE": "day"}, b"no keys for the profile day"),
                             ({"AWS_REGION": "us-east-1"}, b"SignatureDoesNotMatch"),
                             ({"AWS_PROFILE": ""}, b"SignatureDoesNotMatch")):
            before = dict(suite.env)
            suite.env.update(change)
            done = imported(suite, "none", ["s3://bucket/in"], want=2 if b"profile" in text else 5)
            demand(text in done.err, shown(done.err))
            suite.env = before
        for k in list(suite.env):
            if k.startswith("AWS_"):
                del suite.env[k]
        suite.env["HOME"] = str(suite.tmp)
        done = imported(suite, "none", ["s3://bucket/in"], "--s3-endpoint", s.base, want=5)
        demand(b"Anonymous access is forbidden" in done.err and b"check the credentials" in done.err, shown(done.err))
        suite.env.update(keys)


def web_identity(suite):
    """Keys from a token service: asked for once, and again before they expire; refused and busy services."""
    root, token = data(suite), suite.tmp / "identity"
    token.write_text(servers.IDENTITY + "\n")
    with s3(suite) as s, Server(StsHandler, token, trouble=Trouble(storm=1)) as sts:
        before = {k: v for k, v in suite.env.items() if not k.startswith("AWS_")}
        suite.env = dict(before, AWS_ENDPOINT_URL_S3=s.base, AWS_ENDPOINT_URL_STS=sts.base, AWS_ROLE_ARN=servers.ROLE,
                         AWS_WEB_IDENTITY_TOKEN_FILE=str(token))
        same(suite, [root / "in"], ["s3://bucket/in"])
        demand(sts.requests == 2, "%d requests of the token service" % sts.requests)
        sts.valid_s = 200  # less than what is to be left: renewed for each request
        same(suite, [root / "in/deep"], ["s3://bucket/in/deep"])
        demand(sts.requests > 10, "expired keys were used: %d" % sts.requests)
        suite.env["AWS_ROLE_ARN"] = "arn:other"
        done = imported(suite, "none", ["s3://bucket/in"], want=5)
        demand(b"InvalidAction" in done.err and sts.base.encode() in done.err, shown(done.err))
        suite.env.update(AWS_ROLE_ARN=servers.ROLE, AWS_WEB_IDENTITY_TOKEN_FILE=str(token) + ".none")
        done = imported(suite, "none", ["s3://bucket/in"], want=5)
        demand(b"AWS_WEB_IDENTITY_TOKEN_FILE" in done.err, shown(done.err))
        suite.env = before


def hdfs(suite, **kw):
    suite.env["HADOOP_USER_NAME"] = servers.USER
    return Server(HdfsHandler, data(suite), **kw)


def hdfs_files(suite):
    root = data(suite)
    with hdfs(suite) as s, hdfs(suite, batches=False) as old, hdfs(suite, standby=True) as standby:
        host = s.base.removeprefix("http://")
        same(suite, [root / "in/all.csv"], ["webhdfs://%s/in/all.csv" % host])
        same(suite, [root / "in/deep"], ["hdfs://nn:8020/in/deep"], "--hdfs-namenodes", host)
        same(suite, [root / "in/deep"], ["hdfs://pair/in/deep/"], "--hdfs-namenodes",
             "%s,%s" % (standby.base.removeprefix("http://"), host))
        same(suite, [root / "in/deep"], ["hdfs://nn//in/deep"], "--hdfs-namenodes", old.base.removeprefix("http://"))
        done = imported(suite, "none", ["webhdfs://%s/in/none" % host], want=5)
        demand(b"there is no such file" in done.err, shown(done.err))
        done = imported(suite, "none", ["webhdfs://%s/in" % host], "--hdfs-user", "someone", want=5)
        demand(b"HTTP 401" in done.err and b"negotiate = yes" in done.err, shown(done.err))
        (suite.tmp / "token").write_text(servers.DELEGATION + "\n")
        (suite.tmp / "token").chmod(0o600)
        same(suite, [root / "in/all.csv"], ["webhdfs://%s/in/all.csv" % host], "--hdfs-user", "someone", "--hdfs-token-file",
             suite.tmp / "token")
        done = imported(suite, "none", ["hdfs://pair/in"], "--hdfs-namenodes", standby.base.removeprefix("http://"),
                        "--remote-retries", 1, want=75)
        demand(b"StandbyException" in done.err, shown(done.err))


def hadoop_settings(suite):
    """HADOOP_CONF_DIR: what Hadoop's own programs know of name services, the default file system, S3A and Kerberos."""
    root, conf = data(suite), suite.tmp / "conf"
    shutil.rmtree(conf, ignore_errors=True)
    conf.mkdir()

    def site(name, **values):
        (conf / name).write_text("<?xml version='1.0'?>\n<configuration>\n%s</configuration>\n" % "".join(
            "<property><name>%s</name><value>%s</value></property>\n" % (k.replace("__", "-").replace("_", "."), v)
            for k, v in values.items()))
    with hdfs(suite) as s, hdfs(suite, standby=True) as standby, s3(suite, region="eu-north-7") as store:
        host, other = s.base.removeprefix("http://"), standby.base.removeprefix("http://")
        keys = {k: suite.env.pop(k) for k in list(suite.env) if k.startswith("AWS_")}
        suite.env.update(HADOOP_CONF_DIR=str(conf), HOME=str(suite.tmp))
        try:
            s3a = {"fs_s3a_endpoint": store.base, "fs_s3a_endpoint_region": "eu-north-7", "fs_s3a_path_style_access": "true",
                   "fs_s3a_access_key": servers.KEY_ID, "fs_s3a_secret_key": servers.SECRET,
                   "fs_s3a_session_token": servers.TOKEN}
            site("core-site.xml", fs_defaultFS="hdfs://pair/", **s3a)
            site("hdfs-site.xml", dfs_nameservices="pair, other", dfs_ha_namenodes_pair="nn1,nn2", port=host.split(":")[1],
                 dfs_namenode_http__address_pair_nn1=other, dfs_namenode_rpc__address_pair_nn2="127.0.0.1:8020",
                 dfs_namenode_http__address_pair_nn2="0.0.0.0:${port}", dfs_namenode_http__address_other="127.0.0.1:9")
            same(suite, [root / "in/deep"], ["hdfs://pair/in/deep"])
            same(suite, [root / "in/deep"], ["hdfs:///in/deep"])
            same(suite, [root / "in/all.csv"], ["s3a://bucket/in/all.csv"])
            same(suite, [root / "in/all.csv"], ["hdfs://x/in/all.csv"], "--hdfs-namenodes", host)  # takes precedence
            site("core-site.xml", fs_defaultFS="hdfs://127.0.0.1:8020")
            site("hdfs-site.xml", dfs_namenode_http__address=host)
            same(suite, [root / "in/all.csv"], ["hdfs:///in/all.csv"])
            same(suite, [root / "in/all.csv"], ["hdfs://127.0.0.1/in/all.csv"])
            done = imported(suite, "none", ["hdfs:///in/none"], want=5)
            demand(b"there is no such file" in done.err, shown(done.err))
            site("core-site.xml", fs_defaultFS="file:///")
            demand(b"names no host" in imported(suite, "none", ["hdfs:///in/all.csv"], want=2).err, "a host was found")
            (conf / "core-site.xml").write_text("<configuration>\n<property>")
            done = imported(suite, "none", ["hdfs:///in/all.csv"], want=5)
            demand(b"core-site.xml:2" in done.err, shown(done.err))
            suite.env["HADOOP_CONF_DIR"] = str(conf / "core-site.xml")
            done = imported(suite, "none", ["hdfs://pair/in/all.csv"], want=2)
            demand(b"is no directory (HADOOP_CONF_DIR)" in done.err, shown(done.err))
        finally:
            suite.env.pop("HADOOP_CONF_DIR")
            suite.env.update(keys)


def http_files(suite):
    root = data(suite)
    with Server(HttpHandler, root) as s, Server(HttpHandler, root, no_ranges=True) as plain:
        same(suite, [root / "in/all.csv"], [s.base + "/in/all.csv?presigned-and-secret"])
        same(suite, [root / "in/deep/packed.csv.gz"], [s.base + "/in/deep/packed.csv.gz"])
        done = imported(suite, "none", [plain.base + "/in/all.csv?presigned-and-secret"], want=5)
        demand(b"does not serve parts of files" in done.err, shown(done.err))
        done = imported(suite, "none", ["http://name:presigned-and-secret@127.0.0.1/x"], want=2)
        demand(b"user or password" in done.err, shown(done.err))


class Misdirected(HttpHandler):
    """Sends all on, to itself or to a file."""

    def do_GET(self):
        self.say(302, b"", {"Location": "file:///etc/passwd" if self.path == "/file" else self.path}.items())


def misdirected(suite):
    with Server(Misdirected, data(suite)) as s:
        for name in ("/loop", "/file"):
            done = imported(suite, "none", [s.base + name], want=5)
            demand(b"redirects to no file" in done.err, shown(done.err))


class ShortLength(HttpHandler):
    """Says that answers are shorter than they are."""

    def say(self, status, body=b"", headers=(), length=None):
        super().say(status, body, headers, len(body) // 2)


def short_lengths(suite):
    with Server(ShortLength, data(suite)) as s:
        done = imported(suite, "none", [s.base + "/in/all.csv"], want=5)
        demand(b"Content-Length is too small" in done.err and b"redirects" not in done.err, shown(done.err))


def tls(suite):
    if not shutil.which("openssl"):
        raise Skip("openssl is not installed")
    key, cert = suite.tmp / "key.pem", suite.tmp / "cert.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    root = data(suite)
    with Server(HttpHandler, root, tls=context) as s:
        done = imported(suite, "none", [s.base + "/in/all.csv"], want=5)
        demand(b"AWS_CA_BUNDLE" in done.err, shown(done.err))
        same(suite, [root / "in/all.csv"], [s.base + "/in/all.csv"], "--ca-file", cert)


# ---- cell files, directories, archives ----

def dataset(suite, name="set", n=150000, value=60):
    out = data(suite) / name
    if not out.exists():
        (suite.tmp / "big.csv").write_bytes(rows(0, n, value))
        suite.call("import", *COLUMNS, "--partition", "none", "--now", NOW, "--codec", "none", "-o", out, suite.tmp / "big.csv")
    return out


def part_of_rows(suite):
    """1 % of the rows of HFiles: at most 3 % of their bytes come from the server."""
    local = dataset(suite)
    size = sum(p.stat().st_size for p in local.rglob("*.hfile"))
    demand(size > 10 << 20, "the file is too small for this test: %d" % size)
    part = ("--rows", "row0070000:row0071500", "--families", "f")
    for server, url, options in ((s3(suite), "s3://bucket/set/f", ()), (hdfs(suite), "hdfs://nn/set/f", ())):
        with server as s:
            where = ("--s3-endpoint", s.base) if url.startswith("s3") else ("--hdfs-namenodes", s.base.removeprefix("http://"))
            a = imported(suite, "local", [local / "f"], *part, columns=())
            before = s.sent
            b = imported(suite, "remote", [url], *part, *where, columns=())
            demand(manifest(b)["totals"]["cells"] == 1500 and digest(a) == digest(b), "other cells")
            came = s.sent - before
            demand(came <= size * 0.03, "%s: %d of %d bytes were read: %.1f %%" % (url, came, size, 100 * came / size))


def programs(suite):
    local = dataset(suite)
    (data(suite) / "second").exists() or suite.call("import", *COLUMNS, "--partition", "none", "--now", NOW, "-o",
                                                    data(suite) / "second", data(suite) / "in/all.csv")
    with s3(suite) as s:
        at = ("--s3-endpoint", s.base)
        remote_call(suite, "verify", "check", *at, "s3://bucket/set")
        done = remote_call(suite, "verify", "info", *at, "s3://bucket/set")
        demand(b"s3://bucket/set" in done.out and b"obkv-remote" not in done.out, shown(done.out))
        remote_call(suite, "verify", "diff", *at, local, "s3://bucket/set")
        remote_call(suite, "verify", "diff", *at, "s3://bucket/second", "s3://bucket/set", want=1)
        done = remote_call(suite, "verify", "dump", "--limit", 3, *at, "s3://bucket/set")
        demand(done.out == suite.call("verify", "dump", "--limit", 3, local).out, "dump differs")
        remote_call(suite, "verify", "skew", *at, "s3://bucket/set")
        a, b = suite.fresh("a"), suite.fresh("b")
        suite.call("compact", "--versions", 1, "--now", NOW, "-o", a, local, data(suite) / "second")
        remote_call(suite, "compact", "--versions", 1, "--now", NOW, *at, "-o", b, "s3://bucket/set", "s3://bucket/second")
        demand(bytes_of_files(a) == bytes_of_files(b), "compact differs")
        a, b = suite.fresh("a"), suite.fresh("b")
        suite.call("split", "apply", "--partition", "key:5", "--now", NOW, "-o", a, local)
        remote_call(suite, "split", "apply", "--partition", "key:5", "--now", NOW, *at, "-o", b, "s3://bucket/set")
        demand(bytes_of_files(a) == bytes_of_files(b), "split apply differs")
        plan = remote_call(suite, "split", "plan", *COLUMNS, *at, "-o", suite.fresh("plan"), "s3://bucket/in/all.csv")
        demand(b"obkv-remote" not in plan.out, shown(plan.out))
        a, b = suite.fresh("a"), suite.fresh("b")
        suite.call("export", "--format", "csv", "-o", a, local)
        remote_call(suite, "export", "--format", "csv", *at, "-o", b, "s3://bucket/set")
        files = sorted(p.relative_to(a) for p in a.rglob("*.csv*"))
        demand(files and all((a / f).read_bytes() == (b / f).read_bytes() for f in files), "export differs")


def full_output(suite):
    """What cannot be printed is an error, also where paths are replaced by URLs on the way."""
    dataset(suite)
    with s3(suite) as s, open("/dev/full", "wb") as full:
        for args in (("check",), ("info",), ("dump", "--limit", 3000)):
            done = server_call(suite, "verify", *args, "--s3-endpoint", s.base, "s3://bucket/set", stdout=full, want=6)
            demand(b"standard output" in done.err, shown(done.err))


def hbase(suite):
    """The root of an HBase with a snapshot, where the servers have it."""
    root = data(suite)
    if not (root / "hbase").exists():
        sets = []
        for i in range(2):
            (suite.tmp / "rows.csv").write_bytes(rows(3000 * i, 6000))
            (suite.tmp / "bounds").write_text("row0002000\nrow0004000\n")
            sets.append(suite.fresh("region%d" % i))
            suite.call("import", *COLUMNS, "--partition", "range:%s" % (suite.tmp / "bounds"), "--now", NOW, "-o", sets[-1],
                       suite.tmp / "rows.csv")
        make_snapshot(root / "hbase", "snap", "t", sets)
    return root


def snapshots(suite):
    root = hbase(suite)
    with s3(suite) as s, hdfs(suite) as h:
        for url, where in (("s3://bucket/hbase", ("--s3-endpoint", s.base)),
                           ("hdfs://nn/hbase", ("--hdfs-namenodes", h.base.removeprefix("http://")))):
            same(suite, [root / "hbase"], [url], *where, columns=("--snapshot", "snap"))
            done = remote_call(suite, "import", "--list", *where, url)
            demand(b"snap" in done.out and b"obkv-remote" not in done.out, shown(done.out))
            remote_call(suite, "verify", "diff", "--snapshot", "snap", *where, url, root / "hbase")


def archives(suite):
    root = hbase(suite)
    if not (root / "packed.tar").exists():
        with tarfile.open(root / "packed.tar", "w") as t:
            t.add(root / "in/deep", "deep")
        with zipfile.ZipFile(root / "packed.zip", "w", zipfile.ZIP_DEFLATED) as z:
            z.write(root / "in/all.csv", "all.csv")
        with tarfile.open(root / "hbase.tar.gz", "w:gz") as t:
            t.add(root / "hbase", "hbase")
    with s3(suite) as s:
        at = ("--s3-endpoint", s.base)
        same(suite, [root / "packed.tar"], ["s3://bucket/packed.tar"], *at)
        same(suite, [root / "packed.zip"], ["s3://bucket/packed.zip"], *at)
        same(suite, [root / "hbase.tar.gz"], ["s3://bucket/hbase.tar.gz"], *at, columns=("--snapshot", "snap"))


def shards(suite):
    """Shards by URL are joined to what one run by URL makes; the listing has no temporary path."""
    hbase(suite)
    with s3(suite) as s:
        at = ("--s3-endpoint", s.base)
        one = imported(suite, "one", ["s3://bucket/in"], *at)
        made = [imported(suite, "shard%d" % i, ["s3://bucket/in"], *at, "--shard", "%d/3" % i) for i in (1, 2, 3)]
        out = suite.fresh("joined")
        suite.call("split", "join", "-o", out, *made)
        demand(bytes_of_files(one) == bytes_of_files(out), "other cell files")
        again = server_call(suite, "import", *COLUMNS, *KEY, *at, "-o", one, "s3://bucket/in")
        demand(b"nothing to do" in again.out + again.err, shown(again.out + again.err))
        shards_of_a_snapshot(suite, at)


def shards_of_a_snapshot(suite, at):
    """Each run shows files in another temporary directory: checksums of a store must not depend on it."""
    url, options = "s3://bucket/hbase", ("--snapshot", "snap")
    one = imported(suite, "one", [url], *at, columns=options)
    made = [imported(suite, "shard%d" % i, [url], *at, "--shard", "%d/2" % i, columns=options) for i in (1, 2)]
    out = suite.fresh("joined")
    suite.call("split", "join", "-o", out, *made)
    demand(bytes_of_files(one) == bytes_of_files(out), "other cell files")
    again = server_call(suite, "import", *options, *KEY, *at, "-o", one, url)
    demand(b"nothing to do" in again.out + again.err, shown(again.out + again.err))


# ---- servers that fail ----

def troubled(suite):
    """Cut connections, bodies of another length than was asked for, 503: the same bytes after all."""
    root = data(suite)
    local = imported(suite, "local", [root / "in"])
    for seed in range(4 if os.environ.get("OBKV_STRESS") else 1):
        for trouble in (Trouble(seed, cut=0.3, short=0.3), Trouble(seed, cut=0.1, busy=0.1, short=0.1)):
            with s3(suite, trouble=trouble) as s:
                out = imported(suite, "remote", ["s3://bucket/in"], "--s3-endpoint", s.base, "--remote-retries", 20)
                demand(bytes_of_files(local) == bytes_of_files(out), "s3: other cell files")
        with hdfs(suite, trouble=Trouble(seed, cut=0.2, busy=0.05)) as s:
            out = imported(suite, "remote", ["hdfs://nn/in"], "--hdfs-namenodes", s.base.removeprefix("http://"),
                           "--remote-retries", 20)
            demand(bytes_of_files(local) == bytes_of_files(out), "hdfs: other cell files")


def unavailable(suite):
    for trouble, text in ((Trouble(storm=10 ** 6), b"HTTP 503 SlowDown"), (Trouble(slow=5), b"attempts failed")):
        with s3(suite, trouble=trouble) as s:
            done = imported(suite, "none", ["s3://bucket/in/all.csv"], "--s3-endpoint", s.base, "--remote-retries", 2,
                            "--remote-timeout", 1, want=75)
            demand(text in done.err and b"s3://bucket/in/all.csv" in done.err, shown(done.err))
    done = imported(suite, "none", ["s3://bucket/x"], "--s3-endpoint", "http://127.0.0.1:1", "--remote-retries", 1, want=75)
    demand(b"2 attempts failed" in done.err, shown(done.err))
    with s3(suite, trouble=Trouble(storm=2)) as s:
        imported(suite, "remote", ["s3://bucket/in/all.csv"], "--s3-endpoint", s.base)


def dead_datanodes(suite):
    """The namenode sends two of three readers to one that is dead: they are not sent there again. If all are dead, it is 75."""
    root = data(suite)
    with hdfs(suite, trouble=Trouble(dead=0.67)) as s:
        same(suite, [root / "in"], ["hdfs://nn/in"], "--hdfs-namenodes", s.base.removeprefix("http://"), "--remote-retries", 2)
    with hdfs(suite, trouble=Trouble(dead=1)) as s:
        done = imported(suite, "none", ["hdfs://nn/in/all.csv"], "--hdfs-namenodes", s.base.removeprefix("http://"),
                        "--remote-retries", 2, want=75)
        demand(b"3 attempts failed" in done.err and b"port 1 " in done.err, shown(done.err))
    with Server(HttpHandler, root) as s:
        done = imported(suite, "none", ["webhdfs://%s/in" % s.base.removeprefix("http://")], want=5)
        demand(b"is not WebHDFS" in done.err, shown(done.err))


def lies(suite):
    for lie, text in (("offset", b"serve parts"), ("total", b"changed while")):
        trouble = Trouble(change=(2, lambda: None))
        with s3(suite, trouble=trouble) as s:
            trouble.change = (2, lambda: setattr(trouble, "lie", lie))
            done = imported(suite, "none", ["s3://bucket/in/all.csv"], "--s3-endpoint", s.base, want=5)
            demand(text in done.err, "%s: %s" % (lie, shown(done.err)))
    with s3(suite, trouble=Trouble(lie="token")) as s:
        done = imported(suite, "none", ["s3://bucket/in"], "--s3-endpoint", s.base, want=5)
        demand(b"the server's listing does not end" in done.err and s.requests < 9, shown(done.err))
    with hdfs(suite, trouble=Trouble(lie="token")) as s:
        done = imported(suite, "none", ["hdfs://nn/in/deep"], "--hdfs-namenodes", s.base.removeprefix("http://"), want=5)
        demand(b"is the batch before it again" in done.err and s.requests < 9, shown(done.err))


def expired(suite):
    with s3(suite, trouble=Trouble(expire_after=4)) as s:
        done = imported(suite, "none", ["s3://bucket/in/all.csv"], "--s3-endpoint", s.base, want=5)
        demand(b"ExpiredToken" in done.err and b"credentials have expired" in done.err, shown(done.err))


def changed(suite):
    """Another file of the same length, in the middle of the reading or after it; a longer and a shorter one; none."""
    root = data(suite)
    path, old = root / "change.csv", rows(400000, 60000)
    other = old.replace(b"row0430000", b"row0430001")

    def write(content, age):
        path.write_bytes(content)
        os.utime(path, (NOW // 1000 + age, NOW // 1000 + age))
    for make, kind in ((s3, "s3"), (hdfs, "hdfs")):
        for content in (other, old + b"row0999999,1,x\n", old[:len(old) // 2], None):
            write(old, 0)
            at = 4 if kind == "s3" else 6
            change = path.unlink if content is None else lambda: write(content, 5)
            with make(suite, trouble=Trouble(change=(at, change))) as s:
                url, where = ("s3://bucket/change.csv", ("--s3-endpoint", s.base)) if kind == "s3" else \
                    ("hdfs://nn/change.csv", ("--hdfs-namenodes", s.base.removeprefix("http://")))
                done = imported(suite, "none", [url], *where, want=5)
                demand(url.encode() in done.err and (b"changed while" in done.err or b"disappeared" in done.err), shown(done.err))
    path.unlink(missing_ok=True)


def damage_is_told_apart(suite):
    """A file that cannot be fetched is not a damaged one: nothing is skipped, and check does not end with 1."""
    dataset(suite)
    with s3(suite, trouble=Trouble(expire_after=14)) as s:
        done = imported(suite, "none", ["s3://bucket/set/f"], "--s3-endpoint", s.base, "--on-damage", "skip-block", columns=(),
                        want=5)
        demand(b"expired" in done.err, shown(done.err))
    with s3(suite, trouble=Trouble(expire_after=14)) as s:
        remote_call(suite, "verify", "check", "--s3-endpoint", s.base, "s3://bucket/set", want=5)


def refused(suite):
    for args, text in ((("import", *COLUMNS, "-o", suite.fresh("out"), "gs://bucket/x"), b"not on this machine"),
                       (("import", *COLUMNS, "-o", suite.fresh("out"), "--remote-timeout", 0, "s3://b/x"), b"remote-timeout"),
                       (("import", *COLUMNS, "-o", suite.fresh("out"), "--s3-endpoint", "h", "s3://b/x"), b"s3-endpoint h"),
                       (("import", *COLUMNS, "-o", suite.fresh("out"), "s3:///x"), b"no host or bucket")):
        done = remote_call(suite, *args, want=2)
        demand(text in done.err, shown(done.err))


def a_second_s3_server(suite):
    """moto, which is not ours. It does not check signatures."""
    root = hbase(suite)
    with Moto() as s:
        s.put_tree(root / "in", "in/")
        s.put_tree(root / "hbase", "hbase/")
        at = ("--s3-endpoint", s.base)
        same(suite, [root / "in/all.csv"], ["s3://bucket/in/all.csv"], *at)
        same(suite, [root / "in"], ["s3://bucket/in/"], *at)
        same(suite, [root / "hbase"], ["s3://bucket/hbase"], *at, columns=("--snapshot", "snap"))
        same(suite, [root / "in/all.csv"], ["s3://bucket/in/all.csv"], "--s3-virtual-host", "--s3-endpoint",
             "http://localhost:%d" % s.port)


def main():
    suite = Suite(__doc__)
    (suite.tmp / "temp").mkdir()
    suite.env = {k: v for k, v in suite.env.items() if not k.startswith("AWS_") and not k.lower().endswith("_proxy")}
    suite.env["TMPDIR"] = str(suite.tmp / "temp")
    for test in (s3_files, s3_settings, web_identity, hdfs_files, hadoop_settings, http_files, misdirected, short_lengths, tls,
                 part_of_rows, programs, full_output, snapshots, archives, shards, troubled, unavailable, dead_datanodes, lies,
                 expired, changed, damage_is_told_apart, refused, a_second_s3_server):
        suite.run(test.__name__.replace("_", " "), test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
