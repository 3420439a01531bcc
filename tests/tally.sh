# Sourced: runs suites and adds up what they report.
#   suite NAME COMMAND…   runs it, showing its output, and takes its last line "N passed, N failed, N skipped";
#                         a suite that has none, or ends non-zero without a failed test, counts as one failed test
#                         (exit 77: skipped as a whole).
#   suites N [M]          runs the suites of standard input ("NAME|COMMAND", a line each), N at a time; the output of each is
#                         shown when it ends. Those that begin with ~ wait most of their time, for servers and clocks: they run
#                         beside the others, M at a time. Who has nothing left of his own helps with the rest.
#   tally_end             runs what failed once more, alone; prints what failed by suite, what it said the second time, and then
#                         the single sum line; non-zero when something failed twice.
#
# A test that fails on a busy machine and passes alone is FLAKY: shown with both logs, counted in a line before the sum, and no
# failure. A runner that can run a test by name appends a line for each failed test to the file $OBKV_FAILED_TO: the arguments,
# quoted for the shell, that run this test alone. Where lines and failures differ in number, the whole suite runs again. More
# than tally_few failures of a suite are no accident: they are not tried again.
tally_passed=0 tally_failed=0 tally_skipped=0 tally_flaky=0 tally_bad= tally_few=5
tally_dir=$(mktemp -d) || exit 1
trap 'rm -rf "$tally_dir"' EXIT
mkdir "$tally_dir/again"

# Prints "PASSED FAILED SKIPPED EXIT" of a suite whose output is in LOG, which ends with "suite exit N" and the shell's times.
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

# Adds the counts of a suite. Keeps its command, log and failed tests in a directory of its own if any test failed.
tally_add() { # NAME COMMAND LOG FAILED-TESTS PASSED FAILED SKIPPED EXIT
    tally_passed=$((tally_passed + $5)) tally_skipped=$((tally_skipped + $7))
    [ "$6" != 0 ] || return 0
    tally_kept=$(mktemp -d "$tally_dir/again/$(ls "$tally_dir/again" | wc -l).XXXX") || exit 1
    printf '%s\n' "$1" >"$tally_kept/name"
    printf '%s\n' "$2" >"$tally_kept/command"
    printf '%s %s\n' "$6" "$8" >"$tally_kept/counts"
    cp "$3" "$tally_kept/log" 2>/dev/null || echo "its output is lost" >"$tally_kept/log"
    [ "$6" != "$(wc -l 2>/dev/null <"$4")" ] || sort "$4" | uniq -c >"$tally_kept/tests"
}

tally_line() { # NAME STARTED LOG PASSED FAILED SKIPPED EXIT
    tally_cpu=$(tail -n 1 "$3" | sed 's/\.[0-9]*s/s/g; s/ / user, /')
    echo "-- $1: $4 passed, $5 failed, $6 skipped in $(($(date +%s) - $2)) s ($tally_cpu system)"
}

suite() {
    tally_name=$1 tally_start=$(date +%s)
    shift
    echo "== $tally_name"
    export OBKV_FAILED_TO="$tally_dir/failed"
    : >"$OBKV_FAILED_TO"
    { "$@" 2>&1; echo "suite exit $?"; times; } | tee "$tally_dir/log" | sed '/^suite exit [0-9]*$/,$d'
    tally_counts=$(tally_count "$tally_dir/log")
    tally_add "$tally_name" "$*" "$tally_dir/log" "$OBKV_FAILED_TO" $tally_counts
    tally_line "$tally_name" "$tally_start" "$tally_dir/log" $tally_counts
}

suites() {
    rm -rf "$tally_dir/beside" && mkdir "$tally_dir/beside"
    cat >"$tally_dir/list"
    grep -v '^~' "$tally_dir/list" >"$tally_dir/beside/.works"
    sed -n 's/^~//p' "$tally_dir/list" >"$tally_dir/beside/.waits"
    sed -i 's/^~//' "$tally_dir/list"
    { yes ".works .waits" | head -n "$1"; yes ".waits .works" | head -n "${2:-0}"; } |
        xargs -P $(($1 + ${2:-0})) -L 1 sh tests/lane.sh "$tally_dir/beside"
    while IFS='|' read -r tally_name tally_command; do
        tally_beside="$tally_dir/beside/$tally_name"
        read -r tally_counts 2>/dev/null <"$tally_beside.counts" || tally_counts="0 1 0 unknown"
        tally_add "$tally_name" "$tally_command" "$tally_beside.log" "$tally_beside.failed" $tally_counts
    done <"$tally_dir/list"
}

# Runs COMMAND once more with nothing beside it. Passed: prints both logs, and counts its failures as flaky.
tally_alone() { # KEPT-DIRECTORY NAME COMMAND FAILURES; not 0 when it failed again
    echo "== again, alone: $2"
    OBKV_FAILED_TO="$1/failed" timeout --foreground -k 30 "${SUITE_TIMEOUT:-2400}" sh -c "$3" >"$1/second" 2>&1 </dev/null
    tally_again=$?
    if [ "$tally_again" = 77 ]; then tally_again=1; fi # what was there the first time is there now
    sed 's/^/    /' "$1/second"
    if [ "$tally_again" != 0 ]; then
        { echo "FAILED TWICE $2:"; grep -vE '^(# )?ok ' "$1/second" | tail -n 40 | sed 's/^/    /'; } >>"$tally_dir/twice"
        return 1
    fi
    tally_flaky=$((tally_flaky + $4)) tally_passed=$((tally_passed + $4))
    echo "FLAKY $2: failed, and passed alone (above). It failed with"
    sed '/^suite exit [0-9]*$/,$d' "$1/log" | grep -vE '^(# )?ok ' | tail -n 120 | sed 's/^/    /'
}

# Decides over one suite with failures.
tally_judge() { # KEPT-DIRECTORY
    read -r tally_f tally_status <"$1/counts"
    tally_name=$(cat "$1/name") tally_command=$(cat "$1/command") tally_left=$tally_f
    if [ "$tally_f" -gt "$tally_few" ]; then
        :
    elif [ -e "$1/tests" ]; then
        tally_left=0
        while read -r tally_n tally_test; do
            tally_alone "$1" "$tally_name: $tally_test" "$tally_command $tally_test" "$tally_n" ||
                tally_left=$((tally_left + tally_n))
        done <"$1/tests"
    elif tally_alone "$1" "$tally_name" "$tally_command" "$tally_f"; then
        tally_left=0
    fi
    tally_failed=$((tally_failed + tally_left))
    if [ "$tally_left" != 0 ]; then tally_bad="$tally_bad
    $tally_name: $tally_left failed, exit $tally_status"; fi
}

tally_end() {
    for tally_kept in "$tally_dir"/again/*; do
        [ ! -d "$tally_kept" ] || tally_judge "$tally_kept"
    done
    if [ -n "$tally_bad" ]; then echo "failed suites:$tally_bad"; fi
    if [ -e "$tally_dir/twice" ]; then cat "$tally_dir/twice"; fi
    if [ "$tally_flaky" != 0 ]; then echo "$tally_flaky flaky: failed once, passed alone (see FLAKY above); find them first"; fi
    echo "$tally_passed passed, $tally_failed failed, $tally_skipped skipped"
    [ "$tally_failed" = 0 ]
}
