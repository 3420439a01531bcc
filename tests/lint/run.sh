#!/bin/sh
# Runs every check of this folder from the repository root; each prints its offenders and ends non-zero when it has any.
# The last line is "N passed, N failed, N skipped".
# Usage: run.sh [NAME…], e.g. run.sh layers symbols
cd "$(dirname "$0")/../.." || exit 1
# Folders of C sources; the layers are in layers.sh.
export FOLDERS="libsst formats cmd tests"
# Checks whose rule the tree does not keep yet: without a NAME they report how far it is, and count as skipped.
REPORTING="sizes"
passed=0 failed=0 skipped=0
all=
[ $# -gt 0 ] || { all=1; set -- $(ls tests/lint/*.sh | sed 's|.*/||; s|\.sh$||' | grep -vx -e run -e exported); }
for name in "$@"; do
    if out=$(sh "tests/lint/$name.sh" 2>&1); then
        passed=$((passed + 1))
        echo "ok $name"
    elif [ -n "$all" ] && case " $REPORTING " in *" $name "*) true ;; *) false ;; esac; then
        skipped=$((skipped + 1))
        echo "not yet $name: $(printf '%s\n' "$out" | wc -l) lines, the first: $(printf '%s\n' "$out" | head -n 1)"
    else
        failed=$((failed + 1))
        echo "not ok $name"
        printf '%s\n' "$out" | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
