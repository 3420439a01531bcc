#!/bin/sh
# Runs the interop checks against real HBase: tests/interop/run.sh [options of interop.py]
# With --classes: only resolves the class paths and compiles, for others that start HBase's classes.
# Skips (exit 77) where Java, Maven or the HBase jars cannot be had; OBKV_REQUIRE_INTEROP=1 makes that a failure.
# Installs nothing. Needs a JDK >= 17, mvn (only until the class paths are resolved) and python3.
set -u
here=tests/interop
build=build/interop suite=interop
cd "$(dirname "$0")/../.." || exit 1

. tests/java.sh

compile() {
    if [ -f "$build/$1/stamp" ] && [ -z "$(find $here/src "$build/$1.classpath" -newer "$build/$1/stamp")" ]; then
        return
    fi
    rm -rf "${build:?}/$1"
    mkdir -p "$build/$1"
    javac -encoding UTF-8 -nowarn -Xlint:none -cp "$(cat "$build/$1.classpath")" -d "$build/$1" $here/src/*.java \
        $(find $here/src/"$1" -name '*.java' 2>/dev/null) \
        2>"$build/$1.javac.log" || {
        cat "$build/$1.javac.log"
        fail "$here/src does not compile against HBase ($1)"
    }
    touch "$build/$1/stamp"
}

need_java
for profile in trees codecs; do
    resolve_jars "HBase ($profile)" $here/pom.xml $build/$profile.classpath -P $profile
    compile $profile
done
[ "${1:-}" != --classes ] || exit 0
exec python3 $here/interop.py "$@" 9>&-
