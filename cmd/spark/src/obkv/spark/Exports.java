package obkv.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;

/** The last stage: a share of the published dataset as files for LOAD DATA, and then into the database. The journal of a load is kept in
 * WORK whatever happens, as long as this process lives, so that the next attempt goes on after the last file. */
final class Exports {
    private final Plan plan;
    private final Options o;
    private final Configuration conf;

    Exports(Plan plan, Configuration conf) {
        this.plan = plan;
        this.o = plan.options;
        this.conf = conf;
    }

    void export(int number, Path scratch, Path made) throws IOException, InterruptedException {
        Path dataset = scratch.resolve("dataset");
        Staging.smallFiles(o, scratch);
        Pieces out = new Pieces(conf, o.out);
        Pieces.Piece whole = new Pieces.Piece(o.out, out.modified(new org.apache.hadoop.fs.Path(o.out)));
        SideBySide.all(Work.stageDataset(out, whole, number, o.shares, dataset), SideBySide.FILES);
        placeOthers(dataset);
        List<String> arguments = new ArrayList<>(Options.words(o.exportOptions));
        arguments.addAll(List.of("--partitions", number + "/" + o.shares, "-o", made.toString()));
        arguments.addAll(Work.resources(plan));
        arguments.add(dataset.toString());
        new Program(o.bin, scratch, Map.of(dataset.toString(), o.out)).run("obkv-export", arguments);
    }

    /** obkv-export asks whether all files are there, whatever it reads of them: the others get their sizes. */
    private static void placeOthers(Path dataset) throws IOException {
        for (JsonNode f : new ObjectMapper().readTree(Files.readAllBytes(dataset.resolve("MANIFEST.json"))).get("files")) {
            Path file = dataset.resolve(f.get("path").asText());
            if (Files.exists(file)) continue;
            Files.createDirectories(file.getParent());
            Staging.placeholder(file, f.get("bytes").asLong(), null);
        }
    }

    void load(int number, Path scratch, Path made) throws IOException, InterruptedException {
        Pieces exports = new Pieces(conf, o.export);
        org.apache.hadoop.fs.Path from = exports.find(number);
        FileSystem work = Remote.of(conf, o.work);
        if (from == null) throw new IOException("export " + number + " is missing");
        Path export = scratch.resolve("export"), journal = export.resolve("_load");
        exports.fetchTree(from, export);
        org.apache.hadoop.fs.Path kept = new org.apache.hadoop.fs.Path(Work.directory(o, Work.Stage.LOADS) + "/" + number + ".journal");
        if (work.exists(kept)) new Pieces(conf, o.work).fetchTree(kept, journal);
        Staging.smallFiles(o, scratch);
        List<String> arguments = new ArrayList<>(Options.words(o.load));
        arguments.addAll(List.of("--partitions", number + "/" + o.shares, "--progress", "never", export.toString()));
        try {
            new Program(o.bin, scratch, Map.of(export.toString(), from.toString())).run("obkv-load", arguments);
        } finally {
            if (Files.isDirectory(journal)) {
                work.delete(kept, true);
                work.copyFromLocalFile(false, true, new org.apache.hadoop.fs.Path(journal.toUri()), kept);
            }
        }
        Files.createDirectories(made);
    }
}
