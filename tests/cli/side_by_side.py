#!/usr/bin/env python3
"""Compressed texts are unpacked side by side, several of them or pieces of one, and nothing shows it but the time.

    side_by_side.py BIN [--keep] [-v] [NAME ...]

The last line is "N passed, N failed, N skipped".
"""
import bz2
import gzip
import io
import lzma
import os
import random
import subprocess
import sys
import time

import bgzip
from programs import NOW, Suite, cell_files, demand, tail

COLUMNS = ("--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a,cf:b")
PACKERS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lambda text: lzma.compress(text, preset=1)}
FILES, ROWS = 6, 8000


def text_of(seed):
    """One record of 500 has no number where its timestamp should be."""
    draw = random.Random(seed)
    lines = []
    for i in range(ROWS):
        time_ms = "x%d" % i if draw.randrange(500) == 0 else str(NOW + i)
        lines.append("row%06d,%s,%x,%x\n" % (draw.randrange(10 ** 6), time_ms, draw.getrandbits(200), draw.getrandbits(400)))
    return "".join(lines).encode()


class Inputs:
    def __init__(self, suite):
        self.suite = suite
        self.paths = []
        for i in range(FILES):
            ending = list(PACKERS)[i % len(PACKERS)]
            path = suite.tmp / ("part%d.csv.%s" % (i, ending))
            path.write_bytes(PACKERS[ending](text_of(i)))
            self.paths.append(path)

    def command(self, out, threads, memory):
        return ["--partition", "key:5", *COLUMNS, "--now", NOW, "--threads", threads, "--memory", memory, "--max-rejects", "50%",
                "-o", out]

    def run(self, threads, memory, paths, stdin=None):
        """The bytes of all that a run leaves, cell files and the report on rejects; and how many bytes it has spilled."""
        out = self.suite.fresh("out")
        done = self.suite.result("import", *self.command(out, threads, memory), *paths, want=3, stdin=stdin)
        files = {p.relative_to(out): p.read_bytes() for p in cell_files(out)}
        rejects = {p.name: p.read_bytes() for p in (out / "_report").rglob("*") if p.is_file()}
        demand(len(rejects["reasons.tsv"].splitlines()) > 60, "hardly any rejects")
        return files, rejects, done["spilled_bytes"]


def same_as_one_thread(_, inputs):
    want = inputs.run(1, "256M", inputs.paths)
    for threads in (2, 3, 4, 8):
        got = inputs.run(threads, "256M", inputs.paths)
        demand(got[0] == want[0], "%d threads: other cell files" % threads)
        demand(got[1] == want[1], "%d threads: other rejects" % threads)


def copies(suite, ending, pack, n):
    """The same text under n names: of each cell, the one of the last input is kept first."""
    first = suite.tmp / ("copied.csv." + ending)
    first.write_bytes(pack(b"".join(text_of(i) for i in range(3))))
    paths = [suite.tmp / ("copy%d.csv.%s" % (i, ending)) for i in range(n)]
    for path in paths:
        os.link(first, path)
    return paths


def same_where_records_spill(suite, inputs):
    paths = copies(suite, "gz", gzip.compress, 12)
    want, got = inputs.run(1, "64M", paths), inputs.run(4, "64M", paths)
    demand(want[2] and got[2], "nothing has spilled")
    demand(got[0] == want[0], "4 threads: other cell files")
    demand(got[1] == want[1], "4 threads: other rejects")


def earliest_error(suite, inputs):
    """Two inputs are damaged: the first of them is reported, though the other one is shorter."""
    paths = list(inputs.paths)
    for number, keep in ((2, 0.9), (4, 0.3)):
        raw = paths[number].read_bytes()
        paths[number] = suite.tmp / ("cut%d.csv%s" % (number, paths[number].suffix))
        paths[number].write_bytes(raw[:int(len(raw) * keep)])
    for threads in (1, 2, 4, 4, 4):
        done = suite.call("import", *inputs.command(suite.fresh("out"), threads, "256M"), *paths, want=5)
        demand(b"cut2.csv" in done.err and b"cut4.csv" not in done.err, "%d threads: %s" % (threads, tail(done.err)))


