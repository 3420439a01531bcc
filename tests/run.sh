#!/bin/sh
# Everything: installs what tests need, builds, runs all suites, goes on after failures, and ends with the single line
# "N passed, N failed, N skipped"; non-zero when something failed twice (tests/tally.sh). About 35 minutes on two processors.
# OBKV_REQUIRE_INTEROP=1: tests against real counterparts (HBase, HDFS, Spark, Slurm, Airflow …) whose software is missing count
# as failed; those of a group that samples/setup.sh could not install are skipped.
# Long loops draw a part of their places, another one in each run: OBKV_DRAW, which is printed, draws the same again.
cd "$(dirname "$0")/.." || exit 1
started=$(date +%s)
. tests/tally.sh
export OBKV_DRAW="${OBKV_DRAW:-$started}"
echo "OBKV_DRAW=$OBKV_DRAW"
rm -f build/*/built

suite "packages: build, test" sh samples/setup.sh build test
# Objects of the same source and flags are made once, in whatever directory: a second run compiles little.
export PATH="/usr/lib/ccache:$PATH" CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
# What others need is installed while the programs are built.
cannot=$(mktemp)
for group in engines s3 python install interop spark browser oceanbase; do
    if ! sh samples/setup.sh $group >"$cannot.log" 2>&1; then
        cat "$cannot.log"
        echo "the group $group of samples/setup.sh cannot be installed: tests that need it will say so"
        echo "$group" >>"$cannot"
    fi
done &
suite "build release" sh tests/built.sh release all unit replay
wait $!
OBKV_CANNOT_HAVE="${OBKV_CANNOT_HAVE:-} $(tr '\n' ' ' <"$cannot")"
export OBKV_CANNOT_HAVE
rm -f "$cannot" "$cannot.log"

# Those that mostly wait (~), the longest first, are two beside two that compute: the processors always have something to do.
# Compilers, lint and sanitizers let the others pass (nice). Lint, the library and packages make pages and libraries: one waits
# for another. What needs a build of sanitizers comes well behind it. That for ThreadSanitizer is by clang, with -Werror: lint
# shows clang only the sources that it has not (tests/lint/warnings.sh). Of the unit tests, those that worked with threads in the
# build without sanitizers run with it: the others cannot show a race.
bin=build/release/bin
threaded='$(sh tests/unit/run.sh build/release --threaded)'
suites 2 2 <<EOF
~databases: OceanBase|sh tests/oceanbase/run.sh $bin --only engine
~interop with HBase|sh tests/interop/run.sh
~databases: beside HBase|sh tests/oceanbase/run.sh $bin --only hbase
~Spark|sh tests/spark/run.sh $bin
~databases: MariaDB|sh tests/oceanbase/run.sh $bin --only mariadb
~cli: remote|python3 tests/cli/remote.py $bin
~cli: remote_outputs|python3 tests/cli/remote_outputs.py $bin
~cli: changing_inputs|python3 tests/cli/changing_inputs.py $bin
~inputs on HDFS|sh tests/remote/run.sh $bin
~engines: airflow_dag|python3 -B tests/engines/airflow_dag.py $bin
$(for script in skew_page simulate_page proof_page; do
    echo "~cli: $script|python3 tests/cli/$script.py $bin"
done)
~snapshot into OceanBase|sh samples/load_oceanbase.sh
~engines: slurm|python3 -B tests/engines/slurm.py $bin
~engines: kube|python3 -B tests/engines/kube.py $bin
~no databases|python3 -B tests/oceanbase/missing.py
unit|sh tests/unit/run.sh build/release
cli|python3 tests/cli/run.py --bin $bin
tests that fail once|sh tests/tally_judges.sh
build asan|nice -n 5 sh tests/built.sh asan all unit replay
lint|LINT_CLANG=test-objects nice -n 5 flock -o build sh tests/lint/run.sh
compaction vectors|python3 tests/cli/compaction_vectors.py $bin
$(for script in faults roundtrip damage; do
    echo "cli: $script|python3 tests/cli/$script.py $bin"
done)
cli (asan)|CLI_TIMEOUT=900 nice -n 5 sh tests/built.sh after asan python3 tests/cli/run.py --draw 3 --bin build/asan/bin
the library, installed|flock -o build sh tests/api/run.sh release
$(for script in memory_kept memory_lists limits_of_system archives failing_calls planted read_by_rows shards exports \
    same_datasets settings signing golden verify_failures killed_overwrites hbase_trees packed_trees wals kinds many_files \
    mistakes gates side_by_side completion extreme_rows many_cells help_widths copied_blocks flips migrating examples; do
    echo "cli: $script|python3 tests/cli/$script.py $bin"
done)
build tsan|nice -n 5 sh tests/built.sh tsan CC=clang EXTRA_CFLAGS=-Werror all \$(printf "build/tsan/test/%s " $threaded)
unit (asan)|nice -n 5 sh tests/built.sh after asan sh tests/unit/run.sh build/asan
packages and installation|flock -o build sh tests/packages/run.sh build/release
$(for model in tests/prop/*.py; do
    echo "properties: $(basename "$model" .py)|python3 $model $bin"
done)
cli (tsan)|CLI_TIMEOUT=900 nice -n 5 sh tests/built.sh after tsan python3 tests/cli/run.py --tsan --draw 4 --bin build/tsan/bin
unit (tsan)|nice -n 5 sh tests/built.sh after tsan sh tests/unit/run.sh build/tsan $threaded
fuzz replay (asan)|nice -n 5 sh tests/built.sh after asan sh tests/fuzz/run.sh build/asan
Python|python3 -B tests/python/package.py $bin
Parquet, ORC, Avro|python3 -B tests/python/parquet.py $bin
engines: scale|python3 -B tests/engines/scale.py $bin
snapshot of HBase|sh samples/hbase_snapshot.sh
quickstart|sh tests/quickstart.sh
EOF
echo "took $(($(date +%s) - started)) s"
tally_end
