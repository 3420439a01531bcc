import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
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
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * LiveTable WORKDIR SEED [three]: two servers, on which clients write to t1 and t2 all the time until they are told to stop. three:
 * three servers, and beside t1 the tables hot, which half of the writes go to, all to a few rows, and mob, with large values in
 * MOB files. What else is to happen comes on standard input, a line each, and `PASS WORD` or `FAIL WORD WHY` answers it:
 *
 *   write N          waits until N more rows were written or deleted
 *   snapshot NAME    of t1 (three: NAME-hot and NAME-mob, too), and HBase's ExportSnapshot to WORKDIR/exported/NAME
 *   flush | split KEY | move KEY | kill KEY | compact      what happens to regions of t1, or to the server that has KEY
 *   load DIR TABLE   bulk-loads a copy of the dataset
 *   stop | roll | scan FILE TABLE | end
 *
 * Family a keeps all versions and takes all types of delete markers; b keeps one version, and none of its markers names a single
 * version, so that an older one cannot come back. Times are the servers', some of a's are given: never before the snapshot then,
 * whose markers would hide such a cell in HBase, and nowhere else.
 */
public final class LiveTable {
    private static final TableName T1 = TableName.valueOf("t1");
    private static final TableName T2 = TableName.valueOf("t2");
    private static final TableName HOT = TableName.valueOf("hot");
    private static final TableName MOB = TableName.valueOf("mob");
    private static final byte[] A = Bytes.toBytes("a");
    private static final byte[] B = Bytes.toBytes("b");
    private static final int FOR_EVER = 1000;
    private static final int WRITERS = 2;
    private static final int PAUSE_MS = 2;
    private static final int MOB_BYTES = 1000;

    private final List<TableName> tables;
    private final Path work;
    private final long seed;
    private final MiniHBase hbase;
    private final AtomicLong written = new AtomicLong();
    private final ReentrantReadWriteLock timesGiven = new ReentrantReadWriteLock(true);
    private final List<Thread> writers = new ArrayList<>();
    private volatile long floor; /* no time that is given lies before it; 0: none is given */
    private volatile boolean stopped;
    private volatile Throwable failed;
    private Connection connection;
    private Admin admin;

    private LiveTable(Path work, long seed, boolean three) {
        this.work = work;
        this.seed = seed;
        tables = three ? List.of(T1, HOT, MOB) : List.of(T1, T2);
        hbase = new MiniHBase(work.resolve("hbase"));
        hbase.servers = tables.size();
    }

