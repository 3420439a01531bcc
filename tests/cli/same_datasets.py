#!/usr/bin/env python3
"""Datasets keep their bytes: sha256 of every cell file and manifest that some 50 commands write, compared with a recorded list.

    same_datasets.py BIN [--keep] [-v] [--renew] [NAME ...]

The list is tests/data/dataset_sums.tsv: command, file, sha256. --renew writes it again from BIN: only when bytes change on
purpose (docs/testing.md). A manifest counts without its checksum, the version of the program, and the
times and places of the input files.
The last line is "N passed, N failed, N skipped".
"""
import gzip
import hashlib
import json
import pathlib
import shlex
import sys
import tarfile

from programs import Suite, cell_files, demand

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIST = ROOT / "tests/data/dataset_sums.tsv"
NOW = "2024-03-05T00:00:00Z"
USERS = ("--header --columns id=HBASE_ROW_KEY,updated_ms=HBASE_TS_KEY,name=info:name,email=info:email,city=info:city,"
         "note=info:note,logins=stat:logins,last_seen=stat:last_seen,score=stat:score")
TREES = ("a1_snapshot", "b_split_merge", "c_clone_links", "d_ttl_deletes", "e_codecs_mob", "j_bulkload", "k_filelist_tracker")
CODECS = ("none", "gz", "snappy", "lz4", "zstd", "brotli")
ENCODINGS = ("none", "prefix", "diff", "fast_diff", "row_index_v1")
BLOOMS = ("none", "row", "rowcol", "prefix:6")
PARTITIONINGS = {"none": "none", "key": "key:23", "key-prefix": "'key:5:substring(1,6)'", "key-and-qualifier": "key:4:K,Q",
                 "range": "range:samples/users_bounds.txt"}
TYPED = "tests/data/hfile/hbase_files"
EXPORTED = "tests/data/seqfiles"


def commands():
    """(name of the dataset, command). What is recorded without an encoding is from before FAST_DIFF became the default."""
    for name, command in given():
        says = name.startswith("default-") or "--encoding" in command or "--like" in command
        yield name, command if says else command + " --encoding none"


def given():
    """Later ones read what earlier ones wrote."""
    users = "import --ddl samples/users.sql %s samples/users" % USERS
    yield "users", users + ".csv"
    yield "users-delta", users + "_delta.csv"
    yield "users-compacted", users + ".csv --compact --versions 1"
    yield "users-packed", users + ".csv.gz"
    yield "users-archive", users + ".tar"
    for name, spec in PARTITIONINGS.items():
        yield "users-" + name, "import -p %s %s samples/users.csv" % (spec, USERS)
    for i, codec in enumerate(CODECS):
        yield "codec-" + codec, "import -p key:3 --codec %s --encoding %s --set BLOOMFILTER=%s %s samples/users.csv" % (
            codec, ENCODINGS[i % len(ENCODINGS)], BLOOMS[i % len(BLOOMS)], USERS)
    for i, encoding in enumerate(ENCODINGS[1:]):
        yield "encoding-" + encoding, "import -p none --encoding %s --set BLOOMFILTER=%s --codec none " \
            "--set COMPRESS_TAGS=true --set BLOCKSIZE=4K " \
            "%s/enc_%s_11.hfile" % (encoding, BLOOMS[(i + 1) % len(BLOOMS)], TYPED, encoding)
    yield "no-sequence-ids", "import -p none --config keep-seq=no --codec none %s/enc_none_01.hfile" % TYPED
    yield "small-files", "import -p key:2 --codec none --target-file-size 64K --set BLOCKSIZE=1K %s samples/users.csv" % USERS
    followers = "samples/guide/followers"
    yield "mapping", "import --ddl %s/table.sql --map %s/map.json %s/follows.csv" % ((followers,) * 3)
    yield "cells", "import -p key:7 -f cells %s/versions.tsv" % TYPED
    yield "hfile", "import -p key:7 %s/deletes.hfile %s/versions.hfile" % (TYPED, TYPED)
    yield "seqfile", "import -p key:7 %s/snappy_block/part-m-00000 %s/snappy_block/part-m-00001" % (EXPORTED, EXPORTED)
    yield "seqfile-rows-in-parts", "import -p none %s/batch3/part-m-00000" % EXPORTED
    for tree, snapshot in (("a1_snapshot", "snap_a"), ("b_split_merge", "snap_b1"), ("c_clone_links", "snap_clone2"),
                           ("d_ttl_deletes", "snap_d"), ("e_codecs_mob", "snap_e"), ("j_bulkload", "snap_j"),
                           ("k_filelist_tracker", "snap_k")):
        yield tree, "import -p key:5 --snapshot %s trees/%s/hbase" % (snapshot, tree)
        yield tree + "-compacted", "import -p key:5 --compact --snapshot %s trees/%s/hbase" % (snapshot, tree)
    yield "like-the-table", "import -p key:5 --snapshot snap_e --like trees/e_codecs_mob/hbase trees/e_codecs_mob/hbase"
    yield "packed-tree", "import -p key:5 --snapshot snap_a tests/data/hbase_trees/a1_snapshot.tar.xz"
    yield "compact", "compact users users-delta"
    yield "compact-rules", "compact --versions 3 --set MIN_VERSIONS=1 --ttl 86400 --set KEEP_DELETED_CELLS=TRUE d_ttl_deletes"
    yield "compact-oceanbase", "compact --rules oceanbase --versions 1 d_ttl_deletes"
    yield "compact-minor", "compact --rules minor --rank sequence d_ttl_deletes"
    yield "night", "compact --base users-compacted users-delta"
    yield "night-ratio", "compact --base users-compacted --policy ratio users-delta"
    yield "default-users", users + ".csv"
    yield "default-users-compacted", users + ".csv --compact --versions 1"
    yield "default-e_codecs_mob", "import -p key:5 --snapshot snap_e trees/e_codecs_mob/hbase"
    yield "default-compact", "compact default-users users-delta"
    yield "default-night", "compact --base users-compacted users-delta"
    yield "default-repartition", "split apply -p range:samples/users_bounds.txt compact"
    yield "repartition", "split apply -p range:samples/users_bounds.txt compact"
    yield "repartition-recode", "split apply -p key:13 --codec zstd --encoding diff --set BLOOMFILTER=rowcol compact"


