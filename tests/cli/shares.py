"""Cases of shards.py: compactions, checks and exports by shares of the partitions, and what they add up to."""
import json
import pathlib
import random

from programs import NOW, bytes_of_files, cell_files, demand, manifest, shown
from shards_kit import COLUMNS, KEY, SHARES, STRESS, cells_file, joined, refused, shards, text, whole_bytes

# ---- compactions by shares ----

RULES = (("--versions", "1"), ("--versions", "2", "--ttl", "1", "--set", "KEEP_DELETED_CELLS=ttl"),
         ("--versions", "1", "--set", "MIN_VERSIONS=1", "--ttl", "1"), ("--versions", "unlimited", "--rules", "minor"),
         ("--versions", "1", "--rules", "oceanbase"), ("--versions", "1", "--delta"), ("--rules", "none"))


def compacted(suite, stem, inputs, *options):
    out = suite.fresh(stem)
    suite.call("compact", "--quiet", "--now", NOW, *options, "-o", out, *inputs)
    return out


def same_compaction(suite, inputs, options, m):
    """M shares, joined, are the dataset of one compaction, which is returned."""
    one = compacted(suite, "one compaction", inputs, *options)
    shares = [compacted(suite, "part-%d" % j, inputs, "--partitions", "%d/%d" % (j, m), *options) for j in range(1, m + 1)]
    out = suite.fresh("of shares")
    suite.call("split", "join", "--quiet", "-o", out, *reversed(shares))
    a, b = whole_bytes(one), whole_bytes(out)
    demand(a[1] == b[1], "%s, %d shares: other cell files" % (options, m))
    lines = [(x, y) for x, y in zip(a[0].split(b"\n"), b[0].split(b"\n")) if x != y]
    demand(a[0] == b[0], "%s, %d shares: another manifest: %s" % (options, m, lines[:3]))
    for made in (shares[-1], out):
        suite.call("verify", "check", "--quiet", made)
    return one, shares


def compactions(suite):
    """Of datasets, of which each brings versions and markers."""
    r = random.Random(suite.seed + 16)
    days = []
    for i in range(3):
        days.append(suite.fresh("day-%d" % i))
        suite.call("import", "--quiet", "--format", "cells", *KEY, "-o", days[-1],
                   cells_file(r, suite.tmp / "cells.txt", 400, 60, ("f", "g") if i else ("f",)))
    for k, options in enumerate(RULES if STRESS else RULES[::3]):
        for m in SHARES if k == 0 else SHARES[1:2]:
            same_compaction(suite, days, options, m)


