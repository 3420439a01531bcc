#!/bin/sh
# Functions of at most 60 lines, C files of at most 500 (scripts 600), lines of at most 130 characters. A function begins with a
# line at column 0 that has a "(" and ends in "{", and ends with a "}" at column 0.
LC_ALL=C awk '
    function bad(text) { print text; found = 1 }
    function file_end() { if (lines > most) bad(file ": " lines " lines, at most " most) }
    FNR == 1 { file_end(); file = FILENAME; inside = start = 0; c_file = file ~ /\.[ch]$/; most = c_file ? 500 : 600 }
    { lines = FNR }
    { wide = $0; gsub(/[\200-\277]/, "", wide) }
    length(wide) > 130 { bad(file ":" FNR ": " length(wide) " characters, at most 130") }
    !c_file { next }
    /^[A-Za-z_].*\(.*[^;]$/ && !inside { start = FNR; name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
    /^[^ \t#\/].*\{$/ && start { inside = 1 }
    /^\}/ && inside {
        n = FNR - start + 1
        if (n > 60) bad(file ":" start ": function " name " has " n " lines, at most 60")
        inside = start = 0
    }
    /;$/ && !inside { start = 0 }
    END { file_end(); exit found }
' $(find $FOLDERS samples -type f -name '*.[chsp]*' | grep -E '\.([ch]|sh|py)$' | sort) GNUmakefile
