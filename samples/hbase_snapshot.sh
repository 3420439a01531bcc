#!/bin/sh
# Usage: sh samples/hbase_snapshot.sh [FOLDER]
# A snapshot of a real HBase (2.6.4, copied out with ExportSnapshot) becomes a dataset: what is in it, import with the table's
# own version rules, check, and the proof that no cell is missing. Everything it makes lies in build/ (FOLDER: build/snapshot).
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/snapshot}
if ! command -v obkv-import >/dev/null; then
    sh samples/setup.sh build
    make -s -j"$(nproc)" all
    PATH=$PWD/build/release/bin:$PATH
fi
rm -rf "$out"
mkdir -p "$out"
tar -xzf samples/simple_snapshot.tar.gz -C "$out"
cd "$out"
ddl=$OLDPWD/samples/simple.sql
now=2024-01-01T00:00:00Z # fixed, so that TTLs end the same way every time

step() { printf '\n== %s\n' "$1"; }
run() { # shows the command as one would type it, then runs it
    printf '$'
    printf ' %s' "$@" | sed "s|$ddl|simple.sql|"
    echo
    "$@" >printed
    sed -e '/^  time /d' -e 's/, [0-9.]* s\(, .* of KeyValues\)*$//' printed
}
step "1. What is in the export"
run obkv-import --list export
step "2. Every cell of the snapshot, into the partitions of simple.sql; then the two compared cell by cell"
run obkv-import --ddl "$ddl" --snapshot snap_a --now $now -o all export
run obkv-verify diff --snapshot snap_a export all
step "3. Only what a major compaction of HBase would leave, in one pass; it is what compaction makes of the whole"
run obkv-import --ddl "$ddl" --snapshot snap_a --compact --now $now -o live export
run obkv-compact --now $now -o compacted all
run obkv-verify diff compacted live
step "4. Every block, order, placement, digest and ledger"
run obkv-verify check live
