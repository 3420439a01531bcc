#!/bin/sh
# Usage: sh samples/hbase_snapshot.sh [DIR]
# Turns a snapshot of a real HBase (2.6.4, copied with ExportSnapshot) into a dataset: lists it, imports it with the table's own
# version rules, checks it, and proves that no cell is missing. Writes to build/ only (DIR: build/snapshot).
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
now=2024-01-01T00:00:00Z # fixed, so that TTLs give the same result every time

step() { printf '\n== %s\n' "$1"; }
run() { # shows the command as one would type it, then runs it
    printf '$'
    printf ' %s' "$@" | sed "s|$ddl|simple.sql|"
    echo
    "$@" >printed
    sed -e '/^  time /d' -e '/^  [0-9.]* s\(, .* of KeyValues\)*$/d' printed
}
step "1. What is in the export"
run obkv-import --list export
step "2. Import every cell into the partitions of simple.sql, then compare the two cell by cell"
run obkv-import --ddl "$ddl" --snapshot snap_a --now $now -o all export
run obkv-verify diff --snapshot snap_a export all
step "3. Import only what a major compaction of HBase would keep, in one pass; compacting the dataset gives the same"
run obkv-import --ddl "$ddl" --snapshot snap_a --compact --now $now -o live export
run obkv-compact --now $now -o compacted all
run obkv-verify diff compacted live
step "4. Check every block, order, placement, digest and ledger"
run obkv-verify check live
