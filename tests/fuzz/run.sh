#!/bin/sh
# Usage: run.sh BUILD [SECONDS]
# Without SECONDS: replays tests/fuzz/corpus/<name>/ through BUILD/replay/fuzz_<name> (any compiler).
# With SECONDS: lets libFuzzer (BUILD/fuzzer/fuzz_<name>) go on from that corpus for so long each; what it finds is kept
# in BUILD/found/<name>/, inputs that fail in BUILD/failing/. tests/fuzz/<name>.dict, where there is one, helps it.
build=${1:?usage: run.sh BUILD [SECONDS]} seconds=${2:-}
passed=0 failed=0
. tests/sanitizers.sh
mkdir -p "$build/failing"
for source in tests/fuzz/fuzz_*.c; do
    [ -e "$source" ] || continue
    name=$(basename "$source" .c) corpus=tests/fuzz/corpus/${source#tests/fuzz/fuzz_}
    corpus=${corpus%.c} log=$build/failing/$name.log
    if [ -z "$seconds" ]; then
        "$build/replay/$name" "$corpus" >"$log" 2>&1
    else
        mkdir -p "$build/found/$name"
        dict=tests/fuzz/${name#fuzz_}.dict
        [ -e "$dict" ] && set -- -dict="$dict" || set --
        "$build/fuzzer/$name" "$@" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
            -artifact_prefix="$build/failing/$name-" "$build/found/$name" "$corpus" >"$log" 2>&1
    fi
    status=$?
    if [ "$status" = 0 ]; then
        passed=$((passed + 1))
        echo "ok $name: $(sed -n -e '/inputs$/p' -e 's/^stat::number_of_executed_units: */runs: /p' "$log")"
    else
        failed=$((failed + 1))
        echo "not ok $name: exit $status"
        tail -n 40 "$log" | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
