"""The tables of docs/row-key-guide.md in OceanBase: loaded as the page makes them, and asked what the page says they answer."""
import os

from rig import NOW, demand

GUIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../samples/guide")


def make(b, sample, table, *inputs):
    """A table of a sample, imported, exported, loaded and compared."""
    data, where = b.path(table + ".ds"), b.path(table)
    files = [os.path.join(GUIDE, sample, name) for name in (table + ".sql", table + ".json", *inputs)]
    b.run("obkv-import", "--now", NOW, "--ddl", files[0], "--map", files[1], "-o", data, *files[2:])
    b.run("obkv-export", "--now", NOW, "--create", "-o", where, data)
    b.load(where, "--create")
    b.expect_equal(where)


def texts(b, statement):
    """Rows of texts: K, Q and V are bytes."""
    return [tuple(row) if len(row) > 1 else row[0] for row in b.peer.sql(statement)]


def case_guide_drive(b):
    """A cloud drive: a path, a directory, and the files of a user in a range of days, which lie in one partition."""
    for table in ("path", "parent", "file"):
        make(b, "cloud-drive", table, "entries.csv")
    days = "K >= '00000120120901' AND K < '00000120120915'"
    got = texts(b, "SELECT DISTINCT K FROM `file$info` WHERE %s ORDER BY K" % days)
    want = ["0000012012090%d00000%d" % (2 * n, n) for n in (1, 2, 3, 4)] + ["00000120120910000005", "00000120120914000007"]
    demand(got == want, got)
    held = [p for p in range(7) if int(b.peer.one("SELECT COUNT(*) FROM `file$info` PARTITION (p%d) WHERE %s" % (p, days)))]
    demand(len(held) == 1, "the files of user 1 are in partitions %s" % held)
    plan = "\n".join(texts(b, "EXPLAIN SELECT K FROM `file$info` WHERE K_PREFIX = '000001' AND " + days))
    demand("partitions(p%d)" % held[0] in plan, plan)
    found = texts(b, "SELECT p.V FROM `path$info` p WHERE p.Q = 'file' AND p.K = "
                  "(SELECT K FROM `path$info` WHERE Q = 'path' AND V = '/shows/week-2.mp4')")
    demand(found == ["00000120120904000002"], found)
    names = texts(b, "SELECT f.Q FROM `parent$file` f, `path$info` p WHERE p.Q = 'directory' AND f.K = p.V AND p.K = "
                  "(SELECT K FROM `path$info` WHERE Q = 'path' AND V = '/clips') ORDER BY f.Q")
    demand(names == ["interview.mp4", "rehearsal.mp4"], names)


def case_guide_shops(b):
    """Shops and items: two tables of two families each, in both directions."""
    for table in ("shop", "item"):
        make(b, "shop-items", table, table + "s.csv", "stock.csv")
    demand(texts(b, "SELECT Q FROM `item$shop` WHERE K = 'i1' ORDER BY Q") == ["s1", "s2", "s3"], "shops of i1")
    got = texts(b, "SELECT Q, V FROM `shop$item` WHERE K = 's1' ORDER BY Q")
    demand(got == [("i1", "shelf"), ("i2", "order")], got)


def case_guide_fans(b):
    """Followers: the nickname and the fans of a user."""
    make(b, "followers", "users", "users.csv", "fans.csv")
    got = texts(b, "SELECT Q, V FROM `user$fans` WHERE K = '1001' ORDER BY Q")
    demand(got == [("1002", "mutual"), ("1003", "fan")], got)
