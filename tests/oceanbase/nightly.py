"""The nightly script of samples/nightly as cron runs it: sh -c of the line in its crontab, a bare environment, no terminal.

case_nightly is one of the cases of loads.py."""
import fcntl
import glob
import json
import os
import re
import shutil
import subprocess

SAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "samples", "nightly")
FOLDERS = ("in", "work", "bin")


class Night:
    """A folder with deliveries, the configuration and what a night leaves."""

    def __init__(self, bench, ddl):
        self.bench, self.folder = bench, bench.folder
        self.ddl = ddl
        self.figures = {}  # name -> labels, of all runs
        for name in FOLDERS:
            os.mkdir(self.path(name))
        shutil.copy(os.path.join(SAMPLES, "obkv-nightly"), self.path("bin"))
        with open(self.path("bin/logger"), "w") as f:
            f.write('#!/bin/sh\necho "$*" >>%s\n' % self.path("syslog"))
        os.chmod(self.path("bin/logger"), 0o755)
        self.target = " ".join(bench.peer.options())

    def path(self, name):
        return os.path.join(self.folder, name)

    def deliver(self, day, text, suffix="csv"):
        with open(self.path("in/%s.%s" % (day, suffix)), "w") as f:
            f.write(text)

    def configure(self, day, target=None, more="", **settings):
        with open(os.path.join(SAMPLES, "nightly.conf")) as f:
            text = f.read()
        own = {"PATH": "%s:%s:/usr/bin:/bin" % (self.path("bin"), self.bench.binaries), "incoming": self.path("in"),
               "work": self.path("work"), "ddl": self.ddl, "columns": "--columns HBASE_ROW_KEY,f:q,HBASE_TS_KEY " + more,
               "target": target or self.target, "metrics": self.path("prom"),
               "allow": "no-records empty-file timestamp-unit", **settings}
        for name, value in own.items():
            text, n = re.subn(r"(?m)^%s=('[^']*'|\S*)" % name, lambda _: "%s='%s'" % (name, value), text)
            assert n == 1, name
        if "--max-rejects" in more:
            text = text.replace("accept_rejects=no", "accept_rejects=yes")
        with open(self.path("nightly.conf"), "w") as f:
            f.write(text + "day=%s\n" % day)

    def run(self):
        """The exit code that the line of the crontab tells; 0: it tells none. What the night wrote."""
        with open(os.path.join(SAMPLES, "obkv-nightly.cron")) as f:
            line = f.read().splitlines()[-1]
        command = line.split(None, 6)[6].replace("/usr/local/bin/obkv-nightly", "%s %s" % (self.path("bin/obkv-nightly"),
                                                                                     self.path("nightly.conf")))
        command = command.replace("/var/log/obkv/nightly.log", self.path("nightly.log"))
        for name in ("syslog", "nightly.log"):
            if os.path.exists(self.path(name)):
                os.remove(self.path(name))
        done = subprocess.run(["/bin/sh", "-c", command], env={"PATH": self.path("bin") + ":/usr/bin:/bin", "HOME": "/",
                                                               "SHELL": "/bin/sh", "LOGNAME": "obkv"},
                              cwd="/", stdin=subprocess.DEVNULL, capture_output=True, start_new_session=True, timeout=300)
        assert not done.stdout + done.stderr, "cron would send mail: %r" % (done.stdout + done.stderr)
        for path in glob.glob(self.path("prom/*.prom")):
            with open(path) as f:
                self.figures.update((m[1], m[2]) for m in re.finditer(r"(?m)^(\w+)(\{.*\})? \S+$", f.read()))
        with open(self.path("nightly.log")) as f:
            text = f.read()
        if not os.path.exists(self.path("syslog")):
            return 0, text
        with open(self.path("syslog")) as f:
            return int(re.fullmatch(r"-t obkv nightly ended with (\d+)\n", f.read()).group(1)), text

    def metric(self, name):
        with open(self.path("prom/%s.prom" % re.match("obkv_[a-z]+", name).group())) as f:
            return float(re.search(r"(?m)^%s(?:\{.*\})? (\S+)$" % name, f.read()).group(1))


