"""Reading HFiles and datasets: from paths, from file objects, and from whatever fsspec reaches."""
from __future__ import annotations

import errno
import os
import threading
from typing import Any, BinaryIO, Iterator, List, NamedTuple, Optional, Sequence, Union

from obkv_sst._native import InputError, UsageError, borrow, bytes_of, ffi, lib, new_error, options, some, text_of
from obkv_sst.cells import COLUMNS, Cell, Row, Stream, cells_of, column_bits, rows_of
from obkv_sst.place import Partitioning

Source = Union[str, "os.PathLike[str]", BinaryIO, Sequence[Union[str, "os.PathLike[str]", BinaryIO]]]
_ALL = (1 << len(COLUMNS)) - 1


# ---- bytes that Python reads ----

class _Bytes:
    """A file object that libsst reads: from any thread, one at a time."""

    def __init__(self, file: Any, close: bool) -> None:
        self.file, self.close_it = file, close
        self.lock = threading.Lock()
        self.raised: Optional[BaseException] = None


_open_bytes: dict[Any, Any] = {}  # what libsst holds a handle of, until it closes it


@ffi.callback("int64_t(void *)")  # type: ignore[untyped-decorator,unused-ignore]
def _file_size(context: Any) -> int:
    source = ffi.from_handle(context)
    try:
        with source.lock:
            return int(source.file.seek(0, 2))
    except Exception as e:  # whatever the object raises becomes the cause of libsst's error
        source.raised = e
        ffi.errno = e.errno if isinstance(e, OSError) and e.errno else errno.EIO
        return -1


@ffi.callback("int64_t(void *, void *, size_t, uint64_t)")  # type: ignore[untyped-decorator,unused-ignore]
def _pread(context: Any, buffer: Any, n: int, offset: int) -> int:
    source = ffi.from_handle(context)
    try:
        with source.lock:
            source.file.seek(offset)
            data = source.file.read(n)
        ffi.memmove(buffer, data, len(data))
        return len(data)
    except Exception as e:
        source.raised = e
        ffi.errno = e.errno if isinstance(e, OSError) and e.errno else errno.EIO
        return -1


@ffi.callback("void(void *)")  # type: ignore[untyped-decorator,unused-ignore]
def _close_bytes(context: Any) -> None:
    source = ffi.from_handle(context)
    _open_bytes.pop(context, None)
    if source.close_it:
        source.file.close()


def _read_ops(file: Any, close: bool, ops: Any = None) -> Any:
    """(functions, handle) for libsst."""
    ops = options("sst_read_ops") if ops is None else ops
    ops.size = ffi.sizeof("sst_read_ops")
    ops.file_size, ops.pread, ops.close = _file_size, _pread, _close_bytes
    source = _Bytes(file, close)
    handle = ffi.new_handle(source)
    _open_bytes[handle] = source
    return ops, handle


# ---- what all readers offer ----

