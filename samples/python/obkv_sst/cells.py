"""Cells as Python values, and the columns of Arrow that they are made of.

libsst fills a batch of some 65,000 cells in one call. Consumers that know Arrow take the batch as it is; cells() and rows() slice
their bytes out of it."""
from __future__ import annotations

import ctypes
import enum
from typing import Any, Callable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, Union

from obkv_sst._native import done, ffi, lib, new_error, options, UsageError


class Type(enum.IntEnum):
    """What a cell is: a value, or a marker that deletes."""
    PUT = 4
    DELETE = 8
    DELETE_FAMILY_VERSION = 10
    DELETE_COLUMN = 12
    DELETE_FAMILY = 14


class Cell(NamedTuple):
    row: bytes
    family: bytes
    qualifier: bytes
    timestamp: int  # milliseconds since 1970
    type: int  # one of Type
    value: bytes
    sequence: int = 0
    tags: bytes = b""


class Row(NamedTuple):
    """The cells of a row and family, in cell order: qualifiers ascend, and of a qualifier the newest cell comes first."""
    key: bytes
    family: bytes
    cells: List[Cell]

    def newest(self) -> dict[bytes, bytes]:
        """{qualifier: value} of the newest cells. Delete markers are not applied: obkv-compact does."""
        values: dict[bytes, bytes] = {}
        for c in self.cells:
            if c.type == Type.PUT:
                values.setdefault(c.qualifier, c.value)
        return values


COLUMNS = ("K", "Q", "T", "V", "type", "family", "sequence", "tags")
_TYPES = [Type(i) if i in set(map(int, Type)) else i for i in range(256)]
_NAMES = b"arrow_array_stream"


def column_bits(columns: Optional[Sequence[str]]) -> int:
    """The sum for libsst: of the first six for None."""
    if columns is None:
        return 0
    unknown = [c for c in columns if c not in COLUMNS]
    if unknown or not columns:
        raise UsageError("columns are %s, not %r" % (", ".join(COLUMNS), unknown or columns))
    return sum({1 << COLUMNS.index(c) for c in columns})


class Stream:
    """One stream of batches, in C. What is in `kept` lives as long."""

    def __init__(self, scan: Any, columns: int, batch_cells: int = 0, kept: Any = None, **owned: Any) -> None:
        error = new_error()
        self.raw = ffi.new("struct ArrowArrayStream *")
        self.kept = kept
        self.columns = columns or 63
        made = options("sst_arrow_options", columns=columns, batch_cells=batch_cells, **owned)
        done(lib.sst_scan_to_arrow(scan, made, self.raw, error), error)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """A capsule that owns the stream: this object is empty after that."""
        del requested_schema
        return _capsule(self)

    def release(self) -> None:
        if self.raw.release != ffi.NULL:
            self.raw.release(self.raw)

    def batches(self) -> Iterator[Tuple[int, List[Any]]]:
        """(cells, columns in the order of COLUMNS), each column a memoryview, a pair (ends, bytes), or None if it is not wanted;
        valid until the next batch."""
        array = ffi.new("struct ArrowArray *")
        try:
            while True:
                if self.raw.get_next(self.raw, array):
                    raise _failure_of(self.raw)
                if array.release == ffi.NULL:
                    return
                try:
                    yield array.length, self._views(array)
                finally:
                    array.release(array)
        finally:
            self.release()

    def _views(self, array: Any) -> List[Any]:
        views: List[Any] = []
        at, n = 0, array.length
        for i, name in enumerate(COLUMNS):
            if not self.columns >> i & 1:
                views.append(None)
                continue
            child = array.children[at]
            at += 1
            if name in _NUMBERS:
                width, code = _NUMBERS[name]
                views.append(memoryview(ffi.buffer(child.buffers[1], n * width)).cast("B").cast(code))
                continue
            ends = memoryview(ffi.buffer(child.buffers[1], (n + 1) * 4)).cast("B").cast("i")
            views.append((ends, memoryview(ffi.buffer(child.buffers[2], ends[n])).cast("B") if ends[n] else memoryview(b"")))
        return views


_NUMBERS: dict[str, Any] = {"T": (8, "q"), "type": (1, "B"), "sequence": (8, "Q")}


def _failure_of(raw: Any) -> Exception:
    """As the function that opens would raise it; the kind is known from errno, which get_next returned before and does again."""
    from obkv_sst import _native
    array = ffi.new("struct ArrowArray *")
    code = raw.get_next(raw, array)
    text = _native.text_of(raw.get_last_error(raw))
    import errno
    kinds = {errno.EIO: _native.InputError, errno.ENOMEM: _native.LimitError, errno.ENOTSUP: _native.UnsupportedError}
    return kinds.get(code, _native.UsageError)(text)


def _pieces(column: Any, n: int) -> List[bytes]:
    """The bytes of each cell."""
    ends, data = column
    whole = bytes(data)
    positions = ends.tolist()
    return [whole[a:b] for a, b in zip(positions, positions[1:n + 1])]


def cells_of(stream: Stream) -> Iterator[Cell]:
    """All cells of a stream that has all columns."""
    for n, (k, q, t, v, kind, family, sequence, tags) in stream.batches():
        rows, families = _repeated(k, n), _repeated(family, n)
        yield from map(Cell, rows, families, _pieces(q, n), t.tolist(), map(_TYPES.__getitem__, kind), _pieces(v, n),
                       sequence.tolist(), _pieces(tags, n))


def _repeated(column: Any, n: int) -> List[bytes]:
    """As _pieces, where neighbours are often equal: one object for all of them."""
    found = _pieces(column, n)
    last = None
    for i, piece in enumerate(found):
        if piece == last:
            found[i] = last
        else:
            last = piece
    return found


def rows_of(cells: Iterator[Cell]) -> Iterator[Row]:
    """Cells of one row and family together."""
    current: Optional[Row] = None
    for c in cells:
        if current is None or c.row != current.key or c.family != current.family:
            if current is not None:
                yield current
            current = Row(c.row, c.family, [])
        current.cells.append(c)
    if current is not None:
        yield current


# ---- capsules: how a stream is handed to pyarrow, Polars, DuckDB, pandas ----

_capsules: dict[int, Stream] = {}  # streams whose capsule lives, by address
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.c_void_p, ctypes.c_char_p]


def _forget(capsule: Union[int, None]) -> None:
    address = _pointer_of(capsule, _NAMES)
    stream = _capsules.pop(address, None) if address else None
    if stream is not None:
        stream.release()  # what a consumer has moved out says so by itself


_destructor_type: Callable[..., Any] = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_destructor = _destructor_type(_forget)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype = ctypes.py_object
_new_capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def _capsule(stream: Stream) -> Any:
    address = int(ffi.cast("uintptr_t", stream.raw))
    capsule = _new_capsule(address, _NAMES, ctypes.cast(_destructor, ctypes.c_void_p))
    _capsules[address] = stream
    return capsule