def several_are_read(suite, inputs):
    """Four threads: some moment finds more than one input in its middle. One after the other, there is never a second one."""
    paths = copies(suite, "bz2", bz2.compress, 4)
    command = suite.command("import", [*inputs.command(suite.fresh("out"), 4, "256M"), "--quiet", *paths])
    process, most = subprocess.Popen(command, stderr=subprocess.PIPE), 0
    while process.poll() is None:
        most = max(most, inputs_in_their_middle(process.pid))
        time.sleep(0.002)
    demand(process.returncode == 3, "exit %d: %s" % (process.returncode, tail(process.stderr.read())))
    demand(most >= 2, "%d inputs were being read at once" % most)


def inputs_in_their_middle(pid):
    n = 0
    try:
        for name in os.listdir("/proc/%d/fd" % pid):
            path = "/proc/%d/fd/%s" % (pid, name)
            if os.readlink(path).endswith(".bz2"):
                with open("/proc/%d/fdinfo/%s" % (pid, name), encoding="ascii") as info:
                    at = int(info.readline().split()[1])
                n += 0 < at < os.stat(path).st_size
    except OSError:
        pass  # closed, or ended, meanwhile
    return n


# ---- one input, in pieces ----

def parts_of(text, most):
    return [text[at:at + most] for at in range(0, len(text), most)]


def bgzip_members(text):
    out = io.BytesIO()
    bgzip.pack(io.BytesIO(text), out, level=1)
    return out.getvalue()


def zstd_frames(text):
    return b"".join(subprocess.run(["zstd", "-q", "-c"], input=part, stdout=subprocess.PIPE, check=True).stdout
                    for part in parts_of(text, 500000))


PIECES = {"csv.gz": bgzip_members, "csv.zst": zstd_frames, "csv.bz2": lambda text: bz2.compress(text, 1)}


def pieces_of_one_input(suite, inputs):
    text = b"".join(text_of(i) for i in range(FILES))
    plain = suite.tmp / "one.csv"
    plain.write_bytes(text)
    want = inputs.run(1, "256M", [plain])
    for ending, pack in PIECES.items():
        path = suite.tmp / ("one." + ending)
        path.write_bytes(pack(text))
        for threads, memory in ((1, "256M"), (2, "256M"), (4, "256M"), (8, "256M"), (3, "64M")):
            got = inputs.run(threads, memory, [path])
            demand(got[0] == want[0], "%s, %d threads: other cell files" % (ending, threads))
            demand(list(got[1]) == list(want[1]), "%s, %d threads: other reports on rejects" % (ending, threads))
        with open(path, "rb") as stream:
            demand(inputs.run(4, "256M", ["-"], stdin=stream)[0] == want[0], "%s through a pipe: other cell files" % ending)


def damaged_piece(suite, inputs):
    """Damage in one of many pieces is said with any number of threads, also where all that follows would be good."""
    text = b"".join(text_of(i) for i in range(FILES))
    for ending, pack in PIECES.items():
        raw = bytearray(pack(text))
        raw[len(raw) * 3 // 4] ^= 4
        path = suite.tmp / ("damaged." + ending)
        path.write_bytes(raw)
        for threads in (1, 2, 4, 4):
            done = suite.call("import", *inputs.command(suite.fresh("out"), threads, "256M"), path, want=5)
            demand(b"damaged " in done.err, "%s, %d threads: %s" % (ending, threads, tail(done.err)))


def main():
    suite = Suite(__doc__)
    inputs = Inputs(suite)
    for test in (same_as_one_thread, same_where_records_spill, earliest_error, several_are_read, pieces_of_one_input,
                 damaged_piece):
        suite.run(test.__name__.replace("_", " "), test, inputs)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
