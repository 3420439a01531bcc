"""Lays out an hbase.rootdir with one snapshot, as HBase leaves it once the table's own files are archived.

  ROOT/.hbase-snapshot/NAME/.snapshotinfo, data.manifest
  ROOT/archive/data/default/TABLE/REGION/FAMILY/<hex>_SeqId_N_

The store files are those of RANGE datasets with equal bounds: a partition becomes a region, each dataset one bulk load into it.
They are linked, not copied. With `changes`, some regions have been split since, and hold references, and some were cloned from
another table, and hold links. Protobuf is written by hand: hbase's Snapshot.proto and HBase.proto have few fields.
"""
import hashlib
import json
import os

CREATED_MS = 1700000000000


def varint(n):
    out = bytearray()
    while n >= 0x80:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def data(field, content):
    return varint(field << 3 | 2) + varint(len(content)) + content


def table_name(table):
    return data(1, b"default") + data(2, table)


def table_schema(table, family):
    attributes = {b"VERSIONS": b"1000", b"TTL": b"2147483647", b"MIN_VERSIONS": b"0", b"KEEP_DELETED_CELLS": b"FALSE",
                  b"COMPRESSION": b"SNAPPY", b"DATA_BLOCK_ENCODING": b"NONE", b"BLOOMFILTER": b"ROW", b"BLOCKSIZE": b"65536"}
    pairs = b"".join(data(2, data(1, k) + data(2, v)) for k, v in attributes.items())
    return data(1, table_name(table)) + data(2, data(1, b"IS_META") + data(2, b"false")) + data(3, data(1, family) + pairs)


TOP, BOTTOM = 0, 1  # Reference.Range: rows from the split row on, rows before it


def reference(row, half):
    """The split row as KeyValueUtil.createFirstOnRow has it: no family, latest time, type Maximum."""
    return data(1, len(row).to_bytes(2, "big") + row + b"\0" + (2 ** 63 - 1).to_bytes(8, "big") + b"\xff") + number(2, half)


class Region:
    def __init__(self, table, start, end, created=CREATED_MS):
        name = b"%s,%s,%d" % (table, start, created)
        self.start, self.end = start, end
        self.encoded = hashlib.md5(name).hexdigest()
        self.info = (number(1, created) + data(2, table_name(table)) + data(3, start) + data(4, end) + number(5, 0) +
                     number(6, 0) + number(7, 0))
        self.files = []  # name, bytes, reference or None

    def manifest(self, family):
        files = b"".join(data(2, data(1, name.encode()) + (data(2, half) if half else b"") + number(3, size))
                         for name, size, half in self.files)
        return number(1, 0) + data(2, self.info) + data(3, data(1, family) + files)

    def split(self, table, row):
        """Two daughters, which refer to the files of this region."""
        halves = Region(table, self.start, row, CREATED_MS + 1), Region(table, row, self.end, CREATED_MS + 1)
        for region, half in zip(halves, (BOTTOM, TOP)):
            region.files = [("%s.%s" % (name, self.encoded), size, reference(row, half)) for name, size, _ in self.files]
        return halves


class Changes:
    """What happened to the table since its files were loaded: the rows at which regions were split, and the regions, by number,
    whose files belong to another table that this one was cloned from."""
    def __init__(self, splits=(), cloned=(), origin="origin"):
        self.splits, self.cloned, self.origin = splits, cloned, origin.encode()

    def apply(self, table, regions):
        out = []
        for region in regions:
            row = next((r for r in self.splits if region.start < r and (not region.end or r < region.end)), None)
            out += region.split(table, row) if row else [region]
        return out


def regions_of(manifest, table):
    bounds = manifest["table"]["partitioning"]["bounds_hex"]
    edges = [b""] + [bytes.fromhex(b) if b else b"" for b in bounds]
    return [Region(table, edges[i], edges[i + 1]) for i in range(len(bounds))]


def add_load(root, dataset, manifest, regions, table, load, changes):
    for f in manifest["files"]:
        region, cloned = regions[f["partition"]], f["partition"] in changes.cloned
        owner = changes.origin if cloned else table
        folder = os.path.join(root, "archive/data/default", owner.decode(), region.encoded, f["family"])
        name = "%s_SeqId_%d_" % (hashlib.md5(("%d %s" % (load, f["path"])).encode()).hexdigest(), 4 + load)
        source = os.path.join(dataset, f["path"])
        os.makedirs(folder, exist_ok=True)
        os.link(source, os.path.join(folder, name))
        if cloned:
            name = "%s=%s-%s" % (owner.decode(), region.encoded, name)
        region.files.append((name, os.path.getsize(source), None))


def make_snapshot(root, name, table, datasets, changes=Changes()):
    """datasets: folders with the same bounds and one and the same family."""
    manifests = []
    for d in datasets:
        with open(os.path.join(d, "MANIFEST.json")) as f:
            manifests.append(json.load(f))
    table = table.encode()
    family = manifests[0]["table"]["families"][0]["name"].encode()
    regions = regions_of(manifests[0], table)
    for load, (dataset, manifest) in enumerate(zip(datasets, manifests)):
        add_load(root, dataset, manifest, regions, table, load, changes)
    regions = changes.apply(table, regions)
    folder = os.path.join(root, ".hbase-snapshot", name)
    os.makedirs(folder)
    with open(os.path.join(folder, ".snapshotinfo"), "wb") as f:
        f.write(data(1, name.encode()) + data(2, table) + number(3, CREATED_MS) + number(4, 1) + number(5, 2) + number(8, 0))
    with open(os.path.join(folder, "data.manifest"), "wb") as f:
        f.write(data(1, table_schema(table, family)) + b"".join(data(2, r.manifest(family)) for r in regions))
