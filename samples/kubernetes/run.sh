#!/bin/sh
# Runs the stages one after the other: each Job must complete before the next one starts. Started again, it skips those that are
# complete and repeats the one that failed, whose finished shards have nothing to do.
# Usage: run.sh [STAGE...]     default: import compact join check export load verify
set -eu
here=$(dirname "$0")
[ $# -gt 0 ] || set -- import compact join check export load verify
state() { kubectl get job "obkv-$1" --ignore-not-found -o "jsonpath={.status.conditions[?(@.status=='True')].type}"; }
for stage in "$@"; do
    case " $(state "$stage") " in
    *" Complete "*) echo "obkv-$stage: complete" && continue ;;
    *" Failed "*) kubectl delete job "obkv-$stage" ;;
    esac
    kubectl apply -f "$here/$stage.yaml"
    while :; do
        case " $(state "$stage") " in
        *" Complete "*) break ;;
        *" Failed "*)
            kubectl logs --tail=2 --prefix -l "job-name=obkv-$stage" >&2 || :
            echo "obkv-$stage failed; correct the cause and start this again" >&2
            exit 1
            ;;
        esac
        sleep "${POLL_SECONDS:-5}"
    done
done
