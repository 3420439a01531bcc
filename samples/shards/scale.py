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

# Seconds of processor time, measured on 2026-11-30 with 64 shards of 997 and of 97 partitions (docs/performance.md): until a
# program of a shard or share works; to write an HFile, to merge one beside its bytes, to check and to export one; to read the
# manifest of a shard, and the entries of a share in the index of a pack.
START, FILE_WRITTEN, FILE_READ, FILE_CHECKED, FILE_EXPORTED = 0.02, 20e-6, 51e-6, 70e-6, 150e-6
SHARD_READ, PACK_READ = 200e-6, 60e-6
# Bytes: of a manifest of a shard without its lists, and for each family; of an HFile in the index of a pack, and read of an index
# beside the entries of a share; in memory, of an open manifest, of an HFile in it and in a list of inputs, of a pack in that
# list, and of an HFile that is open.
HEAD, FAMILY, INDEXED, SEARCHED, OPENED, ENTRY, LISTED, PACKED, OPEN = 5 << 10, 700, 130, 500, 2 << 10, 400, 800, 800, 640 << 10
FEW_PARTS = 8      # shares beyond which one does not read whole indexes (libsst/dataset/pack_list.c)
OWN_FILES = 15     # descriptors of a task besides its inputs
# Of obkv-load: seconds of a statement besides its rows, threads that one uses at most, bytes of its files (docs/loading.md).
STATEMENT, STATEMENT_THREADS, BATCH_LEAST, BATCH_MOST = 0.5, 64, 2 << 30, 64 << 30
FILES_COST = 0.25  # of import and merge that small files may take


def size(text):
    units = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
    return int(float(text[:-1]) * units[text[-1].upper()]) if text[-1].upper() in units else int(text)


def task_memory(a):
    """--memory of a task: its system needs the rest."""
    return a.task_memory * 9 // 10


def slots_of(a, memory=None):
    """Tasks of one thread that a machine runs at a time: memory may allow fewer than processors."""
    return max(1, min(a.cores, int(a.memory / (memory * 10 / 9 if memory else a.task_memory))))


def files_of(a, shards):
    """Files of a shard: one for each partition and family, as far as there are rows."""
    return int(max(1, min(a.partitions * a.families, a.bytes / shards / 32)))


def shares_of(a):
    """As many as run at a time where memory does not limit them further."""
    return max(1, min(a.partitions, a.machines * slots_of(a)))


