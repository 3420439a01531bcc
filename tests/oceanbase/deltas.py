"""Nights with deletes: random deltas are imported, compacted onto the base, exported, loaded and verified. After each night the
table holds what a naive model of it holds, and what the compacted base holds.

The cases of loads.py are case_delta_nights and case_delta_of_markers. As a program, for `make stress`:

    deltas.py BIN [NIGHTS [SEED]]
"""
import functools
import os
import random
import subprocess
import sys
import tempfile

from rig import NOW, PREFIX, RANGE, Bench, demand, manifest

PUT, DELETE, DELETE_VERSION, DELETE_COLUMN, DELETE_FAMILY = 4, 8, 10, 12, 14
TTL_S = 5000
STEP = 1_000_000  # ms between two nights


def write_cells(path, cells):
    with open(path, "w") as f:
        for k, q, ts, kind, v in cells:
            f.write("%s\t66\t%s\t%d\t%d\t0\t%s\t-\n" % (k.hex(), q.hex() or "-", ts, kind, v.hex() or "-"))


def hides(marker, put):
    k, q, ts, kind, _ = marker
    if k != put[0]:
        return False
    if kind == DELETE_FAMILY:
        return put[2] <= ts
    if kind == DELETE_VERSION:
        return put[2] == ts
    return q == put[1] and (put[2] == ts if kind == DELETE else put[2] <= ts)


def a_night(r, now, rows):
    """Puts, updates of old timestamps, markers of each type, twins; the later line of two equal cells is the newer one."""
    cells = []
    for _ in range(r.randrange(2, rows)):
        k, q = b"row%02d" % r.randrange(12), r.choice([b"", b"q", b"q1", b"\x00\xff'\\"])
        ts = now - r.choice([0, 0, 1, 2, STEP, STEP + 1, 2 * STEP, 3 * STEP + 2, 5 * STEP])
        kind = r.choice([PUT] * 6 + [DELETE, DELETE_VERSION, DELETE_COLUMN, DELETE_FAMILY])
        if kind in (DELETE_VERSION, DELETE_FAMILY):
            q = b""
        cells.append((k, q, ts, kind, r.randbytes(r.randrange(9)) if kind == PUT else b""))
    return cells


def newest(rows, versions):
    """The rows that clients see, of {(K, Q, time): V}."""
    seen, met = {}, {}
    for key in sorted(rows, key=lambda key: (key[0], key[1], -key[2])):
        met[key[:2]] = met.get(key[:2], 0) + 1
        if not versions or met[key[:2]] <= versions:
            seen[key] = rows[key]
    return seen


class Model:
    """The table, by the words of HBase's manual: a marker hides puts of its own delta and all that is there. A night is a
    compaction: versions beyond MaxVersions are gone for good."""

    def __init__(self, versions=None):
        self.rows, self.versions = {}, versions

    def apply(self, cells, now):
        markers = [c for c in cells if c[3] != PUT]
        for key in list(self.rows):
            if any(hides(m, key) for m in markers):
                del self.rows[key]
        for put in cells:
            if put[3] == PUT and put[2] >= now - TTL_S * 1000 and not any(hides(m, put) for m in markers):
                self.rows[put[:3]] = put[4]
        self.rows = newest(self.rows, self.versions)

    def visible(self, now):
        return {key: v for key, v in self.rows.items() if key[2] >= now - TTL_S * 1000}


