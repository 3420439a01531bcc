import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
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
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

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

    private final MiniHBase hbase;
    private int copies;

    private BulkLoad(Path work) {
        hbase = new MiniHBase(work);
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
            load.hbase.start();
            for (String[] job : jobs) {
                ok &= load.run(job).report(System.out);
            }
        } catch (Exception e) {
            e.printStackTrace();
            ok = false;
        }
        MiniHBase.halt(ok);
    }

    private Checks run(String[] job) {
        Checks c = new Checks(job[0]);
        try (Connection connection = ConnectionFactory.createConnection(hbase.conf); Admin admin = connection.getAdmin()) {
            TableName table = TableName.valueOf(job[0]);
            create(admin, table, job[1], job[2]);
            for (String folder : job[3].split(",")) {
                load(c, table, Path.of(folder), job[6], Integer.parseInt(job[5]));
            }
            if (job[7].equals("compact")) {
                compact(c, admin, table);
            }
            long cells = scan(connection, table, Path.of(job[4]));
            c.saw("%d cells in %d regions and %d store files", cells, admin.getRegions(table).size(), hbase.storeFiles(table));
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
        Path copy = hbase.work.resolve("copy-" + copies++);
        MiniHBase.copyTree(folder, copy);
        long hfiles = count(copy, true);
        long others = count(copy, false);
        Configuration own = new Configuration(hbase.conf);
        own.setInt(BulkLoadHFiles.MAX_FILES_PER_REGION_PER_FAMILY, filesPerRegion);
        int before = hbase.storeFiles(table);
        BulkLoadHFiles.create(own).bulkLoad(table, new org.apache.hadoop.fs.Path(copy.toUri()));
        int loaded = hbase.storeFiles(table) - before;
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

    private void compact(Checks c, Admin admin, TableName table) throws IOException {
        int before = hbase.storeFiles(table);
        int stores = admin.getRegions(table).size() * admin.getDescriptor(table).getColumnFamilyCount();
        hbase.compact(table);
        int after = hbase.storeFiles(table);
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
