#!/usr/bin/env python3
"""Programs under limits of the system: threads that cannot be started, little address space, processors that others want, too.

    limits_of_system.py BIN [--seed N] [--keep] [-v] [NAME ...]

A run works with the threads it gets, or ends with exit 6 and says what is needed. Exit 1 would read as damage or differences.
Threads are limited for an unprivileged user, and by a control group, so that needs root; all of it is skipped for sanitizer
builds, which reserve terabytes. The last line is "N passed, N failed, N skipped".
"""
import contextlib
import errno
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import threading

from faulty_calls import Faulty
from programs import NOW, Skip, Suite, demand, tail

NOBODY = 65534
RULES = ("--versions", "unlimited", "--now", NOW)
# What the programs' libraries take before main begins; below that the system's loader ends the run, with 127 and a message.
LOADED_BYTES = 64 << 20


def inputs(suite):
    """Rows, two datasets of them and an export, each made once."""
    source, one, two, export = (suite.tmp / name for name in ("in.csv", "one", "two", "export"))
    if not source.exists():
        with open(source, "w", encoding="ascii") as out:
            out.writelines(f"r{i:06d},v{i}\n" for i in range(20000))
        for dataset in (one, two):
            suite.call(*import_args(source, dataset, 2))
        suite.call("export", "--create", "--name", "t", "-o", export, one)
    return source, one, two, export


def import_args(source, output, threads):
    return ("import", "-v", "--now", NOW, "-m", "64M", "-t", threads, "--columns", "HBASE_ROW_KEY,f:a", "--partition", "key:7",
            "-o", output, source)


def each_program(suite, where, threads):
    """Name, exit code and command of a run of each program with outputs below `where`; the load's target is away."""
    source, one, two, export = inputs(suite)
    common = ("-m", "64M", "-t", threads)
    for name, good, tool, args in (
            ("import", 0, "import", import_args(source, where / "import", threads)[1:]),
            ("compact", 0, "compact", (*common, *RULES, "-o", where / "compact", one, two)),
            ("apply", 0, "split", ("apply", *common, "--now", NOW, "--partition", "none", "-o", where / "apply", one)),
            ("plan", 0, "split", ("plan", *common, "--counts", 2, one)),
            ("export", 0, "export", (*common, "--create", "--name", "t", "-o", where / "export", one)),
            ("check", 0, "verify", ("check", *common, one)),
            ("diff", 0, "verify", ("diff", *common, one, two)),
            ("skew", 0, "verify", ("skew", *common, one)),
            ("load", 75, "load", ("--target", "127.0.0.1:1/none", "--user", "nobody", "--retries", 0, "--jobs", threads,
                                  export))):
        yield name, good, suite.command(tool, args)


def run_limited(command, prepare, user=None):
    ran = subprocess.run([str(c) for c in command], preexec_fn=prepare, user=user, group=user,
                         extra_groups=[] if user else None, capture_output=True, timeout=120, check=False)
    return ran.returncode, ran.stdout + ran.stderr


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


def idle_threads_sleep(suite):
    """What libgomp says it does with threads that wait: they do not spin, unless the user wants them to."""
    if suite.sanitized():
        raise Skip("the run-time library of clang has other words")
    for name in ("import", "compact", "split", "export", "verify"):
        for policy, want in ((None, b"PASSIVE"), ("active", b"ACTIVE")):
            env = dict(suite.env, OMP_DISPLAY_ENV="true", **({"OMP_WAIT_POLICY": policy} if policy else {}))
            ran = subprocess.run([suite.bin / ("obkv-" + name), "--version"], env=env, capture_output=True, timeout=60,
                                 check=True)
            said = [line.split(b"'")[1] for line in ran.stderr.splitlines() if b" OMP_WAIT_POLICY = " in line]
            demand(said and said[-1] == want, "obkv-%s with OMP_WAIT_POLICY %s: %s" % (name, policy, said))


