import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.io.encoding.DataBlockEncoding;
import org.apache.hadoop.hbase.regionserver.BloomType;
import org.apache.hadoop.hbase.util.Bytes;

/** Families with random storage and version rules. */
final class RandomFamilies {
    private static final String PURGE = "hbase.hstore.time.to.purge.deletes";
    private static final Compression.Algorithm[] CODECS = {Compression.Algorithm.NONE, Compression.Algorithm.GZ,
        Compression.Algorithm.SNAPPY, Compression.Algorithm.LZ4}; /* what 2.6.4 has without native Hadoop */

    private final Random r;

    RandomFamilies(Random r) {
        this.r = r;
    }

    private <T> T any(T[] all) {
        return all[r.nextInt(all.length)];
    }

    private ColumnFamilyDescriptorBuilder storage(String name) {
        return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name)).setCompressionType(any(CODECS))
            .setDataBlockEncoding(any(DataBlockEncoding.values())).setBloomFilterType(any(BloomType.values()))
            .setBlocksize(r.nextBoolean() ? 65536 : 1024).setMaxVersions(1 + r.nextInt(4))
            .setConfiguration("RowPrefixBloomFilter.prefix_length", "2");
    }

    private int ttlSeconds() {
        return (int) (RandomWrites.FAMILY_TTLS_MS[r.nextInt(RandomWrites.FAMILY_TTLS_MS.length)] / 1000);
    }

    /** Versions only. */
    ColumnFamilyDescriptor plain(String name) {
        return storage(name).build();
    }

    ColumnFamilyDescriptor mob(String name) {
        return storage(name).setMobEnabled(true).setMobThreshold(RandomWrites.MOB_THRESHOLD).build();
    }

    /** One family for each rule, two with several at once. */
    List<ColumnFamilyDescriptor> rules() {
        List<ColumnFamilyDescriptor> all = new ArrayList<>();
        all.add(storage("ttl").setTimeToLive(ttlSeconds()).build());
        all.add(storage("min").setTimeToLive(ttlSeconds()).setMinVersions(1).setMaxVersions(3).build());
        all.add(storage("keep").setKeepDeletedCells(KeepDeletedCells.TRUE).build());
        all.add(storage("keepttl").setKeepDeletedCells(KeepDeletedCells.TTL).setTimeToLive(ttlSeconds()).build());
        all.add(storage("new").setNewVersionBehavior(true).build());
        all.add(storage("purge").setConfiguration(PURGE, "" + RandomWrites.DAY_MS).build());
        all.add(mixed("mix1"));
        all.add(mixed("mix2"));
        return all;
    }

    private ColumnFamilyDescriptor mixed(String name) {
        ColumnFamilyDescriptorBuilder f = storage(name).setTimeToLive(ttlSeconds());
        KeepDeletedCells keep = any(KeepDeletedCells.values());
        if (keep == KeepDeletedCells.TTL || r.nextBoolean()) {
            f.setMaxVersions(3).setMinVersions(1 + r.nextInt(2));
        }
        if (r.nextBoolean()) {
            f.setConfiguration(PURGE, "" + 2 * RandomWrites.HOUR_MS);
        }
        return f.setKeepDeletedCells(keep).build();
    }

    /** name, VERSIONS, MIN_VERSIONS, TTL s, KEEP_DELETED_CELLS, NEW_VERSION_BEHAVIOR, purge delay ms, MOB. */
    static String line(ColumnFamilyDescriptor f) {
        String purge = f.getConfigurationValue(PURGE);
        return String.join("\t", f.getNameAsString(), "" + f.getMaxVersions(), "" + f.getMinVersions(), "" + f.getTimeToLive(),
            f.getKeepDeletedCells().name(), "" + f.isNewVersionBehavior(), purge == null ? "0" : purge, "" + f.isMobEnabled());
    }
}
