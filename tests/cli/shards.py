#!/usr/bin/env python3
"""Shards of an import, joined, are the dataset of one run: every cell file and the manifest, byte for byte.

    shards.py BIN [--seed N] [--keep] [-v] [NAME ...]

Random text (with quotes and without, with lines that are longer than a shard, compressed), HFiles that hold equal cells,
datasets, snapshots and SequenceFiles, cut into 1, 2 and 7 shards and 1 and 3 shares (OBKV_STRESS=1: also 64 and 97, and more
kills of --shards).
Then what must be refused: a shard that is missing, doubled, of other settings, another list of inputs, another version.
The last line is "N passed, N failed, N skipped".
"""
import gzip
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tarfile
import zipfile

import shards_damaged
import shards_killed
import shards_many
import shares
from programs import NOW, Skip, Suite, cell_files, demand, manifest, shown
from sealing import write_sealed
from shards_kit import (COLUMNS, KEY, SHARDS, SHARES, STRETCH, cells_file, cells_files, joined, lists_of, loads_of_regions,
                        refused, shards, text, whole_bytes)

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../bench"))
from make_snapshot import Changes, make_snapshot  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def same(suite, inputs, *options, spread=True):
    one = suite.fresh("one")
    options = ("--allow", "empty-file", *options)
    suite.call("import", "--quiet", *options, "-o", one, *inputs)
    demand(cell_files(one), "the one run wrote no file: nothing is compared")
    for n in SHARDS:
        made = shards(suite, n, inputs, options)
        demand(n < 3 or not spread or sum(1 for s in made if manifest(s)["totals"]["cells"]) > 1, "one shard has all the cells")
        for m in SHARES:
            out = joined(suite, made, m)
            a, b = whole_bytes(one), whole_bytes(out)
            demand(a[1] == b[1], "%d shards, %d shares: other cell files" % (n, m))
            if a[0] != b[0]:
                lines = [(x, y) for x, y in zip(a[0].split(b"\n"), b[0].split(b"\n")) if x != y]
                demand(False, "%d shards, %d shares: another manifest: %s" % (n, m, lines[:3]))
        suite.call("verify", "check", "--quiet", out)


# ---- inputs ----

