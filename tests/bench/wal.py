"""Write-ahead logs read in one thread, beside HBase's own reader and its WALPrettyPrinter on the same file (WalSpeed.java).

The log is a plain one of entries of ten cells as HBase writes them; what is read must be what was put there. Ours are whole runs:
`obkv-import --list`, which goes through the entries; `obkv-verify dump`, which prints every cell, with its value (HBase's printer
leaves values out); and an import into one partition, which sorts, hashes, packs and writes. HBase's are without the start of the
JVM."""
import os
import random
import statistics
import struct
import subprocess

from hbase_java import java_command
from measure import Measured, cpu_name, demand, manifest

CELLS_OF_ENTRY = 10
VALUE_BYTES = 100
WARM_ROUND = 4
OURS = ("obkv-import --list", "obkv-verify dump", "obkv-import")


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(number, value):
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def write_log(path, entries):
    """Bytes of row, family, qualifier and value of all cells."""
    r, total = random.Random(1), 0
    region, now = b"0123456789abcdef0123456789abcdef", 1_700_000_000_000
    with open(path, "wb") as f:
        f.write(b"PWAL" + varint(0))
        for i in range(entries):
            key = field(1, region) + field(2, b"t1") + field(3, i + 1) + field(4, now + i) + field(7, CELLS_OF_ENTRY)
            f.write(varint(len(key)) + key)
            row = b"user%012d" % r.randrange(10**12)
            for q in range(CELLS_OF_ENTRY):
                qualifier, value = b"field%d" % q, r.randbytes(VALUE_BYTES)
                k = struct.pack(">H", len(row)) + row + b"\x01f" + qualifier + struct.pack(">qB", now + i, 4)
                kv = struct.pack(">II", len(k), len(value)) + k + value
                f.write(struct.pack(">I", len(kv)) + kv)
                total += len(row) + 1 + len(qualifier) + len(value)
        f.write(struct.pack(">I", 0) + b"LAWP")
    return total


class Wal:
    def __init__(self, place):
        self.place, self.args = place, place.args

    def ours(self, log, cells):
        listed = Measured([self.place.built("bin/obkv-import"), "--list", log], [], stdout=subprocess.DEVNULL)
        dumped = Measured([self.place.built("bin/obkv-verify"), "dump", log], [], stdout=subprocess.DEVNULL)
        out = self.place.fresh("wal-out")
        imported = Measured([self.place.built("bin/obkv-import"), "-q", "--partition", "none", "--threads", "1", "--memory",
                             self.args.memory, "-o", out, log], [out])
        demand(manifest(out)["totals"]["cells"] == cells, "the import has other cells")
        return listed.cpu, dumped.cpu, imported.cpu

    def theirs(self, java, how, log, cells, total):
        done = subprocess.run([*java, how, str(WARM_ROUND), log], capture_output=True, text=True)
        demand(done.returncode == 0, done.stderr[-2000:])
        rounds = [line.split() for line in done.stdout.splitlines()]
        rounds = [x for x in rounds if len(x) == 5 and x[4] == "-"]
        demand(len(rounds) == WARM_ROUND, done.stdout[-500:])
        if how == "read":
            demand((int(rounds[0][0]), int(rounds[0][1])) == (cells, total), "HBase reads other cells: %s" % rounds[0])
        return float(rounds[0][3]), float(rounds[-1][3])

    def run(self):
        entries = self.args.scan_rows // 4
        cells, log = entries * CELLS_OF_ENTRY, self.place.fresh("bench.log")
        total = write_log(log, entries)
        java = java_command(self.place, "WalSpeed", "wal")
        times = {}
        for _ in range(self.args.runs):
            names = list(OURS)
            found = list(self.ours(log, cells))
            for how in ("read", "print") if java else ():
                names += [how + ", cold", how + ", warm"]
                found += self.theirs(java, how, log, cells, total)
            for name, cpu in zip(names, found):
                times.setdefault(name, []).append(cpu)
        size = os.path.getsize(log) / 1e6
        print("\n%s; a log of %.0f MB, %d entries of %d cells, page cache warm; CPU seconds, medians of %d runs. x: CPU over "
              "that of ours" % (cpu_name(), size, entries, CELLS_OF_ENTRY, self.args.runs))
        print("%-20s %8s %8s %8s %8s %8s" % ("", "CPU s", "MB/s", "x list", "x dump", "x import"))
        for name, cpus in times.items():
            ratios = [statistics.median(b / a for a, b in zip(times[own], cpus)) for own in OURS]
            cpu = statistics.median(cpus)
            print("%-20s %8.2f %8.0f %8.2f %8.2f %8.2f" % (name, cpu, size / cpu, *ratios))
        os.remove(log)
