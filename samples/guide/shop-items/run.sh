# Shops and items: two tables, each with the other's ids as columns. The list of stock is an input of both.
set -eu
here=${1:-$(dirname "$0")}
for table in shop item; do
    obkv-import --quiet --ddl "$here/$table.sql" --map "$here/$table.json" -o $table "$here/${table}s.csv" "$here/stock.csv"
    obkv-verify check --quiet $table
    echo "$table:"
    obkv-export --quiet --format csv -o - $table | awk -F, 'NR > 1 { print "  " $1, $2 ":" $3 "=" $7 }' | LC_ALL=C sort
done