def prepare(suite):
    (suite.tmp / "tests").mkdir()
    (suite.tmp / "samples").mkdir()
    (suite.tmp / "tests/data").symlink_to(ROOT / "tests/data")
    for sample in (ROOT / "samples").iterdir():
        (suite.tmp / "samples" / sample.name).symlink_to(sample)
    for tree in TREES:
        with tarfile.open(ROOT / "tests/data/hbase_trees" / (tree + ".tar.xz")) as t:
            t.extractall(suite.tmp / "trees")
    with gzip.GzipFile(suite.tmp / "samples/users.csv.gz", "w", mtime=0) as packed:
        packed.write((ROOT / "samples/users.csv").read_bytes())
    with tarfile.open(suite.tmp / "samples/users.tar", "w") as t:
        member = tarfile.TarInfo("in/users.csv")
        member.size = (ROOT / "samples/users.csv").stat().st_size
        with open(ROOT / "samples/users.csv", "rb") as users:
            t.addfile(member, users)


def manifest_sum(suite, dataset):
    m = json.loads((dataset / "MANIFEST.json").read_text())
    for name in ("checksum", "tool"):
        m.pop(name, None)
    for one in m["inputs"]:
        one.pop("mtime_ns", None)
        one.pop("ctime_ns", None)
        if "/hbase_trees/" in one["path"] or str(suite.tmp / "trees") in one["path"]:
            one.pop("checksum", None)  # of names, sizes and times of the files of a tree
    text = json.dumps(m, sort_keys=True).replace(str(suite.tmp), "").replace(str(ROOT), "")
    return hashlib.sha256(text.encode()).hexdigest()


def sums(suite, dataset):
    """{file: sha256} of a dataset."""
    found = {str(p.relative_to(dataset)): hashlib.sha256(p.read_bytes()).hexdigest() for p in cell_files(dataset)}
    found["MANIFEST.json"] = manifest_sum(suite, dataset)
    return found


def made(suite, name, command):
    tool, *rest = shlex.split(command)
    suite.call(tool, *rest, "--quiet", "--now", NOW, "-o", name, want={0, 3})
    return sums(suite, suite.tmp / name)


def compare(suite, name, command, wanted):
    got = made(suite, name, command)
    if wanted is None:
        return
    other = sorted(f for f in got.keys() | wanted.keys() if got.get(f) != wanted.get(f))
    demand(not other, "obkv-%s\nother bytes than in tests/data/dataset_sums.tsv: %d of %d files, the first: %s"
           % (command, len(other), len(wanted), ", ".join(other[:3])))


def main():
    renew = "--renew" in sys.argv
    if renew:
        sys.argv.remove("--renew")
    suite = Suite(__doc__)
    names, suite.args.names = suite.args.names, []  # all commands run: later ones need what earlier ones wrote
    prepare(suite)
    if renew:
        with open(LIST, "w") as out:
            for name, command in commands():
                for path, digest in sorted(made(suite, name, command).items()):
                    print(name, path, digest, sep="\t", file=out)
        return suite.end()
    wanted = {}
    for line in LIST.read_text().splitlines():
        name, path, digest = line.split("\t")
        wanted.setdefault(name, {})[path] = digest
    for name, command in commands():
        if names and not any(n in name for n in names):
            made(suite, name, command)
            continue
        suite.run(name, compare, name, command, wanted.pop(name, {}))
    if not names:
        suite.run("every dataset of the list is made", lambda s: demand(not wanted, "nothing makes %s" % ", ".join(wanted)))
    return suite.end()


sys.exit(main())
