import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.DefaultCompactor;
import org.apache.hadoop.hbase.regionserver.throttle.NoLimitThroughputController;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.ManualEnvironmentEdge;

/**
 * What HBase's compactions leave of small stores, each a region of its own, without a cluster.
 *
 *   CompactStores SCRATCH LIMIT_MS @JOBS
 *
 * Per line: subject, cells, OUT, now (ms), "major" or "minor", VERSIONS, MIN_VERSIONS, TTL (s, 0 = forever),
 * KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR, purge delay (ms), OLD. A line of the cells is the number of its file (0 = oldest), a
 * TAB and the cell as CellText writes it. OUT: what is left. OLD: numbers of files, with commas between, that were changed last
 * longer ago than sequence ids are kept; the other files are of this moment. Where there are some (else "-"), the files as they
 * were before are left in OUT.store/f. HBase loops for ever on some inputs and fails on others: such a case passes, with
 * "skipped" as the text, and has no OUT.
 */
public final class CompactStores {
    private static final int JOB_FIELDS = 12;
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final long OLD_MS = 5 * 86_400_000L + 1; /* hbase.hstore.compaction.keep.seqId.period */
    private static final long FIRST = 20;
    private static final long PATIENCE = 20;
    private static final long SEQ_BASE = 100; /* above those of cells: a reader may see them all */

    private final java.nio.file.Path scratch;
    private final long limitMs;
    private final Configuration base = HBaseConfiguration.create(); /* reads files: once is enough */
    private final ManualEnvironmentEdge clock = new ManualEnvironmentEdge();
    private int stores;

    private CompactStores(String scratch, String limitMs) {
        this.scratch = java.nio.file.Path.of(scratch).toAbsolutePath();
        this.limitMs = Long.parseLong(limitMs);
    }

    public static void main(String[] args) throws Exception {
        CompactStores all = new CompactStores(args[0], args[1]);
        EnvironmentEdgeManager.injectEdge(all.clock);
        boolean ok = true;
        for (String[] job : Checks.jobs(args[2].substring(1), JOB_FIELDS)) {
            Checks c = new Checks(job[0]);
            all.limited(c, job);
            ok &= c.report(System.out);
        }
        MiniHBase.halt(ok);
    }

    /** A compaction that does not end is left behind as it is: its thread is a daemon and gets no processor any more. */
    @SuppressWarnings({"deprecation", "removal"})
    private void limited(Checks c, String[] job) throws InterruptedException {
        Throwable[] failure = new Throwable[1];
        Thread t = new Thread(() -> {
            try {
                one(c, job);
            } catch (Throwable e) {
                failure[0] = e;
            }
        }, "compaction");
        t.setDaemon(true);
        long limit = stores == 0 ? FIRST * limitMs : limitMs; /* classes are loaded, and one that is interrupted there stays broken */
        t.start();
        await(t, limit);
        if (t.isAlive()) {
            c.saw("skipped: HBase is not done after %d ms of work", limitMs);
            t.stop();
            t.join(limitMs);
        } else if (failure[0] instanceof NullPointerException && Boolean.parseBoolean(job[9])) {
            c.saw("skipped: HBase fails with %s", failure[0]);
        } else if (failure[0] != null) {
            c.threw(failure[0]);
        }
    }

    /** Processor time counts: none is endless because a machine is busy. */
    private static void await(Thread t, long limitMs) throws InterruptedException {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = System.nanoTime() + PATIENCE * limitMs * 1_000_000;
        while (t.isAlive() && threads.getThreadCpuTime(t.getId()) < limitMs * 1_000_000 && System.nanoTime() < end) {
            t.join(20);
        }
    }

