"""compare.py PRINTED FILE: what HBase's HFilePrettyPrinter -m -b -h -s said of a file, held against `obkv-verify info`."""
import json
import re
import subprocess
import sys

printed = open(sys.argv[1], encoding="latin-1").read()
out = subprocess.run(["obkv-verify", "info", "--json", "--stats", "--index", "--headers", sys.argv[2]], check=True,
                     capture_output=True, text=True).stdout
info, end = json.JSONDecoder().raw_decode(out)
lines = [json.loads(line) for line in out[end:].split("\n") if line]
agreed = 0


def same(what, theirs, ours, slack=0):
    global agreed
    if abs(theirs - ours) > slack if slack else theirs != ours:
        sys.exit("%s: %s: HBase says %r, we say %r" % (sys.argv[2], what, theirs, ours))
    agreed += 1


def part(start, stop):
    return printed[printed.index(start) + len(start):printed.index(stop) if stop else None]


def meta():
    trailer = dict(re.findall(r"    (\w+)=([^,\n]+)", part("Trailer:\n", "Fileinfo:")))
    trailer["totalUncompressedBytes"] = trailer.pop("totalUncomressedBytes")
    for name, ours in info["trailer"].items():
        same(name, int(trailer[name]), ours)
    same("codec", trailer["compressionCodec"].upper(), info["codec"])
    same("version", "%(majorVersion)s.%(minorVersion)s" % trailer, info["version"])
    head = dict(re.findall(r"    (\w+)=([^,\n]+)", part("reader=", "Trailer:")))
    same("length", int(head["length"]), info["bytes"])
    for name, text in re.findall(r"(first|last)Key=Optional\[(.*)/seqid=0\]", printed):
        same(name + " key", text, info[name + "_key"])
    same("mid key", re.search(r"Mid-key: Optional\[(.*)/seqid=0\]", printed).group(1), info["mid_key"])


def value(name, theirs):
    """HBase prints keys it does not know as bytes, and the range of time in its own way."""
    if name.startswith("OBKV.") or theirs.startswith("\\x"):
        return bytes.fromhex(info["file_info_hex"][name]), bytes_of(theirs)
    ours = info["file_info"][name]
    if name == "TIMERANGE":
        theirs = theirs.replace("....", " .. ")
    return (str(ours).lower() if isinstance(ours, bool) else str(ours)), re.sub("/vlen=0/mvcc=0$", "", theirs)


def bytes_of(text):
    parts = re.findall(r"\\x([0-9A-F]{2})|(.)", text, re.S)
    return b"".join(bytes.fromhex(h) if h else c.encode("latin-1") for h, c in parts)


def printed_as(data):
    """Bytes.toStringBinary: letters, digits and these stay."""
    return "".join(chr(b) if chr(b).isalnum() and b < 128 or chr(b) in " `~!@#$%^&*()-_=+[]{}|;:'\",.<>/?" else "\\x%02X" % b
                   for b in data)


def file_info():
    theirs = dict(re.findall(r"    (\S+) = (.*)\n", part("Fileinfo:\n", "Mid-key:")))
    same("keys of file info", sorted(theirs), sorted(info["file_info"]))
    for name, text in theirs.items():
        ours, text = value(name, text)
        same(name, text, ours)


def blooms():
    for title, stop, ours in (("\nBloom filter:\n", "Delete Family Bloom filter:", info["bloom_filter"]),
                              ("\nDelete Family Bloom filter:\n", "Block Index:", info["delete_family_bloom_filter"])):
        text = part(title, stop)
        same(title.strip(), "Not present" not in text, ours is not None)
        for name, key in (("BloomSize", "bytes"), ("No of Keys in bloom", "keys"), ("Max Keys for bloom", "max_keys"),
                          ("Number of chunks", "chunks")):
            if ours:
                same(name, int(re.search(name + ": (\\d+)", text).group(1)), ours[key])


def index():
    """HBase prints the root only."""
    theirs = re.findall(r"key=(.*)/vlen=0/mvcc=0\n  offset=(\d+), dataSize=(\d+)", part("Block Index:\n", "Block Headers:"))
    ours = [(e["key"], str(e["offset"]), str(e["disk_bytes"])) for e in lines if e["kind"] == "index_entry"]
    same("root entries", len(theirs), info["trailer"]["dataIndexCount"])
    if info["index_levels"] == 1:
        same("index", theirs, ours)


def headers():
    """HBase stops behind the last data block."""
    names = {"DATA": "DATABLK*", "ENCODED_DATA": "DATABLKE", "LEAF_INDEX": "IDXLEAF2", "BLOOM_CHUNK": "BLMFBLK2"}
    ours = {e["offset"]: e for e in lines if e["kind"] == "block"}
    for text in re.findall(r"^\[blockType=.*", printed, re.M):
        theirs = dict(re.findall(r"(\w+)=(-?\w+)", text.split(", buf=")[0]))
        block = ours[int(theirs["fileOffset"])]
        same("block type", names[theirs["blockType"]], block["type"])
        same("checksum", theirs["checksumType"], block["checksum"])
        for name, key in (("onDiskSizeWithoutHeader", "disk_bytes_without_header"), ("prevBlockOffset", "prev_offset"),
                          ("uncompressedSizeWithoutHeader", "plain_bytes"), ("bytesPerChecksum", "bytes_per_checksum"),
                          ("getOnDiskSizeWithHeader", "disk_bytes")):
            same(name, int(theirs[name]), block[key])


def stats():
    """HBase draws a random sample of 1,028 values when there are more, and takes one key of each row."""
    text = part("Stats:\n", None)
    for title, key in (("Val length", "value_length"), ("Row size (bytes)", "row_bytes"), ("Row size (columns)", "row_cells")):
        figures = dict(re.findall(r"(\w+) = ([\d.]+)", text[text.index(title + ":"):].split("count")[0]))
        count = int(re.search(r"count = (\d+)", text[text.index(title + ":"):]).group(1))
        ours = info["statistics"][key]
        same(title + " count", count, ours["count"])
        sampled = count > 1028
        for name in ("min", "max"):
            if not sampled:
                same(title + " " + name, int(figures[name]), ours[name])
        if not sampled:
            same(title + " stddev", float(figures["stddev"]), ours["stddev"], 0.006)
        slack = ours["stddev"] * 6 / 1028 ** 0.5 if sampled else 0
        same(title + " mean", float(figures["mean"]), ours["mean"], slack + 0.006)
    rows = int(re.search(r"Key length:.*?count = (\d+)", text, re.S).group(1))
    same("rows", rows, info["statistics"]["row_bytes"]["count"])
    same("biggest row", re.search(r"Key of biggest row: (.*)", text).group(1),
         printed_as(bytes.fromhex(info["statistics"]["biggest_row_hex"])))


meta()
file_info()
blooms()
index()
headers()
stats()
print("%s: %d figures agree" % (sys.argv[1].rsplit("/", 1)[-1], agreed))
