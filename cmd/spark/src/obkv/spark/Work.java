package obkv.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.Function;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.util.CollectionAccumulator;
import org.apache.spark.util.LongAccumulator;
import scala.Tuple2;

/** What a task does: makes one piece of its stage on local disk and publishes it. A failure that no other attempt could mend goes to the
 * driver as an accumulator's value, so that the job ends at once; any other is an exception, after which Spark tries again. */
final class Work implements Function<Tuple2<LongWritable, NullWritable>, Integer> {
    enum Stage { SHARDS, SHARES, EXPORTS, LOADS }

    /** What the driver sees, also in Spark's UI. */
    static final class Counters implements Serializable {
        final LongAccumulator records, cells, bytes;
        final CollectionAccumulator<String> failures;

        Counters(org.apache.spark.SparkContext sc) {
            records = sc.longAccumulator("obkv records read");
            cells = sc.longAccumulator("obkv cells written");
            bytes = sc.longAccumulator("obkv bytes written");
            failures = sc.collectionAccumulator("obkv failures");
        }
    }

    private static final int REJECTS = 4;

    private final Stage stage;
    private final Broadcast<Plan> broadcast;
    private final Remote remote;
    private final Counters counters;
    private final List<Pieces.Piece> shards; /* for shares: all of them */

    Work(Stage stage, Broadcast<Plan> plan, Remote remote, Counters counters, List<Pieces.Piece> shards) {
        this.stage = stage;
        this.shards = shards;
        this.broadcast = plan;
        this.remote = remote;
        this.counters = counters;
    }

    static String directory(Options o, Stage stage) {
        String own = o.work + "/" + stage.name().toLowerCase();
        return stage == Stage.EXPORTS ? o.export : stage == Stage.LOADS ? own + "/" + o.loadTarget() : own;
    }

    @Override
    public Integer call(Tuple2<LongWritable, NullWritable> piece) throws Exception {
        int number = (int) piece._1().get();
        String name = "task-" + TaskContext.get().taskAttemptId();
        try (Scratch scratch = new Scratch(broadcast.value().options, name)) {
            make(number, scratch.dir);
        } catch (Failure | IOException e) {
            Failure f = e instanceof Failure ? (Failure) e : Failure.of((IOException) e);
            String what = stage.name().toLowerCase().replaceAll("s$", "") + " " + number + ": " + f.getMessage();
            if (f.mayPass()) throw new Failure(f.code, what).forSpark();
            counters.failures.add(f.code + " " + what);
        }
        return number;
    }

    private void make(int number, Path scratch) throws IOException, InterruptedException {
        Plan plan = broadcast.value();
        Configuration conf = remote.conf();
        Pieces pieces = new Pieces(conf, directory(plan.options, stage));
        if (pieces.find(number) != null) return; /* by an attempt that was faster */
        Path made = scratch.resolve("made");
        org.apache.hadoop.fs.Path folder = pieces.folder(number, TaskContext.get().taskAttemptId());
        switch (stage) {
            case SHARDS: makeShard(plan, number, scratch, made, pieces, folder); break;
            case SHARES: makeShare(plan, number, scratch, made); break;
            case EXPORTS: new Exports(plan, conf).export(number, scratch, made); break;
            default: new Exports(plan, conf).load(number, scratch, made); break;
        }
        pieces.publish(number, folder, made, stage == Stage.SHARES ? Publication.inPlace(conf, plan.options) : null);
        if (stage == Stage.SHARDS || stage == Stage.SHARES) count(made);
    }

    /** With too many rejects it makes no piece, but the folder then has the reports. */
    private void makeShard(Plan plan, int number, Path scratch, Path made, Pieces pieces, org.apache.hadoop.fs.Path folder)
            throws IOException, InterruptedException {
        Path in = Files.createDirectories(scratch.resolve("in"));
        Staging staging = new Staging(remote.conf(), in);
        staging.placeholders(plan);
        staging.fetch(plan, number);
        List<String> arguments = resources(plan);
        arguments.addAll(List.of("-o", made.toString()));
        arguments.addAll(plan.importArguments(number + "/" + plan.options.shards, in.toString()));
        Map<String, String> originals = plan.originalsBelow(in.toString());
        originals.put(made.toString(), folder.toString());
        try {
            new Program(plan.options.bin, scratch, originals).run("obkv-import", arguments);
        } catch (Failure f) {
            Path report = made.resolve("_report");
            if (f.code == REJECTS && Files.isDirectory(report)) pieces.upload(report, new org.apache.hadoop.fs.Path(folder, "_report"), null);
            throw f;
        }
    }

