#!/bin/sh
# Usage: notes.sh VERSION: prints what CHANGELOG.md says of a version: the text of its release. Fails if it says nothing.
version=${1:?usage: notes.sh VERSION}
awk -v version="$version" '/^## / { inside = $2 == version; next } inside { print; lines += /[^ ]/ } END { exit !lines }' \
    "$(dirname "$0")/../../CHANGELOG.md"
