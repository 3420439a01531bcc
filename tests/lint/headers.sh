#!/bin/sh
# Every header compiles alone and has a guard that names it.
found=0
for header in $(find $FOLDERS -name '*.h' | sort); do
    gcc -std=gnu11 -D_GNU_SOURCE -Ilibsst -Ilibsst/include -I. -Wall -Wextra -Werror -fsyntax-only -x c "$header" \
        -Wno-unused-function || found=1
    stem=$(basename "$header" .h | tr 'a-z' 'A-Z')
    grep -qE "^#ifndef ([A-Z0-9]+_)*${stem}_H$" "$header" || { echo "$header: no include guard ..._${stem}_H"; found=1; }
done
exit $found
