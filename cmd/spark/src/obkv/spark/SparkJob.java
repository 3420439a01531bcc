package obkv.spark;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaFutureAction;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An import by many machines, for spark-submit (docs/spark.md): shards, shares of the partitions, publication, exports and loads, each a
 * job of Spark over numbers. This class drives them; what a task does is in Work. */
public final class SparkJob {
    private static final Logger LOG = LoggerFactory.getLogger("obkv");
    private static final long MIB = 1 << 20, FLOOR = 64 * MIB, JVM = 256 * MIB;

    private final JavaSparkContext sc;
    private final Options o;
    private final Plan plan;
    private final Remote remote;
    private final Work.Counters counters;
    private Dataset<Row> rows; /* of a caller; null: those of --sql, or none */
    private Broadcast<Plan> broadcast;
    private List<Pieces.Piece> shards;

    SparkJob(JavaSparkContext sc, Options o) {
        this.sc = sc;
        this.o = o;
        this.plan = new Plan(o);
        this.remote = new Remote(sc.hadoopConfiguration());
        this.counters = new Work.Counters(sc.sc());
    }

    public static void main(String[] args) {
        int code = 0;
        try {
            Options o = Options.parse(args);
            try (JavaSparkContext sc = new JavaSparkContext(new SparkConf().setIfMissing("spark.app.name", "obkv " + o.out))) {
                new SparkJob(sc, o).run();
            }
        } catch (Exception e) {
            code = explain(e);
        }
        if (code != 0) System.exit(code);
    }

