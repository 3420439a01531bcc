"""Images of HBase's own backups: each, read after its ancestors, must show what a scan showed when it was taken."""
import celldata
from hbase import Failed

IMAGES = 4  # one full, the others incremental; bulk-loaded cells are in the third
TABLES = ("orders", "carts")


def chain(interop, image, number, table):
    """Why the image does not show what HBase showed; "" if it does."""
    made = interop.work / "backups"
    folder, out = made / "backups" / image / "shop" / table, interop.work / f"backup-{number}-{table}"
    try:
        interop.tools.run("obkv-import", "--quiet", "--strict", "--compact", "--partition", "key:3", "--config",
                          "backup=%s" % image, "-o", out, folder)
        interop.tools.run("obkv-verify", "check", "--strict", "--config", "backup=%s" % image, folder)
        interop.tools.run("obkv-verify", "dump", out, out=out.with_suffix(".cells"))
    except Failed as e:
        return str(e)
    return celldata.difference(celldata.without_seq(celldata.read_lines(made / f"scan.{number}.{table}")),
                               celldata.without_seq(celldata.read_lines(out.with_suffix(".cells"))))


def run(interop):
    seed, hbase = interop.args.seed, interop.hbase["codecs"]
    ok, text = hbase.run("MakeBackups", (interop.work / "backups", seed, IMAGES), ["backups"])["backups"]
    if not interop.report.check(ok, f"backups by HBase {hbase.version}, --seed {seed}", text) or not interop.with_tools:
        return
    images = sorted(p.name for p in (interop.work / "backups" / "backups").glob("backup_*"))
    interop.report.check(len(images) == IMAGES, "images of the backups", f"{len(images)}")
    interop.report.group("chains of backup images", [(f"{image} {table}", chain(interop, image, number, table))
                                                     for number, image in enumerate(images) for table in TABLES])