class Nights:
    def __init__(self, b, name="nights", versions=None):
        self.b, self.name, self.model, self.base, self.versions = b, name, Model(versions), None, versions
        self.lazy, self.waiting, self.waited = None, [], 0  # a base by ratio, and the deltas that it waits for
        attributes = '"TimeToLive": %d' % TTL_S + (', "MaxVersions": %d' % versions if versions else "")
        self.ddl = b.ddl(name, partition=RANGE, kv='{"Hbase": {%s}}' % attributes)
        b.peer.sql(open(self.ddl).read())

    def table(self, now):
        rows = {}
        for k, q, t, v in self.b.peer.sql("SELECT HEX(K), HEX(Q), T, HEX(V) FROM `%s$f`" % self.name):
            rows[bytes.fromhex(k), bytes.fromhex(q or ""), -int(t)] = bytes.fromhex(v or "")
        return newest({key: v for key, v in rows.items() if key[2] >= now - TTL_S * 1000}, self.versions)

    def prepare(self, night, cells, now):
        """Import, base, export; the folder of the export."""
        b, at = self.b, self.b.path("%s-%d" % (self.name, night))
        write_cells(at + ".cells", cells)
        read = ["obkv-import", "-q", "--now", now, "--ddl", self.ddl, *([] if self.versions else ["--versions", "unlimited"]),
                "--format", "cells", at + ".cells"]
        b.run(*read, "--delta", *(["--compact"] if night % 2 else []), "-o", at + ".delta")
        if self.base:
            b.run("obkv-compact", "-q", "--now", now, "--base", self.base, "-o", at + ".base", at + ".delta")
        else:
            b.run(*read, "--compact", "--config", "purge-deletes=yes", "-o", at + ".base")
        self.base = at + ".base"
        if self.versions:
            self.wait(at, now)
        b.run("obkv-verify", "check", "-q", self.base)
        b.run("obkv-export", "-q", "--now", now, "-o", at + ".export", at + ".delta")
        return at + ".export"

    def wait(self, at, now):
        """The same by ratio; what waits stays so, and is made whole only to be looked at."""
        b = self.b
        if not self.lazy:
            self.lazy = self.base
            return
        deltas = [*self.waiting, at + ".delta"]
        b.run("obkv-compact", "-q", "--now", now, "--policy", "ratio:1.2,6,9,0", "--base", self.lazy, "-o", at + ".lazy", *deltas)
        self.lazy = at + ".lazy"
        self.waiting = [w["dataset"] for w in manifest(self.lazy).get("pending", [])]
        self.waited += bool(self.waiting)

    def whole(self, now):
        out = self.lazy + ".whole"
        self.b.run("obkv-compact", "-q", "--now", now, "--base", self.lazy, "-o", out, *self.waiting)
        return out

    def compare(self, where, now):
        b = self.b
        got, want = self.table(now), self.model.visible(now)
        demand(got == want, "table and model differ: %r" % sorted(set(got.items()) ^ set(want.items()))[:5])
        verify = ["obkv-verify", "target", "-q", "--now", now, *b.peer.options()]
        b.run(*verify, where)
        b.run(*verify, self.base)
        if self.lazy:
            b.run(*verify, self.whole(now) if self.waiting else self.lazy)

    def night(self, night, cells, disturb=None):
        now = NOW + night * STEP
        where = self.prepare(night, cells, now)
        if disturb:
            disturb(where)
        if night > 5 and night % 3 == 0:  # without the export
            self.b.load(where[:-len(".export")] + ".delta", "--jobs", "2", "--now", now)
        else:
            self.b.load(where, "--jobs", "2")
        self.model.apply(cells, now)
        self.compare(where, now)
        return where


def random_nights(b, first, n, seed):
    nights = Nights(b)
    for night in range(first, first + n):
        r = random.Random("%s %d" % (seed, night))
        nights.night(night, a_night(r, NOW + night * STEP, 40))


def kill_once(b, where):
    """kill -9 at some moment; the load that follows resumes."""
    p = b.begin_load(where)
    try:
        p.wait(random.Random(where).random() * 0.4)
    except Exception:
        p.kill()
    p.communicate()


def case_delta_nights(b):
    """A first load, updates and deletes, a killed night, a repeated night, a night of nothing, then random ones."""
    nights = Nights(b)
    nights.night(0, [(b"row%02d" % i, q, NOW - i, PUT, b"v%d" % i) for i in range(12) for q in (b"", b"q", b"q1")])
    where = nights.night(1, [(b"row01", b"", NOW, DELETE_FAMILY, b""), (b"row02", b"q", NOW, DELETE_COLUMN, b""),
                             (b"row03", b"q", NOW - 3, DELETE, b""), (b"row04", b"", NOW - 4, DELETE_VERSION, b""),
                             (b"row05", b"q", NOW + STEP, PUT, b"new"), (b"row01", b"q", NOW + 1, PUT, b"again"),
                             (b"row06", b"q", NOW - 6, PUT, b"other value")])
    deletes = manifest(where)["deletes"]
    demand(sum(sum(d["markers"].values()) for d in deletes) == 4, deletes)
    for night in range(2, 4):
        nights.night(night, a_night(random.Random(night), NOW + night * STEP, 40), functools.partial(kill_once, b))
    last = nights.night(4, a_night(random.Random(4), NOW + 4 * STEP, 40))
    b.load(last, "--restart")
    nights.compare(last, NOW + 4 * STEP)
    demand("nothing to do" in b.load(last)[0], "the night was loaded again")
    nights.night(5, [])
    for night in range(6, 16):
        nights.night(night, a_night(random.Random(night), NOW + night * STEP, 40))