def own_files_of(a, shards):
    """Files of a shard that one share merges."""
    return -(-files_of(a, shards) // shares_of(a))


def manifest_of(a):
    return HEAD + FAMILY * a.families


def index_of(a, shards):
    return INDEXED * files_of(a, shards)


def searched_of(a, shards):
    """What a share reads of the indexes of a shard."""
    return index_of(a, shards) if shares_of(a) <= FEW_PARTS else SEARCHED * a.families + INDEXED * own_files_of(a, shards)


def listed_of(a, shards):
    """Memory of a merge for its list of inputs."""
    return shards * (own_files_of(a, shards) * LISTED + a.families * PACKED)


def merge_memories(a, shards):
    """Sizes of --memory that merge so many shards, multiples of 64 MB: manifests may take a tenth of it, the list of files half.
    With the larger one, all shards are open at once."""
    listed = listed_of(a, shards)
    need = max(10 * shards * (OPENED + ENTRY * own_files_of(a, shards)) + 10 * manifest_of(a), 2 * listed, task_memory(a))
    wide = max(need, ((40 << 20) + listed + shards * OPEN * 4 // 3) * 16 // 15)
    return [task_memory(a) if n == task_memory(a) else -(-n // (64 << 20)) * (64 << 20) for n in sorted({need, wide})]


def merge_width(a, shards, memory):
    """Shards that a merge reads at a time: more are merged in levels."""
    left = memory * 15 // 16 - (40 << 20) - listed_of(a, shards)
    return max(2, min(a.open_files - OWN_FILES, left * 3 // 4 // OPEN))


def choices(a):
    """Numbers of shards and sizes of a merge's memory that can be. Four shards for each task that runs at a time, none of more
    than 32 GB if that can be, none below 64 MB; not so many that files cost more than a quarter of the work. Fewer, down to one
    for each task, need less memory to be merged."""
    wanted = max(4 * a.machines * slots_of(a), math.ceil(a.bytes / (32 << 30)))
    work = FILES_COST * a.bytes * (1 / a.import_rate + 1 / a.merge_rate)
    most = max(1, min(wanted, a.bytes // (64 << 20), int(work / (a.partitions * a.families * (FILE_WRITTEN + FILE_READ)))))
    for n in [a.shards] if a.shards else [max(1, int(most * 0.9 ** k)) for k in range(14)]:
        for memory in merge_memories(a, n):
            if memory <= a.memory * 9 // 10 or n == 1 or a.shards:
                yield n, memory


def rounds_tail(pieces, slots, largest_share):
    """Time of all pieces on all slots, in units of all work on one slot: an even share, and the last pieces that some wait for.

    Of more machines, the last piece is more likely on a slow one, or done twice (tests/engines/cluster.py says how much)."""
    piece = 1 / pieces
    even = 1 / min(slots, pieces)
    return max(even + min(2.0, 0.67 * math.log10(slots)) * piece if pieces > slots else even, largest_share)


def stage(a, name, rate, pieces, read, written, more):
    """more: files that are written, requests, cpu besides the bytes, --memory and descriptors of a task, scratch."""
    slots = a.machines * slots_of(a, more["memory"])
    cpu = a.bytes / rate + pieces * START + more.get("cpu", 0)
    scratch = more.get("scratch", 0)
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
            "read_bytes": int(read), "written_bytes": int(written), "scratch_bytes": int(scratch), "files": more["files"],
            "requests": more["requests"], "memory_bytes": int(more["memory"]), "open_files": more["open_files"],
            "seconds_by": {k: round(v, 1) for k, v in times.items()}}


def import_stage(a, shards, files):
    spilled = a.bytes if max(a.bytes / shards, a.largest) > a.task_memory / 2 else 0
    n = files_of(a, shards)
    return stage(a, "import", a.import_rate, shards, a.bytes, files + shards * (manifest_of(a) + index_of(a, shards)),
                 {"files": shards * (a.families + 1), "requests": shards * (a.families + 2), "cpu": shards * n * FILE_WRITTEN,
                  "memory": task_memory(a), "open_files": OWN_FILES + 16, "scratch": 2 * spilled})


def merge_stage(a, shards, memory, files):
    """Each share reads the manifests of all shards, of the indexes of their packs what it needs, and of their HFiles its own."""
    n, width, shares = files_of(a, shards), merge_width(a, shards, memory), shares_of(a)
    again = 0 if shards <= width else 1  # levels
    cpu = shards * n * FILE_READ + shares * shards * (SHARD_READ + a.families * PACK_READ) + made_of(a) * FILE_WRITTEN + \
        again * 0.6 * a.bytes / a.merge_rate
    return stage(a, "compact", a.merge_rate, shares, files + shares * shards * (manifest_of(a) + searched_of(a, shards)), files,
                 {"files": made_of(a) + shares,
                  "requests": shares * shards * (1 + 4 * a.families) + 4 * shards * n, "cpu": cpu, "memory": memory,
                  "open_files": min(shards, width) + OWN_FILES, "scratch": again * 4 * files})


def made_of(a):
    """Files of the dataset."""
    return files_of(a, 1)


def load_stage(a):
    """A table is loaded by one statement at a time, whoever sends it, so one loader loads all: more machines help little. Tables,
    that is families, are loaded side by side. The database works, not this machine."""
    threads = min(a.database_cores, STATEMENT_THREADS * a.families)
    batch = min(BATCH_MOST, max(BATCH_LEAST, a.bytes // 16))
    statements = a.families * max(1, math.ceil(a.bytes / a.families / batch))
    cpu = a.bytes / a.load_rate + a.bytes / a.verify_rate
    times = {"database": cpu / threads + STATEMENT * statements / a.families, "network": a.bytes / a.network}
    if a.storage:
        times["storage"] = a.bytes / a.storage
    limit = max(times, key=times.get)
    return {"stage": "load", "pieces": 1, "seconds": round(times[limit], 1), "limit": limit, "cpu_seconds": round(cpu, 2),
            "read_bytes": a.bytes, "written_bytes": a.bytes, "scratch_bytes": 0, "files": 0, "statements": statements,
            "requests": a.partitions * a.families, "memory_bytes": task_memory(a), "open_files": OWN_FILES + 16,
            "seconds_by": {k: round(v, 1) for k, v in times.items()}}


def plan(a):
    files = int(a.bytes * a.file_ratio)

    def seconds(choice):
        return import_stage(a, choice[0], files)["seconds"] + merge_stage(a, *choice, files)["seconds"]

    every = list(choices(a)) or [(1, merge_memories(a, 1)[0])]
    best = min(map(seconds, every))
    shards, memory = next(c for c in every if seconds(c) <= 1.1 * best)  # as many as cost nothing: they even out what is late
    merge = merge_stage(a, shards, memory, files)
    shares = merge["pieces"]
    shard = max(a.bytes / shards, a.largest)
    made = made_of(a)
    rest = {"requests": made + shares, "memory": task_memory(a), "open_files": OWN_FILES + 16}
    stages = [import_stage(a, shards, files), merge,
              stage(a, "check", a.check_rate, shares, files, 0, {"files": 0, "cpu": made * FILE_CHECKED, **rest}),
              stage(a, "export", a.export_rate, shares, files, a.bytes,
                    {"files": made + shares, "cpu": made * FILE_EXPORTED, **rest})]
    slowest = max(stages, key=lambda s: s["seconds"])
    one = max(a.bytes * (1 / a.import_rate + 1 / a.check_rate + 1 / a.export_rate) / slots_of(a),
              2 * a.bytes * (a.bytes > a.memory / 2) / a.disk)
    return {"schema": "obkv-scale/1", "bytes": a.bytes, "machines": a.machines, "tasks_per_machine": slots_of(a),
            "shards": shards, "shares": shares, "stages": stages, "load": load_stage(a),
            "seconds": round(sum(s["seconds"] for s in stages), 1),
            "cpu_seconds": round(sum(s["cpu_seconds"] for s in stages), 1), "one_machine_seconds": round(one, 1),
            "storage_bytes": 2 * files + a.bytes,
            "scratch_bytes_per_machine": int(bool(stages[0]["scratch_bytes"]) * shard * slots_of(a) * 1.1),
            "commands": commands(shards, shares, stages), "bottleneck": slowest["limit"], "slowest_stage": slowest["stage"]}


def commands(shards, shares, stages):
    """What a task runs, without the options of the table and its inputs."""
    memory = ["--threads 1 --memory %dM" % (s["memory_bytes"] >> 20) for s in stages]
    return {"import": "obkv-import %s --shard I/%d" % (memory[0], shards),
            "compact": "obkv-compact %s --partitions J/%d" % (memory[1], shares),
            "load": "obkv-load --memory %dM" % (stages[0]["memory_bytes"] >> 20)}


def clock(seconds):
    return "%d:%02d h" % divmod(round(seconds / 60), 60) if seconds >= 3600 else "%.0f min" % (seconds / 60) \
        if seconds >= 120 else "%.1f s" % seconds


REMEDY = {"processors": "more machines or processors", "network": "more machines, or faster links",
          "storage": "faster storage: more machines do not help",
          "disk": "more --memory for each task, more shards, or faster disks",
          "number of shares": "more partitions: there are no more shares than partitions",
          "number of shards": "more shards, or fewer machines",
          "largest piece": "uncompressed text with --quote none, or smaller files or regions: more machines do not help"}


def stage_line(s):
    return "  %-8s %9s   limited by %s (%s)" % (s["stage"], clock(s["seconds"]), s["limit"], ", ".join(
        "%s %s" % (k, clock(v)) for k, v in s["seconds_by"].items()))


def text(p):
    lines = ["%s on %d machines, %d tasks at a time on each: --shard I/%d, --partitions J/%d" % (
        sizes.shown(p["bytes"]), p["machines"], p["tasks_per_machine"], p["shards"], p["shares"])]
    lines += ["  " + c for c in p["commands"].values()]
    lines += [stage_line(s) for s in p["stages"]]
    lines += ["  together %9s   one of these machines, without shards: %s" % (
                  clock(p["seconds"]), clock(p["one_machine_seconds"])),
              "  storage  %9s   for shards, dataset and export; scratch on each machine: %s" % (
                  sizes.shown(p["storage_bytes"]), sizes.shown(p["scratch_bytes_per_machine"])),
              "  files    %9d   of shards, with their manifests; requests of all stages: %d" % (
                  p["stages"][0]["files"], sum(s["requests"] for s in p["stages"])),
              "  ulimit   %9d   open files of a task of compact (ulimit -Hn)" % p["stages"][1]["open_files"],
              "  bottleneck: %s in %s; what helps: %s" % (p["bottleneck"], p["slowest_stage"], REMEDY[p["bottleneck"]]),
              stage_line(p["load"]) + "; one loader, %d statements; what helps: %s" % (
                  p["load"]["statements"], "more processors for the tenant" if p["load"]["limit"] == "database" else
                  "the export on storage that the database's nodes mount")]
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
    add("--families", type=int, default=1, help="of the table")
    add("--open-files", type=int, default=524288, help="files that a task may have open (ulimit -Hn)")
    add("--shards", type=int, default=0, help="instead of the number that is recommended")
    add("--file-ratio", type=float, default=0.35, help="bytes of a dataset for each byte of input")
    add("--import-rate", type=size, default=size("102M"))
    add("--merge-rate", type=size, default=size("117M"))
    add("--check-rate", type=size, default=size("380M"))
    add("--export-rate", type=size, default=size("160M"))
    add("--database-cores", type=int, default=16, help="processors of the tenant, on all of its nodes")
    add("--load-rate", type=size, default=size("14M"), help="bytes of text for each second of processor time of the database")
    add("--verify-rate", type=size, default=size("44M"), help="the same, to compare what is loaded")
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
    if min(a.bytes, a.machines, a.cores, a.database_cores, a.memory, a.network, a.disk, a.partitions, a.families, a.import_rate,
           a.merge_rate, a.load_rate, a.verify_rate) <= 0:
        parser.error("sizes, numbers and rates are above 0")
    return a


if __name__ == "__main__":
    options = arguments()
    made = plan(options) if options.machines else None
    if options.json:
        print(json.dumps({**(options.sizing or {}), **({"shards": made} if made else {})} if options.list else made, indent=1))
    else:
        print("\n".join([*(sizes.lines(options.sizing, "all") if options.list else []), *([text(made)] if made else [])]))
