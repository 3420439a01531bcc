"""The commands that failing_calls.py disturbs: every one of the programs but obkv-load and `obkv-verify target`, which need a
database (tests/oceanbase/faulty.py), those that read of every kind of input. Inputs are as small as they can be: what is tried
is the calls of a command, not its data."""
import collections
import os
import pathlib
import random
import shutil
import subprocess
import tarfile

from disturbed import RULES, TWO_COLUMNS
from programs import NOW, Skip, manifest
from remote_servers import KEY_ID, SECRET, TOKEN, HttpHandler, S3Handler, Server
from signing import key
from wals import made_log

TOP = pathlib.Path(__file__).resolve().parents[2]
DATA = TOP / "tests/data"
BACKUP, BACKUP_NOW = "backup_1795949699390", 1795949740000
# old: what lies at `out` before; stdin: a file that is its standard input
Command = collections.namedtuple("Command", "args out good old stdin", defaults=(None, {0, 3}, None, None))


# ---- inputs ----

def text_rows(suite):
    path = suite.tmp / "rows.csv"
    if not path.exists():
        path.write_text("".join("k%d,%d,%s,z\n" % (i % 20, i, "v" * i) for i in range(40)) + "bad\n")
    return path


def dataset(suite, name="plain", seed=0, partition="key:2"):
    """Forty rows of two columns."""
    out = suite.tmp / ("dataset-" + name)
    if not out.exists():
        r = random.Random(seed)
        source = suite.tmp / (name + ".csv")
        source.write_text("".join("k%03d,%d,%s,%d\n" % (r.randrange(100), seed * 10 + k % 7, "v" * k, k) for k in range(40)))
        suite.call("import", "--quiet", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "--codec", "zstd", "-o", out,
                   source)
    return out


def large_base(suite):
    """A file of 18 MB, of which a night copies all blocks but the first."""
    out, source = suite.tmp / "large-base", suite.tmp / "large.csv"
    if not out.exists():
        r = random.Random(1)
        source.write_text("".join("%s,1,%s,z\n" % ("m%d" % i if i else "k050", "%08x" % r.getrandbits(32) * 250)
                                  for i in range(9000)))
        first = suite.tmp / "large-first"
        suite.call("import", "--quiet", "--partition", "none", *TWO_COLUMNS, "--now", NOW, "--codec", "none", "-o", first, source)
        suite.call("compact", *RULES, "--quiet", "--codec", "none", "--now", NOW, "-o", out, first)
    return out


def unpacked(suite):
    root = suite.tmp / "snapshot"
    if not root.exists():
        root.mkdir()
        subprocess.run(["tar", "-xzf", TOP / "samples/simple_snapshot.tar.gz", "-C", root], check=True)
    return root / "export"


def mapping(suite):
    path = suite.tmp / "map.json"
    path.write_text('{"row": "salt(md5($1), 37)", "timestamp": "$2",\n'
                    ' "cells": [{"column": "cf:a", "value": "upper($3)"}, {"column": "cf:b", "value": "$4"}]}\n')
    return path


def with_table(suite):
    path = suite.tmp / "with_table.json"
    (suite.tmp / "table.csv").write_text("id,name\n" + "".join("k%d,n%d\n" % (i, i) for i in range(20)))
    path.write_text('{"tables": {"t": {"file": "table.csv", "key": "id"}}, "row": "$1", "timestamp": "$2",\n'
                    ' "cells": {"cf:a": "lookup(\'t\', $1, \'name\')"}}\n')
    return path


def cells_of(suite, a):
    path = suite.tmp / "cells.txt"
    path.write_bytes(suite.call("verify", "dump", a).out)
    return path


def lines_of(suite, a):
    path = suite.tmp / "lines.jsonl"
    path.write_bytes(suite.call("export", "--quiet", "--format", "jsonl", "-o", "-", a).out)
    return path


def shard_inputs(suite):
    paths = [suite.tmp / ("shard%d.csv" % i) for i in range(2)]
    for path in paths:
        if not path.exists():
            path.write_text("".join("%s%d,%d,v,z\n" % (path.stem, i, i) for i in range(20)))
            os.utime(path, (1700000000, 1700000000))
    return paths


def shards(suite):
    made = [suite.tmp / ("made-shard%d" % i) for i in (1, 2)]
    for i, out in enumerate(made, 1):
        if not out.exists():
            suite.call("import", "--quiet", "--shard", "%d/2" % i, "--partition", "key:2", *TWO_COLUMNS, "--now", NOW, "-o", out,
                       *shard_inputs(suite))
    return made


