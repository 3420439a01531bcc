#!/bin/sh
# Usage: sh samples/quickstart.sh [DIR]
# Runs the programs on the sample data, from a bare Debian 12: installs missing packages, builds, imports a CSV file, compacts a
# second delivery into it, repartitions the result and verifies it. Writes to build/ only (DIR: build/quickstart).
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/quickstart}
PATH=$PWD/build/release/bin:$PATH

step() { printf '\n== %s\n' "$1"; }
compiled() { find build/release/libsst build/release/formats build/release/cmd -name '*.o' 2>/dev/null | wc -l; }
say_compiled() { # every ten seconds, while make works
    while sleep 10 >/dev/null 2>&1; do echo "   $(compiled) of $files files compiled"; done
}

step "Packages: compiler, make and libraries; those that are missing are installed"
sh samples/setup.sh build
files=$(find libsst formats cmd -name '*.c' | wc -l)
if [ "$(compiled)" -lt "$files" ]; then
    step "Build: $files files on $(nproc) processors, into build/release; one to five minutes the first time"
else
    step "Build: what has changed since the last time, into build/release"
fi
say_compiled &
trap "kill $! 2>/dev/null" EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
make -s -j"$(nproc)" all
kill $! 2>/dev/null
trap - EXIT
rm -rf "$out"
mkdir -p "$out"

# The columns of both CSV files by their header names; `now` is fixed, so that TTLs give the same result every time.
columns=id=HBASE_ROW_KEY,updated_ms=HBASE_TS_KEY,name=info:name,email=info:email,city=info:city,note=info:note
columns=$columns,logins=stat:logins,last_seen=stat:last_seen,score=stat:score
now=2024-03-05T00:00:00Z

run() { # shows the command as one would type it, then runs it
    printf '$'
    printf ' %s' "$@" | sed "s|$columns|\"\$columns\"|"
    echo
    "$@"
}
cells() { # DATASET ROW: the cells of one row for people; dump prints bytes in hex
    obkv-verify dump --rows "$2:$2!" "$1" | awk -F'\t' '
        function text(hex,    i, s) {
            if (hex == "-") return "(empty)"
            for (i = 1; i < length(hex); i += 2)
                s = s sprintf("%c", (index(d, substr(hex, i, 1)) - 1) * 16 + index(d, substr(hex, i + 1, 1)) - 1)
            gsub(/\n/, "\\n", s)
            return s
        }
        BEGIN { d = "0123456789abcdef" }
        /^#/ { next }
        { printf "  %s  %-15s %s  %s\n", text($1), text($2) ":" text($3), $4, text($7) }'
}

step "1. CSV -> one sorted HFile per partition and family, as users.sql says (2 families, KEY(K), 7 partitions)"
run obkv-import --ddl samples/users.sql --header --columns "$columns" --now "$now" -o "$out/first" samples/users.csv
step "2. Import a second delivery the same way and compact it into the first, by the versions and TTLs of users.sql"
run obkv-import --ddl samples/users.sql --header --columns "$columns" --now "$now" -o "$out/delta" samples/users_delta.csv
run obkv-compact --now "$now" -o "$out/compacted" "$out/first" "$out/delta"
step "3. Repartition the result: five ranges of keys"
run obkv-split apply --partition range:samples/users_bounds.txt --now "$now" -o "$out/ranges" "$out/compacted"
step "4. Check every block, order, placement, digest and ledger; then compare before and after"
run obkv-verify check "$out/ranges"
run obkv-verify diff "$out/compacted" "$out/ranges"
step "5. Some cells of one user, in the first delivery and at the end (two versions of info, the newest stat)"
row=user00384
echo "first:"
cells "$out/first" "$row" | grep -e :city -e :logins
echo "ranges:"
cells "$out/ranges" "$row" | grep -e :city -e :logins
step "Done. Each dataset in $out holds MANIFEST.json and its cell files, such as"
find "$out/ranges" -name '*.hfile' | sort | head -n 2
step "The programs are in $PWD/build/release/bin. In this shell you reach them by"
echo "export PATH=\"$PWD/build/release/bin:\$PATH\"        (or, for all users: make install)"
step "Worked examples of row keys and partitions, such as a cloud drive (docs/row-key-guide.md explains them)"
echo "(cd $out && sh $PWD/samples/guide/cloud-drive/run.sh)"
step "Three commands to go on with: look at your own file, see how its rows would spread, and try a load"
echo "obkv-import --preview 5 --header --columns auto:info --key '\$1' YOUR.csv"
echo "obkv-split plan $out/compacted"
echo "sh samples/trial_engine.sh        OceanBase's own engine, for a load with your data (downloads 120 MB)"
