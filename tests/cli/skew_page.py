#!/usr/bin/env python3
"""The pages of obkv-verify skew --html and obkv-split plan --html: by themselves, and in a headless Chromium.

    skew_page.py BIN [--seed N] [--keep] [-v] [NAME ...]

Without Chromium the tests that need it are skipped; with OBKV_REQUIRE_INTEROP=1 they fail. The last line is
"N passed, N failed, N skipped".
"""
import random
import shlex
import sys

from pages import (HOSTILE, copied, demand_figures, demand_inert, demand_same_for_threads, figures_as_told, look_at_pages,
                   need_chromium, section_of, without_spans)
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


def figures_are_those_of_json(t):
    out = dataset(t)
    for name, args in (("full.html", [out]), ("quick.html", ["--quick", out]), ("other.html", ["--partition", "key:3000", out])):
        page, told = page_of(t, name, *args, "--nodes", 7, "--max-partition", 20000)
        figures = figures_as_told(page, told)
        demand(len(figures) > 100, "%s: %d figures" % (name, len(figures)))
        wanted = ["total.cells", "spread.kv_bytes.gini", "nodes.by_size.nodes.6.kv_bytes", "account.cells_counted"]
        if "quick" not in name:
            wanted += ["heaviest_rows.0.kv_bytes", "prefixes.0.share.0", "heat_map.bands.0.cells.0", "versions.0.columns"]
        demand_figures(page, figures, wanted)


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
    demand("UTF-8" in section_of(page.read_text("utf-8"), "next"), "bounds that OceanBase refuses")


def plan_of(t, name, *args):
    page = t.fresh(name)
    return page, t.result("split", "plan", "--html", page, "--now", NOW, *args)


def plan_has_a_page(t):
    """The same of obkv-split plan, for keys as they are and another design."""
    page, told = plan_of(t, "plan.html", "--expect", "1T", "--try", "concat(md5(key),key)", dataset(t))
    demand_figures(page, figures_as_told(page, told),
                   ("designs.0.kv_bytes", "designs.0.choices.0.bytes.gini", "designs.1.choices.0.rows.max_mean",
                    "designs.0.nodes.by_size.nodes.2.kv_bytes", "designs.0.heat_map.bands.3.cells.0"))
    demand_inert(page)
    empty = t.fresh("empty.cells")
    empty.write_text("# none\n")
    page, _ = plan_of(t, "empty-plan.html", "--format", "cells", empty)
    demand("Nothing to plan" in page.read_text("utf-8"), "the page of no rows")


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


def nothing_is_fetched_or_run(t):
    page, _ = page_of(t, "hostile.html", dataset(t))
    text = demand_inert(page)
    demand("&lt;script&gt;alert(1)&lt;/script&gt;" in text, "the hostile row is not there as text")
    demand("\u202e" not in text and "\\xE2\\x80\\xAEtxt" in text, "a key that turns text around")


def codecs_of(t, name):
    """The page of info --codecs of the heaviest file of the dataset."""
    largest = max(dataset(t).rglob("*.hfile"), key=lambda p: p.stat().st_size)
    page = t.fresh(name)
    return page, t.result("verify", "info", "--codecs", "--html", page, largest)


def codecs_have_a_page(t):
    page, told = codecs_of(t, "codecs.html")
    demand_figures(page, figures_as_told(page, told),
                   ("codecs.sample.cells", "codecs.results.74.file_bytes", "codecs.blooms.1.bloom_bytes"))
    demand_inert(page)
    best = told["codecs"]["recommended"]
    wanted = "--codec %s --encoding %s" % (best["codec"].lower(), best["encoding"].lower())
    demand(wanted in without_spans(section_of(page.read_text("utf-8"), "next")), "the command has no %s" % wanted)
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
             plan_of(t, "plan.html", "--try", "concat(md5(key),key)", out)[0], codecs_of(t, "codecs.html")[0]]
    look_at_pages(pages)


def main():
    t = Suite(__doc__, in_memory=True)
    for test in (figures_are_those_of_json, says_what_to_do_next, plan_has_a_page, command_of_a_plan_reads_the_same,
                 codecs_have_a_page, nothing_is_fetched_or_run, written_whole_or_not, same_for_any_threads, in_chromium):
        t.run(test.__name__.replace("_", " "), test)
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
