import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.LocalHBaseCluster;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.codec.KeyValueCodecWithTags;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.zookeeper.MiniZooKeeperCluster;

/**
 * Bulk-loads dataset folders into tables of an HBase that runs inside this process, and scans them.
 *
 *   BulkLoad WORKDIR @JOBS
 *
 * Per line: subject (also the table's name), families as "name:versions,…", split keys (hex, comma, "-" = one region),
 * folders to load one after the other (comma), file for the cells of a raw scan (sequence id 0), the limit of files per
 * region and family, "whole" or "split" (must HBase take the files as they are, or split some?), and "compact" (major
 * compaction before the scan) or "-". Folders are copied: a load consumes them.
 */
public final class BulkLoad {
    private static final int JOB_FIELDS = 8;
    private static final long COMPACTION_LIMIT_MS = 60_000;

    private final Path work;
    private final Configuration conf;
    private LocalHBaseCluster cluster;
    private int copies;

    private BulkLoad(Path work) {
        this.work = work.toAbsolutePath();
        conf = HBaseConfiguration.create();
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 2 || !args[1].startsWith("@")) {
            System.err.println("usage: BulkLoad WORKDIR @JOBS");
            System.exit(2);
        }
        List<String[]> jobs = Checks.jobs(args[1].substring(1), JOB_FIELDS);
        BulkLoad load = new BulkLoad(Path.of(args[0]));
        boolean ok = true;
        try {
            load.start();
            for (String[] job : jobs) {
                ok &= load.run(job).report(System.out);
            }
        } catch (Exception e) {
            e.printStackTrace();
            ok = false;
        }
        /* not exit(): an orderly end of the cluster takes longer than all of the above, and its folder is thrown away */
        System.err.flush();
        Runtime.getRuntime().halt(ok ? 0 : 1);
    }

    private void start() throws Exception {
        MiniZooKeeperCluster zk = new MiniZooKeeperCluster(conf);
        int port = zk.startup(Files.createDirectories(work.resolve("zookeeper")).toFile());
        conf.set(HConstants.ZOOKEEPER_QUORUM, "127.0.0.1");
        conf.setInt(HConstants.ZOOKEEPER_CLIENT_PORT, port);
        conf.set("hbase.rootdir", work.resolve("root").toUri().toString());
        conf.set("hbase.tmp.dir", work.resolve("tmp").toString());
        conf.set("hbase.fs.tmp.dir", work.resolve("staging").toUri().toString());
        conf.set("hbase.wal.provider", "filesystem");
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
        conf.setBoolean(LocalHBaseCluster.ASSIGN_RANDOM_PORTS, true);
        conf.setInt(HConstants.MASTER_INFO_PORT, -1);
        conf.setInt(HConstants.REGIONSERVER_INFO_PORT, -1);
        conf.setInt(HConstants.REGION_SERVER_HANDLER_COUNT, 5);
        conf.set("hbase.client.rpc.codec", KeyValueCodecWithTags.class.getName()); /* or tags stay on the server */
        conf.setInt("hbase.hstore.compaction.min", 1000); /* none but the ones we ask for */
        conf.setInt("hbase.hregion.majorcompaction", 0);
        conf.setBoolean("hbase.hstore.bulkload.verify", true);
        cluster = new LocalHBaseCluster(conf, 1, 1);
        cluster.startup();
    }

    private Checks run(String[] job) {
        Checks c = new Checks(job[0]);
        try (Connection connection = ConnectionFactory.createConnection(conf); Admin admin = connection.getAdmin()) {
            TableName table = TableName.valueOf(job[0]);
            create(admin, table, job[1], job[2]);
            for (String folder : job[3].split(",")) {
                load(c, table, Path.of(folder), job[6], Integer.parseInt(job[5]));
            }
            if (job[7].equals("compact")) {
                compact(c, admin, table);
            }
            long cells = scan(connection, table, Path.of(job[4]));
            c.saw("%d cells in %d regions and %d store files", cells, admin.getRegions(table).size(), storeFiles(table));
        } catch (Exception | LinkageError | AssertionError e) {
            c.threw(e);
        }
        return c;
    }

    private static void create(Admin admin, TableName table, String families, String splits) throws IOException {
        TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(table);
        for (String f : families.split(",")) {
            String[] nameVersions = f.split(":");
            t.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(nameVersions[0]))
                .setMaxVersions(Integer.parseInt(nameVersions[1])).build());
        }
        byte[][] keys = splits.equals("-") ? null
            : Stream.of(splits.split(",")).map(CellText::bytes).toArray(byte[][]::new);
        admin.createTable(t.build(), keys);
    }

    private void load(Checks c, TableName table, Path folder, String files, int filesPerRegion) throws IOException {
        Path copy = work.resolve("copy-" + copies++);
        copyTree(folder, copy);
        long hfiles = count(copy, true);
        long others = count(copy, false);
        Configuration own = new Configuration(conf);
        own.setInt(BulkLoadHFiles.MAX_FILES_PER_REGION_PER_FAMILY, filesPerRegion);
        int before = storeFiles(table);
        BulkLoadHFiles.create(own).bulkLoad(table, new org.apache.hadoop.fs.Path(copy.toUri()));
        int loaded = storeFiles(table) - before;
        c.that(files.equals("split") ? loaded > hfiles : loaded == hfiles, "%s: %d store files came from %d, wanted %s",
            folder.getFileName(), loaded, hfiles, files);
        c.equal(others, count(copy, false), "files in .obkv, _report and the top of " + folder.getFileName());
        c.saw("%s: %d files became %d", folder.getFileName(), hfiles, loaded);
    }

    /* hfiles: those in family folders; otherwise: under "." and "_" names and at the top. */
    private static long count(Path root, boolean hfiles) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile).map(root::relativize)
                .filter(p -> hfiles != (p.getNameCount() == 1 || p.toString().matches("[._].*"))).count();
        }
    }

    private static void copyTree(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path p : all.collect(Collectors.toList())) {
                Files.copy(p, to.resolve(from.relativize(p).toString()));
            }
        }
    }

    private int storeFiles(TableName table) {
        return cluster.getRegionServer(0).getRegions(table).stream().flatMap(r -> r.getStores().stream())
            .mapToInt(HStore::getStorefilesCount).sum();
    }

    /* The request returns at once; done when no region and family has more than one file. */
    private void compact(Checks c, Admin admin, TableName table) throws Exception {
        int before = storeFiles(table);
        int stores = admin.getRegions(table).size() * admin.getDescriptor(table).getColumnFamilyCount();
        admin.majorCompact(table);
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(COMPACTION_LIMIT_MS);
        while (storeFiles(table) > stores && System.nanoTime() < end) {
            Thread.sleep(100);
        }
        int after = storeFiles(table);
        c.that(before > stores && after <= stores, "major compaction left %d of %d files in %d stores", after, before, stores);
    }

    private static long scan(Connection connection, TableName table, Path out) throws IOException {
        long cells = 0;
        Scan scan = new Scan().setRaw(true).readAllVersions().setBatch(5000);
        try (Writer w = new BufferedWriter(Files.newBufferedWriter(out)); Table t = connection.getTable(table);
            ResultScanner results = t.getScanner(scan)) {
            for (Result r : results) {
                for (Cell cell : r.rawCells()) {
                    CellText.write(w, cell, 0);
                    cells++;
                }
            }
        }
        return cells;
    }
}
