#!/usr/bin/env python3
"""Full disks, few descriptors, signals and locks: nothing lost, nothing half published.

    faults.py BIN [--seed N] [--keep] [-v] [NAME ...]

After every disturbed run the output folder either has no MANIFEST.json or holds a dataset that `obkv-verify check` calls good,
and the same command, undisturbed, then ends with 0 and the same digest. Tests that mount a tmpfs need root, else they are skipped
by name. The last line is "N passed, N failed, N skipped".
"""
import contextlib
import fcntl
import gzip
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time

from disturbed import (COLUMNS, RULES, TWO_COLUMNS, again, big_datasets, cpu_s, csv_of, ended_cpu_s, good_or_nothing,
                       import_small, left_behind, looks_at_signals, small_csv, small_datasets, spilling, undisturbed, until,
                       written)
from programs import NOW, Done, Skip, Suite, Wrong, cell_files, demand, digest, manifest, shown, tail

KILL_POINTS = 25 if os.environ.get("OBKV_STRESS") else 8  # others in each run: the moments are random


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


UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def bytes_said(text, pattern):
    found = re.search(pattern + r" ([0-9.]+) (KiB|MiB|GiB)", text)
    demand(found, "the message lacks '%s …': %s" % (pattern, text))
    return float(found.group(1)) * UNITS[found.group(2)]


def refused_for_space(suite, command, out, temp=None):
    """Returns the bytes that the directory needs, by the message."""
    done = suite.call(*command, want=6)
    text = shown(done.err)
    demand("No space left" in text, "the message names no reason: " + tail(done.err))
    demand(not re.search(r"(family \S+, partition \S+: )\1", text), "the place is named twice: " + text)
    demand(not (out / "MANIFEST.json").exists(), "published")
    demand(not left_behind(out, temp), "left behind: %s" % left_behind(out, temp))
    place, free = temp or out, bytes_said(text, "%s had" % (temp or out))
    remedies = ("--temp-dir",) if temp else ("choose another -o", "as much again")
    demand(": make room there, " in text and any(r in text for r in remedies), "no remedy: " + text)
    need = bytes_said(text, "needs (?:about|more than)") * (2 if "as much again" in text else 1)
    demand(free < need, "%s has %d bytes free and needs %d: %s" % (place, free, need, text))
    return need