def damaged(suite):
    """A file of whose cells some cannot be read, told apart from whole ones before anything is read."""
    path = suite.tmp / "damaged.hfile"
    a = dataset(suite)
    blob = bytearray((a / manifest(a)["files"][0]["path"]).read_bytes())
    blob[100] ^= 1
    path.write_bytes(blob)
    return path


def packed(suite, kind, source):
    path = suite.tmp / ("rows." + kind)
    if not path.exists():
        shutil.copy(source, suite.tmp / "in.csv")
        shutil.make_archive(str(suite.tmp / "packed"), "zip" if kind == "zip" else "xztar", suite.tmp, "in.csv")
        next(suite.tmp.glob("packed.*")).rename(path)
    return path


def lines(suite):
    """Rows without a mistake."""
    path = suite.tmp / "lines.csv"
    if not path.exists():
        path.write_text("".join("k%d,%d,%s,z\n" % (i % 20, i, "v" * i) for i in range(40)))
    return path


def no_retries(suite):
    path = suite.tmp / "retries.conf"
    path.write_text("remote-retries = 0\n")
    return path


def log_of(suite):
    """Of one table."""
    path = suite.tmp / "one.log"
    path.write_bytes(made_log([(6, [(b"r%d" % i, b"cf", b"q", b"v" * i)]) for i in range(20)]))
    return path


def extracted(suite, archive):
    folder = suite.tmp / archive.name.partition(".")[0]
    if not folder.exists():
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    return folder


def backup(suite):
    folder = extracted(suite, DATA / "hbase_backups/backups.tar.xz")
    return "--config", "backup=%s" % BACKUP, folder / "backups" / BACKUP / "shop/orders"


def run_shards(suite):
    """Of so many partitions that they are kept as sorted runs, as a killed run of --shards leaves them."""
    left, files = suite.tmp / "runs.shards", shard_inputs(suite)
    if not left.exists():
        damaged_file, last = files[-1].read_text(), files[-1].stat()
        files[-1].write_text(damaged_file.replace(",", "-", 1))
        os.utime(files[-1], ns=(last.st_atime_ns, last.st_mtime_ns))
        suite.call(*shards_command(suite, 17), "-o", suite.tmp / "runs", *files, want=4)
        files[-1].write_text(damaged_file)
        os.utime(files[-1], ns=(last.st_atime_ns, last.st_mtime_ns))
    return left


def shards_command(suite, partitions):
    return "import", "--quiet", "--shards", 2, "--partition", "key:%d" % partitions, *TWO_COLUMNS, "--now", NOW, "-t", 1


def table_of(suite):
    table = suite.tmp / "table.sql"
    table.write_text("CREATE TABLE `t$cf` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL,\n"
                     "V mediumblob, PRIMARY KEY (K, Q, T))\n"
                     "KV_ATTRIBUTES = '{\"Hbase\": {\"TimeToLive\": 2000000000, \"MaxVersions\": 2}}'\n"
                     "PARTITION BY KEY(K) PARTITIONS 2;\n")
    return table


def signed(suite):
    out, pair = suite.tmp / "signed", key(suite, "signer")
    if not out.exists():
        suite.call("import", "--quiet", "--partition", "none", *TWO_COLUMNS, "--now", NOW, "--config",
                   "sign-key=%s" % pair + ".sec", "-o", out,
                   lines(suite))
    return out, pair


# ---- commands ----

def no_retries(suite):
    config = suite.tmp / "servers.conf"
    config.write_text("remote-retries = 0\n")
    return config


def kinds(suite, server):
    """Every kind of input, with the options that it needs: (options…, operand)."""
    csv = lines(suite)
    gz = suite.tmp / "lines.csv.gz"
    if not gz.exists():
        subprocess.run(["gzip", "-nk", csv], check=True)
    a = dataset(suite)
    return {
        "CSV": (*TWO_COLUMNS, csv),
        "a gz file": (*TWO_COLUMNS, gz),
        "a zip": (*TWO_COLUMNS, packed(suite, "zip", csv)),
        "a tar.xz": (*TWO_COLUMNS, packed(suite, "tar.xz", csv)),
        "a mapping": ("--format", "csv", "--map", mapping(suite), csv),
        "a URL": (*TWO_COLUMNS, "--config", no_retries(suite), "%s/lines.csv" % server.base),
        "standard input": (*TWO_COLUMNS, "-"),
        "JSON lines": ("--format", "jsonl", lines_of(suite, a)),
        "text cells": ("--format", "cells", cells_of(suite, a)),
        "an HFile": (a / manifest(a)["files"][0]["path"],),
        "a dataset": (a,),
        "a snapshot": (unpacked(suite),),
        "a tree in an archive": (TOP / "samples/simple_snapshot.tar.gz",),
        "a table": (extracted(suite, DATA / "hbase_trees/j_bulkload.tar.xz") / "j_bulkload/hbase/data/default/bulk_tab",),
        "a backup": backup(suite),
        "SequenceFiles": (next((DATA / "seqfiles/gzip_block").glob("part*")),),
        "logs": ("--format", "wal", log_of(suite)),
    }


