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
for source in $(find $FOLDERS -name '*.c' | grep -v ^tests/ | sort); do
    object=$build/${source%.c}.o
    [ -e "$object" ] || { echo "$source: no object to read"; found=1; continue; }
    case $source in cmd/*) ;; *)
        for name in $(nm --undefined-only -P "$object" | awk '{ print $1 }' | grep -xE "$banned"); do
            echo "$source: the library may not use $name"
            found=1
        done
        sh tests/lint/exported.sh "$source" "$object" || found=1 ;;
    esac
    [ $source = libsst/base/json.c ] && continue # the count of hooks that get no argument
    for name in $(nm --defined-only -P "$object" | awk '$2 ~ /^[dDbBC]$/ && $1 !~ /^\.gomp_critical/ { print $1 }'); do
        echo "$source: mutable file-scope (or static local) variable $name"
        found=1
    done
done
# Static functions are read from the sources: compilers leave no name of those that they inline.
sources=$(find $FOLDERS -name '*.c' | grep -v ^tests/ | sort)
{
    echo "$sources" | sed "s,^,$build/,; s/c$/o/" | xargs nm --defined-only -A -P 2>/dev/null |
        awk '$3 == "T" && $2 != "main" { sub(/^build\/[^\/]*\//, "", $1); sub(/\.o:$/, ".c", $1); print "exported", $2, $1 }'
    grep -HE '^static [^=;]*\(' $sources | sed -e 's/__attribute__((.*)) //' |
        sed -nE 's/^([^:]*):static [^(]*[ *]([a-z_0-9]+)\(.*/static \2 \1/p'
} | awk '
    $1 == "exported" { of[$2] = $3 }
    $1 == "static" && ($2 in of) && of[$2] != $3 { print $3 ": static " $2 " has the name of a function of " of[$2]; found = 1 }
    END { exit found }' || found=1
exit $found
