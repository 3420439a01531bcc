#!/bin/sh
# Usage: setup.sh GROUP…    Makes sure that the Debian packages of each GROUP are installed: the only list of them.
#   build    compiler, make and the libraries of the four tools
#   test     what tests/run.sh needs beside that: clang, its OpenMP and symbolizer, cmocka, Python, clang-format, scdoc,
#            and libavutil, which decodes LZO when it is there
#   interop  Java and Maven for the tests against a real HBase
#   man      scdoc, for the man pages of `make install`
# Installs nothing, and needs neither root nor sudo, when nothing is missing.
set -eu

packages_of() {
    case $1 in
        build) echo "gcc libc6-dev make libarchive-dev zlib1g-dev libdeflate-dev libsnappy-dev liblz4-dev libzstd-dev" \
            "liblzma-dev libbz2-dev libbrotli-dev libxxhash-dev libjansson-dev libmd-dev" ;;
        test) echo "binutils diffutils clang clang-format libclang-rt-14-dev libomp-dev llvm libcmocka-dev python3 scdoc" \
            "libavutil57" ;;
        interop) echo "openjdk-17-jdk-headless maven ca-certificates" ;;
        man) echo "scdoc" ;;
        *) echo "setup.sh: no group $1" >&2; return 2 ;;
    esac
}

missing_of() { # PACKAGE…: those that are not installed
    for package in "$@"; do
        status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || :)
        [ "$status" = "install ok installed" ] || echo "$package"
    done
}

wanted=
for group in "$@"; do wanted="$wanted $(packages_of "$group")"; done
if ! command -v dpkg-query >/dev/null; then
    echo "setup.sh: this is not Debian; install what these Debian 12 packages hold, then use make:$wanted" >&2
    exit 1
fi
missing=$(missing_of $wanted | tr '\n' ' ')
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "setup.sh: these packages are missing, and there is neither root nor sudo to install them:" >&2
        echo "    apt-get install --no-install-recommends $missing" >&2
        exit 1
    fi
    as_root=sudo
fi
apt_install() {
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y "$@" --no-install-recommends install $missing
}
echo "installing: $missing" >&2
# The package lists may be empty or so old that their files are gone: only then they are fetched.
if ! apt_install --simulate >/dev/null 2>&1 || ! apt_install >/dev/null 2>&1; then
    $as_root apt-get -qq update
    apt_install >/dev/null
fi
missing=$(missing_of $wanted | tr '\n' ' ')
if [ -n "$missing" ]; then
    echo "setup.sh: still missing after apt-get: $missing" >&2
    exit 1
fi
