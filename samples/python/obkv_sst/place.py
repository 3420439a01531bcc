"""Placement: which partition of an OceanBase table a row belongs to."""
from __future__ import annotations

import functools
from typing import Any, List, Optional

from obkv_sst._native import UsageError, done, ffi, lib, new_error, some, text_of


class Partitioning:
    """How rows are placed, as obkv-import --partition takes it: Partitioning("key:97"), or made of DDL."""

    def __init__(self, word: Optional[str] = None, *, ddl: Optional[str] = None) -> None:
        if (word is None) == (ddl is None):
            raise UsageError("give a word such as key:97, or ddl=")
        error = new_error()
        if word is not None:
            self._raw = some(lib.sst_partitioning_parse(word.encode(), error), error)
        else:
            text = (ddl or "").encode()
            self._raw = some(lib.sst_partitioning_from_ddl(text, len(text), error), error)
        self._owner: Any = None

    @classmethod
    def _of(cls, raw: Any, owner: Any) -> "Partitioning":
        made = cls.__new__(cls)
        made._raw, made._owner = raw, owner
        return made

    def __del__(self) -> None:
        raw = getattr(self, "_raw", None)
        if raw and self._owner is None:
            self._raw = None
            lib.sst_partitioning_close(raw)

    def of(self, row: bytes) -> int:
        """The index of the partition that takes a row."""
        error, index = new_error(), ffi.new("uint32_t *")
        done(lib.sst_partition_of_row(self._raw, ffi.from_buffer(row), len(row), index, error), error)
        return int(index[0])

    @property
    def names(self) -> List[str]:
        return [text_of(lib.sst_partitioning_name(self._raw, i)) for i in range(len(self))]

    def __len__(self) -> int:
        return int(lib.sst_partitioning_count(self._raw))

    def __str__(self) -> str:
        return text_of(lib.sst_partitioning_text(self._raw))


@functools.lru_cache(maxsize=16)
def _known(word: str) -> Partitioning:
    return Partitioning(word)


def partition_of(row: bytes, partitioning: str) -> int:
    """The index of the partition: partition_of(b"user1", "key:97"). A word is parsed once, but a FILE that it names is not read
    again: use Partitioning where files change."""
    return _known(partitioning).of(row)


def key_hash(row: bytes) -> int:
    """OceanBase's hash of a row key, 64 bits, signed."""
    return int(lib.sst_key_hash(ffi.from_buffer(row), len(row)))
