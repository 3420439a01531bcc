"""Imports of W1 compressed in several ways beside that of the plain text. Streams in one piece are unpacked by one thread, those
in several pieces (bgzip, pzstd, all of bzip2) by all."""
import shutil
import statistics
import struct
import subprocess
import zlib

from measure import VALUES, Measured, Place, demand, manifest

MEMBER = 65280  # bytes of content that bgzip puts into a member
PACKERS = {"gz": ["gzip", "-c"], "zst": ["zstd", "-q", "-c"], "xz": ["xz", "-1", "-c"], "bz2": ["bzip2", "-c"],
           "pzst": ["pzstd", "-q", "-c"]}


def member(content):
    """One of bgzip: the extra field says how long it is."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    return (bytes.fromhex("1f8b08040000000000ff060042430200") + struct.pack("<H", 18 + len(packed) + 8 - 1) + packed +
            struct.pack("<II", zlib.crc32(content), len(content)))


def pack_bgzip(source, out):
    for content in iter(lambda: source.read(MEMBER), b""):
        out.write(member(content))
    out.write(member(b""))


class Packed(Place):
    def __init__(self, place):
        super().__init__(place.args)
        self.inputs = {"plain": self.generate(self.args.rows, 1)}
        for kind in (*PACKERS, "bgz"):
            if kind == "bgz" or shutil.which(PACKERS[kind][0]):
                self.inputs[kind] = self.pack(kind)
            else:
                print("%s is left out: there is no %s" % (kind, PACKERS[kind][0]), flush=True)
        self.runs = {}

    def pack(self, kind):
        path = self.path("w1-packed.csv." + kind)
        with open(self.inputs["plain"], "rb") as source, open(path, "wb") as out:
            if kind == "bgz":
                pack_bgzip(source, out)
            else:
                subprocess.run(PACKERS[kind], stdin=source, stdout=out, check=True)
        return path

    def measure(self, kind, threads):
        out = self.fresh("packed")
        options = ("--partition", "key:97", *self.common(self.args.memory, threads))
        run = Measured(self.import_argv(out, [self.inputs[kind]], *options), [out])
        self.runs.setdefault((kind, threads), []).append(run)
        print("%-6s %2d threads %7.2f s  CPU %7.2f s  peak %6.0f MB memory" % (
            kind, threads, run.seconds, run.cpu, run.rss_mb), flush=True)
        totals = manifest(out)["totals"]
        demand(totals["cells"] == VALUES * self.args.rows, "%s wrote %d cells" % (kind, totals["cells"]))
        return totals["digest"]

    def run(self):
        each = [(kind, threads) for kind in self.inputs for threads in sorted({1, self.args.threads})]
        for _ in range(self.args.runs):
            demand(len({self.measure(*one) for one in each}) == 1, "compressed inputs made other cells")
        print("\nW1 with %d rows; %d runs, medians of the ratios of neighbouring runs" % (self.args.rows, self.args.runs))
        for kind, threads in each:
            pairs = list(zip(self.runs["plain", threads], self.runs[kind, threads]))
            print("%-6s %2d threads: %.2f times the time and %.2f times the CPU of the plain text" % (
                kind, threads, statistics.median(b.seconds / a.seconds for a, b in pairs),
                statistics.median(b.cpu / a.cpu for a, b in pairs)))
