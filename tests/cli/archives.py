#!/usr/bin/env python3
"""Archives made to hurt: names that lead elsewhere, bombs, a million members, headers that claim anything, damage.

    archives.py BIN [--seed N] [--keep] [-v] [NAME ...]

The last line is "N passed, N failed, N skipped".
"""
import bz2
import gzip
import io
import lzma
import os
import random
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib

from measured import run_counted
from programs import NOW, Skip, Suite, demand

CSV = ("--quiet", "--partition", "none", "--now", NOW, "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a")
LOUD = CSV[1:]


def tar_of(members, mode="w", fmt=tarfile.GNU_FORMAT):
    """members: (name, bytes) or TarInfo."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, format=fmt) as t:
        for m in members:
            if isinstance(m, tarfile.TarInfo):
                t.addfile(m)
                continue
            info = tarfile.TarInfo(m[0])
            info.size = len(m[1])
            t.addfile(info, io.BytesIO(m[1]))
    return out.getvalue()


def tar_header(name, size, kind=b"0"):
    """A header that tells any size."""
    h = bytearray(512)
    h[0:len(name)] = name
    h[100:108] = b"0000644\0"
    h[108:116] = h[116:124] = b"0000000\0"
    h[124:136] = b"%011o\0" % size if size < 8 ** 11 else b"\x80" + size.to_bytes(11, "big")
    h[136:148] = b"%011o\0" % 0
    h[148:156] = b" " * 8
    h[156:157] = kind
    h[257:265] = b"ustar\x0000"
    h[148:156] = b"%06o\0 " % sum(h)
    return bytes(h)


def odc(name, data):
    name = name.encode() + b"\0"
    return b"070707" + b"%06o%06o%06o%06o%06o%06o%06o%011o%06o%011o" % (0, 0, 0o100644, 0, 0, 1, 0, 0, len(name), len(data)) + \
        name + data


def put(suite, name, raw):
    path = suite.tmp / name
    path.write_bytes(raw)
    return path


def refused(suite, name, raw, code, text, *args):
    done = suite.call("import", *CSV, *args, "-o", suite.fresh("out"), put(suite, name, raw), want=code)
    demand(text in done.err.decode(), "%s: wanted '%s' in: %s" % (name, text, done.err.decode()))


# ---- names ----

def escapes(suite):
    """Nothing is written anywhere but below OUT, whatever members are called."""
    inside = suite.fresh("inside")
    inside.mkdir()
    victim = put(suite, "victim", b"untouched")
    link = tarfile.TarInfo("way")
    link.type, link.linkname = tarfile.SYMTYPE, str(suite.tmp)
    hard = tarfile.TarInfo("hard")
    hard.type, hard.linkname = tarfile.LNKTYPE, "../victim"
    device = tarfile.TarInfo("null.csv")
    device.type, device.devmajor, device.devminor = tarfile.CHRTYPE, 1, 3
    row = b"r%d,1,x\n"
    raw = tar_of([("../victim", row % 1), (str(victim), row % 2), link, ("way/victim", row % 3), hard, device,
                  ("a/../../../victim", row % 4)])
    before = sorted(os.listdir(suite.tmp))
    done = suite.call("import", *LOUD, "--format", "csv", "-o", inside / "out", put(suite, "escape.tar", raw), cwd=inside)
    said = done.err.decode()
    demand("2 links were skipped" in said and "a device, pipe or socket was skipped" in said, said)
    cells = suite.call("verify", "dump", inside / "out").out
    demand(cells.count(b"\n") == 4, "not the four members with records: %s" % cells)
    demand(victim.read_bytes() == b"untouched", "a file outside was changed")
    demand(sorted(os.listdir(suite.tmp)) == sorted(set(before) | {"escape.tar"}), "files appeared outside")
    demand(os.listdir(inside) == ["out"], "files appeared beside the output")


def hidden_names(suite):
    """What is skipped in a directory is skipped in archives of it, at any level, and said if it may be data."""
    names = ["a", "sub/b", "_c", "_old/d", "sub/_old/e", "_temporary/0/f", "sub/_logs/g", "_delta_log/h", ".git/i",
             ".old/_j", "_old/.k", "_old/sub/l", "x_/m", "x./n", "_archive.tar/o"]
    tree = suite.fresh("tree")
    for name in names:
        path = tree / (name + ".csv")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("%s,1,x\n" % name)
    packed = {"tar": "tar cf {} .", "tar.gz": "tar czf {} *  .[a-z]*", "zip": "zip -qr {} .",
              "cpio": "find . | cpio -o -H newc --quiet > {}"}
    wanted = suite.fresh("of-directory")
    said = suite.call("import", *LOUD, "-o", wanted, tree).err.decode()
    demand("4 names that begin with _" in said, said)
    rows = suite.call("verify", "dump", wanted).out
    demand([bytes.fromhex(r.split(b"\t")[0].decode()) for r in rows.splitlines()] == [b"a", b"sub/b", b"x./n", b"x_/m"], rows)
    for name, command in packed.items():
        if not shutil.which(command.split()[0]) or ("cpio" in command and not shutil.which("cpio")):
            continue
        archive, out = suite.tmp / ("hidden." + name), suite.fresh("of-" + name)
        subprocess.run(command.format(archive), shell=True, cwd=tree, check=True)
        said = suite.call("import", *LOUD, "-o", out, archive).err.decode()
        demand("5 files with _ at the beginning" in said, said)
        demand(suite.call("verify", "dump", out).out == rows, name + " holds other rows")
        suite.call("import", *LOUD, "--strict", "-o", suite.fresh("strict"), archive, want=4)


# ---- sizes ----

def long_records(suite):
    """tar pads to whole records, which may be as long as its user likes: here 8 MiB and 40 MiB."""
    rows = b"".join(b"r%05d,1,x\n" % i for i in range(2000))
    for bytes_of_record in (8 << 20, 40 << 20):
        raw = tar_of([("a.csv", rows), ("b.csv", b"z,1,x\n")])
        raw += bytes(-len(raw) % bytes_of_record)
        for name, packed in (("long.tar", raw), ("long.tar.bz2", bz2.compress(raw, 1))):
            out = suite.fresh("long")
            done = suite.result("import", *CSV, "--format", "csv", "--memory", "64M", "--config", "archive-ratio=1000000",
                                "-o", out,
                                put(suite, name, packed))
            demand(done["records"]["read"] == 2001, "%s: %d records" % (name, done["records"]["read"]))


def claims(suite):
    """Sizes that headers claim are not believed."""
    for size in (1 << 20, (1 << 33) - 1, 1 << 62, (1 << 63) - 1):
        refused(suite, "claim.tar", tar_header(b"a.csv", size) + b"a,1,x\n" + bytes(506), 5, "truncated")
        refused(suite, "claim2.tar", tar_header(b".hidden", size) + bytes(2048), 5, "truncated")
    for kind in b"LKxg":
        refused(suite, "long.tar", tar_header(b"x", 1 << 40, bytes([kind])) + bytes(4096), 5, "tar archive")
    newc = b"070701" + b"%08x" * 13 % (1, 0o100644, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0xfffffff0, 0)
    refused(suite, "name.cpio", newc + b"a" * 3000, 2, "has no known format")
    refused(suite, "name.cpio", odc("a.csv", b"a,1,x\n") + newc.replace(b"070701", b"070707"), 5, "cpio")


def damaged_directory(suite):
    """An entry of a zip's directory whose signature has a wrong bit is damage, not the end of the archive."""
    for n in (1, 3):
        raw = io.BytesIO()
        with zipfile.ZipFile(raw, "w") as z:
            for i in range(n):
                z.writestr("%d.csv" % i, "r%d,1,x\n" % i)
        whole = raw.getvalue()
        (suite.tmp / "whole.zip").write_bytes(whole)
        suite.call("import", *CSV, "-o", suite.fresh("out"), suite.tmp / "whole.zip")
        at = -1
        for _ in range(n):
            at = whole.index(b"PK\1\2", at + 1)
            for byte in range(4):
                broken = bytearray(whole)
                broken[at + byte] ^= 1
                refused(suite, "broken.zip", bytes(broken), 5, "zip archive")


