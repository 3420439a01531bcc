# Mutual followers. First the keys of the guides: user ids, with a column for each fan. Then both directions in one pass, with ids
# that count up reversed.
set -eu
here=${1:-$(dirname "$0")}
obkv-import --quiet --ddl "$here/users.sql" --map "$here/users.json" -o users "$here/users.csv" "$here/fans.csv"
obkv-verify check --quiet users
obkv-export --quiet --format csv -o - users | awk -F, 'NR > 1 { print $1, $2 ":" $3 "=" $7 }' | LC_ALL=C sort
obkv-import --ddl "$here/table.sql" --map "$here/map.json" --preview 20 "$here/follows.csv"
obkv-import --quiet --ddl "$here/table.sql" --map "$here/map.json" -o followers "$here/follows.csv"
obkv-verify check --quiet followers
# Where the rows of new users go, whose ids are the highest.
for key in "zeropad(counter, 8)" "reverse(zeropad(counter, 8))"; do
    obkv-split simulate --generate 100000 --key "$key" --splits sampled:10 --now 2026-11-21T00:00:00Z |
        sed -n "s/^In [^ ]* s/$key:/p"
done
sh "$here/rows.sh"