def case_delta_proof(b):
    """What verify says: a put that is gone or changed, a row that a marker hides; rows of other days do not count."""
    nights = Nights(b, "proof")
    nights.night(0, [(b"row%02d" % i, b"q", NOW, PUT, b"v%d" % i) for i in range(10)])
    where = nights.night(1, [(b"row01", b"", NOW, DELETE_FAMILY, b""), (b"row05", b"q", NOW + 1, PUT, b"new"),
                             (b"row06", b"q", NOW + 1, PUT, b"new"), (b"row07", b"q", NOW, DELETE, b"")])
    b.peer.sql("INSERT INTO `proof$f` (K, Q, T, V) VALUES ('row01', 'q', %d, 'back'), ('row01', 'q', %d, 'later'), "
               "('row09', 'x', -1, ''); DELETE FROM `proof$f` WHERE K = 'row05' AND T = %d; "
               "UPDATE `proof$f` SET V = 'old' WHERE K = 'row06'" %
               (-NOW, -NOW - 1, -NOW - 1))
    for source in (where, b.path("proof-1.delta")):
        lines = b.verify(source, want=1)
        found = sorted((line["kind"], bytes.fromhex(line["row"]), line["ts"]) for line in lines if "row" in line)
        demand(found == [("changed", b"row06", NOW + 1), ("left", b"row01", NOW), ("missing", b"row05", NOW + 1)], found)
        demand(lines[-1]["left"] == lines[-1]["missing"] == lines[-1]["changed"] == 1 and not lines[-1]["extra"], lines[-1])
    b.load(where, "--restart")
    demand(b.verify(where)[-1]["equal"], "not repaired by loading it again")
    b.load(where, "--restart", "--on-duplicate", "error", want=2)
    path = os.path.join(where, manifest(where)["deletes"][0]["path"])
    with open(path, "a") as f:
        f.write("DROP TABLE `proof$f`;\n")
    b.load(where, "--restart", want=5)


def case_delta_hides_versions(b):
    """MaxVersions 2: what newer versions hide in the table is no difference from the whole; a row that nothing hides is one."""
    ddl = b.ddl("vers", partition=RANGE, kv='{"Hbase": {"MaxVersions": 2}}')
    b.peer.sql(open(ddl).read())
    base = [(b"row%02d" % (i % 10), b"q%03d" % i, NOW - t, PUT, b"v") for i in range(2000) for t in (1, 2)]
    delta = [(k, q, NOW, PUT, b"new") for k, q, ts, _, _ in base if ts == NOW - 1 and int(q[1:]) % 3 == 0]
    for name, of, kind in (("v0", base, []), ("v1", delta, ["--delta"])):
        write_cells(b.path(name + ".cells"), of)
        b.run("obkv-import", "-q", "--ddl", ddl, "--format", "cells", *kind, "-o", b.path(name + ".ds"),
              b.path(name + ".cells"))
        b.run("obkv-export", "-q", "-o", b.path(name), b.path(name + ".ds"))
        b.load(b.path(name))
    b.run("obkv-compact", "-q", "-o", b.path("all"), b.path("v0.ds"), b.path("v1.ds"))
    end = b.verify(b.path("all"))[-1]
    demand(end["equal"] and end["hidden"] == len(delta) and not end["extra"], end)
    b.peer.sql("DELETE FROM `vers$f` WHERE K = 'row03' AND Q = 'q003' AND T = %d; "  # its third version comes back
               "INSERT INTO `vers$f` (K, Q, T, V) VALUES ('row01', 'q001', %d, 'newer'), ('row02', 'q002', %d, 'older'), "
               "('row04', 'q004x', 1, 'alone')" % (-NOW, -NOW - 1, -NOW + 3))
    lines = b.verify(b.path("all"), want=1)
    found = sorted((line["kind"], bytes.fromhex(line["qualifier"])) for line in lines if "row" in line)
    demand(found == [("extra", b"q001"), ("extra", b"q003"), ("extra", b"q004x"), ("missing", b"q003")], found)
    demand(lines[-1]["hidden"] == len(delta), lines[-1])  # one fewer, and one more


