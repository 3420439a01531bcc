package obkv.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Many small requests to a server at a time: each of them waits most of its time for an answer. */
final class SideBySide {
    static final int FILES = 16; /* of one task, and of the driver */

    private SideBySide() {
    }

    /** The results in the order of the work. The first failure ends it. */
    static <T> List<T> all(List<Callable<T>> work, int atOnce) throws IOException, InterruptedException {
        List<T> out = new ArrayList<>();
        if (work.isEmpty()) return out;
        ExecutorService pool = Executors.newFixedThreadPool(Math.min(atOnce, work.size()));
        try {
            List<Future<T>> begun = new ArrayList<>();
            for (Callable<T> w : work) begun.add(pool.submit(w));
            for (Future<T> f : begun) out.add(f.get());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof Failure) throw (Failure) e.getCause();
            throw e.getCause() instanceof IOException ? (IOException) e.getCause() : new IOException(e.getCause());
        } finally {
            pool.shutdownNow();
            pool.awaitTermination(60, TimeUnit.SECONDS); /* nobody writes to a directory that its task removes */
        }
        return out;
    }
}