def endless_headers(suite):
    """A compressed stream of endless headers ends at a limit; memory stays small."""
    text = b"".join(b"0\n0\n" for _ in range(4_000_000))
    attributes = b"22 GNU.sparse.major=1\n22 GNU.sparse.minor=0\n25 GNU.sparse.name=a.csv\n30 GNU.sparse.realsize=10000\n"
    body = b"4000000\n" + text
    sparse = tar_header(b"pax", len(attributes), b"x") + attributes + bytes(-len(attributes) % 512) + \
        tar_header(b"a.csv", len(body)) + body + bytes(-len(body) % 512 + 1024)
    names = b"".join(tar_header(b"x", 100, b"L") + b"n" * 100 + bytes(412) for _ in range(200_000))
    for name, raw in (("sparse.tar.gz", sparse), ("names.tar.gz", names)):
        _, peak = measured(suite, put(suite, name, gzip.compress(raw, 1)), want={5, 6})
        demand(peak < 70 << 20 or suite.sanitized(), "%s: %d MB of memory" % (name, peak >> 20))


def measured(suite, path, *args, want=0, memory="64M"):
    """CPU seconds and peak of resident memory, in bytes, of an import."""
    command = suite.command("import", (*CSV, "--memory", memory, *args, "-o", suite.fresh("out"), path))
    done, peak, seconds = run_counted(command, timeout=600, env=suite.env)
    suite.judge(command, done, want)
    return seconds, peak


