import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * RollLogs WORKDIR SEED LOGS SKIPS: a table of six regions on three servers is written to while logs are rolled, regions are
 * flushed (also with nothing to flush), split, merged, moved and bulk-loaded, snapshots are taken, and a server dies; until LOGS
 * rolls have been done. SKIPS: that many of 100 steps write bursts without the log. WORKDIR/logs: all logs.
 * WORKDIR/steps: what was done.
 */
public final class RollLogs {
    private static final TableName T = TableName.valueOf("t1");
    private static final byte[] FAMILY = Bytes.toBytes("a");
    private static final int ROWS = 600;

    private final Path work;
    private final MiniHBase hbase;
    private final Random random;
    private Connection connection;
    private Admin admin;
    private Writer steps;
    private int loads;
    private boolean died;

    private RollLogs(Path work, long seed) {
        this.work = work;
        hbase = new MiniHBase(work.resolve("hbase"));
        random = new Random(seed);
    }

    public static void main(String[] args) {
        boolean ok = false;
        try {
            new RollLogs(Path.of(args[0]), Long.parseLong(args[1])).run(Integer.parseInt(args[2]), Integer.parseInt(args[3]));
            ok = true;
            System.out.println("PASS\tlogs\t");
        } catch (Throwable e) {
            e.printStackTrace();
            System.out.println("FAIL\tlogs\t" + e);
        }
        MiniHBase.halt(ok);
    }

