#!/usr/bin/env python3
"""The peak of resident memory stays within --memory, whatever the input: memory_kept.py with more and larger inputs.

    memory_limits.py BIN [--seed N] [--keep] [-v] [NAME ...]

-v prints the peaks. Skipped for sanitizer builds. The last line is "N passed, N failed, N skipped".
"""
import gzip
import lzma
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

from disturbed import RULES, TWO_COLUMNS, big_datasets, csv_of, made, small_datasets, spilling
from measured import measured
from programs import NOW, Suite, Wrong, bytes_of_files, cell_line, demand, digest, manifest, shown, tail


def cells_of(dataset):
    return sum(f["cells"] for f in manifest(dataset)["files"])


def memory_import(suite):
    source = csv_of(suite, 2600000)
    want = None
    for limit, threads, partition in ((512, 2, "key:97"), (128, 2, "key:97"), (64, 2, "key:97"), (64, 8, "key:97"),
                                      (128, 8, "none"), (64, 1, "none")):
        out = suite.fresh("measured")
        measured(suite, limit, "import", "--quiet", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "-t", threads, "-o",
                 out, source)
        demand(cells_of(out) == 5200000, "%d cells" % cells_of(out))
        want = want or digest(out)
        demand(digest(out) == want, "another digest")
    kept = suite.fresh("measured-kept")
    out.rename(kept)


def packed_inputs(suite):
    """Decompressors count, too: a window that does not fit is refused and named."""
    plain = csv_of(suite, 300000).read_bytes()
    for name, content in (("p.csv.gz", gzip.compress(plain, 1)), ("p.csv.xz", lzma.compress(plain[:8000000], preset=9)),
                          ("p6.csv.xz", lzma.compress(plain[:8000000], preset=6))):
        source = suite.tmp / name
        source.write_bytes(content)
        done = measured(suite, 64, "import", "--partition", "key:7", *TWO_COLUMNS, "-o", suite.fresh("measured"), source,
                        want={0, 6})
        demand(done.code == 0 or name.endswith("xz") and "memory" in shown(done.err), "exit %d, %s" % (done.code, tail(done.err)))
    if shutil.which("zstd"):
        source = suite.tmp / "p.csv"
        source.write_bytes(plain)
        subprocess.run(["zstd", "-q", "--long=30", "-1", "-f", str(source), "-o", str(source) + ".zst"], check=True)
        done = measured(suite, 64, "import", "--partition", "key:7", *TWO_COLUMNS, "-o", suite.fresh("measured"),
                        str(source) + ".zst", want={0, 6})
        demand(done.code == 0 or "memory" in shown(done.err), "exit %d, %s" % (done.code, tail(done.err)))


def wide_row(suite):
    """One row of 300,000 cells in random order."""
    def make(path):
        r = random.Random(suite.seed)
        order = list(range(300000))
        r.shuffle(order)
        with open(path, "w", encoding="ascii") as f:
            for i in order:
                f.write(cell_line(b"the row", b"cf", b"q%06d" % i, 1 + i % 3, 4, 0, b"v" * (i % 150), b"") + "\n")
    return made(suite, "wide.cells", make)


def hot_row(suite):
    """One key 500,000 times."""
    def make(path):
        with open(path, "w", encoding="ascii") as f:
            for i in range(500000):
                f.write("the key,%d,%s,%d\n" % (1 + i * 7919 % 500000, "v" * (i % 90), i))
    return made(suite, "hot.csv", make)


def same_key(suite):
    """One key 900,000 times without a timestamp of its own: cells that do not differ in anything but their values. HFile keeps
    such cells in one block: refused where that does not fit."""
    def make(path):
        with open(path, "w", encoding="ascii") as f:
            for i in range(900000):
                f.write("the key,%s,%d\n" % ("v" * (i % 80), i))
    source, out = made(suite, "same.csv", make), suite.tmp / "measured"
    columns = ("--format", "csv", "--columns", "HBASE_ROW_KEY,cf:a,cf:b")
    command = ("import", "--quiet", "--partition", "key:7", *columns, "--now", NOW)
    for limit, threads, want in ((64, 1, 6), (64, 8, 6), (128, 2, 6), (256, 2, 6), (512, 1, 0), (512, 8, 0)):
        done = measured(suite, limit, *command, "-t", threads, "-o", suite.fresh("measured"), source, want=want)
        demand(want == 0 or "its cells make one block of 63 MB" in shown(done.err), tail(done.err))
    demand(cells_of(out) == 1800000, "%d cells" % cells_of(out))
    for limit in (64, 512):
        for threads in (1, 8):
            want = 0 if limit == 512 and threads == 1 else {0, 6}
            measured(suite, limit, "verify", "check", "--quiet", "-t", threads, out, want=want)
            measured(suite, limit, "verify", "diff", "--quiet", "-t", threads, out, out, want=want)
            measured(suite, limit, "compact", "--quiet", *RULES, "-t", threads, "-o", suite.fresh("measured2"), out, out,
                     want=want)
            demand(want != 0 or cells_of(suite.tmp / "measured2") == 2, "compacted: other cells than two")


