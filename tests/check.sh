#!/bin/sh
# Usage: check.sh BUILD [tsan]: the suites that need nothing but the programs built in BUILD. "tsan" leaves out the fuzz corpora,
# which one thread reads.
build=${1:?usage: check.sh BUILD [tsan]}
. tests/tally.sh
suite "unit ($build)" sh tests/unit/run.sh "$build"
[ "${2:-}" = tsan ] || suite "fuzz replay ($build)" sh tests/fuzz/run.sh "$build"
suite "cli ($build)" python3 tests/cli/run.py --bin "$build/bin"
tally_end
