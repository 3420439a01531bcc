#!/usr/bin/env python3
"""Full disks, few descriptors, signals, failing calls and memory limits: nothing lost, nothing half published.

    faults.py BIN [--seed N] [--keep] [-v] [NAME ...]

After every disturbed run the output folder either has no MANIFEST.json or holds a dataset that `obkv-verify check` calls good, and
the same command, undisturbed, then ends with 0 and the same digest. Tests that mount a tmpfs need root, those with failing calls a C
compiler; else they are skipped by name. The last line is "N passed, N failed, N skipped".
"""
import contextlib
import fcntl
import gzip
import json
import lzma
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time

from programs import NOW, Done, Skip, Suite, Wrong, cell_line, demand, digest, manifest, shown, tail

COLUMNS = ("--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a")
TWO_COLUMNS = ("--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,cf:a,cf:b")
RULES = ("--versions", "unlimited")
KILL_POINTS = 25


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
        demand(done["spilled_bytes"] > 8 << 20, "%d bytes spilled: the input is too small for these tests" % done["spilled_bytes"])
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
            source.write_text("".join("k%05d,%d,%s,%d\n" % (r.randrange(4000), i * 10 + k % 7, "v" * (k % 40), k) for k in range(500)))
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


# ---- space ----

@contextlib.contextmanager
def tmpfs(suite, size, options=""):
    """A file system of its own, gone afterwards."""
    folder = suite.tmp / "tmpfs"
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", "size=%s%s" % (size, options), "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        raise Skip("mounting a tmpfs needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def resize(folder, size):
    subprocess.run(["mount", "-o", "remount,size=%s" % size, str(folder)], check=True)


def refused_for_space(suite, command, out, temp=None):
    done = suite.call(*command, want=6)
    demand("No space left" in shown(done.err), "the message names no reason: " + tail(done.err))
    demand(not (out / "MANIFEST.json").exists(), "published")
    demand(not left_behind(out, temp), "left behind: %s" % left_behind(out, temp))


def full_temp(suite):
    """Spilling into a temp folder of 4 MB."""
    out = suite.fresh("full")
    command = ("import", "--quiet", "--partition", "key:7", *TWO_COLUMNS, "--now", NOW, "-m", "64M", "-o", out, spilling(suite))
    want = undisturbed(suite, command, out)
    with tmpfs(suite, "4m") as temp:
        command += ("--temp-dir", temp)
        refused_for_space(suite, command, out, temp)
        resize(temp, "1g")
        again(suite, command, out, want)
        demand(not list(temp.iterdir()), "temp files are left")


def full_output(suite, tool):
    """Output into a file system of 1 MB."""
    a, b, c = big_datasets(suite)
    with tmpfs(suite, "1m") as folder:
        out = folder / "out"
        command = {"import": ("import", "--partition", "key:7", *TWO_COLUMNS, "--now", NOW, "-o", out, spilling(suite)),
                   "import, spilling": ("import", "-m", "64M", "--partition", "none", *TWO_COLUMNS, "--now", NOW, "-o", out, spilling(suite)),
                   "compact": ("compact", *RULES, "--now", NOW, "-o", out, a, b, c),
                   "split": ("split", "apply", "--partition", "key:3", "--now", NOW, "-o", out, a)}[tool]
        refused_for_space(suite, command, out)
        resize(folder, "1g")
        again(suite, command, out, undisturbed(suite, command, out))


def space_ladder(suite):
    """Every amount of space from nothing to enough: the disk is full at every phase, also while publishing."""
    source, codes = small_csv(suite), []
    want = None
    for pages in list(range(1, 40, 2)) + list(range(40, 160, 6)):
        with tmpfs(suite, "%dk" % (4 * pages)) as folder:
            out = folder / "out"
            command = import_small(suite, out, source)
            if want is None:
                resize(folder, "10m")
                want = undisturbed(suite, command, out)
                resize(folder, "%dk" % (4 * pages))
            done = suite.call(*command, want={0, 6})
            codes.append(done.code)
            good_or_nothing(suite, out, {want})
            demand(done.code == 0 or "No space left" in shown(done.err), tail(done.err))
            resize(folder, "10m")
            again(suite, command, out, want)
    demand(0 in codes and 6 in codes, "the ladder has only codes %s" % set(codes))


def inode_ladder(suite):
    """The same with the number of files."""
    source, codes = small_csv(suite), []
    out = suite.fresh("full")
    want = undisturbed(suite, import_small(suite, out, source), out)
    for inodes in range(1, 20):
        with tmpfs(suite, "10m", ",nr_inodes=%d" % inodes) as folder:
            out = folder / "out"
            done = suite.call(*import_small(suite, out, source), want={0, 6})
            codes.append(done.code)
            good_or_nothing(suite, out, {want})
    demand(0 in codes and 6 in codes, "the ladder has only codes %s" % set(codes))


def disk_limit(suite):
    out = suite.fresh("limited")
    base = ("import", "--quiet", *TWO_COLUMNS, "--now", NOW, "-m", "64M", "-o", out, spilling(suite), "--partition", "key:7")
    peak = suite.result(*base)["peak_disk_bytes"]
    want = digest(out)
    shutil.rmtree(out)
    for limit in (1, 100000, peak // 4, peak // 2, peak - peak // 10):
        done = suite.call(*base, "--disk-limit", limit, want=6)
        demand("--disk-limit" in shown(done.err), tail(done.err))
        demand(not out.exists(), "%s is left" % out)
    again(suite, base + ("--disk-limit", peak + peak // 10), out, want)


def read_only(suite):
    with tmpfs(suite, "1m", ",ro") as folder:
        for target in (folder / "out", folder):
            done = suite.call(*import_small(suite, target, small_csv(suite)), want=7)
            demand("Read-only file system" in shown(done.err), tail(done.err))
        done = suite.call(*import_small(suite, suite.fresh("o"), small_csv(suite), "--temp-dir", folder), want={0, 7})
        out = suite.fresh("o")
        done = suite.call("import", "-m", "64M", "--partition", "none", *TWO_COLUMNS, "--temp-dir", folder, "-o", out, spilling(suite), want=7)
        demand("Read-only file system" in shown(done.err) and str(folder) in shown(done.err), tail(done.err))
        demand(not out.exists(), "something is left")


def bad_places(suite):
    """Output and temp folders that cannot be."""
    source = small_csv(suite)
    for target, code in (("/proc/nothing/here", 7), (source, 7), ("/dev/null/x", 7)):
        done = suite.call(*import_small(suite, target, source), want=code)
        demand(str(target).split("/")[1] in shown(done.err), tail(done.err))
    out = suite.fresh("o")
    done = suite.call("import", "-m", "64M", "--partition", "none", *TWO_COLUMNS, "--temp-dir", "/nowhere/at/all", "-o", out, spilling(suite),
                      want=7)
    demand("/nowhere/at/all" in shown(done.err), tail(done.err))
    demand(not out.exists(), "something is left")


# ---- descriptors ----

def with_descriptors(suite, n, tool, *args, want=0):
    command = suite.command(tool, args)
    p = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=suite.env, check=False, timeout=300,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n)))
    return suite.judge(command, Done(p.returncode, p.stdout, p.stderr), want)


def few_descriptors(suite):
    """ulimit -n 32 is enough for all of it."""
    source, out = spilling(suite), suite.fresh("few")
    for partition in ("key:97", "none"):
        for threads in (2, 8):
            command = ("import", "--quiet", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "-m", "64M", "-t", threads, "-o", out, source)
            want = undisturbed(suite, command, out)
            with_descriptors(suite, 32, *command)
            demand(digest(out) == want, "import %s: another digest" % partition)
            with_descriptors(suite, 32, "verify", "check", "--quiet", "-t", threads, out)
            shutil.rmtree(out)


def few_descriptors_many_inputs(suite):
    """30 datasets in one compaction, and as the inputs of the others."""
    datasets, out = small_datasets(suite, 30), suite.fresh("few")
    for command in (("compact", *RULES, "--quiet", "--now", NOW, "-o", out, *datasets),
                    ("compact", "--versions", 1, "--quiet", "--rank", "sequence", "-t", 8, "--now", NOW, "-o", out, *datasets),
                    ("import", "--quiet", "--partition", "none", "-t", 8, "--now", NOW, "-o", out, *datasets),
                    ("split", "apply", "--quiet", "--partition", "key:3", "--now", NOW, "-o", out, *datasets)):
        want = undisturbed(suite, command, out)
        with_descriptors(suite, 32, *command)
        demand(digest(out) == want, "%s: another digest" % command[0])
        with_descriptors(suite, 32, "verify", "check", "--quiet", "-t", 8, out)
        with_descriptors(suite, 32, "verify", "diff", "--quiet", "-t", 8, out, datasets[0], want=1)
        demand(with_descriptors(suite, 32, "verify", "dump", "-t", 8, out).out, "an empty dump")
        shutil.rmtree(out)


def too_few_descriptors(suite):
    """With less than what is needed at all: exit 6 that says so."""
    out = suite.fresh("few")
    want = undisturbed(suite, import_small(suite, out, small_csv(suite)), out)
    codes = set()
    for n in range(4, 20):
        done = with_descriptors(suite, n, *import_small(suite, out, small_csv(suite)), want={0, 6, 127})
        codes.add(done.code)
        good_or_nothing(suite, out, {want})
        if done.code == 6:
            demand("Too many open files" in shown(done.err) or "descriptors" in shown(done.err), tail(done.err))
        if out.exists():
            shutil.rmtree(out)
    demand({0, 6} <= codes, "only codes %s" % codes)


# ---- signals ----

def start(suite, *command, **kw):
    return subprocess.Popen(suite.command(command[0], command[1:]), stdin=kw.get("stdin", subprocess.DEVNULL), stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, env=suite.env)


def disturbed(suite, command, after_s, sig):
    p = start(suite, *command)
    time.sleep(after_s)
    p.send_signal(sig)
    try:
        out, err = p.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        p.kill()
        p.communicate()
        raise Wrong("does not end within a minute of %s" % sig.name)
    return Done(p.returncode, out, err)


def killed_at_random(suite, what, points):
    """SIGKILL, SIGTERM and SIGINT at random times."""
    a, b, c = big_datasets(suite)
    out, temp = suite.fresh("killed"), suite.fresh("killtemp")
    temp.mkdir()
    common = ("--quiet", "--now", NOW, "-m", "64M", "--temp-dir", temp, "-o", out)
    command = {"import": ("import", *common, "--partition", "key:7", *TWO_COLUMNS, spilling(suite)),
               "import none": ("import", *common, "--partition", "none", "--codec", "gz", *TWO_COLUMNS, spilling(suite)),
               "compact": ("compact", *common, *RULES, a, b, c),
               "split": ("split", "apply", *common, "--partition", "none", a, b, c)}[what]
    began = time.monotonic()
    want = undisturbed(suite, command, out)
    takes = time.monotonic() - began
    r = random.Random(suite.seed)
    ends = {}
    for i in range(points):
        after = r.random() * takes
        sig = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT)[i % 4]
        done = disturbed(suite, command, after, sig)
        expect = -9 if sig == signal.SIGKILL else 128 + sig
        if done.code == -sig and not out.exists():
            continue  # hit before main() could look at signals
        demand(done.code in (0, expect), "%s after %.3f s: exit %d\n%s" % (sig.name, after, done.code, tail(done.err)))
        ends[done.code] = ends.get(done.code, 0) + 1
        good_or_nothing(suite, out, {want})
        if sig != signal.SIGKILL and done.code:
            demand(not left_behind(out, temp), "%s after %.3f s leaves %s" % (sig.name, after, left_behind(out, temp)))
            demand("interrupted by " + sig.name in shown(done.err), tail(done.err))
        if i % 3 == 0 or (out / "MANIFEST.json").exists():
            again(suite, command, out, want)
            shutil.rmtree(out)
        demand(not list(temp.iterdir()), "after a whole run there is %s" % list(temp.iterdir()))
    demand(len(ends) > 1, "no run was hit: %s" % ends)


