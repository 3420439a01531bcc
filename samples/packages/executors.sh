#!/bin/sh
# Usage: executors.sh BUILD DIR VERSION: makes an archive for the executors of a cluster in DIR: the programs of BUILD and every
# library that they need but the C library, so nothing has to be installed there (docs/spark.md; called by `make executors`).
#
#     bin/obkv-import     a script that starts lib/obkv/obkv-import with the libraries beside it
#     lib/                libraries, as the system has them here
#
# The name says the oldest C library that it runs with: it follows from the symbols that programs and libraries ask for, so build
# on the oldest system (samples/python/oldest_tools.sh). The same files give the same bytes (SOURCE_DATE_EPOCH).
set -eu
build=$1 out=$2 version=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$out" "$work/bin" "$work/lib/obkv"

# A system has its own C library; libcurl is opened by name, by programs that read URLs.
needed() { # FILE…: paths of the libraries that they are linked with
    ldd "$@" | sed -n 's/^\t\(lib[^ ]*\) => \(\/[^ ]*\).*/\1 \2/p' | sort -u |
        awk '$1 !~ /^lib(c|m|dl|rt|pthread|resolv|util)\.so/'
}

for program in "$build"/bin/obkv-*; do
    name=$(basename "$program")
    cp "$program" "$work/lib/obkv/$name"
    strip --remove-section=.comment "$work/lib/obkv/$name"
    cat >"$work/bin/$name" <<'SCRIPT'
#!/bin/sh
self=$(readlink -f "$0")
lib=${self%/*/*}/lib
[ -x "$lib/obkv/${self##*/}" ] || chmod +x "$lib"/obkv/* # unpacked by Java
LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$lib/obkv/${self##*/}" "$@"
SCRIPT
    chmod 755 "$work/bin/$name"
done
curl=$(ldconfig -p | sed -n 's/.*libcurl\.so\.4 .*=> //p' | head -n 1)
needed "$work"/lib/obkv/* ${curl:+"$curl"} | while read -r name path; do cp -L "$path" "$work/lib/$name"; done
[ -z "$curl" ] || cp -L "$curl" "$work/lib/libcurl.so.4"
chmod 755 "$work"/lib/*.so*

glibc=$(objdump -T "$work"/lib/obkv/* "$work"/lib/*.so* | sed -n 's/.*(\{0,1\}GLIBC_\([0-9.]*\))\{0,1\} .*/\1/p' |
    sort -uV | tail -n 1)
left=$(LD_LIBRARY_PATH=$work/lib ldd "$work"/lib/obkv/* | grep 'not found' || :)
[ -z "$left" ] || { echo "executors.sh: $left" >&2; exit 1; }
env -i "$work/bin/obkv-import" --version >/dev/null

archive=$out/obkv-executors-$version-glibc$glibc-$(uname -m).tar.gz
tar -C "$work" --sort=name --mtime="@${SOURCE_DATE_EPOCH:-0}" --owner=0 --group=0 --numeric-owner -cf "$work.tar" bin lib
gzip -n <"$work.tar" >"$archive"
rm -f "$work.tar"
echo "$archive"
