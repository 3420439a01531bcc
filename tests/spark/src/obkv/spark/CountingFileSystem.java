package obkv.spark;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** Local files behind count:///, as an object store that takes a while to answer: each request is a line of the file that the setting
 * fs.count.log names, "request path at-a-time". */
public final class CountingFileSystem extends RawLocalFileSystem {
    private static final int ANSWERS_AFTER_MS = 3;
    private static final AtomicInteger RUNNING = new AtomicInteger();

    @Override
    public URI getUri() {
        return URI.create("count:///");
    }

    @Override
    public String getScheme() {
        return "count";
    }

    private void request(String what, Path path) throws IOException {
        int now = RUNNING.incrementAndGet();
        try {
            Thread.sleep(ANSWERS_AFTER_MS);
        } catch (InterruptedException e) {
            throw (IOException) new java.io.InterruptedIOException().initCause(e);
        } finally {
            RUNNING.decrementAndGet();
        }
        byte[] line = (what + " " + path.toUri().getPath() + " " + now + "\n").getBytes(StandardCharsets.UTF_8);
        Files.write(java.nio.file.Path.of(getConf().get("fs.count.log")), line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    @Override
    public FSDataInputStream open(Path f, int bufferSize) throws IOException {
        request("open", f);
        return super.open(f, bufferSize);
    }

    @Override
    public FSDataOutputStream create(Path f, boolean overwrite, int bufferSize, short replication, long blockSize, Progressable progress)
            throws IOException {
        request("create", f);
        return super.create(f, overwrite, bufferSize, replication, blockSize, progress);
    }

    @Override
    public FSDataOutputStream create(Path f, FsPermission permission, boolean overwrite, int bufferSize, short replication,
            long blockSize, Progressable progress) throws IOException {
        return create(f, overwrite, bufferSize, replication, blockSize, progress);
    }

    @Override
    public boolean rename(Path src, Path dst) throws IOException {
        request("rename", src);
        return super.rename(src, dst);
    }

    @Override
    public FileStatus[] listStatus(Path f) throws IOException {
        request("list", f);
        FileStatus[] all = super.listStatus(f);
        for (int i = 0; i < all.length; i++) all[i] = plain(all[i]);
        return all;
    }

    /** Without permissions, which local files have by their URL of another scheme. */
    private static FileStatus plain(FileStatus s) {
        return new FileStatus(s.getLen(), s.isDirectory(), 1, s.getBlockSize(), s.getModificationTime(), s.getPath());
    }

    @Override
    public FileStatus getFileStatus(Path f) throws IOException {
        request("status", f);
        return plain(super.getFileStatus(f));
    }
}
