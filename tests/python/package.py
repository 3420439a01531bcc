#!/usr/bin/env python3
"""The Python package obkv-sst: its wheel in an empty environment, every call, and what reads its batches.

    package.py BIN [--seed N] [--keep] [-v] [NAME ...]

Runs in the Python that `sh samples/setup.sh python` makes. The last line is "N passed, N failed, N skipped".
"""
import contextlib
import io
import json
import os
import pathlib
import platform
import random
import re
import subprocess
import sys
import threading
import zipfile

from wheels import ROOT, built, imported, needs_python, offline, run, with_packages

from programs import NOW, Suite, demand, manifest, unhex

GOLDEN = sorted((ROOT / "tests/data/hfile").glob("*/*.hfile"))
COLUMNS = "HBASE_ROW_KEY,HBASE_TS_KEY,info:name,stat:n"


def refused(kind, text, call, *arguments, **kw):
    """It raises this kind of exception, which says this."""
    try:
        call(*arguments, **kw)
    except kind as e:
        demand(text in str(e), "it says %s" % e)
        return e
    demand(False, "nothing was raised: %s" % text)


def dataset(suite, rows=3000):
    """A dataset of two families in five partitions."""
    out = suite.tmp / "OUT"
    if not out.exists():
        lines = "".join("user%05d,%d,name %d,%d\n" % (i, NOW - i, i, i * 7) for i in range(rows))
        suite.call("import", "--partition", "key:5", "--format", "csv", "--columns", COLUMNS, "--now", NOW, "-o", out, "-",
                   stdin=lines.encode())
    return out


def dumped(suite, path):
    """The cells that obkv-verify prints, in its order."""
    cells = []
    for line in suite.call("verify", "dump", path).out.decode().splitlines():
        row, family, qualifier, ts, kind, seq, value, tags = line.split("\t")
        cells.append((unhex(row), unhex(family), unhex(qualifier), int(ts), int(kind), unhex(value), int(seq), unhex(tags)))
    return cells


# ---- the wheel ----

def test_wheel(suite):
    """It has one tag, which this system and those not much older take, and what it links is inside."""
    wheel = built(suite)
    found = re.fullmatch(r"obkv_sst-[\d.]+-py3-none-manylinux_2_(\d+)_(x86_64|aarch64)\.whl", wheel.name)
    demand(found, "its name is %s" % wheel.name)
    demand(int(found.group(1)) <= int(platform.libc_ver()[1].split(".")[1]), "%s: newer than this C library" % wheel.name)
    names = zipfile.ZipFile(wheel).namelist()
    inside = {n.split("/")[1].split("-")[0].split(".")[0] for n in names if n.startswith("obkv_sst.libs/") and n[-1] != "/"}
    want = {"libbrotlicommon", "libbrotlidec", "libbrotlienc", "libbz2", "libdeflate", "libgomp", "libisal", "libjansson",
            "liblz4", "liblzma", "libsnappy", "libxxhash", "libzstd"}
    demand(want <= inside, "missing: %s" % ", ".join(want - inside))
    demand("obkv_sst/py.typed" in names and any(n.endswith("/LICENSE") for n in names), "type hints and licence")
    said = run([sys.executable, "-m", "auditwheel", "show", wheel])
    demand("manylinux_2_%s" % found.group(1) in said.split("This constrains")[0], "auditwheel says:\n%s" % said)


