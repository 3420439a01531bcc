"""A mapping of obkv-import read backwards: of which type a column is, and what it was called.

An expression says what bytes a value has: int64(visits) makes 8 bytes, date(…) milliseconds as digits, a column alone its
text. The rest stays bytes."""
from __future__ import annotations

import json
import re
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

_INTEGERS = {"int64": "int64", "int32": "int32", "int16": "int16"}
_DIGITS = {"number", "abs", "add", "decimal", "mod", "length", "byte_length", "hex_number", "from_bytes", "crc32", "java_hash",
           "bytes_hash", "murmur2", "murmur3", "murmur64a"}
_BYTES = ("int64(", "int32(", "int16(", "_raw(", "unhex(", "unbase64(", "reverse_bytes(", "\\x")
_NAME = r"(?:\$\.)?([A-Za-z_\u0080-\uffff][\w.\u0080-\uffff]*)"


class Column(NamedTuple):
    family: str
    qualifier: str
    name: str
    kind: str  # int64 int32 int16 (big-endian), digits, milliseconds, string, bytes


class Mapping(NamedTuple):
    row: str  # name of the column that holds the row key
    row_kind: str
    time: str  # name of the column that holds the timestamp
    columns: List[Column]
    maps: List[str]  # families whose qualifiers come from the data


def _call_of(expression: str) -> Optional[List[str]]:
    """[function, arguments as they stand] if one call is the whole expression."""
    found = re.fullmatch(r"\s*(\w+)\s*\((.*)\)\s*", expression, re.S)
    if not found:
        return None
    depth = 0
    for c in re.sub(r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.|\"\")*\"", "", found.group(2)):
        depth += (c == "(") - (c == ")")
        if depth < 0:
            return None
    return [found.group(1), found.group(2)]


def kind_of(expression: str) -> str:
    """The kind of the bytes that an expression makes."""
    call = _call_of(expression)
    if call and call[0] in _INTEGERS:
        return _INTEGERS[call[0]]
    if call and call[0] == "date":
        return "milliseconds"
    if call and call[0] in _DIGITS:
        return "digits"
    return "bytes" if any(b in expression for b in _BYTES) else "string"


def name_of(expression: str) -> Optional[str]:
    """The column of which an expression is made, if it can be told back from the bytes."""
    expression = expression.strip()
    quoted = re.fullmatch(r"`([^`]+)`", expression)
    if quoted:
        return quoted.group(1)
    plain = re.fullmatch(_NAME, expression)
    if plain and plain.group(1) not in ("true", "false", "null"):
        return plain.group(1)
    call = _call_of(expression)
    if call and (call[0] in _INTEGERS or call[0] in ("number", "zeropad", "unhex", "unbase64")):
        return name_of(call[1].rsplit(",", 1)[0] if call[0] == "zeropad" else call[1])
    return None


def _rules(source: Dict[str, Any]) -> List[Dict[str, Any]]:
    rows = source.get("rows")
    return rows if isinstance(rows, list) else [source]


def _columns_of(row: Dict[str, Any]) -> List[Any]:
    """(family or None, qualifier or None, expression): None where the data says it."""
    cells = row.get("cells", {})
    items = ([(c.get("column"), c) for c in cells] if isinstance(cells, list) else list(cells.items()))
    made = []
    for column, value in items:
        expression = value.get("value", "") if isinstance(value, dict) else value
        constant = column is not None and not re.search(r"(?<!\{)\{(?!\{)", column)
        if column is None:
            made.append((None, None, expression))
            continue
        family, _, qualifier = column.replace("{{", "{").replace("}}", "}").partition(":")
        made.append((family if constant or "{" not in family else None, qualifier if constant else None, str(expression)))
    return made


def read_mapping(path: str, as_bytes: Sequence[str] = ()) -> Mapping:
    """as_bytes: "family:qualifier" of columns whose values are bytes, whatever the expressions say."""
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    sources = document if isinstance(document, list) else document.get("sources", [document])
    rows = [row for source in sources for row in _rules(source)]
    found: Dict[Any, Column] = {}
    maps: List[str] = []
    used = set()
    for family, qualifier, expression in [c for row in rows for c in _columns_of(row)]:
        if family is None:
            raise ValueError("%s: a family that the data names makes no columns: export without --map" % path)
        if qualifier is None:
            maps.extend([family] if family not in maps else [])
            continue
        kind, name = kind_of(expression), name_of(expression) or qualifier or family
        known = found.get((family, qualifier))
        if known:
            found[family, qualifier] = known._replace(kind=kind if kind == known.kind else "bytes")
            continue
        name = "%s:%s" % (family, qualifier) if name in used else name
        used.add(name)
        found[family, qualifier] = Column(family, qualifier, name, kind)
    columns = [c._replace(kind="bytes") if "%s:%s" % c[:2] in as_bytes else c for c in found.values()]
    unknown = set(as_bytes) - {"%s:%s" % c[:2] for c in columns}
    if unknown:
        raise ValueError("%s: no column %s" % (path, ", ".join(sorted(unknown))))
    keys, times = [row.get("row", "") for row in rows], [row.get("timestamp", "") for row in rows]
    one_key = keys[0] if len(set(keys)) == 1 else ""
    row_name, time_name = name_of(one_key), name_of(times[0]) if len(set(times)) == 1 else None
    return Mapping("K" if row_name is None or row_name in used else row_name, kind_of(one_key) if one_key else "bytes",
                   "T" if time_name is None or time_name in used else time_name, columns, maps)
