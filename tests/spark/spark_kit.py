"""What the tests of cmd/spark share: spark-submit on a cluster of two workers, inputs, and comparing with one run."""
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import demand, tail  # noqa: E402
from shards_kit import bytes_of_files  # noqa: E402

NOW = "1767225600000"
COLUMNS = ("--quote", "none", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:name,f:city", "--partition", "key:7")
# Fails once: the first shard with 75, the second by the death of its executor. What that left running must end as well.
FLAKY = """#!/bin/sh
case " $* " in
*" --list "*) ;;
*" --shard 1/3 "*) if mkdir "{d}/busy" 2>/dev/null; then echo "obkv-import: locked by a test" >&2; exit 75; fi ;;
*" --shard 2/3 "*) if mkdir "{d}/killed" 2>/dev/null; then
        guard=$PPID
        kill -9 "$(cut -d' ' -f4 /proc/$guard/stat)"
        exec sleep 297.31
    fi ;;
esac
exec "{bin}/obkv-import" "$@"
"""


def submit(suite, line, arguments, want=0, conf=()):
    """spark-submit as its script starts it. Returns what it printed."""
    home = ROOT / "build" / line / "home"
    scala = "2.13" if line == "spark4" else "2.12"
    env = dict(suite.env, SPARK_HOME=str(home), SPARK_SCALA_VERSION=scala, SPARK_LOCAL_IP="127.0.0.1",
               SPARK_LOCAL_DIRS=str(suite.tmp / "scratch"), SPARK_WORKER_DIR=str(suite.tmp / "workers"))
    words = ["--master", "local-cluster[2,1,512]", "--driver-memory", "512m", "--class", "obkv.spark.SparkJob"]
    for setting in ("spark.executor.memory=512m", "spark.ui.enabled=false", "spark.speculation=true", *conf):
        words += ["--conf", setting]
    words += [str(ROOT / "build/spark/test.jar"), *map(str, arguments)]
    made = subprocess.run(["java", "-cp", "%s/jars/*" % home, "org.apache.spark.launcher.Main",
                           "org.apache.spark.deploy.SparkSubmit", *words], env=env, check=True, stdout=subprocess.PIPE).stdout
    command = [w.decode() for w in made.lstrip(b"\0\n").split(b"\0") if w]
    done = subprocess.run(command, env=env, cwd=suite.tmp, timeout=280, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    demand(done.returncode == want, "spark-submit: %d instead of %d: %s" % (done.returncode, want, tail(done.stdout, 3000)))
    left = list((suite.tmp / "scratch").glob("**/obkv-driver-*"))
    demand(not left, "left on the disk of the driver: %s" % left)
    return done.stdout.decode("utf-8", "replace")


def without_times(out):
    text = (out / "MANIFEST.json").read_text()
    return re.sub(r', "ctime_ns": \d+|\n "checksum": "\w+"', "", text)


def demand_same(one, out):
    demand(bytes_of_files(one) and bytes_of_files(one) == bytes_of_files(out), "other cell files than by one run")
    demand(without_times(one) == without_times(out), "another manifest than by one run")


def said(text, stage):
    found = re.search(r"obkv-spark: %s: (\d+) of (\d+) to do" % stage, text)
    return found and (int(found[1]), int(found[2]))


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
