#!/usr/bin/env python3
"""Every call of the system fails once, those inside libraries too, or is where the program is killed.

    failing_calls.py BIN [--seed N] [--keep] [-v] [NAME ...]

faulty_calls.c is preloaded and counts the calls of each kind that an undisturbed run makes. Then one run for each: this call
fails, or this and all after it, or each so-many-th. Allocations and calls fail in runs with one thread, the starts of threads in
runs with four. Half of the commands of each program are drawn. OBKV_STRESS=1 (make stress) tries every call of all of them;
OBKV_POINTS=N (10 if not given) so many allocations, calls and starts of threads of each command, chosen by the
seed. After each run the exit code is one of the table, the message names a reason, standard output and the output directory are
those of an undisturbed run or show nothing, and nothing is left behind.
OBKV_COMPLAINTS=N shows N failed runs of a test instead of 6. Skipped where there is no C compiler. At the end a table says how
often each program was disturbed; the last line is "N passed, N failed, N skipped".
"""
import collections
import difflib
import json
import os
import random
import re
import shutil
import sys
import tarfile

from disturbed import RULES, TWO_COLUMNS, left_behind
from failing_commands import DATA, backup, commands, dataset, text_rows
from faulty_calls import ENDS, Faulty, print_table
from programs import NOW, Suite, Wrong, demand, digest, drawn, tail

STRESS = bool(os.environ.get("OBKV_STRESS"))
POINTS = int(os.environ.get("OBKV_POINTS") or 10)
EIO, EAGAIN, ENOMEM, ENOSPC, ECONNRESET = 5, 11, 12, 28, 104
# Kind of call: its errno, the exit codes besides success that may follow, the column of the table, and how many calls of 100.
Kind = collections.namedtuple("Kind", "errno codes column share")
KINDS = {"alloc": Kind(ENOMEM, {6}, "allocations", 90), "map": Kind(ENOMEM, {6}, "allocations", 10),
         "thread": Kind(EAGAIN, {6}, "threads", 100),
         "open": Kind(EIO, {5, 7}, "calls", 10), "read": Kind(EIO, {5, 7}, "calls", 10), "stat": Kind(EIO, {5, 7}, "calls", 10),
         "dir": Kind(EIO, {5, 7}, "calls", 10), "close": Kind(EIO, {5, 7}, "calls", 10),
         "write": Kind(ENOSPC, {6}, "calls", 10), "space": Kind(ENOSPC, {6}, "calls", 5), "sync": Kind(EIO, {7}, "calls", 7),
         "rename": Kind(ENOSPC, {6}, "calls", 9), "unlink": Kind(EIO, {7}, "calls", 9), "mkdir": Kind(ENOSPC, {6}, "calls", 10),
         "socket": Kind(ECONNRESET, {5, 6, 75}, "calls", 10)}
KILLED_AT = ("open", "write", "space", "sync", "rename", "unlink", "mkdir", "close", "stat", "dir")


# ---- one command ----

def lasting(text):
    """Without times, which differ from run to run, and what a plan has of the threads that could be started."""
    return re.sub(rb'"seconds": [0-9.e-]+|[0-9.]+ s\b|[0-9.,]+ .?i?B/s|\n  memory  .*threads?:.*', b"", text)


def difference(want, have):
    lines = difflib.unified_diff(*(lasting(t).decode("utf-8", "replace").splitlines() for t in (want, have)), lineterm="", n=0)
    return "\n".join(line[:150] for line in list(lines)[2:8])


def tree_of(folder):
    """A signature has a time."""
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*")
            if p.is_file() and ".obkv" not in p.parts and p.suffix != ".minisig"}


def gave_up(done):
    """A library ended the program without memory: what was unpacked is left to the next run, as after a kill."""
    return b"a library gave up" in done.err or ends_below(done)


def ends_in_libc(done):
    """The C library has no memory for thread-local data of libcurl, which is loaded when it is needed (docs/libraries.md)."""
    return done.code == 127 and b"cannot allocate memory for thread-local data: ABORT" in done.err


def of_curl(done):
    """A crash in libcrypto below libcurl, or in libcurl (docs/libraries.md)."""
    return b"crashed in libcrypto.so.3 libcurl" in done.err or b"crashed in libcurl" in done.err


