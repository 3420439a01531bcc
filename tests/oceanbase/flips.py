"""Flipped bits in exports and in the journals of loads, cases for loads.py: the load that reads them next finds the flip, or the
table holds what it would hold without. OBKV_STRESS=1 (make stress) flips ten times as many bits. As a program:

    flips.py BIN engine|mariadb CASE [SEED]
"""
import collections
import os
import pathlib
import random
import shutil
import sys

from faulty import Target, as_program
from rig import Wrong, demand

FLIPS = 600 if os.environ.get("OBKV_STRESS") else 60
ERRORS = (2, 5, 6, 7, 75)


def flips_of(folder, seed):
    """(path, byte, bit), as many in each file as in any other."""
    files = sorted(p for p in pathlib.Path(folder).rglob("*") if p.is_file() and p.stat().st_size)
    r = random.Random("%s %d" % (seed, len(files)))
    for path in files:
        size, most = path.stat().st_size, max(1, FLIPS // len(files))
        for at in sorted(r.sample(range(size), min(size, most))):
            yield path, at, r.randrange(8)


def flip(path, at, bit):
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


def tried(b, target, folder, prepare, seed):
    """Each flip below folder, after prepare(): exit codes by number."""
    codes, wrong = collections.Counter(), []
    prepare()
    found = list(flips_of(folder, seed))
    for path, at, bit in found:
        prepare()
        whole = path.read_bytes()
        flip(path, at, bit)
        try:
            code = b.code("obkv-load", *b.peer.options(), "--retries", 0, "--jobs", 1, target.where)
            codes[code] += 1
            demand(code in (0, *ERRORS), "exit %d" % code)
            demand(code or target.content() == target.normal, "success, but the table holds %s" % target.content())
        except Wrong as e:
            wrong.append("%s byte %d bit %d: %s" % (path.name, at, bit, e))
        path.write_bytes(whole)
    demand(not wrong, "%d of %d flips:\n%s" % (len(wrong), len(found), "\n".join(wrong[:6])))
    demand(sum(codes.values()) > codes[0], "no flip was found")
    return "%d flips, exit codes %s" % (len(found), dict(sorted(codes.items())))


def loaded_once(b):
    target = Target(b, "flips")
    b.load(target.where)
    target.normal = target.content()
    return target


def case_mariadb_flipped_exports(b, seed=1):
    target = loaded_once(b)
    target.empty()
    return tried(b, target, target.where, target.empty, seed)


def case_mariadb_flipped_journals(b, seed=1):
    """Of a load that has loaded one file of three, and of one that is complete. What was flipped was found where it could do
    harm: in the name of a file, its checksum, the target."""
    target, notes = loaded_once(b), []
    journals = pathlib.Path(target.where) / "_load"
    whole = b.path("whole")
    shutil.copytree(journals, whole)

    def prepare(lines):
        shutil.rmtree(journals)
        shutil.copytree(whole, journals)
        for path in journals.glob("*journal*"):
            path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))

    def complete():
        prepare(100)
        if target.content() != target.normal:
            b.peer.sql("DELETE FROM `flips$f`")
            b.load(target.where, "--restart")
            prepare(100)

    def half():
        complete()
        prepare(3)
        b.peer.sql("DELETE FROM `flips$f` WHERE K >= 'row03'")

    half()
    demand(0 < int(target.content()[0]) < int(target.normal[0]), "%s rows are half a load" % target.content()[0])
    b.load(target.where)
    demand(target.content() == target.normal, "half a load is not completed")
    for state in (half, complete):
        notes.append(tried(b, target, journals, state, seed))
    return "; ".join(notes)


if __name__ == "__main__":
    as_program(globals(), sys.argv[1:])
