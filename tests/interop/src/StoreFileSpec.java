import java.io.IOException;
import java.util.Collection;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileWriter;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.ChecksumType;

/** One HFile to be written by HBase's own store file writer: what is in it, and how. */
final class StoreFileSpec {
    static final int PREFIX_BYTES = 6;

    final String name;
    final String set; /* SET.tsv holds its cells */
    final Collection<KeyValue> cells;
    Compression.Algorithm codec = Compression.Algorithm.NONE;
    DataBlockEncoding encoding = DataBlockEncoding.NONE;
    BloomType bloom = BloomType.NONE;
    ChecksumType sum = ChecksumType.CRC32C;
    boolean tags = true;
    boolean compressTags;
    boolean mvcc = true;
    int blockBytes = 65536;
    int indexChunkBytes; /* 0: HBase's default; bloom chunks are small too where it is set */

    StoreFileSpec(String name, String set, Collection<KeyValue> cells) {
        this.name = name;
        this.set = set;
        this.cells = cells;
    }

    /** name, set, codec, encoding, bloom, block size. */
    String line() {
        String written = cells.isEmpty() ? "NONE" : bloom.name();
        return String.join("\t", name, set, codec.name(), encoding.name(), written, "" + blockBytes) + '\n';
    }

    void write(Configuration conf, java.nio.file.Path file) throws IOException {
        Configuration own = new Configuration(conf);
        own.setInt("RowPrefixBloomFilter.prefix_length", PREFIX_BYTES);
        if (indexChunkBytes > 0) {
            own.setInt("hfile.index.block.max.size", indexChunkBytes);
            own.setInt("hfile.index.block.min.entries", 4);
            own.setInt("io.storefile.bloom.block.size", 1024);
        }
        HFileContextBuilder context = new HFileContextBuilder().withCompression(codec).withDataBlockEncoding(encoding)
            .withBlockSize(blockBytes).withChecksumType(sum).withBytesPerCheckSum(16384).withHBaseCheckSum(true)
            .withIncludesMvcc(mvcc).withIncludesTags(tags).withCompressTags(compressTags)
            .withColumnFamily(RandomCells.FAMILY).withCellComparator(CellComparatorImpl.COMPARATOR);
        FileSystem fs = FileSystem.getLocal(own).getRaw();
        StoreFileWriter w = new StoreFileWriter.Builder(own, CacheConfig.DISABLED, fs).withFilePath(new Path(file.toUri()))
            .withBloomType(bloom).withMaxKeyCount(cells.size()).withFileContext(context.build()).build();
        for (KeyValue kv : cells) {
            w.append(kv);
        }
        w.appendFileInfo(HStoreFile.BULKLOAD_TIME_KEY, Bytes.toBytes(RandomCells.BASE_MS));
        w.appendMetadata(0, true);
        w.appendTrackedTimestampsToMetadata();
        w.close();
    }
}
