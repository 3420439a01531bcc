#!/bin/sh
# Files that pages, man pages, scripts and comments name are there. A name with a folder of ours in front must exist as it stands
# (below libsst/ too), the name of a C file without one somewhere; * stands for anything, capitals for a name to be chosen. Links
# between pages lead to files.
tree=$(find . -path ./build -prune -o -path ./.git -prune -o -type f -print | sed 's|^\./||')
pages=$(printf '%s\n' "$tree" | grep -E '\.md$|^docs/man/')
sources=$(printf '%s\n' "$tree" | grep -E '\.[ch]$')
scripts=$(printf '%s\n' "$tree" | grep -E '\.(sh|py)$|^GNUmakefile$')
name='[a-zA-Z0-9_.*/-]*[a-zA-Z0-9_*]\.([ch]|sh|py|md)'

numbered() { awk '{ print FILENAME ":" FNR ":" $0 }' "$@"; }
found_by() { # REGEXP: "FILE:LINE:MATCH" of every match that ends with a word
    awk -v regexp="$1" '{
        match($0, /^[^:]*:[0-9]*:/)
        place = substr($0, 1, RLENGTH)
        for (rest = substr($0, RLENGTH + 1); match(rest, regexp); rest = substr(rest, RSTART + RLENGTH))
            if (substr(rest, RSTART + RLENGTH) !~ /^[a-zA-Z0-9_(]/) print place substr(rest, RSTART, RLENGTH)
    }'
}
{
    printf 'tree:%s\n' $tree
    numbered $pages | sed 's/\](\([^)#: ]*\)[^)]*)/]/g; s/<[a-z]*\.h>//g' | grep -v '://' | found_by "$name" | sed 's/^/name:/'
    numbered $sources | sed -n 's|^\([^:]*:[0-9]*:\).*/\*|\1|p; s|^\([^:]*:[0-9]*:\) \*|\1|p' | found_by "$name" |
        sed 's/^/name:/'
    numbered $scripts | found_by "$name" | grep '^[^:]*:[0-9]*:.*/' | sed 's/^/name:/'
    numbered $pages | sed 's|](https*://[^)]*)|]|g' | found_by '\]\([^)#: ]+' | sed 's/^/link:/; s/\](//'
    numbered $pages | sed 's|](https*://[^)]*)|]|g' | found_by '`[a-z]+/[a-zA-Z0-9_.*/-]*`' | tr -d '`' | sed 's/^/name:/'
} | LC_ALL=C awk -F: '
    $1 == "tree" {
        there[$2]
        at = $2
        while (sub(/\/[^\/]*$/, "", at)) there[at]
        sub(/.*\//, "", $2)
        file[$2]
        next
    }
    function complain(text) { print $2 ":" $3 ": " text; found = 1 }
    function exists(path, known,    pattern, p) {
        if (path in known || path ".c" in known || path ".h" in known) return 1
        if (path !~ /\*/) return 0
        pattern = path
        gsub(/\./, "[.]", pattern)
        gsub(/\*/, "[^/]*", pattern)
        for (p in known) if (p ~ "^" pattern "$") return 1
        return 0
    }
    {
        path = $4
        sub(/\/$/, "", path)
        top = path
        sub(/\/.*/, "", top)
    }
    $1 == "link" {
        from = $2
        sub(/[^\/]*$/, "", from)
        path = from path
        while (sub(/[^\/]+\/\.\.\//, "", path));
        if (!(path in there)) complain("the link to " $4 " leads nowhere")
        next
    }
    path ~ /[A-Z][A-Z]/ && path !~ /README/ { next }
    path ~ /\// {
        if (top != "build" && (top in there || "libsst/" top in there) && !exists(path, there) && !exists("libsst/" path, there))
            complain("there is no " path)
        next
    }
    path ~ /^[a-z][a-z0-9_*]+\.[ch]$/ && path !~ /^(x_|my)/ && !exists(path, file) { complain("there is no " path) }
    END { exit found }
'
