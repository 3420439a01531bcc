"""The peak of resident memory of a run, held against its --memory.

Peaks are what the kernel counted (ru_maxrss): heap, stacks, the program and its libraries, but not the page cache.
"""
import os
import subprocess
import sys
import tempfile

from programs import Done, Skip, demand

# A process counts what its parent held when it was started: so a small one stands between.
STARTER = """
import os, sys
pid = os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:])
_, status, usage = os.wait4(pid, 0)
with open(sys.argv[1], "w") as f:
    f.write("%d %d %d" % (os.waitstatus_to_exitcode(status), usage.ru_maxrss, 1000 * (usage.ru_utime + usage.ru_stime)))
"""


def run_counted(command, stdout=subprocess.PIPE, timeout=3600, env=None):
    """Runs a command: (its exit code, both outputs; peak in bytes; seconds of processor time)."""
    fd, usage = tempfile.mkstemp(prefix="obkv-usage-")
    os.close(fd)
    try:
        p = subprocess.run([sys.executable, "-S", "-E", "-c", STARTER, usage, *map(str, command)], stdin=subprocess.DEVNULL,
                           stdout=stdout, stderr=subprocess.PIPE, env=env, timeout=timeout, check=True)
        with open(usage) as f:
            code, peak_kib, cpu_ms = map(int, f.read().split())
    finally:
        os.unlink(usage)
    return Done(code, p.stdout, p.stderr), peak_kib << 10, cpu_ms / 1000


def measured(suite, limit_mb, tool, *args, want=0, stdout=None):
    """Runs with --memory and compares the peak of its resident memory."""
    return measure(suite, limit_mb, tool, *args, want=want, stdout=stdout)[0]


def measure(suite, limit_mb, tool, *args, want=0, stdout=None):
    """The same: (result, peak in MB, seconds of processor time)."""
    command = suite.command(tool, args + ("--memory", "%dM" % limit_mb))
    if suite.sanitized():
        raise Skip("sanitizers need memory of their own")
    done, peak, cpu_s = run_counted(command, stdout or subprocess.PIPE, env=suite.env)
    done = suite.judge(command, done, want)
    peak /= 1 << 20
    if suite.args.verbose:
        print("    # %.1f of %d MB, exit %d: %s" % (peak, limit_mb, done.code, " ".join(map(str, (tool,) + args))[:110]))
    demand(peak <= limit_mb, "peak of %.1f MB with --memory %dM: %s" % (peak, limit_mb, " ".join(command[:14])))
    return done, peak, cpu_s
