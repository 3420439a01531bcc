# A category tree: parent:2=动物 is taken from another record, and the list 3,4,5 becomes a cell for each child.
set -eu
here=${1:-$(dirname "$0")}
obkv-import --ddl "$here/table.sql" --map "$here/map.json" --preview 20 "$here/categories.csv"
obkv-import --quiet --ddl "$here/table.sql" --map "$here/map.json" -o categories "$here/categories.csv"
obkv-verify check --quiet categories
echo "children and parents:"
obkv-export --quiet -o - --format csv categories | LC_ALL=C grep -a -o '\(child\|parent\),.*' | LC_ALL=C sort
