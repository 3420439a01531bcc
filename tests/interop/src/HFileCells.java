import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.io.hfile.BlockType;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.io.hfile.FixedFileTrailer;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileBlock;
import org.apache.hadoop.hbase.io.hfile.HFileInfo;
import org.apache.hadoop.hbase.io.hfile.HFileScanner;
import org.apache.hadoop.hbase.io.hfile.LruBlockCache;
import org.apache.hadoop.hbase.util.Bytes;

/** All cells of one HFile as HBase's reader gives them, and everything that can be checked against them without a store. */
final class HFileCells implements AutoCloseable {
    private static final CellComparator ORDER = CellComparator.getInstance();
    private static final LruBlockCache CACHE = new LruBlockCache(300L << 20, 1 << 16, false);

    final HFile.Reader reader;
    final List<KeyValue> cells = new ArrayList<>();
    private final List<Cell> keys = new ArrayList<>(); /* of `cells`, without sequence id: what index and seeks compare */
    private final Configuration conf;
    private int dataBlocks;

    HFileCells(HFileSystem fs, Path path, Configuration conf) throws IOException {
        this.conf = conf;
        CacheConfig cached = new CacheConfig(conf, CACHE);
        cached.setEvictOnClose(true); /* blocks are known there by the last part of the path */
        reader = HFile.createReader(fs, path, cached, true, conf);
        HFileScanner s = scanner(false);
        for (boolean more = s.seekTo(); more; more = s.next()) {
            KeyValue kv = KeyValueUtil.copyToNewKeyValue(s.getCell());
            kv.setSequenceId(s.getCell().getSequenceId());
            cells.add(kv);
            keys.add(keyOnly(kv));
        }
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }

    /* The first scan reads the file; the others, which look up cells, find its blocks in the cache, and need not unpack each of
     * them a thousand times. */
    private HFileScanner scanner(boolean pread) {
        return reader.getScanner(conf, pread, pread, false);
    }

    private static Cell keyOnly(Cell cell) {
        byte[] key = PrivateCellUtil.getCellKeySerializedAsKeyValueKey(cell);
        return new KeyValue.KeyOnlyKeyValue(key, 0, key.length);
    }

    private boolean at(HFileScanner s, int i) {
        return ORDER.compare(keyOnly(s.getCell()), keys.get(i)) == 0;
    }

    /** Order, one family, the trailer's count, what file info says of keys and tags. */
    void checkContents(Checks c) {
        int maxTags = 0;
        long keyBytes = 0;
        long valueBytes = 0;
        for (int i = 0; i < cells.size(); i++) {
            KeyValue kv = cells.get(i);
            keyBytes += kv.getKeyLength();
            valueBytes += kv.getValueLength();
            maxTags = Math.max(maxTags, kv.getTagsLength());
            c.that(i == 0 || ORDER.compare(cells.get(i - 1), kv) <= 0, "cell %d is smaller than the one before: %s", i, kv);
            c.that(Bytes.equals(family(kv), family(cells.get(0))), "cell %d is of another family: %s", i, kv);
        }
        c.equal((long) cells.size(), reader.getEntries(), "entry count");
        HFileInfo info = reader.getHFileInfo();
        int n = Math.max(1, cells.size());
        c.equal((int) (keyBytes / n), intOf(info, "hfile.AVG_KEY_LEN"), "hfile.AVG_KEY_LEN");
        c.equal((int) (valueBytes / n), intOf(info, "hfile.AVG_VALUE_LEN"), "hfile.AVG_VALUE_LEN");
        if (info.get(Bytes.toBytes("hfile.MAX_TAGS_LEN")) != null) {
            c.equal(maxTags, intOf(info, "hfile.MAX_TAGS_LEN"), "hfile.MAX_TAGS_LEN");
        } else {
            c.equal(0, maxTags, "tags in a file without hfile.MAX_TAGS_LEN, longest");
        }
    }

    private static byte[] family(KeyValue kv) {
        return Arrays.copyOfRange(kv.getFamilyArray(), kv.getFamilyOffset(), kv.getFamilyOffset() + kv.getFamilyLength());
    }

    private static int intOf(HFileInfo info, String key) {
        byte[] v = info.get(Bytes.toBytes(key));
        return v == null || v.length != 4 ? Integer.MIN_VALUE : Bytes.toInt(v);
    }

    /** First and last key, and the middle one: between them, and near the middle of the bytes. */
    void checkEnds(Checks c) throws IOException {
        if (cells.isEmpty()) {
            c.that(!reader.getFirstKey().isPresent(), "an empty file with a first key");
            return; /* midKey() throws on every empty file, HBase's own included */
        }
        Cell first = keys.get(0);
        Cell last = keys.get(keys.size() - 1);
        c.that(ORDER.compare(reader.getFirstKey().get(), first) == 0, "first key %s", reader.getFirstKey().get());
        c.that(ORDER.compare(reader.getLastKey().get(), last) == 0, "last key %s", reader.getLastKey().get());
        Cell mid = reader.midKey().get();
        c.that(ORDER.compare(first, mid) <= 0 && ORDER.compare(mid, last) <= 0, "mid key %s is not inside", mid);
        long below = 0;
        long all = 0;
        for (int i = 0; i < keys.size(); i++) {
            all += cells.get(i).getLength();
            below += ORDER.compare(keys.get(i), mid) < 0 ? cells.get(i).getLength() : 0;
        }
        c.that(dataBlocks < 8 || (below > 0.2 * all && below < 0.8 * all), "mid key %s has %d of %d bytes below", mid, below,
            all);
    }

