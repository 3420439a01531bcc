import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;

/**
 * Writes HFiles with HBase's own store file writer, as input for our readers:
 *
 *   WriteHFiles DIR CODEC...
 *
 * DIR/NAME.hfile, DIR/SET.tsv (the cells of one set in file order, several files share it) and DIR/MANIFEST.tsv:
 * name, set, codec, encoding, bloom, block size. The cells depend on nothing but this program.
 */
public final class WriteHFiles {
    private static final byte[] FAMILY = Bytes.toBytes("cf");
    private static final long BASE_MS = 1_700_000_000_000L;
    private static final int PREFIX_BYTES = 6;

    private final Configuration conf = HBaseConfiguration.create();
    private final java.nio.file.Path dir;
    private final StringBuilder manifest = new StringBuilder();

    private WriteHFiles(String dir) {
        this.dir = java.nio.file.Path.of(dir).toAbsolutePath();
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 2) {
            System.err.println("usage: WriteHFiles DIR CODEC...");
            System.exit(2);
        }
        WriteHFiles w = new WriteHFiles(args[0]);
        Files.createDirectories(w.dir);
        w.writeAll(Arrays.copyOfRange(args, 1, args.length));
        Files.writeString(w.dir.resolve("MANIFEST.tsv"), w.manifest.toString());
        Checks c = new Checks("WriteHFiles");
        c.saw("%d files", w.manifest.chars().filter(ch -> ch == '\n').count());
        c.report(System.out);
        System.exit(0);
    }

    private void writeAll(String[] codecs) throws IOException {
        Collection<KeyValue> rows = save("rows", rows(new Random(1), 700));
        Collection<KeyValue> deletes = save("deletes", deletes(new Random(2), 400));
        Collection<KeyValue> wide = save("wide", wide(new Random(3), 12000));
        Collection<KeyValue> big = save("big", big(new Random(4)));
        Collection<KeyValue> empty = save("empty", new TreeSet<>(CellComparatorImpl.COMPARATOR));
        for (String codec : codecs) {
            Compression.Algorithm a = Compression.Algorithm.valueOf(codec);
            String suffix = "_" + codec.toLowerCase();
            write("rows" + suffix, "rows", rows, a, DataBlockEncoding.NONE, BloomType.ROW, 65536, 0);
            write("deletes" + suffix, "deletes", deletes, a, DataBlockEncoding.NONE, BloomType.ROW, 4096, 0);
            write("levels" + suffix, "wide", wide, a, DataBlockEncoding.NONE, BloomType.ROWCOL, 512, 1000);
            write("big" + suffix, "big", big, a, DataBlockEncoding.NONE, BloomType.NONE, 65536, 0);
            write("fastdiff" + suffix, "deletes", deletes, a, DataBlockEncoding.FAST_DIFF, BloomType.ROWCOL, 4096, 0);
        }
        for (DataBlockEncoding e : DataBlockEncoding.values()) {
            if (e != DataBlockEncoding.NONE) {
                write("deletes_" + e.name().toLowerCase(), "deletes", deletes, Compression.Algorithm.NONE, e, BloomType.ROW,
                    2048, 600);
            }
        }
        write("prefix_bloom", "rows", rows, Compression.Algorithm.NONE, DataBlockEncoding.NONE,
            BloomType.ROWPREFIX_FIXED_LENGTH, 1024, 0);
        write("empty", "empty", empty, Compression.Algorithm.NONE, DataBlockEncoding.NONE, BloomType.NONE, 65536, 0);
        write("unsummed", "rows", rows, Compression.Algorithm.NONE, DataBlockEncoding.NONE, BloomType.ROW, 4096, 0,
            ChecksumType.NULL);
    }

    private Collection<KeyValue> save(String set, Collection<KeyValue> cells) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(dir.resolve(set + ".tsv"))) {
            for (KeyValue kv : cells) {
                CellText.write((Writer) out, kv, kv.getSequenceId());
            }
        }
        return cells;
    }

    private void write(String name, String set, Collection<KeyValue> cells, Compression.Algorithm codec,
        DataBlockEncoding encoding, BloomType bloom, int blockBytes, int indexChunkBytes) throws IOException {
        write(name, set, cells, codec, encoding, bloom, blockBytes, indexChunkBytes, ChecksumType.CRC32C);
    }

    private void write(String name, String set, Collection<KeyValue> cells, Compression.Algorithm codec,
        DataBlockEncoding encoding, BloomType bloom, int blockBytes, int indexChunkBytes, ChecksumType sum) throws IOException {
        Configuration own = new Configuration(conf);
        own.setInt("RowPrefixBloomFilter.prefix_length", PREFIX_BYTES);
        if (indexChunkBytes > 0) {
            own.setInt("hfile.index.block.max.size", indexChunkBytes);
            own.setInt("hfile.index.block.min.entries", 4);
            own.setInt("io.storefile.bloom.block.size", 1024);
        }
        HFileContextBuilder context = new HFileContextBuilder().withCompression(codec).withDataBlockEncoding(encoding)
            .withBlockSize(blockBytes).withChecksumType(sum).withBytesPerCheckSum(16384).withHBaseCheckSum(true)
            .withIncludesMvcc(true).withIncludesTags(true).withCompressTags(encoding != DataBlockEncoding.NONE)
            .withColumnFamily(FAMILY).withCellComparator(CellComparatorImpl.COMPARATOR);
        FileSystem fs = FileSystem.getLocal(own).getRaw();
        StoreFileWriter w = new StoreFileWriter.Builder(own, CacheConfig.DISABLED, fs)
            .withFilePath(new Path(dir.resolve(name + ".hfile").toUri())).withBloomType(bloom).withMaxKeyCount(cells.size())
            .withFileContext(context.build()).build();
        for (KeyValue kv : cells) {
            w.append(kv);
        }
        w.appendFileInfo(HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(BASE_MS));
        w.appendMetadata(0, true);
        w.appendTrackedTimestampsToMetadata();
        w.close();
        String written = cells.isEmpty() ? "NONE" : bloom.name();
        manifest.append(String.join("\t", name, set, codec.name(), encoding.name(), written, "" + blockBytes)).append('\n');
    }

    private static List<Tag> tags(Random r) {
        List<Tag> tags = new ArrayList<>();
        if (r.nextInt(3) == 0) {
            tags.add(new ArrayBackedTag((byte) 9, "label-" + r.nextInt(4)));
        }
        if (r.nextInt(5) == 0) {
            tags.add(new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(1_000_000_000_000L + r.nextInt(3))));
        }
        return tags;
    }

    private static KeyValue cell(Random r, String row, String qualifier, long ts, KeyValue.Type type, byte[] value) {
        return new KeyValue(Bytes.toBytes(row), FAMILY, Bytes.toBytes(qualifier), ts, type, value, tags(r));
    }

    private static byte[] value(Random r, int max) {
        byte[] v = new byte[r.nextInt(max + 1)];
        for (int i = 0; i < v.length; i++) {
            v[i] = (byte) (i % 3 == 0 ? r.nextInt(256) : 'x');
        }
        return v;
    }

    private static TreeSet<KeyValue> rows(Random r, int n) {
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        for (int i = 0; i < n; i++) {
            for (int q = r.nextInt(5); q >= 0; q--) {
                String row = String.format("row%05d", i * 7);
                cells.add(cell(r, row, "q" + q, BASE_MS + r.nextInt(1000), KeyValue.Type.Put, value(r, 90)));
            }
        }
        return cells;
    }

    /* Versions, every kind of delete marker, sequence ids, equal keys that differ only in them, qualifier "". */
    private static TreeSet<KeyValue> deletes(Random r, int n) {
        KeyValue.Type[] types = {KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.Delete,
            KeyValue.Type.DeleteColumn, KeyValue.Type.DeleteFamily, KeyValue.Type.DeleteFamilyVersion};
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        for (int i = 0; i < n; i++) {
            for (int k = r.nextInt(12); k >= 0; k--) {
                KeyValue.Type type = types[r.nextInt(types.length)];
                boolean family = type == KeyValue.Type.DeleteFamily || type == KeyValue.Type.DeleteFamilyVersion;
                String q = family || r.nextInt(9) == 0 ? "" : "q" + r.nextInt(3);
                byte[] v = type == KeyValue.Type.Put ? value(r, 40) : new byte[0];
                KeyValue kv = cell(r, String.format("user%04x", i * 37), q, BASE_MS + r.nextInt(6), type, v);
                kv.setSequenceId(r.nextInt(3) == 0 ? 0 : 1 + r.nextInt(100000));
                cells.add(kv);
            }
        }
        return cells;
    }

    private static TreeSet<KeyValue> wide(Random r, int n) {
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        for (int i = 0; i < n; i++) {
            String row = i < n / 2 ? "wide-row" : "wide-row-" + i / 2000;
            cells.add(cell(r, row, String.format("column-%06d", i), BASE_MS, KeyValue.Type.Put, value(r, 10)));
        }
        return cells;
    }

    private static TreeSet<KeyValue> big(Random r) {
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        for (int i = 0; i < 3; i++) {
            byte[] v = new byte[(1 << 20) + i * 7];
            for (int k = 0; k < v.length; k++) {
                v[k] = (byte) (k % 5 == 0 ? r.nextInt(256) : k / 4096);
            }
            cells.add(cell(r, "big" + i, "v", BASE_MS + i, KeyValue.Type.Put, v));
            cells.add(cell(r, "big" + i + "-small", "v", BASE_MS + i, KeyValue.Type.Put, value(r, 20)));
        }
        return cells;
    }
}
