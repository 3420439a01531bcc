#!/usr/bin/env python3
"""Parquet, ORC and Avro by the commands of docs/parquet.md: every value arrives, comes back equal, and is counted.

    parquet.py BIN [--seed N] [--keep] [-v] [NAME ...]

Runs in the Python that `sh samples/setup.sh python` makes. The last line is "N passed, N failed, N skipped".
"""
import decimal
import json
import re
import subprocess
import sys

from wheels import ROOT, imported, module, needs_python, with_packages

from programs import NOW, Suite, demand, manifest, shown, unhex

MAP = {"row": "zeropad(id, 6)", "timestamp": "created", "null": "", "cells": {
    "f:name": "name", "f:price": "price", "f:raw": "raw", "f:city": "address.city", "f:big": "int64(big)", "f:small": "small",
    "f:flag": "flag", "f:day": "day", "f:tag1": "split(tags, '\"', 4)", "tag:{item}": {"each": "tags", "value": "item"}}}
ROWS = 5000


def rows():
    for i in range(ROWS):
        yield {"id": i, "name": None if i % 7 == 0 else "näme \"%d\", \\x\n" % i if i % 7 > 1 else "",
               "price": decimal.Decimal(12345678901234567 + i).scaleb(-4), "small": decimal.Decimal(i).scaleb(-9),
               "raw": bytes((i % 256, 0, 34, 255, i // 256)), "address": {"city": "Köln" if i % 2 else None},
               "tags": ["a", "t%d" % i], "big": 9007199254740993 + i, "flag": i % 3 == 0, "day": "2024-02-%02d" % (1 + i % 29),
               "created": NOW + i}


def wanted():
    """{(row, column): (timestamp, value)}"""
    cells = {}
    for r in rows():
        values = {"f:name": r["name"], "f:price": format(r["price"], "f"), "f:small": format(r["small"], "f"), "f:raw": r["raw"],
                  "f:city": r["address"]["city"], "f:big": r["big"].to_bytes(8, "big"), "f:flag": str(r["flag"]).lower(),
                  "f:day": r["day"], "f:tag1": r["tags"][1], "tag:a": "a", "tag:" + r["tags"][1]: r["tags"][1]}
        for column, v in values.items():
            if v is not None:
                cells[b"%06d" % r["id"], column.encode()] = (r["created"], v if isinstance(v, bytes) else v.encode())
    return cells


def load(suite, text, name="out"):
    """Imports what `cells` printed."""
    (suite.tmp / "map.json").write_text(json.dumps(MAP))
    return suite.result("import", "--partition", "key:3", "--now", NOW, "--map", suite.tmp / "map.json", "--allow",
                        "not-utf8", "-o", suite.fresh(name), "-", stdin=text)


def check(suite, done):
    """What the package printed becomes the cells that are wanted, and both count alike."""
    ledger = load(suite, done.stdout)
    count = int(re.search(rb"(\d+) records\s*$", done.stderr).group(1))
    demand(count == ROWS == ledger["records"]["accepted"], "%d printed, ledger: %s" % (count, ledger["records"]))
    got = {}
    for line in suite.call("verify", "dump", suite.tmp / "out").out.decode().splitlines():
        row, family, qualifier, ts, _, _, value, _ = line.split("\t")
        got[unhex(row), unhex(family) + b":" + unhex(qualifier)] = (int(ts), unhex(value))
    want = wanted()
    other = [k for k in set(got) | set(want) if got.get(k) != want.get(k)]
    demand(not other, "%d cells differ, such as %s: %s, wanted %s" % (len(other), *(
        (min(other), got.get(min(other)), want.get(min(other))) if other else ((), (), ()))))


def table():
    import pyarrow as pa
    schema = pa.schema([("id", pa.int32()), ("name", pa.string()), ("price", pa.decimal128(20, 4)),
                        ("small", pa.decimal128(20, 9)), ("raw", pa.binary()),
                        ("address", pa.struct([("city", pa.string())])), ("tags", pa.list_(pa.string())),
                        ("big", pa.int64()), ("flag", pa.bool_()), ("day", pa.string()),
                        ("created", pa.timestamp("ms"))])
    made = pa.Table.from_pylist(list(rows()), schema=schema)
    at = schema.get_field_index("day")
    return made.set_column(at, "day", made["day"].cast(pa.date32()))


def parquet_file(suite, name="a.parquet"):
    import pyarrow.parquet
    path = suite.tmp / name
    if not path.exists():
        pyarrow.parquet.write_table(table(), path, row_group_size=1000)
    return path


# ---- in ----

def test_parquet(suite):
    check(suite, module(suite, "cells", parquet_file(suite)))


def test_dictionaries(suite):
    """Columns as other writers have them: dictionaries, large strings, date64, fixed bytes, nested structs, nulls."""
    import pyarrow as pa
    import pyarrow.parquet
    t = table()
    t = t.set_column(1, "name", t["name"].dictionary_encode())
    t = t.set_column(4, "raw", t["raw"].cast(pa.large_binary()))
    t = t.set_column(9, "day", t["day"].cast(pa.date64())).append_column("nothing", pa.nulls(ROWS))
    pyarrow.parquet.write_table(t, suite.tmp / "d.parquet")
    check(suite, module(suite, "cells", suite.tmp / "d.parquet"))


def test_orc(suite):
    import pyarrow as pa
    import pyarrow.orc
    t = table()
    at = t.schema.get_field_index("created")  # ORC keeps nanoseconds: in the unit of the others
    pyarrow.orc.write_table(t.set_column(at, "created", t["created"].cast(pa.int64())), suite.tmp / "a.orc")
    check(suite, module(suite, "cells", suite.tmp / "a.orc"))


def test_avro(suite):
    import datetime
    import fastavro
    null = ["null", "string"]

    def number(scale):
        return {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": scale}
    schema = {"type": "record", "name": "user", "fields": [
        {"name": "id", "type": "int"}, {"name": "name", "type": null}, {"name": "price", "type": number(4)},
        {"name": "small", "type": number(9)}, {"name": "raw", "type": "bytes"},
        {"name": "address", "type": {"type": "record", "name": "address", "fields": [{"name": "city", "type": null}]}},
        {"name": "tags", "type": {"type": "array", "items": "string"}}, {"name": "big", "type": "long"},
        {"name": "flag", "type": "boolean"}, {"name": "day", "type": {"type": "int", "logicalType": "date"}},
        {"name": "created", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
    with open(suite.tmp / "a.avro", "wb") as f:
        fastavro.writer(f, schema, ({**r, "day": datetime.date.fromisoformat(r["day"])} for r in rows()), codec="deflate")
    check(suite, module(suite, "cells", suite.tmp / "a.avro"))


def test_several(suite):
    """Files with columns in another order are one stream; other columns are refused."""
    import pyarrow.parquet
    t = table()
    pyarrow.parquet.write_table(t.slice(0, 3000), suite.tmp / "s1.parquet")
    pyarrow.parquet.write_table(t.slice(3000).select(sorted(t.schema.names)), suite.tmp / "s2.parquet")
    check(suite, module(suite, "cells", suite.tmp / "s1.parquet", suite.tmp / "s2.parquet"))
    pyarrow.parquet.write_table(t.drop(["flag"]), suite.tmp / "s3.parquet")
    done = module(suite, "cells", suite.tmp / "s1.parquet", suite.tmp / "s3.parquet", want=1)
    demand(b"s3.parquet: its columns are not those of the first file: flag" in done.stderr, shown(done.stderr))


def test_damaged(suite):
    """A file that ends early fails the producer: the pipe's exit code is not 0, and it says no count."""
    whole = parquet_file(suite).read_bytes()
    bad = suite.tmp / "b.parquet"
    bad.write_bytes(whole[:len(whole) // 2] + b"\xff" * 64 + whole[len(whole) // 2 + 64:-9])
    done = module(suite, "cells", bad, want=1)
    demand(b"b.parquet: " in done.stderr and b"records" not in done.stderr.splitlines()[-1], shown(done.stderr))
    (suite.tmp / "text.csv").write_text("a,b\n")
    done = module(suite, "cells", suite.tmp / "text.csv", want=1)
    demand(b"text.csv: neither Parquet nor ORC nor Avro" in done.stderr, shown(done.stderr))
    done = suite.call("import", "--partition", "none", "-o", suite.fresh("no"), bad, want=5)
    demand(b"docs/parquet.md" in done.err, "the refusal names the page")


def test_pipe_ends(suite):
    """A reader that goes away ends it without a traceback."""
    imported(suite)
    command = "%s -B -m obkv_sst cells %s 2>err | head -c 10 >out; echo ${PIPESTATUS[0]}" % (sys.executable, parquet_file(suite))
    done = subprocess.run(["bash", "-c", command], capture_output=True, env=suite.env, cwd=suite.tmp, timeout=60)
    demand(done.stdout.strip() == b"1" and b"Traceback" not in (suite.tmp / "err").read_bytes(), shown(done.stdout))


# ---- out ----

def dataset(suite):
    out = suite.tmp / "set"
    if not out.exists():
        load(suite, module(suite, "cells", parquet_file(suite)).stdout, "set")
    return out


def test_export_cells(suite):
    """Out and back: the same digest. One file for each partition."""
    out = dataset(suite)
    done = module(suite, "export", "--parquet", "-o", suite.fresh("long"), out)
    files = sorted((suite.tmp / "long").iterdir())
    demand([f.name for f in files] == ["p00000.parquet", "p00001.parquet", "p00002.parquet"], "%s" % files)
    totals = manifest(out)["totals"]
    demand(b"3 files, %d rows of %d cells" % (totals["cells"], totals["cells"]) in done.stderr, shown(done.stderr))
    text = module(suite, "cells", *files)
    suite.call("import", "--partition", "key:3", "--now", NOW, "-o", suite.fresh("back"), "-", stdin=text.stdout)
    demand(manifest(suite.tmp / "back")["totals"]["digest"] == totals["digest"], "another digest")
    done = module(suite, "export", "--parquet", "-o", suite.tmp / "long", out, want=1)
    demand(b"long is not empty" in done.stderr, shown(done.stderr))


def test_export_everything(suite):
    """Delete markers, sequence ids and tags survive, too."""
    lines = "".join("%s\t66\t%s\t%d\t%d\t%d\t%s\t%s\n" % (b"row".hex(), "71" if kind != 14 else "-", 1000 + kind, kind, kind,
                                                        "76" if kind == 4 else "-", "0003080102" if kind == 4 else "-")
                    for kind in (4, 8, 10, 12, 14))
    suite.call("import", "--partition", "none", "--now", NOW, "--format", "cells", "-o", suite.fresh("marks"), "-",
               stdin=lines.encode())
    module(suite, "export", "--parquet", "-o", suite.fresh("marks_out"), suite.tmp / "marks")
    text = module(suite, "cells", *(suite.tmp / "marks_out").iterdir()).stdout.decode()
    demand(sorted(text.splitlines()) == sorted(lines.splitlines()), text)
    done = module(suite, "export", "--parquet", "--map", suite.tmp / "map.json", "-o", suite.fresh("no"), suite.tmp / "marks",
                  want=1)
    demand(b"family f has delete markers: let obkv-compact apply them first" in done.stderr, shown(done.stderr))
    demand(not list((suite.tmp / "no").iterdir()), "nothing is left")


def test_export_rows(suite):
    """With a mapping: a column for each that it names, typed, which DuckDB reads, and which becomes the same dataset again."""
    import duckdb
    out = dataset(suite)
    arguments = ["export", "--parquet", "--map", suite.tmp / "map.json", "-o"]
    done = module(suite, *arguments, suite.fresh("no"), out, want=1)
    demand(b"f:raw is no string" in done.stderr and b"--bytes f:raw" in done.stderr, shown(done.stderr))
    done = module(suite, *arguments, suite.fresh("wide"), "--bytes", "f:raw", out)
    demand(b"3 files, %d rows of" % ROWS in done.stderr, shown(done.stderr))
    types = dict(duckdb.sql("select column_name, column_type from (describe from '%s/wide/*.parquet')" % suite.tmp).fetchall())
    demand(types == {"id": "VARCHAR", "created": "TIMESTAMP WITH TIME ZONE", "name": "VARCHAR", "price": "VARCHAR", "raw": "BLOB",
                     "address.city": "VARCHAR", "big": "BIGINT", "small": "VARCHAR", "flag": "VARCHAR", "day": "VARCHAR",
                     "tag1": "VARCHAR", "tag": "MAP(VARCHAR, VARCHAR)"}, "%s" % types)
    got = duckdb.sql("select count(*), sum(big), count(name), max(epoch_ms(created)), count(tag['t17']) from '%s/wide/*.parquet'"
                     % suite.tmp).fetchall()
    want = (ROWS, sum(r["big"] for r in rows()), sum(r["name"] is not None for r in rows()), NOW + ROWS - 1, 1)
    demand(got == [want], "%s" % got)


def test_export_back(suite):
    """Rows, out and back by one mapping: the same digest."""
    mapping = {"header": True, "null": "", "row": "zeropad(id, 6)", "timestamp": "created",
               "cells": {"f:n": "int64(n)", "f:name": "name", "g:short": "int16(s)", "g:at": "at"}}
    (suite.tmp / "back.json").write_text(json.dumps(mapping))
    lines = "id,created,n,name,s,at\n" + "".join("%d,%d,%d,%s,%d,%d\n" % (
        i, NOW + i, i - 500, "näme %d" % i if i % 3 else "", i % 1000 - 500, NOW) for i in range(100000))
    shared = ["import", "--partition", "key:2", "--now", NOW, "--format", "csv", "--map", suite.tmp / "back.json"]
    suite.call(*shared, "-o", suite.fresh("one"), "-", stdin=lines.encode())
    module(suite, "export", "--parquet", "--map", suite.tmp / "back.json", "-o", suite.fresh("typed"), suite.tmp / "one")
    text = module(suite, "cells", *sorted((suite.tmp / "typed").iterdir()))
    suite.call(*shared, "-o", suite.fresh("two"), "-", stdin=text.stdout)
    one, two = manifest(suite.tmp / "one")["totals"], manifest(suite.tmp / "two")["totals"]
    demand(one["digest"] == two["digest"] and one["cells"] > 350000, "%s, then %s" % (one, two))


def test_export_refusals(suite):
    out = dataset(suite)
    (suite.tmp / "few.json").write_text(json.dumps({"row": "id", "cells": {"f:name": "name"}}))
    done = module(suite, "export", "--parquet", "--map", suite.tmp / "few.json", "-o", suite.fresh("no"), out, want=1)
    demand(b"is not in the mapping (row 0" in done.stderr and b"export without --map" in done.stderr, shown(done.stderr))
    (suite.tmp / "long.json").write_text(json.dumps({**MAP, "cells": {**MAP["cells"], "f:name": "int64(name)"}}))
    done = module(suite, "export", "--parquet", "--map", suite.tmp / "long.json", "-o", suite.fresh("no"), out, want=1)
    demand(b"bytes is no int64, as the mapping says" in done.stderr, shown(done.stderr))
    demand(not list((suite.tmp / "no").iterdir()), "nothing is left")
    done = module(suite, "export", "-o", suite.fresh("no"), out, want=1)
    demand(b"say --parquet" in done.stderr, shown(done.stderr))


# ---- the page ----

def test_page(suite):
    """The commands of docs/parquet.md, as they stand there, with DuckDB beside them."""
    imported(suite)
    page = (ROOT / "docs/parquet.md").read_text()
    place = suite.fresh("page")
    (place / "users").mkdir(parents=True)
    parquet_file(suite).rename(place / "users/one.parquet")
    (place / "users.json").write_text(json.dumps(MAP))
    commands = re.findall(r"(?m)^ {4,6}((?:set|python|obkv|duckdb)\S* .*(?:\n {8}.*)*)", page)
    demand(len(commands) >= 6, "%d commands" % len(commands))
    duckdb = suite.tmp / "bin/duckdb"
    duckdb.parent.mkdir(exist_ok=True)
    duckdb.write_text("#!%s\nimport duckdb, sys\nr = duckdb.sql(sys.argv[2])\nif r is not None: print(r)\n" % sys.executable)
    duckdb.chmod(0o755)
    python = suite.tmp / "bin/python"
    python.write_text('#!/bin/sh\nexec %s -B "$@"\n' % sys.executable)
    python.chmod(0o755)
    env = dict(suite.env, PATH="%s:%s:%s" % (suite.tmp / "bin", suite.bin, "/usr/bin:/bin"))
    done = subprocess.run(["bash", "-ec", "\n".join(commands)], capture_output=True, env=env, cwd=place, timeout=120)
    demand(done.returncode == 0, shown(done.stderr[-3000:]))


TESTS = (test_parquet, test_dictionaries, test_orc, test_avro, test_several, test_damaged, test_pipe_ends, test_export_cells,
         test_export_everything, test_export_rows, test_export_back, test_export_refusals, test_page)


def main():
    needs_python()
    suite = Suite(__doc__)
    for test in TESTS:
        suite.run(test.__name__[5:], with_packages, test)
    return suite.end()


if __name__ == "__main__":
    raise SystemExit(main())
