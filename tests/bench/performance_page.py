"""Figures of `peers.py` as tables, a chart, and a part of docs/performance.md with the history of ratios by release.

tests/bench/history.json has the recorded runs, one for each release. `performance_page.py` alone writes page and chart again."""
import datetime
import json
import os
import statistics
import subprocess

from measure import cpu_name

HERE = os.path.dirname(os.path.abspath(__file__))
HISTORY = os.path.join(HERE, "history.json")
PAGE = os.path.join(HERE, "../../docs/performance.md")
CHART = os.path.join(HERE, "../../docs/images/performance.svg")
BEGIN, END = "<!-- make bench: begin -->\n", "<!-- make bench: end -->\n"

# Title, what is divided, by what (twice: by two of it), field, and whether more is better.
RATIOS = [
    ("GNU sort over import", "GNU sort", "import", "seconds", True),
    ("DuckDB to Parquet over import", "DuckDB", "import", "seconds", True),
    ("sort + SstFileWriter over import", "sort + SstFileWriter", "import", "seconds", True),
    ("mtbl's sorter over import", "mtbl sorter", "import", "seconds", True),
    ("HBase's ImportTsv over import", "ImportTsv", "import", "seconds", True),
    ("HBase's ImportTsv over import, CPU", "ImportTsv", "import", "cpu", True),
    ("HBase's warm major compaction over compaction", "HBase compaction", "compact", "seconds", True),
    ("import over its roofline, CPU", "import", "roofline import", "cpu", False),
    ("compaction over its roofline, CPU", "compact", "roofline compact", "cpu", False),
    ("check over its roofline, CPU", "check", "roofline check", "cpu", False),
    ("check over decompression alone, CPU", "check", "decompression", "cpu", False),
    ("diff of a dataset with itself over two checks, CPU", "diff", "check", "cpu", False),
    ("export over check, CPU", "export", "check", "cpu", False),
    ("GNU sort over import, both with little memory", "GNU sort, little memory", "import, little memory", "seconds", True),
    ("import of a snapshot over one of CSV, CPU", "import of a snapshot", "import", "cpu", False),
    ("import into one partition over one into 97", "import, one partition", "import", "seconds", False),
    ("import, one thread over several", "import, one thread", "import", "seconds", True),
    ("compaction, one thread over several", "compact, one thread", "compact", "seconds", True),
    ("check, one thread over several", "check, one thread", "check", "seconds", True),
    ("compaction over decompression alone, CPU", "compact", "decompression, compact", "cpu", False),
    ("night of 1 % new rows, clustered, over full compaction, CPU", "night, clustered", "full, clustered", "cpu", False),
    ("night of 1 % new rows, spread, over full compaction, CPU", "night, spread", "full, spread", "cpu", False),
    ("the mean of ten such nights with --policy ratio, CPU", "night, by ratio", "full, spread", "cpu", False),
]


def ratios(runs):
    """Medians over the rounds. A diff reads two datasets."""
    out = {}
    for title, a, b, field, _ in RATIOS:
        if a in runs and b in runs:
            twice = 2 if a == "diff" else 1
            out[title] = statistics.median(getattr(x, field) / getattr(y, field) / twice for x, y in zip(runs[a], runs[b]))
    return out


def described(args, workloads):
    commit = subprocess.run(["git", "describe", "--always", "--dirty", "--exclude", "*"], capture_output=True, text=True,
                            cwd=HERE).stdout.strip()
    load = os.getloadavg()[0]
    return {"date": datetime.date.today().isoformat(), "commit": commit, "cpu": cpu_name(), "processors": os.cpu_count(),
            "load": round(load, 1), "threads": args.threads, "memory": args.memory, "runs": args.runs, "workloads": workloads}


def cells(*values):
    return "| " + " | ".join(values) + " |"


def number(figures, field, form):
    return form % figures[field] if field in figures else "–"


