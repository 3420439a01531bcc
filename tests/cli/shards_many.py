"""Cases of shards.py: packs, and more shards than descriptors or memory allow to be open at once."""
import random
import resource
import shutil
import subprocess

from programs import NOW, demand, manifest, shown
from shards_kit import COLUMNS, KEY, STRETCH, joined, shards, text, whole_bytes

N = 60


def limited(suite, files, tool, *args, hard=None, want=0):
    """With so many open files."""
    done = subprocess.run(suite.command(tool, args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=suite.env, cwd=suite.tmp,
                          timeout=300, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard or files)))
    demand(done.returncode == want, "exit %d: %s" % (done.returncode, shown(done.stderr)))
    return done.stderr


def made(suite, stem, *options):
    r = random.Random(suite.seed + 40)
    files = [text(r, suite.tmp / ("%s%02d.csv" % (stem, i)), r.randrange(200, 4000)) for i in range(N)]
    options = (*COLUMNS, *KEY, *options)
    one = suite.fresh("one")
    suite.call("import", "--quiet", *options, "-o", one, *files)
    return one, shards(suite, N, files, options, stem)


def joined_in_levels(suite):
    """The bytes are those of one run, however few shards are open at a time."""
    one, parts = made(suite, "levels")
    for files, threads, memory in ((24, 1, "1G"), (30, 2, "1G"), (1024, 1, "64M"), (25, 1, "64M")):
        out = suite.fresh("joined")
        said = limited(suite, files, "split", "join", "-v", "--threads", threads, "--memory", memory, "-o", out, *parts)
        demand(files > 100 or b"%d shards are merged in levels, " % N in said, shown(said))
        demand(whole_bytes(one) == whole_bytes(out), "%d files, %s: other bytes" % (files, memory))
    said = limited(suite, 16, "split", "join", "-o", suite.fresh("no"), *parts, want=6)
    demand(b"error: not even two of %d shards can be open at once: give more --memory, or raise the limit of open files (ulimit "
           b"-n)" % N in said, shown(said))
    shares = [suite.fresh("share-%d" % j) for j in (1, 2)]
    for j, share in enumerate(shares, 1):
        limited(suite, 24, "split", "join", "--quiet", "--partitions", "%d/2" % j, "-o", share, *parts)
    suite.call("split", "join", "--quiet", "-o", suite.fresh("joined"), *shares)
    demand(whole_bytes(one) == whole_bytes(suite.tmp / "joined"), "of shares: other bytes")


def compacted_in_levels(suite):
    """What is read in levels is ranked as before, of shards and of datasets that came one after the other."""
    one, parts = made(suite, "rules")
    datasets = [suite.fresh("day-%d" % i) for i in range(N)]
    r = random.Random(suite.seed + 41)
    for i, out in enumerate(datasets):
        suite.call("import", "--quiet", *COLUMNS, *KEY, "-o", out, text(r, suite.tmp / ("day%d.csv" % i), r.randrange(200, 2000)))
    said = limited(suite, 16, "compact", "--rules", "none", "-o", suite.fresh("no"), *parts, want=2)
    demand(b"not even two inputs can be open at once: give more --memory or open files (ulimit -n)" in said, shown(said))
    for inputs in (parts, datasets):
        for rules in (("--versions", 2), ("--rules", "none"), ("--versions", 1, "--ttl", 3)):
            wide, narrow = suite.fresh("wide"), suite.fresh("narrow")
            suite.call("compact", "--quiet", "--now", NOW, *rules, "-o", wide, *inputs)
            said = limited(suite, 24, "compact", "-v", "--threads", 1, "--now", NOW, *rules, "-o", narrow, *inputs)
            demand(b"%d inputs are merged in levels, " % N in said, shown(said))
            demand(whole_bytes(wide) == whole_bytes(narrow), "%s: other bytes" % (rules,))
            demand(manifest(narrow)["totals"]["cells"] > 0, "nothing is left")


def raised_soft_limit(suite):
    """Every program raises the soft limit of open files to the hard one, and says so."""
    one, parts = made(suite, "soft")
    said = limited(suite, 24, "split", "join", "-v", "-o", suite.fresh("joined"), *parts, hard=2000)
    demand(b"open files: the soft limit of 24 was raised to the hard one, 2000\n" in said, shown(said))
    demand(b"in levels" not in said and whole_bytes(one) == whole_bytes(suite.tmp / "joined"), shown(said))
    for tool, args in (("import", [*COLUMNS, *KEY, "-o", "no", "-n", suite.tmp / "soft00.csv"]), ("verify", ["check", one]),
                       ("export", ["--name", "t", "-n", "-o", suite.fresh("export"), one]),
                       ("compact", ["--versions", 1, "-o", "no", "-n", one]),
                       ("load", ["--help"])):
        said = limited(suite, 24, tool, *args, *(["-v"] if tool != "load" else []), hard=2000)
        demand(b"raised to the hard one, 2000" in said or tool == "load", tool + ": " + shown(said))


