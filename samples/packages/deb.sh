#!/bin/sh
# Usage: deb.sh BUILD DIR VERSION: makes Debian packages in DIR of what `make install` and `make install-doc` put into place from
# BUILD (called by `make deb`). Needs dpkg-dev, and no debhelper: what debhelper would do for four packages is below, in the order
# of the policy. The same commit gives the same bytes (SOURCE_DATE_EPOCH).
set -eu
build=$1 out=$2 version=$3
cd "$(dirname "$0")/../.."
tree=$PWD work=$PWD/build/packages/work
case $out in /*) ;; *) out=$PWD/$out ;; esac
arch=$(dpkg --print-architecture) triplet=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
: "${SOURCE_DATE_EPOCH:?}"
rm -rf "$work"
mkdir -p "$work/debian" "$out"
umask 022

make -s BUILD="$build" PREFIX=/usr LIBSUBDIR="lib/$triplet" DESTDIR="$work/all" DOCSUBDIR=share/doc/obkv-bulkload-doc \
    install install-doc
cp samples/packages/debian/control samples/packages/debian/copyright "$work/debian"
{
    echo "obkv-bulkload ($version) unstable; urgency=medium"
    printf '\n  * See CHANGELOG.md in obkv-bulkload-doc.\n\n'
    echo " -- obkv-bulkload maintainers <maintainers@obkv-bulkload.invalid>  $(date -u -R -d "@$SOURCE_DATE_EPOCH")"
} >"$work/debian/changelog"

take() { # PACKAGE PATH…: moves what make install put there into the package
    package=$1
    shift
    for path in "$@"; do
        mkdir -p "$work/$package/$(dirname "$path")"
        mv "$work/all/$path" "$work/$package/$path"
    done
}
cd "$work"
take obkv-bulkload-doc usr/share/doc/obkv-bulkload-doc
take libsst-dev usr/include/sst "usr/lib/$triplet/libsst.a" "usr/lib/$triplet/libsst.so" "usr/lib/$triplet/pkgconfig" \
    usr/share/man/man3
take libsst1 "usr/lib/$triplet"
take obkv-bulkload usr/bin usr/share/man usr/share/obkv-bulkload usr/share/bash-completion usr/share/zsh usr/share/fish
mkdir -p obkv-bulkload/usr/share/zsh/vendor-completions
mv obkv-bulkload/usr/share/zsh/site-functions/* obkv-bulkload/usr/share/zsh/vendor-completions
rmdir obkv-bulkload/usr/share/zsh/site-functions
left=$(find all ! -type d)
[ -z "$left" ] || { echo "deb.sh: in no package: $left" >&2; exit 1; }

strip --remove-section=.comment --remove-section=.note obkv-bulkload/usr/bin/*
strip --strip-unneeded --remove-section=.comment --remove-section=.note libsst1/usr/lib/*/libsst.so.1.*
strip --strip-debug --enable-deterministic-archives "libsst-dev/usr/lib/$triplet/libsst.a"
mkdir -p libsst1/DEBIAN
dpkg-gensymbols -plibsst1 -Plibsst1 "-v$version" -O"libsst1/DEBIAN/symbols" "-e$(echo libsst1/usr/lib/*/libsst.so.1)" -c0
echo "libsst 1 libsst1 (>= $version)" >libsst1/DEBIAN/shlibs
echo "activate-noawait ldconfig" >libsst1/DEBIAN/triggers
dpkg-shlibdeps -Tobkv-bulkload.substvars obkv-bulkload/usr/bin/*
dpkg-shlibdeps -Tlibsst1.substvars libsst1/usr/lib/*/libsst.so.1.*

for package in obkv-bulkload libsst1 libsst-dev obkv-bulkload-doc; do
    doc=$package/usr/share/doc/$package
    mkdir -p "$doc" "$package/DEBIAN"
    cp debian/copyright "$doc"
    gzip -9nc debian/changelog >"$doc/changelog.gz"
    find "$package/usr/share/man" -type f ! -name '*.gz' -exec gzip -9n {} + 2>/dev/null || :
    [ -e "$package.substvars" ] || : >"$package.substvars"
    echo "misc:Depends=" >>"$package.substvars"
    (cd "$package" && find usr -type f | LC_ALL=C sort | xargs -d '\n' md5sum) >"$package/DEBIAN/md5sums"
    dpkg-gencontrol "-p$package" "-P$package" "-T$package.substvars" "-ffiles" "-v$version" >control.log 2>&1 ||
        { cat control.log >&2; exit 1; }
    find "$package" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
    case $package in *-doc) name=${package}_${version}_all.deb ;; *) name=${package}_${version}_$arch.deb ;; esac
    dpkg-deb --root-owner-group -Zxz -z6 --threads-max=1 --build "$package" "$out/$name" >/dev/null
    echo "${out#"$tree"/}/$name"
done
cd "$tree"
rm -rf "$work"
