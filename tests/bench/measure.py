"""What the parts of the benchmark share: one measured command, checks of results, names of folders."""
import json
import os
import platform
import shutil
import subprocess
import sys
import threading
import time

VALUES = 4  # cells of a W1 row
COLUMNS = "HBASE_ROW_KEY,HBASE_TS_KEY," + ",".join("cf:v%d" % i for i in range(1, VALUES + 1))
NOW_MS = "1700000000000"


class Measured:
    """What one command cost: seconds with the final sync, CPU seconds (user and system), page faults, peak resident MB, peak
    MB in the watched folders. A shell's children count with it; its peak of memory is that of the largest of them."""

    def __init__(self, argv, watched, ok_exits=(0,), **popen):
        os.sync()
        stop = threading.Event()
        self.disk_mb = 0.0
        watcher = threading.Thread(target=self.watch, args=(watched, stop), daemon=True)
        watcher.start()
        start = time.monotonic()
        process = subprocess.Popen(argv, **popen)
        _, status, usage = os.wait4(process.pid, 0)
        os.sync()
        self.seconds = time.monotonic() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        stop.set()
        watcher.join()
        self.cpu = usage.ru_utime + usage.ru_stime
        self.user, self.sys, self.faults = usage.ru_utime, usage.ru_stime, usage.ru_minflt + usage.ru_majflt
        self.rss_mb = usage.ru_maxrss / 1024
        if process.returncode not in ok_exits:
            sys.exit("bench: exit %d: %s" % (process.returncode, " ".join(argv)))

    def watch(self, folders, stop):
        while not stop.wait(0.1):
            self.disk_mb = max(self.disk_mb, sum(map(allocated_bytes, folders)) / 1e6)


class Part:
    """What a part cost that was not measured from outside: CPU seconds, and seconds where they are known."""

    def __init__(self, cpu, seconds=None):
        self.cpu, self.seconds = cpu, cpu if seconds is None else seconds


def allocated_bytes(folder):
    total = 0
    for top, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(top, name)).st_blocks * 512
            except FileNotFoundError:
                pass  # renamed or removed meanwhile
    return total


def demand(condition, text):
    if not condition:
        sys.exit("bench: WRONG RESULT: " + text)


def manifest(dataset):
    with open(os.path.join(dataset, "MANIFEST.json")) as f:
        return json.load(f)


def cpu_name():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":", 1)[1].strip() for line in f if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.machine()


class Place:
    """Where everything lies, and the programs with the options they share."""

    def __init__(self, args):
        self.args = args
        self.dir = os.path.abspath(args.dir)
        os.makedirs(self.dir, exist_ok=True)

    def path(self, name):
        return os.path.join(self.dir, name)

    def fresh(self, name):
        shutil.rmtree(self.path(name), ignore_errors=True)
        return self.path(name)

    def built(self, name):
        return os.path.abspath(os.path.join(self.args.build, name))

    def common(self, memory, threads=None):
        return ["--memory", memory, "--threads", str(threads or self.args.threads), "--quiet"]

    def generate(self, rows, seed, workload="w1"):
        path = self.path("%s-%d-%d.csv" % (workload, rows, seed))
        if not os.path.exists(path):
            print("generating %s" % path, flush=True)
            with open(path + ".new", "wb") as out:
                subprocess.run([self.built("bench/gen_" + workload), str(rows), str(seed)], stdout=out, check=True)
            os.rename(path + ".new", path)
        return path

    def import_argv(self, out, inputs, *options):
        """obkv-import of W1; later options win over these."""
        return [self.built("bin/obkv-import"), "--format", "csv", "--columns", COLUMNS, "--now", NOW_MS, *options, "-o", out,
                *inputs]
