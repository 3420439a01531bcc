#!/bin/sh
# The top of the tree holds these names and dot files, nothing else.
known=" CHANGELOG.md CONTRIBUTING.md GNUmakefile LICENSE README.md SECURITY.md cmd docs formats libsst samples tests "
found=0
for name in $(git ls-files 2>/dev/null | sed 's|/.*||' | grep -v '^\.' | sort -u); do
    case $known in *" $name "*) ;; *) echo "$name: the top of the tree has no such name"; found=1 ;; esac
done
for name in $known; do
    [ -e "$name" ] || { echo "$name: missing at the top of the tree"; found=1; }
done
exit $found
