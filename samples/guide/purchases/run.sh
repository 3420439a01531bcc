# Purchase records: a scan over a user's rows gives the newest purchase first; K_PREFIX keeps a user in one partition.
set -eu
here=${1:-$(dirname "$0")}
obkv-import --quiet --ddl "$here/table.sql" --map "$here/map.json" -o purchases "$here/purchases.csv"
obkv-import --ddl "$here/table.sql" --map "$here/map.json" --preview 20 "$here/purchases.csv"
echo "rows of user 17 in scan order:"
obkv-export --quiet -o - --format csv purchases | grep '^00000017'
obkv-verify check --quiet purchases
echo "name:time, and in a second family the index by viewing time:"
obkv-import --quiet --ddl "$here/viewed.sql" --map "$here/viewed.json" -o viewed "$here/viewed.csv"
obkv-export --quiet -o - --format csv viewed | cut -d, -f 1-3,7
