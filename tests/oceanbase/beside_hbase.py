"""A real HBase beside the database: what is in the target must be what HBase shows.

Migrations while clients write: by the commands of docs/wal.md, or by obkv-migrate (rollback.py has the case, with the way back);
and nights with deletes judged by HBase itself, case_nights_judged_by_hbase of loads.py. The programs of HBase are those of
tests/interop. As a program, for `make stress`:

    beside_hbase.py BIN [NIGHTS [SEED]]
"""
import contextlib
import os
import pathlib
import queue
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

import deltas
from rig import NOW, Bench, Skipped, demand, manifest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INTEROP = ROOT / "tests" / "interop"
BUILD = ROOT / "build" / "interop"
DDL = """CREATE TABLEGROUP t1 SHARDING = 'ADAPTIVE';
CREATE TABLE `t1$a` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1048576) NOT NULL,
PRIMARY KEY (K, Q, T)) TABLEGROUP = t1 KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1000}}' PARTITION BY KEY(K) PARTITIONS 3;
CREATE TABLE `t1$b` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1048576) NOT NULL,
PRIMARY KEY (K, Q, T)) TABLEGROUP = t1 KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1}}' PARTITION BY KEY(K) PARTITIONS 3;
"""
INPUT_LOST = 3  # exit code: the end of a log that is still written was left out
ANSWER_S = 300


