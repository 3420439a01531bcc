"""What roundtrip.py, damage.py and faults.py share: running the programs of one build, counting verdicts, text cells.

A test is a function of a Suite: it returns when all is well, raises Wrong with what is not, or Skip with the reason. Death by a
signal that the test did not send, and sanitizer reports, are always wrong.
"""
import argparse
import collections
import contextlib
import hashlib
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

NOW = 1700000000000
SANITIZER = re.compile(rb"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error: ")
TOOLS = ("obkv-import", "obkv-compact", "obkv-split", "obkv-export", "obkv-verify")

Done = collections.namedtuple("Done", "code out err")


class Wrong(Exception):
    pass


class Skip(Exception):
    fails = False


class Missing(Skip):
    """Software that `sh samples/setup.sh GROUP` installs. With OBKV_REQUIRE_INTEROP=1 that is a failure, unless tests/run.sh has
    found that this machine cannot have the group (OBKV_CANNOT_HAVE)."""

    def __init__(self, group, text):
        super().__init__(text)
        self.fails = os.environ.get("OBKV_REQUIRE_INTEROP") == "1" and group not in os.environ.get("OBKV_CANNOT_HAVE", "").split()


def failed_test(*arguments):
    """Tells tests/tally.sh with which arguments this script runs the one test again that failed."""
    if os.environ.get("OBKV_FAILED_TO"):
        with open(os.environ["OBKV_FAILED_TO"], "a") as f:
            f.write(shlex.join(arguments) + "\n")


