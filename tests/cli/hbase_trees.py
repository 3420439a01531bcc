#!/usr/bin/env python3
"""What a running HBase left on disk (tests/data/hbase_trees) through obkv-import, held against what HBase itself said is in it.

    hbase_trees.py BIN [--keep] [-v] [NAME ...]

Every snapshot and table of every tree is imported and dumped: all cells of all live store files with their sequence ids
(stored.tsv); the same with duplicates reduced and expired cells left out (a raw scan, expected.tsv); with --compact what a plain
scan shows (visible.tsv, families that keep no deleted cells; all that HBase 0.92 can say) and what a major compaction leaves
(compacted.tsv). Then single regions and families, several tables at once, what is said about that which is not read, and what is
missing. The last line is "N passed, N failed, N skipped".
"""
import collections
import json
import pathlib
import shutil
import sys
import tarfile

from programs import Suite, Wrong, demand, manifest, unhex

TREES = pathlib.Path(__file__).resolve().parent.parent / "data" / "hbase_trees"
TAG_MOB, TAG_TTL = 5, 8

Cell = collections.namedtuple("Cell", "row family qualifier ts kind seq value tags")
Place = collections.namedtuple("Place", "folder args")  # folder: of what HBase said; args: what obkv-import is given


def cell_of(line):
    f = line.split("\t")
    return Cell(f[0], f[1], f[2], int(f[3]), int(f[4]), int(f[5]), f[6], f[7])


def read_cells(path):
    return [cell_of(line) for line in path.read_text().splitlines() if line and not line.startswith("#")]


def tags_of(cell):
    """{type: value}"""
    raw, out = unhex(cell.tags), {}
    while raw:
        n = int.from_bytes(raw[:2], "big")
        out[raw[2]] = raw[3:2 + n]
        raw = raw[2 + n:]
    return out


def is_mob_reference(cell):
    return TAG_MOB in tags_of(cell)


# ---- which places a tree has ----

def table_dirs(hbase):
    """Below namespaces; up to 0.94 tables are below the root."""
    if "hbase_0." in hbase.parent.name:
        return {p.parent.name: p.parent for p in hbase.glob("*/.tableinfo.*")}
    return {p.name: p for p in hbase.glob("data/*/*")}


def places_of(tree):
    """Every snapshot and table HBase was asked about, as arguments; a table that its snapshot still describes counts too."""
    for folder in sorted(tree.joinpath("expected").iterdir()):
        what, _, name = folder.name.partition(".")
        hbase = tree / "hbase" if (tree / "hbase").exists() else tree / name
        if what == "flushed_only":
            yield Place(folder, ["--snapshot", "snap_i", hbase])
            yield Place(folder, [hbase / "data/default/wal_tab"])
        elif what == "snapshot":
            yield Place(folder, ["--snapshot", name, hbase])
            yield Place(folder, [hbase / ".hbase-snapshot" / name])
        elif what == "table":
            yield Place(folder, [table_dirs(hbase)[name]])
    unchanged = {"a1_snapshot": [("simple", "snap_a")], "c_clone_links": [("clone-c.1", "snap_clone"), ("clone2", "snap_clone2")],
                 "d_ttl_deletes": [("ttl_tab", "snap_d")], "f_namespace": [("tab", "snap_f"), ("tab-clone", "snap_f_clone")],
                 "e_codecs_mob": [("codecs", "snap_e"), ("codecs_clone", "snap_e_clone")], "j_bulkload": [("bulk_tab", "snap_j")]}
    for table, snapshot in unchanged.get(tree.name, []):
        yield Place(tree / "expected" / ("snapshot." + snapshot), [table_dirs(tree / "hbase")[table]])


# ---- comparing ----

def compare(have, want, what):
    have, want = collections.Counter(have), collections.Counter(want)
    if have == want:
        return
    more, less = list((have - want).elements()), list((want - have).elements())
    text = ["%s: %d cells too many, %d missing" % (what, len(more), len(less))]
    text += ["  too many: %s" % (c,) for c in more[:3]] + ["  missing:  %s" % (c,) for c in less[:3]]
    raise Wrong("\n".join(t[:200] for t in text))


def without_mob(cells, mob):
    """What can be compared where one side has MOB references: of those families everything but value and tags."""
    return [c._replace(value="", tags="") if c.family in mob else c for c in cells]


