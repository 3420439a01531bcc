import java.io.IOException;
import java.io.Writer;
import java.util.HexFormat;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;

/** One cell a line, as `obkv-verify dump` prints it: row, family, qualifier, ts, type code, seq, value, tags. */
final class CellText {
    private static final HexFormat HEX = HexFormat.of();

    private CellText() {
    }

    static String hex(byte[] a, int off, int n) {
        return n == 0 ? "-" : HEX.formatHex(a, off, off + n);
    }

    static byte[] bytes(String hex) {
        return hex.equals("-") ? new byte[0] : HEX.parseHex(hex);
    }

    static String row(Cell c) {
        return hex(c.getRowArray(), c.getRowOffset(), c.getRowLength());
    }

    /** row, family, qualifier, ts, type code. */
    static String key(Cell c) {
        return row(c) + '\t' + hex(c.getFamilyArray(), c.getFamilyOffset(), c.getFamilyLength()) + '\t'
            + hex(c.getQualifierArray(), c.getQualifierOffset(), c.getQualifierLength()) + '\t' + c.getTimestamp() + '\t'
            + (c.getTypeByte() & 0xff);
    }

    static void write(Writer out, Cell c, long seq) throws IOException {
        byte[] tags = org.apache.hadoop.hbase.PrivateCellUtil.cloneTags(c);
        out.write(key(c) + '\t' + seq + '\t' + hex(c.getValueArray(), c.getValueOffset(), c.getValueLength()) + '\t'
            + hex(tags, 0, tags.length) + '\n');
    }

    static boolean sameRow(Cell a, Cell b) {
        return Bytes.equals(a.getRowArray(), a.getRowOffset(), a.getRowLength(), b.getRowArray(), b.getRowOffset(),
            b.getRowLength());
    }
}