class HBase:
    """A program of tests/interop/src that answers each line of its standard input."""

    def __init__(self, program, *args, log):
        hosts = BUILD / "hosts"
        hosts.write_text("127.0.0.1 localhost %s\n" % socket.gethostname())
        jars = (BUILD / "trees.classpath").read_text().strip()
        path = ":".join(map(str, (BUILD / "trees", INTEROP / "conf", INTEROP / "conf" / "trees", jars)))
        self.log = log
        with open(log, "ab") as errors:
            command = ["java", "@%s" % (INTEROP / "jvm.options"), "-Djdk.net.hosts.file=%s" % hosts, "-cp", path, program]
            self.process = subprocess.Popen(command + [str(a) for a in args], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=errors, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()
        self.answer("start")

    @staticmethod
    def prepare():
        """Resolves and compiles; Skipped where that cannot be done, which OBKV_REQUIRE_INTEROP=1 makes a failure."""
        done = subprocess.run(["sh", str(INTEROP / "run.sh"), "--classes"], capture_output=True, text=True)
        demand(done.returncode in (0, 77), done.stdout)
        if done.returncode:
            raise Skipped(done.stdout.strip().splitlines()[0])

    def read(self):
        for line in self.process.stdout:
            if line.startswith(("PASS\t", "FAIL\t")):
                self.lines.put(line.strip())
        self.lines.put("ended")

    def answer(self, word):
        try:
            line = self.lines.get(timeout=ANSWER_S)
        except queue.Empty:
            line = "ended"  # or as good as that
        demand(line == "PASS\t" + word, "HBase: %s: %s (%s)" % (word, line, self.end_of_log() if line == "ended" else ""))

    def end_of_log(self):
        with open(self.log, errors="replace") as f:
            return f.read()[-1500:]

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        self.answer(line.split(" ")[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def cells_of(path):
    """{(family, row, qualifier, time): value} of a scan that HBase wrote."""
    cells = {}
    with open(path) as f:
        for line in f:
            row, family, qualifier, ts, _, _, value, _ = [("" if x == "-" else x) for x in line.rstrip("\n").split("\t")]
            cells[bytes.fromhex(family), bytes.fromhex(row), bytes.fromhex(qualifier), int(ts)] = bytes.fromhex(value)
    return cells


def rows_of(b, table, family):
    """The same of a table of the target."""
    rows = b.peer.sql("SELECT HEX(K), HEX(Q), T, HEX(V) FROM `%s$%s`" % (table, family))
    return {(family.encode(), bytes.fromhex(k), bytes.fromhex(q or ""), -int(t)): bytes.fromhex(v or "") for k, q, t, v in rows}


def demand_equal(got, want, what):
    other = sorted(k for k in {**got, **want} if got.get(k) != want.get(k))
    demand(not other, "%s: %d rows, HBase shows %d; %d differ: %.600r" % (
        what, len(got), len(want), len(other), [(k, "there", got.get(k), "in HBase", want.get(k)) for k in other[:4]]))


# ---- a migration while clients write

class Migration:
    """The commands of docs/wal.md."""

    tables, kind = ("t1",), ()  # kind: for LiveTable

    def __init__(self, b, hbase, work):
        self.b, self.hbase, self.work, self.n = b, hbase, work, 0
        self.ddl, self.base = b.path("t1.sql"), b.path("BASE")
        for table in self.tables:
            with open(b.path(table + ".sql"), "w") as f:
                f.write(DDL.replace("t1", table))
        self.snapshot = os.path.join(work, "exported/start/.hbase-snapshot/start")

    def begin(self):
        b = self.b
        self.hbase.ask("snapshot start")
        b.run("obkv-import", "-q", "--ddl", self.ddl, "--snapshot", "start", "--compact", "-o", self.base,
              os.path.join(self.work, "exported/start"))
        b.run("obkv-verify", "check", "-q", self.base)
        b.run("obkv-export", "-q", "--create", "-o", b.path("LOAD"), self.base)
        b.load(b.path("LOAD"), "--create")

    def end(self):
        """The writers have stopped."""

    def copied_logs(self):
        """WALs first: a log that is moved meanwhile is in oldWALs, and given once. Its directory tells what an empty one is."""
        to = self.b.path("logs-%d" % self.n)
        for folder in ("WALs", "oldWALs"):
            os.makedirs(os.path.join(to, folder))
            for path, _, names in os.walk(os.path.join(self.work, "hbase/root", folder)):
                for name in names:
                    try:
                        if not name.startswith("."):
                            shutil.copy(os.path.join(path, name), os.path.join(to, folder))
                    except FileNotFoundError:
                        demand(folder == "WALs", "a log vanished from oldWALs")
        for name in os.listdir(os.path.join(to, "oldWALs")):
            with contextlib.suppress(FileNotFoundError):
                os.remove(os.path.join(to, "WALs", name))
        return to

    def catch_up(self, last):
        """The dataset of what was written since the snapshot; it is loaded when this returns."""
        b, self.n = self.b, self.n + 1
        delta, export = b.path("DELTA-%d" % self.n), b.path("LOAD-%d" % self.n)
        how = ["--strict", "--allow", "log-not-closed"] if last else ["--on-damage", "skip-block"]
        b.run("obkv-import", "-q", "--ddl", self.ddl, "--after", self.snapshot, *how, "-o", delta, self.copied_logs(),
              want=(0,) if last else (0, INPUT_LOST))
        b.run("obkv-export", "-q", "-o", export, delta)
        b.load(export)
        demand(manifest(delta)["totals"]["cells"] > 100, "hardly anything to catch up with")
        return delta

    def afterwards(self):
        """The way back, where there is one."""

    def said(self):
        return ""

    def prove(self, delta):
        b = self.b
        n = sum(self.prove_table(table) for table in self.tables)
        for table in self.tables:
            b.expect_equal(self.whole(table, delta))
        return n

    def prove_table(self, table):
        b = self.b
        self.hbase.ask("scan %s %s" % (b.path("final"), table))
        want = cells_of(b.path("final"))
        demand(len(want) > (300 if table == "t1" else 100), "HBase shows %d cells of %s" % (len(want), table))
        for family in ("a", "b"):
            got = rows_of(b, table, family)
            if family == "b":  # MaxVersions 1: older rows are there, and hidden
                newest = {}
                for f, k, q, ts in got:
                    newest[k, q] = max(ts, newest.get((k, q), ts))
                got = {key: v for key, v in got.items() if newest[key[1:3]] == key[3]}
            demand_equal(got, {key: v for key, v in want.items() if key[0] == family.encode()}, "%s$%s" % (table, family))
        return len(want)

    def whole(self, table, delta):
        self.b.run("obkv-compact", "-q", "--ddl", self.ddl, "-o", self.b.path("ALL"), self.base, delta)
        return self.b.path("ALL")


def migrate(b, seed, writes, by):
    """Two catch-ups while clients write, across a split, a move, a compaction and a server that dies; then the last one."""
    work = b.path("hbase")
    os.mkdir(work)
    with HBase("LiveTable", work, seed, *by.kind, log=b.path("LiveTable.log")) as hbase:
        move = by(b, hbase, work)
        hbase.ask("write %d" % writes)
        hbase.ask("flush")
        hbase.ask("write %d" % (writes // 4))
        move.begin()
        hbase.ask("write %d" % writes)
        hbase.ask("split k5")
        hbase.ask("flush")
        move.catch_up(False)
        hbase.ask("write %d" % (writes // 2))
        hbase.ask("move k2")
        hbase.ask("compact")
        hbase.ask("write %d" % (writes // 4))
        hbase.ask("kill k7")
        hbase.ask("write %d" % (writes // 2))
        move.catch_up(False)
        hbase.ask("write %d" % (writes // 4))
        hbase.ask("stop")
        hbase.ask("roll")
        move.end()
        n = move.prove(move.catch_up(True))
        move.afterwards()
    for table in by.tables:
        b.peer.sql("DROP TABLE `%s$a`; DROP TABLE `%s$b`; DROP TABLEGROUP %s" % (table, table, table))
    return "%d cells%s" % (n, move.said())


class Driven(Migration):
    """Three tables of three servers, one hot, one with MOB, one that splits, by samples/migration/obkv-migrate alone, which is
    killed while it works, and run again."""

    tables, kind = ("t1", "hot", "mob"), ("three",)

    def __init__(self, b, hbase, work):
        super().__init__(b, hbase, work)
        self.random, self.kills, self.called = random.Random(work), 0, set()
        self.conf = b.path("migration.conf")
        user = self.b.peer.options()
        with open(self.conf, "w") as f:
            f.write("[migration]\nwork = %s\nbackup = %s\nlogs = %s\nscratch = %s\n" % (
                b.path("work"), os.path.join(work, "exported/start"), b.path("logs"), b.peer.target("scratch")))
            for option in ("--target", "--user", "--password-file"):
                f.write("%s = %s\n" % (option[2:], user[user.index(option) + 1]))
            for table in self.tables:
                other = "" if table == "t1" else "-" + table
                f.write("[%s]\nddl = %s\nsnapshot = start%s\nend-snapshot = end%s\n" % (
                    table, b.path(table + ".sql"), other, other))

    def said(self):
        return " of three tables, killed %d times" % self.kills

    def call(self, command, *more, kills=0):
        self.called.add(command)
        env = {**os.environ, "PATH": "%s:%s" % (self.b.binaries, os.environ["PATH"])}
        words = [sys.executable, "-B", str(ROOT / "samples/migration/obkv-migrate"), "--config", self.conf, command, *more]
        for left in range(kills, -1, -1):
            p = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 start_new_session=True)
            with contextlib.suppress(subprocess.TimeoutExpired):
                out, said = p.communicate(timeout=self.random.uniform(0.05, 2.5) if left else ANSWER_S)
                why = [line for line in said.splitlines() if re.search("error: |warning: |ended with", line)]
                demand(not p.returncode, "%s: %s: %s" % (command, p.returncode, "\n".join(why)[-1500:]))
                return out, said
            os.killpg(p.pid, signal.SIGKILL)
            p.communicate()
            self.kills += 1
        raise AssertionError("%s was killed" % command)

    def begin(self):
        self.hbase.ask("snapshot start")
        self.b.peer.sql("CREATE DATABASE IF NOT EXISTS scratch")
        shown = self.call("check")[0]
        demand(shown.count("PASS  target         rights: SELECT, INSERT, FILE, DELETE") == len(self.tables), shown)
        demand(shown.count("WARN  logs") == len(self.tables) and "FAIL" not in shown, shown)
        self.call("base", kills=5)

    def catch_up(self, last):
        self.n += 1
        os.makedirs(self.b.path("logs"), exist_ok=True)
        os.rename(self.copied_logs(), self.b.path("logs/%d" % self.n))
        if self.n == 1:
            self.rehearse()
        if last:
            self.hbase.ask("snapshot end")
            exported = pathlib.Path(self.work, "exported")
            shutil.copytree(exported / "end", exported / "start", dirs_exist_ok=True)
        early = last and self.random.random() < 0.5
        if early:  # the timer has had the last copy of the logs
            self.call("catch-up", "t1")
        shown, said = self.call("cut-over" if last else "catch-up", kills=4)
        caught_up = shown.count("PASS  catch-up") + (shown.count("WARN  catch-up") if self.n == 1 else 0)
        logs = shown.count("PASS  logs") + (shown.count("WARN  logs") if early else 0)
        demand(not last or logs == caught_up == len(self.tables), shown)
        demand(said.count("s old; this took") == len(self.tables), said)
        if last:
            again = self.call("cut-over")[1]
            demand(said.count("proven: ") == again.count("proven: ") == len(self.tables), said + again)
            shown = self.call("status")[0]
            demand(shown.count("  proven") == len(self.tables), shown)
            demand("whole-verify" in self.call("status", "t1")[0], "no steps")
            self.call("status", "--html", self.b.path("proof.html"))
            with open(self.b.path("proof.html")) as f:
                demand("obkv-verify-target/1" in f.read(), "no page of the proof")
        return None

    def rehearse(self):
        said = self.call("rehearse", "1%", "t1")[0]
        demand("t1: " in said and "  catch-up " in said and "  freeze " in said, said)
        self.b.peer.sql("DROP DATABASE scratch")

    def whole(self, table, delta):
        return self.b.path("work/%s/whole" % table)

    def prove(self, delta):
        """Then what the page says of the time after, and that each of its commands was run (rollback.py has the way back)."""
        n = super().prove(delta)
        page = (ROOT / "docs/migration.md").read_text()
        for statement in re.findall(r"^ +((?:CALL|ALTER) [^;]*);", page, re.MULTILINE):
            self.b.peer.sql(statement.replace("'shop', 'orders$info'", "'test', 't1$a'"))
        named = set(re.findall(r"^ +obkv-migrate ([a-z-]+)", page, re.MULTILINE))
        demand(named - self.called == {"rollback"}, "%s: %s" % (sorted(named), sorted(self.called)))
        return n


# ---- nights judged by HBase

class Judge:
    """What HBase shows after each night, and the one difference that docs/deletes.md names: a marker of an earlier night hides
    a put of an older time there, until a major compaction removes the marker; what it hid by then is gone."""

    def __init__(self, b, hbase):
        self.b, self.hbase = b, hbase
        self.markers, self.hidden = [], set()

    def night(self, night, cells, now, table, how):
        out = self.b.path("shown-%d" % night)
        self.hbase.process.stdin.write("%d %s %s %s\n" % (now, self.b.path("judged-%d.cells" % night), out, how))
        self.hbase.process.stdin.flush()
        self.hbase.answer(str(now))
        puts = {c[:3] for c in cells if c[3] == deltas.PUT}
        before = {put for put in puts if any(deltas.hides(m, put) for m in self.markers)}
        self.hidden = (self.hidden - puts) | before
        self.markers = [] if how == "compact" else self.markers + [c for c in cells if c[3] != deltas.PUT]
        got = {(b"f",) + key: v for key, v in table.items() if key not in self.hidden}
        demand_equal(got, cells_of(out), "night %d" % night)
        return len(table.keys() & self.hidden)


def judged_night(r, now):
    """No marker of a version or a column on the empty qualifier: HBase may loop for ever over it."""
    cells = deltas.a_night(r, now, 40)
    single = (deltas.DELETE, deltas.DELETE_COLUMN)
    return [(c[0], b"q") + c[2:] if not c[1] and c[3] in single else c for c in cells]


def judge_nights(b, n, seed):
    os.mkdir(b.path("judge"))
    named = 0
    with HBase("JudgeNights", b.path("judge"), deltas.TTL_S, log=b.path("JudgeNights.log")) as hbase:
        nights, judge = deltas.Nights(b, "judged"), Judge(b, hbase)
        for night in range(n):
            r = random.Random("%s %d judged" % (seed, night))
            now = NOW + night * deltas.STEP
            cells = judged_night(r, now)
            nights.night(night, cells)
            named += judge.night(night, cells, now, nights.table(now), r.choice(("-", "-", "flush", "compact")))
    b.peer.sql("DROP TABLE `judged$f`; DROP TABLEGROUP judged")
    return "%d rows in all that a marker of an earlier night hides in HBase only" % named


# ---- cases

def seed_of_run():
    return int(os.environ.get("OBKV_INTEROP_SEED", 1))


def case_nights_judged_by_hbase(b):
    """After each of eight random nights the target shows what HBase shows for the same history."""
    HBase.prepare()
    return judge_nights(b, 8, seed_of_run())


def repeat(binaries, what, one, seeds):
    """One of the engine's trials for each of these seeds."""
    from peers import Engine
    HBase.prepare()
    with tempfile.TemporaryDirectory(prefix="obkv-beside-hbase-") as folder:
        peer = Engine(folder)
        try:
            b = Bench(peer.prepare(), os.path.abspath(binaries), folder, False)
            for seed in seeds:
                b.folder = tempfile.mkdtemp(dir=folder)
                print("%s %d passed: %s" % (what, seed, one(b, seed)), flush=True)
                shutil.rmtree(b.folder)
        finally:
            peer.stop()


def main():
    n, seed = int((sys.argv + ["20"])[2]), int((sys.argv + ["0", "0"])[3])
    repeat(sys.argv[1], "%d nights, seed" % n, lambda b, k: judge_nights(b, n, k), [seed])


if __name__ == "__main__":
    main()
