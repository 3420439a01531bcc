"""There and back: HBase, OceanBase, 10,000 changes there, HBase (docs/migration.md), by obkv-migrate alone.

The case of loads.py goes with three tables, two catch-ups and a last one, while clients write. As a program, for `make stress`:

    rollback.py BIN migrations|one [N [SEED]]      N such trials, every other one by hand; or shorter ones of one table
"""
import os
import random
import sys

from beside_hbase import Driven, HBase, Migration, cells_of, demand_equal, migrate, repeat, rows_of, seed_of_run
from rig import demand, manifest

CHANGES = 10000
STATEMENTS = ("INSERT INTO `{0}` (K, Q, T, V) VALUES ('{1}', '{2}', {3}, 'new {4}')",
              "INSERT INTO `{0}` (K, Q, T, V) VALUES ('{1}', '{2}', {3}, 'new {4}')",
              "UPDATE `{0}` SET V = 'changed {4}' WHERE K = '{1}' AND Q = '{2}' LIMIT 1",
              "DELETE FROM `{0}` WHERE K = '{1}' AND Q = '{2}' ORDER BY T LIMIT 1",
              "DELETE FROM `{0}` WHERE K = '{1}' AND Q = '{2}'",
              "DELETE FROM `{0}` WHERE K = '{1}'")


class ThereAndBack(Driven):
    """Three tables, and what clients of OceanBase changed, back."""

    changes = 0

    def change(self):
        """Clients of OceanBase: rows and columns come, values change, versions, columns and rows go."""
        r, statements = self.random, []
        names = ["%s$%s" % (table, family) for table in self.tables for family in "ab"]
        least = min(int(self.b.peer.one("SELECT MIN(T) FROM `%s`" % name)) for name in names)
        for i in range(CHANGES):
            what, name = r.choices(STATEMENTS, (4, 4, 4, 4, 2, 1))[0], r.choice(names)
            row = "k5/%d" % r.randrange(30) if name.startswith("hot") else "k%d/%d" % (r.randrange(10), r.randrange(80))
            statements.append(what.format(name, row, "q%d" % r.randrange(5), least - 1 - i, i))
        for i in range(0, CHANGES, 1000):
            self.b.peer.sql("BEGIN;\n%s;\nCOMMIT" % ";\n".join(statements[i:i + 1000]))

    def back(self):
        self.call("rollback", kills=4)
        again = self.call("rollback")[1]
        demand(again.count("proven: HBase's table with these") == len(self.tables), again)
        demand(again.count("nothing to do") >= 5 * len(self.tables), again)
        for table in self.tables:
            changes = self.b.path("work/%s/changes" % table)
            self.changes += manifest(changes)["totals"]["cells"]
            self.hbase.ask("load %s %s" % (changes, table))
        demand(self.changes > 500, "%d changes" % self.changes)

    def afterwards(self):
        self.change()
        self.back()
        for table in self.tables:
            self.prove_table(table)

    def said(self):
        return " of %d tables, killed %d times, %d changes carried back" % (len(self.tables), self.kills, self.changes)


class OneTable(ThereAndBack):
    """Without what the three have been through on the way there."""

    tables, kind = ("t1",), ()

    def begin(self):
        self.hbase.ask("snapshot start")
        self.call("base")

    def rehearse(self):
        """The three tables do."""

    def prove(self, delta):
        return sum(self.prove_table(table) for table in self.tables)


def one_table(b, seed):
    work = b.path("hbase")
    os.mkdir(work)
    with HBase("LiveTable", work, seed, log=b.path("LiveTable.log")) as hbase:
        way = OneTable(b, hbase, work)
        hbase.ask("write 800")
        hbase.ask("flush")
        way.begin()
        hbase.ask("write 800")
        hbase.ask("split k5")
        hbase.ask("write 200")
        hbase.ask("stop")
        hbase.ask("roll")
        n = way.prove(way.catch_up(True))
        way.afterwards()
    b.peer.sql("DROP TABLE `t1$a`; DROP TABLE `t1$b`; DROP TABLEGROUP t1")
    return "%d cells%s" % (n, way.said())


def one_migration(b, seed):
    return migrate(b, seed, random.Random(seed).randrange(300, 4000), ThereAndBack if seed % 2 else Migration)


def case_migration_and_back(b):
    """Snapshot, load, two catch-ups and the last one while clients write to HBase, by obkv-migrate, which is often killed: the
    target is HBase's final scan, to the cell. Then clients write to OceanBase, and HBase's scan is what the target has again."""
    HBase.prepare()
    return migrate(b, seed_of_run(), 800, ThereAndBack)


def main():
    n, first = int((sys.argv + ["20"])[3]), int((sys.argv + ["0", "0"])[4])
    repeat(sys.argv[1], sys.argv[2], one_table if sys.argv[2] == "one" else one_migration, range(first, first + n))


if __name__ == "__main__":
    main()
