#!/bin/sh
# Usage: run.sh [BUILD]: install and uninstall, packages, archive and bill of materials from what BUILD (build/release) holds, as
# their users would: packages are installed into an empty root with dpkg, used, removed, and read by lintian, rpmlint and a
# builder of containers where those are. Two copies of the archive in different directories compile to the same bytes: a part
# here, everything and the packages with OBKV_STRESS=1. The last line is "N passed, N failed, N skipped".
cd "$(dirname "$0")/../.." || exit 1
build=${1:-build/release}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
log=$work/log
packages=$PWD/build/packages
version=$(sed -n 's/^#define SST_VERSION "\(.*\)"/\1/p' libsst/include/sst/base.h)
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); echo "ok $1"; }
not_ok() { failed=$((failed + 1)); echo "not ok $1"; tail -n 20 "$log" | sed 's/^/    /'; }
skip() { skipped=$((skipped + 1)); echo "skipped $1"; }
try() { # NAME COMMAND…
    name=$1
    shift
    if "$@" >"$log" 2>&1; then ok "$name"; else not_ok "$name"; fi
}
has() { command -v "$1" >"$log" 2>&1; }
empty() { # FILE: nothing stands in it; else it is shown
    cp "$1" "$log"
    cat "$1"
    [ ! -s "$1" ]
}

# ---- make install, make uninstall ----

mkdir -p "$work/dest/usr/share/man/man1"
echo other >"$work/dest/usr/share/man/man1/other.1"
try "make install" make -s PREFIX=/usr DESTDIR="$work/dest" install install-doc
for file in bin/obkv-load lib/libsst.so.1 share/bash-completion/completions/obkv-import share/zsh/site-functions/_obkv-split \
    share/fish/vendor_completions.d/obkv-verify.fish share/obkv-bulkload/nightly/obkv-nightly.service \
    share/obkv-bulkload/nightly/dashboard.json share/doc/obkv-bulkload/docs/plan.md; do
    try "installed: $file" test -s "$work/dest/usr/$file"
done
make -s PREFIX=/usr DESTDIR="$work/dest" uninstall >"$log" 2>&1 || not_ok "make uninstall"
(cd "$work/dest" && find . | LC_ALL=C sort) >"$work/left"
printf '%s\n' . ./usr ./usr/bin ./usr/include ./usr/lib ./usr/share ./usr/share/man ./usr/share/man/man1 \
    ./usr/share/man/man1/other.1 >"$work/want"
try "make uninstall leaves the files of others, and no directory of its own" diff "$work/want" "$work/left"

make -s PREFIX=/opt/obkv DESTDIR="$work/own" install install-doc >"$log" 2>&1 || not_ok "make install into a prefix of its own"
try "it has man pages" test -s "$work/own/opt/obkv/share/man/man1/obkv-import.1"
make -s PREFIX=/opt/obkv DESTDIR="$work/own" uninstall >"$log" 2>&1 || not_ok "make uninstall"
try "a prefix of its own goes with what is in it" test ! -e "$work/own/opt/obkv"

# ---- the archive, and the same bytes in two directories ----