def drawn(places, share, what=""):
    """One of `share` of the places of a long loop, all of them with OBKV_STRESS (make stress) and OBKV_DRAW=all. What is drawn
    differs from run to run of tests/run.sh, which sets OBKV_DRAW, so that in time all are tried; alone it is always the same."""
    places = list(places)
    if os.environ.get("OBKV_STRESS") or os.environ.get("OBKV_DRAW") == "all" or len(places) <= share:
        return places
    r = random.Random("%s %s" % (os.environ.get("OBKV_DRAW", "1"), what))
    return [places[i] for i in sorted(r.sample(range(len(places)), -(-len(places) // share)))]


def shown(raw):
    return raw.decode("utf-8", "backslashreplace")


def tail(raw, n=600):
    return shown(raw).strip()[-n:]


def shm_if(wanted):
    """A folder in memory for thousands of tiny runs, where waiting for the disk would take most of the time; None = default."""
    with contextlib.suppress(OSError):
        free = os.statvfs("/dev/shm")
        if wanted and os.access("/dev/shm", os.W_OK) and free.f_bavail * free.f_frsize > 512 << 20:
            return "/dev/shm"
    return None


class Suite:
    """One run of a script: its options, its folder, its verdicts."""

    def __init__(self, doc, seed=1, in_memory=False):
        parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        parser.add_argument("bin", type=pathlib.Path, help="folder of the programs")
        parser.add_argument("--seed", type=int, default=seed, help="of all random input (default %(default)s)")
        parser.add_argument("--keep", action="store_true", help="leave the working folder where it is")
        parser.add_argument("-v", "--verbose", action="store_true", help="name the tests that pass, too")
        parser.add_argument("names", nargs="*", help="only tests whose name contains one of these")
        self.args = parser.parse_intermixed_args()
        self.bin = self.args.bin.resolve()
        self.seed = self.args.seed
        for tool in TOOLS:
            if not (self.bin / tool).exists():
                parser.error("no %s in %s: build first" % (tool, self.bin))
        self.count = collections.Counter()
        folder = tempfile.mkdtemp(prefix="obkv-test-", dir=os.environ.get("OBKV_TEST_TMP") or shm_if(in_memory))
        self.tmp = pathlib.Path(folder).resolve()  # as programs tell it
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("OBKV_", "LC_", "OMP_")) and k != "TMPDIR"}
        self.env.update(LC_ALL="C", TZ="UTC")
        print("# seed %d" % self.seed)

    def sanitized(self):
        """Sanitizers take memory of their own: limits on it cannot be tested."""
        blob = (self.bin / "obkv-import").read_bytes()
        return b"__asan_init" in blob or b"__tsan_init" in blob

    def command(self, tool, args):
        return [str(self.bin / ("obkv-" + tool))] + [str(a) for a in args]

    def call(self, tool, *args, want=0, stdin=None, timeout=300, cwd=None, stdout=subprocess.PIPE):
        """Runs a program to its end. want: the exit code, or a set of them; None takes any but death by signal."""
        command = self.command(tool, args)
        feed = {"input": stdin} if isinstance(stdin, bytes) else {"stdin": stdin or subprocess.DEVNULL}
        try:
            p = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, timeout=timeout, check=False, env=self.env,
                               cwd=cwd or self.tmp, **feed)
        except subprocess.TimeoutExpired:
            raise Wrong("no end after %d s: %s" % (timeout, " ".join(command)))
        return self.judge(command, Done(p.returncode, p.stdout, p.stderr), want)

    def judge(self, command, done, want):
        allowed = want if isinstance(want, (set, frozenset)) else None if want is None else {want}
        if done.code < 0 or done.code in (134, 136, 139) or SANITIZER.search(done.err):
            raise Wrong("crash, exit %d: %s\n%s" % (done.code, " ".join(command), tail(done.err, 3000)))
        if allowed is not None and done.code not in allowed:
            raise Wrong("exit %d, wanted %s: %s\n%s" % (done.code, sorted(allowed), " ".join(command), tail(done.err)))
        return done

    def result(self, tool, *args, **kw):
        """The JSON document of a run."""
        return json.loads(self.call(tool, "--json", *args, **kw).out)

    def fresh(self, name):
        """A path in the working folder where nothing is yet."""
        path = self.tmp / name
        if path.is_dir():
            shutil.rmtree(path)
        elif path.exists():
            path.unlink()
        return path

    def run(self, name, test, *args):
        if self.args.names and not any(n in name for n in self.args.names):
            return
        started = time.monotonic()
        try:
            test(self, *args)
        except Skip as e:
            verdict, text = "failed" if e.fails else "skipped", str(e)
        except (Wrong, AssertionError) as e:
            verdict, text = "failed", str(e)
        else:
            verdict, text = "passed", ""
        self.count[verdict] += 1
        if verdict != "passed" or self.args.verbose:
            word = {"passed": "ok", "failed": "not ok", "skipped": "skipped"}[verdict]
            print("%s - %s (%.1f s)" % (word, name, time.monotonic() - started))
        if verdict == "failed":
            failed_test(name)
        if text:
            print(re.sub("(?m)^", "    ", text))
        sys.stdout.flush()

    def end(self):
        if not self.args.keep:
            shutil.rmtree(self.tmp, ignore_errors=True)
        else:
            print("# kept: %s" % self.tmp)
        print("%d passed, %d failed, %d skipped" % (self.count["passed"], self.count["failed"], self.count["skipped"]))
        return 1 if self.count["failed"] else 0


def demand(condition, text):
    if not condition:
        raise Wrong(text)


# ---- text cells ----

def hexed(data):
    return data.hex() or "-"


def cell_line(row, family, qualifier, ts, kind, seq, value, tags):
    return "\t".join((row.hex(), family.hex(), hexed(qualifier), str(ts), str(kind), str(seq), hexed(value), hexed(tags)))


def unhex(field):
    return b"" if field == "-" else bytes.fromhex(field)


def file_order(line):
    """HBase's order of cells within a file, from a text cell."""
    row, _, qualifier, ts, kind, seq = line.split("\t")[:6]
    return unhex(row), unhex(qualifier), -int(ts), -int(kind), -int(seq)


# ---- datasets ----

def manifest(dataset):
    return json.loads((dataset / "MANIFEST.json").read_text())


def digest(dataset):
    """Sum of the digests of its files, as the manifest tells them."""
    total = 0
    for f in manifest(dataset)["files"]:
        total += int(f["digest"], 16)
    return total % (1 << 128)


def cell_files(dataset):
    return sorted(p for p in dataset.rglob("*.hfile") if ".obkv" not in p.parts)


def bytes_of_files(dataset):
    """One hash over names and bytes of all cell files."""
    h = hashlib.sha256()
    for p in cell_files(dataset):
        h.update(str(p.relative_to(dataset)).encode() + b"\0" + hashlib.sha256(p.read_bytes()).digest())
    return h.hexdigest()


# ---- placement, written after the rules and not after our C ----

M = 0xC6A4A7935BD1E995
MASK = (1 << 64) - 1


def murmur64a(data, seed=0):
    h = (seed ^ (len(data) * M)) & MASK
    whole = len(data) // 8 * 8
    for i in range(0, whole, 8):
        k = int.from_bytes(data[i:i + 8], "little") * M & MASK
        k = (k ^ (k >> 47)) * M & MASK
        h = (h ^ k) * M & MASK
    if len(data) > whole:
        h = (h ^ int.from_bytes(data[whole:], "little")) * M & MASK
    h = (h ^ (h >> 47)) * M & MASK
    return h ^ (h >> 47)


def key_partition(data, count):
    """The partition of KEY partitioning, None where the server refuses the row."""
    h = murmur64a(data)
    if h >= 1 << 63:
        h -= 1 << 64
    return None if h == -(1 << 63) else abs(h) % count


def range_partition(row, bounds):
    """The first bound above the row decides; the last partition has none."""
    for i, bound in enumerate(bounds):
        if row < bound:
            return i
    return len(bounds)
