import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.fs.HFileSystem;
import org.apache.hadoop.hbase.io.Reference;
import org.apache.hadoop.hbase.io.hfile.CacheConfig;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.StoreFileInfo;
import org.apache.hadoop.hbase.regionserver.StoreFileReader;
import org.apache.hadoop.hbase.util.Bytes;

/** Opens a file as a region server does (HStoreFile) and checks its bloom filters, time range and counts of deletes. */
final class StoreChecks {
    private static final double FALSE_POSITIVES_MAX = 0.05;
    private static final byte[] NONE = {};

    private final Checks c;
    private final List<KeyValue> cells;
    private final HStoreFile file;
    private final StoreFileReader reader;
    private final Method passesBloom;

    StoreChecks(Checks c, HFileSystem fs, Path path, Configuration conf, List<KeyValue> cells) throws Exception {
        this.c = c;
        this.cells = cells;
        StoreFileInfo info = new StoreFileInfo(conf, fs, fs.getFileStatus(path), (Reference) null);
        file = new HStoreFile(info, BloomType.ROW, CacheConfig.DISABLED);
        file.initReader();
        reader = file.getReader();
        /* the door every Get goes through; it also weighs LAST_BLOOM_KEY */
        passesBloom = StoreFileReader.class.getDeclaredMethod("passesBloomFilter", Scan.class, SortedSet.class);
        passesBloom.setAccessible(true);
    }

    void close() throws IOException {
        file.closeStoreFile(true);
    }

    BloomType bloomType() {
        return reader.getBloomFilterType();
    }

    /** TIMERANGE (ts 0 belongs to a DeleteColumn and a DeleteFamily), EARLIEST_PUT_TS, DELETE_FAMILY_COUNT. */
    void checkMetadata() {
        long min = Long.MAX_VALUE;
        long max = -1;
        long earliestPut = Long.MAX_VALUE;
        long familyDeletes = 0;
        for (KeyValue kv : cells) {
            KeyValue.Type type = KeyValue.Type.codeToType(kv.getTypeByte());
            boolean range = type == KeyValue.Type.DeleteColumn || type == KeyValue.Type.DeleteFamily;
            min = Math.min(min, range ? 0 : kv.getTimestamp());
            max = Math.max(max, kv.getTimestamp());
            earliestPut = type == KeyValue.Type.Put ? Math.min(earliestPut, kv.getTimestamp()) : earliestPut;
            familyDeletes += isFamilyDelete(kv) ? 1 : 0;
        }
        if (!cells.isEmpty()) {
            c.equal(min, file.getMinimumTimestamp().orElse(-2), "TIMERANGE minimum");
            c.equal(max, file.getMaximumTimestamp().orElse(-2), "TIMERANGE maximum");
        }
        byte[] put = file.getMetadataValue(HStoreFile.EARLIEST_PUT_TS);
        c.that(put != null && put.length == 8 && Bytes.toLong(put) == earliestPut, "EARLIEST_PUT_TS %s, want %d",
            put == null ? null : Bytes.toStringBinary(put), earliestPut);
        c.equal(familyDeletes, Math.max(0, reader.getDeleteFamilyCnt()), "DELETE_FAMILY_COUNT");
    }

    private static boolean isFamilyDelete(KeyValue kv) {
        KeyValue.Type type = KeyValue.Type.codeToType(kv.getTypeByte());
        return type == KeyValue.Type.DeleteFamily || type == KeyValue.Type.DeleteFamilyVersion;
    }

    private boolean passes(byte[] row, byte[] qualifier) throws Exception {
        Get get = new Get(row);
        SortedSet<byte[]> columns = null;
        if (qualifier != null) {
            get.addColumn(cells.get(0).getFamilyArray(), qualifier);
            columns = new TreeSet<>(Bytes.BYTES_COMPARATOR);
            columns.add(qualifier);
        }
        try {
            return (Boolean) passesBloom.invoke(reader, new Scan(get), columns);
        } catch (InvocationTargetException e) {
            throw new IOException(e.getCause());
        }
    }