    /** Walks the data blocks. maxBytes > 0: no unencoded block may exceed it by more than the cells of its last key. */
    void checkBlocks(Checks c, long maxBytes) throws IOException {
        FixedFileTrailer t = reader.getTrailer();
        c.that(t.getMajorVersion() == 3 || (t.getMajorVersion() == 2 && t.getMinorVersion() == 3), "version %d.%d",
            t.getMajorVersion(), t.getMinorVersion());
        if (cells.isEmpty()) {
            c.saw("0 cells");
            return;
        }
        long longest = 0; /* cells of one key stay in one block */
        long run = 0;
        for (int i = 0; i < cells.size(); i++) {
            boolean sameKey = i > 0 && ORDER.compare(keys.get(i - 1), keys.get(i)) == 0;
            run = (sameKey ? run : 0) + cells.get(i).getLength() + 2 + 9;
            longest = Math.max(longest, run);
        }
        long biggest = 0;
        for (long at = t.getFirstDataBlockOffset(); at <= t.getLastDataBlockOffset();) {
            HFileBlock b = reader.readBlock(at, -1, false, false, false, false, null, null);
            if (b.getBlockType() == BlockType.DATA || b.getBlockType() == BlockType.ENCODED_DATA) {
                dataBlocks++;
                biggest = Math.max(biggest, b.getBufferWithoutHeader().remaining());
            }
            at += b.getOnDiskSizeWithHeader();
            b.release();
        }
        if (maxBytes > 0 && reader.getDataBlockEncoding() == DataBlockEncoding.NONE) {
            c.that(biggest <= maxBytes + longest, "a data block of %d bytes, block size %d", biggest, maxBytes);
        }
        c.saw("%d cells, %d blocks, %d index levels", cells.size(), dataBlocks, t.getNumDataIndexLevels());
    }

    /** seekTo, reseekTo, seekBefore and a seek between two rows, for about so many cells, evenly spread. */
    void checkSeeks(Checks c, int seeks) throws IOException {
        int step = Math.max(1, cells.size() / seeks);
        int[] rowEnds = rowEnds();
        HFileScanner forward = scanner(true);
        forward.seekTo();
        for (int i = 0; i < cells.size(); i += step) {
            HFileScanner s = scanner(true);
            int rc = s.seekTo(keys.get(i));
            c.that(rc == 0 && at(s, i), "seekTo cell %d (%s) gives %d", i, keys.get(i), rc);
            rc = forward.reseekTo(keys.get(i));
            c.that(rc == 0 && at(forward, i), "reseekTo cell %d (%s) gives %d", i, keys.get(i), rc);
            checkSeekBefore(c, i);
            checkSeekAbsent(c, i, rowEnds[i]);
        }
    }

    /* For each cell the index of the last one of its row. */
    private int[] rowEnds() {
        int[] ends = new int[cells.size()];
        for (int i = cells.size() - 1; i >= 0; i--) {
            boolean more = i + 1 < cells.size() && CellText.sameRow(cells.get(i), cells.get(i + 1));
            ends[i] = more ? ends[i + 1] : i;
        }
        return ends;
    }

    private void checkSeekBefore(Checks c, int i) throws IOException {
        if (reader.getDataBlockEncoding() == DataBlockEncoding.ROW_INDEX_V1) {
            return; /* HBase's own seeker misses here on HBase's own files when a column has several versions */
        }
        int prev = i - 1;
        while (prev >= 0 && ORDER.compare(keys.get(prev), keys.get(i)) == 0) {
            prev--;
        }
        HFileScanner s = scanner(true);
        boolean found = s.seekBefore(keys.get(i));
        c.that(found == (prev >= 0) && (!found || at(s, prev)), "seekBefore cell %d (%s) gives %b", i, keys.get(i), found);
    }

    /* The row directly after row i, which is not in the file: the scanner must stand on the last cell of row i, or,
     * where that ends a block (INDEX_KEY_MAGIC), on the cell after it. */
    private void checkSeekAbsent(Checks c, int i, int last) throws IOException {
        byte[] row = Arrays.copyOf(rowOf(cells.get(i)), cells.get(i).getRowLength() + 1);
        if (row.length > HConstants.MAX_ROW_LENGTH) {
            return;
        }
        if (last + 1 < cells.size() && Bytes.equals(row, rowOf(cells.get(last + 1)))) {
            return;
        }
        HFileScanner s = scanner(true);
        int rc = s.seekTo(KeyValueUtil.createFirstOnRow(row));
        boolean ok = rc == 1 ? at(s, last) : rc == HConstants.INDEX_KEY_MAGIC && last + 1 < cells.size() && at(s, last + 1);
        c.that(ok, "seekTo the row after cell %d gives %d", i, rc);
    }

    static byte[] rowOf(Cell cell) {
        return Arrays.copyOfRange(cell.getRowArray(), cell.getRowOffset(), cell.getRowOffset() + cell.getRowLength());
    }
}
