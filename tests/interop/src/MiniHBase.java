import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.codec.KeyValueCodecWithTags;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionServer;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;

/** A whole HBase inside this process: ZooKeeper, one master, one region server or more, on the local file system. */
final class MiniHBase {
    private static final int A_DAY_MS = 24 * 3600 * 1000;

    final Path work; /* root: hbase.rootdir */
    final Configuration conf = HBaseConfiguration.create();
    int servers = 1;
    private LocalHBaseCluster cluster;

    MiniHBase(Path work) {
        this.work = work.toAbsolutePath();
    }

    Path root() {
        return work.resolve("root");
    }

    /** Nothing happens in the background: no compaction, no cleaning, no balancing. */
    void start() throws Exception {
        MiniZooKeeperCluster zk = new MiniZooKeeperCluster(conf);
        int port = zk.startup(Files.createDirectories(work.resolve("zookeeper")).toFile());
        conf.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
        conf.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, port);
        conf.set("hbase.rootdir", root().toUri().toString());
        conf.set("hbase.tmp.dir", work.resolve("tmp").toString());
        conf.set("hbase.fs.tmp.dir", work.resolve("staging").toUri().toString());
        conf.set("hadoop.tmp.dir", work.resolve("hadoop").toString());
        conf.set("hbase.wal.provider", "filesystem");
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
        conf.setBoolean(LocalHBaseCluster.ASSIGN_RANDOM_PORTS, true);
        conf.setInt("hbase.master.start.timeout.localHBaseCluster", 300_000); /* on a busy machine */
        conf.setInt(HConstants.MASTER_INFO_PORT, -1);
        conf.setInt(HConstants.REGIONSERVER_INFO_PORT, -1);
        conf.setInt(HConstants.REGION_SERVER_HANDLER_COUNT, 5);
        conf.set("hbase.client.rpc.codec", KeyValueCodecWithTags.class.getName()); /* or tags stay on the server */
        conf.setBoolean("hbase.regionserver.compaction.enabled", false);
        conf.setInt("hbase.hstore.compaction.max", 1000); /* all files at once, however many */
        conf.setBoolean("hbase.hstore.bulkload.verify", true);
        for (String period : new String[] {"hbase.hregion.majorcompaction", "hbase.master.cleaner.interval",
            "hbase.catalogjanitor.interval", "hbase.balancer.period", "hbase.master.mob.cleaner.period",
            "hbase.hfile.compaction.discharger.interval"}) {
            conf.setInt(period, A_DAY_MS);
        }
        DefaultMetricsSystem.setMiniClusterMode(true); /* several servers in one process */
        cluster = new LocalHBaseCluster(conf, 1, servers);
        cluster.startup();
    }

    List<HRegion> regions(TableName table) {
        return cluster.getRegionServer(0).getRegions(table);
    }

    HRegionServer server(int i) {
        return cluster.getRegionServer(i);
    }

    private Stream<HStore> stores(TableName table) {
        return regions(table).stream().flatMap(r -> r.getStores().stream());
    }

    int storeFiles(TableName table) {
        return stores(table).mapToInt(HStore::getStorefilesCount).sum();
    }

    /** Major compaction, done when this returns; what was compacted stays in place until archiveCompacted() is called. */
    void compact(TableName table) throws IOException {
        for (HRegion r : regions(table)) {
            r.compact(true);
        }
    }

    void archiveCompacted(TableName table) throws IOException {
        for (HStore s : stores(table).collect(Collectors.toList())) {
            s.closeAndArchiveCompactedFiles();
        }
    }

    static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path p : all.collect(Collectors.toList())) {
                Files.copy(p, to.resolve(from.relativize(p).toString()));
            }
        }
    }

    /** Ends the process: an orderly end of the cluster takes longer than all the rest, and its folder is thrown away. */
    static void halt(boolean ok) {
        System.out.flush();
        System.err.flush();
        Runtime.getRuntime().halt(ok ? 0 : 1);
    }
}
