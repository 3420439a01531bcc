#!/usr/bin/env python3
"""Faults planted into datasets, as a disk, a bug or a hand makes them: each is found, named, and ends with exit code 1.

    planted.py BIN [--seed N] [--keep] [-v] [NAME ...]

A fault is a change of a copy of a sound dataset, with the words that one of the findings must hold. Where it leaves files that
can be read with other cells, `diff` against the sound dataset must tell them, too. The last line is "N passed, N failed, N
skipped".
"""
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys

from planted_hfile import TRAILER, blocks, cells, info, of_kind, put_info, renew
from planted_night import NIGHTS, believed, compacted, delta, lies, night
from planted_sets import (KINDS, PLAIN, copy_of, deep, differs, file_of, findings, found, some_cells, sound, told, write_as)
from programs import NOW, Suite, cell_line, demand, manifest, shown
from sealing import seal, write_sealed

# ---- bits ----

PARTS = {"header": lambda b: (b.at + 8, b.at + 33), "magic": lambda b: (b.at, b.at + 8), "payload": lambda b: (b.payload, b.sums),
         "checksum": lambda b: (b.sums, b.end)}
NAMES = {"DATABLK*": "DATABLK", "DATABLKE": "DATABLK", "IDXLEAF2": "IDXLEAF2", "BLMFBLK2": "BLMFBLK2", "IDXINTE2": "IDXINTE2",
         "IDXROOT2": "IDXROOT2", "FILEINF2": "FILEINF2", "BLMFMET2": "BLMFMET2", "DFBLMET2": "DFBLMET2"}


def flip(raw, at, bit):
    bad = bytearray(raw)
    bad[at] ^= 1 << bit
    return bad


def flipped_blocks(suite, dataset, n):
    """A bit in each part of each kind of block: the block is named by its kind or its offset, with the file's checksum."""
    copy, r = copy_of(suite, dataset), random.Random(suite.seed)
    path = file_of(copy, n)
    raw = path.read_bytes()
    last = {b.magic: b for b in blocks(raw)}  # one of each kind
    demand(set(last) <= set(NAMES), str(set(last)))
    bare = suite.tmp / "bare.hfile"
    for magic, block in last.items():
        for part, span in PARTS.items():
            begin, end = span(block)
            if begin == end:
                continue
            path.write_bytes(flip(raw, r.randrange(begin, end), r.randrange(8)))
            where = r"damaged: .*(%s block at %d\b|at %d( is damaged|:|\b))" % (re.escape(magic), block.at, block.at)
            words = r"damaged: .*(%s|at %d\b|trailer|file info)" % (NAMES[magic], block.at)
            problems = found(suite, copy, words if magic >= "E" else where, path.name)
            told(problems, "damaged: .*file checksum", path.name)
            demand(all(path.name in p["text"] for p in problems), "%s, %s: others are blamed: %s" % (magic, part, problems))
            shutil.copy(path, bare)
            told(findings(suite, bare)[0], "damaged", "bare.hfile")
    return set(last)


def bits(suite):
    seen = set()
    for kind in KINDS:
        seen |= flipped_blocks(suite, sound(suite, kind), 1)
    seen |= flipped_blocks(suite, deep(suite), 0)
    demand(seen == set(NAMES), "kinds of blocks that were not there: %s" % sorted(set(NAMES) - seen))


def bits_of_trailer(suite):
    """Magic, body, padding and version of the trailer."""
    copy = copy_of(suite, sound(suite))
    path = file_of(copy)
    raw, r = path.read_bytes(), random.Random(suite.seed)
    start = len(raw) - TRAILER
    for begin, end in ((start, start + 8), (start + 8, start + 80), (start + 300, len(raw) - 4), (len(raw) - 4, len(raw))):
        for _ in range(4):
            path.write_bytes(flip(raw, r.randrange(begin, end), r.randrange(8)))
            found(suite, copy, "damaged: ", path.name)


