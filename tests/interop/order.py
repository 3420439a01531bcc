"""Which of two equal cells is newer, a table's or a bulk load's: HBase writes and flushes random tables, takes snapshots, loads
HFiles of the same rows, columns and times, and compacts. Our programs read the snapshots and the HFiles: in one import, in an
import and a compaction, and as datasets of their own; with loads as HFiles or as text. Each must leave what HBase leaves."""
import collections
import random

import celldata
from hbase import Failed

TABLES = 4  # a tenth of what has been compared: --order-tables 40
NOW_MS = 1750000000000


class Case:
    def __init__(self, seed, folder):
        r = random.Random(seed)
        self.seed, self.name, self.out = seed, f"order{seed}", folder / str(seed)
        self.versions, self.mvcc = r.choice((1, 2, 3, 1000)), r.random() < 0.4
        self.kept = "FALSE" if self.mvcc else r.choice(("FALSE", "FALSE", "TRUE"))
        self.loads = [self.out / str(n + 1) for n in range(r.randint(1, 3))]
        self.text = r.random() < 0.5

    def job(self):
        return (self.name, self.seed, self.versions, str(self.mvcc).lower(), self.kept, len(self.loads), self.out)


def outcomes(interop, case, root):
    """(what was run, what is left), and the cells of each input."""
    tools, base = interop.tools, ("--partition", "none", "--quiet", "--now", NOW_MS)
    snapshot = root / ".hbase-snapshot" / f"{case.name}_s"

    def dump(name):
        tools.run("obkv-verify", "dump", case.out / name, out=case.out / f"{name}.cells")
        return celldata.read_lines(case.out / f"{name}.cells")

    def made(program, name, *args):
        tools.run(program, *base, "-o", case.out / name, *args)
        return dump(name)

    inputs = [made("obkv-import", "d0", snapshot)]
    inputs += [made("obkv-import", f"d{n}", folder) for n, folder in enumerate(case.loads, 1)]
    loads = [case.out / f"d{n}.cells" if case.text and n % 2 else folder for n, folder in enumerate(case.loads, 1)]
    datasets = [case.out / f"d{n}" for n in range(len(inputs))]
    mvcc = ("--set", "NEW_VERSION_BEHAVIOR=true") if case.mvcc else ()
    left = {"import --compact": made("obkv-import", "at-once", "--compact", snapshot, *loads)}
    made("obkv-import", "kept", snapshot, *loads)
    left["import, compact"] = made("obkv-compact", "later", "--purge-deletes", case.out / "kept")
    left["compact"] = made("obkv-compact", "merged", *mvcc, *datasets)
    left["compact --rank sequence"] = made("obkv-compact", "ranked", "--rank", "sequence", *datasets)
    made("obkv-compact", "unruled", "--rules", "none", *datasets)
    left["compact --rules none, compact"] = made("obkv-compact", "ruled", "--purge-deletes", case.out / "unruled")
    return left, inputs


def decisions(inputs):
    """Cells of one row, column, time and type in several inputs."""
    seen = collections.Counter(key for cells in inputs for key in {tuple(c.split("\t")[:5]) for c in cells})
    return sum(n > 1 for n in seen.values())


def compared(interop, case, root):
    try:
        left, inputs = outcomes(interop, case, root)
    except Failed as e:
        return 0, [(case.name, str(e))]
    want = celldata.without_seq(celldata.read_lines(case.out / "left"))
    about = f"seed {case.seed}, VERSIONS {case.versions}, NEW_VERSION_BEHAVIOR {case.mvcc}, KEEP_DELETED_CELLS {case.kept}"
    results = []
    for how, cells in left.items():
        problem = celldata.difference(want, celldata.without_seq(cells))
        results.append((f"{case.name}: {how}", problem and f"{problem}; {about}, text {case.text}, {len(case.loads)} loads"))
    return decisions(inputs), results


def run(interop):
    hbase, cluster = interop.hbase["trees"], interop.work / "order-cluster"
    cluster.mkdir()
    cases = [Case(interop.args.seed * 1000 + i, interop.work / "order") for i in range(interop.args.order_tables)]
    for case in cases:
        case.out.mkdir(parents=True)
    verdicts = hbase.run_jobs("LoadAfterSnapshot", [case.job() for case in cases], interop.work, before=(cluster,))
    interop.report.group(f"snapshots and bulk loads by HBase {hbase.version}",
                         [(name, "" if ok else text) for name, (ok, text) in verdicts.items()])
    if not interop.with_tools:
        return
    results = interop.in_parallel(lambda c: compared(interop, c, cluster / "root"), [c for c in cases if verdicts[c.name][0]])
    interop.report.group("the newer of equal cells as by HBase", [r for _, rs in results for r in rs])
    print(f"order: --seed {interop.args.seed}, {sum(n for n, _ in results)} decisions, each in 5 ways", flush=True)