def short_records(suite):
    """6,000,000 records of 12 bytes: what is kept about a record is more than the record."""
    def make(path):
        with open(path, "w", encoding="ascii") as f:
            for start in range(0, 6000000, 10000):
                f.write("".join("k%d,%d,\n" % (i % 7, i) for i in range(start, start + 10000)))
    source, wrong = made(suite, "short.csv", make), []
    for partition in ("none", "key:97"):
        for threads in (1, 2, 8):
            out = suite.fresh("measured")
            try:
                measured(suite, 64, "import", "--quiet", "--partition", partition, "--format", "csv", "--columns",
                         "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a", "--now", NOW, "-t", threads, "-o", out, source)
                demand(cells_of(out) == 6000000, "%d cells" % cells_of(out))
            except Wrong as e:
                wrong.append(str(e))
    source.unlink()
    demand(not wrong, "\n".join(wrong))


def memory_of_rows(suite, make, options, cells):
    """Import, compaction, check, diff and dump of such rows at 64 MB."""
    source = make(suite)
    out, back, compacted = suite.fresh("measured"), suite.fresh("measured2"), suite.fresh("measured3")
    for threads in (2, 8):
        shutil.rmtree(out, ignore_errors=True)
        measured(suite, 64, "import", "--quiet", "--partition", "key:7", *options, "--now", NOW, "-t", threads, "-o", out, source)
    demand(cells_of(out) == cells, "%d cells" % cells_of(out))
    measured(suite, 64, "compact", "--quiet", *RULES, "--now", NOW, "-t", 8, "-o", compacted, out, out)
    demand(cells_of(compacted) == cells, "compacted: %d cells" % cells_of(compacted))
    measured(suite, 64, "split", "apply", "--quiet", "--partition", "none", "--now", NOW, "-t", 8, "-o", back, out)
    measured(suite, 64, "verify", "check", "--quiet", "-t", 8, out)
    measured(suite, 64, "verify", "diff", "--quiet", "-t", 8, out, back)
    with open(os.devnull, "wb") as null:
        measured(suite, 64, "verify", "dump", "-t", 8, out, stdout=null)


def many_partitions(suite, by_hand):
    """8192 partitions at 64 MB."""
    ddl, out = suite.tmp / "many.sql", suite.fresh("measured")
    ddl.write_text("CREATE TABLE `t$cf` (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, "
                   "V varbinary(1024), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 8192;\n")
    table = ("--partition", "key:8192") if by_hand else ("--ddl", ddl)
    source = spilling(suite)
    for threads in (1, 8):
        shutil.rmtree(out, ignore_errors=True)
        measured(suite, 64, "import", "--quiet", *table, *TWO_COLUMNS, "--now", NOW, "-t", threads, "-o", out, source)
    demand(cells_of(out) == 1200000, "%d cells" % cells_of(out))
    if by_hand:
        return
    measured(suite, 64, "verify", "check", "--quiet", out)
    measured(suite, 64, "compact", "--quiet", *RULES, "--now", NOW, "-o", suite.fresh("measured3"), out, out)
    measured(suite, 64, "verify", "diff", "--quiet", out, suite.tmp / "measured3")


