"""Disk, network and hours of a migration, from what `obkv-import --list --json` says of a table and what a rehearsal of
obkv-migrate has measured. scale.py prints them (docs/scale.md); obkv-migrate rehearse does, too (docs/migration.md).

A step takes a fixed time, as it starts programs and asks all partitions, and a time for each cell. Samples of different sizes
tell the two apart; without a rehearsal, the rates are those of docs/shards.md and docs/loading.md, and no time is fixed.
"""
BLOCK = 2 << 20  # of the target's storage: the least for a family's rows in a partition
TARGET_RATIO = 1.5  # bytes in the target for each of KeyValues, before its first major freeze: 300 MB for 2 million cells of 100
TIMING_S = 0.15  # by how much a step of a few seconds differs from run to run
STEPS = ("import", "check", "load", "verify", "compact")
BASE = STEPS[:4]
FREEZE = ("compact", "check", "verify")  # and the last catch-up
PART = 32 << 30  # bytes of files that obkv-migrate imports at a time, so that a kill loses no more
RATES = {"import": 110 << 20, "check": 350 << 20, "load": 24 << 20, "verify": 70 << 20, "compact": 110 << 20}  # bytes a second


def listed(document):
    """One table: families of the same name are added up over the entries."""
    families = {}
    for entry in document.get("entries", []):
        for f in entry.get("families", []):
            none = {"name": f["name"], "cells": 0, "bytes": 0, "kv_bytes": 0, "mob": False, "mob_bytes": 0}
            to = families.setdefault(f["name"], none)
            to["cells"] += f["cells"]
            to["mob_bytes"] += f.get("mob_bytes", 0)
            for member in ("bytes", "kv_bytes"):  # a value in a mob file is in the dataset, as any other
                to[member] += f[member] + f.get("mob_" + member, 0)
            to["mob"] |= f["mob"]
    every = list(families.values())
    if not every:
        raise ValueError("the list names no table of HBase: it is that of obkv-import --list --json")
    return {"families": every, **{m: sum(f[m] for f in every) for m in ("cells", "bytes", "kv_bytes")}}


