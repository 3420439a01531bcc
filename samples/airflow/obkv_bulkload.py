"""A DAG of Airflow, tested with 3.1: import by shards, compact by shares, join, check, export, load, verify target.

Put this file into the directory of DAGs. The programs are in PATH on the workers, and all workers see `work` and the inputs
under the same paths. Start a run with its own settings, for example

    airflow dags trigger obkv_bulkload --conf '{"inputs": ["/in/users.csv"], "work": "/work", "shards": 16}'

A task runs one command. Exit code 75 (busy), 7 (cannot write) and signals are retried; all others fail the task at once, with the
program's message. When you clear a failed task, what is finished has nothing to do."""
import datetime
import os
import subprocess

try:
    from airflow.sdk import dag, get_current_context, task
except ImportError:  # Airflow 2: not tested
    from airflow.decorators import dag, task
    from airflow.operators.python import get_current_context
from airflow.exceptions import AirflowException, AirflowFailException

SETTINGS = {
    "inputs": ["/incoming/users.csv"],
    "import_options": ["--ddl", "/etc/obkv/users.sql", "--quote", "none", "--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a,g:b"],
    "compact_options": ["--versions", "1"],
    "work": "/work",        # a directory for each run is made in it, by its clock
    "shards": 8,
    "shares": 4,
    "accept_rejects": False,  # True: go on with rejects within --max-rejects of import_options
    "target_options": [],   # such as ["--target", "db:2881/shop", "--user", "loader@shop", "--password-file", "/etc/obkv/pw"]
}
RETRIED = (7, 75, 129, 130, 131, 137, 143)


def setting(name):
    return get_current_context()["params"][name]


def folder(now, *parts):
    path = os.path.join(setting("work"), now.replace(":", ""), *parts)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def run(*command):
    p = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace")
    print(p.stderr, end="")
    if p.returncode in RETRIED or p.returncode < 0:
        raise AirflowException("%s: exit %d, to be tried again: %s" % (command[0], p.returncode, p.stderr[-500:]))
    if p.returncode == 3 and setting("accept_rejects"):
        return
    if p.returncode:
        raise AirflowFailException("%s: exit %d: %s" % (command[0], p.returncode, p.stderr[-500:]))


TRIES = {"retries": 3, "retry_delay": datetime.timedelta(seconds=30), "retry_exponential_backoff": True}


@dag(schedule=None, start_date=datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc), catchup=False, params=SETTINGS,
     max_active_runs=1, default_args=TRIES,
     tags=["obkv"])
def obkv_bulkload():
    @task
    def clock():
        """One time for all shards. It is kept with the run, so tasks that are started again have the same."""
        return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    @task
    def numbers(name):
        return list(range(1, int(setting(name)) + 1))

    @task
    def import_shard(i, now):
        run("obkv-import", "--quiet", "--threads", 1, "--shard", "%d/%d" % (i, setting("shards")), "--now", now,
            *setting("import_options"), "-o", folder(now, "shards", str(i)), *setting("inputs"))

    @task
    def compact_share(j, now):
        shards = [folder(now, "shards", str(i)) for i in range(1, int(setting("shards")) + 1)]
        run("obkv-compact", "--quiet", "--threads", 1, "--partitions", "%d/%d" % (j, setting("shares")), "--now", now,
            *setting("compact_options"), "-o", folder(now, "shares", str(j)), *shards)

    @task
    def join(now):
        shares = [folder(now, "shares", str(j)) for j in range(1, int(setting("shares")) + 1)]
        run("obkv-split", "join", "--quiet", "-o", folder(now, "dataset"), *shares)

    @task
    def check_share(j, now):
        run("obkv-verify", "check", "--quiet", "--partitions", "%d/%d" % (j, setting("shares")), folder(now, "dataset"))

    @task
    def export_share(j, now):
        run("obkv-export", "--quiet", "--partitions", "%d/%d" % (j, setting("shares")), "-o", folder(now, "exports", str(j)),
            folder(now, "dataset"))

    @task(max_active_tis_per_dag=2)  # what the database has to bear at a time
    def load_share(j, now):
        if setting("target_options"):
            run("obkv-load", "--quiet", *setting("target_options"), folder(now, "exports", str(j)))

    @task(max_active_tis_per_dag=2)
    def verify_share(j, now):
        if setting("target_options"):
            run("obkv-verify", "target", "--quiet", *setting("target_options"), "--partitions", "%d/%d" % (j, setting("shares")),
                folder(now, "dataset"))

    now = clock()
    shards, shares = numbers.override(task_id="shards")("shards"), numbers.override(task_id="shares")("shares")
    steps = [import_shard.partial(now=now).expand(i=shards), compact_share.partial(now=now).expand(j=shares), join(now)]
    steps += [t.partial(now=now).expand(j=shares) for t in (check_share, export_share, load_share, verify_share)]
    for before, after in zip(steps, steps[1:]):
        before >> after


obkv_bulkload()