def of_kinds(suite, server):
    """Each command that reads any input, of each kind."""
    out, found = suite.tmp / "out", {}
    for kind, source in kinds(suite, server).items():
        now = BACKUP_NOW if "backup=%s" % BACKUP in source else NOW
        one = ("--now", now, "-t", 1)
        stdin = lines(suite) if source[-1] == "-" else None
        found["import of " + kind] = Command(("import", "--partition", "none", *one, "-o", out, *source), out, stdin=stdin)
        if not {"--columns", "--map"} & set(source):  # text is imported first
            found["compact of " + kind] = Command(("compact", *RULES, "--partition", "none", *one, "-o", out, *source), out)
        for name, args, good in (
                ("dump", ("verify", "dump", "-t", 1, *source), {0}),
                ("skew", ("verify", "skew", "--json", "--partition", "key:2", "-t", 1, *source), {0}),
                ("diff", ("verify", "diff", *one, dataset(suite), *source), {0, 1}),
                ("plan", ("split", "plan", *one, *source), {0}),
                ("simulate", ("split", "simulate", "--json", "--partition", "key:2", "--splits", "none", *one, *source), {0})):
            found["%s of %s" % (name, kind)] = Command(args, None, good, stdin=stdin)
    return found


def that_write(suite):
    a, b = dataset(suite), dataset(suite, "second", 1)
    out, rows = suite.tmp / "out", text_rows(suite)
    to = ("--now", NOW, "-t", 1, "-o", out)
    text = ("--partition", "key:2", *TWO_COLUMNS, "--max-rejects", 5)
    hfile = a / manifest(a)["files"][0]["path"]
    left = run_shards(suite)
    writes = {
        "import with rejects": ("import", *text, *to, rows),
        "import as ZSTD": ("import", *text, "--codec", "zstd", *to, rows),
        "import by mapping": ("import", "--map", mapping(suite), "--partition", "key:2", "--max-rejects", 5, *to, rows),
        "import by DDL": ("import", "--ddl", table_of(suite), "--compact", *TWO_COLUMNS, "--max-rejects", 5, *to, rows),
        "import of damage": ("import", "--partition", "key:2", "--on-damage", "skip-file", *to, damaged(suite), hfile),
        "import with a table": ("import", "--map", with_table(suite), "--partition", "key:2", "--max-rejects", 5, *to, rows),
        "import a shard": ("import", *text[:-2], "--shard", "1/2", *to, *shard_inputs(suite)),
        "import by shards": (*shards_command(suite, 2), "-o", out, *shard_inputs(suite)),
        "import by shards, as runs": (*shards_command(suite, 17), "-o", out, *shard_inputs(suite)),
        "import signed": ("import", "--partition", "none", *TWO_COLUMNS, "--config", "sign-key=%s" % signed(suite)[1] + ".sec",
                          *to,
                          lines(suite)),
        "import with metrics": ("import", "--metrics", suite.tmp / "m.prom", *text, *to, rows),
        "join": ("split", "join", "-t", 1, "-o", out, *shards(suite)),
        "join a share": ("split", "join", "--partitions", "1/2", "-t", 1, "-o", out, *shards(suite)),
        "compact two": ("compact", *RULES, *to, a, b),
        "compact over a base": ("compact", *RULES, "--base", a, *to, b),
        "compact that waits": ("compact", *RULES, "--base", a, "--policy", "ratio:1.2,9,10,0", *to, b),
        "compact of a delta": ("compact", "--delta", "--versions", 2, *to, a),
        "night of copied blocks": ("compact", *RULES, "--codec", "none", "--base", large_base(suite), *to,
                                  dataset(suite, "single", 0, "none")),
        "apply": ("split", "apply", "--partition", "none", *to, a),
        "export": ("export", "--create", "--name", "t", *to, a),
        "export of a delta": ("export", "--delta", "--name", "t", *to, a),
        "export as gz": ("export", "--format", "csv", "--compress", "gzip", *to, a),
        "export as zstd": ("export", "--format", "cells", "--compress", "zstd", *to, a),
    }
    over = {
        "import --overwrite": ("import", *text, *to, "--overwrite", rows),
        "apply in place": ("split", "apply", "--partition", "none", *to, "--overwrite", out),
    }
    found = {name: Command(args, out) for name, args in writes.items()}
    found.update({name: Command(args, out, old=a) for name, args in over.items()})
    return found


