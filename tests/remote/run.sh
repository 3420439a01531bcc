#!/bin/sh
# Inputs on a real HDFS: tests/remote/run.sh BIN [NAME...]
# Hadoop comes from Maven Central (100 MB the first time, kept by Maven). With --classes instead of BIN: only compiles the
# server, for others that start it.
# Skips (exit 77) where Java, Maven or the jars cannot be had; OBKV_REQUIRE_INTEROP=1 makes that a failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
bin=${1:?usage: tests/remote/run.sh BIN [NAME...]}
shift
build=build/remote

skip() {
    if [ "${OBKV_REQUIRE_INTEROP:-0}" = 1 ]; then
        echo "FAIL remote: $1 (OBKV_REQUIRE_INTEROP=1)"
        echo "0 passed, 1 failed, 0 skipped"
        exit 1
    fi
    echo "skip remote: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}

resolve() {
    cp=$build/classpath
    if [ -s $cp ] && [ ! tests/remote/pom.xml -nt $cp ]; then
        tr : '\n' <$cp | { while read -r jar; do [ -f "$jar" ] || exit 1; done; } && return
    fi
    command -v mvn >/dev/null || skip "mvn is missing"
    mkdir -p $build
    timeout 900 mvn -q -B -Dstyle.color=never -f tests/remote/pom.xml dependency:build-classpath \
        -Dmdep.outputFile="$PWD/$cp.new" >$build/mvn.log 2>&1 </dev/null ||
        skip "the jars of Hadoop cannot be resolved: $(grep -m 1 ERROR $build/mvn.log | cut -c1-200)"
    mv $cp.new $cp
}

command -v python3 >/dev/null || skip "python3 is missing"
command -v javac >/dev/null || skip "a JDK is missing"
major=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
[ "${major:-0}" -ge 17 ] || skip "JDK 17 or newer is missing (javac is ${major:-unknown})"
resolve
mkdir -p $build/classes
if ! javac -encoding UTF-8 -Xlint:all,-classfile,-path -Werror -cp "$(cat $build/classpath)" -d $build/classes \
    tests/remote/src/*.java; then
    echo "FAIL remote: tests/remote/src does not compile"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
fi
[ "$bin" != --classes ] || exit 0
exec python3 -B tests/remote/hdfs.py "$bin" "$@"
