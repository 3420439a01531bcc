#!/bin/sh
# Usage: sh samples/trial_engine.sh [COMMAND…]
# Starts OceanBase's own engine for a trial with your data, and COMMAND beside it, or your shell. OBKV_TARGET, OBKV_USER and
# OBKV_PASSWORD_FILE say to the programs where it is, TARGET, TARGET_USER and PASSWORD_FILE to your scripts. The engine runs in a
# temporary directory (below TMPDIR): when the command ends, it stops, and its data is deleted. Its data file takes half of the
# free disk there, at most 64 GB. samples/setup.sh oceanbase downloads the engine (120 MB).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
if ! command -v obkv-load >/dev/null; then
    (cd "$here" && sh samples/setup.sh build && make -s -j"$(nproc)" all)
    export PATH="$here/build/release/bin:$PATH"
fi
(cd "$here" && sh samples/setup.sh oceanbase) || : # peers.py reports what is missing
[ $# -gt 0 ] || set -- sh -c '
    echo "The engine runs at $TARGET; user $TARGET_USER, password in $PASSWORD_FILE. It stops when you leave this shell."
    echo "Its limits: $TARGET_LIMITS."
    echo "Load a dataset, or an export of one, and prove it:"
    echo "  obkv-load --create DATASET          the programs know the engine by OBKV_TARGET, OBKV_USER, OBKV_PASSWORD_FILE"
    echo "  obkv-verify target DATASET"
    exec "${SHELL:-sh}"'
exec python3 -B "$here/tests/oceanbase/peers.py" engine "$@"
