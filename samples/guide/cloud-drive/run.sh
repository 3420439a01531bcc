# Directories and files of a cloud drive: two tables of one CSV, keys are UUIDs that can be computed again from owner and path.
set -eu
here=${1:-$(dirname "$0")}
obkv-import --quiet --ddl "$here/directories.sql" --map "$here/directories.json" -o directories "$here/entries.csv"
obkv-import --quiet --ddl "$here/files.sql" --map "$here/files.json" -o files "$here/entries.csv"
obkv-import --map "$here/directories.json" --preview 20 "$here/entries.csv"
obkv-import --map "$here/files.json" --preview 20 "$here/entries.csv"
obkv-verify check --quiet directories
obkv-verify check --quiet files
