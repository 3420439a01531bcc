"""Logs of a real HBase, all of them and each time without one: does obkv-import tell that one is missing? Complete sets must say
nothing, unless writes skip the log: these leave the same gaps as a log that is missing, and are only counted. A log is told by
the sequence ids that it takes away between two others, so the first and the last of a server are not, nor one that holds only a
few entries. One that has no entries of the table, but opens its regions, may be told or not."""
import json

from hbase import Failed

ROLLS = 40
WITHOUT_LOG = (0, 5)  # of 100 steps, so many write without the log
FEW = 12  # entries of all regions that a log may take away without being missed


def imported(interop, folder, logs):
    """(cells of the table, entries of the table, warnings of a missing log)"""
    out = folder / "out.json"
    interop.tools.run("obkv-import", "--json", "--quiet", "--overwrite", "--format", "wal", "--table", "t1", "--allow",
                      "bulk-loaded", "--partition", "none", "-o", folder / "dataset", *logs, out=out)
    result = json.loads(out.read_text())
    missing = [w for w in result["warnings"] if w["code"] == "log-missing"]
    return result["wal"]["entries"], missing


def server(log):
    return log.name.rsplit(".", 1)[0]


def is_told(logs, log, entries):
    """Must it be told? Logs of its server stand on both sides, and more than a few entries are in it."""
    others = [p.name for p in logs if server(p) == server(log)]
    return entries > FEW and others.index(log.name) > 0 and log.name != others[-1]


def judged(interop, folder, skips):
    """(figures, problems) of one set."""
    logs = sorted((p for p in (folder / "logs").iterdir() if ".meta" not in p.name), key=lambda p: p.name)
    problems, told, passed = [], 0, []
    entries, missing = imported(interop, folder, logs)
    if missing and not skips:
        problems.append(f"false alarm: {missing}")
    for log in logs:
        left, missing = imported(interop, folder, [p for p in logs if p != log])
        if entries != left:
            told += bool(missing)
            if not missing:
                passed.append((entries - left, is_told(logs, log, entries - left)))
    between = [n for n, told_for in passed if told_for]
    return (len(logs), told, len(passed), len(between), sorted(n for n, _ in passed)), problems


def run(interop):
    hbase = interop.hbase["trees"]
    totals = [0, 0, 0, 0]
    for i, skips in enumerate(WITHOUT_LOG):
        seed = interop.args.seed * 10 + i
        folder = interop.work / f"logs-{seed}"
        ok, text = hbase.run("RollLogs", (folder, seed, ROLLS, skips), ["logs"])["logs"]
        if not interop.report.check(ok, f"logs by HBase {hbase.version}, --seed {interop.args.seed}", text):
            return
        if not interop.with_tools:
            continue
        try:
            figures, problems = judged(interop, folder, skips)
        except Failed as e:
            figures, problems = (0, 0, 0, 0, []), [str(e)]
        interop.report.check(not problems, f"logs of seed {seed}: nothing is missing where all are given", "; ".join(problems))
        print(f"logs: seed {seed}, {skips} % of steps skip the log: {figures[0]} logs; left out one by one: {figures[1]} told, "
              f"{figures[2]} not (entries {figures[4]}), of these {figures[3]} between logs of their server with > {FEW} entries",
              flush=True)
        totals = [a + b for a, b in zip(totals, figures)]
    if interop.with_tools:
        interop.report.check(totals[1] >= 3 * totals[3], "missing logs are told",
                             f"{totals[1]} told, {totals[3]} to be told are not")
