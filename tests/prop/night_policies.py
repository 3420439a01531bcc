#!/usr/bin/env python3
"""Nights by any policy leave what nights one by one leave, to the cell.

    night_policies.py BIN [--seed N] [--cases N] [--keep DIR]

A case draws MaxVersions, a TTL, a base (compacted or not) and some nights: each has a delta with puts and markers of every type
at random times, some of them earlier than what nights before have deleted. Three lines do the same nights: a model in this file,
--policy all, and --policy ratio with random numbers, where deltas wait. After each night the base by all is what the model
holds, and so is the base by ratio, made whole where it waits.
The nights of one case are killed at every call that links, writes, syncs or publishes, and done again.
A case that differs prints its seed; `--seed THAT --cases 1` replays it, --keep leaves its files in DIR.
The last line is "N passed, N failed, N skipped".
"""
import copy
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

from models.chains import options, run_cases

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from faulty_calls import Faulty  # noqa: E402

ODD = ["--allow", "timestamp-unit", "--allow", "all-expired"]  # times are small, and all may expire

NOW = 1_700_000_000_000
PUT, DELETE, DELETE_VERSION, DELETE_COLUMN, DELETE_FAMILY = 4, 8, 10, 12, 14


def call(command):
    command = [str(c) for c in command] + (ODD if "verify" not in str(command[0]) else [])
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    if done.returncode:
        raise ValueError("%s ends with %d: %s" % (" ".join(command), done.returncode, done.stderr.decode()[-600:]))
    return done.stdout.decode()


def hides(marker, put):
    row, column, ts, kind = marker[:4]
    if row != put[0]:
        return False
    if kind == DELETE_FAMILY:
        return put[2] <= ts
    if kind == DELETE_VERSION:
        return put[2] == ts
    return column == put[1] and (put[2] == ts if kind == DELETE else put[2] <= ts)


class Model:
    """The table as HBase's manual has it, if every night ends with a major compaction. {(row, column, ts): (value, own ttl)}"""

    def __init__(self, versions, ttl_ms):
        self.versions, self.ttl_ms, self.puts = versions, ttl_ms, {}

    def night(self, cells, now):
        markers = [c for c in cells if c[3] != PUT]
        newer = {c[:3]: c[4:] for c in cells if c[3] == PUT and not self.is_over(c[2], c[5], now)}
        alive = {key: put for key, put in {**self.puts, **newer}.items()
                 if not self.is_over(key[2], put[1], now) and not any(hides(m, key) for m in markers)}
        self.puts, met = {}, {}
        for key in sorted(alive, key=lambda key: (key[0], key[1], -key[2])):
            met[key[:2]] = met.get(key[:2], 0) + 1
            if met[key[:2]] <= self.versions:
                self.puts[key] = alive[key]

    def is_over(self, ts, own_ms, now):
        return (self.ttl_ms and ts < now - self.ttl_ms) or (own_ms is not None and ts + own_ms < now)


class Chain:
    def __init__(self, binaries, seed, folder):
        r = self.r = random.Random("policies %d" % seed)
        self.bin, self.folder = binaries, folder
        self.versions, ttl_s = r.choice([1, 1, 2, 3]), r.choice([0, 0, 50, 400])
        self.rules = ["--versions", self.versions] + (["--ttl", ttl_s] if ttl_s else [])
        self.partition = ["--partition", r.choice(["none", "key:2", "key:3"])]
        self.own_ttl = r.random() < 0.3
        self.span = r.choice([3, 20, 100_000])
        self.times = [NOW - r.randrange(self.span) for _ in range(r.choice([3, 8, 30]))]
        self.rows = r.choice([1, 3, 12])
        self.columns = r.choice([["61"], ["61", "6162"], ["-", "61"]])
        self.now, self.model, self.waited = NOW, Model(self.versions, ttl_s * 1000), 0

    def cells(self, n, markers):
        """One put of a key at most in a delivery with own TTLs: of two, HBase may show the older one once the newer is over."""
        r, cells = self.r, []
        for _ in range(n):
            kind = r.choice((DELETE, DELETE_VERSION, DELETE_COLUMN, DELETE_FAMILY)) if r.random() < markers else PUT
            column = "-" if kind in (DELETE_VERSION, DELETE_FAMILY) else r.choice(self.columns)
            ts = r.choice(self.times) if r.random() < 0.7 else self.now - r.randrange(self.span)
            own = r.choice([1, 30_000, 200_000]) if self.own_ttl and kind == PUT and r.random() < 0.3 else None
            cells.append((r.randrange(self.rows), column, ts, kind, "%06x" % r.randrange(1 << 24), own))
        if not self.own_ttl:
            return cells
        return list({c[:4]: c for c in cells}.values())

    def dataset(self, name, cells, *how):
        path = self.folder / (name + ".cells")
        with open(path, "w", encoding="ascii") as f:
            f.write("# row, family, column, time, type, sequence id, value, tags\n")
            for row, column, ts, kind, value, own in cells:
                f.write("%s\t66\t%s\t%d\t%d\t0\t%s\t%s\n" % (("r%02d" % row).encode().hex(), column, ts, kind,
                                                         value if kind == PUT else "-",
                                                         "-" if own is None else "000908%016x" % own))
        call([self.bin / "obkv-import", *self.partition, *self.rules, "--now", self.now, "--format", "cells", *how,
              "--target-file-size", self.r.choice(["300", "4G"]), "-o", self.folder / name, path])
        return self.folder / name

    def compare(self, dataset, where):
        got = {}
        for line in call([self.bin / "obkv-verify", "dump", dataset]).splitlines():
            if line.startswith("#"):
                continue
            row, _, column, ts, kind, _, value, tags = line.split("\t")
            assert int(kind) == PUT, line
            got[int(bytes.fromhex(row)[1:]), column, int(ts)] = (value, None if tags == "-" else int(tags[6:], 16))
        got = {key: put for key, put in got.items() if not self.model.is_over(key[2], put[1], self.now)}  # partitions may be left
        if got != self.model.puts:
            other = sorted(set(got.items()) ^ set(self.model.puts.items()), key=repr)
            raise ValueError("%s: %d cells, the model has %d; %d differ: %.400r" % (where, len(got), len(self.model.puts),
                                                                                    len(other), other))

    def compact(self, name, base, deltas, *options):
        out = self.folder / name
        told = json.loads(call([self.bin / "obkv-compact", *self.rules, "--now", self.now, "--json", "--base", base, *options,
                                "--threads", self.r.choice([1, 2]), "-o", out, *deltas]))
        return out, [w["dataset"] for w in told.get("pending", [])]

    def run(self):
        r = self.r
        first = self.cells(self.rows * r.choice([2, 6]), 0)
        base_all = base_ratio = self.dataset("first", first, *r.choice([["--compact", "--config", "purge-deletes=yes"], []]))
        self.model.night(first, self.now)
        waiting = []
        for i in range(r.choice([2, 4, 8])):
            self.now += r.choice([1, 1000, 60_000, 300_000])
            cells = self.cells(r.choice([1, 2, 6, 20]), r.choice([0.2, 0.5]))
            delta = self.dataset("delta%d" % i, cells, "--delta", *r.choice([["--compact"], []]))
            self.model.night(cells, self.now)
            base_all, _ = self.compact("all%d" % i, base_all, [delta])
            self.compare(base_all, "night %d by all" % i)
            policy = r.choice(["ratio", "ratio:0.5,3,10,0", "ratio:1.2,4,5,0", "ratio:3,2,10,4K", "all"])
            base_ratio, waiting = self.compact("ratio%d" % i, base_ratio, [*waiting, delta], "--policy", policy)
            self.waited += len(waiting)
            whole = base_ratio
            if waiting:
                whole, left = self.compact("whole%d" % i, base_ratio, waiting, "--policy", "all")
                assert not left, left
            self.compare(whole, "night %d by %s" % (i, policy))
            call([self.bin / "obkv-verify", "check", "--quiet", whole])


