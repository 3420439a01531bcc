#!/bin/sh
# Usage: sh samples/load_oceanbase.sh [DIR]
# Loads a snapshot of a real HBase into a table of OBKV-HBase and reads it back by SQL, as OBKV clients do: import and compact in
# one pass, export, load, verify. The target is OceanBase's own engine, started for this run in a directory of its own
# (samples/setup.sh oceanbase downloads it, 120 MB), or the database that TARGET (HOST:PORT/DB), TARGET_USER and PASSWORD_FILE
# name. Writes to build/ only (DIR: build/load).
set -eu
cd "$(dirname "$0")/.."
[ -n "${TARGET:-}" ] || exec sh samples/trial_engine.sh sh "$0" "$@"
if ! command -v obkv-load >/dev/null; then
    sh samples/setup.sh build
    make -s -j"$(nproc)" all
    export PATH="$PWD/build/release/bin:$PATH"
fi
out=${1:-build/load}
rm -rf "$out"
mkdir -p "$out"
tar -xzf samples/simple_snapshot.tar.gz -C "$out"
cd "$out"
ddl=$OLDPWD/samples/simple.sql
now=2024-01-01T00:00:00Z # fixed, so that TTLs give the same result every time

step() { printf '\n== %s\n' "$1"; }
run() { # shows the command as one would type it, then runs it
    printf '$'
    printf ' %s' "$@" | sed -e "s|$ddl|simple.sql|" -e "s|$PASSWORD_FILE|password|" -e "s|$TARGET|\$TARGET|"
    echo
    "$@"
}
sql() {
    host=${TARGET%%:*} rest=${TARGET#*:}
    MYSQL_PWD=$(cat "$PASSWORD_FILE") mariadb --no-defaults --table -h"$host" -P"${rest%%/*}" -u"$TARGET_USER" \
        "${rest#*/}" -e "$1"
}
login="--target $TARGET --user $TARGET_USER --password-file $PASSWORD_FILE"

step "1. Import the snapshot as a major compaction would leave it, into the partitions of simple.sql"
run obkv-import --compact --ddl "$ddl" --snapshot snap_a --now $now -o live export
step "2. Export load files and statements"
run obkv-export --create --now $now -o load live
step "3. Check the target; nothing is changed yet"
run obkv-load $login --create --dry-run load | sed '/^LOAD DATA/d'
step "4. Create the tables and load the files; the second time there is nothing to do"
run obkv-load $login --create load
run obkv-load $login load
step "5. Prove that the database holds exactly these rows, and those of the dataset"
run obkv-verify target $login --now $now load
run obkv-verify target $login --now $now live
step "6. Read one row by SQL, newest version of each column first, as OBKV clients do"
sql 'SELECT K, Q, -T AS timestamp, LENGTH(V) AS bytes, SUBSTR(HEX(V), 1, 24) AS V FROM `simple$cf1`
    WHERE K = (SELECT MIN(K) FROM `simple$cf1`) ORDER BY K, Q, T LIMIT 8'
step "7. Change a value by hand: the program finds it and names the row"
sql 'UPDATE `simple$cf1` SET V = CONCAT(V, "!") WHERE K = (SELECT MIN(K) FROM (SELECT K FROM `simple$cf1`) x) LIMIT 1'
if run obkv-verify target $login --now $now load; then exit 1; fi
