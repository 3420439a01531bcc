"""Cases of shards.py: files of finished shards that a loss of power has truncated or filled with zeros, and disks that become
full. The next start of --shards makes the bytes of one run, or refuses with the remedy, which helps."""
import os
import pathlib
import random
import shutil
import signal
import subprocess

from faults import resize, tmpfs
from programs import Wrong, bytes_of_files, demand, shown
from shards_kit import COLUMNS, KEY, STRESS, text, whole_bytes
from shards_killed import MANY


def damages(raw):
    """What may be on disk instead of these bytes."""
    page = 4096 if len(raw) > 8192 else max(1, len(raw) // 3)
    yield "empty", b""
    yield "half", raw[:len(raw) // 2]
    yield "without its last byte", raw[:-1]
    yield "zeros", bytes(len(raw))
    yield "zeros at its end", raw[:-page] + bytes(page)
    yield "zeros at its beginning", bytes(page) + raw[page:]
    yield "with zeros after it", raw + bytes(page)


def finished_shards(suite, files, options, out):
    """All but the last one, whose file cannot be read: what a killed run leaves."""
    left = pathlib.Path(str(out) + ".shards")
    for path in (left, out):
        shutil.rmtree(path, ignore_errors=True)
    as_it_was, last = files[-1].stat(), files[-1].read_bytes()
    for content, want in ((last.replace(b",", b"-", 1), 4), (last, None)):
        files[-1].write_bytes(content)
        os.utime(files[-1], ns=(as_it_was.st_atime_ns, as_it_was.st_mtime_ns))
        if want:
            suite.call("import", "--quiet", *options, "-o", out, *files, want=want)
    return left


def start_again(suite, one, out, command, what):
    """0 with the bytes of one run, or an error that names a shard to remove, after which it is 0. Returns the exit code."""
    done = suite.call(*command, want={0, 2, 5})
    if done.code:
        demand(not out.exists(), "%s: exit %d, and an output" % (what, done.code))
        left = pathlib.Path(str(out) + ".shards")
        error = done.err.partition(b"error: ")[2]
        named = [p for p in left.iterdir() if bytes(p) in error]
        demand(len(named) == 1 and b"remove" in error, "%s: %s" % (what, shown(done.err)))
        shutil.rmtree(named[0])
        suite.call(*command)
    demand(whole_bytes(one) == whole_bytes(out), "%s: other bytes than one run, exit %d" % (what, done.code))
    demand(not pathlib.Path(str(out) + ".shards").exists(), "%s: the shards are still there" % what)
    return done.code


def each_damage(suite, one, out, command, left, some):
    """At every file of what is left, or, for some of them at random, each in turn."""
    r, kept, codes, wrong = random.Random(suite.seed), suite.fresh("kept"), [], []
    shutil.copytree(left, kept, symlinks=True)
    files = sorted(p.relative_to(kept) for p in kept.rglob("*") if p.is_file() and not p.is_symlink())
    cases = [(path, what, content) for path in files for what, content in damages((kept / path).read_bytes())]
    for path, what, content in r.sample(cases, some) if some and some < len(cases) else cases:
        for old in (left, out):
            shutil.rmtree(old, ignore_errors=True)
        shutil.copytree(kept, left, symlinks=True)
        (left / path).write_bytes(content)
        try:
            codes.append(start_again(suite, one, out, command, "%s %s" % (path, what)))
        except Wrong as e:
            wrong.append(str(e))
    demand(not wrong, "\n".join(wrong))
    demand(0 in codes or len(codes) < 20, "no damage is harmless: %s" % codes)
    demand(5 in codes, "no damage was found: %s" % codes)
    if suite.args.verbose:
        print("    # %d files, %d damages: %s" % (len(files), len(codes), {c: codes.count(c) for c in set(codes)}))


def damaged_shards(suite):
    """In both forms: runs, and HFiles."""
    r = random.Random(suite.seed + 30)
    for form, some in ((MANY, 40), ((*KEY, "--codec", "zstd"), 20)):
        files = [text(r, suite.tmp / ("d%d.csv" % i), 3000) for i in range(3)]
        options, one, out = (*COLUMNS, *form, "-t", 2), suite.fresh("one"), suite.fresh("damaged")
        left = finished_shards(suite, files, (*options, "--shards", 3), out)
        suite.call("import", "--quiet", *options, "-o", one, *files)
        command = ("import", *options, "--shards", 3, "-o", out, *files)
        each_damage(suite, one, out, command, left, None if STRESS else some)


def damaged_shares(suite):
    """Of the join of much data."""
    r = random.Random(suite.seed + 31)
    path, out, one = suite.tmp / "much.csv", suite.fresh("shared"), suite.fresh("one")
    lines = [b"row%06d,1,%s,w\n" % (r.randrange(10 ** 6), r.randbytes(500).hex().encode()) for _ in range(4000)]
    path.write_bytes(b"".join(lines) * (-(-(65 << 20) // sum(map(len, lines)))))
    options, left = ("--quote", "none", *COLUMNS, *KEY), pathlib.Path(str(out) + ".shards")
    suite.call("import", "--quiet", *options, "-o", one, path)
    made = [left / ("%05d" % i) for i in (1, 2, 3)]
    for i, shard in enumerate(made, 1):
        suite.call("import", "--quiet", "--shard", "%d/3" % i, *options, "-o", shard, path)
    suite.call("split", "join", "--quiet", "--partitions", "1/2", "-o", left / "share-00001", *made)
    kept, codes = suite.fresh("kept"), []
    shutil.copytree(left, kept)
    files = sorted(p.relative_to(kept) for p in (kept / "share-00001").rglob("*") if p.is_file())
    cases = [(p, i) for p in files for i in range(7)]
    for p, i in cases if STRESS else r.sample(cases, 5):
        for old in (left, out):
            shutil.rmtree(old, ignore_errors=True)
        shutil.copytree(kept, left)
        what, content = list(damages((left / p).read_bytes()))[i]
        (left / p).write_bytes(content)
        command = ("import", "--shards", 3, *options, "-o", out, path)
        codes.append(start_again(suite, one, out, command, "%s %s" % (p, what)))
    demand(codes, "no file")


def disk_that_becomes_full(suite):
    """At each stage of shards and join: an error that says so, and the same command goes on where there is more room."""
    r = random.Random(suite.seed + 32)
    files = [text(r, suite.tmp / ("t%d.csv" % i), 60000) for i in range(4)]
    for form in (MANY, (*KEY, "--codec", "zstd")):
        options, one, codes = (*COLUMNS, *form, "-t", 2), suite.fresh("one"), []
        suite.call("import", "--quiet", *options, "-o", one, *files)
        sizes = list(range(64, 1900, 8 if STRESS else 152))
        for size in sizes:
            with tmpfs(suite, "%dk" % size) as folder:
                out = folder / "out"
                command = ("import", "--shards", 4, *options, "-o", out, *files)
                done = suite.call(*command, want={0, 6})
                codes.append(done.code)
                if done.code:
                    demand(b"error: " in done.err and b"space" in done.err, shown(done.err))
                    demand(not (out / "MANIFEST.json").exists(), "%d KB: an output" % size)
                    resize(folder, "16m")
                    suite.call(*command)
                demand(whole_bytes(one) == whole_bytes(out), "%d KB, exit %d: other bytes" % (size, done.code))
                demand([p.name for p in folder.iterdir()] == ["out"], "%d KB: something is left" % size)
        demand(codes[0] == 6 and codes[-1] == 0 and codes == sorted(codes, reverse=True), "codes by size: %s" % codes)
        if suite.args.verbose:
            print("    # %d of %d sizes were too small" % (codes.count(6), len(codes)))


def full_disk_of_each(suite):
    """A shard of its own, then the join of such shards, on disks of all sizes: 6 and nothing published, then the same command
    where there is room makes the bytes of one run."""
    r = random.Random(suite.seed + 34)
    files = [text(r, suite.tmp / ("e%d.csv" % i), 400000 if STRESS else 60000) for i in range(3)]
    options, one = (*COLUMNS, *KEY, "--codec", "none", "-t", 2), suite.fresh("one")
    suite.call("import", "--quiet", *options, "-o", one, *files)
    made = [suite.fresh("each-%d" % i) for i in (1, 2, 3)]
    for i, shard in enumerate(made, 1):
        suite.call("import", "--quiet", "--shard", "%d/3" % i, *options, "-o", shard, *files)
    kb = sum(p.stat().st_size for p in one.rglob("*") if p.is_file()) >> 10
    for command, want in ((("import", "--shard", "2/3", *options, *files), made[1]), (("split", "join", *made), one)):
        codes = []
        for size in range(8, kb + 200, max(4, kb // (150 if STRESS else 12) & ~3)):
            with tmpfs(suite, "%dk" % size) as folder:
                out = folder / "out"
                done = suite.call(*command, "-o", out, want={0, 6})
                codes.append(done.code)
                if done.code:
                    demand(b"error: " in done.err and b"space" in done.err, shown(done.err))
                    demand(not (out / "MANIFEST.json").exists(), "%d KB: an output" % size)
                    demand(not list(out.glob("*/*.hfile")), "%d KB: half an output" % size)
                    resize(folder, "64m")
                    suite.call(*command, "-o", out)
                demand(bytes_of_files(want) == bytes_of_files(out), "%d KB, exit %d: other bytes" % (size, done.code))
                demand([p.name for p in folder.iterdir()] == ["out"], "%d KB: something is left" % size)
        right = codes[0] == 6 and codes[-1] == 0 and codes == sorted(codes, reverse=True)
        demand(right, "%s: codes by size: %s" % (command[:2], codes))
        if suite.args.verbose:
            print("    # %s: %d of %d sizes were too small" % (" ".join(command[:2]), codes.count(6), len(codes)))


def damaged_before_a_join(suite):
    """A file of a shard that is joined is damaged: 5, its name, and no output; or the damage changes nothing that is joined."""
    r = random.Random(suite.seed + 35)
    files = [text(r, suite.tmp / ("h%d.csv" % i), 3000) for i in range(3)]
    options, one, codes = (*COLUMNS, *KEY, "-t", 2), suite.fresh("one"), []
    suite.call("import", "--quiet", *options, "-o", one, *files)
    made = [suite.fresh("joined-%d" % i) for i in (1, 2, 3)]
    for i, shard in enumerate(made, 1):
        suite.call("import", "--quiet", "--shard", "%d/3" % i, *options, "-o", shard, *files)
    cases = [(p, i) for shard in made for p in sorted(shard.rglob("*")) if p.is_file() and not p.is_symlink() for i in range(7)]
    for path, i in cases if STRESS else r.sample(cases, 40):
        as_it_was, out = path.read_bytes(), suite.fresh("of-damaged")
        path.write_bytes(list(damages(as_it_was))[i][1])
        done = suite.call("split", "join", "-o", out, *made, want={0, 2, 5})
        codes.append(done.code)
        path.write_bytes(as_it_was)
        if done.code:
            demand(not out.exists() or not (out / "MANIFEST.json").exists(), "%s: exit %d, and an output" % (path, done.code))
            demand(bytes(path) in done.err or bytes(path.parent) in done.err, "%s: %s" % (path, shown(done.err)))
        else:
            demand(bytes_of_files(one) == bytes_of_files(out), "%s: other bytes than one run" % path)
    demand(5 in codes, "no damage was found: %s" % codes)
    if suite.args.verbose:
        print("    # %d damages: %s" % (len(codes), {c: codes.count(c) for c in set(codes)}))


def two_runs_at_once(suite):
    """The second one ends with 75, whatever the first is at, and touches nothing of it."""
    r = random.Random(suite.seed + 33)
    files = [text(r, suite.tmp / ("w%d.csv" % i), 40000) for i in range(12)]
    options, one, out = (*COLUMNS, *MANY), suite.fresh("one"), suite.fresh("twice")
    suite.call("import", "--quiet", *options, "-o", one, *files)
    command = ("import", "--shards", 12, *options, "-o", out, *files)
    for seen in ("00002", "00012", "00012/MANIFEST.json"):
        shutil.rmtree(out, ignore_errors=True)
        first = subprocess.Popen(suite.command(command[0], command[1:]), env=suite.env, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE)
        while first.poll() is None and not pathlib.Path("%s.shards/%s" % (out, seen)).exists():
            pass
        first.send_signal(signal.SIGSTOP)
        try:
            done = suite.call(*command, want=75)
        finally:
            first.send_signal(signal.SIGCONT)
            why = first.communicate()[1]
        demand(b"another run is using it" in done.err, shown(done.err))
        demand(first.returncode == 0 and whole_bytes(one) == whole_bytes(out), "%s: exit %d: %s" % (
            seen, first.returncode, shown(why)))
