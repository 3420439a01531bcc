"""HFiles as bytes, for planting faults: where blocks begin, what lies in them, and checksums made new."""
import struct

HEADER = 33
TRAILER = 4096
TABLE = []
for _n in range(256):
    for _ in range(8):
        _n = _n >> 1 ^ (0x82F63B78 if _n & 1 else 0)
    TABLE.append(_n)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ TABLE[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


class Block:
    def __init__(self, raw, at):
        self.at = at
        self.magic = bytes(raw[at:at + 8]).decode("latin-1")
        disk, self.plain, self.prev, self.kind, self.step, self.summed = struct.unpack_from(">IIqBII", raw, at + 8)
        self.end = at + HEADER + disk
        self.payload, self.sums = at + HEADER, at + self.summed


def blocks(raw):
    """All blocks up to the trailer."""
    at, found = 0, []
    while at < len(raw) - TRAILER:
        found.append(Block(raw, at))
        at = found[-1].end
    return found


def of_kind(raw, magic):
    return [b for b in blocks(raw) if b.magic == magic]


def renew(raw, block):
    """Checksums of a block whose bytes have been changed."""
    for i, start in enumerate(range(0, block.summed, block.step)):
        stop = min(start + block.step, block.summed)
        struct.pack_into(">I", raw, block.sums + 4 * i, crc32c(raw[block.at + start:block.at + stop]))


def put_info(raw, key, value):
    """Another value of the same length for a pair of the file info, which is not compressed."""
    block = of_kind(raw, "FILEINF2")[0]
    name = bytes([10, len(key)]) + key.encode() + bytes([18, len(value)])
    at = raw.index(name, block.payload, block.sums) + len(name)
    old = bytes(raw[at:at + len(value)])
    raw[at:at + len(value)] = value
    renew(raw, block)
    return old


def info(raw, key):
    block = of_kind(raw, "FILEINF2")[0]
    at = raw.index(bytes([10, len(key)]) + key.encode() + b"\x12", block.payload, block.sums) + len(key) + 3
    return bytes(raw[at + 1:at + 1 + raw[at]])


def cells(raw, block):
    """Begin and end of each cell of a data block without codec and encoding, with tags and sequence ids of one byte."""
    at, found = block.payload, []
    while at < block.sums:
        key, value = struct.unpack_from(">II", raw, at)
        tags = struct.unpack_from(">H", raw, at + 8 + key + value)[0]
        end = at + 8 + key + value + 2 + tags + 1
        found.append((at, end))
        at = end
    return found
