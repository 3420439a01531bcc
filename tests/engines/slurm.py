#!/usr/bin/env python3
"""samples/shards/slurm.sh on a real Slurm: munged, slurmctld and slurmd of one node, on loopback.

    slurm.py BIN [--seed N] [--keep] [-v] [NAME ...]

An array of shards and the join that waits for it give the bytes of one run; the same array whose shards fail leaves the join
waiting, and submitted again after the cause is gone does only what is missing. Skipped where Slurm is not installed (`sh
samples/setup.sh engines`) or its daemons do not start. The last line is "N passed, N failed, N skipped".
"""
import contextlib
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import NOW, Missing, Suite, demand, shown  # noqa: E402
from shards_kit import COLUMNS, KEY, STRETCH, text, whole_bytes  # noqa: E402

CONF = """ClusterName=trial
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld}
SlurmdPort={d}
AuthType=auth/munge
AuthInfo=socket={tmp}/munge.socket
CredType=cred/munge
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={tmp}/state
SlurmdSpoolDir={tmp}/spool
SlurmctldPidFile={tmp}/ctld.pid
SlurmdPidFile={tmp}/d.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
SlurmdParameters=config_overrides
ReturnToService=2
MinJobAge=300
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=4000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """Daemons that end with the `with` block."""

    def __init__(self, suite):
        self.tmp = suite.fresh("slurm")
        self.daemons = []
        self.path = "%s:%s:/usr/sbin" % (suite.bin, os.environ["PATH"])
        self.env = {**suite.env, "SLURM_CONF": str(self.tmp / "slurm.conf"), "PATH": self.path, "NOW": str(NOW), "MEM": "500M"}
        self.missing = [x for x in ("munged", "slurmctld", "slurmd", "sbatch") if not shutil.which(x, path=self.path)]

    def start(self, *command):
        with open(self.tmp / (command[0] + ".log"), "w") as log:
            self.daemons.append(subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log))

    def __enter__(self):
        if self.missing:
            raise Missing("engines", "Slurm is not installed: no %s" % ", ".join(self.missing))
        for name in ("state", "spool", "munge"):
            (self.tmp / name).mkdir(parents=True)
        os.chmod(self.tmp.parent, 0o711)
        (self.tmp / "key").write_bytes(os.urandom(1024))
        os.chmod(self.tmp / "key", 0o600)
        host, user = socket.gethostname().split(".")[0], subprocess.check_output(["id", "-un"], text=True).strip()
        (self.tmp / "slurm.conf").write_text(CONF.format(host=host, user=user, tmp=self.tmp, ctld=free_port(), d=free_port()))
        (self.tmp / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
        self.start("munged", "--foreground", "--force", "--socket=%s/munge.socket" % self.tmp, "--key-file=%s/key" % self.tmp,
                   "--pid-file=%s/munge.pid" % self.tmp, "--log-file=%s/munge.log" % self.tmp, "--seed-file=%s/seed" % self.tmp)
        for _ in range(100):
            if (self.tmp / "munge.socket").exists():
                break
            time.sleep(0.1)
        self.start("slurmctld", "-D", "-c", "-f", str(self.tmp / "slurm.conf"))
        self.start("slurmd", "-D", "-f", str(self.tmp / "slurm.conf"))
        for _ in range(60):
            if "idle" in self.run("sinfo", "-h", "-o", "%T", check=False):
                return self
            if any(d.poll() is not None for d in self.daemons):
                break
            time.sleep(0.5)
        logs = "".join(p.read_text()[-300:] for p in sorted(self.tmp.glob("slurm*.log")))
        self.__exit__()
        raise Missing("engines", "Slurm's daemons do not start here: " + logs)

    def __exit__(self, *_):
        self.end_jobs()
        for daemon in reversed(self.daemons):
            daemon.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                daemon.wait(10)
            daemon.kill()
            daemon.wait()

    def end_jobs(self):
        """A test that fails leaves jobs, and slurmd leaves their slurmstepd when it ends: these hold the folder."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.run("scancel", "--quiet", "--user=%d" % os.getuid(), check=False)
            for _ in range(100):
                if not self.run("squeue", "-h", "-t", "pending,running,completing", check=False).strip():
                    break
                time.sleep(0.1)

    def run(self, *command, check=True):
        p = subprocess.run(command, env=self.env, cwd=self.tmp, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        demand(not check or p.returncode == 0, "%s: exit %d: %s" % (command[0], p.returncode, shown(p.stdout + p.stderr)))
        return shown(p.stdout)

    def jobs(self):
        """State of each job and task: {"3_1": "COMPLETED", …}."""
        lines = self.run("squeue", "-h", "-r", "-t", "all", "-o", "%i %T %r").splitlines()
        return {line.split()[0]: line.split(None, 1)[1] for line in lines}

    def wait(self, done, what):
        for _ in range(240):
            jobs = self.jobs()
            if jobs and done(jobs):
                return jobs
            time.sleep(0.25)
        demand(False, "%s: not after 60 s: %s %s" % (what, jobs, self.outputs()))

    def outputs(self):
        return "".join(shown(p.read_bytes())[-300:] for p in sorted(self.tmp.glob("slurm-*.out")))


def submit(cluster, n, out, *inputs):
    cluster.run("sh", ROOT / "samples/shards/slurm.sh", str(n), out, *COLUMNS, "--partition", "key:5", *inputs)


def ended(jobs):
    return all(state.split()[0] in ("COMPLETED", "FAILED", "CANCELLED") for state in jobs.values())


def arrays_and_joins(suite):
    r = random.Random(suite.seed)
    files = [text(r, suite.tmp / ("%d.csv" % i), STRETCH) for i in range(3)]
    one, out, again = suite.fresh("one"), suite.fresh("of slurm"), suite.fresh("again")
    suite.call("import", "--quiet", *COLUMNS, *KEY, "-o", one, *files)
    with Cluster(suite) as cluster:
        submit(cluster, 5, out, *files)
        jobs = cluster.wait(ended, "five shards and a join")
        demand(len(jobs) == 6 and all(s.startswith("COMPLETED") for s in jobs.values()), "%s %s" % (jobs, cluster.outputs()))
        demand(whole_bytes(out) == whole_bytes(one), "other bytes than one run")
        demand(not pathlib.Path(str(out) + ".shards").exists(), "the shards are still there")

        # A shard that cannot be made: an array with a failed task, and a join that Slurm never starts.
        blocked = pathlib.Path(str(again) + ".shards") / "3"
        blocked.parent.mkdir()
        blocked.write_text("a file where a shard should be")
        submit(cluster, 3, again, *files)
        stuck = cluster.wait(lambda j: any("DependencyNeverSatisfied" in s for s in j.values()), "a join that never starts")
        demand(sum("FAILED" in s for s in stuck.values()) == 1, "one shard fails: %s" % stuck)
        demand(not again.exists(), "a dataset was published")
        cluster.run("scancel", "--state=PENDING")
        finished = sorted(p for p in pathlib.Path(str(again) + ".shards").iterdir() if (p / "MANIFEST.json").exists())
        demand(len(finished) == 2, "two shards are there: %s" % finished)
        blocked.unlink()
        submit_and_watch(cluster, again, files, {p: p.stat().st_mtime_ns for p in [f / "MANIFEST.json" for f in finished]})
        demand(whole_bytes(again)[1] == whole_bytes(one)[1], "submitted again: other cell files than one run")
        demand(whole_bytes(again) == whole_bytes(one), "submitted again: another manifest")


def submit_and_watch(cluster, out, files, stamps):
    """The finished shards are not made again: their manifests are those of the first array, until the join removes them."""
    cluster.run("scontrol", "update", "PartitionName=main", "State=DOWN")
    submit(cluster, 3, out, *files)
    cluster.run("scontrol", "update", "PartitionName=main", "State=UP")
    while not out.exists():
        for path, stamp in stamps.items():
            with contextlib.suppress(FileNotFoundError):
                demand(path.stat().st_mtime_ns == stamp, "%s was made again" % path.parent.name)
        time.sleep(0.02)
        demand(len([s for s in cluster.jobs().values() if "FAILED" in s]) < 2, cluster.outputs())
    cluster.wait(lambda jobs: all("PENDING" not in s and "RUNNING" not in s and "COMPLETING" not in s for s in jobs.values()),
                 "the second array")


def main():
    suite = Suite(__doc__)
    suite.run("arrays and joins", arrays_and_joins)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
