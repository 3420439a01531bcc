#!/usr/bin/env python3
"""Bad input and damaged files: a clear message and the documented exit code, never a crash, never a wrong success.

    damage.py BIN [--seed N] [--keep] [-v] [NAME ...]

Truncates an HFile at every byte, flips bytes of bare HFiles, of dataset files and of the manifest, swaps, removes and adds files
of a dataset. One place in four is drawn (`drawn` of programs.py); OBKV_STRESS=1 (make stress) takes all. In the zero padding of
an HFile's trailer every 8th byte stands for its neighbours; OBKV_ALL_BYTES=1 takes them all, OBKV_COMPLAINTS=N shows N findings
of a test instead of 5.
The last line is "N passed, N failed, N skipped".
"""
import bz2
import concurrent.futures
import gzip
import json
import lzma
import os
import random
import re
import shutil
import sys

from programs import NOW, Suite, Wrong, cell_line, demand, drawn, manifest, shown

JOBS = 3
FEWER = 4
PADDING_STEP = 1 if os.environ.get("OBKV_ALL_BYTES") else 8
TTL_TAG = b"\0\x09\x08" + (10 ** 9).to_bytes(8, "big")
TEXT = ("--partition", "none", "--now", NOW)
CELLS = TEXT + ("--format", "cells")
CSV = TEXT + ("--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a")
DDL = """CREATE TABLE `t$cf` (K varbinary(8) NOT NULL, Q varbinary(4) NOT NULL, T bigint NOT NULL, V varbinary(10) NOT NULL,
PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3;
"""


def few_cells():
    """All types, tags, sequence ids, an empty qualifier and an empty value."""
    rows = [cell_line(b"r%d" % i, b"cf", b"q%d" % (i % 3), 1000 + i, 4, i, b"value %d" % i * (i % 4), TTL_TAG if i % 2 else b"")
            for i in range(12)]
    rows += [cell_line(b"r3", b"cf", b"q0", 900, 8, 7, b"", b""), cell_line(b"r4", b"cf", b"q1", 900, 12, 0, b"", TTL_TAG),
             cell_line(b"r5", b"cf", b"", 900, 14, 3, b"", b""), cell_line(b"r6", b"cf", b"", 900, 10, 3, b"", b""),
             cell_line(b"r\x00\xff", b"cf", b"", 1, 4, 0, b"", b"")]
    return "".join(line + "\n" for line in rows)


def make_dataset(suite, name, *args, text=None):
    source, out = suite.tmp / (name + ".cells"), suite.tmp / name
    source.write_text(text or few_cells())
    if not out.exists():
        suite.call("import", "--quiet", "--format", "cells", "--now", NOW, "-o", out, *args, source)
    return out


def one_file(suite):
    out = make_dataset(suite, "bare", "--partition", "none")
    return out / manifest(out)["files"][0]["path"]


def all_of(tasks, work):
    """The complaints of work(task) for the tasks that are drawn, some at a time."""
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return [text for text in pool.map(work, drawn(tasks, FEWER, work.__qualname__)) if text]


def some(complaints, of):
    shown_n = int(os.environ.get("OBKV_COMPLAINTS", "5"))
    demand(not complaints, "%d of %d are wrong; the first:\n%s" % (len(complaints), of, "\n".join(complaints[:shown_n])))


# ---- text ----

