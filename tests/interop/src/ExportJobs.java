import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.codec.KeyValueCodec;
import org.apache.hadoop.hbase.mapreduce.Export;
import org.apache.hadoop.hbase.snapshot.ExportSnapshot;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.util.ToolRunner;

/** HBase's ExportSnapshot and Export jobs, run inside this process. */
final class ExportJobs {
    /** "visible" shows all versions, "raw" delete markers too; then how the file is compressed. */
    static final String[] KINDS = {"visible-none", "visible-record", "visible-block", "raw-none", "raw-block"};

    private final Configuration conf;
    private final Path out;

    ExportJobs(Configuration base, Path out) {
        conf = new Configuration(base);
        conf.set("mapreduce.framework.name", "local");
        conf.setInt("mapreduce.client.completion.pollinterval", 50);
        conf.setInt("mapreduce.client.progressmonitor.pollinterval", 50);
        this.out = out;
    }

    void snapshot(String name) throws Exception {
        snapshot(name, name);
    }

    /** Several may go into one folder. */
    void snapshot(String name, String folder) throws Exception {
        String to = out.resolve("exported").resolve(folder).toUri().toString();
        int rc = ToolRunner.run(new Configuration(conf), new ExportSnapshot(),
            new String[] {"--snapshot", name, "--copy-to", to, "--mappers", "1", "--bandwidth", "100", "--no-checksum-verify"});
        if (rc != 0) {
            throw new IOException("ExportSnapshot of " + name + " ends with " + rc);
        }
    }

    void export(String kind, TableName table) throws Exception {
        Configuration own = new Configuration(conf);
        boolean raw = kind.startsWith("raw");
        own.setBoolean("hbase.mapreduce.include.deleted.rows", raw);
        if (!raw) {
            own.set("hbase.client.rpc.codec", KeyValueCodec.class.getName()); /* HBase's default: tags stay on the server */
        }
        String to = out.resolve("sequence").resolve(kind).toUri().toString();
        Job job = Export.createSubmittableJob(own, new String[] {table.toString(), to, "" + Integer.MAX_VALUE});
        job.getConfiguration().unset("tmpjars");
        compress(job, kind);
        if (!job.waitForCompletion(false)) {
            throw new IOException("Export " + kind + " of " + table + " failed");
        }
    }

    private static void compress(Job job, String kind) {
        if (kind.endsWith("none")) {
            return;
        }
        boolean block = kind.endsWith("block");
        Class<? extends CompressionCodec> codec = block ? GzipCodec.class : DefaultCodec.class;
        codec = kind.equals("raw-block") ? SnappyCodec.class : codec;
        FileOutputFormat.setCompressOutput(job, true);
        FileOutputFormat.setOutputCompressorClass(job, codec);
        SequenceFileOutputFormat.setOutputCompressionType(job,
            block ? SequenceFile.CompressionType.BLOCK : SequenceFile.CompressionType.RECORD);
    }
}
