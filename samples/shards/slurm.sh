#!/bin/sh
# Imports by N shards as an array job of Slurm, and joins them in a second job that starts when all have ended well. The nodes
# see the same files under the same paths; the programs are in PATH. A node that is lost has its shard started again (--requeue),
# and submitting the same again does only what is missing.
# Usage: NOW=2026-11-23T00:00:00Z slurm.sh N OUT OPTIONS-AND-INPUTS-OF-OBKV-IMPORT...
#SBATCH --requeue
set -eu
export n="${n:-${1:?usage: slurm.sh N OUT ...}}" out="${out:-${2:?usage: slurm.sh N OUT ...}}"
: "${NOW:?set NOW, the clock of all shards: the same one when you submit again}"
rejects_pass='"$@" || { code=$?; [ "$code" -eq 3 ] || exit "$code"; }' # 3: bad records, but not more than --max-rejects
case ${stage:-submit} in
submit)
    shift 2
    mkdir -p "$out.shards"
    job=$(sbatch --parsable --array="1-$n" --cpus-per-task="${CPUS:-1}" --mem="${MEM:-2G}" --job-name=obkv-import \
        --export=ALL,stage=import,NOW="$NOW" "$0" "$@")
    sbatch --dependency="afterok:${job%%;*}" --cpus-per-task="${CPUS:-1}" --mem="${MEM:-2G}" --job-name=obkv-join \
        --export=ALL,stage=join,NOW="$NOW" "$0"
    ;;
import)
    exec sh -c "$rejects_pass" sh \
        obkv-import --quiet --threads "${SLURM_CPUS_PER_TASK:-1}" --shard "$SLURM_ARRAY_TASK_ID/$n" --now "$NOW" \
        -o "$out.shards/$SLURM_ARRAY_TASK_ID" "$@"
    ;;
join)
    seq -f "$out.shards/%.0f" "$n" | xargs -d '\n' \
        sh -c "$rejects_pass" sh obkv-split join --quiet --threads "${SLURM_CPUS_PER_TASK:-1}" -o "$out"
    rm -r "$out.shards"
    ;;
esac
