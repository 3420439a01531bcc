#!/usr/bin/env python3
"""Each option of the programs that write datasets or exports decides bytes or does not, and a finished output knows which.

    settings.py BIN [--keep] [-v] [NAME ...]

An option that decides bytes makes another run: the finished output is refused, with what differs. One that does not changes no
byte: the same command with it has nothing to do, and writes the same bytes elsewhere. Each option that --help names has its row
in the tables below, so that a new one cannot be forgotten. The last line is "N passed, N failed, N skipped".
"""
import hashlib
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

from programs import Suite, demand

ROOT = pathlib.Path(__file__).resolve().parents[2]
NOW = 1700000000000
OTHER = "made with other"
NAMES = "id=HBASE_ROW_KEY,updated_ms=HBASE_TS_KEY,name=info:name"
USERS = ("--ddl", "users.sql", "--header", "--columns", NAMES, "users.csv")
TREE = ("-p", "key:3", "--snapshot", "snap_b1", "trees/b_split_merge/hbase")
BACKUPS = ("-p", "key:3", "backups/backup_1795949735255/shop/orders")
LOGS = ("-p", "key:3", "--table", "t1", "dict1.log", "dict2.log")
EXPORTED = ("users", "--server-dir", "/srv")  # else load.sql names the output
COMPACTED = USERS + ("--compact", "--versions", "2")

# What an option does to an output that is finished. Decides: another run. Same: nothing to do, and the same bytes elsewhere.
# Nothing: it only prints. Fresh: it is beside the bytes, and only a new output can show them.
DECIDES, SAME, NOTHING, FRESH = "decides", "same", "nothing", "fresh"

