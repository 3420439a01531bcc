import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALStreamReader;

/**
 * MakeWals WORKDIR MODE SEED [WRITES]: a table that is written to before and after a snapshot, across a split, a move and a
 * server that dies. MODE: plain, dict, or the codec of compressed values: gz, snappy, lz4.
 *
 * WORKDIR/tree: hbase.rootdir at the end, with the snapshot "base" of table t1 and all logs (nothing is cleaned up).
 * WORKDIR/final.visible: what a scan of t1 shows at the end, all versions. WORKDIR/logs.tsv: what HBase's reader finds in each log:
 * a line `log NAME` and then region, table and cell of each entry.
 */
public final class MakeWals {
    private static final TableName T1 = TableName.valueOf("t1");
    private static final TableName T2 = TableName.valueOf("ns:t2");
    private static final long NOW = 1750000000000L;
    private static final int FOR_EVER = 100;

    private final Path work;
    private final MiniHBase hbase;
    private final Random random;
    private int large = 200000; /* values of up to so many bytes: more than codecs compress at once */
    private Connection connection;
    private Admin admin;

    private MakeWals(Path work, long seed) {
        this.work = work;
        hbase = new MiniHBase(work.resolve("hbase"));
        random = new Random(seed);
    }

    public static void main(String[] args) {
        boolean ok = false;
        try {
            MakeWals m = new MakeWals(Path.of(args[0]), Long.parseLong(args[2]));
            m.run(args[1], args.length > 3 ? Integer.parseInt(args[3]) : 300);
            ok = true;
            System.out.println("PASS\tMakeWals\t");
        } catch (Throwable e) {
            e.printStackTrace();
            System.out.println("FAIL\tMakeWals\t" + e);
        }
        MiniHBase.halt(ok);
    }

    private void configure(String mode) {
        hbase.servers = 2;
        /* markers survive compactions, so what a marker hides does not depend on when one ran */
        hbase.conf.setLong("hbase.hstore.time.to.purge.deletes", 1000L * 3600 * 24 * 365 * 20);
        boolean values = !mode.equals("plain") && !mode.equals("dict");
        hbase.conf.setBoolean("hbase.regionserver.wal.enablecompression", !mode.equals("plain"));
        hbase.conf.setBoolean("hbase.regionserver.wal.tags.enablecompression", true);
        hbase.conf.setBoolean("hbase.regionserver.wal.value.enablecompression", values);
        if (values) {
            hbase.conf.set("hbase.regionserver.wal.value.compression.type", mode);
        }
    }

    private void run(String mode, int writes) throws Exception {
        Files.createDirectories(work);
        large = writes < 100 ? 2000 : large;
        configure(mode);
        hbase.start();
        connection = ConnectionFactory.createConnection(hbase.conf);
        admin = connection.getAdmin();
        create();
        write(T1, writes);
        write(T2, writes / 10);
        admin.flush(T1);
        write(T1, writes / 4);
        admin.snapshot("base", T1);
        afterTheSnapshot(writes);
        scan(T1, work.resolve("final.visible"));
        for (int i = 0; i < hbase.servers; i++) {
            if (!hbase.server(i).isAborted()) {
                admin.rollWALWriter(hbase.server(i).getServerName());
            }
        }
        MiniHBase.copyTree(hbase.root(), work.resolve("tree"));
        dumpLogs();
    }

    private void afterTheSnapshot(int writes) throws Exception {
        write(T1, writes);
        write(T2, writes / 10);
        HRegion some = regionsOfT1().get(0);
        admin.flushRegion(some.getRegionInfo().getRegionName());
        write(T1, writes / 4);
        admin.splitRegionAsync(regionOf("k5").getRegionName(), Bytes.toBytes("k5")).get();
        write(T1, writes / 2);
        move(regionOf("k2"));
        write(T1, writes / 4);
        merge();
        write(T1, writes / 4);
        hbase.server(serverOf("k7")).abort("a server dies");
        admin.balancerSwitch(false, true);
        write(T1, writes / 2);
        compact(serverOf("k7"));
        write(T1, writes / 4);
    }