def test_empty_venv(suite):
    """pip installs it where nothing is, and a program reads and writes there with the libraries of the wheel alone."""
    venv = suite.fresh("venv")
    run([sys.executable, "-m", "venv", venv])
    run([venv / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index", "--find-links",
         offline(), built(suite)])
    program = """
import obkv_sst as sst
with sst.Writer("a.hfile", codec="ZSTD", encoding="FAST_DIFF") as w:
    for i in range(1000): w.put("row%04d" % i, "f", "q", 5, b"value")
print(sum(c.value == b"value" for c in sst.open("a.hfile")), sst.partition_of(b"user1", "key:97"))
maps = open("/proc/self/maps").read()
print(sorted({line.split("/")[-1] for line in maps.splitlines() if "zstd" in line or "libsst" in line}))
print(all("/obkv_sst" in line for line in maps.splitlines() if "zstd" in line or "libsst" in line))
try: sst.open("a.hfile").to_arrow()
except ImportError as e: print(e)
"""
    out = run([venv / "bin/python", "-c", program], cwd=suite.tmp, env={"PATH": "/usr/bin:/bin"}).splitlines()
    demand(out[0] == "1000 52", out[0])
    demand("libsst.so.1" in out[1] and out[2] == "True", "libraries of the system: %s" % out[1])
    demand("pyarrow" in out[3], "without pyarrow: %s" % out[3])
    demand("requires" not in run([venv / "bin/python", "-m", "pip", "check"]), "pip check")
    suite.call("verify", "check", "--quiet", suite.tmp / "a.hfile")


def test_types(suite):
    """mypy --strict has nothing to say."""
    run([sys.executable, "-m", "mypy", "--config-file", ROOT / "samples/python/pyproject.toml", "--cache-dir", suite.tmp / "mypy",
         "-p", "obkv_sst"], cwd=suite.tmp, env=dict(os.environ, MYPYPATH=str(imported_place(suite))))


def imported_place(suite):
    return pathlib.Path(imported(suite).__file__).parents[1]


# ---- reading ----

def test_golden(suite):
    """The cells of HBase's own files, as obkv-verify prints them."""
    sst = imported(suite)
    read = 0
    for path in GOLDEN:
        if suite.call("verify", "dump", path, want=None).code:
            refused(sst.Error, path.name, lambda p=path: list(sst.open(p)))
            continue
        want = dumped(suite, path)
        got = [(c.row, c.family, c.qualifier, c.timestamp, c.type, c.value, c.sequence, c.tags) for c in sst.open(path)]
        demand(got == want, "%s: %d cells, wanted %d" % (path.name, len(got), len(want)))
        demand(sst.open(path).info.cells == len(want), "%s: info" % path.name)
        read += 1
    demand(read > 20, "%d files" % read)


def test_rows(suite):
    """Ranges and rows, of a dataset, its partitions, and a file."""
    sst = imported(suite)
    out = dataset(suite)
    d = sst.open(out)
    demand(d.info.families == ["info", "stat"] and d.info.cells == 6000 and d.info.digest == manifest(out)["totals"]["digest"],
           "info: %s" % (d.info,))
    demand(len(list(d)) == 6000 and [c[:6] for c in d] == [c[:6] for c in dumped(suite, out)], "cells in the order of dump")
    some = list(d.rows(b"user00100", b"user00200"))
    demand(len(some) == 200 and all(len(r.cells) == 1 for r in some), "%d rows" % len(some))
    demand({r.key: r.newest() for r in some if r.family == b"stat"}[b"user00107"] == {b"n": b"749"}, "a row")
    for i in range(5):
        part = d.partition(i, "info")
        demand(all(sst.partition_of(c.row, "key:5") == i == d.partitioning.of(c.row) for c in part), "partition %d" % i)
    demand(sum(len(list(d.partition(i, "stat"))) for i in range(5)) == 3000, "all partitions")
    demand(d.partitioning.names == ["p%d" % i for i in range(5)] and str(d.partitioning) == "KEY(K) PARTITIONS 5", "names")
    file = sst.open(next((out / "info").glob("*.hfile")))
    first = next(iter(file)).row
    demand([c.row for c in file.cells(first, first + b"\0")] == [first], "one row")
    demand(not list(file.cells(b"z")) and not list(file.cells(stop=b"")), "no rows")


