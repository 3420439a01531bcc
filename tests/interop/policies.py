"""Which files a compaction takes, when and where a region splits, what a cell takes of a memstore, and how regions are
balanced over servers: decided by HBase's own
classes and by the simulated cluster (tests/unit/t_hbase_rules, which reads the lines that src/DecidePolicies.java writes)."""
import random
import subprocess

CASES = 1500
PACKAGE = "org.apache.hadoop.hbase.regionserver."
NOW = 1750000000000
DAY = 86400000


def some(r, share, choices):
    """Settings, each with this probability: {name: [values]}."""
    return {name: r.choice(values) for name, values in choices.items() if r.random() < share}


def text(settings):
    return ";".join(f"{k}={v}" for k, v in settings.items())


def compaction_settings(r):
    return some(r, 0.35, {
        "hbase.hstore.defaultengine.compactionpolicy.class": [PACKAGE + "compactions.RatioBasedCompactionPolicy"] * 2 +
                                                             [PACKAGE + "compactions.ExploringCompactionPolicy"],
        "hbase.hstore.compaction.min": [0, 2, 3, 4, 5],
        "hbase.hstore.compactionThreshold": [2, 4, 6],
        "hbase.hstore.compaction.max": [3, 5, 7, 10, 20],
        "hbase.hstore.compaction.ratio": ["1.0", "1.2", "1.4", "0.5", "2.5"],
        "hbase.hstore.compaction.ratio.offpeak": ["1.0", "5.0", "8.5"],
        "hbase.hstore.compaction.min.size": [0, 10, 1000, 1 << 20, 1 << 27],
        "hbase.hstore.compaction.max.size": [500, 5000, 1 << 30],
        "hbase.hstore.compaction.max.size.offpeak": [2000, 1 << 32],
        "hbase.hstore.blockingStoreFiles": [3, 5, 7, 10],
        "hbase.hregion.majorcompaction": [0, DAY, 3 * DAY],
        "hbase.hregion.majorcompaction.jitter": ["0", "0.2", "0.5", "1.0"],
    })


def sizes(r):
    n = r.choice((1, 1, 2, 3, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30))
    unit = r.choice((1, 100, 1 << 20, 1 << 30))
    kind = r.randrange(4)
    if kind == 0:
        return [r.randint(1, 10) * unit for _ in range(n)]
    if kind == 1:  # as compactions leave them
        return [max(1, int(unit * 1.2 ** (n - i) * r.choice((1, 1, 0.9)))) for i in range(n)]
    if kind == 2:
        return sorted((int(unit * r.paretovariate(1)) + 1 for _ in range(n)), reverse=r.random() < 0.8)
    return [unit * r.choice((1, 1, 1, 5, 6, 12)) for _ in range(n)]


def select_case(r):
    bytes_ = sizes(r)
    compacting = r.randint(0, len(bytes_) - 1) if r.random() < 0.2 else -1
    files = []
    for i, n in enumerate(bytes_):
        made = NOW - r.choice((1, 3, 8, 11)) * DAY + r.randint(-DAY, DAY) if r.random() < 0.5 else NOW - r.randint(0, DAY)
        flags = ("r" if r.random() < 0.02 else "") + ("c" if i <= compacting and r.random() < 0.7 else "") + \
                ("m" if i == 0 and r.random() < 0.5 else "")
        files.append(f"{n},{made},{made - r.randint(0, 20 * DAY)},{r.randrange(16 ** 32):032x},{flags or '-'}")
    state = f"{NOW},{int(r.random() < 0.2)},{int(r.random() < 0.2)},{r.choice((0, 0, DAY, 10 * DAY, 100 * DAY))}"
    s = compaction_settings(r)
    parts = [{}, {}, {}]
    for name, value in s.items():
        parts[r.choice((0, 0, 1, 2))][name] = value
    parts[0].update(some(r, 0.2, {"hbase.hregion.memstore.flush.size": [5000, 1 << 26]}))
    parts[1].update(some(r, 0.2, {"MEMSTORE_FLUSHSIZE": [100000, 1 << 25]}))
    return "\t".join(["select", *map(text, parts), state, ";".join(files)])


