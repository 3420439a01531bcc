#!/bin/sh
# Usage: container.sh [packages]   Builds samples/packages/container/Containerfile with buildah, and uses the programs in the
# image: an import of samples/users.csv, and a check; then samples/migration/Containerfile upon it, in which obkv-migrate judges
# all but the database, which is not there. "packages": its first stage, which compiles the last commit, is replaced by
# the packages that `make deb` has left in build/packages; all other steps are those of the file. No registry is asked: the base
# image is a minimal Debian 12 made by debootstrap from the mirror that apt uses, and images are kept in a temporary directory.
# Needs root, buildah and debootstrap.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
export BUILDAH_ISOLATION=chroot
image() { buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }
from_tree() { # DIRECTORY NAME: an image that holds it
    tar -C "$1" -cf "$work/tree.tar" .
    made=$(image from scratch)
    image add -q "$made" "$work/tree.tar" /
    image commit -q --rm "$made" "$2"
    rm "$work/tree.tar"
}

debootstrap --variant=minbase bookworm "$work/base" "$mirror" >"$work/log" || { cat "$work/log"; exit 1; }
for file in /etc/apt/apt.conf.d/99*; do [ ! -e "$file" ] || cp -L "$file" "$work/base/etc/apt/apt.conf.d"; done
from_tree "$work/base" docker.io/library/debian:12-slim

git clone -q --no-hardlinks . "$work/source"
cp samples/packages/container/Containerfile "$work"
commit=$(git rev-parse --short=12 HEAD)
if [ "${1:-}" = packages ]; then
    mkdir -p "$work/made/packages"
    cp build/packages/obkv-bulkload_*.deb build/packages/libsst1_*.deb "$work/made/packages"
    from_tree "$work/made" localhost/made
    sed -i '/ AS build$/,/^$/{/ AS build$/!{/^$/!d}}; s|^FROM .* AS build$|FROM localhost/made AS build|' "$work/Containerfile"
    commit=
fi
image build -q --pull-never -t obkv-bulkload -f "$work/Containerfile" "$work/source"
container=$(image from --pull-never obkv-bulkload)
inside() { image run "$container" -- "$@"; }
inside obkv-import --version | grep -q "^commit: $commit"
[ "$(inside id -un)" = obkv ]
mkdir -m 777 "$work/data"
cp samples/users.csv "$work/data"
mounted() { image run -v "$work/data:/data" "$container" -- "$@"; }
mounted obkv-import --quiet --partition key:7 --header --columns id=HBASE_ROW_KEY,name=info:name -o /data/out /data/users.csv
mounted obkv-verify check --quiet /data/out
! inside sh -c 'command -v gcc'

image build -q --pull-never -t obkv-migrate -f samples/migration/Containerfile "$work/source"
container=$(image from --pull-never obkv-migrate)
tar -xzf samples/simple_snapshot.tar.gz -C "$work/data"
cp samples/simple.sql "$work/data"
mkdir -m 777 "$work/data/work"
cat >"$work/data/migration.conf" <<CONF
[migration]
work = /data/work
target = 127.0.0.1:1/shop
backup = /data/export
[simple]
ddl = /data/simple.sql
snapshot = snap_a
CONF
mounted obkv-migrate --config /data/migration.conf check >"$work/shown" && exit 1
grep -q 'PASS  programs       six' "$work/shown"
grep -q 'PASS  snapshot       snap_a: complete' "$work/shown"
grep -q 'FAIL  target ' "$work/shown"
grep -q 'PASS  disk ' "$work/shown"
