package obkv.spark;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The finished pieces of a stage. An attempt uploads to a folder of its own; then a file of one line, renamed into place, says that this
 * folder is the piece:
 *
 *     WORK/shards/00003.done = 00003-17        WORK/shards/00003-17/MANIFEST.json, info/p00000-000.hfile …
 *
 * A retry or a speculative attempt that is late finds the file there and removes its own folder; one that died leaves a folder that
 * nothing refers to. On object stores a rename copies, but only this small file. */
final class Pieces {
    private final FileSystem fs;
    private final Path dir;

    Pieces(Configuration conf, String dir) throws IOException {
        this.fs = Remote.of(conf, dir);
        this.dir = new Path(dir);
    }

    private Path done(int number) {
        return new Path(dir, String.format("%05d.done", number));
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

    /** Uploads what is below `from` and makes it the piece, unless another attempt was faster. */
    void publish(int number, Path folder, java.nio.file.Path from) throws IOException {
        String name = folder.getName();
        Path mark = new Path(folder, ".done");
        upload(from, folder);
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

    void upload(java.nio.file.Path from, Path folder) throws IOException {
        List<java.nio.file.Path> files;
        try (Stream<java.nio.file.Path> all = Files.walk(from)) {
            files = all.filter(Files::isRegularFile).filter(p -> !from.relativize(p).startsWith(".obkv")).collect(Collectors.toList());
        }
        for (java.nio.file.Path f : files)
            fs.copyFromLocalFile(false, true, new Path(f.toUri()), new Path(folder, from.relativize(f).toString()));
    }

    byte[] read(Path folder, String name) throws IOException {
        Path file = new Path(folder, name);
        return Staging.head(fs, file.toString(), fs.getFileStatus(file).getLen());
    }

    long modified(Path folder) throws IOException {
        return fs.getFileStatus(new Path(folder, "MANIFEST.json")).getModificationTime();
    }

    void fetch(Path folder, String name, java.nio.file.Path to) throws IOException {
        fs.copyToLocalFile(false, new Path(folder, name), new Path(to.toUri()), true);
    }

    static void removeTree(java.nio.file.Path dir) throws IOException {
        if (!Files.exists(dir)) return;
        try (Stream<java.nio.file.Path> all = Files.walk(dir)) {
            for (java.nio.file.Path p : all.sorted(Comparator.reverseOrder()).collect(Collectors.toList())) Files.deleteIfExists(p);
        }
    }
}