def ends_soon(suite, sig):
    """One partition, slow codec: a signal while it is written ends the run within a second or two."""
    out = suite.fresh("soon")
    command = ("import", "--quiet", "--partition", "none", "--codec", "gz:9", "-m", "64M", "--now", NOW, *TWO_COLUMNS, "-o", out,
               csv_of(suite, 900000))
    began = time.monotonic()
    suite.call(*command)
    takes = time.monotonic() - began
    shutil.rmtree(out)
    for part in (0.5, 0.7):
        p = start(suite, *command)
        time.sleep(takes * part)
        p.send_signal(sig)
        began = time.monotonic()
        p.communicate(timeout=120)
        late = time.monotonic() - began
        demand(p.returncode == 128 + sig, "exit %d" % p.returncode)
        demand(late < max(1.0, takes * 0.15), "ended %.1f s after %s; the whole run takes %.1f s" % (late, sig.name, takes))
        demand(not out.exists(), "something is left")


def waiting_for_stdin(suite, sig):
    """Nobody writes to the pipe: the program can be interrupted nevertheless."""
    for how in ("pipe", "fifo", "dump", "packed"):
        out = suite.fresh("waiting")
        if how == "fifo":
            fifo = suite.fresh("fifo")
            os.mkfifo(fifo)
            p = start(suite, "import", "--partition", "none", *COLUMNS, "-o", out, fifo)
        elif how == "dump":
            p = start(suite, "verify", "dump", "--format", "cells", "-", stdin=subprocess.PIPE)
        else:
            p = start(suite, "import", "--partition", "none", *COLUMNS, "-o", out, "-", stdin=subprocess.PIPE)
            p.stdin.write(gzip.compress(b"a,1,x\n" * 1000)[:40] if how == "packed" else b"a,1,x\nb,2,")
            p.stdin.flush()
        time.sleep(0.3)
        demand(p.poll() is None, "%s: has ended already" % how)
        p.send_signal(sig)
        began = time.monotonic()
        while p.poll() is None and time.monotonic() - began < 5:
            time.sleep(0.01)
        if p.poll() is None:
            p.kill()
            p.communicate()
            raise Wrong("%s: still waiting 5 s after %s" % (how, sig.name))
        err = p.stderr.read()
        for stream in (p.stdin, p.stdout, p.stderr):
            if stream:
                stream.close()
        demand(p.returncode == 128 + sig, "%s: exit %d, %s" % (how, p.returncode, tail(err)))
        demand(not out.exists(), "%s: %s is left" % (how, out))


