# From a snapshot of HBase, copied out with ExportSnapshot, to files that OceanBase's LOAD DATA takes.
set -eu
here=${1:-$(dirname "$0")}
tar -xzf "$here/../../simple_snapshot.tar.gz"
echo "1. what there is"
obkv-import --list export
echo "2. every cell, into the partitions of the target"
obkv-import --quiet --now 2024-01-01T00:00:00Z --ddl "$here/../../simple.sql" --snapshot snap_a -o all export
echo "3. no cell is missing"
obkv-verify diff --snapshot snap_a export all | head -n 2
echo "4. only what a major compaction would leave"
obkv-compact --quiet --now 2024-01-01T00:00:00Z -o left all
obkv-verify check --quiet left && obkv-export --quiet -o - --format csv --hex left | head -n 4
echo "5. files for LOAD DATA, with the statements that load and check them"
obkv-export --quiet --now 2024-01-01T00:00:00Z --create -o load left
find load -type f | grep -v '/\.' | LC_ALL=C sort
grep -c '^LOAD DATA' load/load.sql