class Reader:
    """Cells in order. A reader is also an Arrow stream (__arrow_c_stream__), which pandas, Polars and pyarrow take as it is."""

    def _streams(self, start: Optional[bytes], stop: Optional[bytes], columns: int, batch_cells: int) -> Iterator[Stream]:
        raise NotImplementedError

    def cells(self, start: Optional[bytes] = None, stop: Optional[bytes] = None) -> Iterator[Cell]:
        """Cells of the rows from start (inclusive) to stop (exclusive)."""
        for stream in self._streams(start, stop, _ALL, 0):
            yield from cells_of(stream)

    def rows(self, start: Optional[bytes] = None, stop: Optional[bytes] = None) -> Iterator[Row]:
        """The cells of a row and family together."""
        return rows_of(self.cells(start, stop))

    def __iter__(self) -> Iterator[Cell]:
        return self.cells()

    def to_arrow(self, columns: Optional[Sequence[str]] = None, start: Optional[bytes] = None, stop: Optional[bytes] = None,
                 batch_cells: int = 0) -> Any:
        """A pyarrow.RecordBatchReader of K, Q, T, V, type and family, or of these columns (also sequence, tags). No Python object
        is made for a cell, and nothing is read before the consumer asks for it."""
        import pyarrow
        bits = column_bits(columns)
        readers = (pyarrow.RecordBatchReader.from_stream(s) for s in self._streams(start, stop, bits, batch_cells))
        first = next(readers)

        def batches() -> Iterator[Any]:
            yield from first
            for reader in readers:
                yield from reader
        return first if self._is_one() else pyarrow.RecordBatchReader.from_batches(first.schema, batches())

    def _is_one(self) -> bool:
        return True

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        if self._is_one():
            return next(self._streams(None, None, 0, 0)).__arrow_c_stream__()
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def close(self) -> None:
        """Closes the file; streams that were handed out go on."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _scan_options(start: Optional[bytes], stop: Optional[bytes]) -> Any:
    made = options("sst_scan_options")
    return made, borrow(made.start_row, start), borrow(made.stop_row, stop)


class FileInfo(NamedTuple):
    name: str
    cells: int
    file_bytes: int
    codec: str
    encoding: str
    version: str
    first_key: bytes  # serialised
    last_key: bytes
    time_min: Optional[int]
    time_max: Optional[int]


class File(Reader):
    """One HFile."""
    _raw: Any = None

    def __init__(self, source: Any) -> None:
        self._source = source
        self._raw = self._open()

    def _open(self) -> Any:
        error = new_error()
        if isinstance(self._source, (str, os.PathLike)):
            return some(lib.sst_file_open(os.fsencode(self._source), ffi.NULL, error), error)
        ops, handle = _read_ops(self._source, False)
        source = _open_bytes[handle]
        name = str(getattr(self._source, "full_name", None) or getattr(self._source, "name", "file object"))
        return some(lib.sst_file_open_callbacks(ops, handle, name.encode(), ffi.NULL, error), error, source.raised)

    def _streams(self, start: Optional[bytes], stop: Optional[bytes], columns: int, batch_cells: int) -> Iterator[Stream]:
        error = new_error()
        raw = self._open()  # a stream may outlive this object: it has a file of its own
        made = _scan_options(start, stop)
        scan = lib.sst_scan_open(raw, made[0], error)
        if not scan:
            lib.sst_file_close(raw)
        yield Stream(some(scan, error), columns, batch_cells, file=raw)

    @property
    def info(self) -> FileInfo:
        if not self._raw:
            raise UsageError("the file is closed")
        i = lib.sst_file_get_info(self._raw)
        times = (i.time_min, i.time_max) if i.has_time_range else (None, None)
        return FileInfo(text_of(i.name), i.cells, i.file_bytes, text_of(i.codec), text_of(i.encoding),
                        "%d.%d" % (i.major, i.minor), bytes_of(i.first_key), bytes_of(i.last_key), *times)

    def close(self) -> None:
        raw, self._raw = self._raw, None
        if raw:
            lib.sst_file_close(raw)

    __del__ = close


class Files(Reader):
    """Several HFiles, one after the other: those of a region or a snapshot."""

    def __init__(self, sources: Sequence[Any]) -> None:
        if not sources:
            raise UsageError("no files")
        self.files = [File(s) for s in sources]

    def _streams(self, start: Optional[bytes], stop: Optional[bytes], columns: int, batch_cells: int) -> Iterator[Stream]:
        for file in self.files:
            yield from file._streams(start, stop, columns, batch_cells)

    def _is_one(self) -> bool:
        return len(self.files) == 1

    def close(self) -> None:
        for file in self.files:
            file.close()


class DatasetInfo(NamedTuple):
    tool: str
    table: Optional[str]
    cells: int
    files: int
    file_bytes: int
    partitions: int
    families: List[str]
    digest: str


class Dataset(Reader):
    """A directory that obkv-import, obkv-compact, obkv-split or a DatasetWriter wrote: families one after the other, partitions
    within a family."""
    _raw: Any = None

    def __init__(self, path: str, filesystem: Any = None) -> None:
        self._path, self._filesystem = path, filesystem
        self._raw = self._open()

    def _open(self) -> Any:
        error = new_error()
        if self._filesystem is None:
            return some(lib.sst_dataset_open(os.fsencode(self._path), error), error)
        ops = options("sst_dataset_ops", open=_open_below, close=_close_tree)
        tree = ffi.new_handle((self._filesystem, self._path.rstrip("/")))
        _open_bytes[tree] = tree
        return some(lib.sst_dataset_open_callbacks(ops, tree, self._path.encode(), error), error)

    @property
    def info(self) -> DatasetInfo:
        i = lib.sst_dataset_get_info(self._open_raw())
        digest = ffi.new("char[33]")
        lib.sst_digest_text(ffi.addressof(i, "digest"), digest)
        families = [text_of(lib.sst_dataset_family(self._raw, n)) for n in range(i.families)]
        return DatasetInfo(text_of(i.tool), text_of(i.table) or None, i.cells, i.files, i.file_bytes, i.partitions, families,
                           text_of(digest))

    def _open_raw(self) -> Any:
        if not self._raw:
            raise UsageError("the dataset is closed")
        return self._raw

    @property
    def partitioning(self) -> Partitioning:
        """How rows are placed: valid while the dataset is open."""
        return Partitioning._of(lib.sst_dataset_partitioning(self._open_raw()), self)

    def partition(self, index: int, family: Optional[str] = None) -> "Partition":
        """The cells of one partition and family; family: needed where there are several."""
        families = self.info.families
        if family is None and len(families) != 1:
            raise UsageError("name a family: %s" % ", ".join(families))
        if family is not None and family not in families:
            raise UsageError("family %s is none of %s" % (family, ", ".join(families)))
        if not 0 <= index < self.info.partitions:
            raise UsageError("partition %d is none of 0 to %d" % (index, self.info.partitions - 1))
        return Partition(self, families.index(family) if family is not None else 0, index)

    def _scan(self, start: Optional[bytes], stop: Optional[bytes], columns: int, batch_cells: int,
              place: Optional[tuple[int, int]]) -> Stream:
        error = new_error()
        raw = self._open()
        made = _scan_options(start, stop)
        scan = (lib.sst_dataset_scan(raw, made[0], error) if place is None else
                lib.sst_dataset_scan_partition(raw, place[0], place[1], made[0], error))
        if not scan:
            lib.sst_dataset_close(raw)
        return Stream(some(scan, error), columns, batch_cells, dataset=raw)

    def _streams(self, start: Optional[bytes], stop: Optional[bytes], columns: int, batch_cells: int) -> Iterator[Stream]:
        yield self._scan(start, stop, columns, batch_cells, None)

    def close(self) -> None:
        raw, self._raw = self._raw, None
        if raw:
            lib.sst_dataset_close(raw)

    __del__ = close


class Partition(Reader):
    """One partition and family of a dataset, in cell order."""

    def __init__(self, dataset: Dataset, family: int, index: int) -> None:
        self._dataset, self._family, self._index = dataset, family, index

    def _streams(self, start: Optional[bytes], stop: Optional[bytes], columns: int, batch_cells: int) -> Iterator[Stream]:
        yield self._dataset._scan(start, stop, columns, batch_cells, (self._family, self._index))


@ffi.callback("int(void *, const char *, sst_read_ops *, void **)")  # type: ignore[untyped-decorator,unused-ignore]
def _open_below(context: Any, name: Any, ops: Any, file: Any) -> int:
    filesystem, path = ffi.from_handle(context)
    try:
        opened = filesystem.open("%s/%s" % (path, text_of(name)), "rb")
        file[0] = _read_ops(opened, True, ops)[1]
        return 0
    except Exception as e:
        missing = errno.ENOENT if isinstance(e, FileNotFoundError) else errno.EIO
        ffi.errno = e.errno if isinstance(e, OSError) and e.errno else missing
        return -1


@ffi.callback("void(void *)")  # type: ignore[untyped-decorator,unused-ignore]
def _close_tree(context: Any) -> None:
    _open_bytes.pop(context, None)


# ---- open ----

def open(source: Source, filesystem: Any = None) -> Union[File, Files, Dataset]:
    """Opens an HFile, a dataset, or several HFiles.

    source: the path of an HFile or of a dataset's directory; a URL or, with `filesystem`, a path that fsspec reads; a binary file
    object that can seek (of open() or fsspec); or a list of these, which are HFiles."""
    if isinstance(source, (list, tuple)):
        return Files(source)
    if not isinstance(source, (str, os.PathLike)):
        return File(source)
    path = os.fspath(source)
    if filesystem is None and "://" in path:
        import fsspec
        filesystem, path = fsspec.core.url_to_fs(path)
    is_directory = os.path.isdir(path) if filesystem is None else filesystem.isdir(path)
    if not is_directory:
        return File(path if filesystem is None else filesystem.open(path, "rb"))
    manifest = path.rstrip("/") + "/MANIFEST.json"
    if not (os.path.exists(manifest) if filesystem is None else filesystem.exists(manifest)):
        raise InputError("%s: a directory without MANIFEST.json is no dataset; give its HFiles as a list, or import it by "
                         "obkv-import" % path)
    return Dataset(path, filesystem)


__all__ = ["Dataset", "DatasetInfo", "File", "FileInfo", "Files", "Partition", "Reader", "open"]