def case_delta_versions(b):
    """MaxVersions 1 to 3: what one night has dropped, a marker of a later one does not bring back, and deltas that have waited
    make the same base; killed nights, and nights loaded again, too."""
    said = []
    killed = functools.partial(kill_once, b)
    for versions in (1, 2, 3):
        nights = Nights(b, "versions%d" % versions, versions)
        r = random.Random("versions %d" % versions)
        nights.night(0, [(b"row%02d" % i, b"q", NOW - t, PUT, b"v%d" % t) for i in range(12) for t in (3, 4, 5)])
        nights.night(1, [(b"row%02d" % i, b"q", NOW - t, PUT, b"newer") for i in range(12) for t in range(versions)])
        nights.night(2, [(b"row01", b"q", NOW, DELETE, b""), (b"row02", b"", NOW, DELETE_VERSION, b""),
                         (b"row03", b"q", NOW, DELETE_COLUMN, b""), (b"row04", b"", NOW, DELETE_FAMILY, b"")])
        for night in range(3, 9):
            now = NOW + night * STEP
            where = nights.night(night, dense_night(r, now), killed if night % 3 == 0 else None)
            if night % 3 == 1:
                b.load(where, "--restart")
                nights.compare(where, now)
        demand(nights.waited > 2, "no delta has waited")
        said.append(nights.waited)
    return "deltas waited in %s nights" % said


