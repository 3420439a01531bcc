#!/bin/sh
# Everything compiles without a warning, with gcc and with clang (-Werror, the WARN list of GNUmakefile). tests/run.sh sets
# LINT_CLANG=test-objects: its build for ThreadSanitizer is by clang, with -Werror, and has the rest.
found=0
make -s -k -j"$(nproc)" CONFIG=lint-gcc CC=gcc objects || found=1
make -s -k -j"$(nproc)" CONFIG=lint-clang CC=clang "${LINT_CLANG:-objects}" || found=1
exit $found
