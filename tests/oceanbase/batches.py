"""Many files in one statement: every row in the partition that it was exported for, in the order that the server trusts, and all
or nothing after a kill. The cases are cases of loads.py. As a program, on one engine, loads that are killed again and again:

    batches.py BIN KILLS [SEED]
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

from exports import rows_of, sums  # noqa: E402
from rig import NOW, RANGE, Bench, demand, is_loading, manifest, plain_rows, wait_until  # noqa: E402

KEY23 = "PARTITION BY KEY(K) PARTITIONS 23"


# ---- exports that somebody has edited who knows how

def seal(b, *args):
    program = os.path.join(b.folder, "seal")
    if not os.path.exists(program):
        source = pathlib.Path(__file__).resolve().parents[1] / "cli" / "seal.c"
        subprocess.run(["cc", "-D_GNU_SOURCE", "-o", program, source, "-lxxhash"], check=True)
    return subprocess.run([program, *args], check=True, capture_output=True, text=True).stdout.strip()


def rewrite(b, where, changes):
    """changes: {path: function of a file's lines}. The manifest fits afterwards."""
    m = manifest(where)
    for f in m["files"]:
        if f["path"] not in changes:
            continue
        path = os.path.join(where, f["path"])
        with open(path, "rb") as file:
            lines = changes[f["path"]](file.read().splitlines(keepends=True))
        with open(path, "wb") as file:
            file.write(b"".join(lines))
        figures = sums(rows_of(pathlib.Path(path)), False)
        f.update({key: figures[key] for key in ("rows", "cell_bytes", "crc_sum", "crc_xor", "key_sum")},
                 bytes=os.path.getsize(path), text_bytes=os.path.getsize(path), checksum=seal(b, path))
    m["checksum"] = m.pop("checksum")
    with open(where + "/MANIFEST.json", "w") as file:
        file.write(json.dumps(m, indent=1) + "\n")
    seal(b, where + "/MANIFEST.json", "-")


def key_of(line):
    return line.split(b"\t")[0]


def swap_rows(b, where):
    """Two rows, each in the file of the other's partition, in order: rows, bytes and files stay as many as they were."""
    a, z = [f["path"] for f in manifest(where)["files"][:2]]
    lines = {}
    for path in (a, z):
        with open(os.path.join(where, path), "rb") as f:
            lines[path] = f.read().splitlines(keepends=True)
    one = lines[a][len(lines[a]) // 2]
    other = next(line for line in lines[z] if len(line) == len(one))

    def exchange(out, into):
        return lambda all_lines: sorted([line for line in all_lines if line != out] + [into], key=key_of)
    rewrite(b, where, {a: exchange(one, other), z: exchange(other, one)})


def plain_export(b, name, n, *options, **table):
    """Rows without bytes that are escaped, of one length: lines sort as rows do."""
    rows = [(k, q, b"%06d" % i, ts) for i, (k, q, _, ts) in enumerate(plain_rows(n))]
    return b.export(name, rows, *options, **table)


def case_wrongly_placed(b):
    """A row in the file of another partition, so that no number of rows tells: found before the load ends with 0."""
    where = plain_export(b, "placed", 50000, partition=KEY23)
    swap_rows(b, where)
    for options in (["--create"], ["--restart", "--on-duplicate", "replace"]):
        told = b.load(where, *options, want=7)[1]
        demand("1 row that went into the table is not there: the server places rows otherwise" in told, told)
        b.verify(where, want=1)
        b.peer.sql("DELETE FROM `placed$f` WHERE K < 'row05'")
    b.load(where, want=7)
    b.peer.sql("DROP TABLE `placed$f`; DROP TABLEGROUP placed")


def case_wrong_partition(b):
    """A row of a partition that the statement does not name: the server itself refuses it."""
    where = plain_export(b, "named", 3000, partition=RANGE)
    swap_rows(b, where)
    told = b.load(where, "--create", "--partitions", "lo", want=7)[1]
    demand("1526" in told and not b.rows("named"), told)


def case_unsorted(b):
    """Lines that do not ascend, or files of a partition that overlap: refused with what to do, and nothing is loaded."""
    where = plain_export(b, "unsorted", 50000, partition=KEY23)
    path = manifest(where)["files"][3]["path"]
    rewrite(b, where, {path: lambda lines: lines[1000:] + lines[:1000]})
    b.load(where, "--create", "--dry-run")
    for options in (["--create"], ["--restart", "--on-duplicate", "replace"]):
        told = b.load(where, *options, want=5)[1]
        demand(path + ":" in told and "not after the line before it" in told and not b.rows("unsorted"), told)


def case_overlapping(b):
    """Two files of a partition in each other's place: each is sorted, together they are not."""
    where = plain_export(b, "overlap", 40000, "--target-file-size", "32K", partition=KEY23)
    a, z = [f["path"] for f in manifest(where)["files"] if f["partition"] == 4][:2]
    text = {}
    for path in (a, z):
        with open(os.path.join(where, path), "rb") as f:
            text[path] = f.read().splitlines(keepends=True)
    rewrite(b, where, {a: lambda _: text[z], z: lambda _: text[a]})
    told = b.load(where, "--create", want=5)[1]
    demand(z + ":1: not after the line before it" in told and not b.rows("overlap"), told)


def hostile_rows(n):
    """Keys of every byte, that are the beginning of others, versions on both sides of a file's end, empty columns and values."""
    r = random.Random(11)
    keys = [b"\0", b"\0\0", b"\xff", b"\xff\xff", b"\\", b"\t", b"\n", b"a\0", b"a", b"a\xff", b"\x80", b"\x7f"]
    keys += [bytes([i]) for i in range(256)] + [bytes([i, j]) for i in (0, 92, 255) for j in range(0, 256, 5)]
    keys += [r.randbytes(r.randrange(1, 40)) for _ in range(n)]
    rows = {}
    for k in keys:
        for q in r.sample([b"", b"\0", b"\xff", b"q", b"q\0", b"\\N", b"\t"], 3):
            for ts in r.sample([0, 1, 9, 10, 99, 100, NOW, NOW - 1, NOW - 10, NOW // 10], 4):
                rows[k, q, ts] = (k, q, r.randbytes(r.randrange(60)), ts)
    return list(rows.values())


def case_sorted_for_the_server(b):
    """Hostile keys, many files of each partition in one statement, loaded, and replaced by itself: nothing is sorted by the
    server, and everything is equal."""
    rows = hostile_rows(3200)
    for name, partition in (("hostilek", "PARTITION BY KEY(K) PARTITIONS 5"),
                            ("hostiler", "PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('a'), PARTITION z VALUES "
                                         "LESS THAN (MAXVALUE))")):
        where = b.export(name, rows, "--target-file-size", "32K", partition=partition, kv='{"Hbase": {"MaxVersions": 100}}')
        files = len(manifest(where)["files"])
        demand(files > 20, "%d files" % files)
        for options in (["--create"], ["--restart", "--on-duplicate", "replace"]):
            said = b.load(where, *options, "--dry-run")[0]
            demand(said.count("LOAD DATA /*+ direct(false") == 1, said)
            b.load(where, *options)
            b.expect_equal(where, "--strong")
    return "%d rows in %d files" % (len(rows), files)


# ---- kills

def kill_once(b, where, r, options):
    """Kills the client or the server at some moment of a load, from its start to its end."""
    p = b.begin_load(where, *options)
    if r.random() < 0.8:
        wait_until(lambda: is_loading(b) or p.poll() is not None)
    time.sleep(r.random() * r.choice((0.05, 0.5, 2.5)))
    whom = r.choice(("client", "client", "client", "server"))
    if whom == "server":
        b.peer.kill()
        b.peer.start()
        p.send_signal(signal.SIGKILL)
    else:
        p.kill()
    p.communicate()
    return whom, p.returncode


def kill_loads(b, kills, seed=1, rows=150000, table=None, dataset=False, more=()):
    """So many kills; after each few the load is resumed: every row once. dataset: without an export."""
    name = "kills"
    r, tally, rounds = random.Random(seed), {"client": 0, "server": 0, "too late": 0}, 0
    make = b.dataset if dataset else b.export
    where = make(name, plain_rows(rows), **(table or dict(partition=KEY23)))
    while sum(tally.values()) < kills:
        how = r.choice(([], [], ["--on-duplicate", "replace"]))
        options = ["--create", *more] + how
        for _ in range(r.randrange(1, 4)):
            whom, code = kill_once(b, where, r, options)
            tally[whom if code else "too late"] += 1
        b.load(where, *options)
        demand(b.rows(name) == rows, "%d rows of %d" % (b.rows(name), rows))
        b.expect_equal(where)
        b.peer.sql("TRUNCATE TABLE `%s$f`" % name)
        shutil.rmtree(where + "/_load")
        rounds += 1
    b.peer.sql("DROP TABLE `%s$f`; DROP TABLEGROUP %s" % (name, name))
    return "%d kills (%s), %d loads resumed" % (sum(tally.values()), tally, rounds)


def case_batches_killed(b):
    """Client or server is killed at any moment of loads by one statement: resumed, each row is there once."""
    return kill_loads(b, 6)


def main():
    from peers import Engine
    binaries, kills, seed = sys.argv[1], int(sys.argv[2]), int((sys.argv + ["1"])[3])
    folder = tempfile.mkdtemp(prefix="obkv-batches-")
    server = Engine(folder)
    try:
        print(kill_loads(Bench(server.prepare(), os.path.abspath(binaries), folder, False), kills, seed))
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
