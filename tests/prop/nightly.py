#!/usr/bin/env python3
"""Chains of nights: obkv-compact --base BASE DELTA... leaves the cells that full compactions of BASE with one DELTA after the
other leave; by rules that keep markers, or if inputs are ranked by sequence ids, those of one full compaction of all.

    nightly.py BIN [--seed N] [--cases N] [--keep DIR]

A case draws rules, a base (compacted once, many small files per partition), and some nights: deltas with new versions, delete
markers and duplicates, now and then partitioned differently, a clock that goes on (now and then back), now and then other
rules. Each night is done twice, over the base and in full; cells, sequence ids and ledgers must be equal, and obkv-verify check
must find nothing: only cells that were taken over may have an id where six days let the full compaction forget it. The next
night begins on what came out. In the end files must have been taken over in most cases, or the test tests nothing.
A case that differs prints its seed; `--seed THAT --cases 1` replays it, --keep leaves its files in DIR.
The last line is "N passed, N failed, N skipped".
"""
import json
import random
import subprocess
import sys

from models.chains import options, run_cases

ODD = ["--allow", "timestamp-unit", "--allow", "all-expired"]  # times are small, and all may expire

NOW = 1_000_000_000
MARKERS = (8, 10, 12, 14)
SIX_DAYS = 6 * 86_400_000
SPECIAL = ("KEEP_DELETED_CELLS=", "hbase.hstore.time.to.purge.deletes=", "NEW_VERSION_BEHAVIOR=", "minor")


def call(command, want=0):
    command = [str(c) for c in command] + (ODD if "verify" not in str(command[0]) else [])
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=300, check=False)
    if done.returncode != want:
        raise ValueError("%s ends with %d: %s" % (" ".join(command), done.returncode,
                                                  done.stderr.decode("utf-8", "replace")[-600:] or done.stdout.decode()[-600:]))
    return done.stdout.decode()


def is_special(rules):
    return any(str(word).startswith(SPECIAL) for word in rules)


def draw_rules(r):
    rules = ["--versions", r.choice([1, 1, 2, 3, "unlimited"])]
    if r.random() < 0.15:
        return rules + ["--rules", "oceanbase", *r.choice([[], ["--ttl", 100]])]
    if r.random() < 0.5:
        rules += ["--ttl", r.choice([20, 100, 1000])]
    if r.random() < 0.3:
        rules += ["--set", "MIN_VERSIONS=%s" % r.choice([1, 2])]
    if r.random() < 0.45:
        rules += ["--set", "KEEP_DELETED_CELLS=%s" % r.choice(["TRUE", "TTL"])]
    if r.random() < 0.25:
        rules += ["--set", "hbase.hstore.time.to.purge.deletes=%s" % r.choice([1000, 60_000])]
    if r.random() < 0.2:
        rules += ["--set", "NEW_VERSION_BEHAVIOR=true"]
    if r.random() < 0.1:
        rules += ["--rules", "minor"]
    return rules


def same(night, full):
    """What a night left, and a full compaction: -1 they differ, else how many ids only the latter has forgotten."""
    if len(night) != len(full):
        return -1
    forgotten = 0
    for a, b in zip(night, full):
        if a != b:
            f, g = a.split("\t"), b.split("\t")
            if f[:5] + f[6:] != g[:5] + g[6:] or g[5] != "0":
                return -1
            forgotten += 1
    return forgotten


def count(tally, more, sign=1):
    """Adds another tally to one, with its parts."""
    tally["cells"] += sign * more["cells"]
    tally["digest"] = "%032x" % ((int(tally["digest"], 16) + sign * int(more["digest"], 16)) % 2**128)
    for part in tally.get("by", {}):
        count(tally["by"][part], more["by"][part], sign)


