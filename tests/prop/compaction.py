#!/usr/bin/env python3
"""Random stores through obkv-compact against the plain model of models/version_rules.py: survivors, their order, and the ledger.

    compaction.py BIN [--seed N] [--cases N] [--keep DIR]

Cases come in batches that share settings and a run: each is a partition of its own, so that what is decided from whole files
(expired files, the oldest Put) is its own too. Every tenth batch is one large store (rows of thousands of cells, so that rows and
columns go over part, block and sort limits). Inputs are text cells, which are sorted, or datasets, which are only merged. By
OceanBase's rules the cells that only one set of rules keeps are counted as well. What HBase itself would loop for ever on is
among the cases: the documented rule decides.
The seed of the run is printed; a batch that differs prints its own: `--seed THAT --cases 1` replays it, --keep leaves its files.
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

from models.version_rules import (DELETE, DELETE_COLUMN, DELETE_FAMILY, DELETE_FAMILY_VERSION, KEPT, LONG_MAX, PUT, Cell,
                                  Settings, compacted)

NOW = 1_000_000
UNLIMITED = 2147483647
BATCH = 250


def draw_settings(r):
    rules = r.choice(["major"] * 4 + ["since", "before", "oceanbase", "oceanbase"])
    versions = r.choice([1, 1, 2, 3, 1000, UNLIMITED])
    mvcc = r.random() < 0.3
    s = Settings(rules=rules, rank="sequence" if mvcc else r.choice(["sequence", "position"]), versions=versions,
                 min_versions=min(versions, r.choice([0, 0, 0, 1, 2])), ttl_s=r.choice([0, 0, 1, 50, 100]),
                 kept=r.choice(["FALSE", "FALSE", "TRUE", "TTL"]), delay=r.choice([0, 0, 100, 40_000]), mvcc=mvcc, now=NOW)
    return s._replace(kept="FALSE", delay=0, min_versions=0) if rules == "oceanbase" else s


def draw_cell(r, place, index, row, q, ts, markers):
    """place: (file, line). A family's markers stand in the column with the empty qualifier."""
    kind = PUT if r.random() > markers else r.choice([DELETE, DELETE_FAMILY_VERSION, DELETE_COLUMN, DELETE_COLUMN, DELETE_FAMILY])
    q = b"" if kind in (DELETE_FAMILY_VERSION, DELETE_FAMILY) else q
    ttl = r.choice([None] * 12 + [0, 1, 30_000, 100_000, 10**9, -1, LONG_MAX, LONG_MAX - NOW])
    seq = r.randrange(8)

    def text(shown):
        return "%s\t66\t%s\t%d\t%d\t%d\t%06x\t%s\n" % (row.hex(), q.hex() or "-", shown, kind, seq, index,
                                                      "-" if ttl is None else "000908%016x" % (ttl % 2**64))
    real = NOW if ts == LONG_MAX else ts  # "latest" is resolved when text is read
    return Cell(row, q, real, kind, seq, ttl, *place, (text(ts), text(real)))


def draw_case(r, s, prefix):
    """Few rows, columns and timestamps, so that everything meets everything."""
    edge = NOW - s.ttl_s * 1000
    stamps = [0, 1, 5, edge - 2, edge - 1, edge, edge + 1, NOW - 40_000, NOW - 100, NOW - 1, NOW, NOW + 7, LONG_MAX - 1, LONG_MAX]
    stamps = [r.choice(stamps) for _ in range(r.randint(1, 4))] + [NOW - r.randrange(200_000)]
    rows = [prefix, prefix + b"\0"][:r.randint(1, 2)]
    qualifiers = r.choice([[b""], [b"a"], [b"", b"a"], [b"", b"a", b"a\0", b"ab", b"b"]])
    markers = r.choice([0, 0.1, 0.3, 0.5])
    files = [[] for _ in range(r.randint(1, 4))]
    for i in range(r.choice([1, 3, 8, 15, 25])):
        n = r.randrange(len(files))
        files[n].append(draw_cell(r, (n, len(files[n])), i, r.choice(rows), r.choice(qualifiers), r.choice(stamps), markers))
    return files


def draw_large_case(r, prefix):
    span = r.choice([3000, 200_000])
    qualifiers = r.choice([[b""], [b"a"], [b"", b"a", b"ab"], [b"", b"q1", b"q2", b"q3"]])
    rows = [prefix + b"1", prefix + b"2"]
    markers = r.choice([0.001, 0.02, 0.3])
    files = [[] for _ in range(r.randint(1, 4))]
    for i in range(r.choice([3000, 12_000])):
        n = r.randrange(len(files))
        ts = NOW - r.randrange(span) - r.choice([0, 0, 0, 60_000])
        files[n].append(draw_cell(r, (n, len(files[n])), i, r.choice(rows), r.choice(qualifiers), ts, markers))
    return files


def draw(seed):
    """(random numbers for the run, settings, cases by their row prefix). A large store under NEW_VERSION_BEHAVIOR has few
    markers in HBase as well: the model is quadratic there."""
    r = random.Random(seed)
    s = draw_settings(r)
    if seed % 10 == 0:
        return r, s._replace(mvcc=False), {b"c": draw_large_case(r, b"c")}
    return r, s, {prefix: draw_case(r, s, prefix) for prefix in (b"c%05d" % i for i in range(BATCH))}


