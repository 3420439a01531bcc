#!/bin/sh
# Usage: run.sh BIN [options of loads.py]: export, load and verify on OceanBase's engine and on MariaDB.
# Installs nothing: samples/setup.sh oceanbase does. What is missing is skipped by name, or fails with OBKV_REQUIRE_INTEROP=1.
cd "$(dirname "$0")/../.." || exit 1
exec python3 -B tests/oceanbase/loads.py "$@"
