package obkv.spark;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ChecksumFileSystem;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** Hadoop's file systems: its settings as they travel to the tasks, and what differs between them. */
final class Remote implements Serializable {
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

    static boolean isLocal(FileSystem fs) {
        return fs.getUri().getScheme().equals("file");
    }

    /** A new file, or one that is replaced. Hadoop starts a chmod for each local one. */
    static OutputStream create(FileSystem fs, Path file) throws IOException {
        if (!isLocal(fs)) return fs.create(file, true);
        java.nio.file.Path local = java.nio.file.Path.of(fs.makeQualified(file).toUri().getPath());
        Files.createDirectories(local.getParent());
        return Files.newOutputStream(local);
    }

    /** Whether files are made under another name and renamed: elsewhere, as in object stores, a rename copies, and nobody sees a file
     * before it is complete. */
    static boolean renames(FileSystem fs) {
        return Set.of("file", "hdfs", "webhdfs", "swebhdfs", "viewfs", "ofs", "o3fs").contains(fs.getUri().getScheme());
    }

    /** A file of a known length: where Hadoop can use it, no request asks for it. */
    static FSDataInputStream open(FileSystem fs, Path file, long length) throws IOException {
        try {
            return fs.openFile(file).opt("fs.option.openfile.length", Long.toString(length)).build().get();
        } catch (InterruptedException e) {
            throw (IOException) new InterruptedIOException().initCause(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException ? (IOException) e.getCause() : new IOException(e.getCause());
        }
    }

    static FileStatus[] list(FileSystem fs, Path dir) throws IOException {
        FileStatus[] all = fs.listStatus(dir);
        Arrays.sort(all, Comparator.comparing(s -> s.getPath().getName()));
        return all;
    }
}
