#!/bin/sh
# docs/exit-codes.md, the table in README.md and the CLI cases agree: the README lists the page's codes with the same words,
# and no CLI case wants a code that the page does not have.
found=0
rows() { # FILE -> "code meaning" lines of its table
    grep -E '^\| *`?[0-9]+' "$1" | tr -d '`' | sed -e 's/^| *\([0-9]*\) *| *\([^|]*[^| ]\) *|.*/\1 \2/'
}
page=$(rows docs/exit-codes.md)
[ -n "$page" ] || { echo "docs/exit-codes.md: no table"; exit 1; }
[ "$(rows README.md)" = "$page" ] || { echo "README.md: its exit code table is not that of docs/exit-codes.md"; found=1; }
codes=$(printf '%s\n' "$page" | awk '{ print $1 }')
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
