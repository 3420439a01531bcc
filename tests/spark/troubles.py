"""Executors that stop for good, a scratch disk that is full, and loads that fail, into a real database. jobs.py runs them."""
import contextlib
import fcntl
import os
import re
import signal
import subprocess
import sys

from spark_kit import (COLUMNS, EXECUTOR, NOW, ROOT, csv_file, demand, demand_no_orphans, demand_same, said, wrapped)

sys.path.insert(0, str(ROOT / "tests/oceanbase"))
from peers import MariaDb  # noqa: E402
from programs import Missing, Skip  # noqa: E402

STUCK = """case " $* " in
*" --list "*) ;;
*" --shards 2/3 "*) if mkdir "{d}/stuck" 2>/dev/null; then
        until [ -e "{d}/other" ]; do sleep 0.1; done # it has got what executors send each other
        """ + EXECUTOR + """
        echo $executor >"{d}/stuck/pid"
        {act}
        exec sleep 298.32
    fi ;;
*) touch "{d}/other" ;;
esac
exec {real} "$@"
"""
# Share 1 is loaded, and its executor dies; share 3 is loaded, and says 75. Share 4 takes longer than these together: Spark would
# start a second attempt beside it.
LOADER = """mkdir "{d}/running/$$"
echo "$(ls "{d}/running" | wc -l) $*" >>"{d}/loads"
{real} "$@" 2>"{d}/said.$$"
code=$?
cat "{d}/said.$$" >&2
case " $* " in *" --partitions 4/4 "*)
    for i in $(seq 600); do [ -e "{d}/again" ] && break; sleep 0.1; done
    sleep 3 ;;
esac
rmdir "{d}/running/$$"
case " $* " in
*" --partitions 1/4 "*) if mkdir "{d}/killed" 2>/dev/null; then
        """ + EXECUTOR + """
        kill -9 $executor
        exec sleep 299.33
    fi ;;
*" --partitions 3/4 "*)
    if mkdir "{d}/busy" 2>/dev/null; then echo "obkv-load: error: busy, says a test" >&2; exit 75; fi
    touch "{d}/again" ;;
esac
exit $code
"""
TABLE = """CREATE TABLE `users$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V longblob NOT NULL,
PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 8;
"""


def executor_that_stops(suite):
    """It never answers again: another one does its shard (speculation)."""
    text = with_shard_stuck(suite, "kill -STOP $executor")
    demand("as speculatable" in text, "no other one did its work: " + text[-2000:])


def worker_that_stays_away(suite):
    """Half of the cluster is gone for good, in the middle of a shard."""
    text = with_shard_stuck(suite, "kill -9 $worker")
    demand("Lost executor" in text, "nothing was lost: " + text[-2000:])


def with_shard_stuck(suite, act):
    one, out, pid = suite.fresh("one"), suite.tmp / "out", suite.tmp / "stuck/pid"
    path = csv_file(suite.tmp / "a.csv", 60000)
    suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "-o", one, path)
    script = STUCK.replace("{d}", str(suite.tmp)).replace("{act}", act)
    programs = wrapped(suite, suite.tmp / "bin", "obkv-import", script, ("obkv-split",))
    try:
        text = suite.shared.spark.submit(["--input", path, "--out", out, "--shards", "3", "--shares", "1", "--now", NOW,
                                          "--bin", programs, "--", *COLUMNS], timeout=200)
    finally:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            os.kill(int(pid.read_text()), signal.SIGKILL)
    demand(pid.exists(), "nothing was stuck")
    demand_same(one, out)
    demand_no_orphans("298.32")
    return text


def full_scratch_disk(suite):
    """Every attempt finds it full: the job ends with the program's message, and leaves nothing there."""
    disk = suite.tmp / "disk"
    disk.mkdir()
    if os.getuid() or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).returncode:
        raise Skip("a small disk can only be mounted by root")
    try:
        csv_file(suite.tmp / "a.csv", 60000)
        text = suite.shared.spark.submit(["--input", suite.tmp / "a.csv", "--out", suite.tmp / "out", "--shards", "2", "--shares",
                                          "1", "--scratch", disk, "--bin", suite.bin, "--", *COLUMNS], want=6)
        [line] = re.findall(r"(?m)^obkv-spark: (shard .*)", text)
        demand("No space left on device" in line, "the message: " + line)
        demand(not list(disk.iterdir()), "left on the disk: %s" % list(disk.iterdir()))
    finally:
        subprocess.run(["umount", disk], check=True)


