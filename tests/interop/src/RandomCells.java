import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.util.Bytes;

/** Sorted cells of one family, which depend on nothing but the generator handed in. */
final class RandomCells {
    static final byte[] FAMILY = Bytes.toBytes("cf");
    static final long BASE_MS = 1_700_000_000_000L;

    private RandomCells() {
    }

    static List<Tag> tags(Random r) {
        List<Tag> tags = new ArrayList<>();
        if (r.nextInt(3) == 0) {
            tags.add(new ArrayBackedTag((byte) 9, "label-" + r.nextInt(4)));
        }
        if (r.nextInt(5) == 0) {
            tags.add(new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(1_000_000_000_000L + r.nextInt(3))));
        }
        return tags;
    }

    static KeyValue cell(Random r, String row, String qualifier, long ts, KeyValue.Type type, byte[] value) {
        return new KeyValue(Bytes.toBytes(row), FAMILY, Bytes.toBytes(qualifier), ts, type, value, tags(r));
    }

    static byte[] value(Random r, int max) {
        byte[] v = new byte[r.nextInt(max + 1)];
        for (int i = 0; i < v.length; i++) {
            v[i] = (byte) (i % 3 == 0 ? r.nextInt(256) : 'x');
        }
        return v;
    }

    static TreeSet<KeyValue> rows(Random r, int n) {
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        for (int i = 0; i < n; i++) {
            for (int q = r.nextInt(5); q >= 0; q--) {
                String row = String.format("row%05d", i * 7);
                cells.add(cell(r, row, "q" + q, BASE_MS + r.nextInt(1000), KeyValue.Type.Put, value(r, 90)));
            }
        }
        return cells;
    }

    /** Versions, every kind of delete marker, equal keys that differ only in their sequence ids, qualifier "". */
    static TreeSet<KeyValue> deletes(Random r, int n) {
        return deletes(r, n, true, true);
    }

    static TreeSet<KeyValue> deletes(Random r, int n, boolean tags, boolean seqs) {
        KeyValue.Type[] types = {KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.Delete,
            KeyValue.Type.DeleteColumn, KeyValue.Type.DeleteFamily, KeyValue.Type.DeleteFamilyVersion};
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        for (int i = 0; i < n; i++) {
            for (int k = r.nextInt(12); k >= 0; k--) {
                KeyValue.Type type = types[r.nextInt(types.length)];
                boolean family = type == KeyValue.Type.DeleteFamily || type == KeyValue.Type.DeleteFamilyVersion;
                byte[] q = Bytes.toBytes(family || r.nextInt(9) == 0 ? "" : "q" + r.nextInt(3));
                byte[] v = type == KeyValue.Type.Put ? value(r, 40) : new byte[0];
                byte[] row = Bytes.toBytes(String.format("user%04x", i * 37));
                KeyValue kv = new KeyValue(row, FAMILY, q, BASE_MS + r.nextInt(6), type, v, tags ? tags(r) : null);
                kv.setSequenceId(!seqs || r.nextInt(3) == 0 ? 0 : 1 + r.nextInt(100000));
                cells.add(kv);
            }
        }
        return cells;
    }

    static TreeSet<KeyValue> wide(Random r, int n) {
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        for (int i = 0; i < n; i++) {
            String row = i < n / 2 ? "wide-row" : "wide-row-" + i / 2000;
            cells.add(cell(r, row, String.format("column-%06d", i), BASE_MS, KeyValue.Type.Put, value(r, 10)));
        }
        return cells;
    }

    static TreeSet<KeyValue> big(Random r) {
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
