#!/bin/sh
# Usage: hours.sh [add MACHINE SECONDS BUILD]
# Without arguments: hours of fuzzing per target, summed up over machines and days from tests/fuzz/hours.tsv, executions, and
# how many of them came since the last new edge; fewest hours first. A target is done that has LEAST (1) hours, or found no
# new edge in its last QUIET (1,000,000) executions. Ends with 1 if one of them is not done.
# add: appends a line per target for the run whose logs lie in BUILD/failing: day, machine, target, seconds, executions, those
# since the last new edge. A run without any adds to those of the run before, which left it its corpus in BUILD/found.
log=tests/fuzz/hours.tsv least=${LEAST:-1} quiet=${QUIET:-1000000}
cd "$(dirname "$0")/../.." || exit 1
if [ "${1:-}" = add ]; then
    machine=${2:?} seconds=${3:?} build=${4:?}
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        [ -e "$build/failing/$name.log" ] &&
            awk -v OFS='\t' -v day="$(date -u +%F)" -v machine="$machine" -v name="${name#fuzz_}" -v seconds="$seconds" '
                /^#[0-9]+\t/ {
                    for (i = 2; i < NF; i++) if ($i == "cov:" && $(i + 1) > edges) {
                        edges = $(i + 1)
                        last = $2 == "INITED" ? 0 : substr($1, 2)
                    }
                }
                /^stat::number_of_executed_units:/ { print day, machine, name, seconds, $2, $2 - last }
            ' "$build/failing/$name.log"
    done >>"$log"
    exit
fi
for source in tests/fuzz/fuzz_*.c; do basename "$source" .c | sed 's/^fuzz_//'; done |
    awk -F '\t' -v least="$least" -v quiet="$quiet" '
        NR == FNR {
            if ($0 !~ /^#/) {
                seconds[$3] += $4; runs[$3] += $5
                since[$3] = $6 == "" ? 0 : $6 < $5 ? $6 : since[$3] + $6
            }
            next
        }
        {
            state = seconds[$1] >= least * 3600 ? "hours" : since[$1] >= quiet ? "quiet" : "short"
            printf "%7.2f hours %12d executions, %10d since an edge  %s  %s\n", seconds[$1] / 3600, runs[$1], since[$1], state, $1
            total += seconds[$1]
            of[state]++
        }
        END {
            printf "%7.2f hours in all; ", total / 3600
            printf "%d targets have %g, %d others no new edge in %d executions, %d are short\n", of["hours"], least, of["quiet"],
                quiet, of["short"]
            exit of["short"] > 0
        }
    ' "$log" - | sort -n -k 1