def bombs(suite):
    """What unpacks to a thousand times its size ends after the first gigabyte."""
    if suite.sanitized():
        raise Skip("gigabytes are slow with sanitizers")
    piece = bytes(1 << 20)
    packer = lzma.LZMACompressor(preset=0)
    out = [packer.compress(tar_header(b".hidden", 3 << 30))]
    for _ in range(3 << 10):
        out.append(packer.compress(piece))
    out.append(packer.flush())
    refused(suite, "bomb.tar.xz", b"".join(out), 6, "decompression bomb; give a larger --config archive-ratio=N")
    limited = suite.call("import", *CSV, "--config", "archive-bytes=10M", "-o", suite.fresh("out"), suite.tmp / "bomb.tar.xz",
                         want=6)
    demand(b"archive-bytes" in limited.err, limited.err.decode())
    # The same bytes of a zip under many names.
    deflated = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = deflated.compress(bytes(64 << 20)) + deflated.flush()
    crc = zlib.crc32(bytes(64 << 20))
    local = struct.pack("<4sHHHHHIIIHH", b"PK\3\4", 20, 0, 8, 0, 33, crc, len(data), 64 << 20, 2, 0) + b".h"
    body, directory = b"", b""
    for _ in range(40):
        directory += struct.pack("<4sHHHHHHIIIHHHHHII", b"PK\1\2", 20, 20, 0, 8, 0, 33, crc, len(data), 64 << 20, 2, 0, 0, 0, 0,
                                 0, len(body)) + b".h"
        body += local + data
    end = struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, 40, 40, len(directory), len(body), 0)
    bomb = body + directory + end
    # Members that are no data are stepped over where the directory of a zip can be read; in a stream they have to be unpacked.
    packed = suite.tmp / "bomb.zip"
    packed.write_bytes(bomb)
    suite.call("import", *CSV, "-o", suite.fresh("out"), packed)
    inside = tar_header(b"bomb.zip", len(bomb)) + bomb + bytes(-len(bomb) % 512 + 1024)
    refused(suite, "bomb.zip.tar", inside, 6, "give a larger --config archive-ratio=N")


# ---- numbers ----

def many(suite, n):
    path = suite.tmp / ("many%d.cpio" % n)
    with open(path, "wb") as out:
        for first in range(0, n, 1000):
            out.write(b"".join(odc("d/f%07d.csv" % i, b"row%07d,%d,v\n" % (i, i)) for i in range(first, first + 1000)))
        out.write(odc("TRAILER!!!", b""))
    try:
        return measured(suite, path, "--threads", "1")
    finally:
        path.unlink()


def million_members(suite):
    """Time grows with the number of members, memory does not."""
    if suite.sanitized():
        raise Skip("times and memory of sanitizers are not ours")
    few, few_peak = many(suite, 100_000)
    lots, lots_peak = many(suite, 1_000_000)
    demand(lots < 25 * few + 1, "a tenth of the members takes %.1f s, all take %.1f s" % (few, lots))
    demand(lots_peak < few_peak + (64 << 20), "%d MB for a tenth, %d MB for all" % (few_peak >> 20, lots_peak >> 20))


def links_of_cpio(suite):
    """libarchive's list of hard links would be gone through for each: it is kept short."""
    one = odc("a.csv", b"")
    raw = b"".join(one[:12] + b"%06o" % (i % 262144) + one[18:36] + b"000002" + one[42:] for i in range(20_000))
    refused(suite, "links.cpio", raw + odc("TRAILER!!!", b""), 6, "hard links")


# ---- damage ----

def rubbish_between(suite):
    """libarchive would look for the next header of a cpio behind bytes that are none."""
    refused(suite, "gap.cpio", odc("a.csv", b"a,1,x\n") + b"rubbish" + odc("b.csv", b"b,1,y\n") + odc("TRAILER!!!", b""), 5,
            "damaged or truncated cpio archive")


def damage(suite):
    """No bit that is flipped crashes anything."""
    rng = random.Random(suite.seed)
    files = [("a.csv", b"".join(b"row%d,%d,x\n" % (i, i) for i in range(50))), ("b.csv", b"z,1,y\n")]
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in files:
            z.writestr(name, data)
    for name, raw in (("d.tar", tar_of(files)), ("d.tgz", tar_of(files, "w:gz")), ("d.zip", zipped.getvalue()),
                      ("d.cpio", b"".join(odc(*f) for f in files) + odc("TRAILER!!!", b""))):
        for _ in range(60):
            bad = bytearray(raw)
            for _ in range(rng.randrange(1, 4)):
                bad[rng.randrange(len(bad))] ^= 1 << rng.randrange(8)
            suite.call("import", *CSV, "--max-rejects", "100%", "--format", "csv", "-o", suite.fresh("out"),
                       put(suite, name, bytes(bad)), want={0, 2, 3, 4, 5, 6})


def main():
    suite = Suite(__doc__, in_memory=True)
    for name, test in (("escapes", escapes), ("hidden names", hidden_names),
                       ("long records", long_records), ("claims", claims), ("damaged directory", damaged_directory),
                       ("endless headers", endless_headers), ("bombs", bombs), ("a million members", million_members),
                       ("hard links of cpio", links_of_cpio), ("rubbish between members", rubbish_between), ("damage", damage)):
        suite.run(name, test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
