import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.BufferedMutator;
import org.apache.hadoop.hbase.client.BufferedMutatorParams;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.mapreduce.ImportTsv;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.mapreduce.Job;

/**
 * {@code ImportTsvSpeed CSV COLUMNS REGIONS TASKS FOLDER}: HBase's ImportTsv writes FOLDER/hfiles with its own mapper, sort and
 * HFileOutputFormat2, in Hadoop's LocalJobRunner with TASKS tasks side by side; Snappy, FAST_DIFF, ROW bloom. Only the connection
 * is ours: a table of REGIONS regions with about as many rows each. Prints cells, seconds and CPU seconds (all threads) of the job,
 * from its submission on; what comes before, the start of the JVM too, is not in them.
 */
public final class ImportTsvSpeed extends ImportTsv {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final int SAMPLES = 200; // keys looked at for each region

    public static void main(String[] args) throws Exception {
        Path folder = new Path(Paths.get(args[4]).toAbsolutePath().toUri());
        Path output = new Path(folder, "hfiles");
        Configuration conf = configured(args, folder, output);
        String csv = Paths.get(args[0]).toAbsolutePath().toString();
        Job job = createSubmittableJob(conf, new String[] {TABLE.getNameAsString(), csv});
        job.getConfiguration().unset("tmpjars"); // the tasks run in this JVM, which has them
        OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        long start = System.nanoTime();
        long cpuStart = process.getProcessCpuTime();
        boolean done = job.waitForCompletion(false);
        double seconds = (System.nanoTime() - start) / 1e9;
        double cpu = (process.getProcessCpuTime() - cpuStart) / 1e9;
        if (!done) {
            throw new IOException("the job failed: " + job.getStatus().getFailureInfo());
        }
        System.out.printf(Locale.ROOT, "%d %.6f %.6f%n", cells(conf, output), seconds, cpu);
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static Configuration configured(String[] args, Path folder, Path output) throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.set("mapreduce.framework.name", "local");
        conf.setClass("fs.file.impl", Files.class, FileSystem.class);
        conf.setInt("mapreduce.client.completion.pollinterval", 20); // instead of noticing the end up to 5 s late
        conf.set("mapreduce.local.map.tasks.maximum", args[3]);
        conf.set("mapreduce.local.reduce.tasks.maximum", args[3]);
        conf.setInt("mapreduce.task.io.sort.mb", 256); // a split of 32 MB is sorted in one go
        conf.set("hadoop.tmp.dir", new Path(folder, "tmp").toUri().getPath());
        conf.set("hbase.fs.tmp.dir", new Path(folder, "staging").toString());
        conf.setBoolean("hbase.bulkload.locality.sensitive.enabled", false); // would ask a cluster where each region is
        conf.setClass("hbase.client.connection.impl", Offline.class, Connection.class);
        conf.setStrings(Offline.STARTS, startKeys(args[0], Integer.parseInt(args[2])));
        conf.set(COLUMNS_CONF_KEY, args[1]);
        conf.set(SEPARATOR_CONF_KEY, ",");
        conf.setBoolean(SKIP_LINES_CONF_KEY, false);
        conf.set(BULK_OUTPUT_CONF_KEY, output.toString());
        return conf;
    }

    /** The keys where regions begin, the first one empty: from lines at even distances in the file. */
    private static String[] startKeys(String csv, int regions) throws IOException {
        String[] keys = new String[regions * SAMPLES];
        try (RandomAccessFile in = new RandomAccessFile(csv, "r")) {
            for (int i = 0; i < keys.length; i++) {
                in.seek(in.length() / keys.length * i);
                byte[] text = new byte[2048];
                String[] lines = new String(text, 0, Math.max(0, in.read(text)), "ISO-8859-1").split("\n");
                keys[i] = lines[Math.min(1, lines.length - 1)].split(",")[0];
            }
        }
        Arrays.sort(keys);
        String[] starts = new String[regions];
        for (int i = 0; i < regions; i++) {
            starts[i] = i == 0 ? "" : keys[i * SAMPLES];
        }
        return starts;
    }

    private static long cells(Configuration conf, Path output) throws IOException {
        FileSystem fs = output.getFileSystem(conf);
        long cells = 0;
        for (FileStatus file : fs.listStatus(new Path(output, "cf"))) {
            try (HFile.Reader reader = HFile.createReader(fs, file.getPath(), CacheConfig.DISABLED, true, conf)) {
                cells += reader.getEntries();
            }
        }
        return cells;
    }

    /** Hadoop's local files; without libhadoop, setting a mode would start chmod, 600 times in a job. */
    public static final class Files extends LocalFileSystem {
        public Files() {
            super(new RawLocalFileSystem() {
                @Override
                public void setPermission(Path path, FsPermission mode) {}
            });
        }
    }

    /** A connection to no cluster, which knows what ImportTsv asks about the table. ConnectionFactory makes it by its name. */
    public static final class Offline implements Connection {
        static final String STARTS = "importtsvspeed.starts";
        private final Configuration conf;

        public Offline(Configuration conf, ExecutorService pool, User user, Map<String, byte[]> attributes) {
            this.conf = conf;
        }

        /** An object that answers these questions, or throws the answer, and can be closed. */
        private static <T> T answering(Class<T> type, Map<String, Object> answers) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                Object answer = answers.get(method.getName());
                if (answer instanceof Throwable) {
                    throw (Throwable) answer;
                }
                if (answer != null) {
                    return answer;
                }
                if (method.getName().equals("close")) {
                    return null;
                }
                if (method.isDefault()) {
                    return InvocationHandler.invokeDefault(proxy, method, args);
                }
                throw new UnsupportedOperationException(method.toString());
            }));
        }

        @Override
        public Admin getAdmin() {
            return answering(Admin.class, Map.of("tableExists", true));
        }

        @Override
        public Table getTable(TableName name) {
            if (!name.equals(TABLE)) { // the tasks look for a table of visibility labels
                return answering(Table.class, Map.of("getScanner", new TableNotFoundException(name)));
            }
            TableDescriptor table = TableDescriptorBuilder.newBuilder(name).setColumnFamily(
                ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("cf")).setCompressionType(Compression.Algorithm.SNAPPY)
                    .setDataBlockEncoding(DataBlockEncoding.FAST_DIFF).setBloomFilterType(BloomType.ROW).build()).build();
            return answering(Table.class, Map.of("getDescriptor", table));
        }

        @Override
        public RegionLocator getRegionLocator(TableName name) {
            byte[][] starts = Arrays.stream(conf.get(STARTS).split(",", -1)).map(Bytes::toBytes).toArray(byte[][]::new);
            return answering(RegionLocator.class, Map.of("getStartKeys", starts, "getName", name));
        }

        @Override
        public Configuration getConfiguration() {
            return conf;
        }

        @Override
        public BufferedMutator getBufferedMutator(TableName name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public BufferedMutator getBufferedMutator(BufferedMutatorParams params) {
            throw new UnsupportedOperationException();
        }

        @Override
        public TableBuilder getTableBuilder(TableName name, ExecutorService pool) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void clearRegionLocationCache() {}

        @Override
        public void close() {}

        @Override
        public boolean isClosed() {
            return false;
        }

        @Override
        public void abort(String why, Throwable e) {}

        @Override
        public boolean isAborted() {
            return false;
        }
    }
}
