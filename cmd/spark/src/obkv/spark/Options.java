package obkv.spark;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The command line: options of this application, then "--" and the options of obkv-import. Small files that those name (--ddl
 * users.sql) are given by --file and travel with the job. */
final class Options implements Serializable {
    static final String USAGE = String.join("\n",
            "usage: spark-submit [options of spark-submit] obkv-spark.jar [options] --input URL... --out URL -- [options of obkv-import]",
            "  --input URL      a file, a directory of files, or a root directory of HBase (may be repeated)",
            "  --sql QUERY      instead of --input: the rows of a query of Spark SQL, in columns that are named HBASE_ROW_KEY, HBASE_TS_KEY",
            "                   and family:qualifier (may be repeated: all but the last are statements that are run before)",
            "  --out URL        the dataset: a directory that does not exist yet",
            "  --work URL       finished pieces, for the next start (default: OUT.work)",
            "  --shards N       parts of the import (default: 2 a core of the cluster)",
            "  --shares M       parts of the partitions, for all that follows (default: as many as shards)",
            "  --now TIME       the clock of the job, in ms since 1970 (default: that of the driver; kept in WORK)",
            "  --compact OPTS   apply version rules: options of obkv-compact, in one argument; \"\" = those of the DDL",
            "  --check          read every block of the result back",
            "  --export URL     also export the dataset, in a directory for each share",
            "  --export-options OPTS, --load OPTS   options of obkv-export; of obkv-load, which then loads each share",
            "  --loads L        at most L loads at a time (default 4)",
            "  --file PATH      a small file for the options of the programs, which see it by its name (may be repeated)",
            "  --bin DIR        where the programs are: a path, or the name given to spark-submit --archives x.tar.gz#DIR",
            "  --scratch DIR    local disk of the executors (default: Spark's)",
            "  --memory SIZE    of one program (default: of the executor's, by tasks)",
            "  --keep-work      keep the pieces when OUT is complete");

    final List<String> inputs = new ArrayList<>(), importOptions = new ArrayList<>(), sql = new ArrayList<>();
    final List<String> rowOptions = new ArrayList<>(); /* how rows of Spark SQL are read */
    final Map<String, byte[]> files = new LinkedHashMap<>();
    String out, work, now, bin, scratch, memory, compact, export, exportOptions = "", load;
    int shards, shares, loads = 4;
    boolean check, keepWork;

    static Options parse(String... args) throws IOException {
        Options o = new Options();
        Iterator<String> at = Arrays.asList(args).iterator();
        while (at.hasNext()) {
            String name = at.next();
            if (name.equals("--")) break;
            o.take(name, at);
        }
        at.forEachRemaining(o.importOptions::add);
        o.check();
        return o;
    }

    private void take(String name, Iterator<String> at) throws IOException {
        switch (name) {
            case "--check": check = true; return;
            case "--keep-work": keepWork = true; return;
            default: break;
        }
        if (!USAGE.contains("  " + name + " ") && !name.equals("--load")) throw new Failure(2, name + ": no such option\n" + USAGE);
        if (!at.hasNext()) throw new Failure(2, name + " needs a value");
        String value = at.next();
        switch (name) {
            case "--input": inputs.add(value); break;
            case "--sql": sql.add(value); break;
            case "--out": out = value.replaceAll("/+$", ""); break;
            case "--work": work = value.replaceAll("/+$", ""); break;
            case "--now": now = value; break;
            case "--bin": bin = value; break;
            case "--scratch": scratch = value; break;
            case "--memory": memory = value; break;
            case "--compact": compact = value; break;
            case "--export": export = value.replaceAll("/+$", ""); break;
            case "--export-options": exportOptions = value; break;
            case "--load": load = value; break;
            case "--shards": shards = number(name, value); break;
            case "--shares": shares = number(name, value); break;
            case "--loads": loads = number(name, value); break;
            default: addFile(value); break;
        }
    }

