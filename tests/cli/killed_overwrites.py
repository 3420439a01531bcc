#!/usr/bin/env python3
"""SIGKILL while a program replaces what is already there: the old output or the new one, always.

    killed_overwrites.py BIN [--seed N] [--keep] [-v] [NAME ...]

Every command with --overwrite, also where its output is its input. It is killed at every rename: a manifest that is there then
stands beside the files that it lists, for programs that know no journal. Half of the other kills come at random moments of a run,
half at random calls that make, sync, move or remove something (faulty_calls.c). Right after a kill the output opens, and is the
old or the new one, byte by byte; the same command again makes the bytes of an undisturbed run, and nothing else is left.
OBKV_STRESS=1 (`make stress`): 96 kills of each command instead of 6. The last line is "N passed, N failed, N skipped".
"""
import collections
import hashlib
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import time

from failing_calls import Faulty
from programs import NOW, Skip, Suite, demand, tail

STRESS = bool(os.environ.get("OBKV_STRESS"))
KILLS = 96 if STRESS else 6
FAMILIES = ("cf", "x1", "x2", "x3")
COLUMNS = ("--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY," + ",".join(f + ":a" for f in FAMILIES))
COMMON = ("--quiet", "--now", NOW, "-t", 2)
RULES = ("--versions", "unlimited")
TREES = pathlib.Path(__file__).resolve().parent.parent / "data" / "hbase_trees"

# argv without -o; sources: inputs; old: what OUT holds before; outs: the outputs, relative to OUT
Command = collections.namedtuple("Command", "argv old outs code", defaults=(("",), 0))


def rows_of(suite, name, seed, n=600):
    path = suite.tmp / name
    if not path.exists():
        r = random.Random(suite.seed * 100 + seed)
        path.write_text("".join("k%05d,%d,%s\n" % (r.randrange(4000), seed * 10 + i % 7, ",".join(
            "v" * (i % 40) + f for f in FAMILIES)) for i in range(n)))
    return path


def dataset(suite, name, seed, *partition):
    out = suite.tmp / name
    if not out.exists():
        source = rows_of(suite, name + ".csv", seed)
        suite.call("import", *COMMON, "--partition", *(partition or ("key:3",)), *COLUMNS, "-o", out, source)
    return out


def tree(suite):
    """An HBase root directory, and the same as an archive."""
    directory, archive = suite.tmp / "tree", suite.tmp / "tree.tar"
    if not directory.exists():
        with tarfile.open(TREES / "a1_snapshot.tar.xz") as tar:
            tar.extractall(directory)
        with tarfile.open(archive, "w") as tar:
            tar.add(directory / "a1_snapshot" / "hbase", "hbase")
    return directory / "a1_snapshot" / "hbase", archive


def commands(suite, out):
    a, b, old = dataset(suite, "a", 1), dataset(suite, "b", 2), dataset(suite, "old", 3, "none")
    root, archive = tree(suite)
    link = suite.tmp / "link"
    if not link.is_symlink():
        link.symlink_to(out)
    base = suite.tmp / "base"
    if not base.exists():
        suite.call("compact", *COMMON, *RULES, "-o", base, a)
    export = suite.tmp / "export"
    if not export.exists():
        suite.call("export", *COMMON, "--name", "t", "-o", export, old)
    tables = suite.tmp / "tables"
    if not tables.exists():
        suite.call("import", *COMMON, "--table", "*", "--partition", "none", "-o", tables, root)
    each = tuple(sorted(p.name for p in tables.iterdir()))
    return {
        "import": Command(("import", "--partition", "key:4", *COLUMNS, rows_of(suite, "a.csv", 1)), old),
        "import of a snapshot": Command(("import", "--partition", "key:3", "--snapshot", "snap_a", root), old),
        "import of an archive": Command(("import", "--partition", "key:3", "--snapshot", "snap_a", archive), old),
        "import of all tables": Command(("import", "--partition", "key:2", "--table", "*", root), tables, each),
        "import in place": Command(("import", "--partition", "key:2", out), a),
        "compact": Command(("compact", *RULES, a, b), old),
        "compact in place": Command(("compact", *RULES, out), a),
        "compact onto a base": Command(("compact", *RULES, "--base", base, b), old),
        "split": Command(("split", "apply", "--partition", "key:2", a), old),
        "split in place": Command(("split", "apply", "--partition", "key:2", out), a),
        "split in place by a link": Command(("split", "apply", "--partition", "key:2", link), a),
        "export": Command(("export", "--name", "t", "--create", "--target-file-size", "20K", a), export),
    }


