#!/bin/sh
# 300 shops with 200 to 400 of 9,000 items each. All shops have the first hundred items.
set -eu
awk 'function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    BEGIN {
        seed = 1
        print "shop_id,item_id,type"
        for (shop = 1; shop <= 300; shop++) {
            for (item = 1; item <= 100; item++) print "s" shop ",i" item ",shelf"
            n = 100 + int(200 * random())
            for (k = 0; k < n; k++) print "s" shop ",i" 101 + int(8900 * random()) ",order"
        }
    }' >stock-large.csv
echo '{"row": "shop_id", "timestamp": 1, "cells": {"item:{item_id}": "type"}}' >shop-large.json
echo '{"row": "item_id", "timestamp": 1, "cells": {"shop:{shop_id}": "type"}}' >item-large.json
table() { # NAME MAPPING
    obkv-verify skew --partition key:97 --map "$2" stock-large.csv | awk -v name="$1" '
        $2 == "rows," { rows = $1; cells = $3 }
        /; cells: / { largest = $NF }
        $1 == "cells" { printf "%-5s  %5s  %6s  %11s  %8s\n", name, rows, cells, largest, $5; exit }'
}
echo "table   rows   cells  largest row  max/mean of 97 partitions"
table shop shop-large.json
table item item-large.json