    /** For applications and notebooks: makes a dataset of the rows of a DataFrame, whose columns are named as for --sql. arguments: as on
     * the command line, without --input. Throws what the command would say. In Python:
     * spark._jvm.obkv.spark.SparkJob.importRows(frame._jdf, ["--out", "hdfs:///obkv/users", "--", "--ddl", "users.sql"]) */
    public static void importRows(Dataset<Row> rows, List<String> arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("--sql", "a DataFrame of " + rows.schema().simpleString()));
        all.addAll(arguments);
        SparkJob job = new SparkJob(new JavaSparkContext(rows.sparkSession().sparkContext()), Options.parse(all.toArray(new String[0])));
        job.rows = rows;
        job.run();
    }

    /** Says what ended a job, and returns its exit code. */
    static int explain(Exception e) {
        Failure f = Failure.of(e);
        System.err.println("obkv-spark: " + f.getMessage());
        if (f.code == 75) LOG.warn("not an error of the programs", e);
        return f.code;
    }

    void run() throws IOException, InterruptedException {
        Configuration conf = remote.conf();
        Publication publication = new Publication(o, conf);
        try (Scratch own = new Scratch(o, "driver")) {
            Path scratch = own.dir;
            takeResources(sc.getConf());
            fetchPrograms(sc.getConf());
            boolean finished = publication.begin(sc.defaultParallelism());
            if (finished && o.export == null) {
                say(o.out + " was finished with the same settings; nothing to do");
                return;
            }
            if (!finished) {
                if (!o.sql.isEmpty()) new Rows(o, remote).make(rows == null ? Rows.query(o.sql) : rows);
                new Listing(conf, plan, scratch).run();
                publication.demandListing(plan.listing);
                stage(Work.Stage.SHARDS, o.shards, o.shards);
                stage(Work.Stage.SHARES, o.shares, o.shares);
                publication.publish(scratch);
            }
            if (o.export != null) publication.demandSameExport();
            if (o.export != null) stage(Work.Stage.EXPORTS, o.shares, o.shares);
            if (o.load != null) stage(Work.Stage.LOADS, o.shares, o.loads);
            if (!o.keepWork) publication.removePieces();
            say(o.out + ": this job read " + counters.records.value() + " records and wrote " + counters.cells.value() + " cells, "
                    + counters.bytes.value() + " bytes in all stages");
        }
    }

    private static void say(String text) {
        System.err.println("obkv-spark: " + text);
    }

    /** A program has the cores of its task, and its part of what the executor may take beside its heap and above what a heap without
     * data needs. */
    private void takeResources(SparkConf conf) {
        plan.threads = Math.max(1, conf.getInt("spark.task.cpus", 1));
        long heap = MIB * conf.getSizeAsMb("spark.executor.memory", "1g");
        long overhead = MIB * conf.getSizeAsMb("spark.executor.memoryOverhead", Math.max(384, heap / 10 / MIB) + "m");
        int cores = conf.getInt("spark.executor.cores", Math.max(1, plan.threads));
        long whole = Math.max(0, heap - 1024 * MIB) + Math.max(0, overhead - JVM);
        plan.memory = Math.max(FLOOR, whole / Math.max(1, cores / plan.threads));
    }

    /** YARN unpacks archives for its containers only, and this driver may be elsewhere. */
    private void fetchPrograms(SparkConf conf) {
        if (o.bin == null || conf.get("spark.submit.deployMode", "client").equals("cluster")) return;
        for (String archive : conf.get("spark.yarn.dist.archives", "").split(","))
            if (archive.endsWith("#" + o.bin.split("/")[0])) sc.sc().addArchive(archive);
    }

    /** Makes what is missing of `count` pieces, `tasks` of them at a time at most. */
    private void stage(Work.Stage stage, int count, int tasks) throws IOException, InterruptedException {
        Pieces pieces = new Pieces(remote.conf(), Work.directory(o, stage));
        List<Integer> missing = new ArrayList<>();
        Set<Integer> done = pieces.done().keySet();
        for (int i = 1; i <= count; i++)
            if (!done.contains(i)) missing.add(i);
        String name = stage.name().toLowerCase();
        say(name + ": " + missing.size() + " of " + count + " to do");
        if (missing.isEmpty()) return;
        if (broadcast == null) broadcast = sc.broadcast(plan);
        int n = Math.min(tasks, missing.size());
        List<List<Integer>> numbers = IntStream.range(0, n).mapToObj(t -> IntStream.range(0, missing.size()).filter(i -> i % n == t)
                .mapToObj(missing::get).collect(Collectors.toList())).collect(Collectors.toList());
        shards = stage == Work.Stage.SHARES ? new Pieces(remote.conf(), Work.directory(o, Work.Stage.SHARDS)).all(o.shards) : List.of();
        sc.setJobGroup("obkv " + name, "obkv " + name + " of " + o.out, true);
        List<JavaFutureAction<List<Integer>>> jobs = new ArrayList<>();
        if (stage == Work.Stage.LOADS) /* of one task each: Spark starts no second one beside it, however slow it is (speculation) */
            for (List<Integer> one : numbers) jobs.add(start(stage, List.of(one)));
        else jobs.add(start(stage, numbers));
        await(jobs, name);
    }

    private JavaFutureAction<List<Integer>> start(Work.Stage stage, List<List<Integer>> numbers) {
        List<List<String>> hosts = numbers.stream()
                .map(p -> stage == Work.Stage.SHARDS ? plan.hosts.get(p.get(0) - 1) : List.<String>of()).collect(Collectors.toList());
        Configuration conf = PieceInput.configure(remote.conf(), numbers, hosts);
        return sc.newAPIHadoopRDD(conf, PieceInput.class, LongWritable.class, NullWritable.class)
                .map(new Work(stage, broadcast, remote, counters, shards)).collectAsync();
    }

    private void await(List<JavaFutureAction<List<Integer>>> jobs, String name) throws InterruptedException {
        Failure failure = null;
        for (JavaFutureAction<List<Integer>> job : jobs) {
            while (!job.isDone() && counters.failures.value().isEmpty()) Thread.sleep(100);
            if (!counters.failures.value().isEmpty()) break;
            try {
                job.get();
            } catch (java.util.concurrent.ExecutionException e) {
                if (failure == null) failure = Failure.of(e); /* the others go on: what they finish is not to be done again */
            }
        }
        if (!counters.failures.value().isEmpty()) {
            sc.cancelJobGroup("obkv " + name);
            String[] first = counters.failures.value().get(0).split(" ", 2);
            throw new Failure(Integer.parseInt(first[0]), first[1]);
        }
        if (failure != null) throw failure;
    }
}
