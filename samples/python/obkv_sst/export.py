"""A dataset as Parquet, one file for each partition.

Without a mapping a file holds cells: K, Q, T, V, type, family, sequence and tags, so that nothing is lost and `cells` prints what
obkv-import reads back. With one it holds rows: a column for each that the mapping names, with its type and newest value."""
from __future__ import annotations

import os
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from obkv_sst.cells import COLUMNS, Type
from obkv_sst.mapping import Column, Mapping
from obkv_sst.read import Dataset


class Exported(NamedTuple):
    files: int
    rows: int  # of Parquet: cells without a mapping
    cells: int  # of the dataset
    older: int  # that a newer value of their column hides


def export_parquet(dataset: Dataset, directory: str, mapping: Optional[Mapping] = None) -> Exported:
    """Writes DIRECTORY/p00000.parquet and so on. The directory is new or empty; it holds nothing after a failure."""
    os.makedirs(directory, exist_ok=True)
    if os.listdir(directory):
        raise ValueError("%s is not empty" % directory)
    made: List[str] = []
    rows = cells = older = 0
    try:
        for index in range(dataset.info.partitions):
            path = os.path.join(directory, "p%05d.parquet" % index)
            made.append(path)
            one = _write(path, _long(dataset, index) if mapping is None else _wide(dataset, index, mapping))
            rows, cells, older = rows + one.rows, cells + one.cells, older + one.older
        if cells != dataset.info.cells:
            raise ValueError("%d cells were read, the manifest has %d" % (cells, dataset.info.cells))
    except BaseException:
        for path in made:
            if os.path.exists(path):
                os.remove(path)
        raise
    return Exported(len(made), rows, cells, older)


class _Piece(NamedTuple):
    table: Any
    cells: int
    older: int = 0


def _write(path: str, pieces: Iterator[_Piece]) -> Exported:
    import pyarrow.parquet
    writer, rows, cells, older = None, 0, 0, 0
    try:
        for piece in pieces:
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(path, piece.table.schema, compression="zstd")
            writer.write_table(piece.table)
            rows, cells, older = rows + piece.table.num_rows, cells + piece.cells, older + piece.older
    finally:
        if writer is not None:
            writer.close()
    return Exported(1, rows, cells, older)


def _long(dataset: Dataset, index: int) -> Iterator[_Piece]:
    import pyarrow as pa
    for n, family in enumerate(dataset.info.families):
        reader = dataset.partition(index, family).to_arrow(COLUMNS)
        if not n:
            yield _Piece(reader.schema.empty_table(), 0)
        for batch in reader:
            yield _Piece(pa.Table.from_batches([batch]), batch.num_rows)


# ---- rows ----

class _Family:
    """The cells of a family that were read and not yet written."""

    def __init__(self, name: str, reader: Any) -> None:
        self.name, self.reader = name, reader
        self.table = reader.schema.empty_table()
        self.ended = False
        self.more()

    def more(self) -> None:
        import pyarrow as pa
        batch = next(self.reader, None)
        self.ended = batch is None
        if batch is not None:
            self.table = pa.concat_tables([self.table, pa.Table.from_batches([batch])])

    def last(self) -> Any:
        return self.table["K"][-1].as_py() if self.table.num_rows else b""

    def take(self, before: Optional[bytes]) -> Any:
        """The cells of rows below `before`; all for None."""
        keys, low, high = self.table["K"], 0, self.table.num_rows
        while before is not None and low < high:
            middle = (low + high) // 2
            low, high = (middle + 1, high) if keys[middle].as_py() < before else (low, middle)
        end = self.table.num_rows if before is None else low
        taken, self.table = self.table.slice(0, end), self.table.slice(end)
        return taken.combine_chunks()


def _wide(dataset: Dataset, index: int, mapping: Mapping) -> Iterator[_Piece]:
    """Windows of whole rows: those below the last row of each family that has more."""
    families = [_Family(f, dataset.partition(index, f).to_arrow(("K", "Q", "T", "V", "type"))) for f in dataset.info.families]
    yield _Piece(_Window({f.name: f.take(b"") for f in families}, mapping).table(), 0)
    while True:
        open_ones = [f for f in families if not f.ended]
        cut = min((f.last() for f in open_ones), default=None)
        taken = {f.name: f.take(cut) for f in families}
        cells = sum(t.num_rows for t in taken.values())
        if cells:
            window = _Window(taken, mapping)
            yield _Piece(window.table(), cells, window.older)
        if not open_ones:
            return
        for f in open_ones:
            if f.last() == cut or not f.table.num_rows:
                f.more()


