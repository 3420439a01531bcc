"""bounds.py PLAN: the RANGE bounds of 23 partitions, as --partition range:FILE takes them."""
import json
import sys

choices = json.load(open(sys.argv[1]))["designs"][0]["choices"]
for bound in next(c for c in choices if c["kind"] == "range" and c["asked"] == 23)["bounds_hex"]:
    bytes.fromhex(bound).decode()  # OceanBase takes valid UTF-8 only
    print("hex:" + bound)
print("MAXVALUE")
