#!/usr/bin/env python3
"""Runs HBase's compaction results (tests/data/vectors/compaction_*.jsonl) through obkv-compact and obkv-verify dump.

    compaction_vectors.py BIN [--jobs N] [-v] [ID ...]

The cells of a case become text-cell files, one for each file of the case, the oldest first on the command line; what
`obkv-verify dump` shows of the result must be the surviving cells, in order, with their sequence ids and tags.
`--rank sequence` takes the inputs for files of one store, with their position for their age, so the rule that
removes whole expired files (docs/compaction-rules.md) is tried too: compaction_file_rule.jsonl depends on it.

Cases share a run, their rows set apart by a prefix, when nothing reaches over rows: equal settings, no TTL (whole files)
and KEEP_DELETED_CELLS FALSE (oldest Put of all). Minor compactions that releases before HBASE-30036 leave another result of
are run by both rules.
The last line is "N passed, N failed, N skipped".
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from programs import shm_if

VECTORS = pathlib.Path(__file__).resolve().parent.parent / "data" / "vectors"
TYPES = {"Put": 4, "Delete": 8, "DeleteFamilyVersion": 10, "DeleteColumn": 12, "DeleteFamily": 14}
FAMILY = b"f".hex()
TIMEOUT_S = 120
ODD = ["--allow", "timestamp-unit", "--allow", "all-expired"]  # small times, and rules that leave nothing

# files: lists of text cells, oldest file first; want: text cells.
Case = collections.namedtuple("Case", "id settings files want alone")


def hexed(data):
    return data.hex() or "-"


def text_cell(cell, seq, as_hex):
    """A cell as one line; its row stays apart, a prefix may come before it."""
    raw = bytes.fromhex if as_hex else str.encode
    ttl = cell.get("cell_ttl_ms")
    tags = b"" if ttl is None else b"\0\x09\x08" + ttl.to_bytes(8, "big")
    tail = [FAMILY, hexed(raw(cell["q"])), str(cell["ts"]), str(TYPES[cell["type"]]), str(seq), hexed(raw(cell["val"]))]
    return raw(cell["row"]).hex(), "\t".join(tail + [hexed(tags)])


def settings_of(case):
    """The options, as a tuple so that equal ones can be found."""
    family = case["family"]
    options = ["--now", case["now"], "--versions", family["versions"], "--set", "MIN_VERSIONS=%s" % family["min_versions"],
               "--set", "KEEP_DELETED_CELLS=%s" % family["keep_deleted"]]
    if family["ttl_s"] is not None:
        options += ["--ttl", family["ttl_s"]]
    if case["purge_deletes_ms"]:
        options += ["--set", "hbase.hstore.time.to.purge.deletes=%s" % case["purge_deletes_ms"]]
    if family["new_version_behavior"]:
        options += ["--set", "NEW_VERSION_BEHAVIOR=true"]
    if case["compaction"] == "minor":
        options += ["--rules", "minor:before" if case.get("minor_rules") == "before" else "minor"]
    return tuple(str(o) for o in options)


def make_case(case, files, want):
    family = case["family"]
    alone = family["ttl_s"] is not None or family["keep_deleted"] != "FALSE" or family["new_version_behavior"]
    return Case(case["id"], settings_of(case), files, want, alone)


def matcher_case(case):
    """compaction_cases*.jsonl: cells in no order, each with its file."""
    as_hex = case.get("enc") == "hex"
    cells = [text_cell(c, c["seq"], as_hex) for c in case["in"]]
    numbers = sorted({c["file"] for c in case["in"]})
    files = [[cells[i] for i, c in enumerate(case["in"]) if c["file"] == n] for n in numbers]
    return make_case(case, files, [cells[i] for i in case["out"]])


def store_case(case):
    """compaction_real.jsonl: files of a store, in no order; a bulk-loaded file's cells have the file's sequence id."""
    def age(i):
        f = case["files"][i]
        return f["max_seq"], -f["size"], f.get("bulk_time", 1 << 63), f["name"]

    def seq_of(f, cell):
        return f["max_seq"] if f["kind"] == "bulk" else cell.get("seq", 0)

    files = [[text_cell(c, seq_of(f, c), False) for c in f["cells"]] for f in case["files"]]
    want = [files[f][c] for f, c in case["out"]]
    seqs = [int(tail.split("\t")[4]) for _, tail in want]
    if seqs != case["out_seq"]:
        raise ValueError("%s: out_seq is not what its files say" % case["id"])
    return make_case(case, [files[i] for i in sorted(range(len(files)), key=age)], want)


def load():
    """All cases."""
    cases = []
    for name, read in (("compaction_cases.jsonl", matcher_case), ("compaction_cases_random.jsonl", matcher_case),
                       ("compaction_real.jsonl", store_case), ("compaction_file_rule.jsonl", store_case)):
        for line in open(VECTORS / name, encoding="utf-8"):
            case = json.loads(line)
            cases.append(read(case))
            if "out_before_HBASE_30036" in case:
                before = dict(case, id=case["id"] + "_before", out=case["out_before_HBASE_30036"], minor_rules="before")
                cases.append(read(before))
    return cases


def runs_of(cases):
    shared = collections.defaultdict(list)
    for case in cases:
        shared[case.id if case.alone else case.settings].append(case)
    return list(shared.values())


def prefix_of(case):
    return case.id.encode().hex() + "00"


def write_inputs(run, folder):
    """Input number n holds the n-th file of every case: fewer files in a case leave the later inputs without its cells."""
    paths = [folder / ("%02d.cells" % n) for n in range(max(len(c.files) for c in run))]
    for n, path in enumerate(paths):
        with open(path, "w", encoding="ascii") as out:
            for case in run:
                prefix = prefix_of(case) if len(run) > 1 else ""
                for row, tail in case.files[n] if n < len(case.files) else ():
                    out.write("%s%s\t%s\n" % (prefix, row, tail))
    return paths


def call(command):
    done = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          timeout=TIMEOUT_S, check=False)
    if done.returncode:
        raise ValueError("%s ends with %d: %s" % (pathlib.Path(command[0]).name, done.returncode,
                                                  done.stderr.decode("utf-8", "replace").strip()[-600:]))
    return done.stdout.decode("ascii", "backslashreplace")


def compacted(binaries, run, folder):
    """The cells that are left, as (row, tail)."""
    inputs, out = write_inputs(run, folder), folder / "out"
    call([binaries / "obkv-compact", *ODD, "--rank", "sequence", "--partition", "none", *run[0].settings, "--format", "cells",
          "-o", out, *inputs])
    lines = call([binaries / "obkv-verify", "dump", out]).splitlines()
    return [tuple(line.split("\t", 1)) for line in lines if line and not line.startswith("#")]


def said(cells):
    return "; ".join("\t".join(c) for c in cells) or "nothing"


def judge(binaries, run):
    """[(id, None or what is wrong)] for the cases of one run."""
    with tempfile.TemporaryDirectory(prefix="compaction-vectors-", dir=shm_if(True)) as folder:
        try:
            left = compacted(binaries, run, pathlib.Path(folder))
        except (ValueError, OSError, subprocess.TimeoutExpired) as e:
            return [(case.id, "%s\noptions: %s" % (e, " ".join(run[0].settings))) for case in run]
    verdicts = []
    for case in run:
        prefix = prefix_of(case) if len(run) > 1 else ""
        got = [(row[len(prefix):], tail) for row, tail in left if row.startswith(prefix)]
        good = got == case.want
        verdicts.append((case.id, None if good else "want %s\ngot  %s\noptions: %s" % (
            said(case.want), said(got), " ".join(case.settings))))
    known = sum(row.startswith(prefix_of(c)) for row, _ in left for c in run) if len(run) > 1 else len(left)
    if known != len(left):
        verdicts.append((run[0].id, "%d cells of no case in the result" % (len(left) - known)))
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin", type=pathlib.Path, help="folder with obkv-compact and obkv-verify")
    parser.add_argument("--jobs", type=int, default=4)
    parser.add_argument("-v", "--verbose", action="store_true", help="name the cases that pass, too")
    parser.add_argument("ids", nargs="*", help="only these cases")
    args = parser.parse_intermixed_args()
    cases = load()
    if args.ids:
        cases = [c for c in cases if c.id in args.ids]
        if len(cases) != len(set(args.ids)):
            parser.error("no such case")
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        verdicts = [v for run in pool.map(lambda r: judge(args.bin, r), runs_of(cases)) for v in run]
    failed = {name for name, wrong in verdicts if wrong}
    for name, wrong in verdicts:
        if wrong:
            print("not ok - %s\n%s" % (name, re.sub("(?m)^", "    ", wrong)))
        elif args.verbose:
            print("ok - %s" % name)
    print("%d passed, %d failed, 0 skipped" % (len(cases) - len(failed), len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