def big_values(suite):
    """Values of 1 MB; then one that does not fit into the limit: exit 6, with what to do."""
    def make(path):
        r = random.Random(suite.seed)
        with open(path, "wb") as f:
            for i in range(150):
                f.write(b"k%03d,1,%s,x\n" % (i * 7 % 150, r.randbytes(524288).hex().encode()))
    source, out = made(suite, "values.csv", make), suite.fresh("measured")
    for threads in (1, 2, 8):
        shutil.rmtree(out, ignore_errors=True)
        measured(suite, 64, "import", "--quiet", "--partition", "key:3", *TWO_COLUMNS, "--now", NOW, "-t", threads, "-o", out,
                 source)
        measured(suite, 64, "verify", "check", "--quiet", "-t", threads, out)
    measured(suite, 64, "compact", "--quiet", *RULES, "-t", 8, "-o", suite.fresh("measured2"), out, out)
    measured(suite, 64, "verify", "diff", "--quiet", "-t", 8, out, suite.tmp / "measured2")
    with open(os.devnull, "wb") as null:
        measured(suite, 64, "verify", "dump", "-t", 8, out, stdout=null)
    huge = suite.tmp / "huge.csv"
    huge.write_bytes(b"k,1," + b"v" * (40 << 20) + b",x\n")
    done = measured(suite, 64, "import", "--quiet", "--partition", "none", *TWO_COLUMNS, "-o", suite.fresh("measured2"), huge,
                    want=6)
    demand("--m" in shown(done.err), "says not what to do: " + tail(done.err))
    measured(suite, 1024, "import", "--quiet", "--partition", "none", *TWO_COLUMNS, "-o", suite.fresh("measured2"), huge)
    measured(suite, 1024, "verify", "check", "--quiet", suite.tmp / "measured2")
    done = measured(suite, 64, "verify", "dump", suite.tmp / "measured2", want=6)
    demand("memory" in shown(done.err) or "limit" in shown(done.err), tail(done.err))


def merge_passes(suite):
    """Records of 3.4 MB: so few runs can be merged at a time that a second pass is needed. It changes no byte. Some have one key:
    without an encoding, blocks of three of them fit."""
    def make(path):
        r = random.Random(suite.seed)
        with open(path, "wb") as f:
            for i in range(90):
                value = r.randbytes(1700000).hex().encode()
                f.write(b"k%02d,%d,%s,%d\n" % (r.randrange(30), r.randrange(5), value, i))
    source, passes, hashes = made(suite, "records.csv", make), [], set()
    for limit, threads in ((64, 1), (64, 2), (1024, 2)):
        out = suite.fresh("measured")
        done = measured(suite, limit, "import", "--partition", "none", "--encoding", "NONE", *TWO_COLUMNS, "--now", NOW, "-t",
                        threads, "-o", out, source)
        passes += re.findall(r"(\d+) extra merge pass", shown(done.out))
        hashes.add(bytes_of_files(out))
    demand(len(hashes) == 1, "bytes depend on the run")
    demand(any(int(n) for n in passes), "no second pass: the test tests nothing (%s)" % passes)