def goes_on(suite):
    """Behind damaged blocks the others are checked: three bad blocks of one file, a bad file and a missing one are five."""
    copy = copy_of(suite, sound(suite))
    files = [copy / f["path"] for f in manifest(copy)["files"]]
    raw = bytearray(files[0].read_bytes())
    data = of_kind(raw, "DATABLK*")
    for block in data[1:6:2]:
        raw[block.payload + 9] ^= 1
    files[0].write_bytes(raw)
    files[1].write_bytes(files[1].read_bytes()[:-5000])
    files[2].unlink()
    problems = found(suite, copy, "damaged: .*DATABLK")
    for block in data[1:6:2]:
        told(problems, r"DATABLK\* block at %d: checksum.*cells are lost between rows" % block.at, files[0].name)
    told(problems, "damaged: .*bytes, the manifest says", files[1].name)
    told(problems, "missing: .*missing;", files[2].name)
    few, _ = findings(suite, copy, "--limit", 2)
    demand(few == problems[:2], "the worst two are not first: %s" % few)
    text = shown(suite.call("verify", "check", "--limit", 2, copy, want=1).out)
    demand("and %d more" % (len(problems) - 2) in text, text)


# ---- figures that are not true, with checksums that are right ----

def bare(suite, name="untrue.hfile"):
    path = suite.tmp / name
    shutil.copy(file_of(sound(suite)), path)
    return path, bytearray(path.read_bytes())


def more(raw, key):
    old = info(raw, key)
    put_info(raw, key, (int.from_bytes(old, "big") + 1).to_bytes(len(old), "big"))


FIGURES = {"hfile.AVG_KEY_LEN": "metadata: .*AVG_KEY_LEN", "hfile.AVG_VALUE_LEN": "metadata: .*AVG_VALUE_LEN",
           "hfile.MAX_TAGS_LEN": "metadata: .*MAX_TAGS_LEN", "hfile.LEN_OF_BIGGEST_CELL": "metadata: .*LEN_OF_BIGGEST_CELL",
           "hfile.KEY_OF_BIGGEST_CELL": "metadata: .*KEY_OF_BIGGEST_CELL", "hfile.LASTKEY": "metadata: .*LASTKEY",
           "LAST_BLOOM_KEY": "metadata: .*LAST_BLOOM_KEY", "DELETE_FAMILY_COUNT": "metadata: .*DELETE_FAMILY_COUNT",
           "EARLIEST_PUT_TS": "metadata: .*EARLIEST_PUT_TS", "OBKV.DIGEST": "count: .*OBKV.DIGEST",
           "OBKV.DELETES": "metadata: .*OBKV.DELETES", "BULKLOAD_TIMESTAMP": "metadata: .*BULKLOAD_TIMESTAMP",
           "OBKV.FIRST": "metadata: .*OBKV.FIRST", "OBKV.LAST": "metadata: .*OBKV.LAST"}


def figures(suite):
    for key, words in FIGURES.items():
        path, raw = bare(suite)
        more(raw, key)
        path.write_bytes(raw)
        found(suite, path, words, path.name, only=True)
    path, raw = bare(suite)
    low, high = struct.unpack(">qq", info(raw, "TIMERANGE"))
    for less, more_, words in ((0, -1, "hidden"), (1, 0, "hidden"), (-1, 0, "metadata"), (0, 1, "metadata")):
        put_info(raw, "TIMERANGE", struct.pack(">qq", low + less, high + more_))
        path.write_bytes(raw)
        found(suite, path, words + ": .*TIMERANGE", path.name, only=True)


def figures_of_rules(suite):
    """When time drops the next cell: too late is wrong."""
    good = write_as(suite, "ruled", some_cells(suite.seed), PLAIN, "none", "--compact", "--versions", 3, "--ttl", 2 * 10 ** 9)
    suite.call("verify", "check", good)
    path = file_of(good, 0)
    raw = bytearray(path.read_bytes())
    more(raw, "OBKV.NEXT_DROP_MS")
    path.write_bytes(raw)
    told(findings(suite, good)[0], "metadata: .*OBKV.NEXT_DROP_MS", path.name)
    more(raw, "OBKV.KEY_BYTES")
    path.write_bytes(raw)
    told(findings(suite, good)[0], "metadata: .*OBKV.KEY_BYTES", path.name)


def in_block(suite, kind, which, change):
    path, raw = bare(suite)
    block = of_kind(raw, kind)[which]
    change(raw, block)
    renew(raw, block)
    path.write_bytes(raw)
    return path


