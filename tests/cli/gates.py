#!/usr/bin/env python3
"""What pipelines decide by: result documents against their schemas, errors as documents, messages as JSON, figures for
Prometheus, limits of skew and check.

    gates.py BIN [--seed N] [--keep] [-v] [NAME ...]

Every document that a program prints with --json names its schema, which is in docs/schemas and holds for it. The last line is "N
passed, N failed, N skipped".
"""
import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys

from programs import NOW, Skip, Suite, demand, shown, tail

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs/schemas"
TREE = ROOT / "tests/data/hbase_trees/a1_snapshot.tar.xz"
USERS = ("--header", "--columns", "id=HBASE_ROW_KEY,updated_ms=HBASE_TS_KEY,name=info:name,email=info:email,logins=stat:logins",
         "--now", NOW)
CSV = ROOT / "samples/users.csv"
PROGRESS = "obkv-progress-1"  # of lines, not of a document
# They need a database, a job of HBase, or a migration (migrating.py).
LATE = ("obkv-load", "obkv-load-dry-run", "obkv-verify-target", "obkv-verify-hashtable", "obkv-migrate-status")


def imported(suite):
    out = suite.tmp / "users"
    if not out.exists():
        suite.call("import", "--ddl", ROOT / "samples/users.sql", *USERS, "-o", out, CSV)
    return out


def other(suite):
    out = suite.tmp / "delta"
    if not out.exists():
        suite.call("import", "--delta", "--ddl", ROOT / "samples/users.sql", *USERS, "-o", out, ROOT / "samples/users_delta.csv")
    return out


def commands(suite):
    """One command for each kind of document, with the exit code it has."""
    users, delta = imported(suite), other(suite)
    ddl = ("--ddl", ROOT / "samples/users.sql", *USERS)
    yield 0, "import", *ddl, "-o", suite.fresh("a"), CSV
    yield 0, "import", *ddl, "-o", suite.tmp / "a", CSV
    yield 0, "import", *ddl, "-o", suite.fresh("b"), "--dry-run", CSV
    yield 0, "import", *ddl, "--preview", 3, CSV
    yield 0, "import", "--list", TREE, ROOT / "tests/data/wals/dict1.log"
    yield 0, "import", "-p", "key:3", "--snapshot", "snap_a", "--compact", "-o", suite.fresh("tree"), TREE
    yield 0, "compact", "-o", suite.fresh("c"), users, delta
    yield 0, "compact", "-o", suite.tmp / "c", users, delta
    yield 0, "compact", "-o", suite.fresh("d"), "--dry-run", users, delta
    yield 0, "compact", "--base", users, "-o", suite.fresh("night"), delta
    yield 0, "split", "apply", "-p", "key:5", "-o", suite.fresh("e"), users
    yield 0, "split", "apply", "-p", "key:5", "-o", suite.tmp / "e", users
    yield 0, "split", "apply", "-p", "key:5", "-o", suite.fresh("f"), "--dry-run", users
    shard = (*ddl, "--now", "2026-11-23T00:00:00Z", "--shard")
    yield 0, "import", *shard, "1/2", "--list", CSV, CSV
    yield 0, "import", *ddl, "--shards", 2, "--list", CSV, CSV
    suite.call("import", *shard, "1/1", "-o", suite.fresh("shard"), CSV)
    yield 0, "split", "join", "-o", suite.fresh("joined"), suite.tmp / "shard"
    yield 0, "split", "join", "-o", suite.tmp / "joined", suite.tmp / "shard"
    yield 0, "split", "plan", users
    yield 0, "split", "plan", "--try", "reverse(key)", "--access", "range", "--expect", "1T", users
    yield 0, "split", "simulate", "--generate", 2000, "--key", "counter"
    yield 0, "export", "-o", suite.fresh("g"), users
    yield 0, "export", "-o", suite.fresh("h"), "--dry-run", users
    yield 0, "export", "-o", suite.fresh("i"), delta
    yield 0, "verify", "account", users
    yield 0, "verify", "check", users
    yield 0, "verify", "check", "--quick", users
    yield 0, "verify", "check", next(users.rglob("*.hfile"))
    yield 0, "verify", "skew", users
    yield 0, "verify", "skew", "--quick", users
    yield 1, "verify", "skew", "--fail-above", "gini=0", users
    yield 1, "verify", "diff", users, delta
    yield 0, "verify", "info", "--codecs", next(users.rglob("*.hfile"))
    yield 2, "import", "--bogus", CSV
    yield 5, "verify", "check", suite.tmp / "nowhere"


