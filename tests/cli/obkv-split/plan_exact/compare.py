"""compare.py PARTITION PLAN SKEW: rows, cells and bytes of each partition as planned and as imported."""
import json
import re
import sys

spec, plan, skew = sys.argv[1], json.load(open(sys.argv[2])), json.load(open(sys.argv[3]))
key = re.match(r"key:(\d+)(?::substring\(1,(\d+)\))?", spec)
kind, asked, prefix = ("key", int(key[1]), int(key[2] or 0)) if key else ("range", 23, 0)
choice = next(c for c in plan["designs"][0]["choices"] if (c["kind"], c["asked"], c["prefix"]) == (kind, asked, prefix))
got = [[p["rows"], p["cells"], p["kv_bytes"]] for p in skew["partitions"]]
want = choice["partitions"]
# A row with two families is one row of the plan, and one in each family's files.
rows = sum(p[0] for p in want)
print(spec, "partitions", len(got) == len(want), "cells and bytes", [p[1:] for p in got] == [p[1:] for p in want], "rows", rows,
      "share by family", all(g[0] in (w[0], 2 * w[0]) for g, w in zip(got, want)))
