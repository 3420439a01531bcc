"""obkv-migrate rollback: what clients have changed in OceanBase since the cut-over, as HFiles for HBase (docs/migration.md).

    database ── obkv-import --from ──> now ─┐
                                            ├─ obkv-compact --rules changes ──> changes ──> HBase, by the command `bulk-load`
    dataset of the cut-over ──────> whole ──┘
    whole + changes == now is the proof
"""
import json
import shlex
import subprocess


def run(table):
    if not (table.dir / "whole/MANIFEST.json").exists():
        raise table.failed(2, "there is no dataset of the cut-over: obkv-migrate cut-over " + table.name)
    regions = table.settings.get("regions")
    how = ["--overwrite", *table.memory()]
    table.run("rollback-read", "obkv-import", "--from", *table.target()[1:], "--table", table.name, *how, "-o", table.path("now"))
    table.run("rollback-changes", "obkv-compact", "--rules", "changes", "--partition", "range:" + regions if regions else "none",
              *how, "-o", table.path("changes"), table.path("whole"), table.path("now"))
    table.run("rollback-check", "obkv-verify", "check", table.path("changes"))
    for step, out, inputs in (("rollback-back", "back", ("whole", "changes")), ("rollback-now", "shown", ("now",))):
        table.run(step, "obkv-compact", "--ddl", table.settings["ddl"], *how, "-o", table.path(out), *map(table.path, inputs))
    table.run("rollback-verify", "obkv-verify", "diff", *table.memory(), table.path("back"), table.path("shown"))
    totals = json.loads((table.dir / "changes/MANIFEST.json").read_text())["totals"]
    table.say("proven: HBase's table with these {:,} cells is OceanBase's".format(totals["cells"]))
    load(table, totals["digest"])


def load(table, digest):
    """By the command that is configured, which gets the directory and the table: once for these changes."""
    command, done = table.settings.get("bulk-load"), table.dir / "rollback-loaded"
    if not command:
        table.say("load a copy of it: hbase completebulkload %s %s" % (table.path("changes"), table.name))
    elif done.exists() and done.read_text() == digest:
        table.say("these changes are loaded")
    else:
        words = [*shlex.split(command), table.path("changes"), table.name]
        table.say("rollback-load: " + " ".join(map(shlex.quote, words)))
        code = subprocess.run(words, stdin=subprocess.DEVNULL, check=False).returncode
        if code:
            raise table.failed(code, "rollback-load ended with exit code %d" % code)
        table.keep("rollback-loaded", digest.encode())
