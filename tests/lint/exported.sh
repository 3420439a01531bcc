#!/bin/sh
# Usage: exported.sh SYMBOLS (called by symbols.sh, with lines "SOURCE NAME TYPE …"; alone it does nothing)
# An exported name starts with the stem of its file (buf.c: buf_put), with the stem's first word (hfile_open.c: hfile_open),
# or with a noun of its folder: the folder's name, or what its headers declare (the first word of a struct, enum or enum
# constant, or a word after "Exports:" in a comment). Programs are free.
[ $# = 1 ] || exit 0
symbols=$1 found=0
nouns_of() { # FOLDER
    basename "$1"
    {
        sed -n -e 's/^\(struct\|enum\) \([a-z0-9]\{1,\}\).*/\2/p' -e 's/^.*Exports: \([a-z0-9_, ]*\).*/\1/p' "$1"/*.h
        grep -ohE '\b[A-Z][A-Z0-9]*_[A-Z0-9_]+ *(=|,|}|$)' "$1"/*.h | sed 's/_.*//'
    } 2>/dev/null | tr 'A-Z' 'a-z' | tr -s ', ' '\n' | sort -u
}
for folder in $(awk '$1 !~ /^cmd\// { sub(/\/[^\/]*$/, "", $1); print $1 }' "$symbols" | sort -u); do
    nouns_of "$folder" | grep . | tr '\n' ' ' | {
        read -r nouns
        awk -v folder="$folder" -v nouns="$nouns" '
            BEGIN { n = split(nouns, noun, " ") }
            {
                where = $1
                sub(/\/[^\/]*$/, "", where)
            }
            where != folder || $3 !~ /^[TDRBWV]$/ { next }
            {
                stem = substr($1, length(folder) + 2)
                sub(/\.c$/, "", stem)
                first = $2
                sub(/_.*/, "", first)
                if (index($2, stem) == 1 || index(stem, first "_") == 1 || stem == first "s") next
                for (i = 1; i <= n; i++) if ($2 == noun[i] || index($2, noun[i] "_") == 1) next
                print $1 ": exported name " $2 " starts neither with " stem " nor with a noun of its folder\047s headers"
                bad = 1
            }
            END { exit bad }' "$symbols"
    } || found=1
done
exit $found