def demand_same_files(suite, output, what):
    """What a run without limits writes, and nothing beside it. Manifests have times, statements the path of the export."""
    def files(folder):
        found = [p for p in folder.rglob("*") if p.is_file()]
        return {str(p.relative_to(folder)): p.suffix in (".json", ".sql") or p.read_bytes() for p in found}

    if output.exists():
        demand(files(output) == files(suite.tmp / "unlimited" / output.name), what + "other files than without limits")


def unlimited(suite):
    """What each program writes without limits, made once."""
    where = suite.tmp / "unlimited"
    if not where.exists():
        for name, good, command in each_program(suite, where, 2):
            code, text = run_limited(command, None)
            demand(code == good, f"{name}, without limits: exit {code}: {tail(text)}")


def expect_few_threads(suite, at, processes, prepare, user=None):
    """Each program works with the threads that it gets, and -v of a program that reads says so."""
    for threads in (1, 8):
        where = at / f"{processes}-{threads}"
        where.mkdir()
        if user:
            os.chown(where, user, user)
        for name, good, command in each_program(suite, where, threads):
            code, text = run_limited(command, prepare, user)
            what = f"{name}, {processes} processes, -t {threads}: "
            demand(code == good, f"{what}exit {code}: {tail(text)}")
            said = f"{processes} of {threads} threads can be started on this system" in text.decode()
            demand(name != "import" or said == (threads > processes), what + tail(text))
            demand_same_files(suite, where / name, what)


def few_threads(suite):
    if suite.sanitized():
        raise Skip("sanitizers start threads of their own")
    if os.geteuid():
        raise Skip("limits of processes hold for unprivileged users only; this needs root to become one")
    suite.tmp.chmod(0o755)
    for folder in (*suite.tmp.parents, suite.bin, *suite.bin.parents):
        if not os.stat(folder).st_mode & 1:
            raise Skip(f"{folder} is closed to others")
    unlimited(suite)
    outputs = suite.tmp / "nobody"
    outputs.mkdir()
    for processes in (1, 2, 5):
        expect_few_threads(suite, outputs, processes, limit(resource.RLIMIT_NPROC, processes), NOBODY)


def pids_group(suite):
    """A control group that limits processes, of version 1 or 2."""
    top = pathlib.Path("/sys/fs/cgroup")
    for parent in (top / "pids", top, top / "unified"):
        group = parent / f"obkv-test-{os.getpid()}"
        with contextlib.suppress(OSError):
            group.mkdir()
            if (group / "pids.max").exists():
                return group
            group.rmdir()
    raise Skip("no control group of processes can be made below /sys/fs/cgroup")


@contextlib.contextmanager
def joined_group(suite):
    """The group, and what makes a program one of it."""
    if suite.sanitized():
        raise Skip("sanitizers start threads of their own")
    unlimited(suite)
    group = pids_group(suite)
    try:
        yield group, lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
    finally:
        group.rmdir()


def few_threads_of_a_group(suite):
    outputs = suite.tmp / "group"
    outputs.mkdir()
    with joined_group(suite) as (group, join):
        for processes in (1, 2, 3, 5):
            (group / "pids.max").write_text(str(processes))
            expect_few_threads(suite, outputs, processes, join)


@contextlib.contextmanager
def moving_limit(group, seed):
    """As if neighbours in the group took threads and gave them back, every few milliseconds."""
    r, over = random.Random(seed), threading.Event()

    def move():
        while not over.wait(r.random() / 100):
            (group / "pids.max").write_text(str(r.choice((1, 2, 3, 5, 9, 20))))

    mover = threading.Thread(target=move)
    mover.start()
    try:
        yield
    finally:
        over.set()
        mover.join()