def joined_in_little_memory(suite):
    """What all manifests say alike is kept once, and a share keeps its own files only: so 250 shards of 997 partitions fit."""
    files = []
    for i in range(250):
        files.append(suite.tmp / ("tiny%03d.csv" % i))
        files[-1].write_text("k%d,%d,a,b\n" % (i, NOW))
    bounds = suite.tmp / "bounds"
    bounds.write_text("".join("row%032d\n" % i for i in range(996)))
    options = (*COLUMNS, "--partition", "range:%s" % bounds, "--now", NOW)
    parts = shards(suite, 250, files, options, "tiny")
    texts = sum((part / "MANIFEST.json").stat().st_size for part in parts)
    demand(texts > (64 << 20) / 10, "the manifests take only %d bytes" % texts)
    one, out = suite.fresh("one"), suite.fresh("joined")
    suite.call("import", "--quiet", *options, "-o", one, *files)
    suite.call("split", "join", "--quiet", "--memory", "64M", "-o", out, *parts)
    demand(whole_bytes(one) == whole_bytes(out), "other bytes")
    shares = [suite.fresh("share-%d" % j) for j in (1, 2)]
    for j, share in enumerate(shares, 1):
        suite.call("split", "join", "--quiet", "--memory", "64M", "--partitions", "%d/2" % j, "-o", share, *parts)
    suite.call("split", "join", "--quiet", "-o", suite.fresh("joined"), *shares)
    demand(whole_bytes(one) == whole_bytes(out), "of shares: other bytes")


def packs(suite):
    """Files and manifest do not grow with the partitions. Both forms are joined, whole and by shares that search the indexes."""
    r = random.Random(suite.seed + 30)
    path, sizes = text(r, suite.tmp / "packs.csv", 5 * STRETCH // 2), {}
    for n in (7, 97):
        options = (*COLUMNS, "--quote", "none", "--partition", "key:%d" % n, "--now", NOW)
        one = suite.fresh("one")
        suite.call("import", "--quiet", *options, "-o", one, path)
        made = shards(suite, 2, [path], ("-t", 1, *options))
        for shard in made:
            demand(sorted(str(p.relative_to(shard)) for p in shard.rglob("*") if p.is_file() and ".obkv" not in p.parts) ==
                   ["MANIFEST.json", "f/w00000.pack", "g/w00000.pack"], "other files: %s" % list(shard.rglob("*")))
            demand(not manifest(shard)["files"] and manifest(shard)["totals"]["files"] == 2 * n, "files are listed")
        sizes[n] = (made[0] / "MANIFEST.json").stat().st_size
        for m in (1, 3, 10):
            demand(whole_bytes(joined(suite, made, m)) == whole_bytes(one), "%d partitions, %d shares: other bytes" % (n, m))
    demand(sizes[97] - sizes[7] < 40 * 90, "the manifest grows: %s" % sizes)
    pack = made[0] / "f/w00000.pack"
    listed = suite.call("verify", "info", "--blocks", made[0]).out.decode()
    member = made[0] / next(word for word in listed.split() if word.startswith("f/w00000.pack/p00003-000.hfile@"))
    for command in ("dump", "info"):
        demand(suite.call("verify", command, member).out, "%s: no member by its path" % command)
    suite.call("verify", "check", member)
    for damage, why in ((lambda b: b[:-1], b"bytes, the manifest says"), (lambda b: b[:-40] + b"?" + b[-39:], b"the index at"),
                        (None, b"w00000.pack: listed in the manifest")):
        raw = pack.read_bytes()
        pack.write_bytes(damage(raw)) if damage else pack.unlink()
        done = suite.call("split", "join", "-o", suite.fresh("no"), *made, want=5)
        demand(why in done.err, shown(done.err))
        done = suite.call("verify", "check", made[0], want={1, 5})
        demand(why in done.out + done.err, shown(done.out + done.err))
        pack.write_bytes(raw)
    shutil.copy(made[1] / "f/w00000.pack", pack)
    done = suite.call("split", "join", "-o", suite.fresh("no"), *made, want=5)
    demand(b"bytes, the manifest says" in done.err or b"another pack than the manifest says" in done.err, shown(done.err))


TESTS = (packs, joined_in_little_memory, joined_in_levels, compacted_in_levels, raised_soft_limit)
