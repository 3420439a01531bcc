#!/usr/bin/env python3
"""Random stores through obkv-compact against a plain model of docs/compaction.md: survivors, their order, and the ledger.

    compaction.py BIN [--seed N] [--cases N] [--keep DIR]

Every third store is large (rows of thousands of cells, so that rows and columns go over part, block and sort limits). Inputs
are text cells, which are sorted, or datasets of HFiles, which are only merged.
A case that differs prints its seed; `--seed THAT --cases 1` replays it, --keep leaves its files in DIR.
The last line is "N passed, N failed, N skipped".
"""
import argparse
import collections
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

NOW = 1_000_000
PUT, DELETE, DELETE_FAMILY_VERSION, DELETE_COLUMN, DELETE_FAMILY = 4, 8, 10, 12, 14
REASONS = ("written", "expired", "superseded", "duplicate", "deleted", "purged_markers")
UNLIMITED = 2147483647

Cell = collections.namedtuple("Cell", "row q ts type seq ttl file line text")
Settings = collections.namedtuple("Settings", "rank versions min_versions ttl_s kept delay")


class Row:
    """Judges the cells of one row, in order; `left` is the test for cells that a column's end leaves unseen."""

    def __init__(self, s, earliest_put):
        self.s, self.earliest = s, earliest_put
        self.oldest = NOW - s.ttl_s * 1000 if s.ttl_s else -1
        self.family, self.family_versions, self.column_marker = -1, set(), None
        self.q, self.count, self.last, self.left = None, 0, None, lambda c: False

    def leave(self, c, why):
        whole = c.q != b"" or c.type == DELETE_FAMILY
        self.left = lambda d: d.q == c.q and (whole or (d.ts, d.type) == (c.ts, c.type))
        self.why = why
        return self.named(c, why)

    @staticmethod
    def named(c, why):
        return "purged_markers" if c.type != PUT and why in ("superseded", "deleted") else why

    def judge(self, c):
        if self.left(c):
            return self.named(c, self.why)
        if self.s.min_versions == 0 and c.ts < self.oldest:
            return self.leave(c, "expired")
        if c.ttl is not None and c.ts + c.ttl < NOW:
            return "expired"
        return self.put(c) if c.type == PUT else self.marker(c)

    def marker(self, c):
        alive = self.s.kept == "TRUE" or (self.s.kept == "TTL" and c.ts >= self.oldest)
        if not alive and c.ts > self.family:
            if c.type == DELETE_FAMILY:
                self.family = c.ts
            elif c.type == DELETE_FAMILY_VERSION:
                self.family_versions.add(c.ts)
            elif not (self.column_marker and self.column_marker.q == c.q and self.column_marker.type > c.type):
                self.column_marker = c
        if self.s.delay and NOW - c.ts <= self.s.delay:
            return "written"
        if not alive:
            return "purged_markers"
        return self.leave(c, "purged_markers") if c.ts < self.earliest else self.version(c)

    def put(self, c):
        marker = self.column_marker if self.column_marker and self.column_marker.q == c.q else None
        if c.ts <= self.family:
            return self.leave(c, "deleted")
        if c.ts in self.family_versions:
            return "deleted"
        if marker and marker.type == DELETE_COLUMN:
            return self.leave(c, "deleted")
        if marker and marker.ts == c.ts:
            return "deleted"
        return self.version(c)

    def version(self, c):
        if c.q != self.q:
            self.q, self.count, self.last = c.q, 0, None
        if (c.ts, c.type) == self.last:
            return "duplicate"
        self.count += c.type == PUT
        if self.count > self.s.versions:
            return self.leave(c, "superseded")
        if c.ts < self.oldest and self.count > self.s.min_versions:
            return self.leave(c, "expired")
        self.last = (c.ts, c.type)
        return "written"


def model(s, files):
    """The lines that survive, in order, and how many cells each reason took."""
    files, ledger, left, row, rules = [f for f in files if f], collections.Counter(), [], None, None
    if s.ttl_s and s.min_versions == 0:
        live = [f for i, f in enumerate(files) if i + 1 == len(files) or max(c.ts for c in f) >= NOW - s.ttl_s * 1000]
        ledger["expired"] = sum(map(len, files)) - sum(map(len, live))
        files = live
    cells = [c for f in files for c in f]
    tie = (lambda c: (-c.seq, -c.file, -c.line)) if s.rank == "sequence" else (lambda c: (-c.file, -c.seq, -c.line))
    earliest = min((c.ts for c in cells if c.type == PUT), default=1 << 63)
    for c in sorted(cells, key=lambda c: (c.row, c.q, -c.ts, -c.type, tie(c))):
        if c.row != row:
            row, rules = c.row, Row(s, earliest)
        verdict = rules.judge(c)
        ledger[verdict] += 1
        if verdict == "written":
            left.append(c.text)
    return left, [ledger[r] for r in REASONS]


