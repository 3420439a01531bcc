#!/usr/bin/env python3
"""Write-ahead logs that HBase wrote (tests/data/wals) through obkv-import, held against what HBase's own reader found in them.

    wals.py BIN [--keep] [-v] [NAME ...]

Every log, plain and compressed, gives the cells of its table that HBase's reader gives, with sequence ids. A snapshot and the
logs that were written after it, across a split, a merge, a move and a server that died, give what HBase's scan showed at the end:
in one run, and as a base and a delta. Then what is skipped, refused, torn and reported. The last line is "N passed, N failed,
N skipped".
"""
import gzip
import json
import pathlib
import shutil
import sys

from programs import Suite, demand, manifest

WALS = pathlib.Path(__file__).resolve().parent.parent / "data" / "wals"
MODES = ("plain", "dict", "gz", "snappy", "lz4")
ROOT = WALS / "migration"
SNAPSHOT = ROOT / ".hbase-snapshot" / "base"
REJECTS, STRICT, INPUT, USAGE, UNSUPPORTED = 3, 4, 5, 2, 5


def expected(name):
    return gzip.decompress((WALS / (name + ".tsv.gz")).read_bytes()).decode().splitlines()


def dumped(suite, out):
    return sorted(suite.call("verify", "dump", out).out.decode().splitlines())


def imported(suite, *args, want=0):
    """The result of a run, what it said, and its cells."""
    out = suite.fresh("out")
    done = suite.call("import", "--json", "--partition", "none", "-o", out, *args, want=want)
    result = json.loads(done.out)
    wal, records = result["wal"], result["records"]
    passed = wal["other_tables"] + wal["other_regions"] + wal["in_base"] + sum(wal["markers"].values())
    demand(records["skipped"] == passed, "skipped %d records, named %d" % (records["skipped"], passed))
    demand(records["read"] == sum(records[k] for k in ("accepted", "rejected", "skipped")), "records do not balance")
    return result, done.err.decode(), dumped(suite, out)


def check_mode(suite, mode):
    logs = {}
    for line in expected(mode):
        log, table, cell = line.split("\t", 2)
        logs.setdefault(log, {}).setdefault(table, []).append(cell)
    demand(len(logs) >= 2, "no logs")
    for log, tables in logs.items():
        for table, cells in tables.items():
            got = imported(suite, "--table", table, WALS / log)[2]
            demand(got == sorted(cells), "%s: other cells of %s than HBase found" % (log, table))


def without_seq(lines):
    return sorted("\t".join(f[:5] + f[6:]) for f in (line.split("\t") for line in lines))


def check_migration(suite):
    """All at once, then as a base, a delta of its own and both compacted."""
    want = without_seq(expected("migration"))
    logs = (ROOT / "WALs", ROOT / "oldWALs")
    result, said, got = imported(suite, "--compact", SNAPSHOT, *logs)
    demand(without_seq(got) == want, "the snapshot and its logs are not what HBase's scan shows")
    demand(result["wal"]["in_base"] > 50 and result["wal"]["not_closed"] == 3, "edits of the snapshot are read again")
    demand(said.count("was not closed") == 3, "logs that were not closed are not named")
    base, delta, both = (suite.fresh(name) for name in ("base", "delta", "both"))
    rules = ("--versions", "100")
    suite.call("import", "--partition", "none", "-o", base, SNAPSHOT)
    suite.call("import", "--partition", "none", "--after", SNAPSHOT, "-o", delta, *logs)
    suite.call("compact", *rules, "-o", both, base, delta)
    demand(without_seq(dumped(suite, both)) == want, "base and delta are not what HBase's scan shows")
    again = suite.call("import", "--partition", "none", "--after", SNAPSHOT, "-o", delta, *logs)
    demand(b"nothing to do" in again.err + again.out, "the same run again does something")


def check_regions(suite):
    log = WALS / "plain1.log"
    everything = imported(suite, "--table", "t1", log)
    region = next(p.name for p in sorted((ROOT / "archive/data/default/t1").iterdir()))
    one = imported(suite, "--table", "t1/" + region, WALS / "plain2.log")
    demand(one[0]["wal"]["other_regions"] > 0 and 0 < len(one[2]), "no region was chosen")
    demand(everything[0]["wal"]["other_regions"] == 0, "regions are left out")
    suite.call("import", "--partition", "none", "--table", "t1/k3", "-o", suite.fresh("out"), log, want=USAGE)


