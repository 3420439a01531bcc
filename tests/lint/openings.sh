#!/bin/sh
# Every .c file begins with a comment of 2 to 10 lines: what it does, the idea behind it, what it relies on. One line is enough
# for a test.
LC_ALL=C awk '
    function bad(text) { print text; found = 1 }
    FNR == 1 { open = /^\/\*/; if (!open) bad(FILENAME ": does not begin with a comment") }
    open && /\*\// {
        open = 0
        least = FILENAME ~ /^tests\// ? 1 : 2
        if (FNR < least || FNR > 10) bad(FILENAME ": begins with a comment of " FNR " lines, not " least " to 10")
    }
    END { exit found }
' $(find libsst formats cmd samples tests -name '*.c' | grep -v tests/api/print_cells.c | sort)
