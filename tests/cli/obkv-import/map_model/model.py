"""A mapping with loose and shaped cells, two rows a record, over 3,000 random records, beside the same in Python: every cell."""
import base64
import csv
import hashlib
import json
import random
import struct
import subprocess
import uuid

MAPPING = {"rows": [
    {"row": "md5(u)[0:4] + salt(sha1(u), 97) + '|' + reverse(u)", "timestamp": "t", "cells": [
        {"column": "f:{q}_{n}", "value": "v", "when": "n >= 0"},
        {"column": "f:fix", "value": "zeropad(n, 6) + base64(v)"},
        {"column": "g:k", "value": "int64(n % 7)", "skip_empty": True}]},
    {"row": "uuid3(q + '/' + v)", "when": "not empty(q)", "timestamp": "t", "cells": {"h:{u}": "hex(v)", "h:a": "Long.MAX - t"}}]}


def record(rng):
    user = rng.choice(["u%d" % rng.randrange(300), "\u00e9%d" % rng.randrange(9), 'a"b,c'])
    return [user, str(rng.randrange(10**12)), rng.choice(["", "x", "y", 'z,"q"']), rng.choice(["n", "", "long" * 9]),
            str(rng.randrange(-50, 50))]


def cells(user, time, q, v, n):
    """(row, family, qualifier, timestamp, value)"""
    ts = int(time)
    digest = hashlib.md5(user.encode()).hexdigest()
    salt = int(hashlib.sha1(user.encode()).hexdigest(), 16) % 97
    row = ("%s%02d|%s" % (digest[:4], salt, user[::-1])).encode()
    if int(n) >= 0:
        yield row, b"f", ("%s_%s" % (q, n)).encode(), ts, v.encode()
    yield row, b"f", b"fix", ts, b"%06d" % int(n) + base64.b64encode(v.encode())
    yield row, b"g", b"k", ts, struct.pack(">q", int(n) % 7)
    if not q:
        return
    raw = bytearray(hashlib.md5((q + "/" + v).encode()).digest())
    raw[6], raw[8] = raw[6] & 15 | 0x30, raw[8] & 63 | 0x80
    row = str(uuid.UUID(bytes=bytes(raw))).encode()
    yield row, b"h", user.encode(), ts, v.encode().hex().encode()
    yield row, b"h", b"a", ts, str(2**63 - 1 - ts).encode()


def dumped(dataset):
    out = subprocess.run(["obkv-verify", "dump", dataset], check=True, capture_output=True, text=True).stdout
    for line in out.splitlines():
        if line.startswith("#"):
            continue
        row, family, qualifier, ts, _, _, value, _ = line.split("\t")
        row, family, qualifier, value = (bytes.fromhex(x.replace("-", "")) for x in (row, family, qualifier, value))
        yield row, family, qualifier, int(ts), value


def main():
    rng = random.Random(5)
    records = [record(rng) for _ in range(3000)]
    with open("d.csv", "w", newline="", encoding="utf-8") as f:
        writer = csv.writer(f, lineterminator="\n")
        writer.writerow(["u", "t", "q", "v", "n"])
        writer.writerows(records)
    with open("m.json", "w") as f:
        json.dump(MAPPING, f)
    subprocess.run(["obkv-import", "--quiet", "--partition", "key:5", "--map", "m.json", "--threads", "3", "-o", "out", "d.csv"],
                   check=True)
    subprocess.run(["obkv-verify", "check", "--quiet", "out"], check=True)
    wanted = sorted(cell for r in records for cell in cells(*r))
    got = sorted(dumped("out"))
    for a, b in zip(wanted, got):
        if a != b:
            print("wanted %s\ngot    %s" % (a, b))
            break
    print("%d cells wanted, %d there: %s" % (len(wanted), len(got), "equal" if wanted == got else "DIFFERENT"))


main()
