import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a program found out about one subject (mostly a file), and the one line it prints for it on stdout:
 *
 *   PASS TAB subject TAB what was seen          FAIL TAB subject TAB first problems, separated by "; "
 *
 * The driver (interop.py) counts these lines and expects exactly one for each subject it asked for.
 */
final class Checks {
    private static final int PROBLEMS_SHOWN = 5;

    private final String subject;
    private final List<String> problems = new ArrayList<>();
    private final List<String> seen = new ArrayList<>();
    private int nProblems;

    Checks(String subject) {
        this.subject = subject;
    }

    void that(boolean ok, String format, Object... args) {
        if (ok) {
            return;
        }
        nProblems++;
        if (problems.size() < PROBLEMS_SHOWN) {
            problems.add(String.format(format, args));
        }
    }

    void equal(Object want, Object got, String what) {
        that(want.equals(got), "%s: want %s, got %s", what, want, got);
    }

    void saw(String format, Object... args) {
        seen.add(String.format(format, args));
    }

    void threw(Throwable t) {
        nProblems++;
        problems.add("exception " + t);
        t.printStackTrace();
    }

    /** Prints the line; true: no problem. */
    boolean report(PrintStream out) {
        boolean ok = nProblems == 0;
        String text = String.join(ok ? ", " : "; ", ok ? seen : problems);
        if (nProblems > problems.size()) {
            text += "; and " + (nProblems - problems.size()) + " more";
        }
        out.println((ok ? "PASS\t" : "FAIL\t") + subject + "\t" + text.replace('\n', ' ').replace('\t', ' '));
        out.flush();
        return ok;
    }

    /** The TAB-separated lines of a job file; each must have n fields. */
    static List<String[]> jobs(String file, int n) throws IOException {
        List<String[]> jobs = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(Path.of(file))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] f = line.split("\t", -1);
                if (f.length != n) {
                    throw new IOException(file + ": " + f.length + " fields instead of " + n + ": " + Arrays.toString(f));
                }
                jobs.add(f);
            }
        }
        return jobs;
    }
}
