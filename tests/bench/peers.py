"""W1 and W2 beside what others would use instead, beside decompression alone, and beside a roofline: the sum of the parts of a
task that nobody can avoid, each measured alone on the same data (roofline.c).

Everything runs once a round, in turn, so that a slow minute of the machine is in all of it; ratios are medians over rounds. A
peer that is missing is skipped by name. Results are checked: digests, cells, sizes."""
import glob
import os
import shlex
import shutil
import statistics
import subprocess

import performance_page
from against_unpack import Compaction, Unpacked, cell_files
from hbase_java import java_command
from measure import COLUMNS, NOW_MS, VALUES, Measured, Part, demand, manifest
from variants import Variants

WARM_ROUND = 4  # compactions in one JVM; from here on they get no faster

# What a task cannot avoid. Import and compaction prove what goes out by one digest; compaction reads besides.
ROOFLINES = {
    "import": ("text", "lines", "copy", "digest", "encode", "pack", "sums", "write"),
    "check": ("read", "sums", "unpack", "decode", "digest"),
    "compact": ("read", "sums", "unpack", "decode", "copy", "digest", "encode", "pack", "sums", "write"),
}
DUCKDB = """import duckdb, sys
c = duckdb.connect(config={"threads": int(sys.argv[3]), "memory_limit": sys.argv[4] + "B", "temp_directory": sys.argv[5]})
c.execute("SET enable_progress_bar = false")
fields = {"k": "VARCHAR", "ts": "BIGINT", "v1": "VARCHAR", "v2": "VARCHAR", "v3": "VARCHAR", "v4": "VARCHAR"}
c.execute("COPY (SELECT * FROM read_csv(?, header=false, columns=%r) ORDER BY k, ts DESC) TO '%s' (FORMAT parquet, "
          "COMPRESSION snappy)" % (fields, sys.argv[2]), [sys.argv[1]])
print(c.execute("SELECT count(*) FROM '%s'" % sys.argv[2]).fetchone()[0])
"""


