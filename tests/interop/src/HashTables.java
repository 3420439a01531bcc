import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.SnapshotType;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.mapreduce.HashTable;
import org.apache.hadoop.hbase.mapreduce.SyncTable;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;

/**
 * Hashes of a table by HBase's own HashTable job with all its parameters, and what its SyncTable job (dry run) says of a changed
 * copy of the table.
 *
 * HashTables WORKDIR SEED writes WORKDIR/root (a root directory with the snapshots "source" and "target"), WORKDIR/hashes/NAME,
 * and WORKDIR/HASHES.tsv: name, "ignore" or "-", clock in ms, then of SyncTable BATCHES, HASHES_MATCHED, HASHES_NOT_MATCHED and
 * EMPTY_BATCHES.
 */
public final class HashTables {
    private static final TableName SOURCE = TableName.valueOf("source");
    private static final TableName TARGET = TableName.valueOf("target");
    private static final String[] COUNTERS = {"BATCHES", "HASHES_MATCHED", "HASHES_NOT_MATCHED", "EMPTY_BATCHES"};

    private final Path out;
    private final Random r;
    private final RandomWrites writes;
    private final MiniHBase hbase;
    private final long nowMs = System.currentTimeMillis();
    private final StringBuilder lines = new StringBuilder();
    private Connection connection;
    private Admin admin;

    private HashTables(String dir, long seed) throws IOException {
        out = Path.of(dir).toAbsolutePath();
        r = new Random(seed);
        writes = new RandomWrites(r, nowMs);
        hbase = new MiniHBase(Files.createDirectories(out.resolve("cluster")));
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 2) {
            System.err.println("usage: HashTables WORKDIR SEED");
            System.exit(2);
        }
        Checks c = new Checks("HashTables");
        try {
            HashTables h = new HashTables(args[0], Long.parseLong(args[1]));
            h.hbase.start();
            h.connection = ConnectionFactory.createConnection(h.hbase.conf);
            h.admin = h.connection.getAdmin();
            h.run();
            Files.writeString(h.out.resolve("HASHES.tsv"), h.lines.toString());
            c.saw("%d jobs", h.lines.chars().filter(ch -> ch == '\n').count());
        } catch (Exception | LinkageError | AssertionError e) {
            c.threw(e);
        }
        MiniHBase.halt(c.report(System.out));
    }

    private void run() throws Exception {
        RandomFamilies f = new RandomFamilies(r);
        List<ColumnFamilyDescriptor> families = new ArrayList<>(f.rules());
        families.add(f.plain("plain"));
        byte[][] splits = {Bytes.toBytes("g"), Bytes.toBytes("g5"), Bytes.toBytes("r")}; /* the second region is empty */
        admin.createTable(TableDescriptorBuilder.newBuilder(SOURCE).setColumnFamilies(families).build(), splits);
        for (int i = 0; i < 3; i++) {
            write(SOURCE, 700);
            admin.flush(SOURCE);
        }
        admin.snapshot("source", SOURCE, SnapshotType.FLUSH);
        admin.cloneSnapshot("source", TARGET);
        write(TARGET, 6);
        try (Table t = connection.getTable(TARGET)) {
            for (char c = 's'; c < 'v'; c++) { /* some batches have nothing left */
                for (int i = 0; i < 4; i++) {
                    t.delete(new Delete(Bytes.toBytes(String.format("%c%02d", c, i))));
                }
            }
        }
        admin.snapshot("target", TARGET, SnapshotType.FLUSH);
        String time = "--starttime=" + (nowMs - 4 * RandomWrites.DAY_MS) + " --endtime=" + (nowMs - RandomWrites.HOUR_MS / 2);
        both("plain", "--batchsize=300");
        both("versions", "--versions=3 --batchsize=500 --numhashfiles=2");
        both("raw", "--versions=100 --rawScan=true --batchsize=400");
        both("raw-one", "--versions=1 --rawScan=true");
        both("rows", "--startrow=" + hex("f01") + " --stoprow=" + hex("t") + " --versions=5 --batchsize=200 --numhashfiles=3");
        both("times", time + " --versions=4 --batchsize=250");
        both("raw-times", time + " --versions=4 --rawScan=true");
        both("families", "--families=ttl,keep,new --versions=10 --batchsize=100");
        both("batched", "--scanbatch=2 --versions=10 --batchsize=300");
        both("ignoring", "--ignoreTimestamps=true --versions=2 --batchsize=300");
        MiniHBase.copyTree(hbase.root(), out.resolve("root"));
    }

    private static String hex(String row) {
        return Bytes.toHex(Bytes.toBytes(row));
    }

    private void write(TableName table, int n) throws Exception {
        String[] names = admin.getDescriptor(table).getColumnFamilyNames().stream().map(Bytes::toString)
            .toArray(String[]::new);
        List<Row> batch = writes.mutations(n, names);
        try (Table t = connection.getTable(table)) {
            t.batch(batch, new Object[batch.size()]);
        }
    }

    private Configuration local() {
        Configuration conf = new Configuration(hbase.conf);
        conf.set("mapreduce.framework.name", "local");
        conf.setInt("mapreduce.client.completion.pollinterval", 50);
        conf.setInt("mapreduce.client.progressmonitor.pollinterval", 50);
        return conf;
    }

    /** What run() of the tool does, but for its shipping of jars. */
    private static Object step(Object tool, String name, Object... args) throws Exception {
        Method m = args.length == 0 ? tool.getClass().getDeclaredMethod(name)
            : tool.getClass().getDeclaredMethod(name, String[].class);
        m.setAccessible(true);
        return args.length == 0 ? m.invoke(tool) : m.invoke(tool, args);
    }

    private static Counters complete(Job job, String what) throws Exception {
        job.getConfiguration().unset("tmpjars");
        if (!job.waitForCompletion(false)) {
            throw new IOException(what + " failed");
        }
        return job.getCounters();
    }

    private static void parsed(Object tool, String[] args) throws Exception {
        if (!(Boolean) step(tool, "doCommandLine", (Object) args)) {
            throw new IOException("not taken: " + String.join(" ", args));
        }
    }

    private void both(String name, String parameters) throws Exception {
        String dir = out.resolve("hashes").resolve(name).toUri().toString();
        String[] args = (parameters + " " + SOURCE + " " + dir).split(" ");
        long clock = System.currentTimeMillis();
        boolean ignore = parameters.contains("ignoreTimestamps");
        HashTable hash = new HashTable(local());
        parsed(hash, args);
        Job job = hash.createSubmittableJob(args);
        step(hash, "writeTempManifestFile");
        complete(job, "HashTable " + name);
        step(hash, "completeManifest");

        String[] of = ("--dryrun=true " + (ignore ? "--ignoreTimestamps=true " : "") + dir + " " + SOURCE + " " + TARGET).split(" ");
        SyncTable sync = new SyncTable(local());
        parsed(sync, of);
        Counters counters = complete(sync.createSubmittableJob(of), "SyncTable " + name);
        List<String> found = new ArrayList<>();
        for (String c : COUNTERS) {
            found.add("" + counters.findCounter(SyncTable.SyncMapper.Counter.valueOf(c)).getValue());
        }
        lines.append(String.join("\t", name, ignore ? "ignore" : "-", "" + clock)).append('\t')
            .append(found.stream().collect(Collectors.joining("\t"))).append('\n');
    }
}
