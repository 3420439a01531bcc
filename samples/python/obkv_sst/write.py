"""Writing HFiles and datasets, and sorting cells within a memory limit."""
from __future__ import annotations

import os
from typing import Any, Iterator, Optional, Sequence, Union

from obkv_sst._native import UsageError, borrow, done, ffi, lib, new_error, options, some
from obkv_sst.cells import COLUMNS, Cell, Row, Stream, cells_of, column_bits, rows_of
from obkv_sst.place import Partitioning

Text = Union[str, bytes]


def _bytes(value: Text) -> bytes:
    return value.encode() if isinstance(value, str) else value


def _opened(raw: Any) -> Any:
    if not raw:
        raise UsageError("it is closed")
    return raw


class _Putter:
    """What takes cells."""
    _put: Any  # of libsst
    _raw: Any

    def put(self, row: Text, family: Text, qualifier: Text, timestamp: int, value: Text = b"", type: int = 4, sequence: int = 0,
            tags: bytes = b"") -> None:
        """Adds a cell; it is copied. type: one of obkv_sst.Type."""
        self.put_cell(Cell(_bytes(row), _bytes(family), _bytes(qualifier), timestamp, type, _bytes(value), sequence, tags))

    def put_cell(self, cell: Cell) -> None:
        c, error = self._cell, new_error()
        kept = [borrow(c.row, cell.row), borrow(c.family, cell.family), borrow(c.qualifier, cell.qualifier),
                borrow(c.value, cell.value), borrow(c.tags, cell.tags)]
        c.timestamp, c.sequence, c.type = cell.timestamp, cell.sequence, cell.type
        done(self._put(_opened(self._raw), c, error), error)
        del kept

    def __init__(self) -> None:
        self._cell = options("sst_cell")


class Writer(_Putter):
    """Writes an HFile that HBase loads: cells in order, of one family. Use it in a with statement: the file appears when the
    block ends without an exception."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], *, codec: Optional[str] = None, encoding: Optional[str] = None,
                 bloom: Optional[str] = None, block_bytes: int = 0, threads: int = 0) -> None:
        super().__init__()
        error = new_error()
        kept = [ffi.new("char[]", w.encode()) if w else ffi.NULL for w in (codec, encoding, bloom)]
        made = options("sst_writer_options", codec=kept[0], encoding=kept[1], bloom=kept[2], block_bytes=block_bytes,
                       threads=threads)
        self._put = lib.sst_writer_put
        self._raw = some(lib.sst_writer_open(os.fsencode(path), made, error), error)
        self.cells: Optional[int] = None  # written, when it is finished
        self.digest: Optional[str] = None

    def finish(self) -> None:
        """Completes the file and gives it its name."""
        error, digest = new_error(), ffi.new("char[33]")
        done(lib.sst_writer_finish(_opened(self._raw), error), error)
        written = lib.sst_writer_get_written(self._raw)
        lib.sst_digest_text(ffi.addressof(written, "digest"), digest)
        self.cells, self.digest = written.cells, ffi.string(digest).decode()
        self.close()

    def close(self) -> None:
        """Gives up: nothing is left, unless it was finished."""
        raw, self._raw = self._raw, None
        if raw:
            lib.sst_writer_close(raw)

    def __enter__(self) -> "Writer":
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None and self._raw:
            self.finish()
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_raw", None):
            self.close()


class DatasetWriter(_Putter):
    """Writes a dataset: cells in any order and of any family, sorted and placed as by obkv-import. Use it in a with statement."""

    def __init__(self, directory: Union[str, "os.PathLike[str]"], partitioning: Union[str, Partitioning], *,
                 memory_bytes: int = 0, threads: int = 0, overwrite: bool = False, now: int = 0) -> None:
        super().__init__()
        error = new_error()
        place = Partitioning(partitioning) if isinstance(partitioning, str) else partitioning
        tool = ffi.new("char[]", b"obkv-sst " + ffi.string(lib.sst_version()))
        made = options("sst_dataset_writer_options", partitioning=place._raw, memory_bytes=memory_bytes, threads=threads,
                       tool=tool, overwrite=int(overwrite), now=now)
        self._put = lib.sst_dataset_writer_put
        self._raw = some(lib.sst_dataset_writer_open(os.fsencode(directory), made, error), error)
        self.cells: Optional[int] = None

    def finish(self) -> None:
        """Sorts, writes, proves that nothing was lost, and publishes the dataset."""
        error = new_error()
        done(lib.sst_dataset_writer_finish(_opened(self._raw), error), error)
        self.cells = lib.sst_dataset_writer_get_written(self._raw).cells
        self.close()

    def close(self) -> None:
        raw, self._raw = self._raw, None
        if raw:
            lib.sst_dataset_writer_close(raw)

    def __enter__(self) -> "DatasetWriter":
        return self

    def __exit__(self, kind: Any, *_: object) -> None:
        if kind is None and self._raw:
            self.finish()
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_raw", None):
            self.close()


class Sorter(_Putter):
    """Sorts cells of one family: put them in any order, then read them once, by cells(), rows() or to_arrow()."""

    def __init__(self, *, memory_bytes: int = 0, temp_directory: Optional[str] = None, threads: int = 0) -> None:
        super().__init__()
        error = new_error()
        place = ffi.new("char[]", os.fsencode(temp_directory)) if temp_directory else ffi.NULL
        made = options("sst_sorter_options", memory_bytes=memory_bytes, temp_directory=place, threads=threads)
        self._put = lib.sst_sorter_put
        self._raw = some(lib.sst_sorter_open(made, error), error)

    @property
    def spilled_bytes(self) -> int:
        return int(lib.sst_sorter_spilled(_opened(self._raw)))

    def _stream(self, columns: int) -> Stream:
        error = new_error()
        scan = some(lib.sst_sorter_scan(_opened(self._raw), error), error)
        raw, self._raw = self._raw, None  # the stream closes it
        return Stream(scan, columns, sorter=raw)

    def cells(self) -> Iterator[Cell]:
        return cells_of(self._stream((1 << len(COLUMNS)) - 1))

    def rows(self) -> Iterator[Row]:
        return rows_of(self.cells())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._stream(0).__arrow_c_stream__(requested_schema)

    def to_arrow(self, columns: Optional[Sequence[str]] = None) -> Any:
        """A pyarrow.RecordBatchReader of the sorted cells."""
        import pyarrow
        return pyarrow.RecordBatchReader.from_stream(self._stream(column_bits(columns)))

    def close(self) -> None:
        raw, self._raw = self._raw, None
        if raw:
            lib.sst_sorter_close(raw)

    def __del__(self) -> None:
        if getattr(self, "_raw", None):
            self.close()