def plain_csv(suite):
    r = random.Random(suite.seed)
    files = [text(r, suite.tmp / "a.csv", 5 * STRETCH // 2, long_lines=True), text(r, suite.tmp / "b.csv", 1000),
             text(r, suite.tmp / "c.csv", STRETCH, end=b"\r\n")]
    same(suite, files, "--quote", "none", *COLUMNS, *KEY)


def plain_csv_by_header(suite):
    path = text(random.Random(suite.seed + 1), suite.tmp / "h.csv", 9 * STRETCH // 2, header=b"\xef\xbb\xbfid,ts,one,two\n")
    same(suite, [path], "--quote", "none", "--header", "--columns", "id=HBASE_ROW_KEY,ts=HBASE_TS_KEY,two=f:two,one=f:one",
         "--skip-empty", *"--encoding fast_diff --codec zstd --set BLOOMFILTER=rowcol --target-file-size 300K".split(), *KEY)


def headers_that_differ(suite):
    """Warned of once, also if no shard sees both headers; each empty file is counted."""
    headers = [b"id,ts,one,two\n"] * 3 + [b"id,ts,two,one\n"] * 3
    files = [text(random.Random(suite.seed + 20 + i), suite.tmp / ("o%d.csv" % i), 3000, header=h) for i, h in enumerate(headers)]
    for i in range(4):
        files.append(suite.tmp / ("p%d.csv" % i))
        files[-1].touch()
    for some in (files, [files[0], files[5]]):
        same(suite, some, "--header", *COLUMNS, *KEY, spread=False)
        demand(manifest(suite.tmp / "one")["warnings"]["header"] == 1, "no warning")


def files_given_twice(suite):
    """What one run warns of once however often a file is given, shards count once, too, and --shards says once."""
    columns = ("--columns", "HBASE_ROW_KEY,f:ts,f:a,g:b", "--timestamp", NOW, "--allow", "empty-file")
    empty, data, odd = suite.tmp / "empty.csv", suite.tmp / "data.csv", suite.tmp / "odd.csv"
    empty.touch()
    data.write_text("id,ts,one,two\n" + "".join("k%d,%d,a,b\n" % (i, NOW) for i in range(9)))
    odd.write_text("id,ts,two,one\n" + "".join("k%d,%d,a,b\n" % (i, NOW) for i in range(9)))
    tar = suite.tmp / "twice.tar"
    with tarfile.open(tar, "w") as t:
        for path in (data, empty):
            t.add(path, path.name)
        t.addfile(tarfile.TarInfo("README"))
    files = [empty, data, tar, empty, tar, data, empty]
    same(suite, files, *columns, *KEY, spread=False)
    counts = manifest(suite.tmp / "one")["warnings"]
    demand(counts["empty-file"] == 2 and counts["members-passed-over"] == 1 and counts["input-twice"] == 4, counts)
    same(suite, [data, odd] * 2 + [data], "--header", *columns, *KEY, spread=False)
    demand(manifest(suite.tmp / "one")["warnings"]["header"] == 1, "no warning of a header")
    one = suite.call("import", *columns, *KEY, "-o", suite.fresh("one"), *files).err
    some = suite.call("import", "--shards", 5, *columns, *KEY, "-o", suite.fresh("some"), *files).err

    def warnings(text):
        return sorted({line.replace(bytes(suite.tmp) + b"/", b"") for line in text.splitlines() if b"warning: " in line})

    demand(warnings(one) == warnings(some), "%s\n%s" % (warnings(one), warnings(some)))
    demand(all(some.count(line) == 1 for line in some.splitlines() if b"warning: " in line), shown(some))


def key_of_columns(suite):
    """A key that each shard computes, and a warning of the options, which one run gives once."""
    files = [text(random.Random(suite.seed + 12 + i), suite.tmp / ("k%d.csv" % i), STRETCH * 3 // 2, header=b"id,ts,one,two\n")
             for i in (0, 1)]
    same(suite, files, "--quote", "none", "--columns", "auto:f", "--key", "length(id) + 1", "--timestamp", "1", *KEY)
    same(suite, files, "--quote", "none", "--columns", "auto:f", "--key", "id + '-' + ts", "--timestamp", "1", *KEY)


def one_long_line(suite):
    """Shards without a line, and one whose line reaches over all of them."""
    path = suite.tmp / "long.csv"
    path.write_bytes(b"r1,1,%s,\nr2,2,b,\n" % (b"v" * (4 * STRETCH)) + b"r3,3,c,\n" * 10)
    one, out = suite.fresh("one"), None
    options = ("--quote", "none", *COLUMNS, *KEY)
    suite.call("import", "--quiet", *options, "-o", one, path)
    for n in SHARDS:
        out = joined(suite, shards(suite, n, [path], options), 1)
        demand(whole_bytes(one) == whole_bytes(out), "%d shards: other bytes" % n)


def tsv_line_ends(suite):
    r = random.Random(suite.seed + 2)
    out = bytearray()
    while len(out) < 5 * STRETCH // 2:
        out += b"row%04d\t%s" % (r.randrange(2000), r.randbytes(20).hex().encode()) + r.choice((b"\n", b"\r\n", b"\r", b"\n\n"))
    path = suite.tmp / "t.tsv"
    path.write_bytes(out)
    same(suite, [path], "--columns", "HBASE_ROW_KEY,f:q", *KEY)


def paths_that_are_missing(suite):
    """Warned of if all records of all shards lack them."""
    mapping, lines = suite.tmp / "paths.json", suite.tmp / "paths.jsonl"
    mapping.write_text(json.dumps({"row": "$.id", "cells": {"f:a": "$.a", "f:b": "$.late", "f:c": "$.typo"}}))
    lines.write_text("".join(json.dumps({"id": "k%06d" % i, "a": "x" * 40, **({"late": 1} if i > 39000 else {})}) + "\n"
                             for i in range(40000)))
    same(suite, [lines], "--map", mapping, *KEY)
    demand(manifest(suite.tmp / "one")["warnings"] == {"path-missing": 1}, "another warning")


def masks_that_match_nothing(suite):
    """Warned of if no cell of any shard is of their columns."""
    lines = suite.tmp / "masked.jsonl"
    lines.write_text("".join(json.dumps({"v": 2, "row": "k%06d" % i, "family": "f", "qualifier": "late" if i > 39000 else "a",
                                         "ts": NOW, "value": "x" * 40}) + "\n" for i in range(40000)))
    masks = [word for column in ("f:a", "f:late", "f:typo", "g:a") for word in ("--mask", column + "=hash")]
    same(suite, [lines], *masks, "--families", "f,g,h", *KEY)
    demand(manifest(suite.tmp / "one")["warnings"] == {"unmatched": 4}, "another warning")


def keys_that_repeat(suite):
    """Without timestamps, rows of one key hide each other, also if they are in different shards."""
    lines = suite.tmp / "repeated.tsv"
    lines.write_text("".join("k%06d\tvalue of line %d\n" % (i % 39000, i) for i in range(40000)))
    same(suite, [lines], "--columns", "HBASE_ROW_KEY,f:q", *KEY)
    demand(manifest(suite.tmp / "one")["warnings"] == {"duplicates": 1000}, "another warning")


def text_cells_and_json(suite):
    """Formats whose records are lines always. The same cells in both: obkv-export writes JSON lines."""
    r = random.Random(suite.seed + 10)
    cells = cells_file(r, suite.tmp / "cells.txt", 60000, 9000)
    same(suite, [cells], "--format", "cells", *KEY)
    one, exported = suite.fresh("cells"), suite.fresh("exported")
    suite.call("import", "--quiet", "--format", "cells", *KEY, "-o", one, cells)
    suite.call("export", "--quiet", "--format", "jsonl", "-o", exported, one)
    lines = suite.tmp / "all.jsonl"
    lines.write_bytes(b"".join(p.read_bytes() for p in sorted(exported.rglob("*.jsonl"))))
    demand(lines.stat().st_size > 2 * STRETCH, "the JSON lines are too few to be cut")
    same(suite, [lines], "--format", "jsonl", *KEY)


def checksum_kinds(suite):
    """Text with quotes has the checksum that 1.0.0 wrote of all text. A dataset of plain text from then is still recognised."""
    path = text(random.Random(suite.seed + 11), suite.tmp / "kinds.csv", 5 * STRETCH // 2)
    plain, quoted = suite.fresh("plain"), suite.fresh("quoted")
    options = ("--quote", "none", *COLUMNS, *KEY)
    suite.call("import", "--quiet", *options, "-o", plain, path)
    suite.call("import", "--quiet", *COLUMNS, *KEY, "-o", quoted, path)
    now, before = manifest(plain)["inputs"][0], manifest(quoted)["inputs"][0]
    demand(now["checksum_kind"] == "xxh3-64-mib-sum" and "checksum_kind" not in before, "kinds: %s, %s" % (now, before))
    demand(now["checksum"] != before["checksum"], "both kinds have one value")
    os.utime(path, (2, 2))
    done = suite.call("import", *options, "-o", plain, path)
    demand(b"nothing to do" in done.err, "by the sum over stretches: " + shown(done.err))
    new = (old := plain / "MANIFEST.json").read_text()
    for kind, sum_, want in (("", before["checksum"], 0), ("", now["checksum"], 2),
                             (', "checksum_kind": "xxh3-64-mib-sum"', before["checksum"], 2),
                             (', "checksum_kind": "of-a-later-version"', now["checksum"], 2)):
        edited = new.replace(', "checksum_kind": "xxh3-64-mib-sum"', kind).replace(now["checksum"], sum_)
        demand(edited != new, "the manifest was not edited")
        write_sealed(suite, old, edited)
        done = suite.call("import", *options, "-o", plain, path, want=want)
        demand((b"nothing to do" if want == 0 else b"other inputs") in done.err, shown(done.err))


def quoted_and_packed(suite):
    """Whole files: a line end may stand inside of quotes, and nobody can begin to read in the middle of a .gz."""
    r = random.Random(suite.seed + 3)
    files = [text(r, suite.tmp / ("q%d.csv" % i), r.randrange(2000, 300000), quoted=True) for i in range(9)]
    for f in files[::3]:
        (suite.tmp / (f.name + ".gz")).write_bytes(gzip.compress(f.read_bytes(), 1, mtime=0))
    files = [suite.tmp / (f.name + ".gz") if i % 3 == 0 else f for i, f in enumerate(files)]
    (suite.tmp / "empty.csv").write_bytes(b"")
    same(suite, files[:4] + [suite.tmp / "empty.csv"] + files[4:], *COLUMNS, *KEY)


def archives(suite):
    """Divided between members, if no member is an archive itself, and skipping one needs no decompression. What is no file of
    data is counted once."""
    r = random.Random(suite.seed + 21)
    folder = suite.tmp / "members"
    folder.mkdir()
    names = ["m%02d.csv" % i for i in range(23)]
    for i, name in enumerate(names):
        text(r, folder / name, r.choice((300, 5000, 60000)), quoted=i % 2)
    (folder / "README").write_text("about these files\n")
    (folder / "link.csv").symlink_to(names[0])
    tar, zip_, packed, nested = (suite.tmp / n for n in ("m.tar", "m.zip", "m.tar.gz", "nested.tar"))
    with tarfile.open(tar, "w") as t:
        for name in names[:9] + ["README", "link.csv"] + names[9:]:
            t.add(folder / name, name)
    with zipfile.ZipFile(zip_, "w", zipfile.ZIP_DEFLATED) as z:
        for name in reversed(names):
            z.write(folder / name, name)
    packed.write_bytes(gzip.compress(tar.read_bytes(), 1, mtime=0))
    with tarfile.open(nested, "w") as t:
        t.add(zip_, "m.zip")
        t.add(folder / names[0], names[0])
    options = (*COLUMNS, *KEY)
    for path, shards_with_cells in ((tar, 7), (zip_, 7), (packed, 1), (nested, 1)):
        made = shards(suite, 7, [path], options)
        cells = [manifest(s)["totals"]["cells"] for s in sorted(made)]
        demand(sum(map(bool, cells)) == shards_with_cells, "%s: cells of shards: %s" % (path.name, cells))
        demand(max(cells) < sum(cells) / 3 or shards_with_cells == 1, "%s: cells of shards: %s" % (path.name, cells))
        one = suite.fresh("one")
        suite.call("import", "--quiet", *options, "-o", one, path)
        demand(whole_bytes(joined(suite, made, 1)) == whole_bytes(one), "%s: other bytes than one run" % path.name)
        demand(manifest(one)["inputs"][0]["format"] == "archive", "not an archive")
    same(suite, [folder / names[1], tar, zip_, folder / names[2]], *options)
    parts = [json.loads(suite.call("import", "--shard", "%d/3" % i, "--list", "--json", *options, tar).out)["files"][0]
             for i in (1, 2, 3)]
    places = [(p["from_member"], p["to_member"]) for p in parts]
    demand(places[0][0] == 0 and places[2][1] == 25 and all(a[1] == b[0] for a, b in zip(places, places[1:])), places)
    damaged = suite.tmp / "damaged.tar"
    damaged.write_bytes(tar.read_bytes()[:-30000])
    codes = [suite.call("import", "--shard", "%d/3" % i, *options, "-o", suite.fresh("no"), damaged, want={0, 5}).code
             for i in (1, 2, 3)]
    demand(5 in codes, "no shard found the damage: %s" % codes)


def hfiles(suite):
    """Files with equal cells, whose order is that of their sequence ids, then of the files."""
    r = random.Random(suite.seed + 4)
    loads = []
    for i in range(6):
        out = suite.fresh("load-%d" % i)
        suite.call("import", "--quiet", "--format", "cells", "--partition", "key:2", "--now", NOW, "-o", out,
                   cells_file(r, suite.tmp / "cells.txt", 400, 60))
        loads.append(out)
    files = [p for out in loads for p in cell_files(out)]
    r.shuffle(files)
    same(suite, files, *KEY)
    same(suite, loads, *KEY)
    same(suite, files, *KEY, "--config", "keep-seq=no")
    out = suite.fresh("many")
    suite.call("import", "--quiet", "--shards", 3, *KEY, "--config", "keep-seq=no", "-o", out, *files)
    demand(whole_bytes(out) == whole_bytes(suite.tmp / "one"), "--shards with --config keep-seq=no: other bytes")
    made = shards(suite, 3, files, (*KEY, "--config", "keep-seq=no"))
    done = suite.call("compact", "--now", NOW, "--versions", "1", "-o", suite.fresh("no"), *made, want=2)
    demand(b"made with keep-seq = no" in done.err and b"obkv-split join" in done.err, shown(done.err))


TENS = ["row%04d" % (i * 10) for i in range(1, 9)]


def snapshots(suite):
    r = random.Random(suite.seed + 5)
    loads = loads_of_regions(suite, "stores", TENS, cells_files(suite, r, 600, 90))
    root = suite.tmp / "root"
    make_snapshot(str(root), "snap", "t", loads)
    same(suite, [root], "--snapshot", "snap", *KEY)


def changed_snapshots(suite):
    """Regions that were split, so that both daughters refer to one file, and regions of a clone, whose files are another table's;
    some are both. Without the changes, the same cells come out: no half is read twice or left out."""
    r = random.Random(suite.seed + 31)
    loads = loads_of_regions(suite, "changed", TENS, cells_files(suite, r, 900, 90), "--set", "BLOCKSIZE=256")
    splits = [b"row%04d" % row for row in r.sample(range(90), 5)] + [b"row0045", b"row0086a"]
    changes = Changes(splits, cloned=set(r.sample(range(9), 4)) | {4})
    plain, changed = suite.tmp / "unchanged", suite.tmp / "changed"
    make_snapshot(str(plain), "snap", "t", loads)
    make_snapshot(str(changed), "snap", "t", loads, changes)
    same(suite, [changed], "--snapshot", "snap", *KEY)
    done = suite.call("import", "--quiet", "--snapshot", "snap", *KEY, "-o", suite.fresh("plain"), plain)
    demand(not done.err and cell_files(suite.tmp / "plain"), shown(done.err))
    suite.call("verify", "diff", "--quiet", suite.tmp / "plain", suite.tmp / "one")
    one, other = (manifest(suite.tmp / name)["totals"] for name in ("one", "plain"))
    demand((one["cells"], one["digest"]) == (other["cells"], other["digest"]), "%s, unchanged %s" % (one, other))


def evenly_cut(made, n, most):
    """No shard has much more than its share of the cells, or none, although one region or file has nearly all."""
    cells = [manifest(s)["totals"]["cells"] for s in made]
    demand(min(cells) > 0 and max(cells) <= most * sum(cells) / n, "%d shards have %s cells" % (n, cells))


def large_region(suite):
    """One region has nearly all bytes, in files that overlap and hold equal cells and markers: it is divided between rows. A
    trailer takes 4 KB, so the cells of a small region must take as much: a shard that has only trailers would be empty."""
    r = random.Random(suite.seed + 14)
    loads = loads_of_regions(suite, "large", ("row0030", "row1770"), cells_files(suite, r, 8000, 1800), "--set", "BLOCKSIZE=1K",
                             "--codec", "none", "--encoding", "none")
    root = suite.tmp / "large-root"
    make_snapshot(str(root), "snap", "t", loads)
    options = ("--snapshot", "snap", *KEY)
    same(suite, [root], *options)
    same(suite, [root], *options, "--rows", "row0300:row0500", spread=False)
    for n in SHARDS:
        evenly_cut(shards(suite, n, [root], options, "even"), n, 1.5)
    made = sorted(shards(suite, 7, [root], options, "rows"))
    rows = [manifest(s)["shard"]["rows"] for s in made]
    demand(rows[0][0] is None and rows[6][1] is None and all(a[1] and a[1] == b[0] for a, b in zip(rows, rows[1:])), rows)
    path = made[3] / "MANIFEST.json"
    write_sealed(suite, path, path.read_text().replace(rows[3][0], rows[3][0][:-2] + "00"))
    refused(suite, made, "rows-4", "another row", want=5)


def large_hfiles(suite):
    """Single HFiles and a dataset, each more than a shard, one with a row that is more than a shard, too."""
    r = random.Random(suite.seed + 15)
    loads = []
    for i in range(2):
        loads.append(suite.fresh("file-%d" % i))
        suite.call("import", "--quiet", "--format", "cells", "--set", "BLOCKSIZE=1K", "--partition", "none", "--now", NOW, "-o",
                   loads[-1], cells_file(r, suite.tmp / "cells.txt", 6000, 2000, families=("f",)))
    files = [p for out in loads for p in cell_files(out)]
    demand(len(files) == 2, files)
    same(suite, files, *KEY)
    same(suite, loads, *KEY)
    evenly_cut(shards(suite, 7, files, KEY, "even"), 7, 1.5)
    wide = suite.tmp / "wide.txt"
    with open(wide, "w") as f:
        for i in range(9000):
            row = b"row%04d" % (r.randrange(2000) if i % 2 else 777)
            f.write("%s\t66\t%s\t%d\t4\t0\t%s\t-\n" % (row.hex(), (b"q%d" % i).hex(), NOW, r.randbytes(4).hex()))
    out = suite.fresh("wide")
    suite.call("import", "--quiet", "--format", "cells", "--set", "BLOCKSIZE=1K", "--partition", "none", "--now", NOW, "-o", out,
               wide)
    same(suite, [*cell_files(out), files[0]], *KEY)


def snapshots_of_hbase(suite):
    """Written by a real HBase: references of splits and merges, links of a clone, MOB, delete markers; packed and unpacked."""
    for tree, snapshot in (("b_split_merge", "snap_b1"), ("c_clone_links", "snap_clone2"), ("e_codecs_mob", "snap_e"),
                           ("d_ttl_deletes", "snap_d")):
        packed = ROOT / "tests/data/hbase_trees" / (tree + ".tar.xz")
        unpacked = suite.tmp / "trees" / tree / "hbase"
        with tarfile.open(packed) as t:
            t.extractall(suite.tmp / "trees")
        same(suite, [packed if tree == "b_split_merge" else unpacked], "--snapshot", snapshot, *KEY, spread=False)


def replaced_files(suite):
    """Files that a compaction has replaced are left out, and the warning counts them once, however many shards see them."""
    with tarfile.open(ROOT / "tests/data/hbase_trees/a2_snapshot_archived.tar.xz") as t:
        t.extractall(suite.tmp / "replaced")
    root = suite.tmp / "replaced/a2_snapshot_archived/hbase"
    region = next((root / "data/default/simple").glob("*/cf1")).parent
    for f in sorted((root / "archive/data/default/simple" / region.name).glob("cf*/*")):
        f.rename(region / f.parent.name / f.name)
    same(suite, [root / "data/default/simple"], *KEY, spread=False)
    demand(manifest(suite.tmp / "one")["warnings"]["files-left-out"] == 6, "no file was left out")


def sequence_files(suite):
    files = sorted((ROOT / "tests/data/seqfiles/snappy_block").glob("part-*"))
    same(suite, files, *KEY)


# ---- what a shard reads, and what is done with shares of a dataset ----

def listed(suite, n, inputs, *options):
    """{path: parts} that n shards read between them; they are counted as they are listed."""
    parts = {}
    for i, shown_ in enumerate(lists_of(suite, n, inputs, *options), 1):
        demand((shown_["shard"], shown_["of"], shown_["count"]) == (i, n, len(shown_["files"])), shown_)
        taken = [(f["path"], f.get("from", 0), f.get("to", f["bytes"])) for f in shown_["files"]]
        demand(shown_["bytes"] == sum(to - from_ for _, from_, to in taken), shown_)
        for path, from_, to in taken:
            parts.setdefault(path, []).append((from_, to))
    return parts


def lists_of_shards(suite):
    """Every byte of every file is in one shard."""
    r = random.Random(suite.seed + 13)
    files = [text(r, suite.tmp / ("l%d.csv" % i), size) for i, size in enumerate((5 * STRETCH // 2, 3000, 9))]
    for n in SHARDS:
        parts = listed(suite, n, files, "--quote", "none", *COLUMNS, *KEY)
        demand(sorted(parts) == sorted(map(str, files)), parts)
        for path, ranges in parts.items():
            demand(ranges[0][0] == 0 and ranges[-1][1] == os.path.getsize(path), "%s: %s" % (path, ranges))
            demand(all(a[1] == b[0] for a, b in zip(ranges, ranges[1:])), "%s: %s" % (path, ranges))
    with tarfile.open(ROOT / "tests/data/hbase_trees/b_split_merge.tar.xz") as t:
        t.extractall(suite.tmp / "listed")
    root, options = suite.tmp / "listed/b_split_merge/hbase", ("--snapshot", "snap_b1", *KEY)
    one = listed(suite, 1, [root], *options)
    for n in SHARDS:
        demand(set(listed(suite, n, [root], *options)) == set(one) and len(one) > 10, "%d shards of a snapshot: other files" % n)


def copies_of_what_a_shard_reads(suite):
    """In a place of its own for each shard, everything else as sparse files: the bytes of one run over the originals."""
    r = random.Random(suite.seed + 14)
    files = [text(r, suite.tmp / ("w%d.csv" % i), size) for i, size in enumerate((3 * STRETCH // 2, 2 * STRETCH, 200000))]
    (suite.tmp / "w9.csv.gz").write_bytes(gzip.compress(files[1].read_bytes(), 1, mtime=0))
    inputs, n, options, one = files + [suite.tmp / "w9.csv.gz"], 4, ("--quote", "none", *COLUMNS, *KEY), suite.fresh("one")
    for f in inputs:
        os.utime(f, (1700000000, 1700000000))
    suite.call("import", "--quiet", *options, "-o", one, *inputs)
    lists = [s["files"] for s in lists_of(suite, n, inputs, *options)]
    cut = {f["path"] for files_of in lists for f in files_of if f.get("cut")}
    demand(cut and cut != set(map(str, inputs)), "files in which a shard begins: %s" % cut)
    made = [copied_shard(suite, i + 1, n, lists[i], cut, inputs, options) for i in range(n)]
    out = joined(suite, made, 2)
    demand(cell_files(one) and whole_bytes(one)[1] == whole_bytes(out)[1], "other cell files")
    names = [i["path"] for i in manifest(out)["inputs"]]
    demand(names == list(map(str, inputs)), "the copies do not have the names of the originals")


def copied_shard(suite, i, n, mine, cut, inputs, options):
    place, out = suite.tmp / ("place%d" % i), suite.fresh("copied%d" % i)
    place.mkdir()
    for path in set(inputs):
        raw, copy = path.read_bytes(), bytearray(path.stat().st_size)
        if str(path) in cut:
            copy[:65536] = raw[:65536]
        for f in mine:
            if f["path"] == str(path):
                end = raw.find(b"\n", f.get("to", len(raw))) + 1 or len(raw)
                copy[f.get("from", 0):end] = raw[f.get("from", 0):end]
        (place / path.name).write_bytes(copy)
        os.utime(place / path.name, (1700000000, 1700000000))
    suite.call("import", "--quiet", "--shard", "%d/%d" % (i, n), "--config", "staged=%s=%s" % (place, suite.tmp), *options,
               "-o", out, *(place / p.name for p in inputs))
    return out


# ---- what a join refuses ----

def refusals(suite):
    r = random.Random(suite.seed + 6)
    files = [text(r, suite.tmp / ("r%d.csv" % i), 5000) for i in range(5)]
    options = (*COLUMNS, *KEY)
    made = sorted(shards(suite, 3, files, options))
    refused(suite, made[:1] + made[2:], "shard 2 of 3 is missing")
    refused(suite, made + made[1:2], "are both shard 2 of 3")
    other = shards(suite, 3, files, (*options, "--codec", "none"), "other")
    refused(suite, made[:2] + [o for o in other if o.name == "other-3"], "other-3", "--codec none → snappy")
    later = shards(suite, 3, files, (*COLUMNS, "--partition", "key:5", "--now", NOW + 1), "later")
    refused(suite, made[:2] + [o for o in later if o.name == "later-3"], "later-3", "make both with the same --now")
    two = shards(suite, 2, files, options, "two")
    refused(suite, made[:2] + two[:1], "one of 3 shards", "one of 2")
    os.utime(files[4], (1, 1))
    touched = shards(suite, 3, files, options, "touched")
    refused(suite, made[:2] + [o for o in touched if o.name == "touched-3"], "touched-3", "another list of inputs")
    changed = suite.fresh("changed")
    shutil.copytree(made[2], changed)
    path = changed / "MANIFEST.json"
    write_sealed(suite, path, path.read_text().replace('"tool": "obkv-import ', '"tool": "obkv-import 0.'))
    refused(suite, made[:2] + [changed], "make them with one version", "changed")
    shares = [suite.fresh("share-%d" % j) for j in (1, 2, 3)]
    for j, share in enumerate(shares, 1):
        suite.call("split", "join", "--quiet", "--partitions", "%d/3" % j, "-o", share, *made)
    refused(suite, shares[:2], "share 3 of 3 is missing")
    refused(suite, shares + shares[:1], "are both share 1 of 3")
    refused(suite, [shares[0], made[0]], "all inputs must be of one kind")
    for program, part in (("export", made[0]), ("compact", shares[0])):
        done = suite.call(program, "--versions", 1, "-o", suite.fresh("no"), part, want={2, 5}) if program == "compact" else \
            suite.call(program, "--name", "t", "-o", suite.fresh("no"), part, want={2, 5})
        demand(b"obkv-split join" in done.err, shown(done.err))


def refused_options(suite):
    path = text(random.Random(suite.seed + 7), suite.tmp / "o.csv", 2000)
    for options, wanted in ((("--compact", "--versions", "1"), b"compact what is joined"),
                            (("--on-damage", "skip-file"), b"--on-damage")):
        done = suite.call("import", "--shard", "1/2", *options, *COLUMNS, *KEY, "-o", suite.fresh("no"), path, want=2)
        demand(wanted in done.err, shown(done.err))
    done = suite.call("import", "--shard", "1/2", *COLUMNS, "--partition", "key:5", "-o", suite.fresh("no"), path, want=2)
    demand(b"needs --now" in done.err, shown(done.err))
    for command in (("verify", "check"), ("verify", "target"), ("export",), ("load",), ("compact",)):
        for option in (("--shard", "1/2"), ("--shards=2",)):
            done = suite.call(*command, *option, path, want=2)
            demand(b"did you mean '--partitions J/M'?" in done.err, shown(done.err))
    demand(b"did you mean" not in suite.call("split", "join", "--share", "1/2", path, want=2).err, "--share is no --shard")
    for number in ("0/2", "3/2", "1", "x", "1/2/3"):
        suite.call("import", "--shard", number, *COLUMNS, *KEY, "-o", suite.fresh("no"), path, want=2)


# ---- samples/shards ----

def sample_inputs(suite):
    r = random.Random(suite.seed + 9)
    (suite.tmp / "in puts").mkdir(exist_ok=True)
    return [text(r, suite.tmp / "in puts" / ("s%d.csv" % i), 60000) for i in range(5)]


def sample(suite, script, files, path, **env):
    """Runs it on files below a name with a blank, and compares with one run."""
    one, out = suite.fresh("one"), suite.fresh("the sample's")
    suite.call("import", "--quiet", *COLUMNS, *KEY, "-o", one, *files)
    command = [ROOT / "samples/shards" / script, "7", out, *COLUMNS, "--partition", "key:5", *files]
    env = {**suite.env, **env, "NOW": str(NOW), "PATH": "%s:%s" % (suite.bin, path)}
    p = subprocess.run(command, env=env, capture_output=True, timeout=300)
    demand(p.returncode == 0, "exit %d: %s" % (p.returncode, shown(p.stdout + p.stderr)))
    demand(whole_bytes(one) == whole_bytes(out), "other bytes than one run")
    demand(not pathlib.Path(str(out) + ".shards").exists(), "the shards are still there")
    return p


def tools(suite, *names):
    """A PATH that has these and no other programs."""
    folder = suite.fresh("tools")
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(shutil.which(name))
    return folder


def sample_with_xargs(suite):
    path = tools(suite, "sh", "seq", "xargs", "mkdir", "rm", "nproc")
    sample(suite, "parallel.sh", sample_inputs(suite), path, JOBS="3")


def sample_with_parallel(suite):
    if not shutil.which("parallel"):
        raise Skip("GNU parallel is not installed")
    sample(suite, "parallel.sh", sample_inputs(suite), os.environ["PATH"], HOME=str(suite.tmp))


SBATCH = """#!/bin/sh
# Stands for Slurm's: runs the tasks of an array in any order, then what depends on them, at once.
echo "sbatch $*" >>"$SEEN"
while :; do case $1 in
    --array=*) last=${1#--array=1-} ;;
    --export=ALL,*) for pair in $(echo "${1#--export=ALL,}" | tr , ' '); do export "$pair"; done ;;
    --*) ;;
    *) break ;;
esac; shift; done
script=$1; shift
for i in $(seq "${last:-1}" -1 1); do SLURM_CPUS_PER_TASK=1 SLURM_ARRAY_TASK_ID=$i sh "$script" "$@" || exit; done
echo 42
"""


def sample_with_slurm(suite):
    """The script's own part of it; that Slurm does what it is told is not tried here."""
    path = tools(suite, "sh", "seq", "xargs", "mkdir", "rm", "tr")
    (path / "sbatch").write_text(SBATCH)
    (path / "sbatch").chmod(0o755)
    sample(suite, "slurm.sh", sample_inputs(suite), path, SEEN=str(suite.tmp / "seen"))
    seen = (suite.tmp / "seen").read_text().splitlines()
    demand(len(seen) == 2 and "--array=1-7 " in seen[0] and "--dependency=afterok:42 " in seen[1], seen)


def main():
    suite = Suite(__doc__)
    for test in (plain_csv, plain_csv_by_header, headers_that_differ, files_given_twice, key_of_columns, one_long_line,
                 tsv_line_ends, paths_that_are_missing, masks_that_match_nothing, keys_that_repeat, text_cells_and_json,
                 checksum_kinds, quoted_and_packed, archives, hfiles, large_hfiles, snapshots, changed_snapshots, large_region,
                 snapshots_of_hbase, replaced_files, sequence_files, lists_of_shards, copies_of_what_a_shard_reads,
                 shares.compactions, shares.compactions_of_shards, shares.exchanged_files, shares.accounts,
                 shares.families_that_no_shard_has, shares.rejects_of_shards, shares.refused_compactions,
                 shares.exports_of_shares, shares.checks_of_shares, refusals, refused_options, shards_killed.resumed,
                 shards_killed.resumed_join, shards_killed.kept_runs, shards_killed.signed_shards,
                 shards_killed.resumed_with_failing_calls, shards_killed.killed, shards_damaged.damaged_shards,
                 shards_damaged.damaged_shares, shards_damaged.disk_that_becomes_full, shards_damaged.full_disk_of_each,
                 shards_damaged.damaged_before_a_join, shards_damaged.two_runs_at_once, *shards_many.TESTS, sample_with_xargs,
                 sample_with_parallel, sample_with_slurm):
        suite.run(test.__name__.replace("_", " "), test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
