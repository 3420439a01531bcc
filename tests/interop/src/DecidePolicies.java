package org.apache.hadoop.hbase.regionserver;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CompoundConfiguration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HDFSBlocksDistribution;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.master.MasterServices;
import org.apache.hadoop.hbase.master.RegionPlan;
import org.apache.hadoop.hbase.master.balancer.SimpleLoadBalancer;
import org.apache.hadoop.hbase.regionserver.compactions.CompactionRequestImpl;
import org.apache.hadoop.hbase.regionserver.compactions.RatioBasedCompactionPolicy;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.ManualEnvironmentEdge;

/**
 * What HBase's own policies decide of stores and regions that exist as numbers only.
 *
 *   DecidePolicies CASES DECISIONS
 *
 * A line of CASES is kind, settings of the site, of the table, of the family ("name=value;…"), and what the kind wants:
 *   select  now, force major (0/1), off-peak (0/1), TTL (ms, 0 = for ever); files "bytes,made,oldest,name,flags;…", oldest
 *           first; flags of r reference, c compacting, m result of a major compaction, or "-"
 *   split   regions of the table on the server; stores "bytes,split point in hex or -,r or -;…"
 *   heap    lengths of row, qualifier, value and of a tag (0: none)
 *   balance regions of each server
 * DECISIONS are the same lines with a field more:
 *   select  first file, files, all files, major, off-peak; compaction needed; major compaction due
 *   split   0, or 1 and the row in hex ("-": no split point)
 *   heap    bytes on the heap that a DefaultMemStore counts
 *   balance whether SimpleLoadBalancer moves any (it moves some that change nothing, so not how many), regions of each
 *           server then, most first
 * In this package because policies keep their methods to it; stores and files are made without their constructors.
 */
public final class DecidePolicies {
    private static final TableName TABLE = TableName.valueOf("t");
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final RegionInfo REGION = RegionInfoBuilder.newBuilder(TABLE).build();
    private static final Configuration BASE = HBaseConfiguration.create();
    private static final ManualEnvironmentEdge CLOCK = new ManualEnvironmentEdge();

