#!/bin/sh
# Compiles cmd/spark and runs its jobs on small clusters of this machine: tests/spark/run.sh BIN [NAME...]
# Spark itself comes from Maven Central, in the versions of cmd/spark/pom.xml: the jars that its releases hold.
# Skips (exit 77) where Java, Maven or the jars cannot be had; OBKV_REQUIRE_INTEROP=1 makes that a failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
bin=${1:?usage: tests/spark/run.sh BIN [NAME...]}
shift

skip() {
    if [ "${OBKV_REQUIRE_INTEROP:-0}" = 1 ]; then
        echo "FAIL spark: $1 (OBKV_REQUIRE_INTEROP=1)"
        echo "0 passed, 1 failed, 0 skipped"
        exit 1
    fi
    echo "skip spark: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}

# $1: name of the folder, $2: profile. The class path stays while the pom is the same and all jars are there.
resolve() {
    cp=build/$1/classpath
    if [ -s "$cp" ] && [ ! cmd/spark/pom.xml -nt "$cp" ]; then
        tr : '\n' <"$cp" | { while read -r jar; do [ -f "$jar" ] || exit 1; done; } && return
    fi
    command -v mvn >/dev/null || skip "mvn is missing"
    mkdir -p "build/$1"
    timeout 900 mvn -q -B -Dstyle.color=never -f cmd/spark/pom.xml $2 dependency:build-classpath \
        -Dmdep.outputFile="$PWD/$cp.new" >"build/$1/mvn.log" 2>&1 </dev/null ||
        skip "the jars of Spark ($1) cannot be resolved: $(grep -m 1 ERROR "build/$1/mvn.log" | cut -c1-200)"
    rm -rf "build/$1/home"
    mkdir -p "build/$1/home/jars"
    tr : '\n' <"$cp.new" | while read -r jar; do ln -sf "$jar" "build/$1/home/jars/"; done
    mv "$cp.new" "$cp"
}

# Hadoop's S3A as Spark 3.5 takes it (280 MB), and the HDFS of tests/remote.
resolve_stores() {
    sh tests/remote/run.sh --classes || exit $?
    cp=build/spark/s3a.classpath
    if [ -s "$cp" ] && [ ! tests/spark/pom.xml -nt "$cp" ]; then
        tr : '\n' <"$cp" | { while read -r jar; do [ -f "$jar" ] || exit 1; done; } && return
    fi
    timeout 900 mvn -q -B -Dstyle.color=never -f tests/spark/pom.xml dependency:build-classpath \
        -Dmdep.outputFile="$PWD/$cp.new" >build/spark/mvn-s3a.log 2>&1 </dev/null ||
        skip "the jars of S3A cannot be resolved: $(grep -m 1 ERROR build/spark/mvn-s3a.log | cut -c1-200)"
    mv "$cp.new" "$cp"
}

compile() {
    rm -rf "build/$1/test-classes"
    mkdir -p "build/$1/test-classes"
    if ! javac --release 17 -encoding UTF-8 -Xlint:all,-classfile,-serial,-path,-processing -Werror \
        -cp "$(cat "build/$1/classpath")" -d "build/$1/test-classes" cmd/spark/src/obkv/spark/*.java; then
        echo "FAIL spark: cmd/spark does not compile against $1"
        echo "0 passed, 1 failed, 0 skipped"
        exit 1
    fi
}

command -v python3 >/dev/null || skip "python3 is missing"
command -v javac >/dev/null || skip "a JDK is missing"
major=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
[ "${major:-0}" -ge 17 ] || skip "JDK 17 or newer is missing (javac is ${major:-unknown})"
resolve spark ""
resolve spark4 "-P spark4"
resolve_stores
compile spark
compile spark4
# One jar for both: what was compiled against 3.5 runs on 4, too.
(cd build/spark/test-classes && jar --create --file ../test.jar obkv)
exec python3 -B tests/spark/jobs.py "$bin" "$@"
