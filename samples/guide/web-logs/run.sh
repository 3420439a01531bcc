# A web server's log under six designs of the row key, each in four ranges: where all of it goes, and the newest 40 lines.
set -eu
here=${1:-$(dirname "$0")}
awk -f "$here/generate.awk" >logs.csv
{ head -n 1 logs.csv; tail -n 40 logs.csv; } >newest.csv
rows() { # FILE DESIGN: rows of each partition
    obkv-verify skew --map "$here/$2.json" --partition range:"$here/bounds-$2.txt" "$1" |
        awk '$1 ~ /^p[0-9]+$/ && !seen[$1]++ && $2 ~ /^[0-9,]+$/ { gsub(",", "", $2); printf "%5d", $2 }'
}
printf '%-15s %-38s %-22s %s\n' design key 'rows in 4 ranges' 'of the newest 40'
for design in time-first hashed reversed salted salted-by-host prefix-modulo; do
    key=$(obkv-import --map "$here/$design.json" --preview 1 --json logs.csv | sed -n 's/.*"row": "\(.*\)",/\1/p')
    printf '%-15s %-38s %-22s %s\n' "$design" "$key" "$(rows logs.csv $design)" "$(rows newest.csv $design)"
done
# The salted design, imported: a row has three cells, so these are three times the rows of its line above.
obkv-import --quiet --ddl "$here/table.sql" --map "$here/salted.json" -o log logs.csv
obkv-verify check log | awk '$1 ~ /^p[0-9]+$/ { print $1, $2, "cells" }'
