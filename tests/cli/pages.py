"""What holds for every page with charts: figures are those of the JSON document, nothing is fetched or run, and it can be read in
a headless Chromium, narrow and wide, light and dark. Without Chromium that is skipped; with OBKV_REQUIRE_INTEROP=1 it fails."""
import html
import html.parser
import os
import re

import chromium
from programs import Skip, Wrong, demand

HOSTILE = [b"<script>alert(1)</script>", b"\"><img src=x onerror=alert(1)>", b"'&amp;</td>", b"\xff\xfe\x00bytes", b"-->", b"]]>",
           "\u202etxt".encode(), b"a" * 900]


class Figures(html.parser.HTMLParser):
    """What the page says, what it would fetch or run, and how its tags nest."""
    VOID = {"meta", "link", "rect", "line", "path", "br", "input"}

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


def figures_as_told(page, told):
    """The page's figures by their path in the JSON document, which says the same."""
    figures = Figures(page.read_text("utf-8")).figures
    for path, value in figures:
        want = at(told, path)
        demand(float(value) == float(want), "%s: %s is %s, the JSON says %s" % (page.name, path, value, want))
    return dict(figures)


def demand_figures(page, figures, paths):
    for path in paths:
        demand(path in figures, "%s: no figure %s" % (page.name, path))


def demand_inert(page):
    """Fetches and runs nothing, and its charts can be read aloud. The page's text."""
    text = page.read_text("utf-8")
    seen = Figures(text)
    demand(not seen.outside, "attributes that fetch or run: %s" % seen.outside)
    bad = {"script", "img", "iframe", "object", "embed", "base", "form"} & set(seen.tags)
    demand(not bad, "tags: %s" % sorted(bad))
    demand(not re.search(r"url\(|@import|https?://", text), "something from elsewhere")
    demand(not [i for i in seen.labels if i not in seen.ids], "labels without their text")
    demand(text.count("role=\"img\"") == text.count("<desc"), "a chart without a description")
    return text


def demand_same_for_threads(page_with):
    seen = [re.sub(r"--threads \d", "", without_spans(page_with(threads).read_text("utf-8"))) for threads in (1, 4)]
    demand(seen[0] == seen[1], "the page depends on the number of threads")


def section_of(text, name):
    found = re.search(r'<section aria-labelledby="%s">.*?</section>' % name, text, re.DOTALL)
    demand(found, "no section %s" % name)
    return found[0]


def copied(page):
    """What the section "What to do next" offers to copy: the table, then commands."""
    offered = re.findall(r'<pre class="copy"><code>(.*?)</code></pre>', section_of(page.read_text("utf-8"), "next"), re.DOTALL)
    demand(len(offered) > 1, "%s: nothing to copy" % page.name)
    return [html.unescape(without_spans(text)) for text in offered]


def without_spans(text):
    """Options of commands are in one, so that no line ends within them."""
    return re.sub(r"</?span[^>]*>", "", text)


def need_chromium():
    program = chromium.find()
    if not program:
        raise (Wrong if os.environ.get("OBKV_REQUIRE_INTEROP") else Skip)("no chromium (sh samples/setup.sh browser)")
    return program


# Phones, a tablet, a screen; in the dark those that differ most.
WIDTHS, DARK_WIDTHS = (320, 390, 768, 1280), (390, 1280)


def look_at_pages(pages):
    browser = chromium.Browser(need_chromium())
    try:
        for page in pages:
            for width in WIDTHS:
                look(browser, page, width)
            for width in DARK_WIDTHS:
                look(browser, page, width, dark=True)
            compare_modes(browser, page)
            look_on_paper(browser, page)
    finally:
        browser.close()