class Workload:
    """One workload, its inputs, and what ran on them."""

    def __init__(self, place, name, rows):
        self.place, self.args, self.name, self.rows = place, place.args, name, rows
        self.csv = place.generate(rows, 1, name)
        self.runs = {}
        self.keys = 0  # of all deliveries
        self.dataset = place.path("peers-import")
        self.digests = set()

    def keep(self, name, measured):
        self.runs.setdefault(name, []).append(measured)
        wall = "%8.2f s" % measured.seconds if not name.startswith("roofline") else "          "
        peak = ""
        if isinstance(measured, Measured):
            peak = "  peak %6.0f MB memory, %6.0f MB disk" % (measured.rss_mb, measured.disk_mb)
        print("%-3s %-24s %s  CPU %7.2f s%s" % (self.name, name, wall, measured.cpu, peak), flush=True)

    def tool(self, program, *words):
        return [self.place.built("bin/obkv-" + program), *words]

    # ---- ours ----

    def import_argv(self, out, csv, partition, memory=None, threads=None):
        return self.place.import_argv(out, [csv], "--partition", partition, "--codec", "snappy", "--set", "BLOOMFILTER=row",
                                      *self.place.common(memory or self.args.memory, threads),
                                      *shlex.split(self.args.import_args))

    def imported(self):
        out = self.place.fresh("peers-import")
        self.keep("import", Measured(self.import_argv(out, self.csv, "key:97"), [out]))
        m = manifest(out)
        totals, read = m["totals"], m["ledger"]["records"]["read"]
        demand(read == self.rows, "%d of %d rows read" % (read, self.rows))
        demand(totals["cells"] == VALUES * self.rows, "%d cells of %d rows" % (totals["cells"], self.rows))
        self.digests.add(totals["digest"])

    def read_back(self):
        common = self.place.common(self.args.memory)
        quiet = {"stdout": subprocess.DEVNULL}
        self.keep("check", Measured(self.tool("verify", "check", *common, self.dataset), [], **quiet))
        self.keep("diff", Measured(self.tool("verify", "diff", *common, self.dataset, self.dataset), [], **quiet))
        out = self.place.fresh("peers-export")
        self.keep("export", Measured(self.tool("export", "--format", "csv", *common, "-o", out, self.dataset), [out]))
        shutil.rmtree(out, ignore_errors=True)

    def deliveries(self):
        made, csvs = [], []
        for i in range(self.args.inputs):
            out = self.place.fresh("peers-%d" % i)
            csvs.append(self.place.generate(max(1, self.rows // self.args.inputs), 2 + i, self.name))
            subprocess.run(self.import_argv(out, csvs[-1], "none"), check=True)
            made.append(out)
        keys = "cat %s | cut -d, -f1 | LC_ALL=C sort -u -S 1G | wc -l" % " ".join(map(shlex.quote, csvs))
        self.keys = int(subprocess.run(keys, shell=True, check=True, capture_output=True).stdout)
        return made

    def compact_argv(self, threads):
        return self.tool("compact", "--versions", "1", "--now", NOW_MS, "--codec", "snappy", "--set", "BLOOMFILTER=row",
                         *self.place.common(self.args.memory, threads))

    def compacted(self, inputs):
        out = self.place.fresh("peers-compacted")
        self.keep("compact", Measured([*self.compact_argv(self.args.threads), "-o", out, *inputs], [out]))
        m = manifest(out)
        cells, read = m["totals"]["cells"], m["ledger"]["cells"]["in"]["cells"]
        given = sum(manifest(one)["totals"]["cells"] for one in inputs)
        demand(read == given, "the compaction read %d of %d cells" % (read, given))
        demand(cells == VALUES * self.keys, "the compaction left %d cells of %d keys" % (cells, self.keys))
        return cells

    # ---- others ----

    def sort(self, name="GNU sort", memory=None):
        top = self.place.fresh("peers-sort")
        os.mkdir(top)
        out = os.path.join(top, "sorted.csv")
        argv = ["sort", "-S", memory or self.args.memory, "--parallel=%d" % self.args.threads, "-T", top, "-o", out, self.csv]
        self.keep(name, Measured(argv, [top], env=dict(os.environ, LC_ALL="C")))
        demand(os.path.getsize(out) == os.path.getsize(self.csv), "sort lost bytes")
        shutil.rmtree(top)

    def duckdb(self):
        top = self.place.fresh("peers-duckdb")
        os.mkdir(top)
        out = os.path.join(top, "sorted.parquet")
        argv = [self.args.python, "-c", DUCKDB, self.csv, out, str(self.args.threads), self.args.memory, top]
        with open(os.path.join(top, "rows"), "w+") as rows:
            self.keep("DuckDB", Measured(argv, [top], stdout=rows))
            rows.seek(0)
            demand(int(rows.read()) == self.rows, "DuckDB lost rows")
        shutil.rmtree(top)

    def shell(self, name, command):
        """A pipeline in a folder of its own, which prints the number of cells."""
        top = self.place.fresh("peers-other")
        os.mkdir(top)
        with open(os.path.join(top, "cells"), "w+") as cells:
            self.keep(name, Measured(["bash", "-c", "set -o pipefail; " + command.replace("TOP", shlex.quote(top))], [top],
                                     stdout=cells, stderr=subprocess.DEVNULL))
            cells.seek(0)
            put = int(cells.read())
        demand(0.99 * VALUES * self.rows <= put <= VALUES * self.rows, "%s: %d cells" % (name, put))
        shutil.rmtree(top)

    def rocksdb(self):
        self.shell("sort + SstFileWriter", "LC_ALL=C sort -S %s --parallel=%d -T TOP %s | %s TOP/sst" % (
            self.args.memory, self.args.threads, shlex.quote(self.csv), shlex.quote(self.place.built("bench/write_rocksdb"))))

    def mtbl(self):
        self.shell("mtbl sorter", "%s %d TOP TOP/mtbl < %s" % (
            shlex.quote(self.place.built("bench/sort_mtbl")), megabytes(self.args.memory), shlex.quote(self.csv)))

    def import_tsv(self, java):
        work = self.place.fresh("peers-importtsv")
        os.makedirs(work)
        os.sync()
        done = subprocess.run([*java, self.csv, COLUMNS, "97", str(self.args.threads), work], capture_output=True, text=True)
        demand(done.returncode == 0, done.stderr[-2000:])
        shutil.rmtree(work)
        cells, seconds, cpu = done.stdout.split()
        demand(int(cells) == VALUES * self.rows, "ImportTsv: %s cells of %d rows" % (cells, self.rows))
        self.keep("ImportTsv", Part(float(cpu), float(seconds)))

    def hbase_compaction(self, java, inputs, cells):
        work = self.place.fresh("peers-hbase")
        os.makedirs(work)
        files = [path for out in inputs for path in cell_files(out)]
        done = subprocess.run([*java, "snappy", str(WARM_ROUND), work, *files], capture_output=True, text=True)
        demand(done.returncode == 0, done.stderr[-2000:])
        shutil.rmtree(work)
        warm = [Compaction(text) for text in done.stdout.splitlines()][-1]
        demand(warm.cells == cells, "survivors differ: %d and %d" % (cells, warm.cells))
        self.keep("HBase compaction", Part(warm.cpu, warm.seconds))

    # ---- limits ----

    def parts(self, files):
        done = subprocess.run([self.place.built("bench/roofline"), self.csv, *files], capture_output=True, text=True)
        demand(done.returncode == 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines()]
        return {line[0]: float(line[1]) for line in lines if line[0] != "cells"}, lines[-1]

    def limits(self, inputs):
        files = cell_files(self.dataset)
        unpacked = Unpacked(self.place, files)
        self.keep("decompression", Part(unpacked.cpu, unpacked.seconds))
        parts, (_, cells, digest) = self.parts(files)
        demand(digest == manifest(self.dataset)["totals"]["digest"], "the roofline hashed other cells (%s)" % cells)
        for task in ("import", "check"):
            self.keep("roofline " + task, Part(sum(parts[p] for p in ROOFLINES[task])))
        parts, _ = self.parts([path for out in inputs for path in cell_files(out)])
        self.keep("roofline compact", Part(sum(parts[p] for p in ROOFLINES["compact"])))

    def round(self, peers, java, inputs, variants):
        self.imported()
        for name in peers:
            getattr(self, name)()
        if java:
            self.import_tsv(java["ImportTsvSpeed"])
        self.read_back()
        cells = self.compacted(inputs)
        if java:
            self.hbase_compaction(java["CompactSpeed"], inputs, cells)
        self.limits(inputs)
        if variants:
            variants.round()

    def run(self, peers, java):
        inputs = self.deliveries()
        variants = Variants(self, inputs) if self.name == "w1" else None
        for _ in range(self.args.runs):
            self.round(peers, java, inputs, variants)
        demand(len(self.digests) == 1, "imports of one file have different digests: %s" % sorted(self.digests))
        subprocess.run(self.tool("verify", "check", "--quiet", self.place.path("peers-compacted")), check=True,
                       stdout=subprocess.DEVNULL)
        if variants:
            variants.remove()
        for out in (*inputs, *glob.glob(self.place.path("peers-*"))):
            shutil.rmtree(out, ignore_errors=True)

    # ---- figures ----

    def figures(self):
        """Medians by task: seconds, CPU, user, system, faults, memory."""
        fields = ("seconds", "cpu", "user", "sys", "faults", "rss_mb")
        return {name: {f: statistics.median(getattr(r, f) for r in runs) for f in fields if hasattr(runs[0], f)}
                for name, runs in self.runs.items()}


def megabytes(text):
    return int(text[:-1]) * {"M": 1, "G": 1024}[text[-1]]


class Peers:
    def __init__(self, place):
        self.place, self.args = place, place.args

    def found(self):
        """Methods of the peers that there are; the others are named."""
        has_duckdb = subprocess.run([self.args.python, "-c", "import duckdb"], capture_output=True).returncode == 0
        there = {"sort": True, "duckdb": has_duckdb, "rocksdb": os.path.exists(self.place.built("bench/write_rocksdb")),
                 "mtbl": os.path.exists(self.place.built("bench/sort_mtbl"))}
        needs = {"duckdb": "Python package duckdb", "rocksdb": "librocksdb-dev", "mtbl": "libmtbl-dev"}
        for name in needs:
            if not there[name]:
                print("peers: %s is skipped: %s is missing" % (name, needs[name]))
        return [name for name in there if there[name]]

    def hbase(self):
        """Commands of our Java programs by name; none where HBase is not to be had."""
        commands = {}
        for program in ("ImportTsvSpeed", "CompactSpeed"):
            commands[program] = java_command(self.place, program, "peers")
            if not commands[program]:
                return {}
        return commands

    def run(self):
        peers, java = self.found(), self.hbase()
        done = {}
        for name, rows in (("w1", self.args.rows), ("w2", max(1, self.args.rows // 3))):
            work = Workload(self.place, name, rows)
            work.run(peers, java)
            done[name] = {"rows": rows, "bytes": os.path.getsize(work.csv), "figures": work.figures(),
                          "ratios": performance_page.ratios(work.runs)}
        run = performance_page.described(self.args, done)
        print(performance_page.tables(run))
        if self.args.record:
            performance_page.record(self.args.record, run)
