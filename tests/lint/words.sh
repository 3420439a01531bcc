#!/bin/sh
# Words that docs/glossary.md replaces stand in no page and no man page. A line with a phrase of `right` is left alone. Sources
# have a check of their own: source_words.sh.
# Usage: words.sh [sources]
words='told|tells|tell|behind|folder|folders|whoever|crew|settle|settled|settles|sweep|sweeps|swept|fuse|fused|takeover|takeovers'
words="$words|taken over|takes over|go on|goes on|went on|look at|looks at|looked at|mend|mended|mends"
right='idea behind
behind one table
a word behind
docs/glossary.md:'
pages() {
    find README.md CONTRIBUTING.md SECURITY.md docs samples -name '*.md' -o -name '*.scd' | sort | xargs grep -nH ''
}
sources() { # comments, and string literals that hold a blank, each with FILE:LINE
    LC_ALL=C awk '
        FNR == 1 { inside = 0 }
        {
            text = ""
            if (inside || /\/\*/) {
                comment = $0
                if (!inside) sub(/.*\/\*/, "", comment)
                inside = !sub(/\*\/.*/, "", comment)
                text = comment
            }
            for (rest = $0; !/^#/ && match(rest, /"([^"\\]|\\.)*"/); rest = substr(rest, RSTART + RLENGTH)) {
                literal = substr(rest, RSTART, RLENGTH)
                if (literal ~ / /) text = text " " literal
            }
            if (text != "") print FILENAME ":" FNR ": " text
        }' $(find libsst formats cmd samples -name '*.[ch]' | sort)
}
! "${1:-pages}" | grep -iE "(^|[^a-z_])($words)([^a-z_(]|$)" | grep -vF "$right"