def look(browser, page, width, dark=False):
    url = page.as_uri()
    browser.open(url, width, dark=dark)
    what = "%s at %d px%s: " % (page.name, width, ", dark" if dark else "")
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
    look_at_places(browser, what)
    browser.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    wide = browser.evaluate("document.documentElement.scrollWidth")
    demand(wide <= width, what + "%d px wide when all is unfolded" % wide)
    demand(not browser.said(), what + "the console says %s" % browser.said()[:2])
    asked = [u for u in browser.requested() if u != url and not u.startswith("data:")]
    demand(not asked, what + "asks for %s" % asked[:3])


PLACES = """(() => {
  const bad = [], all = s => [...document.querySelectorAll(s)].filter(e => e.getClientRects().length);
  const box = e => e.getBoundingClientRect(), text = e => e.textContent.trim().slice(0, 40);
  const words = e => { const r = document.createRange(); r.selectNodeContents(e); return [...r.getClientRects()]; };
  for (const e of all('.o')) if (words(e).length > 1) bad.push('an option breaks: ' + text(e));
  for (const e of all('table')) {
    const shown = r => [...r.cells].filter(c => c.getClientRects().length).length;
    if (e.tBodies[0].rows[0] && shown(e.tHead.rows[0]) != shown(e.tBodies[0].rows[0]))
      bad.push('heads beside columns: ' + text(e));
  }
  for (const e of all('data')) if (words(e).length > 1) bad.push('a figure breaks: ' + text(e));
  for (const e of all('.tile')) for (const r of words(e)) if (r.right > box(e).right) bad.push('a tile overflows: ' + text(e));
  for (const e of all('th, td')) for (const r of words(e))
    if (r.right > box(e).right + 10) bad.push('a cell overflows: ' + text(e));
  for (const s of ['section', '.tile', 'figure', '.axis.y > span', '.axis.x > span']) {
    const free = e => s.startsWith('.axis') && getComputedStyle(e).overflow == 'visible';
    const list = all(s).map(e => [e, free(e) ? words(e) : [box(e)]]);
    for (let i = 0; i < list.length; i++) for (let k = i + 1; k < list.length; k++) {
      if (s.startsWith('.axis') && list[i][0].parentNode != list[k][0].parentNode) break;
      for (const a of list[i][1]) for (const b of list[k][1])
        if (Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
            Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
          bad.push('overlap in ' + s + ': ' + text(list[i][0]) + ' / ' + text(list[k][0]));
    }
  }
  for (const t of all('table')) {
    const shown = [...t.tBodies[0].rows].filter(r => r.getClientRects().length).length;
    if (shown > 10 && !t.closest('details')) bad.push(shown + ' rows are shown: ' + text(t));
    const all = t.closest('.t').querySelector('.all input');
    if (!all) continue;
    all.checked = true;
    if ([...t.tBodies[0].rows].some(r => !r.getClientRects().length)) bad.push('all rows are not shown: ' + text(t));
    all.checked = false;
  }
  for (const e of all('.scroll')) if (e.scrollWidth > e.clientWidth && !getComputedStyle(e).backgroundImage.includes('gradient'))
    bad.push('a table scrolls without a hint');
  return [...new Set(bad)].slice(0, 5);
})()"""

# A sheet of A4, less its margins, at 96 dots per inch.
PAPER = 718


def look_at_places(browser, what):
    """Nothing breaks inside a figure, nothing overflows or overlaps, a table shows ten rows at most."""
    bad = browser.evaluate(PLACES)
    demand(not bad, what + "; ".join(bad))


def look_on_paper(browser, page):
    browser.open(page.as_uri(), PAPER)
    browser.call("Emulation.setEmulatedMedia", media="print")
    what = "%s on paper: " % page.name
    wide = browser.evaluate("Math.max(document.documentElement.scrollWidth,"
                            " ...[...document.querySelectorAll('table')].map(t => t.getBoundingClientRect().right))")
    demand(wide <= PAPER, what + "%d px wide" % wide)
    folded = browser.evaluate("[...document.querySelectorAll('details, .all')].some(e => e.getClientRects().length)")
    demand(not folded, what + "something to click on")
    look_at_places(browser, what)


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
