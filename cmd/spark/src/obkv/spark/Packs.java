package obkv.spark;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileSystem;

/** The packs of a shard: files that hold the HFiles of all partitions, with an index at their end (docs/formats/pack.md). A share fetches
 * the index and its own HFiles, into a sparse file where they have their places. */
final class Packs {
    private static final int ENTRY = 104, FOOTER = 32, PARTITION = 0, OFFSET = 8, BYTES = 16, PIECE = 1 << 20;

    private Packs() {}

    /** pack: its entry in the manifest. Of the HFiles, those of partitions p with p % of == share - 1; of = 0: none. Returns the file. */
    static Path stage(FileSystem fs, org.apache.hadoop.fs.Path folder, JsonNode pack, int share, int of, Path to) throws IOException {
        Path file = to.resolve(pack.get("path").asText());
        long size = pack.get("bytes").asLong(), indexAt = pack.get("index_at").asLong(), files = pack.get("files").asLong();
        if (size - indexAt > Integer.MAX_VALUE || files * ENTRY + FOOTER > size - indexAt) throw new IOException(file + ": no such index");
        Files.createDirectories(file.getParent());
        try (FSDataInputStream in = fs.open(new org.apache.hadoop.fs.Path(folder, pack.get("path").asText()));
             RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(size);
            byte[] index = new byte[(int) (size - indexAt)];
            in.readFully(indexAt, index);
            out.seek(indexAt);
            out.write(index);
            ByteBuffer entries = ByteBuffer.wrap(index);
            for (int at = 0; of > 0 && at < files * ENTRY; at += ENTRY)
                if (Integer.toUnsignedLong(entries.getInt(at + PARTITION)) % of == share - 1)
                    copy(in, out, entries.getLong(at + OFFSET), entries.getLong(at + BYTES));
        }
        return file;
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
