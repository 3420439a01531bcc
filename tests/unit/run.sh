#!/bin/sh
# Usage: run.sh BUILD [NAME…]: runs the unit test programs of BUILD/test (all those with a source, or the named ones),
# two at a time, each with the repository root as working directory, and counts their single tests (cmocka, TAP).
build=${1:?usage: run.sh BUILD [NAME...]}
if [ "$1" = --one ]; then
    name=$3 log=$2/unit/$3.log
    CMOCKA_MESSAGE_OUTPUT=TAP timeout "${UNIT_TIMEOUT:-900}" "$2/test/$name" >"$log" 2>&1
    status=$?
    # cmocka's TAP: "ok N - name", "not ok N - name" with "#" lines behind it, "not ok N # SKIP name" or "ok N # SKIP".
    awk -v name="$name" -v status="$status" -v log_file="$log" '
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
            exit failed != 0
        }' "$log" && exit 0
    grep -v '^ok ' "$log" | tail -n 40 | sed 's/^/    /'
    exit 1
fi
shift
. tests/sanitizers.sh
mkdir -p "$build/unit"
[ $# -gt 0 ] || set -- $(ls tests/unit/t_*.c 2>/dev/null | sed 's|.*/||; s|\.c$||')
printf '%s\n' "$@" | xargs -r -P 2 -n 1 sh "$0" --one "$build" >"$build/unit/all.log"
cat "$build/unit/all.log"
sed -n 's/^\(not \)*ok [^:]*: \([0-9]*\) passed, \([0-9]*\) failed, \([0-9]*\) skipped.*/\2 \3 \4/p' "$build/unit/all.log" |
    awk '{ p += $1; f += $2; s += $3 } END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f != 0 }'