    public static void main(String[] args) throws Exception {
        EnvironmentEdgeManager.injectEdge(CLOCK);
        ChunkCreator.initialize(MemStoreLAB.CHUNK_SIZE_DEFAULT, false, 0, 0, 0, null,
            MemStoreLAB.INDEX_CHUNK_SIZE_PERCENTAGE_DEFAULT);
        List<String> decisions = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of(args[0]), StandardCharsets.UTF_8))
            decisions.add(line + "\t" + decide(line.split("\t", -1)));
        Files.write(Path.of(args[1]), decisions, StandardCharsets.UTF_8);
        System.out.println("PASS\tpolicies\t" + decisions.size() + " decisions");
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static String decide(String[] c) throws Exception {
        Settings s = new Settings(c[1], c[2], c[3]);
        switch (c[0]) {
        case "select": return select(s, c[4], c[5]);
        case "split": return split(s, Integer.parseInt(c[4]), c[5]);
        case "heap": return heap(c[4]);
        case "balance": return balance(s, c[4]);
        default: throw new IllegalArgumentException(c[0]);
        }
    }

    /** What a region and its one store read. */
    private static final class Settings {
        final TableDescriptor table;
        final Configuration site, region, store;

        Settings(String ofSite, String ofTable, String ofFamily) {
            Configuration conf = new Configuration(BASE);
            for (String[] p : pairs(ofSite)) conf.set(p[0], p[1]);
            TableDescriptorBuilder t = TableDescriptorBuilder.newBuilder(TABLE);
            for (String[] p : pairs(ofTable)) t.setValue(p[0], p[1]);
            ColumnFamilyDescriptorBuilder f = ColumnFamilyDescriptorBuilder.newBuilder(FAMILY);
            for (String[] p : pairs(ofFamily)) f.setConfiguration(p[0], p[1]);
            t.setColumnFamily(f.build());
            this.table = t.build();
            site = conf;
            region = new CompoundConfiguration().add(conf).addBytesMap(this.table.getValues());
            store = StoreUtils.createStoreConfiguration(conf, this.table, f.build());
        }

        long flushSize() {
            long size = table.getMemStoreFlushSize();
            return size > 0 ? size
                : region.getLong(HConstants.HREGION_MEMSTORE_FLUSH_SIZE, TableDescriptorBuilder.DEFAULT_MEMSTORE_FLUSH_SIZE);
        }

        private static List<String[]> pairs(String text) {
            List<String[]> all = new ArrayList<>();
            for (String pair : text.split(";"))
                if (!pair.isEmpty()) all.add(pair.split("=", 2));
            return all;
        }
    }

    private static String select(Settings s, String state, String list) throws Exception {
        String[] st = state.split(",");
        long now = Long.parseLong(st[0]), ttl = Long.parseLong(st[3]);
        CLOCK.setValue(now);
        List<HStoreFile> files = new ArrayList<>(), compacting = new ArrayList<>();
        for (String text : list.split(";")) {
            File f = File.of(text);
            files.add(f);
            if (f.flags.contains("c")) compacting.add(f);
        }
        String name = s.store.get("hbase.hstore.defaultengine.compactionpolicy.class",
            "org.apache.hadoop.hbase.regionserver.compactions.ExploringCompactionPolicy");
        RatioBasedCompactionPolicy policy = (RatioBasedCompactionPolicy) Class.forName(name)
            .getConstructor(Configuration.class, StoreConfigInformation.class)
            .newInstance(s.store, new StoreInformation(s, ttl == 0 ? Long.MAX_VALUE : ttl));
        CompactionRequestImpl r = policy.selectCompaction(files, compacting, false, st[2].equals("1"),
            st[1].equals("1") && compacting.isEmpty());
        List<HStoreFile> chosen = new ArrayList<>(r.getFiles());
        int first = chosen.isEmpty() ? 0 : files.indexOf(chosen.get(0));
        for (int i = 0; i < chosen.size(); i++)
            if (files.get(first + i) != chosen.get(i)) throw new IllegalStateException("not next to each other: " + list);
        String what = chosen.isEmpty() ? "0 0 0 0 0"
            : first + " " + chosen.size() + " " + bit(r.isAllFiles()) + " " + bit(r.isMajor()) + " " + bit(r.isOffPeak());
        return what + " " + bit(policy.needsCompaction(files, compacting)) + " "
            + bit(policy.shouldPerformMajorCompaction(files));
    }

    private static int bit(boolean b) {
        return b ? 1 : 0;
    }

    private static String split(Settings s, int regions, String list) throws Exception {
        Region region = make(Region.class);
        region.table = s.table;
        region.stores = new ArrayList<>();
        for (String text : list.split(";")) region.stores.add(Store.of(text));
        List<org.apache.hadoop.hbase.regionserver.Region> all = Collections.nCopies(regions, region);
        region.services = (RegionServerServices) Proxy.newProxyInstance(DecidePolicies.class.getClassLoader(),
            new Class<?>[] {RegionServerServices.class}, (proxy, method, arguments) -> {
                if (!method.getName().equals("getRegions")) throw new UnsupportedOperationException(method.getName());
                return all;
            });
        RegionSplitPolicy policy = RegionSplitPolicy.create(region, s.region);
        if (!policy.shouldSplit()) return "0";
        byte[] row = policy.getSplitPoint();
        return "1 " + (row == null ? "-" : Bytes.toHex(row));
    }

    private static String heap(String lengths) throws Exception {
        String[] n = lengths.split(",");
        byte[] row = new byte[Integer.parseInt(n[0])], qualifier = new byte[Integer.parseInt(n[1])];
        byte[] value = new byte[Integer.parseInt(n[2])];
        int tag = Integer.parseInt(n[3]);
        List<Tag> tags = tag == 0 ? List.of() : List.of(new ArrayBackedTag((byte) 100, new byte[tag]));
        KeyValue cell = new KeyValue(row, FAMILY, qualifier, 1L, KeyValue.Type.Put, value, tags);
        PrivateCellUtil.setSequenceId(cell, 7);
        NonThreadSafeMemStoreSizing sizing = new NonThreadSafeMemStoreSizing();
        new DefaultMemStore(BASE, CellComparator.getInstance()).add(cell, sizing);
        return Long.toString(sizing.getMemStoreSize().getHeapSize());
    }

    private static String balance(Settings s, String list) throws Exception {
        Map<ServerName, List<RegionInfo>> servers = new TreeMap<>();
        Map<ServerName, Integer> left = new HashMap<>();
        int made = 0;
        for (String text : list.split(",")) {
            ServerName server = ServerName.valueOf("s" + servers.size(), 1, 1);
            List<RegionInfo> regions = new ArrayList<>();
            for (int i = Integer.parseInt(text); i > 0; i--)
                regions.add(RegionInfoBuilder.newBuilder(TABLE).setStartKey(Bytes.toBytes(++made)).build());
            servers.put(server, regions);
            left.put(server, regions.size());
        }
        Configuration conf = new Configuration(s.site);
        conf.setBoolean("hbase.master.balancer.uselocality", false);
        SimpleLoadBalancer balancer = new SimpleLoadBalancer();
        balancer.setMasterServices((MasterServices) Proxy.newProxyInstance(DecidePolicies.class.getClassLoader(),
            new Class<?>[] {MasterServices.class},
            (proxy, method, arguments) -> method.getName().equals("getConfiguration") ? conf : null));
        balancer.initialize();
        call(balancer, "preBalanceCluster", new Class<?>[] {Map.class}, Map.of(TABLE, servers));
        List<?> plans = (List<?>) call(balancer, "balanceTable", new Class<?>[] {TableName.class, Map.class}, TABLE, servers);
        for (Object p : plans == null ? List.of() : plans) {
            left.merge(((RegionPlan) p).getSource(), -1, Integer::sum);
            left.merge(((RegionPlan) p).getDestination(), 1, Integer::sum);
        }
        return (plans == null || plans.isEmpty() ? 0 : 1) + " " + left.values().stream().sorted(Collections.reverseOrder())
            .map(String::valueOf).collect(Collectors.joining(" "));
    }

    /** A method that is only for the balancer's own package. */
    private static Object call(Object of, String name, Class<?>[] types, Object... arguments) throws Exception {
        Method m = of.getClass().getDeclaredMethod(name, types);
        m.setAccessible(true);
        return m.invoke(of, arguments);
    }

    /** An object without a constructor run: these classes' own want a file system and a cluster. */
    private static <T> T make(Class<T> type) {
        try {
            Field f = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            f.setAccessible(true);
            return type.cast(((sun.misc.Unsafe) f.get(null)).allocateInstance(type));
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class StoreInformation implements StoreConfigInformation {
        private final Settings settings;
        private final long ttl;

        StoreInformation(Settings settings, long ttl) {
            this.settings = settings;
            this.ttl = ttl;
        }

        @Override
        public long getMemStoreFlushSize() {
            return settings.flushSize();
        }

        @Override
        public long getStoreFileTtl() {
            return ttl;
        }

        @Override
        public long getCompactionCheckMultiplier() {
            return 1000;
        }

        @Override
        public long getBlockingFileCount() {
            return settings.store.getInt(HStore.BLOCKING_STOREFILES_KEY, HStore.DEFAULT_BLOCKING_STOREFILE_COUNT);
        }

        @Override
        public RegionInfo getRegionInfo() {
            return REGION;
        }

        @Override
        public String getColumnFamilyName() {
            return "f";
        }
    }

    private static final class File extends HStoreFile {
        private long bytes, made, oldest;
        private String name, flags;

        private File() {
            super(null, BloomType.NONE, null);
        }

        static File of(String text) {
            String[] p = text.split(",");
            File f = make(File.class);
            f.bytes = Long.parseLong(p[0]);
            f.made = Long.parseLong(p[1]);
            f.oldest = Long.parseLong(p[2]);
            f.name = p[3];
            f.flags = p[4];
            return f;
        }

        @Override
        public org.apache.hadoop.fs.Path getPath() {
            return new org.apache.hadoop.fs.Path("/" + name);
        }

        @Override
        public boolean isReference() {
            return flags.contains("r");
        }

        @Override
        public boolean isMajorCompactionResult() {
            return flags.contains("m");
        }

        @Override
        public boolean excludeFromMinorCompaction() {
            return false;
        }

        @Override
        public boolean isBulkLoadResult() {
            return false;
        }

        @Override
        public long getModificationTimestamp() {
            return made;
        }

        @Override
        public OptionalLong getMinimumTimestamp() {
            return OptionalLong.of(oldest);
        }

        @Override
        public HDFSBlocksDistribution getHDFSBlockDistribution() {
            return new HDFSBlocksDistribution();
        }

        @Override
        public StoreFileReader getReader() {
            long length = bytes;
            return new StoreFileReader() {
                @Override
                public long length() {
                    return length;
                }
            };
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final class Store extends HStore {
        private long bytes;
        private byte[] point;
        private boolean references;

        private Store() throws java.io.IOException {
            super(null, null, BASE, false);
        }

        static Store of(String text) {
            String[] p = text.split(",");
            Store s = make(Store.class);
            s.bytes = Long.parseLong(p[0]);
            s.point = p[1].equals("-") ? null : Bytes.fromHex(p[1]);
            s.references = p[2].equals("r");
            return s;
        }

        @Override
        public boolean canSplit() {
            return !references;
        }

        @Override
        public long getSize() {
            return bytes;
        }

        @Override
        public Optional<byte[]> getSplitPoint() {
            return Optional.ofNullable(point);
        }

        @Override
        public String getColumnFamilyName() {
            return "f";
        }
    }

    private static final class Region extends HRegion {
        private TableDescriptor table;
        private List<HStore> stores;
        private RegionServerServices services;

        private Region() {
            super(null, null, BASE, null, null);
        }

        @Override
        public TableDescriptor getTableDescriptor() {
            return table;
        }

        @Override
        public List<HStore> getStores() {
            return stores;
        }

        @Override
        public boolean isAvailable() {
            return true;
        }

        @Override
        public RegionInfo getRegionInfo() {
            return REGION;
        }

        @Override
        RegionServerServices getRegionServerServices() {
            return services;
        }
    }
}