    /** No present key may be denied; of absent ones at most FALSE_POSITIVES_MAX may be let through. */
    void checkGeneralBloom(int absentKeys) throws Exception {
        BloomType type = bloomType();
        if (type == BloomType.NONE || cells.isEmpty()) {
            return;
        }
        c.that(reader.getHFileReader().getGeneralBloomFilterMetadata() != null, "bloom type %s without a filter", type);
        boolean columns = type == BloomType.ROWCOL;
        TreeMap<byte[], byte[]> keys = new TreeMap<>(Bytes.BYTES_COMPARATOR); /* bloom key as text -> nothing: a set */
        int denied = 0;
        Cell previous = null;
        for (KeyValue kv : cells) {
            byte[] row = HFileCells.rowOf(kv);
            byte[] qualifier = columns ? qualifierOf(kv) : null;
            keys.put(bloomKey(row, qualifier), row);
            if (columns || previous == null || !CellText.sameRow(previous, kv)) {
                denied += passes(row, qualifier) ? 0 : 1;
            }
            previous = kv;
        }
        c.that(denied == 0, "general bloom %s denies %d of %d keys that are there", type, denied, keys.size());
        checkFalsePositives(type, keys, absentKeys);
        c.saw("bloom %s %d keys", type, keys.size());
    }

    /* Absent keys next to present ones, so that they fall into the same chunks. */
    private void checkFalsePositives(BloomType type, TreeMap<byte[], byte[]> keys, int absentKeys)
        throws Exception {
        int tried = 0;
        int passed = 0;
        for (int i = 0; tried < absentKeys && i < 4 * absentKeys; i++) {
            byte[] row = HFileCells.rowOf(cells.get((int) ((long) i * 7919 % cells.size())));
            byte[] qualifier = null;
            if (type == BloomType.ROWCOL) {
                qualifier = Bytes.toBytes("absent-" + i);
            } else {
                row = absentRow(type, row, i);
            }
            /* a row with a cell of qualifier "" passes a row+column filter for every column */
            if (keys.containsKey(bloomKey(row, qualifier)) || keys.containsKey(bloomKey(row, qualifier == null ? null : NONE))) {
                continue;
            }
            tried++;
            passed += passes(row, qualifier) ? 1 : 0;
        }
        /* a row+column filter is asked for the row as well (a family delete may stand there): twice the chance */
        double max = type == BloomType.ROWCOL ? 2 * FALSE_POSITIVES_MAX : FALSE_POSITIVES_MAX;
        c.that(passed <= 2 + max * tried, "general bloom %s: %d false positives in %d", type, passed, tried);
    }

    private byte[] absentRow(BloomType type, byte[] row, int i) {
        if (type == BloomType.ROWPREFIX_FIXED_LENGTH) {
            int n = reader.getPrefixLength();
            byte[] other = Arrays.copyOf(row, Math.max(row.length, n));
            other[n - 1] = (byte) i;
            other[n / 2] ^= (byte) (i >> 8);
            return other;
        }
        byte[] tail = Bytes.toBytes("!" + i);
        int head = Math.min(row.length, HConstants.MAX_ROW_LENGTH - tail.length);
        return Bytes.add(Arrays.copyOf(row, head), tail);
    }

    private byte[] bloomKey(byte[] row, byte[] qualifier) {
        if (bloomType() == BloomType.ROWPREFIX_FIXED_LENGTH) {
            return Arrays.copyOf(row, Math.min(row.length, reader.getPrefixLength()));
        }
        return qualifier == null ? row : Bytes.add(Bytes.toBytes(row.length), row, qualifier);
    }

    private static byte[] qualifierOf(KeyValue kv) {
        int at = kv.getQualifierOffset();
        return Arrays.copyOfRange(kv.getQualifierArray(), at, at + kv.getQualifierLength());
    }

    /** The filter that tells whether a row has a family delete. */
    void checkDeleteBloom() throws IOException {
        Map<String, byte[]> others = new HashMap<>();
        Map<String, byte[]> deleted = new HashMap<>();
        for (KeyValue kv : cells) {
            (isFamilyDelete(kv) ? deleted : others).put(CellText.row(kv), HFileCells.rowOf(kv));
        }
        others.keySet().removeAll(deleted.keySet());
        if (deleted.isEmpty() || bloomType() == BloomType.ROWCOL) {
            return; /* StoreFileWriter makes no such filter beside a row+column one */
        }
        c.that(reader.getHFileReader().getDeleteBloomFilterMetadata() != null, "family deletes, but no delete family bloom");
        int denied = (int) deleted.values().stream().filter(r -> !reader.passesDeleteFamilyBloomFilter(r, 0, r.length)).count();
        c.that(denied == 0, "delete family bloom denies %d of %d rows", denied, deleted.size());
        long passed = others.values().stream().filter(r -> reader.passesDeleteFamilyBloomFilter(r, 0, r.length)).count();
        c.that(passed <= 2 + FALSE_POSITIVES_MAX * others.size(), "delete family bloom: %d false positives in %d", passed,
            others.size());
        c.saw("delete family bloom %d rows", deleted.size());
    }
}
