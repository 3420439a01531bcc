# A cloud drive: one list of entries becomes three tables. A Get in `path` finds an entry by its path, a Get in `parent` lists a
# directory, a scan of `file` finds the files of a user in a range of days.
set -eu
here=${1:-$(dirname "$0")}
for table in path parent file; do
    obkv-import --quiet --ddl "$here/$table.sql" --map "$here/$table.json" -o $table "$here/entries.csv"
    obkv-verify check --quiet $table
    echo "$table:"
    obkv-export --quiet --format csv -o - $table | awk -F, 'NR > 1 { print "  " $1, $2 ":" $3, $7 }' | LC_ALL=C sort
done
echo "files of user 1 from 1 to 14 September: a range of keys"
obkv-export --quiet --format csv --rows 00000120120901:00000120120915 --qualifiers path -o - file | cut -d, -f 1,7
echo "files of all users from 10 to 14 September: a range of times"
obkv-export --quiet --format csv --time-range 2012-09-10T00:00:00Z:2012-09-15T00:00:00Z --qualifiers path -o - file |
    cut -d, -f 1,7
# Both again, from the list itself.
range() { # FIRST LAST [USER]
    awk -F, -v first="$1" -v last="$2" -v user="${3:-}" \
        '$5 == "file" && $6 >= first && $6 <= last && (user == "" || $2 == user) { print $4 }' "$here/entries.csv" | sort
}
paths() { obkv-export --quiet --format csv "$@" --qualifiers path -o - file | sed 1d | cut -d, -f 7 | sort; }
[ "$(range 20120901 20120914 1)" = "$(paths --rows 00000120120901:00000120120915)" ]
[ "$(range 20120910 20120914)" = "$(paths --time-range 2012-09-10T00:00:00Z:2012-09-15T00:00:00Z)" ]
sh "$here/designs.sh"
echo "the names of the guides, in one table:"
obkv-import --quiet --ddl "$here/names/table.sql" --map "$here/names/map.json" -o drive "$here/names/entries.csv"
obkv-export --quiet --format csv -o - drive | cut -d, -f 1-3,7 | LC_ALL=C sort
