#!/usr/bin/env python3
"""Everyday mistakes: what people really get wrong. None may end with 0 and say nothing: each is refused, or warned of with a
code, and the message names the remedy. With --strict, every warning ends with 4 and publishes nothing.

    mistakes.py BIN
"""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from mistakes_in_inputs import date_mistakes, json_mistakes, mapping_mistakes, text_mistakes, ttl_mistakes
from mistakes_in_records import record_mistakes
from mistakes_kit import BIN, NOW, T, judge, key, mistake, results, rows, run
from programs import shm_if


def rule_mistakes(d):
    c3 = ("--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:q")
    rules = ("--compact", "--versions", "1")
    mistake(d, "TTL in milliseconds", "ttl-unit", ["seconds"], *c3, *rules, "--ttl", 86_400_000, "good.csv", "--now", NOW)
    mistake(d, "TTL removes everything", "all-expired", ["--ttl"], *c3, *rules, "--ttl", 3600, "good.csv", "--now", NOW)
    for name, now, word in (("1", 1, "before the newest"), ("two days before", T - 2 * 86_400_000, "2 days before")):
        mistake(d, "--now " + name, "now-range", [word], *c3, *rules, "--ttl", 86400, "good.csv", "--now", now)
    mistake(d, "--now of 2100", "now-range", ["a year ahead"], *c3, *rules, "good.csv", "--now", 4_102_444_800_000)
    mistake(d, "--now in seconds", "now-unit", ["seconds"], *c3, *rules, "good.csv", "--now", NOW // 1000)
    recorded = ("import", *c3, "--partition", "key:3", "--versions", 1, "good.csv", "-o", "recorded")
    judge("rules without --compact", run(d, *recorded), 0, "all cells are kept", "--compact")
    mistake(d, "versions forgotten", 2, ["--versions"], *c3, "--compact", "good.csv")


def table_mistakes(d):
    c3 = ("--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:q")
    ddl = "CREATE TABLE `t$%s` (K varbinary(%d) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V varbinary(100), " \
          "PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 3;"
    (d / "other.sql").write_text(ddl % ("g", 100))
    (d / "short.sql").write_text(ddl % ("f", 3))
    (d / "right.sql").write_text(ddl % ("f", 100))
    base = ("import", *c3, "good.csv")
    judge("DDL of another table", run(d, *base, "--ddl", "other.sql", "-o", "x"), 2, "f")
    judge("swapped family", run(d, "import", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,q:f", "good.csv", "--ddl", "right.sql",
                                "-o", "x"), 2, "q")
    judge("keys too long for K", run(d, *base, "--ddl", "short.sql", "-o", "x"), 4, "column K")
    judge("DDL as the input", run(d, "import", "--ddl", "right.sql", *c3, "right.sql", "-o", "x"), 4)
    os.symlink("good", d / "good-link")
    doubled = ("split", "apply", "--partition", "none", "good", "good", "-o", "doubled")
    judge("a dataset twice", run(d, *doubled), "input-twice", "good is given twice")
    judge("a dataset by a link", run(d, "compact", "--rules", "none", "good", "good-link", "-o", "linked"), "input-twice",
          "good-link is given twice, also as good")
    strict = ("compact", "--rules", "none", "good", "./good", "-o", "linked-strict", "--strict")
    judge("a dataset twice --strict", run(d, *strict), 4)
    judge("a delta that is not there", run(d, "compact", "--base", "good", "--versions", "1", "-o", "n", "five"), 5, "five")
    for name, table in (("t", "right.sql"), ("u", "renamed.sql")):
        (d / table).write_text((ddl % ("f", 100)).replace("t$f", name + "$f"))
        kind = ("--delta",) if name == "u" else ()
        judge("dataset of " + name, run(d, *base, "--ddl", table, "-o", "of-" + name, *kind), 0)
    night = ("compact", "--base", "of-t", "--versions", "1", "of-u")
    judge("a delta of another table", run(d, *night, "-o", "names"), 2, "of-t is of table t", "of-u of table u",
          "--allow table-names-differ")
    judge("a delta of another table in a dry run", run(d, *night, "-o", "names", "--dry-run"), 2, "of-u of table u")
    judge("a table with two names", run(d, *night, "-o", "names", "--allow", "table-names-differ"), "table-names-differ",
          "of-t is of table t", "of-u of table u")
    judge("two tables without a base", run(d, "compact", "--versions", "1", "of-t", "of-u", "-o", "two-names"),
          "table-names-differ", "of-t is of table t", "of-u of table u")
    judge("a delta before its table", run(d, "compact", "--versions", "1", "of-u", "of-t", "-o", "order"), "input-order",
          "the delta of-u comes before of-t", "give the table first")
    judge("the table first", run(d, "compact", "--versions", "1", "of-t", "of-u", "-o", "in-order", "--strict",
                                   "--allow", "table-names-differ"), 0)
    judge("not onto itself", run(d, "compact", "--versions", "1", "of-t", "good", "-o", "names-same", "--strict"), 0)
    judge("five partitions", run(d, *base, "--partition", "key:5", "-o", "five"), 0)
    judge("a delta of other partitions", run(d, "compact", "--base", "good", "--versions", "1", "-o", "n", "five"), 0)


def night_mistakes(d):
    """A base that a night cannot build on: it was compacted by other rules, or later than now."""
    night = ("compact", "--base", "whole", "-o")
    judge("the first night", run(d, "compact", "--versions", "1", "--now", NOW, "--base", "good", "-o", "whole", "--strict"), 0)
    judge("the next night", run(d, *night, "next", "--versions", "1", "--now", NOW + 1, "--strict"), 0)
    for name, words, options in (("rules", "other rules", ("--versions", 2, "--now", NOW + 1)),
                                 ("clock", "the clock went back", ("--versions", 1, "--now", NOW - 1))):
        judge("base: other " + name, run(d, *night, name, *options), "base-not-reused", words)
        judge("base: other " + name + " in a dry run", run(d, *night, name + "-dry", *options, "--dry-run"), "base-not-reused")
        judge("base: other " + name + " --strict", run(d, *night, name + "-strict", *options, "--strict"), 4, "base-not-reused")
        if (d / (name + "-strict/MANIFEST.json")).exists():
            judge("base: published with other " + name, (0, ""), -1)
    many = (*night, "many", "--versions", "1", "--now", NOW + 1, *["good"] * 60)
    allow = ("--strict", "--allow", "input-twice", "--allow", "merged-before", "--dry-run")
    judge("base: many inputs", run(d, *many, *allow, open_files=256), 0)
    judge("base: many inputs, few open files", run(d, *many, *allow, open_files=48), 0)


def family_mistakes(d):
    """A delta of another family changes nothing of the base."""
    columns = ("--partition", "key:3", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,F:q")
    judge("a delta of family F", run(d, "import", *columns, "--delta", "good.csv", "-o", "of-F"), 0)
    night = ("compact", "--base", "good", "--versions", "1")
    judge("a mistyped family in a delta", run(d, *night, "of-F", "-o", "family"), "family-new", "of-F", "family F")
    judge("a mistyped family in a delta --strict", run(d, *night, "of-F", "-o", "family-strict", "--strict"), 4)
    judge("a second one of it", run(d, *night[:2], "family", *night[3:], "of-F", "-o", "family2", "--strict", "--allow",
                                    "merged-before"), 0)
    judge("families side by side", run(d, "compact", "--versions", "1", "good", "of-F", "-o", "families", "--strict"), 0)


def comparison_mistakes(d):
    """Two sides of which nothing is compared are equal, which proves nothing."""
    select = (("--families", "g"), ("--rows", "z:"), ("--rows", "prefix=K"), ("--qualifiers", "f:none"), ("--rows",
                                                                                                          "sample=0.001%"),
              ("--time-range", "2030-01-01:"))
    for option, value in select:
        args = ("verify", "diff", option, value, "good", "five")
        judge(f"diff of nothing, {option}", run(d, *args), "nothing-selected", option)
        judge(f"diff of nothing, {option} --strict", run(d, *args, "--strict"), 4)
    judge("diff of what is empty", run(d, "verify", "diff", "empty input", "empty input"), "no-records", "neither side")
    of_g = "check --families: no input has the family g; the families there are: f"
    judge("dump of nothing", run(d, "verify", "dump", "--families", "g", "good"), "nothing-selected", of_g)
    judge("dump behind the end", run(d, "verify", "dump", "--rows", "z:", "good"), "nothing-selected", "--rows")
    judge("skew of nothing", run(d, "verify", "skew", "--families", "g", "good"), "nothing-selected", of_g)
    judge("plan of nothing", run(d, "split", "plan", "--rows", "z:", "good"), "nothing-selected", "--rows")
    judge("rows that are not there", run(d, "verify", "dump", "--families", "f", "--rows", "z:", "good"), "nothing-selected",
          "check --families, --rows [")
    judge("diff of something", run(d, "verify", "diff", "--families", "f", "good", "five", "--strict"), 0)


def hashes_of_nothing(d, name, *lines):
    """What HBase's HashTable job leaves of a scan that saw no cell: one batch, with the MD5 of nothing."""
    row = b"org.apache.hadoop.hbase.io.ImmutableBytesWritable"

    def sequence(of, *pairs):
        head = b"SEQ\6" + bytes([len(row)]) + row + bytes([len(of)]) + of + bytes(6) + b"sixteen bytes --"
        return head + b"".join(struct.pack(">ii", len(k) + len(v), len(k)) + k + v for k, v in pairs)

    (d / name / "hashes/part-r-00000").mkdir(parents=True)
    (d / name / "manifest").write_text("\n".join(("#Sat Nov 21 07:21:03 UTC 2026", "numHashFiles=1", "table=t", *lines)) + "\n")
    (d / name / "partitions").write_bytes(sequence(b"org.apache.hadoop.io.NullWritable"))
    nothing = bytes.fromhex("00000010d41d8cd98f00b204e9800998ecf8427e")
    (d / name / "hashes/part-r-00000/data").write_bytes(sequence(row, (bytes(4), nothing)))


def hash_mistakes(d):
    """Hashes of another family, other rows or times: nothing is compared, so nothing is proved."""
    for name, lines in (("family", ["columnFamilies=g"]), ("rows", ["startRowHex=78", "stopRowHex=79"]),
                        ("times", ["endTimestamp=5"])):
        hashes_of_nothing(d, "hashes-" + name, *lines)
        compare = ("verify", "hashtable", "hashes-" + name, "good")
        judge("hashes of other " + name, run(d, *compare), "nothing-selected", f"hashes-{name}/manifest", "columnFamilies")
        judge("hashes of other " + name + " --strict", run(d, *compare, "--strict"), 4)
        document = json.loads(subprocess.run([BIN / "obkv-verify", *compare[1:], "--json"], cwd=d, capture_output=True,
                                             check=True).stdout)
        said = [w["code"] for w in document.get("warnings", [])], document["cells"], document.get("cells_read")
        judge("hashes of other " + name + " --json", (0 if said == (["nothing-selected"], 0, 50) else 1, str(said)), 0)
    hashes_of_nothing(d, "hashes-all")
    judge("hashes of an empty table", run(d, "verify", "hashtable", "hashes-all", "empty input"), "no-records", "hashes-all")
    judge("nothing was hashed, cells are there", run(d, "verify", "hashtable", "hashes-all", "good"), 1)


def selection_mistakes(d):
    """A mistyped name beside right ones: a column is missing, or keeps its values."""
    for option, value, named in (("--mask", "f:ssn=hash", "--mask f:ssn"), ("--mask", "g:q=null", "--mask g:q"),
                                 ("--families", "f,g", "--families g"), ("--qualifiers", "q,f:name", "--qualifiers f:name"),
                                 ("--families", "*,F=g", "--families F")):
        args = (option, value, "good")
        mistake(d, "nothing is of " + named, "unmatched", ["no cell matches " + named + ";"], *args)
        judge("export: nothing is of " + named, run(d, "export", "--name", "t", *args, "-o", "./" + named), "unmatched", named)
        judge("diff: nothing is of " + named, run(d, "verify", "diff", *args, "good"), "unmatched", named)
    mistake(d, "a mistyped family beside a right one", "unmatched",
            ["no input has the family ff; the families there are: f; did you mean 'f'?"], "--families", "f,ff", "good")
    options = ("--mask", "f:q=hash", "--qualifiers", "f:*,q", "--families", "f")
    judge("all is matched", run(d, "import", "--partition", "key:3", *options, "good", "-o", "matched", "--strict"), 0)


def export_mistakes(d):
    for form in ("csv", "jsonl", "cells"):
        args = ("export", "--format", form, "good", "-o", form + "-lines")
        judge(f"export as {form}", run(d, *args), 0)
        judge(f"export as {form} again", run(d, *args), 0, "nothing to do")
        for tool in (("load",), ("verify", "target")):
            judge(f"{tool[0]} of {form}", run(d, *tool, form + "-lines", "--target", "127.0.0.1:1/x"), 2, "LOAD DATA",
                  "--format " + form)


def pipes(d):
    """A pipe can be read once: what looks at its first bytes must not take them from the reader."""
    columns = "HBASE_ROW_KEY,HBASE_TS_KEY,f:q"
    (d / "long.csv").write_text(rows(20000, key, str(T), "v" * 40))
    judge("a long file", run(d, "import", "--partition", "key:3", "--columns", columns, "-o", "long", "long.csv"), 0)
    for n, source in enumerate(("<(cat long.csv)", "/dev/stdin < <(cat long.csv)", "/dev/stdin < long.csv", "fifo")):
        if source == "fifo":
            os.mkfifo(d / "fifo")
            writer = subprocess.Popen(["sh", "-c", "exec cat long.csv > fifo"], cwd=d)
        command = f"{BIN}/obkv-import --partition key:3 --columns {columns} -o pipe{n} --strict {source}"
        p = subprocess.run(["bash", "-c", command], cwd=d, capture_output=True, timeout=60)
        judge("read from " + source, (p.returncode, p.stderr.decode()), 0)
        judge("whole from " + source, run(d, "verify", "diff", "long", f"pipe{n}", "--strict"), 0)
    for pack, suffix in (("gzip -c", ".gz"), ("zstd -qc", ".zst"), ("xz -c", ".xz"), ("tar cO", ".tar")):
        command = f"{pack} long.csv >long{suffix} && {BIN}/obkv-import --partition key:3 --columns {columns} -o cut{suffix} " \
                  f"<(head -c $(($(stat -c %s long{suffix}) / 2)) long{suffix}; exit 1)"
        p = subprocess.run(["bash", "-c", command], cwd=d, capture_output=True, timeout=60)
        judge(f"a writer that fails within a {suffix}", (p.returncode, p.stderr.decode()), 5, "damaged")
    judge("the writer has ended", (writer.wait(timeout=60), ""), 0)
    (d / "parts").mkdir()
    shard = ("import", "--partition", "key:3", "--columns", columns, "--shard", "1/2", "--now", NOW, "-o", "part")
    judge("a pipe in shards", run(d, *shard, "fifo"), 2, "fifo is no file")
    judge("standard input in shards", run(d, *shard, "-"), 2, "- is no file")
    (d / "parts/a.csv").write_text(rows(5, key, str(T), "v"))
    none = ("--columns", columns, "--files", "*.tsv", "parts")
    mistake(d, "--files lets nothing through", 5, ["no file to read that --files"], *none)


def closed_streams(d):
    """The numbers of closed streams must not become those of files."""
    make = "obkv-import --partition key:3 --columns HBASE_ROW_KEY,HBASE_TS_KEY,f:q -f csv -o {} {}"
    for name, source, redirects, code in (("no-in", "-", "<&-", 5), ("no-out", "good.csv", ">&-", 7),
                                          ("no-streams", "good.csv", "<&- >&- 2>&-", 7), ("no-err", "good.csv", "2>&-", 0)):
        command = f"{BIN}/{make.format(name, source)} {redirects}"
        p = subprocess.run(["sh", "-c", command], cwd=d, capture_output=True, timeout=60)
        words = ["descriptor"] if code and "2>" not in redirects else []
        judge("closed: " + redirects, (p.returncode, p.stderr.decode()), code, *words)
        if source != "-":
            judge("closed, and whole: " + redirects, run(d, "verify", "diff", "good", name, "--strict"), 0)


def command_mistakes(d):
    c3 = ("--partition", "key:3", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:q")
    judge("-o without a directory", run(d, "import", *c3, "good.csv", "-o", "--dry-run"), 2, "-o --dry-run", "./--dry-run")
    judge("a dataset on standard output", run(d, "import", *c3, "good.csv", "-o", "-"), 2, "-o DIR")
    judge("a compaction on standard output", run(d, "compact", "--versions", "1", "good", "-o", "-"), 2, "-o DIR")
    judge("a variable without a value", run(d, "import", *c3, "good.csv", "", "-o", "x"), 2, "input 2 has no name")
    twice = ("import", "--columns", c3[-1], "good.csv", "-o", "twice", "--ddl", "right.sql", "--ddl")
    judge("a DDL for each family", run(d, *twice, "other.sql"), 2, "--ddl is given twice", "right.sql", "other.sql", "one file")
    judge("the same DDL twice", run(d, *twice, "right.sql"), 0)
    judge("two outputs", run(d, "import", *c3, "good.csv", "-o", "x", "-o", "y"), 2, "--output is given twice")
    (d / "bom.conf").write_bytes(b"\xef\xbb\xbfpartition = key:3\r\ncolumns = HBASE_ROW_KEY,HBASE_TS_KEY,f:q\r\n")
    judge("settings with a BOM", run(d, "import", "--config", "bom.conf", "good.csv", "-o", "settings"), 0)
    for word in ("-columns", "-partition=key:3", "-json", "-output"):  # getopt reads them as -c olumns, letter by letter
        name = word.split("=")[0]
        judge("one dash: " + word, run(d, "import", "--partition", "key:3", word, "x", "good"), 2,
              f"{word} is not an option; did you mean '-{name}'?")
    judge("letters together", run(d, "import", "--partition", "key:3", "-qj", "good", "-ogood-quietly"), 0)
    judge("SQL as partitions", run(d, "import", "--partition", "KEY(K) PARTITIONS 7", "good", "-o", "sql"), 2,
          "did you mean 'sql:KEY(K) PARTITIONS 7'?")
    simulate = ("split", "simulate", "--header", "--columns", "ts=HBASE_TS_KEY,q=f:q")
    (d / "keyed.csv").write_text("k,ts,q\na,1700000000000,1\nb,1700000001000,2\n")
    judge("a key for simulate", run(d, *simulate, "--key", "k + q", "keyed.csv"), 0)
    judge("a key of rows for simulate", run(d, "split", "simulate", "--key", "reverse(key)", "good"), 2, "see --try")


def variable_mistakes(d):
    """A variable that nothing reads, though it was meant to be read."""
    c3 = ("--partition", "key:3", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:q")
    for n, (name, meant) in enumerate((("OBKV_MEMROY", "OBKV_MEMORY"), ("OBKV_THREAD", "OBKV_THREADS"),
                                       ("OBKV_TMP_DIR", "OBKV_TEMP_DIR"), ("OBKV_PASSWORD", "OBKV_PASSWORD_FILE"),
                                       ("obkv_config", "OBKV_CONFIG"), ("OBKV_STRICT", "give --strict"),
                                       ("OBKV_ON_DAMAGE", "give --on-damage"))):
        args = ("import", *c3, "good.csv", "-o", f"variable{n}", "--now", NOW)
        judge("variable " + name, run(d, *args, **{name: "1"}), "environment", name + " is not read", meant)
        manifest = json.loads((d / f"variable{n}/MANIFEST.json").read_text())
        judge("no matter of the data: " + name, (int("warnings" in manifest), str(manifest.get("warnings"))), 0)
        judge("variable " + name + " --strict", run(d, *args, "--strict", **{name: "1"}), 4)
    others = {"OBKV_PORT": "tcp://10.0.0.1:2881", "OBKV_VERSION": "1", "OBKV_HOME": "/", "OBKV_REQUIRE_INTEROP": "1",
              "OBKV_MEMORY": "1G", "OBKV_CONFIG": ""}
    judge("variables of others", run(d, "import", *c3, "good.csv", "-o", "variables", "--strict", **others), 0)


def path_mistakes(d):
    c3 = ("--partition", "key:3", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:q")
    judge("output is a file", run(d, "import", *c3, "good.csv", "-o", "good.csv"), 7)
    judge("output holds other files", run(d, "import", *c3, "good.csv", "-o", "."), 2)
    for name, inputs, code in (("gone", ["not-there.csv"], 5), ("cut", ["good.csv", "zeros.csv"], 5),
                               ("shards", ["--shards", "2", "--now", NOW, "not-there.csv"], 5)):
        (d / "zeros.csv").write_bytes(b"\x1f\x8b\x08\0")
        judge("a run that fails: " + name, run(d, "import", *c3, *inputs, "-o", f"way-{name}/to/out"), code)
        if (d / f"way-{name}").exists():
            judge("the way to its output stays: " + name, (0, ""), -1)
    (d / "way-there").mkdir()
    judge("a run that fails in a directory", run(d, "import", *c3, "zeros.csv", "-o", "way-there/to/out/"), 5)
    if [*d.glob("way-there/*")] or not (d / "way-there").exists():
        judge("a directory that was there", (0, ""), -1)
    (d / "within").mkdir()
    (d / "within/good.csv").write_bytes((d / "good.csv").read_bytes())
    within = ("import", *c3, "within", "-o", "within/out", "--now", NOW, "--strict")
    judge("an output inside the input", run(d, *within), 0)
    judge("an output inside the input, again", run(d, *within), 0, "nothing to do")
    judge("an output inside the input, replaced", run(d, *within[:-2], NOW + 1, "--strict", "--overwrite"), 0)
    for inputs in (("within/good.csv", "within/out"), ("within/*",)):
        among = run(d, *within[:5], *inputs, *within[6:], "--overwrite")
        judge("the output among the inputs", among, 2, "within/out is the output")
    judge("an output inside the input is whole", run(d, "verify", "diff", "good", "within/out", "--strict"), 0)
    for url, hint in (("oss://bucket/out", "ossutil"), ("file:///tmp/out", "only the path"), ("gopher://x/y", "URL")):
        judge(f"import to {url}", run(d, "import", *c3, "good.csv", "-o", url), 2, hint)
        judge(f"split apply to {url}", run(d, "split", "apply", "--partition", "none", "good", "-o", url), 2, hint)
        judge(f"load of {url}", run(d, "load", url, "--target", "127.0.0.1:1/x"), 2, hint)
        judge(f"import of {url}", run(d, "import", *c3, url, "-o", "x"), 2, hint)
        judge(f"compact of {url}", run(d, "compact", "--versions", "1", url, "-o", "x"), 2, hint)
        judge(f"verify of {url}", run(d, "verify", "check", url), 2, hint)
        judge(f"export of {url}", run(d, "export", url, "--name", "t", "-o", "x"), 2, hint)
    if (d / "oss:").exists():
        judge("no directory of that name", (0, ""), 1)


def main():
    with tempfile.TemporaryDirectory(prefix="obkv-mistakes-", dir=shm_if(True)) as top:
        d = pathlib.Path(top)
        text_mistakes(d)
        record_mistakes(d)
        mapping_mistakes(d)
        ttl_mistakes(d)
        date_mistakes(d)
        json_mistakes(d)
        rule_mistakes(d)
        table_mistakes(d)
        night_mistakes(d)
        family_mistakes(d)
        comparison_mistakes(d)
        hash_mistakes(d)
        selection_mistakes(d)
        export_mistakes(d)
        pipes(d)
        closed_streams(d)
        command_mistakes(d)
        variable_mistakes(d)
        path_mistakes(d)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed, 0 skipped")
    sys.exit(0 if all(results) else 1)


main()
