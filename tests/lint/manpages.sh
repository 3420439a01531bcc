#!/bin/sh
# The man pages and --help all agree: every option stands in both, with the same letter and the same kind of argument, and so
# do the sub-commands. Every page is valid scdoc.
make -s -j"$(nproc)" all >/dev/null 2>&1 || { echo "the programs do not build"; exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
found=0

# "  -o, --output DIR   text" -> "-o --output ARG"; letter and argument may be missing
from_help() {
    grep -E '^  (-.,|   ) --' "$1" | cut -c 3- | awk '{
        letter = $1 ~ /^-.,$/ ? substr($1, 1, 2) " " : ""
        name = $(letter == "" ? 1 : 2)
        argument = $(letter == "" ? 2 : 3)
        print letter name (argument ~ /^[A-Z|%:=,.\/]+$/ ? " ARG" : "")
    }' | sort -u
}
# "*-o*, *--output* _DIR_" at the start of a line -> the same
from_page() {
    grep -E '^\*-' "$1" | sed -n 's/^\(\*-[^*]\*, \)\{0,1\}\(\*--[^*]*\*\)\( _.*\)\{0,1\}$/\1\2\3/p' |
        sed -e 's/ _.*/ ARG/' -e 's/[*,]//g' | sort
}
commands_of_help() { awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }' "$1" | sort; }
commands_of_page() { sed -n '/^# COMMANDS/,/^# OPTIONS/s/^\*\([a-z]*\)\*$/\1/p' "$1" | sort; }
commands_of_synopsis() { sed -n '/^# SYNOPSIS/,/^# DESCRIPTION/s/^\*obkv-[a-z]* \([a-z]*\)\*.*/\1/p' "$1" | sort; }
compare() { # PAGE WHAT: left is --help, right the page
    diff "$work/help" "$work/page" >"$work/diff" && return
    echo "$1: $2 differ from --help (<) in the page (>):"
    grep '^[<>]' "$work/diff"
    found=1
}

for page in docs/man/*.scd; do
    scdoc <"$page" >/dev/null 2>"$work/scdoc" || { echo "$page: $(cat "$work/scdoc")"; found=1; }
    # man shows samples 11 columns to the right, and does not wrap them; each tab before them is four more.
    expand -t 5 "$page" | awk -v page="$page" '/^ *```/ { on = !on; indent = index($0, "`") - 1; next }
        on { line = substr($0, indent + 1); gsub(/\\\\/, "\\", line) }
        on && length(line) + indent * 4 / 5 > 69 { print page ":" NR ": a sample is wider than 80 columns"; wide = 1 }
        END { exit wide }' || found=1
    # A line that ends within an option or a word shows what cannot be typed.
    made=$(basename "$page" .scd)
    make -s "build/release/man/$made" 2>/dev/null || { echo "$page: not made"; found=1; continue; }
    grep -A1 '^\.TH' "build/release/man/$made" | grep -qx '\.nh' || { echo "$page: words are hyphenated"; found=1; }
    grep -nE '\\fB(\\-|[A-Za-z0-9])*-' "build/release/man/$made" && { echo "$page: a line may end within these"; found=1; }
done
for tool in build/release/bin/obkv-*; do
    page=docs/man/${tool##*/}.1.scd
    [ -e "$page" ] || { echo "$page is missing"; found=1; continue; }
    "$tool" --help all >"$work/text"
    for command in $(commands_of_help "$work/text"); do "$tool" "$command" --help all | sed '1,/ options:$/d' >>"$work/text"; done
    from_help "$work/text" >"$work/help"
    from_page "$page" >"$work/page"
    [ -s "$work/help" ] || { echo "$tool --help: no options found"; found=1; }
    compare "$page" options
    commands_of_help "$work/text" >"$work/help"
    commands_of_synopsis "$page" >"$work/page"
    compare "$page" "commands of the synopsis"
    ! grep -q '^# COMMANDS' "$page" || { commands_of_page "$page" >"$work/page"; compare "$page" commands; }
done
exit $found
