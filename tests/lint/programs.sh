#!/bin/sh
# What two programs use lies in cmd/common/, cmd/oceanbase/ or cmd/text/: no object of a program (cmd/import/ …) uses a symbol
# of another. Read from the symbols of objects, like calls.sh.
# LINT_BUILD=build/dev reads the objects of another configuration.
build=${LINT_BUILD:-build/lint-gcc}
[ -n "$LINT_BUILD" ] || make -s -k -j"$(nproc)" CONFIG=lint-gcc CC=gcc objects >/dev/null 2>&1
symbols=$(find cmd -name "*.c" | sort | sed "s|^|$build/|; s|c\$|o|" | xargs nm -A -P 2>/dev/null |
    sed "s|^$build/||; s|\.o: | |")
[ -n "$symbols" ] || { echo "no objects in $build"; exit 1; }
printf '%s\n' "$symbols" | LC_ALL=C awk '
    function program(path,    part) { split(path, part, "/"); return part[2] }
    $3 ~ /^[TDRBVWC]$/ { owner[$2] = $1; next }
    $3 == "U" { user[++n] = $1; used[n] = $2 }
    END {
        for (i = 1; i <= n; i++) {
            if (!(used[i] in owner)) continue
            home = program(owner[used[i]])
            if (home == "common" || home == "oceanbase" || home == "text" || home == program(user[i])) continue
            print user[i] ".c uses " used[i] " of " owner[used[i]] ".c: what two programs share belongs into cmd/common/"
            found = 1
        }
        exit found
    }'
