#!/bin/sh
# No "return free(p), -1;": what is done and what is returned are two statements.
LC_ALL=C awk '
    function judge() {
        while (gsub(/\([^(){}]*\)|\{[^(){}]*\}/, "", statement));
        sub(/;.*/, "", statement)
        if (statement ~ /,/) { print FILENAME ":" start ": a return with a comma"; found = 1 }
        statement = ""
    }
    FNR == 1 { statement = "" }
    {
        line = $0
        gsub(/"([^"\\]|\\.)*"/, "", line)
        gsub(/\047([^\047\\]|\\.)+\047/, "", line)
        sub(/\/\*.*/, "", line)
        if (statement != "") statement = statement " " line
        else if (line ~ /(^|[^a-z_])return[ (]/ && line !~ /^ *\*/) {
            statement = line
            sub(/.*return/, "return", statement)
            start = FNR
        }
        if (statement ~ /;/) judge()
    }
    END { exit found }
' $(find libsst formats cmd samples tests -name '*.[ch]' | sort)
