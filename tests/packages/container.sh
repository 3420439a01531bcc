#!/bin/sh
# Usage: container.sh   Builds samples/packages/container/Containerfile from this checkout's last commit, and uses the programs
# in the image: an import of samples/users.csv, and a check. No registry is asked: the base image is a minimal Debian 12 made by
# debootstrap from the mirror that apt uses, and images are kept in a temporary directory. Needs root, buildah and debootstrap.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
export BUILDAH_ISOLATION=chroot
image() { buildah --root "$work/images" --runroot "$work/run" --storage-driver vfs "$@"; }

debootstrap --variant=minbase bookworm "$work/base" "$mirror" >/dev/null
tar -C "$work/base" -cf "$work/base.tar" .
base=$(image from scratch)
image add -q "$base" "$work/base.tar" /
image commit -q --rm "$base" docker.io/library/debian:12-slim

git clone -q --no-hardlinks . "$work/source"
image build -q --pull-never -t obkv-bulkload -f samples/packages/container/Containerfile "$work/source"
container=$(image from --pull-never obkv-bulkload)
inside() { image run "$container" -- "$@"; }
inside obkv-import --version | grep -q "^commit: $(git rev-parse --short=12 HEAD)"
[ "$(inside id -un)" = obkv ]
mkdir -m 777 "$work/data"
cp samples/users.csv "$work/data"
mounted() { image run -v "$work/data:/data" "$container" -- "$@"; }
mounted obkv-import --quiet --partition key:7 --header --columns id=HBASE_ROW_KEY,name=info:name -o /data/out /data/users.csv
mounted obkv-verify check --quiet /data/out
! inside sh -c 'command -v gcc'
