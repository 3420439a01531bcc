#!/bin/sh
# No command has more options than people can choose from: prints how many each has, and fails above MOST. The man pages have
# what --help has (manpages.sh); settings that only a file of --config takes are none.
MOST=60
make -s -j"$(nproc)" CC="${CC:-gcc}" all >/dev/null 2>&1 || { echo "the programs do not build"; exit 1; }
bin=build/release/bin found=0
count() { # NAME COMMAND...: of the second on
    name=$1
    shift
    n=$("$@" | grep -cE '^ +(-., )?--[a-z0-9]')
    echo "$n $name"
    [ "$n" -le "$MOST" ] || { found=1; echo "    more than $MOST"; }
}
for program in import compact export load; do
    count "obkv-$program" "$bin/obkv-$program" help all
done
for program in split verify; do
    for command in $("$bin/obkv-$program" --help |
        awk '/^commands:/ { on = 1; next } /^$/ { on = 0 } on && /^  [a-z]/ { print $1 }'); do
        count "obkv-$program $command" "$bin/obkv-$program" help "$command" all
    done
done
exit $found
