import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.apache.hadoop.hbase.ArrayBackedTag;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.Tag;
import org.apache.hadoop.hbase.TagType;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Seeded writes: versions that collide, markers of all kinds, cell TTLs, values from nothing to past the MOB threshold.
 * Qualifier "" only takes Puts and family markers: over other markers there HBase may loop for ever.
 */
final class RandomWrites {
    static final int MOB_THRESHOLD = 100;
    static final long HOUR_MS = 3_600_000;
    static final long DAY_MS = 24 * HOUR_MS;
    static final long[] FAMILY_TTLS_MS = {2 * HOUR_MS, DAY_MS, 3 * DAY_MS, 9 * DAY_MS};
    private static final long[] CELL_TTLS_MS = {HOUR_MS, DAY_MS, 5 * DAY_MS, 12 * DAY_MS};
    private static final int TIMESTAMPS = 14;
    private static final int CELL_TTL_ONE_IN = 8;
    private static final long EDGE_MS = 30 * 60_000; /* nothing expires so soon after the start: the clock runs on */

    private final Random r;
    private final long[] timestamps = new long[TIMESTAMPS];
    private long written;

    RandomWrites(Random r, long nowMs) {
        this.r = r;
        for (int i = 0; i < TIMESTAMPS; i++) {
            do {
                timestamps[i] = nowMs - 5 * 60_000 - (r.nextLong() >>> 1) % (r.nextBoolean() ? 10 * DAY_MS : DAY_MS);
            } while (onTheEdge(timestamps[i], nowMs, FAMILY_TTLS_MS) || onTheEdge(timestamps[i], nowMs, CELL_TTLS_MS));
        }
    }

    private static boolean onTheEdge(long ts, long nowMs, long[] ttls) {
        for (long ttl : ttls) {
            long left = ts + ttl - nowMs;
            if (left > -EDGE_MS && left < EDGE_MS) {
                return true;
            }
        }
        return false;
    }

    /** A time after now at which some cell is as old as a TTL allows, or one ms older; at most `within` from now. */
    long edge(long nowMs, long within) {
        for (int i = 0; i < 1000; i++) {
            long[] ttls = r.nextBoolean() ? FAMILY_TTLS_MS : CELL_TTLS_MS;
            long at = timestamps[r.nextInt(TIMESTAMPS)] + ttls[r.nextInt(ttls.length)] + r.nextInt(2);
            if (at > nowMs && at < nowMs + within) {
                return at;
            }
        }
        return nowMs + within;
    }

    private byte[] row() {
        byte[] row = Bytes.toBytes(String.format("%c%02d", 'a' + r.nextInt(26), r.nextInt(4)));
        return r.nextInt(6) == 0 ? Bytes.add(row, new byte[] {(byte) r.nextInt(256), (byte) r.nextInt(3)}) : row;
    }

    private long ts() {
        return timestamps[r.nextInt(TIMESTAMPS)];
    }

    private byte[] qualifier() {
        return Bytes.toBytes("q" + r.nextInt(3));
    }

    private byte[] value() {
        byte[] head = Bytes.toBytes("v" + written++);
        byte[] tail = new byte[r.nextInt(5) == 0 ? r.nextInt(4 * MOB_THRESHOLD) : r.nextInt(20)];
        for (int i = 0; i < tail.length; i++) {
            tail[i] = (byte) (i % 5 == 0 ? r.nextInt(256) : 'x');
        }
        return r.nextInt(30) == 0 ? new byte[0] : Bytes.add(head, tail);
    }

    private long cellTtlMs() {
        return CELL_TTLS_MS[r.nextInt(CELL_TTLS_MS.length)];
    }

    /** n mutations, one cell each. */
    List<Row> mutations(int n, String... families) {
        List<Row> out = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            byte[] family = Bytes.toBytes(families[r.nextInt(families.length)]);
            out.add(r.nextInt(10) < 7 ? put(family) : delete(family));
        }
        return out;
    }

    private Put put(byte[] family) {
        Put p = new Put(row());
        p.addColumn(family, r.nextInt(12) == 0 ? new byte[0] : qualifier(), ts(), value());
        if (r.nextInt(CELL_TTL_ONE_IN) == 0) {
            p.setTTL(cellTtlMs());
        }
        return p;
    }

    private Delete delete(byte[] family) {
        Delete d = new Delete(row());
        switch (r.nextInt(4)) {
            case 0: return d.addFamily(family, ts());
            case 1: return d.addFamilyVersion(family, ts());
            case 2: return d.addColumns(family, qualifier(), ts());
            default: return d.addColumn(family, qualifier(), ts());
        }
    }

    /** The same kind of cells for a file to be bulk-loaded; here with labels too, and without sequence ids. */
    TreeSet<KeyValue> cells(int n, String familyName) {
        TreeSet<KeyValue> cells = new TreeSet<>(CellComparatorImpl.COMPARATOR);
        byte[] family = Bytes.toBytes(familyName);
        KeyValue.Type[] types = {KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.Put, KeyValue.Type.Put,
            KeyValue.Type.DeleteFamily, KeyValue.Type.DeleteFamilyVersion, KeyValue.Type.DeleteColumn, KeyValue.Type.Delete};
        for (int i = 0; i < n; i++) {
            KeyValue.Type type = types[r.nextInt(types.length)];
            boolean whole = type == KeyValue.Type.DeleteFamily || type == KeyValue.Type.DeleteFamilyVersion;
            boolean put = type == KeyValue.Type.Put;
            byte[] qualifier = whole || (put && r.nextInt(12) == 0) ? new byte[0] : qualifier();
            cells.add(new KeyValue(row(), family, qualifier, ts(), type, put ? value() : new byte[0], tags()));
        }
        return cells;
    }

    private List<Tag> tags() {
        List<Tag> tags = new ArrayList<>();
        if (r.nextInt(4) == 0) {
            tags.add(new ArrayBackedTag((byte) 9, "label-" + r.nextInt(4)));
        }
        if (r.nextInt(CELL_TTL_ONE_IN) == 0) {
            tags.add(new ArrayBackedTag(TagType.TTL_TAG_TYPE, Bytes.toBytes(cellTtlMs())));
        }
        return tags;
    }
}