def options(s):
    words = ["--now", NOW, "--rank", s.rank, "--versions", s.versions, "--set", "MIN_VERSIONS=%s" % s.min_versions, "--set",
             "KEEP_DELETED_CELLS=%s" % s.kept,
             "--set", "hbase.hstore.time.to.purge.deletes=%s" % s.delay]
    words += ["--ttl", s.ttl_s] if s.ttl_s else []
    words += ["--set", "NEW_VERSION_BEHAVIOR=true"] if s.mvcc else []
    words += ["--rules", "oceanbase"] if s.rules == "oceanbase" else []
    return words + (["--rules", "minor:before" if s.rules == "before" else "minor"] if s.rules in ("since", "before") else [])


def call(command):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace")[-600:]
        raise ValueError("%s ends with %d: %s" % (command[0].name, done.returncode, said))
    return done.stdout.decode()


def write_inputs(binaries, cases, folder, kind):
    """Text cells, or datasets of HFiles made from them: obkv-compact merges those without sorting."""
    (folder / "bounds").write_text("".join("%s\n" % (p + b"~").decode() for p in cases))
    spec = "range:%s" % (folder / "bounds")
    inputs = [folder / ("%d.cells" % i) for i in range(max(len(files) for files in cases.values()))]
    for i, path in enumerate(inputs):
        lines = [c.text[0] for files in cases.values() if i < len(files) for c in files[i]]
        path.write_text("".join(lines) or "# none\n")
    if kind == "text":
        return ["--partition", spec, "--format", "cells", *inputs]
    for path in inputs:
        call([binaries / "obkv-import", "--partition", spec, "--now", NOW, "--format", "cells", "-o", path.with_suffix(""), path])
    return [path.with_suffix("") for path in inputs]


def booked(told):
    """The ledger as {(name, part): cells}."""
    ledger = collections.Counter()
    for name, entry in told.items():
        if name in ("in", "rejected"):
            continue
        for part, tally in entry.get("by", {None: entry}).items():
            ledger[name, part] += tally["cells"]
    return +ledger


def differing_case(cases, verdicts, got):
    for prefix in cases:
        want = [c.text[1] for c, v in verdicts[prefix] if v == KEPT]
        have = [line for line in got if bytes.fromhex(line.split("\t")[0]).startswith(prefix)]
        if want != have:
            judged = "".join("%s  %s  # %s\n" % (c.file, c.text[1].rstrip(), v) for c, v in verdicts[prefix])
            return "case %s\n%s  got:\n%s" % (prefix.decode(), judged, "".join(have))
    return "cells of no case, or in another order"


def only_one_keeps(s, cases, verdicts):
    """{side: {(name, part) of the other side: cells}} for hbase_only and oceanbase_only."""
    sides = {"hbase_only": collections.Counter(), "oceanbase_only": collections.Counter()}
    for prefix, files in cases.items():
        theirs = {c.text: v for c, v in compacted(s._replace(rules="major"), files)}
        for c, ours in verdicts[prefix]:
            if (ours == KEPT) != (theirs[c.text] == KEPT):
                sides["oceanbase_only" if ours == KEPT else "hbase_only"][theirs[c.text] if ours == KEPT else ours] += 1
    return sides


def wrong(binaries, seed, folder):
    """(number of cases, None or what differs)."""
    r, s, cases = draw(seed)
    verdicts = {prefix: compacted(s, files) for prefix, files in cases.items()}
    try:
        inputs = write_inputs(binaries, cases, folder, r.choice(["text", "datasets"]))
        told = json.loads(call([binaries / "obkv-compact", *options(s), "--threads", r.choice([1, 2, 4]), "--quiet", "--json",
                                "-o", folder / "out", *inputs]))
        got = [l for l in call([binaries / "obkv-verify", "dump", folder / "out"]).splitlines(True) if not l.startswith("#")]
    except (ValueError, subprocess.TimeoutExpired) as e:
        return len(cases), "%s\n%s" % (e, s)
    if got != [c.text[1] for prefix in cases for c, v in verdicts[prefix] if v == KEPT]:
        return len(cases), "%s\n%s" % (s, differing_case(cases, verdicts, got))
    ledger = collections.Counter(v for judged in verdicts.values() for _, v in judged)
    if booked(told["cells"]) != ledger:
        return len(cases), "%s\nledger %s\nwant   %s" % (s, booked(told["cells"]), ledger)
    if s.rules == "oceanbase":
        for side, want in only_one_keeps(s, cases, verdicts).items():
            have = booked({name: entry for name, entry in told[side].items() if name not in ("cells", "digest")})
            if have != want:
                return len(cases), "%s\n%s %s\nwant %s" % (s, side, have, want)
    return len(cases), None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="folder with obkv-compact and obkv-verify")
    parser.add_argument("--seed", type=int, default=1, help="of the first batch (default 1)")
    parser.add_argument("--cases", type=int, default=5000)
    parser.add_argument("--keep", type=pathlib.Path, help="where the files of a batch that differs are left")
    args = parser.parse_args()
    print("seed %d" % args.seed, flush=True)
    passed = failed = 0
    seed = args.seed
    while passed + failed < args.cases:
        with tempfile.TemporaryDirectory(prefix="compaction-prop-") as folder:
            n, text = wrong(args.bin, seed, pathlib.Path(folder))
            if text and args.keep:
                shutil.copytree(folder, args.keep / str(seed), dirs_exist_ok=True)
        passed, failed = (passed, failed + n) if text else (passed + n, failed)
        if text:
            print("not ok - seed %d: %s" % (seed, text))
        seed += 1
    print("%d passed, %d failed, 0 skipped" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
