package obkv.spark;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;

/** Numbers of pieces as an input of Hadoop, a task each, with the machines that hold their bytes: so Spark's Java interface runs a task
 * where its input is, whatever the version of Scala. */
public final class PieceInput extends InputFormat<LongWritable, NullWritable> {
    private static final String PIECES = "obkv.pieces";

    /** pieces: of one task each. hosts: as long. */
    static Configuration configure(Configuration conf, List<List<Integer>> pieces, List<List<String>> hosts) {
        List<String> tasks = new ArrayList<>();
        for (int i = 0; i < pieces.size(); i++) {
            List<String> numbers = new ArrayList<>();
            for (int n : pieces.get(i)) numbers.add(Integer.toString(n));
            tasks.add(String.join("+", numbers) + "@" + String.join(" ", hosts.get(i)));
        }
        Configuration own = new Configuration(conf);
        own.set(PIECES, String.join(";", tasks));
        return own;
    }

    @Override
    public List<InputSplit> getSplits(JobContext context) {
        List<InputSplit> splits = new ArrayList<>();
        for (String task : context.getConfiguration().get(PIECES).split(";")) {
            String[] both = task.split("@", 2);
            splits.add(new Split(both[0], both[1].isEmpty() ? new String[0] : both[1].split(" ")));
        }
        return splits;
    }

    @Override
    public RecordReader<LongWritable, NullWritable> createRecordReader(InputSplit split, TaskAttemptContext context) {
        return new Reader(((Split) split).numbers);
    }

    public static final class Split extends InputSplit implements Writable {
        private String numbers = "";
        private String[] hosts = {};

        public Split() {
        }

        Split(String numbers, String[] hosts) {
            this.numbers = numbers;
            this.hosts = hosts;
        }

        @Override
        public long getLength() {
            return 1; /* Spark leaves empty splits out */
        }

        @Override
        public String[] getLocations() {
            return hosts.clone();
        }

        @Override
        public void write(DataOutput o) throws IOException {
            o.writeUTF(numbers);
            o.writeUTF(String.join(" ", hosts));
        }

        @Override
        public void readFields(DataInput i) throws IOException {
            numbers = i.readUTF();
            String h = i.readUTF();
            hosts = h.isEmpty() ? new String[0] : h.split(" ");
        }
    }

    private static final class Reader extends RecordReader<LongWritable, NullWritable> {
        private final long[] numbers;
        private int at = -1;

        Reader(String numbers) {
            this.numbers = Arrays.stream(numbers.split("\\+")).mapToLong(Long::parseLong).toArray();
        }

        @Override
        public void initialize(InputSplit split, TaskAttemptContext context) {
            at = -1;
        }

        @Override
        public boolean nextKeyValue() {
            return ++at < numbers.length;
        }

        @Override
        public LongWritable getCurrentKey() {
            return new LongWritable(numbers[at]);
        }

        @Override
        public NullWritable getCurrentValue() {
            return NullWritable.get();
        }

        @Override
        public float getProgress() {
            return (float) (at + 1) / numbers.length;
        }

        @Override
        public void close() {
            at = numbers.length;
        }
    }
}
