#!/bin/sh
# Usage: oldest.sh DIR [KEEP]: builds the wheel of the last commit in a minimal Debian 11, as the release does (release.yml). It
# is the oldest Debian that its mirrors have: the tag becomes manylinux_2_31. Then installs it there for Debian's own Python, and
# reads and writes. The wheel is left in DIR. Needs root, debootstrap, git, and the mirror that apt uses. About five minutes.
# KEEP: a folder for the system, used again if it is there; else it is a temporary one.
set -eu
cd "$(dirname "$0")/../.."
mkdir -p "${1:?usage: oldest.sh DIR [KEEP]}"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
root=${2:-$work/root}
mkdir -p "$root"
root=$(cd "$root" && pwd)
end() {
    for place in dev/shm dev proc; do
        if mountpoint -q "$root/$place"; then umount "$root/$place"; fi
    done
    rm -rf --one-file-system "$work"
}
trap end EXIT
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' | grep -v security | head -n 1)
[ -x "$root/usr/bin/apt-get" ] || debootstrap --variant=minbase bullseye "$root" "$mirror" >"$work/log" ||
    { cat "$work/log"; exit 1; }
for file in /etc/apt/apt.conf.d/99* /etc/resolv.conf /etc/pip.conf /usr/local/share/ca-certificates/*.crt; do
    [ ! -e "$file" ] || { mkdir -p "$root$(dirname "$file")" && cp -L "$file" "$root$file"; }
done
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/dev/shm"
rm -rf "$root/src" && git clone -q --no-hardlinks . "$root/src"
inside() { # COMMAND
    chroot "$root" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
        sh -ec "cd /src && $1"
}
inside "apt-get -qq update && apt-get -qq -y --no-install-recommends install ca-certificates python3-venv >/dev/null 2>&1"
inside "update-ca-certificates >/dev/null 2>&1 || :"
inside "sh samples/python/oldest_tools.sh /tools"
inside "PYTHON=/tools/bin/python sh samples/python/wheel.sh /wheels"
inside "python3 -m venv --clear /empty && /empty/bin/pip install -q /wheels/obkv_sst-*manylinux_2_31_*.whl"
inside "cd / && /empty/bin/python -c '
import obkv_sst as sst
with sst.Writer(\"/a.hfile\", codec=\"ZSTD\", encoding=\"FAST_DIFF\") as w:
    for i in range(1000): w.put(\"row%04d\" % i, \"f\", \"q\", 5, b\"value\")
assert sum(c.value == b\"value\" for c in sst.open(\"/a.hfile\")) == 1000
for name in (\"g01_small\", \"g03_gz_rowcol\"):
    assert len(list(sst.open(\"/src/tests/data/hfile/golden_hfiles/%s.hfile\" % name))) > 0
'"
cp "$root"/wheels/obkv_sst-*.whl "$out"
ls "$out"/obkv_sst-*manylinux_2_31_*.whl