def large_records(suite):
    """Records as large as are taken, and larger ones: within the limit, or exit 6."""
    taken, wrong = 0, []
    for size in (1, 2, 4, 6, 7, 12):
        def make(path, size=size):
            r = random.Random(suite.seed + size)
            with open(path, "wb") as f:
                for i in range(140 // size):
                    value = r.randbytes(size * 500000).hex().encode()
                    f.write(b"k%04d,%d,%s,%d\n" % (r.randrange(90), i, value, i))
        source = made(suite, "large%d.csv" % size, make)
        for threads in (1, 2, 8):
            out, compacted, back = suite.fresh("measured"), suite.fresh("measured2"), suite.fresh("measured3")
            import_it = ("import", "--quiet", "--partition", "none", *TWO_COLUMNS, "--now", NOW, "-t", threads, "-o", out, source)
            then = (("compact", "--quiet", *RULES, "-t", threads, "-o", compacted, out, out, out, out),
                    ("split", "apply", "--quiet", "--partition", "key:3", "-t", threads, "-o", back, out),
                    ("verify", "check", "--quiet", "-t", threads, out), ("verify", "diff", "--quiet", "-t", threads, out, back))
            for command in (import_it, *then):
                try:
                    done = measured(suite, 64, *command, want={0, 6})
                except Wrong as e:
                    wrong.append("%d MB: %s" % (size, e))
                    continue
                if command is import_it and done.code == 6:
                    break
                taken += done.code == 0
                if done.code == 6:
                    wrong.append("%d MB: %s with %d threads: %s" % (size, command[0], threads, tail(done.err, 200)))
        source.unlink()
    demand(not wrong, "\n".join(wrong))
    demand(taken > 20, "only %d runs" % taken)


def memory_of_compact(suite):
    """Many and large inputs: compact, split, check, diff at 64 MB."""
    base = suite.tmp / "measured-kept"
    if not base.exists():
        suite.call("import", "--quiet", "--partition", "none", *TWO_COLUMNS, "--now", NOW, "-o", base, csv_of(suite, 2600000))
    out = suite.fresh("measured")
    measured(suite, 64, "compact", "--quiet", *RULES, "--now", NOW, "-o", out, *big_datasets(suite))
    measured(suite, 64, "verify", "check", "--quiet", "-t", 8, base)
    measured(suite, 64, "verify", "diff", "--quiet", "-t", 8, base, base)
    measured(suite, 64, "verify", "diff", "--quiet", "-t", 8, base, out, want=1)
    measured(suite, 64, "split", "apply", "--quiet", "--partition", "key:97", "--now", NOW, "-t", 8, "-o",
             suite.fresh("measured2"), base)
    demand(digest(suite.tmp / "measured2") == digest(base), "split: another digest")
    compact = ("compact", "--quiet", *RULES, "--now", NOW, "-t", 8)
    measured(suite, 64, *compact, "-o", suite.fresh("measured"), *small_datasets(suite, 40))
    measured(suite, 64, *compact, "-o", suite.fresh("measured"), base, csv_of(suite, 300000), *TWO_COLUMNS)


def memory_of_joins(suite):
    """Long values of all shards that meet in a partition, beside larger files without any: the limit holds, or exit 6. Where each
    is in another partition, and in the largest file of its shard, they fit."""
    shards, bounds = 8, suite.tmp / "bounds.txt"
    bounds.write_text("".join("m%d\n" % i for i in range(shards)))

    def sources(together, megabytes, key="m%dz%d"):
        r, files = random.Random(suite.seed), []
        for i in range(shards):
            files.append(suite.fresh("join-%d.csv" % i))
            with open(files[-1], "wb") as f:
                for k in range(9000 * megabytes if together else 10):
                    f.write(b"a%08d,1,%s,x\n" % (k * shards + i, r.randbytes(100).hex().encode()))
                row = (key % (0 if together else i, i)).encode() if "%" in key else key.encode()
                f.write(b"%s,1,%s,x\n" % (row, r.randbytes(megabytes << 19).hex().encode()))
        return files

    def join(files, limit, want, runs):
        options = ("--quiet", "--partition", "range:%s" % bounds, *TWO_COLUMNS, "--codec", "none", "--now", NOW)
        out, left = suite.fresh("measured"), pathlib.Path("%s.shards" % (suite.tmp / "measured"))
        shutil.rmtree(left, ignore_errors=True)
        made = [suite.fresh("part-%d" % i) for i in range(shards)]
        if runs:  # all shards but the last are made before, with memory enough
            as_it_was, last = files[-1].stat(), files[-1].read_bytes()
            for content, run in ((last.replace(b",", b"-", 1), suite.call), (last, None)):
                files[-1].write_bytes(content)
                os.utime(files[-1], ns=(as_it_was.st_atime_ns, as_it_was.st_mtime_ns))
                if run:
                    run("import", *options, "--shards", shards, "-t", 2, "-o", out, *files, want=4)
            demand(list(left.glob("00001/*/*.run")), "the shards are no runs")
            return measured(suite, limit, "import", *options, "--shards", shards, "-t", 2, "-o", out, *files, want=want)
        for i, path in enumerate(made, 1):
            suite.call("import", *options, "--shard", "%d/%d" % (i, shards), "-o", path, *files)
        return measured(suite, limit, "split", "join", "--quiet", "-t", 2, "-o", out, *made, want=want)

    for runs in (False, True):
        join(sources(False, 3), 64, 0, runs)
        codes = []
        for limit in (64, 96, 128, 512):
            done = join(sources(True, 3), limit, {0, 6}, runs)
            codes.append(done.code)
            demand(done.code == 0 or "--memory" in shown(done.err), tail(done.err))
        done = join(sources(True, 3, "mz"), 64, {0, 6}, runs)  # cells with one key are never divided
        demand(done.code == 0 or "memory" in shown(done.err), tail(done.err))
        demand(codes == sorted(codes, reverse=True) and codes[-1] == 0, "exit codes with more memory: %s" % codes)


def main():
    suite = Suite(__doc__)
    suite.run("memory: import", memory_import)
    suite.run("memory: compressed input", packed_inputs)
    suite.run("memory: compact, split, check, diff", memory_of_compact)
    suite.run("memory: wide row", memory_of_rows, wide_row, ("--format", "cells"), 300000)
    suite.run("memory: hot row", memory_of_rows, hot_row, TWO_COLUMNS, 1000000)
    suite.run("memory: short records", short_records)
    suite.run("memory: same key", same_key)
    suite.run("memory: 8192 partitions", many_partitions, False)
    suite.run("memory: 8192 partitions by hand", many_partitions, True)
    suite.run("memory: values of 1 MB", big_values)
    suite.run("memory: merge passes", merge_passes)
    suite.run("memory: large records", large_records)
    suite.run("memory: joins", memory_of_joins)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
