#!/usr/bin/env python3
"""HBase directories inside archives: what is in them is called ARCHIVE!member wherever a path is shown, obkv-verify check reads
them, and what a killed run unpacked is removed by the next.

    packed_trees.py BIN [--keep] [-v] [NAME ...]

The last line is "N passed, N failed, N skipped".
"""
import fcntl
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import time

from programs import NOW, Suite, demand, shown

TREES = pathlib.Path(__file__).resolve().parent.parent / "data" / "hbase_trees"
TABLE = "hbase/data/default/simple/32b5529da944e6cf8bd7acbb6b456ab2/cf1/"
DDL = ("CREATE TABLEGROUP g SHARDING='ADAPTIVE';\n"
       "CREATE TABLE `simple$cf1` (K varbinary(4) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(1024),"
       " PRIMARY KEY (K, Q, T)) TABLEGROUP = g;\n")


def unpacked(suite):
    directory = suite.tmp / "tree"
    if not directory.exists():
        with tarfile.open(TREES / "a1_snapshot.tar.xz") as tar:
            tar.extractall(directory)
    return directory / "a1_snapshot"


def packed(suite, name, damage):
    """The tree as a tar; one store file without its side file and with a flipped bit."""
    out = suite.tmp / name
    with tarfile.open(out, "w") as tar:
        for path in sorted(unpacked(suite).rglob("*")):
            inner = str(path.relative_to(unpacked(suite)))
            if not path.is_file() or inner.startswith("expected") or (damage and inner.endswith(".crc")):
                continue
            data, info = bytearray(path.read_bytes()), tarfile.TarInfo(inner)
            if damage and inner.startswith(TABLE):
                data[200] ^= 1
            info.size, info.mtime = len(data), 1000000000
            tar.addfile(info, io.BytesIO(bytes(data)))
    return out


def in_temp(suite):
    return [p.name for p in (suite.tmp / "temp").iterdir()]


def said(suite, done, archive):
    text = shown(done.err) + shown(done.out)
    demand("obkv-unpacked" not in text, "a temporary path is shown: " + text[-500:])
    demand("%s!hbase/" % archive in text, "no member is named: " + text[-500:])


def names(suite):
    """Rejects and losses of two runs are the same, byte for byte."""
    archive, ddl = packed(suite, "damaged.tar", True), suite.tmp / "narrow.sql"
    ddl.write_text(DDL)
    suite.call("import", "--partition", "none", "--snapshot", "snap_a", "-o", suite.fresh("out"), archive, want=5)
    said(suite, suite.call("import", "--partition", "none", "--snapshot", "snap_a", "-o", suite.fresh("out"), archive, want=5),
         archive)
    reports = []
    for i in range(2):
        out = suite.fresh("out%d" % i)
        suite.call("import", "--ddl", ddl, "--snapshot", "snap_a", "--on-damage", "skip-block", "--max-rejects", "100%", "--now",
                   NOW, "-t", i + 1, "-o", out, archive, want=3)
        report = out / "_report"
        reports.append({str(p.relative_to(report)): p.read_bytes() for p in report.rglob("*") if p.is_file()})
    demand(reports[0] == reports[1], "_report differs between runs")
    for name in ("lost.tsv", "reasons.tsv"):
        first = reports[0][name].splitlines()[1].decode()
        demand(first.startswith("%s!hbase/" % archive), "%s: %s" % (name, first))


def listed(suite):
    """A tree that lacks a store file."""
    archive = packed(suite, "lacking.tar", False)
    lacking = suite.tmp / "lacks.tar"
    with tarfile.open(archive) as tar, tarfile.open(lacking, "w") as less:
        for info in tar.getmembers():
            if not info.name.startswith(TABLE):
                less.addfile(info, tar.extractfile(info))
    done = suite.call("import", "--list", lacking, want=5)
    demand("obkv-unpacked" not in shown(done.err), shown(done.err))


def checked(suite):
    good, bad = packed(suite, "good.tar", False), packed(suite, "damaged.tar", True)
    for more in ((), ("--quick",)):
        done = json.loads(suite.call("verify", "check", "--json", *more, "--snapshot", "snap_a", good).out)
        plain = json.loads(suite.call("verify", "check", "--json", *more, "--snapshot", "snap_a", unpacked(suite) / "hbase").out)
        same = ("cells", "files", "findings") if not more else ("files", "findings")
        demand(all(done.get(k) == plain.get(k) for k in same), "%s, unpacked %s" % (done, plain))
    said(suite, suite.call("verify", "check", "--snapshot", "snap_a", bad, want=1), bad)
    demand(not in_temp(suite), "left: %s" % in_temp(suite))


def killed(suite, sig):
    """What a run unpacked goes with it, or, after a SIGKILL, with the next."""
    archive, left = packed(suite, "good.tar", False), 0
    for _ in range(40):
        args = ("--quiet", "--partition", "none", "--snapshot", "snap_a", "-o", suite.fresh("out"), archive)
        argv = suite.command("import", args)
        p = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=suite.env, cwd=suite.tmp)
        while p.poll() is None and not in_temp(suite):
            time.sleep(0.0005)
        p.send_signal(sig)
        p.communicate(timeout=60)
        demand(p.returncode in (0, -sig if sig == signal.SIGKILL else 128 + sig), "exit %d" % p.returncode)
        left += p.returncode != 0
        demand(sig == signal.SIGKILL or not in_temp(suite), "%s leaves %s" % (sig.name, in_temp(suite)))
        if left >= 3:
            break
    demand(left, "no run was hit")
    held = suite.tmp / "temp" / "obkv-unpacked-abcdef"  # of a run that lives: it holds the lock
    held.mkdir()
    fd = os.open(held, os.O_RDONLY)
    fcntl.flock(fd, fcntl.LOCK_EX)
    suite.call("import", "--list", archive)
    demand(in_temp(suite) == [held.name], "after the next run: %s" % in_temp(suite))
    os.close(fd)
    suite.call("import", "--list", archive)
    demand(not in_temp(suite), "after the next run: %s" % in_temp(suite))


def main():
    suite = Suite(__doc__, in_memory=True)
    (suite.tmp / "temp").mkdir()
    suite.env["TMPDIR"] = str(suite.tmp / "temp")
    for name, test in (("names", names), ("listed", listed), ("checked", checked)):
        suite.run(name, test)
    for sig in (signal.SIGKILL, signal.SIGHUP, signal.SIGQUIT):
        if sig != signal.SIGKILL:
            signal.signal(sig, signal.SIG_DFL)  # nohup and background jobs of a shell ignore it, and children would, too
        suite.run("killed by " + sig.name, killed, sig)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