def documents(suite):
    """(command, document) of each; the last line of those that are lines."""
    for want, tool, *args in commands(suite):
        first = (args.pop(0),) if tool in ("split", "verify") else ()
        done = suite.call(tool, *first, "--json", *args, want=want)
        try:
            document = json.loads(done.out)
        except ValueError:
            document = json.loads(done.out.splitlines()[-1])
        yield " ".join(str(a) for a in (tool, *first, *args)), document


def fits(suite):
    try:
        import jsonschema
    except ImportError:
        raise Skip("no python3-jsonschema")
    seen = set()
    for command, document in documents(suite):
        demand("schema" in document and "version" in document, "%s: a document without schema and version" % command)
        path = SCHEMAS / (document["schema"].replace("/", "-") + ".json")
        demand(path.exists(), "%s: no %s" % (command, path))
        schema = json.loads(path.read_text())
        jsonschema.Draft202012Validator.check_schema(schema)
        errors = [e.message for e in jsonschema.Draft202012Validator(schema).iter_errors(document)]
        demand(not errors, "%s: %s" % (command, errors[:3]))
        seen.add(path.stem)
    unseen = {p.stem for p in SCHEMAS.glob("*.json")} - seen - {name + "-1" for name in LATE} - {PROGRESS}
    demand(not unseen, "schemas that no document names: %s" % sorted(unseen))


def progress(suite):
    """Lines of progress have one schema for all programs; shares never fall, and the last line is the end."""
    try:
        import jsonschema
    except ImportError:
        raise Skip("no python3-jsonschema")
    judge = jsonschema.Draft202012Validator(json.loads((SCHEMAS / (PROGRESS + ".json")).read_text()))
    users = imported(suite)
    pipe = subprocess.Popen(["sh", "-c", 'cat "$0"; sleep 3', str(CSV)], stdout=subprocess.PIPE)
    ddl = ("--ddl", ROOT / "samples/users.sql", *USERS)
    runs = (("import", ("-f", "csv", *ddl, "-o", suite.fresh("piped"), "-"), pipe.stdout),
            ("import", (*ddl, "-o", suite.fresh("q"), CSV), None),
            ("import", (*ddl, "--now", NOW, "--shards", 3, "-o", suite.fresh("u"), CSV), None),
            ("compact", ("-o", suite.fresh("r"), users), None),
            ("split", ("apply", "-p", "key:5", "-o", suite.fresh("s"), users), None),
            ("split", ("plan", users), None), ("export", ("-o", suite.fresh("t"), users), None),
            ("verify", ("check", users), None),
            ("verify", ("skew", users), None), ("verify", ("diff", users, users), None))
    for tool, args, feed in runs:
        done = suite.call(tool, *args, "-q", "--progress", "json", stdin=feed)
        lines = [json.loads(line) for line in done.err.splitlines() if line.startswith(b"{")]
        errors = [e.message for line in lines for e in judge.iter_errors(line)]
        demand(not errors, "%s: %s" % (tool, errors[:3]))
        last = lines[-1] if lines else {}
        demand((last.get("program"), last.get("phase")) == ("obkv-" + tool, "end"), "%s: %s" % (tool, tail(done.err)))
        shares = [line["share"] for line in lines if line["share"] is not None]
        demand(shares == sorted(shares), "%s: shares %s" % (tool, shares))
        demand(feed is None or len(lines) > 2, "no lines while a pipe rests: %s" % tail(done.err))
    pipe.stdout.close()
    pipe.wait()


