#!/usr/bin/env python3
"""A flipped bit in what one program leaves to the next: found by the program that reads it, or harmless, never other data.

    flips.py BIN [--seed N] [--keep] [-v] [NAME ...]

Shards that are not joined yet, as sorted runs and as packs of HFiles, with all their files; the journal of a publication that
was killed; and a base, with its manifest, of which the next night takes files over. A run over the flip ends with the bytes of
an undisturbed one, or with an error and no output. The suite flips a tenth of the bytes that OBKV_STRESS=1 (`make stress`) flips:
up to 4,000 of each kind, chosen by the seed. Exports and the journals of loads need a database: tests/oceanbase/flips.py.
The last line is "N passed, N failed, N skipped".
"""
import collections
import pathlib
import random
import shutil
import sys

from programs import NOW, Suite, Wrong, bytes_of_files, demand, digest, manifest, tail
from shards_damaged import finished_shards
from shards_kit import COLUMNS, KEY, STRESS, text, whole_bytes
from shards_killed import MANY

FLIPS = 4000 if STRESS else 400
GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "data/golden/1.0.0"


def files_below(folder):
    return sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file() and not p.is_symlink() and p.stat().st_size)


def flips(suite, folder, name):
    """(file, byte, bit): of each file some, as many as of any other, so that small ones are not passed over."""
    r, files = random.Random("%d %s" % (suite.seed, name)), files_below(folder)
    each = max(1, FLIPS // len(files))
    for path in files:
        size = (folder / path).stat().st_size
        for at in range(size) if size <= each else sorted(r.sample(range(size), each)):
            yield path, at, r.randrange(8)


def flipped(path, at, bit):
    data = bytearray(path.read_bytes())
    data[at] ^= 1 << bit
    path.write_bytes(data)


def all_flips(suite, name, folder, judge):
    """judge() returns the exit code of a run over the flipped folder, or raises what is wrong with it."""
    kept, codes, wrong = suite.fresh("kept"), collections.Counter(), []
    shutil.copytree(folder, kept, symlinks=True)
    for path, at, bit in flips(suite, kept, name):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(kept, folder, symlinks=True)
        flipped(folder / path, at, bit)
        try:
            codes[judge()] += 1
        except Wrong as e:
            wrong.append("%s byte %d bit %d: %s" % (path, at, bit, e))
    print("# %s: %d flips, exit codes %s" % (name, sum(codes.values()) + len(wrong), dict(sorted(codes.items()))))
    demand(not wrong, "%d wrong:\n%s" % (len(wrong), "\n".join(wrong[:6])))
    demand(sum(codes.values()) > codes[0], "no flip was found")


def unjoined_shards(suite, name, form):
    """Of an import by --shards that was killed: the same command completes it with the bytes of one run, or names the shard."""
    r = random.Random(suite.seed + 40)
    files = [text(r, suite.tmp / ("d%d.csv" % i), 1500) for i in range(2)]
    options, one, out = (*COLUMNS, *form, "-t", 1), suite.fresh("one"), suite.fresh("flipped")
    left = finished_shards(suite, files, (*options, "--shards", 2), out)
    demand(bool(list(left.rglob("*.run"))) == (form is MANY), "shards of the other form")
    suite.call("import", "--quiet", *options, "-o", one, *files)
    want = whole_bytes(one)

    def judge():
        shutil.rmtree(out, ignore_errors=True)
        done = suite.call("import", "--quiet", *options, "--shards", 2, "-o", out, *files, want={0, 2, 5})
        demand(done.code or whole_bytes(out) == want, "other bytes than one run")
        demand(not done.code or (not out.exists() and b"error: " in done.err), "exit %d: %s" % (done.code, tail(done.err)))
        return done.code

    all_flips(suite, name, left, judge)


def joined_by_hand(suite):
    """Shards made by obkv-import --shard, one of them with a flip."""
    r = random.Random(suite.seed + 41)
    files, made = [text(r, suite.tmp / ("j%d.csv" % i), 1500) for i in range(2)], []
    for i in (1, 2):
        made.append(suite.fresh("by-hand-%d" % i))
        suite.call("import", "--quiet", "--shard", "%d/2" % i, *COLUMNS, *KEY, "-o", made[-1], *files)
    whole, out = suite.fresh("joined"), suite.fresh("flipped")
    suite.call("split", "join", "--quiet", "-o", whole, *made)
    want = whole_bytes(whole)

    def judge():
        shutil.rmtree(out, ignore_errors=True)
        done = suite.call("split", "join", "--quiet", "-o", out, *made, want={0, 2, 5})
        demand(done.code or whole_bytes(out) == want, "other bytes")
        demand(not done.code or not (out / "MANIFEST.json").exists(), "exit %d, and an output" % done.code)
        return done.code

    all_flips(suite, "join", made[0], judge)


def checked_packs(suite):
    """A shard by itself: obkv-verify check finds each flip, in cells, indexes and manifest."""
    r = random.Random(suite.seed + 42)
    path, made = text(r, suite.tmp / "c.csv", 3000), suite.fresh("checked")
    suite.call("import", "--quiet", "--shard", "1/2", *COLUMNS, *KEY, "-o", made, path, path, "--allow", "input-twice")
    packs = sorted(p.name for p in made.glob("*/*"))
    demand(packs == ["w00000.pack"] * 2, packs)
    all_flips(suite, "check", made, lambda: suite.call("verify", "check", "--quiet", made, want={1, 2, 5}).code)


def publications(suite):
    """The journal of a replacement that was killed: the next program sees the old dataset or the new one, or an error."""
    folder = suite.fresh("interrupted")
    shutil.copytree(GOLDEN / "interrupted", folder)
    (folder / "dot-obkv").rename(folder / ".obkv")
    whole = suite.fresh("whole")
    shutil.copytree(folder, whole)
    suite.call("verify", "check", whole)
    new, old = digest(whole), int(manifest(GOLDEN / "delta")["totals"]["digest"], 16)

    def judge():
        done = suite.call("verify", "check", folder, want={0, 1, 2, 5})
        demand(done.code or digest(folder) in (new, old), "another dataset")
        return done.code

    all_flips(suite, "publication", folder, judge)


def bases(suite):
    """A night on a flipped base: the files of an undisturbed night, or an error and nothing published."""
    r = random.Random(suite.seed + 42)
    folders = []
    for name, size in (("first", 3000), ("delta", 300)):
        folders.append(suite.fresh(name))
        suite.call("import", "--quiet", *COLUMNS, *KEY, "-o", folders[-1], text(r, suite.tmp / (name + ".csv"), size))
    base, night, out = suite.fresh("base"), suite.fresh("night"), suite.fresh("flipped")
    rules = ("compact", "--quiet", "--versions", 3, "--now", NOW, "-t", 1)
    suite.call(*rules, "-o", base, folders[0])
    suite.call(*rules, "--base", base, "--verify-base", "-o", night, folders[1])
    want = bytes_of_files(night)

    def judge():
        shutil.rmtree(out, ignore_errors=True)
        done = suite.call(*rules, "--base", base, "--verify-base", "-o", out, folders[1], want={0, 2, 5})
        demand(done.code or bytes_of_files(out) == want, "other bytes")
        demand(not done.code or not (out / "MANIFEST.json").exists(), "exit %d, and an output" % done.code)
        return done.code

    all_flips(suite, "base", base, judge)


def main():
    suite = Suite(__doc__, in_memory=True)
    suite.run("shards as runs", unjoined_shards, "shards as runs", MANY)
    suite.run("shards as packs", unjoined_shards, "shards as packs", (*KEY, "--codec", "zstd"))
    for test in (joined_by_hand, publications, bases):
        suite.run(test.__name__, test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