class _Window:
    """Some rows of all families, sorted by key, as a table."""

    def __init__(self, families: Dict[str, Any], mapping: Mapping) -> None:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc
        self.mapping, self.families, self.older = mapping, families, 0
        self.row_of: Dict[str, Any] = {}  # of each cell: the number of its row
        keys = {}
        for name, t in families.items():
            if pc.any(pc.not_equal(t["type"], int(Type.PUT))).as_py():
                raise ValueError("family %s has delete markers: let obkv-compact apply them first" % name)
            k = t["K"].combine_chunks() if t.num_rows else pa.array([], pa.binary())
            k = k.chunk(0) if isinstance(k, pa.ChunkedArray) and k.num_chunks else k
            starts: Any = np.ones(len(k), bool)
            if len(k) > 1:
                starts[1:] = pc.not_equal(k[1:], k[:-1]).to_numpy(zero_copy_only=False)
            keys[name] = k.filter(pa.array(starts))
            self.row_of[name] = np.cumsum(starts) - 1
        every = pc.unique(pa.concat_arrays(list(keys.values())))
        self.keys = every.take(pc.sort_indices(every)) if len(keys) > 1 else every
        for name in families if len(keys) > 1 else ():
            place = pc.index_in(keys[name], value_set=self.keys).to_numpy()
            self.row_of[name] = place[self.row_of[name]]

    def table(self) -> Any:
        import pyarrow as pa
        names, columns = [self.mapping.row], [_typed(self.keys, self.mapping.row_kind, "the row key")]
        names.append(self.mapping.time)
        columns.append(self._times())
        seen = {name: 0 for name in self.families}
        for c in self.mapping.columns:
            names.append(c.name)
            columns.append(self._column(c, seen))
        for family in self.mapping.maps:
            names.append(family)
            columns.append(self._map(family, seen))
        for family, t in self.families.items():
            if seen[family] != t.num_rows:
                raise ValueError(self._unknown(family))
        return pa.table(dict(zip(names, columns)))

    def _times(self) -> Any:
        """The newest time of each row."""
        import numpy as np
        import pyarrow as pa
        newest: Any = np.zeros(len(self.keys), np.int64)
        for name, t in self.families.items():
            np.maximum.at(newest, self.row_of[name], t["T"].to_numpy())
        return pa.array(newest).cast(pa.timestamp("ms", tz="UTC"))

    def _column(self, c: Column, seen: Dict[str, int]) -> Any:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc
        t = self.families.get(c.family)
        place: Any = np.full(len(self.keys), -1, np.int64)
        if t is None or not t.num_rows:
            return _typed(pa.nulls(len(self.keys), pa.binary()), c.kind, c.name)
        at = np.flatnonzero(pc.equal(t["Q"], c.qualifier.encode()).to_numpy())
        rows = self.row_of[c.family][at]
        place[rows[::-1]] = at[::-1]  # the first of a row, which is the newest
        seen[c.family] += len(at)
        self.older += len(at) - int((place >= 0).sum())
        wanted = pa.array(place, mask=place < 0)
        values = t["V"].combine_chunks()
        return _typed(values.take(wanted), c.kind, "%s:%s" % (c.family, c.qualifier))

    def _map(self, family: str, seen: Dict[str, int]) -> Any:
        """{qualifier: value} of the columns that the mapping does not name."""
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc
        t = self.families.get(family)
        ends: Any = np.zeros(len(self.keys) + 1, np.int32)
        q = v = pa.array([], pa.binary())
        if t is not None and t.num_rows:
            named = pa.array([c.qualifier.encode() for c in self.mapping.columns if c.family == family], pa.binary())
            at = np.flatnonzero(~pc.is_in(t["Q"], value_set=named).to_numpy())
            seen[family] += len(at)
            rows, q = self.row_of[family][at], _one(t["Q"].take(pa.array(at)))
            first: Any = np.ones(len(at), bool)
            if len(at) > 1:
                first[1:] = pc.not_equal(q[1:], q[:-1]).to_numpy(zero_copy_only=False) | (rows[1:] != rows[:-1])
            self.older += int((~first).sum())
            q, v = q.filter(pa.array(first)), _one(t["V"].take(pa.array(at[first])))
            ends[1:] = np.cumsum(np.bincount(rows[first], minlength=len(self.keys)))
        return pa.MapArray.from_arrays(pa.array(ends), _typed(q, "string", family), _typed(v, "string", family))

    def _unknown(self, family: str) -> str:
        import pyarrow as pa
        import pyarrow.compute as pc
        named = pa.array([c.qualifier.encode() for c in self.mapping.columns if c.family == family], pa.binary())
        rest = self.families[family].filter(pc.invert(pc.is_in(self.families[family]["Q"], value_set=named)))
        column = rest["Q"][0].as_py().decode("utf-8", "backslashreplace")
        return "column %s:%s is not in the mapping (row %s): add it, or export without --map" % (
            family, column, rest["K"][0].as_py().decode("utf-8", "backslashreplace"))


def _one(column: Any) -> Any:
    import pyarrow as pa
    if not isinstance(column, pa.ChunkedArray):
        return column
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


# ---- types ----

def _typed(values: Any, kind: str, what: str) -> Any:
    """Bytes as values of a kind."""
    import pyarrow as pa
    values = _one(values).cast(pa.binary())
    try:
        if kind in ("int64", "int32", "int16"):
            return _big_endian(values, int(kind[3:]) // 8, what)
        if kind == "bytes":
            return values
        text = values.cast(pa.string())
        if kind == "digits":
            return text.cast(pa.int64())
        return text.cast(pa.int64()).cast(pa.timestamp("ms", tz="UTC")) if kind == "milliseconds" else text
    except pa.ArrowInvalid as e:
        raise ValueError("%s is no %s, as the mapping says: %s; say --bytes %s" % (what, kind, e, what)) from e


def _big_endian(values: Any, width: int, what: str) -> Any:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    sizes = pc.binary_length(values)
    if pc.any(pc.not_equal(sizes, width)).as_py():
        other = pc.filter(sizes, pc.not_equal(sizes, width))[0].as_py()
        raise ValueError("%s: a value of %d bytes is no int%d, as the mapping says" % (what, other, 8 * width))
    whole = pc.fill_null(values, bytes(width))
    whole = pa.concat_arrays([whole]) if whole.offset == 0 else pa.array(whole.to_pylist(), pa.binary())
    data = whole.buffers()[2]
    numbers = np.frombuffer(data, ">i%d" % width, len(whole)) if data is not None and len(whole) else np.zeros(0, ">i%d" % width)
    return pa.array(numbers.astype("i%d" % width), mask=values.is_null().to_numpy(zero_copy_only=False))
