#!/usr/bin/env python3
"""obkv-verify diff against a naive model: random cells on both sides, as text and as datasets, duplicates and markers included.

    diff.py BIN [--cases N] [--seed N]

The last line is "N passed, N failed, N skipped"."""
import argparse
import collections
import json
import pathlib
import random
import subprocess
import sys
import tempfile

PUT, DELETE, DELETE_FAMILY_VERSION, DELETE_COLUMN, DELETE_FAMILY = 4, 8, 10, 12, 14
TYPES = {PUT: "Put", DELETE: "Delete", DELETE_FAMILY_VERSION: "DeleteFamilyVersion", DELETE_COLUMN: "DeleteColumn",
         DELETE_FAMILY: "DeleteFamily"}
Cell = collections.namedtuple("Cell", "row family qualifier ts type seq value tags")
KINDS = ("missing", "extra", "changed", "misplaced", "misordered")


def some_cell(r):
    kind = r.choice((PUT, PUT, PUT, PUT, DELETE, DELETE_FAMILY_VERSION, DELETE_COLUMN, DELETE_FAMILY))
    whole = kind in (DELETE_FAMILY, DELETE_FAMILY_VERSION)
    value = "-" if kind != PUT else "%02x" % r.randrange(3)
    tags = "000908%016x" % 99999 if kind == PUT and r.random() < 0.1 else "-"
    qualifier = "-" if whole else r.choice(("71", "72"))
    row, family, seq = "%02x" % r.randrange(8), r.choice(("66", "67")), r.choice((0, 0, 1, 2))
    return Cell(row, family, qualifier, r.randrange(1, 5), kind, seq, value, tags)


def changed(r, cells):
    """A copy with some cells gone, new, altered, or in another place."""
    out = [c for c in cells if r.random() > 0.05]
    out = [c._replace(value="%02x" % r.randrange(3)) if c.type == PUT and r.random() < 0.05 else c for c in out]
    out += [some_cell(r) for _ in range(r.randrange(4))]
    if r.random() < 0.5:
        r.shuffle(out)
    return out


# ---- the model

def newest_first(cells):
    """Line numbers decide last: later is newer."""
    return [c for _, c in sorted(enumerate(cells), key=lambda x: (-x[1].seq, -x[0]))]


def visible(cells):
    """Without markers and the Puts they mask."""
    def masked(c):
        for m in cells:
            if (m.row, m.family) != (c.row, c.family):
                continue
            if m.type == DELETE_FAMILY and c.ts <= m.ts or m.type == DELETE_FAMILY_VERSION and c.ts == m.ts:
                return True
            if m.qualifier == c.qualifier and (m.type == DELETE_COLUMN and c.ts <= m.ts or m.type == DELETE and c.ts == m.ts):
                return True
        return False
    return [c for c in cells if c.type == PUT and not masked(c)]


def by_key(cells, ignore_timestamps):
    groups = collections.defaultdict(list)
    for c in newest_first(cells):
        groups[(c.row, c.family, c.qualifier) if ignore_timestamps else c[:5]].append(c)
    return groups


def expected(a, b, options):
    """Counts by kind; misordered: of all orders that differ."""
    if "--ignore-deleted" in options:
        a, b = visible(a), visible(b)
    loose = "--ignore-timestamps" in options
    a, b = by_key(a, loose), by_key(b, loose)
    count = collections.Counter()
    for key in a.keys() | b.keys():
        content = [collections.Counter((c.type, c.value, c.tags) for c in side[key]) for side in (a, b)]
        only = [collections.Counter(t for t, _, _ in (x - y).elements()) for x, y in (content, content[::-1])]
        pairs = sum((only[0] & only[1]).values())
        count.update(changed=pairs, missing=sum(only[0].values()) - pairs, extra=sum(only[1].values()) - pairs)
        order = [[(c.value, c.tags) for c in side[key]] for side in (a, b)]
        count["misordered"] += not loose and content[0] == content[1] and order[0] != order[1]
    return count


# ---- a case

class Case:
    def __init__(self, programs, folder, r):
        self.programs, self.folder, self.r = programs, folder, r

    def call(self, tool, *args, want):
        done = subprocess.run([self.programs / tool, *map(str, args)], capture_output=True, check=False)
        if done.returncode not in want:
            raise AssertionError("%s %s: exit %d: %s" % (tool, args, done.returncode, done.stderr.decode()))
        return done.stdout.decode()

    def side(self, name, cells):
        """The cells as text, or a dataset of it."""
        text = self.folder / (name + ".cells")
        text.write_text("".join("\t".join(map(str, c)) + "\n" for c in cells))
        if self.r.random() < 0.4:
            return text
        out = self.folder / name
        partition = self.r.choice(("none", "key:3"))
        self.call("obkv-import", "-q", "--format", "cells", "--partition", partition, "--now", 9, "-o", out, text, want=(0,))
        return out

    def run(self):
        r = self.r
        a = [some_cell(r) for _ in range(r.randrange(60))]
        b = changed(r, a) if r.random() < 0.9 else list(a)
        options = r.choice(([], [], ["--ignore-timestamps"], ["--ignore-deleted"], ["--ignore-timestamps", "--ignore-deleted"]))
        left, right = self.side("a", a), self.side("b", b)
        lines = self.call("obkv-verify", "diff", "--json", "--format", "cells", "--limit", 9999, "--memory", "64M",
                          "-t", r.choice((1, 3)), *options, left, right, want=(0, 1)).splitlines()
        found, end = [json.loads(line) for line in lines[:-1]], json.loads(lines[-1])
        want, got = expected(a, b, options), {kind: end[kind] for kind in KINDS}
        if left.suffix and right.suffix:  # equal keys that no side has next to each other are not looked at
            got["misordered"] = max(got["misordered"], want["misordered"]) if got["misordered"] <= want["misordered"] else -1
        assert got == {kind: want[kind] for kind in KINDS}, "%s %s: model %s, diff %s" % (options, (left, right), dict(want), got)
        assert collections.Counter(f["kind"] for f in found) == collections.Counter(
            {k: end[k] for k in KINDS if end[k]}), "lines and summary differ"
        assert end["equal"] == (not found), "equal"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("bin", type=pathlib.Path)
    parser.add_argument("--cases", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1, help="of the first case (default 1)")
    args = parser.parse_args()
    failed = 0
    for i in range(args.cases):
        with tempfile.TemporaryDirectory() as folder:
            try:
                Case(args.bin.resolve(), pathlib.Path(folder), random.Random(args.seed + i)).run()
            except AssertionError as e:
                failed += 1
                print("FAIL --cases 1 --seed %d: %s" % (args.seed + i, e))
    print("%d passed, %d failed, 0 skipped" % (args.cases - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
