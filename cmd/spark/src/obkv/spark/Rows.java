package obkv.spark;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.StructField;

/** Rows of Spark SQL as an input: what a query or a DataFrame yields becomes text in WORK/rows, a line for each row, and then the input
 * of the shards. Names of columns say what they are, as --columns of obkv-import does: HBASE_ROW_KEY, HBASE_TS_KEY, family:qualifier.
 *
 * The text is made once: a task writes below WORK/rows.tmp and renames what is complete, and WORK/rows.done is the last file. */
final class Rows {
    private static final long FILE_BYTES = 256L << 20;
    private static final int BUFFER = 1 << 20;

    private final Options o;
    private final Remote remote;

    Rows(Options o, Remote remote) {
        this.o = o;
        this.remote = remote;
    }

    static String directory(Options o) {
        return o.work + "/rows";
    }

    /** All statements but the last are run first: they may name views of files, or of other databases. */
    static Dataset<Row> query(List<String> statements) {
        try { /* the builder's class differs between Spark 3.5 and 4 */
            Object builder = SparkSession.class.getMethod("builder").invoke(null);
            SparkSession session = (SparkSession) builder.getClass().getMethod("getOrCreate").invoke(builder);
            for (String s : statements.subList(0, statements.size() - 1)) session.sql(s);
            return session.sql(statements.get(statements.size() - 1));
        } catch (java.lang.reflect.InvocationTargetException e) {
            throw refused(e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new Failure(70, "this Spark has no SparkSession.builder(): " + e);
        } catch (Exception e) { /* Scala throws checked exceptions, too */
            throw refused(e);
        }
    }

    private static Failure refused(Throwable e) {
        return new Failure(2, "--sql: " + String.valueOf(e.getMessage()).split("\n")[0]);
    }

    /** Sets the options by which obkv-import reads the rows. Writes them, unless an earlier start has. */
    void make(Dataset<Row> rows) throws IOException {
        FileSystem fs = Remote.of(remote.conf(), o.work);
        List<String> names = new ArrayList<>();
        for (StructField f : rows.schema().fields()) names.add(f.name());
        o.rowOptions.addAll(List.of("--format", "csv", "--dialect", "mysql,header=each", "--allow", "not-utf8")); /* binary columns */
        if (Options.valueOf(o.importOptions, "--columns", "--columns") == null && Options.valueOf(o.importOptions, "--map", "--map") == null)
            o.rowOptions.addAll(List.of("--columns", columns(names)));
        Path done = new Path(directory(o) + ".done");
        if (fs.exists(done)) return;
        fs.delete(new Path(directory(o)), true);
        fs.mkdirs(new Path(directory(o)));
        long written = write(asText(rows), names);
        fs.delete(new Path(directory(o) + ".tmp"), true);
        if (written == 0) throw new Failure(5, "the query yields no row");
        Staging.write(fs, done, (written + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String columns(List<String> names) {
        for (String n : names)
            if (n.contains(",") || n.contains("=") || !n.contains(":") && !n.matches("HBASE_ROW_KEY|HBASE_TS_KEY|HBASE_CELL_TTL|OBKV_OP"))
                throw new Failure(2, "column " + n + ": name it HBASE_ROW_KEY, HBASE_TS_KEY or family:qualifier (SELECT … AS `info:name`), or "
                        + "give --columns or --map of obkv-import");
        return String.join(",", names);
    }

    /** Every column as bytes or as a string, as Spark writes its type; the time of a cell in milliseconds. */
    private static Dataset<Row> asText(Dataset<Row> rows) {
        List<String> expressions = new ArrayList<>();
        for (StructField f : rows.schema().fields()) {
            String name = "`" + f.name().replace("`", "``") + "`", type = f.dataType().typeName();
            String as = type.equals("binary") ? name : f.name().equals("HBASE_TS_KEY") && type.matches("timestamp.*|date")
                    ? "CAST(unix_millis(CAST(" + name + " AS TIMESTAMP)) AS STRING)" : isNested(f.dataType()) ? "to_json(" + name + ")"
                    : "CAST(" + name + " AS STRING)";
            expressions.add(as + " AS " + name);
        }
        return rows.selectExpr(expressions.toArray(new String[0]));
    }

    private static boolean isNested(DataType type) {
        return List.of("array", "map", "struct").contains(type.typeName());
    }

    private long write(Dataset<Row> rows, List<String> names) {
        Remote files = remote;
        String dir = directory(o), head = String.join("\t", names);
        List<Long> counts = rows.toJavaRDD().mapPartitionsWithIndex((i, part) -> {
            long n = 0;
            for (int file = 0; part.hasNext(); file++) n += writeFile(files, dir, String.format("part-%05d-%03d", i, file), head, part);
            return List.of(n).iterator();
        }, true).collect();
        return counts.stream().mapToLong(Long::longValue).sum();
    }

    /** An attempt that is late finds the file there, and lets it be: it has the same rows. */
    private static long writeFile(Remote files, String dir, String name, String head, Iterator<Row> rows) throws IOException {
        FileSystem fs = Remote.of(files.conf(), dir);
        Path to = new Path(dir, name), part = new Path(dir + ".tmp", name + "-" + TaskContext.get().taskAttemptId());
        Line line = new Line();
        long n = 0, bytes = 0;
        try (OutputStream out = fs.create(part, true, BUFFER)) {
            line.put(head.getBytes(StandardCharsets.UTF_8), 0x100);
            for (bytes += line.end(out); rows.hasNext() && bytes < FILE_BYTES; n++) {
                Row row = rows.next();
                for (int c = 0; c < row.length(); c++) line.field(c, row.get(c));
                bytes += line.end(out);
            }
        }
        if (!fs.exists(to) && !fs.rename(part, to) && !fs.exists(to)) throw new IOException(to + ": cannot be written");
        return n;
    }

    /** A line of --dialect mysql. */
    private static final class Line {
        private byte[] bytes = new byte[4096];
        private int n;

        void field(int number, Object value) {
            if (number > 0) add((byte) '\t');
            if (value == null) {
                add((byte) '\\');
                add((byte) 'N');
            } else put(value instanceof byte[] ? (byte[]) value : value.toString().getBytes(StandardCharsets.UTF_8), '\\');
        }

        /** escape: before bytes that have a meaning; 0x100: none. */
        void put(byte[] value, int escape) {
            for (byte b : value) {
                int at = escape > 0xff ? -1 : "\\\t\n\r\0".indexOf(b);
                if (at >= 0) add((byte) escape);
                add(at < 0 ? b : (byte) "\\tnr0".charAt(at));
            }
        }

        private void add(byte b) {
            if (n == bytes.length) bytes = java.util.Arrays.copyOf(bytes, 2 * n);
            bytes[n++] = b;
        }

        int end(OutputStream out) throws IOException {
            add((byte) '\n');
            out.write(bytes, 0, n);
            int written = n;
            n = 0;
            return written;
        }
    }
}