def mob_families(cells):
    return {c.family for c in cells if is_mob_reference(c)}


class Imported:
    def __init__(self, suite, place, now, compact):
        self.out = suite.fresh("out")
        args = ["--now", now, "--partition", "key:7", "-o", self.out] + (["--compact"] if compact else [])
        suite.call("import", *args, *place.args)
        dumped = suite.call("verify", "dump", self.out).out.decode()
        self.cells = [cell_of(line) for line in dumped.splitlines() if line and not line.startswith("#")]
        self.rules = {f["name"].encode().hex(): f["rules"] for f in manifest(self.out)["table"]["families"]}
        suite.call("verify", "check", "--quick", self.out)


def is_expired(cell, now):
    """To a raw scan only a cell's own TTL counts, not its family's (StoreScanner)."""
    ttl = tags_of(cell).get(TAG_TTL)
    return ttl is not None and cell.ts + int.from_bytes(ttl, "big") < now


def scanned_raw(cells, now):
    """Of equal keys the newest, nothing that has expired."""
    newest = {}
    for c in cells:
        if c[:5] not in newest or newest[c[:5]].seq < c.seq:
            newest[c[:5]] = c
    return [c for c in newest.values() if not is_expired(c, now)]


def check_import(suite, place):
    now = int((place.folder / "now.txt").read_text())
    have = Imported(suite, place, now, False)
    stored = read_cells(place.folder / "stored.tsv")
    mob = mob_families(stored)
    compare(without_mob(have.cells, mob), without_mob(stored, mob), "stored")
    raw = [c._replace(seq=0, tags="") for c in scanned_raw(have.cells, now)]
    compare(raw, [c._replace(seq=0, tags="") for c in read_cells(place.folder / "expected.tsv")], "raw scan")
    demand(not mob_families(have.cells), "a MOB reference came through")


def check_compact(suite, place):
    now = int((place.folder / "now.txt").read_text())
    have = Imported(suite, place, now, True)
    plain = {f for f, r in have.rules.items() if r["keep_deleted_cells"] == "FALSE" and not r["purge_deletes_after_ms"]}
    compare([c._replace(tags="", seq=0) for c in have.cells if c.family in plain],
            [c._replace(tags="", seq=0) for c in read_cells(place.folder / "visible.tsv") if c.family in plain], "plain scan")
    left = place.folder / "compacted.tsv"
    if left.exists():
        compacted = read_cells(left)
        whole = whole_families(left)
        mob = mob_families(compacted)
        compare(without_mob([c for c in have.cells if c.family in whole], mob),
                without_mob([c for c in compacted if c.family in whole], mob), "major compaction")


def whole_families(path):
    """Families whose stores HBase compacted into one file each; of more than ten files it takes only some."""
    files = collections.Counter()
    for line in path.read_text().splitlines():
        if line.startswith("# region"):
            f = line.split()
            files[f[2], f[4]] += 1
    return {family.encode().hex() for (_, family), n in files.items() if n == 1} - \
           {family.encode().hex() for (_, family), n in files.items() if n > 1}


# ---- parts, several tables, what is said ----

def stored_files(path):
    """[(region, family, file, cells)] of a listing, as they come."""
    out = []
    for line in path.read_text().splitlines():
        f = line.split()
        if line.startswith("# region"):
            out.append((f[2], f[4], f[6], []))
        elif line and not line.startswith("#"):
            out[-1][3].append(cell_of(line))
    return out


def dumped(suite, *args):
    out = suite.fresh("out")
    suite.call("import", "--partition", "none", "-o", out, *args)
    return [cell_of(line) for line in suite.call("verify", "dump", out).out.decode().splitlines() if not line.startswith("#")]


def check_parts(suite, tree):
    """Regions and families of a table, each on its own."""
    place = tree / "expected/snapshot.snap_clone2"
    table = tree / "hbase/data/default/clone2"
    files = stored_files(place / "stored.tsv")
    for region in sorted({f[0] for f in files}):
        want = [c for f in files if f[0] == region for c in f[3]]
        for part in (table / region, table / region / "d"):
            compare(dumped(suite, part), want, part.relative_to(tree))


