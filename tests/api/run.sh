#!/bin/sh
# Usage: run.sh [CONFIG]: installs what CONFIG (release) builds into an empty prefix, and uses it from there as a stranger would:
# samples and tests are compiled outside of the tree by what pkg-config says, as C99, C++, shared, static and with sanitizers,
# and run. The last line is "N passed, N failed, N skipped".
cd "$(dirname "$0")/../.." || exit 1
config=${1:-release}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
prefix=$work/inst
log=$work/log
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib LIBSST=$prefix/lib/libsst.so.1
golden=$PWD/tests/data/hfile/golden_hfiles
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); echo "ok $1"; }
not_ok() { failed=$((failed + 1)); echo "not ok $1"; head -n 20 "$log" | sed 's/^/    /'; }
skip() { skipped=$((skipped + 1)); echo "skipped $1"; }
try() { # NAME COMMAND…
    name=$1
    shift
    if "$@" >"$log" 2>&1; then ok "$name"; else not_ok "$name"; fi
}
counted() { # NAME COMMAND…: a program that prints "ok …" and "not ok …"
    name=$1
    shift
    "$@" >"$log" 2>&1
    status=$?
    passed=$((passed + $(grep -c '^ok ' "$log")))
    if [ $status = 0 ] && ! grep -v '^ok ' "$log" | grep -q .; then echo "ok $name"; return; fi
    failed=$((failed + 1))
    echo "not ok $name: exit $status"
    grep -v '^ok ' "$log" | head -n 20 | sed 's/^/    /'
}

# ---- install ----

try "make install" make -s CONFIG="$config" PREFIX="$prefix" install
pages=$(find "$prefix"/share/man/man[135] -name '*.[135]' 2>/dev/null | wc -l)
if command -v scdoc >"$log"; then
    try "man pages of sections 1, 3 and 5 are installed" test "$pages" = "$(ls docs/man | wc -l)"
else
    skip "man pages: no scdoc"
