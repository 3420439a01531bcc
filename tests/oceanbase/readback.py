"""A table that is read back from the database (obkv-import --from): the dataset is the one that was loaded, cell for cell. The
cases are cases of loads.py."""
import os
import signal
import subprocess
import threading
import time

import batches
from measured import run_counted  # batches.py has added tests/cli to the path
from rig import NOW, PREFIX, RANGE, demand, manifest, plain_rows, wait_until


def source(b):
    """The options of a target, for a source."""
    options = b.peer.options()
    return ["--from", *options[1:]]


def read(b, name, out, *options, want=0):
    return b.run("obkv-import", "--now", NOW, *source(b), "--table", name, "-o", b.path(out), *options, want=want)


def peak_bytes(b, name, out, *options):
    """Resident at most while it is read."""
    program = os.path.join(b.binaries, "obkv-import")
    done, peak, _ = run_counted([program, "-q", *source(b), "--table", name, "-o", b.path(out), *options])
    demand(done.code == 0, "exit %d: %s" % (done.code, done.err.decode(errors="replace")))
    return peak


def expect_same(b, a, out):
    b.run("obkv-verify", "check", "-q", b.path(out))
    b.run("obkv-verify", "diff", "--strict", a, b.path(out))
    cells = manifest(b.path(out))["totals"]["cells"]
    demand(cells == manifest(a)["totals"]["cells"], "%d cells" % cells)


def load(b, name, rows, **table):
    data = b.dataset(name, rows, **table)
    b.load(data, "--create")
    return data


def byte_rows():
    every = bytes(range(256))
    rows = [(bytes([i]) + every, every[:i % 200], every * (i % 9), NOW - i) for i in range(256)]
    return rows + [(b"empty", b"", b"", 0), (b"big", b"q", os.urandom(1 << 20), NOW)]


def case_read_back(b):
    """KEY and RANGE partitions, generated columns, every byte value, long values, a row of many cells: the same cells in the same
    partitions; a second run has nothing to do, a change of the table is another dataset."""
    wide = [(b"wide", b"q%05d" % i, b"v%d" % i, NOW - i) for i in range(20000)]
    for name, rows, table in (
            ("rbkey", plain_rows(30000) + byte_rows() + wide, {}),
            ("rbrange", plain_rows(20000), {"partition": RANGE}),
            ("rbone", plain_rows(500), {"partition": ""}),
            ("rbprefix", plain_rows(5000), {"extra": PREFIX, "partition": "PARTITION BY KEY(KP) PARTITIONS 5"}),
            ("rblong", [(b"k%d" % i, b"q", os.urandom(3 << 20), NOW) for i in range(6)], {"v": "longblob"})):
        data = load(b, name, rows, **table)
        read(b, name, name + ".back", "--memory", "256M")
        expect_same(b, data, name + ".back")
        demand("nothing to do" in read(b, name, name + ".back", "--memory", "256M")[1], "it was read again")
        b.peer.sql("DELETE FROM `%s$f` LIMIT 1" % name)
        read(b, name, name + ".back", "--memory", "256M", want=2)
        read(b, name, name + ".back", "--memory", "256M", "--overwrite")
        b.run("obkv-verify", "diff", data, b.path(name + ".back"), want=1)


