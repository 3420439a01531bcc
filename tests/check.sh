#!/bin/sh
# Usage: check.sh BUILD [tsan]: the suites that need nothing but the programs built in BUILD. "tsan" leaves out what one thread
# does: the fuzz corpora, unit tests that had no other when they last ran in build/release, and CLI cases with a file not_tsan.
build=${1:?usage: check.sh BUILD [tsan]}
. tests/tally.sh
units=
[ "${2:-}" != tsan ] || units=$(sh tests/unit/run.sh build/release --threaded)
suite "unit ($build)" sh tests/unit/run.sh "$build" $units
[ "${2:-}" = tsan ] || suite "fuzz replay ($build)" sh tests/fuzz/run.sh "$build"
suite "cli ($build)" python3 tests/cli/run.py ${2:+--tsan} --bin "$build/bin"
tally_end
