# To be sourced by suites that need Java and jars of Maven Central, with `suite` set to their name. A suite that cannot run is
# skipped (exit 77); with OBKV_REQUIRE_INTEROP=1 that is a failure.

skip() { # WHY
    if [ "${OBKV_REQUIRE_INTEROP:-0}" = 1 ]; then
        fail "$1 (OBKV_REQUIRE_INTEROP=1)"
    fi
    echo "skip $suite: $1"
    echo "0 passed, 0 failed, 1 skipped"
    exit 77
}

fail() { # WHY
    echo "FAIL $suite: $1"
    echo "0 passed, 1 failed, 0 skipped"
    exit 1
}

# From here on the suite has its folder below build/ for itself, until it ends or closes descriptor 9: others want its classes.
need_java() {
    command -v python3 >/dev/null || skip "python3 is missing"
    command -v java >/dev/null && command -v javac >/dev/null || skip "a JDK (java, javac) is missing"
    major=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p')
    [ "${major:-0}" -ge 17 ] || skip "JDK 17 or newer is missing (javac is ${major:-unknown})"
    mkdir -p build && exec 9>"build/$suite.lock" && flock 9
}

# True when the class path was resolved from this pom, and every jar still lies there.
resolved() { # POM CLASSPATH
    [ -s "$2" ] && [ ! "$1" -nt "$2" ] || return 1
    tr : '\n' <"$2" | { while read -r jar; do [ -f "$jar" ] || exit 1; done; }
}

# Makes a file with the class path of a pom, unless it is there.
resolve_jars() { # WHAT POM CLASSPATH [MAVEN-OPTION…]
    what=$1 pom=$2 cp=$3
    shift 3
    resolved "$pom" "$cp" && return
    command -v mvn >/dev/null || skip "mvn is missing"
    mkdir -p "$(dirname "$cp")"
    rm -f "$cp"
    timeout 900 mvn -q -B -Dstyle.color=never -f "$pom" "$@" dependency:build-classpath -Dmdep.outputFile="$PWD/$cp.new" \
        >"$cp.log" 2>&1 </dev/null ||
        skip "the jars of $what cannot be resolved: $(grep -m 1 ERROR "$cp.log" | cut -c1-200)"
    mv "$cp.new" "$cp"
}
