"""obkv-load, `obkv-verify target` and `obkv-import --from` disturbed: calls fail, connections break, the program is killed, its
clock is wrong.

faulty_calls.c of tests/cli is preloaded, so calls inside the client library fail, too. After a failed load the same command ends
with 0, and the table holds each row once; a comparison says what an undisturbed one says, or ends with an error; a table that is
read back is the dataset of an undisturbed run, or none. The client library and the C library's look-up of names crash at some
allocations (docs/libraries.md): that counts as a kill. OBKV_STRESS=1 (make stress) tries every call, OBKV_STRESS=0.05 a seeded
twentieth, OBKV_POINTS=N so many allocations, calls and starts of threads of each command; otherwise a few are drawn. Printed as a
table, as by failing_calls.py. The cases are cases of loads.py.
As a program, one case on one server:

    faulty.py BIN engine|mariadb CASE [SEED]
"""
import collections
import contextlib
import os
import pathlib
import random
import re
import shutil
import signal
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cli"))

import programs  # noqa: E402
import remote_servers  # noqa: E402
from faulty_calls import ENDS, Faulty, print_table  # noqa: E402
from peers import Engine, MariaDb, SqlError  # noqa: E402
from rig import NOW, RANGE, Bench, Wrong, certificates, demand, plain_rows  # noqa: E402

POINTS = int(os.environ.get("OBKV_POINTS") or 0)
STRESS = float(os.environ.get("OBKV_STRESS") or 0)  # the part of all calls that is tried; 0: a few
EIO, EAGAIN, ENOMEM, ENOSPC, ECONNRESET = 5, 11, 12, 28, 104
LIMIT, BUSY, OUTPUT = 6, 75, 7
# Its errno, the exit codes besides those of an undisturbed run, and how many calls are tried. A name of a host that could not be
# looked up or a key that could not be read is wrong usage to the client library.
Kind = collections.namedtuple("Kind", "errno codes most")
KINDS = {"alloc": Kind(ENOMEM, {LIMIT}, 10), "map": Kind(ENOMEM, {LIMIT}, 2), "thread": Kind(EAGAIN, {LIMIT}, 2),
         "open": Kind(EIO, {5, OUTPUT, BUSY}, 3), "read": Kind(EIO, {5, OUTPUT}, 4), "stat": Kind(EIO, {5, OUTPUT}, 4),
         "dir": Kind(EIO, {5, OUTPUT}, 4), "close": Kind(EIO, {5, OUTPUT}, 4), "write": Kind(ENOSPC, {LIMIT}, 4),
         "space": Kind(ENOSPC, {LIMIT}, 2), "sync": Kind(EIO, {OUTPUT}, 4), "mkdir": Kind(ENOSPC, {LIMIT}, 2),
         "socket": Kind(ECONNRESET, {BUSY, LIMIT}, 8)}
ROWS = 40


class Programs(programs.Suite):
    """What Faulty wants to know of a suite of tests/cli."""

    def __init__(self, binaries, folder):
        self.bin, self.tmp = pathlib.Path(binaries), pathlib.Path(folder)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("OBKV_", "LC_", "OMP_"))}
        self.env.update(LC_ALL="C", TZ="UTC")


COLUMN = {"alloc": "allocations", "map": "allocations", "thread": "threads"}  # of the table; all others are calls
SHARE = {"alloc": 90, "thread": 100}  # of 100 points; all others have 10


def lasting(text):
    text = re.sub(rb'"seconds": [0-9.e-]+', b"", text)
    return re.sub(rb"[0-9.]+ s\b|[0-9.,]+ .?i?B/s", b"", text)


def difference(a, b):
    """The text of a from a little before the first byte that b has not."""
    at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
    return a[max(0, at - 40):at + 200].decode(errors="replace")


