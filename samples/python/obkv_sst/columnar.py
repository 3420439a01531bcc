"""Parquet, ORC and Avro as text for obkv-import, batch by batch.

A file with the columns K, Q, T, V and family holds cells (export_parquet writes such files): its lines are those of
docs/formats/cells.md, and nothing is lost. Any other file holds records: they become CSV with a header, in which a null is an
empty field without quotes and bytes stand as they are. Both are made by Arrow, column by column; Python sees no value, but for
lists, maps and Avro."""
from __future__ import annotations

import datetime
import decimal
import json
import math
import os
import uuid
from typing import Any, BinaryIO, Callable, Dict, Iterable, Iterator, List, Sequence

BATCH = 1 << 14


# ---- batches of a file ----

def _parquet(path: str) -> Iterator[Any]:
    import pyarrow.parquet
    yield from pyarrow.parquet.ParquetFile(path, memory_map=True).iter_batches(batch_size=BATCH)


def _orc(path: str) -> Iterator[Any]:
    import pyarrow.orc
    file = pyarrow.orc.ORCFile(path)
    for stripe in range(file.nstripes):
        yield file.read_stripe(stripe)


def _avro_type(kind: Any) -> Any:
    """The Arrow type of an Avro type, or None: its values become JSON."""
    import pyarrow as pa
    if isinstance(kind, list):
        rest = [k for k in kind if k != "null"]
        return _avro_type(rest[0]) if len(rest) == 1 else None
    if isinstance(kind, dict) and kind["type"] == "record":
        members = [(m["name"], _avro_type(m["type"])) for m in kind["fields"]]
        return pa.struct(members) if members and all(t is not None for _, t in members) else None
    logical, base = (kind.get("logicalType"), kind["type"]) if isinstance(kind, dict) else (None, kind)
    if logical == "decimal":
        return pa.decimal256(kind["precision"], kind.get("scale", 0))
    plain = {"date": pa.date32(), "time-millis": pa.time32("ms"), "time-micros": pa.time64("us"), "uuid": pa.string()}
    if logical in plain:
        return plain[logical]
    return {"boolean": pa.bool_(), "int": pa.int32(), "long": pa.int64(), "float": pa.float32(), "double": pa.float64(),
            "string": pa.string(), "bytes": pa.binary(), "fixed": pa.binary(), "enum": pa.string()}.get(base)


def _avro(path: str) -> Iterator[Any]:
    import fastavro
    import fastavro.read
    import pyarrow as pa
    for name in list(fastavro.read.LOGICAL_READERS):  # timestamps stay numbers
        if "timestamp" in name:
            fastavro.read.LOGICAL_READERS.pop(name)
    with open(path, "rb") as f:
        reader = fastavro.reader(f)
        fields = [(field["name"], _avro_type(field["type"])) for field in reader.writer_schema["fields"]]
        while True:
            records = [r for r, _ in zip(reader, range(8192))]
            if not records:
                return
            columns = []
            for name, kind in fields:
                values = [r[name] for r in records]
                if kind is None or kind == pa.string():
                    values = [v if v is None or isinstance(v, str) else str(v) if isinstance(v, uuid.UUID) else _json(v)
                              for v in values]
                columns.append(pa.array(values, kind or pa.string()))
            yield pa.RecordBatch.from_arrays(columns, names=[name for name, _ in fields])


_KINDS: Dict[bytes, Callable[[str], Iterator[Any]]] = {b"PAR1": _parquet, b"ORC": _orc, b"Obj\x01": _avro}


def batches_of(path: str) -> Iterator[Any]:
    """The record batches of a Parquet, ORC or Avro file, by its first bytes."""
    with open(path, "rb") as f:
        head = f.read(4)
    for magic, read in _KINDS.items():
        if head.startswith(magic):
            return read(path)
    raise ValueError("neither Parquet nor ORC nor Avro")


# ---- records as CSV ----

def _json(v: Any) -> str:
    """A value as JSON that loses nothing."""
    if v is None or v is True or v is False:
        return {None: "null", True: "true", False: "false"}[v]
    if isinstance(v, str):
        return json.dumps(v, ensure_ascii=False)
    if isinstance(v, float):
        return repr(v) if math.isfinite(v) else '"%r"' % v
    if isinstance(v, (int, decimal.Decimal)):
        return format(v, "d" if isinstance(v, int) else "f")
    if isinstance(v, (bytes, bytearray, memoryview)):
        return '{"hex":"%s"}' % bytes(v).hex()
    if isinstance(v, (datetime.datetime, datetime.date, datetime.time)):
        return '"%s"' % v.isoformat()
    if isinstance(v, (datetime.timedelta, uuid.UUID)):
        return '"%s"' % v
    if isinstance(v, dict):
        return "{%s}" % ",".join("%s:%s" % (json.dumps(str(k), ensure_ascii=False), _json(w)) for k, w in v.items())
    if isinstance(v, (list, tuple)):
        return "[%s]" % ",".join(map(_json, v))
    raise TypeError("values of type %s are not known" % type(v).__name__)


def _as_json(column: Any) -> Any:
    import pyarrow as pa
    values = column.to_pylist()
    if pa.types.is_map(column.type):
        values = [v if v is None else dict(v) for v in values]
    return pa.array([v if v is None else _json(v) for v in values], pa.string())


def _decimals(column: Any) -> Any:
    """Digits without exponent: Arrow writes 0.00000001 as 1E-8."""
    import pyarrow as pa
    import pyarrow.compute as pc
    text = column.cast(pa.string())
    if not pc.any(pc.match_substring(text, "E")).as_py():
        return text
    return pa.array([v if v is None else format(v, "f") for v in column.to_pylist()], pa.string())


