#!/usr/bin/env python3
"""samples/kubernetes: every document against the schemas and types of Kubernetes' API, and the stages run without a cluster.

    kube.py BIN [--seed N] [--keep] [-v] [NAME ...]

Planted mistakes must be found, or the check would say nothing. Then run.sh runs the stages with a stand-in for kubectl, which
runs the Pods' commands on this machine (kubectl_standin.py): lost nodes, busy and killed Pods are tried again and the dataset has
the bytes of one compaction of one import; damaged input ends the Job with our message, and rejects end it. No database is
there: the load must end with 75, by which a Job tries again. The last line is "N passed, N failed, N skipped".
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import Missing, Skip, Suite, demand, shown  # noqa: E402
from shards_kit import STRETCH, text, whole_bytes  # noqa: E402
from venvs import cached, python_of, setup  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
YAML = ROOT / "samples/kubernetes"
OLDEST = (1, 29, 0)  # version of Kubernetes (docs/engines.md)
SCHEMAS = ("_definitions", "configmap-v1", "cronjob-batch-v1", "job-batch-v1", "persistentvolumeclaim-v1")
STAGES = ("import", "compact", "join", "check", "export", "load", "verify")


def python():
    return python_of("engines", "kubernetes")


def types(suite, *paths):
    p = subprocess.run([python(), "-B", HERE / "kube_types.py", *paths], capture_output=True, timeout=120, env=suite.env)
    demand(p.returncode == 0, shown(p.stderr))
    return shown(p.stdout)


def documents(suite):
    paths = sorted(p for p in YAML.glob("*.yaml") if p.name != "kustomization.yaml")
    said = types(suite, *paths)
    demand(said == "checked %d documents\n" % (len(paths) + 2), said)
    named = re.search(r"resources: \[(.*)\]", (YAML / "kustomization.yaml").read_text()).group(1).split(", ")
    demand(all((YAML / n).exists() for n in named), named)


def planted(suite):
    """Each mistake, alone, is found."""
    sound = (YAML / "import.yaml").read_text()
    mistakes = (
            ("completions: 8", "completion: 8", "no such field"), ("parallelism: 4", "parallelism: four", "is not a int"),
            ("restartPolicy: Never", "restartPolicy: OnFailure", "needs restartPolicy Never"),
            ("operator: In", "operator: Is", "is none of"), ("[1, 2, 3", "[0, 2, 3", "without 0"),
            ("containerName: obkv", "containerName: other", "names no container"),
            ("memory: 2304Mi", "memory: 2304Megs", "is no quantity"),
            ("name: scratch, mountPath", "name: temp, mountPath", "no volume"),
            ("      - name: obkv\n        image", "      - image", "name"),
            ("completionMode: Indexed\n", "suspend: no\n", "need comp"))
    paths = [suite.tmp / ("planted-%d.yaml" % n) for n in range(len(mistakes))]
    for path, (old, new, _) in zip(paths, mistakes):
        demand(old in sound, old)
        path.write_text(sound.replace(old, new, 1))
    said = types(suite, *paths).splitlines()
    for path, (old, new, wanted) in zip(paths, mistakes):
        mine = [line for line in said if line.startswith(path.name + ":")]
        demand(any(wanted in line for line in mine), "%s -> %s: %s" % (old, new, mine))


def kubeconform(suite):
    """The same documents against the schemas of the oldest and the newest version that we can have, and a field that is none."""
    schemas = cached(setup("kube_schemas")) / "kubernetes_validate/kubernetes-json-schema"
    program = cached(setup("kubeconform")) / "kubeconform"
    if not shutil.which("go") and not program.exists():
        raise Skip("Go is not installed, which kubeconform is built with")
    if not program.exists() or not schemas.is_dir():
        raise Missing("engines", "kubeconform or its schemas are not installed: sh samples/setup.sh engines")
    where = "%s/{{.NormalizedKubernetesVersion}}/{{.ResourceKind}}{{.KindSuffix}}.json" % suite.tmp
    paths = sorted(p for p in YAML.glob("*.yaml") if p.name != "kustomization.yaml")
    bad = suite.tmp / "bad.yaml"
    bad.write_text((YAML / "import.yaml").read_text().replace("completions: 8", "completion: 8"))
    versions = sorted(tuple(map(int, re.findall(r"\d+", p.name))) for p in schemas.glob("v*-local-strict"))
    for version in ("%d.%d.%d" % v for v in (OLDEST, versions[-1])):
        (suite.tmp / ("v" + version)).mkdir()
        for name in SCHEMAS:  # they refer to each other by their places on a server
            schema = (schemas / ("v%s-local-strict" % version) / (name + ".json")).read_text()
            schema = re.sub(r'"\$id": "[^"]*",?|/api/(?=_definitions)', "", schema)
            (suite.tmp / ("v" + version) / (name + ".json")).write_text(re.sub(r",\s*}$", "}", schema))
        command = [program, "-strict", "-output", "json", "-summary", "-schema-location", where, "-kubernetes-version", version]
        p = subprocess.run([*command, *paths], capture_output=True, timeout=120, env=suite.env)
        said = json.loads(p.stdout)
        demand(p.returncode == 0 and said["summary"]["valid"] == len(paths) + 2, "%s: %s" % (version, shown(p.stdout + p.stderr)))
        p = subprocess.run([*command, bad], capture_output=True, timeout=120, env=suite.env)
        demand(p.returncode == 1 and b"completion" in p.stdout, "%s: %s" % (version, shown(p.stdout + p.stderr)))


def restricted(suite):
    """Every Pod keeps the restricted Pod Security Standard, by the code of API servers; each right that is added is found."""
    program = cached(setup("pod_security")) / "pod_security"
    if not shutil.which("go") and not program.exists():
        raise Skip("Go is not installed, which Kubernetes' judge of Pods is built with")
    if not program.exists():
        raise Missing("engines", "the judge of Pods is not installed: sh samples/setup.sh engines")
    paths = sorted(p for p in YAML.glob("*.yaml") if p.name != "kustomization.yaml")
    sound = (YAML / "import.yaml").read_text()
    mistakes = (("seccompProfile: {type: RuntimeDefault}", "seccompProfile: {type: Unconfined}", "seccompProfile"),
                ("allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true", "allowPrivilegeEscalation"),
                ("drop: [ALL]", "drop: [CHOWN]", "capabilities"), ("runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"),
                ("runAsUser: 10001", "runAsUser: 0", "runAsUser"),
                ("emptyDir: {sizeLimit: 50Gi}", "hostPath: {path: /}", "hostPath"))

    def said(*files):
        p = subprocess.run([program, *files], capture_output=True, timeout=60, env=suite.env)
        return p.returncode, shown(p.stdout + p.stderr)
    code, text = said(*paths)
    jobs = sum(("kind: Job" in p.read_text()) + ("kind: CronJob" in p.read_text()) for p in paths)
    demand((code, text) == (0, "%d Pods, 0 not restricted\n" % jobs) and jobs > 8, text)
    for old, new, wanted in mistakes:
        demand(old in sound, old)
        (suite.tmp / "right.yaml").write_text(sound.replace(old, new, 1))
        code, text = said(suite.tmp / "right.yaml")
        demand(code == 1 and wanted in text, "%s: %s" % (new, text))


def commands_exist(suite):
    """Programs, sub-commands and scripts that comments and commands of the documents name are there."""
    for path in sorted(YAML.glob("*")):
        text = path.read_text()
        for program, word in re.findall(r"\b(obkv-(?:import|split|compact|export|load|verify))\b(?: +([a-z]+)\b)?", text):
            demand((suite.bin / program).exists(), "%s: %s" % (path.name, program))
            if program in ("obkv-split", "obkv-verify") and word:
                done = suite.call(program.removeprefix("obkv-"), word, "--help", want=None)
                demand(done.code == 0, "%s: %s %s is no command" % (path.name, program, word))
        for script in re.findall(r"\b((?:samples|docs)/[\w./-]+[\w])", text):
            demand((ROOT / script).exists(), "%s: %s" % (path.name, script))


def divided(suite):
    """SHARDS and SHARES are the completions of the Jobs, and each stage uses the one that it should."""
    settings = (YAML / "settings.yaml").read_text()
    for stage in STAGES:
        job = (YAML / (stage + ".yaml")).read_text()
        number = re.search(r"\$(SHARDS|SHARES)\b", job)
        wanted = re.search(r'%s: "(\d+)"' % (number.group(1) if number else "SHARES"), settings).group(1)
        demand(("completions: %s\n" % (1 if stage == "join" else wanted)) in job, "%s: other completions" % stage)
    codes = set(map(int, re.findall(r"(?m)^\| (\d+) \|", (ROOT / "docs/exit-codes.md").read_text())))
    values = set(map(int, re.search(r"values: \[(.*)\]", (YAML / "import.yaml").read_text()).group(1).split(", ")))
    demand(values < codes and codes - values == {0, 7, 75, 129, 130, 131, 141, 143}, "codes that end a Job: %s" % values)


class Standin:
    def __init__(self, suite, name):
        self.home = suite.fresh(name)
        for volume in ("input", "work", "scratch", "table", "password"):
            (self.home / "volumes" / volume).mkdir(parents=True)
        settings = (YAML / "settings.yaml").read_text().replace("oceanbase.example:2881", "127.0.0.1:1")
        (self.home / "settings.yaml").write_text(settings.replace("--user loader", "--retries 0 --user loader"))
        sql = re.search(r"users.sql: \|\n((    .*\n)+)", settings).group(1)
        (self.home / "volumes/table/users.sql").write_text(re.sub("(?m)^    ", "", sql))
        (self.home / "volumes/password/password").write_text("secret\n")
        (self.home / "volumes/password/password").chmod(0o440)
        (self.home / "faults.json").write_text("{}")
        (self.home / "bin").mkdir()
        (self.home / "bin/kubectl").write_text('#!/bin/sh\nexec "%s" -B "%s" "$@"\n' % (python(), HERE / "kubectl_standin.py"))
        (self.home / "bin/kubectl").chmod(0o755)
        self.env = {**suite.env, "STANDIN": str(self.home), "POLL_SECONDS": "0",
                    "PATH": "%s:%s:%s" % (self.home / "bin", suite.bin, os.environ["PATH"])}

    def faults(self, **by_pod):
        (self.home / "faults.json").write_text(json.dumps({k.replace("_", "/"): v for k, v in by_pod.items()}))

    def run(self, *stages, yaml=YAML):
        p = subprocess.run(["sh", yaml / "run.sh", *stages], env=self.env, stdin=subprocess.DEVNULL, capture_output=True,
                           timeout=300)
        return p.returncode, shown(p.stdout + p.stderr)

    def pods(self, job):
        path = self.home / "pods"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line.split(" ", 1)[1] for line in lines if line.split()[0] == "obkv-" + job]


def inputs(suite, folder):
    r = random.Random(suite.seed)
    for i in range(2):
        text(r, folder / ("%d.csv" % i), 5 * STRETCH // 2)


def stages(suite):
    k = Standin(suite, "stages")
    inputs(suite, k.home / "volumes/input")
    k.faults(**{"obkv-import_3": ["gone", 75, "gone", 137, "gone"], "obkv-compact_1": [143, "gone"], "obkv-join_0": [75]})
    code, said = k.run(*STAGES[:5])
    demand(code == 0, said)
    demand(len(k.pods("import")) == 8 + 5 and len(k.pods("compact")) == 4 + 2 and len(k.pods("join")) == 2, k.pods("import"))
    options = ("--quiet", "--now", "2026-11-23T00:00:00Z")
    imported, one = suite.fresh("imported"), suite.fresh("one")
    suite.call("import", *options, "--ddl", k.home / "volumes/table/users.sql", "--quote", "none", "--columns",
               "HBASE_ROW_KEY,HBASE_TS_KEY,f:a,g:b", "-o", imported, k.home / "volumes/input")
    suite.call("compact", *options, "--versions", "1", "-o", one, imported)
    dataset = k.home / "volumes/work/dataset"
    demand(whole_bytes(dataset)[1] == whole_bytes(one)[1], "other cell files than one run")
    demand(digest_of(dataset) == digest_of(one), "other sums than one run")
    exports = sorted((k.home / "volumes/work/exports").iterdir())
    demand(len(exports) == 4 and all((e / "MANIFEST.json").exists() for e in exports), "exports: %s" % exports)
    pods = len(k.pods("import"))
    demand(k.run(*STAGES[:5])[0] == 0 and len(k.pods("import")) == pods, "complete stages ran again")
    code, said = k.run("load")
    demand(code == 1 and "obkv-load failed" in said and "127.0.0.1:1" in said, said)
    demand(len(k.pods("load")) == 7 and all(p.endswith(" 75") for p in k.pods("load")), "tries of a load: %s" % k.pods("load"))


def digest_of(dataset):
    m = json.loads((dataset / "MANIFEST.json").read_text())
    return m["totals"], [(f["path"], f["digest"]) for f in m["files"]]


def damaged_input(suite):
    """One try, our message, and after the correction the shards that are finished have nothing to do."""
    k = Standin(suite, "damaged")
    inputs(suite, k.home / "volumes/input")
    path = k.home / "volumes/input/1.csv"
    sound = path.read_bytes()
    path.write_bytes(sound + b"row,no time,a,b\n")
    code, said = k.run()
    demand(code == 1 and "1.csv" in said and "obkv-import failed" in said, said)
    demand(sum(not p.endswith(" 0") for p in k.pods("import")) == 1, "tried again: %s" % k.pods("import"))
    demand(not k.pods("compact"), "the next stage began")
    path.write_bytes(sound)
    shutil.rmtree(k.home / "volumes/work/shards")
    code, said = k.run("import", "compact", "join")
    demand(code == 0, said)


def rejects(suite):
    """Within --max-rejects they end the Job, also when it is started again; not if import.yaml is edited as the page says."""
    k = Standin(suite, "rejects")
    inputs(suite, k.home / "volumes/input")
    with open(k.home / "volumes/input/1.csv", "ab") as f:
        f.write(b"row,no time,a,b\n")
    settings = (k.home / "settings.yaml").read_text().replace("--quote none", "--quote none --max-rejects 1")
    (k.home / "settings.yaml").write_text(settings)
    for tries in (1, 2):
        code, said = k.run()
        demand(code == 1 and "obkv-import failed" in said, said)
        [report] = (k.home / "volumes/work/shards").glob("*/_report/rejects.txt")
        demand(report.read_text() == "row,no time,a,b\n", "%s: %s" % (report, report.read_text()))
        demand(sum(p.endswith(" 3") for p in k.pods("import")) == tries and not k.pods("compact"), k.pods("import"))
    edited = shutil.copytree(YAML, k.home / "yaml")
    old = (YAML / "import.yaml").read_text()
    accept = re.search(r"(?m)^    (\|\| \{ code=.*\})$", (ROOT / "docs/engines.md").read_text()).group(1)
    new = old.replace("exec obkv-import", "obkv-import").replace(" $INPUTS\n", " $INPUTS %s\n" % accept)
    (edited / "import.yaml").write_text(new)
    code, said = k.run("import", "compact", "join", yaml=edited)
    demand(code == 0 and new.count(accept) == 1, said)


def main():
    suite = Suite(__doc__)
    for test in (documents, planted, kubeconform, restricted, commands_exist, divided, stages, damaged_input, rejects):
        suite.run(test.__name__.replace("_", " "), test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
