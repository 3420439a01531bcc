package obkv.spark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/** The machines that hold most of what each shard reads, as HDFS says: asked once for each file, however many shards read it. */
final class Hosts {
    private static final int MOST = 3;
    private final Configuration conf;
    private final Plan plan;

    Hosts(Configuration conf, Plan plan) {
        this.conf = conf;
        this.plan = plan;
    }

    List<List<String>> ofShards() throws IOException, InterruptedException {
        Map<Integer, BlockLocation[]> blocks = new HashMap<>();
        List<Callable<Void>> questions = new ArrayList<>();
        for (List<Plan.Part> parts : plan.shards)
            for (Plan.Part p : parts)
                if (isHdfs(p.entry) && blocks.put(p.entry, new BlockLocation[0]) == null)
                    questions.add(() -> {
                        BlockLocation[] found = ask(plan.entries.get(p.entry));
                        synchronized (blocks) {
                            blocks.put(p.entry, found);
                        }
                        return null;
                    });
        SideBySide.all(questions, SideBySide.FILES);
        List<List<String>> hosts = new ArrayList<>();
        for (List<Plan.Part> parts : plan.shards) hosts.add(most(parts, blocks));
        return hosts;
    }

    private boolean isHdfs(int entry) throws IOException {
        return Remote.of(conf, plan.entries.get(entry).url).getUri().getScheme().endsWith("hdfs");
    }

    private BlockLocation[] ask(Plan.Entry e) throws IOException {
        FileSystem fs = Remote.of(conf, e.url);
        return fs.getFileBlockLocations(new Path(e.url), 0, e.bytes);
    }

    private List<String> most(List<Plan.Part> parts, Map<Integer, BlockLocation[]> blocks) throws IOException {
        Map<String, Long> bytes = new HashMap<>();
        for (Plan.Part p : parts)
            for (BlockLocation b : blocks.getOrDefault(p.entry, new BlockLocation[0])) {
                long end = p.to < 0 ? plan.entries.get(p.entry).bytes : p.to;
                long mine = Math.min(end, b.getOffset() + b.getLength()) - Math.max(p.from, b.getOffset());
                if (mine <= 0) continue;
                for (String host : b.getHosts()) bytes.merge(host, mine, Long::sum);
            }
        return bytes.entrySet().stream().sorted(Map.Entry.comparingByValue(Comparator.reverseOrder())).limit(MOST)
                .map(Map.Entry::getKey).collect(Collectors.toCollection(ArrayList::new));
    }
}
