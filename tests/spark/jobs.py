#!/usr/bin/env python3
"""The application cmd/spark on clusters of two workers: its result is the dataset of one run, whatever happens to its tasks.

    jobs.py BIN [--keep] [-v] [NAME ...]        (through tests/spark/run.sh, which has compiled it)

A CSV on Spark 3.5 (a program that ends with 75, an executor that is killed, then a start that finds one piece missing and one of
other settings), a snapshot with links, references and MOB files on Spark 4, a damaged file, and options that are wrong.
The last line is "N passed, N failed, N skipped".
"""
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tarfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import Suite, demand, tail  # noqa: E402
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


def submit(suite, line, arguments, want=0):
    """spark-submit as its script starts it. Returns what it printed."""
    home = ROOT / "build" / line / "home"
    scala = "2.13" if line == "spark4" else "2.12"
    env = dict(suite.env, SPARK_HOME=str(home), SPARK_SCALA_VERSION=scala, SPARK_LOCAL_IP="127.0.0.1",
               SPARK_LOCAL_DIRS=str(suite.tmp / "scratch"), SPARK_WORKER_DIR=str(suite.tmp / "workers"))
    words = ["--master", "local-cluster[2,1,512]", "--driver-memory", "512m", "--class", "obkv.spark.SparkJob"]
    for setting in ("spark.executor.memory=512m", "spark.ui.enabled=false", "spark.speculation=true"):
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
    return re.sub(r'"ctime_ns": \d+|\n "checksum": "\w+"', "", text)


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


def csv_with_lost_executor(suite):
    """Then the same command again: only what is missing is made; and with another setting: refused."""
    csv_file(suite.tmp / "a.csv", 60000)
    csv_file(suite.tmp / "b.csv", 100)
    one, out, flaky = suite.fresh("one"), suite.tmp / "out", suite.tmp / "flaky"
    inputs = [suite.tmp / "a.csv", suite.tmp / "b.csv"]
    suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "-o", one, *inputs)
    shutil.copytree(suite.bin, flaky)
    (flaky / "obkv-import").write_text(FLAKY.format(d=suite.tmp, bin=suite.bin))
    arguments = ["--input", inputs[0], "--input", inputs[1], "--out", out, "--shards", "3", "--shares", "2", "--now", NOW,
                 "--check",
                 "--keep-work", "--bin", flaky, "--", *COLUMNS]
    text = submit(suite, "spark", arguments)
    demand((suite.tmp / "busy").exists() and (suite.tmp / "killed").exists(), "nothing was killed")
    demand("Lost executor" in text and "locked by a test" in text, "Spark's log does not say what happened")
    demand(said(text, "shards") == (3, 3) and said(text, "shares") == (2, 2), "stages: " + text[-500:])
    demand("read 60100 records and wrote 240400 cells" in text, "counters: " + text[-2000:])
    demand_same(one, out)
    deadline = time.monotonic() + 10
    while subprocess.run(["pgrep", "-f", "^sleep 297.31$"], stdout=subprocess.DEVNULL).returncode == 0:
        demand(time.monotonic() < deadline, "the program of the lost executor still runs")
        time.sleep(0.2)
    (out / "MANIFEST.json").unlink()
    (suite.tmp / "out.work/shards/00002.done").unlink()
    text = submit(suite, "spark", arguments)
    demand(said(text, "shards") == (1, 3) and said(text, "shares") == (0, 2), "started again: " + text[-1500:])
    demand_same(one, out)
    arguments[arguments.index("--shards") + 1] = "4"
    text = submit(suite, "spark", arguments, want=2)
    demand("has pieces of other settings: 'shards 3' instead of 'shards 4'" in text, text[-500:])
    demand("at obkv.spark." not in text, "a stack trace of ours")


def tree(suite, name):
    with tarfile.open(ROOT / "tests/data/hbase_trees" / (name + ".tar.xz")) as t:
        t.extractall(suite.tmp / name)
    [root] = (suite.tmp / name).iterdir()
    for path in root.rglob("*"):
        os.utime(path, (1700000000, 1700000000))
    return root


