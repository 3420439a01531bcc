# Sourced: runs suites one after the other and adds up what they report.
#   suite NAME COMMAND…   runs it, showing its output, and takes its last line "N passed, N failed, N skipped";
#                         a suite that has none, or ends non-zero without a failed test, counts as one failed test
#                         (exit 77: skipped as a whole).
#   tally_end             prints what failed by suite and then the single sum line; non-zero when something failed.
tally_passed=0 tally_failed=0 tally_skipped=0 tally_bad=
tally_log=$(mktemp) || exit 1
trap 'rm -f "$tally_log"' EXIT

suite() {
    tally_name=$1 tally_start=$(date +%s)
    shift
    echo "== $tally_name"
    { "$@" 2>&1; echo "suite exit $?"; } | tee "$tally_log" | sed '/^suite exit [0-9]*$/d'
    set -- $(sed -n 's/^suite exit //p' "$tally_log" | tail -n 1) \
        $(sed -n 's/^\(.*[^0-9]\)\{0,1\}\([0-9]\{1,\}\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.*$/\2 \3 \4/p' \
            "$tally_log" | tail -n 1)
    tally_status=$1 tally_p=${2:-0} tally_f=${3:-0} tally_s=${4:-0}
    if [ $# = 1 ] && [ "$tally_status" = 0 ]; then tally_p=1; fi
    if [ "$tally_status" = 77 ] && [ "$tally_s" != 0 ]; then tally_status=0; fi # skipped as a whole
    if [ "$tally_status" != 0 ] && [ "$tally_f" = 0 ]; then tally_f=1; fi
    if [ "$tally_f" != 0 ]; then tally_bad="$tally_bad
    $tally_name: $tally_f failed, exit $tally_status"; fi
    tally_passed=$((tally_passed + tally_p)) tally_failed=$((tally_failed + tally_f))
    tally_skipped=$((tally_skipped + tally_s))
    echo "-- $tally_name: $tally_p passed, $tally_f failed, $tally_s skipped in $(($(date +%s) - tally_start)) s"
}

tally_end() {
    if [ -n "$tally_bad" ]; then echo "failed suites:$tally_bad"; fi
    echo "$tally_passed passed, $tally_failed failed, $tally_skipped skipped"
    [ "$tally_failed" = 0 ]
}