fi
make -s CONFIG="$config" PREFIX=/usr DESTDIR="$work/dest" SCDOC= install >"$work/said" 2>&1
try "make install without scdoc says so" grep -q "manual pages are skipped" "$work/said"
try "DESTDIR holds the library" test -e "$work/dest/usr/lib/libsst.so.1" -a -e "$work/dest/usr/include/sst/scan.h"
make -s CONFIG="$config" PREFIX=/usr DESTDIR="$work/dest" SCDOC= uninstall >"$log" 2>&1
find "$work/dest" -type f -o -type l >"$log"
try "make uninstall leaves no file" test ! -s "$log"
cp samples/api/*.c tests/api/*.[ch] "$work"
cd "$work" || exit 1
flags=$(pkg-config --cflags --libs libsst) || flags=missing
static="$(pkg-config --cflags libsst) $prefix/lib/libsst.a $(pkg-config --static --libs libsst | sed 's/-lsst //')"
strict="-Wall -Wextra -Wshadow -pedantic -Werror"

# ---- the interface as it was recorded ----

nm -D --defined-only "$prefix/lib/libsst.so.1" | awk '$2 != "A" { print $3 }' | LC_ALL=C sort >names
cc -std=c99 sizes.c -o sizes $flags 2>>log && ./sizes >>names
cp names "$OLDPWD/build/api-symbols.txt"
try "names and sizes are those of tests/api/symbols.txt (see build/api-symbols.txt)" diff "$OLDPWD/tests/api/symbols.txt" names
nm -g --defined-only "$prefix/lib/libsst.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^sst_/ && $3 !~ /^\.gomp/ && $2 != "C"' >"$log"
try "libsst.a shows no other names either" test ! -s "$log"
for header in "$prefix"/include/sst/*.h; do
    name=sst/$(basename "$header")
    printf '#include <%s>\nint main(void) { return 0; }\n' "$name" >alone.c
    cp alone.c alone.cc
    try "$name alone, C99" cc -std=c99 $strict -c alone.c -o alone.o -I"$prefix/include"
    try "$name alone, C++" c++ -std=c++11 $strict -c alone.cc -o alone.o -I"$prefix/include"
done

# ---- 20 lines, in every way ----

try "20 lines as C99" cc -std=c99 $strict print_cells.c -o print_c $flags
cp print_cells.c print_cells.cc
try "20 lines as C++" c++ $strict print_cells.cc -o print_cc $flags
try "20 lines, libsst linked statically" cc -std=c99 $strict print_cells.c -o print_static $static
./print_c "$golden/g01_small.hfile" >out.c
try "20 lines print 3 cells" test "$(wc -l <out.c)" = 3
for way in cc static; do
    ./print_$way "$golden/g01_small.hfile" >out.$way 2>&1
    try "the same output: $way" cmp out.c out.$way
done
ldd print_static | grep -q libsst && echo "needs libsst.so" >"$log" && not_ok "static means static" || ok "static means static"

# ---- samples ----

for sample in read write merge place read_callbacks dataset; do
    try "samples/api/$sample.c compiles" cc -std=c99 $strict $sample.c -o $sample $flags
done
try "write" ./write numbers.hfile 100000
./read numbers.hfile row-00000042 row-00000044 >out.read 2>&1
printf 'row-00000042\tf:square\t1700000000000\tPut\t42 squared is 1764\n' >want
printf 'row-00000043\tf:square\t1700000000000\tPut\t43 squared is 1849\n' >>want
try "read two rows" cmp out.read want
./read numbers.hfile >out.read
try "obkv-verify check accepts what write wrote" "$prefix/bin/obkv-verify" check numbers.hfile
./write few.hfile 10 >"$log" && ./merge merged.hfile few.hfile numbers.hfile >out.merge 2>&1
try "merge counts" grep -qx '100000 cells, 0 superseded, 10 duplicate' out.merge
try "merge loses nothing" "$prefix/bin/obkv-verify" diff -q numbers.hfile merged.hfile
head -c 300000 numbers.hfile >cut.hfile
./merge none.hfile few.hfile cut.hfile >out.merge 2>&1
echo "exit $?" >>out.merge
try "merge names a file that was cut" grep -q '^cut.hfile: ' out.merge
try "and fails, without a file" sh -c "grep -qx 'exit 1' out.merge && [ ! -e none.hfile ]"
printf 'user1\nuser2\n' | ./place key:97 >out.place
try "place names partitions" test "$(grep -c 'p[0-9]*$' out.place)" = 2
./read_callbacks numbers.hfile >out.callbacks 2>&1
digest=$(sed -n 's/.*digest //p' out.callbacks)
try "100,000 cells through callbacks" grep -q '^100000 cells' out.callbacks
awk -F '\t' '{ print $1 "\t" $2 "\t" $5 }' out.read >lines
printf 'other\tg:q\tof another family\n' | cat - lines | sort -R --random-source=numbers.hfile >mixed
./dataset out.dataset key:7 64 <mixed >out.put 2>&1
try "standard input becomes a dataset" grep -qx '100001 cells in 8 files' out.put
try "obkv-verify check accepts it" "$prefix/bin/obkv-verify" check --quiet out.dataset
try "and finds the cells of the file in it" "$prefix/bin/obkv-verify" diff -q --families f numbers.hfile out.dataset
printf 'row\tno column\n' | ./dataset none.dataset key:7 >out.put 2>&1
echo "exit $?" >>out.put
try "a bad line is named" grep -q '^line 1: ' out.put
try "and no dataset made" sh -c "grep -qx 'exit 1' out.put && [ ! -e none.dataset ]"
cc -std=c99 -D_GNU_SOURCE $strict cells_tsv.c -o cells_tsv $flags 2>"$log" || not_ok "cells_tsv.c compiles"

# ---- the cells of HBase's own files ----

for fixture in "$golden"/*.hfile "$OLDPWD"/tests/data/hfile/hbase_files/*.hfile; do
    cells=${fixture%.hfile}.tsv
    "$prefix/bin/obkv-verify" dump "$fixture" >out.dump 2>/dev/null || continue # encrypted, or of a codec that is not here
    for way in path fd callbacks; do ./cells_tsv $way "$fixture" >out.$way 2>"$log" || echo "exit $?" >>out.$way; done
    if cmp -s out.path out.fd && cmp -s out.path out.callbacks && cmp -s out.path out.dump &&
        { [ ! -e "$cells" ] || grep -q sha256: "$cells" || cmp -s out.path "$cells"; }; then
        passed=$((passed + 1))
    else
        not_ok "$fixture: path, fd, callbacks, dump and $cells agree"
    fi
done
echo "ok the files of HBase, $passed so far"

# ---- everything else ----

try "write_and_read.c compiles" cc -std=gnu99 $strict write_and_read.c -o write_and_read $flags -pthread
mkdir -p files
counted "writing and reading" ./write_and_read files
try "scans.c compiles" cc -std=gnu99 $strict scans.c -o scans $flags -pthread
counted "scanning" ./scans files
try "arrow.c compiles" cc -std=gnu99 $strict arrow.c -o arrow $flags
counted "batches of Arrow" ./arrow files
try "tables.c compiles" cc -std=c99 $strict tables.c -o tables $flags
samples=$OLDPWD/samples
columns=id=HBASE_ROW_KEY,updated_ms=HBASE_TS_KEY,name=info:name,email=info:email,city=info:city,note=info:note
columns=$columns,logins=stat:logins,last_seen=stat:last_seen,score=stat:score
try "a dataset" "$prefix/bin/obkv-import" --ddl "$samples/users.sql" --columns "$columns" --header -o users "$samples/users.csv"
counted "partitions and datasets" ./tables users "$samples/users.sql"
try "sorting.c compiles" cc -std=gnu99 $strict sorting.c -o sorting $flags
mkdir sorting_files
counted "sorting and writing datasets" ./sorting sorting_files "$samples/users.sql"
try "no_memory.c compiles" cc -std=gnu99 $strict no_memory.c -o no_memory $flags
counted "allocations that fail" ./no_memory sorting_files
for dataset in large copy empty few; do
    try "obkv-verify check accepts $dataset" "$prefix/bin/obkv-verify" check --quiet sorting_files/$dataset
done
try "obkv-verify diff: the same cells" "$prefix/bin/obkv-verify" diff -q sorting_files/large sorting_files/copy

# ---- very many cells in one file: what counts them or their bytes must not do so in 32 bits ----

cells=300000
[ "${OBKV_STRESS:-}" != 1 ] || cells=2147483700 # 2^31 and 52, of 27 bytes: 1.7 GB on disk
try "narrow.c compiles" cc -std=gnu99 $strict narrow.c -o narrow $flags -lxxhash
./narrow narrow.hfile $cells >out.narrow 2>&1
"$prefix/bin/obkv-verify" check --json narrow.hfile >out.check 2>&1
python3 -c 'import json; d = json.load(open("out.check")); print(d["cells"], d["kv_bytes"], d["digest"])' >out.checked 2>&1
try "$cells cells in one file: obkv-verify check counts what was written" diff out.narrow out.checked
"$prefix/bin/obkv-verify" info narrow.hfile >out.info 2>&1
try "the trailer says so, too" grep -q "entryCount *$cells\$" out.info
last=$(printf hex:%08x $(((cells - 1) >> 16)))
"$prefix/bin/obkv-verify" dump --rows "$last:" narrow.hfile >out.last 2>&1
try "the last row is found" test "$(wc -l <out.last)" = $((($cells - 1) % 65536 + 1))

# ---- sanitizers: the callers', and where they are cheap ours ----

try "samples with ASan compile" cc -std=c99 -g -fsanitize=address,undefined read.c -o read_asan $static
try "read under ASan" ./read_asan numbers.hfile row-00000042
try "write_and_read with ASan compiles" cc -std=gnu99 -g -fsanitize=address,undefined write_and_read.c -o asan $static -pthread
counted "writing and reading under ASan" env ASAN_OPTIONS=detect_leaks=1 ./asan files
try "scans with ASan compiles" cc -std=gnu99 -g -fsanitize=address,undefined scans.c -o scans_asan $static -pthread
counted "scanning under ASan" env ASAN_OPTIONS=detect_leaks=1 ./scans_asan files
try "arrow with ASan compiles" cc -std=gnu99 -g -fsanitize=address,undefined arrow.c -o arrow_asan $static
counted "batches of Arrow under ASan" ./arrow_asan files
rm -rf sorting_files && mkdir sorting_files
try "sorting with ASan compiles" cc -std=gnu99 -g -fsanitize=address,undefined sorting.c -o sorting_asan $static
counted "sorting and writing datasets under ASan" ./sorting_asan sorting_files "$samples/users.sql"
try "tables with ASan compiles" cc -std=c99 -g -fsanitize=address,undefined tables.c -o tables_asan $static
counted "partitions and datasets under ASan" ./tables_asan users "$samples/users.sql"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
