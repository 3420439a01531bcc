"""What most tests of cmd/spark share, started once: a real HDFS with its pair of namenodes, an S3 server, and a cluster of two
workers that knows both and has the programs from an archive."""
import functools
import subprocess
import sys
import tarfile

from spark_kit import EXECUTOR, ROOT, Session, Standalone

sys.path.insert(0, str(ROOT / "tests/remote"))
from mini_hdfs import MiniHdfs  # noqa: E402
from programs import Missing  # noqa: E402
from venvs import Moto  # noqa: E402

# Fails once: the first shard of three with 75, the second by the death of its executor.
FLAKY = """case " $* " in
*" --list "*) ;;
*" --shards 1/3 "*) if mkdir "{d}/busy" 2>/dev/null; then echo "obkv-import: locked by a test" >&2; exit 75; fi ;;
*" --shards 2/3 "*) if mkdir "{d}/killed" 2>/dev/null; then
        """ + EXECUTOR + """
        kill -9 $executor
        exec sleep 297.31
    fi ;;
esac
"""


class Shared:
    """Parts start when they are asked for, and end with the stack."""

    def __init__(self, suite, stack):
        self.suite, self.stack, self.tmp = suite, stack, suite.tmp / "shared"
        self.tmp.mkdir()
        self.requests = self.tmp / "requests"

    @functools.cached_property
    def hdfs(self):
        return self.stack.enter_context(MiniHdfs(self.tmp / "hdfs", "pair"))

    @functools.cached_property
    def s3(self):
        """A server, or why there is none."""
        try:
            return self.stack.enter_context(Moto())
        except Missing as why:
            return why

    @functools.cached_property
    def spark(self):
        conf = ["spark.archives=%s#obkv" % self.archive(), *self.pair(), "spark.sql.session.timeZone=UTC",
                "spark.hadoop.fs.count.impl=obkv.spark.CountingFileSystem", "spark.hadoop.fs.count.log=%s" % self.requests,
                "spark.sql.warehouse.dir=%s" % (self.tmp / "warehouse")]
        jars = (ROOT / "build/spark/s3a.classpath").read_text().strip()
        conf += ["spark.driver.extraClassPath=" + jars, "spark.executor.extraClassPath=" + jars]
        if isinstance(self.s3, Moto):
            conf += ["spark.hadoop.fs.s3a." + s for s in ("endpoint=" + self.s3.base, "access.key=key", "secret.key=secret",
                                                          "path.style.access=true", "connection.ssl.enabled=false")]
        cluster = Standalone(self.suite, "spark", self.tmp / "cluster")
        self.stack.callback(cluster.close)
        session = Session(self.suite, "spark", self.tmp / "spark", conf, cluster.url)
        self.stack.callback(session.close)
        return session

    def pair(self):
        """Settings of Hadoop for hdfs://mycluster, as an hdfs-site.xml has them."""
        of = "spark.hadoop.dfs."
        return [of + "nameservices=mycluster", of + "ha.namenodes.mycluster=nn1,nn2",
                *("%snamenode.rpc-address.mycluster.nn%d=%s" % (of, i + 1, a) for i, a in enumerate(self.hdfs.rpc)),
                of + "client.failover.proxy.provider.mycluster="
                "org.apache.hadoop.hdfs.server.namenode.ha.ConfiguredFailoverProxyProvider"]

    @functools.cached_property
    def executors(self):
        """What `make executors` makes, unpacked."""
        made, folder = self.tmp / "made", self.tmp / "executors"
        subprocess.run(["sh", ROOT / "samples/packages/executors.sh", self.suite.bin.parent, made, "1.2.3"], check=True,
                       stdout=subprocess.DEVNULL)
        [self.executors_file] = made.iterdir()
        with tarfile.open(self.executors_file) as t:
            t.extractall(folder)
        return folder

    def archive(self):
        """It, as it travels with a job; the import fails once by shard."""
        return archive_with(self.executors, self.tmp)


def archive_with(executors, folder):
    path, program = folder / "obkv.tar", folder / "obkv-import"
    real = (executors / "bin/obkv-import").read_text().removeprefix("#!/bin/sh\n")
    program.write_text("#!/bin/sh\n" + FLAKY.replace("{d}", str(folder)) + real)
    program.chmod(0o755)
    with tarfile.open(path, "w") as t:
        t.add(executors / "lib", "lib")
        t.add(executors / "bin", "bin", filter=lambda f: None if f.name == "bin/obkv-import" else f)
        t.add(program, "bin/obkv-import")
    return path
