# Sourced: runs suites and adds up what they report.
#   suite NAME COMMAND…   runs it, showing its output, and takes its last line "N passed, N failed, N skipped";
#                         a suite that has none, or ends non-zero without a failed test, counts as one failed test
#                         (exit 77: skipped as a whole).
#   suites N              runs the suites of standard input ("NAME|COMMAND", a line each), N at a time; the output of each
#                         is shown when it ends. For suites that wait, or have one thread: the others use the processors.
#   tally_end             prints what failed by suite and then the single sum line; non-zero when something failed.
tally_passed=0 tally_failed=0 tally_skipped=0 tally_bad=
tally_dir=$(mktemp -d) || exit 1
trap 'rm -rf "$tally_dir"' EXIT

# Prints "PASSED FAILED SKIPPED EXIT" of a suite whose output is in LOG, which ends with "suite exit N".
tally_count() {
    set -- $(sed -n 's/^suite exit //p' "$1" | tail -n 1) \
        $(sed -n 's/^\(.*[^0-9]\)\{0,1\}\([0-9]\{1,\}\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.*$/\2 \3 \4/p' \
            "$1" | tail -n 1)
    tally_status=${1:-1} tally_p=${2:-0} tally_f=${3:-0} tally_s=${4:-0}
    if [ $# = 1 ] && [ "$tally_status" = 0 ]; then tally_p=1; fi
    if [ "$tally_status" = 77 ] && [ "$tally_s" != 0 ]; then tally_status=0; fi # skipped as a whole
    if [ "$tally_status" != 0 ] && [ "$tally_f" = 0 ]; then tally_f=1; fi
    echo "$tally_p $tally_f $tally_s $tally_status"
}

tally_add() { # NAME PASSED FAILED SKIPPED EXIT
    tally_passed=$((tally_passed + $2)) tally_failed=$((tally_failed + $3)) tally_skipped=$((tally_skipped + $4))
    if [ "$3" != 0 ]; then tally_bad="$tally_bad
    $1: $3 failed, exit $5"; fi
}

tally_line() { # NAME STARTED PASSED FAILED SKIPPED EXIT
    echo "-- $1: $3 passed, $4 failed, $5 skipped in $(($(date +%s) - $2)) s"
}

suite() {
    tally_name=$1 tally_start=$(date +%s)
    shift
    echo "== $tally_name"
    { "$@" 2>&1; echo "suite exit $?"; } | tee "$tally_dir/log" | sed '/^suite exit [0-9]*$/d'
    tally_counts=$(tally_count "$tally_dir/log")
    tally_add "$tally_name" $tally_counts
    tally_line "$tally_name" "$tally_start" $tally_counts
}

suites() {
    rm -rf "$tally_dir/beside" && mkdir "$tally_dir/beside"
    cat >"$tally_dir/list"
    xargs -d '\n' -P "$1" -n 1 sh tests/suite.sh "$tally_dir/beside" <"$tally_dir/list"
    while IFS='|' read -r tally_name tally_command; do
        if read -r tally_counts 2>/dev/null <"$tally_dir/beside/$tally_name.counts"; then
            tally_add "$tally_name" $tally_counts
        else
            tally_add "$tally_name" 0 1 0 "unknown"
        fi
    done <"$tally_dir/list"
}

tally_end() {
    if [ -n "$tally_bad" ]; then echo "failed suites:$tally_bad"; fi
    echo "$tally_passed passed, $tally_failed failed, $tally_skipped skipped"
    [ "$tally_failed" = 0 ]
}
