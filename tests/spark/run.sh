#!/bin/sh
# Compiles cmd/spark and runs its jobs on small clusters of this machine: tests/spark/run.sh BIN [NAME...]
# Spark itself comes from Maven Central, in the versions of cmd/spark/pom.xml: the jars that its releases hold.
# Skips (exit 77) where Java, Maven or the jars cannot be had; OBKV_REQUIRE_INTEROP=1 makes that a failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
bin=${1:?usage: tests/spark/run.sh BIN [NAME...]}
shift

suite=spark
. tests/java.sh

# Spark's own jars, as a release holds them.
resolve() { # FOLDER [MAVEN-OPTION…]
    folder=build/$1
    shift
    resolved cmd/spark/pom.xml "$folder/classpath" && [ -d "$folder/home" ] && return
    rm -rf "$folder/home" "$folder/home.new"
    resolve_jars "Spark ($folder)" cmd/spark/pom.xml "$folder/classpath" "$@"
    mkdir -p "$folder/home.new/jars"
    tr : '\n' <"$folder/classpath" | while read -r jar || [ -n "$jar" ]; do ln -sf "$jar" "$folder/home.new/jars/"; done
    mv "$folder/home.new" "$folder/home"
}

compile() {
    rm -rf "build/$1/test-classes"
    mkdir -p "build/$1/test-classes"
    javac --release 17 -encoding UTF-8 -Xlint:all,-classfile,-serial,-path,-processing -Werror \
        -cp "$(cat "build/$1/classpath")" -d "build/$1/test-classes" cmd/spark/src/obkv/spark/*.java \
        tests/spark/src/obkv/spark/*.java ||
        fail "cmd/spark does not compile against $1"
}

need_java
resolve spark
resolve spark4 -P spark4
# Hadoop's S3A as Spark 3.5 takes it (280 MB), and the HDFS of tests/remote.
sh tests/remote/run.sh --classes || exit $?
resolve_jars S3A tests/spark/pom.xml build/spark/s3a.classpath
compile spark
compile spark4
# One jar for both: what was compiled against 3.5 runs on 4, too.
(cd build/spark/test-classes && jar --create --file ../test.jar obkv)
exec python3 -B tests/spark/jobs.py "$bin" "$@" 9>&-
