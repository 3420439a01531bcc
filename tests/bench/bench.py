#!/usr/bin/env python3
"""The work of tests/bench/run.sh (see there). Every timed region starts with a synced file system and ends with a sync."""
import argparse

from against_unpack import Check, Compact
from mapping import Mapping
from measure import Place
from packed import Packed
from peers import Peers
from plan import Plan
from scan import Scan
from snapshot import Snapshot
from wal import Wal


def main():
    parts = {"scan": Scan, "snapshot": Snapshot, "check": Check, "compact": Compact, "map": Mapping, "plan": Plan, "wal": Wal,
             "packed": Packed, "peers": Peers}
    ap = argparse.ArgumentParser(description=__doc__)
    for name in ("build", "dir", "memory", "small", "import-args", "python", "record"):
        ap.add_argument("--" + name, required=True)
    for name in ("rows", "runs", "threads", "inputs", "scan-rows", "regions"):
        ap.add_argument("--" + name, type=int, required=True)
    ap.add_argument("parts", nargs="+", choices=parts)
    args = ap.parse_args()
    place = Place(args)
    for part in args.parts:
        parts[part](place).run()


if __name__ == "__main__":
    main()
