"""What goes wrong before and behind a load, cases for loads.py: logins, privileges, folders, files that were damaged."""
import json
import os
import re
import shutil
import signal
import subprocess
import time

from peers import SqlError
from rig import NOW, PREFIX, RANGE, demand, finish, is_loading, loading, manifest, plain_rows, wait_until


def case_wrong_login(b):
    """Wrong password, no such database, nobody there: exit codes and what to do."""
    where = b.export("login", plain_rows(10))
    with open(os.open(b.path("wrong"), os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
        f.write("wrong\n")
    target = b.peer.target()
    out = b.run("obkv-load", "--target", target, "-u", b.peer.user, "--password-file", b.path("wrong"), where, want=2)
    demand("--password-file" in out[1], "no advice")
    b.run("obkv-load", "--target", b.peer.target("absent"), "-u", b.peer.user, "--password-file", b.peer.password_file, where,
          want=2)
    b.run("obkv-load", "--target", "127.0.0.1:1/test", where, want=75)
    b.run("obkv-verify", "target", "--target", "127.0.0.1:1/test", where, want=75)
    b.run("obkv-load", "--target", target, "--tls", "require", "-u", b.peer.user, "--password-file", b.peer.password_file,
          b.path("absent"), want=5)


def case_damaged_export(b):
    """A load file with a flipped byte, a shorter one, a changed manifest: nothing of them is loaded."""
    where = b.export("damaged", plain_rows(1000), partition=RANGE)
    first = os.path.join(where, manifest(where)["files"][0]["path"])
    with open(first, "r+b") as f:
        f.seek(20)
        byte = f.read(1)
        f.seek(20)
        f.write(bytes([byte[0] ^ 1]))
    demand("checksum" in b.load(where, "--create", want=5)[1], "a flipped byte is not found")
    os.truncate(first, 50)
    demand("in all 1 of 4" in b.load(where, want=5)[1], "a shorter file is not found")
    os.remove(first)
    os.remove(where + "/probe.kqvt")
    demand("in all 2 of 4" in b.load(where, want=5)[1], "missing files are not counted")
    demand(b.rows("damaged") == 0, "rows were loaded")
    with open(where + "/MANIFEST.json", "a") as f:
        f.write(" ")
    with open(where + "/MANIFEST.json", "r+") as f:
        text = f.read().replace('"rows": ', '"rows": 1', 1)
        f.seek(0)
        f.write(text)
    b.load(where, want=5)


def load_twins(b, name, one, two, want):
    """Two families into tables of these names; what the import and the load say."""
    with open(b.ddl(name)) as f:
        text = f.read()
    with open(b.path(name + ".sql"), "w") as f:
        f.write(text.replace(name + "$f", name + "$" + one))
        f.write(text[text.index("CREATE TABLE `"):].replace(name + "$f", name + "$" + two))
    with open(b.path(name + ".csv"), "w") as f:
        f.write("r1,a,b\nr2,c,d\n")
    import_says = b.run("obkv-import", "--ddl", b.path(name + ".sql"), "--columns", "HBASE_ROW_KEY,%s:q,%s:p" % (one, two), "-o",
                        b.path(name + ".ds"), b.path(name + ".csv"))[1]
    b.run("obkv-export", "--create", "-o", b.path(name), b.path(name + ".ds"))
    return import_says, b.load(b.path(name), "--create", want=want)[1]


def case_families_in_case_only(b):
    """f and F are two families of HBase, and one table for a server that ignores case: refused, or one is lost in the other.
    Beyond ASCII the engine ignores accents, too."""
    for i, (one, two) in enumerate((("f", "F"), ("É", "é"), ("é", "e"), ("Я", "я"))):
        name = "twins%d" % i
        import_says, told = load_twins(b, name, one, two, 2)
        demand(i or "differs from f in case only" in import_says, "no warning: " + import_says)
        demand("%s$%s and %s$%s are one table in the target" % (name, one, name, two) in told, told)
        demand(not b.peer.sql("SHOW TABLES LIKE '%s%%'" % name), "a table was created")
    load_twins(b, "no_twins", "é", "è2", 0)


def case_unique_key(b):
    """REPLACE would keep one of the rows that agree in it, and count them all: the table is refused."""
    where = b.export("agree", [(b"row%d" % i, b"q", b"same", 5) for i in range(4)])
    b.load(where, "--create")
    b.peer.sql("DELETE FROM `agree$f`; ALTER TABLE `agree$f` ADD UNIQUE KEY u (V(10)) GLOBAL")
    demand("UNIQUE key" in b.load(where, "--restart", "--on-duplicate", "replace", want=2)[1], "the key is not named")
    demand(b.rows("agree") == 0, "rows were loaded")


def case_column_without_value(b):
    """The server would refuse every row: said before one is sent. A column that fills itself is none of a load's business."""
    where = b.export("strict", [(b"row%d" % i, b"q", b"v", 5) for i in range(4)])
    b.load(where, "--create")
    b.peer.sql("DELETE FROM `strict$f`; ALTER TABLE `strict$f` ADD COLUMN x INT NOT NULL")
    demand("column x is NOT NULL and has no DEFAULT" in b.load(where, "--restart", want=2)[1], "the column is not named")
    demand(b.rows("strict") == 0, "rows were loaded")
    b.peer.sql("ALTER TABLE `strict$f` MODIFY COLUMN x INT NOT NULL DEFAULT 7")
    b.load(where, "--restart")
    demand(b.rows("strict") == 4, "rows are missing")


def case_killed_session(b):
    """A session that an administrator kills is no end of the load; SIGINT ends the statement in the server, before it is done."""
    where = b.export("session", plain_rows(150000, size=200), partition="")
    p = b.begin_load(where, "--create")
    b.peer.sql("KILL %s" % wait_until(lambda: loading(b))[0])
    demand("trying again" in finish(p, 0), "not tried again")
    b.expect_equal(where)
    b.peer.sql("TRUNCATE TABLE `session$f`")
    p = b.begin_load(where, "--restart")
    wait_until(lambda: is_loading(b))
    p.send_signal(signal.SIGINT)
    finish(p, 130)
    demand(not is_loading(b) and b.rows("session") == 0, "the statement went on in the server")
    b.load(where)
    b.expect_equal(where)


def case_server_stays_away(b):
    """The server dies and does not come back: --retries attempts, then 75; the same command goes on when it is up again."""
    where = b.export("away", plain_rows(150000, size=200), partition=RANGE)
    p = b.begin_load(where, "--create", "--retries", "2")
    wait_until(lambda: is_loading(b))
    b.peer.kill()
    text = finish(p, 75)
    demand(text.count("trying again") == 2, text)
    b.peer.start()
    b.load(where)
    b.expect_equal(where)


def hold_lock(b, table):
    """A session that keeps all others off the table until it is killed; its id."""
    subprocess.Popen(["mariadb", "--no-defaults", "-h127.0.0.1", "-P%d" % b.peer.port, "-u" + b.peer.user, "-n", "test", "-e",
                      "LOCK TABLES `%s` WRITE; SELECT 'locked', SLEEP(60)" % table], stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, env=dict(os.environ, MYSQL_PWD=b.peer.password))
    holder = "SELECT id FROM information_schema.processlist WHERE info LIKE '%SLEEP(60)' AND id <> CONNECTION_ID()"
    wait_until(lambda: b.peer.sql(holder))
    return b.peer.one(holder)


def case_mariadb_stalls(b):
    """A load that waits for a lock says so after half a minute, with what the server shows; it ends when the lock does."""
    partition = "PARTITION BY RANGE COLUMNS(K) (PARTITION a VALUES LESS THAN ('row05'), PARTITION b VALUES LESS THAN (MAXVALUE))"
    where = b.export("stalls", plain_rows(60000, size=200), partition=partition, v="longblob", grouped=False)
    with open(where + "/create.sql") as f:
        b.peer.sql(f.read())
    process = b.begin_load(where, "--jobs", "1", "--progress", "never")
    wait_until(lambda: is_loading(b) or process.poll() is not None)
    lock = hold_lock(b, "stalls$f")
    time.sleep(34)
    b.peer.sql("KILL %s" % lock)
    told = finish(process, 0)
    demand(re.search(r"no file has ended for 3\d s; the server shows \d statement", told), told)
    b.expect_equal(where)


def case_mariadb_out_of_reach(b):
    """A table that stays locked: told, the other one is compared; a session that is killed while it waits is opened again."""
    with open(b.path("two.sql"), "w") as f:
        f.write("".join("CREATE TABLE `two$%s` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V "
                        "longblob NOT NULL, PRIMARY KEY (K, Q, T));\n" % family for family in "fg"))
    with open(b.path("two.sql")) as f:
        b.peer.sql(f.read())
    with open(b.path("two.csv"), "w") as f:
        f.writelines("%d,v,w\n" % i for i in range(100))
    b.run("obkv-import", "--ddl", b.path("two.sql"), "--columns", "HBASE_ROW_KEY,f:q,g:q", "-o", b.path("two.ds"),
          b.path("two.csv"))
    where = b.path("two")
    b.run("obkv-export", "-o", where, b.path("two.ds"))
    b.load(where)
    lock = hold_lock(b, "two$f")
    b.peer.sql("SET GLOBAL lock_wait_timeout = 1")
    lines = b.verify(where, "--retries", 1, want=75)
    demand([(x["kind"], x.get("table")) for x in lines] == [("unreached", "two$f"), ("summary", None)], lines)
    demand(lines[-1]["unreached"] == lines[-1]["partitions"] == 1 and not lines[-1]["equal"], lines)
    b.peer.sql("DELETE FROM `two$g`; INSERT INTO `two$g` (K, Q, T, V) VALUES ('x', 'q', -1, '')")
    lines = b.verify(where, "--retries", 0, want=1)
    demand(lines[-1]["unreached"] == 1 and lines[-1]["missing"] == 100 and lines[-1]["extra"] == 1, lines)
    b.load(where, "--restart", "--on-duplicate", "replace", "--retries", 0, want=75)
    b.peer.sql("SET GLOBAL lock_wait_timeout = 60; DELETE FROM `two$g`")
    waits = "SELECT id FROM information_schema.processlist WHERE info LIKE 'SELECT COUNT%' AND state LIKE 'Waiting%'"
    p = subprocess.Popen([os.path.join(b.binaries, "obkv-verify"), "target"] + b.peer.options() + [where], stdout=subprocess.PIPE,
                         stderr=subprocess.PIPE)
    wait_until(lambda: b.peer.sql(waits))
    b.peer.sql("KILL %s" % b.peer.one(waits))
    b.peer.sql("KILL %s" % lock)
    text = finish(p, 1)
    demand("100 missing" in text and "unreachable" not in text, text)
    b.peer.sql("SET GLOBAL lock_wait_timeout = DEFAULT; DROP TABLE `two$f`")
    text = b.run("obkv-verify", "target", *b.peer.options(), where, want=1)[0].splitlines()[-1]
    demand("1 partition compared" in text and text.endswith("; 1 table not as in the export, so its 100 rows were not compared"),
           text)


def case_mariadb_strict(b):
    """What a check of the target warns of is a warning: with --strict nothing is loaded, also if all is loaded."""
    where = b.export("strict", plain_rows(100), partition="", v="longblob", grouped=False)
    with open(b.path("strict.sql")) as f:
        b.peer.sql(f.read())
    out = b.load(where, "--strict", want=4)
    demand("version" in out[1] and "[target-check]" in out[1] and "--allow CODE" in out[1], out)
    demand(b.rows("strict") == 0, "rows were loaded")
    b.load(where, "--strict", "--dry-run", want=4)
    warned = json.loads(b.load(where, "--strict", "--allow", "target-check", "--json")[0])["warnings"]
    demand([w["code"] for w in warned] == ["target-check"], warned)
    b.load(where, "--strict", want=4)
    b.load(where)
    b.expect_equal(where)


RIGHT = {"K": "varbinary(1024) NOT NULL", "Q": "varbinary(256) NOT NULL", "T": "bigint(20) NOT NULL", "V": "longblob NOT NULL"}
MISTAKEN = (  # columns and key of a table that would lose cells, change them, or take two for one
    ({"K": "varchar(1024) NOT NULL"}, "K, Q, T"), ({"K": "varchar(190) CHARACTER SET utf8mb4 NOT NULL"}, "K, Q, T"),
    ({"K": "binary(250) NOT NULL"}, "K, Q, T"), ({"V": "binary(250) NOT NULL"}, "K, Q, T"),
    ({"Q": "varchar(256) NOT NULL"}, "K, Q, T"),
    ({"K": "varbinary(1023) NOT NULL"}, "K, Q, T"), ({"Q": "varbinary(255) NOT NULL"}, "K, Q, T"),
    ({"V": "varbinary(60000) NOT NULL"}, "K, Q, T"), ({"V": "mediumblob NOT NULL"}, "K, Q, T"),
    ({"T": "int NOT NULL"}, "K, Q, T"), ({"T": "bigint(20) unsigned NOT NULL"}, "K, Q, T"), ({"T": "double NOT NULL"}, "K, Q, T"),
    ({"V": "blob NOT NULL"}, "K, Q, T"), ({"V": "text NOT NULL"}, "K, Q, T"), ({"V": "longtext NOT NULL"}, "K, Q, T"),
    ({}, "K, Q"), ({}, "K"), ({}, None))
HARMLESS = (({"V": "longblob NOT NULL COMMENT 'PARTITION BY'"}, ""), ({}, "PARTITION BY LINEAR HASH (T) PARTITIONS 2"),
            ({}, "COMMENT='of the load' PARTITION BY KEY (K) PARTITIONS 3"), ({"K": "varbinary(2000) NOT NULL"}, ""))


def create(b, name, columns, key, more=""):
    columns = ", ".join("%s %s" % item for item in {**RIGHT, **columns}.items())
    b.peer.sql("DROP TABLE IF EXISTS `%s$f`; CREATE TABLE `%s$f` (%s%s) ROW_FORMAT=DYNAMIC %s" % (
        name, name, columns, ", PRIMARY KEY (%s)" % key if key else "", more))


def case_mariadb_column_types(b):
    """A table whose columns or key cannot hold the cells as they are is refused before anything is loaded."""
    rows = [(row, b"q", value, i) for i, (row, value) in enumerate(
        ((b"a", b"\xff\xfe"), (b"A", b"x" * 70000), (b"b", b""), (b"b ", b"y"), (b"b\0", b"z"), ("\xe9".encode(), b"1")), 1)]
    where = b.export("kinds", rows, partition="", v="longblob", grouped=False)
    for columns, key in MISTAKEN:
        create(b, "kinds", columns, key)
        out = b.load(where, "--restart", "--on-duplicate", "replace", want=2)
        demand("FAIL" in out[0] + out[1] and b.rows("kinds") == 0, "%s, key %s: %s" % (columns, key, out))
    padded = b.export("pads", [(b"a", b"q", b"v", 1)], partition="", v="varbinary(200)", grouped=False)
    create(b, "pads", {"V": "binary(250) NOT NULL"}, "K, Q, T")
    demand("pads shorter bytes with zeros" in "".join(b.load(padded, want=2)), "padding is not said")
    for columns, more in HARMLESS:
        create(b, "kinds", columns, "K, Q, T", more)
        b.load(where, "--restart")
        b.expect_equal(where)


def case_mariadb_read_only(b):
    """A server that takes no writes is not taken for one that cannot read the files."""
    where = b.export("standby", plain_rows(100), partition="", v="longblob", grouped=False)
    with open(b.path("standby.sql")) as f:
        b.peer.sql(f.read())
    options = login(b, "standby_loads", "SELECT", "INSERT", "FILE")
    b.peer.sql("SET GLOBAL read_only = 1")
    try:
        for way in ("auto", "server", "local"):
            out = b.run("obkv-load", *options, "--via", way, where, want=2)[1]
            demand("read-only server takes no load" in out and "nothing was loaded" in out, out)
    finally:
        b.peer.sql("SET GLOBAL read_only = 0")
    b.run("obkv-load", *options, where)
    b.expect_equal(where)


def case_mariadb_other_duplicates(b):
    """What was loaded with ignore is not taken for loaded with replace."""
    where = b.export("dups", plain_rows(100), partition="", v="longblob", grouped=False)
    with open(b.path("dups.sql")) as f:
        b.peer.sql(f.read())
    b.load(where)
    b.peer.sql("UPDATE `dups$f` SET V = 'old' WHERE K < 'row05'")
    b.peer.sql("DELETE FROM `dups$f` WHERE K >= 'row05'")
    gone = 100 - b.rows("dups")
    told = b.load(where, "--restart", "--on-duplicate", "ignore", "--metrics", b.path("dups.prom"))[0]
    demand("\n  rows      %d in" % gone in told and "\n  kept      %d rows that existed" % (100 - gone) in told and gone, told)
    with open(b.path("dups.prom")) as f:
        demand(re.search(r"^obkv_load_rows_kept{.*} %d$" % (100 - gone), f.read(), re.M), "no figure")
    demand("nothing to do" in b.load(where, "--on-duplicate", "ignore")[0], "loaded again")
    out = b.load(where, "--on-duplicate", "replace", want=2)[1]
    demand("--on-duplicate ignore according to the journal" in out and "--restart" in out, out)
    b.verify(where, want=1)
    b.load(where, "--on-duplicate", "replace", "--restart")
    b.expect_equal(where)
    b.load(where, "--on-duplicate", "replace")


def case_same_sums(b):
    """Another value with the length and CRC-32 of the old one: only --strong sees it."""
    same_crc = bytes.fromhex("410671db01")  # the polynomial itself
    where = b.export("sums", plain_rows(100) + [(b"forged", b"q", b"a value", 5)], "--strong", partition="")
    b.load(where, "--create")
    forged = bytes(x ^ y for x, y in zip(b"a value", same_crc + b"\0\0"))
    b.peer.sql("UPDATE `sums$f` SET V = x'%s' WHERE K = 'forged'" % forged.hex())
    b.expect_equal(where)
    lines = b.verify(where, "--strong", want=1)
    demand([(x["kind"], x["row"]) for x in lines if "row" in x] == [("changed", b"forged".hex())], lines)
    with open(where + "/check.sql") as f:
        check = f.read()
    demand(len(b.peer.sql(check)) == 2, "check.sql of a strong export does not see it")


def case_too_long(b):
    """Cells at the lengths of the table are loaded; those beyond go in by hand, by rejects.sql, when the columns are wider."""
    fitting = [(b"k" * 1024, b"q" * 256, b"v" * (1 << 20), 1), (b"k", b"", b"", 2)]
    beyond = [(b"k" * 1025, b"\t", b"\\", 1), (b"k", b"q" * 257, b"", 1), (b"k", b"'", bytes(range(256)) * 4097, 3)]
    with open(b.ddl("wide", v="longblob")) as f, open(b.path("wider.sql"), "w") as wider:
        wider.write(f.read().replace("(1024)", "(4096)").replace("(256)", "(512)"))
    b.cells("wide", fitting + beyond)
    b.run("obkv-import", "--now", NOW, "--ddl", b.path("wider.sql"), "-f", "cells", "-o", b.path("wide.ds"), b.path("wide.cells"))
    narrow = ["--now", NOW, "--create", "--ddl", b.ddl("wide"), "-o", b.path("wide"), b.path("wide.ds")]
    b.run("obkv-export", *narrow, want=4)
    b.run("obkv-export", "--max-rejects", 3, *narrow, want=3)
    b.load(b.path("wide"), "--create")
    demand(b.rows("wide") == 2, "%d rows" % b.rows("wide"))
    b.expect_equal(b.path("wide"))
    with open(b.path("wide/_report/rejects.sql")) as f:
        by_hand = f.read()
    b.peer.sql("ALTER TABLE `wide$f` MODIFY K varbinary(4096) NOT NULL; ALTER TABLE `wide$f` MODIFY Q varbinary(512) NOT NULL; "
               "ALTER TABLE `wide$f` MODIFY V longblob NOT NULL; " + by_hand)
    b.run("obkv-export", "--now", NOW, "-o", b.path("all"), b.path("wide.ds"))
    b.expect_equal(b.path("all"), "--strong")


def case_probe_stops(b):
    """load.sql on a server that changes bytes, or what is taken for one here: nothing of the export is loaded."""
    for name, extra in (("damages", ""), ("widens", PREFIX)):
        where = b.export(name, plain_rows(100), extra=extra)
        with open(where + "/create.sql") as f:
            b.peer.sql(f.read())
        with open(where + "/load.sql") as f:
            text = f.read()
        widened = text.replace("utf8mb4", "binary") if extra else text.replace("byte_count = 768", "byte_count = 769")
        stopped(b, widened, "LOAD DATA changes bytes on this server")
        demand(b.rows(name) == 0, "rows were loaded")
        b.peer.sql(text)
        b.expect_equal(where)


def stopped(b, text, why):
    try:
        b.peer.sql(text)
    except SqlError as error:
        demand(why in str(error), str(error))
        return
    demand(False, "the script ran through")


def case_other_journals(b):
    """--journal with a file that is none, or that of another target: left as it is."""
    where = b.export("journal", plain_rows(100))
    notes = b.path("notes")
    with open(notes, "w") as f:
        f.write("notes\n")
    demand("not the journal" in b.load(where, "--create", "--journal", notes, want=2)[1], "not refused")
    demand("not the journal" in b.load(where, "--create", "--restart", "--journal", notes, want=2)[1], "not refused")
    b.load(where, "--journal", b.path("mine"))
    with open(b.path("mine")) as f:
        text = f.read()
    with open(notes, "w") as f:
        f.write(text.replace("127.0.0.1", "10.0.0.1"))
    demand("10.0.0.1" in b.load(where, "--journal", notes, want=2)[1], "not refused")
    demand("nothing to do" in b.load(where, "--journal", b.path("mine"))[0], "loaded again")


def flip_value(path):
    """One bit in the value of the second line; the order stays."""
    with open(path, "rb") as f:
        lines = f.read().split(b"\n")
    fields = lines[1].split(b"\t")
    fields[2] = bytes([fields[2][0] ^ 1]) + fields[2][1:]
    lines[1] = b"\t".join(fields)
    with open(path, "wb") as f:
        f.write(b"\n".join(lines))


def case_damaged_later(b):
    """A load file damaged after the load is not taken for a difference of the database."""
    rows = [(b"row%04d" % i, b"q", b"value %d" % i, 5) for i in range(1000)]
    where = b.export("later", rows, partition="")
    b.load(where, "--create")
    flip_value(os.path.join(where, manifest(where)["files"][0]["path"]))
    b.expect_equal(where)  # by the manifest's sums
    b.peer.sql("DELETE FROM `later$f` WHERE K = 'row0500'")
    out = b.run("obkv-verify", "target", *b.peer.options(), where, want=5)
    demand("changed after they were written" in out[1] and "changed" not in out[0], out)
    out = b.run("obkv-verify", "target", "--strong", *b.peer.options(), where, want=5)
    demand("changed after they were written" in out[1], out)
    demand([x["kind"] for x in b.verify(b.path("later.ds"), want=1) if "row" in x] == ["missing"], "the dataset is whole")


def login(b, name, *grants):
    """Options of a new user with these privileges."""
    b.peer.sql("CREATE USER %s IDENTIFIED BY 'pw'" % name)
    for grant in grants:
        b.peer.sql("GRANT %s ON %s TO %s" % (grant, "*.*" if grant in ("FILE", "CREATE") else "test.*", name))
    with open(os.open(b.path(name), os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
        f.write("pw\n")
    return ["--target", b.peer.target(), "--user", name, "--password-file", b.path(name)]


def case_privileges(b):
    """What a user lacks is told before anything is loaded; verify needs SELECT only."""
    where = b.export("rights", plain_rows(100))
    b.load(where, "--create")
    b.peer.sql("TRUNCATE TABLE `rights$f`")
    shutil.rmtree(where + "/_load")
    for name, grants, want in (("selects", ["SELECT"], "INSERT command denied"),
                               ("inserts", ["INSERT"], "SELECT command denied"),
                               ("no_file", ["SELECT", "INSERT"], "FILE privilege")):
        options = login(b, name, *grants)
        for way in ("auto", "server", "local"):
            out = b.run("obkv-load", *options, "--via", way, where, want=2)[1]
            demand(want in out and "obkv-load needs SELECT" in out, out)
        demand(b.rows("rights") == 0 and not os.path.exists(where + "/_load"), "something was done")
    options = login(b, "loads", "SELECT", "INSERT", "FILE")
    b.run("obkv-load", *options, where)
    b.run("obkv-verify", "target", *login(b, "verifies", "SELECT"), where)
    b.peer.sql("CREATE DATABASE IF NOT EXISTS elsewhere; GRANT DELETE ON elsewhere.* TO loads")
    b.run("obkv-import", "-q", "--delta", "--ddl", b.path("rights.sql"), "--format", "cells", "-o", b.path("delta"), os.devnull)
    for name, lacks in (("loads", "DELETE is not"), ("selects", "INSERT, DELETE, FILE are not")):
        options = ["--target", b.peer.target(), "--user", name, "--password-file", b.path(name)]
        out = b.run("obkv-load", *options, "--dry-run", b.path("delta"), want=(0, 2))[0]
        demand(lacks + " among the grants of " + name in out, out)
    options = ["--target", b.peer.target(), "--user", "loads", "--password-file", b.path("loads")]
    b.peer.sql("DROP TABLE `rights$f`")
    out = b.run("obkv-load", *options, "--restart", "--create", where, want=2)[1]
    demand("CREATE is not among the grants" in out and "obkv-load needs" in out, out)
    b.run("obkv-load", *login(b, "makes", "SELECT", "INSERT", "FILE", "CREATE"), "--restart", "--create", where)


def case_wrong_folder(b):
    """A folder with a comma, which the server takes for a list; a --server-dir that is not there."""
    where = b.export("comma", plain_rows(100))
    shutil.copytree(where, b.path("a,b"))
    demand("list or pattern" in b.load(b.path("a,b"), "--create", want=2)[1], "no word of the comma")
    demand("LOCAL" in b.load(where, "--create", "--server-dir", "/nowhere")[1], "not sent from here")
    b.expect_equal(where)
    out = b.load(where, "--restart", "--server-dir", "/nowhere", want=7)[1]
    demand("are skipped when" in out, out)  # LOCAL leaves rows that are there
    b.expect_equal(where)


def case_other_partitions_beside(b):
    """A family that is missing cannot be created beside one with other partitions: a dry run says what the server would."""
    where = b.export("beside", plain_rows(100), partition="PARTITION BY KEY(K) PARTITIONS 3")
    with open(b.ddl("beside", partition="PARTITION BY KEY(K) PARTITIONS 5")) as f:
        b.peer.sql(f.read().replace("beside$f", "beside$g"))
    out = b.load(where, "--create", "--dry-run", want=2)
    demand("cannot be created beside beside$g" in out[0] and "PARTITIONS 5 in the target" in out[0], out)
    b.peer.sql("DROP TABLE `beside$g`")
    demand("missing, will be created" in b.load(where, "--create", "--dry-run")[0], "it is still refused")
    with open(b.ddl("beside", partition="PARTITION BY KEY(K) PARTITIONS 3")) as f:
        b.peer.sql("CREATE TABLE " + f.read().split("CREATE TABLE ")[1].replace("beside$f", "beside$g"))
    b.load(where, "--create")
    b.expect_equal(where)


def case_other_partitions(b):
    """In what the partitions of a table differ from those of the export is said in the words of SQL."""
    rows = plain_rows(100)
    time = "PARTITION BY %s (PARTITION old VALUES LESS THAN (%d), PARTITION new VALUES LESS THAN (MAXVALUE))"
    values = "PARTITION BY LIST COLUMNS(K) (PARTITION a VALUES IN ('%s'), PARTITION b VALUES IN (DEFAULT))"
    under = "PARTITION BY KEY(K) SUBPARTITION BY RANGE COLUMNS(G) SUBPARTITION TEMPLATE (SUBPARTITION s VALUES LESS THAN (%d), " \
            "SUBPARTITION t VALUES LESS THAN (MAXVALUE)) PARTITIONS 2"
    generated = "G bigint GENERATED ALWAYS AS (ABS(T)),"
    for i, (is_so, was, text, extra) in enumerate((
            (time % ("RANGE COLUMNS(G)", 2000), time % ("RANGE COLUMNS(G)", 3000), "old ends at 2000 in the target",
             generated),
            (values % "x", values % "y", "partition a takes other values", ""),
            (under % 2000, under % 3000, "s ends at 2000 in the target, at 3000", generated))):
        where = b.export("parts%d" % i, rows, partition=was, extra=extra)
        other = b.ddl("parts%d" % i, partition=is_so, extra=extra)
        with open(other) as f:
            b.peer.sql(f.read())
        demand(text in b.load(where, want=2)[1], text)
        demand(text in b.verify(where, want=1)[0]["text"], text)
        b.print_definition("parts%d" % i, b.path("is.sql"))
        b.run("obkv-split", "apply", "--now", NOW, "--ddl", b.path("is.sql"), "-o", b.path("moved%d" % i),
              b.path("parts%d.ds" % i))
        b.run("obkv-export", "--now", NOW, "-o", b.path("again%d" % i), b.path("moved%d" % i))
        b.load(b.path("again%d" % i))
        b.expect_equal(b.path("again%d" % i))
