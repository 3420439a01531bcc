"""The table of differences that obkv-verify target prints: rows with both values, as text, hex or masked; and its page. A case of
loads.py."""
import json
import re

from rig import RANGE, demand, plain_rows

FORMS = {"text": (r'"[^"]*"', r'"other\\x09value"'), "hex": ("0x[0-9a-f]*", "0x6f746865720976616c7565"),
         "masked": ("", r"\(11 bytes\)")}


def case_mariadb_differences(b):
    """A row changed, three missing, one extra: named with the old and the new value; more than --limit are counted."""
    where = b.export("mdiffer", plain_rows(2000), partition=RANGE, v="longblob", grouped=False)
    b.load(where, "--create")
    b.peer.sql("DELETE FROM `mdiffer$f` WHERE K LIKE 'row05%' LIMIT 3; UPDATE `mdiffer$f` SET V = 'other\\tvalue' WHERE K LIKE "
               "'row__-000001'; INSERT INTO `mdiffer$f` VALUES ('row00-000001x', 'q', -5, 'x')")
    for form, (old, new) in FORMS.items():
        out = b.run("obkv-verify", "target", *b.peer.options(), "--values", form, where, want=1)[0]
        demand(re.search(r"^changed +\S+ +row\d\d-000001 +f:q\d +\d+ +%s.*→  %s$" % (old, new), out, re.M), out)
        demand(len(re.findall(r"^missing  .*→  -$", out, re.M)) == 3, out)
        demand(re.search(r"^extra  .*row00-000001x .* - +→", out, re.M), out)
    out = b.run("obkv-verify", "target", *b.peer.options(), "--limit", 2, where, want=1)[0]
    demand("\nand 3 more: --limit\n" in out, out)
    page = b.path("mdiffer.html")
    b.run("obkv-verify", "target", *b.peer.options(), "--html", page, where, want=1)
    with open(page, encoding="utf-8") as f:
        told = json.loads(f.read().split('id="results">')[1].split("</script>")[0])["results"]
    rows = sorted(r["kind"] for r in told if "row_text" in r)
    demand(rows == ["changed", "extra", "missing", "missing", "missing"], rows)
    compared, end = told[-1]["compared"], told[-1]
    demand(sum(p["rows_a"] for p in compared) == end["rows_a"] == 2000, compared)
    demand(sum(p["rows_b"] for p in compared) == end["rows_b"] == 1998, compared)
    off = [p["partition"] for p in compared if p["crc_a"] != p["crc_b"]]
    demand(sorted(off) == sorted({r["partition"] for r in told if "row_text" in r}), compared)
