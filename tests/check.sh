#!/bin/sh
# Usage: check.sh BUILD [tsan]: the suites that need nothing but the programs built in BUILD. With "tsan" only what has
# threads in it: unit tests, and the CLI cases tagged threads.
build=${1:?usage: check.sh BUILD [tsan]}
. tests/tally.sh
suite "unit ($build)" sh tests/unit/run.sh "$build"
if [ "${2:-}" = tsan ]; then
    suite "cli ($build)" python3 tests/cli/run.py --bin "$build/bin" --tag threads
else
    suite "fuzz replay ($build)" sh tests/fuzz/run.sh "$build"
    suite "cli ($build)" python3 tests/cli/run.py --bin "$build/bin"
fi
tally_end
