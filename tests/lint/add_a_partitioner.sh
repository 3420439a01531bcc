#!/bin/sh
# The partitioner that docs/add-a-partitioner.md shows compiles as it stands there, without a warning.
sed -n '/^```c$/,/^```$/p' docs/add-a-partitioner.md | sed '/^```/d' |
    gcc -std=gnu11 -D_GNU_SOURCE -Ilibsst -I. -Wall -Wextra -Werror -Wno-unused-variable -fsyntax-only -x c -
