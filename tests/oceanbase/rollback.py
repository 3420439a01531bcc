"""The way back: HBase, OceanBase, 10,000 changes there, HBase (docs/migration.md). The case is one of loads.py.

    rollback.py BIN [N [SEED]]      N trials, for `make stress`
"""
import os
import signal
import subprocess
import sys
import time

from beside_hbase import ROOT, Driven, HBase, cells_of, demand_equal, repeat, rows_of, seed_of_run
from rig import demand, manifest

CHANGES = 10000
STATEMENTS = ("INSERT INTO `{0}` (K, Q, T, V) VALUES ('{1}', '{2}', {3}, 'new {4}')",
              "INSERT INTO `{0}` (K, Q, T, V) VALUES ('{1}', '{2}', {3}, 'new {4}')",
              "UPDATE `{0}` SET V = 'changed {4}' WHERE K = '{1}' AND Q = '{2}' LIMIT 1",
              "DELETE FROM `{0}` WHERE K = '{1}' AND Q = '{2}' ORDER BY T LIMIT 1",
              "DELETE FROM `{0}` WHERE K = '{1}' AND Q = '{2}'",
              "DELETE FROM `{0}` WHERE K = '{1}'")


class Way(Driven):
    """A migration of one table, and back."""

    tables, kind = ("t1",), ()

    def begin(self):
        self.hbase.ask("snapshot start")
        self.call("base")

    def rehearse(self):
        """The case of a migration does."""

    def change(self):
        """Clients of OceanBase: rows and columns come, values change, versions, columns and rows go."""
        r, statements = self.random, []
        least = min(int(self.b.peer.one("SELECT MIN(T) FROM `t1$%s`" % family)) for family in "ab")
        for i in range(CHANGES):
            what = r.choices(STATEMENTS, (4, 4, 4, 4, 2, 1))[0]
            statements.append(what.format(r.choice(("t1$a", "t1$b")), "k%d/%d" % (r.randrange(10), r.randrange(80)),
                                          "q%d" % r.randrange(5), least - 1 - i, i))
        for i in range(0, CHANGES, 1000):
            self.b.peer.sql("BEGIN;\n%s;\nCOMMIT" % ";\n".join(statements[i:i + 1000]))

    def kill_soon(self, command):
        """One that takes seconds."""
        words = [sys.executable, "-B", str(ROOT / "samples/migration/obkv-migrate"), "--config", self.conf, command]
        env = {**os.environ, "PATH": "%s:%s" % (self.b.binaries, os.environ["PATH"])}
        with subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as p:
            time.sleep(self.random.uniform(0.05, 1.5))
            if p.poll() is None:
                os.killpg(p.pid, signal.SIGKILL)
                self.kills += 1

    def back(self):
        for _ in range(4):
            self.kill_soon("rollback")
        self.call("rollback")
        again = self.call("rollback")[1]
        demand("proven: HBase's table with these" in again and again.count("nothing to do") >= 5, again)
        changes = self.b.path("work/t1/changes")
        n = manifest(changes)["totals"]["cells"]
        demand(n > 500, "%d changes" % n)
        self.hbase.ask("load " + changes)
        return n

    def prove_back(self):
        self.hbase.ask("scan %s t1" % self.b.path("back"))
        want = cells_of(self.b.path("back"))
        for family in ("a", "b"):
            got, newest = rows_of(self.b, "t1", family), {}
            for f, k, q, ts in got:
                newest[k, q] = max(ts, newest.get((k, q), ts))
            if family == "b":  # MaxVersions 1: older rows are there, and hidden
                got = {key: v for key, v in got.items() if newest[key[1:3]] == key[3]}
            demand_equal(got, {key: v for key, v in want.items() if key[0] == family.encode()}, "t1$" + family)
        return len(want)


def roll_back(b, seed):
    work = b.path("hbase")
    os.mkdir(work)
    with HBase("LiveTable", work, seed, log=b.path("LiveTable.log")) as hbase:
        way = Way(b, hbase, work)
        hbase.ask("write 800")
        hbase.ask("flush")
        way.begin()
        hbase.ask("write 800")
        hbase.ask("split k5")
        hbase.ask("write 200")
        hbase.ask("stop")
        hbase.ask("roll")
        way.catch_up(True)
        way.prove(None)
        way.change()
        n = way.back()
        cells = way.prove_back()
    b.peer.sql("DROP TABLE `t1$a`; DROP TABLE `t1$b`; DROP TABLEGROUP t1")
    return "%d changes, %d cells, killed %d times" % (n, cells, way.kills)


def case_rolled_back(b):
    """HBase shows what OceanBase has, after 10,000 changes there were carried back. Versions that HBase hides stay hidden."""
    HBase.prepare()
    return roll_back(b, seed_of_run())


if __name__ == "__main__":
    first = int((sys.argv + ["0", "0"])[3])
    repeat(sys.argv[1], "rollback", roll_back, range(first, first + int((sys.argv + ["20"])[2])))
