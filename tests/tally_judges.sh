#!/bin/sh
# What tests/tally.sh says of suites that fail: once and pass alone (FLAKY, green), twice (red), by name or as a whole, too often
# to be an accident (red at once). The last line is "N passed, N failed, N skipped".
cd "$(dirname "$0")/.." || exit 1
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
passed=0 failed=0

# A runner of tests a and b. FILE missing: `a b` fails, says so by name unless NAMELESS is given, and leaves FILE; else all pass.
cat >"$dir/once.sh" <<'RUNNER'
file=$1 name=$2
if [ -e "$file" ]; then echo "ran with $name"; echo "1 passed, 0 failed, 0 skipped"; exit 0; fi
touch "$file"
echo "not ok a - because"
[ "$name" = NAMELESS ] || echo "'a b'" >>"$OBKV_FAILED_TO"
echo "3 passed, 1 failed, 0 skipped"
exit 1
RUNNER
printf '%s\n' 'echo "not ok always"; echo always >>"$OBKV_FAILED_TO"; echo "3 passed, 1 failed, 0 skipped"; exit 1' \
    >"$dir/always.sh"
printf '%s\n' 'touch "$1.ran"; [ ! -e "$1" ] || exit 0; touch "$1"; echo "0 passed, 9 failed, 0 skipped"; exit 1' >"$dir/many.sh"
printf '%s\n' 'echo "2 passed, 0 failed, 1 skipped"' >"$dir/good.sh"
# Passes if $1 comes while it waits.
printf '%s\n' 'timeout 60 sh -c "while [ ! -e $1 ]; do sleep 0.1; done" && echo "1 passed, 0 failed, 0 skipped"' >"$dir/waits.sh"

expect() { # NAME EXIT LAST-LINE PATTERN SUITES: suites as `suites 1 2` takes them
    out=$(. tests/tally.sh
        suites 1 2 <<EOS
$5
EOS
        tally_end)
    code=$?
    if [ "$code" = "$2" ] && [ "$(printf '%s\n' "$out" | tail -n 1)" = "$3" ] && printf '%s\n' "$out" | grep -qE -e "$4"; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'not ok %s: exit %s\n%s\n' "$1" "$code" "$out" | sed 's/^/    /'
    fi
}

expect good 0 "2 passed, 0 failed, 1 skipped" "^-- good: 2 passed" "good|sh $dir/good.sh"
expect "flaky, by name" 0 "4 passed, 0 failed, 0 skipped" "^FLAKY x: 'a b': failed, and passed alone" "x|sh $dir/once.sh $dir/1"
expect "only that test runs again" 0 "4 passed, 0 failed, 0 skipped" "^    ran with a b" "x|sh $dir/once.sh $dir/2"
expect "both logs" 0 "4 passed, 0 failed, 0 skipped" "^    not ok a - because" "x|sh $dir/once.sh $dir/3"
expect "counted in a line before the sum" 0 "6 passed, 0 failed, 1 skipped" "^1 flaky: " "x|sh $dir/once.sh $dir/4
good|sh $dir/good.sh"
expect "as a whole" 0 "4 passed, 0 failed, 0 skipped" "^FLAKY x: failed" "x|sh $dir/once.sh $dir/5 NAMELESS"
expect "fails twice" 1 "3 passed, 1 failed, 0 skipped" "^    x: 1 failed, exit 1" "x|sh $dir/always.sh"
expect "what it said the second time" 1 "3 passed, 1 failed, 0 skipped" "^FAILED TWICE x: always:" "x|sh $dir/always.sh"
expect "one of two fails twice" 1 "7 passed, 1 failed, 0 skipped" "^1 flaky: " "x|sh $dir/once.sh $dir/6
y|sh $dir/always.sh"
expect "who waits runs beside the others, and lanes help each other" 0 "6 passed, 0 failed, 1 skipped" "^-- z: 1 passed" \
    "~x|sh $dir/waits.sh $dir/came
~y|sh $dir/waits.sh $dir/came
a|sh $dir/good.sh
b|touch $dir/came
~z|sh $dir/waits.sh $dir/came"
export SUITE_TIMEOUT=2
expect "a suite that has no end" 1 "0 passed, 1 failed, 0 skipped" "^    x: 1 failed, exit 124" "x|sleep 1000"
unset SUITE_TIMEOUT
expect "too many" 1 "0 passed, 9 failed, 0 skipped" "^    x: 9 failed" "x|sh $dir/many.sh $dir/7"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
