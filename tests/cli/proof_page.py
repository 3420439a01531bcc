#!/usr/bin/env python3
"""Pages of import, check, diff and account, and the page of several steps: planted differences are named with their values.

    proof_page.py BIN [--seed N] [--keep] [-v] [NAME ...]

Without Chromium the tests that need it are skipped; with OBKV_REQUIRE_INTEROP=1 they fail. The last line is
"N passed, N failed, N skipped".
"""
import json
import sys

from pages import Browsed, demand_inert, demand_told, look_at_pages, need_chromium, rows_of, text_of, told_by
from programs import NOW, Suite, cell_line, demand, shown

ROWS = 400


def cells_of(t, name, change=lambda rows: rows):
    """A dataset of rows with two columns, changed before it is written."""
    rows = {b"user%05d" % i: {b"city": b"city %d" % (i % 7), b"name": b"name %d" % i} for i in range(ROWS)}
    lines = [cell_line(row, b"info", q, 1700000000000 + i, 4, 0, v, b"")
             for i, (row, columns) in enumerate(sorted(change(rows).items())) for q, v in sorted(columns.items())]
    text = t.fresh(name + ".cells")
    text.write_text("\n".join(lines) + "\n")
    out, page = t.fresh(name), t.fresh(name + ".html")
    told = t.result("import", "--partition", "key:7", "--format", "cells", "--now", NOW, "--html", page, "-o", out,
                    text)
    return out, page, told


def plant(rows):
    """A missing row, a changed value, an extra row; timestamps count rows, so that the missing one is the last."""
    del rows[b"user%05d" % (ROWS - 1)]
    rows[b"user00123"][b"city"] = b"<b>Paris</b>\xff"
    rows[b"zebra"] = {b"name": b"extra"}
    return rows


def differences(t):
    a, _, _ = cells_of(t, "a")
    b, _, _ = cells_of(t, "b", plant)
    page = t.fresh("diff.html")
    done = t.call("verify", "diff", "--json", "--html", page, "--now", NOW, a, b, want=1)
    return a, b, page, [json.loads(line) for line in done.out.splitlines()]


def planted_rows_are_named(t):
    _, _, page, lines = differences(t)
    demand_told(page, lines[-1])
    demand(told_by(page)["results"][:-1] == lines[:-1], "other differences than --json")
    demand_inert(page)
    with Browsed() as browser:
        rows = rows_of(browser, page, "differences")
        demand("Not proven" in text_of(browser, page, ".verdict")[0], "the verdict")
    at = {(r[0], r[2], r[3]): r[5:] for r in rows}
    demand(at.get(("missing", "user00399", "info:city")) == ["city 0", "–"], "missing: %s" % rows)
    demand(at.get(("changed", "user00123", "info:city")) == ["city 4", "<b>Paris</b>\\xff"], "changed: %s" % rows)
    demand(at.get(("extra", "zebra", "info:name")) == ["–", "extra"], "extra: %s" % rows)
    demand(all(r[1].startswith("p") for r in rows), "partitions: %s" % rows)


def values_in_hex_or_masked(t):
    a, b, page, _ = differences(t)
    for form, seen in (("hex", "hex:" + b"city 4".hex()), ("masked", "(6\u00a0bytes)")):
        t.call("verify", "diff", "--quiet", "--values", form, "--html", page, a, b, want=1)
        with Browsed() as browser:
            changed = [r for r in rows_of(browser, page, "differences") if r[0] == "changed"]
        demand(changed[0][5] == seen, "%s: %s" % (form, changed))
        demand((b"city 4" in page.read_bytes()) == (form == "never"), "%s: the value is in the file" % form)


def text_and_page(t):
    """A page beside the table for people: ten lines there, all of them on the page."""
    a, b, page, _ = differences(t)
    done = t.call("verify", "diff", "--html", page, "--now", NOW, a, b, want=1)
    demand(b"different: " in done.out and b'"schema"' not in done.out, shown(done.out))
    demand(len(told_by(page)["results"]) > 1, "no differences on the page")


def steps_of_a_migration(t):
    """One page of an import, a check and a comparison: each partition has what every step says of it."""
    out, page, imported = cells_of(t, "whole")
    demand_told(page, imported)
    demand_inert(page)
    files = []
    for name, args in (("check", (out,)), ("diff", (out, out)), ("account", (out,))):
        files.append(t.fresh(name + ".json"))
        files[-1].write_bytes(t.call("verify", name, "--json", *args).out)
    proof, first = t.fresh("proof.html"), t.fresh("import.json")
    first.write_text(json.dumps(imported))
    t.call("verify", "page", "--html", proof, first, *files)
    demand_inert(proof)
    with Browsed() as browser:
        steps = rows_of(browser, proof, "steps")
        demand([s[0] for s in steps] == ["1. import", "2. check", "3. diff", "4. account"], "steps: %s" % steps)
        demand("Proven" in text_of(browser, proof, ".verdict")[0], "the verdict")
        parts = rows_of(browser, proof, "partitions")
    wanted = [[p["partition"], format(p["cells"], ",")] for p in imported["partitions"]]
    demand([[r[0], r[2]] for r in parts] == wanted and all(r[2] == r[4] for r in parts), "partitions: %s" % parts)
    demand(sum(p["cells"] for p in imported["partitions"]) == imported["cells"]["written"]["cells"], "cells of partitions")
    look_at_pages([proof, page], charts=1)


def several_tables(t):
    """Results of two directories are two tables: each has its own steps and partitions, and the first table names both."""
    files = []
    for name in ("orders", "users"):
        (t.tmp / name).mkdir(exist_ok=True)
        _, _, imported = cells_of(t, "of-" + name, plant if name == "users" else lambda rows: rows)
        files.append(t.tmp / name / "import.json")
        files[-1].write_text(json.dumps(imported))
    page = t.fresh("tables.html")
    t.call("verify", "page", "--html", page, *files)
    with Browsed() as browser:
        heads = text_of(browser, page, "h2")
        shown_ = rows_of(browser, page, "tables")
    demand([r[0] for r in shown_] == ["orders", "users"] and shown_[0][2] == "800", "tables: %s" % shown_)
    demand("orders: By partition" in heads and "users: By partition" in heads, "%s" % heads)
    look_at_pages([page], charts=2)


def refusals(t):
    wrong = t.fresh("wrong.json")
    wrong.write_text("[1]")
    for args, text in ((("page", wrong), b"page needs --html FILE"),
                       (("page", "--html", t.tmp / "x.html", wrong), b"no result of --json"),
                       (("dump", "--html", t.tmp / "x.html", wrong), b"html")):
        done = t.call("verify", *args, want=None)
        demand(done.code != 0 and text in done.err, "%s: %s" % (args, shown(done.err)))
    wrong.write_text("{}\n")
    done = t.call("verify", "page", "--html", t.tmp / "x.html", wrong, want=5)
    demand(b"holds no result" in done.err, "an object without schema")
    demand(not (t.tmp / "x.html").exists(), "a page of nothing")


def in_chromium(t):
    need_chromium()
    a, b, page, _ = differences(t)
    check = t.fresh("check.html")
    t.call("verify", "check", "--quiet", "--html", check, a)
    look_at_pages([page, check], charts=0)


def main():
    t = Suite(__doc__, in_memory=True)
    for test in (planted_rows_are_named, values_in_hex_or_masked, text_and_page, steps_of_a_migration, several_tables,
                 refusals, in_chromium):
        t.run(test.__name__.replace("_", " "), test)
    return t.end()


if __name__ == "__main__":
    sys.exit(main())