def test_refusals(suite):
    sst = imported(suite)
    d = sst.open(dataset(suite))
    path = next((suite.tmp / "OUT/info").glob("*.hfile"))
    refused(sst.InputError, "/nowhere: cannot open", sst.open, "/nowhere")
    refused(OSError, "no dataset; give its HFiles", sst.open, suite.tmp)
    refused(sst.UsageError, "no files", sst.open, [])
    refused(ValueError, "columns are K, Q, T", d.to_arrow, ["K", "row"])
    refused(ValueError, "name a family: info, stat", d.partition, 0)
    refused(ValueError, "family x is none of info, stat", d.partition, 0, "x")
    refused(ValueError, "partition 5 is none of 0 to 4", d.partition, 5, "info")
    refused(ValueError, "write none, key:N", sst.partition_of, b"x", "foo:3")
    refused(ValueError, "give a word", sst.Partitioning)
    whole = path.read_bytes()
    (suite.tmp / "bad.hfile").write_bytes(whole[:500] + bytes([whole[500] ^ 1]) + whole[501:])
    refused(sst.InputError, "bad.hfile: DATABLKE block at 0: checksum", lambda: list(sst.open(suite.tmp / "bad.hfile")))
    refused(OSError, "bad.hfile: DATABLKE block at 0: checksum", lambda: sst.open(suite.tmp / "bad.hfile").to_arrow().read_all())
    with sst.open(path) as f:
        pass
    refused(ValueError, "the file is closed", lambda: f.info)

    class Broken(io.BytesIO):
        def read(self, n=-1):
            raise OSError(5, "the server has gone")
    e = refused(sst.InputError, "Input/output error", sst.open, Broken(whole))
    demand(str(e.__cause__).endswith("the server has gone"), "its cause is %r" % e.__cause__)


