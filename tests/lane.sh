#!/bin/sh
# Usage: lane.sh DIR FIRST SECOND: runs suites one after the other (suite.sh) for `suites` of tally.sh: the next one of the list
# DIR/FIRST, and when that is empty, of DIR/SECOND. Several lanes share the lists, so none idles while there is something to run.
dir=$1
next() { # LIST: prints its first line and takes it out
    { flock 8 && sed -n 1p "$dir/$1" && sed -i 1d "$dir/$1"; } 8>"$dir/.lists"
}
while suite=$(next "$2") && [ -n "$suite" ] || { suite=$(next "$3") && [ -n "$suite" ]; }; do
    sh tests/suite.sh "$dir" "$suite"
done
