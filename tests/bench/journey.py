#!/usr/bin/env python3
"""The whole way from an HBase snapshot into OceanBase, beside what one would pick instead, in one run, on OceanBase's engine.

    tests/bench/journey.py BIN [CELLS [ROUNDS]] [--page]     (make bench-journey; 5,000,000 cells, 1 round; 15 minutes, 25 GB)

A real HBase in one JVM makes the table (three families, versions, a TTL; Journey.java), its snapshot, and exports that. From
there:

    jdbc    HBase's client-side scan of the snapshot, REPLACE in batches of 1,000 rows on two connections (MySQL Connector/J with
            rewriteBatchedStatements), as DataX and the JDBC connectors of Spark write
    text    the same scan to text files, and one LOAD DATA a table over them, sorted by the server: direct(true, 0)
    ours    obkv-import --compact of the snapshot, obkv-load of the dataset, whose sums of all rows are the proof; where they
            prove less than the whole table, obkv-verify target
    hand    of the text that obkv-export makes, one statement a table that need not sort: the best that is known by hand, for the
            load alone

Ways go in turns, each into a database of its own. In the end all hold the same rows, or the run fails. CPU is of the programs,
with the start of each JVM, and of the engine; disk is the most that a way has on it at a time beside the snapshot. --page writes
the table and picture of docs/performance.md.
"""
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "oceanbase"))
from peers import Engine  # noqa: E402

DRIVER = "com.mysql:mysql-connector-j:8.4.0"
FAMILIES = "abc"
CELLS_OF_A_ROW = 6.95
WAYS = "jdbc", "text", "ours", "hand"
PAGE = os.path.join(HERE, "../../docs/performance.md")
CHART = os.path.join(HERE, "../../docs/images/journey.svg")
BEGIN, END = "<!-- make bench-journey: begin -->\n", "<!-- make bench-journey: end -->\n"
DDL = """CREATE TABLE `journey$%s` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL,
  V varbinary(1048576) NOT NULL, PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {%s}}' PARTITION BY KEY(K) PARTITIONS %d;
"""
ATTRIBUTES = {"a": '"MaxVersions": 1', "b": '"MaxVersions": 3', "c": '"MaxVersions": 1, "TimeToLive": 315360000'}
SUMS = "SELECT COUNT(*), SUM(CRC32(CONCAT(LENGTH(K), K, LENGTH(Q), Q, T, V))), BIT_XOR(CRC32(CONCAT(V, T, Q, K))) FROM " \
       "`journey$%s`"


