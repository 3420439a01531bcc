#!/usr/bin/env python3
"""How many shards, how long, how much space, and what limits it: a calculator for imports by several machines (docs/scale.md).

    scale.py --bytes 20T --machines 100 --cores 16 --memory 64G --network 1200M --storage 20G [--json]
    obkv-import --list --json --snapshot orders /backup | scale.py --list - [--rehearsal WORK/orders/rehearsal-1.json] [--json]

The second form sizes a migration: cells, bytes, disk, network, and the time of import, check, load, verify and cut-over.
Add --machines to divide its import.

Sizes take K, M, G, T (powers of 1024); rates are bytes per second. Measure a run of a part of your data and give its rates:
--import-rate and --merge-rate, input bytes per second of processor time. The defaults are those of docs/shards.md.
"""
import argparse
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sizes  # noqa: E402

START = 0.01  # seconds of processor time until a program of a shard or share works


def size(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    return int(float(text[:-1]) * units[text[-1].upper()]) if text[-1].upper() in units else int(text)


def slots_of(a):
    """Tasks of one thread that a machine runs at a time: memory may allow fewer than processors."""
    return max(1, min(a.cores, int(a.memory / a.task_memory)))


def shards_of(a):
    """Four for each task that runs at a time, none of more than 32 GB if that can be, none below 64 MB."""
    wanted = max(4 * a.machines * slots_of(a), math.ceil(a.bytes / (32 << 30)))
    return a.shards or max(1, min(wanted, a.bytes // (64 << 20)))


def rounds_tail(pieces, slots, largest_share):
    """Time of all pieces on all slots, in units of all work on one slot: an even share, and the last pieces that some wait for.

    Of more machines, the last piece is more likely on a slow one, or done twice (tests/engines/cluster.py says how much)."""
    piece = 1 / pieces
    even = 1 / min(slots, pieces)
    return max(even + min(2.0, 0.67 * math.log10(slots)) * piece if pieces > slots else even, largest_share)


def stage(a, name, rate, pieces, read, written, scratch=0):
    slots = a.machines * slots_of(a)
    cpu = a.bytes / rate + pieces * START
    largest = min(1.0, a.largest / a.bytes) if name == "import" else 0
    spread = rounds_tail(pieces, slots, largest) * cpu
    times = {"processors": spread, "network": (read + written) / (a.machines * a.network),
             "disk": scratch / (a.machines * a.disk)}
    if a.storage:
        times["storage"] = (read + written) / a.storage
    if largest and largest == rounds_tail(pieces, slots, largest):
        times["largest piece"] = times.pop("processors")
    elif pieces < slots:
        times["number of shares" if name != "import" else "number of shards"] = times.pop("processors")
    limit = max(times, key=times.get)
    return {"stage": name, "pieces": pieces, "seconds": round(times[limit], 1), "limit": limit, "cpu_seconds": round(cpu, 2),
            "read_bytes": int(read), "written_bytes": int(written), "scratch_bytes": int(scratch),
            "seconds_by": {k: round(v, 1) for k, v in times.items()}}


def plan(a):
    slots = a.machines * slots_of(a)
    shards = shards_of(a)
    shares = max(1, min(a.partitions, slots))
    files = int(a.bytes * a.file_ratio)
    shard = max(a.bytes / shards, a.largest)
    spilled = a.bytes if shard > a.task_memory / 2 else 0
    stages = [stage(a, "import", a.import_rate, shards, a.bytes, files, 2 * spilled),
              stage(a, "compact", a.merge_rate, shares, files, files),
              stage(a, "check", a.check_rate, shares, files, 0),
              stage(a, "export", a.export_rate, shares, files, a.bytes)]
    slowest = max(stages, key=lambda s: s["seconds"])
    one = max(a.bytes * (1 / a.import_rate + 1 / a.check_rate + 1 / a.export_rate) / slots_of(a),
              2 * a.bytes * (a.bytes > a.memory / 2) / a.disk)
    return {"schema": "obkv-scale/1", "bytes": a.bytes, "machines": a.machines, "tasks_per_machine": slots_of(a),
            "shards": shards, "shares": shares, "stages": stages, "seconds": round(sum(s["seconds"] for s in stages), 1),
            "cpu_seconds": round(sum(s["cpu_seconds"] for s in stages), 1), "one_machine_seconds": round(one, 1),
            "storage_bytes": 2 * files + a.bytes, "scratch_bytes_per_machine": int(spilled and shard * slots_of(a) * 1.1),
            "bottleneck": slowest["limit"], "slowest_stage": slowest["stage"]}


def clock(seconds):
    return "%d:%02d h" % divmod(round(seconds / 60), 60) if seconds >= 3600 else "%.0f min" % (seconds / 60) \
        if seconds >= 120 else "%.1f s" % seconds


REMEDY = {"processors": "more machines or processors", "network": "more machines, or faster links",
          "storage": "faster storage: more machines do not help",
          "disk": "more --memory for each task, more shards, or faster disks",
          "number of shares": "more partitions: there are no more shares than partitions",
          "number of shards": "more shards, or fewer machines",
          "largest piece": "uncompressed text with --quote none, or smaller files or regions: more machines do not help"}


def text(p):
    lines = ["%s on %d machines, %d tasks at a time on each: --shard I/%d, --partitions J/%d" % (
        sizes.shown(p["bytes"]), p["machines"], p["tasks_per_machine"], p["shards"], p["shares"])]
    for s in p["stages"]:
        lines.append("  %-8s %9s   limited by %s (%s)" % (s["stage"], clock(s["seconds"]), s["limit"], ", ".join(
            "%s %s" % (k, clock(v)) for k, v in s["seconds_by"].items())))
    lines += ["  together %9s   one of these machines, without shards: %s" % (
                  clock(p["seconds"]), clock(p["one_machine_seconds"])),
              "  storage  %9s   for shards, dataset and export; scratch on each machine: %s" % (
                  sizes.shown(p["storage_bytes"]), sizes.shown(p["scratch_bytes_per_machine"])),
              "  bottleneck: %s in %s; what helps: %s" % (p["bottleneck"], p["slowest_stage"], REMEDY[p["bottleneck"]])]
    return "\n".join(lines)


def read(path):
    with sys.stdin if path == "-" else open(path) as f:
        return json.load(f)


def sizing(parser, a):
    try:
        table = sizes.listed(read(a.list))
        rehearsal = read(a.rehearsal) if a.rehearsal else None
    except (OSError, ValueError, KeyError) as error:
        parser.error("%s: %s" % (a.list, error))
    partitions = rehearsal["partitions"] if rehearsal else a.partitions * len(table["families"])
    return sizes.forecast(table, partitions, rehearsal, a.logs)


def arguments(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--bytes", type=size, help="all inputs, not compressed")
    add("--list", help="what obkv-import --list --json says of a snapshot or table; -: standard input")
    add("--rehearsal", help="what obkv-migrate rehearse has measured: its times and sizes instead of ours")
    add("--logs", type=size, default=0, help="bytes of logs that HBase writes in an hour")
    add("--machines", type=int, default=0)
    add("--cores", type=int, default=2, help="processors of a machine")
    add("--memory", type=size, default=size("8G"), help="of a machine")
    add("--task-memory", type=size, default=size("2G"), help="--memory of a task, and what its system needs")
    add("--network", type=size, default=size("1200M"), help="of a machine to the storage")
    add("--storage", type=size, default=0, help="what the storage yields to all machines together (0: no limit)")
    add("--disk", type=size, default=size("400M"), help="of the scratch disk of a machine")
    add("--largest", type=size, default=0,
        help="the largest piece that is never cut: a compressed file, one with quotes, a row; with Spark also a region")
    add("--partitions", type=int, default=97, help="of the table: there are no more shares than this")
    add("--shards", type=int, default=0, help="instead of the number that is recommended")
    add("--file-ratio", type=float, default=0.35, help="bytes of a dataset for each byte of input")
    add("--import-rate", type=size, default=size("86M"))
    add("--merge-rate", type=size, default=size("110M"))
    add("--check-rate", type=size, default=size("350M"))
    add("--export-rate", type=size, default=size("200M"))
    add("--json", action="store_true")
    a = parser.parse_args(argv)
    if not a.list and a.bytes is None:
        parser.error("give --bytes or --list")
    a.sizing = None
    if a.list:
        a.sizing = sizing(parser, a)
        a.bytes = a.bytes or max(1, a.sizing["kv_bytes"])
    if a.list and not a.machines:
        return a
    a.machines = a.machines or 1
    if min(a.bytes, a.machines, a.cores, a.memory, a.network, a.disk, a.partitions, a.import_rate, a.merge_rate) <= 0:
        parser.error("sizes, numbers and rates are above 0")
    return a


if __name__ == "__main__":
    options = arguments()
    made = plan(options) if options.machines else None
    if options.json:
        print(json.dumps({**(options.sizing or {}), **({"shards": made} if made else {})} if options.list else made, indent=1))
    else:
        print("\n".join([*(sizes.lines(options.sizing, "all") if options.list else []), *([text(made)] if made else [])]))
