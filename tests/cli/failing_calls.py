#!/usr/bin/env python3
"""Every call of the system fails once, or is where the program is killed.

    failing_calls.py BIN [--seed N] [--keep] [-v] [NAME ...]

faulty_calls.c is preloaded: one run for each open, read, write, fsync, rename, unlink, mkdir and allocation that an undisturbed
run makes. What must hold afterwards stands in disturbed.py. OBKV_COMPLAINTS=N shows N failed runs of a test instead of 6. Skipped
where there is no C compiler. The last line is "N passed, N failed, N skipped".
"""
import os
import pathlib
import shutil
import subprocess
import sys

from disturbed import RULES, TWO_COLUMNS, good_or_nothing, left_behind, small_datasets
from programs import NOW, Done, Skip, Suite, Wrong, demand, digest, manifest, tail


def preload(suite):
    library = suite.tmp / "faulty_calls.so"
    if suite.sanitized():
        raise Skip("a preloaded library and sanitizers do not go together")
    if not library.exists():
        source = pathlib.Path(__file__).resolve().with_name("faulty_calls.c")
        for compiler in ("cc", "gcc", "clang"):
            command = [compiler, "-D_GNU_SOURCE", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
            if shutil.which(compiler) and subprocess.run(command, check=False).returncode == 0:
                return library
        raise Skip("no C compiler")
    return library


def with_fault(suite, command, call, at, what):
    log = suite.tmp / "fault.log"
    env = dict(suite.env, LD_PRELOAD=str(preload(suite)), FAULT_CALL=call, FAULT_AT=str(at), FAULT_DO=str(what),
               FAULT_LOG=str(log))
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
               "compact": ("compact", *RULES, *common, a, b),
               "split": ("split", "apply", "--partition", "key:2", *common, a),
               "in place": ("split", "apply", "--partition", "key:2", *common, "--overwrite", out)}[what]
    good = {3} if command[0] == "import" else {0}

    def prepare():
        if out.exists():
            shutil.rmtree(out)
        if what == "overwrite":
            suite.call("import", "--quiet", "--partition", "none", "--format", "csv", "--columns",
                       "HBASE_ROW_KEY,HBASE_TS_KEY,old:a,older:b", "--now", NOW, "-o", out, old)
            return {digest(out)}
        if what == "in place":
            shutil.copytree(a, out)
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
                demand(not olds or (out / "MANIFEST.json").exists(), "neither the old dataset nor the new one is there")
                good_or_nothing(suite, out, {want} | olds)
                demand(kill or done.code in good or not left_behind(out) or call == "unlink", "leaves %s" % left_behind(out))
                suite.call(*command, want=good)
                demand(digest(out) == want, "the same command afterwards writes another digest")
                suite.call("verify", "check", "--quiet", out)
                debris = [p.name for p in (out / ".obkv").iterdir() if p.name != "lock"]
                demand(not debris, "the run afterwards leaves .obkv/%s" % ", ".join(debris))
            except Wrong as e:
                wrong.append("%s number %d: %s" % (call, at, e))
    demand(runs > 50, "only %d calls" % runs)
    demand(not wrong, "%d of %d runs:\n%s" % (len(wrong), runs, "\n".join(wrong[:int(os.environ.get("OBKV_COMPLAINTS", "6"))])))


def each_call_fails_reading(suite):
    """obkv-verify: a failing call never makes a good result of what could not be read."""
    a, b = small_datasets(suite, 2)
    wrong, runs = [], 0
    commands = ((("verify", "check", "-t", 1, a), 0), (("verify", "dump", "-t", 1, a), 0), (("verify", "diff", "-t", 1, a, b), 1),
                (("verify", "diff", "-t", 1, a, a), 0), (("verify", "info", a / manifest(a)["files"][0]["path"]), 0))
    for command, good in commands:
        normal = suite.call(*command, want=good).out
        for call in ("open", "read", "pread", "alloc"):
            for at in range(1, calls_of(suite, command, call) + 1):
                runs += 1
                try:
                    done = with_fault(suite, command, call, at, CALLS[call])
                    bad = {6} if call == "alloc" else {1, 5} if command[1] == "check" else {5}
                    whole = done.code == good and len(done.out) > len(normal) // 2
                    demand(done.code in bad or whole, "exit %d, %s" % (done.code, tail(done.err)))
                    if command[1] == "dump" and done.code == good:
                        demand(done.out == normal, "exit %d with another dump" % good)
                    demand(done.code in (good, 1) or b"error: " in done.err, "no message")
                except Wrong as e:
                    wrong.append("%s, %s number %d: %s" % (command[1], call, at, e))
    demand(not wrong, "%d of %d runs:\n%s" % (len(wrong), runs, "\n".join(wrong[:int(os.environ.get("OBKV_COMPLAINTS", "6"))])))


def main():
    suite = Suite(__doc__, in_memory=True)
    for what in ("import", "overwrite", "in place", "compact", "split"):
        suite.run("calls fail: " + what, each_call_fails, what, False)
        suite.run("killed at each call: " + what, each_call_fails, what, True)
    suite.run("calls fail: verify", each_call_fails_reading)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
