#!/usr/bin/env python3
"""The pages of obkv-verify skew --html and obkv-split plan --html: by themselves, and in a headless Chromium.

    skew_page.py BIN [--seed N] [--keep] [-v] [NAME ...]

Without Chromium the tests that need it are skipped; with OBKV_REQUIRE_INTEROP=1 they fail. The last line is
"N passed, N failed, N skipped".
"""
import html.parser
import os
import random
import re
import sys

import chromium
from programs import NOW, Skip, Suite, Wrong, cell_line, demand

HOSTILE = [b"<script>alert(1)</script>", b"\"><img src=x onerror=alert(1)>", b"'&amp;</td>", b"\xff\xfe\x00bytes", b"-->", b"]]>",
           "\u202etxt".encode(), b"a" * 900]


class Figures(html.parser.HTMLParser):
    """What the page says, what it would fetch or run, and how its tags nest."""
    VOID = {"meta", "link", "rect", "line", "path", "br"}

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.figures, self.tags, self.outside, self.ids, self.labels = [], [], [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.append(tag)
        if "data-figure" in attrs:
            self.figures.append((attrs["data-figure"], attrs["value"]))
        if "id" in attrs:
            demand(attrs["id"] not in self.ids, "id %s twice" % attrs["id"])
            self.ids.add(attrs["id"])
        self.labels += attrs.get("aria-labelledby", "").split()
        self.outside += [(tag, k, v) for k, v in attrs.items()
                         if k.startswith("on") or (k in ("src", "href", "action", "data", "xlink:href") and v != "data:,")]


def at(document, path):
    for step in path.split("."):
        document = document[int(step)] if isinstance(document, list) else document[step]
    return document


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
        seen = Figures(page.read_text("utf-8"))
        demand(len(seen.figures) > 100, "%s: %d figures" % (name, len(seen.figures)))
        for path, value in seen.figures:
            want = at(told, path)
            demand(float(value) == float(want), "%s: %s is %s, the JSON says %s" % (name, path, value, want))
        wanted = ["total.cells", "spread.kv_bytes.gini", "nodes.by_size.nodes.6.kv_bytes", "account.cells_counted"]
        if "quick" not in name:
            wanted += ["heaviest_rows.0.kv_bytes", "prefixes.0.share.0", "heat_map.bands.0.cells.0", "versions.0.columns"]
        for path in wanted:
            demand(path in dict(seen.figures), "%s: no figure %s" % (name, path))


def plan_of(t, name, *args):
    page = t.fresh(name)
    return page, t.result("split", "plan", "--html", page, "--now", NOW, *args)


def plan_has_a_page(t):
    """The same of obkv-split plan, for keys as they are and another design."""
    page, told = plan_of(t, "plan.html", "--expect", "1T", "--try", "concat(md5(key),key)", dataset(t))
    seen = Figures(page.read_text("utf-8"))
    for path, value in seen.figures:
        demand(float(value) == float(at(told, path)), "%s is %s, the JSON says %s" % (path, value, at(told, path)))
    for path in ("designs.0.kv_bytes", "designs.0.choices.0.bytes.gini", "designs.1.choices.0.rows.max_mean",
                 "designs.0.nodes.by_size.nodes.2.kv_bytes", "designs.0.heat_map.bands.3.cells.0"):
        demand(path in dict(seen.figures), "no figure %s" % path)
    demand(not seen.outside and "script" not in seen.tags, "something fetched or run: %s" % seen.outside)
    empty = t.fresh("empty.cells")
    empty.write_text("# none\n")
    page, _ = plan_of(t, "empty-plan.html", "--format", "cells", empty)
    demand("Nothing to plan" in page.read_text("utf-8"), "the page of no rows")


def nothing_is_fetched_or_run(t):
    page, _ = page_of(t, "hostile.html", dataset(t))
    text = page.read_text("utf-8")
    seen = Figures(text)
    demand(not seen.outside, "attributes that fetch or run: %s" % seen.outside)
    bad = {"script", "img", "iframe", "object", "embed", "base", "form"} & set(seen.tags)
    demand(not bad, "tags: %s" % sorted(bad))
    demand("&lt;script&gt;alert(1)&lt;/script&gt;" in text, "the hostile row is not there as text")
    demand("\u202e" not in text and "\\xE2\\x80\\xAEtxt" in text, "a key that turns text around")
    demand(not re.search(r"url\(|@import|https?://", text), "something from elsewhere")
    demand(not [i for i in seen.labels if i not in seen.ids], "labels without their text")
    demand(text.count("role=\"img\"") == text.count("<desc"), "a chart without a description")


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
    out, pages = dataset(t), []
    for threads in (1, 4):
        page, _ = page_of(t, "threads.html", "--threads", threads, out)
        pages.append(re.sub(r"--threads \d", "", page.read_text("utf-8")))
    demand(pages[0] == pages[1], "the page depends on the number of threads")


def in_chromium(t):
    program = chromium.find()
    if not program and os.environ.get("OBKV_REQUIRE_INTEROP"):
        raise Wrong("no chromium (sh samples/setup.sh browser)")
    if not program:
        raise Skip("no chromium (sh samples/setup.sh browser)")
    out = dataset(t)
    pages = [page_of(t, "one.html", out, "--max-partition", 20000)[0],
             page_of(t, "many.html", "--partition", "key:8192", out)[0],
             page_of(t, "quick.html", "--quick", out)[0], page_of(t, "none.html", "--partition", "none", out)[0],
             plan_of(t, "plan.html", "--try", "concat(md5(key),key)", out)[0]]
    browser = chromium.Browser(program)
    try:
        for page in pages:
            for width in (320, 360, 768, 1280):
                look(browser, page, width)
            compare_modes(browser, page)
    finally:
        browser.close()


def look(browser, page, width):
    url = page.as_uri()
    browser.open(url, width)
    what = "%s at %d px: " % (page.name, width)
    demand(browser.evaluate("document.querySelectorAll('svg').length") >= 2, what + "charts are missing")
    wide = browser.evaluate("document.documentElement.scrollWidth")
    demand(wide <= width, what + "%d px wide" % wide)
    small = browser.evaluate("[...document.querySelectorAll('svg')].filter(s => s.getBoundingClientRect().width < 100 ||"
                             " s.getBoundingClientRect().height < 80).length")
    demand(small == 0, what + "%s charts are too small" % small)
    tiny = browser.evaluate("[...document.querySelectorAll('main *')].filter(e => e.textContent.trim() &&"
                            " parseFloat(getComputedStyle(e).fontSize) < 11).length")
    demand(tiny == 0, what + "%s pieces of text are too small" % tiny)
    keys = browser.evaluate("[...document.querySelectorAll('.scroll')].every(e => e.tabIndex === 0)")
    demand(keys, what + "a table cannot be scrolled by keyboard")
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = browser.evaluate("document.documentElement.scrollWidth")
    demand(wide <= width, what + "%d px wide when all is unfolded" % wide)
    demand(not browser.said(), what + "the console says %s" % browser.said()[:2])
    asked = [u for u in browser.requested() if u != url and not u.startswith("data:")]
    demand(not asked, what + "asks for %s" % asked[:3])


CONTRAST = """(() => {
  const linear = v => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const rgb = c => c.match(/[\\d.]+/g).slice(0, 3).map(v => linear(v / 255));
  const light = c => { const [r, g, b] = rgb(c); return .2126 * r + .7152 * g + .0722 * b; };
  const ratio = (a, b) => (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  const card = light(getComputedStyle(document.querySelector('section')).backgroundColor);
  const of = s => ratio(light(getComputedStyle(document.querySelector(s)).color), card);
  const fill = s => document.querySelector(s) ? light(getComputedStyle(document.querySelector(s)).fill) : null;
  return {card, ink: of('h2'), soft: of('figcaption'), bar: ratio(fill('.bar') ?? card, card),
          mark: fill('.mark') === null ? 9 : ratio(fill('.mark'), card)};
})()"""


def compare_modes(browser, page):
    seen = {}
    for dark in (False, True):
        browser.open(page.as_uri(), 1000, dark=dark)
        c = seen[dark] = browser.evaluate(CONTRAST)
        what = "%s, %s: " % (page.name, "dark" if dark else "light")
        demand(c["ink"] >= 7 and c["soft"] >= 4.5, what + "text is hard to read: %s" % c)
        demand(c["bar"] >= 3 and c["mark"] >= 3, what + "bars are hard to see: %s" % c)
    demand(seen[False]["card"] > 0.8 and seen[True]["card"] < 0.1, "%s: no dark mode: %s" % (page.name, seen))


def main():
    t = Suite(__doc__, in_memory=True)
    for test in (figures_are_those_of_json, plan_has_a_page, nothing_is_fetched_or_run, written_whole_or_not,
                 same_for_any_threads, in_chromium):
        t.run(test.__name__.replace("_", " "), test)
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
