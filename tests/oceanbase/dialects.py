"""What MariaDB really writes as text, read by --dialect mysql: SELECT ... INTO OUTFILE in several forms, and mysqldump --tab.
DIALECT_ROWS sets how many random rows are written. The cases are cases of loads.py."""
import os
import random
import shutil
import subprocess

from rig import NOW, Skipped, demand

ROWS = int(os.environ.get("DIALECT_ROWS") or 400)
PIECES = [b"a", b"bc", b"\t", b"\n", b"\r", b"\r\n", b"\\", b"\\N", b"\\n", b"NULL", b'"', b"'", b",", b"@", b"@@@", b"\0",
          b"\x1a", b"\x08", b" ", b"\xff", "€".encode()]
# How it is written, the dialect that reads it, and what no value may hold there.
FORMS = [("", "mysql", ()),
         ("FIELDS TERMINATED BY ',' OPTIONALLY ENCLOSED BY '\"'", "mysql,delimiter=\\,,quote=\"", ()),
         ("FIELDS TERMINATED BY ';' ENCLOSED BY '\"'", "mysql,delimiter=;,quote=\"", ()),
         ("FIELDS TERMINATED BY '@@@'", "mysql,delimiter=@@@", ()),
         ("FIELDS TERMINATED BY '\\t' LINES TERMINATED BY '\\r\\n'", "mysql,lines=crlf", ()),
         ("FIELDS TERMINATED BY '|' ESCAPED BY '^'", "mysql,delimiter=|,escape=^,null=^N", ()),
         ("FIELDS TERMINATED BY '|' ESCAPED BY ''", "mysql,delimiter=|,escape=none,null=NULL", (b"\n", b"NULL", b"|"))]


def random_value(r, without):
    while True:
        value = b"".join(r.choice(PIECES) for _ in range(r.randrange(8)))
        if not any(w in value for w in without):
            return None if r.randrange(6) == 0 else value


def literal(value):
    return "NULL" if value is None else "x'%s'" % value.hex()


def written(b, name, path, form):
    b.peer.sql("SELECT * FROM `%s` ORDER BY id INTO OUTFILE '%s' %s" % (name, path, form))


def cells_of(b, path, dialect):
    out = path + ".ds"
    # Random bytes are no UTF-8, and MariaDB writes a CR at the end of a value as it is, as a converted file has it at line ends.
    allowed = ["--allow", "not-utf8"] + ([] if "lines=" in dialect else ["--allow", "cr-kept"])
    b.run("obkv-import", "--quiet", "--strict", *allowed, "--now", NOW, "--partition", "none",
          "--dialect", dialect, "--columns", "HBASE_ROW_KEY,f:a,f:b", "-o", out, path)
    lines = b.run("obkv-verify", "dump", out)[0].splitlines()
    return {(bytes.fromhex(f[0]), bytes.fromhex(f[2])): bytes.fromhex(f[6]) if f[6] != "-" else b""
            for f in (line.split("\t") for line in lines if line and not line.startswith("#"))}


def compare(b, path, dialect, rows):
    want = {(b"%d" % i, q): v for i, row in enumerate(rows) for q, v in zip((b"a", b"b"), row) if v is not None}
    got = cells_of(b, path, dialect)
    wrong = [(k, want.get(k), got.get(k)) for k in sorted(want.keys() | got.keys()) if want.get(k) != got.get(k)]
    demand(not wrong, "%s: %d of %d cells differ, such as %s" % (dialect, len(wrong), len(want), wrong[:2]))
    return len(want)


def make_table(b, name, rows):
    values = ", ".join("(%d, %s, %s)" % (i, *map(literal, row)) for i, row in enumerate(rows))
    b.peer.sql("DROP TABLE IF EXISTS `%s`; CREATE TABLE `%s` (id int PRIMARY KEY, a longblob, b varbinary(200)); "
               "INSERT INTO `%s` VALUES %s" % (name, name, name, values))


def case_mariadb_dialects(b):
    """INTO OUTFILE, by default and with other delimiters, quotes, escapes and line ends."""
    cells = 0
    for k, (form, dialect, without) in enumerate(FORMS):
        r = random.Random(k)
        rows = [(random_value(r, without), random_value(r, without)) for _ in range(ROWS)]
        make_table(b, "forms", rows)
        path = b.path("forms-%d.txt" % k)
        written(b, "forms", path, form)
        cells += compare(b, path, dialect, rows)
    return "%d forms, %d cells" % (len(FORMS), cells)


def case_mariadb_dump_tab(b):
    """mysqldump --tab: it has the server write INTO OUTFILE, so a line end in a value is a backslash and the line end itself."""
    dump = shutil.which("mariadb-dump") or shutil.which("mysqldump")
    if not dump:
        raise Skipped("mysqldump is missing")
    r = random.Random(99)
    rows = [(b"line one\nline two", b"x\ty"), (b"\\N", None), (b"", b"C:\\dir")]
    rows += [(random_value(r, ()), random_value(r, ())) for _ in range(ROWS)]
    make_table(b, "tabs", rows)
    host, port = b.peer.target().split("/")[0].rsplit(":", 1)
    with open(b.peer.password_file) as f:
        password = f.read().strip()
    done = subprocess.run([dump, "--no-defaults", "-h", host, "-P", port, "-u", b.peer.user, "--password=" + password,
                           "--tab=" + b.folder, "test", "tabs"], capture_output=True)
    demand(not done.returncode, done.stderr.decode(errors="replace"))
    with open(b.path("tabs.txt"), "rb") as f:
        text = f.read()
    demand(text.startswith(b"0\tline one\\\nline two\tx\\\ty\n1\t\\\\N\t\\N\n2\t\tC:\\\\dir\n"), text[:80])
    return "%d cells" % compare(b, b.path("tabs.txt"), "mysql", rows)
