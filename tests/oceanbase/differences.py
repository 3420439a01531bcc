"""The table of differences that obkv-verify target prints: rows with both values, as text, hex or masked. A case of loads.py."""
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
