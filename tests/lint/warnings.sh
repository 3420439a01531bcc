#!/bin/sh
# Everything compiles without a warning, with gcc and with clang (-Werror, the WARN list of GNUmakefile).
found=0
make -s -k -j"$(nproc)" CONFIG=lint-gcc CC=gcc objects || found=1
make -s -k -j"$(nproc)" CONFIG=lint-clang CC=clang objects || found=1
exit $found
