"""Checks YAML documents against the types of Kubernetes' API: kube_types.py FILE…  (run by kube.py, in the engines' Python)

The types are those of the package `kubernetes`, generated from the API's OpenAPI document: a field that its type does not have,
a value of another type, and a required field that is missing are refused, as `kubectl apply --validate=strict` refuses them.
The rules of Jobs that no type tells (API reference, PodFailurePolicy) are checked as well. Prints what is wrong, a line each."""
import re
import sys

import yaml
from kubernetes.client import models

KINDS = {("batch/v1", "Job"): models.V1Job, ("batch/v1", "CronJob"): models.V1CronJob, ("v1", "ConfigMap"): models.V1ConfigMap,
         ("v1", "PersistentVolumeClaim"): models.V1PersistentVolumeClaim}
BASIC = {"str": str, "int": int, "bool": bool, "float": (int, float), "object": object}
ENUMS = {"completion_mode": ("Indexed", "NonIndexed"), "restart_policy": ("Never", "OnFailure"),
         "concurrency_policy": ("Allow", "Forbid", "Replace"), "operator": ("In", "NotIn"),
         "action": ("Ignore", "FailJob", "FailIndex", "Count"), "termination_message_policy": ("File", "FallbackToLogsOnError")}
QUANTITY = re.compile(r"\d+(\.\d+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?$")


def check(value, kind, place):
    """Wrong places of a value that should be of an OpenAPI type of the package."""
    many = re.fullmatch(r"(list\[|dict\(str, )(.*)[\])]", kind)
    if many:
        wanted = list if many.group(1) == "list[" else dict
        if not isinstance(value, wanted):
            return ["%s: not a %s" % (place, wanted.__name__)]
        wrong = []
        for name, item in value.items() if wanted is dict else enumerate(value):
            wrong += check(item, many.group(2), "%s.%s" % (place, name))
            if place.endswith((".requests", ".limits")) and not QUANTITY.match(str(item)):
                wrong.append("%s.%s: %s is no quantity" % (place, name, item))
        return wrong
    if kind in BASIC:
        bad = not isinstance(value, BASIC[kind]) or (kind == "int" and isinstance(value, bool))
        return ["%s: %r is not a %s" % (place, value, kind)] if bad else []
    return fields(value, getattr(models, kind), place)


def fields(value, model, place):
    if not isinstance(value, dict):
        return ["%s: not an object" % place]
    names = {json_name: name for name, json_name in model.attribute_map.items()}
    wrong = ["%s.%s: there is no such field" % (place, key) for key in value if key not in names]
    known = {names[key]: item for key, item in value.items() if key in names}
    for name, item in known.items():
        wrong += check(item, model.openapi_types[name], "%s.%s" % (place, model.attribute_map[name]))
        if name in ENUMS and item not in ENUMS[name]:
            wrong.append("%s.%s: %s is none of %s" % (place, name, item, ENUMS[name]))
    try:
        model(**known)
    except ValueError as e:
        wrong.append("%s: %s" % (place, e))
    return wrong


def rules(job, place):
    pod, policy, wrong = job["template"]["spec"], job.get("podFailurePolicy"), []
    indexed = job.get("completionMode") == "Indexed"
    if policy and pod.get("restartPolicy") != "Never":
        wrong.append("podFailurePolicy needs restartPolicy Never")
    if not indexed and ("backoffLimitPerIndex" in job or "maxFailedIndexes" in job):
        wrong.append("backoffLimitPerIndex and maxFailedIndexes need completionMode Indexed")
    for rule in (policy or {}).get("rules", []):
        codes = rule.get("onExitCodes")
        if bool(codes) == bool(rule.get("onPodConditions")):
            wrong.append("a rule has one of onExitCodes and onPodConditions")
        if codes and (codes["values"] != sorted(set(codes["values"])) or (codes["operator"] == "In" and 0 in codes["values"])):
            wrong.append("exit codes ascend, without 0")
        if codes and codes.get("containerName") not in [c["name"] for c in pod["containers"]]:
            wrong.append("onExitCodes names no container")
    volumes = {v["name"] for v in pod.get("volumes", [])}
    for container in pod["containers"]:
        wrong += ["no volume %s" % m["name"] for m in container.get("volumeMounts", []) if m["name"] not in volumes]
    return ["%s: %s" % (place, w) for w in wrong]


def main(paths):
    documents = 0
    for path in paths:
        for d in yaml.safe_load_all(open(path)):
            place, model = "%s: %s" % (path.rsplit("/", 1)[-1], d.get("kind")), KINDS.get((d.get("apiVersion"), d.get("kind")))
            documents += 1
            wrong = fields(d, model, place) if model else ["%s: unknown kind" % place]
            if not wrong and d["kind"] in ("Job", "CronJob"):
                wrong = rules(d["spec"]["jobTemplate"]["spec"] if d["kind"] == "CronJob" else d["spec"], place)
            print("".join(w + "\n" for w in wrong), end="")
    print("checked %d documents" % documents)


main(sys.argv[1:])
