"""Datasets that are loaded without an export: batch by batch, each exported, loaded, verified and removed. The cases are cases of
loads.py. As a program, on one engine, loads that are killed again and again:

    datasets.py BIN KILLS [SEED]
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import batches
import deltas
from batches import KEY23
from peers import SqlError
import remote_servers
from rig import NOW, PREFIX, RANGE, Bench, demand, finish, plain_rows, wait_until

SMALL = ["--disk-limit", "1M"]  # so that a batch holds two of 23 partitions


def all_sums(b, name):
    return b.peer.sql("SELECT COUNT(*), SUM(CRC32(CONCAT(K, '|', Q, '|', T, '|', V))), BIT_XOR(CRC32(CONCAT(T, V, K, Q))) FROM "
                      "`%s$f`" % name)


def empty(b, name):
    b.peer.sql("DELETE FROM `%s$f`" % name)


def temporary(b):
    """A directory for --temp-dir, and how to learn most directories of batches that were there at once."""
    path = b.path("tmp")
    os.makedirs(path, exist_ok=True)
    return path


class Watch(threading.Thread):
    """Looks how many batches are on disk at a time."""

    def __init__(self, folder):
        super().__init__()
        self.folder, self.most, self.ends = folder, 0, threading.Event()
        self.start()

    def run(self):
        while not self.ends.wait(0.002):
            for entry in os.listdir(self.folder):
                try:
                    self.most = max(self.most, sum(n.isdigit() for n in os.listdir(os.path.join(self.folder, entry))))
                except OSError:
                    pass

    def end(self):
        self.ends.set()
        self.join()
        return self.most


def case_dataset_whole(b):
    """A dry run says what it would send and need; the result is that of export and load; nothing is left, and there is nothing
    to do a second time."""
    rows = plain_rows(60000)
    where, temp = b.export("dsw", rows, partition=KEY23), temporary(b)
    dataset = b.path("dsw.ds")
    b.load(where, "--create")
    want = all_sums(b, "dsw")
    demand(int(want[0][0]) == 60000, want)
    empty(b, "dsw")
    options = ["--now", NOW, "--temp-dir", temp, *SMALL]
    said = b.load(dataset, "--dry-run", *options)[0]
    demand(re.search("PASS  temporary files  23 partitions in 1[0-9] batches; two batches take about 1 MB in ", said), said)
    demand(said.count("LOAD DATA /*+ direct") >= 10 and "`p0`" in said and "/00001/data/dsw%24f.p0.00000-000.kqvt" in said, said)
    demand(not os.listdir(temp) and not os.path.exists(dataset + "/_load"), "a dry run left files")
    watch = Watch(temp)
    result = json.loads(b.load(dataset, "--json", *options)[0])
    demand(watch.end() <= 2, "%d batches on disk" % watch.most)
    demand(result["files"] == dict(count=23, loaded=23, found=0, before=0) and result["rows"] == 60000, result)
    demand(result["proven"], result)
    demand(all_sums(b, "dsw") == want and not os.listdir(temp), "not the rows of export and load")
    b.expect_equal(dataset, "--strong")
    demand("nothing to do" in b.load(dataset, *options)[0], "loaded again")
    told = b.load(dataset, "--temp-dir", temp, "--now", NOW + 1, want=2)[1]
    demand("--now: the load began with %d" % NOW in told, told)
    b.load(dataset, *options, "--restart", "--on-duplicate", "replace")
    demand(all_sums(b, "dsw") == want, "replaced by others")
    empty(b, "dsw")
    told = b.load(dataset, *options, want=2)[1]
    demand("the table was emptied" in told and "--restart" in told, told)
    b.load(dataset, *options, "--restart")
    demand(all_sums(b, "dsw") == want, "restarted")
    return "%d batches on disk at most" % watch.most


def case_urls(b):
    """A dataset and an export in S3 are loaded from there: the export's files are sent from here, resumed by the journal, and
    verified from there, too."""
    rows, name = plain_rows(9000), "dsu"
    where, journal = b.export(name, rows, partition=KEY23), b.path("dsu.journal")
    os.environ.update(AWS_ACCESS_KEY_ID=remote_servers.KEY_ID, AWS_SECRET_ACCESS_KEY=remote_servers.SECRET,
                      AWS_SESSION_TOKEN=remote_servers.TOKEN)
    with remote_servers.Server(remote_servers.S3Handler, pathlib.Path(b.folder), token=remote_servers.TOKEN) as server:
        os.environ["AWS_ENDPOINT_URL_S3"] = server.base
        try:
            said = b.load("s3://bucket/dsu", "--create", "--journal", journal)
            demand("loaded s3://bucket/dsu into " in said[0], said)
            want = all_sums(b, name)
            demand(int(want[0][0]) == len(rows), want)
            b.expect_equal("s3://bucket/dsu", "--strong")
            demand("nothing to do" in b.load("s3://bucket/dsu", "--journal", journal)[0], "loaded again")
            empty(b, name)
            b.load("s3://bucket/dsu.ds", "--journal", b.path("dsu.ds.journal"), "--now", NOW, "--temp-dir", temporary(b))
            demand(all_sums(b, name) == want and not os.listdir(temporary(b)), "not the rows of the export")
            b.expect_equal("s3://bucket/dsu.ds")
            b.expect_equal(where)
        finally:
            for variable in ("AWS_ENDPOINT_URL_S3", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
                del os.environ[variable]
            b.run("obkv-load", *b.peer.options(), "--dry-run", where)
    return "%d requests" % server.requests


def case_dataset_forms(b):
    """RANGE partitions by shares, a table that is not partitioned, and one that is not loaded directly."""
    for name, how in (("dsr", dict(partition=RANGE)), ("dsn", dict(partition="")),
                      ("dsp", dict(partition="PARTITION BY KEY(KP) PARTITIONS 7", extra=PREFIX))):
        dataset = b.dataset(name, plain_rows(5000), **how)
        if name == "dsr":
            b.load(dataset, "--create", "--partitions", "1/2", "--now", NOW)
            b.verify(dataset, want=1)
            b.load(dataset, "--create", "--partitions", "2/2", "--now", NOW)
        b.load(dataset, "--create", "--now", NOW, "--on-duplicate", "replace")
        b.expect_equal(dataset)


def case_dataset_refused(b):
    """Too little room for the batches; cells that are too long; a dataset that names no tables; a file that was damaged."""
    dataset = b.dataset("dsx", plain_rows(60000), partition="PARTITION BY KEY(K) PARTITIONS 2")
    told = b.load(dataset, "--create", "--now", NOW, *SMALL, want=2)[1]
    demand("FAIL  temporary files" in told and "more --disk-limit" in told, told)
    b.run("obkv-import", "-q", "--now", NOW, "-p", "key:2", "--format", "cells", "-o", b.path("bare"), b.path("dsx.cells"))
    told = b.load(b.path("bare"), want=2)[1]
    demand("its table is not known; give --ddl FILE.sql, or --name NAME" in told and "options of obkv-export" in told, told)
    path = next(os.path.join(dataset, "f", n) for n in sorted(os.listdir(dataset + "/f")))
    with open(path, "r+b") as f:
        f.seek(5000)
        f.write(b"\xff\xff\xff")
    b.load(dataset, "--create", "--now", NOW, want=5)
    rows = [(k, q, v + b"x" * (90 if i == 777 else 0), ts) for i, (k, q, v, ts) in enumerate(plain_rows(2000))]
    b.dataset("dsl", rows, v="varbinary(500)", partition=RANGE)
    with open(b.path("dsl.ds/MANIFEST.json")) as f:
        text = f.read().replace("varbinary(500)", "varbinary(100)").replace('"v_max": 500', '"v_max": 100')
    with open(b.path("dsl.ds/MANIFEST.json"), "w") as f:
        f.write(text)
    batches.seal(b, b.path("dsl.ds/MANIFEST.json"), "-")
    told = b.load(b.path("dsl.ds"), "--create", "--now", NOW, want=4)[1]
    demand("1 cell is of " in told and "rejected; first: " in told and "obkv-export --max-rejects" in told, told)


def case_dataset_verified(b):
    """A row that someone writes into a partition meanwhile is found before the load ends with 0."""
    dataset = b.dataset("dsv", plain_rows(60000), partition=KEY23)
    p = b.begin_load(dataset, "--create", "--now", str(NOW), *SMALL)
    journals = dataset + "/_load"

    def begun():
        return p.poll() is not None or (os.path.isdir(journals) and any(
            "done" in open(os.path.join(journals, n)).read() for n in os.listdir(journals)))
    wait_until(begun)
    for i in range(200):
        with contextlib.suppress(SqlError):  # the table is locked by a load
            b.peer.sql("INSERT IGNORE INTO `dsv$f` (K, Q, T, V) VALUES ('row%02d-strange', '', %d, '')" % (i % 10, -i))
        if p.poll() is not None:
            break
    out, errors = p.communicate(timeout=120)
    told = (out + errors).decode()
    demand(p.returncode == 7 and "these are not the" in told and "obkv-verify target names" in told, told)


def case_dataset_proven(b):
    """A load proves the whole table, also one whose rows may expire; not where others have rows."""
    def proven(dataset, *options):
        return json.loads(b.load(dataset, "--create", "--json", "--now", NOW, *options)[0])["proven"]
    ttl = '{"Hbase": {"MaxVersions": 9, "TimeToLive": 315360000}}'
    for name, table in (("dpk", dict(partition=KEY23)), ("dpt", dict(partition=KEY23, kv=ttl)), ("dpn", dict(partition=""))):
        dataset = b.dataset(name, plain_rows(3000), **table)
        demand(proven(dataset), name)
        b.expect_equal(dataset)
    few = b.dataset("dpf", plain_rows(1), partition=KEY23)
    said = b.run("obkv-verify", "target", "--now", NOW, *b.peer.options(), few, want=1)
    demand("there is no such table" in "".join(said), said)
    b.load(few, "--create", "--now", NOW)
    b.peer.sql("TRUNCATE TABLE `dpf$f`; " + "".join("INSERT INTO `dpf$f` (K, Q, T, V) VALUES ('other%d', '', -1, '');" % i
                                                    for i in range(40)))
    demand(not proven(few, "--restart"), "rows of others were not seen")
    b.verify(few, want=1)
    b.peer.sql("DELETE FROM `dpf$f` WHERE K LIKE 'other%'")
    b.expect_equal(few)
    said = b.load(b.dataset("dpo", plain_rows(50), partition=KEY23), "--create", "--now", NOW)[0]
    demand("proof     the target holds these rows and no others" in said, said)


def case_dataset_deltas(b):
    """Nights with delete markers, loaded as datasets: the table holds what the same nights hold that were exported first."""
    night = [[(b"r%02d" % i, b"q", NOW - 10, deltas.PUT, b"v%d" % i) for i in range(40)],
             [(b"r%02d" % i, b"q", NOW - 5, deltas.DELETE_COLUMN, b"") for i in range(0, 40, 3)] +
             [(b"r%02d" % i, b"q", NOW - 3, deltas.PUT, b"w%d" % i) for i in range(0, 40, 6)]]
    tables = {}
    for name in ("dsd", "dse"):
        ddl = b.ddl(name, partition="PARTITION BY KEY(K) PARTITIONS 3")
        for n, cells in enumerate(night):
            deltas.write_cells(b.path("in"), cells)
            dataset = b.path("%s%d" % (name, n))
            kind = ["--delta"] if n else []
            b.run("obkv-import", "-q", "--now", NOW, "--ddl", ddl, "--format", "cells", *kind, "-o", dataset, b.path("in"))
            if name == "dse" or not n:
                b.run("obkv-export", "-q", "--now", NOW, "-o", dataset + ".x", dataset)
                b.load(dataset + ".x", "--create")
                continue
            with open(dataset + "/MANIFEST.json") as f:
                demand(json.load(f).get("kind") == "delta", "no delta")
            told = b.load(dataset, "--on-duplicate", "error", "--now", NOW, want=2)[1]
            demand("a delta changes rows that exist" in told, told)
            result = json.loads(b.load(dataset, "--now", NOW, "--json")[0])
            demand(result["rows"] == 7, result)
            b.run("obkv-verify", "target", "--now", NOW, *b.peer.options(), dataset)
        tables[name] = b.peer.sql("SELECT K, Q, T, V FROM `%s$f` ORDER BY K, Q, T" % name)
    demand(tables["dsd"] == tables["dse"] and len(tables["dsd"]) == 33, tables)


def case_dataset_killed(b):
    """Client or server is killed at any moment: resumed, each row is there once."""
    return batches.kill_loads(b, 6, rows=60000, dataset=True, more=("--now", str(NOW), *SMALL))


def case_mariadb_dataset(b):
    dataset = b.dataset("dsm", plain_rows(3000), grouped=False, v="longblob", partition="PARTITION BY KEY(K) PARTITIONS 3")
    b.load(dataset, "--create", "--now", NOW, "--disk-limit", "1M", "--jobs", "2")
    demand(b.rows("dsm") == 3000, b.rows("dsm"))
    b.expect_equal(dataset)


def case_mariadb_dataset_disturbed(b):
    """Text that is longer than its estimate meets the limit of disk, or a disk that is full; a run is interrupted: each ends with
    its code and what to do, leaves no temporary file, and the next run resumes."""
    rows = [(b"row%05d" % i, b"q", b"\\" * 300, NOW - i) for i in range(4000)]
    dataset = b.dataset("dst", rows, grouped=False, v="longblob", partition="PARTITION BY KEY(K) PARTITIONS 4")
    temp = temporary(b)
    some = ["--now", NOW, "--temp-dir", temp, "--partitions", "p3"]  # about 330 KB of cells, 620 KB of text
    told = b.load(dataset, "--create", *some, "--disk-limit", "400K", want=6)[1]
    demand("--disk-limit" in told and not os.listdir(temp), told)
    if os.getuid() == 0:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", temp], check=True)
        try:
            told = b.load(dataset, *some, want=6)[1]
            demand("No space left" in told and "--temp-dir on another disk" in told and not os.listdir(temp), told)
        finally:
            subprocess.run(["umount", temp], check=True)
    p = b.begin_load(dataset, "--now", str(NOW), "--temp-dir", temp)
    p.send_signal(signal.SIGINT)
    told = finish(p, want=130)
    demand(not os.listdir(temp), "%s of %s" % (os.listdir(temp), told))
    b.load(dataset, "--now", NOW, "--temp-dir", temp)
    demand(b.rows("dst") == 4000, b.rows("dst"))
    b.expect_equal(dataset)


def main():
    from peers import Engine
    binaries, kills, seed = sys.argv[1], int(sys.argv[2]), int((sys.argv + ["1"])[3])
    folder = tempfile.mkdtemp(prefix="obkv-datasets-")
    server = Engine(folder)
    begun = time.monotonic()
    try:
        print(batches.kill_loads(Bench(server.prepare(), os.path.abspath(binaries), folder, False), kills, seed, rows=60000,
                                 dataset=True, more=("--now", str(NOW), *SMALL)), "in %.0f s" % (time.monotonic() - begun))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
