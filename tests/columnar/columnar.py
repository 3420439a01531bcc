#!/usr/bin/env python3
"""Parquet, ORC and Avro by the pipes of docs/parquet.md: every value arrives, and as many records as the files say.

    columnar.py BIN [--seed N] [--keep] [-v] [NAME ...]

Runs in the Python that `sh samples/setup.sh columnar` makes, with pyarrow, fastavro and DuckDB. The last line is "N passed, N
failed, N skipped".
"""
import contextlib
import decimal
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import NOW, Missing, Suite, demand, shown, unhex  # noqa: E402
from venvs import python_of  # noqa: E402

SAMPLE = ROOT / "samples/columnar.py"
MAP = {"row": "zeropad(id, 6)", "timestamp": "$.created", "cells": {
    "f:name": "name", "f:price": "price", "f:raw": "unhex($.raw.hex)", "f:city": "$.address.city", "f:tag1": "$.tags[1]",
    "f:big": "big"}}
ROWS = 5000
PACKAGES = "duckdb, fastavro, pyarrow"


def rows():
    for i in range(ROWS):
        yield {"id": i, "name": None if i % 7 == 0 else "näme \"%d\"\n" % i,
               "price": decimal.Decimal(12345678901234567 + i).scaleb(-4), "raw": bytes((i % 256, 0, 255, i // 256)),
               "address": {"city": "Köln" if i % 2 else None}, "tags": ["a", "t%d" % i], "big": 9007199254740993 + i,
               "created": NOW + i}


def wanted():
    """{(row, qualifier): value}"""
    cells = {}
    for r in rows():
        values = {"name": r["name"] and r["name"].encode(), "price": format(r["price"], "f").encode(), "raw": r["raw"],
                  "city": r["address"]["city"] and r["address"]["city"].encode(), "tag1": r["tags"][1].encode(),
                  "big": b"%d" % r["big"]}
        cells.update(((b"%06d" % r["id"], q.encode()), (r["created"], v)) for q, v in values.items() if v is not None)
    return cells


def load(suite, producer):
    """Through the pipe; the ledger has as many records as the producer counted."""
    (suite.tmp / "map.json").write_text(json.dumps(MAP))
    made = subprocess.run(producer, capture_output=True, timeout=300)
    demand(made.returncode == 0, "the producer failed: %s" % shown(made.stderr))
    done = suite.call("import", "--json", "--partition", "key:3", "--now", NOW, "--format", "jsonl", "--map",
                      suite.tmp / "map.json", "-o", suite.fresh("out"), "-", stdin=made.stdout)
    demand(json.loads(done.out)["records"]["read"] == ROWS, "the ledger has other records: %s" % shown(done.out))
    got = {}
    for line in suite.call("verify", "dump", suite.tmp / "out").out.decode().splitlines():
        row, _, qualifier, ts, _, _, value, _ = line.split("\t")
        got[unhex(row), unhex(qualifier)] = (int(ts), unhex(value))
    demand(got == wanted(), "the cells differ")
    return shown(made.stderr)


def sample(suite, path):
    text = load(suite, [sys.executable, "-B", str(SAMPLE), str(path)])
    demand(text.strip().endswith("%d records" % ROWS), "the count is %s" % text)


def table():
    import pyarrow as pa
    schema = pa.schema([("id", pa.int32()), ("name", pa.string()), ("price", pa.decimal128(20, 4)), ("raw", pa.binary()),
                        ("address", pa.struct([("city", pa.string())])), ("tags", pa.list_(pa.string())), ("big", pa.int64()),
                        ("created", pa.timestamp("ms"))])
    return pa.Table.from_pylist(list(rows()), schema=schema)


def test_parquet(suite):
    import pyarrow.parquet
    pyarrow.parquet.write_table(table(), suite.tmp / "a.parquet", row_group_size=1000)
    sample(suite, suite.tmp / "a.parquet")


def test_orc(suite):
    import pyarrow.orc
    t = table()
    at = t.schema.get_field_index("created")  # ORC keeps nanoseconds: in the unit of the others
    pyarrow.orc.write_table(t.set_column(at, "created", t["created"].cast(pyarrow.int64())), suite.tmp / "a.orc")
    sample(suite, suite.tmp / "a.orc")


def test_avro(suite):
    import fastavro
    null = ["null", "string"]
    schema = {"type": "record", "name": "user", "fields": [
        {"name": "id", "type": "int"}, {"name": "name", "type": null},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 20, "scale": 4}},
        {"name": "raw", "type": "bytes"},
        {"name": "address", "type": {"type": "record", "name": "address", "fields": [{"name": "city", "type": null}]}},
        {"name": "tags", "type": {"type": "array", "items": "string"}}, {"name": "big", "type": "long"},
        {"name": "created", "type": {"type": "long", "logicalType": "timestamp-millis"}}]}
    with open(suite.tmp / "a.avro", "wb") as f:
        fastavro.writer(f, schema, rows(), codec="deflate")
    sample(suite, suite.tmp / "a.avro")


def test_damaged(suite):
    """A file that ends early fails the producer: the pipe's exit code is not 0, and it says no count."""
    import pyarrow.parquet
    pyarrow.parquet.write_table(table(), suite.tmp / "b.parquet")
    whole = (suite.tmp / "b.parquet").read_bytes()
    (suite.tmp / "b.parquet").write_bytes(whole[:len(whole) // 2] + b"\xff" * 64 + whole[len(whole) // 2 + 64:-9])
    made = subprocess.run([sys.executable, "-B", str(SAMPLE), str(suite.tmp / "b.parquet")], capture_output=True, timeout=60)
    demand(made.returncode == 1 and b"b.parquet: " in made.stderr and b"records" not in made.stderr.splitlines()[-1],
           "exit %d: %s" % (made.returncode, shown(made.stderr)))
    done = suite.call("import", "--partition", "none", "-o", suite.fresh("no"), suite.tmp / "b.parquet", want=5)
    demand(b"docs/parquet.md" in done.err, "the refusal names the page")


def test_duckdb(suite):
    """The query of docs/parquet.md, as it stands there."""
    import pyarrow.parquet
    pyarrow.parquet.write_table(table(), suite.tmp / "c.parquet")
    query = re.search(r'duckdb -c "([^"]*)"', (ROOT / "docs/parquet.md").read_text()).group(1)
    demand("users/*.parquet" in query, query)
    query = query.replace("users/*.parquet", str(suite.tmp / "c.parquet"))
    load(suite, [sys.executable, "-c", "import duckdb, sys; duckdb.sql(sys.argv[1])", query])


def in_its_python():
    """Begins anew in the Python that has the packages. Without it, each test says so."""
    with contextlib.suppress(Missing):
        python = python_of("columnar", PACKAGES)
        if python != sys.executable:
            os.execv(python, [python, "-B", *sys.argv])


def with_packages(suite, test):
    python_of("columnar", PACKAGES)
    test(suite)


def main():
    in_its_python()
    suite = Suite(__doc__)
    for test in (test_parquet, test_orc, test_avro, test_damaged, test_duckdb):
        suite.run(test.__name__[5:], with_packages, test)
    return suite.end()


if __name__ == "__main__":
    raise SystemExit(main())
