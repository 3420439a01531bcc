package obkv.spark;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.RemoteIterator;

/** The end of a job, on the driver: obkv-split join proves from the manifests of all shares that nothing is missing and writes the
 * manifest of the whole; it asks for no file. Then files are renamed into OUT, many at a time (in object stores shares have put them
 * there under their final names), and the manifest comes last. Killed in between, the next start moves the rest. Also what a job remembers of its settings. */
final class Publication {
    private static final String REPORTS = "_report";

    private final Options o;
    private final Configuration conf;
    private final FileSystem fs;
    private final org.apache.hadoop.fs.Path out, job;

    Publication(Options o, Configuration conf) throws IOException {
        this.o = o;
        this.conf = conf;
        this.fs = Remote.of(conf, o.out);
        this.out = new org.apache.hadoop.fs.Path(o.out);
        this.job = new org.apache.hadoop.fs.Path(o.work, "job");
    }

    /** Takes the clock, and the numbers that were not given, of an earlier start. Refuses pieces of another job. true: OUT is finished. */
    boolean begin(int cores) throws IOException {
        FileSystem work = Remote.of(conf, o.work);
        String before = read(work, job);
        if (before != null) {
            if (o.now == null) o.now = field(before, "now");
            if (o.shards == 0) o.shards = Integer.parseInt(field(before, "shards"));
            if (o.shares == 0) o.shares = Integer.parseInt(field(before, "shares"));
        }
        if (o.now == null) o.now = Long.toString(System.currentTimeMillis());
        if (o.shards == 0) o.shards = 2 * Math.max(1, cores);
        if (o.shares == 0) o.shares = o.shards;
        String mine = o.settings();
        boolean finished = fs.exists(new org.apache.hadoop.fs.Path(out, "MANIFEST.json"));
        if (before != null && !before.equals(mine))
            throw new Failure(2, o.work + " has pieces of other settings: " + firstDifference(before, mine)
                    + "; give these, or another --work, or remove it");
        if (before == null && finished)
            throw new Failure(2, o.out + " is finished, and " + o.work + " does not say by which settings: give another --out");
        if (before == null && !Remote.renames(fs) && !lengths().isEmpty())
            throw new Failure(2, o.out + " is not empty: in an object store, files get their final names at once; give another --out");
        if (before == null) {
            fs.delete(new org.apache.hadoop.fs.Path(out, REPORTS), true);
            Staging.write(work, job, mine.getBytes(StandardCharsets.UTF_8));
        }
        return finished;
    }

    /** The inputs must be those of the pieces that are there. */
    void demandListing(String listing) throws IOException {
        FileSystem work = Remote.of(conf, o.work);
        org.apache.hadoop.fs.Path kept = new org.apache.hadoop.fs.Path(o.work, "listing");
        String before = read(work, kept);
        if (before == null) Staging.write(work, kept, listing.getBytes(StandardCharsets.UTF_8));
        if (before != null && !before.equals(listing))
            throw new Failure(2, "the inputs have changed since the pieces in " + o.work + " were made (names, sizes or times of change): "
                    + "remove it, or give another --work");
    }

    /** The exports that are there must be of this dataset, and made with these options. */
    void demandSameExport() throws IOException {
        FileSystem exports = Remote.of(conf, o.export);
        org.apache.hadoop.fs.Path kept = new org.apache.hadoop.fs.Path(o.export, "job");
        String before = read(exports, kept), mine = o.settings() + "out " + o.out + "\nexport " + o.exportOptions + "\n";
        if (before == null) Staging.write(exports, kept, mine.getBytes(StandardCharsets.UTF_8));
        if (before != null && !before.equals(mine))
            throw new Failure(2, o.export + " has exports of other settings: " + firstDifference(before, mine)
                    + "; give another --export, or remove it");
    }

    /** A small file; null: there is none. */
    private static String read(FileSystem fs, org.apache.hadoop.fs.Path file) throws IOException {
        if (!fs.exists(file)) return null;
        return new String(Staging.head(fs, file.toString(), fs.getFileStatus(file).getLen()), StandardCharsets.UTF_8);
    }

    private static String field(String settings, String name) {
        for (String line : settings.split("\n"))
            if (line.startsWith(name + " ")) return line.substring(name.length() + 1);
        throw new Failure(2, "job has no " + name + ": it was written by another version");
    }

    private static String firstDifference(String before, String mine) {
        String[] a = before.split("\n"), b = mine.split("\n");
        for (int i = 0; i < a.length; i++)
            if (i >= b.length || !a[i].equals(b[i])) return "'" + a[i] + "' instead of '" + (i < b.length ? b[i] : "") + "'";
        return "fewer files";
    }

    /** Where a share puts its cell files: into OUT, where a rename would copy them; null: with its manifest, to be renamed. */
    static org.apache.hadoop.fs.Path inPlace(Configuration conf, Options o) throws IOException {
        return Remote.renames(Remote.of(conf, o.out)) ? null : new org.apache.hadoop.fs.Path(o.out);
    }

