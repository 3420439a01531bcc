import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.io.hfile.HFilePrettyPrinter;

/**
 * Runs `hbase hfile -m -b -h -s -k -v -f FILE`: metadata, root index, every block header, statistics, row order.
 *
 *   PrettyPrint FILE     prints what HBase prints
 *   PrettyPrint @JOBS    per line: subject, file, file for what HBase prints ("-": not kept)
 */
public final class PrettyPrint {
    private static final Pattern COUNT = Pattern.compile("Scanned kv count -> (\\d+)");
    private static final Pattern ENTRIES = Pattern.compile("entryCount=(\\d+)");

    private final Configuration conf = HBaseConfiguration.create();

    public static void main(String[] args) throws Exception {
        PrettyPrint p = new PrettyPrint();
        boolean ok = true;
        if (args.length == 1 && args[0].startsWith("@")) {
            for (String[] job : Checks.jobs(args[0].substring(1), 3)) {
                ok &= p.check(job[0], job[1], job[2]).report(System.out);
            }
        } else if (args.length == 1) {
            ok = p.check(args[0], args[0], "/dev/stdout").report(System.err);
        } else {
            System.err.println("usage: PrettyPrint FILE | @JOBS");
            ok = false;
        }
        System.exit(ok ? 0 : 1);
    }

    private Checks check(String subject, String file, String printed) throws IOException {
        Checks c = new Checks(subject);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        HFilePrettyPrinter printer = new HFilePrettyPrinter(conf);
        printer.setPrintStreams(new PrintStream(out, true), new PrintStream(err, true));
        try {
            int rc = printer.run(new String[] {"-m", "-b", "-h", "-s", "-k", "-v", "-f", Path.of(file).toUri().toString()});
            c.equal(0, rc, "result");
        } catch (RuntimeException | LinkageError | AssertionError e) {
            c.threw(e);
        }
        c.that(err.size() == 0, "complaint: %s", err);
        counts(c, out.toString());
        if (!printed.equals("-")) {
            Files.write(Path.of(printed), out.toByteArray());
        }
        return c;
    }

    private static void counts(Checks c, String out) {
        Matcher scanned = COUNT.matcher(out);
        Matcher entries = ENTRIES.matcher(out);
        boolean found = scanned.find() && entries.find();
        c.that(found, "no cell counts in the output");
        if (found) {
            c.equal(entries.group(1), scanned.group(1), "scanned cells");
            c.saw("%s cells", scanned.group(1));
        }
        for (String part : new String[] {"Block index size as per heapsize", "Mid-key", "Bloom filter:", "Block Headers:"}) {
            c.that(out.contains(part), "no \"%s\" in the output", part);
        }
    }
}