# option: (what it does, the words that give it, the rest of both commands, other words for the first command)
INPUT = {
    "format": (DECIDES, "--format csv"),
    "snapshot": (DECIDES, "--snapshot snap_b0", TREE[:2] + TREE[4:], "--snapshot snap_b1"),
    "backup": (DECIDES, "--config backup=backup_1795949672609", BACKUPS, "--config backup=backup_1795949720957"),
    "columns": (DECIDES, "--columns id=HBASE_ROW_KEY,name=info:name", USERS[:3] + USERS[5:],
                "--columns id=HBASE_ROW_KEY,city=info:city"),
    "map": (DECIDES, "--map two.json", ("-p", "key:3", "users.csv"), "--map one.json"),
    "header": (DECIDES, "--header", ("-p", "key:3", "--columns", "HBASE_ROW_KEY,info:a,info:b,-,-,-,-,-,-", "users.csv")),
    "dialect": (DECIDES, "--dialect csv,trim=yes"),
    "delimiter": (DECIDES, "--delimiter ,"),
    "quote": (DECIDES, "--quote none"),
    "null": (DECIDES, "--null NULL"),
    "skip-empty": (DECIDES, "--skip-empty"),
    "timestamp": (DECIDES, "--timestamp 5"),
    "timestamp-unit": (DECIDES, "--timestamp-unit s"),
    "files": (DECIDES, "--files !*.bak"),
    "archive-members": (SAME, "--config archive-members=10"),
    "key": (DECIDES, "--key upper(id)", ("-p", "key:3", "--header", "--columns", "name=info:name", "users.csv"), "--key id"),
}
LOG = {
    "table": (DECIDES, "--table t1", LOGS[:2] + LOGS[4:], "--table t2"),
    "after": (DECIDES, "--after migration/.hbase-snapshot/base", LOGS),
}
SELECTION = {
    "families": (DECIDES, "--families info"),
    "rows": (DECIDES, "--rows a:"),
    "time-range": (DECIDES, "--time-range 5:"),
    "qualifiers": (DECIDES, "--qualifiers name"),
    "mask": (DECIDES, "--mask info:name=hash"),
}
TABLE = {
    "ddl": (DECIDES, "--ddl other.sql", USERS[2:], "--ddl users.sql"),
    "partition": (DECIDES, "--partition key:5", USERS[2:], "--partition key:4"),
}
RULES = {
    "versions": (DECIDES, "--versions 3"),
    "set MIN_VERSIONS": (DECIDES, "--set MIN_VERSIONS=1", COMPACTED),
    "ttl": (DECIDES, "--ttl 9000d", COMPACTED),
    "set KEEP_DELETED_CELLS": (DECIDES, "--set KEEP_DELETED_CELLS=TRUE", COMPACTED),
    "set hbase.hstore.time.to.purge.deletes": (DECIDES, "--set hbase.hstore.time.to.purge.deletes=1d", COMPACTED),
    "set NEW_VERSION_BEHAVIOR": (DECIDES, "--set NEW_VERSION_BEHAVIOR=true", COMPACTED),
    "set hbase.hstore.compaction.keep.seqId.period": (DECIDES, "--set hbase.hstore.compaction.keep.seqId.period=30d", COMPACTED),
    "rules": (DECIDES, "--rules oceanbase", COMPACTED),
    "delta": (DECIDES, "--delta"),
    "purge-deletes": (DECIDES, "--config purge-deletes=yes", COMPACTED),
}
FILES = {
    "like": (DECIDES, "--like versions.hfile"),
    "codec": (DECIDES, "--codec zstd"),
    "encoding": (DECIDES, "--encoding diff"),
    "set COMPRESS_TAGS": (DECIDES, "--set COMPRESS_TAGS=true"),
    "keep-seq": (DECIDES, "--config keep-seq=no"),
    "set BLOOMFILTER": (DECIDES, "--set BLOOMFILTER=rowcol"),
    "set BLOCKSIZE": (DECIDES, "--set BLOCKSIZE=4K"),
    "target-file-size": (DECIDES, "--target-file-size 4K"),
    "set hbase.client.keyvalue.maxsize": (DECIDES, "--set hbase.client.keyvalue.maxsize=1M"),
    "max-rejects": (DECIDES, "--max-rejects 5"),
    "on-damage": (DECIDES, "--on-damage skip-block"),
}
SIGNED = {
    "verify-key": (NOTHING, "--verify-key key.pub --dry-run"),  # the inputs are not signed: refused
    "signed-after": (NOTHING, "--signed-after 5 --dry-run"),
}
RUN = {
    "output": (SAME, ""),
    "overwrite": (FRESH, "--overwrite"),
    "dry-run": (NOTHING, "--dry-run"),
    "threads": (SAME, "--threads 2"),
    "memory": (SAME, "--memory 64M"),
    "temp-dir": (SAME, "--temp-dir ."),
    "disk-limit": (SAME, "--disk-limit 1G"),
    "now": (DECIDES, "--now 1700000000001"),
    "json": (SAME, "--json"),
    "progress": (SAME, "--progress lines"),
    "metrics": (SAME, "--metrics m.prom"),
    "strict": (SAME, "--strict --allow now-range --allow duplicates"),
    "allow": (SAME, "--allow duplicates"),
    "quiet": (SAME, "--quiet"),
    "verbose": (SAME, "--verbose"),
    "config": (SAME, "--config obkv.conf"),
    "help": (NOTHING, "--help"),
    "version": (NOTHING, "--version"),
}
IMPORT = {
    "list": (NOTHING, "--list"),
    "shards": (DECIDES, "--shards 1/2"),
    "preview": (NOTHING, "--preview 3"),
    "compact": (DECIDES, "--compact --versions 2"),
    # Of a table in a database (tests/oceanbase): refused without one.
    "from": (NOTHING, "--from 127.0.0.1:1/test --dry-run"),
    "user": (NOTHING, "--user nobody --dry-run"),
    "password-file": (NOTHING, "--password-file users.sql --dry-run"),
}
PAGE = {"html": (SAME, "--html page.html")}
COMPACT = {option: row[:2] for option, row in RULES.items()}
COMPACT.update({
    "rules": (DECIDES, "--rules minor:before", ("users", "delta"), "--rules minor"),
    "format": (DECIDES, "--format hfile"),
    "backup": INPUT["backup"],
    "ddl": (DECIDES, "--ddl other.sql", ("users", "delta"), "--ddl users.sql"),
    "partition": (DECIDES, "--partition key:5", ("--versions", "2", "versions.hfile"), "--partition key:4"),
    "rank": (DECIDES, "--rank sequence"),
    "purge-deletes": (DECIDES, "--purge-deletes"),
    "base": (DECIDES, "--base compacted", ("delta",)),
    "policy": (DECIDES, "--policy ratio", ("delta", "--base", "compacted")),
    "verify-base": (SAME, "--verify-base", ("delta", "--base", "compacted")),
    "partitions": (DECIDES, "--partitions 1/2"),
    "explain": (SAME, "--explain", ("delta", "--base", "compacted")),
})
SPLIT = {
    "ddl": (DECIDES, "--ddl other.sql", ("users",), "--ddl users.sql"),
    "partition": (DECIDES, "--partition key:5", ("users",), "--partition key:4"),
    "ttl": (DECIDES, "--ttl 9000d"),
    "set MIN_VERSIONS": (DECIDES, "--set MIN_VERSIONS=1"),
}
EXPORT = {
    "format": (DECIDES, "--format cells"),
    "compress": (DECIDES, "--compress gzip", ("users", "--format", "csv")),
    "hex": (DECIDES, "--hex", ("users", "--format", "csv")),
    "ddl": (DECIDES, "--ddl renamed.sql"),
    "name": (DECIDES, "--name other", ("typed",), "--name one"),
    "partitions": (DECIDES, "--partitions 1/2"),
    "create": (DECIDES, "--create"),
    "on-duplicate": (DECIDES, "--on-duplicate ignore"),
    "delta": (DECIDES, "--delta"),
    "target-version": (DECIDES, "--target-version 4.2.5"),
    "server-dir": (DECIDES, "--server-dir /x", ("users",)),
    "strong": (DECIDES, "--strong"),
}
# Lines of --config that --help does not list.
LINES = {"backup", "archive-members", "keep-seq", "purge-deletes"}
PROGRAMS = {
    "import": (("import",), USERS, (INPUT, LOG, SELECTION, TABLE, RULES, FILES, SIGNED, RUN, PAGE, IMPORT)),
    "compact": (("compact",), ("users", "delta"), (INPUT, TABLE, RULES, FILES, SIGNED, RUN, PAGE, COMPACT)),
    "split apply": (("split", "apply"), ("users", "-p", "key:4"), (RULES, FILES, SIGNED, RUN, PAGE, SPLIT)),
    "export": (("export",), EXPORTED, (SELECTION, FILES, SIGNED, RUN, PAGE, EXPORT)),
}


