#!/usr/bin/env python3
"""What released versions wrote must be read for ever, and mean the same: datasets, exports, journals, signatures.

    golden.py BIN [--keep] [-v] [NAME ...]

tests/data/golden/VERSION/ holds what that version wrote (README.md there says how), and dumps.tsv the sha256 of each dataset's
cells as that version printed them. Nothing in there is ever changed. The last line is "N passed, N failed, N skipped".
"""
import hashlib
import json
import pathlib
import shutil
import sys

from programs import Suite, demand, manifest, shown, tail

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "data" / "golden"
NOW = 1700000001000


def copy_of(suite, golden, name):
    copy = suite.fresh(name)
    shutil.copytree(golden / name, copy)
    if (copy / "dot-obkv").exists():
        (copy / "dot-obkv").rename(copy / ".obkv")
    return copy


def cells_of(suite, dataset):
    """Cells as text, without the lines that name files."""
    text = suite.call("verify", "dump", dataset).out
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith(b"#")]
    return hashlib.sha256(b"".join(lines)).hexdigest()


def dumps(golden):
    return dict(line.split("\t") for line in (golden / "dumps.tsv").read_text().splitlines())


def includes(new, old, where=""):
    """Later versions may say more, nothing less and nothing else."""
    if isinstance(old, dict):
        demand(isinstance(new, dict), "%s: %r instead of %r" % (where, new, old))
        for key in old:
            demand(key in new, "%s: %s is gone" % (where, key))
            includes(new[key], old[key], where + "/" + key)
    elif isinstance(old, list):
        demand(isinstance(new, list) and len(new) == len(old), "%s: %r instead of %r" % (where, new, old))
        for i, (a, b) in enumerate(zip(new, old)):
            includes(a, b, "%s/%d" % (where, i))
    else:
        demand(new == old, "%s: %r instead of %r" % (where, new, old))


def dataset(suite, golden, name, sha):
    """Whole, with the same cells, and all that its manifest says is understood."""
    copy = copy_of(suite, golden, name)
    result = json.loads(suite.call("verify", "check", "--json", copy).out)
    m = manifest(golden / name)
    demand((result["cells"], result["digest"]) == (m["totals"]["cells"], m["totals"]["digest"]), "check read other cells")
    del m["checksum"]
    includes(json.loads(suite.call("verify", "info", "--json", copy).out), m)
    demand(cells_of(suite, copy) == sha, "other cells")


def compaction(suite, golden):
    """The night again, and what waited in the other one."""
    base, delta, night = (copy_of(suite, golden, name) for name in ("base", "delta", "night"))
    out = suite.fresh("out")
    suite.call("compact", "--quiet", "--now", NOW, "--target-file-size", 2048, "--base", base, "-o", out, delta)
    suite.call("verify", "diff", night, out)
    demand([f["digest"] for f in manifest(out)["files"]] == [f["digest"] for f in manifest(night)["files"]], "other files")
    waiting = copy_of(suite, golden, "waiting")
    done = suite.call("export", "-o", suite.fresh("out"), waiting, want=5)
    demand("waits for cells of 1 other dataset" in shown(done.err), tail(done.err))


def chain(suite, golden):
    """From the import to the repartitioned night."""
    names = [golden / name for name in ("imported", "base", "delta", "night", "split")]
    result = json.loads(suite.call("verify", "account", "--json", *names).out)
    demand(result["complete"] and result["sources"], tail(json.dumps(result).encode()))


def exports(suite, golden):
    """The same files are made of the same dataset, and what is there needs no work."""
    for name, source, options in (("export", "night", ("--ddl", golden / "table.sql", "--create", "--strong", "--server-dir",
                                                       "/srv/export")), ("text", "split", ("-f", "csv"))):
        copy, out = copy_of(suite, golden, name), suite.fresh("out")
        run = ("export", "--now", NOW, "--threads", 1, *options, "-o")
        suite.call(*run, out, golden / source)
        for f in manifest(copy)["files"]:
            demand((out / f["path"]).read_bytes() == (copy / f["path"]).read_bytes(), "%s: other bytes" % f["path"])
        done = suite.call(*run, copy, golden / source)
        demand("nothing to do" in shown(done.err), tail(done.err))
    suite.call("load", "--target", "127.0.0.1:1/test", "--retries", 0, copy_of(suite, golden, "export"), want=75)


def interrupted(suite, golden):
    """A replacement that was killed in the middle is completed by the next program that reads it."""
    copy = copy_of(suite, golden, "interrupted")
    suite.call("verify", "check", copy)
    demand(cells_of(suite, copy) == dumps(golden)["split"], "not the new dataset")
    demand(not (copy / ".obkv" / "journal").exists(), "the journal is there still")


def signature(suite, golden):
    suite.call("verify", "check", "--verify-key", golden / "golden.pub", golden / "signed")
    copy = copy_of(suite, golden, "signed")
    (copy / "MANIFEST.b2sums.minisig").write_bytes((copy / "MANIFEST.b2sums").read_bytes())
    suite.call("verify", "check", "--verify-key", golden / "golden.pub", copy, want=1)


def main():
    suite = Suite(__doc__, in_memory=True)
    for golden in sorted(p for p in GOLDEN.iterdir() if p.is_dir()):
        for name, sha in dumps(golden).items():
            suite.run("%s: dataset %s" % (golden.name, name), dataset, golden, name, sha)
        for test in (compaction, chain, exports, interrupted, signature):
            suite.run("%s: %s" % (golden.name, test.__name__), test, golden)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
