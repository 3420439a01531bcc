#!/bin/sh
# Usage: dist.sh BUILD DIR VERSION COMMIT: makes DIR/obkv-bulkload-VERSION.tar.xz of the last commit (called by `make dist`).
# It brings what a checkout lacks: the man pages as scdoc makes them, the commit and its time for --version and for reproducible
# builds, and debian/ and the spec where dpkg-buildpackage and rpmbuild -ta look for them. The same commit gives the same bytes.
set -eu
build=$1 out=$2 version=$3 commit=$4
cd "$(dirname "$0")/../.."
: "${SOURCE_DATE_EPOCH:?}"
case $commit in *-dirty) echo "dist.sh: changes that are not committed are left out" >&2 ;; esac
name=obkv-bulkload-$version
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
mkdir "$work/$name"
git archive HEAD | tar -x -C "$work/$name"
cp "$build"/man/* "$work/$name/docs/man"
echo "${commit%-dirty}" >"$work/$name/.commit"
echo "$SOURCE_DATE_EPOCH" >"$work/$name/.commit-time"
cp -r samples/packages/debian "$work/$name/debian"
printf 'obkv-bulkload (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$version" \
    "obkv-bulkload maintainers <maintainers@obkv-bulkload.invalid>" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" \
    >"$work/$name/debian/changelog"
mv "$work/$name/samples/packages/rpm/obkv-bulkload.spec" "$work/$name" # rpmbuild -ta takes one spec only
tar --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime="@$SOURCE_DATE_EPOCH" --format=posix \
    --pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime -C "$work" -c "$name" |
    xz -T1 -6 >"$out/$name.tar.xz.part"
mv "$out/$name.tar.xz.part" "$out/$name.tar.xz"
echo "$out/$name.tar.xz"