    private void one(Checks c, String[] job) throws Exception {
        Configuration conf = new Configuration(base);
        java.nio.file.Path root = scratch.resolve("" + stores++);
        CommonFSUtils.setRootDir(conf, new Path(root.toUri()));
        conf.set("hbase.tmp.dir", scratch.resolve("tmp").toString());
        conf.set(BlockCacheFactory.BLOCKCACHE_POLICY_KEY, "IndexOnlyLRU");
        conf.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, 0);
        conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
        conf.setInt("hbase.hstore.compaction.max", 1000); /* all files at once, however many */
        conf.setLong("hbase.hstore.time.to.purge.deletes", Long.parseLong(job[10]));
        clock.setValue(Long.parseLong(job[3]));
        HRegion region = open(conf, job);
        HStore store = region.getStore(FAMILY);
        List<Path> left = new ArrayList<>();
        if (job[4].equals("major")) {
            region.compact(true);
            store.getStorefiles().forEach(f -> left.add(f.getPath()));
        } else {
            left.addAll(minor(conf, store));
        }
        int cells = 0;
        try (BufferedWriter out = Files.newBufferedWriter(java.nio.file.Path.of(job[2]))) {
            for (Path file : left) {
                cells += dump(conf, file, out);
            }
        }
        c.saw("%d cells", cells);
    }

    private HRegion open(Configuration conf, String[] job) throws IOException {
        ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY)
            .setMaxVersions(Integer.parseInt(job[5])).setMinVersions(Integer.parseInt(job[6]))
            .setKeepDeletedCells(KeepDeletedCells.valueOf(job[8])).setNewVersionBehavior(Boolean.parseBoolean(job[9]));
        if (!job[7].equals("0")) {
            family.setTimeToLive(Integer.parseInt(job[7]));
        }
        TableDescriptor table = TableDescriptorBuilder.newBuilder(TableName.valueOf("t")).setColumnFamily(family.build()).build();
        RegionInfo info = RegionInfoBuilder.newBuilder(table.getTableName()).setRegionId(1).build();
        FileSystem fs = CommonFSUtils.getRootDirFileSystem(conf);
        Path tableDir = CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(conf), table.getTableName());
        Path familyDir = new Path(new Path(tableDir, info.getEncodedName()), "f");
        TreeMap<Integer, List<KeyValue>> files = read(job[1]);
        for (int n : files.keySet()) {
            java.nio.file.Path file = write(conf, fs, familyDir, files.get(n), SEQ_BASE + n);
            if (!job[11].equals("-")) {
                boolean old = List.of(job[11].split(",")).contains(Integer.toString(n));
                long now = Long.parseLong(job[3]);
                Files.setLastModifiedTime(file, FileTime.fromMillis(old ? now - OLD_MS : now - OLD_MS + 1));
                java.nio.file.Path kept = Files.createDirectories(java.nio.file.Path.of(job[2] + ".store", "f"));
                Files.copy(file, kept.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
            }
        }
        HRegion r = HRegion.newHRegion(tableDir, null, fs, conf, info, table, null);
        r.setRestoredRegion(true);
        r.initialize();
        return r;
    }

    private static TreeMap<Integer, List<KeyValue>> read(String cells) throws IOException {
        TreeMap<Integer, List<KeyValue>> files = new TreeMap<>();
        for (String line : Files.readAllLines(java.nio.file.Path.of(cells))) {
            String[] f = line.split("\t");
            byte[] row = CellText.bytes(f[1]);
            byte[] qualifier = CellText.bytes(f[3]);
            byte[] value = CellText.bytes(f[7]);
            byte[] tags = CellText.bytes(f[8]);
            KeyValue kv = new KeyValue(row, 0, row.length, FAMILY, 0, FAMILY.length, qualifier, 0, qualifier.length,
                Long.parseLong(f[4]), KeyValue.Type.codeToType((byte) Integer.parseInt(f[5])), value, 0, value.length, tags, 0,
                tags.length);
            kv.setSequenceId(Long.parseLong(f[6]));
            files.computeIfAbsent(Integer.parseInt(f[0]), n -> new ArrayList<>()).add(kv);
        }
        return files;
    }

    private static java.nio.file.Path write(Configuration conf, FileSystem fs, Path dir, List<KeyValue> cells, long maxSeq)
        throws IOException {
        cells.sort(CellComparatorImpl.COMPARATOR);
        HFileContextBuilder context = new HFileContextBuilder().withIncludesMvcc(true).withIncludesTags(true)
            .withHBaseCheckSum(true).withColumnFamily(FAMILY).withCellComparator(CellComparatorImpl.COMPARATOR);
        Path file = new Path(dir, UUID.randomUUID().toString().replace("-", ""));
        StoreFileWriter w = new StoreFileWriter.Builder(conf, CacheConfig.DISABLED, fs).withFilePath(file)
            .withMaxKeyCount(cells.size()).withFileContext(context.build()).build();
        for (KeyValue kv : cells) {
            w.append(kv);
        }
        w.appendMetadata(maxSeq, false);
        w.close();
        return java.nio.file.Path.of(w.getPath().toUri().getPath());
    }

    /** All files but not as all: the way of a compaction that leaves older files alone. */
    private static List<Path> minor(Configuration conf, HStore store) throws Exception {
        Method unneeded = HStore.class.getDeclaredMethod("removeUnneededFiles");
        unneeded.setAccessible(true);
        unneeded.invoke(store);
        CompactionRequestImpl request = new CompactionRequestImpl(new ArrayList<>(store.getStorefiles()));
        request.setIsMajor(false, false);
        return new DefaultCompactor(conf, store).compact(request, NoLimitThroughputController.INSTANCE, null);
    }

    private static int dump(Configuration conf, Path path, BufferedWriter out) throws IOException {
        FileSystem fs = path.getFileSystem(conf);
        StoreFileInfo info = new StoreFileInfo(conf, fs, fs.getFileStatus(path), (Reference) null);
        HStoreFile file = new HStoreFile(info, BloomType.NONE, CacheConfig.DISABLED);
        int cells = 0;
        file.initReader();
        try (StoreFileScanner s = file.getReader().getStoreFileScanner(false, false, false, Long.MAX_VALUE, 0, false)) {
            s.seek(KeyValue.LOWESTKEY);
            for (Cell cell = s.next(); cell != null; cell = s.next(), cells++) {
                CellText.write(out, cell, cell.getSequenceId());
            }
        }
        return cells;
    }
}