def progress_of_shards(suite):
    """Progress spans all shards and their join: shares never fall, and go on where a run was killed, here in the join."""
    rows, out = suite.tmp / "rows.csv", suite.fresh("of-shards")
    rows.write_text("".join("row%07d,%s\n" % (i, hex(i ** 9)) for i in range(1200000)))
    args = ("-q", "--progress", "json", "--columns", "HBASE_ROW_KEY,f:a", "--quote", "none", "-t", 1, "-p", "key:3", "--now", NOW)
    command = suite.command("import", (*args, "--codec", "brotli", "--shards", 4, "-o", out, rows))
    seen = []
    for kill in (True, False):
        p = subprocess.Popen(command, env=suite.env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        found = []
        for line in p.stderr:
            if line.startswith(b"{"):
                found.append(json.loads(line))
            if kill and found and found[-1]["phase"] == "compact":
                p.kill()
                break
        p.stderr.close()
        p.wait()
        shares = [line["share"] for line in found]
        demand(shares and shares == sorted(shares), "shares %s" % shares)
        seen.append(found)
    joining, resumed = seen[0][-1], seen[1][0]
    demand(0 < joining["share"] < 0.9, "the shards are not all: %s" % joining)
    demand(resumed["phase"] == "compact" and resumed["share"] > joining["share"] / 2, "finished shards count: %s" % resumed)
    demand(seen[1][-1]["share"] == 1, "the end: %s" % seen[1][-1])


def fails_as_json(suite):
    """A run that fails prints an error document, and nothing else on standard output."""
    for want, code, tool, *args in ((2, "usage", "import", "--nonsense"), (5, "input", "verify", "check", "nowhere"),
                                    (5, "input", "export", "-o", "x", "nowhere"), (2, "usage", "compact", "-o", "x"),
                                    (6, "limit", "import", "-m", "1M", "-p", "key:3", *USERS, "-o", "x", CSV)):
        done = suite.call(tool, *args, "--json", want=want)
        found = json.loads(done.out)
        demand(found["schema"] == "obkv-error/1" and found["error"]["exit_code"] == want and found["error"]["code"] == code,
               "%s %s: %s" % (tool, args, shown(done.out)))
        demand(found["error"]["text"] in shown(done.err), "other words on standard error")


def logs(suite):
    """Each message is one line; a warning has its code, whatever is in a name is escaped."""
    evil = suite.tmp / "evil\x1b[31m\n.csv"
    evil.write_text("")
    args = ("-p", "key:3", "--columns", "HBASE_ROW_KEY,f:a", "-v", "--allow", "empty-file")
    for n, form in enumerate(("json", "timed")):
        done = suite.call("import", *args, "-o", suite.fresh("log%d" % n), "--config", "log-format=%s" % form, evil)
        lines = done.err.decode().splitlines()
        demand(len(lines) > 1 and b"\x1b" not in done.err, "lines: %r" % lines)
        for line in lines:
            demand(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z obkv-import: ", line) if form == "timed"
                   else {"time", "level", "program", "text"} <= set(json.loads(line)), line)
        if form == "json":
            codes = [m.get("code") for m in map(json.loads, lines) if m["level"] == "warning"]
            demand("empty-file" in codes, "warnings: %s" % codes)
    suite.call("import", "--config", "log-format=xml", *args, "-o", "x", CSV, want=2)


def terminals(suite):
    """Whatever names hold, nothing that a terminal obeys is printed, or written into a table of reasons."""
    evil = suite.tmp / "in\x1b]0;x\x07\x9b2J.csv"
    evil.write_text("a,1,1\nb\n")
    out = suite.fresh("out\x1b[2J")
    args = ("-p", "key:3", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a", "--max-rejects", 5)
    runs = [suite.call("import", *args, "-v", "-o", out, evil, want=3), suite.call("verify", "check", out),
            suite.call("verify", "info", "--stats", out), suite.call("verify", "skew", out),
            suite.call("verify", "diff", out, out),
            suite.call("verify", "account", out), suite.call("split", "plan", out),
            suite.call("import", "-n", *args, "-o", "o", evil)]
    runs.append(suite.call("verify", "info", next(out.rglob("*.hfile"))))
    texts = [(" ".join(map(str, r.err.split()[:3])), r.out + r.err) for r in runs]
    texts += [(str(p.name), p.read_bytes()) for p in (out / "_report").rglob("*") if p.is_file()]
    for name, text in texts:
        bad = [hex(b) for b in text if b < 32 and b not in b"\n\t\r"] + ["CSI"] * text.count(b"\xc2\x9b")
        demand(not bad, "%s: %s in %s" % (name, bad[:5], shown(text)[:300]))


def values_on_a_terminal(suite):
    """An export for a pipe has every byte; on a terminal it shows what the terminal would obey."""
    (suite.tmp / "values.csv").write_bytes(b"a,\x1b[31mred\n")
    out = suite.fresh("values")
    suite.call("import", "--quiet", "-p", "none", "-c", "HBASE_ROW_KEY,f:v", "-o", out, suite.tmp / "values.csv")
    args = ("export", "--quiet", "--format", "csv", "-o", "-", out)
    demand(b",\x1b[31mred\n" in suite.call(*args).out, "a pipe gets other bytes")
    ours, theirs = pty.openpty()
    try:
        suite.call(*args, stdout=theirs)
        shown_there = os.read(ours, 1 << 16)
    finally:
        os.close(ours)
        os.close(theirs)
    demand(b"\x1b" not in shown_there and b",\\x1b[31mred" in shown_there, "a terminal gets %r" % shown_there)


def scripts(suite):
    """No script of an export holds what a terminal obeys: a name, a path or a definition that would bring it there is refused."""
    (suite.tmp / "rows.csv").write_text("a\x01b,1\n")
    ddl = ("CREATE TABLE `%s$f` (K varbinary(90) NOT NULL, Q varbinary(9) NOT NULL, T bigint NOT NULL, V varbinary(9) NOT NULL,"
           " P varbinary(90) AS (substring_index(K, %s, 1)), PRIMARY KEY (K, Q, T)) PARTITION BY KEY(P) PARTITIONS 2;")

    def export(name, sql, *options, want=0):
        (suite.tmp / "t.sql").write_text(sql)
        table = ("--ddl", suite.tmp / "t.sql") if sql else ("-p", "none")
        done = suite.call("import", "--quiet", *table, "-c", "HBASE_ROW_KEY,f:a", "-o", suite.fresh("d" + name), "rows.csv",
                          want={0, want})
        if done.code == 0:
            done = suite.call("export", "--create", *options, "-o", suite.fresh(name), suite.tmp / ("d" + name), want=want)
        demand(b"\x1b" not in done.err and (want == 0 or b"control character" in done.err), shown(done.err))
        demand(want == 0 or not list((suite.tmp / name).glob("*.sql")), "%s: scripts were written" % name)
        return suite.tmp / name

    export("named", ddl % ("t\x1b[31m", "'.'"), want=2)
    export("literal", ddl % ("t", "'\x1b'"), want=2)
    export("option", "", "--name", "t\x1b[31m", want=2)
    export("path", ddl % ("t", "'.'"), "--server-dir", "/srv/\x1b[31m", want=2)
    out = export("hex", ddl.replace("(K v", "(/* \x1b[31m */ K v") % ("t", "x'01'"))
    demand("substring_index(K, x'01', 1)" in (out / "create.sql").read_text(), "the delimiter is not a literal in hex")
    for script in out.glob("*.sql"):
        demand(not re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", script.read_bytes()), "%s holds a control character" % script.name)


def figures(path):
    """{name: (labels, value)}, and that each has HELP and TYPE before it."""
    found, known = {}, set()
    for line in path.read_text().splitlines():
        if line.startswith("# TYPE "):
            known.add(line.split()[2])
        elif not line.startswith("#"):
            name, labels, value = re.fullmatch(r"(\w+)(\{.*\})? (\S+)", line).groups()
            demand(name in known, "no TYPE of " + name)
            found[name, labels if "code=" in (labels or "") else None] = (labels, float(value))
    return found


def measures(suite):
    """All programs write the same five figures and their own; a failed run keeps the time of the last success."""
    users, prom = imported(suite), suite.tmp / "m.prom"
    runs = (("import", "-p", "key:3", *USERS, "-o", suite.fresh("p1"), CSV), ("compact", "-o", suite.fresh("p2"), users),
            ("split", "apply", "-p", "key:2", "-o", suite.fresh("p3"), users), ("export", "-o", suite.fresh("p4"), users),
            ("split", "plan", users), ("verify", "check", users), ("verify", "diff", users, users), ("verify", "skew", users),
            ("verify", "info", users), ("verify", "account", users))
    for tool, *args in runs:
        prom.unlink(missing_ok=True)
        suite.call(tool, *args, "--metrics", prom)
        found = figures(prom)
        for name in ("success", "exit_code", "last_run_timestamp_seconds", "last_success_timestamp_seconds", "duration_seconds"):
            demand(("obkv_%s_%s" % (tool, name), None) in found, "%s: no %s" % (tool, name))
        demand(found["obkv_%s_success" % tool, None][1] == 1, "%s: no success" % tool)
        if shutil.which("promtool"):
            done = subprocess.run(["promtool", "check", "metrics"], input=prom.read_bytes(), stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, check=False)
            demand(done.returncode == 0, "promtool: %s" % tail(done.stdout))
    cells = suite.result("import", "-p", "key:3", *USERS, "-o", suite.fresh("p5"), "--metrics", prom, CSV)["cells"]
    found = figures(prom)
    demand(found["obkv_import_cells_written", None][1] == cells["written"]["cells"], "other cells than the summary")
    last = found["obkv_import_last_success_timestamp_seconds", None][1]
    suite.call("import", "-p", "key:3", *USERS, "-o", suite.fresh("p6"), "--metrics", prom, "nowhere.csv", want=5)
    found = figures(prom)
    demand(found["obkv_import_success", None][1] == 0 and found["obkv_import_exit_code", None][1] == 5, "no failure")
    demand(found["obkv_import_last_success_timestamp_seconds", None][1] == last, "the last success is forgotten")
    (suite.tmp / "empty.csv").write_text("")
    suite.call("import", "-p", "key:3", "--columns", "HBASE_ROW_KEY,f:a", "-o", suite.fresh("p7"), "--metrics", prom, "empty.csv",
               "--allow", "empty-file")
    demand(("obkv_import_warnings", '{code="empty-file"}') in figures(prom), prom.read_text())
    suite.call("import", "-p", "key:3", *USERS, "-o", suite.fresh("p8"), "--metrics", "/proc/none/x.prom", CSV, want={6, 7})
    demand(not (suite.tmp / "p8/MANIFEST.json").exists(), "metrics that cannot be written were noticed after the work")


def limits(suite):
    """Above the limit is 1, at the limit 0; the figure is that of the report."""
    users = imported(suite)
    report = suite.result("verify", "skew", users)["spread"]
    for measure in ("rows", "cells", "kv_bytes", "file_bytes"):
        for figure, value in (("max/mean", report[measure]["max_mean"]), ("gini", report[measure]["gini"]),
                              ("cv", report[measure]["cv"]), ("empty", report[measure]["empty"])):
            name = "%s:%s" % (measure, figure)
            suite.call("verify", "skew", "-q", "--fail-above", "%s=%r" % (name, value), users)
            if value > 0:
                done = suite.call("verify", "skew", "--fail-above", "%s=%r,gini=2" % (name, value * 0.999), users, want=1)
                demand((name + " is ").encode() in done.err, tail(done.err))
    suite.call("verify", "skew", "-q", "--max-partition", 1, "--fail-above", "above-limit=0", users, want=1)
    for bad in ("gini", "x=1", "rows:above-limit=1", "gini=-1", "gini=nan", "bytes:gini=1", "gini=0.1,", "gini=1x", ""):
        suite.call("verify", "skew", "--fail-above", bad, users, want=2)
    suite.call("verify", "skew", "--quick", "--fail-above", "rows:gini=1", users, want=2)


def severities(suite):
    """A file that is too much ends the check with 1 unless only worse things count; a warning counts on request."""
    users = suite.fresh("strays")
    shutil.copytree(imported(suite), users)
    family = next(p for p in users.iterdir() if p.is_dir() and not p.name.startswith((".", "_")))
    shutil.copy(next(p for p in family.iterdir() if p.is_file()), family / "stray")
    kinds = suite.result("verify", "check", users, want=1)
    found = {name for name, n in kinds["problems_by_severity"].items() if n}
    worst = min(("lost", "misplaced", "figures", "cosmetic").index(name) for name in found)
    for n, name in enumerate(("lost", "misplaced", "figures", "cosmetic", "warnings")):
        suite.call("verify", "check", "-q", "--fail-on", name, users, want=0 if n < worst else 1)
    suite.call("verify", "check", "-q", "--fail-on", "warnings", imported(suite))
    suite.call("verify", "check", "--fail-on", "all", users, want=2)


def main():
    suite = Suite(__doc__)
    for test in (fits, progress, progress_of_shards, fails_as_json, logs, terminals, values_on_a_terminal, scripts, measures,
                 limits, severities):
        suite.run(test.__name__, test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