def enough(suite, folder, command, out, need, takes, want):
    """What the message asks for is enough, and no more than a few times what the run takes."""
    demand(need < 4 * takes + (1 << 20), "%d bytes are asked for, %d are taken" % (need, takes))
    resize(folder, "%dk" % (need * 1.05 // 1024))
    again(suite, command, out, want)


def full_temp(suite):
    """Spilling into a temp folder of 4 MB."""
    out = suite.fresh("full")
    command = ("import", "--quiet", "--partition", "key:7", *TWO_COLUMNS, "--now", NOW, "-m", "64M", "-o", out, spilling(suite))
    want = undisturbed(suite, command, out)
    with tmpfs(suite, "4m") as temp:
        command += ("--temp-dir", temp)
        need = refused_for_space(suite, command, out, temp)
        enough(suite, temp, command, out, need, 70 << 20, want)
        demand(not list(temp.iterdir()), "temp files are left")


def full_output(suite, tool):
    """Output into a file system of 1 MB."""
    a, b, c = big_datasets(suite)
    with tmpfs(suite, "1m") as folder:
        out = folder / "out"
        command = {"import": ("import", "--partition", "key:7", *TWO_COLUMNS, "--now", NOW, "-o", out, spilling(suite)),
                   "import, spilling": ("import", "-m", "64M", "--partition", "none", *TWO_COLUMNS, "--now", NOW, "-o", out,
                                        spilling(suite)),
                   "compact": ("compact", *RULES, "--now", NOW, "-o", out, a, b, c),
                   "split": ("split", "apply", "--partition", "key:3", "--now", NOW, "-o", out, a),
                   "export": ("export", "--name", "t", "--now", NOW, "-o", out, a)}[tool]
        needs = [refused_for_space(suite, command, out)]
        resize(folder, "1g")
        suite.call(*command)
        size = sum(f.stat().st_size for f in out.rglob("*") if f.is_file())
        takes = max(size, 140 << 20 if "-m" in command else 0)  # with 64 MB of memory, 70 MB are spilled there, too
        shutil.rmtree(out)
        resize(folder, "%dk" % (size // 2048))
        needs.append(refused_for_space(suite, command, out))
        for need in needs:
            demand(need < 4 * takes + (1 << 20), "%d bytes are asked for, %d are taken" % (need, takes))
        resize(folder, "%dk" % (max(needs) * 1.05 // 1024))
        suite.call(*command)


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
            text = shown(done.err)
            demand(inodes > 3 or not out.exists(), "%d inodes: %s is left, without its lock" % (inodes, out))
            demand(done.code == 0 or (" more files" in text and "make room" in text), "%d inodes: %s" % (inodes, text))
    demand(0 in codes and 6 in codes, "the ladder has only codes %s" % set(codes))


def full_pages(suite):
    """Pages and plans are written at once: the message has the size of the file and the room there is."""
    dataset = small_datasets(suite, 1)[0]
    for command in (("verify", "skew"), ("split", "plan", "--quiet")):
        with tmpfs(suite, "12k") as folder:
            done = suite.call(*command, "--html", folder / "page.html", dataset, want=6)
            size = re.search(r"the file has ([0-9]+) bytes; %s has 12\.0 KiB free: make room there" % folder, shown(done.err))
            demand(size, "no size, room or remedy: " + shown(done.err))
            demand(not list(folder.iterdir()), "left behind: %s" % list(folder.iterdir()))
            resize(folder, "%dk" % (int(size.group(1)) // 1024 + 8))
            suite.call(*command, "--html", folder / "page.html", dataset)


def temp_without_inodes(suite):
    """No temporary file can be made: not for lack of bytes."""
    out = suite.fresh("full")
    with tmpfs(suite, "100m", ",nr_inodes=1") as temp:
        done = suite.call("import", "--quiet", "--partition", "key:7", *TWO_COLUMNS, "-m", "64M", "--temp-dir", temp, "-o", out,
                          spilling(suite), want=6)
        remedy = "; %s has room for 0 more files: make room there, or give --temp-dir on another disk" % temp
        demand(remedy in shown(done.err), "no remedy: " + shown(done.err))


def disk_limit(suite):
    """By one thread the peak is the same in every run: it is enough, and one byte less is not."""
    out = suite.fresh("limited")
    base = ("import", "--quiet", *TWO_COLUMNS, "--now", NOW, "-m", "64M", "-o", out, spilling(suite), "--partition", "key:7")
    peak = suite.result(*base, "-t", 1)["peak_disk_bytes"]
    want = digest(out)
    shutil.rmtree(out)
    for threads, limit in ((8, 1), (8, 100000), (2, peak // 4), (8, peak // 2), (1, peak - 1)):
        done = suite.call(*base, "-t", threads, "--disk-limit", limit, want=6)
        demand("--disk-limit" in shown(done.err), tail(done.err))
        demand(not out.exists(), "%s is left" % out)
    again(suite, base + ("-t", 1, "--disk-limit", peak), out, want)


def read_only(suite):
    with tmpfs(suite, "1m", ",ro") as folder:
        for target in (folder / "out", folder):
            done = suite.call(*import_small(suite, target, small_csv(suite)), want=7)
            demand("Read-only file system" in shown(done.err), tail(done.err))
        done = suite.call(*import_small(suite, suite.fresh("o"), small_csv(suite), "--temp-dir", folder), want={0, 7})
        out = suite.fresh("o")
        done = suite.call("import", "-m", "64M", "--partition", "none", *TWO_COLUMNS, "--temp-dir", folder, "-o", out,
                          spilling(suite), want=7)
        demand("Read-only file system" in shown(done.err) and str(folder) in shown(done.err), tail(done.err))
        demand(not out.exists(), "something is left")


def bad_places(suite):
    """Output and temp folders that cannot be."""
    source = small_csv(suite)
    for target, code in (("/proc/nothing/here", 7), (source, 7), ("/dev/null/x", 7)):
        done = suite.call(*import_small(suite, target, source), want=code)
        demand(str(target).split("/")[1] in shown(done.err), tail(done.err))
    out = suite.fresh("o")
    done = suite.call("import", "-m", "64M", "--partition", "none", *TWO_COLUMNS, "--temp-dir", "/nowhere/at/all", "-o", out,
                      spilling(suite), want=7)
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
            command = ("import", "--quiet", "--partition", partition, *TWO_COLUMNS, "--now", NOW, "-m", "64M", "-t", threads,
                       "-o", out, source)
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
    return subprocess.Popen(suite.command(command[0], command[1:]), stdin=kw.get("stdin", subprocess.DEVNULL),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=suite.env)


def disturbed(suite, command, after_s, sig):
    p = start(suite, *command)
    looks_at_signals(p)
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
    r = random.Random("%d %s" % (suite.seed, os.environ.get("OBKV_DRAW")))
    ends = {}
    for i in range(points):
        after = r.random() * takes
        sig = (signal.SIGKILL, signal.SIGTERM, signal.SIGKILL, signal.SIGINT)[i % 4]
        done = disturbed(suite, command, after, sig)
        expect = -9 if sig == signal.SIGKILL else 128 + sig
        demand(done.code in (0, expect), "%s after %.3f s: exit %d\n%s" % (sig.name, after, done.code, tail(done.err)))
        ends[done.code] = ends.get(done.code, 0) + 1
        if done.code == 0:
            takes = after  # less than when it was measured: the machine was busier
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
    """One partition, slow codec: a signal while it is written ends the run after little more work."""
    out = suite.fresh("soon")
    command = ("import", "--quiet", "--partition", "none", "--codec", "gz:9", "-m", "64M", "--now", NOW, *TWO_COLUMNS, "-o", out,
               csv_of(suite, 900000))
    before = ended_cpu_s()
    suite.call(*command)
    takes = ended_cpu_s() - before
    size = sum(f.stat().st_size for f in cell_files(out))
    shutil.rmtree(out)
    for part in (0.2, 0.6):
        p, before = start(suite, *command), ended_cpu_s()
        until(p, lambda: written(out) > size * part, "%.0f %% of the output" % (100 * part))
        done = cpu_s(p)
        p.send_signal(sig)
        p.communicate(timeout=120)
        late = ended_cpu_s() - before - done
        demand(p.returncode == 128 + sig, "exit %d" % p.returncode)
        demand(late < max(1.0, takes * 0.15), "worked %.1f s after %s; the whole run takes %.1f s" % (late, sig.name, takes))
        demand(not out.exists(), "something is left")


def says_what_is_kept(suite):
    """A run that is stopped says what is kept, and how to go on; this holds."""
    a, b, c = big_datasets(suite)
    source = spilling(suite)
    text = ("--now", NOW, "-m", "64M", "--partition", "key:7", *TWO_COLUMNS)
    again = "nothing of this run is kept: the same command begins again"
    divided = again + "; with --shards N and --now%s, finished parts are kept"
    compacted = " instead of --compact (then run obkv-compact)"
    # A file that is not cut is in the last shard: one without rows ends sooner than a signal comes.
    for want, *command in ((divided % "", "import", *text),
                           (divided % compacted, "import", *text, "--compact", "--versions", "1"),
                           (again, "import", *text, "--shards", "2/2"), (again, "compact", "--now", NOW, *RULES)):
        out = suite.fresh("stopped")
        inputs = (a, b, c) if command[0] == "compact" else (source,)
        done = disturbed(suite, (*command, "-o", out, *inputs), 0, signal.SIGINT)
        demand(done.code == 130 and shown(done.err).rstrip().endswith("interrupted by SIGINT; " + want),
               "exit %d: %s" % (done.code, tail(done.err)))
        good_or_nothing(suite, out, set())
    out = suite.fresh("parts")
    command = ("import", *text, "--shards", "12", "-o", out, source)
    p = start(suite, *command)
    looks_at_signals(p)
    second = out.with_name(out.name + ".shards") / "00002" / "MANIFEST.json"
    while p.poll() is None and not second.exists():
        time.sleep(0.005)
    p.send_signal(signal.SIGINT)
    err = shown(p.communicate(timeout=60)[1])
    kept = re.search(r"interrupted by SIGINT; (\d+) of 12 shards are finished and kept in \S+\.shards: the same command resumes",
                     err)
    demand(p.returncode == 130 and kept and int(kept[1]) >= 2, tail(err.encode()))
    err = shown(suite.call(*command).err)
    demand(err.count("was finished with the same settings") >= int(kept[1]) - 1, tail(err.encode()))


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
        looks_at_signals(p)
        time.sleep(0.3)  # for most of them to be waiting
        demand(p.poll() is None, "%s: has ended already" % how)
        p.send_signal(sig)
        try:
            p.wait(timeout=60)
        except subprocess.TimeoutExpired:
            p.kill()
            p.communicate()
            raise Wrong("%s: still waiting a minute after %s" % (how, sig.name))
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
    until(p, (out / ".obkv" / "tmp").exists, "the work area, which is made under the lock")
    for tool in (("import", "--partition", "none", *COLUMNS, small_csv(suite)), ("compact", *RULES, small_datasets(suite, 1)[0]),
                 ("split", "apply", "--partition", "none", small_datasets(suite, 1)[0])):
        done = suite.call(*tool, "-o", out, want=75)
        demand("another run" in shown(done.err), tail(done.err))
    _, err = p.communicate(b"a,1,x\n", timeout=60)
    demand(p.returncode == 0, "the first run: exit %d, %s" % (p.returncode, tail(err)))
    suite.call("verify", "check", "--quiet", out)
    with open(out / ".obkv" / "lock", "a") as f:  # a finished dataset, being replaced by somebody
        fcntl.flock(f, fcntl.LOCK_EX)
        suite.call("import", "--overwrite", "--partition", "none", *COLUMNS, "-o", out, small_csv(suite), want=75)
    suite.call("verify", "check", "--quiet", out)


def main():
    suite = Suite(__doc__)
    suite.run("space: temp folder full", full_temp)
    for tool in ("import", "import, spilling", "compact", "split", "export"):
        suite.run("space: output full, " + tool, full_output, tool)
    suite.run("space: ladder of sizes", space_ladder)
    suite.run("space: ladder of inodes", inode_ladder)
    suite.run("space: pages", full_pages)
    suite.run("space: temp folder without inodes", temp_without_inodes)
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
    suite.run("signals: what is kept", says_what_is_kept)
    suite.run("signals: TERM ends soon", ends_soon, signal.SIGTERM)
    for sig in (signal.SIGINT, signal.SIGTERM):
        suite.run("signals: waiting for input, " + sig.name, waiting_for_stdin, sig)
    suite.run("pipes: drops", slow_pipe)
    suite.run("pipes: closed and full stdout", closed_stdout)
    suite.run("lock: held", lock_held)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
