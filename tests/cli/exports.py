#!/usr/bin/env python3
"""Exports of random and of nasty cells, read back here: lines, sums, manifest and texts against what the dataset holds.

    exports.py BIN [--seed N] [--keep] [-v] [NAME ...]

Sums are computed after docs/loading-design.md, placement of every row of tests/data/vectors/partition_engine.tsv is what a real
engine did. The last line is "N passed, N failed, N skipped".
"""
import collections
import csv
import gzip
import hashlib
import io
import json
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import zlib

from disturbed import looks_at_signals, until, written
from programs import NOW, Suite, Wrong, cell_line, demand, manifest, unhex
from sealing import write_sealed

try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = ROOT / "tests/data"
COLUMNS = "K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V longblob NOT NULL"
KEY5 = "CREATE TABLE `t$f` (%s, PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 5;\n" % COLUMNS
TTL5 = KEY5.replace("V longblob NOT NULL", "V longblob NOT NULL, TTL bigint DEFAULT NULL")
MAX_LINE = 2079728
ESCAPES = {b"t": b"\t", b"n": b"\n"}


def ttl_tag(ms):
    return b"\0\x09\x08" + ms.to_bytes(8, "big")


def random_cells(seed, n, ttl=False):
    """Distinct by row, qualifier and timestamp; every byte value, also at the ends; some rows have many cells."""
    r = random.Random(seed)
    special = [b"", b"\t", b"\n", b"\\", b"\\N", b"\0", b"\xff", b"\r\n", bytes(range(256)), b"\\t\\n", b"'\"`%,"]
    rows = [b"row%05d" % r.randrange(10 ** 5) for _ in range(n // 8)] + [r.randbytes(r.randint(1, 40)) for _ in range(n // 8)]
    rows += [s for s in special if s] + [b"wide"] * (n // 10)
    cells = {}
    for _ in range(n):
        key = (r.choice(rows), r.choice(special[:10] + [b"q%d" % r.randrange(300)]), NOW - r.randrange(10 ** 6))
        value = r.choice((r.choice(special), r.randbytes(r.randrange(90))))
        cells[key] = (value, r.randrange(1 << 50, 1 << 51) if ttl and r.random() < .3 else None)
    return cells


def build(s, name, sql, cells, *options):
    """A dataset of cells {(row, qualifier, ts): (value, ttl)}."""
    (s.tmp / "t.sql").write_text(sql)
    lines = [cell_line(k, b"f", q, ts, 4, 0, v, ttl_tag(ttl) if ttl else b"") for (k, q, ts), (v, ttl) in cells.items()]
    s.call("import", "--quiet", "--ddl", s.tmp / "t.sql", "--now", NOW, "-f", "cells", *options, "-o", s.fresh(name), "-",
           stdin="\n".join(lines).encode() + b"\n")
    return s.tmp / name


def export(s, name, dataset, *options, **kw):
    s.call("export", "--quiet", "--now", NOW, "--server-dir", "/s", *options, "-o", s.fresh(name), dataset, **kw)
    return s.tmp / name


def unescape(field):
    return re.sub(rb"\\(.)", lambda m: ESCAPES.get(m[1], m[1]), field, flags=re.S)


def text_of(path):
    data = path.read_bytes()
    if path.suffix == ".gz":
        return gzip.decompress(data)
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", str(path)], stdout=subprocess.PIPE, check=True).stdout
    return data


def rows_of(path, ttl=False):
    """[(K, Q, T, V, TTL)] of a load file."""
    out = []
    text = text_of(path)
    demand(not text or text.endswith(b"\n"), "%s: no line end at its end" % path)
    for line in text.split(b"\n")[:-1]:
        f = line.split(b"\t")
        demand(len(f) == 4 + ttl, "%s: a line of %d fields" % (path, len(f)))
        own = None if not ttl or f[3] == b"\\N" else int(f[3])
        out.append((unescape(f[0]), unescape(f[1]), int(f[-1]), unescape(f[2]), own))
    return out


def sums(rows, ttl):
    """The figures of the manifest, after the formula in docs/loading-design.md."""
    out = dict(rows=len(rows), cell_bytes=0, crc_sum=0, crc_xor=0, key_sum=0, md5_sum=0, md5_xor=0)
    for k, q, t, v, own in rows:
        head = b"%d,%d,%d," % (len(k), len(q), t) + (b"%s," % (b"N" if own is None else b"%d" % own) if ttl else b"")
        crc = zlib.crc32(head + b"%d," % zlib.crc32(v) + k + q)
        md5 = hashlib.md5(head + hashlib.md5(v).hexdigest().encode() + b"," + k + q).hexdigest()
        out["cell_bytes"] += len(k) + len(q) + len(v)
        out["crc_sum"] += crc
        out["crc_xor"] ^= crc
        out["key_sum"] += zlib.crc32(k + q + b"%d" % t)
        out["md5_sum"] += int(md5[:15], 16)
        out["md5_xor"] ^= int(md5[16:], 16)
    return {k: str(v) if k in ("crc_sum", "key_sum", "md5_sum", "md5_xor") else v for k, v in out.items()}


def check_export(out, cells, ttl=False):
    """Every cell once, in order, in files and partitions whose figures are true."""
    seen, of = collections.Counter(), collections.defaultdict(list)
    m = manifest(out)
    for f in m["files"]:
        rows = rows_of(out / f["path"], ttl)
        got = sums(rows, ttl)
        wrong = {k: (f[k], got[k]) for k in got if k in f and f[k] != got[k]}
        demand(not wrong and rows, "%s: %s" % (f["path"], wrong))
        demand((out / f["path"]).stat().st_size == f["bytes"], f["path"] + ": size")
        demand((unhex(f["first_key_hex"]), unhex(f["last_key_hex"])) == (rows[0][0], rows[-1][0]), f["path"] + ": keys")
        seen.update(rows)
        if not f["big"]:
            of[f["partition"]] += rows
    for rows in of.values():
        demand(all(a[:3] < b[:3] for a, b in zip(rows, rows[1:])), "a partition is not in order")
    for p in m["partitions"]:
        got = sums([r for f in m["files"] if f["partition"] == p["partition"] for r in rows_of(out / f["path"], ttl)], ttl)
        demand(all(p[k] == got[k] for k in got if k in p), "%s: figures" % p["name"])
    want = collections.Counter((k, q, -ts, v, own if ttl else None) for (k, q, ts), (v, own) in cells.items())
    demand(seen == want, "cells differ: %d missing, %d extra" % (len(want - seen), len(seen - want)))
    return m


def tree(folder):
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*"))
            if p.is_file() and ".obkv" not in p.parts}


# ---- tests ----

def test_cells(s):
    cells = random_cells(s.seed, 30000)
    m = check_export(export(s, "out", build(s, "d", KEY5, cells), "--strong"), cells)
    demand(len(m["files"]) == 5 and m["ledger"]["cells"]["written"]["cells"] == len(cells), "files or ledger")


def test_ttl_column(s):
    cells = random_cells(s.seed + 1, 5000, ttl=True)
    dataset = build(s, "d", TTL5, cells)
    check_export(export(s, "out", dataset, "--strong"), cells, ttl=True)
    (s.tmp / "plain.sql").write_text(KEY5)
    m = check_export(export(s, "out", dataset, "--ddl", s.tmp / "plain.sql"), cells)
    demand(m["ttl_lost"] == sum(own is not None for _, own in cells.values()), "ttl_lost is %d" % m["ttl_lost"])


def test_tags(s):
    """A visibility label is no silent loss: cells that HBase shows to some would be shown to all."""
    (s.tmp / "t.sql").write_text(KEY5)
    label, own = bytes.fromhex("000302aabb"), ttl_tag(1 << 50)
    lines = [cell_line(b"r%d" % n, b"f", b"q", NOW - n, 4, 0, b"v", tags)
             for n, tags in enumerate((b"", label, own, own + label))]
    s.call("import", "--quiet", "--ddl", s.tmp / "t.sql", "--now", NOW, "-f", "cells", "-o", s.fresh("tags"), "-",
           stdin="\n".join(lines).encode() + b"\n")
    for form, to in (("kqvt", "out"), ("csv", "out"), ("csv", "-"), ("jsonl", "out"), ("cells", "out")):
        err = s.call("export", "--now", NOW, "-f", form, "-o", to if to == "-" else s.fresh(to), s.tmp / "tags").err.decode()
        told = "2 cells have tags" in err and "[tags-lost]" in err
        demand(told == (form in ("kqvt", "csv")), "%s to %s: %s" % (form, to, err))
    s.call("export", "--now", NOW, "--strict", "--allow", "cell-ttl-lost", "-o", s.fresh("out"), s.tmp / "tags", want=4)
    for form in ("jsonl", "cells"):
        s.call("export", "--now", NOW, "-f", form, "-o", s.fresh("out"), s.tmp / "tags")
        s.call("import", "--quiet", "--ddl", s.tmp / "t.sql", "--now", NOW, "-f", form, "-o", s.fresh("back"),
               s.tmp / "out" / "data")
        s.call("verify", "diff", s.tmp / "tags", s.tmp / "back")


def test_same_bytes(s):
    """Neither threads nor memory change a byte; many small files, one wide row among them."""
    cells = random_cells(s.seed + 2, 30000)
    for kind in ("none", "gzip", "zstd:2"):
        if kind[0] == "z" and not shutil.which("zstd"):
            continue
        dataset = build(s, "d", KEY5, cells, "--set", "BLOCKSIZE=4K")
        options = ["--compress", kind, "--target-file-size", "50K", "--create"]
        first = export(s, "one", dataset, "--threads", 1, *options)
        m = check_export(first, cells)
        demand(len(m["files"]) > 20, "only %d files" % len(m["files"]))
        for threads, memory in ((8, "1G"), (3, "64M")):
            other = export(s, "two", dataset, "--threads", threads, "--memory", memory, *options)
            demand(tree(first) == tree(other), "%s: %d threads write other bytes" % (kind, threads))


def test_long_lines(s):
    """What direct load refuses lies apart; the limit itself does not."""
    at_limit = MAX_LINE - len(b"k1\tq\t\t-5\n")
    cells = {(b"k0", b"q", 5): (b"\\" * (1 << 20), None), (b"k1", b"q", 5): (b"a" * at_limit, None),
             (b"k2", b"q", 5): (b"a" * (at_limit + 1), None), (b"k3", b"q", 5): (b"\t" * (1 << 20), None)}
    out = export(s, "out", build(s, "d", KEY5, cells))
    m = check_export(out, cells)
    big = [unhex(f["first_key_hex"]) for f in m["files"] if f["big"]]
    demand(sorted(big) == [b"k0", b"k2", b"k3"] or sum(f["rows"] for f in m["files"] if f["big"]) == 3, "big: %s" % big)
    load = (out / "load.sql").read_text()
    plain = [line for line in load.splitlines() if line.startswith("LOAD DATA INFILE '/s/big/")]
    demand(len(plain) == sum(f["big"] for f in m["files"]) and load.count("obkv_probe (K") == 2, "statements for long lines")


def test_csv(s):
    cells = random_cells(s.seed + 3, 5000, ttl=True)
    dataset = build(s, "d", TTL5, cells)
    want = sorted((k, b"f", q, ts, "Put", own, v) for (k, q, ts), (v, own) in cells.items())
    text = s.call("export", "-f", "csv", "-o", "-", dataset).out.decode("latin-1")
    lines = list(csv.reader(io.StringIO(text, newline="")))
    demand(lines[0] == "row,family,qualifier,ts,type,ttl_ms,value".split(","), "header")
    got = sorted((r[0].encode("latin-1"), r[1].encode(), r[2].encode("latin-1"), int(r[3]), r[4], int(r[5]) if r[5] else None,
                  r[6].encode("latin-1")) for r in lines[1:])
    demand(got == want, "csv differs")
    text = s.call("export", "-f", "csv", "--hex", "-o", "-", dataset).out.decode()
    got = sorted((bytes.fromhex(r[0]), bytes.fromhex(r[1]), bytes.fromhex(r[2]), int(r[3]), r[4], int(r[5]) if r[5] else None,
                  bytes.fromhex(r[6])) for r in list(csv.reader(text.splitlines()))[1:])
    demand(got == want, "csv in hex differs")


def is_utf8(text):
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


def test_jsonl(s):
    """Text is JSON's own, bytes that are none stand in hex; the lines fit their schema, and come back as the same cells."""
    cells = random_cells(s.seed + 4, 5000, ttl=True)
    dataset = build(s, "d", TTL5, cells)
    want = sorted((k, b"f", q, ts, "Put", own, v) for (k, q, ts), (v, own) in cells.items())
    schema = json.loads((ROOT / "docs/formats/cell-2.schema.json").read_text())

    def read(text):
        return bytes.fromhex(text["hex"]) if isinstance(text, dict) else text.encode()

    for options in ((), ("--hex",)):
        out = s.call("export", "-f", "jsonl", *options, "-o", "-", dataset).out
        got = []
        for number, line in enumerate(out.split(b"\n")[:-1]):
            j = json.loads(line)
            if jsonschema and number % 50 == 0:
                jsonschema.validate(j, schema)
            for text in (j["row"], j["qualifier"], j["value"]):
                demand(isinstance(text, dict) == (bool(options) or not is_utf8(read(text))), "text is text: %r" % (text,))
            got.append((read(j["row"]), read(j["family"]), read(j["qualifier"]), j["ts"], j["type"], j.get("ttl_ms"),
                        read(j["value"])))
        demand(sorted(got) == want, "jsonl %s differs" % (options,))
        s.call("import", "--quiet", "--ddl", s.tmp / "t.sql", "--now", NOW, "-o", s.fresh("back"), "-", stdin=out)
        for file in sorted((s.tmp / "d").rglob("*.hfile")):
            back = s.tmp / "back" / file.relative_to(s.tmp / "d")
            demand(file.read_bytes() == back.read_bytes(), "%s comes back with other bytes" % file.name)


def test_cells_text(s):
    dataset = build(s, "d", KEY5, random_cells(s.seed + 5, 3000))
    dump = s.call("verify", "dump", dataset).out
    demand(s.call("export", "-f", "cells", "-o", "-", dataset).out == dump, "cells are not what dump prints")
    out = export(s, "out", dataset, "-f", "cells")
    demand(b"".join((out / f["path"]).read_bytes() for f in manifest(out)["files"]) == dump, "files are not what dump prints")


def test_damage(s):
    """A dataset that is not what its manifest says is not exported."""
    dataset = build(s, "d", KEY5, random_cells(s.seed + 6, 3000))
    victim = sorted(dataset.rglob("*.hfile"))[1]
    data = bytearray(victim.read_bytes())
    data[100] ^= 1
    victim.write_bytes(data)
    s.call("export", "-o", s.fresh("out"), dataset, want=5)
    demand(not (s.tmp / "out" / "MANIFEST.json").exists(), "published")
    other = build(s, "e", KEY5, random_cells(s.seed + 7, 3000))
    mine = sorted((s.tmp / "e").rglob("*.hfile"))[1]
    text = (dataset / "MANIFEST.json").read_text()
    victim.write_bytes(mine.read_bytes())
    old = next(f["bytes"] for f in json.loads(text)["files"] if f["path"].endswith(victim.name))
    write_sealed(s, dataset / "MANIFEST.json", text.replace('"bytes": %d' % old, '"bytes": %d' % mine.stat().st_size))
    done = s.call("export", "-o", s.fresh("out"), dataset, want=5)
    demand(b"the manifest says" in done.err and other, "another file in its place: %s" % done.err)


def test_signals(s):
    """Stopped or killed, then run again: what comes out is what an undisturbed run writes."""
    dataset = build(s, "d", KEY5, random_cells(s.seed + 8, 60000))
    want = tree(export(s, "want", dataset, "--compress", "gzip:9"))
    size, hit = sum(map(len, want.values())), 0
    for sig, code in ((signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)):
        for part in (-1, 0.2, 0.6):
            out = s.fresh("out")
            command = s.command("export", ["--quiet", "--now", NOW, "--server-dir", "/s", "--compress", "gzip:9", "-o", out,
                                           dataset])
            p = subprocess.Popen(command, env=s.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            looks_at_signals(p)
            until(p, lambda: written(out) > size * part, "%.0f %% of the output" % (100 * part))
            p.send_signal(sig)
            rc = p.wait(60)
            finished = (out / "MANIFEST.json").exists()
            hit += rc != 0
            demand(rc in (0, code), "%s: exit %d" % (sig.name, rc))
            demand(rc != 0 or finished, "finished without a manifest")
            demand(rc == -9 or finished or not out.exists(), "%s left something in %s" % (sig.name, out))
            s.call("export", "--quiet", "--now", NOW, "--server-dir", "/s", "--compress", "gzip:9", "-o", out, dataset)
            demand(tree(out) == want, "%s after %.1f of the output: another result" % (sig.name, part))
    demand(hit, "no run was hit")


def test_limits(s):
    dataset = build(s, "d", KEY5, random_cells(s.seed + 9, 20000))
    s.call("export", "--disk-limit", "100K", "-o", s.fresh("out"), dataset, want=6)
    demand(not (s.tmp / "out").exists(), "something is left")
    s.call("export", "--memory", "1M", "-o", s.fresh("out"), dataset, want=6)


def test_engine_placement(s):
    """All shapes and keys that a real engine placed: import, check and export put each where it did."""
    vectors = collections.defaultdict(list)
    for line in (DATA / "vectors" / "partition_engine.tsv").read_text().splitlines():
        if not line.startswith("#"):
            shape, *rest = line.split("\t")
            vectors[shape].append(rest)
    sql = (DATA / "vectors" / "partition_engine_shapes.sql").read_text()
    for shape, text in re.findall(r"-- shape: (\S+)\n(.*?;)\n", sql, re.S):
        rows = vectors.pop(shape)
        (s.tmp / "s.sql").write_text(text.replace("`%s`" % shape, "`%s$f`" % shape))
        lines = "".join(cell_line(bytes.fromhex(k), b"f", bytes.fromhex(q), -int(t), 4, 0, leaf.encode(), b"") + "\n"
                        for k, q, t, _, leaf in rows).replace("\t\t", "\t-\t")
        lines = re.sub("(?m)^\t", "-\t", lines)
        s.call("import", "-q", "--ddl", s.tmp / "s.sql", "-f", "cells", "--max-rejects", "100%", "-o", s.fresh("d"), "-",
               stdin=lines.encode(), want={0, 3})
        s.call("verify", "check", "-q", s.tmp / "d")
        m = manifest(export(s, "out", s.tmp / "d"))
        refused = sum(index == "REJECT" for _, _, _, index, _ in rows)
        demand(m["totals"]["rows"] == len(rows) - refused, "%s: %d of %d rows" % (shape, m["totals"]["rows"], len(rows)))
        for f in m["files"]:
            wrong = [r for r in rows_of(s.tmp / "out" / f["path"]) if r[3].decode() != f["partition_name"]]
            demand(not wrong, "%s: %s lies in %s" % (shape, wrong[:1], f["partition_name"]))
    demand(not vectors, "shapes without DDL: %s" % list(vectors))


def test_divided_rows(s):
    """Into a table that divides rows, and back: the same cells. Version rules are refused there."""
    cells = random_cells(s.seed + 10, 8000)
    dataset = build(s, "d", KEY5, cells)
    (s.tmp / "two.sql").write_text(
        "CREATE TABLE `t$f` (%s, G bigint GENERATED ALWAYS AS (ABS(T)), PRIMARY KEY (K, Q, T)) PARTITION BY RANGE COLUMNS(G) "
        "SUBPARTITION BY KEY(K) SUBPARTITIONS 3 (PARTITION old VALUES LESS THAN (%d), PARTITION new VALUES LESS THAN (MAXVALUE));"
        % (COLUMNS, NOW - 500000))
    s.call("split", "apply", "-q", "--ddl", s.tmp / "two.sql", "-o", s.fresh("two"), dataset)
    s.call("verify", "check", "-q", s.tmp / "two")
    check_export(export(s, "out", s.tmp / "two"), cells)
    for f in manifest(s.tmp / "out")["files"]:
        old = f["partition_name"].startswith("old")
        demand(all((-t < NOW - 500000) == old for _, _, t, _, _ in rows_of(s.tmp / "out" / f["path"])),
               "a cell lies in the wrong half")
    s.call("split", "apply", "-q", "--ddl", s.tmp / "t.sql", "-o", s.fresh("back"), s.tmp / "two")
    s.call("verify", "diff", "-q", dataset, s.tmp / "back")
    done = s.call("compact", "-q", "-o", s.fresh("c"), s.tmp / "two", want=5)
    demand(b"divides rows" in done.err, "compaction: %s" % done.err)


def main():
    s = Suite(__doc__)
    for name, test in sorted(globals().items()):
        if name.startswith("test_"):
            s.run(name[5:], test)
    return s.end()


if __name__ == "__main__":
    sys.exit(main())