def parts_of(table):
    """Parts in which the table is imported: one, unless it is large."""
    return -(-table["bytes"] // PART) if table["bytes"] > 2 * PART else 1


def line_through(points):
    """(at 0, for each cell) by least squares of (cells, value); nothing at 0 where it would be less than that."""
    n, all_cells, all_values = len(points), sum(c for c, _ in points), sum(v for _, v in points)
    spread = sum(c * c for c, _ in points) - all_cells ** 2 / n
    slope = (sum(c * v for c, v in points) - all_cells * all_values / n) / spread if spread > 0 else 0
    at_0 = (all_values - slope * all_cells) / n
    if slope > 0 and at_0 >= 0:
        return at_0, slope
    cells, value = max(points)
    return 0.0, value / max(cells, 1)


def of_rehearsal(r, cells, member):
    """The value for so many cells, and by how much of it it may be wrong."""
    points = sorted((j["cells"], j["values"][member]) for j in r["journeys"])
    at_0, slope = line_through(points)
    grown = slope * max(1, points[-1][0] - points[0][0])
    return at_0 + slope * cells, min(0.9, 0.1 + TIMING_S / max(grown, 0.001))


def forecast(table, partitions, rehearsal=None, log_bytes_an_hour=None, parts=1):
    """table: of listed(). partitions: of all families. parts: of the import, which are then merged. Sizes in bytes, times in
    seconds."""
    cells = table["cells"]
    steps = {}
    for step in STEPS:
        if rehearsal:
            seconds, error = of_rehearsal(rehearsal, cells, step)
        else:
            seconds, error = table["kv_bytes"] / RATES[step], 0.5
        steps[step] = {"seconds": seconds, "from": seconds * (1 - error), "to": seconds * (1 + error)}
    if parts > 1:
        steps["import"] = added(steps, ("import", "compact"))
    text = of_rehearsal(rehearsal, cells, "text_bytes")[0] if rehearsal else 1.2 * table["kv_bytes"]
    dataset = of_rehearsal(rehearsal, cells, "dataset_bytes")[0] if rehearsal else max(table["bytes"], 0.35 * table["kv_bytes"])
    spilled = of_rehearsal(rehearsal, cells, "spilled_bytes")[0] if rehearsal else 0
    made = {"schema": "obkv-sizing/1", "cells": cells, "kv_bytes": table["kv_bytes"], "bytes": table["bytes"],
            "codec_ratio": table["kv_bytes"] / max(table["bytes"], 1), "families": table["families"], "partitions": partitions,
            "steps": steps, "parts": parts, "measured": bool(rehearsal)}
    made["base"] = added(steps, BASE)
    made["freeze"] = added(steps, FREEZE)
    catch_up = (rehearsal or {}).get("catch_up")
    if catch_up:
        made["catch_up"] = dict(catch_up)
        log_bytes_an_hour = log_bytes_an_hour or catch_up.get("log_bytes_an_hour")
        for end in ("seconds", "from", "to"):
            made["freeze"][end] += catch_up["seconds"]
    batch = min(64 << 30, max(1 << 30, text / 16))
    made["disk"] = {"copy": table["bytes"], "dataset": dataset, "whole": dataset, "scratch": spilled,
                    "parts": 1.2 * dataset if parts > 1 else 0, "load_files": min(text, 2 * batch), "export": text}
    made["target_bytes"] = max(TARGET_RATIO * table["kv_bytes"], BLOCK * partitions)
    made["network"] = {"copy": table["bytes"], "load": text}
    made["log_bytes"] = log_bytes_an_hour * made["base"]["to"] / 3600 if log_bytes_an_hour else None
    return made


def added(steps, names):
    return {end: sum(steps[n][end] for n in names) for end in ("seconds", "from", "to")}


def shown(n):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024:
            return "%.4g %s" % (n, unit)
        n /= 1024
    return "%.4g TiB" % n


def clock(seconds):
    if seconds < 600:
        return "%.1f s" % seconds if seconds < 100 else "%.0f s" % seconds
    return "%.0f min" % (seconds / 60) if seconds < 3600 * 2 else "%.1f h" % (seconds / 3600)


def lines(made, name):
    """For people."""
    out = ["%s: %s cells, %s of KeyValues in %s of files (ratio %.1f)" % (
        name, format(made["cells"], ","), shown(made["kv_bytes"]), shown(made["bytes"]), made["codec_ratio"])]
    for f in made["families"]:
        mob = ", %s of it in mob files" % shown(f["mob_bytes"]) if f.get("mob_bytes") else ""
        out.append("  family %-10s %18s cells  %10s in %10s%s" % (f["name"], format(f["cells"], ","), shown(f["kv_bytes"]),
                                                               shown(f["bytes"]), mob))
    for step, s in [*made["steps"].items(), ("base", made["base"]), ("freeze", made["freeze"])]:
        what = {"base": "import to verify", "freeze": "compact, check and verify" + (
            ", and a catch-up as the last one" if made.get("catch_up") else "; add the last catch-up")}.get(step, "")
        out.append("  %-10s %9s   %s to %s  %s" % (step, clock(s["seconds"]), clock(s["from"]), clock(s["to"]), what))
    if made.get("catch_up"):
        c = made["catch_up"]
        out.append("  %-10s %9s   of %s of logs" % ("catch-up", clock(c["seconds"]), shown(c["log_bytes"])))
    d = made["disk"]
    if made.get("parts", 1) > 1:
        out.append("  parts      the import has %d, of which finished ones are kept; until they are merged they take %s" %
                   (made["parts"], shown(d["parts"])))
    out += ["  disk       copy %s, dataset %s, the same again for cut-over, scratch %s, files of obkv-load %s" % (
                shown(d["copy"]), shown(d["dataset"]), shown(d["scratch"]), shown(d["load_files"])),
            "             (an export instead would take %s)" % shown(d["export"]),
            "  target     %s, at least 2 MiB for each of %s partitions, all families counted" % (
                shown(made["target_bytes"]), format(made["partitions"], ",")),
            "  network    copy of the snapshot %s, load %s" % (shown(made["network"]["copy"]), shown(made["network"]["load"]))]
    if made["log_bytes"]:
        out.append("  logs       %s while the base takes its time" % shown(made["log_bytes"]))
    if not made["measured"]:
        out.append("  Rates are those of our machine: obkv-migrate rehearse measures yours.")
    return [line.rstrip() for line in out]