    private void run(int logs, int skips) throws Exception {
        Files.createDirectories(work);
        hbase.servers = 3;
        hbase.start();
        connection = ConnectionFactory.createConnection(hbase.conf);
        admin = connection.getAdmin();
        admin.createTable(TableDescriptorBuilder.newBuilder(T)
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).build())
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("b")).build())
            .build(), new byte[][] {row(100), row(200), row(300), row(400), row(500)});
        try (Writer w = Files.newBufferedWriter(work.resolve("steps"))) {
            steps = w;
            for (int rolled = 0; rolled < logs;) {
                if (step(skips)) {
                    rolled++;
                }
            }
        }
        for (int i = 0; i < hbase.servers; i++) {
            if (!hbase.server(i).isAborted()) {
                admin.rollWALWriter(hbase.server(i).getServerName());
            }
        }
        for (String folder : new String[] {"WALs", "oldWALs"}) { /* in this order, as logs are moved */
            copyLogs(hbase.root().resolve(folder), Files.createDirectories(work.resolve("logs")));
        }
    }

    /** All into one folder: their names are unique. One that is moved meanwhile is found where it is moved to. */
    private static void copyLogs(Path from, Path to) throws IOException {
        List<Path> all;
        try (Stream<Path> s = Files.walk(from)) {
            all = s.filter(Files::isRegularFile).filter(p -> !p.getFileName().toString().startsWith("."))
                      .collect(Collectors.toList());
        }
        for (Path p : all) {
            try {
                Files.copy(p, to.resolve(p.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            } catch (NoSuchFileException moved) {
                System.err.println("moved meanwhile: " + p);
            }
        }
    }

    /** True: a log was rolled. */
    private boolean step(int skips) throws Exception {
        if (random.nextInt(100) < skips) {
            say("write without the log");
            write(1 + random.nextInt(60), Durability.SKIP_WAL);
            return false;
        }
        int what = random.nextInt(100);
        if (what < 50) {
            write(10 + random.nextInt(120), Durability.USE_DEFAULT);
        } else if (what < 80) {
            ServerName s = someServer();
            say("roll " + s);
            admin.rollWALWriter(s);
            return true;
        } else if (what < 90) {
            RegionInfo r = someRegion();
            say("flush " + r.getEncodedName());
            for (int i = random.nextInt(4); i >= 0; i--) { /* with nothing to flush, too */
                admin.flushRegion(r.getRegionName());
            }
        } else {
            regions(random.nextInt(14));
        }
        return false;
    }

    private void regions(int what) throws Exception {
        RegionInfo r = someRegion();
        if (what < 5) {
            ServerName to = someServer();
            say("move " + r.getEncodedName() + " to " + to);
            admin.move(r.getEncodedNameAsBytes(), to);
        } else if (what < 7) {
            split(r);
        } else if (what < 9) {
            say("snapshot");
            admin.snapshot("s" + loads++, T, SnapshotType.FLUSH);
        } else if (what < 11) {
            say("bulk load");
            bulkLoad();
        } else if (!died) {
            died = true;
            say("a server dies");
            hbase.server(0).abort("a server dies");
            admin.balancerSwitch(false, true);
        }
    }

    /** In two at a row inside, once it holds no references to a parent's files. */
    private void split(RegionInfo r) throws Exception {
        String start = Bytes.toString(r.getStartKey());
        String end = Bytes.toString(r.getEndKey());
        int from = start.isEmpty() ? 0 : Integer.parseInt(start.substring(4));
        int to = end.isEmpty() ? ROWS : Integer.parseInt(end.substring(4));
        if (to - from < 20) {
            return;
        }
        say("split " + r.getEncodedName());
        for (int i = 0; i < hbase.servers; i++) {
            for (HRegion open : hbase.server(i).getRegions(T)) {
                open.compact(true);
                for (HStore store : open.getStores()) {
                    store.closeAndArchiveCompactedFiles();
                }
            }
        }
        admin.splitRegionAsync(r.getRegionName(), row(from + 5 + random.nextInt(to - from - 10))).get();
    }

    private void say(String text) throws IOException {
        steps.write(System.currentTimeMillis() + " " + text + "\n");
    }

    private ServerName someServer() {
        for (;;) {
            int i = random.nextInt(hbase.servers);
            if (!hbase.server(i).isAborted()) {
                return hbase.server(i).getServerName();
            }
        }
    }

    private RegionInfo someRegion() throws IOException {
        List<RegionInfo> all = admin.getRegions(T);
        return all.get(random.nextInt(all.size()));
    }

    private static byte[] row(int i) {
        return Bytes.toBytes(String.format("row-%03d", i));
    }

    /** Most go to a part of the regions, so others stay idle for several logs. */
    private void write(int n, Durability how) throws Exception {
        int from = random.nextInt(ROWS);
        int width = random.nextBoolean() ? ROWS : ROWS / 4;
        try (Table t = connection.getTable(T)) {
            for (int i = 0; i < n;) {
                List<Put> batch = new ArrayList<>();
                for (int k = random.nextInt(3); k >= 0; k--, i++) {
                    batch.add(new Put(row((from + random.nextInt(width)) % ROWS)).setDurability(how)
                        .addColumn(FAMILY, Bytes.toBytes("q" + random.nextInt(4)), Bytes.toBytes("v" + i)));
                }
                t.put(batch);
            }
        }
    }

    private void bulkLoad() throws Exception {
        Path folder = work.resolve("load-" + loads++);
        Path file = Files.createDirectories(folder.resolve("a")).resolve("0123456789abcdef0123");
        org.apache.hadoop.fs.Path at = new org.apache.hadoop.fs.Path(file.toUri());
        try (HFile.Writer w = HFile.getWriterFactoryNoCache(hbase.conf).withPath(at.getFileSystem(hbase.conf), at)
            .withFileContext(new HFileContextBuilder().build()).create()) {
            for (int i = 0; i < ROWS; i += 1 + random.nextInt(40)) {
                w.append(new KeyValue(row(i), FAMILY, Bytes.toBytes("q0"), System.currentTimeMillis(), Bytes.toBytes("bulk")));
            }
            w.appendFileInfo(Bytes.toBytes("BULKLOAD_TIMESTAMP"), Bytes.toBytes(System.currentTimeMillis()));
        }
        BulkLoadHFiles.create(hbase.conf).bulkLoad(T, new org.apache.hadoop.fs.Path(folder.toUri()));
    }
}