def ends_below(done):
    """A library ended the program, as a kill would."""
    return ends_in_libc(done) or (done.code < 0 and of_curl(done))


class Tried:
    """A command, what an undisturbed run of it leaves, and what a disturbed one may leave."""

    def __init__(self, suite, command):
        self.suite, self.command = suite, command
        self.temp = suite.fresh("temp")
        self.temp.mkdir()
        suite.env["TMPDIR"] = str(self.temp)
        self.program = Faulty(suite, command.args, of_curl, stdin=command.stdin)
        self.checker = Faulty(suite, ("verify", "check", "--quiet", command.out)) if command.out else None
        self.prepare()
        self.normal, _ = self.program.run()
        demand(self.normal.code in command.good, "undisturbed: exit %d: %s" % (self.normal.code, tail(self.normal.err)))
        self.good = {self.normal.code}
        self.tree = tree_of(command.out) if command.out else None
        self.skips = "--on-damage" in command.args
        self.runs, self.wrong = 0, []

    def prepare(self):
        out = self.command.out
        if out and out.exists():
            shutil.rmtree(out)
        if self.command.old:
            shutil.copytree(self.command.old, out)
        for left in self.temp.iterdir():
            shutil.rmtree(left)

    def calls(self, kind):
        self.prepare()
        return self.program.run(kind)[1]

    def check_reading(self, kind, done):
        """Standard output tells all, or the exit code that it does not."""
        codes = codes_of(kind, self.command)
        if ends_below(done):
            return
        if b"standard output: a part of it was refused before" in done.err:
            codes = codes | {7}  # by the stream that shows URLs; its reason is not kept
        if self.command.args[1] == "check" and kind not in ("alloc", "map"):
            codes = codes | {1}  # what cannot be read is a finding
        if done.code in self.good and lasting(done.out) == lasting(self.normal.out):
            return
        demand(done.code in codes, "exit %d: %s%s" % (done.code, tail(done.err), difference(self.normal.out, done.out)))
        demand(done.code == 1 or b"error: " in done.err, "no message")

    def check_writing(self, kind, how, done):
        out, published = self.command.out, (self.command.out / "MANIFEST.json").exists()
        if done.code in self.good:
            demand(published, "success without a dataset")
            if self.skips and kind in ("open", "read", "stat"):
                return  # what cannot be read is skipped, and counted
            demand(tree_of(out) == self.tree or self.is_again(), "success with another output: %s" %
                   difference(self.tree["MANIFEST.json"], (out / "MANIFEST.json").read_bytes()))
        elif ends_below(done):
            self.check_remains()
        else:
            demand(done.code in codes_of(kind, self.command), "exit %d: %s" % (done.code, tail(done.err)))
            demand(b"error: " in done.err, "no message")
            demand(kind != "write" or done.code != 6 or b"standard output" in done.err or b": make room there" in done.err,
                   "a full disk, and no remedy: " + tail(done.err))
            self.check_remains()
        can_clear = (kind == "alloc" or how == "once" and kind != "unlink") and not gave_up(done)
        left = [path for path in left_behind(out, self.temp) if kind not in ("stat", "dir", "open") or "obkv-remote-" not in path]
        demand(not can_clear or not left, "leaves %s" % left)

    def is_again(self):
        """The same cells, but the manifest tells of what was replaced: the run before, or a dataset that could not be read."""
        return self.command.old and digest(self.command.out) == self.digest()

    def check_remains(self):
        """Nothing is published, or what was there before, or all that is new. While a replacement exchanges names, its journal is
        there instead of the manifest, and the next program that opens the output completes it."""
        out = self.command.out
        published = (out / "MANIFEST.json").exists()
        completes = self.command.old and (out / ".obkv" / "journal").exists()
        demand(published or completes or not self.command.old, "neither the old dataset nor the new one is there")
        if not (published or completes) or self.command.args[0] == "export":
            return
        done, _ = self.checker.run()
        demand(done.code == 0, "published, but check says %d: %s" % (done.code, tail(done.err + done.out)))
        olds = {digest(self.command.old)} if self.command.old else set()
        demand(digest(out) in olds | {self.digest()}, "published with other cells")

    def digest(self):
        return sum(int(f["digest"], 16) for f in json.loads(self.tree["MANIFEST.json"])["files"]) % (1 << 128)

    def check_rerun(self):
        """The same command, undisturbed. It also removes what a killed run unpacked to the directory for temporary files."""
        done, _ = self.program.run()
        if self.command.stdin and done.code == 2 and b"is finished, but was made with other inputs" in done.err:
            return self.check_remains()  # nobody knows whether standard input is what it was
        demand(done.code in self.good, "the same command afterwards: exit %d: %s" % (done.code, tail(done.err)))
        self.check_writing("none", "once", done)
        debris = [p.name for p in (self.command.out / ".obkv").glob("*") if p.name != "lock"]
        demand(not debris, "the run afterwards leaves .obkv/%s" % ", ".join(debris))

    def try_one(self, kind, at, how, what):
        self.prepare()
        self.runs += 1
        try:
            done, _ = self.program.run(kind, at, how, what)
            if what == "KILL":
                self.check_remains()
                self.check_rerun()
            elif self.command.out:
                self.check_writing(kind, how, done)
                finished = self.skips and done.code in self.good
                if gave_up(done) or (kind != "alloc" and not finished):
                    self.check_rerun()
            else:
                self.check_reading(kind, done)
        except Wrong as e:
            self.wrong.append("%s number %d (%s, %s): %s" % (kind, at, how, what, e))

    def end(self):
        self.program.end()
        if self.checker:
            self.checker.end()
        shown = int(os.environ.get("OBKV_COMPLAINTS", "6"))
        demand(not self.wrong, "%d of %d runs:\n%s" % (len(self.wrong), self.runs, "\n".join(self.wrong[:shown])))