    /** All shards by their manifests, and of their files those of the share's partitions. */
    private void makeShare(Plan plan, int number, Path scratch, Path made) throws IOException, InterruptedException {
        Options o = plan.options;
        Pieces pieces = new Pieces(remote.conf(), directory(o, Stage.SHARDS));
        List<String> inputs = new ArrayList<>();
        List<Callable<List<Callable<Void>>>> manifests = new ArrayList<>();
        Map<String, String> originals = new LinkedHashMap<>(Map.of(scratch + "/shards", o.work + "/shards"));
        for (int i = 1; i <= o.shards; i++) {
            Pieces.Piece shard = shards.get(i - 1);
            Path to = scratch.resolve(String.format("shards/%05d", i));
            originals.put(o.work + "/shards/" + to.getFileName() + "/", shard.folder + "/");
            inputs.add(to.toString());
            manifests.add(() -> stageDataset(pieces, shard, number, o.shares, to));
        }
        List<Callable<Void>> files = new ArrayList<>();
        SideBySide.all(manifests, SideBySide.FILES).forEach(files::addAll);
        SideBySide.all(files, SideBySide.FILES);
        Staging.smallFiles(o, scratch);
        List<String> arguments = new ArrayList<>();
        if (o.compact == null) arguments.add("join");
        else {
            arguments.addAll(List.of("--now", o.now, "--config", "staged=" + scratch.resolve("shards") + "=" + o.work + "/shards"));
            arguments.addAll(Options.words(o.compact));
        }
        arguments.addAll(List.of("--partitions", number + "/" + o.shares, "-o", made.toString()));
        arguments.addAll(o.allowed());
        arguments.addAll(resources(plan));
        arguments.addAll(inputs);
        Program program = new Program(o.bin, scratch, originals);
        program.run(o.compact == null ? "obkv-split" : "obkv-compact", arguments);
        if (!o.check) return;
        List<String> check = new ArrayList<>(List.of("check"));
        check.addAll(resources(plan));
        check.add(made.toString());
        program.run("obkv-verify", check);
    }

    /** The manifest of a dataset on local disk. Returns what fetches the files of the partitions of share J of M; M = 0: of none. The
     * programs do not ask for others. */
    static List<Callable<Void>> stageDataset(Pieces pieces, Pieces.Piece dataset, int share, int of, Path to) throws IOException {
        org.apache.hadoop.fs.Path folder = new org.apache.hadoop.fs.Path(dataset.folder);
        FileTime modified = FileTime.fromMillis(dataset.modified);
        byte[] manifest = pieces.read(folder, "MANIFEST.json");
        Files.createDirectories(to);
        Files.write(to.resolve("MANIFEST.json"), manifest);
        Files.setLastModifiedTime(to.resolve("MANIFEST.json"), modified);
        List<Callable<Void>> fetches = new ArrayList<>();
        if (of == 0) return fetches;
        JsonNode root = new ObjectMapper().readTree(manifest);
        for (JsonNode p : root.path("packs"))
            fetches.add(() -> {
                Files.setLastModifiedTime(Packs.stage(pieces.fs(), folder, p, share, of, to), modified);
                return null;
            });
        for (JsonNode f : root.get("files")) {
            String name = f.get("path").asText();
            long bytes = f.get("bytes").asLong();
            if (f.get("partition").asLong() % of != share - 1) continue;
            Files.createDirectories(to.resolve(name).getParent());
            fetches.add(() -> {
                pieces.fetch(new org.apache.hadoop.fs.Path(folder, name), bytes, to.resolve(name));
                Files.setLastModifiedTime(to.resolve(name), modified);
                return null;
            });
        }
        return fetches;
    }

    static List<String> resources(Plan plan) {
        List<String> a = new ArrayList<>(List.of("--threads", Integer.toString(plan.threads)));
        String memory = plan.options.memory != null ? plan.options.memory : Long.toString(plan.memory);
        a.addAll(List.of("--memory", memory, "--progress", "never"));
        return a;
    }

    private void count(Path made) throws IOException {
        JsonNode m = new ObjectMapper().readTree(Files.readAllBytes(made.resolve("MANIFEST.json")));
        if (stage == Stage.SHARDS) counters.records.add(m.at("/ledger/records/read").asLong());
        counters.cells.add(m.at("/totals/cells").asLong());
        counters.bytes.add(m.at("/totals/bytes").asLong());
    }
}
