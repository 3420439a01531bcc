package obkv.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What every task knows: options, and all files of the inputs as the driver listed them once. A shard is cut from names, sizes and
 * times of all files, so a task needs all of these, and of the bytes only its own, beginnings of files that are cut, and small files of
 * HBase that say what others are (`head`). */
final class Plan implements Serializable {
    /** A file or directory below an input. */
    static final class Entry implements Serializable {
        final String url;
        final int input;       /* 1 … */
        final String relative; /* below in/<input>/ */
        final boolean directory;
        final long bytes, mtime;
        byte[] head;   /* what each machine gets of it; null: only its size and time */
        boolean whole; /* each machine gets all of it: an archive, whose members make up the list */

        Entry(String url, int input, String relative, boolean directory, long bytes, long mtime) {
            this.url = url;
            this.input = input;
            this.relative = relative;
            this.directory = directory;
            this.bytes = bytes;
            this.mtime = mtime;
        }

        String path() {
            return input + "/" + relative;
        }
    }

    /** What a shard reads of a file; to < 0: all of it. */
    static final class Part implements Serializable {
        final int entry;
        final long from, to;

        Part(int entry, long from, long to) {
            this.entry = entry;
            this.from = from;
            this.to = to;
        }
    }

    final Options options;
    final List<Entry> entries = new ArrayList<>();
    final List<String> inputNames = new ArrayList<>();          /* in/1/<name> is the first input */
    final List<String> originals = new ArrayList<>();           /* as manifests name it */
    final List<List<Part>> shards = new ArrayList<>();
    final List<List<String>> hosts = new ArrayList<>();         /* where most of a shard's bytes are */
    String listing = "";
    int threads = 1;
    long memory;

    Plan(Options options) {
        this.options = options;
    }

    Map<String, Integer> byPath() {
        Map<String, Integer> map = new HashMap<>();
        for (int i = 0; i < entries.size(); i++) map.put(entries.get(i).path(), i);
        return map;
    }

    /** Copies below `in` -> originals, the longest first. */
    Map<String, String> originalsBelow(String in) {
        Map<String, String> map = new LinkedHashMap<>();
        for (int i = inputNames.size(); i > 0; i--) map.put(in + "/" + i + "/" + inputNames.get(i - 1), originals.get(i - 1));
        return map;
    }

    /** The arguments of obkv-import for shards (I/N, or N: all), but for its output. in: where copies are. */
    List<String> importArguments(String shards, String in) {
        List<String> a = new ArrayList<>(List.of("--shards", shards, "--now", options.now));
        a.addAll(options.importOptions);
        a.addAll(options.rowOptions);
        for (Map.Entry<String, String> e : originalsBelow(in).entrySet()) {
            a.add("--config");
            a.add("staged=" + e.getKey() + "=" + e.getValue());
        }
        a.add("--");
        for (int i = 0; i < inputNames.size(); i++) a.add(in + "/" + (i + 1) + "/" + inputNames.get(i));
        return a;
    }
}
