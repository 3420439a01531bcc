#!/usr/bin/env python3
"""What keeps obkv-verify from looking: absent and unreadable inputs, bad disks, no permission, too little memory, too few
descriptors, a full disk behind standard output. It ends with 5, 6 or 7, never with 0 or 1.

    verify_failures.py BIN [--seed N] [--keep] [-v] [NAME ...]

The last line is "N passed, N failed, N skipped".
"""
import os
import shutil
import subprocess
import sys

from faulty_calls import Faulty
from planted_sets import KINDS, copy_of, file_missing, file_of, sound, write_as
from programs import Done, Skip, Suite, cell_line, demand, shown

EIO = 5


def absent(suite):
    """No input, no manifest, no HFile; others are checked nevertheless."""
    good = sound(suite)
    suite.call("verify", "check", suite.tmp / "nothing", want=5)
    empty = suite.fresh("empty")
    empty.mkdir()
    suite.call("verify", "check", empty, want=5)
    copy = copy_of(suite, good)
    (copy / "MANIFEST.json").unlink()
    suite.call("verify", "check", copy, want=5)
    suite.call("verify", "check", "--memory", "1M", good, want=6)
    text = suite.tmp / "text"
    text.write_text("no HFile")
    suite.call("verify", "check", text, want=5)
    done = suite.call("verify", "check", good, suite.tmp / "nothing", file_missing(suite), want=5)
    demand(b": good" in done.out and b"problem" in done.out, "others were not checked: %s" % shown(done.out))


def little_memory(suite):
    """A block that the memory does not hold says nothing about the file."""
    out = write_as(suite, "large", [cell_line(b"a", b"cf", b"q", 1, 4, 0, bytes(20 << 20), b"")], ("none", "none", "row"), "none")
    suite.call("verify", "check", "--memory", "1G", out)
    done = suite.call("verify", "check", "--memory", "64M", out, want=6)
    demand(b": good" not in done.out and b"needs" in done.err, shown(done.out + done.err))
    bad = copy_of(suite, out)
    (bad / "cf" / "stray").write_text("x")
    done = suite.call("verify", "check", "--memory", "64M", bad, want=6)
    demand(b"NOT CHECKED WHOLE" in done.out and b"stray" in done.out, shown(done.out))


def few_descriptors(suite):
    command = "ulimit -n %d; exec \"$@\""
    codes = set()
    for n in range(4, 12):
        whole = ["sh", "-c", command % n, "sh", *suite.command("verify", ("check", "--threads", 4, sound(suite)))]
        p = subprocess.run(whole, stdin=subprocess.DEVNULL, capture_output=True, env=suite.env, check=False)
        suite.judge(whole, Done(p.returncode, p.stdout, p.stderr), {0, 6} | ({127} if n < 6 else set()))
        codes.add(p.returncode)
    demand(6 in codes and 0 in codes, "exit codes %s" % codes)


def not_allowed(suite):
    """Without permission: neither good nor damaged."""
    if os.geteuid() == 0:
        prefix = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        if not shutil.which("setpriv"):
            raise Skip("no setpriv")
    else:
        prefix = []
    copy = copy_of(suite, sound(suite))
    os.chmod(suite.tmp, 0o755)
    for path in (file_of(copy), copy / "cf", copy / "MANIFEST.json", copy):
        mode = path.stat().st_mode
        path.chmod(0)
        whole = prefix + suite.command("verify", ("check", copy))
        p = subprocess.run(whole, stdin=subprocess.DEVNULL, capture_output=True, env=suite.env, check=False)
        path.chmod(mode)
        suite.judge(whole, Done(p.returncode, p.stdout, p.stderr), 5)
        demand(b"Permission denied" in p.stderr, shown(p.stderr))
        demand(b": good" not in p.stdout, shown(p.stdout))


def bad_disk(suite):
    """Each read fails once: 5, never 0 or 1."""
    program = Faulty(suite, ("verify", "check", "--threads", 1, sound(suite, KINDS[1])))
    done, calls = program.run("read")
    demand(done.code == 0 and calls > 5, "undisturbed: exit %d after %d reads" % (done.code, calls))
    for at in range(1, calls + 1, max(1, calls // 60)):
        done, _ = program.run("read", at, "once", EIO)
        demand(done.code == 5, "read %d of %d fails: exit %d: %s" % (at, calls, done.code, shown(done.err)))
    program.end()


def full_stdout(suite):
    with open("/dev/full", "wb") as full:
        suite.call("verify", "check", sound(suite), stdout=full, want={6, 7})
        suite.call("verify", "check", "--json", file_missing(suite), stdout=full, want={6, 7})


def main():
    suite = Suite(__doc__, in_memory=True)
    for test in (absent, little_memory, few_descriptors, not_allowed, bad_disk, full_stdout):
        suite.run(test.__name__.replace("_", " "), test)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