def check_tables(suite):
    out = suite.fresh("out")
    err = suite.call("import", "--partition", "none", "-o", out, WALS / "plain1.log", want=USAGE).err.decode()
    demand("t1" in err and "ns:t2" in err and "--table" in err, err)
    for command in (("dump",), ("diff", WALS / "plain1.log"), ("skew", "--partition", "none")):  # nor do these mix tables
        err = suite.call("verify", *command, WALS / "plain1.log", want=USAGE).err.decode()
        demand("t1" in err and "ns:t2" in err and "obkv-import --table" in err, err)
    none = imported(suite, "--table", "other", WALS / "plain1.log")
    demand(not none[2] and none[0]["records"]["accepted"] == 0, "cells of a table that is not there")
    default = imported(suite, "--table", "default:t1", WALS / "plain1.log")[2]
    demand(default == imported(suite, "--table", "t1", WALS / "plain1.log")[2], "default: is another table")


def check_nothing_taken(suite):
    """A mistyped table is no empty log, and options for logs without a log are no success in silence."""
    log = WALS / "plain1.log"
    codes = lambda result: [w["code"] for w in result["warnings"]]
    for args, code, words in ((("--table", "T1"), "nothing-selected", "no edit of table T1, but of t1, ns:t2"),
                              (("--table", "t1/" + "0" * 32), "nothing-selected", "of a region of --table")):
        result, said, cells = imported(suite, *args, log)
        demand(not cells and codes(result).count(code) == 1 and words in said and "no-records" not in said, said)
        suite.call("import", "--strict", "--allow", "log-not-closed", "--allow", "no-records", "--partition", "none", *args, "-o",
                   suite.fresh("out"), log, want=STRICT)
    old = suite.fresh("old.log")
    old.write_bytes(made_log([(1, [(b"k1", b"a", b"q", b"v")])]))
    said = imported(suite, "--after", SNAPSHOT, old)[1]
    demand("the base already holds every edit" in said and "[no-records]" in said, said)
    cells = suite.fresh("some.cells")
    cells.write_text("61\t62\t63\t5\t4\t0\t64\t-\n")
    for option, value in (("--after", SNAPSHOT), ("--table", "t1"), ("--table", "/" + "0" * 32)):
        err = suite.call("import", "--partition", "none", option, value, "-o", suite.fresh("out"), cells).err.decode()
        demand("%s is for write-ahead logs, and no input is one" % option in err and "[unmatched]" in err, err)