# ---- what is there ----

def content(directory):
    """Path and hash of every file, without the manifest (it tells when inputs were written) and the work area."""
    found = []
    for p in sorted(directory.rglob("*")):
        name = p.relative_to(directory)
        if p.is_file() and name.parts[0] != ".obkv" and name.name != "MANIFEST.json":
            found.append((str(name), hashlib.sha256(p.read_bytes()).hexdigest()))
    return tuple(found)


def opens(suite, out):
    """By a program that only reads. An interrupted replacement is completed by whoever opens it first."""
    if (out / "load.sql").exists() or (out / ".obkv/tmp/load.sql").exists() or (out / ".obkv/old/load.sql").exists():
        done = suite.call("load", "--target", "127.0.0.1:1/none", "--retries", 0, out, want=None)
        demand(b"127.0.0.1" in done.err, "does not get as far as the database: " + tail(done.err))
    else:
        suite.call("verify", "check", "--quiet", out)


def old_or_new(suite, outs, olds, news):
    for out, old, new in zip(outs, olds, news):
        opens(suite, out)
        demand((out / "MANIFEST.json").exists(), "%s has no manifest" % out.name)
        demand(content(out) in (old, new), "%s is neither the old one nor the new one" % out.name)


def not_mixed(outs, olds, news, what):
    """As seen by a program that knows no journal."""
    for out, old, new in zip(outs, olds, news):
        if (out / "MANIFEST.json").exists():
            demand(content(out) in (old, new), "%s: %s has a manifest, and is neither old nor new" % (what, out.name))


def debris(outs, temp):
    found = [p.name for p in temp.iterdir()]
    for out in outs:
        found += [str(p) for p in out.rglob("*") if ".obkv" in p.parts and p.name not in (".obkv", "lock")]
    return found


# ---- kills ----

def put(source, out):
    if out.exists():
        shutil.rmtree(out)
    shutil.copytree(source, out)


def calls_of(faulty, out, old):
    """(kind, number) of every call of an undisturbed run that makes, syncs, moves or removes something."""
    found = []
    for kind in ("mkdir", "sync", "rename", "unlink"):
        put(old, out)
        done, calls = faulty.run(kind)
        demand(done.code == 0, "exit %d, %s" % (done.code, tail(done.err)))
        found += [(kind, i + 1) for i in range(calls)]
    return found


def at_call(faulty, kind, at):
    done, _ = faulty.run(kind, at, "once", "KILL")
    demand(done.code == -9, "exit %d, %s" % (done.code, tail(done.err)))


def at_moment(suite, argv, pause):
    """Whether it was still running."""
    p = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=suite.env)
    time.sleep(pause)
    p.send_signal(signal.SIGKILL)
    _, err = p.communicate(timeout=60)
    demand(p.returncode in (0, -9), "exit %d, %s" % (p.returncode, tail(err)))
    return p.returncode == -9


