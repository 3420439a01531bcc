import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collection;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.ChecksumType;

/**
 * Writes HFiles with HBase's own store file writer, as input for our readers:
 *
 *   WriteHFiles DIR shapes|cross CODEC...
 *
 * "shapes": every codec with several kinds of data, every encoding, odd files. "cross": a small file for each codec x
 * encoding x bloom x tags (none, yes, dictionary) x sequence ids (none stored, zero, real), named so.
 * DIR/NAME.hfile, DIR/SET.tsv (the cells of one set in file order, several files share it) and DIR/MANIFEST.tsv:
 * name, set, codec, encoding, bloom, block size. The cells depend on nothing but this program.
 */
public final class WriteHFiles {
    private static final BloomType[] BLOOMS = {BloomType.NONE, BloomType.ROW, BloomType.ROWCOL,
        BloomType.ROWPREFIX_FIXED_LENGTH};

    private final Configuration conf = HBaseConfiguration.create();
    private final java.nio.file.Path dir;
    private final StringBuilder manifest = new StringBuilder();

    private WriteHFiles(String dir) {
        this.dir = java.nio.file.Path.of(dir).toAbsolutePath();
    }

    public static void main(String[] args) throws Exception {
        if (args.length < 3 || !args[1].matches("shapes|cross")) {
            System.err.println("usage: WriteHFiles DIR shapes|cross CODEC...");
            System.exit(2);
        }
        WriteHFiles w = new WriteHFiles(args[0]);
        Files.createDirectories(w.dir);
        String[] codecs = Arrays.copyOfRange(args, 2, args.length);
        if (args[1].equals("cross")) {
            w.writeCross(codecs);
        } else {
            w.writeShapes(codecs);
        }
        Files.writeString(w.dir.resolve("MANIFEST.tsv"), w.manifest.toString());
        Checks c = new Checks("WriteHFiles");
        c.saw("%d files", w.manifest.chars().filter(ch -> ch == '\n').count());
        c.report(System.out);
        System.exit(0);
    }

    private void writeShapes(String[] codecs) throws IOException {
        Collection<KeyValue> rows = save("rows", RandomCells.rows(new Random(1), 700));
        Collection<KeyValue> deletes = save("deletes", RandomCells.deletes(new Random(2), 400));
        Collection<KeyValue> wide = save("wide", RandomCells.wide(new Random(3), 12000));
        Collection<KeyValue> big = save("big", RandomCells.big(new Random(4)));
        Collection<KeyValue> empty = save("empty", new TreeSet<>(CellComparatorImpl.COMPARATOR));
        for (String codec : codecs) {
            Compression.Algorithm a = Compression.Algorithm.valueOf(codec);
            String suffix = "_" + codec.toLowerCase();
            write(spec("rows" + suffix, "rows", rows, a, DataBlockEncoding.NONE, BloomType.ROW, 65536, 0));
            write(spec("deletes" + suffix, "deletes", deletes, a, DataBlockEncoding.NONE, BloomType.ROW, 4096, 0));
            write(spec("levels" + suffix, "wide", wide, a, DataBlockEncoding.NONE, BloomType.ROWCOL, 512, 1000));
            write(spec("big" + suffix, "big", big, a, DataBlockEncoding.NONE, BloomType.NONE, 65536, 0));
            write(spec("fastdiff" + suffix, "deletes", deletes, a, DataBlockEncoding.FAST_DIFF, BloomType.ROWCOL, 4096, 0));
        }
        Compression.Algorithm none = Compression.Algorithm.NONE;
        for (DataBlockEncoding e : DataBlockEncoding.values()) {
            if (e != DataBlockEncoding.NONE) {
                write(spec("deletes_" + e.name().toLowerCase(), "deletes", deletes, none, e, BloomType.ROW, 2048, 600));
            }
        }
        write(spec("prefix_bloom", "rows", rows, none, DataBlockEncoding.NONE, BloomType.ROWPREFIX_FIXED_LENGTH, 1024, 0));
        write(spec("empty", "empty", empty, none, DataBlockEncoding.NONE, BloomType.NONE, 65536, 0));
        StoreFileSpec unsummed = spec("unsummed", "rows", rows, none, DataBlockEncoding.NONE, BloomType.ROW, 4096, 0);
        unsummed.sum = ChecksumType.NULL;
        write(unsummed);
    }

    private static StoreFileSpec spec(String name, String set, Collection<KeyValue> cells, Compression.Algorithm codec,
        DataBlockEncoding encoding, BloomType bloom, int blockBytes, int indexChunkBytes) {
        StoreFileSpec s = new StoreFileSpec(name, set, cells);
        s.codec = codec;
        s.encoding = encoding;
        s.bloom = bloom;
        s.blockBytes = blockBytes;
        s.indexChunkBytes = indexChunkBytes;
        s.compressTags = encoding != DataBlockEncoding.NONE;
        return s;
    }

    private void writeCross(String[] codecs) throws IOException {
        for (String tags : new String[] {"none", "yes", "dict"}) {
            for (String mvcc : new String[] {"none", "zero", "seq"}) {
                String set = (tags.equals("none") ? "untagged" : "tagged") + (mvcc.equals("seq") ? "-seq" : "");
                Collection<KeyValue> cells = save(set, RandomCells.deletes(new Random(5), 60, !tags.equals("none"),
                    mvcc.equals("seq")));
                writeCross(codecs, set, cells, tags, mvcc);
            }
        }
    }

    private void writeCross(String[] codecs, String set, Collection<KeyValue> cells, String tags, String mvcc)
        throws IOException {
        for (String codec : codecs) {
            for (DataBlockEncoding encoding : DataBlockEncoding.values()) {
                for (BloomType bloom : BLOOMS) {
                    String name = String.join("-", codec, encoding.name(), bloom.name(), tags, mvcc).toLowerCase();
                    StoreFileSpec s = spec(name, set, cells, Compression.Algorithm.valueOf(codec), encoding, bloom, 1024, 600);
                    s.tags = !tags.equals("none");
                    s.compressTags = tags.equals("dict");
                    s.mvcc = !mvcc.equals("none");
                    write(s);
                }
            }
        }
    }

    private Collection<KeyValue> save(String set, Collection<KeyValue> cells) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(dir.resolve(set + ".tsv"))) {
            for (KeyValue kv : cells) {
                CellText.write(out, kv, kv.getSequenceId());
            }
        }
        return cells;
    }

    private void write(StoreFileSpec spec) throws IOException {
        spec.write(conf, dir.resolve(spec.name + ".hfile"));
        manifest.append(spec.line());
    }
}