def slow_pipe(suite):
    """Input that comes in drops is whole in the end."""
    out = suite.fresh("drops")
    p = start(suite, "import", "--partition", "none", *COLUMNS, "-o", out, "-", stdin=subprocess.PIPE)
    for i in range(60):
        p.stdin.write((b'k%d,%d,"v\n' % (i, i)) if i % 2 else b'%d"\n' % i if i else b"k,0,x\n")
        p.stdin.flush()
        time.sleep(0.01)
    p.stdin.write(b'"\n')
    _, err = p.communicate(timeout=60)
    demand(p.returncode == 0, tail(err))
    demand(sum(f["cells"] for f in manifest(out)["files"]) == 31, "%s" % manifest(out)["totals"])


def closed_stdout(suite):
    """dump into a closed pipe ends quietly; check and info, too."""
    a = big_datasets(suite)[0]
    p = start(suite, "verify", "dump", a)
    p.stdout.readline()
    p.stdout.close()
    err = p.stderr.read()
    p.stderr.close()
    demand(p.wait(timeout=60) == 0 and not err, "exit %d, %s" % (p.returncode, tail(err)))
    for tool in (("verify", "check"), ("verify", "info"), ("verify", "diff", a)):
        r, w = os.pipe()
        os.close(r)
        done = suite.call(*tool, a, stdout=w, want=None)
        os.close(w)
        demand(done.code in (0, 7), "%s: exit %d, %s" % (tool[1], done.code, tail(done.err)))
    with open("/dev/full", "wb") as full:
        for tool in (("verify", "dump"), ("verify", "check"), ("verify", "info"), ("verify", "diff", a)):
            done = suite.call(*tool, a, stdout=full, want=None)
            demand(done.code in (6, 7), "%s > /dev/full: exit %d: results are lost and nobody says so" % (tool[1], done.code))


