import com.sun.management.OperatingSystemMXBean;
import java.io.EOFException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Paths;
import java.util.Locale;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALPrettyPrinter;
import org.apache.hadoop.hbase.wal.WALStreamReader;

/**
 * {@code WalSpeed read|print ROUNDS FILE}: a write-ahead log read by HBase's own reader, which WALPlayer and replication use as
 * well, or by its WALPrettyPrinter, whose text goes nowhere. Prints cells (print: 0), bytes of keys and values, seconds and CPU seconds
 * of each round; the first is that of a cold JVM, CPU seconds are those of all its threads.
 */
public final class WalSpeed {
    private long cells;
    private long bytes;

    public static void main(String[] args) throws Exception {
        Path file = new Path(Paths.get(args[2]).toAbsolutePath().toUri());
        Configuration conf = HBaseConfiguration.create();
        OperatingSystemMXBean process = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        for (int i = Integer.parseInt(args[1]); i > 0; i--) {
            WalSpeed round = new WalSpeed();
            long start = System.nanoTime();
            long cpuStart = process.getProcessCpuTime();
            if (args[0].equals("read")) {
                round.read(conf, file);
            } else {
                round.print(conf, file);
            }
            System.out.printf(Locale.ROOT, "%d %d %.6f %.6f -%n", round.cells, round.bytes, (System.nanoTime() - start) / 1e9,
                (process.getProcessCpuTime() - cpuStart) / 1e9);
        }
    }

    private void read(Configuration conf, Path file) throws Exception {
        try (WALStreamReader reader = WALFactory.createStreamReader(FileSystem.getLocal(conf), file, conf)) {
            for (WAL.Entry e = reader.next(); e != null; e = reader.next()) {
                for (Cell c : e.getEdit().getCells()) {
                    cells++;
                    bytes += c.getRowLength() + c.getFamilyLength() + c.getQualifierLength() + c.getValueLength();
                }
            }
        } catch (EOFException end) {
            throw new IllegalStateException("the log is torn", end);
        }
    }

    private void print(Configuration conf, Path file) throws Exception {
        WALPrettyPrinter printer = new WALPrettyPrinter();
        PrintStream out = new PrintStream(OutputStream.nullOutputStream());
        printer.beginPersistentOutput();
        java.lang.reflect.Field field = WALPrettyPrinter.class.getDeclaredField("out");
        field.setAccessible(true);
        field.set(printer, out);
        printer.processFile(conf, file);
    }
}
