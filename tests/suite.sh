#!/bin/sh
# Usage: suite.sh DIR 'NAME|COMMAND': one of several suites that run at once (`suites` of tally.sh). Says that it began, shows its
# output when it has ended, in one piece, and leaves its counts in DIR/NAME.counts, its log in DIR/NAME.log and the tests that
# failed in DIR/NAME.failed. A suite that has no end is stopped after SUITE_TIMEOUT seconds (2400), and has failed.
dir=$1 name=${2%%|*} command=${2#*|}
. tests/tally.sh
started=$(date +%s)
echo "== $name (its output comes when it ends)"
log="$dir/$name.log"
export OBKV_FAILED_TO="$dir/$name.failed"
: >"$OBKV_FAILED_TO"
{ timeout --foreground -k 30 "${SUITE_TIMEOUT:-2400}" sh -c "$command" 2>&1; echo "suite exit $?"; times; } </dev/null >"$log"
counts=$(tally_count "$log")
{
    flock 9
    sed '/^suite exit [0-9]*$/,$d' "$log"
    tally_line "$name" "$started" "$log" $counts
} 9>"$dir/.lock"
echo "$counts" >"$dir/$name.counts"
