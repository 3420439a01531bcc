#!/usr/bin/env python3
"""The page of obkv-split simulate --html: by itself, and in a headless Chromium.

    simulate_page.py BIN [--seed N] [--keep] [-v] [NAME ...]

Without Chromium the test that needs it is skipped; with OBKV_REQUIRE_INTEROP=1 it fails. The last line is
"N passed, N failed, N skipped".
"""
import random
import re
import sys

from pages import (HOSTILE, copied, demand_figures, demand_inert, demand_same_for_threads, figures_as_told, look_at_pages,
                   need_chromium, section_of)
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


def figures_are_those_of_json(t):
    for page, told in pages(t):
        figures = figures_as_told(page, told)
        emulated = told["mode"] == "emulate"
        demand_figures(page, figures, ("writes", "hbase.hottest_mean", "oceanbase.partitions.0.share"))
        demand_figures(page, figures,
                       ["hbase.totals.write_amplification", "hbase.buckets.0.kv_bytes", "hbase.servers.0.kv_bytes",
                        "hbase.totals.events.split", "hbase.regions.%d.file_bytes" % told["hbase"]["live"][0]] if emulated else
                       ["hbase.regions.0.writes", "hbase.slices.0.hottest_share", "oceanbase.nodes.nodes.0.writes"])
        if len(told["designs"]) > 1:
            demand_figures(page, figures, ["designs.2.hbase.hottest_mean", "designs.1.oceanbase.hottest_max_mean"])
        of = "kv_bytes" if emulated else "writes"
        demand(sum(r[of] for r in told["hbase"]["regions"]) == told[of], "%s of regions" % of)


def regions_and_partitions_have_one_scale(t):
    text = page_of(t, "sequential.html", *SEQUENTIAL)[0].read_text("utf-8")
    sides = [section_of(text, name) for name in ("regions", "partitions")]
    for what, pattern in (("the axes of the bars", r'<div class="axis y".*?</div>'),
                          ("the colours of the maps", r"in multiples of the mean \([^)]*\):.*?</ul>")):
        found = [re.sub(r"\(.*?\)", "", re.search(pattern, side, re.DOTALL)[0]) for side in sides]
        demand(found[0] == found[1], "%s: %s" % (what, found))


def says_what_to_do_next(t):
    page, _ = page_of(t, "next.html", *TRIES)
    table, command = copied(page)
    demand("PARTITION BY KEY(K) PARTITIONS 97" in table, "the table: %s" % table)
    demand(command.startswith("obkv-split plan --generate 30000"), "the command: %s" % command)


def nothing_is_fetched_or_run(t):
    page, _ = page_of(t, "hostile.html", *hostile(t))
    demand("&lt;script&gt;" in demand_inert(page), "a hostile row is not there as text")


def nothing_written(t):
    empty = t.fresh("empty.cells")
    empty.write_text("# none\n")
    page, told = page_of(t, "empty.html", "--format", "cells", empty)
    demand(told["writes"] == 0 and "Nothing was written" in page.read_text("utf-8"), "the page of no rows")


def same_for_any_threads(t):
    demand_same_for_threads(lambda threads: page_of(t, "threads.html", "--threads", threads, *HASHED)[0])


def in_chromium(t):
    need_chromium()
    look_at_pages([page for page, _ in pages(t)])


def main():
    t = Suite(__doc__, in_memory=True)
    for test in (figures_are_those_of_json, regions_and_partitions_have_one_scale, says_what_to_do_next,
                 nothing_is_fetched_or_run, nothing_written, same_for_any_threads, in_chromium):
        t.run(test.__name__.replace("_", " "), test)
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