LONG = b"k" * 32768
BAD_TEXT = [
    # name, options, bytes, exit code, message
    ("open quote", CSV, b'a,1,x\n"b,2,y\nc,3,z\n', 4, r"in\.txt:2: the quote opened in line 2 is never closed"),
    ("open quote in the last field", CSV, b'a,1,x\nb,2,"y', 4, r"in\.txt:2: the quote opened in line 2"),
    ("text behind a quote", CSV, b'a,1,"x"y\n', 4, r"in\.txt:1: text after the closing quote"),
    ("no key", CSV, b"a,1,x\n,2,y\n", 4, r"in\.txt:2: empty row key"),
    ("quoted empty key", CSV, b'a,1,x\n"",2,y\n', 4, r"in\.txt:2: empty row key"),
    ("key of 32768 bytes", CSV, b"a,1,x\n" + LONG + b",2,y\n", 4, r"in\.txt:2: row key of 32768 bytes, at most 32767"),
    ("timestamp in words", CSV, b"a,1,x\nb,soon,y\n", 4, r"in\.txt:2: timestamp is not a whole number"),
    ("timestamp empty", CSV, b"a,,x\n", 4, r"in\.txt:1: timestamp is not a whole number"),
    ("timestamp with a fraction", CSV, b"a,1.5,x\n", 4, r"in\.txt:1: timestamp is not a whole number"),
    ("timestamp in hex", CSV, b"a,0x10,x\n", 4, r"in\.txt:1: timestamp is not a whole number"),
    ("timestamp as a date", CSV, b"a,2026-11-21T12:00:00Z,x\n", 4, r"in\.txt:1: timestamp is a date"),
    ("timestamp of 65 bits", CSV, b"a,18446744073709551616,x\n", 4, r"in\.txt:1: timestamp is not a whole number of 64 bits"),
    ("timestamp negative", CSV, b"a,-1,x\n", 4, r"in\.txt:1: timestamp -1 is negative"),
    ("timestamp with a blank", CSV, b"a, 1,x\n", 4, r"in\.txt:1: timestamp is not a whole number"),
    ("too few fields", CSV, b"a,1,x\nb,2\n", 4, r"in\.txt:2: 2 fields, but 3 columns"),
    ("too many fields", CSV, b"a,1,x,\n", 4, r"in\.txt:1: 4 fields, but 3 columns"),
    ("only NULs", CSV, b"\0" * 100, 4, r"in\.txt:1: "),
    ("line numbers behind quoted line ends", CSV, b'a,1,"x\n\n\ny"\n,2,y\n', 4, r"in\.txt:5: empty row key"),
    ("line numbers behind a BOM and CRLF", CSV, b"\xef\xbb\xbfa,1,x\r\n\r\n,2,y\r\n", 4, r"in\.txt:3: empty row key"),
    ("cells: too few fields", CELLS, b"61\t62\t63\t1\t4\t0\t64\n", 4, r"in\.txt:1: 7 fields, 8 are needed"),
    ("cells: half a byte", CELLS, b"# x\n616\t62\t63\t1\t4\t0\t64\t-\n", 4, r"in\.txt:2: .*hex"),
    ("cells: unknown type", CELLS, b"61\t62\t63\t1\t5\t0\t64\t-\n", 4, r"in\.txt:1: type 5"),
    ("cells: bad tags", CELLS, b"61\t62\t63\t1\t4\t0\t64\t0005\n", 4, r"in\.txt:1: tags are malformed"),
    ("cells: empty row", CELLS, b"-\t62\t63\t1\t4\t0\t64\t-\n", 4, r"in\.txt:1: empty row key"),
    ("cells: truncated", CELLS, b"61\t62\t63\t1\t4\t0\t64\t-\n61\t62\t6", 4, r"in\.txt:2: 3 fields"),
    ("zero bytes, called .hfile", TEXT + ("--format", "hfile"), b"", 5, r"in\.txt"),
    ("text, called hfile", TEXT + ("--format", "hfile"), b"a,1,x\n" * 2000, 5, r"in\.txt"),
    ("random bytes, no format", TEXT, bytes(range(256)) * 40, 2, r"in\.txt: .*--format"),
    ("zip", CSV, b"PK\3\4" + b"x" * 500, 5, r"in\.txt: damaged or truncated zip archive"),
]


def bad_text(suite, options, content, code, message):
    source, out = suite.tmp / "in.txt", suite.fresh("text")
    source.write_bytes(content)
    done = suite.call("import", *options, "-o", out, source, want=code)
    err = shown(done.err)
    demand(re.search(message, err), "the message should match %r:\n%s" % (message, err))
    demand(not (out / "MANIFEST.json").exists(), "published nevertheless")
    if code == 4:
        reasons = (out / "_report" / "reasons.tsv").read_text().splitlines()
        demand(len(reasons) >= 2 and len(reasons[1].split("\t")) == 5, "reasons.tsv: %s" % reasons)
    again = shown(suite.call("import", *options, "-o", out, source, want=code).err)
    demand(re.search(message, again), "another message the second time:\n" + again)


