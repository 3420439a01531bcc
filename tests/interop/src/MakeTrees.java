import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Makes directory trees as a cluster leaves them behind, with a whole HBase inside this process:
 *
 *   MakeTrees WORKDIR SEED
 *
 * WORKDIR/trees/STAGE are copies of hbase.rootdir, taken while nothing runs; the last one holds all snapshots.
 * WORKDIR/exported/SNAPSHOT are destinations of ExportSnapshot, WORKDIR/sequence/NAME outputs of Export.
 * WORKDIR/live/SUBJECT.raw and .visible are the cells that the running HBase showed (sequence ids are 0).
 * WORKDIR/FAMILIES.tsv: table, family, VERSIONS, MIN_VERSIONS, TTL s, KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR, purge delay
 * in ms, MOB.
 * WORKDIR/SUBJECTS.tsv: subject, kind (snapshot, table, export), stage or folder, table, clocks in ms (comma; the first is
 * that of the live cells), encoded names of its regions (comma; tables only), note.
 */
public final class MakeTrees {
    private static final long PROCEDURE_LIMIT_S = 300;
    private static final long CLOCK_REACH_MS = 4 * RandomWrites.DAY_MS; /* a compaction zeroes sequence ids after 5 days */

    private final Path out;
    private final Random r;
    private final MiniHBase hbase;
    private final StringBuilder subjects = new StringBuilder();
    private final StringBuilder families = new StringBuilder();
    private final RandomWrites writes;
    private final List<TableName> tables = new ArrayList<>();
    private Connection connection;
    private Admin admin;
    private final long startedMs = System.currentTimeMillis();
    private int bulkFiles;

