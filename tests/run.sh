#!/bin/sh
# Everything: installs what tests need, builds, runs all suites, goes on after failures, and ends with the single line
# "N passed, N failed, N skipped"; non-zero when something failed twice (tests/tally.sh). About 45 minutes on two processors.
# OBKV_REQUIRE_INTEROP=1: tests against real counterparts (HBase, HDFS, Spark, Slurm, Airflow …) whose software is missing count
# as failed; those of a group that samples/setup.sh could not install are skipped.
cd "$(dirname "$0")/.." || exit 1
started=$(date +%s)
. tests/tally.sh
jobs=$(nproc)

built() { # NAME MAKE-ARGUMENT…: a build that fails counts once and its suites fail by themselves
    name=$1
    shift
    if ! make -s -k -j"$jobs" "$@"; then echo "build failed: make $*" && return 1; fi
    echo "1 passed, 0 failed, 0 skipped"
}

suite "packages: build, test" sh samples/setup.sh build test
if ! sh samples/setup.sh interop; then
    echo "Java and Maven cannot be installed: tests/interop/run.sh will say so" >&2
fi
for group in engines s3 python install; do
    if ! sh samples/setup.sh $group; then
        echo "the group $group of samples/setup.sh cannot be installed: tests that need it will say so" >&2
        export OBKV_CANNOT_HAVE="${OBKV_CANNOT_HAVE:-} $group"
    fi
done
# Objects of the same source and flags are made once, in whatever directory: a second run compiles little.
export PATH="/usr/lib/ccache:$PATH" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
suite "build release" built release all unit replay
# Lint, the library and packages have one process most of the time. Each makes pages and libraries: one waits for another.
suites 2 <<EOF
lint|flock -o build sh tests/lint/run.sh
tests that fail once|sh tests/tally_judges.sh
unit|sh tests/unit/run.sh build/release
cli|python3 tests/cli/run.py --bin build/release/bin
the library, installed|flock -o build sh tests/api/run.sh release
packages and installation|flock -o build sh tests/packages/run.sh build/release
compaction vectors|python3 tests/cli/compaction_vectors.py build/release/bin
EOF
if ! sh samples/setup.sh browser; then
    echo "Chromium cannot be installed: tests/cli/skew_page.py, simulate_page.py and proof_page.py will say so" >&2
fi
for script in memory_kept memory_lists limits_of_system; do
    suite "cli: $script" python3 tests/cli/$script.py build/release/bin
done
suites 2 <<EOF
$(for script in roundtrip damage faults archives remote remote_outputs changing_inputs failing_calls planted read_by_rows \
    skew_page proof_page shards exports simulate_page same_datasets settings signing golden verify_failures \
    killed_overwrites hbase_trees packed_trees wals kinds many_files mistakes gates side_by_side completion \
    extreme_rows many_cells help_widths copied_blocks flips migrating examples; do
    echo "cli: $script|python3 tests/cli/$script.py build/release/bin"
done
for model in tests/prop/*.py; do
    echo "properties: $(basename "$model" .py)|python3 $model build/release/bin"
done)
inputs on HDFS|sh tests/remote/run.sh build/release/bin
engines: kube|python3 -B tests/engines/kube.py build/release/bin
engines: slurm|python3 -B tests/engines/slurm.py build/release/bin
Python|python3 -B tests/python/package.py build/release/bin
Parquet, ORC, Avro|python3 -B tests/python/parquet.py build/release/bin
snapshot of HBase|sh samples/hbase_snapshot.sh
EOF
suite "engines: scale" python3 -B tests/engines/scale.py build/release/bin
suite "quickstart" sh tests/quickstart.sh

suite "build asan" built asan CONFIG=asan all unit replay
suites 2 <<EOF
cli (asan)|CLI_TIMEOUT=600 python3 tests/cli/run.py --bin build/asan/bin
unit (asan)|sh tests/unit/run.sh build/asan
fuzz replay (asan)|sh tests/fuzz/run.sh build/asan
EOF

# -Werror: tests/lint/warnings.sh lets clang read the sources only; here it makes code of them. Of the unit tests, those that
# worked with threads above: the others cannot show a race.
threaded=$(sh tests/unit/run.sh build/release --threaded)
suite "build tsan" built tsan CONFIG=tsan CC=clang EXTRA_CFLAGS=-Werror all $(printf 'build/tsan/test/%s ' $threaded)
suites 2 <<EOF
cli (tsan)|CLI_TIMEOUT=600 python3 tests/cli/run.py --tsan --bin build/tsan/bin
unit (tsan)|sh tests/unit/run.sh build/tsan $threaded
EOF

if ! sh samples/setup.sh oceanbase; then
    echo "the engine of OceanBase and MariaDB cannot be installed: tests/oceanbase/loads.py will say so" >&2
fi
if ! sh samples/setup.sh spark; then
    echo "Java and Maven cannot be installed: tests/spark/run.sh will say so" >&2
fi
suite "no databases" python3 -B tests/oceanbase/missing.py
# The longest first: servers and clusters that start, wait and stop.
suites 2 <<EOF
interop with HBase|sh tests/interop/run.sh
databases|sh tests/oceanbase/run.sh build/release/bin
Spark|sh tests/spark/run.sh build/release/bin
engines: airflow_dag|python3 -B tests/engines/airflow_dag.py build/release/bin
snapshot into OceanBase|sh samples/load_oceanbase.sh
EOF
echo "took $(($(date +%s) - started)) s"
tally_end
