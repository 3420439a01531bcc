package obkv.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Hadoop's file systems: its settings as they travel to the tasks, and where the blocks of files are. */
final class Remote implements Serializable {
    private static final int HOSTS = 3;
    private transient Configuration conf;

    Remote(Configuration conf) {
        this.conf = conf;
    }

    Configuration conf() {
        return conf;
    }

    private void writeObject(ObjectOutputStream o) throws IOException {
        conf.write(new DataOutputStream(o));
    }

    private void readObject(ObjectInputStream i) throws IOException {
        conf = new Configuration(false);
        conf.readFields(new DataInputStream(i));
    }

    /** Local files as they are: Hadoop would hide and write .crc files beside them. */
    static FileSystem of(Configuration conf, String url) throws IOException {
        FileSystem fs = new Path(url).getFileSystem(conf);
        return fs instanceof ChecksumFileSystem ? ((ChecksumFileSystem) fs).getRawFileSystem() : fs;
    }

    /** The machines that hold most of what a shard reads. */
    static List<String> hosts(Configuration conf, Plan plan, List<Plan.Part> parts) throws IOException {
        Map<String, Long> bytes = new HashMap<>();
        for (Plan.Part p : parts) {
            Plan.Entry e = plan.entries.get(p.entry);
            FileSystem fs = of(conf, e.url);
            if (!fs.getUri().getScheme().endsWith("hdfs")) return List.of();
            FileStatus status = fs.getFileStatus(new Path(e.url));
            long n = p.to < 0 ? e.bytes : p.to - p.from;
            for (BlockLocation b : fs.getFileBlockLocations(status, p.from, n))
                for (String host : b.getHosts()) bytes.merge(host, b.getLength(), Long::sum);
        }
        return bytes.entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder())).limit(HOSTS)
                .map(Map.Entry::getKey).collect(Collectors.toCollection(ArrayList::new));
    }

    static FileStatus[] list(FileSystem fs, Path dir) throws IOException {
        FileStatus[] all = fs.listStatus(dir);
        Arrays.sort(all, Comparator.comparing(s -> s.getPath().getName()));
        return all;
    }
}
