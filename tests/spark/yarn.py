"""A job of Spark 4 on YARN with two node managers (tests/remote/src/MiniYarn.java), by spark-submit, of what `make spark` makes.
jobs.py runs it."""
import pathlib
import subprocess

from cluster import archive_with
from spark_kit import COLUMNS, NOW, QUICK, ROOT, csv_file, demand, demand_no_orphans, demand_same, said, submit


class Yarn:
    def __init__(self, folder):
        folder.mkdir()
        self.conf = folder / "conf"
        remote = ROOT / "build/remote"
        java = pathlib.Path(subprocess.run(["sh", "-c", "readlink -f $(command -v java)"], check=True, stdout=subprocess.PIPE,
                                           text=True).stdout.strip())
        self.log = folder / "log"
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                ["java", "-Xmx400m", *QUICK.split(), "--add-opens=java.base/java.lang=ALL-UNNAMED",
                 "-Dlog4j.configuration=file:%s" % (ROOT / "tests/interop/conf/log4j.properties"), "-cp",
                 "%s:%s" % (remote / "classes", (remote / "classpath").read_text().strip()), "MiniYarn", folder],
                cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
                env={"PATH": "/usr/bin:/bin", "JAVA_HOME": str(java.parents[1]), "USER": "root", "HOME": str(folder)})

    def __enter__(self):
        began = self.process.stdout.readline().strip() == "ok"
        demand(began, "MiniYarn: " + self.log.read_text()[-3000:])
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


def yarn(suite):
    """The programs come with the job, to the driver, too; one ends with 75, and the container of an executor is killed: the bytes
    of one run."""
    with Yarn(suite.tmp / "yarn") as cluster:
        one, out, path = suite.fresh("one"), suite.tmp / "out", csv_file(suite.tmp / "a.csv", 60000)
        suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "-o", one, path)
        subprocess.run(["mvn", "-q", "-B", "-f", ROOT / "cmd/spark/pom.xml", "-Dbuild.dir=%s" % (suite.tmp / "jar"), "package"],
                       check=True, stdin=subprocess.DEVNULL)
        conf = ["spark.yarn.jars=local:%s/jars/*" % (ROOT / "build/spark4/home"), "spark.executor.instances=2",
                "spark.yarn.stagingDir=file:%s" % suite.tmp, "spark.yarn.am.memory=256m",
                "spark.yarn.am.extraJavaOptions=" + QUICK,
                "spark.yarn.dist.archives=file:%s#obkv" % archive_with(suite.shared.executors, suite.tmp)]
        text = submit(suite, "spark4", ["--input", "file:%s" % path, "--out", "file:%s" % out, "--shards", "3", "--shares", "2",
                                       "--now", NOW, "--bin", "obkv", "--", *COLUMNS], conf=conf, master="yarn",
                      more={"HADOOP_CONF_DIR": str(cluster.conf), "YARN_CONF_DIR": str(cluster.conf)},
                      jar=suite.tmp / "jar/obkv-spark.jar")
        demand(said(text, "shards") == (3, 3) and (suite.tmp / "busy").exists() and (suite.tmp / "killed").exists(), text[-2000:])
        demand_same(one, out)
        demand_no_orphans("297.31")


TESTS = (yarn,)