def room_of_a_group_changes(suite):
    """OpenMP ends a program that no longer gets the threads that there were when it began: 6, and nothing is published."""
    where = suite.tmp / "moving"
    with joined_group(suite) as (group, join), moving_limit(group, suite.seed):
        for name, good, command in [run for _ in range(3) for run in each_program(suite, where, 8)]:
            code, text = run_limited(command, join)
            what = f"{name}, with room for threads that changes: "
            demand(code in (good, 6), f"{what}exit {code}: {tail(text)}")
            demand(code == good or b"threads" in text, f"{what}threads are not named: {tail(text)}")
            if code == 0:
                demand_same_files(suite, where / name, what)
            demand(code != 6 or not (where / name / "MANIFEST.json").exists(), what + "published")
            shutil.rmtree(where / name, ignore_errors=True)


def little_address_space(suite):
    if suite.sanitized():
        raise Skip("sanitizers reserve terabytes")
    inputs(suite)
    sizes = [32 << 20, 48 << 20, 64 << 20, 96 << 20, 192 << 20, 512 << 20, 1 << 30, 4 << 30, 16 << 30]
    sizes += [random.Random(suite.seed).randrange(64 << 20, 2 << 30) for _ in range(2)]
    for size in sorted(sizes):
        where = suite.tmp / f"space-{size}"
        for name, good, command in each_program(suite, where, 8):
            code, text = run_limited(command, limit(resource.RLIMIT_AS, size))
            if code == 127 and b"shared libraries" in text and size < LOADED_BYTES:
                continue  # the program itself was not loaded
            what = f"{name}, {size >> 20} MB of address space: "
            demand(code in (good, 6), f"{what}exit {code}: {tail(text)}")
            demand(code == good or re.search(rb"error: .*ulimit -v", text), f"{what}the limit is not named: {tail(text)}")
            demand(code == good or size < 1 << 30, f"{what}that is enough: {tail(text)}")


def least_memory_in_little_space(suite):
    """--memory at its minimum and ulimit -v: what helps is named, and it is not less memory, which is not possible."""
    if suite.sanitized():
        raise Skip("sanitizers reserve terabytes")
    inputs(suite)
    where = suite.tmp / "least"
    for name, good, command in each_program(suite, where, 2):
        for size in (200, 300, 400):
            code, text = run_limited(command, limit(resource.RLIMIT_AS, size << 20))
            what = f"{name}, --memory 64M in {size} MB of address space: "
            demand(code in (good, 6), f"{what}exit {code}: {tail(text)}")
            demand(code == good or re.search(rb"error: [^\n]*raise ulimit -v", text), f"{what}no remedy: {tail(text)}")
            demand(b"less --memory" not in text, what + tail(text))
            shutil.rmtree(where / name, ignore_errors=True)


def words_of_ours_first(suite):
    """Where a thread cannot be started, libgomp would print its own text and end the program: ours comes first, and alone."""
    if suite.sanitized():
        raise Skip("a preloaded library and sanitizers do not go together")
    inputs(suite)
    where, seen = suite.tmp / "words", 0
    for name, good, command in each_program(suite, where, 4):
        faulty = Faulty(suite, (pathlib.Path(command[0]).name.removeprefix("obkv-"), *command[1:]))
        _, calls = faulty.run("thread")
        for at in range(1, calls + 1):
            for how in ("once", "after"):
                shutil.rmtree(where / name, ignore_errors=True)
                done, _ = faulty.run("thread", at, how, errno.EAGAIN)
                demand(done.code in (good, 6), f"{name}, thread {at} {how}: exit {done.code}: {tail(done.err)}")
                demand(b"libgomp" not in done.err, f"{name}, thread {at} {how}: {tail(done.err)}")
                demand(done.code == good or done.err.startswith(b"obkv-") and b"threads" in done.err, tail(done.err))
                seen += done.code == 6
        faulty.end()
    demand(seen, "no thread failed")


def main():
    suite = Suite(__doc__)
    suite.run("idle threads sleep", idle_threads_sleep)
    suite.run("few threads", few_threads)
    suite.run("few threads of a control group", few_threads_of_a_group)
    suite.run("room of a control group changes", room_of_a_group_changes)
    suite.run("little address space", little_address_space)
    suite.run("the least memory in little address space", least_memory_in_little_space)
    suite.run("words of ours first", words_of_ours_first)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
