#!/usr/bin/env python3
"""obkv-verify skew on random cells against counting them one by one: of datasets, of inputs placed on the way, of both kinds
with other numbers of threads and other memory.

    skew.py BIN [--seed N] [--keep] [-v] [NAME ...]

The last line is "N passed, N failed, N skipped".
"""
import collections
import json
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from programs import NOW, Suite, cell_line, demand, key_partition, range_partition  # noqa: E402

PUT, MARKERS = 4, (8, 10, 12, 14)
BOUNDS = [b"m", b"user1", b"user5", b"v\x00"]


class Part:
    def __init__(self):
        self.rows, self.columns = collections.Counter(), collections.Counter()
        self.cells = self.deletes = self.bytes = 0

    def add(self, row, family, qualifier, kind, value):
        size = 20 + len(row) + len(family) + len(qualifier) + len(value)
        self.cells += 1
        self.bytes += size
        self.deletes += kind != PUT
        self.columns[(row, qualifier)] += kind == PUT
        self.rows[row] += size

    def versions(self):
        return [n for n in self.columns.values() if n]


def draw(r, n):
    """(row, family, qualifier, ts, type, value), in any order; some rows are far heavier than others."""
    rows = [b"user%d-%d" % (int(r.paretovariate(1)) % 9, i) for i in range(n // 7 + 1)]
    rows += [bytes(r.randrange(1, 256) for _ in range(r.randint(1, 60))) for _ in range(n // 20)]
    cells = set()
    for _ in range(n):
        row = rows[min(int(r.paretovariate(0.7)) - 1, len(rows) - 1)] if r.random() < 0.3 else r.choice(rows)
        kind = PUT if r.random() > 0.03 else r.choice(MARKERS)
        q = b"" if kind in (10, 14) else r.choice([b"", b"a", b"ab", b"name"])
        cells.add((row, r.choice([b"info", b"x"]), q, 1600000000000 + r.randrange(9) * 1000, kind, r.randbytes(r.randrange(40))))
    return sorted(cells, key=lambda c: r.random())


def close(got, want, what):
    demand(abs(got - want) <= 1e-9 * (1 + abs(want)), "%s: %r, want %r" % (what, got, want))


def equal(got, want, what):
    demand(got == want, "%s: %.400r, want %.400r" % (what, str(got), str(want)))


def judge_spread(told, amounts, what):
    n, total = len(amounts), sum(amounts)
    mean, v = total / n, sorted(amounts)
    close(told["mean"], mean, what + " mean")
    equal((told["least"], told["most"], told["empty"]), (v[0], v[-1], v.count(0)), what + " least, most, empty")
    close(told["max_mean"], v[-1] / mean if total else 0, what + " max_mean")
    close(told["cv"], math.sqrt(sum((x - mean) ** 2 for x in v) / n) / mean if total else 0, what + " cv")
    pairs = sum((2 * i - n + 1) * x for i, x in enumerate(v))
    close(told["gini"], pairs / (n * total) if total else 0, what + " gini")


def judge_part(told, part, what):
    versions = part.versions()
    want = {"rows": len(part.rows), "cells": part.cells, "delete_markers": part.deletes, "columns": len(versions),
            "versions_most": max(versions, default=0), "kv_bytes": part.bytes}
    equal({k: told[k] for k in want}, want, what)
    close(told["versions_mean"], sum(versions) / len(versions) if versions else 0, what + " versions")


def rows_once(families, i):
    """Rows of a partition, whichever families have them."""
    return set().union(*(parts[i].rows for parts in families.values()))


def judge_heavy(told, families, total):
    place = [f["name"].encode() for f in told["families"]].index  # of equal rows in two families: as the dataset has them
    rows = sorted(((-size, row, f) for f, parts in families.items() for p in parts for row, size in p.rows.items()),
                  key=lambda r: (*r[:2], place(r[2])))
    got = [(-r["kv_bytes"], bytes.fromhex(r["row"]), r["family"].encode()) for r in told["heaviest_rows"]]
    equal(got, rows[:len(got)], "heaviest rows")
    demand(len(got) == min(10, len(rows)), "%d heaviest rows" % len(got))
    for p in told["prefixes"]:
        prefix = bytes.fromhex(p["prefix"])
        size = -sum(s for s, row, _ in rows if row.startswith(prefix))
        low, high = p["kv_bytes"]
        demand(low <= size <= high, "prefix %r: %d bytes, told %d to %d" % (prefix, size, low, high))
        count = sum(row.startswith(prefix) for i in range(len(told["partitions"])) for row in rows_once(families, i))
        demand(p["rows"][0] <= count <= p["rows"][1], "prefix %r: %d rows" % (prefix, count))
        demand(high - low <= total / 20, "prefix %r: told no better than %d to %d of %d" % (prefix, low, high, total))


def judge_nodes(told, amounts, n):
    dealt, greedy = [0] * n, [0] * n
    for i, a in enumerate(amounts):
        dealt[i % n] += a
    for a in sorted(amounts, reverse=True):
        greedy[greedy.index(min(greedy))] += a
    equal([x["kv_bytes"] for x in told["round_robin"]["nodes"]], dealt, "round robin")
    equal(sorted(x["kv_bytes"] for x in told["by_size"]["nodes"]), sorted(greedy), "by size")
    close(told["by_size"]["max_mean"], max(greedy) / (sum(greedy) / n) if sum(greedy) else 0, "by size, max/mean")


def judge(told, families, names, nodes):
    every = []
    for f in told["families"]:
        parts = families[f["name"].encode()]
        for i, p in enumerate(f["partitions"]):
            judge_part(p, parts[i], "%s %s" % (f["name"], p["name"]))
        judge_spread(f["spread"]["kv_bytes"], [p.bytes for p in parts], f["name"])
        judge_spread(f["spread"]["rows"], [len(p.rows) for p in parts], f["name"])
    for i, p in enumerate(told["partitions"]):
        mine = [parts[i] for parts in families.values()]
        every.append(sum(m.bytes for m in mine))
        equal((p["cells"], p["kv_bytes"], p["rows"]), (sum(m.cells for m in mine), every[i], len(rows_once(families, i))),
              p["name"])
    equal(told["empty"], [n for n, a in zip(names, every) if not a], "empty partitions")
    equal(told["total"]["rows"], sum(p["rows"] for p in told["partitions"]), "rows in all")
    judge_spread(told["spread"]["rows"], [p["rows"] for p in told["partitions"]], "rows of all")
    judge_spread(told["spread"]["kv_bytes"], every, "all")
    judge_nodes(told["nodes"], every, nodes)
    judge_heavy(told, families, sum(every))
    versions = [v for parts in families.values() for p in parts for v in p.versions()]
    equal(sum(v["columns"] for v in told["versions"]), len(versions), "columns in all")
    for v in told["versions"]:
        equal(v["columns"], sum(v["from"] <= n <= v["to"] for n in versions), "columns of %(from)d to %(to)d versions" % v)
    heat = told["heat_map"]
    equal(sum(sum(b["cells"]) for b in heat["bands"]), heat["sampled_cells"], "cells of the heat map")
    equal(heat["of_cells"], told["total"]["cells"], "cells that the heat map stands for")


def without(told, *names):
    return {k: v for k, v in told.items() if k not in names + ("seconds",)}


def one_case(t, seed, n):
    r = random.Random(seed)
    cells = draw(r, n)
    ranges = r.random() < 0.4
    count = len(BOUNDS) + 1 if ranges else r.choice([1, 3, 7, 50])
    place = (lambda row: range_partition(row, BOUNDS)) if ranges else (lambda row: key_partition(row, count))
    families = collections.defaultdict(lambda: [Part() for _ in range(count)])
    for row, family, q, _, kind, value in cells:
        families[family][place(row)].add(row, family, q, kind, value)
    lines = [cell_line(*c[:5], 0, c[5], b"") + "\n" for c in cells]
    files = [t.fresh("%d.cells" % i) for i in range(2)]
    files[0].write_text("".join(lines[: len(lines) // 3]) or "# none\n")
    files[1].write_text("".join(lines[len(lines) // 3:]))
    bounds = t.fresh("bounds.txt")
    bounds.write_text("".join("hex:%s\n" % b.hex() for b in BOUNDS) + "MAXVALUE\n")
    how = ["--partition", "range:%s" % bounds if ranges else "key:%d" % count, "--format", "cells", "--now", NOW]
    dataset = t.fresh("dataset")
    t.call("import", "--quiet", *how, "-o", dataset, *files)
    nodes = r.choice([1, 2, 3, 10])
    told = t.result("verify", "skew", "--nodes", nodes, dataset)
    names = [p["name"] for p in told["partitions"]]
    judge(told, families, names, nodes)
    equal(told["account"]["cells_counted"], told["account"]["cells_written"], "cells of the account")
    placed = t.result("verify", "skew", "--nodes", nodes, "--threads", r.choice([1, 2, 4]), *how, *files)
    judge(placed, families, names, nodes)
    again = t.result("verify", "skew", "--nodes", nodes, "--threads", 4, *how, *reversed(files))
    equal(without(again, "inputs", "next"), without(placed, "inputs", "next"), "the same with other threads and order")
    return dataset, told, how, files


def figures(t):
    for k in range(12):
        one_case(t, t.seed * 1000 + k, random.Random(k).choice([40, 900, 4000]))


def spilled(t):
    """More than 64 MB hold: the same figures, from runs on disk."""
    lines = t.fresh("large.csv")
    r = random.Random(t.seed)
    lines.write_text("".join("k%07d,%s,%d\n" % (r.randrange(60000), "v" * 200, r.randrange(10**6)) for _ in range(150000)))
    how = ["--partition", "key:19", "--format", "csv", "--columns", "HBASE_ROW_KEY,f:v,HBASE_TS_KEY", "--now", NOW, lines]
    small, big = (t.result("verify", "skew", "--memory", m, "--temp-dir", t.tmp, *how) for m in ("64M", "1G"))
    equal(without(small), without(big), "with 64 MB and 1 GB")
    rows = {line.split(",")[0] for line in lines.read_text().splitlines()}
    equal(small["total"]["rows"], len(rows), "rows")


def quick_form(t):
    dataset, told, how, files = one_case(t, t.seed * 1000 + 5, 4000)
    quick = t.result("verify", "skew", "--quick", dataset)
    for a, b in zip(quick["partitions"], told["partitions"]):
        equal([a[k] for k in ("name", "cells", "kv_bytes", "file_bytes", "files")],
              [b[k] for k in ("name", "cells", "kv_bytes", "file_bytes", "files")], "quick partition")
        equal(a["rows"], None, "rows of the quick form")
    equal(quick["heat_map"], None, "heat map of the quick form")
    for p in quick["prefixes"]:
        demand(p["share"][0] <= p["share"][1] <= 1.0000001, "prefix %(prefix)s" % p)
    t.call("verify", "skew", "--quick", *how, *files, want=2)


def rejects_are_counted(t):
    cells = t.fresh("bad.cells")
    good = [cell_line(b"r%d" % i, b"f", b"q", 5, PUT, 0, b"v", b"") for i in range(100)]
    cells.write_text("\n".join(good + ["this is no cell"] * 3 + [cell_line(b"r", b"f", b"q", -5, PUT, 0, b"", b"")]) + "\n")
    before = set(t.tmp.rglob("*"))
    done = t.call("verify", "skew", "--json", "--partition", "key:3", "--format", "cells", cells, want=3)
    told = json.loads(done.out)["account"]
    equal((told["records_accepted"], told["records_rejected"]), (100, 4), "records")
    demand("bad.cells:101" in told["first_reject"], told["first_reject"])
    equal(set(t.tmp.rglob("*")), before, "files left behind")
    text = t.call("verify", "skew", "--partition", "key:3", "--format", "cells", cells, want=3).out
    demand(b"4 of 104 records would be rejected" in text, text.decode())


def other_partitioning(t):
    """A dataset as another table would spread it; several datasets as the first one does."""
    dataset, told, _, _ = one_case(t, t.seed * 1000 + 9, 900)
    other = t.result("verify", "skew", "--partition", "key:23", dataset)
    equal(len(other["partitions"]), 23, "partitions")
    equal(other["total"]["rows"], told["total"]["rows"], "rows")
    twice = t.result("verify", "skew", dataset, dataset)
    equal([p["cells"] for p in twice["partitions"]], [2 * p["cells"] for p in told["partitions"]], "cells of it twice")
    equal([p["rows"] for p in twice["partitions"]], [p["rows"] for p in told["partitions"]], "rows of it twice")


def limits(t):
    dataset, told, _, _ = one_case(t, t.seed * 1000 + 3, 900)
    most = max(p["kv_bytes"] for f in told["families"] for p in f["partitions"])
    above = t.result("verify", "skew", "--max-partition", most - 1, dataset)["above_limit"]["partitions"]
    equal([p["kv_bytes"] for p in above], [most] * len(above), "partitions above the limit")
    demand(above, "none above the limit")
    equal(t.result("verify", "skew", "--max-partition", most, dataset)["above_limit"]["partitions"], [], "above the limit")
    for wrong in (["--nodes", "0"], ["--nodes", "5000"], ["--top", "0"], ["--top", "1001"], ["--max-partition", "0"]):
        t.call("verify", "skew", *wrong, dataset, want=2)
    equal(len(t.result("verify", "skew", "--top", 3, dataset)["heaviest_rows"]), 3, "rows with --top 3")
    file = next(dataset.rglob("*.hfile"))
    raw = bytearray(file.read_bytes())
    raw[60] ^= 1
    file.write_bytes(raw)
    t.call("verify", "skew", dataset, want=5)
    file.unlink()
    t.call("verify", "skew", dataset, want=5)
    t.call("verify", "skew", "--partition", "key:3", t.tmp / "nowhere", want=5)


def main():
    t = Suite(__doc__, in_memory=True)
    for test in (figures, spilled, quick_form, rejects_are_counted, other_partitioning, limits):
        t.run(test.__name__.replace("_", " "), test)
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
