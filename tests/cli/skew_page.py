#!/usr/bin/env python3
"""The pages of obkv-verify skew --html and obkv-split plan --html: by themselves, and in a headless Chromium.

    skew_page.py BIN [--seed N] [--keep] [-v] [NAME ...]

Without Chromium the tests that need it are skipped; with OBKV_REQUIRE_INTEROP=1 they fail. The last line is
"N passed, N failed, N skipped".
"""
import random
import shlex
import sys

from pages import (HOSTILE, Browsed, copied, demand_inert, demand_same_for_threads, demand_told, look_at_pages, need_chromium,
                   rows_of, text_of, told_by)
from programs import NOW, Suite, cell_line, demand


def dataset(t):
    """Two families, hostile keys, one heavy row, a time-ordered range, several versions."""
    r = random.Random(t.seed)
    lines = []
    for i in range(6000):
        ts = 1700000000000 + i * 60000
        row = r.choice([r.choice(HOSTILE), b"log/%d" % ts, b"user%03d/%d" % (r.randrange(30), r.randrange(99)), b"heavy"])
        lines.append(cell_line(row, r.choice([b"info", b"x"]), b"q", ts, 4, 0, r.randbytes(r.randrange(60)), b""))
    cells = t.fresh("in.cells")
    cells.write_text("\n".join(lines) + "\n")
    out = t.fresh("data<b>&'set")
    t.call("import", "--quiet", "--partition", "key:29", "--format", "cells", "--now", NOW, "-o", out, cells)
    return out


def page_of(t, name, *args):
    """The page and the JSON document of the same run."""
    page = t.fresh(name)
    told = t.result("verify", "skew", "--html", page, "--now", NOW, *args)
    return page, told


def results_are_those_of_json(t):
    out = dataset(t)
    for name, args in (("full.html", [out]), ("quick.html", ["--quick", out]), ("other.html", ["--partition", "key:3000", out])):
        page, told = page_of(t, name, *args, "--nodes", 7, "--max-partition", 20000)
        demand_told(page, told)
        demand_inert(page)


def figures_are_shown(t):
    """What a reader sees, in each table, are the figures of the document."""
    page, told = page_of(t, "shown.html", dataset(t), "--max-partition", 20000)
    with Browsed() as browser:
        tiles = dict(zip(text_of(browser, page, ".tile dt"), text_of(browser, page, ".tile dd")))
        demand(tiles["cells"] == format(told["total"]["cells"], ","), "cells: %s" % tiles)
        demand(tiles["Gini"] == "%.3f" % told["spread"]["kv_bytes"]["gini"], "Gini: %s" % tiles)
        heavy = [r for r in rows_of(browser, page, "keys") if len(r) == 7]
        demand([r[1] for r in heavy] == ["%.1f\u00a0%%" % (100 * r["share"]) for r in told["heaviest_rows"]], "rows: %s" % heavy)
        counted = [r for r in rows_of(browser, page, "account") if r[0] == "counted here"]
        demand(counted == [["counted here", format(told["account"]["cells_counted"], ",")]], "account: %s" % counted)
        browser.open(page.as_uri(), 1280)
        browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        parts = browser.evaluate("[...document.querySelectorAll('section[aria-labelledby=partitions] details tbody tr')]"
                                 ".map(r => [r.cells[0].innerText, r.cells[2].innerText])")
        demand(parts == [[p["name"], format(p["cells"], ",")] for p in told["partitions"]], "partitions: %s" % parts[:3])


def says_what_to_do_next(t):
    """The table of the page is one that an import takes, and its partitions are those of the page."""
    out = dataset(t)
    page, told = page_of(t, "next.html", out)
    offered = copied(page)
    demand(offered[1].startswith("obkv-export --ddl table.sql --create -o EXPORT"), "%s" % offered[1:])
    table = t.fresh("table.sql")
    table.write_text(offered[0])
    again = t.result("verify", "skew", "--ddl", table, "--format", "cells", t.tmp / "in.cells")
    demand([p["cells"] for p in again["partitions"]] == [p["cells"] for p in told["partitions"]], "cells by its table")
    page, _ = page_of(t, "inputs.html", "--partition", "key:7", "--format", "cells", t.tmp / "in.cells")
    demand(copied(page)[1].startswith("obkv-import --ddl table.sql -o DATASET --format cells"), "%s" % copied(page)[1:])
    bounds = t.fresh("bounds.txt")
    bounds.write_text("hex:80ff\n")
    page, _ = page_of(t, "refused.html", "--partition", "range:%s" % bounds, out)
    demand("UTF-8" in told_by(page)["results"][0]["next"]["lead"], "bounds that OceanBase refuses")


def plan_of(t, name, *args):
    page = t.fresh(name)
    return page, t.result("split", "plan", "--html", page, "--now", NOW, *args)


def plan_has_a_page(t):
    """The same of obkv-split plan, for keys as they are and another design."""
    page, told = plan_of(t, "plan.html", "--expect", "1T", "--try", "concat(md5(key),key)", dataset(t))
    demand_told(page, told)
    demand_inert(page)
    empty = t.fresh("empty.cells")
    empty.write_text("# none\n")
    page, _ = plan_of(t, "empty-plan.html", "--format", "cells", empty)
    with Browsed() as browser:
        demand("Nothing to plan" in text_of(browser, page)[0], "the page of no rows")