def bugs(suite):
    """What a bug in a writer would make: every checksum is right."""
    def no_bits(raw, b):
        raw[b.payload:b.sums] = bytes(b.sums - b.payload)

    def wrong_prev(raw, b):
        struct.pack_into(">q", raw, b.at + 16, b.prev - 1)

    def swapped(raw, b):
        one, two = cells(raw, b)[2:4]
        raw[one[0]:two[1]] = raw[two[0]:two[1]] + raw[one[0]:one[1]]

    def value(raw, b):
        begin = cells(raw, b)[3][0]
        raw[begin + 8 + struct.unpack_from(">I", raw, begin)[0]] ^= 1

    def keys(raw, b):
        struct.pack_into(">q", raw, b.payload + 20, struct.unpack_from(">q", raw, b.payload + 20)[0] + 1)

    def entry(at, size, by):
        def change(raw, b):
            old = int.from_bytes(raw[b.payload + at:b.payload + at + size], "big")
            raw[b.payload + at:b.payload + at + size] = (old + by).to_bytes(size, "big")
        return change

    def index_key(raw, b):
        second = b.payload + 8 + 4 + 1 + raw[b.payload + 12]
        raw[second + 13 + 2] = 0x7f  # first byte of its row

    for kind, which, change, words in (
            ("BLMFBLK2", 0, no_bits, r"hidden: .*\d+ rows are missing from the ROW bloom filter, the first in row hex:"),
            ("BLMFBLK2", -1, no_bits, "hidden: .*missing from the (ROW|delete-family) bloom filter"),
            ("BLMFMET2", 0, keys, "metadata: .*ROW bloom filter says that it has .* keys"),
            ("DFBLMET2", 0, keys, "metadata: .*delete-family bloom filter says that it has .* keys"),
            ("DATABLK*", 3, wrong_prev, "names .* as the block before it"),
            ("DATABLK*", 2, swapped, "order: .*cells are not in order: key .* came before"),
            ("DATABLK*", 2, value, "count: .*OBKV.DIGEST"),
            ("IDXROOT2", 0, entry(8, 4, 1), "hidden: .*the index says .* bytes of the block at 0"),
            ("IDXROOT2", 0, index_key, "hidden|damaged: .*(out of order|the index leads)")):
        found(suite, in_block(suite, kind, which, change), words, "untrue.hfile")


def deep_index(suite):
    """A mid key, and a leaf entry, that lead elsewhere."""
    path = suite.tmp / "deep.hfile"
    good = bytearray(file_of(deep(suite), 0).read_bytes())

    def first_offset(raw, b):
        raw[b.payload + 4 + 4 * (struct.unpack_from(">I", raw, b.payload)[0] + 1) + 7] ^= 1

    for magic, change, words in (
            ("IDXROOT2", lambda raw, b: raw.__setitem__(b.sums - 1, raw[b.sums - 1] ^ 1), "metadata: .*mid key"),
            ("IDXLEAF2", first_offset, "hidden: .*the index (names|does not know)")):
        raw = bytearray(good)
        block = of_kind(raw, magic)[0]
        change(raw, block)
        renew(raw, block)
        path.write_bytes(raw)
        found(suite, path, words, path.name)


# ---- files ----

def on_files(suite, change, words, only=False):
    good = sound(suite)
    copy = copy_of(suite, good)
    file = change(copy)
    return found(suite, copy, words, file, only)


def cut(copy):
    path = file_of(copy)
    path.write_bytes(path.read_bytes()[:-1])
    return path.name


def exchanged(copy):
    a, b = file_of(copy, 0), file_of(copy, -1)
    a.rename(copy / "x")
    b.rename(a)
    (copy / "x").rename(b)
    return a.name


def moved(copy):
    path = file_of(copy)
    path.rename(path.with_name("p00002-099.hfile"))
    return path.name


def to_other_family(copy):
    path = file_of(copy)
    (copy / "other").mkdir()
    path.rename(copy / "other" / path.name)
    return path.name


def linked(copy):
    path = file_of(copy)
    path.rename(copy.with_name("elsewhere.hfile"))
    path.symlink_to(copy.with_name("elsewhere.hfile"))
    return path.name


