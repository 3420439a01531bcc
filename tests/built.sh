#!/bin/sh
# Usage: built.sh CONFIG MAKE-ARGUMENT…    builds build/CONFIG, which counts as one test, and says so to those that wait for it.
#        built.sh after CONFIG COMMAND…    runs the command when CONFIG has been built; what failed there makes suites fail.
cd "$(dirname "$0")/.." || exit 1
config=$1
if [ "$config" = after ]; then
    while [ ! -e "build/$2/built" ]; do sleep 0.5; done
    shift 2
    exec "$@"
fi
shift
mkdir -p "build/$config"
rm -f "build/$config/built"
make -s -k -j"$(nproc)" CONFIG="$config" "$@"
status=$?
touch "build/$config/built"
if [ $status != 0 ]; then echo "build failed: make CONFIG=$config $*" && exit 1; fi
echo "1 passed, 0 failed, 0 skipped"
