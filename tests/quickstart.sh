#!/bin/sh
# Usage: quickstart.sh
# Runs samples/quickstart.sh as a new user does, and then the commands that it names at its end, as they stand there. What it must
# say: a line before it compiles, where the programs are, and three commands to go on with. The last line is
# "N passed, N failed, N skipped".
cd "$(dirname "$0")/.." || exit 1
passed=0 failed=0
log=$(mktemp) shown=$(mktemp) found=$(mktemp) || exit 1
trap 'rm -f "$log" "$shown" "$found"' EXIT
check() { # NAME COMMAND…
    name=$1
    shift
    if "$@" >"$shown" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAIL quickstart: $name"
        cat "$shown"
    fi
}
named() { sed -n "/^== Three commands/,\$s/$1/&/p" "$log"; } # the commands of the end that hold this
runs() { ( # in a shell that knows only the PATH the quickstart gives
    eval "$(sed -n 's/^\(export PATH="[^"]*"\).*/\1/p' "$log")"
    eval "$1"
) }

sh samples/quickstart.sh >"$log" 2>&1
code=$?
cat "$log"
check "exit code" [ "$code" = 0 ]
check "a line before it compiles" grep -q '^== Build' "$log"
check "where the programs are" grep -q "^export PATH=\"$PWD/build/release/bin:" "$log"
check "three commands" [ "$(sed '1,/^== Three commands/d' "$log" | grep -c .)" = 3 ]
check "preview" runs "$(named '^obkv-import.*' | sed 's/YOUR.csv/samples\/users.csv/')"
cp "$shown" "$found"
check "preview shows rows" grep -q ': 5 rows' "$found"
check "plan" runs "$(named '^obkv-split.*')"
cp "$shown" "$found"
check "plan recommends" grep -q 'KEY(K)' "$found"
check "trial engine" runs "sh -n $(named '^sh samples.*' | sed 's/^sh //; s/  .*//')"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