def prepare(suite):
    data = ROOT / "tests/data"
    for name in ("users.sql", "users.csv", "users_delta.csv"):
        shutil.copy(ROOT / "samples" / name, suite.tmp / name)
    (suite.tmp / "other.sql").write_text((suite.tmp / "users.sql").read_text().replace("PARTITIONS 7", "PARTITIONS 5"))
    (suite.tmp / "renamed.sql").write_text((suite.tmp / "users.sql").read_text().replace("users$", "people$"))
    for name in ("dict1.log", "dict2.log"):
        shutil.copy(data / "wals" / name, suite.tmp / name)
    shutil.copytree(data / "wals/migration", suite.tmp / "migration")
    shutil.copy(data / "hfile/hbase_files/versions.hfile", suite.tmp)
    for archive, where in (("hbase_trees/b_split_merge", "trees"), ("hbase_backups/backups", ".")):
        with tarfile.open(data / (archive + ".tar.xz")) as t:
            t.extractall(suite.tmp / where)
    for name, key in (("one", "id"), ("two", "upper(id)")):
        (suite.tmp / (name + ".json")).write_text(
            '{"header": true, "row": "%s", "cells": [{"family": "\'info\'", "qualifier": "\'q\'", "value": "name"}]}' % key)
    (suite.tmp / "obkv.conf").write_text("quiet = yes\n")
    subprocess.run(["minisign", "-G", "-W", "-p", "key.pub", "-s", "key.sec"], cwd=suite.tmp, check=True, capture_output=True)
    (suite.tmp / "key.sec").chmod(0o600)
    for name, rest in (("users", USERS), ("delta", USERS[:-1] + ("users_delta.csv",)), ("compacted", COMPACTED),
                       ("typed", ("-p", "key:3", "versions.hfile"))):
        suite.call("import", "--quiet", "--now", NOW, "-o", name, *rest)


def options(suite, tool):
    """The names of all that --help explains."""
    help_all = suite.call(tool[0], "help", *tool[1:], "all").out.decode()
    names = set(re.findall(r"^ +(?:-., )?--([a-z0-9-]+)", help_all, re.M)) - {"set"}
    return names | {"set " + name for name in re.findall(r"^ {10}([A-Za-z_.]+)=", help_all.partition("--set ")[2], re.M)}


def bytes_of(out):
    return {str(p.relative_to(out)): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(out.rglob("*"))
            if p.is_file() and ".obkv" not in p.parts and not p.name.startswith("MANIFEST.b2sums")}


def run(suite, tool, out, words, rest, want=0):
    now = () if "--now" in words else ("--now", NOW)
    return suite.call(tool[0], *tool[1:], *now, *words, "-o", out, *rest, want=want)


def check(suite, tool, base, option, effect, given, rest=None, first=""):
    rest, given, first = rest or base, given.format(tmp=suite.tmp).split(), first.split()
    out, other = suite.fresh("out"), suite.fresh("other")
    run(suite, tool, out, first, rest)
    before = bytes_of(out)
    if effect == DECIDES:
        done = run(suite, tool, out, given, rest, want=2)
        demand(OTHER in done.err.decode(), "refused, but not as another run: %s" % done.err.decode())
    if effect == SAME:
        run(suite, tool, out, given, rest)
    if effect in (SAME, FRESH):
        run(suite, tool, other, given, rest)
        demand(bytes_of(other) == before, "other bytes with --%s" % option)
    if effect == NOTHING:
        run(suite, tool, out, given, rest, want=None)
    demand(bytes_of(out) == before, "--%s changed a finished output" % option)


def main():
    suite = Suite(__doc__, in_memory=True)
    prepare(suite)
    for name, (tool, base, tables) in PROGRAMS.items():
        rows = {}
        for table in tables:
            rows.update(table)
        has = options(suite, tool)
        suite.run(name + ": options without a row", lambda s, lost=has - rows.keys(): demand(not lost, " ".join(sorted(lost))))
        lines = set() if name == "export" else LINES if name == "import" else LINES - {"purge-deletes"}
        for option in sorted((has | lines) & rows.keys()):
            suite.run("%s: %s" % (name, option), check, tool, base, option, *rows[option])
    return suite.end()


sys.exit(main())
