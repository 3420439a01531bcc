#!/bin/sh
# Usage: exported.sh SOURCE OBJECT (called by symbols.sh for each file; alone it does nothing)
# An exported name starts with the stem of its file (buf.c: buf_put), with the stem's first word (hfile_open.c: hfile_open),
# or with a noun of its folder: the folder's name, or what its headers declare (the first word of a struct, enum or enum
# constant, or a word after "Exports:" in a comment).
[ $# = 2 ] || exit 0
source=$1 object=$2 found=0
stem=$(basename "$source" .c)
folder=$(dirname "$source")
nouns=$({
    sed -n -e 's/^\(struct\|enum\) \([a-z0-9]\{1,\}\).*/\2/p' -e 's/^.*Exports: \([a-z0-9_, ]*\).*/\1/p' "$folder"/*.h
    grep -ohE '\b[A-Z][A-Z0-9]*_[A-Z0-9_]+ *(=|,|}|$)' "$folder"/*.h | sed 's/_.*//'
} 2>/dev/null | tr 'A-Z' 'a-z' | tr -s ', ' '\n' | sort -u)
for name in $(nm --defined-only --extern-only -P "$object" | awk '$2 ~ /^[TtDdRrBbWV]$/ { print $1 }'); do
    first=${name%%_*}
    case $name in "$stem"*) continue ;; esac
    case $stem in "$first"_* | "$first"s) continue ;; esac
    for noun in $(basename "$folder") $nouns; do
        case $name in "$noun" | "$noun"_*) continue 2 ;; esac
    done
    echo "$source: exported name $name starts neither with $stem nor with a noun of its folder's headers"
    found=1
done
exit $found
