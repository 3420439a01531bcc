#!/bin/sh
# Usage: hours.sh [add MACHINE SECONDS BUILD]
# Without arguments: hours of fuzzing per target, summed up over machines and days from tests/fuzz/hours.tsv, fewest first; ends
# with 1 if one of them has less than LEAST (1) hours.
# add: appends a line per target for the run whose logs lie in BUILD/failing: day, machine, target, seconds, executions.
log=tests/fuzz/hours.tsv least=${LEAST:-1}
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" = add ]; then
    machine=${2:?} seconds=${3:?} build=${4:?}
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/failing/$name.log" 2>/dev/null)
        [ -n "$runs" ] && printf '%s\t%s\t%s\t%s\t%s\n' "$(date -u +%F)" "$machine" "${name#fuzz_}" "$seconds" "$runs"
    done >>"$log"
    exit
fi
for source in tests/fuzz/fuzz_*.c; do basename "$source" .c | sed 's/^fuzz_//'; done |
    awk -F '\t' -v least="$least" '
        NR == FNR { if ($0 !~ /^#/) { seconds[$3] += $4; runs[$3] += $5 } next }
        { printf "%7.2f hours %12d executions  %s\n", seconds[$1] / 3600, runs[$1], $1; total += seconds[$1]
          if (seconds[$1] < least * 3600) short++ }
        END { printf "%7.2f hours in all; %d targets have less than %g\n", total / 3600, short, least
              exit short > 0 }
    ' "$log" - | sort -n -k 1
