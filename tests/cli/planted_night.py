"""For planted.py: what a manifest says of a nightly compaction, and lies about it. Partitions are bounded, so that each cell is
where the test says; the base has several files in each."""
import json
import shutil

from planted_sets import PLAIN, some_cells, told, findings, write_as
from programs import NOW, cell_line, demand, manifest

BOUNDS = b"row00100\nrow00200\nrow00300\n"


def delta(suite, name, rows):
    lines = [cell_line(b"row%05d" % i, b"cf", b"q0", 9000, 4, 0, b"new", b"") for i in rows]
    return write_as(suite, name, lines, PLAIN, "range:%s" % (suite.tmp / "bounds"))


def compacted(suite, out, *args):
    suite.call("compact", "--quiet", "--versions", 9, "--target-file-size", 8192, "-o", suite.fresh(out), *args)
    return suite.tmp / out


def night(suite):
    """Partition 1 is rewritten in part, the others are taken over."""
    out = suite.tmp / "night"
    if not out.exists():
        (suite.tmp / "bounds").write_bytes(BOUNDS)
        lines = [line for line in some_cells(suite.seed) if "\t14\t" not in line and "\t8\t" not in line]
        first = write_as(suite, "first", lines, PLAIN, "range:%s" % (suite.tmp / "bounds"))
        base = compacted(suite, "base", "--now", NOW, first)
        compacted(suite, "night", "--now", NOW + 1000, "--base", base, delta(suite, "d1", [150]))
        ways = [f.get("taken_over") for f in manifest(out)["files"]]
        demand(ways.count("link") > 4 and None in ways, str(ways))
        suite.call("verify", "check", out)
    return out


def waiting(suite):
    """The second of two nights by ratio: d3 waits in partitions 0 and 2; an earlier night has merged d2 in partition 3."""
    out = suite.tmp / "waiting"
    if not out.exists():
        base = night(suite)
        large = delta(suite, "large", [n for n in range(300, 400) for _ in (0, 1)])
        half = compacted(suite, "half", "--now", NOW + 2000, "--policy", "ratio:1.2,2,10,0", "--base", base,
                         delta(suite, "d2", [10, 350]), large)
        told_first = manifest(half)["pending"]
        demand([w["waiting"][0]["partitions"] for w in told_first] == [[0]], str(told_first))
        suite.call("verify", "check", half)
        compacted(suite, "waiting", "--now", NOW + 3000, "--policy", "ratio:1.2,9,10,0", "--base", half, suite.tmp / "d2",
                  delta(suite, "d3", [20, 250]))
        demand([i.get("earlier") for i in inputs_of(manifest(out), "d2")] == [None, True], "nothing was merged earlier")
        suite.call("verify", "check", out)
    return out


def inputs_of(m, name):
    return [i for i in m["inputs"] if "/%s/" % name in i["path"]]


def entry(m, taken):
    return next(f for f in m["files"] if ("taken_over" in f) == taken)


def swap_files(m):
    """What is said of two files that were taken over, each under the number of the other."""
    a, b = [f for f in m["files"] if "taken_over" in f and f["partition"] == 3][:2]
    a["digest"], b["digest"] = b["digest"], a["digest"]


def claims(m):
    entry(m, False)["taken_over"] = "link"


def denies(m):
    del entry(m, True)["taken_over"]


def no_base(m):
    del m["settings"]["base"]


def another_base(m):
    for i in inputs_of(m, "base"):
        i["path"] = i["path"].replace("/p00003-", "/p00002-")


def waits_for(m, n=1):
    return m["pending"][n]["waiting"][0]["partitions"]


def forgets_all(m):
    del m["pending"]


def merged(m):
    inputs_of(m, "d3")[0]["cells"] = 1


NIGHTS = [
    ("said to be taken over, and is not the base's", night, claims, "metadata: .*no input in its partition has its size"),
    ("taken over, and not said to be", night, denies, "metadata: .*the manifest does not list it as reused"),
    ("taken over without a base", night, no_base, "metadata: .*the run had no base"),
    ("taken over from another partition", night, another_base, "metadata: .*no input in its partition has its size"),
    ("figures of files taken over swapped", night, swap_files, "count: .*the manifest says"),
    ("a partition that waits is left out", waiting, lambda m: waits_for(m).pop(), "count: .*d3/.*does not wait for it"),
    ("a delta that waits is left out", waiting, lambda m: m["pending"].pop(), "count: .*d3/.*does not wait for it"),
    ("nothing is said to wait", waiting, forgets_all, "count: .*d2/.*does not wait for it"),
    ("waits where nothing is", waiting, lambda m: waits_for(m).insert(1, 1), "metadata: .*d3 in partition 1 .*file"),
    ("waits twice", waiting, lambda m: waits_for(m).append(2), "metadata: .*partitions do not rise"),
    ("waits for what was merged", waiting, merged, "count: .*d3/.*1 of them were merged already"),
    ("waits for more files", waiting, lambda m: m["pending"][1].update(files=3), "metadata: .*d3 with 3 files"),
    ("waits for fewer cells", waiting, lambda m: m["pending"][1].update(cells=1), "count: .*d3 with 1 cells"),
    ("waits for another delta", waiting, lambda m: m["pending"][1].update(dataset="/d3"), "metadata: .*/d3 with 2 files, .*0 of"),
]


def lies(suite, made, change, words, edit):
    """edit: of planted.py. Sealed, so that nothing else gives it away."""
    copy = suite.fresh("copy")
    shutil.copytree(made(suite), copy)
    edit(suite, copy, change, True)
    problems, _ = findings(suite, copy)
    told(problems, words)
    demand(json.dumps(problems).count("its checksum does not match") == 0, "the seal is broken")
    told(findings(suite, copy, "--quick")[0], words)


def believed(suite, edit):
    """A base whose manifest lies of the bytes of its cells, and is sealed again: the next night must not take that over."""
    night(suite)
    for per_cell, options in ((True, ()), (False, ("--verify-base",))):
        def more(m):
            for f in m["files"]:
                f["kv_bytes"] += f["cells"] if per_cell else 1
            m["totals"]["kv_bytes"] = sum(f["kv_bytes"] for f in m["files"])

        copy = suite.fresh("copy")
        shutil.copytree(suite.tmp / "base", copy)
        edit(suite, copy, more, True)
        done = suite.call("compact", "--versions", 9, "--target-file-size", 8192, "--now", NOW + 1000, *options, "--base", copy,
                          "-o", suite.fresh("out"), suite.tmp / "d1", want=5)
        demand(b"their bytes" in done.err, done.err.decode())
        demand(not (suite.tmp / "out/MANIFEST.json").exists(), "it was published")
