"""Lays out an hbase.rootdir with one snapshot, as HBase leaves it once the table's own files are archived.

  ROOT/.hbase-snapshot/NAME/.snapshotinfo, data.manifest
  ROOT/archive/data/default/TABLE/REGION/FAMILY/<hex>_SeqId_N_

The store files are those of RANGE datasets with equal bounds: a partition becomes a region, each dataset one bulk load into it.
They are linked, not copied. Protobuf is written by hand: hbase's Snapshot.proto and HBase.proto have few fields.
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


class Region:
    def __init__(self, table, start, end):
        name = b"%s,%s,%d" % (table, start, CREATED_MS)
        self.encoded = hashlib.md5(name).hexdigest()
        self.info = (number(1, CREATED_MS) + data(2, table_name(table)) + data(3, start) + data(4, end) + number(5, 0) +
                     number(6, 0) + number(7, 0))
        self.files = []

    def manifest(self, family):
        files = b"".join(data(2, data(1, name.encode()) + number(3, size)) for name, size in self.files)
        return number(1, 0) + data(2, self.info) + data(3, data(1, family) + files)


def regions_of(manifest, table):
    bounds = manifest["table"]["partitioning"]["bounds_hex"]
    edges = [b""] + [bytes.fromhex(b) if b else b"" for b in bounds]
    return [Region(table, edges[i], edges[i + 1]) for i in range(len(bounds))]


def add_load(root, dataset, manifest, regions, table, load):
    for f in manifest["files"]:
        region = regions[f["partition"]]
        folder = os.path.join(root, "archive/data/default", table.decode(), region.encoded, f["family"])
        name = "%s_SeqId_%d_" % (hashlib.md5(("%d %s" % (load, f["path"])).encode()).hexdigest(), 4 + load)
        source = os.path.join(dataset, f["path"])
        os.makedirs(folder, exist_ok=True)
        os.link(source, os.path.join(folder, name))
        region.files.append((name, os.path.getsize(source)))


def make_snapshot(root, name, table, datasets):
    """datasets: folders with the same bounds and one and the same family."""
    manifests = []
    for d in datasets:
        with open(os.path.join(d, "MANIFEST.json")) as f:
            manifests.append(json.load(f))
    table = table.encode()
    family = manifests[0]["table"]["families"][0]["name"].encode()
    regions = regions_of(manifests[0], table)
    for load, (dataset, manifest) in enumerate(zip(datasets, manifests)):
        add_load(root, dataset, manifest, regions, table, load)
    folder = os.path.join(root, ".hbase-snapshot", name)
    os.makedirs(folder)
    with open(os.path.join(folder, ".snapshotinfo"), "wb") as f:
        f.write(data(1, name.encode()) + data(2, table) + number(3, CREATED_MS) + number(4, 1) + number(5, 2) + number(8, 0))
    with open(os.path.join(folder, "data.manifest"), "wb") as f:
        f.write(data(1, table_schema(table, family)) + b"".join(data(2, r.manifest(family)) for r in regions))
