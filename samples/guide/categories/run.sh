# A category tree: parent:2=动物 is taken from another record, and the list 3,4,5 becomes a cell for each child.
set -eu
here=${1:-$(dirname "$0")}
obkv-import --quiet --ddl "$here/table.sql" --map "$here/map.json" -o categories "$here/categories.csv"
obkv-verify check --quiet categories
obkv-export --quiet --format csv -o - categories | awk -F, 'NR > 1 { print $1, $2 ":" $3 "=" $7 }' | LC_ALL=C sort
