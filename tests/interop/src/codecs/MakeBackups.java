import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.backup.BackupRequest;
import org.apache.hadoop.hbase.backup.BackupType;
import org.apache.hadoop.hbase.backup.impl.BackupAdminImpl;
import org.apache.hadoop.hbase.backup.impl.BackupManager;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * MakeBackups WORKDIR SEED IMAGES: random writes to shop:orders and shop:carts, a full backup of both, and incremental ones. Each
 * is followed by a plain scan of both: WORKDIR/scan.N.TABLE. The images are in WORKDIR/backups.
 */
public final class MakeBackups {
    private static final TableName[] TABLES = {TableName.valueOf("shop:orders"), TableName.valueOf("shop:carts")};
    private static final int WRITES = 120;

    public static void main(String[] args) throws Exception {
        Path work = Path.of(args[0]).toAbsolutePath();
        long seed = Long.parseLong(args[1]);
        int images = Integer.parseInt(args[2]);
        boolean ok = false;
        try {
            run(work, new Random(seed), images);
            System.out.println("PASS\tbackups\t" + images + " images");
            ok = true;
        } catch (Throwable e) {
            e.printStackTrace();
            System.out.println("FAIL\tbackups\t" + e);
        }
        MiniHBase.halt(ok);
    }

    private static void run(Path work, Random r, int images) throws Exception {
        MiniHBase hbase = new MiniHBase(work.resolve("hbase"));
        hbase.conf.setBoolean("hbase.backup.enable", true);
        hbase.conf.set("hbase.master.logcleaner.plugins", "org.apache.hadoop.hbase.master.cleaner.TimeToLiveLogCleaner");
        BackupManager.decorateMasterConfiguration(hbase.conf);
        BackupManager.decorateRegionServerConfiguration(hbase.conf);
        hbase.start();
        String root = work.resolve("backups").toUri().toString();
        try (Connection c = ConnectionFactory.createConnection(hbase.conf); Admin admin = c.getAdmin();
             BackupAdminImpl backups = new BackupAdminImpl(c)) {
            admin.createNamespace(NamespaceDescriptor.create("shop").build());
            for (TableName t : TABLES) {
                admin.createTable(TableDescriptorBuilder.newBuilder(t)
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("a")).setMaxVersions(4).build())
                    .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("b")).setMaxVersions(1).build())
                    .build(), new byte[][] {Bytes.toBytes("h"), Bytes.toBytes("p")});
            }
            RandomWrites writes = new RandomWrites(r, System.currentTimeMillis());
            for (int i = 0; i < images; i++) {
                for (TableName t : TABLES) {
                    try (Table table = c.getTable(t)) {
                        List<Row> batch = writes.mutations(WRITES, "a", "b");
                        for (Row row : batch) {
                            table.batch(List.of(row), new Object[1]);
                        }
                    }
                }
                if (i == 2) {
                    bulkLoad(hbase, work, TABLES[0], r);
                }
                BackupRequest.Builder b = new BackupRequest.Builder();
                String id = backups.backupTables(b.withBackupType(i == 0 ? BackupType.FULL : BackupType.INCREMENTAL)
                    .withTableList(new ArrayList<>(List.of(TABLES))).withTargetRootDir(root)
                    .withTotalTasks(1).withNoChecksumVerify(true).build());
                System.out.println("PASS\timage\t" + id);
                for (TableName t : TABLES) {
                    scan(c, t, work.resolve("scan." + i + "." + t.getQualifierAsString()));
                }
            }
        }
    }

    /* An HFile over all regions, as jobs write it: HBase splits it. */
    private static void bulkLoad(MiniHBase hbase, Path work, TableName t, Random r) throws Exception {
        Path dir = work.resolve("bulk");
        Configuration conf = new Configuration(hbase.conf);
        org.apache.hadoop.fs.Path file = new org.apache.hadoop.fs.Path(dir.resolve("a").resolve("0123456789abcdef0123").toUri());
        long now = System.currentTimeMillis();
        try (HFile.Writer w = HFile.getWriterFactoryNoCache(conf).withPath(file.getFileSystem(conf), file)
            .withFileContext(new HFileContextBuilder().build()).create()) {
            for (char c = 'a'; c <= 'z'; c++) {
                byte[] value = Bytes.toBytes("bulk" + r.nextInt(1000));
                w.append(new KeyValue(Bytes.toBytes(c + "01"), Bytes.toBytes("a"), Bytes.toBytes("q0"), now, value));
            }
            w.appendFileInfo(Bytes.toBytes("BULKLOAD_TIMESTAMP"), Bytes.toBytes(now));
        }
        BulkLoadHFiles.create(conf).bulkLoad(t, new org.apache.hadoop.fs.Path(dir.toUri()));
    }

    private static void scan(Connection c, TableName t, Path to) throws Exception {
        try (Table table = c.getTable(t); Writer out = Files.newBufferedWriter(to);
             ResultScanner s = table.getScanner(new Scan().readAllVersions())) {
            for (Result r : s) {
                for (Cell cell : r.rawCells()) {
                    CellText.write(out, cell, 0);
                }
            }
        }
    }
}
