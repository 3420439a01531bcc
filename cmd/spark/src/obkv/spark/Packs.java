package obkv.spark;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/** The packs of a shard: files that hold the HFiles of all partitions, with an index at their end (docs/formats/pack.md). A share fetches
 * the index and its own HFiles, into a sparse file where they have their places. */
final class Packs {
    private static final int ENTRY = 104, FOOTER = 32, PARTITION = 0, OFFSET = 8, BYTES = 16, PIECE = 1 << 20;
    private static final int GAP = 128 << 10, LOCAL_GAP = 4 << 10;

    private Packs() {}

    /** pack: its entry in the manifest. Of the HFiles, those of partitions p with p % of == share - 1; of = 0: none. Returns the file. */
    static Path stage(FileSystem fs, org.apache.hadoop.fs.Path folder, JsonNode pack, int share, int of, Path to) throws IOException {
        Path file = to.resolve(pack.get("path").asText());
        long size = pack.get("bytes").asLong(), indexAt = pack.get("index_at").asLong(), files = pack.get("files").asLong();
        if (size - indexAt > Integer.MAX_VALUE || files * ENTRY + FOOTER > size - indexAt) throw new IOException(file + ": no such index");
        Files.createDirectories(file.getParent());
        try (FSDataInputStream in = Remote.open(fs, new org.apache.hadoop.fs.Path(folder, pack.get("path").asText()), size);
             RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(size);
            byte[] index = new byte[(int) (size - indexAt)];
            in.readFully(indexAt, index);
            out.seek(indexAt);
            out.write(index);
            for (long[] s : stretches(ByteBuffer.wrap(index), files, share, of, Remote.isLocal(fs) ? LOCAL_GAP : GAP))
                copy(in, out, s[0], s[1] - s[0]);
        }
        return file;
    }

    /** Where the share's HFiles begin and end. A short gap between two of them is read with them: a request takes longer. */
    private static List<long[]> stretches(ByteBuffer entries, long files, int share, int of, int gap) {
        List<long[]> own = new ArrayList<>(), joined = new ArrayList<>();
        for (int at = 0; of > 0 && at < files * ENTRY; at += ENTRY)
            if (Integer.toUnsignedLong(entries.getInt(at + PARTITION)) % of == share - 1)
                own.add(new long[] {entries.getLong(at + OFFSET), entries.getLong(at + OFFSET) + entries.getLong(at + BYTES)});
        own.sort(Comparator.comparingLong(s -> s[0]));
        for (long[] s : own) {
            long[] last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
            if (last != null && s[0] - last[1] <= gap) last[1] = Math.max(last[1], s[1]);
            else joined.add(s);
        }
        return joined;
    }

    private static void copy(FSDataInputStream in, RandomAccessFile out, long from, long bytes) throws IOException {
        byte[] piece = new byte[(int) Math.min(bytes, PIECE)];
        out.seek(from);
        for (long done = 0; done < bytes; done += piece.length) {
            int n = (int) Math.min(piece.length, bytes - done);
            in.readFully(from + done, piece, 0, n);
            out.write(piece, 0, n);
        }
    }
}