def engine_class(cells):
    class JourneyEngine(Engine):
        datafile = "%dM" % (4096 + cells * 1600 // (1 << 20))
        memory = "3G"
    return JourneyEngine


def driver():
    group, name, version = DRIVER.split(":")
    jar = os.path.expanduser("~/.m2/repository/%s/%s/%s/%s-%s.jar" % (group.replace(".", "/"), name, version, name, version))
    if not os.path.exists(jar):
        subprocess.run(["mvn", "-q", "-B", "dependency:get", "-Dartifact=" + DRIVER, "-Dtransitive=false"], check=True)
    return jar


def java_command(folder):
    """Runs Journey.java with the classes of tests/interop, both compilers and as much heap as a user would give it."""
    interop = os.path.join(HERE, "../interop")
    done = subprocess.run(["sh", interop + "/run.sh", "--classes"], capture_output=True, text=True,
                          env=dict(os.environ, OBKV_REQUIRE_INTEROP="0"))
    if done.returncode:
        sys.exit("bench-journey: no HBase: " + done.stdout.strip().splitlines()[0])
    build = os.path.join(HERE, "../../build/interop")
    with open(build + "/codecs.classpath") as f:
        jars = f.read().strip()
    classes = os.path.join(folder, "classes")
    path = ":".join([classes, build + "/codecs", interop + "/conf", interop + "/conf/codecs", driver(), jars])
    subprocess.run(["javac", "-nowarn", "-Xlint:none", "-cp", path, "-d", classes, HERE + "/Journey.java"], check=True)
    return ["java", "@" + interop + "/jvm.options", "-XX:TieredStopAtLevel=4", "-Xmx2g", "-da",
            "-Dorg.xerial.snappy.tempdir=" + classes, "-cp", path, "Journey"]


def bytes_below(folder):
    total = 0
    for at, _, files in os.walk(folder):
        for f in files:
            try:
                total += os.path.getsize(os.path.join(at, f))
            except OSError:
                pass
    return total


class DiskWatch(threading.Thread):
    def __init__(self, folder):
        super().__init__(daemon=True)
        self.folder, self.most, self.ends = folder, 0, threading.Event()
        self.start()

    def run(self):
        while not self.ends.wait(0.3):
            self.most = max(self.most, bytes_below(self.folder))

    def end(self):
        self.ends.set()
        self.join()
        return max(self.most, bytes_below(self.folder))


class Bench:
    def __init__(self, binaries, folder, cells):
        self.binaries, self.folder, self.cells = os.path.abspath(binaries), folder, cells
        self.partitions = 97 if cells >= 1_000_000 else 7
        self.java = java_command(folder)
        self.peer = engine_class(cells)(folder)
        self.backup = os.path.join(folder, "made/exported/journey")
        self.ddl = os.path.join(folder, "journey.sql")
        with open(self.ddl, "w") as f:
            f.write("".join(DDL % (x, ATTRIBUTES[x], self.partitions) for x in FAMILIES))

    def run(self, *command):
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise SystemExit("%s: exit %d\n%s%s" % (" ".join(map(str, command[-8:])), done.returncode, done.stdout[-2000:],
                                                    done.stderr[-3000:]))
        return done.stdout

    def tool(self, name, *args):
        return self.run(os.path.join(self.binaries, name), *args)

    def engine_cpu(self):
        with open("/proc/%d/stat" % self.peer.process.pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def step(self, what):
        """Wall time, and CPU of what was run and of the engine."""
        before, engine, begin = resource.getrusage(resource.RUSAGE_CHILDREN), self.engine_cpu(), time.monotonic()
        what()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return dict(wall=time.monotonic() - begin, engine=self.engine_cpu() - engine,
                    client=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def load_data(self, db, hint, files):
        """One statement a table."""
        for f in FAMILIES:
            self.peer.sql("SET ob_query_timeout = 36000000000; SET ob_trx_timeout = 36000000000; LOAD DATA /*+ %s parallel(4) */ "
                          "INFILE '%s' INTO TABLE `journey$%s` CHARACTER SET utf8mb4 FIELDS TERMINATED BY '\\t' ESCAPED BY "
                          "'\\\\' LINES TERMINATED BY '\\n' (K, Q, V, T)" % (hint, ",".join(files(f)), f), db=db, timeout=36000)

    def jdbc(self, work, db):
        url = "jdbc:mysql://127.0.0.1:%d/%s?rewriteBatchedStatements=true&useSSL=false&allowPublicKeyRetrieval=true" % (
            self.peer.port, db)
        login = self.peer.user, self.peer.password
        return {"scan and REPLACE": lambda: self.run(*self.java, "jdbc", self.backup, work, url, *login)}

    def text(self, work, db):
        out = work + "/text"

        def files(f):
            return ["%s/%s.%d.txt" % (out, f, half) for half in (0, 1)]
        return {"scan to text": lambda: self.run(*self.java, "text", self.backup, work, out),
                "LOAD DATA": lambda: self.load_data(db, "direct(true, 0)", files)}

    def imports(self, where):
        self.tool("obkv-import", "-q", "--compact", "--ddl", self.ddl, "--snapshot", "journey", "-o", where, self.backup)

    def ours(self, work, db):
        where, temp = work + "/dataset", work + "/temp"
        os.mkdir(temp)

        def load():
            said = self.tool("obkv-load", "-q", "--json", *login, "--temp-dir", temp, where)
            if not json.loads(said)["proven"]:
                self.tool("obkv-verify", "target", "-q", *login, where)
        login = ["--target", self.peer.target(db), "--user", self.peer.user, "--password-file", self.peer.password_file]
        return {"obkv-import": lambda: self.imports(where),
                "obkv-load with proof": load}

    def hand(self, work, db):
        """Before the time begins: the text. Then one statement a table over its files."""
        self.imports(work + "/dataset")
        self.tool("obkv-export", "-q", "-o", work + "/export", work + "/dataset")
        return {"one statement a table": lambda: self.load_data(
            db, "direct(false, 0, 'inc')", lambda f: ["%s/export/data/journey%%24%s.*.kqvt" % (work, f)])}

    def way(self, name):
        db, work = "journey_" + name, os.path.join(self.folder, name)
        shutil.rmtree(work, ignore_errors=True)
        os.mkdir(work)
        with open(self.ddl) as f:
            self.peer.sql("DROP DATABASE IF EXISTS %s; CREATE DATABASE %s; USE %s; %s" % (db, db, db, f.read()), timeout=600)
        steps = getattr(self, name)(work, db)
        watch = DiskWatch(work)
        took = {what: self.step(how) for what, how in steps.items()}
        disk = watch.end()
        sums = [self.peer.sql(SUMS % f, db=db, timeout=3600)[0] for f in FAMILIES]
        shutil.rmtree(work)
        total = {key: sum(t[key] for t in took.values()) for key in ("wall", "client", "engine")}
        print("%-5s %s; disk %.0f MB" % (name, "; ".join("%s %.1f s (CPU %.1f + %.1f)" % (
            what, t["wall"], t["client"], t["engine"]) for what, t in took.items()), disk / 1e6), flush=True)
        return dict(steps=took, total=total, disk=disk, sums=sums)

    def make(self):
        begin = time.monotonic()
        self.run(*self.java, "make", self.folder + "/made", int(self.cells / CELLS_OF_A_ROW) + 1)
        shutil.rmtree(self.folder + "/made/hbase")
        print("a snapshot of %.0f MB was made in %.0f s" % (bytes_below(self.backup) / 1e6, time.monotonic() - begin), flush=True)


def middle(runs):
    """The run of the median wall time."""
    return sorted(runs, key=lambda r: r["total"]["wall"])[len(runs) // 2]


def cpu(took):
    return took["client"] + took["engine"]


def ratios(r):
    """What the goals of the journey are about: of times, and of CPU, which does not depend on what else the machine does."""
    steps, total = r["ours"]["steps"], r["ours"]["total"]
    load, rest = steps["obkv-load with proof"], steps["obkv-import"]
    hand = r["hand"]["total"]
    return {"JDBC beside ours": (r["jdbc"]["total"]["wall"] / total["wall"], cpu(r["jdbc"]["total"]) / cpu(total)),
            "text beside ours": (r["text"]["total"]["wall"] / total["wall"], cpu(r["text"]["total"]) / cpu(total)),
            "obkv-load with proof beside one statement a table": (load["wall"] / hand["wall"], cpu(load) / cpu(hand)),
            "import beside obkv-load": (rest["wall"] / load["wall"], cpu(rest) / cpu(load)),
            "JDBC beside one statement a table": (r["jdbc"]["total"]["wall"] / hand["wall"], cpu(r["jdbc"]["total"]) / cpu(hand)),
            "text beside one statement a table": (r["text"]["total"]["wall"] / hand["wall"], cpu(r["text"]["total"]) / cpu(hand))}


TITLES = {"jdbc": "snapshot scan → JDBC, REPLACE in batches, two connections",
          "text": "snapshot scan → text → LOAD DATA, sorted by the server",
          "ours": "obkv-import → obkv-load with proof"}


def table(result):
    r = result["ways"]
    lines = ["| way | seconds | CPU s of clients | CPU s of the engine | disk beside the snapshot | proven |",
             "|---|---|---|---|---|---|"]
    for name, title in TITLES.items():
        w = r[name]
        lines.append("| %s | %.1f | %.1f | %.1f | %.0f MB | %s |" % (
            title if name != "ours" else "**" + title + "**", w["total"]["wall"], w["total"]["client"], w["total"]["engine"],
            w["disk"] / 1e6, "yes" if name == "ours" else "no"))
        if len(w["steps"]) > 1:
            lines += ["| – %s | %.1f | %.1f | %.1f | | |" % (what, s["wall"], s["client"], s["engine"])
                      for what, s in w["steps"].items()]
    w = r["hand"]
    lines.append("| *%s* | %.1f | %.1f | %.1f | %.0f MB | |" % (
        "for the load alone: one statement a table over the text of obkv-export", w["total"]["wall"], w["total"]["client"],
        w["total"]["engine"], w["disk"] / 1e6))
    return "\n".join(lines) + "\n"


COLORS = ["#3b6ea5", "#9dbcd8", "#5f8f5f"]


def chart(result):
    """A bar for each way, of its steps."""
    most = max(result["ways"][n]["total"]["wall"] for n in TITLES)
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="860" height="170" font-family="sans-serif" font-size="12">',
           "<title>From an HBase snapshot into OceanBase: seconds</title>", '<rect width="100%" height="100%" fill="white"/>']
    for i, (name, title) in enumerate(TITLES.items()):
        w, x, y = result["ways"][name], 10.0, 12 + i * 52
        out.append('<text x="10" y="%d">%s</text>' % (y + 10, title))
        for k, (what, s) in enumerate(w["steps"].items()):
            width = 760 * s["wall"] / most
            out.append('<rect x="%.1f" y="%d" width="%.1f" height="20" fill="%s"><title>%s: %.1f s</title></rect>' % (
                x, y + 16, max(1, width), COLORS[k % len(COLORS)], what, s["wall"]))
            x += width
        proven = ", proven" if name == "ours" else ""
        out.append('<text x="%.1f" y="%d">%.0f s%s</text>' % (x + 6, y + 30, w["total"]["wall"], proven))
    return "\n".join(out) + "\n</svg>\n"


def write_page(result):
    with open(PAGE) as f:
        text = f.read()
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    part = ("%s cells in three tables of %d partitions, from a snapshot of %.0f MB; %s, %d processors, %s;\n%s.\n\n" % (
        format(result["cells"], ","), result["partitions"], result["snapshot"] / 1e6, result["date"], os.cpu_count(),
        "one run" if result["rounds"] == 1 else "medians of %d rounds" % result["rounds"], result["busy"]))
    part += table(result) + "\n![Seconds of each way](images/journey.svg)\n\n"
    part += "| ratio | time | CPU of all programs |\n|---|---|---|\n"
    part += "".join("| %s | %.2f | %.2f |\n" % (what, *q) for what, q in ratios(result["ways"]).items())
    with open(PAGE, "w") as f:
        f.write(head + BEGIN + part + END + tail)
    with open(CHART, "w") as f:
        f.write(chart(result))


def run(binaries, cells, rounds, page):
    folder = tempfile.mkdtemp(prefix="obkv-journey-")
    load = os.getloadavg()[2]
    bench = None
    try:
        bench = Bench(binaries, folder, cells)
        bench.make()
        bench.peer.prepare()
        runs = {name: [] for name in WAYS}
        for n in range(rounds):
            for name in WAYS[n % len(WAYS):] + WAYS[:n % len(WAYS)]:
                runs[name].append(bench.way(name))
        sums = [r["sums"] for each in runs.values() for r in each]
        if any(s != sums[0] for s in sums):
            raise SystemExit("the ways do not end with the same rows: %s" % sums)
        result = dict(cells=sum(int(s[0]) for s in sums[0]), partitions=bench.partitions, rounds=rounds,
                      snapshot=bytes_below(bench.backup), date=time.strftime("%Y-%m-%d", time.gmtime()),
                      busy="a quiet machine" if load < 0.7 else "a busy machine (load %.0f)" % load,
                      ways={name: middle(each) for name, each in runs.items()})
    finally:
        if bench:
            bench.peer.stop()
        shutil.rmtree(folder, ignore_errors=True)
    print("all ways end with the same %s rows" % format(result["cells"], ","))
    print(table(result))
    for what, q in ratios(result["ways"]).items():
        print("%-50s %.2f of the time, %.2f of the CPU" % (what, *q))
    with open(os.path.join(os.path.dirname(os.path.abspath(binaries)), "journey.json"), "w") as f:
        json.dump(result, f, indent=1)
    if page:
        write_page(result)


def main():
    args = [a for a in sys.argv[1:] if a != "--page"]
    if Engine.missing():
        sys.exit("bench-journey: " + Engine.missing())
    cells, rounds = int((args[1:] + ["5000000"])[0]), int((args[2:] + ["1"])[0])
    run(args[0], cells, rounds, "--page" in sys.argv)


if __name__ == "__main__":
    main()
