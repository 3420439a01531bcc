"""python -m obkv_sst export --parquet [--map MAP.json] [--bytes COLUMN] -o DIR DATASET
python -m obkv_sst cells FILE…

export   writes a dataset as Parquet, one file for each partition: its cells, or with --map rows with typed columns
cells    prints Parquet, ORC and Avro files as text for obkv-import: use `set -o pipefail`, and see docs/parquet.md

Exit codes: 0, 1 when something cannot be read or written, 2 for wrong usage."""
from __future__ import annotations

import argparse
import sys
from typing import List, Optional

from obkv_sst import Dataset, Error, __version__, open


def _export(o: argparse.Namespace) -> int:
    from obkv_sst.export import export_parquet
    from obkv_sst.mapping import read_mapping
    if not o.parquet:
        raise ValueError("say --parquet: obkv-export writes other formats")
    if o.bytes and not o.map:
        raise ValueError("--bytes goes with --map: cells are bytes")
    mapping = read_mapping(o.map, o.bytes) if o.map else None
    dataset = open(o.dataset)
    if not isinstance(dataset, Dataset):
        raise ValueError("%s is a file, not a dataset" % o.dataset)
    made = export_parquet(dataset, o.output, mapping)
    older = ", %d of them older than the newest of their column" % made.older if made.older else ""
    print("%d files, %d rows of %d cells%s" % (made.files, made.rows, made.cells, older), file=sys.stderr)
    return 0


def _cells(o: argparse.Namespace) -> int:
    from obkv_sst.columnar import write_text
    n = write_text(o.files, sys.stdout.buffer)
    print("%d records" % n, file=sys.stderr)
    return 0


def _parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(prog="python -m obkv_sst", description=__doc__,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--version", action="version", version=__version__)
    commands = p.add_subparsers(dest="command", required=True)
    export = commands.add_parser("export", help="a dataset as Parquet")
    export.add_argument("--parquet", action="store_true", help="the format; there is no other")
    export.add_argument("--map", metavar="FILE", help="a mapping of obkv-import: rows with its columns and types")
    export.add_argument("--bytes", metavar="COLUMN", action="append", default=[],
                        help="family:qualifier whose values are bytes, whatever the mapping says; may be repeated")
    export.add_argument("-o", "--output", metavar="DIR", required=True, help="a new or empty directory")
    export.add_argument("dataset", metavar="DATASET")
    export.set_defaults(run=_export)
    cells = commands.add_parser("cells", help="Parquet, ORC and Avro as text for obkv-import")
    cells.add_argument("files", metavar="FILE", nargs="+")
    cells.set_defaults(run=_cells)
    return p


def main(arguments: Optional[List[str]] = None) -> int:
    o = _parser().parse_args(arguments)
    try:
        return int(o.run(o))
    except BrokenPipeError:
        sys.stderr.close()  # nobody reads the rest
        return 1
    except ImportError as e:
        print("obkv_sst: %s: pip install 'obkv-sst[arrow]' (for Avro: [avro])" % e, file=sys.stderr)
        return 2
    except (Error, OSError, ValueError, TypeError) as e:
        print("obkv_sst: %s" % e, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