def units_are_valid(folder):
    """systemd's own check; without it nothing is said."""
    if not shutil.which("systemd-analyze"):
        return "systemd-analyze is missing: units not checked"
    units = os.path.join(folder, "units")
    shutil.copytree(SAMPLES, units)
    service = os.path.join(units, "obkv-nightly.service")
    with open(service) as f:
        text = f.read().replace("/usr/local/bin/obkv-nightly", shutil.which("true"))
    with open(service, "w") as f:
        f.write(text)
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", service, service[:-7] + "timer"], capture_output=True)
    assert not done.returncode and b"obkv-nightly" not in done.stderr, done.stderr
    return None


def dashboard_shows(night):
    """samples/nightly/dashboard.json: what Grafana needs, panels side by side, and only figures that a night has written."""
    written = night.figures
    with open(os.path.join(SAMPLES, "dashboard.json")) as f:
        board = json.load(f)
    assert board["title"] and board["uid"] and board["schemaVersion"] >= 36, board.keys()
    variables = {v["name"] for v in board["templating"]["list"]}
    taken = set()
    for panel in board["panels"]:
        place, source = panel["gridPos"], panel["datasource"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert cells and max(x for x, _ in cells) < 24 and not cells & taken, "%s lies on another panel" % panel["title"]
        taken |= cells
        assert panel["type"] in ("stat", "timeseries", "table", "gauge") and source == {"type": "prometheus", "uid": "${source}"}
        assert panel["targets"] and len({t["refId"] for t in panel["targets"]}) == len(panel["targets"]), panel["title"]
        for target in panel["targets"]:
            expr = target["expr"]
            assert set(re.findall(r"\$(\w+)", expr)) <= variables, expr
            for name, selector in re.findall(r"(obkv_\w+)(\{[^}]*\})?", re.sub(r'__name__=~"[^"]*"', "", expr)):
                assert name in written, "the dashboard shows %s, which no program wrote" % name
                assert "table=" not in selector or "table=" in (written[name] or ""), "%s has no label table" % name
            for pattern in re.findall(r'__name__=~"([^"]*)"', expr):
                assert pattern.endswith("_warnings") or any(re.fullmatch(pattern, name) for name in written), pattern
    assert len({p["id"] for p in board["panels"]}) == len(board["panels"]) and "source" in variables


def case_nightly(b):
    """Lock held, nothing delivered, a bad delivery, the mended one, again, an empty one, newer values, no database."""
    night = Night(b, b.ddl("night"))

    def expect(code, *words):
        got, text = night.run()
        assert got == code and all(w in text for w in words), "%d instead of %d, wanted %s:\n%s" % (got, code, words, text)

    night.configure("d1")
    with open(night.path("work/lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        expect(75, "still holds the lock")
    expect(75, "no delivery yet")
    night.deliver("d1", "a,1,1000\nb,2,1000\nc,3,notime\n")
    expect(4, "obkv-import ended with exit code 4")
    assert not os.path.exists(night.path("prom/obkv_load.prom")) and not os.path.exists(night.path("work/d1.export"))
    night.deliver("d1", "a,1,1000\nb,2,1000\nc,3,1000\n")
    expect(2, "obkv-load ended with exit code 2", "FAIL")  # no table yet
    assert night.metric("obkv_load_success") == 0
    b.peer.sql(open(night.ddl).read())
    expect(0, "done")
    assert b.rows("night") == 3 and night.metric("obkv_load_success") == 1 and night.metric("obkv_load_rows") == 3
    expect(0, "nothing to do", "done")
    assert b.rows("night") == 3 and night.metric("obkv_load_success") == 1
    night.configure("d2")
    night.deliver("d2", "")
    expect(0, "done")
    night.configure("d3", target=b.peer.target().join(["--target ", " --user nobody"]).replace(":%d/" % b.peer.port, ":1/") +
                    " --retries 0")
    night.deliver("d3", "a,new,1000\nd,4,2000\n")
    expect(75, "obkv-load ended with exit code 75")
    assert night.metric("obkv_load_success") == 0
    night.configure("d3")
    expect(0, "done")
    assert b.rows("night") == 4 and b.peer.one("SELECT V FROM `night$f` WHERE K = 'a'") == "new"
    night.configure("d4", more="--max-rejects 1")
    night.deliver("d4", "e,5,notime\nf,6,3000\n")
    expect(0, "rejected", "done")
    assert b.rows("night") == 5
    return units_are_valid(b.folder)


def case_nightly_deletes(b):
    """A base, a night with deletes, one that is killed, a repeated one, one of nothing, one that somebody has undone, and one
    that fails, which the next one does first; an older one is refused, and counts under a name of its own."""
    night = Night(b, b.ddl("dels"))
    work, how = night.path("work"), {"suffix": "cells", "columns": "--format cells", "prove_whole": "yes"}

    def cell(row, ts, kind, value="-"):
        value = value.encode().hex() if value != "-" else value
        return "%s\t66\t71\t%d\t%d\t0\t%s\t-\n" % (row.encode().hex(), ts, kind, value)

    def expect(day, text, code, rows, *words):
        night.configure(day, **how)
        night.deliver(day, text, "cells")
        got, said = night.run()
        assert got == code and all(w in said for w in words), "%d instead of %d, wanted %s:\n%s" % (got, code, words, said)
        there = sorted(b.peer.sql("SELECT K, -T, V FROM `dels$f`"))
        assert there == sorted(rows), (there, rows)

    b.peer.sql(open(night.ddl).read())
    first = "".join(cell(k, 1000, 4, "v" + k) for k in "abcd")
    night.deliver("first", first, "cells")
    b.run("obkv-import", "-q", "--ddl", night.ddl, "--format", "cells", "-o", work + "/first.dataset",
          night.path("in/first.cells"))
    b.run("obkv-export", "-q", "-o", work + "/first.export", work + "/first.dataset")
    b.load(work + "/first.export")
    os.symlink("first.dataset", work + "/base")
    one = cell("a", 1000, 12) + cell("b", 2000, 4, "new") + cell("b", 1000, 8)
    rows = [["b", "2000", "new"], ["c", "1000", "vc"], ["d", "1000", "vd"]]
    expect("d1", one, 0, rows, "deleted   2 rows", "done")
    assert os.readlink(work + "/base") == "d1.dataset"
    expect("d1", one, 0, rows, "nothing to do", "done")
    expect("d2", "", 0, rows, "done")
    two = cell("c", 1500, 12) + cell("a", 3000, 4, "back")
    night.configure("d3", **how)
    night.deliver("d3", two, "cells")
    killed = subprocess.Popen(["/bin/sh", night.path("bin/obkv-nightly"), night.path("nightly.conf")], stderr=subprocess.PIPE)
    for line in killed.stderr:
        if b": obkv-load" in line:
            break
    killed.kill()
    killed.communicate()
    rows = [["a", "3000", "back"], ["b", "2000", "new"], ["d", "1000", "vd"]]
    expect("d3", two, 0, rows, "done")
    b.peer.sql("DELETE FROM `dels$f` WHERE K = 'a'")
    expect("d3", two, 1, rows[1:], "\nmissing  ", "obkv-verify target ended with exit code 1")
    b.load(work + "/d3.export", "--restart")
    expect("d3", two, 0, rows, "done")
    how["target"] = night.target.replace(":%d" % b.peer.port, ":1") + " --retries 0"
    four, five = cell("a", 4000, 12) + cell("e", 4000, 4, "e4"), cell("f", 5000, 4, "f5")
    expect("d4", four, 75, rows, "obkv-load ended with exit code 75")
    del how["target"]
    rows = [["b", "2000", "new"], ["d", "1000", "vd"], ["e", "4000", "e4"], ["f", "5000", "f5"]]
    expect("d5", five, 0, rows, "the night of d4 is not done: it comes first", "done")
    assert os.readlink(work + "/base") == "d5.dataset"
    night.configure("d3", **how)
    got, said = night.run()
    assert got == 0 and "this night is done, and came before: d4 d5" in said, (got, said)
    b.peer.sql("INSERT INTO `dels$f` (K, Q, T, V) VALUES ('x', 'q', -1, 'stray')")
    stray = [*rows, ["g", "6000", "g6"], ["x", "1", "stray"]]
    expect("d6", cell("g", 6000, 4, "g6"), 1, stray, "\nextra  ")  # the proof of the whole
    expect("d7", cell("h", 7000, 4, "h7"), 1, stray, "the night of d6 is not done: it comes first", "\nextra  ")
    b.peer.sql("DELETE FROM `dels$f` WHERE K = 'x'")
    rows += [["g", "6000", "g6"], ["h", "7000", "h7"]]
    expect("d7", cell("h", 7000, 4, "h7"), 0, rows, "the night of d6 is not done: it comes first", "done")
    old = cell("b", 2000, 4, "old")
    expect("d0", old, 2, rows, "later nights are done: d1 d2 d3 d4 d5 d6 d7", "docs/repair.md")
    expect("d0-late", old, 0, [["b", "2000", "old"], *rows[1:]], "done")
    b.run("obkv-verify", "target", *b.peer.options(), work + "/d0-late.dataset")
    dashboard_shows(night)


def case_nightly_by_ratio(b):
    """policy=ratio: two nights leave their deltas, which are kept however old they are, also when one runs again, and the third
    merges all. The table has the rows of every night. The directory may be moved. A night that failed may be run again
    by another policy; one that must prove the whole table merges at once. Nothing is removed if info fails."""
    night = Night(b, b.ddl("lazy"))
    how = {"policy": "ratio:1.2,4", "compact": "--codec zstd", "check_all": "no", "keep_days": "0", "work": night.path("work"),
           "columns": "--columns HBASE_ROW_KEY,f:q,HBASE_TS_KEY"}

    def run(day, text, code, word, **more):
        night.configure(day, **{**how, **more})
        night.deliver(day, text)
        got, said = night.run()
        assert got == code and word in said, (got, said)
        return said

    def expect(day, text, waits, code=0, word="done", **more):
        for name in waits[:-1]:
            os.utime("%s/%s" % (how["work"], name), (1, 1))
        said = run(day, text, code, word, **more)
        with open("%s/%s.dataset/MANIFEST.json" % (how["work"], day)) as f:
            m = json.load(f)
        waiting = [os.path.basename(w["dataset"]) for w in m.get("pending", [])]
        assert m["settings"]["codec"] == "zstd", m["settings"]
        assert waiting == waits and set(waits) <= set(os.listdir(how["work"])), (waiting, os.listdir(how["work"]))
        assert not waits or "obkv-compact" not in said or "by metadata only (--skip-reused)" in said, said

    b.peer.sql(open(night.ddl).read())
    night.deliver("first", "a,1,1000\nb,2,1000\n")
    b.run("obkv-import", "-q", "--ddl", night.ddl, *how["columns"].split(), "--compact", "-o", how["work"] + "/first.dataset",
          night.path("in/first.csv"))
    b.run("obkv-export", "-q", "-o", how["work"] + "/first.export", how["work"] + "/first.dataset")
    b.load(how["work"] + "/first.export")
    os.symlink("first.dataset", how["work"] + "/base")
    expect("d1", "a,new,1000\nb,new,1000\n", ["d1.delta"])
    for _ in range(2):
        expect("d2", "a,newer,1000\nb,newer,1000\n", ["d1.delta", "d2.delta"])
    run("d1", "a,new,1000\nb,new,1000\n", 2, "later nights are done: d2")
    how["work"] = shutil.move(how["work"], night.path("moved"))
    expect("d3", "a,third,1000\nb,third,1000\n", [])
    expect("d4", "a,newest,1000\n", ["d4.delta"])
    with open(night.path("bin/obkv-verify"), "w") as f:
        f.write("#!/bin/sh\n[ $1 != info ] || exit 5\nexec %s/obkv-verify \"$@\"\n" % b.binaries)
    os.chmod(night.path("bin/obkv-verify"), 0o755)
    run("d5", "e,5,1000\n", 5, "obkv-verify info ended with exit code 5")
    os.remove(night.path("bin/obkv-verify"))
    run("d5", "e,5,1000\n", 75, "obkv-load ended", target=night.target.replace(":%d" % b.peer.port, ":1") + " --retries 0")
    expect("d5", "e,5,1000\n", [], prove_whole="yes")
    assert sorted(b.peer.sql("SELECT K, V FROM `lazy$f`")) == [["a", "newest"], ["b", "third"], ["e", "5"]]
    b.run("obkv-verify", "target", *b.peer.options(), how["work"] + "/d5.dataset")