if has git && has scdoc && git rev-parse HEAD >"$log" 2>&1; then
    try "make dist" make -s dist
    cp "$packages/obkv-bulkload-$version.tar.xz" "$work/first.tar.xz"
    try "make dist again" make -s dist
    try "the archive has the same bytes" cmp "$work/first.tar.xz" "$packages/obkv-bulkload-$version.tar.xz"
    for copy in a a/much/longer/directory; do
        mkdir -p "$work/$copy" && tar -xf "$work/first.tar.xz" -C "$work/$copy"
    done
    one=$work/a/obkv-bulkload-$version other=$work/a/much/longer/directory/obkv-bulkload-$version
    try "man pages without scdoc" make -s -C "$one" SCDOC= man
    try "they are those of scdoc" diff -r "$one/build/release/man" build/release/man
    try "one spec, as rpmbuild -ta wants it" sh -c "tar -tf $work/first.tar.xz | grep -c '[.]spec$' | grep -qx 1"
    try "debian/ and the spec lie where their tools look" test -e "$one/debian/rules" -a -e "$one/obkv-bulkload.spec"
    make -s -C "$one" build/release/gen/commit.h >"$log" 2>&1
    try "the archive names its commit" grep -q "\"$(git rev-parse --short=12 HEAD)\"" "$one/build/release/gen/commit.h"
    parts="build/release/libsst/codec/codec.o build/release/libsst/codec/snappy_guard.o build/release/libsst/base/err.o
        build/release/cmd/common/opt_version.o build/release/libsst/table/ddl.o build/release/cmd/load/obkv_load.o"
    if [ -n "${OBKV_STRESS:-}" ]; then parts="all lib"; fi
    # shellcheck disable=SC2086 # several words
    export CCACHE_DISABLE=1 # each copy compiles for itself
    for copy in "$one" "$other"; do try "compiled in ${#copy} letters" make -s -j2 -C "$copy" $parts; done
    for copy in "$one" "$other"; do (cd "$copy/build" && find . -type f -name '*.[oa]' -o -path '*/bin/*' -o -name '*.so*' |
        LC_ALL=C sort | xargs sha256sum) >"$copy/sums"; done
    try "two directories, the same bytes" cmp "$one/sums" "$other/sums"
    try "$(wc -l <"$one/sums") files are compared" test "$(wc -l <"$one/sums")" -ge 6
    if [ -n "${OBKV_STRESS:-}" ]; then
        for copy in "$one" "$other"; do try "make deb in ${#copy} letters" make -s -C "$copy" deb; done
        for deb in "$one"/build/packages/*.deb; do
            try "${deb##*/} is the same" cmp "$deb" "$other/build/packages/${deb##*/}"
        done
    fi
else
    skip "make dist: no git, no scdoc, or not a checkout"
fi

# ---- Debian packages ----

if [ "$(id -u)" = 0 ] && has dpkg-shlibdeps && has dpkg-gencontrol && has scdoc; then
    try "make deb" make -s deb
    first=$(cd "$packages" && sha256sum ./*.deb)
    try "make deb again" make -s deb
    try "packages have the same bytes" test "$first" = "$(cd "$packages" && sha256sum ./*.deb)"
    root=$work/root
    mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info" && : >"$root/var/lib/dpkg/status"
    (cd "$root" && find . ! -path './var/lib/dpkg*' | LC_ALL=C sort) >"$work/before"
    dpkg="dpkg --root=$root --force-not-root --force-depends --force-bad-path"
    # shellcheck disable=SC2086 # several words
    try "packages are installed in an empty root" $dpkg -i "$packages"/*_"$version"_*.deb
    for program in import compact split export load verify; do
        try "obkv-$program runs" "$root/usr/bin/obkv-$program" --version
        try "man page of obkv-$program" test -s "$root/usr/share/man/man1/obkv-$program.1.gz"
        try "completion of obkv-$program" bash -n "$root/usr/share/bash-completion/completions/obkv-$program"
    done
    for page in obkv-mapping.5 obkv-manifest.5 obkv-ddl.5 sst.3; do
        try "man page $page" test -s "$root/usr/share/man/man${page##*.}/$page.gz"
    done
    lib=$(dirname "$(find "$root/usr/lib" -name libsst.so)")
    flags=$(PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_LIBDIR=$lib/pkgconfig pkg-config --cflags --libs libsst)
    # shellcheck disable=SC2086 # several words
    try "a program is compiled with libsst-dev" cc -std=c99 samples/api/place.c -o "$work/place" $flags
    echo user1 | LD_LIBRARY_PATH=$lib "$work/place" key:97 >"$work/placed" 2>&1
    try "and runs with libsst1" grep -q 'p[0-9]*$' "$work/placed"
    grep -rl "$PWD" "$root/usr" >"$work/paths" 2>"$log"
    try "no file names the directory it was built in" empty "$work/paths"
    # shellcheck disable=SC2086 # several words
    try "packages are removed" $dpkg --purge obkv-bulkload libsst-dev libsst1 obkv-bulkload-doc
    (cd "$root" && find . ! -path './var/lib/dpkg*' | LC_ALL=C sort) >"$work/after"
    try "nothing is left of them" diff "$work/before" "$work/after"
    if has lintian; then
        lintian --no-cfg --fail-on warning,error --suppress-tags initial-upload-closes-no-bugs --allow-root \
            "$packages"/*_"$version"_*.deb >"$work/lintian" 2>&1
        try "lintian has nothing to say" empty "$work/lintian"
    else
        skip "lintian is not installed"
    fi
else
    skip "make deb: no dpkg-dev, no scdoc, or not root, who owns what packages hold"
fi

# ---- bill of materials, spec, container ----

try "make sbom" make -s sbom
cat >"$work/sbom.py" <<'PYTHON'
import json, re, subprocess, sys
document = json.load(open(sys.argv[1]))
assert document["spdxVersion"] == "SPDX-2.3" and document["dataLicense"] == "CC0-1.0"
ids = [x["SPDXID"] for x in document["packages"] + document["files"]] + [document["SPDXID"]]
assert len(ids) == len(set(ids)) and all(re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", i) for i in ids), ids
for r in document["relationships"]:
    assert r["spdxElementId"] in ids and r["relatedSpdxElement"] in ids, r
names = {p["name"] for p in document["packages"]}
assert {"obkv-bulkload", "libarchive", "zstd", "jansson", "mariadb-connector-c", "libsodium", "glibc"} <= names, names
for f in document["files"]:
    want = {c["algorithm"]: c["checksumValue"] for c in f["checksums"]}["SHA256"]
    got = subprocess.run(["sha256sum", sys.argv[2] + f["fileName"][1:]], capture_output=True, check=True).stdout.decode()
    assert want == got.split()[0], f
assert len(document["files"]) == 8
PYTHON
try "the bill of materials names libraries and files" \
    python3 "$work/sbom.py" "$packages/obkv-bulkload-$version.spdx.json" "$build"
spec=samples/packages/rpm/obkv-bulkload.spec
[ -e $spec ] || spec=obkv-bulkload.spec # in the archive
try "the spec has this version" grep -q "^Version: *$version\$" "$spec"
make -s PREFIX=/usr DESTDIR="$work/rpm" install >"$log" 2>&1 # what it lists is what this puts there
sed -n 's|^%{_bindir}|/usr/bin|p; s|^%{_mandir}|/usr/share/man|p; s|^%{_datadir}|/usr/share|p; s|^%{_libdir}|/usr/lib|p
    s|^%{_includedir}|/usr/include|p' "$spec" >"$work/listed"
while read -r pattern; do
    # shellcheck disable=SC2086 # a pattern
    try "the spec lists what is there: $pattern" ls -d "$work"/rpm$pattern
done <"$work/listed"
if [ -n "${OBKV_STRESS:-}" ] && has rpmbuild && [ -f "$packages/obkv-bulkload-$version.tar.xz" ]; then
    try "rpmbuild -ta" rpmbuild -ta --nodeps -D "_topdir $work/rpmbuild" "$packages/obkv-bulkload-$version.tar.xz"
    try "five packages" test "$(find "$work/rpmbuild" -name '*.rpm' ! -name '*debug*' | wc -l)" = 5
else
    skip "rpmbuild is tried by make stress, where it is installed"
fi
if has rpmspec; then try "rpmspec reads the spec" rpmspec --parse "$spec"; else skip "rpmspec is not installed"; fi
if has rpmlint; then
    try "rpmlint accepts the spec" rpmlint -c samples/packages/rpm/rpmlint.toml "$spec"
else
    skip "rpmlint is not installed"
fi
container=samples/packages/container/Containerfile
known='^(#|FROM |WORKDIR |COPY |RUN |USER |CMD |    |$)'
try "the container file has known instructions only" sh -c "! grep -vE '$known' $container"
try "it copies from a stage" grep -q 'from=build ' $container
try "that it names" grep -q ' AS build$' $container
made=$(find "$packages" -name "libsst1_${version}_*.deb")
if has buildah && has debootstrap && [ "$(id -u)" = 0 ] && [ -n "$made" ]; then
    if [ -n "${OBKV_STRESS:-}" ]; then try "buildah compiles in the container" sh tests/packages/container.sh; fi
    try "buildah builds the container, and the programs in it run" sh tests/packages/container.sh packages
else
    skip "the container is built as root, with buildah, debootstrap and the packages"
fi

# ---- workflows, recipes ----

try "smoke.sh runs the programs" env PATH="$PWD/$build/bin:$PATH" sh samples/packages/smoke.sh
try "the changelog has notes of this version" sh samples/packages/notes.sh "$version"
try "not of another one" sh -c '! sh samples/packages/notes.sh 99.0.0'
archive=$work/obkv-bulkload-9.8.7.tar.xz
echo archive >"$archive"
try "recipes of a release" sh samples/packages/recipes.sh "$archive" https://h.invalid/a.tar.xz "$work/recipes"
sum=$(sha256sum "$archive" | cut -c -64)
try "have its version, URL and checksum" grep -qx "  sha256: $sum" "$work/recipes/recipe.yaml"
try "in the formula, too" grep -qx "  sha256 \"$sum\"" "$work/recipes/obkv-bulkload.rb"
for file in conda/recipe.yaml homebrew/obkv-bulkload.rb; do
    try "$file has this version" grep -qF "$version" "samples/packages/$file"
    sed -n 's/^.*depends_on "\([a-z0-9-]*\)"$/\1/p; s/^ *uses_from_macos "\(.*\)"/\1/p; s/^        - \([a-z0-9-]*\)$/\1/p' \
        "samples/packages/$file" | sed 's/^lz4-c$/lz4/; s/^libcurl$/curl/; /^gcc$/d; /^make$/d; /^pkg-config$/d' |
        LC_ALL=C sort -u >"$work/$(basename "$file").needs"
done
try "recipe and formula need the same libraries" cmp "$work/recipe.yaml.needs" "$work/obkv-bulkload.rb.needs"
actionlint=$(sed -n 's/^actionlint=//p' samples/setup.sh)
actionlint=${XDG_CACHE_HOME:-$HOME/.cache}/obkv-tests/$actionlint/actionlint
if [ ! -x "$actionlint" ]; then
    skip "actionlint is not installed"
elif [ -d .github ]; then
    try "actionlint accepts the workflows" "$actionlint" .github/workflows/*.yml
fi
if has shellcheck; then
    try "shellcheck accepts the scripts of packages" shellcheck -S warning samples/packages/*.sh samples/python/*.sh
else
    skip "shellcheck is not installed"
fi
if has rubocop; then
    cat >"$work/rubocop.yml" <<'RULES' # those of Homebrew's own style
AllCops: {NewCops: disable, SuggestExtensions: false}
Layout/SpaceAroundOperators: {Enabled: false}
Style/StringLiterals: {EnforcedStyle: double_quotes}
Style/Documentation: {Enabled: false}
Style/FrozenStringLiteralComment: {Enabled: false}
Layout/LineLength: {Max: 118}
RULES
    try "rubocop accepts the formula" rubocop -c "$work/rubocop.yml" --only Layout,Lint,Style \
        samples/packages/homebrew/obkv-bulkload.rb
else
    skip "rubocop is not installed"
fi

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
