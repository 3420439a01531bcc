import java.io.BufferedWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContext;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Bulk-loads files that HBase has to split, into three regions: each bloom filter of the file into families of each, with all
 * encodings of the file and of the family.
 *
 *   SplitLoads WORKDIR CELLS        the table is WORKDIR/root/data/default/split; CELLS: what a raw scan shows
 */
public final class SplitLoads {
    private static final BloomType[] BLOOMS = {BloomType.NONE, BloomType.ROW, BloomType.ROWCOL,
        BloomType.ROWPREFIX_FIXED_LENGTH};
    private static final DataBlockEncoding[] ENCODINGS = {DataBlockEncoding.NONE, DataBlockEncoding.PREFIX,
        DataBlockEncoding.DIFF, DataBlockEncoding.FAST_DIFF, DataBlockEncoding.ROW_INDEX_V1};
    private static final String PREFIX_LENGTH = "RowPrefixBloomFilter.prefix_length";
    private static final int ROWS = 60;
    private static final int REGION_ROWS = 20;

    private final MiniHBase hbase;
    private final TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(TableName.valueOf("split"));
    private final Path files;
    private int families;

    private SplitLoads(Path work) {
        hbase = new MiniHBase(work);
        files = hbase.work.resolve("files");
        hbase.conf.set(PREFIX_LENGTH, "2"); /* the tool that splits asks only its own configuration */
    }

    public static void main(String[] args) throws Exception {
        SplitLoads load = new SplitLoads(Path.of(args[0]));
        Checks c = new Checks("SplitLoads");
        try {
            load.hbase.start();
            load.run(c, Path.of(args[1]));
        } catch (Exception | LinkageError | AssertionError e) {
            c.threw(e);
        }
        MiniHBase.halt(c.report(System.out));
    }

    private void run(Checks c, Path out) throws Exception {
        for (BloomType ofFamily : BLOOMS) {
            for (BloomType ofFile : BLOOMS) {
                for (int e = 0; e < ENCODINGS.length; e++, families++) {
                    add(ofFamily, ofFile, ENCODINGS[e], ENCODINGS[(e + families / ENCODINGS.length) % ENCODINGS.length]);
                }
            }
        }
        try (Connection connection = ConnectionFactory.createConnection(hbase.conf); Admin admin = connection.getAdmin()) {
            admin.createTable(table.build(), new byte[][] {row(REGION_ROWS), row(2 * REGION_ROWS)});
            BulkLoadHFiles.create(hbase.conf).bulkLoad(table.build().getTableName(), new org.apache.hadoop.fs.Path(files.toUri()));
            c.equal(3 * families, hbase.storeFiles(table.build().getTableName()), "store files");
            c.saw("%d cells of %d files in 3 regions", scan(connection, out), families);
        }
    }

    private static byte[] row(int r) {
        return Bytes.toBytes(String.format("k%03d", r));
    }

    private void add(BloomType ofFamily, BloomType ofFile, DataBlockEncoding familyEncoding, DataBlockEncoding fileEncoding)
        throws Exception {
        byte[] name = Bytes.toBytes("f" + families);
        ColumnFamilyDescriptorBuilder family = ColumnFamilyDescriptorBuilder.newBuilder(name).setBloomFilterType(ofFamily)
            .setDataBlockEncoding(familyEncoding).setMaxVersions(9).setKeepDeletedCells(KeepDeletedCells.TRUE);
        table.setColumnFamily(family.setConfiguration(PREFIX_LENGTH, "2").build());
        HFileContext context = new HFileContextBuilder().withBlockSize(512).withColumnFamily(name)
            .withDataBlockEncoding(fileEncoding).withIncludesTags(true).build();
        FileSystem fs = FileSystem.getLocal(hbase.conf).getRaw();
        Path path = Files.createDirectories(files.resolve("f" + families)).resolve("h");
        StoreFileWriter w = new StoreFileWriter.Builder(hbase.conf, new CacheConfig(hbase.conf), fs)
            .withFilePath(new org.apache.hadoop.fs.Path(path.toUri())).withBloomType(ofFile).withMaxKeyCount(ROWS)
            .withFileContext(context).build();
        for (int r = 0; r < ROWS; r++) {
            if (families % 2 == 1 && r < REGION_ROWS / 2) { /* markers in the first region only */
                w.append(new KeyValue(row(r), name, new byte[0], 500, KeyValue.Type.DeleteFamily));
            }
            for (int q = 0; q < 2; q++) {
                w.append(new KeyValue(row(r), name, Bytes.toBytes("q" + q), 1000 + r, KeyValue.Type.Put, Bytes.toBytes("v" + r)));
            }
        }
        w.appendFileInfo(HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(System.currentTimeMillis()));
        w.appendTrackedTimestampsToMetadata();
        w.close();
    }

    private long scan(Connection connection, Path out) throws Exception {
        long cells = 0;
        try (Writer w = new BufferedWriter(Files.newBufferedWriter(out));
            Table t = connection.getTable(table.build().getTableName());
            ResultScanner results = t.getScanner(new Scan().setRaw(true).readAllVersions())) {
            for (Result r : results) {
                for (Cell cell : r.rawCells()) {
                    CellText.write(w, cell, 0);
                    cells++;
                }
            }
        }
        return cells;
    }
}
