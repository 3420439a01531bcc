"""obkv-migrate rehearse: a share of a table goes the whole way into a scratch database, and what it took becomes a forecast.

The sample is a few ranges of rows, spread over the table; only their blocks are read. A much smaller sample before it shows what
does not grow with the cells. Where that is most of the time, the sample is doubled, and taken again. A rehearsal that was
killed begins again, with tables of other names, as half a step has no time.
"""
import json
import pathlib
import re
import shutil
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "shards"))
import checks  # noqa: E402
import screen  # noqa: E402
import sizes  # noqa: E402

PIECES = 4
SMALLER = 20  # the small sample is this part of the sample
LEAST_CELLS = 20_000
SHARDS_MAX = 10_000
MOST = 0.2  # a sample is doubled up to this share
LONG_S = 60  # it is not doubled after one that took as long: chance matters little then


def share_of(text):
    try:
        share = float(text.rstrip("%")) / 100
    except ValueError:
        share = 0
    if not (text.endswith("%") and 0 < share <= 1):
        raise ValueError("rehearse %s: expected a share such as 1%%" % text)
    return share


def renamed(ddl, suffix):
    """The definition of other tables, so that nothing of a database is in the way."""
    ddl = re.sub(r"(?i)(CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?(?:`?[\w:-]+`?\s*\.\s*)?`?)([^`\s$(]+)(\$)",
                 lambda m: m[1] + m[2] + suffix + m[3], ddl)
    return re.sub(r"(?i)(TABLEGROUP\s*(?:IF\s+NOT\s+EXISTS\s*|=\s*)?`?)([\w:$-]+)", lambda m: m[1] + m[2] + suffix, ddl)


def says_enough(journeys):
    """The last took long, or the rows of each step took longer than all else in it."""
    first, last = journeys[0]["values"], journeys[-1]["values"]
    return sum(last[s] for s in sizes.STEPS) > LONG_S or all(last[s] > 2 * first[s] for s in ("import", "load", "verify"))


