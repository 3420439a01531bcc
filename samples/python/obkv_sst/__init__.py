"""Reads and writes HFiles of Apache HBase, and datasets of obkv-bulkload, without a JVM.

    import obkv_sst as sst

    for row in sst.open("users.hfile").rows(start=b"u1", stop=b"u2"): …
    table = sst.open("OUT").to_arrow().read_all()
    duckdb.sql("SELECT count(*) FROM cells")      where cells = sst.open("OUT").to_arrow()

docs/python.md of obkv-bulkload is the guide."""
from obkv_sst._native import (Error, InputError, LimitError, OutputError, UnsupportedError, UsageError, __version__)
from obkv_sst.cells import Cell, Row, Type
from obkv_sst.place import Partitioning, key_hash, partition_of
from obkv_sst.read import Dataset, DatasetInfo, File, FileInfo, Files, Partition, Reader, open
from obkv_sst.write import DatasetWriter, Sorter, Writer

__all__ = ["Cell", "Dataset", "DatasetInfo", "DatasetWriter", "Error", "File", "FileInfo", "Files", "InputError", "LimitError",
           "OutputError", "Partition", "Partitioning", "Reader", "Row", "Sorter", "Type", "UnsupportedError", "UsageError",
           "Writer", "__version__", "key_hash", "open", "partition_of"]
