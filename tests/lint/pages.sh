#!/bin/sh
# The pages of users have at most so many words together, and docs/README.md, the map, names every page. Pages that its section
# "Design and history" names, and CHANGELOG.md, are not counted: their readers change the programs.
most=55000
found=0
design=$(sed -n '/^## Design and history/,$p' docs/README.md 2>/dev/null | grep -oE '\]\([a-z/.-]+\.md' | cut -c 3-)
[ -n "$design" ] || { echo "docs/README.md: no section \"Design and history\" with pages"; exit 1; }
users=README.md
for page in $(find docs -name '*.md' ! -path docs/README.md | sort); do
    name=${page#docs/}
    grep -qE "\]\($name[)#]" docs/README.md || { echo "docs/README.md: does not name $name"; found=1; }
    printf '%s\n' "$design" | grep -qxF "$name" || users="$users $page"
done
words=$(cat $users | wc -w)
[ "$words" -le "$most" ] || { echo "the pages of users have $words words, at most $most"; found=1; }
exit $found
