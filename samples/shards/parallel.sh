#!/bin/sh
# Imports by N shards, as many at a time as the machine has processors (or $JOBS), and joins them: the bytes of one run. Started
# again after a failure, finished shards have nothing to do. GNU parallel, if it is installed, tries a shard up to three times;
# add --sshlogin for machines that see the same files under the same paths. Otherwise xargs runs them.
# Usage: NOW=2026-11-23T00:00:00Z parallel.sh N OUT OPTIONS-AND-INPUTS-OF-OBKV-IMPORT...
set -eu
n=${1:?usage: parallel.sh N OUT ...} out=${2:?usage: parallel.sh N OUT ...} jobs=${JOBS:-$(nproc)}
: "${NOW:?set NOW, the clock of all shards: the same one when you start again}"
shift 2
mkdir -p "$out.shards"
rejects_pass='"$@" || { code=$?; [ "$code" -eq 3 ] || exit "$code"; }' # 3: bad records, but not more than --max-rejects
if command -v parallel >/dev/null; then
    seq "$n" | parallel -q -j "$jobs" --retries 3 --halt soon,fail=1 \
        sh -c "$rejects_pass" sh obkv-import --quiet --threads 1 --shard "{}/$n" --now "$NOW" -o "$out.shards/{}" "$@"
else
    seq "$n" | xargs -P "$jobs" -I '{}' \
        sh -c "$rejects_pass" sh obkv-import --quiet --threads 1 --shard "{}/$n" --now "$NOW" -o "$out.shards/{}" "$@"
fi
seq -f "$out.shards/%.0f" "$n" | xargs -d '\n' sh -c "$rejects_pass" sh obkv-split join --quiet -o "$out"
rm -r "$out.shards"