class Chain:
    def __init__(self, binaries, seed, folder):
        self.bin, self.r, self.folder = binaries, random.Random(seed), folder
        r = self.r
        self.rules = draw_rules(r)
        self.rank = ["--rank", r.choice(["position", "sequence"])]
        self.partition = ["--partition", r.choice(["none", "key:2", "key:3"])]
        self.n_rows = r.choice([20, 60, 200])
        self.families = r.choice([["f"], ["f", "g"]])
        self.qualifiers = r.choice([["-"], ["61"], ["-", "61", "6162"]])
        self.span = r.choice([50, 30_000, 200_000])
        self.markers = r.choice([0, 0.05, 0.3])
        self.seq, self.now, self.taken, self.left = 10, NOW, 0, 0
        self.ttl_tags = r.random() < 0.3
        self.leap, self.zeroed, self.forgotten = random.Random(-seed), 0, 0  # seeds draw what they did before there were leaps
        self.elsewhere, self.moved = random.Random("elsewhere %d" % seed), 0  # or deltas that are partitioned differently

    def cell(self, row):
        r = self.r
        kind = r.choice(MARKERS) if r.random() < self.markers else 4
        q = "-" if kind in (10, 14) else r.choice(self.qualifiers)
        ts = self.now - r.randrange(self.span)
        tag = "000908%016x" % r.choice([1, 30_000, 90_000]) if self.ttl_tags and r.random() < 0.2 else "-"
        self.seq += r.random() < 0.5
        return "%s\t%s\t%s\t%d\t%d\t%d\t%06x\t%s\n" % (
            ("r%04d" % row).encode().hex(), r.choice(self.families).encode().hex(), q, ts, kind, r.choice([0, self.seq]),
            r.randrange(1 << 24), tag)

    def partition_of_delta(self):
        """That of the base, mostly."""
        r = self.elsewhere
        return ["--partition", r.choice(["none", "key:2", "key:5"])] if r.random() < 0.15 else self.partition

    def dataset(self, name, rows, n, repeat=(), partition=None):
        lines = [self.cell(self.r.choice(rows)) for _ in range(n)] + list(repeat)
        path = self.folder / (name + ".cells")
        path.write_text("".join(lines) or "# none\n")
        call([self.bin / "obkv-import", *(partition or self.partition), "--now", self.now, "--format", "cells",
              "-o", self.folder / name, "--target-file-size", self.r.choice(["300", "4G"]), path])
        return self.folder / name

    def rows_of_delta(self):
        r, kind = self.r, self.r.random()
        if kind < 0.4:
            at = r.randrange(self.n_rows)
            return range(at, min(self.n_rows, at + r.choice([1, 3, 10])))
        if kind < 0.5:
            return range(self.n_rows, self.n_rows + 5)
        return r.sample(range(self.n_rows), r.choice([1, 2, 5]))

    def dump(self, name):
        return [l for l in call([self.bin / "obkv-verify", "dump", self.folder / name]).splitlines() if not l.startswith("#")]

    def night(self, i, base):
        r = self.r
        self.now += r.choice([0, 1, 500, 10_000, 60_000, 2_000_000]) if r.random() < 0.95 else -5000
        self.now += SIX_DAYS if self.leap.random() < 0.2 else 0
        if r.random() < 0.07:
            self.rules = draw_rules(r)
        old = self.dump(base.name)
        deltas = [self.dataset("delta%d-%d" % (i, k), self.rows_of_delta(), r.choice([0, 1, 3, 20]),
                               [l + "\n" for l in r.sample(old, min(len(old), r.choice([0, 0, 1])))], self.partition_of_delta())
                  for k in range(r.choice([0, 1, 1, 2, 3]))]
        options = [*self.rules, *self.rank, "--now", self.now, "--json", "--target-file-size", r.choice(["400", "2000", "4G"]),
                   "--threads", r.choice([1, 2, 4])]
        out, full = self.folder / ("night%d" % i), self.folder / ("full%d" % i)
        told = json.loads(call([self.bin / "obkv-compact", *options, "--explain", *r.choice([[], ["--verify-base"]]),
                                "--base", base, "-o", out, *deltas]))
        want = self.in_full(i, full, base, deltas, options)
        context = " ".join(map(str, options))
        forgotten = same(self.dump(out.name), self.dump(full.name))
        self.forgotten += forgotten
        self.zeroed += want.get("sequence_ids_zeroed", 0)
        if forgotten < 0:
            raise ValueError("night %d: other cells than the full compaction, %s" % (i, context))
        if told["cells"] != want["cells"]:
            raise ValueError("night %d: ledger %s, want %s, %s" % (i, told["cells"], want["cells"], context))
        call([self.bin / "obkv-verify", "check", "--quiet", out])
        self.taken += told["base"]["taken_over"]["files"]
        moved = told.get("repartitioned", {}).get("inputs", 0)
        self.moved += moved
        if not moved and not is_special(self.rules):
            self.by_ratio(i, base, deltas, options, full)
        self.judged, self.base_now = self.rules, self.now
        return out

    def in_full(self, i, full, base, deltas, options):
        """Compactions without a base, of at most one delta each. What they told, added up."""
        steps = [[base, delta] for delta in deltas]
        if is_special(self.rules) or self.rank[1] == "sequence":
            steps = [[base, *deltas]]
        elif self.judged != self.rules or not deltas:
            steps = [[base]] + steps
        told, at = None, base
        for k, inputs in enumerate(steps):
            out = full if k + 1 == len(steps) else self.folder / ("turn%d-%d" % (i, k))
            alone = ["--now", min(self.base_now, self.now)] if len(inputs) == 1 and deltas else []  # as of when it was made
            one = json.loads(call([self.bin / "obkv-compact", *options, *alone, "-o", out, at, *inputs[1:]]))
            if told:
                count(one["cells"]["in"], told["cells"]["written"], -1)  # read again, not new
                for name, drop in one["cells"].items():
                    if name != "written":
                        count(drop, told["cells"][name])
                one["sequence_ids_zeroed"] = one.get("sequence_ids_zeroed", 0) + told.get("sequence_ids_zeroed", 0)
            told, at = one, out
        return told

    def by_ratio(self, i, base, deltas, options, full):
        """What a run by ratio leaves, and the next one merges at the same moment, makes the full compaction."""
        half, whole = self.folder / ("half%d" % i), self.folder / ("whole%d" % i)
        policy = self.r.choice(["ratio", "ratio:0.5,2,10,0", "ratio:1.2,2,3,0", "ratio:3,2,10,4K"])
        told = json.loads(call([self.bin / "obkv-compact", *options, "--policy", policy, "--base", base, "-o", half, *deltas]))
        waiting = [w["dataset"] for w in told.get("pending", [])]
        self.left += len(waiting) > 0
        call([self.bin / "obkv-compact", *options, "--base", half, "-o", whole, *waiting])
        if same(self.dump(whole.name), self.dump(full.name)) < 0:
            raise ValueError("night %d: other cells after a night by %s, %s" % (i, policy, " ".join(map(str, options))))
        call([self.bin / "obkv-verify", "check", "--quick", half])

    def split(self, base):
        """The same cells in other partitions; the files must still know what they have been through."""
        self.partition = ["--partition", self.r.choice(["none", "key:2", "key:3"])]
        out = base.with_suffix(".split")
        call([self.bin / "obkv-split", "apply", *self.partition, "--now", self.now, "--target-file-size", "500", "-o", out, base])
        return out

    def run(self):
        base = self.dataset("first", range(self.n_rows), self.n_rows * self.r.choice([2, 5]))
        out = self.folder / "base"
        if self.r.random() < 0.5:
            call([self.bin / "obkv-compact", *self.rules, *self.rank, "--now", self.now, "--target-file-size", "400", "-o", out,
                  base])
        else:
            rules = self.rules[:-2] if "minor" in self.rules else self.rules
            call([self.bin / "obkv-import", "--compact", *rules, *self.partition, "--now", self.now, "--target-file-size", "400",
                  "-o", out, base])
        self.judged, self.base_now = self.rules, self.now
        for i in range(self.r.choice([1, 2, 4])):
            out = self.night(i, out)
            if self.r.random() < 0.2:
                out = self.split(out)  # with the same clock


def lacking(chains, cases):
    taken = sum(c.taken > 0 for c in chains)
    if cases >= 20 and not any(c.left for c in chains):
        yield "no night by ratio has left anything"
    if cases >= 40 and not any(c.zeroed for c in chains):
        yield "no full compaction has forgotten a sequence id"
    if cases >= 20 and not any(c.moved for c in chains):
        yield "no delta was partitioned differently from its base"
    if cases >= 20 and taken < cases / 3:
        yield "files were taken over in %d of %d cases only" % (taken, cases)


if __name__ == "__main__":
    sys.exit(run_cases(options(__doc__), Chain, lacking))