def chosen(suite, what, calls, most):
    """All of them, or the last ones, in which results are printed, and some others, of which each seed has its own."""
    if STRESS or calls <= most:
        return range(1, calls + 1)
    last = most // 4
    return sorted(random.Random("%d %s" % (suite.seed, what)).sample(range(1, calls - last + 1), most - last)) + list(
        range(calls - last + 1, calls + 1))


def codes_of(kind, command):
    """libcurl calls a lack of memory many things: no such host, an empty reply, a header that it did not see."""
    url = any(str(a).startswith(("http://", "s3://")) for a in command.args)
    return KINDS[kind].codes | ({5, 75} if url and kind in ("alloc", "map") else set())


def with_threads(command):
    args = list(command.args)
    if "-t" in args:
        args[args.index("-t") + 1] = 4
    return command._replace(args=tuple(args))


def calls_fail(suite, name, tried, kind, tally):
    k, before = KINDS[kind], tried.runs
    calls, most = tried.calls(kind), -(-k.share * POINTS // 100)
    for at in chosen(suite, name + kind, calls, most):
        tried.try_one(kind, at, "once", k.errno)
    for at in chosen(suite, name + kind + "after", calls, -(-most // 4)):
        tried.try_one(kind, at, "after", k.errno)
    every = [at for at in (2, 10, 100) if at <= calls]
    if every and POINTS < 100 and not STRESS:
        every = [random.Random("%d %s" % (suite.seed, name + kind)).choice(every)]
    for at in every:
        tried.try_one(kind, at, "every", k.errno)
    tally[k.column] += tried.runs - before


def each_call_fails(suite, name, command, tally):
    tally["commands"] += 1
    for kinds, that in ([k for k in KINDS if k != "thread"], command), (["thread"], with_threads(command)):
        tried = Tried(suite, that)
        for kind in kinds:
            calls_fail(suite, name, tried, kind, tally)
        tally[ENDS] += len(tried.wrong)
        tried.end()


def killed_at_each_call(suite, name, command, tally):
    tried = Tried(suite, command)
    for kind in KILLED_AT:
        most = -(-KINDS[kind].share * POINTS // 200)
        for at in chosen(suite, name + kind + "killed", tried.calls(kind), most):
            tried.try_one(kind, at, "once", "KILL")
    tally["kills"] += tried.runs
    tally[ENDS] += len(tried.wrong)
    tried.end()


def roots_name_the_cause(suite):
    """What could not be looked at is neither missing nor something else: the message names the system's error."""
    with tarfile.open(DATA / "hbase_trees/a1_snapshot.tar.xz") as archive:
        archive.extractall(suite.tmp, filter="data")
    root = suite.tmp / "a1_snapshot/hbase"
    to = ("import", "-t", "1", "--partition", "none", "--now", "1700960000000", "--dry-run", "-o", suite.tmp / "none")
    for kind, command in (("stat", ("verify", "check", "--quick", root)), ("stat", (*to, "--snapshot", "snap_a", root)),
                          ("open", (*to, "--snapshot", "snap_a", root)), ("open", (*to, *backup(suite)))):
        faulty = Faulty(suite, command)
        whole, calls = faulty.run(kind)
        for at in range(1, calls + 1):
            done, _ = faulty.run(kind, at, "once", EIO)
            demand((done.code, done.out) == (whole.code, whole.out) or b"Input/output error" in done.err or
                   b"could not be opened a moment ago; run the command again" in done.err,
                   "%s %d: %s" % (kind, at, tail(done.err)))
        faulty.end()


def failures_are_no_answers(suite):
    """What a path is, how long, and whether two are one file: a stat that fails is an error, and no answer changes by it: output,
    warnings and sizes are those of an undisturbed run, or the run ends with 5 or 7."""
    for name in ("b_split_merge", "k_filelist_tracker"):
        with tarfile.open(DATA / ("hbase_trees/%s.tar.xz" % name)) as archive:
            archive.extractall(suite.tmp, filter="data")
    tables = [next((suite.tmp / name / "hbase/data/default").iterdir()) for name in ("b_split_merge", "k_filelist_tracker")]
    for path in tables:  # what is left out, and counted with its bytes
        region = next(p for p in sorted(path.iterdir()) if p.is_dir() and len(p.name) == 32)
        family = next(p for p in sorted(region.iterdir()) if p.is_dir() and not p.name.startswith(("recovered", ".")))
        (family / "left.tmp").write_text("left out")
        (family / "link").symlink_to("nowhere")
        (region / "recovered.edits").mkdir(exist_ok=True)
        (region / "recovered.edits/0000000000000000009").write_text("edits")
    base, more = dataset(suite), dataset(suite, "second", 1)
    to = ("-t", 1, "--now", NOW, "-o", suite.fresh("out"))
    commands_of = [("import", "--list", path) for path in tables]
    commands_of += [("import", "--partition", "none", "--dry-run", *to, path) for path in tables]
    commands_of += [("verify", "check", "--quick", "-t", 1, base), ("compact", *RULES, "--dry-run", "--base", base, *to, more),
                    ("import", "--partition", "none", *TWO_COLUMNS, "--dry-run", *to, text_rows(suite), suite.tmp / "plain.csv")]
    runs = 0
    for command in commands_of:
        faulty = Faulty(suite, command)
        whole, calls = faulty.run("stat")
        for at in range(1, calls + 1):
            done, _ = faulty.run("stat", at, "once", EIO)
            same = done.code == whole.code and lasting(done.out) == lasting(whole.out) and lasting(done.err) == lasting(whole.err)
            demand(same or done.code in (5, 7) and b"error: " in done.err,
                   "%s: stat %d of %d: %d: %s" % (" ".join(map(str, command)), at, calls, done.code, tail(done.err)))
            runs += 1
        faulty.end()
    print("# %d stats that failed" % runs)


def main():
    suite = Suite(__doc__, in_memory=True)
    table, of_program = {}, {}
    for name, command in commands(suite).items():
        program = " ".join(a for a in ("obkv-" + command.args[0], command.args[1]) if not a.startswith("--"))
        of_program.setdefault(program, []).append((name, command))
    for program, name, command in [(p, *one) for p in of_program for one in drawn(of_program[p], 2, p)]:
        tally = table.setdefault(program, collections.Counter())
        suite.run("calls fail: " + name, each_call_fails, name, command, tally)
        if command.out:
            suite.run("killed at calls: " + name, killed_at_each_call, name, command, tally)
    suite.run("roots name the cause", roots_name_the_cause)
    suite.run("failures are no answers", failures_are_no_answers)
    print_table(table)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
