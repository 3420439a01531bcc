"""obkv-migrate check: what can go wrong later, all of it at once, before anything is changed.

A load of an empty dataset is rehearsed without effect (obkv-load --dry-run): so the programs themselves judge database, rights
and definition. Sizes are those of the rehearsal, else of obkv-import --list. Tables of one configuration share disks: each is
checked with what those before it need.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "shards"))
import screen  # noqa: E402
import sizes  # noqa: E402

PROGRAMS = ("obkv-import", "obkv-compact", "obkv-split", "obkv-export", "obkv-load", "obkv-verify")
WORSE = ("PASS", "WARN", "FAIL")
USAGE, LIMIT = 2, 6
TTL = "hbase.master.logcleaner.ttl"
TTL_DEFAULT_MS = 600_000
BEFORE_BASE = ("rows",)  # findings about the table that mean nothing once its load has begun


class Findings:
    """A line each; the exit code is the highest of the failures."""

    def __init__(self):
        self.list, self.code = [], 0

    def add(self, state, name, text, code=USAGE):
        if (state, name, text) not in self.list:
            self.list.append((state, name, text))
        if state == "FAIL":
            self.code = max(self.code, code)

    def __str__(self):
        return "\n".join("  %s  %-14s %s" % f for f in self.list)

    def count(self, state):
        return sum(f[0] == state for f in self.list)


def ask(*words):
    done = subprocess.run([str(w) for w in words], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    return done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace").strip()


def programs(out):
    said = {}
    for program in PROGRAMS:
        try:
            said[program] = ask(program, "--version")[1].split("\n")[0].replace(program, "").strip()
        except OSError as error:
            out.add("FAIL", "programs", "%s cannot be run: %s" % (program, error.strerror))
    versions = sorted(set(said.values()))
    if len(versions) > 1:
        out.add("FAIL", "programs", "of different versions: " + ", ".join("%s %s" % item for item in said.items()))
    elif len(said) == len(PROGRAMS):
        out.add("PASS", "programs", "six, of version " + versions[0])
    return len(said) == len(PROGRAMS)


def source(table, out):
    """The snapshot is complete, and its cells fit the definition."""
    try:
        table.run("check-import", "obkv-import", "--dry-run", "--ddl", table.settings["ddl"], "--snapshot",
                  table.settings["snapshot"], "--compact", *table.memory(), "-o", table.dir / "check", table.settings["backup"])
    except table.failed as failed:
        return out.add("FAIL", "snapshot", str(failed), failed.code)
    size = screen.document(table, "check-import").get("input_bytes", 0)
    return out.add("PASS", "snapshot", "%s: complete, %s of files" % (table.settings["snapshot"], sizes.shown(size)))


def databases(table, out):
    """Reachable, of a version that can be loaded, the definition is that of the table if it is there, and the rights suffice: for
    the base, and for a delta, whose markers are statements that delete."""
    began = any(s["step"] == "load" for s in table.steps)
    with tempfile.TemporaryDirectory(dir=table.dir) as folder:
        made = {}
        for kind in ([], ["--delta"]):
            where = pathlib.Path(folder) / ("delta" if kind else "empty")
            code, _, said = ask("obkv-import", "-q", "--ddl", table.settings["ddl"], "--format", "cells", *kind, "-o", where,
                                os.devnull)
            if code:
                return out.add("FAIL", "definition", said, code)
            made[where.name] = json.loads((where / "MANIFEST.json").read_text())
        out.add("PASS", "definition", "%s: families: %d, partitions: %d" % (
            table.settings["ddl"], len(made["empty"]["table"]["families"]), partitions_of(made["empty"])))
        for which in ("target", "scratch") if table.settings.get("scratch") else ("target",):
            for kind in made if which == "target" else ("empty",):
                database(table, which, pathlib.Path(folder) / kind, began and which == "target", out)
    return partitions_of(made["empty"]) * len(made["empty"]["table"]["families"])


def partitions_of(manifest):
    return manifest["table"].get("partitioning", {}).get("count", 1)


def database(table, which, dataset, began, out):
    code, text, said = ask("obkv-load", "--dry-run", "--create", *table.target(which), dataset)
    found = re.findall(r"^(PASS|WARN|FAIL)\s+(.+?)\s{2,}(.*)$", text + said, re.MULTILINE)
    if not found:
        return out.add("FAIL", which, "the database of `%s` cannot be used: %s" % (which, said), code)
    for state, name, what in found:
        if name == "version":
            out.add(state, which, "%s is %s" % (table.settings[which], what[:60]), code)
        elif state != "PASS" and not (began and name in BEFORE_BASE):
            out.add(state, which, "%s: %s" % (name, what), code)
    rights = [f for f in found if f[1] == "privileges" and f[0] == "PASS"]
    if rights and dataset.name == "delta":
        out.add("PASS", which, "rights: %s, DELETE, and CREATE where tables are missing" % rights[0][2])
    return None


# ---- time and space ----

def site_of(settings):
    """hbase-site.xml of the configuration, else of the environment; None: there is none."""
    for place in (settings.get("hbase-conf"), os.environ.get("HBASE_CONF_DIR"), os.environ.get("HADOOP_CONF_DIR")):
        path = pathlib.Path(place) if place else None
        if path and path.is_dir():
            path /= "hbase-site.xml"
        if path and (path.exists() or place == settings.get("hbase-conf")):
            return path
    return None


def property_of(path, name):
    """The last value; None: the file does not set it."""
    found = None
    for p in xml.etree.ElementTree.parse(path).getroot().iter("property"):
        if (p.findtext("name") or "").strip() == name:
            found = (p.findtext("value") or "").strip()
    return found


def logs(table, made, out):
    """HBase keeps its logs for longer than the way to the last catch-up."""
    need = made["base"]["to"] + made["freeze"]["to"]
    takes = "base and freeze take up to %s%s" % (
        screen.duration(need), "" if made["measured"] else " by our rates (obkv-migrate rehearse measures yours)")
    path = site_of(table.settings)
    if not path:
        return out.add("WARN", "logs", "%s is not known, %s: name the directory of hbase-site.xml (of a master) as hbase-conf" %
                       (TTL, takes))
    try:
        value = property_of(path, TTL)
        ms = TTL_DEFAULT_MS if value is None else int(value)
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        return out.add("WARN", "logs", "%s is not known, %s: %s: %s" % (TTL, takes, path, error))
    what = "%s is %s in %s%s; %s" % (TTL, screen.duration(ms / 1000), path, "" if value else " (HBase's default)", takes)
    if ms / 1000 < need:
        return out.add("WARN", "logs", what + ": HBase deletes logs that the catch-up needs; raise it before the snapshot")
    return out.add("PASS", "logs", what)


def checklist(table):
    """Before the last catch-up. A cut-over that is resumed has the logs that it began with."""
    out, (copied, name) = Findings(), table.newest_logs()
    mark, steps = table.dir / "cut-over", {s["step"]: s for s in table.steps}
    resumed = mark.exists() and mark.read_text() == name
    table.keep("cut-over", name.encode())
    known = not resumed and steps.get(name + "-verify", {}).get("exit") == 0
    out.add("WARN" if known else "PASS", "logs", "%s, the newest copy%s" % (
        copied, ": a catch-up had it: was it copied after the writers had stopped?" if known else ""))
    caught = [s for s in table.steps if s["step"].startswith("delta-") and s["step"].endswith("-verify") and s.get("exit") == 0]
    out.add("PASS" if caught else "WARN", "catch-up", "the last one is proven" if caught else
            "there was none: the last one loads all that was written since the snapshot")
    end = table.settings.get("end-snapshot")
    there = end and (table.snapshot.parent / end).is_dir()
    if there:
        out.add("PASS", "end-snapshot", "%s: the source is compared with it, and a rollback starts from it" % end)
    elif end:
        out.add("FAIL", "end-snapshot", "%s is not in %s: take it now, and export it" % (end, table.snapshot.parent))
    else:
        out.add("WARN", "end-snapshot", "none: the source is not compared, and there is no rollback without it")
    freeze = screen.document(table, "forecast").get("freeze")
    if freeze:
        out.add("PASS", "freeze", "%s to %s, by the rehearsal" % (screen.duration(freeze["from"]), screen.duration(freeze["to"])))
    print("%s: the writers have stopped, and the logs were rolled and copied after that?\n%s" % (table.name, out), flush=True)
    if out.code:
        raise table.failed(out.code, "cut-over: %d of the checklist failed" % out.count("FAIL"))


class Checks:
    def __init__(self):
        self.disks = {}  # what the tables before need, by device

    def run(self, table):
        began, out = time.time(), Findings()
        if programs(out):
            source(table, out)
            partitions = databases(table, out)
            made = self.forecast(table, partitions, out) if partitions else None
            if made:
                logs(table, made, out)
                self.room(table, made, out)
        table.note({"step": "checked", "began": began, "seconds": time.time() - began, "exit": out.code})
        print("%s\n%s" % (table.name, out), flush=True)
        allowed = table.settings.get("allow", "").split()
        if any(f[0] == "WARN" and f[1] == "target" for f in out.list) and "target-check" not in allowed:
            table.say("warnings of the target stop the load: remove their cause, or, once you know that it is harmless, write "
                      "`allow = target-check`")
        if out.code:
            raise table.failed(out.code, "check: %d failed, %d warn" % (out.count("FAIL"), out.count("WARN")))

    @staticmethod
    def forecast(table, partitions, out):
        made = screen.document(table, "forecast")
        if made:
            return made
        with contextlib.suppress(table.failed, ValueError):
            listed = table.listed()
            return sizes.forecast(listed, partitions, parts=table.parts(listed))
        return out.add("FAIL", "snapshot", "cannot be listed", USAGE)

    def room(self, table, made, out):
        """Of `work` for the datasets, and of the temporary directory for the batches of obkv-load."""
        disk, work, temp = made["disk"], table.dir, pathlib.Path(os.environ.get("TMPDIR", "/var/tmp"))
        there = sum(p.lstat().st_size for name in ("base", "whole", "parts.shards") for p in (table.dir / name).rglob("*")
                    if p.is_file())
        need = disk["dataset"] + disk["whole"] + disk["scratch"] + disk.get("parts", 0)
        for place, what, size in ((work, "datasets", max(0, need - there)), (temp, "batches of obkv-load", disk["load_files"])):
            device = place.stat().st_dev
            before = self.disks.get(device, 0)
            # batches are gone when a table is loaded, so those of the largest count; datasets stay
            self.disks[device] = before + (size if place is work else 0)
            free = shutil.disk_usage(place).free
            text = "%s: %s take %s%s, %s free" % (place, what, sizes.shown(size), ", other data of this migration %s" %
                                                  sizes.shown(before) if before else "", sizes.shown(free))
            if before + size > free:
                out.add("FAIL", "disk", text + ": they may not fit", LIMIT)
            else:
                out.add("PASS", "disk", text)
