#!/bin/sh
# Usage: coverage.sh BUILD: what unit tests, CLI cases, the replay of the fuzz corpora and some suites reach of libsst and
# formats, in a build with CONFIG=coverage. Prints a line for each file, worst first, and the sums. Fails below 95 % of lines or
# 82 % of branches.
# docs/testing.md argues what is not reached. Needs gcovr (samples/setup.sh coverage).
build=${1:?usage: coverage.sh BUILD}
export OBKV_DRAW=all
find "$build" -name '*.gcda' -delete
sh tests/unit/run.sh "$build" | tail -n 1
sh tests/fuzz/run.sh "$build" | tail -n 1
CLI_TIMEOUT=600 python3 tests/cli/run.py --bin "$build/bin" | tail -n 1
for script in remote remote_outputs wals read_by_rows copied_blocks kinds mistakes signing exports planted hbase_trees; do
    python3 -B tests/cli/$script.py "$build/bin" | tail -n 1
done
# The public library, whose tests are built here against the same objects.
api=$build/api libs=$(make -s CONFIG=coverage --eval='print-libs: ; @echo $(LDLIBS)' print-libs)
columns=id=HBASE_ROW_KEY,updated_ms=HBASE_TS_KEY,name=info:name,email=info:email,city=info:city,note=info:note
columns=$columns,logins=stat:logins,last_seen=stat:last_seen,score=stat:score
rm -rf "$api" && mkdir -p "$api/files" "$api/sorted"
for source in tests/api/write_and_read tests/api/scans tests/api/arrow tests/api/tables tests/api/sorting tests/api/no_memory \
    samples/api/write samples/api/merge samples/api/read samples/api/read_callbacks; do
    gcc -std=gnu99 -D_GNU_SOURCE -w --coverage -fopenmp -pthread -Ilibsst/include -Itests/api -o "$api/${source##*/}" \
        "$source.c" "$build/libsst.a" $libs
done
"$build/bin/obkv-import" -q --ddl samples/users.sql --columns "$columns" --header -o "$api/users" samples/users.csv
{
    for test in write_and_read scans arrow; do "$api/$test" "$api/files"; done
    "$api/tables" "$api/users" samples/users.sql
    "$api/sorting" "$api/sorted" samples/users.sql
    "$api/no_memory" "$api/sorted"
    "$api/write" "$api/many.hfile" 100000
    "$api/write" "$api/few.hfile" 10
    "$api/merge" "$api/merged.hfile" "$api/few.hfile" "$api/many.hfile"
    "$api/read" "$api/many.hfile" row-00000042 row-00000044
    "$api/read_callbacks" "$api/many.hfile"
} | grep '^not ok'
OBKV_POINTS=1 python3 -B tests/cli/failing_calls.py "$build/bin" | tail -n 1
gcovr --root . --object-directory "$build" --filter libsst/ --filter formats/ --sort-percentage --csv "$build/coverage.csv" \
    --branches --txt "$build/coverage.txt" --json-summary "$build/coverage.json" \
    --fail-under-line 95 --fail-under-branch 82
status=$?
awk -F, 'NR > 1 && $2 > 0 { printf "%5.1f %% of %4d lines, %5.1f %% of branches  %s\n", 100 * $4, $2, 100 * $7, $1 }' \
    "$build/coverage.csv" | sort -n
grep -E '^TOTAL' "$build/coverage.txt"
exit $status
