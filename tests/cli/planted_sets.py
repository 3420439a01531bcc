"""What planted.py and verify_failures.py share: sound datasets, copies of them, and what obkv-verify says."""
import json
import random
import re
import shutil

from programs import NOW, cell_line, demand, manifest, shown

TTL_TAG = b"\0\x09\x08" + (10 ** 12).to_bytes(8, "big")
KINDS = [("none", "none", "row"), ("snappy", "fast_diff", "rowcol"), ("gz", "prefix", "prefix:4"),
         ("zstd", "row_index_v1", "row"), ("lz4", "diff", "none")]
PLAIN = KINDS[0]


# ---- sound datasets ----

def some_cells(seed, n=400):
    """Rows of one to three columns and versions; tags, sequence ids, delete markers."""
    r, lines = random.Random(seed), []
    for i in range(n):
        row = b"row%05d" % i
        if i % 20 == 3:
            lines.append(cell_line(row, b"cf", b"", 5000, 14, 0, b"", b""))
        for q in range(1 + i % 3):
            value, tags = r.randbytes(20).hex().encode(), TTL_TAG if i % 7 == 0 else b""
            lines.append(cell_line(row, b"cf", b"q%d" % q, 1000 + i, 4, 0, value, tags))
            if i % 5 == 0:
                lines.append(cell_line(row, b"cf", b"q%d" % q, 500, 4 if q else 8, 0, b"old" if q else b"", b""))
    return lines


def write_as(suite, name, lines, kind=PLAIN, partition="key:3", *args):
    """A dataset of several files for each partition."""
    source, out = suite.fresh(name + ".cells"), suite.fresh(name)
    source.write_text("".join(line + "\n" for line in lines))
    suite.call("import", "--quiet", "--format", "cells", "--partition", partition, "--now", NOW, "--threads", 2,
               "--codec", kind[0], "--encoding", kind[1], "--set", "BLOOMFILTER=%s" % kind[2], "--set", "BLOCKSIZE=1024",
               "--target-file-size", 8192,
               *args, "-o", out, source)
    return out


def sound(suite, kind=PLAIN):
    out = suite.tmp / ("sound-" + "-".join(kind).replace(":", ""))
    if not out.exists():
        write_as(suite, out.name, some_cells(suite.seed), kind)
        done = suite.call("verify", "check", out)
        demand(b": good" in done.out, shown(done.out))
    return out


def deep(suite):
    """A file with three levels of index: long keys that differ at their ends."""
    out = suite.tmp / "deep"
    if not out.exists():
        rows = [b"k" * 8000 + b"%05d" % i for i in range(330)]
        write_as(suite, "deep", [cell_line(row, b"cf", b"q", 7, 4, 0, b"v", b"") for row in rows], PLAIN, "none",
                 "--target-file-size", "1G")
    return out


def copy_of(suite, dataset):
    copy = suite.fresh("copy")
    shutil.copytree(dataset, copy, symlinks=True)
    return copy


def file_of(dataset, n=1):
    return dataset / manifest(dataset)["files"][n]["path"]


# ---- what is said of it ----

def findings(suite, path, *args, want=1):
    done = suite.call("verify", "check", "--json", *args, path, want=want)
    return json.loads(done.out)["problems"] if done.out else [], done


def told(problems, words, file=None):
    """One finding with all the words, about the file."""
    demand(any(re.search(words, p["kind"] + ": " + p["text"]) and (file is None or file in p["text"]) for p in problems),
           "no finding matches %r%s:\n%s" % (words, " for " + file if file else "",
                                             "\n".join(p["kind"] + ": " + p["text"] for p in problems)))
    order = ["missing", "damaged", "count", "order", "hidden", "extra", "misplaced", "metadata", "cosmetic"]
    kinds = [order.index(p["kind"]) for p in problems]
    demand(kinds == sorted(kinds), "not the worst first: %s" % kinds)


def found(suite, dataset, words, file=None, only=False):
    """By full check, whatever the number of threads."""
    problems, _ = findings(suite, dataset, "--threads", 1)
    told(problems, words, file)
    again, _ = findings(suite, dataset, "--threads", 4)
    demand(again == problems, "with four threads:\n%s\nwith one:\n%s" % (again, problems))
    if only:
        demand(all(re.search(words, p["kind"] + ": " + p["text"]) for p in problems), "more is said: %s" % problems)
    text = shown(suite.call("verify", "check", dataset, want=1).out)
    demand(" problem" in text.splitlines()[0] and problems[0]["text"] in text, text)
    return problems


def differs(suite, good, bad, kind):
    done = suite.call("verify", "diff", "--json", good, bad, want=1)
    demand(re.search(r'"kind": ?"%s"' % kind, shown(done.out)), "diff says nothing of %s:\n%s" % (kind, shown(done.out)))


def file_missing(suite):
    copy = copy_of(suite, sound(suite))
    file_of(copy).unlink()
    return copy
