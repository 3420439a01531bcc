"""What holds for every page: its results are those of --json, all else is the template, whatever the results are; a headless
Chromium shows it, narrow and wide, light and dark, and on paper, fetches nothing and runs only the template's script. Without
Chromium that is skipped; with OBKV_REQUIRE_INTEROP=1 it fails."""
import base64
import hashlib
import json
import os
import pathlib
import re

import chromium
from programs import Skip, Wrong, demand

HOSTILE = [b"<script>alert(1)</script>", b"\"><img src=x onerror=alert(1)>", b"'&amp;</td>", b"\xff\xfe\x00bytes", b"-->", b"]]>",
           "\u202etxt".encode(), b"a" * 900, b"</script><script>document.title='run'</script>", b"<!--<script>"]
TEMPLATE = pathlib.Path(__file__).resolve().parents[2] / "cmd/common/page.html"
BEGIN = '<script type="application/json" id="results">'


def parts(page):
    """What stands before the results, the results as text, and what stands after them."""
    before, rest = page.read_text("utf-8").split(BEGIN)
    results, after = rest.split("</script>", 1)
    return before, results, after


def told_by(page):
    return json.loads(parts(page)[1])


def without_time(document):
    return {k: v for k, v in document.items() if k != "seconds" and not (k == "codecs")}


def demand_told(page, told):
    """The page holds the document that --json has printed in the same run."""
    document = told_by(page)["results"][-1]
    demand(without_time(document) == without_time(told), "%s: other results than --json" % page.name)


def demand_inert(page):
    """Nothing but the template is markup, and its policy lets only its own script run. The page's results as text."""
    before, results, after = parts(page)
    script = re.search(r"<script>(.*?)</script>", TEMPLATE.read_text("utf-8"), re.DOTALL)[1]
    digest = "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    template = TEMPLATE.read_text("utf-8").replace("{{SCRIPT-HASH}}", digest).split(BEGIN + "{{RESULTS}}</script>")
    demand([before, after] == template, "%s: more than the template around the results" % page.name)
    demand("default-src 'none'" in before and digest in before, "no policy")
    demand(not re.search("[<>&]", results), "results that could be markup")
    demand("<noscript>" in before, "no word for readers without scripts")
    demand(not re.search(r"url\(|@import|https?://(?!www.w3.org)", before + after), "the template fetches")
    return results


def demand_same_for_threads(page_with):
    def seen(threads):
        told = told_by(page_with(threads))
        return [without_time(r) for r in told["results"]]
    demand(seen(1) == seen(4), "the page depends on the number of threads")


def copied(page):
    """What the section "What to do next" offers to copy: the table, then commands."""
    told = told_by(page)["results"][-1]
    step = told.get("next") or told["codecs"]["next"]
    return ([step["sql"]] if step["sql"] else []) + [s["command"] for s in step["steps"]]


def need_chromium():
    program = chromium.find()
    if not program:
        raise (Wrong if os.environ.get("OBKV_REQUIRE_INTEROP") else Skip)("no chromium (sh samples/setup.sh browser)")
    return program


# Phones, a tablet, a screen; in the dark those that differ most.
WIDTHS, DARK_WIDTHS = (320, 390, 768, 1280), (390, 1280)


class Browsed:
    """A browser for a while."""
    def __enter__(self):
        self.browser = chromium.Browser(need_chromium())
        return self.browser

    def __exit__(self, *error):
        self.browser.close()


def text_of(browser, page, selector="body", width=1280):
    """The text that the page shows, of all elements with this selector; nothing is fetched, and the console is silent."""
    browser.open(page.as_uri(), width)
    demand(not browser.said(), "%s: the console says %s" % (page.name, browser.said()[:2]))
    asked = [u for u in browser.requested() if u != page.as_uri() and not u.startswith("data:")]
    demand(not asked, "%s asks for %s" % (page.name, asked[:3]))
    return browser.evaluate("[...document.querySelectorAll(%s)].map(e => e.textContent)" % json.dumps(selector))


def rows_of(browser, page, section):
    """The rows of the tables in a section, as lists of texts."""
    browser.open(page.as_uri(), 1280)
    return browser.evaluate("[...document.querySelectorAll('section[aria-labelledby=%s] tbody tr')]"
                            ".map(r => [...r.cells].map(c => c.innerText.trim()))" % section)


def look_at_pages(pages, charts=2):
    browser = chromium.Browser(need_chromium())
    try:
        for page in pages:
            for width in WIDTHS:
                look(browser, page, width, charts)
            for width in DARK_WIDTHS:
                look(browser, page, width, charts, dark=True)
            compare_modes(browser, page)
            look_on_paper(browser, page)
    finally:
        browser.close()


def look(browser, page, width, charts, dark=False):
    url = page.as_uri()
    browser.open(url, width, dark=dark)
    what = "%s at %d px%s: " % (page.name, width, ", dark" if dark else "")
    demand(browser.evaluate("document.querySelectorAll('svg').length") >= charts, what + "charts are missing")
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
  for (const e of all('.tile dd')) if (words(e).length > 1) bad.push('a figure breaks: ' + text(e));
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
    folded = browser.evaluate("[...document.querySelectorAll('summary, .all, .switch')].some(e => e.getClientRects().length)")
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
  return {card, ink: of('h2'), soft: of('figcaption, .cap'), bar: fill('.bar') === null ? 9 : ratio(fill('.bar'), card),
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