    private MakeTrees(String dir, long seed) throws IOException {
        out = Path.of(dir).toAbsolutePath();
        r = new Random(seed);
        writes = new RandomWrites(r, System.currentTimeMillis());
        hbase = new MiniHBase(out.resolve("cluster"));
        for (String folder : new String[] {"trees", "live", "exported", "sequence", "bulk", "cluster"}) {
            Files.createDirectories(out.resolve(folder));
        }
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 2) {
            System.err.println("usage: MakeTrees WORKDIR SEED");
            System.exit(2);
        }
        Checks c = new Checks("MakeTrees");
        try {
            MakeTrees m = new MakeTrees(args[0], Long.parseLong(args[1]));
            m.hbase.start();
            m.connection = ConnectionFactory.createConnection(m.hbase.conf);
            m.admin = m.connection.getAdmin();
            m.run();
            Files.writeString(m.out.resolve("SUBJECTS.tsv"), m.subjects.toString());
            Files.writeString(m.out.resolve("FAMILIES.tsv"), m.families.toString());
            c.saw("%d subjects", m.subjects.chars().filter(ch -> ch == '\n').count());
        } catch (Exception | LinkageError | AssertionError e) {
            c.threw(e);
        }
        MiniHBase.halt(c.report(System.out));
    }

    private void run() throws Exception {
        TableName plain = TableName.valueOf("plain");
        TableName rules = TableName.valueOf("ns1:rules.tab");
        TableName split = TableName.valueOf("split.tab-x");
        TableName mob = TableName.valueOf("mob_tab");
        TableName bulk = TableName.valueOf("ns1:bulk-tab");
        TableName tracked = TableName.valueOf("tracked");
        TableName clone = TableName.valueOf("ns_2:clone-c.1");
        TableName again = TableName.valueOf("clone2");
        TableName mobClone = TableName.valueOf("mob-clone");

        admin.createNamespace(NamespaceDescriptor.create("ns1").build());
        admin.createNamespace(NamespaceDescriptor.create("ns_2").build());
        RandomFamilies f = new RandomFamilies(r);
        create(plain, List.of(f.plain("a"), f.plain("b")), null);
        create(rules, f.rules(), new byte[][] {Bytes.toBytes("m")});
        byte[][] splits = {Bytes.toBytes("g"), Bytes.toBytes("n"), Bytes.toBytesBinary("t\\xFF")};
        create(split, List.of(f.plain("cf")), splits);
        create(mob, List.of(f.mob("m"), f.plain("p")), null);
        create(bulk, List.of(f.plain("x"), f.plain("y")), new byte[][] {Bytes.toBytes("p")});
        create(tracked, List.of(f.plain("t")), new byte[][] {Bytes.toBytes("k")}, "hbase.store.file-tracker.impl", "FILE");

        /* first stage: flushes and snapshots, all files in data/ */
        for (TableName t : List.copyOf(tables)) {
            write(t, 2, t.equals(rules) ? 500 : 150);
        }
        put(plain, 40);
        snapshot("plain_skip", plain, SnapshotType.SKIPFLUSH);
        stage("stage0", plain);
        for (TableName t : List.copyOf(tables)) {
            put(t, 60);
            snapshot(t.getQualifierAsString() + "_1", t, SnapshotType.FLUSH);
        }
        stage("stage1", plain, rules, mob);

        /* second stage: clones, splits, a merge, bulk loads between flushes */
        admin.cloneSnapshot(split.getQualifierAsString() + "_1", clone);
        cloned(split, clone);
        write(clone, 1, 100);
        split(clone, "d");
        snapshot("clone_refs", clone, SnapshotType.FLUSH);
        admin.cloneSnapshot("clone_refs", again);
        cloned(clone, again);
        write(again, 1, 60);
        snapshot("clone_again", again, SnapshotType.FLUSH);
        split(split, "d");
        merge(split, "n");
        split(tracked, "f");
        write(split, 1, 80);
        admin.cloneSnapshot("mob_tab_1", mobClone);
        cloned(mob, mobClone);
        write(mobClone, 1, 60);
        snapshot("mob_clone", mobClone, SnapshotType.FLUSH);
        bulkLoad(bulk, 1);
        bulkLoad(bulk, 2);
        write(bulk, 1, 100);
        put(bulk, 50);
        bulkLoad(bulk, 2);
        for (TableName t : List.of(rules, split, mob, bulk, tracked)) {
            put(t, 50);
            snapshot(t.getQualifierAsString() + "_2", t, SnapshotType.FLUSH);
        }
        stage("stage2", split, clone, again, bulk, tracked, mobClone);

        /* third stage: major compactions; in "stage3" what they replaced still lies beside the result */
        for (TableName t : List.of(plain, rules, split, mob, bulk, tracked, again)) {
            hbase.compact(t);
        }
        stage("stage3", plain, rules, split, tracked);
        for (TableName t : tables) {
            hbase.archiveCompacted(t);
        }
        for (TableName t : List.of(split, bulk, rules)) {
            write(t, 1, 50);
            snapshot(t.getQualifierAsString() + "_3", t, SnapshotType.FLUSH);
        }
        stage("stage4", split, bulk, clone);
        ExportJobs jobs = new ExportJobs(hbase.conf, out);
        for (String name : new String[] {"split.tab-x_2", "clone_again", "mob_tab_2", "mob_clone", "bulk-tab_2"}) {
            jobs.snapshot(name);
        }
        export(jobs, rules);
        /* the end: the table is gone, its files are in the archive, the clones still need them */
        admin.disableTable(split);
        admin.deleteTable(split);
        stage("end", again);
    }

    private void create(TableName table, List<ColumnFamilyDescriptor> columns, byte[][] splits, String... keyValue)
        throws IOException {
        TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(table).setColumnFamilies(columns);
        if (keyValue.length == 2) {
            t.setValue(keyValue[0], keyValue[1]);
        }
        admin.createTable(t.build(), splits);
        tables.add(table);
        for (ColumnFamilyDescriptor c : columns) {
            families.append(table).append('\t').append(RandomFamilies.line(c)).append('\n');
        }
    }

    private void cloned(TableName from, TableName to) {
        tables.add(to);
        String mine = families.toString().lines().filter(l -> l.startsWith(from + "\t"))
            .map(l -> to + l.substring(from.toString().length()) + "\n").collect(Collectors.joining());
        families.append(mine);
    }

    private void put(TableName table, int n) throws Exception {
        String[] names = admin.getDescriptor(table).getColumnFamilyNames().stream().map(Bytes::toString)
            .toArray(String[]::new);
        List<Row> batch = writes.mutations(n, names);
        try (Table t = connection.getTable(table)) {
            t.batch(batch, new Object[batch.size()]);
        }
    }

    /** n mutations and a flush, several times. */
    private void write(TableName table, int times, int n) throws Exception {
        for (int i = 0; i < times; i++) {
            put(table, n / 2 + r.nextInt(n));
            admin.flush(table);
        }
    }

    private RegionInfo regionOf(TableName table, String row) throws IOException {
        return admin.getRegions(table).stream().filter(i -> i.containsRow(Bytes.toBytes(row))).findFirst().get();
    }

    private static void done(Future<?> procedure) throws Exception {
        procedure.get(PROCEDURE_LIMIT_S, TimeUnit.SECONDS);
    }

    private void split(TableName table, String row) throws Exception {
        done(admin.splitRegionAsync(regionOf(table, row).getRegionName(), Bytes.toBytes(row)));
    }

    /** The region with this row and the one before it. */
    private void merge(TableName table, String row) throws Exception {
        RegionInfo second = regionOf(table, row);
        RegionInfo first = admin.getRegions(table).stream().filter(i -> Bytes.equals(i.getEndKey(), second.getStartKey()))
            .findFirst().get();
        done(admin.mergeRegionsAsync(new byte[][] {first.getRegionName(), second.getRegionName()}, false));
    }

    /** One load of so many files per family, with keys of each other and of what is there. */
    private void bulkLoad(TableName table, int filesPerFamily) throws IOException {
        Path folder = out.resolve("bulk/" + bulkFiles++);
        for (byte[] family : admin.getDescriptor(table).getColumnFamilyNames()) {
            String name = Bytes.toString(family);
            Files.createDirectories(folder.resolve(name));
            for (int i = 0; i < filesPerFamily; i++) {
                TreeSet<KeyValue> cells = writes.cells(30 + r.nextInt(40), name);
                StoreFileSpec file = new StoreFileSpec("bulk", "-", cells);
                file.write(hbase.conf, folder.resolve(name).resolve("f" + bulkFiles + i));
            }
        }
        Configuration conf = new Configuration(hbase.conf);
        conf.set("RowPrefixBloomFilter.prefix_length", "2"); /* splitting a file, HBase does not look at the family's own */
        BulkLoadHFiles.create(conf).bulkLoad(table, new org.apache.hadoop.fs.Path(folder.toUri()));
    }

    private void snapshot(String name, TableName table, SnapshotType type) throws IOException {
        admin.snapshot(name, table, type);
        boolean whole = type == SnapshotType.FLUSH;
        subject(name, "snapshot", "end", table, whole, "-", whole ? "-" : "unflushed");
    }

    private void subject(String name, String kind, String place, TableName table, boolean live, String regions, String note)
        throws IOException {
        long now = System.currentTimeMillis();
        if (live) {
            scan(table, true, out.resolve("live/" + name + ".raw"));
            scan(table, false, out.resolve("live/" + name + ".visible"));
        }
        boolean twice = kind.equals("snapshot") || table.getQualifierAsString().startsWith("rules");
        String clocks = now + (twice ? "," + writes.edge(now, CLOCK_REACH_MS) : "");
        subjects.append(String.join("\t", name, kind, place, table.toString(), clocks, regions, note)).append('\n');
    }

    private void scan(TableName table, boolean raw, Path file) throws IOException {
        Scan scan = new Scan().setRaw(raw).readAllVersions().setBatch(5000);
        try (BufferedWriter w = Files.newBufferedWriter(file); Table t = connection.getTable(table);
            ResultScanner results = t.getScanner(scan)) {
            for (Result result : results) {
                for (Cell cell : result.rawCells()) {
                    CellText.write(w, cell, 0);
                }
            }
        }
    }

    /** A copy of the root directory as it is now; these tables are to be read from their folders. */
    private void stage(String name, TableName... readable) throws IOException {
        boolean flush = !name.equals("stage0");
        for (TableName t : readable) {
            if (flush) {
                admin.flush(t);
            }
            String regions = admin.getRegions(t).stream().map(RegionInfo::getEncodedName).collect(Collectors.joining(","));
            subject(name + "-" + t.getQualifierAsString(), "table", name, t, flush, regions, flush ? "-" : "unflushed");
        }
        System.err.println("MakeTrees: " + name + " after " + (System.currentTimeMillis() - startedMs) / 1000 + " s");
        Path to = Files.createDirectories(out.resolve("trees").resolve(name));
        for (String part : new String[] {"data", "archive", "mobdir", ".hbase-snapshot", "hbase.version", "WALs"}) {
            Path from = hbase.root().resolve(part);
            if (Files.exists(from) && (!flush || !part.equals("WALs"))) {
                MiniHBase.copyTree(from, to.resolve(part));
            }
        }
    }

    private void export(ExportJobs jobs, TableName table) throws Exception {
        admin.flush(table);
        for (String kind : ExportJobs.KINDS) {
            jobs.export(kind, table);
            boolean raw = kind.startsWith("raw");
            subject("export-" + kind, "export", "sequence/" + kind, table, true, "-", raw ? "raw" : "visible");
        }
    }
}
