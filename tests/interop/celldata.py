"""Cells as text: made, sorted as HBase sorts them, read and written. One cell is a tuple
(row, family, qualifier, ts, type code, seq, value, tags) with bytes for bytes."""
import random

PUT, DELETE, DELETE_FAMILY_VERSION, DELETE_COLUMN, DELETE_FAMILY = 4, 8, 10, 12, 14
BASE_MS = 1700000000000


def order(cell):
    row, family, qualifier, ts, kind, seq = cell[:6]
    return row, family, qualifier, -ts, -kind, -seq


def _hex(b):
    return b.hex() or "-"


def line(cell):
    row, family, qualifier, ts, kind, seq, value, tags = cell
    return "\t".join((_hex(row), _hex(family), _hex(qualifier), str(ts), str(kind), str(seq), _hex(value), _hex(tags)))


def lines(cells):
    """As a dump of one sorted file prints them."""
    return [line(c) for c in sorted(cells, key=order)]


def write(path, cells):
    with open(path, "w", encoding="ascii") as f:
        f.writelines(line(c) + "\n" for c in cells)


def read_lines(path):
    with open(path, encoding="ascii") as f:
        return [text for text in f.read().splitlines() if not text.startswith("#")]


def without_seq(text_lines):
    """The same lines with sequence id 0, sorted as text: how cells from a table scan are compared."""
    rows = (text.split("\t") for text in text_lines)
    return sorted("\t".join(f[:5] + ["0"] + f[6:]) for f in rows)


def difference(want, got):
    """"" or the first line that differs."""
    if want == got:
        return ""
    n = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    shown = [(lines[n][:160] if n < len(lines) else "end") for lines in (want, got)]
    return f"{len(want)} cells wanted, {len(got)} there; at {n + 1}: want {shown[0]!r}, got {shown[1]!r}"


def _tag(kind, value):
    return (len(value) + 1).to_bytes(2, "big") + bytes([kind]) + value


def _tags(r):
    """A label (type 9) and a time to live (type 8) of some thirty years, each now and then."""
    label = _tag(9, b"label-%d" % r.randrange(4)) if r.randrange(4) == 0 else b""
    ttl = _tag(8, (10**12 + r.randrange(3)).to_bytes(8, "big")) if r.randrange(6) == 0 else b""
    return label + ttl


def _value(r, most):
    head = r.randbytes(r.randrange(most + 1))
    return head + b"-the same end of many values"[:len(head)]


def _distinct(cells):
    """No two cells of one key: HBase's scan would show only one of them."""
    return list({c[:5]: c for c in cells}.values())


def others(cells, known):
    """Those whose key is none of the known cells'."""
    keys = {c[:5] for c in known}
    return [c for c in cells if c[:5] not in keys]


def plain(seed, rows, families=(b"cf",), qualifiers=4):
    """Puts only: no tags, no sequence ids."""
    r = random.Random(seed)
    cells = []
    for i in range(rows):
        for family in families:
            for q in range(1 + r.randrange(qualifiers)):
                cells.append((b"row%06d" % (i * 7), family, b"q%d" % q, BASE_MS + r.randrange(5000), PUT, 0, _value(r, 60), b""))
    r.shuffle(cells)
    return cells


def mixed(seed, rows, families=(b"cf", b"meta"), seqs=True):
    """Versions, all kinds of delete markers, tags, qualifier "", rows of all byte values."""
    r = random.Random(seed)
    kinds = (PUT,) * 6 + (DELETE, DELETE_COLUMN, DELETE_FAMILY, DELETE_FAMILY_VERSION)
    cells = []
    for i in range(rows):
        row = b"user%04x" % (i * 3) + (r.randbytes(r.randrange(6)) if r.randrange(3) == 0 else b"")
        for family in families:
            for _ in range(r.randrange(8)):
                kind = r.choice(kinds)
                whole = kind in (DELETE_FAMILY, DELETE_FAMILY_VERSION)
                qualifier = b"" if whole or (kind == PUT and r.randrange(12) == 0) else b"q%d" % r.randrange(3)
                value = _value(r, 40) if kind == PUT else b""
                seq = r.randrange(1, 10**6) if seqs and r.randrange(2) else 0
                cells.append((row, family, qualifier, BASE_MS + r.randrange(8), kind, seq, value, _tags(r)))
    r.shuffle(cells)
    return _distinct(cells)


def wide(seed, columns):
    """One row of very many columns between two small ones."""
    r = random.Random(seed)
    cells = [(b"wide", b"cf", b"column-%07d" % i, BASE_MS, PUT, 0, _value(r, 8), b"") for i in range(columns)]
    cells += [(row, b"cf", b"q", BASE_MS, PUT, 0, b"v", b"") for row in (b"before", b"widf")]
    r.shuffle(cells)
    return cells


def big(seed, count, value_bytes=1 << 20):
    """Values of 1 MiB, half of them hard to compress, among small ones."""
    r = random.Random(seed)
    cells = []
    for i in range(count):
        value = r.randbytes(value_bytes + i) if i % 2 else (b"%08d" % i) * (value_bytes // 8)
        cells.append((b"big%d" % i, b"cf", b"v", BASE_MS + i, PUT, 0, value, b""))
        cells.append((b"big%d-small" % i, b"cf", b"v", BASE_MS, PUT, 0, b"small", b""))
    return cells