def workload_table(name, w):
    lines = ["%s: %s rows, %.0f MB of CSV" % (name.upper(), format(w["rows"], ","), w["bytes"] / 1e6), "",
             cells("", "seconds", "CPU s", "user s", "system s", "page faults", "memory, MB"), "|---|" + "---|" * 6]
    for task, f in w["figures"].items():
        seconds = "–" if task.startswith("roofline") else number(f, "seconds", "%.2f")
        lines.append(cells(task, seconds, number(f, "cpu", "%.2f"), number(f, "user", "%.2f"), number(f, "sys", "%.2f"),
                           number(f, "faults", "%.0f"), number(f, "rss_mb", "%.0f")))
    return lines + [""]


def tables(run):
    lines = ["Commit %s, %s, %s, %d processors, %d threads, %s of memory, medians of %d rounds.\nLoad of the machine at the end: "
             "%.1f, when 0 to 2 is a quiet one." % (
        run["commit"], run["date"], run["cpu"], run["processors"], run["threads"], run["memory"], run["runs"], run["load"]), ""]
    for name, w in run["workloads"].items():
        lines += workload_table(name, w)
    lines += [cells("ratio", *(n.upper() for n in run["workloads"])), "|---|" + "---|" * len(run["workloads"])]
    for title, *_ in RATIOS:
        found = [w["ratios"].get(title) for w in run["workloads"].values()]
        if any(found):
            lines.append(cells(title, *("%.2f" % r if r else "–" for r in found)))
    return "\n".join(lines) + "\n"


def history_table(history):
    lines = ["| ratio, W1 / W2 | " + " | ".join(history) + " |", "|---|" + "---|" * len(history)]
    for title, *_ in RATIOS:
        row = []
        for run in history.values():
            found = [w["ratios"].get(title) for w in run["workloads"].values()]
            row.append(" / ".join("%.2f" % r if r else "–" for r in found))
        lines.append(cells(title, *row))
    return "\n".join(lines) + "\n"


def chart(run):
    """Bars: the ratios of one run."""
    bars = [(title, name, r) for title, *_ in RATIOS for name, w in run["workloads"].items()
            for r in [w["ratios"].get(title)] if r]
    most, left, step = max((r for *_, r in bars), default=1), 400, 18
    out = ['<svg xmlns="http://www.w3.org/2000/svg" width="860" height="%d" font-family="sans-serif" font-size="12">'
           % (len(bars) * step + 20), "<title>Ratios of the last recorded run of make bench</title>",
           '<rect width="100%" height="100%" fill="white"/>']
    for i, (title, name, r) in enumerate(bars):
        y, width = 10 + i * step, max(1, 380 * r / most)
        out.append('<text x="%d" y="%d" text-anchor="end">%s, %s</text>' % (left - 8, y + 12, title, name.upper()))
        out.append('<rect x="%d" y="%d" width="%.1f" height="%d" fill="%s"/>' % (
            left, y, width, step - 4, "#3b6ea5" if name == "w1" else "#9dbcd8"))
        out.append('<text x="%.1f" y="%d">%.2f</text>' % (left + width + 5, y + 12, r))
    return "\n".join(out) + "\n</svg>\n"


def write_page(history):
    last = list(history.values())[-1]
    with open(PAGE) as f:
        text = f.read()
    part = tables(last) + "\n![Ratios of the last run](images/performance.svg)\n\n### By release\n\n" + history_table(history)
    head, tail = text.split(BEGIN)[0], text.split(END)[1]
    with open(PAGE, "w") as f:
        f.write(head + BEGIN + part + END + tail)
    with open(CHART, "w") as f:
        f.write(chart(last))


def recorded():
    try:
        with open(HISTORY) as f:
            return json.load(f)
    except FileNotFoundError:
        return {}


def record(release, run):
    history = recorded()
    history.pop(release, None)
    history[release] = run
    with open(HISTORY, "w") as f:
        json.dump(history, f, indent=1)
        f.write("\n")
    write_page(history)


if __name__ == "__main__":
    write_page(recorded())
