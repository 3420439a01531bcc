"""Reads HFiles in Python, with nothing but ctypes and libsst.so.1:

    for row, family, qualifier, timestamp, type_name, value in cells("users.hfile", start=b"u1", stop=b"u2"): …

Run as a program it prints the cells: reader.py FILE [START-ROW [STOP-ROW]]. LIBSST names the library where it is not installed
in a place the loader looks at."""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_char, c_char_p, c_int, c_int64, c_size_t, c_uint8, c_uint64, c_void_p


class Bytes(ctypes.Structure):  # sst_bytes
    _fields_ = [("data", c_void_p), ("size", c_size_t)]

    def __bytes__(self):
        return ctypes.string_at(self.data, self.size) if self.size else b""


class Error(ctypes.Structure):  # sst_error
    _fields_ = [("code", c_int), ("system", c_int), ("text", c_char * 1000)]


class Cell(ctypes.Structure):  # sst_cell
    _fields_ = [("size", c_size_t), ("row", Bytes), ("family", Bytes), ("qualifier", Bytes), ("value", Bytes), ("tags", Bytes),
                ("timestamp", c_int64), ("sequence", c_uint64), ("type", c_uint8), ("row_starts", c_uint8)]


class ScanOptions(ctypes.Structure):  # sst_scan_options
    _fields_ = [("size", c_size_t), ("start_row", Bytes), ("stop_row", Bytes), ("range_start", c_uint64), ("range_end", c_uint64)]


def _load():
    lib = ctypes.CDLL(os.environ.get("LIBSST", "libsst.so.1"))
    lib.sst_version.restype = lib.sst_type_name.restype = c_char_p
    lib.sst_file_open.restype = lib.sst_scan_open.restype = c_void_p
    lib.sst_file_open.argtypes = [c_char_p, c_void_p, POINTER(Error)]
    lib.sst_scan_open.argtypes = [c_void_p, POINTER(ScanOptions), POINTER(Error)]
    lib.sst_scan_next.argtypes = [c_void_p, POINTER(POINTER(Cell)), POINTER(Error)]
    lib.sst_type_name.argtypes = [c_int]
    lib.sst_file_close.argtypes = lib.sst_scan_close.argtypes = [c_void_p]
    return lib


def _row(text):
    """A row as sst_bytes, and what keeps its memory."""
    if text is None:
        return Bytes(None, 0), None
    kept = ctypes.create_string_buffer(text)
    return Bytes(ctypes.addressof(kept), len(text)), kept


def cells(path, start=None, stop=None):
    """Yields (row, family, qualifier, timestamp, type, value) in cell order, from row start to before row stop."""
    lib, error, cell = _load(), Error(), POINTER(Cell)()
    (start_row, kept_start), (stop_row, kept_stop) = _row(start), _row(stop)
    options = ScanOptions(ctypes.sizeof(ScanOptions), start_row, stop_row)
    file = lib.sst_file_open(os.fsencode(path), None, byref(error))
    scan = lib.sst_scan_open(file, byref(options), byref(error)) if file else None
    try:
        more = lib.sst_scan_next(scan, byref(cell), byref(error)) if scan else -1
        while more == 1:
            c = cell.contents
            yield (bytes(c.row), bytes(c.family), bytes(c.qualifier), c.timestamp, lib.sst_type_name(c.type).decode(),
                   bytes(c.value))
            more = lib.sst_scan_next(scan, byref(cell), byref(error))
        if more < 0:
            raise OSError(error.text.decode("utf-8", "replace"))
    finally:
        lib.sst_scan_close(scan)
        lib.sst_file_close(file)
        del kept_start, kept_stop


def main():
    rows = [os.fsencode(row) for row in sys.argv[2:4]]
    for row, family, qualifier, timestamp, kind, value in cells(sys.argv[1], *rows):
        line = b"%s\t%s:%s\t%d\t%s\t%s\n" % (row, family, qualifier, timestamp, kind.encode(), value)
        sys.stdout.buffer.write(line)


if __name__ == "__main__":
    main()
