"""What most tests of cmd/spark share, started once: a real HDFS with its pair of namenodes, an S3 server, and a cluster of two
workers that knows both and has the programs from an archive."""
import functools
import sys
import tarfile

from spark_kit import EXECUTOR, ROOT, Session, Standalone, wrapped

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
exec {real} "$@"
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

    def archive(self):
        """The programs, as they travel with a job; the import fails once by shard."""
        path = self.tmp / "obkv.tar.gz"
        others = ("obkv-split", "obkv-compact", "obkv-verify")
        programs = wrapped(self.suite, self.tmp / "bin", "obkv-import", FLAKY.replace("{d}", str(self.tmp)), others)
        with tarfile.open(path, "w:gz", compresslevel=1, dereference=True) as t:
            t.add(programs, "bin")
        return path
