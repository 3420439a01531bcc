#!/usr/bin/env python3
"""obkv-compact --rules changes against a model: random states of a table, and what turns the first into the second.

    changes.py BIN [-v] [--seed N] [--keep] [NAME ...]

The first state is what a server shows that still has older versions (VERSIONS 3, or 1), or all that it has, and --versions says
what it shows. The delta is compacted onto all that the server has, as files of one store: it must show the second state, and hold
nothing that both states have. Any version that the first state has may come back, and none between that it has not: where it has
only what is shown, nothing older comes. The compaction is that of obkv-compact, which is compared with HBase's own elsewhere
(tests/interop). The last line is "N passed, N failed, N skipped".
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "cli"))
from programs import Suite, demand  # noqa: E402

PUT = 4
NOW = 1700000000000
ROUNDS = 40


def write(suite, name, cells):
    path = suite.tmp / (name + ".cells")
    path.write_text("".join("%s\t66\t%s\t%d\t4\t0\t%s\t-\n" % (r.hex() or "-", q.hex() or "-", ts, v.hex() or "-")
                            for (r, q, ts), v in sorted(cells.items())))
    return path


def dataset(suite, name, cells, partition, *how):
    out = suite.fresh(name)
    suite.call("import", "--quiet", "--now", NOW, "-p", partition, "--format", "cells", *how, "-o", out,
               write(suite, name, cells), want={0, 3})
    return out


def newest(cells, versions):
    """What is shown: the newest versions of each column."""
    columns = {}
    for (r, q, ts), v in cells.items():
        columns.setdefault((r, q), []).append((ts, v))
    return {(r, q, ts): v for (r, q), all_ in columns.items() for ts, v in sorted(all_, reverse=True)[:versions]}


def random_cells(r, rows, columns, times):
    return {(b"row%03d" % r.randrange(rows), b"q%d" % r.randrange(columns), 10 * r.randrange(1, times)): b"v%d" % r.randrange(4)
            for _ in range(r.choice((0, 5, 300, 3000)))}


def changed(r, before, rows, columns, times):
    """Versions that go, others that come, values that change, columns and rows that go as a whole."""
    after = dict(before)
    for key in list(after):
        fate = r.randrange(10)
        if fate < 2:
            del after[key]
        elif fate == 2:
            after[key] = b"changed"
    for what in ("row", "column"):
        for key in [k for k in after if r.randrange(30) == 0]:
            for other in [k for k in after if k[0] == key[0] and (what == "row" or k[1] == key[1])]:
                del after[other]
    after.update(random_cells(r, rows, columns, times))
    return after


def one_round(suite, n):
    r = random.Random("%d %d" % (suite.seed, n))
    rows, columns, times, versions = r.choice((1, 20, 200)), r.choice((1, 4)), r.choice((3, 50)), r.choice((1, 3))
    server = random_cells(r, rows, columns, times)
    knows_all = r.randrange(2)
    shown = newest(server, versions)
    before = server if knows_all else shown
    after = newest(changed(r, before, rows, columns, times), versions)
    if not knows_all:
        oldest = {k[:2]: k[2] for k in sorted(before, key=lambda k: -k[2])}
        after = {k: v for k, v in after.items() if k[2] >= oldest.get(k[:2], 0)}
    other = r.choice(("key:3", "key:5"))
    a = dataset(suite, "a", before, "key:3")
    b = dataset(suite, "b", after, other)
    delta = suite.fresh("delta")
    sees = ("--strict", "--allow", "no-records", *(("--versions", versions) if knows_all else ()))
    done = suite.result("compact", "--now", NOW, "--rules", "changes", *sees, "-p", "key:3", "-o", delta, a, b)
    demand(done["cells"]["in"]["cells"] == len(before) + len(after), "the ledger: %s" % done["cells"])
    gone = {k[:2] for k in before.keys() - after.keys()}
    if after == shown:
        demand(not done["delete_markers"], "%d markers, and nothing has changed" % done["delete_markers"])
    demand(done["delete_markers"] <= len(before.keys() - after.keys()) + len(gone), "%d markers" % done["delete_markers"])
    puts = done["cells"]["written"]["cells"] - done["delete_markers"]
    want = sum(1 for k, v in after.items() if before.get(k) != v)
    demand(puts == want, "%d puts, %d cells are new or changed" % (puts, want))
    suite.call("verify", "check", "-q", delta)
    had = dataset(suite, "had", server, "key:3")
    shows = suite.fresh("shows")
    suite.call("compact", "-q", "--now", NOW, "--versions", versions, "--rank", "sequence", "-o", shows, had, delta)
    suite.call("verify", "diff", b, shows)


def long_rows(suite):
    """A column of 5,000 versions and a row of 5,000 columns, of which every second one goes: over the limits of parts."""
    before = {(b"tall", b"q", ts): b"v%d" % ts for ts in range(1, 5001)}
    before.update({(b"wide", b"q%05d" % i, 5): b"v" for i in range(5000)})
    before.update({(b"gone", b"q", ts): b"g" for ts in range(1, 5001)})
    after = {k: v for k, v in before.items() if k[0] != b"gone" and (k[2] % 2 if k[0] == b"tall" else int(k[1][1:]) % 2)}
    after[b"tall", b"q", 2500] = b"x" * 200000
    a, b = dataset(suite, "a", before, "key:3"), dataset(suite, "b", after, "key:3")
    suite.call("compact", "-q", "--now", NOW, "--rules", "changes", "-o", suite.fresh("delta"), a, b)
    suite.call("compact", "-q", "--now", NOW, "--versions", "unlimited", "-o", suite.fresh("shows"), a, suite.tmp / "delta")
    suite.call("verify", "diff", b, suite.tmp / "shows")


def refused(suite):
    a = dataset(suite, "a", {(b"r", b"q", 1): b"v"}, "key:3")
    said = suite.call("compact", "--rules", "changes", "-o", suite.fresh("out"), a, want=2).err
    demand(b"expected two inputs" in said, said.decode())
    said = suite.call("compact", "--rules", "changes", "--base", a, "-o", suite.fresh("out"), a, want=2).err
    demand(b"cannot be combined with --base" in said, said.decode())
    (suite.tmp / "m.cells").write_text("72\t66\t71\t5\t8\t0\t-\t-\n")
    suite.call("import", "-q", "-p", "key:3", "--format", "cells", "-o", suite.fresh("m"), suite.tmp / "m.cells")
    said = suite.call("compact", "--rules", "changes", "-o", suite.fresh("out"), a, suite.tmp / "m", want=5).err
    demand(b"row 'r' has a delete marker (Delete)" in said, said.decode())


def main():
    suite = Suite(__doc__, in_memory=True)
    for n in range(ROUNDS):
        suite.run("states %d" % n, one_round, n)
    suite.run("long rows", long_rows)
    suite.run("refused", refused)
    return suite.end()


sys.exit(main())