def over_length(suite):
    ddl, source, out = suite.tmp / "t.sql", suite.tmp / "in.txt", suite.fresh("text")
    ddl.write_text(DDL)
    line = "%s,1,%s\n"
    source.write_text(line % ("k" * 8, "v" * 10) + line % ("k" * 9, "v") + line % ("k", "v" * 11))
    import_as = ("import", "--ddl", ddl, "--format", "csv", "--columns")
    done = suite.call(*import_as, "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a", "-o", out, source, want=4)
    demand(b"in.txt:2: row key of 9 bytes, column K of family cf holds 8" in done.err, shown(done.err))
    reasons = (out / "_report" / "reasons.tsv").read_text()
    demand("value of 11 bytes, column V of family cf holds 10" in reasons, reasons)
    done = suite.call(*import_as, "HBASE_ROW_KEY,HBASE_TS_KEY,cf:toolong", "--max-rejects", 9, "-o", suite.fresh("text"), source,
                      want={2, 3})
    demand(b"qualifier" in done.err or done.code == 3, shown(done.err))


def packed(suite):
    """Compressed text: cut anywhere, or with a flipped byte, it is damage or the very same content."""
    plain = "".join("k%04d,%d,%s\n" % (i * 7919 % 5000, i, "v" * (i % 50)) for i in range(500)).encode()
    r = random.Random(suite.seed)
    want = None
    for ending, content in (("plain", plain), ("gz", gzip.compress(plain, mtime=0)), ("bz2", bz2.compress(plain)),
                            ("xz", lzma.compress(plain))):
        source, out = suite.tmp / ("t.csv." + ending), suite.fresh("packed")
        source.write_bytes(content)
        got = suite.result("import", *CSV, "-o", out, source)["cells"]["in"]
        demand(want in (None, got), "%s: %s, wanted %s" % (ending, got, want))
        want = got
        if ending == "plain":
            continue
        for i in range(40):
            bad = bytearray(content)
            if i % 2:
                del bad[r.randrange(1, len(bad)):]
            else:
                bad[r.randrange(len(bad))] ^= 1 << r.randrange(8)
            source.write_bytes(bad)
            done = suite.call("import", "--json", *CSV, "-o", suite.fresh("packed"), source, want={0, 4, 5})
            good = done.code == 0 and json.loads(done.out)["cells"]["in"] == want
            named = done.code == 5 and b"t.csv." in done.err
            magic = done.code == 4 and bad[:10] != content[:10]  # no longer compressed by its first bytes: bad text
            demand(good or named or magic, "%s, damage %d: exit %d, %s" % (ending, i, done.code, shown(done.err)))


# ---- bare HFiles ----

def byte_positions(data):
    """All bytes, but of the trailer's zero padding only some."""
    pad = range(len(data) - 4096, len(data))
    return [i for i in range(len(data)) if i not in pad or data[i] or i % PADDING_STEP == 0]


def truncated(suite):
    data = one_file(suite).read_bytes()
    folder = suite.fresh("cut")
    folder.mkdir()

    def work(n):
        path, out = folder / ("%05d.hfile" % n), folder / ("out%05d" % n)
        path.write_bytes(data[:n])
        try:
            runs = [suite.call("verify", "check", path, want=5)]
            if n % 4 == 0 or n < 400:
                runs.append(suite.call("import", "--partition", "none", "-o", out, path, want=5))
                demand(not out.exists(), "left %s behind" % out)
            for done in runs:
                demand(path.name.encode() in done.err, "the message does not name the file: %s" % shown(done.err))
                demand(not done.out, "results on stdout: %s" % shown(done.out))
        except Wrong as e:
            return "cut to %d of %d bytes: %s" % (n, len(data), e)
        finally:
            path.unlink()
        return None

    cuts = sorted(set(byte_positions(data)) | {len(data) - 1})
    some(all_of(cuts, work), len(cuts))


