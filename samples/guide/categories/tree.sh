#!/bin/sh
# A tree of 11,111 categories, ten below each: with the names of parents and children as copies, or with their ids alone.
set -eu
awk 'BEGIN {
        print "id,name,parents,children"
        for (n = 1; n <= 11111; n++) {
            parents = children = ""
            for (p = n; p > 1;) { p = int((p - 2) / 10) + 1; parents = parents (parents == "" ? "" : ",") p }
            for (c = 10 * n - 8; c <= 10 * n + 1 && c <= 11111; c++) children = children (children == "" ? "" : ",") c
            print n ",category " n ",\"" parents "\",\"" children "\""
        }
    }' >tree.csv
mapping() { # VALUE
    echo '{"tables": {"tree": {"file": "tree.csv", "key": "id"}}, "row": "id", "timestamp": 1, "cells": {"info:name": "name",
        "parent:{item}": {"each": "parents", "value": "'"$1"'"}, "child:{item}": {"each": "children", "value": "'"$1"'"}}}'
}
mapping "lookup('tree', item, 'name')" >names.json
mapping "''" >ids.json
table() { # NAME MAPPING GETS-FOR-EACH-NEIGHBOUR
    obkv-import --quiet --partition key:97 --map "$2" -o "$1" tree.csv
    bytes=$(obkv-verify skew "$1" | awk '$2 == "rows," { print $5, $6 }')
    obkv-export --quiet --format csv -o - "$1" | awk -F, -v name="$1" -v bytes="$bytes" -v each="$3" '
        NR == 1 { next }
        $2 != "info" && ++near[$1] > most { most = near[$1] }
        !seen[$1 "," $7]++ { rows[$7]++ }
        END {
            printf "%-6s %6d  %9s  %5d ", name, NR - 1, bytes, 1 + each * most
            for (n = 1; n <= 1111; n = 10 * n + 1) printf "  %6d", rows["category " n]
            print ""
        }'
}
echo "                                rows to write when a name changes at depth"
echo "values  cells      bytes   Gets        0       1       2       3"
table names names.json 0
table ids ids.json 1