def each_kill(suite, name):
    out, temp = suite.fresh("out"), suite.fresh("temp")
    temp.mkdir()
    suite.env["TMPDIR"] = str(temp)
    c = commands(suite, out)[name]
    outs, command = [out / o for o in c.outs], (*c.argv, *COMMON, "--overwrite", "-o", out)
    argv = suite.command(command[0], command[1:])
    faulty = Faulty(suite, command)
    calls = calls_of(faulty, out, c.old)
    put(c.old, out)
    olds, began = [content(o) for o in outs], time.monotonic()
    suite.call(*command)
    takes, news = time.monotonic() - began, [content(o) for o in outs]
    old_or_new(suite, outs, olds, news)
    demand(olds != news, "the old output is like the new one")
    r, count = random.Random("%d %s" % (suite.seed, name)), collections.Counter()
    for kind, at in calls:
        if kind != "rename":
            continue
        put(c.old, out)
        at_call(faulty, kind, at)
        not_mixed(outs, olds, news, "killed at %s %d" % (kind, at))
        count["renames"] += 1
    for i in range(KILLS):
        put(c.old, out)
        if i % 2:
            at_call(faulty, *r.choice(calls))
        while i % 2 == 0 and not at_moment(suite, argv, r.random() * takes):  # it had ended
            put(c.old, out)
            takes *= 0.9  # the machine was busier when it was measured
            count["ended"] += 1
            demand(count["ended"] < 10 * KILLS, "no run lives long enough")
        count["kills"] += 1
        count["publishing"] += any((o / ".obkv" / "journal").exists() for o in outs)
        seen = out
        if i % 4 < 2:  # the run afterwards completes it by itself
            seen = suite.tmp / "seen"
            put(out, seen)
        old_or_new(suite, [seen / o for o in c.outs], olds, news)
        suite.call(*command)
        demand([content(o) for o in outs] == news, "kill %d: the same command afterwards writes other bytes" % i)
        demand(not debris(outs, temp), "kill %d: the run afterwards leaves %s" % (i, debris(outs, temp)))
    faulty.end()
    if suite.args.verbose:
        print("# %s: %s" % (name, said(count)))
    return count


def said(count):
    return ("%(renames)d kills at renames, %(kills)d others, %(publishing)d of them while publishing; "
            "%(ended)d runs had ended before" % count)


def read_meanwhile(suite):
    """While a dataset is replaced in place again and again, it opens and is good at every moment."""
    out, one, two = suite.fresh("out"), dataset(suite, "a", 1), suite.fresh("two")
    suite.call("split", "apply", "--partition", "key:2", *COMMON, "-o", two, one)
    put(one, out)
    states = {content(one), content(two)}
    script = 'for n in $(seq %d); do "$0" apply --overwrite --partition key:$((2 + n %% 2)) "$@" || exit; done'
    argv = suite.command("split", (*COMMON, "-o", out, out))
    reads = 0
    with subprocess.Popen(["sh", "-c", script % (200 if STRESS else 20), *argv], stderr=subprocess.PIPE, env=suite.env) as p:
        while p.poll() is None:
            suite.call("verify", "info", out)
            reads += 1
        demand(p.returncode == 0, tail(p.stderr.read()))
    demand(reads and content(out) in states, "%d reads" % reads)


def synced_first(suite):
    """Power may fail when the manifest has its name: every file and directory beside it has been synced by then."""
    if not shutil.which("strace"):
        raise Skip("no strace")
    out, trace, sources = suite.fresh("out"), suite.tmp / "trace", [suite.tmp / ("bad%d.csv" % i) for i in (1, 2)]
    for source in sources:
        source.write_text("k1,5,a,b,c,d\nbad\n")
    argv = suite.command("import", (*COMMON, "--partition", "key:2", *COLUMNS, "--max-rejects", 5, "-o", out, *sources))
    done = subprocess.run(["strace", "-f", "-y", "-e", "trace=fsync,rename", "-o", trace, *argv], env=suite.env, check=False,
                          stderr=subprocess.PIPE)
    demand(done.returncode == 3, "exit %d, %s" % (done.returncode, tail(done.stderr)))
    before = trace.read_text().partition('/MANIFEST.json")')[0]
    synced = {p.replace("/.obkv/tmp/", "/") for p in re.findall(r"fsync\(\d+<([^>]*)>", before)}
    there = [out] + [p for p in out.rglob("*") if ".obkv" not in p.parts]
    demand(len(there) > 12, "no report with directories")
    missing = [str(p.relative_to(out)) for p in there if str(p) not in synced]
    demand(not missing, "not synced before the manifest: %s" % ", ".join(missing))


def main():
    suite = Suite(__doc__, in_memory=True)
    if suite.sanitized():
        print("0 passed, 0 failed, 1 skipped")
        return 0
    total = collections.Counter()

    def one(s, name):
        total.update(each_kill(s, name))

    for name in commands(suite, suite.tmp / "out"):
        suite.run(name, one, name)
    suite.run("read meanwhile", read_meanwhile)
    suite.run("synced first", synced_first)
    print("# " + said(total))
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
