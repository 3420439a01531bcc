#!/bin/sh
# Usage: run.sh BUILD [NAME…]: runs the unit test programs of BUILD/test (all those with a source, or the named ones),
# two at a time, each with the repository root as working directory, and counts their single tests (cmocka, TAP).
# run.sh BUILD --threaded: prints the names of those that worked with several threads when they last ran in BUILD, which are
# those that can show a race; all names, unless all have run. OpenMP says so when a thread joins in; those that start threads of
# their own say it in their source.
build=${1:?usage: run.sh BUILD [NAME... | --threaded]}
if [ "$1" = --one ]; then
    name=$3 log=$2/unit/$3.log
    export OMP_DISPLAY_AFFINITY=true OMP_AFFINITY_FORMAT='OpenMP thread %n of %N'
    CMOCKA_MESSAGE_OUTPUT=TAP timeout "${UNIT_TIMEOUT:-900}" "$2/test/$name" >"$log" 2>"$log.err"
    status=$?
    grep -cE 'OpenMP thread [0-9]+ of ([2-9]|[0-9]{2,})' "$log.err" >"$2/unit/$name.threads"
    grep -v '^OpenMP thread ' "$log.err" >>"$log"
    rm -f "$log.err"
    # cmocka's TAP: "ok N - name", "not ok N - name" with "#" lines behind it, "not ok N # SKIP name" or "ok N # SKIP".
    awk -v name="$name" -v status="$status" -v log_file="$log" -v failed_to="${OBKV_FAILED_TO:-}" '
        /^1\.\.[0-9]+/ { plan += substr($1, 4) }
        /^(not )?ok [0-9]+ # SKIP/ { skipped++; next }
        /^ok [0-9]+/ { passed++; next }
        /^not ok [0-9]+/ { failed++ }
        END {
            missing = plan - passed - failed - skipped
            if (missing > 0) failed += missing
            if (!plan || (status != 0 && !failed)) failed++
            printf "%s %s: %d passed, %d failed, %d skipped", failed ? "not ok" : "ok", name, passed, failed, skipped
            if (failed) printf " (exit %d, %s)", status, log_file
            printf "\n"
            for (i = 0; i < failed && failed_to != ""; i++) print name >>failed_to
            exit failed != 0
        }' "$log" && exit 0
    grep -v '^ok ' "$log" | tail -n 40 | sed 's/^/    /'
    exit 1
fi
shift
all=$(ls tests/unit/t_*.c 2>/dev/null | sed 's|.*/||; s|\.c$||')
if [ "${1:-}" = --threaded ]; then
    threaded=
    for name in $all; do
        seen=$(cat "$build/unit/$name.threads" 2>/dev/null) || { threaded=; break; }
        [ "$seen" = 0 ] || threaded="$threaded $name"
    done
    own=$(grep -lE 'pthread_create|instream_use_threads' tests/unit/t_*.c | sed 's|.*/||; s|\.c$||')
    [ -z "$threaded" ] || threaded=$(printf '%s\n' $threaded $own | sort -u)
    echo ${threaded:-$all}
    exit
fi
. tests/sanitizers.sh
mkdir -p "$build/unit"
[ $# -gt 0 ] || set -- $all
printf '%s\n' "$@" | xargs -r -P 2 -n 1 sh "$0" --one "$build" >"$build/unit/all.log"
cat "$build/unit/all.log"
sed -n 's/^\(not \)*ok [^:]*: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.*/\2 \3 \4/p' "$build/unit/all.log" |
    awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f != 0 }'
