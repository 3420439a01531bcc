#!/bin/sh
# Runs the interop checks against real HBase: tests/interop/run.sh [options of interop.py]
# With --classes: only resolves the class paths and compiles, for others that start HBase's classes.
# Skips (exit 77) where Java, Maven or the HBase jars cannot be had; OBKV_REQUIRE_INTEROP=1 makes that a failure.
# Installs nothing. Needs a JDK >= 17, mvn (only until the class paths are resolved) and python3.
set -u
here=tests/interop
build=build/interop
cd "$(dirname "$0")/../.." || exit 1

skip() {
    if [ "${OBKV_REQUIRE_INTEROP:-0}" = 1 ]; then
        echo "FAIL interop: $1 (OBKV_REQUIRE_INTEROP=1)"
        echo "0 passed, 1 failed, 0 skipped"
        exit 1
    fi
    echo "skip interop: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}

check_tools() {
    command -v python3 >/dev/null || skip "python3 is missing"
    command -v java >/dev/null && command -v javac >/dev/null || skip "a JDK (java, javac) is missing"
    major=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
    [ "${major:-0}" -ge 17 ] || skip "JDK 17 or newer is missing (javac is ${major:-unknown})"
}

# $1: profile. True when the class path was resolved from this pom and every jar still lies there.
resolved() {
    [ -s "$build/$1.classpath" ] && [ ! $here/pom.xml -nt "$build/$1.classpath" ] || return 1
    tr : '\n' <"$build/$1.classpath" | while read -r jar; do [ -f "$jar" ] || exit 1; done
}

resolve() {
    resolved "$1" && return
    command -v mvn >/dev/null || skip "mvn is missing"
    rm -f "$build/$1.classpath" "$build/$1.classpath.new"
    timeout 900 mvn -q -B -Dstyle.color=never -f $here/pom.xml -P "$1" dependency:build-classpath \
        -Dmdep.outputFile="$PWD/$build/$1.classpath.new" >"$build/$1.mvn.log" 2>&1 </dev/null ||
        skip "the HBase jars ($1) cannot be resolved: $(grep -m 1 ERROR "$build/$1.mvn.log" | cut -c1-200)"
    mv "$build/$1.classpath.new" "$build/$1.classpath"
}

compile() {
    if [ -f "$build/$1/stamp" ] && [ -z "$(find $here/src "$build/$1.classpath" -newer "$build/$1/stamp")" ]; then
        return
    fi
    rm -rf "${build:?}/$1"
    mkdir -p "$build/$1"
    javac -encoding UTF-8 -nowarn -Xlint:none -cp "$(cat "$build/$1.classpath")" -d "$build/$1" $here/src/*.java \
        2>"$build/$1.javac.log" || {
        cat "$build/$1.javac.log"
        echo "FAIL interop: $here/src does not compile against HBase ($1)"
        echo "0 passed, 1 failed, 0 skipped"
        exit 1
    }
    touch "$build/$1/stamp"
}

check_tools
mkdir -p $build
for profile in trees codecs; do
    resolve $profile
    compile $profile
done
[ "${1:-}" != --classes ] || exit 0
exec python3 $here/interop.py "$@"
