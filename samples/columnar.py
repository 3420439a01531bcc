#!/usr/bin/env python3
"""Parquet, ORC and Avro as JSON lines for obkv-import:

    columnar.py FILE... | obkv-import --format jsonl --map MAP.json ... -

Needs pyarrow for Parquet and ORC, fastavro for Avro (pip install pyarrow fastavro). Values are exact: decimals and integers
are numbers with all their digits, bytes are {"hex": "..."}, timestamps are whole numbers in the unit of their column, dates
and times are ISO 8601. Reads batch by batch. The last line on standard error is "N records": obkv-import must have read as
many. Ends with 1, and names the file, if something cannot be read; then nothing that came through the pipe counts. Use
`set -o pipefail`.
"""
import datetime
import decimal
import json
import math
import sys
import uuid


def text(v):
    """A value as JSON."""
    if v is None or v is True or v is False:
        return {None: "null", True: "true", False: "false"}[v]
    if isinstance(v, str):
        return json.dumps(v, ensure_ascii=False)
    if isinstance(v, int):
        return str(v)
    if isinstance(v, float):
        return repr(v) if math.isfinite(v) else '"%r"' % v
    if isinstance(v, decimal.Decimal):
        return format(v, "f")
    if isinstance(v, (bytes, bytearray, memoryview)):
        return '{"hex":"%s"}' % bytes(v).hex()
    if isinstance(v, (datetime.datetime, datetime.date, datetime.time)):
        return '"%s"' % v.isoformat()
    if isinstance(v, (datetime.timedelta, uuid.UUID)):
        return '"%s"' % v
    if isinstance(v, dict):
        return "{%s}" % ",".join("%s:%s" % (json.dumps(str(k), ensure_ascii=False), text(w)) for k, w in v.items())
    if isinstance(v, (list, tuple)):
        return "[%s]" % ",".join(map(text, v))
    raise TypeError("values of type %s are not known" % type(v).__name__)


def from_arrow(batch):
    import pyarrow as pa
    columns = []
    for field, column in zip(batch.schema, batch.columns):
        if pa.types.is_timestamp(field.type):
            column = column.cast(pa.int64())
        values = column.to_pylist()
        if pa.types.is_map(field.type):
            values = [v if v is None else dict(v) for v in values]
        columns.append(values)
    names = batch.schema.names
    for row in zip(*columns):
        yield dict(zip(names, row))


def parquet(path):
    import pyarrow.parquet
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(batch_size=4096):
        yield from from_arrow(batch)


def orc(path):
    import pyarrow.orc
    file = pyarrow.orc.ORCFile(path)
    for stripe in range(file.nstripes):
        yield from from_arrow(file.read_stripe(stripe))


def avro(path):
    import fastavro
    import fastavro.read
    for name in list(fastavro.read.LOGICAL_READERS):  # timestamps stay numbers
        if "timestamp" in name:
            fastavro.read.LOGICAL_READERS.pop(name)
    with open(path, "rb") as f:
        yield from fastavro.reader(f)


KINDS = {b"PAR1": parquet, b"ORC": orc, b"Obj\x01": avro}


def records(path):
    with open(path, "rb") as f:
        head = f.read(4)
    for magic, read in KINDS.items():
        if head.startswith(magic):
            return read(path)
    raise ValueError("neither Parquet nor ORC nor Avro")


def main(paths):
    n = 0
    for path in paths:
        try:
            for record in records(path):
                sys.stdout.write(text(record) + "\n")
                n += 1
        except BrokenPipeError:
            return 1
        except Exception as e:  # whatever a library raises about a file
            print("%s: %s" % (path, e), file=sys.stderr)
            return 1
    sys.stdout.flush()
    print("%d records" % n, file=sys.stderr)
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))
