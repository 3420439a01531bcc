#!/bin/sh
# `make bench`: speed beside others, after the results have been checked; medians and ratios. Needs python3. Parts:
#   scan      HFiles of several codecs and encodings read beside HBase's own reader (needs what tests/interop needs)
#   snapshot  import of a snapshot of W1 beside the CSV
#   check     full check of W1 as many files and as a huge one, over what decompressing them alone takes
#   compact   compaction of BENCH_INPUTS files in one partition (4 x 10 M cells unless told otherwise), over the same, beside
#             HBase's own major compaction of them
#   map       import of W1 by --columns and by mappings, one with four dates a row (docs/mapping.md)
#   wal       a write-ahead log read beside HBase's own reader and its WALPrettyPrinter (needs what tests/interop needs)
#   packed    imports of W1 compressed by gzip, bgzip, zstd, pzstd, xz and bzip2 beside the plain text, by one thread and by all
#   plan      plans for W1 by blocks, by rows and of everything beside its import (docs/plan.md)
#   peers     import, compaction, check, diff and export of W1 and W2 beside others, beside decompression alone, and beside a
#             roofline, interleaved; peers that are missing are named. W1 also with little memory, one thread, one partition, from
#             a snapshot, and as nights onto a base. BENCH_RECORD=NAME: the figures go into docs/performance.md,
#             as those of release NAME. In two minutes: BENCH_PARTS=peers BENCH_ROWS=400000 BENCH_RUNS=1 make bench
# Usage: run.sh BUILD      Smaller or other runs by environment:
#   BENCH_PARTS="scan snapshot check compact map plan wal packed peers"
#   BENCH_ROWS=10000000    rows of W1 (about 130 bytes each)
#   BENCH_RUNS=3           runs of each side, interleaved; medians are printed
#   BENCH_MEMORY=4G        --memory of the tools, -S of sort
#   BENCH_SMALL=512M       --memory of a further import and GNU sort of W1, which spill (empty: leave out)
#   BENCH_THREADS=2        --threads of the tools, --parallel of sort
#   BENCH_INPUTS=4         datasets of BENCH_ROWS / BENCH_INPUTS rows each that are compacted into one
#   BENCH_DIR=BUILD/bench-data   where everything lies (about 12 times the CSV); the CSVs are kept for the next time
#   BENCH_IMPORT_ARGS=     more options for obkv-import, for the peers
#   BENCH_SCAN_ROWS=2000000  rows of the files that are scanned
#   BENCH_REGIONS=10       of the snapshot
#   BENCH_PYTHON=python3   one that has the package duckdb, for the peers
build=${1:?usage: run.sh BUILD}
command -v python3 >/dev/null || { echo "bench: python3 is needed" >&2; exit 2; }
exec python3 -B "$(dirname "$0")/bench.py" --build "$build" --dir "${BENCH_DIR:-$build/bench-data}" \
    --rows "${BENCH_ROWS:-10000000}" --runs "${BENCH_RUNS:-3}" --memory "${BENCH_MEMORY:-4G}" --small "${BENCH_SMALL-512M}" \
    --threads "${BENCH_THREADS:-2}" --inputs "${BENCH_INPUTS:-4}" --import-args="${BENCH_IMPORT_ARGS:-}" \
    --scan-rows "${BENCH_SCAN_ROWS:-2000000}" --regions "${BENCH_REGIONS:-10}" \
    --python "${BENCH_PYTHON:-python3}" --record "${BENCH_RECORD:-}" \
    ${BENCH_PARTS:-scan snapshot check compact map plan wal packed peers}
