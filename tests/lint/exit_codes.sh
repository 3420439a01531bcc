#!/bin/sh
# docs/exit-codes.md and the programs agree: no CLI case wants a code that the page does not have, and no program returns one. The
# README's line of codes names only codes of the page.
found=0
rows() { # FILE -> "code meaning" lines of its table
    grep -E '^\| *`?[0-9]+' "$1" | tr -d '`' | sed -e 's/^| *\([0-9]*\) *| *\([^|]*[^| ]\) *|.*/\1 \2/'
}
page=$(rows docs/exit-codes.md)
[ -n "$page" ] || { echo "docs/exit-codes.md: no table"; exit 1; }
codes=$(printf '%s\n' "$page" | awk '{ print $1 }')
for code in $(sed -n '/^## Exit codes/,/^## /p' README.md | grep -oE '(^|[.] )[0-9]+:' | tr -dc '0-9\n'); do
    printf '%s\n' $codes | grep -qx "$code" || { echo "README.md: exit code $code is not on docs/exit-codes.md"; found=1; }
done
for want in tests/cli/*/*/want.exit; do
    [ -e "$want" ] || continue
    code=$(cat "$want")
    printf '%s\n' $codes | grep -qx "$code" || { echo "$want: exit code $code is not on the page"; found=1; }
done
# The one place that maps errors to codes: every number it returns is on the page.
for code in $(sed -n 's/.*\bcase ERR_[A-Z]*: *return \([0-9]\{1,\}\);.*/\1/p' cmd/*/*.c 2>/dev/null); do
    printf '%s\n' $codes | grep -qx "$code" || { echo "cmd: returns exit code $code, which is not on the page"; found=1; }
done
exit $found
