#!/usr/bin/env python3
"""What obkv-migrate rehearse says before, beside what the whole then takes, on OceanBase's engine.

    tests/bench/forecast.py BIN [SHAPE[=CELLS] ...] [--page]     (make bench-forecast: 20,000,000 cells, and two smaller ones)

A snapshot is made of datasets (make_snapshot.py). obkv-migrate rehearses 1 % of it in a scratch database, then runs `base`.
Nothing else is to run on the machine; the load is printed, as times mean little beside others. --page writes the table of
docs/migration.md.
"""
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "oceanbase"), str(HERE.parents[1] / "samples/shards")]
import sizes  # noqa: E402
from make_snapshot import make_snapshot  # noqa: E402
from peers import Engine  # noqa: E402

ROOT = HERE.parents[1]
PAGE = ROOT / "docs/migration.md"
BEGIN, END = "<!-- make bench-forecast: begin -->\n", "<!-- make bench-forecast: end -->\n"
DDL = """CREATE TABLE `big$f` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL,
V varbinary(1048576) NOT NULL, PRIMARY KEY (K, Q, T))
KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 1000}}' PARTITION BY KEY(K) PARTITIONS %d;
"""
REGIONS = 12


class Shape:
    def __init__(self, what, cells, columns, value, loads=1, partitions=97):
        self.what, self.cells, self.columns, self.value, self.loads = what, cells, columns, value, loads
        self.partitions = partitions


SHAPES = {"wide": Shape("rows of ten columns of 30 bytes", 20_000_000, 10, 30),
          "versions": Shape("four versions of each cell of 100 bytes, in four files a region", 8_000_000, 1, 100, loads=4),
          "values": Shape("values of 2,000 bytes", 500_000, 1, 2000, partitions=31)}


class BigEngine(Engine):
    datafile, memory = "12G", "3G"


def made_text(path, shape, load):
    """Rows in the order of their numbers, keys of hex digits that are not: as many bytes as cells need, half of them repeated."""
    r = random.Random(load)
    pool = r.randbytes(1 << 16).hex()
    with open(path, "w") as f:
        for i in range(shape.cells // shape.columns // shape.loads):
            at = r.randrange(len(pool) - shape.value)
            values = [pool[(at + 997 * c) % (len(pool) - shape.value):][:shape.value] for c in range(shape.columns)]
            f.write("%08x-%08x,%s\n" % (i * 2654435761 % (1 << 32), i, ",".join(values)))


def made_backup(run, folder, shape):
    """HBase's root directory with the snapshot."""
    bounds = folder / "bounds"
    bounds.write_text("".join("%08x\n" % ((1 << 32) * i // REGIONS) for i in range(1, REGIONS)))
    datasets = []
    for load in range(shape.loads):
        text, out = folder / "text.csv", folder / ("load%d" % load)
        made_text(text, shape, load)
        run("obkv-import", "-q", "--partition", "range:%s" % bounds, "--quote", "none", "--timestamp", 1_700_000_000_000 + load,
            "-m", "2G", "--columns", ",".join(["HBASE_ROW_KEY"] + ["f:c%d" % c for c in range(shape.columns)]), "-o", out, text)
        text.unlink()
        datasets.append(str(out))
    root = folder / "backup"
    make_snapshot(str(root), "big", "big", datasets)
    return root


def measured(binaries, name, shape):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="obkv-forecast-"))
    env = {**os.environ, "PATH": "%s:%s" % (binaries, os.environ["PATH"])}

    def run(*command):
        done = subprocess.run([str(c) for c in command], env=env, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit("%s: %d\n%s" % (command[:2], done.returncode, done.stderr[-3000:]))
        return done.stdout

    peer = BigEngine(str(folder))
    try:
        root = made_backup(run, folder, shape)
        peer.prepare()
        peer.sql("CREATE DATABASE scratch; CREATE DATABASE whole", db=None)
        ddl, conf = folder / "big.sql", folder / "migration.conf"
        ddl.write_text(DDL % shape.partitions)
        conf.write_text("[migration]\nwork = %s\ntarget = %s\nscratch = %s\nuser = %s\npassword-file = %s\nbackup = %s\n"
                        "memory = 2G\n[big]\nddl = %s\nsnapshot = big\n" % (
                            folder / "work", peer.target("whole"), peer.target("scratch"), peer.user, peer.password_file, root,
                            ddl))
        driver = (sys.executable, "-B", ROOT / "samples/migration/obkv-migrate", "--config", conf)
        print(run(*driver, "rehearse", "1%", "big"), flush=True)
        made = json.loads((folder / "work/big/forecast.json").read_text())
        rehearsed = sum(s["seconds"] for s in json.loads((folder / "work/big/steps.json").read_text()))
        load = os.getloadavg()[0]
        run(*driver, "base")
        print(run(*driver, "status", "big"), flush=True)
        steps = json.loads((folder / "work/big/steps.json").read_text())
        took = {s["step"]: s["seconds"] for s in steps if s["step"] in sizes.BASE}
        took["base"] = sum(took.values())
        dataset = sum(p.lstat().st_size for p in (folder / "work/big/base").rglob("*.hfile"))
        return {"name": name, "cells": made["cells"], "rehearsed": rehearsed, "load": (load, os.getloadavg()[0]),
                "dataset": dataset, "forecast_dataset": made["disk"]["dataset"], "took": took,
                "forecast": {**made["steps"], "base": made["base"]}}
    finally:
        peer.stop()
        shutil.rmtree(folder, ignore_errors=True)


def table(results):
    lines = ["| data set | cells | rehearsal | step | forecast | range | measured | off |", "|---|---|---|---|---|---|---|---|"]
    for r in results:
        for step, took in r["took"].items():
            f = r["forecast"][step]
            lines.append("| %s | %s | %s | %s | %s | %s to %s | %s | %+.0f %% |" % (
                SHAPES[r["name"]].what if step == "import" else "", format(r["cells"], ",") if step == "import" else "",
                sizes.clock(r["rehearsed"]) if step == "import" else "", step, sizes.clock(f["seconds"]), sizes.clock(f["from"]),
                sizes.clock(f["to"]), sizes.clock(took), 100 * (f["seconds"] / took - 1)))
        lines.append("| | | | dataset | %s | | %s | %+.0f %% |" % (
            sizes.shown(r["forecast_dataset"]), sizes.shown(r["dataset"]), 100 * (r["forecast_dataset"] / r["dataset"] - 1)))
    return "\n".join(lines) + "\n"


def main():
    args = [a for a in sys.argv[1:] if a != "--page"]
    results = []
    for word in args[1:] or list(SHAPES):
        name, _, cells = word.partition("=")
        if cells:
            SHAPES[name].cells = int(cells.replace(",", ""))
        results.append(measured(os.path.abspath(args[0]), name, SHAPES[name]))
        print("# %s: load of the machine %.1f to %.1f" % (name, *results[-1]["load"]))
        print(table(results[-1:]), flush=True)
    if "--page" in sys.argv:
        page = PAGE.read_text()
        PAGE.write_text(page[:page.index(BEGIN) + len(BEGIN)] + table(results) + page[page.index(END):])


if __name__ == "__main__":
    main()