def that_read(suite):
    a, b, rows = dataset(suite), dataset(suite, "second", 1), text_rows(suite)
    one, text = ("-t", 1, "--now", NOW), ("--partition", "key:2", *TWO_COLUMNS, "--max-rejects", 5)
    hfile = a / manifest(a)["files"][0]["path"]
    made, pair = signed(suite)
    reads = {
        "import --list": ("import", "--list", "-t", 1, unpacked(suite)),
        "import --preview": ("import", "--preview", 3, *text, *one, rows),
        "import --dry-run": ("import", "--dry-run", "-o", suite.tmp / "none", *text, *one, rows),
        "compact --dry-run": ("compact", "--dry-run", "-o", suite.tmp / "none", *RULES, "--base", a, *one, b),
        "plan as JSON": ("split", "plan", "--json", "--counts", 2, *one, a),
        "simulate a cluster": ("split", "simulate", "--json", "--generate", 1000, "--key", "counter", *one),
        "export as text": ("export", "--format", "jsonl", *one, "-o", "-", a),
        "check": ("verify", "check", "-t", 1, a),
        "check --quick": ("verify", "check", "--quick", "-t", 1, a),
        "check of HBase": ("verify", "check", "-t", 1, unpacked(suite)),
        "check of an archive": ("verify", "check", "-t", 1, TOP / "samples/simple_snapshot.tar.gz"),
        "check of an HFile": ("verify", "check", "-t", 1, hfile),
        "check of a shard": ("verify", "check", "-t", 1, shards(suite)[0]),
        "check of a signature": ("verify", "check", "--verify-key", pair + ".pub", "-t", 1, made),
        "diff": ("verify", "diff", "-t", 1, a, b),
        "diff of equals": ("verify", "diff", "-t", 1, a, a),
        "diff --compacted": ("verify", "diff", "--compacted", *RULES, *one, a, b),
        "hashtable": ("verify", "hashtable", "-t", 1, DATA / "hashtable/raw", DATA / "seqfiles/none_raw"),
        "skew --quick": ("verify", "skew", "--quick", "-t", 1, "--json", a),
        "info": ("verify", "info", hfile),
        "info --blocks": ("verify", "info", "--stats", "--blocks", "--index", hfile),
        "account": ("verify", "account", "--json", "-t", 1, a),
        "info of a dataset": ("verify", "info", "--json", a),
    }
    good = {"diff": {1}, "diff --compacted": {1}, "import --preview": {0, 3}, "import --dry-run": {0, 3}}
    return {name: Command(args, None, good.get(name, {0})) for name, args in reads.items()}


def of_a_url(suite):
    """A dataset in S3, as a base and as what is checked, exported and compared."""
    server = Server(S3Handler, suite.tmp, token=TOKEN)
    server.__enter__()  # ends with the script
    suite.env.update(AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, AWS_SESSION_TOKEN=TOKEN)
    config = suite.tmp / "s3.conf"
    config.write_text("s3-endpoint = %s\nremote-retries = 0\n" % server.base)
    a, out = dataset(suite), suite.tmp / "out"
    url, one = "s3://bucket/" + a.name, ("--config", config, "-t", 1)
    to = (*one, "--now", NOW, "-o", out)
    return {
        "check of a URL": Command(("verify", "check", *one, url), None, {0}),
        "diff of a URL": Command(("verify", "diff", *one, a, url), None, {0}),
        "compact of a URL": Command(("compact", *RULES, *to, url, dataset(suite, "second", 1)), out),
        "export of a URL": Command(("export", "--create", "--name", "t", *to, url), out),
    }


def commands(suite):
    server = Server(HttpHandler, suite.tmp)
    server.__enter__()  # ends with the script
    return {**that_write(suite), **that_read(suite), **of_kinds(suite, server), **of_a_url(suite)}
