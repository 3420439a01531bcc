import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Random tables that are written and flushed, snapshotted, and then bulk-loaded with HFiles of the same rows, columns and times,
 * as HFileOutputFormat2 writes them; and what a major compaction leaves.
 *
 *   LoadAfterSnapshot WORKDIR @JOBS
 *
 * Per line: subject (also the table's name; its snapshot is SUBJECT_s), seed, VERSIONS, NEW_VERSION_BEHAVIOR, KEEP_DELETED_CELLS,
 * number of loads, OUT. The root is left in WORKDIR/root, the loads in OUT/1, OUT/2 …, and the cells that are left in OUT/left.
 */
public final class LoadAfterSnapshot {
    private static final int JOB_FIELDS = 7;
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final int ROWS = 40;
    private static final int COLUMNS = 3;
    private static final int TIMES = 3;

    private final MiniHBase hbase;
    private int copies;

    private LoadAfterSnapshot(Path work) {
        hbase = new MiniHBase(work);
    }

    public static void main(String[] args) throws Exception {
        LoadAfterSnapshot all = new LoadAfterSnapshot(Path.of(args[0]));
        boolean ok = true;
        try {
            all.hbase.start();
            for (String[] job : Checks.jobs(args[1].substring(1), JOB_FIELDS)) {
                ok &= all.run(job).report(System.out);
            }
        } catch (Exception e) {
            e.printStackTrace();
            ok = false;
        }
        MiniHBase.halt(ok);
    }

    private Checks run(String[] job) {
        Checks c = new Checks(job[0]);
        Random r = new Random(Long.parseLong(job[1]));
        Path out = Path.of(job[6]);
        try (Connection connection = ConnectionFactory.createConnection(hbase.conf); Admin admin = connection.getAdmin()) {
            TableName table = TableName.valueOf(job[0]);
            create(admin, table, job, r);
            try (Table t = connection.getTable(table)) {
                for (int flush = 1 + r.nextInt(2); flush > 0; flush--) {
                    write(t, r);
                    admin.flush(table);
                }
            }
            admin.snapshot(job[0] + "_s", table, SnapshotType.FLUSH);
            for (int n = 1; n <= Integer.parseInt(job[5]); n++) {
                load(table, out.resolve("" + n), r);
            }
            hbase.compact(table);
            c.saw("%d cells in %d regions", scan(connection, table, out.resolve("left")), admin.getRegions(table).size());
        } catch (Exception | LinkageError | AssertionError e) {
            c.threw(e);
        }
        return c;
    }

    /** Regions count sequence ids apart: where they are several, the last one is written more often. */
    private static void create(Admin admin, TableName table, String[] job, Random r) throws IOException {
        TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(table)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(Integer.parseInt(job[2]))
                .setNewVersionBehavior(Boolean.parseBoolean(job[3]))
                .setKeepDeletedCells(org.apache.hadoop.hbase.KeepDeletedCells.valueOf(job[4])).build());
        byte[][] splits = {row(ROWS / 3), row(2 * ROWS / 3)};
        admin.createTable(t.build(), r.nextBoolean() ? splits : null);
    }

    private static byte[] row(int i) {
        return Bytes.toBytes(String.format("row-%03d", i));
    }

    private static byte[] column(Random r) {
        return Bytes.toBytes("q" + r.nextInt(COLUMNS));
    }

    private static long time(Random r) {
        return RandomCells.BASE_MS + r.nextInt(TIMES);
    }

    private static void write(Table t, Random r) throws IOException {
        for (int i = 0; i < ROWS; i++) {
            for (int k = r.nextInt(i > 2 * ROWS / 3 ? 20 : 6); k >= 0; k--) {
                if (r.nextInt(6) > 0) {
                    t.put(new Put(row(i)).addColumn(FAMILY, column(r), time(r), RandomCells.value(r, 20)));
                } else {
                    Delete d = new Delete(row(i));
                    switch (r.nextInt(4)) {
                        case 0: d.addColumn(FAMILY, column(r), time(r)); break;
                        case 1: d.addColumns(FAMILY, column(r), time(r)); break;
                        case 2: d.addFamilyVersion(FAMILY, time(r)); break;
                        default: d.addFamily(FAMILY, time(r));
                    }
                    t.delete(d);
                }
            }
        }
    }

    private static KeyValue cell(Random r, int i) {
        KeyValue.Type[] types = {KeyValue.Type.Delete, KeyValue.Type.DeleteColumn, KeyValue.Type.DeleteFamily,
            KeyValue.Type.DeleteFamilyVersion};
        KeyValue.Type type = r.nextInt(6) > 0 ? KeyValue.Type.Put : types[r.nextInt(types.length)];
        boolean family = type == KeyValue.Type.DeleteFamily || type == KeyValue.Type.DeleteFamilyVersion;
        byte[] value = type == KeyValue.Type.Put ? RandomCells.value(r, 20) : new byte[0];
        return new KeyValue(row(i), FAMILY, family ? new byte[0] : column(r), time(r), type, value);
    }

    /** One HFile, loaded as a copy: a load consumes it. */
    private void load(TableName table, Path folder, Random r) throws IOException {
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        for (int i = 0; i < ROWS; i++) {
            for (int k = r.nextInt(4); k > 0; k--) {
                cells.add(cell(r, i));
            }
        }
        Path file = Files.createDirectories(folder.resolve("f")).resolve("file" + copies);
        HFileContextBuilder context = new HFileContextBuilder().withColumnFamily(FAMILY).withIncludesMvcc(false)
            .withHBaseCheckSum(true).withCellComparator(CellComparatorImpl.COMPARATOR);
        org.apache.hadoop.fs.Path at = new org.apache.hadoop.fs.Path(file.toUri());
        StoreFileWriter w = new StoreFileWriter.Builder(hbase.conf, CacheConfig.DISABLED, at.getFileSystem(hbase.conf))
            .withFilePath(at).withMaxKeyCount(cells.size()).withFileContext(context.build()).build();
        for (KeyValue kv : cells) {
            w.append(kv);
        }
        w.appendFileInfo(HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(System.currentTimeMillis()));
        w.appendFileInfo(HStoreFile.BULKLOAD_TASK_KEY, Bytes.toBytes("task"));
        w.appendFileInfo(HStoreFile.MAJOR_COMPACTION_KEY, Bytes.toBytes(true));
        w.appendFileInfo(HStoreFile.EXCLUDE_FROM_MINOR_COMPACTION_KEY, Bytes.toBytes(false));
        w.appendTrackedTimestampsToMetadata();
        w.close();
        Path copy = hbase.work.resolve("copy-" + copies++);
        MiniHBase.copyTree(folder, copy);
        BulkLoadHFiles.create(hbase.conf).bulkLoad(table, new org.apache.hadoop.fs.Path(copy.toUri()));
    }

    private static long scan(Connection connection, TableName table, Path out) throws IOException {
        long cells = 0;
        try (BufferedWriter w = Files.newBufferedWriter(out); Table t = connection.getTable(table);
            ResultScanner results = t.getScanner(new Scan().setRaw(true).readAllVersions())) {
            for (Result result : results) {
                for (Cell cell : result.rawCells()) {
                    CellText.write(w, cell, 0);
                    cells++;
                }
            }
        }
        return cells;
    }
}
