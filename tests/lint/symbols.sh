#!/bin/sh
# Read from the objects of `make CONFIG=lint-gcc`: the library neither prints nor ends the process nor reads the environment,
# nothing has mutable file-scope variables, exported names say whose they are, and no static function has the name of an exported
# one.
make -s -k -j"$(nproc)" CONFIG=lint-gcc CC=gcc objects >/dev/null 2>&1 || : # what does not compile is reported by warnings.sh
build=build/lint-gcc found=0
# Writing into memory (snprintf, vsnprintf, asprintf, vasprintf) is no printing.
banned='printf|fprintf|vprintf|vfprintf|dprintf|vdprintf|puts|fputs|fputc|putc|putchar|putchar_unlocked|perror|psignal'
banned="$banned|stdout|stderr|exit|_exit|_Exit|quick_exit|abort|__assert_fail|getenv|secure_getenv|setenv|putenv|system|popen"
banned="$banned|warn|warnx|err|errx|verr|error|syslog|signal_abort|__printf_chk|__fprintf_chk"
sources=$(find $FOLDERS -name '*.c' | grep -v ^tests/ | sort)
objects=$(mktemp) || exit 1
symbols=$(mktemp) || exit 1
trap 'rm -f "$objects" "$symbols"' EXIT
for source in $sources; do
    object=$build/${source%.c}.o
    if [ -e "$object" ]; then echo "$object" >>"$objects"; else echo "$source: no object to read"; found=1; fi
done
# Lines "SOURCE NAME TYPE …", of all objects at once: a process for each takes half a minute.
xargs nm -A -P <"$objects" 2>/dev/null | sed -E "s,^$build/([^:]*)[.]o: ,\\1.c ," >"$symbols"
awk -v banned="^($banned)\$" '
    $3 ~ /^[Uw]$/ && $1 !~ /^cmd\// && $2 ~ banned { print $1 ": the library may not use " $2; found = 1 }
    # the count of hooks that get no argument, and locks of libgomp
    $3 ~ /^[dDbBC]$/ && $1 != "libsst/base/json.c" && $2 !~ /^\.gomp_critical/ {
        print $1 ": mutable file-scope (or static local) variable " $2
        found = 1
    }
    END { exit found }' "$symbols" || found=1
sh tests/lint/exported.sh "$symbols" || found=1
# Static functions are read from the sources: compilers leave no name of those that they inline.
{
    awk '$3 == "T" && $2 != "main" { print "exported", $2, $1 }' "$symbols"
    grep -HE '^static [^=;]*\(' $sources | sed -e 's/__attribute__((.*)) //' |
        sed -nE 's/^([^:]*):static [^(]*[ *]([a-z_0-9]+)\(.*/static \2 \1/p'
} | awk '
    $1 == "exported" { of[$2] = $3 }
    $1 == "static" && ($2 in of) && of[$2] != $3 { print $3 ": static " $2 " has the name of a function of " of[$2]; found = 1 }
    END { exit found }' || found=1
exit $found
