"""Runs the DAG of samples/airflow in Airflow itself, without a scheduler (dag.test): airflow_run.py CONF-IN-JSON

Started by airflow_dag.py with the Python of the engines, AIRFLOW_HOME and its database. Prints the state of each task as JSON."""
import json
import logging
import os
import sys

from airflow.models import DagBag

bag = DagBag(os.environ["DAGS"], include_examples=False)
dag = bag.dags.get("obkv_bulkload")
states = {}
if dag:
    logging.disable(logging.INFO)
    for t in dag.tasks:
        t.retry_delay *= 0
    run = dag.test(run_conf=json.loads(sys.argv[1]))
    for ti in run.get_task_instances():
        states["%s/%d" % (ti.task_id, ti.map_index)] = [str(ti.state), ti.try_number]
print("\nRESULT " + json.dumps({"errors": list(bag.import_errors.values()),
                                "tasks": [t.task_id for t in dag.tasks] if dag else [],
                                "states": states}))