class Killed:
    """What Faulty needs of a suite."""

    def __init__(self, chain):
        self.bin, self.tmp, self.env = chain.bin, chain.folder, dict(os.environ, LC_ALL="C", TZ="UTC")

    def sanitized(self):
        return any(name in (self.bin / "obkv-compact").read_bytes() for name in (b"__asan_init", b"__tsan_init"))

    def command(self, tool, args):
        return [str(self.bin / ("obkv-" + tool)), *map(str, args)]

    def judge(self, command, done, _):
        return done


def digest_of(dataset):
    files = json.loads((dataset / "MANIFEST.json").read_text())["files"]
    return sum(int(f["digest"], 16) for f in files) % (1 << 128), sum(f["cells"] for f in files)


class KilledChain(Chain):
    """Two nights by ratio are killed at every call that links, writes, syncs or publishes, and done again: the base is what an
    undisturbed night leaves, or not there."""

    KINDS = ("rename", "sync", "unlink", "mkdir", "space", "write", "close")
    kills = ended = 0

    def compact(self, name, base, deltas, *how):
        good, pending = super().compact(name, base, deltas, *how)
        if name not in ("ratio0", "ratio1"):
            return good, pending
        want, out = digest_of(good), self.folder / "killed"
        faulty = Faulty(Killed(self), ("compact", "--quiet", *self.rules, "--now", self.now, "--base", base, *how, "--threads", 1,
                                       "-o", out, *deltas))
        for kind in self.KINDS:
            shutil.rmtree(out, ignore_errors=True)
            _, calls = faulty.run(kind)
            for at in range(1, calls + 1):
                shutil.rmtree(out, ignore_errors=True)
                done, _ = faulty.run(kind, at, "once", "KILL")
                self.kills += 1
                self.ended += (out / "MANIFEST.json").exists()
                assert done.code == -9, "not killed at %s %d" % (kind, at)
                if (out / "MANIFEST.json").exists():
                    assert digest_of(out) == want, "%s %d of %s: published with other cells" % (kind, at, name)
                done, _ = faulty.run()
                assert done.code == 0, "%s %d of %s, again: %d %s" % (kind, at, name, done.code, done.err.decode()[-300:])
                assert digest_of(out) == want, "%s %d of %s: another base" % (kind, at, name)
            call([self.bin / "obkv-verify", "check", "--quiet", out])
        faulty.end()
        shutil.rmtree(out, ignore_errors=True)
        return good, pending


def lacking(chains, cases):
    waited = sum(c.waited > 0 for c in chains)
    if cases >= 20 and waited < cases / 3:
        yield "deltas have waited in %d of %d cases only" % (waited, cases)


def killed(args):
    """One case whose nights are killed; OBKV_STRESS=1: ten."""
    args.cases = 10 if os.environ.get("OBKV_STRESS") else 1
    chains = []
    code = run_cases(args, KilledChain, lambda made, _: chains.extend(made) or [])
    print("# %d kills, %d of them after the base was published" % (sum(c.kills for c in chains), sum(c.ended for c in chains)))
    return code


if __name__ == "__main__":
    given = options(__doc__)
    sys.exit(max(killed(copy.copy(given)) if not Killed.sanitized(given) else 0, run_cases(given, Chain, lacking)))
