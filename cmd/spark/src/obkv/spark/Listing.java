package obkv.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;

/** On the driver: lists the inputs once, builds the tree of placeholders, and asks obkv-import (--shards N --list --json) once what the
 * shards read. Wrong options and missing inputs end the job here, before any executor has work. */
final class Listing {
    private static final int HEAD = 64 << 10, SMALL = 4 << 10;
    private static final Set<String> NOT_DATA = Set.of("WALs", "oldWALs", "MasterData", "MasterProcWALs", ".tmp", ".hbck", "corrupt",
            "staging", ".trashtables");

    private final Configuration conf;
    private final Plan plan;
    private final Path scratch;

    Listing(Configuration conf, Plan plan, Path scratch) {
        this.conf = conf;
        this.plan = plan;
        this.scratch = scratch;
    }

    void run() throws IOException, InterruptedException {
        for (String input : plan.options.inputs) addInput(input);
        readHeads();
        Path in = Files.createDirectories(scratch.resolve("in"));
        new Staging(conf, in).placeholders(plan);
        List<String> arguments = new ArrayList<>(List.of("--list", "--json", "--quiet"));
        arguments.addAll(plan.importArguments(Integer.toString(plan.options.shards), in.toString()));
        String said = new Program(plan.options.bin, scratch, plan.originalsBelow(in.toString())).run("obkv-import", arguments);
        Map<String, Integer> byPath = plan.byPath();
        Set<Integer> cut = new java.util.HashSet<>();
        for (JsonNode shard : new ObjectMapper().readTree(said).get("shards")) {
            plan.listing = shard.get("listing").asText();
            plan.shards.add(partsOf(shard, in, byPath, cut));
        }
        plan.hosts.addAll(new Hosts(conf, plan).ofShards());
        for (int i = 0; i < plan.entries.size(); i++) /* the beginning of other files tells a machine nothing */
            if (!isMetadata(plan.entries.get(i)) && !cut.contains(i)) plan.entries.get(i).head = null;
    }

    // ---- what there is ----

    private void addInput(String input) throws IOException {
        FileSystem fs = Remote.of(conf, input);
        org.apache.hadoop.fs.Path path = fs.makeQualified(new org.apache.hadoop.fs.Path(input));
        FileStatus status;
        try {
            status = fs.getFileStatus(path);
        } catch (FileNotFoundException e) {
            throw new Failure(5, "obkv-import: " + input + ": No such file or directory");
        }
        int number = plan.inputNames.size() + 1;
        String name = path.getName().isEmpty() ? "root" : path.getName();
        plan.inputNames.add(name);
        plan.originals.add(path.toUri().getScheme().equals("file") ? path.toUri().getPath() : path.toString());
        add(fs, status, number, name, 0);
    }

    private void add(FileSystem fs, FileStatus s, int input, String relative, int depth) throws IOException {
        Plan.Entry e = new Plan.Entry(s.getPath().toString(), input, relative, s.isDirectory(), s.getLen(), s.getModificationTime());
        plan.entries.add(e);
        e.whole = !e.directory && relative.matches("(?s).*\\.(tar(\\.[a-z0-9]+)?|t[gbx]z|zip|7z|cpio|iso)");
        if (!s.isDirectory()) return;
        String snapshot = Options.valueOf(plan.options.importOptions, "--snapshot", "-s");
        boolean otherSnapshots = relative.endsWith("/.hbase-snapshot") && snapshot != null;
        for (FileStatus below : Remote.list(fs, s.getPath())) {
            String name = below.getPath().getName();
            if (depth == 0 && NOT_DATA.contains(name) || otherSnapshots && !name.equals(snapshot)) continue;
            add(fs, below, input, relative + "/" + name, depth + 1);
        }
    }

    /** Descriptors, manifests of snapshots and datasets, references: they say what other files are. */
    private static boolean isMetadata(Plan.Entry e) {
        String name = e.relative.substring(e.relative.lastIndexOf('/') + 1), path = "/" + e.relative;
        if (name.endsWith(".crc") && name.startsWith(".")) return path.contains("/.hbase-snapshot/") || path.contains("/.tabledesc/");
        return e.bytes <= SMALL || name.startsWith(".") || name.equals("MANIFEST.json") || path.contains("/.hbase-snapshot/")
                || path.contains("/.tabledesc/");
    }

    private void readHeads() throws IOException, InterruptedException {
        List<Callable<Void>> reads = new ArrayList<>();
        for (Plan.Entry e : plan.entries) {
            boolean all = isMetadata(e);
            if (e.directory || e.whole || e.bytes > Integer.MAX_VALUE - 8 && all) continue;
            reads.add(() -> {
                e.head = Staging.head(Remote.of(conf, e.url), e.url, all ? e.bytes : Math.min(e.bytes, HEAD));
                return null;
            });
        }
        SideBySide.all(reads, SideBySide.FILES);
    }

    // ---- what a shard reads ----

    private List<Plan.Part> partsOf(JsonNode shard, Path in, Map<String, Integer> byPath, Set<Integer> cut) {
        List<Plan.Part> parts = new ArrayList<>();
        for (JsonNode f : shard.get("files")) {
            int entry = byPath.get(in.relativize(Path.of(f.get("path").asText())).toString());
            if (f.has("cut")) cut.add(entry);
            boolean part = f.has("to") && f.get("to").asLong() < f.get("bytes").asLong();
            parts.add(new Plan.Part(entry, f.has("from") ? f.get("from").asLong() : 0, part ? f.get("to").asLong() : -1));
            Integer crc = byPath.get(beside(plan.entries.get(entry).path()));
            if (crc != null) parts.add(new Plan.Part(crc, 0, -1));
        }
        for (JsonNode d : shard.get("also")) addBelow(in.relativize(Path.of(d.asText())).toString() + "/", parts);
        return parts;
    }

    private static String beside(String path) {
        int slash = path.lastIndexOf('/') + 1;
        return path.substring(0, slash) + "." + path.substring(slash) + ".crc";
    }

    /** Values in MOB files: which of them, only the cells say. */
    private void addBelow(String directory, List<Plan.Part> parts) {
        for (int i = 0; i < plan.entries.size(); i++)
            if (!plan.entries.get(i).directory && plan.entries.get(i).path().startsWith(directory)) parts.add(new Plan.Part(i, 0, -1));
    }
}
