import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableSnapshotScanner;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The parts of journey.py that need HBase:
 *
 *   make WORK ROWS                            a table in a whole HBase, its snapshot, and ExportSnapshot to WORK/exported/journey
 *   jdbc BACKUP TEMP URL USER PASSWORD        client-side scans of the snapshot, REPLACE in batches on two connections
 *   text BACKUP TEMP OUT                      client-side scans of the snapshot, lines for LOAD DATA, not sorted for it
 *
 * A row has three cells of family a (one version), one column of b (four versions were written, three are kept) and one of c
 * (TTL; that of every twentieth row has expired). Both scans are cut at the middle of the keys, for two threads.
 */
public final class Journey {
    private static final String NAME = "journey";
    private static final String[] FAMILIES = {"a", "b", "c"};
    private static final int TTL_SECONDS = 10 * 365 * 24 * 3600;
    private static final int BATCH = 1000; /* rows of a statement: DataX's own is 1024 */
    private static final int VERSIONS = 3;
    private static final byte[] MIDDLE = Bytes.toBytes("8");

    /** Takes the cells of one half of the snapshot. */
    private interface Sink extends AutoCloseable {
        void put(int family, byte[] row, Cell cell) throws Exception;

        void close() throws Exception;
    }

    private interface Opens {
        Sink open(int half) throws Exception;
    }

    public static void main(String[] args) throws Exception {
        switch (args[0]) {
            case "make": make(Path.of(args[1]), Integer.parseInt(args[2])); break;
            case "jdbc": scan(args[1], args[2], half -> new Statements(args[3], args[4], args[5])); break;
            case "text": scan(args[1], args[2], half -> new Lines(Path.of(args[3]), half)); break;
            default: throw new IOException("no such command");
        }
        MiniHBase.halt(true);
    }

    /* ---- the snapshot ---- */