    private static int number(String name, String value) {
        if (!value.matches("[1-9][0-9]{0,5}")) throw new Failure(2, name + " " + value + ": expected a number from 1");
        return Integer.parseInt(value);
    }

    private void addFile(String path) throws IOException {
        Path p = Path.of(path);
        if (!Files.isRegularFile(p)) throw new Failure(2, "--file " + path + ": no such file");
        if (files.put(p.getFileName().toString(), Files.readAllBytes(p)) != null)
            throw new Failure(2, "--file " + path + ": there is another file of this name");
    }

    private void check() {
        if (inputs.isEmpty() && sql.isEmpty() || out == null) throw new Failure(2, "--input and --out are needed\n" + USAGE);
        if (!inputs.isEmpty() && !sql.isEmpty()) throw new Failure(2, "--input and --sql exclude each other");
        if (work == null) work = out + ".work";
        if (!sql.isEmpty()) inputs.add(Rows.directory(this));
        if (load != null && export == null) throw new Failure(2, "--load needs --export: the journals of loads are kept there");
        for (String s : importOptions)
            if (s.matches("(--(shards?|now|output|list|threads|memory|temp-dir|staged)(=.*)?|-[omt].*)"))
                throw new Failure(2, s + ": this application gives that option to obkv-import");
    }

    /** A name for the database of --load: what is loaded there is not loaded elsewhere. */
    String loadTarget() {
        String target = valueOf(words(load), "--target", "--target");
        return (target == null ? "options-" + Integer.toHexString(load.hashCode()) : target).replaceAll("[^A-Za-z0-9.-]", "_");
    }

    /** The value of an option among those of a program; null: it is not given. */
    static String valueOf(List<String> options, String option, String letter) {
        for (int i = 0; i < options.size(); i++) {
            if (options.get(i).startsWith(option + "=")) return options.get(i).substring(option.length() + 1);
            if ((options.get(i).equals(option) || options.get(i).equals(letter)) && i + 1 < options.size()) return options.get(i + 1);
        }
        return null;
    }

    /** Warnings that are accepted: what runs after the imports repeats them. */
    List<String> allowed() {
        List<String> all = new ArrayList<>(importOptions), out = new ArrayList<>();
        all.addAll(rowOptions);
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).startsWith("--allow=")) out.add(all.get(i));
            if (all.get(i).equals("--allow") && i + 1 < all.size()) out.addAll(List.of("--allow", all.get(i + 1)));
        }
        return out;
    }

    /** "a 'b c'" as a shell would cut it, without anything else that shells do. */
    static List<String> words(String text) {
        List<String> out = new ArrayList<>();
        StringBuilder word = null;
        char quote = 0;
        for (char c : text.toCharArray()) {
            if (quote != 0 && c == quote) quote = 0;
            else if (quote == 0 && (c == '\'' || c == '"')) {
                quote = c;
                if (word == null) word = new StringBuilder();
            } else if (quote == 0 && Character.isWhitespace(c)) {
                if (word != null) out.add(word.toString());
                word = null;
            } else (word = word == null ? new StringBuilder() : word).append(c);
        }
        if (word != null) out.add(word.toString());
        return out;
    }

    /** What decides the bytes of the result: a later start with other settings must not use pieces of this one. */
    String settings() {
        StringBuilder s = new StringBuilder();
        if (!sql.isEmpty()) s.append("sql ").append(sql.toString().replace('\n', ' ')).append('\n');
        s.append("inputs ").append(inputs).append("\nshards ").append(shards).append("\nshares ").append(shares);
        s.append("\nnow ").append(now).append("\ncompact ").append(compact).append("\nimport ").append(importOptions);
        for (Map.Entry<String, byte[]> f : files.entrySet())
            s.append("\nfile ").append(f.getKey()).append(' ').append(Arrays.hashCode(f.getValue()));
        return s.append('\n').toString();
    }
}
