"""Stands for kubectl and the controller of Jobs in kube.py: `apply` runs the containers' commands on this machine.

One Pod after the other, indexes in random order, with the variables of ConfigMaps and JOB_COMPLETION_INDEX; volumes are
folders of $STANDIN. Exit codes go through podFailurePolicy and the limits of tries. $STANDIN/faults.json says which Pods
fail, and how, instead of running. State and logs of Jobs are files there."""
import json
import os
import pathlib
import random
import subprocess
import sys

import yaml

HOME = pathlib.Path(os.environ["STANDIN"])


def variables(container):
    env = {}
    maps = {d["metadata"]["name"]: d["data"] for d in yaml.safe_load_all((HOME / "settings.yaml").read_text())}
    for source in container.get("envFrom", []):
        env.update(maps[source["configMapRef"]["name"]])
    return env


def on_this_machine(text, container):
    """Paths below mount points as folders of HOME."""
    for mount in container["volumeMounts"]:
        text = text.replace(mount["mountPath"], str(HOME / "volumes" / mount["name"]))
    return text


def pod(job, index):
    """Exit code and the last of what it printed; "gone" for a Pod whose node went away."""
    faults = json.loads((HOME / "faults.json").read_text())
    met = faults.get("%s/%s" % (job["metadata"]["name"], index))
    if met:
        fault = met.pop(0)
        (HOME / "faults.json").write_text(json.dumps({**faults, "%s/%s" % (job["metadata"]["name"], index): met}))
        return fault, "fault of the test: %s\n" % fault
    container = job["spec"]["template"]["spec"]["containers"][0]
    env = {k: on_this_machine(v, container) for k, v in variables(container).items()}
    env.update(PATH=os.environ["PATH"], LC_ALL="C")
    if job["spec"].get("completionMode") == "Indexed":
        env["JOB_COMPLETION_INDEX"] = str(index)
    command = [on_this_machine(a, container) for a in container["command"] + container["args"]]
    p = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return p.returncode, p.stdout.decode("utf-8", "replace")


def action(job, code):
    for rule in job["spec"]["podFailurePolicy"]["rules"]:
        if "onPodConditions" in rule and code == "gone":
            return rule["action"]
        on = rule.get("onExitCodes")
        if on and code != "gone" and (code in on["values"]) == (on["operator"] == "In"):
            return rule["action"]
    return "Count"


def run(job):
    spec = job["spec"]
    indexed = spec.get("completionMode") == "Indexed"
    tries_left = spec["backoffLimitPerIndex"] if indexed else spec["backoffLimit"]
    indexes = list(range(spec["completions"]))
    random.Random(7).shuffle(indexes)
    log = []
    for index in indexes:
        left = tries_left
        while True:
            code, text = pod(job, index)
            log.append("%s %s %s %s" % (job["metadata"]["name"], index, code, text.strip()))
            if code == 0:
                break
            what = action(job, code)
            left -= what == "Count"
            if what == "FailJob" or left < 0:
                return "Failed", log
    return "Complete", log


def main(args):
    name = next((a for a in args if a.startswith("obkv-")), None)
    (HOME / "state").mkdir(exist_ok=True)
    if args[:2] == ["get", "job"]:
        path = HOME / "state" / name
        print(path.read_text() if path.exists() else "", end="")
    elif args[:2] == ["delete", "job"]:
        (HOME / "state" / name).unlink()
    elif args[:1] == ["logs"]:
        name = next(a for a in args if a.startswith("job-name=")).split("=")[1]
        print("\n".join((HOME / "state" / (name + ".log")).read_text().splitlines()[-2:]))
    elif args[:1] == ["apply"]:
        job = yaml.safe_load(open(args[args.index("-f") + 1]))
        condition, log = run(job)
        name = job["metadata"]["name"]
        (HOME / "state" / (name + ".log")).write_text("\n".join(log))
        with open(HOME / "pods", "a") as f:
            f.writelines(line.split(" ", 3)[0] + " " + " ".join(line.split(" ", 3)[1:3]) + "\n" for line in log)
        (HOME / "state" / name).write_text(condition)
    else:
        sys.exit("kubectl_standin: what is %s?" % args)


main(sys.argv[1:])