def test_file_objects(suite):
    """Bytes that Python reads: files, fsspec, from several threads."""
    import fsspec
    sst = imported(suite)
    out = dataset(suite)
    path = next((out / "info").glob("*.hfile"))
    want = [tuple(c) for c in sst.open(path)]
    memory = fsspec.filesystem("memory")
    for file in out.rglob("*"):
        if file.is_file():
            memory.pipe("/set/%s" % file.relative_to(out), file.read_bytes())
    with open(path, "rb") as f:
        demand([tuple(c) for c in sst.open(f)] == want, "a file object")
    with memory.open("/set/%s" % path.relative_to(out)) as f:
        demand([tuple(c) for c in sst.open(f)] == want, "a file of fsspec")
    demand([tuple(c) for c in sst.open("memory://set/%s" % path.relative_to(out))] == want, "a URL")
    elsewhere, here = sst.open("memory://set"), sst.open(out)
    demand(elsewhere.info == here.info and elsewhere.to_arrow().read_all() == here.to_arrow().read_all(), "a dataset by URL")
    file, found = sst.open(io.BytesIO(path.read_bytes())), []
    threads = [threading.Thread(target=lambda: found.append([tuple(c) for c in file])) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    demand(found == [want] * 4, "four threads read one object")


# ---- Arrow ----

def test_arrow(suite):
    """Batches have the cells of cells(), and pandas, Polars and DuckDB take them."""
    import duckdb
    import pandas
    import polars
    sst = imported(suite)
    d = sst.open(dataset(suite))
    table = d.to_arrow(["K", "Q", "T", "V", "type", "family", "sequence", "tags"], batch_cells=500).read_all()
    demand([tuple(r.values()) for r in table.to_pylist()] ==
           [(c.row, c.qualifier, c.timestamp, c.value, c.type, c.family, c.sequence, c.tags) for c in d], "the cells")
    demand(table["K"].num_chunks > 5, "batches")
    demand(d.to_arrow(["V", "K"]).schema.names == ["K", "V"], "columns in their order")
    demand(d.to_arrow(start=b"user00100", stop=b"user00200").read_all().num_rows == 200, "a range")
    demand(polars.DataFrame(d).height == 6000, "Polars")
    demand(len(pandas.DataFrame.from_arrow(d)) == 6000, "pandas")
    cells = d.to_arrow()
    demand(duckdb.sql("select count(*), sum(cast(decode(V) as int)) from cells where family = 'stat'").fetchall() ==
           [(3000, sum(7 * i for i in range(3000)))], "DuckDB")
    del cells
    files = sorted((suite.tmp / "OUT/info").glob("*.hfile"))
    many = sst.open(files)
    demand(polars.DataFrame(many).height == many.to_arrow().read_all().num_rows == len(list(many)) == 3000, "several files")
    stream = sst.open(files[0]).to_arrow()
    demand(stream.read_all().num_rows, "a stream outlives its file")
    for _ in range(50):  # what is not read is released
        d.__arrow_c_stream__()
    demand(len(os.listdir("/proc/self/fd")) < 60, "descriptors are closed")


# ---- writing ----

def test_writer(suite):
    sst = imported(suite)
    path = suite.tmp / "w.hfile"
    cells = [sst.Cell(b"r%03d" % i, b"f", b"q", 10 - t, sst.Type.PUT, b"v%d" % t, 0, b"") for i in range(500) for t in range(3)]
    with sst.Writer(path, codec="SNAPPY", encoding="FAST_DIFF", bloom="ROWCOL") as w:
        for c in cells:
            w.put_cell(c)
    demand(w.cells == 1500 and list(sst.open(path)) == cells, "what was written is read")
    demand(json.loads(suite.call("verify", "check", "--json", path).out)["digest"] == w.digest, "its digest")
    with contextlib.suppress(KeyError), sst.Writer(suite.tmp / "no.hfile") as w:
        w.put("a", "f", "q", 1)
        raise KeyError
    demand(not list(suite.tmp.glob("no.hfile*")), "nothing is left after an exception")
    with contextlib.suppress(ValueError), sst.Writer(suite.tmp / "no.hfile") as w:
        w.put("b", "f", "q", 1)
        refused(ValueError, "order", w.put, "a", "f", "q", 1)
        raise ValueError
    demand(not list(suite.tmp.glob("no.hfile*")), "nothing is left after a failure")
    refused(ValueError, "it is closed", w.put, "c", "f", "q", 1)
    refused(ValueError, "codec", sst.Writer, suite.tmp / "no.hfile", codec="RAR")


def test_dataset_writer(suite):
    sst = imported(suite)
    out = suite.fresh("made")
    rows = list(range(2000))
    random.Random(suite.seed).shuffle(rows)
    with sst.DatasetWriter(out, "key:5", now=NOW) as w:
        for i in rows:
            w.put("user%05d" % i, "info", "name", NOW - i, "name %d" % i)
            w.put("user%05d" % i, "stat", "n", NOW - i, str(i * 7))
    demand(w.cells == 4000, "%s cells" % w.cells)
    suite.call("verify", "check", "--quiet", out)
    dataset(suite)
    suite.call("verify", "diff", "-q", "--rows", ":user02000", out, suite.tmp / "OUT", want=None)
    want = [c for c in sst.open(suite.tmp / "OUT") if c.row < b"user02000"]
    demand(sorted(sst.open(out)) == sorted(want), "the cells that obkv-import makes")
    refused(ValueError, "", sst.DatasetWriter, out, "key:5")
    ddl = (ROOT / "samples/users.sql").read_text()
    with contextlib.suppress(OSError), sst.DatasetWriter(suite.fresh("ddl"), sst.Partitioning(ddl=ddl)) as w:
        w.put("u", "nosuch", "q", 1)
    demand(not (suite.tmp / "ddl/MANIFEST.json").exists(), "a family that the table lacks")


def test_sorter(suite):
    sst = imported(suite)
    random_of = random.Random(suite.seed)
    s = sst.Sorter(memory_bytes=64 << 20, temp_directory=str(suite.tmp))
    keys = ["%08d" % random_of.randrange(10**8) for _ in range(20000)]
    for i, key in enumerate(keys):
        s.put(key, "f", "q", i)
    demand([c.row.decode() for c in s.cells()] == sorted(keys), "sorted")
    s = sst.Sorter()
    for key in keys:
        s.put(key, "f", "q", 1)
    demand(s.to_arrow(["K"]).read_all()["K"].to_pylist() == [k.encode() for k in sorted(keys)], "as batches")
    refused(ValueError, "memory_bytes is 1", sst.Sorter, memory_bytes=1)


def test_placement(suite):
    """As the programs place rows: of random keys, and of DDL."""
    sst = imported(suite)
    random_of = random.Random(suite.seed)
    keys = sorted({bytes(random_of.choices(b"abc019_-", k=random_of.randrange(1, 20))) for _ in range(2000)})
    lines = b"".join(b"%s,x\n" % k for k in keys)
    suite.call("import", "--partition", "key:97", "--format", "csv", "--columns", "HBASE_ROW_KEY,f:q", "--now", NOW, "-o",
               suite.fresh("placed"), "-", stdin=lines)
    d = sst.open(suite.tmp / "placed")
    for i in range(97):
        for c in d.partition(i):
            demand(sst.partition_of(c.row, "key:97") == i, "%r" % c.row)
    demand(len(sst.Partitioning("key:97")) == 97 and sst.key_hash(b"user1") == 3073370476006760061, "its hash")
    by_ddl = sst.Partitioning(ddl=(ROOT / "samples/users.sql").read_text())
    demand(by_ddl.of(b"user1") == sst.partition_of(b"user1", "key:%d" % len(by_ddl)), "by DDL")


# ---- what the pages say ----

def test_notebook(suite):
    """The cells of the sample run one after the other, in the folder of the samples."""
    imported(suite)
    notebook = json.loads((ROOT / "samples/python/obkv_sst.ipynb").read_text())
    demand(notebook["nbformat"] == 4, "its format")
    code = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "code"]
    demand(len(code) >= 6 and not any(c.get("outputs") for c in notebook["cells"]), "cells without outputs")
    program = suite.tmp / "notebook.py"
    program.write_text("\n".join(line if not line.startswith("!") else "shell(%r)" % line[1:]
                                 for cell in code for line in cell.splitlines()))
    shell = "import subprocess\ndef shell(c): subprocess.run(['bash', '-ec', c], check=True)\n"
    program.write_text(shell + program.read_text())
    env = dict(suite.env, PATH="%s:%s" % (suite.bin, os.environ["PATH"]), SAMPLES=str(ROOT / "samples"))
    done = subprocess.run([sys.executable, "-B", program], capture_output=True, timeout=120, env=env, cwd=suite.tmp)
    demand(done.returncode == 0, done.stderr.decode()[-2000:])


