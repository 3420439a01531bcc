package obkv.spark;

import java.io.IOException;

/** A program or the job cannot go on: an exit code (docs/exit-codes.md) and a message for the user. Another start of the same task may
 * help when a machine, a disk or a moment was at fault, never when input or options are. */
final class Failure extends RuntimeException {
    private static final String MARK = "obkv exit ";
    final int code;

    Failure(int code, String message) {
        super(message);
        this.code = code;
    }

    /** Killed (128 + signal), busy, out of memory or disk, output not writable: perhaps not on another machine, or later. */
    boolean mayPass() {
        return code == 75 || code == 6 || code == 7 || code >= 128;
    }

    /** As an exception that Spark counts as a failed attempt; its text survives in Spark's own message. */
    RuntimeException forSpark() {
        return new RuntimeException(MARK + code + ": " + getMessage().replace('\n', ' ') + " |");
    }

    /** Reading inputs or writing pieces failed, by this process and not by a program: a server, a network, or the local disk. */
    static Failure of(IOException e) {
        String text = String.valueOf(e.getMessage());
        return new Failure(text.contains("No space left on device") || text.contains("Disk quota exceeded") ? 6 : 75,
                e.getClass() == IOException.class ? text : e.getClass().getSimpleName() + ": " + text);
    }

    /** What ended a job of Spark: our message where it was one, else the first line of the first cause. */
    static Failure of(Throwable e) {
        Throwable first = e;
        for (Throwable t = e; t != null; t = t.getCause()) {
            if (t.getMessage() != null) first = t;
            if (t instanceof Failure) return (Failure) t;
            String text = String.valueOf(t.getMessage());
            int at = text.indexOf(MARK), end = text.indexOf(" |", at);
            if (at < 0 || end < 0) continue;
            int colon = text.indexOf(": ", at);
            return new Failure(Integer.parseInt(text.substring(at + MARK.length(), colon)), text.substring(colon + 2, end));
        }
        return new Failure(75, String.valueOf(first.getMessage()).split("\n")[0]);
    }
}