    public static void main(String[] args) throws Exception {
        LiveTable live = new LiveTable(Path.of(args[0]).toAbsolutePath(), Long.parseLong(args[1]), args.length > 2);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        String word = "start";
        try {
            live.start();
            System.out.println("PASS\t" + word);
            for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
                word = line.split(" ")[0];
                live.obey(line.split(" "));
                System.out.println("PASS\t" + word);
            }
        } catch (Throwable e) {
            e.printStackTrace();
            System.out.println("FAIL\t" + word + "\t" + e);
            MiniHBase.halt(false);
        }
        MiniHBase.halt(true);
    }

    private void obey(String[] words) throws Exception {
        switch (words[0]) {
            case "write": waitFor(Long.parseLong(words[1])); break;
            case "snapshot": snapshot(words[1]); break;
            case "flush": flush(); break;
            case "split": admin.splitRegionAsync(regionOf(words[1]).getRegionName(), Bytes.toBytes(words[1])).get(); break;
            case "move": move(words[1]); break;
            case "kill": hbase.server(serverOf(words[1])).abort("a server dies"); break;
            case "compact": compact(); break;
            case "stop": stop(); break;
            case "roll": roll(); break;
            case "load": load(Path.of(words[1]), TableName.valueOf(words[2])); break;
            case "scan": scan(Path.of(words[1]), TableName.valueOf(words[2])); break;
            default: throw new IOException("no such command");
        }
    }

    private void start() throws Exception {
        /* markers survive compactions: a compaction between a marker and a put of an older time would show the put */
        hbase.conf.setLong("hbase.hstore.time.to.purge.deletes", 1000L * 3600 * 24 * 365 * 20);
        hbase.conf.setBoolean("hbase.regionserver.wal.enablecompression", seed % 2 == 1);
        hbase.start();
        connection = ConnectionFactory.createConnection(hbase.conf);
        admin = connection.getAdmin();
        admin.balancerSwitch(false, true);
        ColumnFamilyDescriptor a = ColumnFamilyDescriptorBuilder.newBuilder(A).setMaxVersions(FOR_EVER).build();
        ColumnFamilyDescriptor b = ColumnFamilyDescriptorBuilder.newBuilder(B).setMaxVersions(1).build();
        ColumnFamilyDescriptor large = ColumnFamilyDescriptorBuilder.newBuilder(a).setMobEnabled(true).setMobThreshold(MOB_BYTES).build();
        for (TableName t : tables) {
            admin.createTable(TableDescriptorBuilder.newBuilder(t).setColumnFamily(t == MOB ? large : a).setColumnFamily(b).build(),
                new byte[][] {Bytes.toBytes("k3"), Bytes.toBytes("k6")});
        }
        for (int i = 0; i < WRITERS; i++) {
            Random r = new Random(seed * WRITERS + i);
            Thread t = new Thread(() -> writeAlways(r), "writer " + i);
            t.start();
            writers.add(t);
        }
    }

    /* ---- clients ---- */

    private void writeAlways(Random r) {
        try {
            while (!stopped) {
                Table t = connection.getTable(tableFor(r));
                timesGiven.readLock().lock();
                try {
                    List<Row> batch = new ArrayList<>();
                    for (int n = r.nextInt(8); n >= 0; n--) {
                        batch.add(one(r, t.getName()));
                    }
                    t.batch(batch, new Object[batch.size()]);
                    written.addAndGet(batch.size());
                } finally {
                    timesGiven.readLock().unlock();
                }
                Thread.sleep(PAUSE_MS);
            }
        } catch (Throwable e) {
            e.printStackTrace();
            failed = e;
        }
    }

    private TableName tableFor(Random r) {
        return tables.size() == 2 ? tables.get(r.nextInt(8) == 0 ? 1 : 0) : tables.get(List.of(0, 0, 1, 1, 1, 2).get(r.nextInt(6)));
    }

    private static int sizeOf(Random r, TableName table) {
        if (table.equals(MOB) && r.nextInt(3) == 0) {
            return MOB_BYTES + r.nextInt(20000);
        }
        return r.nextInt(200) == 0 ? r.nextInt(60000) : r.nextInt(30);
    }

    private Row one(Random r, TableName table) {
        byte[] row = Bytes.toBytes(table.equals(HOT) ? "k5/" + r.nextInt(20) : "k" + r.nextInt(10) + "/" + r.nextInt(60));
        byte[] family = r.nextInt(3) == 0 ? B : A;
        byte[] qualifier = Bytes.toBytes("q" + r.nextInt(5));
        long span = floor == 0 ? 0 : System.currentTimeMillis() - floor;
        boolean given = family == A && span > 0 && r.nextInt(4) == 0;
        long time = given ? floor + (long) (r.nextDouble() * span) : 0;
        if (r.nextInt(4) > 0) {
            byte[] value = new byte[sizeOf(r, table)];
            r.nextBytes(value);
            Put p = new Put(row);
            return given ? p.addColumn(family, qualifier, time, value) : p.addColumn(family, qualifier, value);
        }
        Delete d = new Delete(row);
        switch (family == B ? 1 + r.nextInt(2) : r.nextInt(4)) {
            case 0: return given ? d.addColumn(family, qualifier, time) : d.addColumn(family, qualifier);
            case 1: return given ? d.addColumns(family, qualifier, time) : d.addColumns(family, qualifier);
            case 2: return given ? d.addFamily(family, time) : d.addFamily(family);
            default: return d.addFamilyVersion(family, given ? time : System.currentTimeMillis());
        }
    }

    private void waitFor(long more) throws Exception {
        long until = written.get() + more;
        while (written.get() < until && failed == null) {
            Thread.sleep(PAUSE_MS);
        }
        if (failed != null) {
            throw new IOException("a writer failed", failed);
        }
    }

    private void stop() throws Exception {
        stopped = true;
        for (Thread t : writers) {
            t.join();
        }
        waitFor(0);
    }

    /* ---- what happens to the table ---- */

    private void setFloor(long to) {
        timesGiven.writeLock().lock(); /* no write is on its way with another one */
        floor = to;
        timesGiven.writeLock().unlock();
    }

    private void snapshot(String name) throws Exception {
        setFloor(0);
        for (TableName t : tables) {
            if (t != T2) {
                admin.snapshot(nameOf(name, t), t);
            }
        }
        Thread.sleep(PAUSE_MS);
        setFloor(System.currentTimeMillis());
        for (TableName t : tables) {
            if (t != T2) {
                new ExportJobs(hbase.conf, work).snapshot(nameOf(name, t), name);
            }
        }
    }

    private static String nameOf(String snapshot, TableName table) {
        return table == T1 ? snapshot : snapshot + "-" + table;
    }

    private void flush() throws IOException {
        for (TableName t : tables) {
            admin.flush(t);
        }
    }

    private RegionInfo regionOf(String row) throws IOException {
        return connection.getRegionLocator(T1).getRegionLocation(Bytes.toBytes(row), true).getRegion();
    }

    private int serverOf(String row) throws IOException {
        String region = regionOf(row).getEncodedName();
        for (int i = 0; i < hbase.servers; i++) {
            if (hbase.server(i).getRegions(T1).stream().anyMatch(r -> r.getRegionInfo().getEncodedName().equals(region))) {
                return i;
            }
        }
        throw new IOException("no server has " + row);
    }

    private void move(String row) throws Exception {
        int to = (serverOf(row) + 1) % hbase.servers;
        admin.move(regionOf(row).getEncodedNameAsBytes(), hbase.server(to).getServerName());
    }

    private void compact() throws IOException {
        for (int i = 0; i < hbase.servers; i++) {
            for (HRegion r : hbase.server(i).isAborted() ? List.<HRegion>of() : hbase.server(i).getRegions(T1)) {
                r.compact(true);
            }
        }
    }

    private void roll() throws IOException {
        for (int i = 0; i < hbase.servers; i++) {
            if (!hbase.server(i).isAborted()) {
                admin.rollWALWriter(hbase.server(i).getServerName());
            }
        }
    }

    private void load(Path dataset, TableName table) throws IOException {
        Path copy = work.resolve("loaded-" + table);
        MiniHBase.copyTree(dataset, copy);
        BulkLoadHFiles.create(hbase.conf).bulkLoad(table, new org.apache.hadoop.fs.Path(copy.toUri()));
    }

    private void scan(Path to, TableName table) throws IOException {
        try (Table t = connection.getTable(table); Writer out = Files.newBufferedWriter(to);
             ResultScanner s = t.getScanner(new Scan().readAllVersions())) {
            for (Result r : s) {
                for (Cell c : r.rawCells()) {
                    CellText.write(out, c, 0);
                }
            }
        }
    }
}
