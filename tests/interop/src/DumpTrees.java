import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.io.hfile.BlockCacheFactory;
import org.apache.hadoop.hbase.mob.MobFileCache;
import org.apache.hadoop.hbase.mob.MobUtils;
import org.apache.hadoop.hbase.regionserver.HMobStore;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.StoreFileScanner;
import org.apache.hadoop.hbase.snapshot.RestoreSnapshotHelper;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.util.FSTableDescriptors;
import org.apache.hadoop.hbase.util.ManualEnvironmentEdge;

/**
 * What HBase sees in a directory tree at a given time, without a cluster: regions are opened by the region server's own
 * classes, their clock stands still.
 *
 *   DumpTrees SCRATCH @JOBS
 *
 * Per line: subject, "snapshot" or "table", tree (may be changed: use a copy), snapshot or table name, encoded names of the
 * table's regions (comma, "-" for snapshots), clock in ms, and OUT. Written are
 *   OUT.stored     every cell of every live store file; MOB cells with their values
 *   OUT.raw        a raw scan of all versions
 *   OUT.visible    a plain scan of all versions
 *   OUT.compacted  as .stored, after a major compaction
 * Sequence ids as HBase uses them: cells of bulk-loaded files have that of the file.
 */
public final class DumpTrees {
    private static final int JOB_FIELDS = 7;

    private final java.nio.file.Path scratch;
    private final ManualEnvironmentEdge clock = new ManualEnvironmentEdge();
    private int restored;

    private DumpTrees(String scratch) {
        this.scratch = java.nio.file.Path.of(scratch).toAbsolutePath();
    }

    public static void main(String[] args) throws Exception {
        if (args.length != 2 || !args[1].startsWith("@")) {
            System.err.println("usage: DumpTrees SCRATCH @JOBS");
            System.exit(2);
        }
        DumpTrees d = new DumpTrees(args[0]);
        boolean ok = true;
        for (String[] job : Checks.jobs(args[1].substring(1), JOB_FIELDS)) {
            Checks c = new Checks(job[0]);
            try {
                d.dump(c, job);
            } catch (Exception | LinkageError | AssertionError e) {
                c.threw(e);
            }
            ok &= c.report(System.out);
        }
        MiniHBase.halt(ok);
    }

    private void dump(Checks c, String[] job) throws Exception {
        Configuration conf = HBaseConfiguration.create();
        CommonFSUtils.setRootDir(conf, path(java.nio.file.Path.of(job[2])));
        conf.set("hbase.tmp.dir", scratch.resolve("tmp").toString());
        conf.set(BlockCacheFactory.BLOCKCACHE_POLICY_KEY, "IndexOnlyLRU");
        conf.setFloat(HConstants.HFILE_BLOCK_CACHE_SIZE_KEY, 0);
        conf.setBoolean("hbase.hregion.memstore.mslab.enabled", false); /* only a region server sets its pools up */
        conf.setInt("hbase.hstore.compaction.max", 1000); /* all files at once, however many */
        clock.setValue(Long.parseLong(job[5]));
        EnvironmentEdgeManager.injectEdge(clock);
        java.nio.file.Path own = Files.createDirectories(scratch.resolve("" + restored++));
        List<HRegion> regions = job[1].equals("snapshot") ? ofSnapshot(conf, job[3], own)
            : ofTable(conf, TableName.valueOf(job[3]), Set.of(job[4].split(",")), own);
        regions.sort(Comparator.comparing(HRegion::getRegionInfo, RegionInfo.COMPARATOR));
        try (BufferedWriter stored = out(job, "stored"); BufferedWriter raw = out(job, "raw");
            BufferedWriter visible = out(job, "visible"); BufferedWriter compacted = out(job, "compacted")) {
            long cells = 0;
            for (HRegion r : regions) {
                cells += stored(r, stored);
                scan(r, true, raw);
                scan(r, false, visible);
                r.compact(true);
                stored(r, compacted);
                r.close();
            }
            c.saw("%d cells in %d regions", cells, regions.size());
        }
    }

    private static BufferedWriter out(String[] job, String kind) throws IOException {
        return Files.newBufferedWriter(java.nio.file.Path.of(job[6] + "." + kind));
    }