def lock_held(suite):
    """Two runs on one folder: the second ends with 75 and touches nothing."""
    out = suite.fresh("locked")
    p = start(suite, "import", "--quiet", "--partition", "none", *COLUMNS, "--now", NOW, "-o", out, "-", stdin=subprocess.PIPE)
    lock = out / ".obkv" / "lock"
    for _ in range(500):
        if lock.exists():
            break
        time.sleep(0.01)
    time.sleep(0.1)
    for tool in (("import", "--partition", "none", *COLUMNS, small_csv(suite)), ("compact", *RULES, small_datasets(suite, 1)[0]),
                 ("split", "apply", "--partition", "none", small_datasets(suite, 1)[0])):
        done = suite.call(*tool, "-o", out, want=75)
        demand("another run" in shown(done.err), tail(done.err))
    _, err = p.communicate(b"a,1,x\n", timeout=60)
    demand(p.returncode == 0, "the first run: exit %d, %s" % (p.returncode, tail(err)))
    suite.call("verify", "check", "--quiet", out)
    with open(out / ".obkv" / "lock", "a") as f:  # a finished dataset, being replaced by somebody
        fcntl.flock(f, fcntl.LOCK_EX)
        suite.call("import", "--overwrite", "--partition", "none", *COLUMNS, "-o", out, small_csv(suite), want={4, 75})
    suite.call("verify", "check", "--quiet", out)


# ---- failing calls ----