    private void create() throws IOException {
        admin.createNamespace(org.apache.hadoop.hbase.NamespaceDescriptor.create("ns").build());
        for (TableName t : List.of(T1, T2)) {
            admin.createTable(TableDescriptorBuilder.newBuilder(t)
                                  .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("a"))
                                                       .setMaxVersions(FOR_EVER).build())
                                  .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("b"))
                                                       .setMaxVersions(FOR_EVER).build())
                                  .build(),
                new byte[][] {Bytes.toBytes("k3"), Bytes.toBytes("k6")});
        }
    }

    /* ---- writes ---- */

    private byte[] key() {
        return Bytes.toBytes("k" + random.nextInt(10) + "/" + random.nextInt(30));
    }

    private byte[] value() {
        byte[] v = new byte[random.nextInt(80) == 0 ? random.nextInt(large) : random.nextInt(30)];
        if (random.nextBoolean()) {
            random.nextBytes(v);
        }
        return v;
    }

    private long time() {
        return NOW + random.nextInt(20);
    }

    private byte[] family() {
        return Bytes.toBytes(random.nextInt(3) == 0 ? "b" : "a");
    }

    private byte[] qualifier() {
        return Bytes.toBytes("q" + random.nextInt(6));
    }

    private Row one() {
        if (random.nextInt(4) > 0) {
            Put p = new Put(key());
            for (int i = random.nextInt(5); i >= 0; i--) {
                p.addColumn(family(), qualifier(), time(), value());
            }
            if (random.nextInt(5) == 0) {
                p.setTTL(1000L * 3600 * 24 * 365 * (20 + random.nextInt(5)));
            }
            return p;
        }
        Delete d = new Delete(key());
        switch (random.nextInt(4)) {
            case 0: d.addColumn(family(), qualifier(), time()); break;
            case 1: d.addColumns(family(), qualifier(), time()); break;
            case 2: d.addFamily(family(), time()); break;
            default: d.addFamilyVersion(family(), time()); break;
        }
        return d;
    }

    private void write(TableName name, int n) throws Exception {
        try (Table t = connection.getTable(name)) {
            for (int i = 0; i < n;) {
                List<Row> batch = new ArrayList<>();
                for (int k = random.nextInt(10); k >= 0; k--, i++) {
                    batch.add(one());
                }
                t.batch(batch, new Object[batch.size()]);
            }
        }
    }

    /* ---- regions ---- */

    private List<HRegion> regionsOfT1() {
        List<HRegion> all = new ArrayList<>();
        for (int i = 0; i < hbase.servers; i++) {
            all.addAll(hbase.server(i).getRegions(T1));
        }
        return all;
    }

    private RegionInfo regionOf(String row) throws IOException {
        return connection.getRegionLocator(T1).getRegionLocation(Bytes.toBytes(row), true).getRegion();
    }

    private int serverOf(String row) throws IOException {
        ServerName s = connection.getRegionLocator(T1).getRegionLocation(Bytes.toBytes(row), true).getServerName();
        for (int i = 0; i < hbase.servers; i++) {
            if (hbase.server(i).getServerName().equals(s)) {
                return i;
            }
        }
        throw new IOException("no server " + s);
    }

    private void move(RegionInfo r) throws Exception {
        int to = 1 - serverOf(Bytes.toString(r.getStartKey().length == 0 ? Bytes.toBytes("k0") : r.getStartKey()));
        admin.move(r.getEncodedNameAsBytes(), hbase.server(to).getServerName());
    }

    private void compact(int server) throws IOException {
        for (HRegion r : hbase.server(server).getRegions(T1)) {
            r.compact(true);
            for (HStore store : r.getStores()) {
                store.closeAndArchiveCompactedFiles();
            }
        }
    }

    /** The two halves of the split, once they hold no references. */
    private void merge() throws Exception {
        for (int i = 0; i < hbase.servers; i++) {
            compact(i);
        }
        admin.mergeRegionsAsync(new byte[][] {regionOf("k6").getEncodedNameAsBytes(), regionOf("k5").getEncodedNameAsBytes()},
            false).get();
    }

    /* ---- what HBase sees ---- */

    private void scan(TableName name, Path to) throws IOException {
        Scan all = new Scan().readAllVersions();
        try (Table t = connection.getTable(name); ResultScanner s = t.getScanner(all); Writer out = Files.newBufferedWriter(to)) {
            for (Result r : s) {
                for (Cell c : r.rawCells()) {
                    CellText.write(out, c, 0);
                }
            }
        }
    }

    private void dumpLogs() throws IOException {
        Path tree = work.resolve("tree");
        List<Path> logs = new ArrayList<>();
        for (String folder : new String[] {"WALs", "oldWALs"}) {
            try (Stream<Path> s = Files.walk(tree.resolve(folder))) {
                logs.addAll(s.filter(Files::isRegularFile).filter(p -> !p.getFileName().toString().startsWith("."))
                                .sorted(Comparator.comparing(Path::toString)).collect(Collectors.toList()));
            }
        }
        org.apache.hadoop.fs.FileSystem fs = org.apache.hadoop.fs.FileSystem.getLocal(hbase.conf);
        try (Writer out = Files.newBufferedWriter(work.resolve("logs.tsv"))) {
            for (Path p : logs) {
                out.write("log " + tree.relativize(p) + "\n");
                dumpLog(fs, p, out);
            }
        }
    }

    private void dumpLog(org.apache.hadoop.fs.FileSystem fs, Path p, Writer out) throws IOException {
        WAL.Entry e;
        try (WALStreamReader r = WALFactory.createStreamReader(fs, new org.apache.hadoop.fs.Path(p.toUri()), hbase.conf)) {
            while ((e = r.next()) != null) {
                for (Cell c : e.getEdit().getCells()) {
                    out.write(Bytes.toString(e.getKey().getEncodedRegionName()) + '\t' + e.getKey().getTableName() + '\t');
                    CellText.write(out, c, e.getKey().getSequenceId());
                }
            }
        } catch (java.io.EOFException end) {
            out.write("eof " + end.getMessage() + "\n"); /* a log that was not closed */
        }
    }
}