class Rehearsal:
    def __init__(self, table, share):
        self.table, self.share = table, share
        self.name = "rehearsal-%g" % (100 * share)
        self.dir = table.dir / self.name
        self.result = table.dir / (self.name + ".json")
        self.now = str(int(time.time() * 1000))

    def run(self):
        if not self.result.exists():
            self.measure()
        document = json.loads(self.result.read_text())
        made = sizes.forecast(document["list"], document["partitions"], document, parts=self.table.parts(document["list"]))
        self.table.keep("forecast.json", json.dumps(made, indent=1).encode())
        found = checks.Findings()
        checks.logs(self.table, made, found)
        return "\n".join([*sizes.lines(made, self.table.name), str(found)])

    def measure(self):
        t = self.table
        attempts = t.dir / "rehearsals"
        attempt = int(attempts.read_text()) + 1 if attempts.exists() else 1
        t.keep("rehearsals", b"%d\n" % attempt)
        shutil.rmtree(self.dir, ignore_errors=True)
        self.dir.mkdir()
        table, document = t.listed(), screen.document(t, "list")
        regions = {r["name"]: r for e in document["entries"] for r in e.get("region_list", [])}
        share = min(1.0, max(self.share, LEAST_CELLS / max(table["cells"], 1)))
        of = min(round(PIECES / share), SHARDS_MAX)
        whole = of < 3 * PIECES
        finer = min(of * SMALLER // PIECES, SHARDS_MAX)
        few = [self.piece(1, 2, regions) if whole else self.piece(finer // 2, finer, regions)]
        journeys = [self.journey(1, few, attempt)]
        while True:
            pieces = [] if whole else [self.piece(of * (2 * i + 1) // (2 * PIECES) + 1, of, regions) for i in range(PIECES)]
            if not whole and not any(pieces):
                raise t.failed(2, "no rows in %d parts of %d: rehearse a larger share" % (PIECES, of))
            journeys.append(self.journey(len(journeys) + 1, pieces, attempt))
            if whole or says_enough(journeys) or PIECES / of * 2 > MOST:
                break
            of //= 2
        made = {"schema": "obkv-rehearsal/1", "list": table, "share": 1.0 if whole else PIECES / of, "journeys": journeys}
        made["partitions"] = journeys[-1]["partitions"]
        made["catch_up"] = self.catch_up()
        t.keep(self.result.name, json.dumps(made, indent=1).encode())
        t.say("rehearsed; the tables …_r%d_… in %s may be dropped" % (attempt, t.settings["scratch"]))

    def piece(self, i, of, regions):
        """The rows of shard I of N, as --rows takes them."""
        t = self.table
        said = t.run("%s-piece" % self.name, "obkv-import", "--list", "--shards", "%d/%d" % (i, of), "--now", self.now, "--ddl",
                     t.settings["ddl"], "--snapshot", t.settings["snapshot"], t.settings["backup"])
        starts, stops = [], []
        for f in json.loads(said)["files"]:
            region = next((r for name, r in regions.items() if "/%s/" % name in f["path"] or "=%s-" % name in f["path"]),
                          {"start_hex": "", "end_hex": ""})
            starts.append(f.get("start_row_hex") or region["start_hex"])
            stops.append(f.get("stop_row_hex") or region["end_hex"])
        if not starts:
            return None
        return ":".join("hex:" + row if row else "" for row in (min(starts), "" if "" in stops else max(stops)))

    def journey(self, n, pieces, attempt):
        """Import to proof, and the compaction of a cut-over."""
        t, into, name, suffix = self.table, self.dir / str(n), "sample-%d" % n, "_r%d_%d" % (attempt, n)
        into.mkdir()
        ddl = into / "table.sql"
        ddl.write_text(renamed(pathlib.Path(t.settings["ddl"]).read_text(), suffix))
        rows = [word for piece in pieces if piece for word in ("--rows", piece)]
        base, target = into / "base", t.target("scratch")
        commands = {
            "import": ("obkv-import", "--ddl", ddl, "--snapshot", t.settings["snapshot"], "--compact", *rows, *t.memory(),
                       "-o", base, t.settings["backup"]),
            "check": ("obkv-verify", "check", base),
            "load": ("obkv-load", "--create", *target, base),
            "verify": ("obkv-verify", "target", *target, base),
            "compact": ("obkv-compact", "--ddl", ddl, *t.memory(), "-o", into / "whole", base)}
        values, said = {}, {}
        for step in sizes.STEPS:
            began = time.monotonic()
            said[step] = json.loads(t.run("%s-%s-%s" % (self.name, name, step), *commands[step]).splitlines()[-1]
                                    if step == "verify" else t.run("%s-%s-%s" % (self.name, name, step), *commands[step]))
            values[step] = time.monotonic() - began
        values.update(dataset_bytes=said["import"]["files"]["bytes"], spilled_bytes=said["import"]["spilled_bytes"],
                      text_bytes=said["load"]["bytes"])
        return {"cells": said["import"]["cells"]["in"]["cells"], "written": said["import"]["cells"]["written"]["cells"],
                "partitions": said["verify"]["partitions"], "values": values, "ddl": str(ddl), "rows": rows}

    def catch_up(self):
        """Of the newest copy of the logs, as a whole: its edits go to the sample's table. None: there is no copy yet."""
        t = self.table
        try:
            logs, _ = t.newest_logs()
        except t.failed:
            t.say("no copy of the logs yet: a catch-up is not rehearsed")
            return None
        ddl, delta, target = self.dir / "2" / "table.sql", self.dir / "delta", t.target("scratch")
        began = time.monotonic()
        t.run(self.name + "-catch-up-import", "obkv-import", "--ddl", ddl, "--after", t.snapshot, "--on-damage", "skip-block",
              *t.memory(), "-o", delta, logs, allowed=(0, 3), allow=t.of_written_logs)
        t.run(self.name + "-catch-up-load", "obkv-load", *target, delta)
        t.run(self.name + "-catch-up-verify", "obkv-verify", "target", *target, delta)
        seconds = time.monotonic() - began
        files = [p.lstat() for p in logs.rglob("*") if p.is_file()]
        hours = (max(s.st_mtime for s in files) - min(s.st_mtime for s in files)) / 3600 if files else 0
        size = sum(s.st_size for s in files)
        return {"seconds": seconds, "log_bytes": size, "log_bytes_an_hour": size / hours if hours > 0.1 else None}
