#!/bin/sh
# Inputs on a real HDFS and on S3Proxy: tests/remote/run.sh BIN [NAME...]
# Both come from Maven Central (150 MB the first time, kept by Maven). With --classes instead of BIN: only compiles the
# server, for others that start it.
# Skips (exit 77) where Java, Maven or the jars cannot be had; OBKV_REQUIRE_INTEROP=1 makes that a failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
bin=${1:?usage: tests/remote/run.sh BIN [NAME...]}
shift
build=build/remote suite=remote

. tests/java.sh
need_java
resolve_jars Hadoop tests/remote/pom.xml $build/classpath
if [ ! -f $build/stamp ] || [ -n "$(find tests/remote/src $build/classpath -newer $build/stamp)" ]; then
    mkdir -p $build/classes
    javac -encoding UTF-8 -Xlint:all,-classfile,-path -Werror -cp "$(cat $build/classpath)" -d $build/classes \
        tests/remote/src/*.java || fail "tests/remote/src does not compile"
    touch $build/stamp
fi
[ "$bin" != --classes ] || exit 0
resolve_jars S3Proxy tests/remote/s3proxy/pom.xml $build/s3proxy.classpath
exec python3 -B tests/remote/hdfs.py "$bin" "$@" 9>&-
