package obkv.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/** The inputs on local disk as one shard needs them: every file with its name, size and time of change, as a sparse file, and the
 * bytes of those that the shard reads. So each machine cuts the same list, and fetches only its part of the bytes. */
final class Staging {
    private static final int BUFFER = 256 << 10;
    private static final long STRETCH = 64 << 20;
    private final Configuration conf;
    private final Path in;

    Staging(Configuration conf, Path in) {
        this.conf = conf;
        this.in = in;
    }

    Path local(Plan.Entry e) {
        return in.resolve(Integer.toString(e.input)).resolve(e.relative);
    }

    /** All of the list. */
    void placeholders(Plan plan) throws IOException {
        for (Plan.Entry e : plan.entries) {
            if (e.directory) Files.createDirectories(local(e));
            else {
                Files.createDirectories(local(e).getParent());
                placeholder(local(e), e.bytes, e.head);
                if (e.whole) copy(e, 0, e.bytes, false);
                stamp(e);
            }
        }
        smallFiles(plan.options, in.getParent());
    }

    /** Those of --file; one may be a password. */
    static void smallFiles(Options o, Path dir) throws IOException {
        for (Map.Entry<String, byte[]> f : o.files.entrySet()) {
            Path to = dir.resolve(f.getKey());
            if (!Files.exists(to)) Files.createFile(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            Files.write(to, f.getValue());
        }
    }

    static void placeholder(Path file, long bytes, byte[] head) throws IOException {
        try (RandomAccessFile f = new RandomAccessFile(file.toFile(), "rw")) {
            f.setLength(bytes);
            if (head != null) f.write(head);
        }
    }

    private void stamp(Plan.Entry e) throws IOException {
        Files.setLastModifiedTime(local(e), FileTime.fromMillis(e.mtime));
    }

    /** The bytes of a shard, many requests at a time: of a large file several stretches. */
    void fetch(Plan plan, int shard) throws IOException, InterruptedException {
        List<Callable<Void>> copies = new ArrayList<>(), checks = new ArrayList<>();
        for (Plan.Part p : plan.shards.get(shard - 1)) {
            Plan.Entry e = plan.entries.get(p.entry);
            if (e.whole) continue;
            long end = p.to < 0 ? e.bytes : p.to;
            for (long at = p.from; at == p.from || at < end; at += STRETCH) {
                long from = at, to = Math.min(end, at + STRETCH);
                boolean upToLine = to == end && p.to >= 0;
                copies.add(() -> copy(e, from, to, upToLine));
            }
            checks.add(() -> {
                demandUnchanged(e);
                stamp(e);
                return null;
            });
        }
        SideBySide.all(copies, SideBySide.FILES);
        SideBySide.all(checks, SideBySide.FILES);
    }

    private void demandUnchanged(Plan.Entry e) throws IOException {
        try {
            FileStatus now = Remote.of(conf, e.url).getFileStatus(new org.apache.hadoop.fs.Path(e.url));
            if (now.getLen() == e.bytes && now.getModificationTime() == e.mtime) return;
            throw new Failure(5, e.url + " has changed since the job began: start it again with another --work");
        } catch (FileNotFoundException gone) {
            throw new Failure(5, e.url + " has been removed since the job began");
        }
    }

    /** The bytes in their place. upToLine: a part of a text ends with the first line end at or after `to`. */
    private Void copy(Plan.Entry e, long from, long to, boolean upToLine) throws IOException {
        byte[] buffer = new byte[BUFFER];
        FileSystem fs = Remote.of(conf, e.url);
        try (FSDataInputStream s = Remote.open(fs, new org.apache.hadoop.fs.Path(e.url), e.bytes);
             RandomAccessFile f = new RandomAccessFile(local(e).toFile(), "rw")) {
            if (from > 0) s.seek(from);
            f.seek(from);
            long at = from;
            while (at < to || upToLine) {
                int n = s.read(buffer, 0, (int) (at < to && !upToLine ? Math.min(BUFFER, to - at) : BUFFER));
                if (n <= 0) break;
                f.write(buffer, 0, n);
                at += n;
                if (upToLine && at > to && hasLineEnd(buffer, (int) Math.max(0, to - at + n), n)) return null;
            }
            if (at < to) throw new IOException(e.url + ": ends at byte " + at + " of " + e.bytes);
        }
        return null;
    }

    private static boolean hasLineEnd(byte[] b, int from, int n) {
        for (int i = from; i < n; i++)
            if (b[i] == '\n') return true;
        return false;
    }

    static byte[] head(FileSystem fs, String url, long bytes) throws IOException {
        byte[] head = new byte[(int) bytes];
        try (FSDataInputStream s = fs.open(new org.apache.hadoop.fs.Path(url))) {
            s.readFully(0, head);
        }
        return head;
    }

    static void write(FileSystem fs, org.apache.hadoop.fs.Path to, byte[] content) throws IOException {
        try (OutputStream o = Remote.create(fs, to)) {
            o.write(content);
        }
    }
}