def flipped_bare(suite, path, step=1):
    """dump of a file with one flipped byte: refused, or the same cells."""
    data = path.read_bytes()
    folder = suite.fresh("flip")
    folder.mkdir()
    want = suite.call("verify", "dump", path).out
    r = random.Random(suite.seed)
    flips = [(i, r.randrange(1, 256)) for i in byte_positions(data)[::step]]

    def work(flip):
        at, bits = flip
        bad = bytearray(data)
        bad[at] ^= bits
        target = folder / ("%06d.hfile" % at)
        target.write_bytes(bad)
        try:
            done = suite.call("verify", "dump", "--format", "hfile", target, want={0, 5})
            demand(done.code == 5 or done.out == want, "other cells:\n%s" % shown(done.out)[:400])
            demand(done.code == 0 or target.name.encode() in done.err, "no file name: %s" % shown(done.err))
        except Wrong as e:
            return "byte %d of %d ^ %02x: %s" % (at, len(data), bits, e)
        finally:
            target.unlink()
        return None

    some(all_of(flips, work), len(flips))


def flipped_import(suite):
    """import and check of a damaged bare file: refused, or the very same cells; check may find more."""
    path = one_file(suite)
    data = path.read_bytes()
    want = suite.call("verify", "dump", path).out
    folder = suite.fresh("flipimport")
    folder.mkdir()
    r = random.Random(suite.seed + 1)
    flips = [(i, 1 << r.randrange(8)) for i in byte_positions(data)[::7]]

    def work(flip):
        at, bits = flip
        bad = bytearray(data)
        bad[at] ^= bits
        target, out = folder / ("%06d.hfile" % at), folder / ("out%06d" % at)
        target.write_bytes(bad)
        try:
            suite.call("verify", "check", "--quiet", target, want={0, 1, 5})
            done = suite.call("import", "--quiet", "--format", "hfile", "--partition", "none", "-o", out, target, want={0, 4, 5})
            if done.code == 0:
                demand(suite.call("verify", "dump", out).out == want, "other cells")
        except Wrong as e:
            return "byte %d of %d ^ %02x: %s" % (at, len(data), bits, e)
        finally:
            shutil.rmtree(out, ignore_errors=True)
        return None

    some(all_of(flips, work), len(flips))


# ---- datasets ----

def many_files(suite):
    """A dataset of small files: one byte of each can be flipped in one run."""
    text = "".join(cell_line(b"row%03d" % i, b"cf", b"q", 1000 + i, 4, 0, b"v%d" % i, b"") + "\n" for i in range(60))
    bounds = suite.tmp / "many.bounds"
    bounds.write_text("".join("row%03d\n" % i for i in range(1, 60)))
    return make_dataset(suite, "many", "--partition", "range:%s" % bounds, text=text)


