#!/usr/bin/env python3
"""Speed of the Python package beside the C programs: speed.py BUILD FILE.hfile [ROUNDS]

Reads an HFile in turn by scan_hfile (`make BUILD/bench/scan_hfile`), by to_arrow(), and by cells(), and prints the least CPU
seconds of each. Run it in a Python that has the package and pyarrow."""
import subprocess
import sys
import time

import obkv_sst as sst


def scan(build, path):
    return float(subprocess.run([build + "/bench/scan_hfile", "1", path], capture_output=True, check=True).stdout.split()[3])


def timed(run):
    started = time.process_time()
    n = run()
    return time.process_time() - started, n


def arrow(path):
    return sum(batch.num_rows for batch in sst.open(path).to_arrow())


def main(build, path, rounds="5"):
    import pyarrow  # so that loading it is not measured
    del pyarrow
    arrow(path)
    c, batches = [], []
    for _ in range(int(rounds)):
        c.append(scan(build, path))
        batches.append(timed(lambda: arrow(path)))
    cells = timed(lambda: sum(1 for _ in sst.open(path)))
    print("%d cells; CPU seconds: C %.3f, to_arrow() %.3f (%.0f %% of the C scan's speed), cells() %.3f" %
          (cells[1], min(c), min(batches)[0], 100 * min(c) / min(batches)[0], cells[0]))


if __name__ == "__main__":
    main(*sys.argv[1:])
