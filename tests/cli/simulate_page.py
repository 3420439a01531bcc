#!/usr/bin/env python3
"""The page of obkv-split simulate --html: by itself, and in a headless Chromium.

    simulate_page.py BIN [--seed N] [--keep] [-v] [NAME ...]

Without Chromium the test that needs it is skipped; with OBKV_REQUIRE_INTEROP=1 it fails. The last line is
"N passed, N failed, N skipped".
"""
import random
import sys

from pages import (HOSTILE, Browsed, copied, demand_inert, demand_same_for_threads, demand_told, look_at_pages, need_chromium,
                   text_of)
from programs import NOW, Suite, cell_line, demand

HASHED = ["--generate", 100000, "--key", "md5(int64(counter))[0:8] + int64(counter)", "--splits", "sampled:10"]
SEQUENTIAL = ["--generate", 100000, "--key", "zeropad(counter, 10)", "--splits", "sampled:50", "--partition", "key:997"]
SMALL = ["--set", "MEMSTORE_FLUSHSIZE=2097152", "--set", "MAX_FILESIZE=8388608"]
EMULATED = ["--generate", 400000, "--key", "md5(int64(counter))[0:8] + int64(counter)", "--servers", 5] + SMALL
GROWING = ["--generate", 400000, "--key", "zeropad(counter, 10)", "--compression-ratio", "50%"] + SMALL
TRIES = ["--generate", 30000, "--key", "zeropad(counter, 10)", "--try", "md5(int64(counter))", "--try",
         "concat('<script>', counter)", "--splits", "sampled:10"]
ONE = ["--generate", 1000, "--key", "random", "--splits", "none", "--partition", "none", "--nodes", 1]


def page_of(t, name, *args):
    """The page and the JSON document of the same run."""
    page = t.fresh(name)
    return page, t.result("split", "simulate", "--html", page, "--now", NOW, *args)


def hostile(t):
    """Arguments for rows with keys that would be markup."""
    r = random.Random(t.seed)
    cells = t.fresh("in<b>&'.cells")
    lines = [cell_line(r.choice(HOSTILE) + b"%d" % r.randrange(50), b"f", b"q", 1700000000000 + i * 1000, 4, 0, b"v", b"")
             for i in range(3000)]
    cells.write_text("\n".join(lines) + "\n")
    return ["--splits", "sampled:20", "--format", "cells", cells]


def pages(t):
    return [page_of(t, "hashed.html", *HASHED), page_of(t, "sequential.html", *SEQUENTIAL), page_of(t, "one.html", *ONE),
            page_of(t, "hostile.html", *hostile(t)), page_of(t, "emulated.html", *EMULATED), page_of(t, "growing.html", *GROWING),
            page_of(t, "tries.html", *TRIES),
            page_of(t, "hostile-emulated.html", "--set", "MEMSTORE_FLUSHSIZE=65536", *hostile(t))]


def results_are_those_of_json(t):
    for page, told in pages(t):
        demand_told(page, told)
        demand_inert(page)
        of = "kv_bytes" if told["mode"] == "emulate" else "writes"
        demand(sum(r[of] for r in told["hbase"]["regions"]) == told[of], "%s of regions" % of)


def figures_are_shown(t):
    page, told = page_of(t, "shown.html", *TRIES)
    with Browsed() as browser:
        tiles = dict(zip(text_of(browser, page, ".tile dt"), text_of(browser, page, ".tile dd")))
        demand(tiles["hottest region"] == "%.1f\u00a0%%" % (100 * told["hbase"]["hottest_mean"]), "%s" % tiles)
        shown = browser.evaluate("[...document.querySelectorAll('section[aria-labelledby=designs] tbody tr')]"
                                 ".map(r => r.cells[5].innerText)")
        demand(shown == ["%.2f" % d["hbase"]["hottest_max_mean"] for d in told["designs"]], "designs: %s" % shown)


def regions_and_partitions_have_one_scale(t):
    page, _ = page_of(t, "sequential.html", *SEQUENTIAL)
    with Browsed() as browser:
        sides = [["".join(text_of(browser, page, "section[aria-labelledby=%s] %s" % (name, what))[:1]) for what in
                  ("figure:not(.map) .axis.y", "figure.map .keys")] for name in ("regions", "partitions")]
    cut = [[side[0], side[1].split("):")[1]] for side in sides]
    demand(cut[0] == cut[1], "axes and colours: %s" % sides)


def says_what_to_do_next(t):
    page, _ = page_of(t, "next.html", *TRIES)
    table, command = copied(page)
    demand("PARTITION BY KEY(K) PARTITIONS 97" in table, "the table: %s" % table)
    demand(command.startswith("obkv-split plan --generate 30000"), "the command: %s" % command)


def hostile_names_are_text(t):
    page, _ = page_of(t, "hostile.html", *hostile(t))
    demand_inert(page)
    with Browsed() as browser:
        demand("<script>" in text_of(browser, page, "section[aria-labelledby=regions]")[0], "a hostile row is not there as text")
        demand(browser.evaluate("document.title") == "Where writes go", "a script of the data has run")


def nothing_written(t):
    empty = t.fresh("empty.cells")
    empty.write_text("# none\n")
    page, told = page_of(t, "empty.html", "--format", "cells", empty)
    with Browsed() as browser:
        demand(told["writes"] == 0 and "Nothing was written" in text_of(browser, page)[0], "the page of no rows")


def same_for_any_threads(t):
    demand_same_for_threads(lambda threads: page_of(t, "threads.html", "--threads", threads, *HASHED)[0])


def in_chromium(t):
    need_chromium()
    look_at_pages([page for page, _ in pages(t)])


def main():
    t = Suite(__doc__, in_memory=True)
    for test in (results_are_those_of_json, figures_are_shown, regions_and_partitions_have_one_scale, says_what_to_do_next,
                 hostile_names_are_text, nothing_written, same_for_any_threads, in_chromium):
        t.run(test.__name__.replace("_", " "), test)
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
