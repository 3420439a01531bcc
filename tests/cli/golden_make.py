#!/usr/bin/env python3
"""Writes what one version leaves to later ones: tests/data/golden/NAME, which golden.py reads from then on, with any version.

    golden_make.py BIN NAME

BIN: the programs of the version that is released. Shards before their join, as HFiles and as sorted runs; shares; a delta and
the whole table; the export of a delta. Inputs lie in /tmp/obkv-golden, as their paths are in the manifests of shards."""
import pathlib
import shutil
import subprocess
import sys

from golden import GOLDEN, INPUTS, NOW, RUNS, SHARDS, golden_inputs, sha_of_cells

FAMILY = "--format", "cells", "--partition", "key:3", "--target-file-size", "2K"


def run(binaries, tool, *args, code=0):
    command = [str(pathlib.Path(binaries) / ("obkv-" + tool))] + [str(a) for a in args]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=False)
    if done.returncode != code:
        sys.exit("%s: exit %d" % (" ".join(command), done.returncode))
    return done.stdout


def unjoined(binaries, out, work):
    """As runs: the second shard fails, and its input is mended."""
    files = golden_inputs(broken=True)
    run(binaries, "import", "--quiet", *RUNS, "-o", work / "whole", *files, code=4)
    shutil.copytree(work / "whole.shards/00001", out / "runs", ignore=shutil.ignore_patterns(".obkv"))
    files = golden_inputs()
    run(binaries, "import", "--quiet", *RUNS, "-o", work / "whole", *files)
    for i in (1, 2):
        run(binaries, "import", "--quiet", "--shard", "%d/2" % i, *SHARDS, "-o", out / ("shard-%d" % i), *files)
    shards = [out / "shard-1", out / "shard-2"]
    run(binaries, "split", "join", "--quiet", "-o", work / "joined", *shards)
    for i in (1, 2):
        run(binaries, "split", "join", "--quiet", "--partitions", "%d/2" % i, "-o", out / ("share-%d" % i), *shards)
    return {"runs": work / "whole", "shards": work / "joined"}


def nights(binaries, out, work):
    cells = work / "cells"
    puts = ["%s\t6366\t71\t%d\t4\t0\t%s\t-\n" % (("row%02d" % i).encode().hex(), NOW - i, ("v%d" % i).encode().hex())
            for i in range(40)]
    marks = ["%s\t6366\t71\t%d\t%d\t0\t-\t-\n" % (("row%02d" % i).encode().hex(), NOW, (8, 12)[i % 2]) for i in range(0, 40, 9)]
    cells.write_text("".join(puts))
    common = "--quiet", "--now", NOW, "-t", 1
    run(binaries, "import", *common, *FAMILY, "-o", work / "imported", cells)
    run(binaries, "compact", *common, "--versions", 3, "--purge-deletes", "-o", out / "whole", work / "imported")
    cells.write_text("".join(marks))
    run(binaries, "import", *common, *FAMILY, "--delta", "--compact", "--versions", 3, "-o", out / "delta", cells)
    run(binaries, "export", *common, "--name", "t", "--create", "-o", out / "export-delta", out / "delta")


def main():
    binaries, name = sys.argv[1:]
    out, work = GOLDEN / name, INPUTS / "work"
    shutil.rmtree(INPUTS, ignore_errors=True)
    work.mkdir(parents=True)
    out.mkdir()
    joins = unjoined(binaries, out, work)
    nights(binaries, out, work)
    dump = lambda dataset: sha_of_cells(run(binaries, "verify", "dump", dataset))
    (out / "joins.tsv").write_text("".join("%s\t%s\n" % (k, dump(v)) for k, v in joins.items()))
    (out / "dumps.tsv").write_text("".join("%s\t%s\n" % (n, dump(out / n)) for n in ("delta", "whole")))
    for left in out.rglob(".obkv"):
        shutil.rmtree(left)
    shutil.rmtree(INPUTS)


if __name__ == "__main__":
    main()
