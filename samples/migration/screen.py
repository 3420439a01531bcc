"""obkv-migrate status: tables and steps on one screen, or the steps of one table."""
import contextlib
import json
import subprocess
import time

DONE = (0, 3)  # exit codes
COLUMNS = ("check", "rehearse", "import", "load", "verify", "catch-up", "cut-over")
RUNS_S = 10  # a program that runs has said so this long ago


def duration(seconds):
    if seconds < 60:
        return "%.1f s" % seconds
    return "%d min" % round(seconds / 60) if seconds < 3600 else "%.1f h" % (seconds / 3600)


def document(table, name):
    """{}: there is none."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        text = (table.dir / (name + ".json")).read_text()
        return json.loads(text if text.startswith("{\n") else text.splitlines()[-1])
    return {}


def many(n):
    """12,300,000 as 12.3M: a rate needs no more."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if n >= size:
            return "%.3g%s" % (n / size, unit)
    return "%.3g" % n


def rate(table, step, seconds):
    """Cells or rows a second."""
    made = document(table, step)
    cells = made.get("cells")
    n = cells["in"]["cells"] if isinstance(cells, dict) else made.get("rows") or made.get("rows_a") or 0
    return " %s/s" % many(n / seconds) if n and seconds > 0 else ""


def running(table):
    """The document of --progress json of the program that runs now; {}: none does."""
    now = document(table, "progress")
    ended = not table.steps or "exit" in table.steps[-1]
    return now if not ended and time.time() - now.get("at", 0) < RUNS_S else {}


def of_step(table, steps, name, key=None):
    s = steps.get(key or name)
    if not s:
        return "-"
    if "exit" not in s:
        now = running(table)
        return "%d %%" % (100 * now["share"]) if now.get("share") is not None else "runs" if now else "killed"
    if s["exit"] not in DONE:
        return "exit %d" % s["exit"]
    return duration(s["seconds"]) + rate(table, key or name, s["seconds"])


def cells_of(table):
    """A text for each of COLUMNS."""
    steps = {s["step"]: s for s in table.steps}
    reads = "exit" not in steps.get("check-import", {"exit": 0})
    shown = [of_step(table, steps, "check", "check-import" if reads else "checked")]
    rehearsed = (table.dir / "forecast.json").exists()
    shown.append("done" if rehearsed else "begun" if any(s.startswith("rehearsal-") for s in steps) else "-")
    merges = "merge" in steps and steps.get("import", {}).get("exit") in DONE
    shown += [of_step(table, steps, "import", "merge" if merges else None)]
    shown += [of_step(table, steps, name) for name in ("load", "verify")]
    caught = [name for name in steps if name.startswith("delta-") and name.endswith("-verify")]
    if caught:
        seconds = sum(steps[s]["seconds"] for s in steps if s.startswith(caught[-1][:-6]) and "seconds" in steps[s])
        shown.append("%d, last %s" % (len(caught), duration(seconds)))
    else:
        shown.append("begun" if any(s.startswith("delta-") for s in steps) else "-")
    shown.append("proven" if steps.get("whole-verify", {}).get("exit") == 0 else
                 "begun" if any(s.startswith("whole") or s == "compact" for s in steps) else "-")
    if steps.get("rollback-verify", {}).get("exit") == 0:
        shown[-1] = "rolled back"
    return shown


def left(table):
    """Time of the base that is left, by what runs and by the rehearsal; a failure, if that was last."""
    forecast, now = document(table, "forecast").get("steps", {}), running(table)
    steps = {s["step"]: s for s in table.steps}
    seconds, known = 0.0, bool(forecast)
    for name in ("import", "check", "load", "verify"):
        s = steps.get(name)
        if s and s.get("exit") in DONE:
            continue
        if s and "exit" not in s and now.get("eta_s") is not None:
            seconds += now["eta_s"]
        elif forecast:
            seconds += max(0, forecast[name]["seconds"] - (time.time() - s["began"] if s and now else 0))
    last = table.steps[-1] if table.steps else {}
    text = []
    if now:
        text.append("%s: %s%s" % (last.get("step", ""), now.get("phase", ""),
                                  " %s/s" % size(now["rate"]) if now.get("rate") else ""))
    if last.get("exit", 0) not in DONE:
        text.append("%s: exit code %d" % (last["step"], last["exit"]))
    if seconds:
        text.append("base: %s left%s" % (duration(seconds), "" if known else ", of this step"))
    return ", ".join(text)


def size(n):
    for unit in ("B", "kB", "MB"):
        if n < 1000:
            return "%.3g %s" % (n, unit)
        n /= 1000
    return "%.3g GB" % n


def of_tables(tables):
    rows = [("table", *COLUMNS, "now")] + [(t.name, *cells_of(t), left(t)) for t in tables]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip() for row in rows)


def of_steps(table):
    lines = [table.name]
    for s in table.steps:
        ended = "exit" in s
        lines.append("  %-32s %s  %10s  %s" % (
            s["step"], time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(s["began"])), duration(s["seconds"]) if ended else "",
            ("done" if s["exit"] in DONE else "exit %d" % s["exit"]) if ended else "runs" if running(table) else "killed"))
    return "\n".join(lines if table.steps else [*lines, "  nothing yet"])


def page_of(tables, path):
    """Makes a page of the screen and the results of all steps, as far as there are some. The exit code of obkv-verify page."""
    files, no_proof = [], ("obkv-error", "obkv-import-dry-run", "obkv-import-list")
    for table in tables:
        for step in dict.fromkeys(s["step"] for s in table.steps):
            if step.startswith("rehearsal-"):  # of a sample, in another database
                continue
            if document(table, step).get("schema", "obkv-error").split("/")[0] not in no_proof:
                files.append(str(table.dir / (step + ".json")))
    if not files:
        print("no step has a result yet")
        return 0
    shown = {"schema": "obkv-migrate-status/1", "columns": COLUMNS, "tables": [
        {"table": t.name, "steps": cells_of(t), "now": left(t)} for t in tables]}
    files.insert(0, str(tables[0].dir.parent / "status.json"))
    with open(files[0], "w") as f:
        json.dump(shown, f, indent=1)
    return subprocess.run(["obkv-verify", "page", "--html", path, *files], check=False).returncode
