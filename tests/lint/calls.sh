#!/bin/sh
# Calls lead one way: where a.c uses what b.c defines, b.c uses nothing of a.c, also not through others. The same holds for rooms
# (folders). Read from the symbols of objects, so that a shared header does not hide a circle. LINT_BUILD=build/dev reads the
# objects of another configuration.
build=${LINT_BUILD:-build/lint-gcc}
[ -n "$LINT_BUILD" ] || make -s -k -j"$(nproc)" CONFIG=lint-gcc CC=gcc objects >/dev/null 2>&1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
find libsst formats cmd -name '*.c' | sort | sed "s|^|$build/|; s|c\$|o|" >"$work/objects"
xargs nm -A -P <"$work/objects" 2>/dev/null | sed "s|^$build/||; s|\.o: | |" | LC_ALL=C awk '
    $3 ~ /^[TDRBVWC]$/ { owner[$2] = $1; next }
    $3 == "U" { user[++n] = $1; used[n] = $2 }
    END { for (i = 1; i <= n; i++) if (used[i] in owner && owner[used[i]] != user[i]) print user[i], owner[used[i]] }
' | sort -u >"$work/uses"
[ -s "$work/uses" ] || { echo "no objects in $build"; exit 1; }
sed 's|/[^/ ]* | |; s|/[^/]*$||' "$work/uses" | awk '$1 != $2' | sort -u >"$work/rooms"
found=0
for level in uses rooms; do
    tsort "$work/$level" 2>"$work/circles" >/dev/null && continue
    found=1
    sed 's|^tsort: .* input contains a loop:|a circle of calls:|; s|^tsort: |    |' "$work/circles"
done
exit $found
