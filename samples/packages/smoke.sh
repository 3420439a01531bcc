#!/bin/sh
# Usage: smoke.sh: imports samples/users.csv with the programs in PATH, and checks the result: do they run where they are?
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
obkv-import --quiet --partition key:7 --header --columns id=HBASE_ROW_KEY,name=info:name -o "$work/out" users.csv
obkv-verify check --quiet "$work/out"
for program in import compact split export load verify; do "obkv-$program" --version | head -n 1; done
