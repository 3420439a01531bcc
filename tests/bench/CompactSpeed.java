import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;

/**
 * {@code CompactSpeed CODEC ROUNDS FOLDER FILE...}: one region of family cf, VERSIONS 1, with these HFiles as its store files, bulk
 * loaded in this order; HBase's own major compaction of it, ROUNDS times in one JVM. A line for each: cells left, seconds, CPU
 * seconds of all threads of the process. The files are linked, not copied; opening the region is not in the time.
 */
public final class CompactSpeed {
    private static final byte[] FAMILY = Bytes.toBytes("cf");

    public static void main(String[] args) throws Exception {
        OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int i = 0; i < Integer.parseInt(args[1]); i++) {
            HRegion region = open(args, Paths.get(args[2]).toAbsolutePath().resolve("round-" + i));
            long start = System.nanoTime();
            long cpuStart = process.getProcessCpuTime();
            region.compact(true);
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpu = (process.getProcessCpuTime() - cpuStart) / 1e9;
            long cells = 0;
            for (HStoreFile file : region.getStore(FAMILY).getStorefiles()) {
                file.initReader();
                cells += file.getReader().getEntries();
            }
            System.out.printf(Locale.ROOT, "%d %.6f %.6f%n", cells, seconds, cpu);
        }
        System.out.flush();
        Runtime.getRuntime().halt(0);
    }

    private static HRegion open(String[] args, java.nio.file.Path root) throws Exception {
        Configuration conf = HBaseConfiguration.create();
        CommonFSUtils.setRootDir(conf, new Path(root.toUri()));
        conf.set("hbase.tmp.dir", root.resolve("tmp").toString());
        conf.setInt("hbase.hstore.compaction.max", 1000);
        conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
        TableDescriptor table = TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(1).setBloomFilterType(BloomType.ROW)
                .setCompressionType(Compression.Algorithm.valueOf(args[0].toUpperCase(Locale.ROOT))).build()).build();
        RegionInfo info = RegionInfoBuilder.newBuilder(table.getTableName()).setRegionId(1).build();
        FileSystem fs = CommonFSUtils.getRootDirFileSystem(conf);
        Path tableDir = CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(conf), table.getTableName());
        java.nio.file.Path folder = Paths.get(new Path(new Path(tableDir, info.getEncodedName()), "cf").toUri().getPath());
        Files.createDirectories(folder);
        for (int i = 3; i < args.length; i++) {
            String name = UUID.randomUUID().toString().replace("-", "") + "_SeqId_" + i + "_";
            Files.createLink(folder.resolve(name), Paths.get(args[i]).toAbsolutePath());
        }
        HRegion region = HRegion.newHRegion(tableDir, null, fs, conf, info, table, null);
        region.setRestoredRegion(true);
        region.initialize();
        return region;
    }
}
