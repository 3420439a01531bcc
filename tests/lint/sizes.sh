#!/bin/sh
# Files of a size to read, over libsst, formats and cmd: no file above 400 lines, at most 15 % of them under 40 lines, 150 to 300
# lines on average. Public headers and the interface of a room may be short, so the last two are limits for all files together.
find libsst formats cmd -name '*.[ch]' | sort | xargs wc -l | awk '
    $2 == "total" { next }
    { files++; lines += $1; if ($1 < 40) { short++; room = $2; sub(/\/[^\/]*$/, "", room); few[room]++ } }
    $1 > 400 { print $2 ": " $1 " lines, at most 400"; long = 1 }
    END {
        mean = lines / files
        share = 100 * short / files
        printf "%d files, %.0f lines on average (150 to 300), %.1f %% under 40 lines (at most 15)\n", files, mean, share
        if (mean >= 150 && mean <= 300 && share <= 15) exit long
        for (room in few) printf "%s: %d files under 40 lines\n", room, few[room] | "sort"
        close("sort")
        exit 1
    }'
