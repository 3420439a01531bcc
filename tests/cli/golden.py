#!/usr/bin/env python3
"""What released versions wrote must be read for ever, and mean the same: datasets, exports, journals, signatures.

    golden.py BIN [--keep] [-v] [NAME ...]

tests/data/golden/VERSION/ holds what that version wrote (README.md there says how), and dumps.tsv the sha256 of each dataset's
cells as that version printed them. Nothing in there is ever changed. The last line is "N passed, N failed, N skipped".
"""
import hashlib
import json
import os
import pathlib
import shutil
import sys

from programs import Skip, Suite, demand, manifest, shown, tail

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "data" / "golden"
NOW = 1700000001000
INPUTS = pathlib.Path("/tmp/obkv-golden")  # the manifests of shards name their inputs by absolute paths
SHARDS = "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a,g:b", "--partition", "key:3", "--now", NOW, "-t", 1
RUNS = *SHARDS[:3], "key:17", *SHARDS[4:], "--shards", 2


def golden_inputs(broken=False):
    """Two files of records; broken: the second one has none that can be read."""
    INPUTS.mkdir(exist_ok=True)
    files = [INPUTS / "in1.csv", INPUTS / "in2.csv"]
    for i, path in enumerate(files):
        text = "".join("row%02d,%d,v%d,w\n" % (k, k, k) for k in range(i * 20, i * 20 + 12))
        path.write_text(text.replace(",", ".", 1) if broken and i else text)
        os.utime(path, (1700000000, 1700000000))
    return files


def copy_of(suite, golden, name):
    copy = suite.fresh(name)
    shutil.copytree(golden / name, copy)
    if (copy / "dot-obkv").exists():
        (copy / "dot-obkv").rename(copy / ".obkv")
    return copy


def cells_of(suite, dataset):
    return sha_of_cells(suite.call("verify", "dump", dataset).out)


def sha_of_cells(text):
    """Of cells as text, without the lines that name files."""
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


def shards(suite, golden):
    """Shards and shares that wait for their join."""
    want = dict(line.split("\t") for line in (golden / "joins.tsv").read_text().splitlines())["shards"]
    for parts in ("shard", "share"):
        out = suite.fresh("out")
        suite.call("split", "join", "-o", out, *[copy_of(suite, golden, "%s-%d" % (parts, i)) for i in (2, 1)])
        suite.call("verify", "check", out)
        demand(cells_of(suite, out) == want, "%ss: other cells" % parts)


def runs(suite, golden):
    """A shard as sorted runs, of a run of --shards that was interrupted: the same command completes it, and takes it as it is."""
    want = dict(line.split("\t") for line in (golden / "joins.tsv").read_text().splitlines())["runs"]
    if INPUTS.exists():
        raise Skip("%s is there already" % INPUTS)
    try:
        files, left = golden_inputs(), INPUTS / "whole.shards"
        left.mkdir()
        shutil.copytree(golden / "runs", left / "00001")
        done = suite.call("import", *RUNS, "-o", INPUTS / "whole", *files)
        demand("00001 was finished with the same settings and inputs" in shown(done.err), shown(done.err))
        suite.call("verify", "check", INPUTS / "whole")
        demand(cells_of(suite, INPUTS / "whole") == want, "other cells")
    finally:
        shutil.rmtree(INPUTS)


def exported_delta(suite, golden):
    """Its statements are those that are made of the delta now, and what is there needs no work."""
    copy, out = copy_of(suite, golden, "export-delta"), suite.fresh("out")
    run = ("export", "--now", NOW, "-t", 1, "--name", "t", "--create", "-o")
    suite.call(*run, out, golden / "delta")
    for entry in ("files", "deletes"):
        for f in manifest(copy).get(entry, ()):
            demand((out / f["path"]).read_bytes() == (copy / f["path"]).read_bytes(), "%s: other bytes" % f["path"])
    done = suite.call(*run, copy, golden / "delta")
    demand("nothing to do" in shown(done.err), tail(done.err))
    suite.call("load", "--target", "127.0.0.1:1/test", "--retries", 0, copy, want=75)


# What a test needs of a version's files: a version that wrote them has the test.
NEEDS = {compaction: "waiting", chain: "imported", exports: "export", interrupted: "interrupted", signature: "signed",
         shards: "shard-1", runs: "runs", exported_delta: "export-delta"}


def main():
    suite = Suite(__doc__, in_memory=True)
    for golden in sorted(p for p in GOLDEN.iterdir() if p.is_dir()):
        for name, sha in dumps(golden).items():
            suite.run("%s: dataset %s" % (golden.name, name), dataset, golden, name, sha)
        for test in (t for t, name in NEEDS.items() if (golden / name).exists()):
            suite.run("%s: %s" % (golden.name, test.__name__), test, golden)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
