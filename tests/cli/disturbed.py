"""What faults.py, failing_calls.py and memory_limits.py share: inputs, and what must hold after a disturbed run.

The output folder then either has no MANIFEST.json or holds a dataset that `obkv-verify check` calls good, and the same command,
undisturbed, ends with 0 and the same digest.
"""
import contextlib
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import time

from programs import NOW, demand, digest

COLUMNS = ("--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a")
TWO_COLUMNS = ("--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a,cf:b")
RULES = ("--versions", "unlimited")


# ---- inputs, each made once ----

def made(suite, name, make):
    path = suite.tmp / name
    if not path.exists():
        half = suite.tmp / (name + ".half")
        make(half)
        half.rename(path)
    return path


def csv_of(suite, rows, name=None):
    """About 110 bytes a row; a third of the keys comes twice."""
    def make(path):
        r = random.Random(suite.seed)
        pad = ["%x" % r.getrandbits(300) for _ in range(1000)]
        with open(path, "w", encoding="ascii") as f:
            for start in range(0, rows, 10000):
                f.write("".join("user%012d,%d,%s,%d\n" % (r.randrange(rows), 10 ** 12 + i, pad[i % 997], i)
                                for i in range(start, min(start + 10000, rows))))
    return made(suite, name or "rows%d.csv" % rows, make)


def spilling(suite):
    """66 MB: more than 64 MB of memory hold."""
    source = csv_of(suite, 600000)
    if not (suite.tmp / "spilled").exists():
        done = suite.result("import", "--partition", "key:7", *TWO_COLUMNS, "-m", "64M", "-o", suite.fresh("spills"), source)
        spilled = done["spilled_bytes"]
        demand(spilled > 8 << 20, "%d bytes spilled: the input is too small for these tests" % spilled)
        (suite.tmp / "spilled").touch()
    return source


def small_csv(suite):
    return csv_of(suite, 2000)


def import_small(suite, out, source, *args):
    return ("import", "--quiet", "--partition", "key:5", *TWO_COLUMNS, "--now", NOW, *args, "-o", out, source)


def small_datasets(suite, n, partition="key:5"):
    """n datasets of 500 rows each."""
    found = []
    for i in range(n):
        out = suite.tmp / ("small-%s-%d" % (partition.replace(":", ""), i))
        if not out.exists():
            r = random.Random(suite.seed * 100 + i)
            source = suite.tmp / "small.csv"
            source.write_text("".join("k%05d,%d,%s,%d\n" % (r.randrange(4000), i * 10 + k % 7, "v" * (k % 40), k)
                                      for k in range(500)))
            suite.call("import", "--quiet", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "-o", out, source)
        found.append(out)
    return found


def big_datasets(suite):
    """Three datasets, together some 100 MB of KeyValues."""
    found = []
    for i in range(3):
        source = csv_of(suite, 150000 + i, "big%d.csv" % i)
        out = suite.tmp / ("big%d" % i)
        if not out.exists():
            suite.call("import", "--quiet", "--partition", "key:11", *TWO_COLUMNS, "--now", NOW, "-o", out, source)
        found.append(out)
    return found


# ---- running programs ----

def until(p, happened, what):
    """Waits for it, or for the end of the program."""
    end = time.monotonic() + 120
    while p.poll() is None:
        with contextlib.suppress(FileNotFoundError):
            if happened():
                return
        demand(time.monotonic() < end, "waited two minutes for " + what)
        time.sleep(0.002)


def looks_at_signals(p):
    """Waits until it does: it blocks them then. Before that the system ends it, and nothing has been made. All signals are
    blocked for a moment while the C library starts a thread, also one of those by which a program finds out how many there may
    be, before it looks at signals."""
    def blocks():
        status = pathlib.Path("/proc/%d/status" % p.pid).read_text()
        blocked = int(re.search(r"SigBlk:\s*(\w+)", status)[1], 16)
        return blocked >> (signal.SIGTERM - 1) & ~(blocked >> (signal.SIGUSR1 - 1)) & 1
    until(p, blocks, "the program to look at signals")


def written(out):
    """Bytes of files that a run has begun."""
    return sum(f.stat().st_size for f in (out / ".obkv" / "tmp").rglob("*") if f.is_file())


def ended_cpu_s():
    """Processor time of all programs that have ended: what else the machine does hardly changes it."""
    u = resource.getrusage(resource.RUSAGE_CHILDREN)
    return u.ru_utime + u.ru_stime


def cpu_s(p):
    """Processor time so far of one that has not."""
    demand(p.poll() is None, "the program has ended already")
    fields = pathlib.Path("/proc/%d/stat" % p.pid).read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# ---- what must hold after a disturbed run ----

def good_or_nothing(suite, out, want_digests):
    """No manifest, or a dataset that is good and one of those expected."""
    if not (out / "MANIFEST.json").exists():
        return
    suite.call("verify", "check", "--quiet", out)
    demand(digest(out) in want_digests, "%s is published with other cells than an undisturbed run writes" % out.name)


def left_behind(out, temp=None):
    """What an orderly end must have removed."""
    found = [str(p) for p in (out / ".obkv" / "tmp",) if p.exists()]
    if temp:
        found += [str(p) for p in temp.iterdir()]
    publishing = (out / ".obkv" / "journal").exists()  # the next start undoes what that names
    if not (out / "MANIFEST.json").exists() and not publishing:
        found += [str(p) for p in out.rglob("*.hfile")]
    return found


def undisturbed(suite, command, out):
    """The digest the command writes when nobody disturbs it."""
    suite.call(*command)
    want = digest(out)
    shutil.rmtree(out)
    return want


def again(suite, command, out, want):
    done = suite.call(*command)
    demand(digest(out) == want, "the same command afterwards writes another digest")
    suite.call("verify", "check", "--quiet", out)
    return done
