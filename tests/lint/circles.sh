#!/bin/sh
# Includes lead one way: no circle among headers, and none among folders. What two need goes into a header (or a folder) below
# both. That calls lead one way, too, is seen by calls.sh.
includes() { # FILES: "FROM TO" a line, without .c and .h
    LC_ALL=C awk '
        function stem(path) { sub(/\.[ch]$/, "", path); return path }
        BEGIN { for (i = 1; i < ARGC; i++) known[ARGV[i]] = 1 }
        FNR == 1 { own = stem(FILENAME); beside = FILENAME; sub(/[^\/]*$/, "", beside) }
        /^[ \t]*#[ \t]*include[ \t]*"/ {
            split($0, quoted, "\"")
            path = quoted[2]
            other = path
            if ((beside path) in known) other = beside path
            if (("libsst/" path) in known) other = "libsst/" path
            if (("libsst/include/" path) in known) other = "libsst/include/" path
            if (other in known && stem(other) != own) print own, stem(other)
        }
    ' "$@"
}
circles=$(includes $(find $FOLDERS -name '*.h' | sort) | tsort 2>&1 > /dev/null | sed 's/^tsort: //'
    includes $(find $FOLDERS -name '*.[ch]' | sort) | sed 's|/[^/ ]*\( \)|\1|; s|/[^/]*$||' | sort -u | tsort 2>&1 > /dev/null |
    sed 's/^tsort: /folders: /')
printf '%s' "$circles"
[ -z "$circles" ]
