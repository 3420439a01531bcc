package obkv.spark;

import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A directory of one attempt, or of the driver, on the local disk with the most room. It is locked as long as its process lives, so the
 * next one that makes such a directory there removes those that a killed process has left. */
final class Scratch implements Closeable {
    private static final String LOCK = ".lock";
    private static final Set<Path> OWN = new HashSet<>(); /* of this process: opening their locks once more would end them */

    final Path dir;
    private final FileChannel lock;

    Scratch(Options o, String name) throws IOException {
        Path parent = roomiest(o);
        synchronized (OWN) {
            removeLeft(parent);
            Path begun = Files.createTempDirectory(parent, "obkv-new-"); /* nobody removes it before it is locked */
            lock = open(begun.resolve(LOCK));
            lock.lock();
            dir = parent.resolve("obkv-" + name + begun.getFileName().toString().substring("obkv-new".length()));
            OWN.add(dir);
            Files.move(begun, dir);
        }
    }

    @Override
    public void close() throws IOException {
        synchronized (OWN) {
            lock.close();
            OWN.remove(dir);
        }
        Pieces.removeTree(dir);
    }

    private static FileChannel open(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static void removeLeft(Path parent) throws IOException {
        List<Path> all;
        try (Stream<Path> s = Files.list(parent)) {
            all = s.filter(p -> p.getFileName().toString().matches("obkv-(task|driver)-.*")).collect(Collectors.toList());
        }
        for (Path p : all)
            if (!OWN.contains(p) && isLeft(p)) remove(p);
    }

    private static boolean isLeft(Path dir) {
        try (FileChannel c = open(dir.resolve(LOCK)); FileLock held = c.tryLock()) {
            return held != null;
        } catch (IOException notOurs) {
            return false;
        }
    }

    /** What cannot be removed, such as files of another user, is left to its owner. */
    private static void remove(Path dir) {
        try {
            Pieces.removeTree(dir);
        } catch (IOException | java.io.UncheckedIOException left) {
            System.err.println("obkv-spark: " + dir + ", left by a job that was killed, cannot be removed: " + left.getMessage());
        }
    }

    private static Path roomiest(Options o) throws IOException {
        String dirs = o.scratch;
        for (String variable : new String[] {"LOCAL_DIRS", "SPARK_EXECUTOR_DIRS", "SPARK_LOCAL_DIRS"})
            if (dirs == null) dirs = System.getenv(variable);
        if (dirs == null) dirs = System.getProperty("java.io.tmpdir");
        File best = null;
        for (String d : dirs.split("[,:]")) {
            File f = new File(d);
            f.mkdirs();
            if (best == null || f.getUsableSpace() > best.getUsableSpace()) best = f;
        }
        return best.toPath().toRealPath();
    }
}
