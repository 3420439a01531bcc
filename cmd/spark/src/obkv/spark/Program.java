package obkv.spark;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.spark.SparkFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one of our programs in a directory of its own. Its messages go to Spark's log, with the names that the user knows instead of
 * those of copies. It ends with its task: a shell beside it waits for the end of its standard input, which comes when the JVM dies,
 * however it dies. */
final class Program {
    private static final Logger LOG = LoggerFactory.getLogger("obkv");
    private static final String GUARD = String.join("\n",
            "exec 3<&0 </dev/null",
            "\"$@\" 3<&- &",
            "program=$!",
            "{ cat <&3; kill -9 $program; } >/dev/null 2>&1 &",
            "guard=$!",
            "exec 3<&-",
            "wait $program; code=$?",
            "kill $guard; exit $code");
    private static final int LAST_LINES = 5;

    private final String bin;
    private final Path directory;
    private final Map<String, String> originals;

    /** originals: the path of a copy -> what it is a copy of. */
    Program(String bin, Path directory, Map<String, String> originals) {
        this.bin = bin;
        this.directory = directory;
        this.originals = originals;
    }

    private String find(String name) {
        if (bin == null) return name;
        List<File> roots = new ArrayList<>();
        roots.add(new File(bin));
        if (!bin.startsWith("/")) roots.add(new File(SparkFiles.getRootDirectory(), bin));
        for (File root : roots)
            for (String below : new String[] {name, "bin/" + name, "usr/bin/" + name}) {
                File f = new File(root, below);
                if (f.isFile() && (f.canExecute() || f.setExecutable(true))) return f.getAbsolutePath();
            }
        throw new Failure(2, "--bin " + bin + ": there is no " + name);
    }

    /** Returns what the program printed. Failure: it did not end with 0 or 3. */
    String run(String name, List<String> arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", GUARD, "sh", find(name)));
        command.addAll(arguments);
        Path printed = Files.createTempFile(directory, "printed", null);
        LOG.info("{} {}", name, String.join(" ", arguments));
        Process p = new ProcessBuilder(command).directory(directory.toFile()).redirectOutput(printed.toFile()).start();
        List<String> last = new ArrayList<>();
        try (BufferedReader messages = new BufferedReader(new InputStreamReader(p.getErrorStream(), StandardCharsets.UTF_8))) {
            Thread reader = new Thread(() -> messages.lines().forEach(line -> say(name, line, last)), "messages of " + name);
            reader.setDaemon(true);
            reader.start();
            int code = p.waitFor();
            reader.join();
            if (code != 0 && code != 3) throw new Failure(code, message(name, code, last));
        } finally {
            p.getOutputStream().close(); /* the guard kills what still runs */
        }
        return Files.readString(printed);
    }

    private void say(String name, String line, List<String> last) {
        for (Map.Entry<String, String> e : originals.entrySet()) line = line.replace(e.getKey(), e.getValue());
        LOG.info("{}", line);
        synchronized (last) {
            last.add(line);
            if (last.size() > LAST_LINES) last.remove(0);
        }
    }

    private static String message(String name, int code, List<String> last) {
        synchronized (last) {
            for (int i = last.size() - 1; i >= 0; i--) /* the error comes last, unless a hint follows */
                if (last.get(i).startsWith(name + ": ")) return last.get(i);
            if (!last.isEmpty()) return name + ": " + last.get(last.size() - 1);
        }
        return name + (code > 128 ? " was killed by signal " + (code - 128) : code == 127 ? " is not installed here (--bin)"
                : " ended with exit code " + code);
    }
}
