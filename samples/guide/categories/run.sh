# A category tree with parent: and child: qualifiers.
set -eu
here=${1:-$(dirname "$0")}
obkv-import --ddl "$here/table.sql" --map "$here/map.json" --preview 20 "$here/categories.csv"
obkv-import --quiet --ddl "$here/table.sql" --map "$here/map.json" -o categories "$here/categories.csv"
obkv-verify check --quiet categories