def leftovers(suite):
    """Of a driver and a task that were killed the next job removes the directories, but not those of one that runs."""
    scratch = suite.tmp / "disk"
    kept = scratch / "obkv-task-9-1"
    for path in (scratch / "obkv-driver-1/in/0", scratch / "obkv-task-3-2/made", kept, scratch / "others"):
        path.mkdir(parents=True)
    (scratch / "obkv-task-3-2/.lock").touch()
    csv_file(suite.tmp / "a.csv", 600)
    with open(kept / ".lock", "w") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        suite.shared.spark.submit(["--input", suite.tmp / "a.csv", "--out", suite.tmp / "out", "--shards", "2", "--shares", "1",
                                   "--scratch", scratch, "--bin", suite.bin, "--", *COLUMNS])
    left = sorted(p.name for p in scratch.iterdir())
    demand(left == ["obkv-task-9-1", "others"], "left: %s" % left)


def loaded_into_a_database(suite):
    """At most two loads at a time, also with speculation. One goes on from its journal; one that has lost it with its executor
    loads again."""
    why = MariaDb.missing()
    if why:
        raise Missing("oceanbase", why)
    peer = MariaDb(suite.tmp)
    try:
        peer.prepare()
        peer.sql(TABLE)
        load(suite, peer)
    finally:
        peer.stop()


def load(suite, peer):
    (suite.tmp / "users.sql").write_text(TABLE)
    (suite.tmp / "running").mkdir()
    out, path = suite.tmp / "out", csv_file(suite.tmp / "a.csv", 20000)
    programs = wrapped(suite, suite.tmp / "bin", "obkv-load", LOADER.replace("{d}", str(suite.tmp)),
                       ("obkv-import", "obkv-split", "obkv-export"))
    options = "--target %s --user %s --password-file password --on-duplicate replace" % (peer.target(), peer.user)
    arguments = ["--input", path, "--out", out, "--shards", "2", "--shares", "4", "--bin", programs, "--file",
                 suite.tmp / "users.sql", "--file", peer.password_file, "--export", suite.tmp / "export", "--load", options,
                 "--loads", "2", "--", "--ddl", "users.sql", *COLUMNS[:4]]
    text = suite.shared.spark.submit(arguments)
    demand(said(text, "exports") == (4, 4) and said(text, "loads") == (4, 4), "stages: " + text[-1000:])
    loads = (suite.tmp / "loads").read_text().splitlines()
    demand(max(int(line.split()[0]) for line in loads) == 2, "at a time: %s" % loads)
    demand(len(loads) == 6, "each load once, and two of them again: %s" % loads)
    demand((suite.tmp / "busy").exists() and (suite.tmp / "killed").exists(), "nothing failed")
    demand([1 for p in suite.tmp.glob("said.*") if "files loaded according to the journal" in p.read_text()] == [1],
           "none has gone on from its journal, or more than one")
    suite.call("verify", "target", *peer.options(), out)
    demand(int(peer.one("SELECT COUNT(*) FROM `users$f`")) > 30000, "few rows in the table")
    text = suite.shared.spark.submit(arguments)
    demand(said(text, "loads") == (0, 4), "loaded again: " + text[-1000:])
    other = [a if a != options else options.replace("/test", "/none") for a in arguments]
    text = suite.shared.spark.submit(other, want=2)
    demand(said(text, "loads") == (4, 4) and "obkv-load: " in text, "another database: " + text[-1000:])
    other[other.index("--load"):] = ["--export-options", "--format jsonl", "--", "--ddl", "users.sql", *COLUMNS[:4]]
    text = suite.shared.spark.submit(other, want=2)
    demand("has exports of other settings: 'export ' instead of 'export --format jsonl'" in text, text[-1000:])


TESTS = (loaded_into_a_database, full_scratch_disk, leftovers, executor_that_stops, worker_that_stays_away)