def linked_to_nothing(copy):
    path = file_of(copy)
    path.unlink()
    path.symlink_to(copy / "nowhere")
    return path.name


def added(copy, name):
    shutil.copy(file_of(copy), file_of(copy).with_name(name))
    return name


def emptied(copy):
    file_of(copy).write_bytes(b"")
    return file_of(copy).name


def folder_instead(copy):
    path = file_of(copy)
    path.unlink()
    path.mkdir()
    return path.name


def pipe_instead(copy):
    path = file_of(copy)
    path.unlink()
    os.mkfifo(path)
    return path.name


FILES = [
    ("cut by a byte", cut, "damaged: .*bytes, the manifest says"),
    ("exchanged", exchanged, "misplaced: .*belongs to partition"),
    ("exchanged, by what they say", exchanged, "misplaced: .*written for partition"),
    ("moved", moved, "missing: .*missing;"),
    ("moved, where to", lambda c: moved(c) and "p00002-099.hfile", "extra: .*not in the manifest"),
    ("in another family", to_other_family, "missing"),
    ("in another family, where", lambda c: to_other_family(c) and "other", "extra"),
    ("a symbolic link", linked, "cosmetic: .*symbolic link"),
    ("a link to nothing", linked_to_nothing, "missing"),
    ("one too many", lambda c: added(c, "p00000-900.hfile"), "extra: .*not in the manifest"),
    ("one too many, hidden", lambda c: added(c, ".p00000-900.hfile"), "extra"),
    ("empty", emptied, "damaged: .*0 bytes"),
    ("a folder", folder_instead, "missing: .*not a file"),
    ("a pipe", pipe_instead, "missing: .*not a file"),
]


def old_file(suite):
    """A file of the same name from the run before, and one of another dataset."""
    good = sound(suite)
    old = write_as(suite, "old", some_cells(suite.seed + 1))
    copy = copy_of(suite, good)
    target = file_of(copy, 0)
    shutil.copy(file_of(old, 0), target)
    found(suite, copy, r"count: .*\d+ cells with digest .*the manifest says", target.name)
    differs(suite, good, copy, "(missing|changed|extra)")
    other = write_as(suite, "other", [cell_line(b"zz%d" % i, b"x", b"", 1, 4, 0, b"", b"") for i in range(50)], PLAIN, "none")
    shutil.copy(file_of(other, 0), target)
    problems = found(suite, copy, "misplaced: .*cells of family 'x'", target.name)
    told(problems, "misplaced: .*belongs to partition", target.name)


def old_manifest(suite):
    good = sound(suite)
    old = write_as(suite, "old", some_cells(suite.seed + 1))
    copy = copy_of(suite, good)
    shutil.copy(old / "MANIFEST.json", copy)
    problems = found(suite, copy, "count: .*the manifest says")
    told(problems, "damaged: .*file checksum")


def old_whole(suite):
    """An older dataset, whole, where the one is that a later night names as its base: sound in itself, as the later one is. The
    account over both finds files that were read and are not there."""
    first, later = night(suite), suite.fresh("later")
    compacted(suite, "later", "--now", NOW + 5000, "--base", first, delta(suite, "d9", [251]))
    newer = suite.fresh("newer")
    first.rename(newer)
    try:
        shutil.copytree(suite.tmp / "base", first)
        for path in (first, later):
            suite.call("verify", "check", path)
        said = shown(suite.call("verify", "account", later, first, want=1).out)
        demand(re.search(r"%s was read, but 1 of the .* files that it does not list were read" % first.name, said), said)
    finally:
        shutil.rmtree(first)
        newer.rename(first)
    said = shown(suite.call("verify", "account", later, first, want=None).out)
    demand("does not list" not in said, said)


# ---- manifests ----

def edit(suite, copy, change, sealed):
    m = manifest(copy)
    change(m)
    m["checksum"] = m.pop("checksum")
    text = json.dumps(m, indent=1) + "\n"
    if sealed:
        write_sealed(suite, copy / "MANIFEST.json", text)
    else:
        (copy / "MANIFEST.json").write_text(text)


def count_up(*path):
    def change(m):
        for key in path[:-1]:
            m = m[key]
        m[path[-1]] += 1
    return change


