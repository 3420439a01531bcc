#!/bin/sh
# Usage: bare-root.sh DIR MIRROR [quickstart|tests|all|packages]
# Proves samples/quickstart.sh and tests/run.sh where nothing is installed: makes a minimal Debian 12 in DIR (kept if it is there
# already) with debootstrap from MIRROR, puts a clone of this checkout's last commit in, and runs both commands in a chroot,
# the first one twice: the second time nothing may be installed any more. packages: installs what `make deb` has left in
# build/packages with apt, uses it, and removes it without remains. Needs root, debootstrap and git.
# The host's apt sources and settings (*.sources, apt.conf.d/99*) are copied, as are its resolv.conf, certificates
# added to it, a pip.conf, and a Maven settings.xml, so that local mirrors work. To be removed afterwards: DIR, with
# rm -rf --one-file-system.
set -eu
dir=${1:?usage: bare-root.sh DIR MIRROR [quickstart|tests|all|packages]} mirror=${2:?a Debian mirror} what=${3:-all}
repository=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

[ -x "$dir/usr/bin/apt-get" ] || debootstrap --variant=minbase bookworm "$dir" "$mirror"
for file in /etc/apt/sources.list.d/*.sources /etc/apt/apt.conf.d/99* /etc/resolv.conf /etc/pip.conf \
    "$HOME/.m2/settings.xml" /usr/local/share/ca-certificates/*.crt; do
    case $file in
        "$HOME"/*) target=$dir/root/${file#"$HOME"/} ;;
        *) target=$dir$file ;;
    esac
    if [ -e "$file" ]; then
        mkdir -p "$(dirname "$target")"
        cp -L "$file" "$target"
    fi
done
if ls "$dir"/etc/apt/sources.list.d/*.sources >/dev/null 2>&1; then rm -f "$dir/etc/apt/sources.list"; fi

unmount() {
    for mounted in dev/shm dev proc; do
        if mountpoint -q "$dir/$mounted"; then umount "$dir/$mounted"; fi
    done
}
trap unmount EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
mount -t proc proc "$dir/proc"
mount --bind /dev "$dir/dev"
mount -t tmpfs tmpfs "$dir/dev/shm"

rm -rf "$dir/root/obkv"
git clone -q --no-hardlinks "$repository" "$dir/root/obkv"
inside() { # COMMAND: as a user would type it
    echo "### $1"
    chroot "$dir" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb sh -c "cd /root/obkv && $1"
}
nothing_new() { # COMMAND: must not touch the installed packages
    chroot "$dir" dpkg-query -W >"$dir/root/before"
    inside "$1"
    chroot "$dir" dpkg-query -W | cmp - "$dir/root/before"
    echo "### installed nothing: $1"
}
echo "### bare: $(chroot "$dir" dpkg-query -W | wc -l) packages, make: $(chroot "$dir" sh -c 'command -v make || echo none')"
case $what in quickstart | all)
    inside "sh samples/quickstart.sh"
    nothing_new "sh samples/quickstart.sh" ;;
esac
case $what in packages)
    mkdir -p "$dir/root/packages"
    rm -f "$dir/root/packages"/*
    cp "$repository"/build/packages/*.deb "$dir/root/packages"
    inside "apt-get -qq update"
    inside "apt-get -qq -y --no-install-recommends install bash-completion pkg-config gcc libc6-dev make >/dev/null 2>&1"
    files() { (cd "$dir" && find etc usr var/lib/systemd -xdev ! -path '*/cache/*' ! -name '*.cache' | LC_ALL=C sort); }
    files >"$dir/root/before"
    inside "apt-get -qq -y --no-install-recommends install /root/packages/*.deb >/dev/null"
    inside "obkv-import --version"
    inside "obkv-import --partition key:7 --header --columns id=HBASE_ROW_KEY,name=info:name -o /tmp/out samples/users.csv"
    inside "obkv-verify check /tmp/out && rm -r /tmp/out"
    inside "cc -std=c99 samples/api/place.c -o /tmp/place \$(pkg-config --cflags --libs libsst) && echo user1 | /tmp/place key:97"
    inside "bash -c '. /usr/share/bash-completion/completions/obkv-split && complete -p obkv-split'"
    inside "test -s /usr/share/man/man1/obkv-import.1.gz || grep -q path-exclude /etc/dpkg/dpkg.cfg.d/*"
    inside "apt-get -qq -y purge obkv-bulkload obkv-bulkload-doc libsst1 libsst-dev >/dev/null"
    inside "apt-get -qq -y autoremove --purge >/dev/null"
    files | diff "$dir/root/before" - && echo "### removed without remains" ;;
esac
case $what in tests | all)
    inside "sh tests/run.sh"
    nothing_new "sh samples/setup.sh build test interop man" ;;
esac
