"""What bgzip writes: members of gzip that say how long they are (SAM specification, 4.1), made without the program."""
import struct
import zlib

MEMBER_BYTES = 65280  # of content


def member(content, level=6):
    packer = zlib.compressobj(level, zlib.DEFLATED, -15)
    packed = packer.compress(content) + packer.flush()
    return (bytes.fromhex("1f8b08040000000000ff060042430200") + struct.pack("<H", 18 + len(packed) + 8 - 1) + packed +
            struct.pack("<II", zlib.crc32(content), len(content)))


def pack(source, out, level=6):
    """From one open file to another; an empty member ends it."""
    for content in iter(lambda: source.read(MEMBER_BYTES), b""):
        out.write(member(content, level))
    out.write(member(b"", level))
