import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.hfile.HFile;

/**
 * Reads HFiles with HBase's own reader and checks all that stands in them.
 *
 *   ScanHFile FILE       prints the cells on stdout and the verdict on stderr
 *   ScanHFile @JOBS      per line: subject, file, file for the cells, and what is wanted ("-" = anything): codec,
 *                        encoding, bloom, block size; and how many cells are looked up
 */
public final class ScanHFile {
    private static final int JOB_FIELDS = 8;

    private final Configuration conf;
    private final HFileSystem fs;

    private ScanHFile() throws IOException {
        conf = HBaseConfiguration.create();
        fs = new HFileSystem(conf, true); /* true: verify HBase's checksums, not the file system's */
    }

    public static void main(String[] args) throws Exception {
        ScanHFile scan = new ScanHFile();
        boolean ok = true;
        if (args.length == 1 && args[0].startsWith("@")) {
            for (String[] job : Checks.jobs(args[0].substring(1), JOB_FIELDS)) {
                try (Writer out = Files.newBufferedWriter(java.nio.file.Path.of(job[2]))) {
                    ok &= scan.check(job, out).report(System.out);
                }
            }
        } else if (args.length == 1) {
            Writer out = new BufferedWriter(new OutputStreamWriter(System.out, StandardCharsets.US_ASCII));
            ok = scan.check(new String[] {args[0], args[0], "-", "-", "-", "-", "-", "300"}, out).report(System.err);
            out.flush();
        } else {
            System.err.println("usage: ScanHFile FILE | @JOBS");
            ok = false;
        }
        System.exit(ok ? 0 : 1);
    }

    private Checks check(String[] job, Writer out) {
        Checks c = new Checks(job[0]);
        Path path = new Path(java.nio.file.Path.of(job[1]).toAbsolutePath().toUri());
        HFile.getAndResetChecksumFailuresCount();
        try (HFileCells file = new HFileCells(fs, path, conf)) {
            for (KeyValue kv : file.cells) {
                CellText.write(out, kv, kv.getSequenceId());
            }
            wanted(c, job[3], file.reader.getTrailer().getCompressionCodec(), "codec");
            wanted(c, job[4], file.reader.getDataBlockEncoding(), "encoding");
            file.checkContents(c);
            file.checkBlocks(c, job[6].equals("-") ? 0 : Long.parseLong(job[6]));
            file.checkEnds(c);
            int lookups = Integer.parseInt(job[7]);
            file.checkSeeks(c, lookups);
            checkStore(c, path, file, job[5], 3 * lookups);
        } catch (Exception | LinkageError | AssertionError e) {
            c.threw(e);
        }
        /* HBase reads a block with a wrong checksum a second time without checking it: only this counter tells */
        c.equal(0L, HFile.getAndResetChecksumFailuresCount(), "checksum failures");
        return c;
    }

    private void checkStore(Checks c, Path path, HFileCells file, String bloom, int absentKeys)
        throws Exception {
        StoreChecks store = new StoreChecks(c, fs, path, conf, file.cells);
        try {
            wanted(c, bloom, store.bloomType(), "bloom");
            store.checkMetadata();
            store.checkGeneralBloom(absentKeys);
            store.checkDeleteBloom();
        } finally {
            store.close();
        }
    }

    private static void wanted(Checks c, String want, Object got, String what) {
        if (!want.equals("-")) {
            c.equal(want, got.toString(), what);
        }
    }
}
