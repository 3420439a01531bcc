import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.ManualEnvironmentEdge;
import org.apache.hadoop.hbase.wal.WALFactory;

/**
 * JudgeNights SCRATCH TTL_S: what a region of HBase shows after each night. It has one family, f, which keeps all versions for
 * TTL_S seconds, and its clock is the caller's. A line of standard input is a night:
 *
 *   NOW_MS CELLS OUT flush|compact|-
 *
 * The cells (as text, in the order in which they are written) are put and deleted one by one; then the region is flushed, or
 * flushed and major-compacted, and what a scan of all versions shows is written to OUT. The answer is a line `PASS NOW_MS`.
 */
public final class JudgeNights {
    private static final byte[] FAMILY = Bytes.toBytes("f");
    private static final int FOR_EVER = 1_000_000;
    private static final int FIELDS = 4;

    private final ManualEnvironmentEdge clock = new ManualEnvironmentEdge();
    private final HRegion region;

    private JudgeNights(java.nio.file.Path scratch, int ttl) throws IOException {
        EnvironmentEdgeManager.injectEdge(clock);
        clock.setValue(System.currentTimeMillis());
        Configuration conf = HBaseConfiguration.create();
        Path root = new Path(scratch.toAbsolutePath().toUri());
        conf.set("hbase.rootdir", root.toString());
        conf.set("hbase.wal.provider", "filesystem");
        conf.setBoolean("hbase.unsafe.stream.capability.enforce", false);
        conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false);
        TableDescriptor table = TableDescriptorBuilder.newBuilder(TableName.valueOf("t"))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(FAMILY).setMaxVersions(FOR_EVER).setTimeToLive(ttl).build())
            .build();
        var info = RegionInfoBuilder.newBuilder(table.getTableName()).setRegionId(1).build();
        region = HRegion.createHRegion(info, root, conf, table, new WALFactory(conf, "judge").getWAL(info));
    }

    public static void main(String[] args) throws Exception {
        String subject = "start";
        try {
            JudgeNights judge = new JudgeNights(java.nio.file.Path.of(args[0]), Integer.parseInt(args[1]));
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
            System.out.println("PASS\tstart");
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] night = line.split(" ");
                subject = night[0];
                if (night.length != FIELDS) {
                    throw new IOException("a night has four words: " + line);
                }
                judge.night(night);
                System.out.println("PASS\t" + subject);
            }
        } catch (Throwable e) {
            e.printStackTrace();
            System.out.println("FAIL\t" + subject + "\t" + e);
            MiniHBase.halt(false);
        }
        MiniHBase.halt(true);
    }

    private void night(String[] night) throws IOException {
        clock.setValue(Long.parseLong(night[0]));
        for (String line : Files.readAllLines(java.nio.file.Path.of(night[1]))) {
            write(line.split("\t"));
        }
        if (!night[3].equals("-")) {
            region.flush(true);
        }
        if (night[3].equals("compact")) {
            region.compact(true);
        }
        scan(java.nio.file.Path.of(night[2]));
    }

    private void write(String[] f) throws IOException {
        byte[] row = CellText.bytes(f[0]);
        KeyValue.Type type = KeyValue.Type.codeToType((byte) Integer.parseInt(f[4]));
        KeyValue cell = new KeyValue(row, FAMILY, CellText.bytes(f[2]), Long.parseLong(f[3]), type, CellText.bytes(f[6]));
        if (type == KeyValue.Type.Put) {
            region.put(new Put(row).add(cell));
        } else {
            region.delete(new Delete(row).add(cell));
        }
    }

    private void scan(java.nio.file.Path to) throws IOException {
        List<Cell> cells = new ArrayList<>();
        try (Writer out = Files.newBufferedWriter(to); RegionScanner s = region.getScanner(new Scan().readAllVersions())) {
            for (boolean more = true; more; cells.clear()) {
                more = s.next(cells);
                for (Cell c : cells) {
                    CellText.write(out, c, 0);
                }
            }
        }
    }
}
