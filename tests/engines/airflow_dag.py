#!/usr/bin/env python3
"""samples/airflow/obkv_bulkload.py, parsed and run by Airflow itself with SQLite, without a scheduler (airflow_run.py).

    airflow_dag.py BIN [--seed N] [--keep] [-v] [NAME ...]

The dataset has the bytes of one run, although one shard is busy at first (75) and is tried again, and has a reject, which is
accepted. A reject that is not accepted fails its task at once, with 4 and with 3, and no later task runs. Skipped where Airflow
is missing (`sh samples/setup.sh engines`). The last line is "N passed, N failed, N skipped".
"""
import json
import pathlib
import random
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/cli"))
from programs import Suite, demand, shown, tail  # noqa: E402
from shards_kit import STRETCH, text, whole_bytes  # noqa: E402
from venvs import python_of  # noqa: E402

DDL = "".join("CREATE TABLE `users$%s` (K varbinary(64) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL, V mediumblob "
              "NOT NULL, PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 5;\n" % family for family in "fg")
BUSY = """#!/bin/sh
# The first import of shard 2 finds it busy.
case "$*" in *"--shard 2/2"*) if mkdir "%s" 2>/dev/null; then echo "busy" >&2; exit 75; fi ;; esac
exec "%s/obkv-import" "$@"
"""


def environment(suite):
    python = python_of("engines", "airflow")
    home = suite.fresh("airflow")
    (home / "bin").mkdir(parents=True)
    (home / "bin/obkv-import").write_text(BUSY % (home / "was busy", suite.bin))
    (home / "bin/obkv-import").chmod(0o755)
    env = {**suite.env, "AIRFLOW_HOME": str(home), "DAGS": str(ROOT / "samples/airflow"), "PYTHONDONTWRITEBYTECODE": "1",
           "AIRFLOW__CORE__DAGS_FOLDER": str(ROOT / "samples/airflow"), "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
           "PATH": "%s:%s:%s:/usr/bin:/bin" % (home / "bin", suite.bin, python.rsplit("/", 1)[0])}
    p = subprocess.run([python, "-W", "ignore", "-m", "airflow", "db", "migrate"], env=env, stdin=subprocess.DEVNULL,
                       capture_output=True, timeout=300)
    demand(p.returncode == 0, tail(p.stdout + p.stderr))
    return python, env


def dag_run(suite, python, env, **conf):
    p = subprocess.run([python, "-W", "ignore", ROOT / "tests/engines/airflow_run.py", json.dumps(conf)], env=env,
                       stdin=subprocess.DEVNULL, capture_output=True, timeout=600)
    results = [line for line in shown(p.stdout).splitlines() if line.startswith("RESULT ")]
    demand(results, "exit %d: %s" % (p.returncode, tail(p.stdout + p.stderr, 2000)))
    return json.loads(results[-1][7:]), shown(p.stdout + p.stderr)


def runs(suite):
    python, env = environment(suite)
    r = random.Random(suite.seed)
    path = text(r, suite.tmp / "a.csv", 2 * STRETCH)
    with open(path, "ab") as f:
        f.write(b"row,no time,a,b\n")
    (suite.tmp / "users.sql").write_text(DDL)
    options = ["--ddl", str(suite.tmp / "users.sql"), "--quote", "none", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a,g:b"]
    conf = {"inputs": [str(path)], "import_options": [*options, "--max-rejects", "1"], "shards": 2, "shares": 1}
    result, said = dag_run(suite, python, env, work=str(suite.tmp / "work"), accept_rejects=True, **conf)
    demand(not result["errors"] and len(result["tasks"]) == 10, result)
    demand(all(state == "success" for state, _ in result["states"].values()), "%s\n%s" % (result["states"], said[-2000:]))
    demand((suite.tmp / "airflow/was busy").exists(), "no shard was busy")
    demand(result["states"]["import_shard/1"][1] > result["states"]["import_shard/0"][1], "tries: %s" % result["states"])
    (made,) = (suite.tmp / "work").iterdir()
    now = made.name
    clock = "%s:%s:%sZ" % (now[:13], now[13:15], now[15:17])
    imported, one = suite.fresh("imported"), suite.fresh("one")
    suite.call("import", "--quiet", *conf["import_options"], "--now", clock, "-o", imported, path, want=3)
    suite.call("compact", "--quiet", "--now", clock, "--versions", "1", "-o", one, imported)
    demand(whole_bytes(made / "dataset")[1] == whole_bytes(one)[1], "other cell files than one run")
    demand((made / "exports/1/MANIFEST.json").exists(), "no export")

    for name, given, wanted in (("rejects", conf["import_options"], "exit 3"), ("damaged", options, "a.csv")):
        result, said = dag_run(suite, python, env, work=str(suite.tmp / name), **{**conf, "import_options": given})
        states = result["states"]
        demand(states["import_shard/1"] == ["failed", 1] and wanted in said, "%s: %s\n%s" % (name, states, said[-2000:]))
        demand(states["join/-1"][0] != "success" and not list((suite.tmp / name).glob("*/dataset")), states)


def main():
    suite = Suite(__doc__, in_memory=True)  # SQLite waits for the disk at every step
    suite.run("runs", runs)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
