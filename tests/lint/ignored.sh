#!/bin/sh
# No result of a function that takes `struct err *` is ignored: it is looked at, or (void) says that its error is read
# elsewhere. Nor does a comma throw a value away, outside the head of a for. The attribute that asks for the first is added to a
# copy of the sources, which only clang's front end reads.
make -s -j"$(nproc)" all >/dev/null 2>&1 || { echo "the programs do not build"; exit 1; }
lists=$PWD/build/release # gen/: made by the build
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cp -r libsst formats cmd "$work" || exit 1
python3 - "$work" <<'PYTHON' || exit 1
import pathlib
import re
import sys
TYPES = r"(?:int|bool|char \*|struct \w+ \*|unsigned|u?int64_t)"
TAKES = r"[^;{}]*(?<!const )struct err \*\w+\)"
MARK = "__attribute__((warn_unused_result))"
marked = 0
for path in pathlib.Path(sys.argv[1]).rglob("*.[ch]"):
    text = path.read_text()
    text, declared = re.subn(r"(?m)^(%s\s?\w+\(%s)((?: __attribute__\(\([^;]*\)\))?;)" % (TYPES, TAKES), r"\1 %s\2" % MARK, text)
    text, defined = re.subn(r"(?m)^(static %s\s?\w+\(%s \{)" % (TYPES, TAKES), r"%s \1" % MARK, text)
    path.write_text(text)
    marked += declared + defined
sys.exit(0 if marked > 1000 else "only %d functions were found" % marked)
PYTHON
cd "$work" || exit 1
found=$(find libsst formats cmd -name '*.c' |
    xargs -P "$(nproc)" -n 12 clang -Wno-everything -Wunused-result -Wcomma -fsyntax-only -std=gnu11 -D_GNU_SOURCE -fopenmp \
        -Ilibsst -Ilibsst/include -I. -I"$lists" 2>&1 | grep -E 'warning:|error:' | sort -u)
[ -z "$found" ] || { printf '%s\n' "$found" | sed 's/ of function declared with.*//'; exit 1; }