def preload(suite):
    library = suite.tmp / "faulty_calls.so"
    if suite.sanitized():
        raise Skip("a preloaded library and sanitizers do not go together")
    if not library.exists():
        source = pathlib.Path(__file__).resolve().with_name("faulty_calls.c")
        for compiler in ("cc", "gcc", "clang"):
            if shutil.which(compiler) and subprocess.run([compiler, "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"],
                                                         check=False).returncode == 0:
                return library
        raise Skip("no C compiler")
    return library


def with_fault(suite, command, call, at, what):
    log = suite.tmp / "fault.log"
    env = dict(suite.env, LD_PRELOAD=str(preload(suite)), FAULT_CALL=call, FAULT_AT=str(at), FAULT_DO=str(what), FAULT_LOG=str(log))
    whole = suite.command(command[0], command[1:])
    try:
        p = subprocess.run(whole, stdin=subprocess.DEVNULL, capture_output=True, env=env, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        raise Wrong("call %d of %s, %s: no end within a minute" % (at, call, what))
    done = Done(p.returncode, p.stdout, p.stderr)
    return done if what == "KILL" and done.code == -9 else suite.judge(whole, done, None)


def calls_of(suite, command, call):
    with_fault(suite, command, call, 0, "5")
    return int((suite.tmp / "fault.log").read_text())


EIO, ENOMEM, ENOSPC = 5, 12, 28
CALLS = {"open": EIO, "write": ENOSPC, "pwrite": ENOSPC, "read": EIO, "pread": EIO, "fsync": EIO, "rename": ENOSPC, "unlink": EIO,
         "mkdir": ENOSPC, "alloc": ENOMEM}
CODES = {EIO: {5, 7}, ENOSPC: {6}, ENOMEM: {6}}


def each_call_fails(suite, what, kill):
    """One run for each call of each kind that an undisturbed run makes: it fails, or the program is killed there."""
    a, b = small_datasets(suite, 2)
    old = suite.tmp / "old.csv"
    old.write_text("k1,1,x,y\n")
    tiny = suite.tmp / "tiny.csv"
    tiny.write_text("".join("k%d,%d,%s,z\n" % (i % 50, i, "v" * i) for i in range(100)) + "bad\n")
    out = suite.fresh("faulty")
    common = ("--now", NOW, "-t", 1, "-o", out)
    base = ("import", "--partition", "key:3", *TWO_COLUMNS, "--max-rejects", 5)
    command = {"import": (*base, *common, tiny), "overwrite": (*base, *common, "--overwrite", tiny),
               "compact": ("compact", *RULES, *common, a, b), "split": ("split", "apply", "--partition", "key:2", *common, a)}[what]
    good = {3} if command[0] == "import" else {0}

    def prepare():
        if out.exists():
            shutil.rmtree(out)
        if what == "overwrite":
            suite.call("import", "--quiet", "--partition", "none", "--format", "csv", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,old:a,older:b",
                       "--now", NOW, "-o", out, old)
            return {digest(out)}
        return set()

    prepare()
    suite.call(*command, want=good)
    want, runs, wrong = digest(out), 0, []
    for call, errno in CALLS.items():
        if kill and call in ("alloc", "read", "pread"):
            continue
        prepare()
        for at in range(1, calls_of(suite, command, call) + 1):
            olds = prepare()
            runs += 1
            try:
                done = with_fault(suite, command, call, at, "KILL" if kill else errno)
                demand(kill or done.code in CODES[errno] | good, "exit %d, %s" % (done.code, tail(done.err)))
                demand(kill or done.code in good or b"error: " in done.err, "no message")
                demand(done.code not in good or (out / "MANIFEST.json").exists(), "success without a dataset")
                good_or_nothing(suite, out, {want} | olds)
                demand(kill or done.code in good or not left_behind(out) or call == "unlink", "leaves %s" % left_behind(out))
                suite.call(*command, want=good)
                demand(digest(out) == want, "the same command afterwards writes another digest")
                suite.call("verify", "check", "--quiet", out)
            except Wrong as e:
                wrong.append("%s number %d: %s" % (call, at, e))
    demand(runs > 50, "only %d calls" % runs)
    demand(not wrong, "%d of %d runs:\n%s" % (len(wrong), runs, "\n".join(wrong[:int(os.environ.get("OBKV_COMPLAINTS", "6"))])))


def each_call_fails_reading(suite):
    """obkv-verify: a failing call never makes a good result of what could not be read."""
    a, b = small_datasets(suite, 2)
    wrong, runs = [], 0
    for command, good in ((("verify", "check", "-t", 1, a), 0), (("verify", "dump", "-t", 1, a), 0), (("verify", "diff", "-t", 1, a, b), 1),
                          (("verify", "diff", "-t", 1, a, a), 0), (("verify", "info", a / manifest(a)["files"][0]["path"]), 0)):
        normal = suite.call(*command, want=good).out
        for call in ("open", "read", "pread", "alloc"):
            for at in range(1, calls_of(suite, command, call) + 1):
                runs += 1
                try:
                    done = with_fault(suite, command, call, at, CALLS[call])
                    bad = {1, 5} if command[1] == "check" else {5}
                    demand(done.code in ({6} if call == "alloc" else bad) or (done.code == good and len(done.out) > len(normal) // 2),
                           "exit %d, %s" % (done.code, tail(done.err)))
                    if command[1] == "dump" and done.code == good:
                        demand(done.out == normal, "exit %d with another dump" % good)
                    demand(done.code in (good, 1) or b"error: " in done.err, "no message")
                except Wrong as e:
                    wrong.append("%s, %s number %d: %s" % (command[1], call, at, e))
    demand(not wrong, "%d of %d runs:\n%s" % (len(wrong), runs, "\n".join(wrong[:int(os.environ.get("OBKV_COMPLAINTS", "6"))])))


# ---- memory ----

# A process counts what its parent held when it was started: so a small one stands between.
STARTER = """
import os, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as f:
    f.write("%d %d" % (os.waitstatus_to_exitcode(status), usage.ru_maxrss))
"""


def measured(suite, limit_mb, tool, *args, want=0, stdout=None):
    """Runs with --memory and compares the peak of its resident memory; (result, peak in MB)."""
    command = suite.command(tool, args + ("--memory", "%dM" % limit_mb))
    if suite.sanitized():
        raise Skip("sanitizers need memory of their own")
    usage = suite.tmp / "usage"
    p = subprocess.run([sys.executable, "-S", "-E", "-c", STARTER, str(usage)] + command, stdin=subprocess.DEVNULL, stdout=stdout or subprocess.PIPE,
                       stderr=subprocess.PIPE, env=suite.env, timeout=600, check=True)
    code, peak = map(int, usage.read_text().split())
    done = suite.judge(command, Done(code, p.stdout, p.stderr), want)
    peak /= 1024
    demand(peak <= limit_mb * 1.05, "peak of %.1f MB with --memory %dM: %s" % (peak, limit_mb, " ".join(command[:14])))
    if suite.args.verbose:
        print("    # %.1f of %d MB: %s" % (peak, limit_mb, " ".join(map(str, (tool,) + args))[:110]))
    return done


def memory_import(suite):
    source = csv_of(suite, 2600000)
    want = None
    for limit, threads, partition in ((512, 2, "key:97"), (128, 2, "key:97"), (64, 2, "key:97"), (64, 8, "key:97"), (128, 8, "none"), (64, 1, "none")):
        out = suite.fresh("measured")
        done = measured(suite, limit, "import", "--json", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "-t", threads, "-o", out, source)
        demand(json.loads(done.out)["cells"]["kept" if "kept" in json.loads(done.out)["cells"] else "in"]["cells"] == 5200000, "cells are missing")
        want = want or digest(out)
        demand(digest(out) == want, "another digest")
    kept = suite.fresh("measured-kept")
    out.rename(kept)


def packed_inputs(suite):
    """Decompressors count, too: a window that does not fit is refused and named."""
    plain = csv_of(suite, 300000).read_bytes()
    for name, content in (("p.csv.gz", gzip.compress(plain, 1)), ("p.csv.xz", lzma.compress(plain[:8000000], preset=9)),
                          ("p6.csv.xz", lzma.compress(plain[:8000000], preset=6))):
        source = suite.tmp / name
        source.write_bytes(content)
        done = measured(suite, 64, "import", "--partition", "key:7", *TWO_COLUMNS, "-o", suite.fresh("measured"), source, want={0, 6})
        demand(done.code == 0 or name.endswith("xz") and "memory" in shown(done.err), "exit %d, %s" % (done.code, tail(done.err)))
    if shutil.which("zstd"):
        source = suite.tmp / "p.csv"
        source.write_bytes(plain)
        subprocess.run(["zstd", "-q", "--long=30", "-1", "-f", str(source), "-o", str(source) + ".zst"], check=True)
        done = measured(suite, 64, "import", "--partition", "key:7", *TWO_COLUMNS, "-o", suite.fresh("measured"), str(source) + ".zst", want={0, 6})
        demand(done.code == 0 or "memory" in shown(done.err), "exit %d, %s" % (done.code, tail(done.err)))


def wide_row(suite):
    """One row of 300,000 cells in random order."""
    def make(path):
        r = random.Random(suite.seed)
        order = list(range(300000))
        r.shuffle(order)
        with open(path, "w", encoding="ascii") as f:
            for i in order:
                f.write(cell_line(b"the row", b"cf", b"q%06d" % i, 1 + i % 3, 4, 0, b"v" * (i % 150), b"") + "\n")
    return made(suite, "wide.cells", make)


def hot_row(suite):
    """One key 500,000 times."""
    def make(path):
        with open(path, "w", encoding="ascii") as f:
            for i in range(500000):
                f.write("the key,%d,%s,%d\n" % (1 + i * 7919 % 500000, "v" * (i % 90), i))
    return made(suite, "hot.csv", make)


def memory_of_rows(suite, make, options, cells):
    """Import, compaction, check, diff and dump of such rows at 64 MB."""
    source = make(suite)
    out, back, compacted = suite.fresh("measured"), suite.fresh("measured2"), suite.fresh("measured3")
    for threads in (2, 8):
        shutil.rmtree(out, ignore_errors=True)
        measured(suite, 64, "import", "--quiet", "--partition", "key:7", *options, "--now", NOW, "-t", threads, "-o", out, source)
    demand(sum(f["cells"] for f in manifest(out)["files"]) == cells, "%s" % manifest(out)["totals"])
    measured(suite, 64, "compact", "--quiet", *RULES, "--now", NOW, "-t", 8, "-o", compacted, out, out)
    demand(sum(f["cells"] for f in manifest(compacted)["files"]) == cells, "compacted: %s" % manifest(compacted)["totals"])
    measured(suite, 64, "split", "apply", "--quiet", "--partition", "none", "--now", NOW, "-t", 8, "-o", back, out)
    measured(suite, 64, "verify", "check", "--quiet", "-t", 8, out)
    measured(suite, 64, "verify", "diff", "--quiet", "-t", 8, out, back)
    with open(os.devnull, "wb") as null:
        measured(suite, 64, "verify", "dump", "-t", 8, out, stdout=null)


def many_partitions(suite, by_hand):
    """8192 partitions at 64 MB."""
    ddl, out = suite.tmp / "many.sql", suite.fresh("measured")
    ddl.write_text("CREATE TABLE `t$cf` (K varbinary(64) NOT NULL, Q varbinary(64) NOT NULL, T bigint NOT NULL, V varbinary(1024), "
                   "PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 8192;\n")
    table = ("--partition", "key:8192") if by_hand else ("--ddl", ddl)
    source = spilling(suite)
    for threads in (1, 8):
        shutil.rmtree(out, ignore_errors=True)
        measured(suite, 64, "import", "--quiet", *table, *TWO_COLUMNS, "--now", NOW, "-t", threads, "-o", out, source)
    demand(sum(f["cells"] for f in manifest(out)["files"]) == 1200000, "%s" % manifest(out)["totals"])
    if by_hand:
        return
    measured(suite, 64, "verify", "check", "--quiet", out)
    measured(suite, 64, "compact", "--quiet", *RULES, "--now", NOW, "-o", suite.fresh("measured3"), out, out)
    measured(suite, 64, "verify", "diff", "--quiet", out, suite.tmp / "measured3")


def big_values(suite):
    """Values of 1 MB; then one that does not fit into the limit: exit 6, with what to do."""
    def make(path):
        r = random.Random(suite.seed)
        with open(path, "wb") as f:
            for i in range(150):
                f.write(b"k%03d,1,%s,x\n" % (i * 7 % 150, r.randbytes(524288).hex().encode()))
    source, out = made(suite, "values.csv", make), suite.fresh("measured")
    for threads in (1, 2, 8):
        shutil.rmtree(out, ignore_errors=True)
        measured(suite, 64, "import", "--quiet", "--partition", "key:3", *TWO_COLUMNS, "--now", NOW, "-t", threads, "-o", out, source)
        measured(suite, 64, "verify", "check", "--quiet", "-t", threads, out)
    measured(suite, 64, "compact", "--quiet", *RULES, "-t", 8, "-o", suite.fresh("measured2"), out, out)
    measured(suite, 64, "verify", "diff", "--quiet", "-t", 8, out, suite.tmp / "measured2")
    with open(os.devnull, "wb") as null:
        measured(suite, 64, "verify", "dump", "-t", 8, out, stdout=null)
    huge = suite.tmp / "huge.csv"
    huge.write_bytes(b"k,1," + b"v" * (40 << 20) + b",x\n")
    done = measured(suite, 64, "import", "--quiet", "--partition", "none", *TWO_COLUMNS, "-o", suite.fresh("measured2"), huge, want=6)
    demand("--m" in shown(done.err), "says not what to do: " + tail(done.err))
    measured(suite, 1024, "import", "--quiet", "--partition", "none", *TWO_COLUMNS, "-o", suite.fresh("measured2"), huge)
    measured(suite, 1024, "verify", "check", "--quiet", suite.tmp / "measured2")
    done = measured(suite, 64, "verify", "dump", suite.tmp / "measured2", want=6)
    demand("memory" in shown(done.err) or "limit" in shown(done.err), tail(done.err))


def memory_of_compact(suite):
    """Many and large inputs: compact, split, check, diff at 64 MB."""
    base = suite.tmp / "measured-kept"
    if not base.exists():
        suite.call("import", "--quiet", "--partition", "none", *TWO_COLUMNS, "--now", NOW, "-o", base, csv_of(suite, 2600000))
    out = suite.fresh("measured")
    measured(suite, 64, "compact", "--quiet", *RULES, "--now", NOW, "-o", out, *big_datasets(suite))
    measured(suite, 64, "verify", "check", "--quiet", "-t", 8, base)
    measured(suite, 64, "verify", "diff", "--quiet", "-t", 8, base, base)
    measured(suite, 64, "verify", "diff", "--quiet", "-t", 8, base, out, want=1)
    measured(suite, 64, "split", "apply", "--quiet", "--partition", "key:97", "--now", NOW, "-t", 8, "-o", suite.fresh("measured2"), base)
    demand(digest(suite.tmp / "measured2") == digest(base), "split: another digest")
    measured(suite, 64, "compact", "--quiet", *RULES, "--now", NOW, "-t", 8, "-o", suite.fresh("measured"), *small_datasets(suite, 40))
    measured(suite, 64, "compact", "--quiet", *RULES, "--now", NOW, "-t", 8, "-o", suite.fresh("measured"), base, csv_of(suite, 300000), *TWO_COLUMNS)


def main():
    suite = Suite(__doc__)
    suite.run("space: temp folder full", full_temp)
    for tool in ("import", "import, spilling", "compact", "split"):
        suite.run("space: output full, " + tool, full_output, tool)
    suite.run("space: ladder of sizes", space_ladder)
    suite.run("space: ladder of inodes", inode_ladder)
    suite.run("space: --disk-limit", disk_limit)
    suite.run("places: read-only", read_only)
    suite.run("places: impossible", bad_places)
    suite.run("descriptors: import, check", few_descriptors)
    suite.run("descriptors: 30 datasets", few_descriptors_many_inputs)
    suite.run("descriptors: not enough", too_few_descriptors)
    suite.run("signals: import", killed_at_random, "import", KILL_POINTS)
    suite.run("signals: import none", killed_at_random, "import none", KILL_POINTS)
    suite.run("signals: compact", killed_at_random, "compact", KILL_POINTS)
    suite.run("signals: split", killed_at_random, "split", KILL_POINTS)
    suite.run("signals: TERM ends soon", ends_soon, signal.SIGTERM)
    for sig in (signal.SIGINT, signal.SIGTERM):
        suite.run("signals: waiting for input, " + sig.name, waiting_for_stdin, sig)
    suite.run("pipes: drops", slow_pipe)
    suite.run("pipes: closed and full stdout", closed_stdout)
    suite.run("lock: held", lock_held)
    for what in ("import", "overwrite", "compact", "split"):
        suite.run("calls fail: " + what, each_call_fails, what, False)
        suite.run("killed at each call: " + what, each_call_fails, what, True)
    suite.run("calls fail: verify", each_call_fails_reading)
    suite.run("memory: import", memory_import)
    suite.run("memory: compressed input", packed_inputs)
    suite.run("memory: compact, split, check, diff", memory_of_compact)
    suite.run("memory: wide row", memory_of_rows, wide_row, ("--format", "cells"), 300000)
    suite.run("memory: hot row", memory_of_rows, hot_row, TWO_COLUMNS, 1000000)
    suite.run("memory: 8192 partitions", many_partitions, False)
    suite.run("memory: 8192 partitions by hand", many_partitions, True)
    suite.run("memory: values of 1 MB", big_values)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