    private static Path path(java.nio.file.Path p) {
        return new Path(p.toAbsolutePath().toUri());
    }

    private List<HRegion> ofSnapshot(Configuration conf, String name, java.nio.file.Path own) throws IOException {
        FileSystem fs = CommonFSUtils.getRootDirFileSystem(conf);
        RestoreSnapshotHelper.RestoreMetaChanges m = RestoreSnapshotHelper.copySnapshotForScanner(conf, fs,
            CommonFSUtils.getRootDir(conf), path(own), name);
        List<HRegion> regions = new ArrayList<>();
        Path tableDir = CommonFSUtils.getTableDir(path(own), m.getTableDescriptor().getTableName());
        for (RegionInfo i : m.getRegionsToAdd()) {
            if (!(i.isOffline() && (i.isSplit() || i.isSplitParent())) && !MobUtils.isMobRegionInfo(i)) {
                regions.add(open(conf, fs, tableDir, i, m.getTableDescriptor()));
            }
        }
        return regions;
    }

    private List<HRegion> ofTable(Configuration conf, TableName table, Set<String> encoded, java.nio.file.Path own)
        throws IOException {
        FileSystem fs = CommonFSUtils.getRootDirFileSystem(conf);
        Path original = CommonFSUtils.getTableDir(CommonFSUtils.getRootDir(conf), table);
        Path tableDir = CommonFSUtils.getTableDir(path(own), table);
        java.nio.file.Path copy = java.nio.file.Path.of(tableDir.toUri());
        Files.createDirectories(copy.getParent());
        MiniHBase.copyTree(java.nio.file.Path.of(original.toUri().getPath()), copy);
        TableDescriptor descriptor = FSTableDescriptors.getTableDescriptorFromFs(fs, tableDir);
        List<HRegion> regions = new ArrayList<>();
        for (String name : encoded) {
            RegionInfo i = HRegionFileSystem.loadRegionInfoFileContent(fs, new Path(tableDir, name));
            regions.add(open(conf, fs, tableDir, i, descriptor));
        }
        return regions;
    }

    private static HRegion open(Configuration conf, FileSystem fs, Path tableDir, RegionInfo info, TableDescriptor table)
        throws IOException {
        HRegion r = HRegion.newHRegion(tableDir, null, fs, conf, info, table, null);
        r.setRestoredRegion(true);
        r.setMobFileCache(new MobFileCache(conf));
        r.initialize();
        return r;
    }

    private static long stored(HRegion r, BufferedWriter out) throws IOException {
        long cells = 0;
        for (HStore s : r.getStores()) {
            for (HStoreFile f : s.getStorefiles()) {
                out.write("# region " + r.getRegionInfo().getEncodedName() + " family " + s.getColumnFamilyName() + " file "
                    + f.getPath().getName() + " seq " + f.getMaxSequenceId() + "\n");
                cells += stored(s, f, out);
            }
        }
        return cells;
    }

    private static long stored(HStore store, HStoreFile file, BufferedWriter out) throws IOException {
        long cells = 0;
        file.initReader();
        try (StoreFileScanner s = file.getReader().getStoreFileScanner(false, false, true, Long.MAX_VALUE, 0, false)) {
            s.seek(KeyValue.LOWESTKEY);
            for (Cell cell = s.next(); cell != null; cell = s.next(), cells++) {
                boolean elsewhere = store instanceof HMobStore && MobUtils.isMobReferenceCell(cell);
                Cell whole = elsewhere ? ((HMobStore) store).resolve(cell, false, Long.MAX_VALUE, false).getCell() : cell;
                CellText.write(out, whole, cell.getSequenceId());
            }
        }
        return cells;
    }

    private static void scan(HRegion r, boolean raw, BufferedWriter out) throws IOException {
        Scan scan = new Scan().setRaw(raw).readAllVersions();
        try (RegionScanner s = r.getScanner(scan)) {
            List<Cell> row = new ArrayList<>();
            for (boolean more = true; more; row.clear()) {
                more = s.next(row);
                for (Cell cell : row) {
                    CellText.write(out, cell, cell.getSequenceId());
                }
            }
        }
    }
}
