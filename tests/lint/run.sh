#!/bin/sh
# Runs every check of this folder from the repository root; each prints its offenders and ends non-zero when it has any.
# The last line is "N passed, N failed, N skipped".
# Usage: run.sh [NAME…], e.g. run.sh layers symbols
cd "$(dirname "$0")/../.." || exit 1
# Folders of C sources; the layers are in layers.sh.
export FOLDERS="libsst formats cmd tests"
passed=0 failed=0
[ $# -gt 0 ] || set -- $(ls tests/lint/*.sh | sed 's|.*/||; s|\.sh$||' | grep -vx -e run -e exported)
for name in "$@"; do
    started=$(date +%s)
    if out=$(sh "tests/lint/$name.sh" 2>&1); then
        passed=$((passed + 1))
        echo "ok $name ($(($(date +%s) - started)) s)"
    else
        failed=$((failed + 1))
        echo "not ok $name"
        [ -z "${OBKV_FAILED_TO:-}" ] || echo "$name" >>"$OBKV_FAILED_TO"
        printf '%s\n' "$out" | sed 's/^/    /'
    fi
done
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" = 0 ]
