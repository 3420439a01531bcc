import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Paths;
import java.util.Locale;
import java.util.zip.CRC32C;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;

/**
 * {@code ScanSpeed [--digest] ROUNDS FILE}: what tests/bench/scan_hfile.c does, with HBase's own reader: every cell, checksums
 * verified, no block cache. The first round is that of a cold JVM; CPU seconds are those of all its threads.
 */
public final class ScanSpeed {
    private long cells;
    private long bytes;
    private long digest;
    private final CRC32C crc = new CRC32C();

    public static void main(String[] args) throws Exception {
        boolean withDigest = args[0].equals("--digest");
        int rounds = Integer.parseInt(args[withDigest ? 1 : 0]);
        Path file = new Path(Paths.get(args[withDigest ? 2 : 1]).toAbsolutePath().toUri());
        Configuration conf = HBaseConfiguration.create();
        OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int i = 0; i < rounds; i++) {
            ScanSpeed scan = new ScanSpeed();
            long start = System.nanoTime();
            long cpuStart = process.getProcessCpuTime();
            scan.run(conf, file, withDigest);
            double seconds = (System.nanoTime() - start) / 1e9;
            double cpu = (process.getProcessCpuTime() - cpuStart) / 1e9;
            System.out.printf(Locale.ROOT, "%d %d %.6f %.6f %s%n", scan.cells, scan.bytes, seconds, cpu,
                withDigest ? String.format("%016x", scan.digest) : "-");
        }
    }

    private void run(Configuration conf, Path file, boolean withDigest) throws Exception {
        HFileSystem fs = new HFileSystem(conf, true); /* true: HBase's checksums are verified */
        try (HFile.Reader reader = HFile.createReader(fs, file, CacheConfig.DISABLED, true, conf)) {
            HFileScanner scanner = reader.getScanner(conf, false, false, false);
            for (boolean more = scanner.seekTo(); more; more = scanner.next()) {
                Cell cell = scanner.getCell();
                cells++;
                bytes += KeyValue.KEYVALUE_INFRASTRUCTURE_SIZE + KeyValue.KEY_INFRASTRUCTURE_SIZE + cell.getRowLength()
                    + cell.getFamilyLength() + cell.getQualifierLength() + cell.getValueLength();
                if (withDigest) {
                    add(cell);
                }
            }
        }
    }

    private void add(Cell cell) {
        KeyValue kv = KeyValueUtil.copyToNewKeyValue(cell);
        int tags = kv.getTagsLength();
        crc.reset();
        crc.update(kv.getBuffer(), kv.getOffset(), kv.getLength() - (tags > 0 ? tags + KeyValue.TAGS_LENGTH_SIZE : 0));
        digest += crc.getValue();
    }
}
