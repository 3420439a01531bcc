#!/bin/sh
# Where a name leads, in one guess: a function is declared in the header of its file's name (at least 95 of 100 are; the others
# are alone in their file, and stand in the list of their program's or room's parts), and a struct name stands for one struct.
# Functions are read from the symbols of objects. LINT_BUILD=build/dev reads the objects of another configuration.
build=${LINT_BUILD:-build/lint-gcc}
[ -n "$LINT_BUILD" ] || make -s -k -j"$(nproc)" CONFIG=lint-gcc CC=gcc objects >/dev/null 2>&1
find libsst formats cmd -name '*.c' | sort | sed "s|^|$build/|; s|c\$|o|" | xargs nm -A -P 2>/dev/null |
    sed "s|^$build/||; s|\.o: | |" | LC_ALL=C awk '
    function words(stem,    path, line, n, i, w) { # of the header beside it
        if (stem in seen) return
        seen[stem] = 1
        path = stem ".h"
        while ((getline line < path) > 0) {
            n = split(line, w, /[^A-Za-z0-9_]+/)
            for (i = 1; i <= n; i++) declared[stem, w[i]] = 1
        }
        close(path)
    }
    # those of the public library are in sst/*.h
    $3 != "T" || $2 == "main" || $2 ~ /^sst_/ { next }
    {
        words($1)
        all++
        if (($1, $2) in declared) own++
        else if (++foreign[$1] > 1) { print $1 ".c: " $2 " and others are not declared in a header of its name"; found = 1 }
    }
    END {
        if (!all) { print "no objects to read"; exit 1 }
        share = 100 * own / all
        printf "%d functions, %.1f %% in the header of their file (at least 95)\n", all, share
        exit found || share < 95
    }'
found=$?
find libsst formats cmd -name '*.[ch]' | sort | xargs grep -HoE '^struct [a-z0-9_]+ \{' | awk -F: '
    { sub(/ \{/, "", $2) }
    $2 in at { print $1 ": " $2 " is also in " at[$2]; found = 1 }
    { at[$2] = $1 }
    END { exit found }' || found=1
exit $found