def snapshot_on_spark_4(suite):
    """Regions with references and files of the archive: a shard has its own store files, of the others only names and sizes."""
    root = tree(suite, "b_split_merge") / "hbase"
    one, out = suite.fresh("one"), suite.tmp / "out"
    options = ("--snapshot", "snap_b1", "--partition", "key:5")
    suite.call("import", "--quiet", "--now", NOW, *options, "-o", one, root)
    text = submit(suite, "spark4", ["--input", root, "--out", out, "--shards", "3", "--shares", "3", "--now", NOW, "--bin",
                                    suite.bin, "--", *options])
    demand(said(text, "shards") == (3, 3), "stages: " + text[-500:])
    demand_same(one, out)
    suite.call("verify", "diff", "--quiet", "--snapshot", "snap_b1", root, out)
    kept = sorted(p.name for p in (suite.tmp / "out.work").iterdir())
    demand(kept == ["job", "listing"], "pieces were kept: %s" % kept)
    text = submit(suite, "spark4", ["--input", root, "--out", out, "--bin", suite.bin, "--", *options])
    demand("was finished with the same settings; nothing to do" in text, text[-500:])


def mob_compacted_and_exported(suite):
    """Values in MOB files, version rules, and load files of each share."""
    root = tree(suite, "e_codecs_mob") / "hbase"
    one, compacted, out, whole = suite.fresh("one"), suite.fresh("compacted"), suite.tmp / "out", suite.fresh("whole")
    options = ("--snapshot", "snap_e", "--partition", "key:4")
    suite.call("import", "--quiet", "--now", NOW, *options, "-o", one, root)
    suite.call("compact", "--quiet", "--now", NOW, "--versions", "1", "-o", compacted, one)
    suite.call("export", "--quiet", "--format", "jsonl", "-o", whole, compacted)
    submit(suite, "spark", ["--input", root, "--out", out, "--shards", "2", "--shares", "2", "--now", NOW, "--bin", suite.bin,
                            "--compact", "--versions 1", "--export", suite.tmp / "export", "--export-options", "--format jsonl",
                            "--", *options])
    demand(bytes_of_files(compacted) == bytes_of_files(out), "other cell files than by one run")
    lines = [sorted(b"".join(p.read_bytes() for p in d.rglob("*.jsonl")).splitlines()) for d in (whole, suite.tmp / "export")]
    demand(lines[0] and lines[0] == lines[1], "the exports of the shares are not that of the whole")


def damaged_file(suite):
    """Our message and exit code, no stack trace, no retries; shards that are whole stay."""
    root = tree(suite, "b_split_merge") / "hbase"
    biggest = max((p for p in (root / "data").rglob("*") if p.is_file() and "/f1/" in str(p)), key=lambda p: p.stat().st_size)
    raw = bytearray(biggest.read_bytes())
    raw[200:400] = bytes(200)
    biggest.write_bytes(raw)
    os.utime(biggest, (1700000000, 1700000000))
    text = submit(suite, "spark", ["--input", root, "--out", suite.tmp / "out", "--shards", "3", "--bin", suite.bin, "--",
                                   "--snapshot", "snap_b1", "--partition", "key:5"], want=5)
    [line] = re.findall(r"(?m)^obkv-spark: (shard .*)", text)
    demand(str(biggest) in line and "obkv-import: error: " in line, "the message: " + line)
    demand("at obkv.spark." not in text, "a stack trace of ours: " + text[-1500:])
    again = [line for line in text.splitlines() if "Lost task" in line and "TaskKilled" not in line]
    demand(not again, "tried again: %s" % again)


def wrong_options(suite):
    for arguments, want in ((["--input", "x"], "--input and --out are needed"),
                            (["--shards", "0"], "--shards 0: expected a number"),
                            (["--input", "x", "--out", "y", "--", "-o", "z"], "this application gives that option"),
                            (["--what", "1"], "--what: no such option")):
        done = subprocess.run(["java", "-cp", "%s:%s/jars/*" % (ROOT / "build/spark/test.jar", ROOT / "build/spark/home"),
                               "obkv.spark.SparkJob", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        demand(done.returncode == 2 and want in done.stdout.decode(), "%s: %s" % (arguments, tail(done.stdout)))


def main():
    suite = Suite(__doc__)
    base = suite.tmp
    for test in (csv_with_lost_executor, snapshot_on_spark_4, mob_compacted_and_exported, damaged_file, wrong_options):
        suite.tmp = base / test.__name__
        suite.tmp.mkdir()
        suite.run(test.__name__, test)
    suite.tmp = base
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