def check_minor(suite, tree):
    """Of 13 files HBase compacted the ten newest, and the three older ones stayed: a minor compaction."""
    folder = tree / "expected/snapshot.snap_j"
    before = [f for f in stored_files(folder / "stored.tsv") if f[1] == "f"]
    after = [f for f in stored_files(folder / "compacted.tsv") if f[1] == "f"]
    names = {f[2] for f in before}
    taken = [f for f in before if f[2] not in {a[2] for a in after}]
    demand((len(before), len(taken)) == (13, 10), "%d files, %d compacted" % (len(before), len(taken)))
    out, store = suite.fresh("out"), tree / "hbase/data/default/bulk_tab" / before[0][0] / "f"
    suite.call("compact", "--rules", "minor:before", "--rank", "sequence", "--versions", "5", "--partition", "none",
               "--now", (folder / "now.txt").read_text().strip(), "-o", out, *(store / f[2] for f in taken))
    lines = suite.call("verify", "dump", out).out.decode().splitlines()
    compare([cell_of(line) for line in lines if not line.startswith("#")], [c for f in after if f[2] not in names for c in f[3]],
            "minor compaction")


def check_tables(suite, tree):
    out, hbase = suite.fresh("out"), tree / "hbase"
    suite.call("import", "--table", "*clone*", "--partition", "none", "-o", out, hbase)
    demand(sorted(p.name for p in out.iterdir()) == ["default.clone-c.1", "default.clone2"], "other tables were imported")
    for table, snapshot in (("default.clone-c.1", "snap_clone"), ("default.clone2", "snap_clone2")):
        lines = suite.call("verify", "dump", out / table).out.decode().splitlines()
        compare([cell_of(line) for line in lines if not line.startswith("#")],
                read_cells(tree / "expected" / ("snapshot." + snapshot) / "stored.tsv"), table)


def check_list(suite, tree):
    """Regions and files of every table and snapshot, as HBase opened them."""
    listed = {e["what"]: e for e in json.loads(suite.call("import", "--list", "--json", tree / "hbase").out)["entries"]}
    for what, folder in (("table split.tab-x", "table.split.tab-x"),
                         ("snapshot snap_b0 of table split.tab-x", "snapshot.snap_b0"),
                         ("snapshot snap_b1 of table split.tab-x", "snapshot.snap_b1")):
        files = stored_files(tree / "expected" / folder / "stored.tsv")
        demand(listed[what]["regions"] == len({f[0] for f in files}), "%s: %s regions" % (what, listed[what]["regions"]))
        demand(listed[what]["files"] == len(files), "%s: %s files" % (what, listed[what]["files"]))


def says(suite, words, *args, want=0):
    err = suite.call("import", "--partition", "none", "-o", suite.fresh("out"), *args, want=want).err.decode()
    for word in words:
        demand(word in err, "'%s' is not said: %s" % (word, err[-600:]))


def check_wal(suite, tree):
    says(suite, ["SKIPFLUSH", "write-ahead logs", "1 (14111 bytes)"], "--snapshot", "snap_i", tree / "hbase")
    says(suite, ["write-ahead logs", "1 (14111 bytes)"], tree / "hbase/data/default/wal_tab")


def check_parents(suite, tree):
    says(suite, ["split or merged, left out", "3 (12 files, 83780 bytes)"], tree / "hbase/data/default/split.tab-x")


def check_untracked(suite, tree):
    says(suite, [".filelist does not name", ": 1 ("], tree / "hbase/data/default/sft_file")


def check_expired(suite, tree):
    says(suite, ["snapshot snap_f_clone of table ns_2:tab-clone expired"], "--snapshot", "snap_f_clone", tree / "hbase")


def check_old_root(suite, tree):
    """A root of 0.94 with a table called data: all are listed, with HBase's rules; a write-ahead log is seen."""
    hbase = tree / "hbase"
    entries = json.loads(suite.call("import", "--list", "--json", hbase).out)["entries"]
    listed = {e["what"]: (e["regions"], e["files"]) for e in entries}
    want = {"table data": (2, 4), "table plain": (2, 4), "table users": (2, 5), "snapshot snap_plain of table plain": (2, 4),
            "snapshot snap_users of table users": (2, 5)}
    demand(listed == want, "listed: %s" % listed)
    out = suite.fresh("out")
    suite.call("import", "--table", "da*", "--partition", "none", "-o", out, hbase)
    families = manifest(out / "default.data")["table"]["families"]
    rules = {f["name"]: (f["rules"]["versions"], f["rules"]["ttl_s"]) for f in families}
    demand(rules == {"f": (2, 1000000000), "g": (5, 0)}, "rules: %s" % rules)
    says(suite, ["write-ahead logs", "1 (389 bytes)"], hbase / "plain")
    says(suite, ["split or merged, left out", "1 (4 files, "], hbase / "data")


