#!/bin/sh
# Includes lead one way: no circle among files, x.h and x.c taken as one. What two need goes into a header below both.
circles=$(LC_ALL=C awk '
    function stem(path) { sub(/\.[ch]$/, "", path); return path }
    BEGIN { for (i = 1; i < ARGC; i++) known[ARGV[i]] = 1 }
    FNR == 1 { own = stem(FILENAME); beside = FILENAME; sub(/[^\/]*$/, "", beside) }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        split($0, quoted, "\"")
        path = quoted[2]
        other = ("libsst/" path) in known ? "libsst/" path : (beside path) in known ? beside path : path
        if (other in known && stem(other) != own) print own, stem(other)
    }
' $(find $FOLDERS -name '*.[ch]' | sort) | tsort 2>&1 > /dev/null | sed 's/^tsort: //')
printf '%s' "$circles"
[ -z "$circles" ]