def test_page(suite):
    """Each Python example of docs/python.md, in the order of the page."""
    imported(suite)
    page = (ROOT / "docs/python.md").read_text()
    code = re.findall(r"(?ms)^```python\n(.*?)^```", page)
    demand(len(code) >= 5, "%d examples" % len(code))
    place = suite.fresh("page")
    place.mkdir()
    suite.call("import", "--ddl", ROOT / "samples/users.sql", "--header", "--columns",
               "id=HBASE_ROW_KEY,updated_ms=HBASE_TS_KEY,name=info:name,city=info:city", "-o", place / "OUT",
               ROOT / "samples/users.csv")
    (place / "users.hfile").write_bytes(next((place / "OUT/info").glob("*.hfile")).read_bytes())
    (place / "users.sql").write_text((ROOT / "samples/users.sql").read_text())
    run([sys.executable, "-B", "-c", "\n".join(code)], cwd=place, env=suite.env)


def test_recipe(suite):
    """rattler-build renders the conda recipe: both packages, with this version."""
    del suite
    from rattler_build import Stage0Recipe, VariantConfig
    version = re.search(r'#define SST_VERSION "(.*)"', (ROOT / "libsst/include/sst/base.h").read_text()).group(1)
    variants = VariantConfig({"c_stdlib": ["sysroot"], "c_stdlib_version": ["2.17"]})
    rendered = [v.recipe for v in Stage0Recipe.from_file(str(ROOT / "samples/packages/conda/recipe.yaml")).render(variants)]
    demand([(r.package.name, str(r.package.version)) for r in rendered] == [("libsst", version), ("obkv-bulkload", version)],
           "it renders %s" % rendered)


TESTS = (test_wheel, test_empty_venv, test_types, test_golden, test_rows, test_refusals, test_file_objects, test_arrow,
         test_writer, test_dataset_writer, test_sorter, test_placement, test_notebook, test_page, test_recipe)


def main():
    needs_python()
    suite = Suite(__doc__)
    for test in TESTS:
        suite.run(test.__name__[5:], with_packages, test)
    return suite.end()


if __name__ == "__main__":
    raise SystemExit(main())