def split_case(r):
    policies = ["SteppingSplitPolicy", "IncreasingToUpperBoundRegionSplitPolicy", "ConstantSizeRegionSplitPolicy",
                "KeyPrefixRegionSplitPolicy", "DelimitedKeyPrefixRegionSplitPolicy", "DisabledRegionSplitPolicy"]
    flush = r.choice((1000000, 1 << 27))
    site = {"hbase.hregion.max.filesize.jitter": 0, **some(r, 0.4, {
        "hbase.regionserver.region.split.policy": [PACKAGE + p for p in policies],
        "hbase.hregion.max.filesize": [20000000, 10 << 30],
        "hbase.hregion.memstore.flush.size": [flush],
        "hbase.increasing.policy.initial.size": [3000000, 1 << 61],
        "hbase.hregion.split.overallfiles": ["true", "false", "TRUE", "yes"],
    })}
    table = some(r, 0.5, {
        "SPLIT_POLICY": [PACKAGE + p for p in policies],
        "MAX_FILESIZE": [5000000, 1 << 30],
        "MEMSTORE_FLUSHSIZE": [2000000, 1 << 26],
        "KeyPrefixRegionSplitPolicy.prefix_length": [1, 3, 8, 100],
        "prefix_split_key_policy.prefix_length": [2],
        "DelimitedKeyPrefixRegionSplitPolicy.delimiter": ["_", "ab", "#"],
    })
    regions = r.choice((1, 1, 2, 3, 4, 7, 50, 100, 101))
    stores = []
    for _ in range(r.choice((1, 1, 2, 3))):
        row = "-" if r.random() < 0.1 else "".join(r.choice("ab_0#") for _ in range(r.randint(1, 9))).encode().hex()
        size = r.choice((2000000, 4000000, 5000000, 6000000, 5000001, 20000001, 1 << 27, 1 << 28, (1 << 28) + 1, 1 << 30,
                         (1 << 30) + 1, 11 << 30, r.randint(1, 1 << 35)))
        stores.append(f"{size},{row},{'r' if r.random() < 0.05 else '-'}")
    return "\t".join(["split", text(site), text(table), "", str(regions), ";".join(stores)])


def heap_case(r):
    value = r.choice((0, r.randint(1, 100), r.randint(1, 5000), 262000, 262144, 300000))
    row, qualifier, tag = r.randint(1, 60), r.randint(0, 40), r.choice((0, 0, 8, r.randint(1, 90)))
    return "\t".join(["heap", "", "", "", f"{row},{qualifier},{value},{tag}"])


def balance_case(r):
    servers, most = r.randint(1, 12), r.choice((1, 3, 10, 40))
    regions = [r.choice((0, r.randint(0, most), most)) for _ in range(servers)]
    regions[0] = max(regions[0], 1)
    site = some(r, 0.5, {"hbase.regions.slop": ["0", "0.001", "0.2", "0.5"]})
    return "\t".join(["balance", text(site), "", "", ",".join(map(str, regions))])


def cases(seed):
    r = random.Random(seed)
    kinds = select_case, select_case, select_case, split_case, split_case, heap_case, balance_case
    return [r.choice(kinds)(r) for _ in range(CASES)]


def run(interop):
    seed = interop.args.seed
    print(f"policies: --seed {seed}", flush=True)
    asked, decided = interop.work / "policies.cases", interop.work / "policies.tsv"
    asked.write_text("".join(line + "\n" for line in cases(seed)))
    hbase = interop.hbase["trees"]
    ok, said = hbase.run(PACKAGE + "DecidePolicies", [asked, decided], ["policies"])["policies"]
    if not interop.report.check(ok, f"policies decided by HBase {hbase.version}", said):
        return
    program = interop.tools.folder.parent / "test" / "t_hbase_rules"
    if not program.is_file():
        interop.report.line("skip", "policies decided alike", f"{program} is missing (make unit)")
        return
    p = subprocess.run([str(program), str(decided)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    problem = p.stdout.decode("utf-8", "replace")[-2000:] if p.returncode else ""
    interop.report.check(not problem, f"policies decided alike: {CASES}", problem)
