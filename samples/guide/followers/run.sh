# Mutual followers: qualifiers from data (fans:{fans_id}), both directions in one pass; ids that count up are reversed.
set -eu
here=${1:-$(dirname "$0")}
obkv-import --ddl "$here/table.sql" --map "$here/map.json" --preview 20 "$here/follows.csv"
obkv-import --quiet --ddl "$here/table.sql" --map "$here/map.json" -o followers "$here/follows.csv"
obkv-verify check --quiet followers
