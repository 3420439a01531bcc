"""libsst as Python sees it: the library in this package, its errors as exceptions, and bytes that it borrows."""
from __future__ import annotations

import pathlib
from typing import Any, Optional

from obkv_sst import _sst

ffi: Any = _sst.ffi

lib: Any = ffi.dlopen(str(pathlib.Path(__file__).absolute().with_name("libsst.so.1")))


class Error(Exception):
    """libsst has failed; the text names the file, the place, and what was expected there."""


class UsageError(Error, ValueError):
    """Arguments, options, a partitioning or DDL cannot be."""


class InputError(Error, OSError):
    """A file cannot be read, or is damaged."""


class UnsupportedError(Error):
    """A file is sound, but of a kind that is not read: encrypted, HFile v1, an unknown codec."""


class LimitError(Error):
    """Memory, descriptors, disk space, or a limit of the options."""


class OutputError(Error, OSError):
    """A file cannot be written."""


_ERRORS = {1: UsageError, 2: InputError, 3: UnsupportedError, 4: LimitError, 5: OutputError}


def new_error() -> Any:
    return ffi.new("sst_error *")


def failure(error: Any, cause: Optional[BaseException] = None) -> Error:
    """The exception of an error that libsst has filled."""
    made = _ERRORS.get(error.code, Error)(ffi.string(error.text).decode("utf-8", "replace"))
    made.__cause__ = cause
    return made


def some(thing: Any, error: Any, cause: Optional[BaseException] = None) -> Any:
    """Returns what a function made, or raises why it did not."""
    if not thing:
        raise failure(error, cause)
    return thing


def done(code: int, error: Any) -> int:
    """Returns what a function answered, or raises why it failed."""
    if code < 0:
        raise failure(error)
    return code


def options(kind: str, **fields: Any) -> Any:
    """A struct of options with its size, and with what is not None."""
    made = ffi.new(kind + " *")
    made.size = ffi.sizeof(kind)
    for name, value in fields.items():
        if value is not None:
            setattr(made, name, value)
    return made


def borrow(into: Any, value: Optional[bytes]) -> Any:
    """Points an sst_bytes at a value; what is returned keeps the memory."""
    if value is None:
        return None
    kept = ffi.from_buffer(value)
    into.data = ffi.cast("uint8_t *", kept) if len(value) else ffi.cast("uint8_t *", _EMPTY)
    into.size = len(value)
    return kept


_EMPTY = ffi.new("uint8_t[1]")


def text_of(pointer: Any) -> str:
    return ffi.string(pointer).decode("utf-8", "replace") if pointer else ""


def bytes_of(borrowed: Any) -> bytes:
    return bytes(ffi.buffer(borrowed.data, borrowed.size)) if borrowed.size else b""


__version__: str = text_of(lib.sst_version())