def case_read_back_while_written(b):
    """Rows come and go while the table is read: what is read is one moment."""
    data = load(b, "rbmoment", plain_rows(60000, size=100))
    stop = threading.Event()

    def write():
        while not stop.is_set():
            b.peer.sql("INSERT INTO `rbmoment$f` (K, Q, T, V) VALUES (UUID(), 'q', -5, 'new'); "
                       "DELETE FROM `rbmoment$f` WHERE Q = 'q1' LIMIT 3")

    writer = threading.Thread(target=write)
    words = [os.path.join(b.binaries, "obkv-import"), *source(b), "--table", "rbmoment", "-o", b.path("moment"), "--threads", "1"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    writer.start()
    said = process.communicate(timeout=120)[1]
    stop.set()
    writer.join()
    demand(not process.returncode, said)
    demand(manifest(b.path("moment"))["totals"]["cells"] > 50000, "hardly anything")
    demand(data, "no data")


def case_read_back_restart(b):
    """The server is killed while it is read and comes back: reading continues after the last row that came."""
    data = load(b, "rbkill", plain_rows(200000, size=200))
    words = [os.path.join(b.binaries, "obkv-import"), "--now", str(NOW), *source(b), "--table", "rbkill", "-o", b.path("kill"),
             "--threads", "2", "--config", "retries=8"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: b.peer.sql("SELECT 1 FROM information_schema.processlist WHERE info LIKE 'SELECT K, Q, T, V%'")
               or process.poll() is not None)
    b.peer.kill()
    b.peer.start()
    said = process.communicate(timeout=240)[1]
    demand(not process.returncode, "%s %s" % (process.returncode, said))
    expect_same(b, data, "kill")


def case_read_back_room(b):
    """Definitions are held to a part of --memory before they are read: each bound of a partition is as long as a key may be."""
    bounds = ", ".join("PARTITION p%d VALUES LESS THAN (x'%s')" % (i, (b"%01000d" % i).hex()) for i in range(1200))
    b.peer.sql("CREATE TABLE `rbmany$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, "
               "V varbinary(1048576), PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS(K) (%s)" % bounds)
    said = read(b, "rbmany", "no", "--memory", "64M", want=6)[1]
    demand("the definition of the table takes more than 2M, a 32nd of --memory" in said, said)
    b.peer.sql("DROP TABLE `rbmany$f`")


def case_mariadb_read_back(b):
    """The same cells from a server that places rows by other rules, and has no moments: one that changes meanwhile is refused.
    NULLs, no such table, no server, a signal."""
    rows = plain_rows(40000) + byte_rows()
    data = b.dataset("rbmaria", rows, v="longblob", grouped=False)
    b.peer.sql("CREATE TABLE `rbmaria$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, "
               "V longblob, PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7")
    b.load(data)
    read(b, "rbmaria", "maria", "--threads", "3")
    expect_same(b, data, "maria")
    peak = peak_bytes(b, "rbmaria", "small", "--memory", "64M", "--threads", "4")
    demand(peak < 64 << 20, "%d MB" % (peak >> 20))
    expect_same(b, data, "small")
    ranges = b.path("ranges")
    with open(ranges, "w") as f:
        f.write("row03\nrow07\n")
    read(b, "rbmaria", "regions", "--partition", "range:" + ranges)
    b.run("obkv-verify", "diff", data, b.path("regions"))
    with open(b.path("pw"), "w") as f:
        f.write("wrong\n")
    os.chmod(b.path("pw"), 0o600)
    words = ["--from", b.peer.target(), "--user", b.peer.user, "--table", "rbmaria", "-o", b.path("no")]
    demand("1045" in b.run("obkv-import", *words, "--password-file", b.path("pw"), want=2)[1], "wrong password")
    demand("no table named rbnone$FAMILY" in read(b, "rbnone", "no", want=2)[1], "no such table")
    b.peer.sql("INSERT INTO `rbmaria$f` (K, Q, T, V) VALUES ('nullrow', 'q', -1, NULL)")
    said = read(b, "rbmaria", "no", want=5)[1]
    demand("table rbmaria$f, partition p" in said and "row 'nullrow': V is NULL" in said, said)
    b.peer.sql("DELETE FROM `rbmaria$f` WHERE K = 'nullrow'")
    words = [os.path.join(b.binaries, "obkv-import"), *source(b), "--table", "rbmaria", "-o", b.path("no"), "--threads", "1"]
    b.peer.sql("CREATE TABLE `rbwide$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, "
               "V longblob, PRIMARY KEY (K, Q, T)); INSERT INTO `rbwide$f` SELECT CONCAT(a.K, b.K), a.Q, a.T, a.V FROM "
               "`rbmaria$f` a JOIN (SELECT K FROM `rbmaria$f` WHERE K LIKE 'row0%' LIMIT 8) b WHERE LENGTH(a.V) < 1000")
    words[words.index("rbmaria")] = "rbwide"
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    wait_until(lambda: b.peer.sql("SELECT 1 FROM information_schema.processlist WHERE info LIKE 'SELECT K, Q, T, V%'")
               or process.poll() is not None)
    b.peer.sql("DELETE FROM `rbwide$f` WHERE K LIKE 'row0%' LIMIT 1")
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    demand(process.returncode == 130, "%d: %s" % (process.returncode, said))
    demand(time.monotonic() - began < 20, "a signal took %.0f s" % (time.monotonic() - began))
    b.peer.kill()
    said = read(b, "rbmaria", "no", "--config", "retries=1", want=75)[1]
    b.peer.start()
    demand("cannot connect" in said, said)