def draw_settings(r):
    return Settings(rank=r.choice(["sequence", "position"]), versions=r.choice([1, 2, 3, 1000, UNLIMITED]),
                    min_versions=r.choice([0, 0, 1, 2]), ttl_s=r.choice([0, 0, 1, 50, 100]),
                    kept=r.choice(["FALSE", "FALSE", "TRUE", "TTL"]), delay=r.choice([0, 0, 100, 40_000]))


def draw_files(r, large):
    span = r.choice([3000, 200_000] if large else [5, 300, 200_000])
    qualifiers = r.choice([[b""], [b"a"], [b"", b"a", b"ab"], [b"", b"q1", b"q2", b"q3"]])
    rows = [b"r1", b"r2"] if large else [b"r%d" % i for i in range(4)]
    markers = r.choice([0.02, 0.3])
    files = [[] for _ in range(r.randint(1, 4))]
    for i in range(r.choice([3000, 20_000]) if large else r.randint(1, 60)):
        kind = PUT if r.random() > markers else r.choice([DELETE, DELETE_FAMILY_VERSION, DELETE_COLUMN, DELETE_FAMILY])
        q = b"" if kind in (DELETE_FAMILY_VERSION, DELETE_FAMILY) else r.choice(qualifiers)
        ts = NOW - r.randrange(span) - r.choice([0, 0, 0, 60_000])
        ttl = r.choice([None] * 9 + [r.choice([1, 30_000, 100_000])])
        row, seq, file = r.choice(rows), r.randrange(6), r.randrange(len(files))
        text = "%s\t66\t%s\t%d\t%d\t%d\t%06x\t%s\n" % (row.hex(), q.hex() or "-", ts, kind, seq, i,
                                                      "-" if ttl is None else "000908%016x" % ttl)
        files[file].append(Cell(row, q, ts, kind, seq, ttl, file, len(files[file]), text))
    return files


def options(s):
    text = "--now %d --rank %s --versions %d --min-versions %d --keep-deleted %s" % (
        NOW, s.rank, s.versions, s.min_versions, s.kept)
    text += " --ttl %d" % s.ttl_s if s.ttl_s else ""
    return text + (" --purge-deletes-after %d" % s.delay if s.delay else "")


def call(command):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")[-600:]
        raise ValueError("%s ends with %d: %s" % (command[0].name, done.returncode, said))
    return done.stdout.decode()


def write_inputs(binaries, files, folder, kind):
    """Text cells, or datasets of HFiles made from them: obkv-compact merges those without sorting."""
    inputs = [folder / ("%d.cells" % i) for i in range(len(files))]
    for path, cells in zip(inputs, files):
        path.write_text("".join(c.text for c in cells) or "# none\n")
    if kind == "text":
        return ["--format", "cells", *inputs]
    for path in inputs:
        call([binaries / "obkv-import", "--partition", "none", "--now", NOW, "--format", "cells",
              "-o", path.with_suffix(""), path])
    return [path.with_suffix("") for path in inputs]


def wrong(binaries, seed, folder):
    """None, or what differs."""
    r = random.Random(seed)
    s, files = draw_settings(r), draw_files(r, seed % 3 == 0)
    left, ledger = model(s, files)
    try:
        inputs = write_inputs(binaries, files, folder, r.choice(["text", "datasets"]))
        told = call([binaries / "obkv-compact", *options(s).split(), "--partition", "none", "--threads", r.choice([1, 2, 4]),
                     "--json", "-o", folder / "out", *inputs])
        got = [l for l in call([binaries / "obkv-verify", "dump", folder / "out"]).splitlines(True) if not l.startswith("#")]
        booked = [json.loads(told)["cells"][reason]["cells"] for reason in REASONS]
    except (ValueError, KeyError, subprocess.TimeoutExpired) as e:
        return "%s\n%s" % (e, options(s))
    if got != left:
        at = next((i for i, pair in enumerate(zip(got, left)) if pair[0] != pair[1]), min(len(got), len(left)))
        return "%d cells, want %d; first difference at %d: %r, want %r\n%s" % (
            len(got), len(left), at, got[at:at + 1], left[at:at + 1], options(s))
    if booked != ledger:
        return "ledger %s, want %s\n%s" % (dict(zip(REASONS, booked)), ledger, options(s))
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="folder with obkv-compact and obkv-verify")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=120)
    parser.add_argument("--keep", type=pathlib.Path, help="where the files of a case that differs are left")
    args = parser.parse_args()
    failed = 0
    for seed in range(args.seed, args.seed + args.cases):
        with tempfile.TemporaryDirectory(prefix="compaction-prop-") as folder:
            text = wrong(args.bin, seed, pathlib.Path(folder))
            if text and args.keep:
                shutil.copytree(folder, args.keep / str(seed), dirs_exist_ok=True)
        if text:
            failed += 1
            print("not ok - seed %d: %s" % (seed, text))
    print("%d passed, %d failed, 0 skipped" % (args.cases - failed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