def chosen(seed, what, calls, most):
    most = max(most, int(calls * STRESS), POINTS * SHARE.get(what, 10) // 100)
    if calls <= most:
        return range(1, calls + 1)
    return sorted(random.Random("%s %s" % (seed, what)).sample(range(1, calls + 1), most))


class Target:
    """A small export, its table, and how it looks when all is in. dataset: the dataset is loaded instead; url: by this URL."""

    def __init__(self, b, name, dataset=False, url=None):
        self.b, self.name = b, name
        self.export = b.export(name, plain_rows(ROWS), partition=RANGE, v="longblob", grouped=not isinstance(b.peer, MariaDb))
        self.local = self.export + ".ds" if dataset else self.export
        self.where, self.journal = url or self.local, b.path(name + ".journal")
        self.make()

    def make(self):
        with open(os.path.join(self.export, "create.sql")) as f:
            self.b.peer.sql("DROP TABLE IF EXISTS `%s$f`; %s" % (self.name, f.read()))

    def empty(self, drop=False):
        self.b.peer.sql(("DROP TABLE IF EXISTS `%s$f`" if drop else "DELETE FROM `%s$f`") % self.name)
        shutil.rmtree(os.path.join(self.local, "_load"), ignore_errors=True)
        pathlib.Path(self.journal).unlink(missing_ok=True)

    def content(self):
        return self.b.peer.sql("SELECT COUNT(*), SUM(CRC32(CONCAT(HEX(K), '/', HEX(Q), '/', T, '/', HEX(V)))) FROM `%s$f`" %
                               self.name)[0]


class Load:
    """A load into an empty table; afterwards the same command must bring it to its end."""

    good = {0}

    def __init__(self, target, *options, jobs=1):
        self.target = target
        self.args = ("load", *target.b.peer.options(), "--retries", 1, "--jobs", jobs, *options, target.where)

    def prepare(self):
        self.target.empty("--create" in self.args)

    def learn(self, done):
        self.normal = self.target.content()
        demand(int(self.normal[0]) == ROWS, self.normal)

    def check(self, program, done, codes):
        if done.code in self.good:
            demand(self.target.content() == self.normal, "success, but the table holds %s" % self.target.content())
            return
        demand(done.code in codes, "exit %d: %s" % (done.code, programs.tail(done.err)))
        demand(done.code < 0 or b"error: " in done.err, "no message")
        again = program.run()[0]
        demand(again.code == 0, "the same command afterwards: exit %d: %s" % (again.code, programs.tail(again.err)))
        demand(self.target.content() == self.normal, "after the same command the table holds %s" % self.target.content())


class LoadByUrl(Load):
    """A dataset in S3. Without memory libcurl reports other errors, as when it cannot read."""

    def __init__(self, target):
        super().__init__(target, "--journal", target.journal, "--now", NOW, "--config", "remote-retries=0")

    def check(self, program, done, codes):
        ends_in_libc = done.code == 127 and b"thread-local data: ABORT" in done.err  # docs/libraries.md
        super().check(program, done, codes | {5, BUSY} | ({127} if ends_in_libc else set()))


class ReadBack:
    """A table that is read back: the dataset of an undisturbed run, or none, and the same command makes it."""

    good = {0}

    def __init__(self, b, name):
        self.out = pathlib.Path(b.path(name + ".back"))
        self.args = ("import", "--quiet", "-t", 1, "--now", NOW, "--from", *b.peer.options()[1:], "--config", "retries=1",
                     "--table", name, "-o", self.out)

    def prepare(self):
        shutil.rmtree(self.out, ignore_errors=True)

    def learn(self, done):
        self.normal = programs.bytes_of_files(self.out)

    def check(self, program, done, codes):
        published = (self.out / "MANIFEST.json").exists()
        if done.code not in self.good:
            demand(done.code in codes, "exit %d: %s" % (done.code, programs.tail(done.err)))
            demand(done.code < 0 or b"error: " in done.err, "no message")
        same = published and programs.bytes_of_files(self.out) == self.normal
        demand(same or not published, "exit %d: published with other cells" % done.code)
        demand(published or done.code not in self.good, "success without a dataset")
        if not published:
            again = program.run()[0]
            demand(again.code == 0, "the same command afterwards: exit %d: %s" % (again.code, programs.tail(again.err)))
            demand(programs.bytes_of_files(self.out) == self.normal, "the same command afterwards makes other cells")


class Refused(Load):
    """A load whose workers get no connection of their own: it waits, tries again, and gives up."""

    good = {75}

    def learn(self, done):
        self.check(None, done, set())

    def check(self, program, done, codes):
        demand(done.code in self.good and b"trying again" in done.err, "exit %d: %s" % (done.code, programs.tail(done.err)))


class Distrusting(Load):
    """A load whose server shows a certificate of another authority: whatever fails, nothing is loaded."""

    good = {2}

    def learn(self, done):
        self.check(None, done, set())

    def check(self, program, done, codes):
        demand(done.code in self.good | codes and b"error: " in done.err, "exit %d: %s" % (done.code, programs.tail(done.err)))
        demand(self.target.content()[0] == "0", "rows went to a server that nobody vouches for")


class Compare:
    """A comparison with a full table, or with one that lacks a row."""

    def __init__(self, target, *options, good=0, jobs=1):
        self.target, self.good = target, {good}
        self.args = ("verify", "target", "--json", "--retries", 1, "--jobs", jobs, *target.b.peer.options(), *options,
                     target.where)

    def prepare(self):
        pass

    def learn(self, done):
        self.normal = lasting(done.out)

    def check(self, program, done, codes):
        if done.code in self.good:
            said = lasting(done.out)
            demand(said == self.normal, "it says %s instead of %s" % (
                difference(said, self.normal), difference(self.normal, said)))
            return
        demand(done.code in codes, "exit %d: %s" % (done.code, programs.tail(done.err)))
        demand(done.code < 0 or b"error: " in done.err or b"unreached" in done.out, "no message")


class Prints(Compare):
    """What prints a table's definition, or what a load would do."""

    def __init__(self, target, *args):
        self.target, self.good = target, {0}
        self.args = ("load", *target.b.peer.options(), "--retries", 1, *args)

    def check(self, program, done, codes):
        """A check of the target that lacked memory says that its answer is not known, and why."""
        if done.code or b"not known: out of memory" not in done.out:
            super().check(program, done, codes)


def is_of_client_library(done):
    """A crash below a call of libmariadb or libcurl: in it, or in the C library that it called."""
    where = re.search(rb"^crashed in (.*)", done.err, re.M)
    return bool(where) and any(name in where[1].split(b"obkv-")[0] for name in (b"libmariadb", b"libcurl"))


class Faults:
    """A command and how often it was disturbed, and what was wrong."""

    def __init__(self, suite, what, seed):
        self.what, self.seed, self.crashes, self.wrong = what, seed, 0, []
        self.tally = collections.Counter(commands=1)
        self.program = Faulty(suite, what.args, is_of_client_library)
        what.prepare()
        done = self.program.run()[0]
        demand(done.code in what.good, "undisturbed: exit %d: %s" % (done.code, programs.tail(done.err)))
        what.learn(done)

    def calls(self, kind):
        self.what.prepare()
        return self.program.run(kind)[1]

    def disturb(self, kind, at, how, what, codes):
        self.what.prepare()
        self.tally["kills" if what == "KILL" else COLUMN.get(kind, "calls")] += 1
        try:
            done = self.program.run(kind, at, how, what)[0]
            crashed = is_of_client_library(done)
            self.crashes += crashed
            self.what.check(self.program, done, codes | ({done.code} if crashed else set()))
        except (programs.Wrong, Wrong, SqlError) as e:
            self.tally[ENDS] += 1
            self.wrong.append("%s %s number %d (%s, %s): %s" % (self.what.args[0], kind, at, how, what, e))

    def each_call(self, kinds=KINDS):
        for kind, k in kinds.items():
            calls = self.calls(kind)
            for at in chosen(self.seed, kind, calls, k.most):
                self.disturb(kind, at, "once", k.errno, k.codes)
            for at in chosen(self.seed, kind + "after", calls, k.most // 4):
                self.disturb(kind, at, "after", k.errno, k.codes)
        return self

    def killed(self, kinds=("write", "sync", "socket", "open", "close"), most=4):
        for kind in kinds:
            for at in chosen(self.seed, kind + "killed", self.calls(kind), most):
                self.disturb(kind, at, "once", "KILL", {-9})
        return self

    def clocks(self):
        """From some call on the clock is a day ahead or behind, or it is so once only."""
        for at in chosen(self.seed, "clock", self.calls("clock"), 6):
            for how in ("once", "after"):
                for seconds in (-86400, 86400):
                    self.disturb("clock", at, how, seconds, self.what.good)
        return self


@contextlib.contextmanager
def s3(b, suite):
    """A server with what is in the folder of the bench, for the programs of the suite."""
    with remote_servers.Server(remote_servers.S3Handler, pathlib.Path(b.folder), token=remote_servers.TOKEN) as server:
        suite.env.update(AWS_ACCESS_KEY_ID=remote_servers.KEY_ID, AWS_SECRET_ACCESS_KEY=remote_servers.SECRET,
                         AWS_SESSION_TOKEN=remote_servers.TOKEN, AWS_ENDPOINT_URL_S3=server.base)
        yield


def commands(b, seed=1):
    """Loads of five forms, a table that is read back, comparisons that find nothing and one row."""
    suite = Programs(b.binaries, b.folder)
    target = Target(b, "faults")
    for what in (Load(target), Load(target, "--on-duplicate", "replace"), Load(target, "--create")):
        yield Faults(suite, what, seed)
    target.make()
    Load(target).prepare()
    b.load(target.where)
    yield Faults(suite, Compare(target), seed)
    yield Faults(suite, Prints(target, "--dry-run", target.where), seed)
    b.peer.sql("DELETE FROM `faults$f` LIMIT 1")
    yield Faults(suite, Compare(target, good=1), seed)
    dataset = Target(b, "set", dataset=True)
    yield Faults(suite, Load(dataset, "--now", NOW), seed)
    yield Faults(suite, ReadBack(b, "set"), seed)
    with s3(b, suite):
        yield Faults(suite, LoadByUrl(Target(b, "url", dataset=True, url="s3://bucket/url.ds")), seed)


def tried(faults):
    """Takes commands as they are disturbed; says how often that was, or what was wrong."""
    table, crashes, wrong = {}, 0, []
    for f in faults:
        f.program.end()
        name = {"load": "obkv-load", "verify": "obkv-verify target", "import": "obkv-import --from"}[f.what.args[0]]
        table[name] = table.get(name, collections.Counter()) + f.tally
        crashes += f.crashes
        wrong += f.wrong
    if POINTS or STRESS:
        print_table(table)
    runs = sum(n for tally in table.values() for what, n in tally.items() if what not in ("commands", ENDS))
    shown = int(os.environ.get("OBKV_COMPLAINTS", "6"))
    demand(not wrong, "%d of %d runs:\n%s" % (len(wrong), runs, "\n".join(wrong[:shown])))
    return "%d disturbed runs, %d of them crashed in the client library" % (runs, crashes)


def case_mariadb_calls_fail(b, seed=1):
    return tried(each_command(b, seed))


def each_command(b, seed):
    """Threads are those of four connections."""
    yield from (f.each_call({name: k for name, k in KINDS.items() if name != "thread"}) for f in commands(b, seed))
    suite, target, thread = Programs(b.binaries, b.folder), Target(b, "threads"), {"thread": KINDS["thread"]._replace(most=8)}
    yield Faults(suite, Load(target, jobs=4), seed).each_call(thread)
    b.load(target.where)
    yield Faults(suite, Compare(target, jobs=4), seed).each_call(thread)


def encrypted(b, seed):
    """The same with certificates that are looked at, for which the client library must not lose what it was told."""
    tls = certificates(b.path("tls"))
    b.peer.kill()
    b.peer.extra = ["--ssl-ca=%s/ca.pem" % tls, "--ssl-cert=%s/127.0.0.1.pem" % tls, "--ssl-key=%s/127.0.0.1.key" % tls]
    b.peer.start()
    try:
        target, suite = Target(b, "encrypted"), Programs(b.binaries, b.folder)
        alloc = {"alloc": KINDS["alloc"]._replace(codes={LIMIT, BUSY, 2}, most=4)}
        for kind, ca in ((Load, "ca"), (Distrusting, "other")):
            yield Faults(suite, kind(target, "--tls", "verify", "--tls-ca", "%s/%s.pem" % (tls, ca)), seed).each_call(alloc)
    finally:
        b.peer.kill()
        b.peer.extra = []
        b.peer.start()


def case_mariadb_encrypted_calls_fail(b, seed=1):
    return tried(encrypted(b, seed))


def case_mariadb_killed_at_calls(b, seed=1):
    return tried(f.killed() for f in commands(b, seed) if isinstance(f.what, Load))


def case_mariadb_server_killed(b, seed=1):
    """kill -9 of the server at moments of a load, that of a file's commit among them: 75 and what to do; the same command goes
    on, and each row is there once."""
    where = b.export("crash", plain_rows(60000, size=300), partition=RANGE, v="longblob", grouped=False)
    r, codes, told = random.Random(seed), [], 0
    b.peer.sql("DROP TABLE IF EXISTS `crash$f`; CREATE TABLE `crash$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, "
               "T bigint NOT NULL, V longblob NOT NULL, PRIMARY KEY (K, Q, T)) ROW_FORMAT=DYNAMIC " + RANGE)
    for n in range(8):
        anew = ["--restart"] if 0 in codes[-1:] else []
        if anew:
            b.peer.sql("TRUNCATE TABLE `crash$f`")
        p = b.begin_load(where, "--retries", "0", "--via", ("server", "local")[n % 2], *anew)
        time.sleep(r.random())
        b.peer.kill()
        out, errors = (x.decode() for x in p.communicate(timeout=120))
        codes.append(p.returncode)
        demand(p.returncode in (0, 75), "exit %d: %s%s" % (p.returncode, out, errors))
        demand(not p.returncode or "the server is running" in errors, errors)
        told += "run the same command again: obkv-load resumes" in errors
        b.peer.start()
    b.load(where)
    demand(b.rows("crash") == 60000, "%d rows" % b.rows("crash"))
    b.expect_equal(where)
    demand(75 in codes and told, "no load was disturbed, or nobody was told what to do: %s" % codes)
    return "exit codes %s" % codes


def clocks_of(b, seed):
    yield from (f.clocks() for f in commands(b, seed))
    limit = "ALTER USER %s@127.0.0.1 WITH MAX_USER_CONNECTIONS %%d" % b.peer.user
    refused = Refused(Target(b, "refused"))
    refused.prepare = lambda: time.sleep(0.2)  # the server closes the connections of the run before
    b.peer.sql(limit % 1)
    try:
        yield Faults(Programs(b.binaries, b.folder), refused, seed).clocks()
    finally:
        time.sleep(0.2)
        b.peer.sql(limit % 0)


def case_mariadb_clock_jumps(b, seed=1):
    return tried(clocks_of(b, seed))


def case_calls_fail(b, seed=1):
    """The engine takes a second and more for each load: the direct one, fewer calls."""
    kinds = {name: KINDS[name]._replace(most=2) for name in ("alloc", "sync", "socket")}
    faults = Faults(Programs(b.binaries, b.folder), Load(Target(b, "faults")), seed)
    return tried([faults.each_call(kinds).killed(("socket", "sync"), 2)])


def as_program(cases, argv):
    """One case of a module on one server: BIN engine|mariadb CASE [SEED]."""
    binaries, name, case = argv[:3]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the server ends, too
    peer = {"engine": Engine, "mariadb": MariaDb}[name]
    with tempfile.TemporaryDirectory(prefix="obkv-faulty-") as folder:
        server = peer(folder)
        try:
            bench = Bench(server.prepare(), os.path.abspath(binaries), folder, False)
            print(cases["case_" + case](bench, *argv[3:4]))
        finally:
            server.stop()


if __name__ == "__main__":
    as_program(globals(), sys.argv[1:])
