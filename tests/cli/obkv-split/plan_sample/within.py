"""within.py ALL SAMPLE: the largest partition of each choice, by the sample and in truth."""
import json
import sys

everything, sample = (json.load(open(p))["designs"][0] for p in sys.argv[1:3])
assert everything["share"] == 1 and 0.01 < sample["share"] < 0.5, sample["share"]
truth = {(c["kind"], c["prefix"], c["asked"]): c for c in everything["choices"]}
checked = outside = 0
for c in sample["choices"]:
    if c["kind"] == "range":  # other bounds: an even share is what they promise
        want = everything["kv_bytes"] / c["count"]
        got = max(p[2] for p in c["partitions"])
    else:
        index = max(range(c["count"]), key=lambda i: c["partitions"][i][2])
        got, want = c["partitions"][index][2], truth[c["kind"], c["prefix"], c["asked"]]["partitions"][index][2]
    assert 0 < c["largest_bytes_error"] < 1
    checked += 1
    outside += abs(got - want) > got * c["largest_bytes_error"]
print("within the error told:", checked > 20 and outside <= checked // 50)
