"""Cases of shards.py: --shards N on one machine, killed and started again."""
import os
import pathlib
import random
import resource
import shutil
import signal
import struct
import subprocess
import time

from faulty_calls import Faulty
from planted import edit
from planted_hfile import crc32c
from programs import NOW, demand, shown
from shards_kit import COLUMNS, KEY, STRESS, text, whole_bytes
from signing import key

MANY = ("--partition", "key:17", "--now", NOW) # so many that shards are kept as runs

def cpu_seconds():
    """Of all programs that have run."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def resumed(suite):
    """A finished shard is passed by, unless an input or a setting is another one, whatever its size and time say."""
    r = random.Random(suite.seed + 20)
    files = [text(r, suite.tmp / ("u%d.csv" % i), 5000) for i in range(4)]
    options, one, out = (*COLUMNS, *KEY), suite.fresh("one"), suite.fresh("resumed")
    left = pathlib.Path(str(out) + ".shards")
    suite.call("import", "--quiet", *options, "-o", one, *files)

    def begin(*more):
        shutil.rmtree(left, ignore_errors=True)
        for i in (1, 2, 3):
            suite.call("import", "--quiet", "--shard", "%d/4" % i, *options, *(more if i == 3 else ()), "-o", left / ("%05d" % i),
                       *files)

    begin()
    done = suite.call("import", "--shards", 4, *options, "-o", out, *files)
    passed = [i for i in range(5) if b"shard %d was finished with the same settings and inputs" % i in done.err]
    demand(passed == [2, 3] and b"shard 4/4" in done.err, shown(done.err))
    demand(whole_bytes(one) == whole_bytes(out), "other bytes")
    shutil.rmtree(out)
    begin()
    next((left / "00002").glob("*/*.pack")).unlink()
    done = suite.call("import", "--shards", 4, *options, "-o", out, *files, want=5)
    demand(b"00002 is damaged; remove it" in done.err and not out.exists(), shown(done.err))
    shutil.rmtree(left / "00002")
    suite.call("import", "--quiet", "--shards", 4, *options, "-o", out, *files)
    demand(whole_bytes(one) == whole_bytes(out), "other bytes, with a shard made again")
    shutil.rmtree(out)
    begin("--codec", "zstd")
    done = suite.call("import", "--shards", 4, *options, "-o", out, *files, want=2)
    demand(b"shard 3/4: " in done.err and b"made with other settings" in done.err, shown(done.err))
    begin()
    (left / "00002").rename(left / "2")
    shutil.copytree(left / "00003", left / "00002")
    done = suite.call("import", "--shards", 4, *options, "-o", out, *files, want=2)
    demand(b"shard 2/4: " in done.err and b"made with other inputs" in done.err, shown(done.err))
    begin()
    as_it_was, raw = files[2].stat(), files[2].read_bytes()
    files[2].write_bytes(raw[:-9] + b"y" * 8 + raw[-1:])
    os.utime(files[2], ns=(as_it_was.st_atime_ns, as_it_was.st_mtime_ns))
    done = suite.call("import", "--shards", 4, *options, "-o", out, *files, want=2)
    demand(b"shard 3/4: " in done.err and b"made with other inputs" in done.err, shown(done.err))
    files[2].write_bytes(raw)
    os.utime(files[2], ns=(as_it_was.st_atime_ns, as_it_was.st_mtime_ns))
    (left / "00003/MANIFEST.json").write_text("{")
    done = suite.call("import", "--shards", 4, *options, "-o", out, *files)
    demand(b"shard 3 is damaged, and is made again" in done.err and whole_bytes(one)[1] == whole_bytes(out)[1], shown(done.err))


def with_another_cell(run):
    """The last byte of its first frame is another one, and the checksum is right."""
    n, _ = struct.unpack_from("<II", run)
    records = run[8:7 + n] + bytes([run[7 + n] ^ 1])
    return struct.pack("<II", n, crc32c(records)) + records + run[8 + n:]


def murmur64a(data, seed):
    """Of whole words of 8 bytes, as libsst/base/hash.c."""
    m, mask = 0xc6a4a7935bd1e995, (1 << 64) - 1
    h = seed ^ len(data) * m & mask
    for (k,) in struct.iter_unpack("<Q", data):
        k = k * m & mask
        h = (h ^ (k ^ k >> 47) * m & mask) * m & mask
    h = (h ^ h >> 47) * m & mask
    return h ^ h >> 47


def sum_of_frames(run):
    """Of all frames of a run, without its end of 16 bytes."""
    at, total = 0, 0
    while at < len(run) - 16:
        total = murmur64a(run[at:at + 8], total)
        at += 8 + struct.unpack_from("<I", run, at)[0]
    return "%016x" % total


def kept_runs(suite):
    """What a finished shard leaves is read by joins only, and damage to it is found."""
    r = random.Random(suite.seed + 24)
    files = [text(r, suite.tmp / ("g%d.csv" % i), 4000) for i in range(3)]
    options, one, out = (*COLUMNS, *MANY, "-t", 2), suite.fresh("one"), suite.fresh("kept-runs")
    left, last = pathlib.Path(str(out) + ".shards"), files[2].read_bytes()
    as_it_was = files[2].stat()

    def write_last(content):
        files[2].write_bytes(content)
        os.utime(files[2], ns=(as_it_was.st_atime_ns, as_it_was.st_mtime_ns))

    write_last(last.replace(b",", b"-", 1))
    suite.call("import", "--quiet", "--shards", 3, *options, "-o", out, *files, want=4)
    runs = sorted(left.glob("0000[12]/[fg]/*"))
    demand(runs and all(p.suffix == ".run" for p in runs), "no runs: %s" % runs)
    demand(len(runs) <= 2 * 2 * 2, "a file for each worker and family, not %d" % len(runs))
    for command in (("verify", "check"), ("verify", "skew"), ("verify", "info"), ("verify", "account"),
                    ("compact", "--versions", 1, "-o", suite.fresh("no"))):
        done = suite.call(*command, left / "00001", want={2, 5})
        demand(b"a form that only joins read" in done.err or b"obkv-split join makes one" in done.err, shown(done.err))
    write_last(last)
    run = next((left / "00002/g").glob("*.run"))
    raw = run.read_bytes()
    for damaged, why in ((raw[:-1], b"is damaged; remove it to have it made again"),
                         (raw[:-1] + b"?", b"do not end a run; remove the shard"),
                         (raw[:20] + b"?" + raw[21:], b"; remove the shard"),
                         (with_another_cell(raw), b"the run at 0 is another one than was written there; remove the shard")):
        run.write_bytes(damaged)
        done = suite.call("import", "--shards", 3, *options, "-o", out, *files, want=5)
        demand(why in done.err and b"00002" in done.err and not out.exists(), shown(done.err))

    def with_its_sum(m):
        path = str(run.relative_to(left / "00002"))
        entry = next(f for f in m["files"] if f["path"] == path and not f.get("offset"))
        demand(entry["checksum"] == sum_of_frames(raw[:entry["bytes"]]), "not the sum of its frames: %s" % entry)
        entry["checksum"] = sum_of_frames(run.read_bytes()[:entry["bytes"]])

    was = (left / "00002/MANIFEST.json").read_bytes()
    edit(suite, left / "00002", with_its_sum, True)
    done = suite.call("import", "--shards", 3, *options, "-o", out, *files, want=5)
    demand(b"with another digest (remove all shards" in done.err and not out.exists(), shown(done.err))
    (left / "00002/MANIFEST.json").write_bytes(was)
    run.write_bytes(raw)
    suite.call("import", "--quiet", *options, "-o", one, *files)
    suite.call("import", "--quiet", "--shards", 3, *options, "-o", out, *files)
    demand(whole_bytes(one) == whole_bytes(out), "other bytes than one run")
    demand(not left.exists(), "the shards are still there")


def signed_shards(suite):
    """The list that is signed names each file once."""
    r = random.Random(suite.seed + 25)
    files = [text(r, suite.tmp / ("s%d.csv" % i), 2000) for i in range(2)]
    with files[1].open("ab") as f:
        f.write(b"bad\n")
    out = suite.fresh("signed")
    suite.call("import", "--quiet", "--shards", 2, *COLUMNS, *MANY, "-t", 1, "--config", "sign-key=%s" % key(suite,
                                                                                                             "k") + ".sec",
                                                                                                             "-o", out,
               *files, want=4)
    names = [line.split()[1] for line in pathlib.Path(str(out) + ".shards/00001/MANIFEST.b2sums").read_text().splitlines()]
    demand(len(names) > 2 and len(names) == len(set(names)), names)


def resumed_join(suite):
    """The join of much data goes by shares of the partitions. A finished one is kept. Another one, and one that
    cannot be read, is made again."""
    r = random.Random(suite.seed + 22)
    path, out = suite.tmp / "much.csv", suite.fresh("joined-again")
    lines = [b"row%06d,%d,%s,w\n" % (r.randrange(10 ** 6), NOW, r.randbytes(500).hex().encode()) for _ in range(4000)]
    path.write_bytes(b"".join(lines) * (-(-(65 << 20) // sum(map(len, lines)))))
    options, one, left = ("--quote", "none", *COLUMNS, *KEY), suite.fresh("one"), pathlib.Path(str(out) + ".shards")
    suite.call("import", "--quiet", *options, "-o", one, path)

    def begin(share):
        shutil.rmtree(out, ignore_errors=True)
        made = [left / ("%05d" % i) for i in (1, 2, 3)]
        for i, shard in enumerate(made, 1):
            suite.call("import", "--quiet", "--shard", "%d/3" % i, *options, "-o", shard, path)
        suite.call("split", "join", "--quiet", "--partitions", share, "-o", left / "share-00001", *made)

    for share, kept in (("1/2", True), ("2/2", False)):
        begin(share)
        done = suite.call("import", "--shards", 3, *options, "-o", out, path)
        demand((b"share 1/2 of the join was finished" in done.err) == kept, "share %s: %s" % (share, shown(done.err)))
        demand(done.out.count(b"joined ") == 1 and b"joined 3 inputs" in done.out, shown(done.out))
        demand(whole_bytes(one) == whole_bytes(out), "share %s: other bytes than one run" % share)
        demand(not left.exists(), "the shards are still there")
    begin("1/2")
    (left / "share-00001/MANIFEST.json").write_text("{")
    done = suite.call("import", "--shards", 3, *options, "-o", out, path)
    demand(b"of the join was finished" not in done.err and whole_bytes(one) == whole_bytes(out), shown(done.err))


def resumed_with_failing_calls(suite):
    """A call of the system fails in a run that was started again: an exit code of the table, a message, the next run is whole."""
    r = random.Random(suite.seed + 23)
    files = [text(r, suite.tmp / ("f%d.csv" % i), 3000) for i in range(3)]
    options, one, out = (*COLUMNS, *KEY), suite.fresh("one"), suite.fresh("faulty-out")
    left, kept = pathlib.Path(str(out) + ".shards"), suite.fresh("kept")
    suite.call("import", "--quiet", *options, "-o", one, *files)
    for i in (1, 3):
        suite.call("import", "--quiet", "--shard", "%d/3" % i, *options, "-o", kept / ("%05d" % i), *files)
    program = Faulty(suite, ("import", "--quiet", "-t", 1, "--shards", 3, *options, "-o", out, *files))

    def run(*fault):
        for path in (left, out):
            shutil.rmtree(path, ignore_errors=True)
        shutil.copytree(kept, left)
        return program.run(*fault)

    wrong = set()
    for kind, what, codes in (("alloc", 12, {6}), ("open", 5, {5, 7}), ("read", 5, {5, 7}), ("stat", 5, {5, 7}),
                              ("dir", 5, {5, 7}), ("write", 28, {6}), ("rename", 28, {6}), ("mkdir", 28, {6}),
                              ("unlink", 5, {7})):
        calls = run(kind)[1]
        for at in sorted(r.sample(range(1, calls + 1), min(calls, 200 if STRESS else 6))):
            done = run(kind, at, "once", what)[0]
            if done.code != 0 and (done.code not in codes or b"error: " not in done.err):
                wrong.add("%s %d: exit %d: %s" % (kind, at, done.code, shown(done.err)[-300:]))
            if done.code != 0:
                program.run()
            if whole_bytes(one) != whole_bytes(out):
                wrong.add("%s %d, exit %d: other bytes" % (kind, at, done.code))
    program.end()
    demand(not wrong, "\n".join(sorted(wrong)[:6]))


def killed(suite):
    """--shards is killed at any moment, and started again, until it ends: the bytes of one run, and nothing else is left."""
    r = random.Random(suite.seed + 8)
    n, most, size = (50, 30, 400000) if STRESS else (8, 12, 100000)
    files = [text(r, suite.tmp / ("k%d.csv" % i), size) for i in range(n)]
    one, out = suite.fresh("one"), suite.fresh("many")
    options = (*COLUMNS, *MANY)
    suite.call("import", "--quiet", *options, "-o", one, *files)
    begun, used = time.monotonic(), cpu_seconds()
    suite.call("import", "--quiet", "--shards", n, *options, "-o", suite.fresh("undisturbed"), *files)
    longest, undisturbed = (time.monotonic() - begun) / (15 if STRESS else 4), cpu_seconds() - used
    command = suite.command("import", ("--quiet", "--shards", n, *options, "-o", out, *files))
    used, kills, ended = cpu_seconds(), 0, 0
    while kills < most:
        p = subprocess.Popen(command, env=suite.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(r.uniform(0.02, longest))
        p.send_signal(signal.SIGKILL)
        p.communicate()
        if p.returncode == -signal.SIGKILL:
            kills += 1
            continue
        ended, longest = ended + 1, 0.9 * longest  # all shards are done: again from the beginning, by shorter steps
        demand(p.returncode == 0 and ended < 10 * most, "exit %d after %d kills, %d whole runs" % (p.returncode, kills, ended))
        shutil.rmtree(out)
    suite.call("import", "--quiet", "--shards", n, *options, "-o", out, *files)
    if suite.args.verbose:
        times = (cpu_seconds() - used) / undisturbed / (ended + 1)
        print("    # %d kills in %d runs: each took %.2f times the CPU of an undisturbed run" % (kills, ended + 1, times))
    demand(whole_bytes(one) == whole_bytes(out), "other bytes after %d kills" % kills)
    demand(not pathlib.Path(str(out) + ".shards").exists(), "the shards are still there")
    done = suite.call("import", "--shards", n, *options, "-o", out, *files)
    demand(b"nothing to do" in done.err, shown(done.err))
    # Killed after OUT was published: the shards are still there, and so may be what somebody else has put there.
    left = pathlib.Path(str(out) + ".shards")
    shutil.copytree(one, left / "00001")
    suite.call("import", "--quiet", "--shards", n, *options, "-o", out, *files)
    demand(not left.exists(), "what a killed run left is still there")
    (left / "00002").mkdir(parents=True)
    (left / "notes").mkdir()
    suite.call("import", "--quiet", "--shards", n, *options, "-o", out, *files)
    demand(sorted(p.name for p in left.iterdir()) == ["notes"], "removed what it did not make, or left what it made")
