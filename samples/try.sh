#!/bin/sh
# Usage: sh samples/try.sh DIR
# Makes DIR, in which the examples of --help, man pages and docs/ run as they stand: the files of samples/, and `backup`, which
# holds the snapshot snap_a of table simple as HBase's ExportSnapshot wrote it. It needs the programs of `make`, but runs none.
set -eu
dir=${1:?usage: sh samples/try.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
cp "$here"/users* "$here"/simple.sql "$here"/create.hbase "$dir"
tar -xzf "$here/simple_snapshot.tar.gz" -C "$dir"
rm -rf "$dir/backup"
mv "$dir/export" "$dir/backup"
ln -sfn "$here" "$dir/samples"
ln -sfn "$here/guide" "$dir/guide"
echo "cd $dir"
