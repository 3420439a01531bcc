"""What memory_kept.py and memory_limits.py share: the peak of resident memory of a run, held against its --memory.

Peaks are what the kernel counted (ru_maxrss): heap, stacks, the program and its libraries, but not the page cache.
"""
import subprocess
import sys

from programs import Done, Skip, demand

# A process counts what its parent held when it was started: so a small one stands between.
STARTER = """
import os, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as f:
    f.write("%d %d %d" % (os.waitstatus_to_exitcode(status), usage.ru_maxrss, 1000 * (usage.ru_utime + usage.ru_stime)))
"""


def measured(suite, limit_mb, tool, *args, want=0, stdout=None):
    """Runs with --memory and compares the peak of its resident memory."""
    return measure(suite, limit_mb, tool, *args, want=want, stdout=stdout)[0]


def measure(suite, limit_mb, tool, *args, want=0, stdout=None):
    """The same: (result, peak in MB, seconds of processor time)."""
    command = suite.command(tool, args + ("--memory", "%dM" % limit_mb))
    if suite.sanitized():
        raise Skip("sanitizers need memory of their own")
    usage = suite.tmp / "usage"
    p = subprocess.run([sys.executable, "-S", "-E", "-c", STARTER, str(usage)] + command, stdin=subprocess.DEVNULL,
                       stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE, env=suite.env, timeout=3600, check=True)
    code, peak, cpu_ms = map(int, usage.read_text().split())
    done = suite.judge(command, Done(code, p.stdout, p.stderr), want)
    peak /= 1024
    if suite.args.verbose:
        print("    # %.1f of %d MB, exit %d: %s" % (peak, limit_mb, code, " ".join(map(str, (tool,) + args))[:110]))
    demand(peak <= limit_mb, "peak of %.1f MB with --memory %dM: %s" % (peak, limit_mb, " ".join(command[:14])))
    return done, peak, cpu_ms / 1000
