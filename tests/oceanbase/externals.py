"""Tables with a generated column, which take no direct load: one INSERT … SELECT from an external table for all files, all or
none; LOAD DATA where the user may not make tables or rows are replaced. The cases are cases of loads.py."""
import glob
import os
import shutil

from batches import hostile_rows, kill_loads, plain_export
from rig import PREFIX, demand, manifest

GENERATED = dict(partition="PARTITION BY KEY(KP) PARTITIONS 7", extra=PREFIX)


def case_external(b):
    """Hostile keys in many files, by one statement that is shown before; an empty table is left behind by nobody."""
    where = b.export("extern", hostile_rows(1500), "--target-file-size", "32K", kv='{"Hbase": {"MaxVersions": 100}}', **GENERATED)
    demand(len(manifest(where)["files"]) > 15, "few files")
    said = b.load(where, "--create", "--dry-run")[0]
    demand(said.count("CREATE EXTERNAL TABLE") == 1 and "LOAD DATA" not in said, said)
    b.load(where, "--create")
    b.expect_equal(where, "--strong")
    demand(not b.peer.sql("SHOW TABLES LIKE 'obkv_files%'"), "an external table is left")
    said = b.load(where, "--restart", "--on-duplicate", "replace", "--dry-run")[0]
    demand("EXTERNAL" not in said, said)


def case_external_not_whole(b):
    """A file that only the server lacks: nothing is loaded, also of the others. """
    where = plain_export(b, "extlack", 4000, **GENERATED)
    copy = b.path("copy")
    shutil.copytree(where, copy)
    os.unlink(sorted(glob.glob(copy + "/data/*"))[2])
    told = b.load(where, "--create", "--server-dir", copy, want=7)[1]
    demand("some are not where it looks; nothing of them was loaded" in told and not b.rows("extlack"), told)
    b.load(where)
    b.expect_equal(where)


def case_external_refused(b):
    """A user who may not make tables: LOAD DATA does it."""
    where = plain_export(b, "extdeny", 3000, **GENERATED)
    with open(where + "/create.sql") as f:
        b.peer.sql(f.read())
    b.peer.sql("CREATE USER IF NOT EXISTS plain IDENTIFIED BY 'plain'; GRANT SELECT, INSERT ON test.* TO plain; "
               "GRANT FILE ON *.* TO plain")
    with open(b.path("secret"), "w") as f:
        f.write("plain\n")
    os.chmod(b.path("secret"), 0o600)
    login = ["--target", b.peer.target(), "--user", "plain", "--password-file", b.path("secret")]
    said = b.run("obkv-load", *login, "--dry-run", where)[0]
    demand("EXTERNAL" not in said, said)
    b.run("obkv-load", *login, where)
    b.expect_equal(where)


def case_external_killed(b):
    """Client or server is killed at any moment of loads by INSERT … SELECT: resumed, each row is there once."""
    return kill_loads(b, 4, seed=7, table=GENERATED)
