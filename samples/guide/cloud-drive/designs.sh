#!/bin/sh
# Five steps to the key of the file table, on 20,000 files of 60 days. Each key is planned (obkv-split plan --try), its writes are
# replayed (obkv-split simulate: ten regions for the keys of the first 30 days take those of the next 30), and it is imported and
# scanned for the files of user 42 from 1 to 14 September. The same expressions over the columns of the file serve all three.
set -eu
here=${1:-$(dirname "$0")}
awk -f "$here/generate.awk" >large.csv
first=$(date -u -d 2012-09-01 +%s)000
stop=$(date -u -d 2012-09-15 +%s)000
max=9223372036854775807
wanted=$(awk -F, '$2 == 42 && $6 >= 20120901 && $6 < 20120915' large.csv | wc -l)

scan() { obkv-export --quiet --format csv --qualifiers user --rows "$1:$2" -o - scan | sed 1d; }

# NAME EXPRESSION START STOP: the key, and the rows that a scan must read
step() {
    plan=$(obkv-split plan --map "$here/designs.json" --counts 97 --try "$2" large.csv | sed -n '$p' |
        awk '{ printf "%7s %6s %6d %% %6d %%", $(NF - 11), $(NF - 10), $(NF - 6), $(NF - 3) }')
    hottest=$(obkv-split simulate --map "$here/designs.json" --try "$2" --splits sampled:10 large.csv |
        sed -n '/^  (keys as they are)/{n;p}' | awk '{ printf "%7s %% %7s %%", $(NF - 10), $(NF - 4) }')
    obkv-import --quiet --overwrite --compact --versions 1 --partition key:97 --columns auto:info --key "$2" -o scan large.csv
    printf '%-12s %-32s %s%s' "$1" "$(scan "$3" "$4" | sed -n '1s/,.*//p')" "$plan" "$hottest"
    scan "$3" "$4" | awk -F, '{ found += $7 == 42 } END { printf "%6d %6d\n", NR, found }'
}

sed "s/N$/$wanted/" <<END
                                                         key   newest 1 %, under   writes, hottest in   rows of the scan
step         key                                 rows  bytes      KEY    RANGE    HBase  OceanBase   read  right, of N
END
step time-first "created + zeropad(id, 6)" 20120901 20120915
step user-first "user + created" 4220120901 4220120915
step padded "zeropad(user, 6) + created + zeropad(id, 6)" 00004220120901 00004220120915
step reversed "reverse(zeropad(user, 6)) + created + zeropad(id, 6)" 24000020120901 24000020120915
step newest-first "reverse(zeropad(user, 6)) + (Long.MAX - date(created, 'yyyyMMdd')) + zeropad(id, 6)" \
    240000$((max - stop + 1)) 240000$((max - first + 1))