def case_delta_order(b):
    """A delta that is loaded after newer ones is refused, also from another machine and the first time; it is said how to go on.
    The newest one may be loaded again, and a table that is made anew begins a new history."""
    nights = Nights(b, "turns", 1)
    first = [(b"row%02d" % i, b"q", NOW - 9, PUT, b"v") for i in range(10)]
    whole = nights.night(0, first)
    deltas = [[(b"row01", b"q", NOW - 5, PUT, b"one"), (b"row02", b"q", NOW - 5, PUT, b"one")],
              [(b"row01", b"q", NOW - 5, DELETE_COLUMN, b""), (b"row02", b"q", NOW - 5, PUT, b"two")]]
    where = [nights.night(1, deltas[0]), nights.prepare(2, deltas[1], NOW + 2 * STEP)]
    made = nights.prepare(3, [(b"row03", b"q", NOW - 4, PUT, b"three")], NOW + 3 * STEP)
    b.load(made)
    for older in (where[1], where[0]):
        b.load(older, want=2 if older == where[1] else 0)  # the other one is done
        _, said = b.load(older, "--restart", "--journal", b.path("elsewhere"), want=2)
        demand("1 newer delta of this table has been loaded" in said and "turns-3" in said and "repair.md" in said, said)
    demand(sorted(v for (k, _, _), v in nights.table(NOW).items() if k in (b"row01", b"row02")) == [b"one", b"one"], "written")
    _, said = b.load(where[1], "--allow", "older-delta")
    demand("[older-delta]" in said, said)
    b.load(made, "--restart", want=2)  # now it is the older one of two
    b.peer.sql("CREATE USER reader IDENTIFIED BY 'x'; GRANT SELECT, INSERT, DELETE, UPDATE ON test.* TO reader; "
               "GRANT FILE ON *.* TO reader; GRANT SELECT ON oceanbase.* TO reader; DROP TABLE obkv_loads; "
               "TRUNCATE TABLE `turns$f`")
    b.load(whole)
    b.load(where[0], "--restart")
    demand(int(b.peer.one("SELECT COUNT(*) FROM obkv_loads")) == 1, "no history")
    b.peer.sql("DROP TABLE obkv_loads")
    with open(os.open(b.path("pw"), os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
        f.write("x")
    _, said = b.run("obkv-load", "--target", b.peer.target(), "--user", "reader", "--password-file", b.path("pw"), "--restart",
                    where[1])
    demand("[load-history]" in said, said)


def case_delta_repaired(b):
    """docs/repair.md: an older night was loaded after newer ones; the difference to the newest whole brings the table back."""
    nights = Nights(b, "mend", 1)
    nights.night(0, [(b"row%02d" % i, b"q", NOW - 9, PUT, b"v") for i in range(10)])
    older = nights.night(1, [(b"row%02d" % i, b"q\x01", NOW - 5, PUT, b"one") for i in range(10)])
    nights.night(2, [(b"row%02d" % i, b"", NOW - 1, DELETE_FAMILY, b"") for i in range(4)] +
                 [(b"row05", b"q\x01", NOW - 5, PUT, b"two")])
    b.load(older, "--restart", "--allow", "older-delta")
    demand(b.verify(nights.base, want=1)[-1]["extra"] == 4, "nothing to repair")
    docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs")
    with open(os.path.join(docs, "repair.md")) as f:
        page = f.read()
    section = page.split("## 8. ")[1].split("\n## ")[0]
    commands = "\n".join(line[4:] for line in section.splitlines() if line.startswith("    "))
    for word, is_now in (("--target …", " ".join(b.peer.options())), ("WHOLE", nights.base), ("table.sql", nights.ddl),
                         ("verify target", "verify target --now %d" % NOW), ("obkv-export", "obkv-export --now %d" % NOW),
                         ("obkv-import", "obkv-import --now %d" % (NOW + 3 * STEP))):
        commands = commands.replace(word, is_now)
    for name in ("DIFFERENCES", "EXTRA", "AGAIN"):
        commands = commands.replace(name, b.path(name))
    first, rest = commands.split("\n", 1)
    done = subprocess.run(["sh", "-c", first + "; set -e\n" + rest], capture_output=True, timeout=120,
                          env=dict(os.environ, PATH=b.binaries + ":" + os.environ["PATH"]))
    demand(not done.returncode, done.stdout + done.stderr)
    demand(b.verify(nights.base)[-1]["equal"], "not repaired")


def random_versions(b, chain, seed):
    """A chain of ten nights, some of them killed or loaded again."""
    r, name = random.Random("%s chain %d" % (seed, chain)), "chain%d" % chain
    nights = Nights(b, name, r.choice([1, 2, 3]))
    for night in range(10):
        now = NOW + night * STEP
        where = nights.night(night, dense_night(r, now), functools.partial(kill_once, b) if r.random() < 0.3 else None)
        if r.random() < 0.2:
            b.load(where, "--restart")
            nights.compare(where, now)
    b.peer.sql("DROP TABLE `%s$f`; DROP TABLEGROUP %s" % (name, name))


def dense_night(r, now):
    """Few keys and times, so that markers meet versions, and puts come earlier than what was deleted before."""
    cells = []
    for _ in range(r.randrange(2, 30)):
        kind = r.choice([PUT] * 3 + [DELETE] * 2 + [DELETE_VERSION, DELETE_COLUMN, DELETE_FAMILY])
        q = b"" if kind in (DELETE_VERSION, DELETE_FAMILY) else r.choice([b"", b"q", b"q1"])
        cells.append((b"row%02d" % r.randrange(6), q, r.choice([NOW - 2, NOW, NOW + 5, now - STEP, now - 1, now]), kind,
                      r.randbytes(r.randrange(9)) if kind == PUT else b""))
    return cells


PLANS = {"(K, Q, T) IN": "TABLE GET", "(K = ": "TABLE RANGE SCAN", "(K, T) IN": "TABLE RANGE SCAN",
         "(K, Q) IN": "TABLE RANGE SCAN", "K IN": "TABLE RANGE SCAN"}  # the last two: versions beyond MaxVersions


def case_delta_plans(b):
    """Every statement finds its rows by the primary key, in its own partition; also where a generated column decides it."""
    keys = [b"row%02d" % i for i in range(10)]
    cells = [(k, q, NOW - i, kind, b"") for i, k in enumerate(keys)
             for q, kind in ((b"", DELETE_FAMILY), (b"", DELETE_VERSION), (b"q", DELETE_COLUMN), (b"r", DELETE))]
    generated = {"partition": "PARTITION BY KEY(KP) PARTITIONS 5", "extra": PREFIX}
    for name, how in (("ranges", {"partition": RANGE}), ("hashes", {}), ("prefixes", generated)):
        ddl = b.ddl(name, kv='{"Hbase": {"MaxVersions": 2}}', **how)
        b.peer.sql(open(ddl).read())
        write_cells(b.path(name + ".cells"), [c[:2] + (c[2] + 10 * (c[3] != DELETE_FAMILY),) + c[3:] for c in cells])
        b.run("obkv-import", "-q", "--ddl", ddl, "--format", "cells", "--delta", "-o", b.path(name + ".delta"),
              b.path(name + ".cells"))
        b.run("obkv-export", "-q", "-o", b.path(name), b.path(name + ".delta"))
        found = set()
        for file in manifest(b.path(name))["deletes"]:
            with open(os.path.join(b.path(name), file["path"])) as f:
                statements = f.read().splitlines()[1:]
            for statement in statements:
                plan = "\n".join(row[0] for row in b.peer.sql("EXPLAIN " + statement))
                form = next(form for form in PLANS if " WHERE " + form in statement)
                found.add(form)
                demand(PLANS[form] in plan and "FULL SCAN" not in plan and "partitions(p%d)" % file["partition"] in plan,
                       statement + plan)
        demand(found == set(PLANS), found)


def case_mariadb_deltas(b):
    """Another hash places the rows: they are deleted, loaded and verified all the same."""
    cells = [(b"row%02d" % i, b"q", NOW, PUT, b"v") for i in range(9)]
    delta = [(b"row01", b"", NOW, DELETE_FAMILY, b""), (b"row02", b"q", NOW, DELETE, b""), (b"row03", b"q", NOW, PUT, b"w"),
             (b"row04", b"", NOW, DELETE_VERSION, b""), (b"row05", b"q", NOW, DELETE_COLUMN, b""), (b"x", b"q", NOW, PUT, b"")]
    ddl = b.ddl("mdelta", v="longblob")
    b.peer.sql("CREATE TABLE `mdelta$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, "
               "V longblob NOT NULL, PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 7")
    for name, of, kind in (("m0", cells, []), ("m1", delta, ["--delta"])):
        write_cells(b.path(name + ".cells"), of)
        b.run("obkv-import", "-q", "--ddl", ddl, "--format", "cells", *kind, "-o", b.path(name + ".ds"), b.path(name + ".cells"))
        b.run("obkv-export", "-q", "-o", b.path(name), b.path(name + ".ds"))
        b.load(b.path(name))
    got = b.peer.sql("SELECT K, V FROM `mdelta$f` ORDER BY K")
    demand(got == [["row00", "v"], ["row03", "w"], ["row06", "v"], ["row07", "v"], ["row08", "v"], ["x", ""]], got)
    b.expect_equal(b.path("m1"))
    b.peer.sql("INSERT INTO `mdelta$f` (K, Q, T, V) VALUES ('row01', 'q', %d, '')" % -NOW)
    demand(b.verify(b.path("m1"), want=1)[-1]["left"] == 1, "a row that is left was not found")


def main():
    from peers import Engine
    binaries, n, seed = sys.argv[1], int((sys.argv + ["200"])[2]), (sys.argv + ["0", "0"])[3]
    with tempfile.TemporaryDirectory(prefix="obkv-deltas-") as folder:
        peer = Engine(folder)
        try:
            b = Bench(peer.prepare(), os.path.abspath(binaries), folder, False)
            random_nights(b, 0, n, seed)
            for chain in range(n // 10):
                random_versions(b, chain, seed)
        finally:
            peer.stop()
    print("%d nights passed, and %d chains of ten with MaxVersions, seed %s" % (n, n // 10, seed))


if __name__ == "__main__":
    main()
