"""What the tests of cmd/spark share: spark-submit on a cluster of two workers, inputs, and comparing with one run."""
import contextlib
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import demand, tail  # noqa: E402
from shards_kit import bytes_of_files  # noqa: E402

NOW = "1767225600000"
COLUMNS = ("--quote", "none", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:name,f:city", "--partition", "key:7")
# In a script that a task runs: $executor is the process of its executor, $worker that of the worker which has started that.
EXECUTOR = """parent() { cut -d' ' -f4 "/proc/$1/stat"; }
        executor=$(parent $PPID); worker=$(parent $executor)
        [ "$(cat /proc/$executor/comm)" = java ] || exit 70"""


QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
JAR = ROOT / "build/spark/test.jar"
LOCAL = "local-cluster[2,1,512]"  # Spark's own: in the driver, and all on one host


def environment(suite, line, folder, host="127.0.0.1"):
    scala = "2.13" if line == "spark4" else "2.12"
    return dict(suite.env, SPARK_HOME=str(ROOT / "build" / line / "home"), SPARK_SCALA_VERSION=scala, SPARK_LOCAL_IP=host,
                SPARK_LOCAL_DIRS=str(folder / "scratch"), SPARK_WORKER_DIR=str(folder / "workers"))


def command_of(suite, line, main, arguments, conf, folder, master=LOCAL, more=(), jar=JAR):
    """spark-submit as its script starts it, and its environment. Jobs as small as ours need no second compiler in the JVMs."""
    home, env = ROOT / "build" / line / "home", dict(environment(suite, line, folder), **dict(more))
    words = ["--master", master, "--driver-memory", "512m", "--class", "obkv.spark." + main]
    for setting in ("spark.executor.memory=512m", "spark.ui.enabled=false", "spark.speculation=true",
                    "spark.speculation.multiplier=1.1", "spark.speculation.efficiency.enabled=false", "spark.locality.wait=500ms",
                    "spark.network.timeout=60s", "spark.driver.extraJavaOptions=" + QUICK,
                    "spark.executor.extraJavaOptions=" + QUICK, *conf):
        words += ["--conf", setting]
    words += [str(jar), *map(str, arguments)]
    made = subprocess.run(["java", "-cp", "%s/jars/*" % home, "org.apache.spark.launcher.Main",
                           "org.apache.spark.deploy.SparkSubmit", *words], env=env, check=True, stdout=subprocess.PIPE).stdout
    return [w.decode() for w in made.lstrip(b"\0\n").split(b"\0") if w], env


def demand_clean(folder):
    left = list((folder / "scratch").glob("**/obkv-driver-*"))
    demand(not left, "left on the disk of the driver: %s" % left)


def submit(suite, line, arguments, want=0, conf=(), master=LOCAL, more=(), jar=JAR):
    """One job by spark-submit; more: of its environment. Returns what it printed."""
    command, env = command_of(suite, line, "SparkJob", arguments, conf, suite.tmp, master, more, jar)
    done = subprocess.run(command, env=env, cwd=suite.tmp, timeout=280, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    demand(done.returncode == want, "spark-submit: %d instead of %d: %s" % (done.returncode, want, tail(done.stdout, 3000)))
    demand_clean(suite.tmp)
    return done.stdout.decode("utf-8", "replace")


class Standalone:
    """Spark's master and two workers, each a process with an address of its own: Spark takes them for two machines, and starts no
    second attempt where the first one runs."""

    def __init__(self, suite, line, folder):
        folder.mkdir()
        self.folder, self.line, self.suite, self.processes = folder, line, suite, []
        log = self.start("master.Master", "127.0.0.1", "--port", "0")
        deadline = time.monotonic() + 60
        while not (found := re.search(r"Starting Spark master at (spark://\S+)", log.read_text())):
            demand(time.monotonic() < deadline and self.processes[0].poll() is None, log.read_text()[-2000:])
            time.sleep(0.1)
        self.url = found[1]
        for host in ("127.0.0.1", "127.0.0.2"):
            self.start("worker.Worker", host, "--cores", "1", "--memory", "512m", "--work-dir", folder / host, self.url)

    def start(self, main, host, *arguments):
        log = self.folder / ("%s-%s.log" % (main, host))
        command = ["java", "-Xmx128m", *QUICK.split(), "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED", "-cp",
                   "%s/jars/*" % (ROOT / "build" / self.line / "home"), "org.apache.spark.deploy." + main, "--host", host,
                   "--webui-port", "0", *map(str, arguments)]
        with open(log, "w") as f:
            self.processes.append(subprocess.Popen(command, env=environment(self.suite, self.line, self.folder, host), stdout=f,
                                                   cwd=self.folder, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL))
        return log

    def close(self):
        for process in self.processes:
            process.kill()
            process.wait()


class Session:
    """A driver for several jobs (src/obkv/spark/Session.java). It starts beside its caller; the first job waits for it."""

    def __init__(self, suite, line, folder, conf=(), master=LOCAL):
        folder.mkdir()
        self.folder = folder
        command, env = command_of(suite, line, "Session", (), conf, folder, master)
        with open(folder / "log", "w") as log:
            self.process = subprocess.Popen(command, env=env, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=log)

    def submit(self, arguments, want=0, timeout=280):
        """Returns what the job printed."""
        before = (self.folder / "log").stat().st_size
        watchdog = threading.Timer(timeout, self.process.kill)
        watchdog.start()
        try:
            self.process.stdin.write(("\t".join(map(str, arguments)) + "\n").encode())
            self.process.stdin.flush()
            answer = self.process.stdout.readline().decode().strip()
        finally:
            watchdog.cancel()
        said = (self.folder / "log").read_bytes()[before:].decode("utf-8", "replace")
        demand(answer == "exit %d" % want, "the job: '%s' instead of %d: %s" % (answer, want, said[-3000:]))
        demand_clean(self.folder)
        return said

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def wrapped(suite, folder, program, text, others=()):
    """A directory of programs; `program` is a shell script that may become the real one: exec {real} "$@"."""
    folder.mkdir()
    (folder / program).write_text("#!/bin/sh\n" + text.replace("{real}", str(suite.bin / program)))
    (folder / program).chmod(0o755)
    for other in others:
        (folder / other).symlink_to(suite.bin / other)
    return folder


def without_times(out):
    text = (out / "MANIFEST.json").read_text()
    return re.sub(r', "ctime_ns": \d+|\n "checksum": "\w+"', "", text)


def demand_same(one, out):
    demand(bytes_of_files(one) and bytes_of_files(one) == bytes_of_files(out), "other cell files than by one run")
    demand(without_times(one) == without_times(out), "another manifest than by one run")


def said(text, stage):
    found = re.search(r"obkv-spark: %s: (\d+) of (\d+) to do" % stage, text)
    return found and (int(found[1]), int(found[2]))


def demand_no_orphans(seconds):
    """The program `sleep SECONDS` of an executor that is gone ends, too."""
    deadline = time.monotonic() + 10
    while subprocess.run(["pgrep", "-f", "^sleep %s$" % seconds], stdout=subprocess.DEVNULL).returncode == 0:
        demand(time.monotonic() < deadline, "the program of the lost executor still runs")
        time.sleep(0.2)


def csv_file(path, rows):
    r = random.Random(5)
    with open(path, "w") as f:
        for _ in range(rows):
            time_ms = r.randrange(10 ** 12, 10 ** 12 + 50)
            f.write("row%06d,%d,name%d,%s\n" % (r.randrange(90000), time_ms, r.randrange(10 ** 6), "x" * 40))
    os.utime(path, (1700000000, 1700000000))
    return path


def tree(suite, name):
    with tarfile.open(ROOT / "tests/data/hbase_trees" / (name + ".tar.xz")) as t:
        t.extractall(suite.tmp / name)
    [root] = (suite.tmp / name).iterdir()
    for path in root.rglob("*"):
        os.utime(path, (1700000000, 1700000000))
    return root