def flipped_dataset(suite):
    """Every flipped byte of a dataset's file is found by check; file number n of a run has byte n of its share flipped."""
    good = many_files(suite)
    files = manifest(good)["files"]
    size = max(f["bytes"] for f in files)
    rounds = -(-size // len(files))

    def work(n):
        r = random.Random(suite.seed * 1000 + n)
        copy = suite.tmp / ("many%04d" % n)
        shutil.copytree(good, copy)
        flipped = {}
        for k, f in enumerate(files):
            at = n * len(files) + k
            if at < f["bytes"]:
                path = copy / f["path"]
                data = bytearray(path.read_bytes())
                data[at] ^= r.randrange(1, 256)
                path.write_bytes(data)
                flipped[f["path"]] = at
        try:
            done = suite.call("verify", "check", "--json", "--limit", 5000, copy, want=1 if flipped else 0)
            texts = [p["text"] for p in json.loads(done.out)["problems"]]
            for path, at in flipped.items():
                demand(any(path in t for t in texts), "byte %d of %s: not found among %d problems" % (at, path, len(texts)))
            for f in files:
                demand(f["path"] in flipped or not any(f["path"] in t for t in texts), "%s is whole" % f["path"])
        except Wrong as e:
            return str(e)
        finally:
            shutil.rmtree(copy)
        return None

    some(all_of(range(rounds), work), rounds)


def changed(suite, name, change, check={1, 5}, others=None):
    """A copy of the dataset after change(folder): what check says, and the exit of the programs that read it."""
    copy = suite.fresh("changed")
    shutil.copytree(make_dataset(suite, "three", "--partition", "key:3"), copy)
    change(copy)
    done = suite.call("verify", "check", copy, want=check)
    demand(done.out.strip() or done.err.strip(), "nothing is said")
    if others is not None:
        for tool in (("verify", "dump", copy), ("verify", "diff", copy, copy),
                     ("import", "--partition", "none", "-o", suite.fresh("o"), copy),
                     ("compact", "--versions", 1, "-o", suite.fresh("o"), copy),
                     ("split", "apply", "--partition", "none", "-o", suite.fresh("o"), copy)):
            suite.call(*tool, want=others)
            demand(not (suite.tmp / "o" / "MANIFEST.json").exists(), "%s: published" % tool[0])
    return shown(done.out + done.err)


def file_missing(suite):
    said = changed(suite, "missing", lambda d: (d / manifest(d)["files"][1]["path"]).unlink(), check=1, others=5)
    demand("missing; the manifest" in said, said)


def file_longer(suite):
    def change(d):
        with open(d / manifest(d)["files"][1]["path"], "ab") as f:
            f.write(b"\0")
    changed(suite, "longer", change, check=1, others=5)


def file_empty(suite):
    changed(suite, "empty", lambda d: (d / manifest(d)["files"][1]["path"]).write_bytes(b""), check=1, others=5)


def file_is_folder(suite):
    def change(d):
        path = d / manifest(d)["files"][1]["path"]
        path.unlink()
        path.mkdir()
    changed(suite, "folder", change, check={1, 5}, others=5)


def files_swapped(suite):
    def change(d):
        a, b = (d / f["path"] for f in manifest(d)["files"][:2])
        a.rename(d / "x")
        b.rename(a)
        (d / "x").rename(b)
    changed(suite, "swapped", change, check=1)


def files_swapped_in_both(suite):
    """Files exchanged and the manifest's entries with them: only placement can tell."""
    def change(d):
        m = manifest(d)
        a, b = m["files"][:2]
        pa, pb = d / a["path"], d / b["path"]
        pa.rename(d / "x")
        pb.rename(pa)
        (d / "x").rename(pb)
        for key in list(a):
            if key not in ("path", "partition", "partition_name", "number", "family"):
                a[key], b[key] = b[key], a[key]
        (d / "MANIFEST.json").write_text(json.dumps(m))
    said = changed(suite, "swapped in both", change, check=1)
    demand("belongs to partition" in said, said)


def file_extra(suite):
    def change(d):
        source = d / manifest(d)["files"][0]["path"]
        shutil.copy(source, source.with_name("p00000-001.hfile"))
    said = changed(suite, "extra", change, check=1)
    demand("p00000-001.hfile" in said, said)


def family_extra(suite):
    def change(d):
        (d / "other").mkdir()
        shutil.copy(d / manifest(d)["files"][0]["path"], d / "other" / "p00000-000.hfile")
    said = changed(suite, "extra family", change, check=1)
    demand("other" in said, said)


def manifest_cut(suite):
    """A manifest cut anywhere is damage to check, and unreadable for who wants the data."""
    good = make_dataset(suite, "three", "--partition", "key:3")
    text = (good / "MANIFEST.json").read_bytes().rstrip()
    cuts = list(range(0, len(text), 11)) + [len(text) - 1]

    def work(n):
        copy = suite.tmp / ("cutm%05d" % n)
        shutil.copytree(good, copy)
        (copy / "MANIFEST.json").write_bytes(text[:n])
        try:
            command = ("check", "info", "dump")[n % 3]
            done = suite.call("verify", command, copy, want=1 if command == "check" else 5)
            demand(b"MANIFEST.json" in done.out + done.err, shown(done.out + done.err))
        except Wrong as e:
            return "cut to %d of %d bytes: %s" % (n, len(text), e)
        finally:
            shutil.rmtree(copy)
        return None

    some(all_of(cuts, work), len(cuts))


# What may change without anybody being able to tell: words for people, and what is recomputed.
FREE = {"tool", "now_ms", "now_given", "settings", "inputs", "ddl", "rules"}


def leaves(value, path=()):
    if isinstance(value, dict):
        for k, v in value.items():
            yield from leaves(v, path + (k,))
    elif isinstance(value, list):
        for i, v in enumerate(value):
            yield from leaves(v, path + (i,))
    else:
        yield path, value


def put(value, path, new):
    for key in path[:-1]:
        value = value[key]
    value[path[-1]] = new


def edits_of(value):
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, -1, 1 << 62]
    if isinstance(value, str):
        return [value[:-1] + ("0" if value[-1:] != "0" else "1"), "", "../../etc/passwd"]
    return ["x", 0]