    void publish(Path scratch) throws IOException, InterruptedException {
        Pieces pieces = new Pieces(conf, Work.directory(o, Work.Stage.SHARES));
        List<Pieces.Piece> shares = pieces.all(o.shares);
        List<String> arguments = new ArrayList<>(List.of("join", "--progress", "never", "--config", "staged=" + scratch + "=" + o.work
                + "/shares", "-o", scratch.resolve("out").toString()));
        arguments.addAll(o.allowed());
        List<Callable<List<Callable<Void>>>> manifests = new ArrayList<>();
        for (int i = 1; i <= o.shares; i++) {
            Path to = scratch.resolve("P" + i);
            Pieces.Piece share = shares.get(i - 1);
            manifests.add(() -> Work.stageDataset(pieces, share, 1, 0, to));
            arguments.add(to.toString());
        }
        SideBySide.all(manifests, SideBySide.FILES);
        new Program(o.bin, scratch, Map.of(scratch + "/out", o.out, scratch + "/", "")).run("obkv-split", arguments);
        placeFiles(shares, scratch);
        moveReports();
        byte[] manifest = Files.readAllBytes(scratch.resolve("out/MANIFEST.json"));
        org.apache.hadoop.fs.Path whole = new org.apache.hadoop.fs.Path(out, "MANIFEST.json");
        org.apache.hadoop.fs.Path part = Remote.renames(fs) ? new org.apache.hadoop.fs.Path(out, ".MANIFEST.json") : whole;
        Staging.write(fs, part, manifest);
        if (part != whole && !fs.rename(part, whole)) throw new Failure(7, whole + ": cannot be written");
    }

    /** The reports of rejects, as obkv-split join of all shards has them in OUT. */
    private void moveReports() throws IOException, InterruptedException {
        org.apache.hadoop.fs.Path reports = new org.apache.hadoop.fs.Path(out, REPORTS);
        List<Pieces.Piece> shards = new Pieces(conf, Work.directory(o, Work.Stage.SHARDS)).all(o.shards);
        List<Callable<Void>> moves = new ArrayList<>();
        for (int i = 1; i <= o.shards; i++) {
            org.apache.hadoop.fs.Path from = new org.apache.hadoop.fs.Path(shards.get(i - 1).folder, REPORTS);
            org.apache.hadoop.fs.Path to = new org.apache.hadoop.fs.Path(reports, String.format("shard-%05d", i));
            moves.add(() -> {
                if (!fs.exists(from)) return null;
                fs.mkdirs(reports);
                if (!fs.rename(from, to)) throw new Failure(7, from + ": cannot be renamed to " + to);
                return null;
            });
        }
        SideBySide.all(moves, SideBySide.FILES);
        if (fs.exists(reports)) System.err.println("obkv-spark: records were rejected; see " + reports);
    }

    /** Renames the files of all shares into OUT, but those that an earlier start has renamed. In object stores they are there already:
     * one listing proves it. */
    private void placeFiles(List<Pieces.Piece> shares, Path scratch) throws IOException, InterruptedException {
        boolean renames = Remote.renames(fs);
        Map<String, Long> there = lengths();
        Set<org.apache.hadoop.fs.Path> directories = new LinkedHashSet<>();
        List<Callable<Void>> moves = new ArrayList<>();
        for (int i = 1; i <= shares.size(); i++) {
            org.apache.hadoop.fs.Path folder = new org.apache.hadoop.fs.Path(shares.get(i - 1).folder);
            for (JsonNode f : new ObjectMapper().readTree(Files.readAllBytes(scratch.resolve("P" + i + "/MANIFEST.json"))).get("files")) {
                String name = f.get("path").asText();
                if (Long.valueOf(f.get("bytes").asLong()).equals(there.get(name))) continue;
                if (!renames)
                    throw new Failure(7, out + "/" + name + " is not there as its share has written it: remove " + o.work
                            + "/shares, and start again");
                directories.add(new org.apache.hadoop.fs.Path(out, name).getParent());
                moves.add(() -> move(new org.apache.hadoop.fs.Path(folder, name), new org.apache.hadoop.fs.Path(out, name)));
            }
        }
        for (org.apache.hadoop.fs.Path d : directories) fs.mkdirs(d);
        SideBySide.all(moves, SideBySide.FILES);
    }

    private Void move(org.apache.hadoop.fs.Path from, org.apache.hadoop.fs.Path to) throws IOException {
        if (!fs.rename(from, to)) throw new Failure(7, from + ": cannot be renamed to " + to);
        return null;
    }

    /** The files below OUT and their lengths. */
    private Map<String, Long> lengths() throws IOException {
        Map<String, Long> found = new HashMap<>();
        String root = fs.makeQualified(out).toUri().getPath();
        try {
            for (RemoteIterator<LocatedFileStatus> all = fs.listFiles(out, true); all.hasNext();) {
                FileStatus s = all.next();
                found.put(s.getPath().toUri().getPath().substring(root.length() + 1), s.getLen());
            }
        } catch (FileNotFoundException none) {
            return found;
        }
        return found;
    }

    /** What is in OUT needs no pieces. The settings stay: they tell a later start that it has nothing to do. */
    void removePieces() throws IOException {
        FileSystem work = Remote.of(conf, o.work);
        for (Work.Stage s : new Work.Stage[] {Work.Stage.SHARDS, Work.Stage.SHARES})
            work.delete(new org.apache.hadoop.fs.Path(Work.directory(o, s)), true);
        if (!o.sql.isEmpty()) work.delete(new org.apache.hadoop.fs.Path(Rows.directory(o)), true);
    }
}
