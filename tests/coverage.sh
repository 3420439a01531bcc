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
OBKV_POINTS=1 python3 -B tests/cli/failing_calls.py "$build/bin" | tail -n 1
gcovr --root . --object-directory "$build" --filter libsst/ --filter formats/ --sort-percentage --csv "$build/coverage.csv" \
    --branches --txt "$build/coverage.txt" --json-summary "$build/coverage.json" \
    --fail-under-line 95 --fail-under-branch 82
status=$?
awk -F, 'NR > 1 && $2 > 0 { printf "%5.1f %% of %4d lines, %5.1f %% of branches  %s\n", 100 * $4, $2, 100 * $7, $1 }' \
    "$build/coverage.csv" | sort -n
grep -E '^TOTAL' "$build/coverage.txt"
exit $status