def _field(column: Any) -> Any:
    """A column as what stands in CSV."""
    import pyarrow as pa
    kind = column.type
    if isinstance(kind, pa.BaseExtensionType):
        return _field(column.storage)
    if pa.types.is_dictionary(kind):
        return _field(column.dictionary_decode())
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return column.cast(pa.int64())
    if pa.types.is_decimal(kind):
        return _decimals(column)
    if pa.types.is_date64(kind):
        return column.cast(pa.date32())
    if pa.types.is_fixed_size_binary(kind):
        return column.cast(pa.binary()).view(pa.string())
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):  # Arrow casts text only; it writes bytes as they are
        return column.view(pa.string() if pa.types.is_binary(kind) else pa.large_string())
    if pa.types.is_nested(kind):
        return _as_json(column)
    return column.cast(pa.string()) if pa.types.is_null(kind) else column


def flat(batch: Any) -> Any:
    """A batch as CSV has it: members of structs are columns called a.b."""
    import pyarrow as pa
    names: List[str] = []
    columns: List[Any] = []

    def add(name: str, column: Any) -> None:
        if not pa.types.is_struct(column.type):
            names.append(name)
            columns.append(_field(column))
            return
        for field, member in zip(column.type, column.flatten()):
            add("%s.%s" % (name, field.name), member)
    for name, column in zip(batch.schema.names, batch.columns):
        add(name, column)
    return pa.RecordBatch.from_arrays(columns, names=names)


class _Csv:
    """Writes batches as CSV, the header before the first one."""

    def __init__(self, out: BinaryIO) -> None:
        import pyarrow as pa
        self.sink = pa.PythonFile(out, "w")
        self.writer: Any = None
        self.schema: Any = None

    def write(self, batch: Any) -> None:
        import pyarrow.csv
        if self.schema != batch.schema:  # other files may have other types
            options = pyarrow.csv.WriteOptions(include_header=self.schema is None)
            self.writer, self.schema = pyarrow.csv.CSVWriter(self.sink, batch.schema, write_options=options), batch.schema
        self.writer.write_batch(batch)


# ---- cells as text ----

def is_cells(names: Iterable[str]) -> bool:
    return {"K", "Q", "T", "V", "family"} <= set(names)


def _hex(column: Any) -> Any:
    """Bytes in hex, "-" for none."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    column = column.cast(pa.large_binary())
    if column.null_count:
        raise ValueError("a cell has no nulls")
    if not len(column):
        return column.cast(pa.large_string())
    ends = np.frombuffer(column.buffers()[1], np.int64)[column.offset:column.offset + len(column) + 1]
    data = np.frombuffer(column.buffers()[2] or b"", np.uint8)[ends[0]:ends[-1]]
    digits = np.frombuffer("".join("%02x" % i for i in range(256)).encode(), np.uint16)
    made = pa.LargeStringArray.from_buffers(len(column), pa.py_buffer((ends - ends[0]) * 2), pa.py_buffer(digits[data]))
    return pc.if_else(pc.equal(pc.binary_length(made), 0), pa.scalar("-", pa.large_string()), made)


def _cell_lines(batch: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    def number(name: str, default: int) -> Any:
        if name not in batch.schema.names:
            return pa.scalar(str(default), pa.large_string())
        column = batch.column(name)
        return (column.cast(pa.int64()) if pa.types.is_timestamp(column.type) else column).cast(pa.large_string())

    def hexed(name: str) -> Any:
        return _hex(batch.column(name)) if name in batch.schema.names else pa.scalar("-", pa.large_string())
    fields = [hexed("K"), hexed("family"), hexed("Q"), number("T", 0), number("type", 4), number("sequence", 0), hexed("V"),
              hexed("tags")]
    tab, empty, newline = (pa.scalar(text, pa.large_string()) for text in ("\t", "", "\n"))
    lines = pc.binary_join_element_wise(pc.binary_join_element_wise(*fields, tab), empty, newline)
    if lines.null_count:
        raise ValueError("a cell has no nulls")
    return lines.buffers()[2] if len(lines) else b""


# ---- the pipe ----

def _texts(path: str, first: List[str], csv: _Csv, out: BinaryIO) -> Iterator[int]:
    """Writes each batch and yields its records. first: the names of columns of the first file, filled by it."""
    for batch in batches_of(path):
        cells = is_cells(batch.schema.names)
        made = batch if cells else flat(batch)
        names = list(made.schema.names)
        if not first:
            first.extend(names)
        if sorted(names) != sorted(first):
            other = sorted(set(names) ^ set(first))
            raise ValueError("its columns are not those of the first file: %s" % ", ".join(other))
        if cells:
            out.write(_cell_lines(made))
        else:
            csv.write(made if names == first else made.select(first))
        yield made.num_rows


def _widen(out: BinaryIO) -> None:
    """A pipe of 1 MiB: one of 64 KiB costs a switch of processes for each of its fillings."""
    import contextlib
    import fcntl
    with contextlib.suppress(OSError, ValueError):
        fcntl.fcntl(out.fileno(), 1031, 1 << 20)  # F_SETPIPE_SZ


def write_text(paths: Sequence[str], out: BinaryIO) -> int:
    """Writes the records of all files as text for obkv-import; returns their number. A failure names the file."""
    _widen(out)
    first: List[str] = []
    n, csv = 0, _Csv(out)
    for path in paths:
        try:
            n += sum(_texts(os.fspath(path), first, csv, out))
        except BrokenPipeError:
            raise
        except Exception as e:  # whatever a library raises about a file
            raise ValueError("%s: %s" % (path, e)) from e
    out.flush()
    return n