def check_cuts(suite):
    """Cut within an entry: refused by place; on request what stands before it, and the loss is told."""
    data = (WALS / "gz2.log").read_bytes()
    whole = imported(suite, "--table", "t1", WALS / "gz2.log")[2]
    log, torn = suite.fresh("torn.log"), 0
    for n in range(200, len(data), len(data) // 25):
        log.write_bytes(data[:n])
        done = suite.call("import", "--partition", "none", "--table", "t1", "-o", suite.fresh("out"), log, want={0, INPUT})
        if done.code == 0:
            demand(b"was not closed" in done.err, "a cut between entries is not told")
            continue
        torn += 1
        demand(b"entry at byte " in done.err and b"ends inside it" in done.err, done.err.decode())
        result, said, cells = imported(suite, "--table", "t1", "--on-damage", "skip-block", log, want=REJECTS)
        demand(set(cells) < set(whole) and result["lost"]["places"] == 1, "not the beginning of the log")
        demand("lost.tsv" in said, said)
        whole_file = imported(suite, "--table", "t1", "--on-damage", "skip-file", log, WALS / "plain2.log", want=REJECTS)
        demand(whole_file[0]["wal"]["logs"] == 1, "the damaged log was read")
    demand(torn > 20, "no cut was within an entry")
    log.write_bytes(b"")
    done = suite.call("import", "--format", "wal", "--partition", "none", "-o", suite.fresh("out"), log)
    demand(b"no records" in done.err, "an empty log")


# ---- logs made here

def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def made_log(entries, header=b""):
    """entries: (sequence id, [(row, family, qualifier, value)])"""
    out = b"PWAL" + varint(len(header)) + header
    for seq, cells in entries:
        key = field(1, b"0" * 32) + field(2, b"t1") + field(3, seq) + field(4, 1) + field(7, len(cells))
        out += varint(len(key)) + key
        for row, family, qualifier, value in cells:
            k = len(row).to_bytes(2, "big") + row + bytes([len(family)]) + family + qualifier + bytes(8) + b"\x04"
            kv = len(k).to_bytes(4, "big") + len(value).to_bytes(4, "big") + k + value
            out += len(kv).to_bytes(4, "big") + kv
    return out + bytes(4) + b"LAWP"


def check_bulk_loads(suite):
    store = field(1, b"a") + field(2, b"a") + field(3, b"f00_SeqId_7_")
    marker = field(1, b"") + field(2, b"0" * 32) + field(3, store) + field(4, 7)
    entries = [(6, [(b"r", b"a", b"q", b"v")]), (7, [(b"", b"METAFAMILY", b"HBASE::BULK_LOAD", marker)])]
    log = suite.fresh("bulk.log")
    log.write_bytes(made_log(entries))
    err = suite.call("import", "--partition", "none", "-o", suite.fresh("out"), log, want=UNSUPPORTED).err.decode()
    demand("bulk load of 1 file" in err and "a/f00_SeqId_7_" in err and "--allow bulk-loaded" in err, err)
    result, said, cells = imported(suite, "--allow", "bulk-loaded", log)
    demand(len(cells) == 1 and result["wal"]["bulk_loaded_files"] == ["0" * 32 + "/a/f00_SeqId_7_"], "not listed")
    # what the snapshot's own files hold is no loss
    held = imported(suite, "--table", "t1", "--after", SNAPSHOT, log)
    demand(held[0]["wal"]["in_base"] == 1 and not held[0]["wal"]["bulk_loaded_files"], "the base has both")


def check_missing(suite):
    """A log that is left out between two others of its server is told by the sequence ids that it takes away."""
    folder = suite.fresh("WALs")
    folder.mkdir()
    opened = (1, [(b"", b"METAFAMILY", b"HBASE::REGION_EVENT::REGION_OPEN", b"")])
    edits = lambda a, b: [(seq, [(b"k%d" % seq, b"a", b"q", b"v")]) for seq in range(a, b)]
    for time, entries in ((100, [opened] + edits(2, 50)), (200, edits(50, 80)), (300, edits(80, 130))):
        (folder / ("h%%2C1%%2C1.%d" % time)).write_bytes(made_log(entries))
    pack = shutil.make_archive(str(suite.fresh("all")), "gztar", folder)
    for path in (folder, pack):
        demand("log-missing" not in imported(suite, path)[1], "a log is missed where all are given")
    (folder / "h%2C1%2C1.200").unlink()
    pack = shutil.make_archive(str(suite.fresh("some")), "gztar", folder)
    for path in (folder, pack):
        result, said, _ = imported(suite, path)
        words = "a log is missing between h%2C1%2C1.100 and h%2C1%2C1.300: sequence ids 50 to 79 of region " + "0" * 32
        demand(words in said, said)
        demand([w["code"] for w in result["warnings"]].count("log-missing") == 1, "not among the warnings")
        suite.call("import", "--strict", "--partition", "none", "-o", suite.fresh("out"), path, want=STRICT)
        suite.call("import", "--strict", "--allow", "log-missing", "--partition", "none", "-o", suite.fresh("out"), path)


def check_refused(suite):
    log = suite.fresh("refused.log")
    for header, words in ((field(2, b"key"), "encrypted"), (field(5, b"x.IndexedWALEditCodec"), "IndexedWALEditCodec")):
        log.write_bytes(made_log([], header))
        err = suite.call("import", "--partition", "none", "-o", suite.fresh("out"), log, want=UNSUPPORTED).err.decode()
        demand(words in err, err)
    plain = (WALS / "plain1.log",)
    for args in (("--after", WALS), ("--after", SNAPSHOT, "--table", "ns:t2"), ("--table", "")):
        suite.call("import", "--partition", "none", "-o", suite.fresh("out"), *args, *plain, want={USAGE, INPUT})


def check_memory(suite):
    """Little memory and few threads give the same bytes."""
    outs = []
    for args in ((), ("--memory", "64M", "--threads", "1")):
        out = suite.fresh("out%d" % len(outs))
        suite.call("import", "--partition", "none", "--now", 1, "--table", "t1", *args, "-o", out,
                   *sorted(WALS.glob("*.log")))
        outs.append(sorted((f["path"], f["checksum"]) for f in manifest(out)["files"]))
    demand(outs[0] == outs[1], "other bytes with less memory")


def check_archive(suite):
    """Logs in an archive, and one that is packed."""
    pack = shutil.make_archive(str(suite.fresh("logs")), "gztar", WALS, "gz2.log")
    packed = suite.fresh("gz2.log.gz")
    packed.write_bytes(gzip.compress((WALS / "gz2.log").read_bytes()))
    want = imported(suite, "--table", "t1", WALS / "gz2.log")[2]
    for path in (pack, packed):
        demand(imported(suite, "--table", "t1", path)[2] == want, "%s: other cells" % path)


def main():
    suite = Suite(__doc__, in_memory=True)
    for mode in MODES:
        suite.run("logs of HBase: %s" % mode, check_mode, mode)
    for check in (check_migration, check_regions, check_tables, check_nothing_taken, check_cuts, check_bulk_loads, check_missing,
                  check_refused,
                  check_memory, check_archive):
        suite.run(check.__name__[6:], check)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