def check_unreadable(suite, tree):
    """What cannot be opened is listed all the same, and the exit code says so."""
    copy = suite.fresh("copy")
    shutil.copytree(tree / "hbase", copy)
    path = next((copy / "plain").glob("*/f/[0-9a-f]*"))
    path.with_name(".%s.crc" % path.name).unlink()
    path.write_bytes(b"x" * path.stat().st_size)
    done = suite.call("import", "--list", copy, want=5)
    demand(b"table users" in done.out and b"cannot be opened as HFiles: 1" in done.err, done.err.decode()[-400:])


def check_first_format(suite, tree):
    """HFiles of version 1, the only one before 0.92. One is packed by GZ, and so begins like a text that is."""
    for path in sorted((tree / "v1").iterdir()):
        says(suite, ["v1/%s: HFile v1 is not supported" % path.name], path, want=5)


def check_missing(suite, tree):
    """Both daughters need the file that is gone; another one is cut, and all three are named. So are many."""
    copy = suite.fresh("copy")
    shutil.copytree(tree / "hbase", copy)
    table = copy / "data/default/split.tab-x"
    (table / "6171f1694b48e31946999ca28be0e966/f1/0c9ced29f05c4a2a9146b2708cd7a8b0").unlink()
    (table / "3f1679ac692a903a7dc63351753ed013/f1/b303c6c196b74bb39612545706186b0b").write_bytes(b"short")
    parts = ["%s/f1/0c9ced29f05c4a2a9146b2708cd7a8b0" % r for r in ("cc4f4dfa68cb392f59a6f4a1a2568cd9",
                                                                   "cf8f6717651b78c65090860b13975388")]
    says(suite, parts + ["has 5 bytes, 6116 are listed"], "--snapshot", "snap_b1", copy, want=5)
    for path in table.glob("*/f1/*"):
        path.unlink()
    names = [f[2] for f in stored_files(tree / "expected/snapshot.snap_b1/stored.tsv") if f[1] == "f1"]
    says(suite, ["%s: is missing" % name for name in names], "--snapshot", "snap_b1", copy, want=5)


def check_side_file(suite, tree):
    """A store file that does not fit its .crc."""
    copy = suite.fresh("copy")
    shutil.copytree(tree / "hbase", copy)
    path = copy / "data/default/simple/32b5529da944e6cf8bd7acbb6b456ab2/cf1/6bf7fc3b8eab41e5a6a4080db4d6681a"
    data = bytearray(path.read_bytes())
    data[3000] ^= 1
    path.write_bytes(data)
    says(suite, ["6bf7fc3b8eab41e5a6a4080db4d6681a"], "--snapshot", "snap_a", copy, want=5)


SINGLE = {"a1_snapshot": [check_side_file], "b_split_merge": [check_list, check_missing], "b2_split_compacted": [check_parents],
          "c_clone_links": [check_parts, check_tables], "f_namespace": [check_expired], "i_wal_only": [check_wal],
          "j_bulkload": [check_minor], "k_filelist_tracker": [check_untracked],
          "l_hbase_0.94": [check_old_root, check_unreadable], "m_hbase_0.92": [check_first_format]}


def main():
    suite = Suite(__doc__, in_memory=True)
    for archive in sorted(TREES.glob("*.tar.xz")):
        name = archive.name[:-len(".tar.xz")]
        with tarfile.open(archive) as tar:
            tar.extractall(suite.tmp)
        for place in places_of(suite.tmp / name):
            given = " ".join(str(a).replace(str(suite.tmp / name) + "/", "") for a in place.args)
            if (place.folder / "stored.tsv").exists():
                suite.run("%s: %s: import" % (name, given), check_import, place)
            suite.run("%s: %s: import --compact" % (name, given), check_compact, place)
        for check in SINGLE.get(name, []):
            suite.run("%s: %s" % (name, check.__name__[6:]), check, suite.tmp / name)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
