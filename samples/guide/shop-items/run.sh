# Shops and items in both directions; what is out of stock makes no cell.
set -eu
here=${1:-$(dirname "$0")}
obkv-import --ddl "$here/table.sql" --map "$here/map.json" --preview 20 "$here/stock.csv"
obkv-import --quiet --ddl "$here/table.sql" --map "$here/map.json" -o stock "$here/stock.csv"
obkv-verify check --quiet stock
