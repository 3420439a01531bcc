#!/usr/bin/env python3
"""Programs under limits of the system: threads that cannot be started, little address space, processors that others want, too.

    limits_of_system.py BIN [--seed N] [--keep] [-v] [NAME ...]

A run works with the threads it gets, or ends with exit 6 and says what is needed. Exit 1 would read as damage or differences.
Threads are limited for an unprivileged user, so that needs root; all of it is skipped for sanitizer builds, which reserve
terabytes. The last line is "N passed, N failed, N skipped".
"""
import os
import random
import resource
import subprocess
import sys

from programs import Skip, Suite, demand, tail

NOBODY = 65534


def write_input(suite):
    source = suite.tmp / "in.csv"
    with open(source, "w", encoding="ascii") as out:
        out.writelines(f"r{i:06d},v{i}\n" for i in range(20000))
    return source


def import_command(suite, source, output, threads):
    return [suite.bin / "obkv-import", "-v", "-m", "64M", "-t", str(threads), "--columns", "HBASE_ROW_KEY,f:a", "--partition",
            "key:7", "-o", output, source]


def run_limited(command, limit, value, user=None):
    def prepare():
        resource.setrlimit(limit, (value, value))
    ran = subprocess.run([str(c) for c in command], preexec_fn=prepare, user=user, group=user,
                         extra_groups=[] if user else None, capture_output=True, timeout=120, check=False)
    return ran.returncode, ran.stdout + ran.stderr


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


def few_threads(suite):
    if suite.sanitized():
        raise Skip("sanitizers start threads of their own")
    if os.geteuid():
        raise Skip("limits of processes hold for unprivileged users only; this needs root to become one")
    source = write_input(suite)
    suite.tmp.chmod(0o755)
    for folder in (*suite.tmp.parents, suite.bin, *suite.bin.parents):
        if not os.stat(folder).st_mode & 1:
            raise Skip(f"{folder} is closed to others")
    outputs = suite.tmp / "nobody"
    outputs.mkdir()
    os.chown(outputs, NOBODY, NOBODY)
    for processes in (1, 2, 5):
        for threads in (1, 8):
            output = outputs / f"{processes}-{threads}"
            code, text = run_limited(import_command(suite, source, output, threads), resource.RLIMIT_NPROC, processes, NOBODY)
            demand(code == 0, f"import, {processes} processes, -t {threads}: exit {code}: {tail(text)}")
            said = f"{processes} of {threads} threads can be started here" in text.decode()
            demand(said == (threads > processes), f"{processes} processes, -t {threads}: {tail(text)}")
            check = [suite.bin / "obkv-verify", "check", "-t", str(threads), output]
            code, text = run_limited(check, resource.RLIMIT_NPROC, processes, NOBODY)
            demand(code == 0, f"check, {processes} processes, -t {threads}: exit {code}: {tail(text)}")


def little_address_space(suite):
    if suite.sanitized():
        raise Skip("sanitizers reserve terabytes")
    source = write_input(suite)
    sizes = [64 << 20, 96 << 20, 128 << 20, 192 << 20, 256 << 20, 512 << 20, 1 << 30, 4 << 30, 16 << 30]
    sizes += [random.Random(suite.seed).randrange(64 << 20, 2 << 30) for _ in range(4)]
    for size in sorted(sizes):
        output = suite.tmp / f"space-{size}"
        code, text = run_limited(import_command(suite, source, output, 8), resource.RLIMIT_AS, size)
        if code == 127 and b"shared libraries" in text:
            continue  # the program itself was not loaded
        demand(code in (0, 6), f"{size >> 20} MB of address space: exit {code}: {tail(text)}")
        demand(code == 0 or b"error:" in text, f"{size >> 20} MB of address space: nothing is said: {tail(text)}")
        demand(code == 0 or size < 1 << 30, f"{size >> 20} MB of address space are enough: {tail(text)}")


def main():
    suite = Suite(__doc__)
    suite.run("idle threads sleep", idle_threads_sleep)
    suite.run("few threads", few_threads)
    suite.run("little address space", little_address_space)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