    private static void make(Path work, int rows) throws Exception {
        MiniHBase hbase = new MiniHBase(work.resolve("hbase"));
        hbase.start();
        TableName table = TableName.valueOf(NAME);
        try (org.apache.hadoop.hbase.client.Connection c = ConnectionFactory.createConnection(hbase.conf);
            Admin admin = c.getAdmin()) {
            TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(table).setDurability(Durability.SKIP_WAL);
            for (String f : FAMILIES) {
                t.setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(f))
                    .setMaxVersions(f.equals("b") ? VERSIONS : 1)
                    .setTimeToLive(f.equals("c") ? TTL_SECONDS : Integer.MAX_VALUE)
                    .setCompressionType(Compression.Algorithm.SNAPPY)
                    .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF).build());
            }
            admin.createTable(t.build(), new byte[][] {Bytes.toBytes("4"), MIDDLE, Bytes.toBytes("c")});
            long now = System.currentTimeMillis();
            for (int pass = 0; pass <= VERSIONS; pass++) {
                write(c, table, rows, pass, now);
                admin.flush(table);
            }
            admin.snapshot(NAME, table);
        }
        new ExportJobs(hbase.conf, work).snapshot(NAME);
    }

    private static void write(org.apache.hadoop.hbase.client.Connection c, TableName table, int rows, int pass, long now)
        throws IOException {
        byte[][] f = {Bytes.toBytes("a"), Bytes.toBytes("b"), Bytes.toBytes("c")};
        Random random = new Random(pass);
        byte[] doc = new byte[180];
        try (BufferedMutator out = c.getBufferedMutator(table)) {
            for (int i = 0; i < rows; i++) {
                Put put = new Put(Bytes.toBytes(String.format("%08x-%08d", Integer.reverse(i) ^ 0x5bd1e995, i)));
                long time = now - 90_000_000L + (long) pass * 10_000_000 + i % 10_000_000;
                put.addColumn(f[1], Bytes.toBytes("status"), time, Bytes.toBytes("state-" + random.nextInt(1000)));
                if (pass == 0) {
                    put.addColumn(f[0], Bytes.toBytes("city"), time, Bytes.toBytes("city-" + random.nextInt(5000)));
                    String email = "user" + i + "@mail-" + random.nextInt(50) + ".example";
                    put.addColumn(f[0], Bytes.toBytes("email"), time, Bytes.toBytes(email));
                    put.addColumn(f[0], Bytes.toBytes("name"), time, Bytes.toBytes("name " + random.nextInt(100000)));
                    for (int k = 0; k < doc.length; k++) {
                        doc[k] = (byte) ("etaoin shrdlu\\\t".charAt(random.nextInt(15)));
                    }
                    long age = i % 20 == 0 ? (TTL_SECONDS + 1_000_000L) * 1000 : 0;
                    put.addColumn(f[2], Bytes.toBytes("doc"), time - age, doc.clone());
                }
                out.mutate(put);
            }
        }
    }

    /* ---- client-side scans ---- */

    private static void scan(String backup, String temp, Opens opens) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        List<Future<Long>> halves = new ArrayList<>();
        for (int half = 0; half < 2; half++) {
            final int which = half;
            Callable<Long> work = () -> {
                try (Sink sink = opens.open(which)) {
                    return scanHalf(backup, temp + "/restored-" + which, which, sink);
                }
            };
            halves.add(threads.submit(work));
        }
        long cells = 0;
        for (Future<Long> half : halves) {
            cells += half.get();
        }
        System.out.println(cells);
    }

    private static long scanHalf(String backup, String restored, int half, Sink sink) throws Exception {
        Configuration conf = HBaseConfiguration.create();
        org.apache.hadoop.fs.Path root = new org.apache.hadoop.fs.Path(Path.of(backup).toUri());
        conf.set("hbase.rootdir", root.toString());
        conf.setFloat("hfile.block.cache.size", 0.1f);
        Scan scan = new Scan().readAllVersions().setCacheBlocks(false);
        if (half == 0) {
            scan.withStopRow(MIDDLE);
        } else {
            scan.withStartRow(MIDDLE);
        }
        long cells = 0;
        org.apache.hadoop.fs.Path to = new org.apache.hadoop.fs.Path(Path.of(restored).toUri());
        try (TableSnapshotScanner scanner = new TableSnapshotScanner(conf, root, to, NAME, scan)) {
            for (Result r = scanner.next(); r != null; r = scanner.next()) {
                byte[] row = r.getRow();
                for (Cell cell : r.rawCells()) {
                    sink.put(cell.getFamilyArray()[cell.getFamilyOffset()] - 'a', row, cell);
                    cells++;
                }
            }
        }
        return cells;
    }

    /* ---- where cells go ---- */

    /** As DataX and the JDBC connectors of Spark write: batches, a commit after each. */
    private static final class Statements implements Sink {
        private final Connection connection;
        private final PreparedStatement[] replace = new PreparedStatement[FAMILIES.length];
        private final int[] waiting = new int[FAMILIES.length];

        Statements(String url, String user, String password) throws SQLException {
            connection = DriverManager.getConnection(url, user, password);
            connection.setAutoCommit(false);
            for (int f = 0; f < FAMILIES.length; f++) {
                replace[f] = connection.prepareStatement(
                    "REPLACE INTO `" + NAME + "$" + FAMILIES[f] + "` (K, Q, T, V) VALUES (?, ?, ?, ?)");
            }
        }

        @Override
        public void put(int family, byte[] row, Cell cell) throws SQLException {
            PreparedStatement s = replace[family];
            s.setBytes(1, row);
            s.setBytes(2, CellUtil.cloneQualifier(cell));
            s.setLong(3, -cell.getTimestamp());
            s.setBytes(4, CellUtil.cloneValue(cell));
            s.addBatch();
            if (++waiting[family] == BATCH) {
                send(family);
            }
        }

        private void send(int family) throws SQLException {
            replace[family].executeBatch();
            connection.commit();
            waiting[family] = 0;
        }

        @Override
        public void close() throws SQLException {
            for (int f = 0; f < FAMILIES.length; f++) {
                send(f);
            }
            connection.close();
        }
    }

    /** Lines as LOAD DATA reads them: a file for each family and half. */
    private static final class Lines implements Sink {
        private final Map<Integer, OutputStream> files = new HashMap<>();

        Lines(Path folder, int half) throws IOException {
            Files.createDirectories(folder);
            for (int f = 0; f < FAMILIES.length; f++) {
                Path file = folder.resolve(FAMILIES[f] + "." + half + ".txt");
                files.put(f, new BufferedOutputStream(Files.newOutputStream(file), 1 << 20));
            }
        }

        private static void escape(OutputStream out, byte[] from, int offset, int length) throws IOException {
            for (int i = offset; i < offset + length; i++) {
                byte c = from[i];
                if (c == '\\' || c == '\t' || c == '\n') {
                    out.write('\\');
                    c = (byte) (c == '\t' ? 't' : c == '\n' ? 'n' : c);
                }
                out.write(c);
            }
        }

        @Override
        public void put(int family, byte[] row, Cell c) throws IOException {
            OutputStream out = files.get(family);
            escape(out, row, 0, row.length);
            out.write('\t');
            escape(out, c.getQualifierArray(), c.getQualifierOffset(), c.getQualifierLength());
            out.write('\t');
            escape(out, c.getValueArray(), c.getValueOffset(), c.getValueLength());
            out.write('\t');
            out.write(Long.toString(-c.getTimestamp()).getBytes());
            out.write('\n');
        }

        @Override
        public void close() throws IOException {
            for (OutputStream out : files.values()) {
                out.close();
            }
        }
    }
}
