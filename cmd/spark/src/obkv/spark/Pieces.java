package obkv.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** The finished pieces of a stage. An attempt uploads to a folder of its own; then a file of one line, renamed into place, says that this
 * folder is the piece:
 *
 *     WORK/shards/00003.done = 00003-17        WORK/shards/00003-17/MANIFEST.json, info/p00000-000.hfile …
 *
 * A retry or a speculative attempt that is late finds the file there and removes its own folder; one that died leaves a folder that
 * nothing refers to. On object stores a rename copies, but only this small file. */
final class Pieces {
    private static final int BUFFER = 256 << 10;

    /** A finished piece, as the driver found it. modified: on all machines, and for a retry, the same. */
    static final class Piece implements Serializable {
        final String folder;
        final long modified;

        Piece(String folder, long modified) {
            this.folder = folder;
            this.modified = modified;
        }
    }

    private final FileSystem fs;
    private final Path dir;

    Pieces(Configuration conf, String dir) throws IOException {
        this.fs = Remote.of(conf, dir);
        this.dir = new Path(dir);
    }

    FileSystem fs() {
        return fs;
    }

    private Path done(int number) {
        return new Path(dir, String.format("%05d.done", number));
    }

    /** What is finished, by one listing. */
    Map<Integer, FileStatus> done() throws IOException {
        Map<Integer, FileStatus> found = new TreeMap<>();
        try {
            for (FileStatus s : fs.listStatus(dir))
                if (s.getPath().getName().matches("[0-9]+\\.done"))
                    found.put(Integer.parseInt(s.getPath().getName().replace(".done", "")), s);
        } catch (FileNotFoundException none) {
            return found;
        }
        return found;
    }

    /** All pieces, the first one first. */
    List<Piece> all(int count) throws IOException, InterruptedException {
        Map<Integer, FileStatus> found = done();
        List<Callable<Piece>> reads = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            FileStatus s = found.get(i);
            if (s == null) throw new IOException(done(i) + " is missing");
            reads.add(() -> new Piece(new Path(dir, new String(readAll(s.getPath(), s.getLen()), StandardCharsets.UTF_8).trim())
                    .toString(), s.getModificationTime()));
        }
        return SideBySide.all(reads, SideBySide.FILES);
    }

    /** The folder of a finished piece; null: it is not finished. */
    Path find(int number) throws IOException {
        try {
            long bytes = fs.getFileStatus(done(number)).getLen();
            String name = new String(Staging.head(fs, done(number).toString(), bytes), StandardCharsets.UTF_8).trim();
            return new Path(dir, name);
        } catch (FileNotFoundException e) {
            return null;
        }
    }

    /** A folder that no other attempt has. */
    Path folder(int number, long attempt) {
        return new Path(dir, String.format("%05d-%d-%d", number, attempt, System.nanoTime()));
    }

    /** Uploads what is below `from` and makes it the piece, unless another attempt was faster. out: where cell files go at once, under
     * their final names, so that nothing is to be renamed; null: into the folder, with the manifest. */
    void publish(int number, Path folder, java.nio.file.Path from, Path out) throws IOException, InterruptedException {
        String name = folder.getName();
        Path mark = new Path(folder, ".done");
        upload(from, folder, out);
        if (find(number) == null) {
            Staging.write(fs, mark, (name + "\n").getBytes(StandardCharsets.UTF_8));
            try {
                if (fs.rename(mark, done(number))) return;
            } catch (IOException e) {
                if (find(number) == null) throw e;
            }
        }
        Path winner = find(number);
        if (winner == null) throw new IOException(done(number) + ": cannot be written");
        if (!winner.getName().equals(name)) fs.delete(folder, true);
    }

    /** The manifest comes last: what has one is complete. */
    void upload(java.nio.file.Path from, Path folder, Path out) throws IOException, InterruptedException {
        List<java.nio.file.Path> files;
        try (Stream<java.nio.file.Path> all = Files.walk(from)) {
            files = all.filter(Files::isRegularFile).filter(p -> !from.relativize(p).startsWith(".obkv")).collect(Collectors.toList());
        }
        List<Callable<Void>> puts = new ArrayList<>(), last = new ArrayList<>();
        for (java.nio.file.Path f : files) {
            String name = from.relativize(f).toString();
            boolean isManifest = name.equals("MANIFEST.json"), isCells = !isManifest && !name.startsWith("_report");
            Path to = new Path(out != null && isCells ? out : folder, name);
            (isManifest ? last : puts).add(() -> put(f, to));
        }
        SideBySide.all(puts, SideBySide.FILES);
        SideBySide.all(last, SideBySide.FILES);
    }

    private Void put(java.nio.file.Path from, Path to) throws IOException {
        byte[] buffer = new byte[(int) Math.max(1, Math.min(BUFFER, Files.size(from)))]; /* files are many and short, or few */
        try (InputStream in = Files.newInputStream(from); OutputStream o = Remote.create(fs, to)) {
            for (int n; (n = in.read(buffer)) > 0;) o.write(buffer, 0, n);
        }
        return null;
    }

    byte[] read(Path folder, String name) throws IOException {
        Path file = new Path(folder, name);
        try (InputStream in = fs.open(file)) {
            return in.readAllBytes();
        }
    }

    private byte[] readAll(Path file, long bytes) throws IOException {
        return Staging.head(fs, file.toString(), bytes);
    }

    long modified(Path folder) throws IOException {
        return fs.getFileStatus(new Path(folder, "MANIFEST.json")).getModificationTime();
    }

    void fetch(Path file, long bytes, java.nio.file.Path to) throws IOException {
        byte[] buffer = new byte[(int) Math.max(1, Math.min(BUFFER, bytes))];
        long at = 0;
        try (InputStream in = Remote.open(fs, file, bytes); OutputStream o = Files.newOutputStream(to)) {
            for (int n; (n = in.read(buffer)) > 0; at += n) o.write(buffer, 0, n);
        }
        if (at != bytes) throw new IOException(file + ": has " + at + " bytes instead of " + bytes);
    }

    /** All files below a directory. */
    void fetchTree(Path from, java.nio.file.Path to) throws IOException, InterruptedException {
        List<Callable<Void>> fetches = new ArrayList<>();
        Files.createDirectories(to);
        String root = fs.makeQualified(from).toUri().getPath();
        for (RemoteIterator<LocatedFileStatus> all = fs.listFiles(from, true); all.hasNext();) {
            FileStatus s = all.next();
            java.nio.file.Path below = to.resolve(s.getPath().toUri().getPath().substring(root.length() + 1));
            Files.createDirectories(below.getParent());
            fetches.add(() -> {
                fetch(s.getPath(), s.getLen(), below);
                return null;
            });
        }
        SideBySide.all(fetches, SideBySide.FILES);
    }

    static void removeTree(java.nio.file.Path dir) throws IOException {
        if (!Files.exists(dir)) return;
        try (Stream<java.nio.file.Path> all = Files.walk(dir)) {
            for (java.nio.file.Path p : all.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) Files.deleteIfExists(p);
        }
    }
}
