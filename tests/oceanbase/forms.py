"""Every table form of tests/data/oceanbase that is read: made on the engine by our text, loaded, compared, read back. A case of
loads.py.
"""
import glob
import os
import re
import subprocess

from rig import NOW, Wrong, demand, manifest


def expect_form(b, name, table):
    """The table as the engine prints it is that of the fixture; its definition by --from-target is that of the export."""
    sql_table = table["families"][0]["sql_table"]
    quoted = sql_table.replace("`", "``")
    printed = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "0": "\0"}.get(m[1], m[1]),
                     b.peer.sql("SHOW CREATE TABLE `%s`" % quoted)[0][1])
    with open("tests/data/oceanbase/%s.show.sql" % name, newline="") as f:
        demand(printed == f.read().rstrip("\n"), "%s: %s" % (name, printed))
    b.print_definition(sql_table.split("$")[0], b.path(name + ".back.sql"))
    b.run("obkv-import", "--now", NOW, "--ddl", b.path(name + ".back.sql"), "-f", "cells", "-q", "-o", b.path(name + ".back"),
          "/dev/null")
    back = manifest(b.path(name + ".back"))["table"]
    demand(all(back[k] == table[k] for k in ("name", "families", "partitioning")), "%s: %s" % (name, back))
    b.peer.sql("DROP TABLE `%s`" % quoted)


def case_forms(b):
    """Every table form of tests/data/oceanbase that is read: made on the engine by our text, loaded, compared, read back."""
    tried = refused = 0
    for path in sorted(glob.glob("tests/data/oceanbase/*.in.sql")):
        name = os.path.basename(path)[:-7]
        cells = b.path(name + ".cells")
        with open(path) as f:
            family = re.search(r"\$([^`]+)`", f.read())
        if not family:
            continue
        with open(cells, "w") as f:
            for i, key in enumerate([b"a", b"a\0b", b"b.c.d", b"row-0005x", b"zz", b"m\xff"]):
                f.write("%s\t%s\t71\t%d\t4\t0\t76\t-\n" % (key.hex(), family.group(1).encode().hex(), 1 + i * 10 ** 12))
        ds, where = b.path(name + ".ds"), b.path(name)
        steps = [["obkv-import", "--now", str(NOW), "--ddl", path, "--format", "cells", "-q", "--max-rejects", "100%", "-o", ds,
                  cells],
                 ["obkv-export", "--now", "1000", "--create", "-q", "--max-rejects", "100%", "-o", where, ds]]
        if not all(subprocess.run([os.path.join(b.binaries, step[0])] + step[1:], capture_output=True).returncode in (0, 3)
                   for step in steps):
            refused += 1
            continue
        tried += 1
        try:
            b.load(where, "--create", "-q")
            b.verify(where, "--now", "1000")
        except Wrong as error:
            raise Wrong("%s: %s" % (name, error)) from error
        expect_form(b, name, manifest(where)["table"])
    demand(tried >= 37, "only %d forms were loaded, %d refused" % (tried, refused))
    return "%d forms, %d refused by us" % (tried, refused)
