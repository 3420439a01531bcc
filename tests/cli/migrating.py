#!/usr/bin/env python3
"""obkv-migrate without a database: rehearsal and forecast, status, figures, signals, mistakes in its configuration.

    migrating.py BIN [--seed N] [--keep] [-v] [NAME ...]

obkv-load and `obkv-verify target` are scripts here that answer as the programs do; tests/oceanbase/beside_hbase.py has the real
ones and a real HBase. The last line is "N passed, N failed, N skipped".
"""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import types

from programs import Skip, Suite, demand, shown

ROOT = pathlib.Path(__file__).resolve().parents[2]
DRIVER = ROOT / "samples/migration/obkv-migrate"
SCALE = ROOT / "samples/shards/scale.py"
LOAD = """#!/bin/sh
case "$*" in
--version) exec %s/obkv-load --version ;;
*127.0.0.1:1/unknown*--dry-run* | *--dry-run*127.0.0.1:1/unknown*)
    echo "obkv-load: error: error 1049: Unknown database 'unknown'" >&2 && exit 2 ;;
*--dry-run*)
    echo 'PASS  version        OceanBase 4.3.5.3'
    case "$*" in */delta*) echo "$OBKV_TEST_DELTA" ;; esac
    echo "$OBKV_TEST_EMPTY"
    exit 0 ;;
esac
echo '{"program": "obkv-load", "phase": "loading", "share": 0.42, "eta_s": 90, "rate": 2000000}' >&2
echo '{"step": "done", "file": "x"}' >&2
echo '{"level": "info", "text": "a message as JSON"}' >&2
echo 'obkv-load: created table' >&2
if [ -e "$OBKV_TEST_SLOW" ]; then trap 'exit 143' TERM; for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.5; done; fi
echo '{"schema":"obkv-load/1","did":"loaded","rows":694,"bytes":70000,"seconds":0.1}'
"""
VERIFY = """#!/bin/sh
case $1 in target) echo '{"kind":"summary","rows_a":694,"rows_b":694,"partitions":14,"equal":true}' && exit 0 ;; esac
exec %s/obkv-verify "$@"
"""


