#!/bin/sh
# Files of a size to read, over libsst, formats and cmd: no file above 400 lines beside its includes; of the C files at most 15 %
# under 40 lines, and 150 to 300 lines on average. A header is as short as what its file offers.
find libsst formats cmd -name '*.[ch]' | sort | xargs grep -vc '^#include' | tr ':' ' ' | awk '
    { $0 = $2 " " $1; product += $1 }
    $1 > 400 { print $2 ": " $1 " lines, at most 400"; long = 1 }
    $2 ~ /\.h$/ { headers++; next }
    { files++; lines += $1; if ($1 < 40) { short++; room = $2; sub(/\/[^\/]*$/, "", room); few[room]++ } }
    END {
        mean = lines / files
        share = 100 * short / files
        printf "%d C files, %.0f lines on average (150 to 300), %.1f %% under 40 lines (at most 15); ", files, mean, share
        printf "%d headers; %d lines in all\n", headers, product
        if (mean >= 150 && mean <= 300 && share <= 15) exit long
        for (room in few) printf "%s: %d files under 40 lines\n", room, few[room] | "sort"
        close("sort")
        exit 1
    }'