def compactions_of_shards(suite):
    """Shards are compacted without a join before: cells as of a compaction of the joined dataset, which is that of one run."""
    r = random.Random(suite.seed + 17)
    n, m, cells = (64, 97, 40) if STRESS else (4, 3, 300)
    files = [cells_file(r, suite.tmp / ("c%d.txt" % i), cells, 60) for i in range(n * 3 // 2)]
    options = ("--format", "cells", "--partition", "key:%d" % (m + 2), "--now", NOW)
    made, imported = shards(suite, n, files, options), suite.fresh("imported")
    suite.call("import", "--quiet", *options, "-o", imported, *files)
    whole = joined(suite, made, m)
    demand(whole_bytes(whole) == whole_bytes(imported), "%d shards: other bytes than one run" % n)
    demand(all(manifest(s)["totals"]["cells"] for s in made), "a shard is empty")
    counts = set()
    for rules in RULES:
        one, _ = same_compaction(suite, made, rules, m)
        of_joined = compacted(suite, "of joined", [whole], *rules)
        demand(bytes_of_files(one) == bytes_of_files(of_joined), "%s: other cells than of the joined dataset" % (rules,))
        counts.add(manifest(one)["totals"]["cells"])
    demand(len(counts) > 3, "most rules leave the same cells: %s" % counts)


def exchanged_files(suite):
    """A file with as many cells as its manifest says, but others: what keeps every cell finds it by what it has written."""
    r = random.Random(suite.seed + 18)
    files = [text(r, suite.tmp / ("x%d.csv" % i), 5000) for i in range(2)]
    options, raw = (*COLUMNS, *KEY, "--codec", "none", "-t", 1), files[0].read_bytes()
    made = sorted(shards(suite, 2, files, options))
    at = raw.index(b",", raw.index(b",") + 1) + 1
    files[0].write_bytes(raw[:at] + (b"1" if raw[at:at + 1] != b"1" else b"2") + raw[at + 1:])
    other, exchanged = sorted(shards(suite, 2, files, options, "other")), 0
    for pack in manifest(made[0])["packs"]:
        path, at = made[0] / pack["path"], pack["index_at"]
        a, b = path.read_bytes(), (other[0] / pack["path"]).read_bytes()
        if a[:at] != b[:at]:
            demand(len(a) == len(b), "the files have other sizes")
            path.write_bytes(b[:at] + a[at:])
            exchanged += 1
    demand(exchanged == 1, "%d files differ" % exchanged)
    refused(suite, made, "the manifests say", "with another digest", want=5)
    done = suite.call("compact", "--rules", "none", "--now", NOW, "-o", suite.fresh("no"), *made, want=5)
    demand(b"with another digest" in done.err, shown(done.err))


def accounts(suite):
    """Shards and shares add up to what one run says; one that is not given is named."""
    r = random.Random(suite.seed + 19)
    files = [cells_file(r, suite.tmp / ("a%d.txt" % i), 300, 60) for i in range(4)]
    options = ("--format", "cells", *KEY)
    made = sorted(shards(suite, 3, files, options))
    joins = [suite.fresh("join-%d" % j) for j in (1, 2)]
    for j, out in enumerate(joins, 1):
        suite.call("split", "join", "--quiet", "--partitions", "%d/2" % j, "-o", out, *made)
    one, shares = same_compaction(suite, made, ("--versions", "1"), 2)
    imported = suite.fresh("imported")
    suite.call("import", "--quiet", *options, "-o", imported, *files)

    def account(*manifests, want=0):
        a = json.loads(suite.call("verify", "account", "--json", *manifests, want=want).out)
        return [a[k]["cells"] for k in ("sources", "results")] + [a["results"], a["dropped"]], [p["text"] for p in a["problems"]]

    whole = account(imported)
    for parts in (made, joins):
        sums, problems = account(*parts)
        demand(not problems and sums[1:] == whole[0][1:] and sums[0]["cells"] == whole[0][0]["cells"], (sums, problems))
    demand(account(*made, *shares) == account(*made, one), "shares of a compaction do not add up")
    packs = [str(m / p["path"]) for m in made for p in manifest(m)["packs"]]
    for out in (one, *shares):
        demand([i["path"] for i in manifest(out)["inputs"]] == packs, "inputs of a compaction of shards are not their packs")
    problems = account(one, want=1)[1]
    demand(["the manifest of %s was not given" % m in p for m, p in zip(made, problems)] == [True] * 3, problems)
    for parts, wanted in ((made[:1] + made[2:], "shard 2 of 3 was not given"), (joins[1:], "share 1 of 2 was not given"),
                          (made + shares[:1], "share 2 of 2 was not given")):
        problems = account(*parts, want=1)[1]
        demand(problems == [wanted], problems)


def refused_compactions(suite):
    r = random.Random(suite.seed + 18)
    files = [cells_file(r, suite.tmp / ("c%d.txt" % i), 300, 60) for i in range(3)]
    made = sorted(shards(suite, 3, files, ("--format", "cells", *KEY)))
    day = suite.fresh("day")
    suite.call("import", "--quiet", "--format", "cells", *KEY, "-o", day, files[0])

    def refuse(wanted, *args):
        done = suite.call("compact", "--now", NOW, "--versions", "1", "-o", suite.fresh("no"), *args, want=2)
        demand(wanted.encode() in done.err, "'%s' is not in: %s" % (wanted, shown(done.err)))

    refuse("shard 2 of 3 is missing", made[0], made[2])
    refuse("day is no shard", *made, day)
    refuse("is no shard", *made, files[0])
    refuse("--partitions and --base exclude each other", "--partitions", "1/2", "--base", day, made[0])
    refuse("an input is not a dataset", "--partitions", "1/2", "--format", "cells", "--partition", "key:5", day, files[0])
    refuse("expected I/N", "--partitions", "3/2", day)
    refuse("--rules none keeps every cell", "--rules", "none", "--purge-deletes", day)
    shares = [compacted(suite, "part-%d" % j, made, "--partitions", "%d/2" % j, "--versions", "1") for j in (1, 2)]
    other = compacted(suite, "other", made, "--partitions", "2/2", "--versions", "2")
    of_day = compacted(suite, "of day", [day], "--partitions", "2/2", "--versions", "1")
    refused(suite, shares[:1], "share 2 of 2 is missing")
    refused(suite, shares[:1] + [other], "--versions 2 → 1")
    refused(suite, shares[:1] + [of_day], "was made of other inputs")
    done = suite.call("compact", "--versions", 1, "-o", suite.fresh("no"), shares[0], want={2, 5})
    demand(b"obkv-split join" in done.err, shown(done.err))
    done = suite.call("compact", "--now", NOW, "--partitions", "1/2", "--versions", "1", "-o", shares[0], *made)
    demand(b"nothing to do" in done.err, shown(done.err))


def families_that_no_shard_has(suite):
    """A warning that nothing is selected names what any shard has, and only what all of them lack."""
    lines = suite.tmp / "families.jsonl"
    lines.write_text("".join(json.dumps({"v": 2, "row": "k%06d" % i, "family": "late" if i > 39000 else "f", "qualifier": "a",
                                         "ts": NOW, "value": "x" * 40}) + "\n" for i in range(40000)))
    made = shards(suite, 2, [lines], ["--families", "lat,late", "--rows", "z:", *KEY])
    done = suite.call("split", "join", "-o", suite.fresh("joined"), *made)
    wanted = (b"the selection matches nothing in the inputs; check --families, --rows: no input has the family lat; "
              b"the families there are: f, late; did you mean 'late'? [nothing-selected]")
    demand(wanted in done.err, shown(done.err))


def rejects_of_shards(suite):
    """Bad records of all shards count together: tolerated as by one run, and refused where one run refuses."""
    lines = ["id%05d,%d,v,w" % (i, NOW if i % 1000 and not 5000 < i < 5008 else -1) for i in range(20000)]
    files = [suite.tmp / ("bad%d.csv" % i) for i in range(4)]
    for i, path in enumerate(files):
        path.write_text("".join(line.replace(",-1,", ",never,") + "\n" for line in lines[5000 * i:5000 * (i + 1)]))
    bad, report = 20 + 7, pathlib.PurePath("_report/reasons.tsv")

    made = [suite.fresh("bad-%d" % i) for i in (1, 2, 3, 4)]
    compact = ("compact", "--now", NOW, "--versions", "1")

    def import_(limit, want):
        options, one = (*COLUMNS, *KEY, "--max-rejects", limit), suite.fresh("one")
        done = suite.call("import", "--quiet", *options, "-o", one, *files, want=want)
        return options, one, done

    def import_shards(options):
        for i, out in enumerate(made, 1):
            suite.call("import", "--quiet", "--shard", "%d/4" % i, *options, "-o", suite.fresh(out.name), *files, want=3)

    for limit in ("%d" % bad, "0.2%"):
        options, one, _ = import_(limit, 3)
        out = suite.fresh("by-shards")
        suite.call("import", "--quiet", "--shards", 4, *options, "-o", out, *files, want=3)
        demand(whole_bytes(one) == whole_bytes(out), "--max-rejects %s: other bytes than one run" % limit)
        parts = sorted((out / "_report").glob("shard-0000?"))
        demand([p.name for p in parts] == ["shard-0000%d" % i for i in (1, 2, 3, 4)], parts)
        texts = [(one / report).read_text()] + [(p / report.name).read_text() for p in parts]
        head = texts[0].split("\n", 1)[0] + "\n"
        demand(texts[0] == head + "".join(t[len(head):] for t in texts[1:]) and texts[0].count("\n") == bad + 1, texts)
        demand((parts[1] / "rejects/00001/bad1.csv").read_text().count("never") == 12, "rejects of a source")
        import_shards(options)
        one, _ = same_compaction(suite, made, ("--versions", "1"), 2)  # of cells: it ends with 0
        demand(manifest(one)["ledger"]["records"]["rejected"] == 0, "rejects of a compaction")
    for limit in ("%d" % (bad - 1), "0.1%"):
        options, _, done = import_(limit, 4)
        import_shards(options)
        for command in (("split", "join"), ("split", "join", "--partitions", "1/2"), compact, (*compact, "--partitions", "1/2")):
            done = suite.call(*command, "-o", suite.fresh("no"), *made, want=4)
            demand(b"27 of 20000 records rejected by all shards together, more than --max-rejects %s" % limit.encode() in done.err
                   and b"bad-1/_report/reasons.tsv" in done.err, shown(done.err))
    done = suite.call("import", "--shards", 4, *COLUMNS, *KEY, "--max-rejects", 7, "-o", suite.fresh("no"), *files, want=4)
    demand(b"shard 2/4: 12 of 5000 records rejected" in done.err, shown(done.err))


# ---- the rest of the work, by shares ----

def exports_of_shares(suite):
    """Every row once, whatever the number of shares."""
    whole = suite.fresh("whole")
    suite.call("import", "--quiet", *COLUMNS, "--partition", "key:7", "--now", NOW, "-o", whole,
               text(random.Random(suite.seed + 14), suite.tmp / "e.csv", 60000))

    def lines(name, *options):
        out = suite.fresh(name)
        suite.call("export", "--quiet", "--name", "t", *options, "-o", out, whole)
        return {p.relative_to(out): p.read_bytes() for p in (out / "data").rglob("*") if p.is_file()}

    one = lines("export")
    demand(len(one) > 10, "too few files to divide")
    for m in (1, 2, 7):
        shares = [lines("share", "--partitions", "%d/%d" % (j, m)) for j in range(1, m + 1)]
        demand(sum(map(len, shares)) == len(one), "%d shares: a file is there twice, or missing" % m)
        demand({k: v for s in shares for k, v in s.items()} == one, "%d shares: other files" % m)
    for share in ("0/2", "3/2", "1/2/3", "a/b", "/", "1/" + "9" * 40):
        done = suite.call("export", "--name", "t", "--partitions", share, "-o", suite.fresh("no"), whole, want=2)
        demand(b"--partitions" in done.err, shown(done.err))


def checks_of_shares(suite):
    """What shares report adds up to what one check reports; what is wrong is in one of them."""
    whole = suite.fresh("whole")
    suite.call("import", "--quiet", *COLUMNS, "--partition", "key:7", "--now", NOW, "-o", whole,
               text(random.Random(suite.seed + 15), suite.tmp / "c.csv", 60000))

    def check(*options, want=0):
        return json.loads(suite.call("verify", "check", "--json", *options, whole, want=want).out)

    def demand_sum(m, want):
        one, shares = check(want=want), [check("--partitions", "%d/%d" % (j, m), want={0, 1}) for j in range(1, m + 1)]
        for name in ("files", "cells", "bytes", "kv_bytes", "rows", "data_blocks", "problems_found"):
            demand(sum(s[name] for s in shares) == one[name], "%d shares, %s: %s" % (m, name, [s[name] for s in shares]))
        digest = sum(int(s["digest"], 16) for s in shares) % (1 << 128)
        demand(digest == int(one["digest"], 16), "%d shares: another digest" % m)
        names = [p["name"] for s in shares for p in s["families"][0]["partitions"]]
        demand(sorted(names) == sorted(p["name"] for p in one["families"][0]["partitions"]), names)
        return [s["problems_found"] for s in shares]

    for m in (1, 2, 3, 9):
        demand(demand_sum(m, 0) == [0] * m, "%d shares: problems" % m)
    demand(check("--partitions", "p3,5")["files"] == 2 * check("--partitions", "3")["files"], "by name and number")
    (cell_files(whole)[0].parent / "stranger").write_bytes(b"x")
    last = sorted(cell_files(whole))[-1]
    damaged = bytearray(last.read_bytes())
    damaged[len(damaged) // 3] ^= 1
    last.write_bytes(damaged)
    found = demand_sum(7, 1)
    demand(found[0] and found[6] and not any(found[1:6]), "problems by share: %s" % found)
    done = suite.call("verify", "check", "--partitions", "1/2", last, want=2)
    demand(b"is not a dataset" in done.err, shown(done.err))
