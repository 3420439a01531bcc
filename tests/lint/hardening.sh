#!/bin/sh
# Read from the programs that `make` builds: what C lets pass is stopped by the compiler and the linker. Each is
# position-independent, its tables of addresses are read-only once it runs, its stack is no code, buffers on the stack are
# guarded, and copies of the C library know the size of what they write to. Flags of which machine code shows nothing are read
# from the debug information.
make -s -j"$(nproc)" all >/dev/null 2>&1 || { echo "the programs do not build"; exit 1; }
found=0 tried=0
miss() { # WHAT
    echo "$program: $1"
    found=1
}
flags="-fstack-protector-strong -fstack-clash-protection"
case $(uname -m) in x86_64 | amd64 | i?86) flags="$flags -fcf-protection" ;; esac

for program in build/release/bin/obkv-*; do
    tried=$((tried + 1))
    segments=$(readelf -lW "$program") dynamic=$(readelf -dW "$program") names=$(nm -D --undefined-only "$program")
    readelf -hW "$program" | grep -q 'Type: *DYN' || miss "is not position-independent (-pie)"
    echo "$segments" | grep -q GNU_RELRO || miss "relocated data stays writable (-z relro)"
    echo "$dynamic" | grep -Eq 'BIND_NOW|Flags:.* NOW' || miss "functions are bound late, so their table stays writable (-z now)"
    echo "$segments" | grep -Eq 'GNU_STACK .* RW +0x' || miss "the stack is executable (-z noexecstack)"
    echo "$segments" | grep -q ' RWE ' && miss "memory is both writable and executable"
    echo "$dynamic" | grep -Eq 'TEXTREL|RPATH|RUNPATH' && miss "has text relocations or a path of its own to libraries"
    echo "$names" | grep -q ' __stack_chk_fail' || miss "no function guards its stack (-fstack-protector-strong)"
    echo "$names" | grep -q ' __memcpy_chk' || miss "no copy is checked (-D_FORTIFY_SOURCE=2)"
    units=$(readelf -W -p .debug_str "$program" 2>/dev/null | grep -E 'GNU C(11|\+\+)' || :)
    [ -n "$units" ] || miss "no debug information names the flags of gcc (-g)"
    for flag in $flags; do
        bad=$(echo "$units" | grep -vc -e "$flag" || :)
        [ "$bad" = 0 ] || miss "compiled without $flag, at least in part"
    done
done
[ "$tried" -ge 6 ] || { echo "only $tried programs to read"; found=1; }
exit $found
