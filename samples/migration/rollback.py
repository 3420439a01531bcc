"""obkv-migrate rollback: what clients have changed in OceanBase since the cut-over, as HFiles for HBase (docs/migration.md).

    snapshot of the cut-over ── obkv-import ──> before ─┐
                                                        ├─ obkv-compact --rules changes ──> changes ──> HBase, by `bulk-load`
    database ─────────── obkv-import --from ──> now ────┘
    before + changes == now is the proof

before has all versions, also those that HBase hides: one of them would come back where a newer one goes.
"""
import json
import shlex
import subprocess


def run(table):
    snapshot, regions = table.settings.get("end-snapshot"), table.settings.get("regions")
    if not snapshot:
        raise table.failed(2, "`end-snapshot` is missing: take a snapshot of HBase's table, which nobody has written to since "
                              "the cut-over, export it, and name it in the configuration")
    ddl, how = ["--ddl", table.settings["ddl"]], ["--overwrite", *table.memory()]
    table.run("rollback-before", "obkv-import", *ddl, "--snapshot", snapshot, "--compact", "--versions", "unlimited", *how,
              "-o", table.path("before"), table.settings["backup"])
    table.run("rollback-read", "obkv-import", "--from", *table.target()[1:], "--table", table.name, *how, "-o", table.path("now"))
    parts = "range:" + regions if regions else "none"
    table.run("rollback-changes", "obkv-compact", "--rules", "changes", "--partition", parts, *how, "-o", table.path("changes"),
              table.path("before"), table.path("now"))
    table.run("rollback-check", "obkv-verify", "check", table.path("changes"))
    for step, out, inputs in (("rollback-back", "back", ("before", "changes")), ("rollback-now", "shown", ("now",))):
        table.run(step, "obkv-compact", *ddl, "--rank", "sequence", *how, "-o", table.path(out), *map(table.path, inputs))
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