def set_to(value, *path):
    def change(m):
        for key in path[:-1]:
            m = m[key]
        m[path[-1]] = value
    return change


def drop_file(m):
    del m["files"][2]


def twice(m):
    m["files"].append(m["files"][-1])


EDITS = [
    (count_up("files", 1, "cells"), "count: .*the manifest says"),
    (count_up("totals", "cells"), "count: .*totals say"),
    (count_up("totals", "files"), "metadata: .*totals say"),
    (count_up("totals", "bytes"), "metadata: .*totals say"),
    (count_up("totals", "kv_bytes"), "metadata: .*totals say"),
    (count_up("files", 1, "kv_bytes"), "metadata: .*KeyValue bytes"),
    (count_up("files", 1, "bytes"), "damaged: .*bytes, the manifest says"),
    (count_up("files", 1, "ts_max"), "metadata: .*timestamps"),
    (count_up("files", 1, "ts_min"), "metadata: .*timestamps"),
    (set_to("00", "files", 1, "first_row_hex"), "metadata: .*first row"),
    (set_to("ff", "files", 1, "last_row_hex"), "last row"),
    (set_to("0" * 16, "files", 1, "checksum"), "damaged: .*file checksum"),
    (set_to("0" * 32, "files", 1, "digest"), "count: .*the manifest says"),
    (set_to("0" * 32, "totals", "digest"), "count: .*totals say"),
    (set_to("nobody", "files", 1, "partition_name"), "metadata"),
    (set_to("cf/p00009-009.hfile", "files", 1, "path"), "missing: .*p00009-009"),
    (set_to(2, "files", 0, "partition"), "misplaced"),
    (set_to(2, "files", 0, "partition"), "metadata: .*order of partitions"),
    (set_to(9, "files", 0, "partition"), "damaged: .*malformed"),
    (set_to("../x", "files", 0, "path"), "damaged: .*malformed"),
    (count_up("files", 1, "number"), "metadata: .*number is out of sequence"),
    (drop_file, "extra: .*not in the manifest"),
    (drop_file, "count: .*the ledger counts"),
    (twice, "metadata: .*listed twice"),
    (count_up("ledger", "records", "read"), "count: .*record ledger does not balance"),
    (count_up("ledger", "cells", "in", "cells"), "count: .*cell ledger does not balance"),
    (count_up("inputs", 0, "cells"), "count: .*the inputs gave"),
    (count_up("now_ms"), "metadata: .*was written at"),
    (count_up("settings", "now"), "metadata: .*settings say --now"),
    (set_to("zstd:3", "settings", "codec"), "metadata: .*codec is NONE, the manifest's settings say zstd:3"),
    (set_to("diff", "settings", "encoding"), "metadata: .*encoding is NONE, the manifest's settings say diff"),
    (set_to("none", "settings", "bloom"), "metadata: .*bloom filter is ROW, the manifest's settings say none"),
    (set_to("prefix:4", "settings", "bloom"), "metadata: .*bloom filter is ROW, the manifest's settings say prefix:4"),
]


def edited(suite):
    """By hand: without its seal that alone is a finding, with a new one the figures tell."""
    for change, words in EDITS:
        for sealed in (True, False):
            copy = copy_of(suite, sound(suite))
            edit(suite, copy, change, sealed)
            problems = found(suite, copy, words)
            demand(sealed != any("its checksum does not match" in p["text"] for p in problems) or "malformed" in words,
                   "sealed: %s, %s" % (sealed, problems))
    copy = copy_of(suite, sound(suite))
    edit(suite, copy, lambda m: None, True)
    suite.call("verify", "check", copy)


def cut_manifest(suite):
    for keep in (0, 100, -1000):
        copy = copy_of(suite, sound(suite))
        text = (copy / "MANIFEST.json").read_bytes()
        (copy / "MANIFEST.json").write_bytes(text[:keep])
        found(suite, copy, "damaged: .*MANIFEST.json", only=True)


# ---- cells: valid files, and a manifest that goes with them ----