class Case:
    def __init__(self, suite, name, **settings):
        self.suite, self.dir = suite, suite.fresh(name)
        self.dir.mkdir()
        with tarfile.open(ROOT / "samples/simple_snapshot.tar.gz") as t:
            t.extractall(self.dir)
        (self.dir / "bin").mkdir()
        for program, text in (("obkv-load", LOAD % suite.bin), ("obkv-verify", VERIFY % suite.bin)):
            (self.dir / "bin" / program).write_text(text)
            (self.dir / "bin" / program).chmod(0o755)
        self.slow = self.dir / "slow"
        path = "%s:%s:%s" % (self.dir / "bin", suite.bin, suite.env["PATH"])
        self.env = {**suite.env, "PATH": path, "OBKV_TEST_SLOW": str(self.slow)}
        every = {"work": self.dir / "work", "target": "127.0.0.1:1/a", "scratch": "127.0.0.1:1/b", "backup": self.dir / "export",
                 "metrics": self.dir / "figures", **settings}
        self.conf = self.dir / "migration.conf"
        self.conf.write_text("[migration]\n%s\n[simple]\nddl = %s\nsnapshot = snap_a\n[other]\nddl = x.sql\nsnapshot = none\n" % (
            "\n".join("%s = %s" % item for item in every.items()), ROOT / "samples/simple.sql"))

    def start(self, *words):
        return subprocess.Popen([sys.executable, "-B", DRIVER, "--config", self.conf, *words], env=self.env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def call(self, *words, want=0):
        p = self.start(*words)
        out, err = map(shown, p.communicate(timeout=120))
        demand(p.returncode == want, "%s: exit %d\n%s" % (words, p.returncode, err[-2000:]))
        return out, err

    def result(self, name):
        return json.loads((self.dir / "work/simple" / name).read_text())


def rehearsal(suite):
    """A whole journey of a sample, a forecast of its parts; a rehearsal that was killed begins again with other tables."""
    c = Case(suite, "rehearsal")
    c.slow.touch()
    p = c.start("rehearse", "1%", "simple")
    end = time.monotonic() + 60
    while "loading" not in c.call("status")[0]:
        demand(p.poll() is None and time.monotonic() < end, "no load begins")
        time.sleep(0.05)
    now = c.call("status")[0]
    demand(now.splitlines()[1].split()[:3] == ["simple", "-", "begun"] and "-load: loading 2 MB/s" in now, now)
    p.kill()
    p.communicate()
    c.slow.unlink()
    out, err = c.call("rehearse", "1%", "simple")
    demand("WARN  logs           hbase.master.logcleaner.ttl is not known" in out, out)
    demand("simple: 839 cells, 45.84 KiB of KeyValues in 80.32 KiB of files (ratio 0.6)" in out and "_r2_… in" in err, out + err)
    ddl = (c.dir / "work/simple/rehearsal-1/1/table.sql").read_text()
    demand("CREATE TABLE `simple_r2_1$cf1`" in ddl, "tables are not renamed: " + ddl)
    made = c.result("forecast.json")
    demand(made["cells"] == 839 and set(made["steps"]) == {"import", "check", "load", "verify", "compact"}, made)
    demand(made["disk"]["dataset"] > 80000 and made["target_bytes"] == 14 << 21, made)
    again = c.call("rehearse", "1%", "simple")
    demand(again[0] == out and not again[1], "done, and done again: " + again[1])
    c.call("rehearse", "0%", want=2)
    demand("1.5" not in c.call("rehearse", "101%", want=2)[0], "more than all")
    p = subprocess.run([SCALE, "--list", c.dir / "work/simple/list.json", "--rehearsal", c.dir / "work/simple/rehearsal-1.json"],
                       env=c.env, capture_output=True, check=False)
    demand(shown(p.stdout).splitlines()[1:] == out.splitlines()[1:-1], "scale.py says otherwise: " + shown(p.stdout + p.stderr))
    demand("needs `scratch`" in Case(suite, "no scratch", scratch="").call("rehearse", "simple", want=2)[1], "no word of scratch")


def pieces(suite):
    """The sample of a table of regions is 1 % of its rows, or little more."""
    sys.path.append(str(DRIVER.parent))
    import rehearsal as module
    import screen
    ddl = "CREATE TABLE IF NOT EXISTS `a:b%s$f` (K int) TABLEGROUP = g%s; CREATE TABLEGROUP `g%s` x; create table t%s$f ("
    demand(module.renamed(ddl.replace("%s", ""), "_r1") == ddl.replace("%s", "_r1"), "names")
    line = module.sizes.line_through
    demand([round(x, 9) for x in line([(100, 2.0), (2100, 4.0), (1100, 3.0)])] == [1.9, 0.001], "three points of a line")
    demand(line([(100, 5.0), (200, 4.0)]) == (0.0, 0.02), "a small sample that took longer")
    demand(line([(100, 1.0), (200, 6.0)]) == (0.0, 0.03) == line([(200, 6.0), (200, 6.0)]), "less than nothing at 0")
    mob = {"name": "m", "cells": 5, "bytes": 100, "kv_bytes": 200, "mob": True, "mob_bytes": 70 << 30, "mob_kv_bytes": 80 << 30}
    listed = module.sizes.listed({"entries": [{"families": [mob]}]})
    demand((listed["cells"], listed["bytes"] - 100, listed["kv_bytes"] - 200) == (5, 70 << 30, 80 << 30), listed)
    demand(module.sizes.parts_of(listed) == 3, "70 GiB of mob files are no two parts")
    made = module.sizes.forecast(listed, 1, parts=3)
    said = "".join(module.sizes.lines(made, "m"))
    demand(made["disk"]["parts"] > made["disk"]["dataset"] and "70 GiB of it in mob files" in said, said)
    took = [{"values": dict.fromkeys(module.sizes.STEPS, v)} for v in (1.0, 1.9, 2.1, 13)]
    table = types.SimpleNamespace(dir=suite.fresh("none"), steps=[{"step": "whole-verify", "exit": 0, "seconds": 1.0}])
    table.dir.mkdir()
    demand(screen.cells_of(table)[-1] == "proven", "not proven")
    table.steps.append({"step": "rollback-verify", "exit": 0, "seconds": 1.0})
    demand(screen.cells_of(table)[-1] == "rolled back", "not rolled back")
    demand([module.says_enough(took[:n]) for n in (2, 3, 4)] == [False, True, True], "enough")


def steps(suite):
    """base: logged with program and sub-command, on the screen, in figures; what is done keeps its time; a signal stops it."""
    c = Case(suite, "steps")
    c.slow.touch()
    p = c.start("base", "simple")
    while b"created table" not in p.stderr.readline():
        demand(p.poll() is None, "no load begins")
    p.send_signal(signal.SIGTERM)
    err = shown(p.communicate(timeout=60)[1])
    demand(p.returncode == 143 and "load: obkv-load ended with exit code 143 after" in err, "%d %s" % (p.returncode, err))
    demand("load: exit code 143" in c.call("status")[0], c.call("status")[0])
    took = c.result("steps.json")[0]
    c.slow.unlink()
    err = c.call("base", "simple")[1]
    demand("verify: obkv-verify target ended after" in err and "a message as JSON" in err, err)
    demand('"share"' not in err and '"step"' not in err, err)
    demand(took in c.result("steps.json") and c.result("import.json")["did"] == "imported", "what was done is measured again")
    rows = c.call("status")[0].splitlines()
    demand(rows[0].split()[:4] == ["table", "check", "rehearse", "import"] and rows[2].split() == ["other"] + ["-"] * 7, rows)
    demand(rows[1].count("/s") == 3, rows[1])
    demand("  verify  " in c.call("status", "simple")[0], "no steps")
    c.call("status", "--html", c.dir / "page.html")
    page = (c.dir / "page.html").read_text()
    demand('{"schema":"obkv-migrate-status/1"' in page and '"schema":"obkv-import/1"' in page, "no page")
    demand('"schema":"obkv-import-list' not in page, "a list is no proof")
    shown_ = json.loads((c.dir / "work/status.json").read_text())
    wanted = json.loads((ROOT / "docs/schemas/obkv-migrate-status-1.json").read_text())["required"]
    demand(sorted(shown_) == sorted(wanted) and len(shown_["tables"][0]["steps"]) == len(shown_["columns"]), shown_)
    figures = (c.dir / "figures/obkv_migrate_simple.prom").read_text()
    demand('obkv_migrate_step_exit_code{table="simple",step="verify"} 0.000' in figures, figures)
    demand((c.dir / "figures/obkv_simple_import.prom").exists(), "no figures of obkv-import")


def refusals(suite):
    """What check and the others say before anything begins."""
    c = Case(suite, "refused")
    said = c.call("catch-up", "simple", want=2)[1]
    demand("the snapshot is not loaded yet: obkv-migrate base simple" in said, said)
    demand("no section for absent" in c.call("base", "absent", want=2)[1], "absent")
    c.call("base", "simple")
    demand("/export/logs/1" in c.call("catch-up", "simple", want=75)[1], "no logs")
    c.conf.write_text(c.conf.read_text().replace("metrics", "metric"))
    demand("[simple]: metric is not known" in c.call("status", want=2)[1], "a mistyped key")
    good = c.conf.read_text().replace("metric =", "metrics =")
    for wrong in ("target = root:s3cr3t@h:1/a", "target = mysql://root:s3cr3t@h:1/a", "target = h:1/a?password=s3cr3t",
                  "user = root@sys:s3cr3t", "user = root:s3cr3t"):
        c.conf.write_text(good.replace("[simple]\n", "[simple]\n%s\n" % wrong))
        said = c.call("base", "simple", want=2)[1]
        demand("s3cr3t" not in said and "password-file" in said, said)
    c.conf.write_text(good + "[a:b]\nddl = x\nsnapshot = y\n[a.b]\nddl = x\nsnapshot = y\n")
    demand("[a:b] and [a.b] have the same directory" in c.call("base", "a:b", want=2)[1], "two tables in one directory")
    c.conf.write_text(good.replace("metrics =", "metric ="))
    c.conf.write_text(c.conf.read_text().replace("metric = %s" % (c.dir / "figures"), "metrics = /dev/null/x"))
    said = c.call("check", "simple", want=7)[1]
    demand("Traceback" not in said and "/dev/null/x" in said, said)


def checks(suite):
    """All that is wrong is said at once: database and rights, how long HBase keeps its logs, programs, disk."""
    shown = Case(suite, "unknown", scratch="127.0.0.1:1/unknown").call("check", "simple", want=2)[0]
    demand("FAIL  scratch        the database of `scratch` cannot be used: obkv-load: error: error 1049" in shown, shown)
    demand("PASS  target         127.0.0.1:1/a is OceanBase 4.3.5.3" in shown, shown)
    site = suite.fresh("hbase-site.xml")
    text = "<configuration><property><name>%s</name><value>%s</value></property></configuration>"
    c = Case(suite, "checked", **{"hbase-conf": site})
    out, err = c.call("check", "simple")
    demand("PASS  programs       six, of version 1" in out and "PASS  snapshot       snap_a: complete, 80" in out, out)
    demand("simple.sql: families: 2, partitions: 7" in out and out.count("PASS  disk") == 2 and "target-check" not in err, out)
    demand("WARN  logs           hbase.master.logcleaner.ttl is not known" in out and "No such file" in out, out)
    forecast = {"disk": dict.fromkeys(("dataset", "whole", "scratch", "load_files"), 0), "base": {"to": 3600},
                "freeze": {"to": 60}, "measured": True}
    (c.dir / "work/simple/forecast.json").write_text(json.dumps(forecast))
    ttl = "hbase.master.logcleaner.ttl"
    for name, value, want in (("x", "1", "WARN  logs           %s is 10 min in %%s (HBase's default)" % ttl),
                              (ttl, "1", "ttl is 0.0 s in %s; base and freeze take up to 1.0 h: HBase deletes logs"),
                              (ttl, "604800000", "PASS  logs           %s is 168" % ttl),
                              (ttl, "${x}", "is not known, base and")):
        site.write_text(text % (name, value))
        c.env["HADOOP_CONF_DIR"] = str(site.parent)
        out = c.call("check", "simple")[0]
        demand(want.replace("%s", str(site)) in out, "%s=%s: %s" % (name, value, out))
    c.env.update(OBKV_TEST_DELTA="WARN  privileges     DELETE, FILE are not among the grants of loader",
                 OBKV_TEST_EMPTY="WARN  rows           simple$cf1: not empty; rows with the same K, Q, T stop the load")
    out, err = c.call("check", "simple")
    demand("WARN  target         privileges: DELETE, FILE are not among the grants of loader" in out, out)
    demand("WARN  target         rows: simple$cf1: not empty" in out and "allow = target-check" in err, out + err)
    c.call("base", "simple")
    demand("target         rows" not in c.call("check", "simple")[0], "rows that base has loaded are in the way")
    other = c.dir / "bin/obkv-split"
    other.write_text("#!/bin/sh\necho obkv-split 0.9\n")
    other.chmod(0o755)
    demand("FAIL  programs       of different versions" in c.call("check", "simple", want=2)[0], "versions")
    full = Case(suite, "full")
    full.conf.write_text(full.conf.read_text().replace("[simple]", "[simple]\n"))
    (full.dir / "work/simple").mkdir(parents=True)
    forecast["disk"]["dataset"] = 1 << 60
    (full.dir / "work/simple/forecast.json").write_text(json.dumps(forecast))
    demand("datasets take 1.049e+06 TiB" in full.call("check", "simple", want=6)[0], "a disk that is too small")


def checklist(suite):
    """What cut-over says before it begins: logs that a catch-up had already, a snapshot that is not there, the freeze."""
    sys.path.append(str(DRIVER.parent))
    import checks as module
    kept, shown = suite.fresh("list"), []
    (kept / "snapshots/end").mkdir(parents=True)
    table = types.SimpleNamespace(dir=kept, name="t", steps=[], settings={}, snapshot=kept / "snapshots/start", failed=ValueError,
                                  newest_logs=lambda: (kept / "logs/2", "delta-2"),
                                  keep=lambda name, content: (kept / name).write_bytes(content))
    module.print = lambda text, flush: shown.append(text)
    module.checklist(table)
    demand("PASS  logs" in shown[-1] and "WARN  catch-up       there was none" in shown[-1], shown[-1])
    demand("WARN  end-snapshot   none" in shown[-1] and "freeze" not in shown[-1], shown[-1])
    table.steps.append({"step": "delta-2-verify", "exit": 0})
    (kept / "forecast.json").write_text('{"freeze": {"from": 60, "to": 7200}}')
    table.settings["end-snapshot"] = "end"
    module.checklist(table)
    demand("PASS  logs" in shown[-1] and "PASS  catch-up" in shown[-1] and "1 min to 2.0 h" in shown[-1], shown[-1])
    (kept / "cut-over").unlink()
    table.settings["end-snapshot"] = "other"
    try:
        module.checklist(table)
        demand(False, "a snapshot that is not there")
    except ValueError as error:
        demand(error.args[0] == 2, error)
    demand("WARN  logs           %s/logs/2, the newest copy: a catch-up had it" % kept in shown[-1], shown[-1])
    demand("FAIL  end-snapshot   other is not in" in shown[-1], shown[-1])


def parts(suite):
    """An import in parts keeps finished ones after a kill, and makes the dataset of one run."""
    whole, c = Case(suite, "whole"), Case(suite, "parts", parts=5)
    whole.call("base", "simple")
    c.call("base", "simple")
    digests = [json.loads((x.dir / "work/simple/base/MANIFEST.json").read_text())["totals"] for x in (whole, c)]
    demand(digests[0]["digest"] == digests[1]["digest"], digests)
    steps = [s["step"] for s in c.result("steps.json")]
    demand(steps == ["list", "import", "merge", "check", "load", "verify"], steps)
    demand(not list((c.dir / "work/simple").glob("parts*")), "parts are left")
    before = c.result("steps.json")
    c.call("base", "simple")
    demand(c.result("steps.json")[:3] == before[:3], "what is done is done again")
    demand("expected a number up to 10,000" in Case(suite, "wrong parts", parts="x").call("base", "simple", want=2)[1], "parts")


def killed_parts(suite):
    """A kill anywhere in an import in parts: the same command resumes it, and makes the dataset of one run."""
    r, kills = random.Random(suite.seed), 0
    whole, c = Case(suite, "whole"), Case(suite, "killed", parts=7)
    whole.call("base", "simple")
    for _ in range(8):
        p = subprocess.Popen([sys.executable, "-B", DRIVER, "--config", c.conf, "base", "simple"], env=c.env,
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        try:
            said = p.communicate(timeout=r.uniform(0.1, 0.9))[1]
            demand(p.returncode == 0, shown(said))
            break
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, signal.SIGKILL)
            p.communicate()
            kills += 1
    c.call("base", "simple")
    digests = [json.loads((x.dir / "work/simple/base/MANIFEST.json").read_text())["totals"] for x in (whole, c)]
    demand(all(digests[0][key] == digests[1][key] for key in ("cells", "digest")), "after %d kills: %s" % (kills, digests))
    demand(not list((c.dir / "work/simple").glob("parts*")), "parts are left")


def logs_again(suite):
    """A cut-over with the logs that a catch-up had, and a copy that has grown since: both are read anew."""
    c = Case(suite, "again", allow="no-records")
    c.call("base", "simple")
    logs = c.dir / "export/logs/1/WALs"
    logs.mkdir(parents=True)
    (c.dir / "export/logs/.2").mkdir()  # not complete yet
    for name in ("plain1.log", "gz1.log"):
        shutil.copy(ROOT / "tests/data/wals" / name, logs)
        c.call("catch-up", "simple")
        out, err = c.call("cut-over", "simple")
        demand("logs/1, the newest copy" in out and "proven: 694" in err, out + err)


def failed_again(suite):
    """A step that is done, fails when it is run again, and then has nothing to do: its result is that of the first run."""
    c = Case(suite, "failed again")
    c.call("base", "simple")
    result, conf = c.result("import.json"), c.conf.read_text()
    other = c.dir / "other.sql"
    other.write_text((ROOT / "samples/simple.sql").read_text().replace('"MaxVersions": 5', '"MaxVersions": 4'))
    changed = conf.replace(str(ROOT / "samples/simple.sql"), str(other))
    c.conf.write_text(changed.replace("[simple]\n", "[simple]\nallow = rules-differ\n"))
    c.call("base", "simple", want=2)
    c.conf.write_text(conf)
    c.call("base", "simple")
    demand(c.result("import.json") == result, c.result("import.json"))


def units(suite):
    """systemd's own check of the service and the timer."""
    if not shutil.which("systemd-analyze"):
        raise Skip("systemd-analyze is missing")
    folder = suite.fresh("units")
    folder.mkdir()
    service, timer = folder / "obkv-migrate@catch-up.service", folder / "obkv-migrate-catch-up.timer"
    text = (DRIVER.parent / "obkv-migrate@.service").read_text()
    service.write_text(text.replace("/usr/local/bin/obkv-migrate", shutil.which("true")))
    timer.write_text((DRIVER.parent / timer.name).read_text())
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", service, timer], capture_output=True, check=False)
    demand(not done.returncode and b"obkv-migrate" not in done.stderr, done.stderr)


def main():
    suite = Suite(__doc__)
    for test in (rehearsal, pieces, steps, checks, checklist, parts, killed_parts, logs_again, failed_again, refusals,
                 units):
        suite.run(test.__name__, test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