def manifest_edited(suite):
    """Each value of the manifest that says something about the data, changed: check notices. No program crashes."""
    good = make_dataset(suite, "three", "--partition", "key:3")
    m = manifest(good)
    edits = [(path, new) for path, value in leaves(m) if path[0] not in FREE and path[-1] not in FREE
             for new in edits_of(value) if new != value]

    def work(numbered):
        n, (path, new) = numbered
        copy = suite.tmp / ("edit%05d" % n)
        copy.mkdir()
        (copy / "cf").symlink_to(good / "cf")
        one = json.loads(json.dumps(m))
        put(one, path, new)
        (copy / "MANIFEST.json").write_text(json.dumps(one))
        try:
            suite.call("verify", "check", "--quiet", copy, want={1, 5})
        except Wrong as e:
            return "%s = %r: %s" % (".".join(map(str, path)), new, e)
        finally:
            shutil.rmtree(copy)
        return None

    some(all_of(enumerate(edits), work), len(edits))


def manifest_flipped(suite):
    """Any byte of the manifest flipped: some exit code that is documented, no crash, and every tool ends."""
    good = make_dataset(suite, "three", "--partition", "key:3")
    text = (good / "MANIFEST.json").read_bytes()
    r = random.Random(suite.seed)
    flips = [(i, 1 << r.randrange(8)) for i in range(0, len(text), 9)]
    tools = (("verify", "check"), ("verify", "info"), ("compact", "--versions", 1), ("split", "apply", "--partition", "key:2"))

    def work(numbered):
        n, (at, bits) = numbered
        copy = suite.tmp / ("flipm%05d" % n)
        copy.mkdir()
        (copy / "cf").symlink_to(good / "cf")
        bad = bytearray(text)
        bad[at] ^= bits
        (copy / "MANIFEST.json").write_bytes(bad)
        tool, out = tools[n % len(tools)], suite.tmp / ("flipo%05d" % n)
        try:
            suite.call(*tool, *(("-o", out) if tool[0] != "verify" else ()), copy, want={0, 1, 2, 4, 5})
        except Wrong as e:
            return "byte %d ^ %02x: %s" % (at, bits, e)
        finally:
            shutil.rmtree(copy)
            shutil.rmtree(out, ignore_errors=True)
        return None

    some(all_of(enumerate(flips), work), len(flips))


def main():
    suite = Suite(__doc__, in_memory=True)
    for name, *rest in BAD_TEXT:
        suite.run("text: " + name, bad_text, *rest)
    suite.run("text: over the lengths of the table", over_length)
    suite.run("text: compressed and damaged", packed)
    suite.run("hfile: truncated at every byte", truncated)
    data = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "data", "hfile")
    suite.run("hfile: every byte flipped", lambda s: flipped_bare(s, one_file(s)))
    for name in ("hbase_files/h1_4_9_v2_none", "golden_hfiles/g01_small", "hbase_files/codec_gz"):
        path = suite.tmp / "x.hfile"
        shutil.copy(os.path.join(data, name + ".hfile"), path)
        suite.run("hfile: bytes flipped, " + name, lambda s: flipped_bare(s, s.tmp / "x.hfile", 23))
    suite.run("hfile: bytes flipped, import and check", flipped_import)
    suite.run("dataset: every byte of a file flipped", flipped_dataset)
    for test in (file_missing, file_longer, file_empty, file_is_folder, files_swapped, files_swapped_in_both, file_extra,
                 family_extra, manifest_cut, manifest_edited, manifest_flipped):
        suite.run("dataset: " + test.__name__.replace("_", " "), test)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