def entry_of(suite, m, path, number, source):
    """The entry of a file of another dataset, for a place in this one."""
    entry = dict(next(f for f in manifest(source)["files"]))
    old = m["files"][number]
    for key in ("path", "family", "partition", "partition_name", "number"):
        entry[key] = old[key]
    entry["checksum"] = subprocess.run([seal(suite), path], check=True, capture_output=True, text=True).stdout.strip()
    return entry


def rewritten(suite, change):
    """One file of the sound dataset written again with other cells, once beside the old manifest, once with a new entry."""
    good = sound(suite)
    number = 1
    lines = shown(suite.call("verify", "dump", file_of(good, number)).out).splitlines()
    lines = [line for line in lines if not line.startswith("#")]
    source = write_as(suite, "again", change(lines), PLAIN, "none", "--target-file-size", "1G")
    with_old, with_new = copy_of(suite, good), suite.fresh("renewed")
    shutil.copytree(with_old, with_new)
    for copy in (with_old, with_new):
        shutil.copy(file_of(source, 0), file_of(copy, number))

    def renewed(m):
        m["files"][number] = entry_of(suite, m, file_of(with_new, number), number, source)
    edit(suite, with_new, renewed, True)
    return good, with_old, with_new, file_of(good, number).name


def with_value(line, value):
    fields = line.split("\t")
    fields[6] = value
    return "\t".join(fields)


def with_row(line, row):
    return row.hex() + line[line.index("\t"):]


def swap_values(c):
    return [with_value(c[0], c[4].split("\t")[6])] + c[1:4] + [with_value(c[4], c[0].split("\t")[6])] + c[5:]


COUNT = "count: .*(the ledger counts|the manifest says)"
CHANGES = [
    ("missing", lambda c: c[:5] + c[6:], COUNT, "missing"),
    ("extra", lambda c: c[:5] + [with_row(c[5], b"row00001x")] + c[5:], COUNT, "extra"),
    ("changed", lambda c: c[:5] + [with_value(c[5], "00")] + c[6:], COUNT, "changed"),
    ("swapped", swap_values, COUNT, "changed"),
    ("duplicated", lambda c: c[:5] + [c[5]] + c[5:], COUNT, "(extra|changed)"),
    ("misplaced", lambda c: c + [with_row(c[-1], b"zz%d" % i) for i in range(9)],
     "misplaced: .*row hex:7a7a.*belongs to partition", "(extra|misplaced)"),
]


def cell(suite, change, words, kind):
    good, with_old, with_new, name = rewritten(suite, change)
    problems = found(suite, with_old, words)
    told(problems, "damaged: .*file checksum", name)
    problems = found(suite, with_new, words)
    demand(not any("file checksum" in p["text"] for p in problems), "the new entry does not fit: %s" % problems)
    for bad in (with_old, with_new):
        if (file_of(bad).stat().st_size == manifest(bad)["files"][1]["bytes"]) and kind:
            differs(suite, good, bad, kind)


def whole_run(suite):
    """A dataset that was written without a cell is sound in itself: only the other one tells."""
    good = sound(suite)
    other = write_as(suite, "whole", some_cells(suite.seed)[:-1])
    suite.call("verify", "check", other)
    differs(suite, good, other, "missing")


def main():
    suite = Suite(__doc__, in_memory=True)
    suite.run("a bit in each kind of block", bits)
    suite.run("a bit in the trailer", bits_of_trailer)
    suite.run("damage does not stop the check", goes_on)
    suite.run("figures that are not true", figures)
    suite.run("figures of version rules", figures_of_rules)
    suite.run("bugs of a writer", bugs)
    suite.run("an index of three levels that leads elsewhere", deep_index)
    for name, change, words in FILES:
        suite.run("file: " + name, on_files, change, words)
    suite.run("file: an old one, one of another dataset", old_file)
    suite.run("dataset: an older one put back whole", old_whole)
    suite.run("manifest: stale", old_manifest)
    suite.run("manifest: edited by hand", edited)
    suite.run("manifest: cut", cut_manifest)
    for name, made, change, words in NIGHTS:
        suite.run("night: " + name, lies, made, change, words, edit)
    suite.run("night: a base that lies of its bytes", believed, edit)
    for name, change, words, kind in CHANGES:
        suite.run("cell: " + name, cell, change, words, kind)
    suite.run("cell: missing from a whole run", whole_run)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
