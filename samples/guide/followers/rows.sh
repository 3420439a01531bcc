#!/bin/sh
# 50,000 fans of 2,000 users, a fifth of them of one user: a column for each fan, or a row for each fan.
set -eu
here=${1:-$(dirname "$0")}
awk 'function random() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
    BEGIN {
        seed = 1
        print "user_id,fans_id,type"
        for (fan = 1; fan <= 50000; fan++) print 1001 + (fan % 5 ? int(2000 * random()) : 0) "," 100000 + fan ",fan"
    }' >fans-large.csv
echo '{"row": "user_id", "timestamp": 1, "cells": {"fans:{fans_id}": "type"}}' >columns.json
echo '{"row": "user_id + fans_id", "timestamp": 1, "cells": {"fans:type": "type"}}' >rows.json
cells() { # NAME MAPPING PARTITIONING
    obkv-verify skew --partition "$3" --map "$2" fans-large.csv | awk -v name="$1" '
        $1 == "cells" { printf "%-36s %6s %6s  %5s\n", name, $2, $4, $5; exit }'
}
echo "cells of 97 partitions                 mean   most  max/mean"
cells "a column for each fan, KEY(K)" columns.json key:97
cells "a row for each fan, KEY(K)" rows.json key:97
cells "a row for each fan, K_PREFIX of 4" rows.json 'key:97:substring(1,4)'