def plan_draws_what_was_asked(t):
    """The partitioning of --ddl, and that of --take, stand beside the recommended one."""
    out, table = dataset(t), t.fresh("asked.sql")
    table.write_text("CREATE TABLE `t$info` (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), "
                     "PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 5;"
                     "CREATE TABLE `t$x` (K varbinary(1024), Q varbinary(256), T bigint, V varbinary(1024), "
                     "PRIMARY KEY (K, Q, T)) PARTITION BY KEY(K) PARTITIONS 5;")
    page, told = plan_of(t, "asked.html", "--ddl", table, "--take", "2", "-o", t.fresh("plan"), out)
    demand(len(told["present"]["expected_bytes"]) == 5 and sum(told["present"]["expected_bytes"]) > 0, "%s" % told["present"])
    with Browsed() as browser:
        heads = text_of(browser, page, "h2")[:3]
    demand(heads == ["The recommended partitioning", "The partitioning of --take", "The partitioning of --ddl"], "%s" % heads)


def command_of_a_plan_reads_the_same(t):
    """The import that a plan offers, run as it stands, takes what the plan has read: with its key, delimiter and selection."""
    lines = t.fresh("orders.txt")
    lines.write_text("user;time;event\n" + "".join("u%02d;%d;NULL\n" % (i % 7, 1700000000000 + i) for i in range(300)))
    table = t.fresh("table.sql")
    page, told = plan_of(t, "orders.html", "-d", ";", "--format", "csv", "--header", "--key", "user + '|' + time",
                         "--null", "none", "--columns", "time=HBASE_TS_KEY,event=d:event,user=e:user", "--families", "*,d=f",
                         "--qualifiers", "event", lines)
    sql, command = copied(page)
    table.write_text(sql)
    words = [str({"table.sql": table, "DATASET": t.tmp / "of the plan"}.get(w, w)) for w in shlex.split(command)]
    demand(words[0] == "obkv-import", command)
    made = t.result(words[0][5:], *words[1:])
    demand(made["cells"]["written"]["cells"] == told["designs"][0]["cells"] == 300, "cells: %s" % made["cells"])


def hostile_names_are_text(t):
    """Rows, families and paths that would be markup or script are shown as the text they are."""
    page, told = page_of(t, "hostile.html", dataset(t))
    demand_inert(page)
    with Browsed() as browser:
        text = text_of(browser, page)[0]
        demand("How data<b>&'set is spread" in text, "the name of the input")
        for row in told["heaviest_rows"]:
            key = bytes.fromhex(row["row"])
            shown = "".join(chr(c) if 0x20 <= c < 0x7f and c != 0x5c else "\\x%02X" % c for c in key[:64])
            demand(shown in text, "%r is not there as text" % key[:30])
        demand("\u202e" not in text, "a key that turns text around")
        demand(browser.evaluate("document.title") == "How data<b>&'set is spread", "a script of the data has run")
        demand(browser.evaluate("document.querySelectorAll('main img, main script, main b:not(.range b)').length") == 0, "markup")


def codecs_of(t, name):
    """The page of info --codecs of the heaviest file of the dataset."""
    largest = max(dataset(t).rglob("*.hfile"), key=lambda p: p.stat().st_size)
    page = t.fresh(name)
    return page, t.result("verify", "info", "--codecs", "--html", page, largest)


def codecs_have_a_page(t):
    page, told = codecs_of(t, "codecs.html")
    demand_told(page, told)
    demand_inert(page)
    best = told["codecs"]["recommended"]
    wanted = "--codec %s --encoding %s" % (best["codec"].lower(), best["encoding"].lower())
    demand(wanted in copied(page)[0], "the command has no %s" % wanted)
    with Browsed() as browser:
        names = text_of(browser, page, ".item > span:first-child")
        marked = [n for n in names if "(recommended" in n]
        demand(len(names) == 3 * len(set(names)) and len(marked) == 3, "bars: %s" % names)
        demand(any("as now)" in n for n in names), "the settings of today are not marked")
    t.call("verify", "info", "--html", page, page, want=2)


def written_whole_or_not(t):
    out = dataset(t)
    page, _ = page_of(t, "twice.html", out)
    before = page.read_bytes()
    page_of(t, "again.html", out)
    t.call("verify", "skew", "--quiet", "--html", page, "--now", NOW, out)
    demand(page.read_bytes() != b"" and len(before) > 10000, "the page")
    demand(not [p for p in t.tmp.iterdir() if ".tmp" in p.name], "a temporary file is left")
    t.call("verify", "skew", "--html", t.tmp / "no" / "where.html", out, want=7)
    t.call("verify", "skew", "--html", t.tmp, out, want=7)


def same_for_any_threads(t):
    out = dataset(t)
    demand_same_for_threads(lambda threads: page_of(t, "threads.html", "--threads", threads, out)[0])


def in_chromium(t):
    need_chromium()
    out = dataset(t)
    pages = [page_of(t, "one.html", out, "--max-partition", 20000)[0],
             page_of(t, "many.html", "--partition", "key:8192", out)[0],
             page_of(t, "quick.html", "--quick", out)[0], page_of(t, "none.html", "--partition", "none", out)[0],
             plan_of(t, "plan.html", "--try", "concat(md5(key),key)", out)[0]]
    look_at_pages(pages)
    look_at_pages([codecs_of(t, "codecs.html")[0]], charts=0)


def main():
    t = Suite(__doc__, in_memory=True)
    for test in (results_are_those_of_json, figures_are_shown, says_what_to_do_next, plan_has_a_page,
                 plan_draws_what_was_asked, command_of_a_plan_reads_the_same, codecs_have_a_page, hostile_names_are_text,
                 written_whole_or_not, same_for_any_threads, in_chromium):
        t.run(test.__name__.replace("_", " "), test)
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
