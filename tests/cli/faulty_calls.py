"""A program with faulty_calls.c before it: runs whose call number N of a kind fails, those inside libraries too."""
import collections
import os
import pathlib
import shutil
import signal
import subprocess

from programs import Done, Skip, Wrong


ENDS = "bad ends"
COLUMNS = ("commands", "allocations", "calls", "threads", "kills", ENDS)


def print_table(rows):
    """rows: of each command (program and sub-command) how often what was disturbed."""
    rows = {name: tally for name, tally in sorted(rows.items()) if tally}
    total = sum(rows.values(), collections.Counter())
    print("# %-22s" % "" + "".join("%13s" % c for c in COLUMNS))
    for name, tally in (*rows.items(), ("all", total)):
        print("# %-22s" % name + "".join("%13d" % tally[c] for c in COLUMNS))


def preload(suite):
    library = suite.tmp / "faulty_calls.so"
    if suite.sanitized():
        raise Skip("a preloaded library and sanitizers do not go together")
    if not library.exists():
        source = pathlib.Path(__file__).resolve().with_name("faulty_calls.c")
        for compiler in ("cc", "gcc", "clang"):
            command = [compiler, "-D_GNU_SOURCE", "-w", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"]
            if shutil.which(compiler) and subprocess.run(command, check=False).returncode == 0:
                return library
        raise Skip("no C compiler")
    return library


class Faulty:
    """A program that stands before its main, and runs from there as often as it is asked to. forgiven: which crashes are no
    fault of ours, by their output; stdin: a file that is its standard input."""

    def __init__(self, suite, args, forgiven=lambda done: False, stdin=None):
        self.forgiven = forgiven
        self.command = suite.command(args[0], args[1:])
        self.suite, self.files = suite, suite.tmp / "faulty"
        request, self.requests = os.pipe()
        answers, answer = os.pipe()
        env = dict(suite.env, LD_PRELOAD=str(preload(suite)), FAULT_CHANNEL="%d %d" % (request, answer), FAULT_OUTPUT=self.files,
                   FAULT_INPUT=str(stdin or "/dev/null"), OMP_WAIT_POLICY="passive")
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, env=env, cwd=suite.tmp,
                                        pass_fds=(request, answer))
        os.close(request)
        os.close(answer)
        self.answers = os.fdopen(answers)

    def run(self, kind="none", at=0, how="once", what=0):
        """The end of a run, and the calls that it made."""
        os.write(self.requests, ("%s %d %s %s\n" % (kind, at, how, what)).encode())
        status, calls = map(int, self.answers.readline().split())
        code = os.waitstatus_to_exitcode(status)
        if code == -signal.SIGALRM:
            raise Wrong("no end within 20 seconds")
        done = Done(code, self.files.with_suffix(".out").read_bytes(), self.files.with_suffix(".err").read_bytes())
        known = (what == "KILL" and code == -9) or (code < 0 and self.forgiven(done))
        return (done if known else self.suite.judge(self.command, done, None)), calls

    def end(self):
        os.close(self.requests)
        self.process.wait()
        self.answers.close()
