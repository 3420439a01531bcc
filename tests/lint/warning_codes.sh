#!/bin/sh
# The codes of warnings are those of docs/warnings.md, each once and explained, and each is used.
found=0
codes=$(sed -n 's/^ *\[WARN_[A-Z0-9_]*\] = "\([a-z0-9-]*\)",.*/\1/p' libsst/base/warning.c | sort)
page=$(sed -n 's/^| `\([a-z0-9-]*\)` | [^|]\{1,\} | [^|]\{1,\} |$/\1/p' docs/warnings.md | sort)
[ -n "$codes" ] || { echo "libsst/base/warning.c: no codes"; exit 1; }
for code in $(printf '%s\n%s\n' "$codes" "$page" | sort | uniq -u); do
    echo "$code: not in both libsst/base/warning.c and docs/warnings.md"
    found=1
done
for code in $(printf '%s\n' "$page" | uniq -d) $(printf '%s\n' "$codes" | uniq -d); do
    echo "$code: twice"
    found=1
done
for name in $(sed -n 's/^ *\[\(WARN_[A-Z0-9_]*\)\] = .*/\1/p' libsst/base/warning.c); do
    grep -rqw --include='*.[ch]' --exclude='warning.[ch]' "$name" libsst formats cmd && continue
    echo "$name: nothing warns so"
    found=1
done
exit $found
