#!/usr/bin/env python3
"""Runs the examples of --help, the man pages, README and docs/ as a reader would type them, in the directory that samples/try.sh
makes (each page in one of its own), and compares what they print where the page shows it.

    examples.py BIN [-v] [PAGE ...]        PAGE: docs/plan.md, obkv-split.1 or obkv-split (its --help)
    UPDATE=1 examples.py BIN docs/simulate.md      writes into the page what its commands print

An example is a command in an indented block or a fence: after "$ ", with what it prints below it, or a line that begins with the
name of a program; text after three blanks describes it. What the reader has to put in its place is marked:
    NAME        a path of the reader's, in capitals: a dataset, an export or a delta is made before the command needs it
    $DB         --target, --user and --password-file of the reader's
    …           something is left out: not run
    <!-- example: exit N -->  before a block: how its commands end (0)
    <!-- example: not run, WHY -->
    <!-- example: after, COMMAND -->  makes what the text says is there
    <!-- example: file NAME -->       the block is this file, not a command
In a man page, such a mark is a comment: "; example: …".
A command that calls a database runs with an address where nobody listens: it has to end with 75, not with 2 or 5, so options and
inputs are as they should be. The last line is "N passed, N failed, N skipped"; the one before says how many did not run, and why.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

from programs import failed_test, shm_if

TOP = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ("obkv-import", "obkv-compact", "obkv-split", "obkv-export", "obkv-load", "obkv-verify")
# Pages for those who change the code, of which examples build and measure: the other suites run these.
SHARDS = {"docs/shards.md": "needs a file without quotes in it (tests/cli/shards.py)"}
NOT_USERS = ("design.md", "testing.md", "performance.md", "performance-history.md", "libraries.md")
STARTS = re.compile(r"(?:[A-Za-z_]+=\S* )*(?:%s)(?![\w:])" % "|".join(PROGRAMS))
BESIDE = re.compile(r"(?:mkdir|cp|mv|printf|echo|cat|head|zcat|gzip|gunzip|seq|tar|cmp|cut|sort|ls|[A-Za-z_]+=\S+$)\b")
OWN = re.compile(r"^[A-Z][A-Z0-9_]*(?:-[A-Z0-9]+)*$")
ELSEWHERE = (
    (r"…|\.\.\.", "something is left out"),
    (r"\b(?:s3|hdfs|webhdfs|https?)://", "needs a server of files"),
    (r"\bmysql\b", "needs a database"),
    (r"\bhbase |\bhdfs ", "needs HBase"),
    (r"/hbase-root\b", "needs a root of HBase with tables"),
    (r"\b(parallel|minisign|duckdb|spark-submit|kubectl|podman|sbatch|valgrind|systemctl|jq|columnar\.py)\b",
     "needs other software"),
    (r"obkv-(?:nightly|migrate)\b", "needs a database"),
)
DATABASE = re.compile(r"--(?:from-)?target\b|--from\b|\$DB\b")
NOWHERE = "--target 127.0.0.1:9/db --user u --password-file pw"

Example = collections.namedtuple("Example", "page line command want exit why end")


def blocks(text, man):
    """(number of the first line, its lines, the mark before it)"""
    block, first, fence, mark = [], 0, False, ""
    for number, line in enumerate(text + [""], 1):
        if line.lstrip().startswith("```"):
            if fence and block:
                yield first, block, mark
                mark = ""
            fence, block, first = not fence, [], number + 1
        elif fence:
            block.append(line.replace("\\\\", "\\") if man else line)
        elif not man and line.startswith("    ") and (block or not line.startswith("    |")):
            first = first if block else number
            block.append(line[4:])
        elif block and not line and not man and number < len(text) and text[number].startswith("    "):
            block.append("")
        else:
            if block:
                yield first, block, mark
                mark = ""
            block = []
            said = re.fullmatch(r"<!-- example: (.*) -->|; example: (.*)", line.strip())
            mark = (said[1] or said[2]) if said else mark if not line else ""


def unfinished(command):
    if command.rstrip().endswith(("\\", "|", "&&", "||")):
        return True
    return subprocess.run(["sh", "-n", "-c", command], capture_output=True, check=False).returncode != 0


def without_comment(line):
    """Text that three blanks set off from the command."""
    found = re.search(r" {3,}(?=\S)", line)
    return line[:found.start()] if found and not unfinished(line[:found.start()]) else line


def commands(first, block):
    """(line, command, lines that it prints or None, line behind them)"""
    prompts = any(line.lstrip().startswith("$ ") for line in block)
    programs = any(STARTS.match(line.lstrip()) for line in block)
    i = 0
    while i < len(block):
        begin, line = i, block[i].lstrip()
        i += 1
        if prompts and not line.startswith("$ "):
            continue
        if not prompts and not (STARTS.match(line) or (programs and BESIDE.match(line))):
            continue
        command = line[2:] if prompts else without_comment(line)
        while unfinished(command) and i < len(block):
            command += "\n" + (block[i].lstrip() if prompts else without_comment(block[i].lstrip()))
            i += 1
        end = i
        while prompts and end < len(block) and not block[end].startswith("$ "):
            end += 1
        want = block[i:end] if prompts else None
        yield first + begin, command, first + i - 1, want, first + end - 1
        i = end


def why_not(command, mark):
    if mark.startswith("not run, "):
        return mark[len("not run, "):]
    return next((why for pattern, why in ELSEWHERE if re.search(pattern, command)), "")


def examples_of(page, text):
    for first, block, mark in blocks(text, page.endswith(".scd")):
        end = int(mark[5:]) if mark.startswith("exit ") else 0
        mark = "not run, " + SHARDS[page] if page in SHARDS else mark
        if mark.startswith("file "):
            yield Example(page, first, "cat >%s <<'END'\n%s\nEND" % (mark[5:], "\n".join(block)), None, 0, "", 0)
            continue
        if mark.startswith("after, "):
            yield Example(page, first - 1, mark[7:], None, 0, "", 0)
        for line, command, _, want, stop in commands(first, block):
            yield Example(page, line, command, want, end, why_not(command, mark), stop)


def help_of(program, env):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, env=env, check=True).stdout
    for number, line in enumerate(text[text.index("examples:"):].splitlines()[1:], 1):
        if not line.startswith("  "):
            break
        if STARTS.match(line.strip()):
            yield Example(program + " --help", number, line.strip(), None, 0, why_not(line, ""), 0)


def arguments(command):
    try:
        return shlex.split(command.replace("\\\n", " "))
    except ValueError:
        return []


def provide(command, at, env):
    """Makes what the command is to read and stands in capitals."""
    words = arguments(command)
    made = {after.rstrip(";") for word, after in zip(words, words[1:]) if word in ("-o", "--output")}
    for before, word in zip([""] + words, words):
        name = word.split("/")[0]
        if not OWN.match(name) or name in made or (at / name).exists() or before.startswith(("--user", "--target", "--from")):
            continue
        columns = "id=HBASE_ROW_KEY,updated_ms=HBASE_TS_KEY,name=info:name,city=info:city"
        delta = name.startswith(("DELTA", "TUESDAY", "WEDNESDAY"))
        into = name + ".made" if name.startswith("EXPORT") else name
        how = ["--ddl", "users.sql", "--columns", columns, *(["--delta", "users_delta.csv"] if delta else ["users.csv"])]
        if name.startswith(("SNAP", "LIVE")):
            how = ["--ddl", "simple.sql", "--snapshot", "snap_a", "backup"]
        subprocess.run(["obkv-import", "-q", *how, "-o", into], cwd=at, env=env, check=True)
        if into != name:
            subprocess.run(["obkv-export", "-q", "--create", "-o", name, into], cwd=at, env=env, check=True)


def to_nowhere(command):
    command = re.sub(r"(--(?:target|from)[ =])[^\s\"]+", r"\g<1>127.0.0.1:9/db", command)
    return re.sub(r"(--password-file[ =])[^\s\"]+", r"\1pw", command)


def normal(line):
    line = re.sub(r"\d+\.\d KiB", "N KiB", line)  # files hold the time and the version that wrote them
    return re.sub(r"\d+ MB/s", "N MB/s", re.sub(r"\d+ threads?", "N threads", re.sub(r"\d+\.\d+ s\b", "N s", line))).rstrip()


def agrees(want, got, loose):
    want, got = [w.rstrip() for w in want], [g.rstrip() for g in got]
    while want and not want[-1]:
        want.pop()
    if not loose:
        return want == got
    pattern = "\n".join("(?s:.*)" if w.strip() == "..." else re.escape(normal(w)) for w in want)
    return re.fullmatch(pattern, "\n".join(map(normal, got))) is not None


def proven(example):
    """Whether the case samples_guide runs this script, and what the page shows stands in what it demands."""
    script = re.fullmatch(r"sh (guide/[^/ ]+)/([^/ ]+\.sh)", example.command)
    if not script or script[2] == "run.sh":
        return False
    texts = [(TOP / "samples" / script[1] / name).read_text() for name in ("run.sh", "expected.txt")]
    return 'sh "$here/%s"' % script[2] in texts[0] and "".join(w + "\n" for w in example.want) in texts[1]


def shows(example):
    return any(line.strip() for line in example.want or [])


def run_one(example, shell, at, env):
    """(failure or "", lines that it printed)"""
    provide(example.command, at, env)
    command, want_exit = example.command, example.exit
    calls = DATABASE.search(command) or re.match(r"obkv-load\b", command)
    if calls:
        command, want_exit = to_nowhere(command), 75
    try:
        done = subprocess.run(["sh", "-c", shell + command], cwd=at, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="backslashreplace", timeout=300, check=False)
    except subprocess.TimeoutExpired:
        return "no end after 300 s", []
    got = (done.stdout + (done.stderr if example.want is not None else "")).splitlines()
    text = ""
    if done.returncode != want_exit:
        text = "exit %d, not %d\n%s" % (done.returncode, want_exit, (done.stdout[-300:] + done.stderr)[-900:])
    elif shows(example) and not calls and not agrees(example.want, got, example.page.endswith(".scd")):
        text = "it prints\n  %s\nnot\n  %s" % ("\n  ".join(got), "\n  ".join(example.want))
    return text, got


def update(page, texts):
    """texts: (example, lines printed), which replace those of the page."""
    lines, out, at = (TOP / page).read_text().split("\n"), [], 0
    for example, got in texts:
        begin = example.end - len(example.want)
        out += lines[at:begin] + [("    " + g).rstrip() for g in got] + ([""] if example.want and not example.want[-1] else [])
        at = example.end
    (TOP / page).write_text("\n".join(out + lines[at:]))


def run_page(name, examples, top, env):
    """[(example, failure, whether a database was called)] of those that can run."""
    at = pathlib.Path(tempfile.mkdtemp(dir=top))
    shutil.copytree(top / "try", at, symlinks=True, dirs_exist_ok=True)
    shell, out, printed = "DB='%s'\n" % NOWHERE, [], []
    for example in examples:
        if example.why or example.command.startswith("DB="):
            continue
        if re.fullmatch(r"[A-Za-z_]+=\S+", example.command):
            shell += example.command + "\n"
            continue
        failure, got = ("", None) if proven(example) else run_one(example, shell, at, dict(env, HOME=str(at)))
        out.append((example, failure, bool(DATABASE.search(example.command))))
        if got is not None and shows(example):
            printed.append((example, got))
    if os.environ.get("UPDATE") == "1" and name.endswith(".md"):
        update(name, printed)
    return out


def all_examples(env):
    pages = {}
    files = [TOP / "README.md"] + [f for kind in ("*.md", "*/*.md", "*/*.scd") for f in sorted((TOP / "docs").glob(kind))]
    for file in files:
        if file.name not in NOT_USERS:
            name = str(file.relative_to(TOP))
            pages[name] = list(examples_of(name, file.read_text().split("\n")))
    for program in PROGRAMS:
        pages[program + " --help"] = list(help_of(program, env))
    return {name: found for name, found in pages.items() if found}


def make_top(top, bindir):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OBKV_", "LC_", "AWS_"))}
    env.update(PATH="%s:%s" % (pathlib.Path(bindir).resolve(), env["PATH"]), LC_ALL="C.UTF-8", TZ="UTC", HOME=str(top))
    subprocess.run(["sh", str(TOP / "samples/try.sh"), str(top / "try")], stdout=subprocess.DEVNULL, check=True)
    (top / "try/pw").write_text("secret\n")
    (top / "try/pw").chmod(0o600)
    return env


def main():
    words = [w for w in sys.argv[1:] if w != "-v"]
    verbose = "-v" in sys.argv
    with tempfile.TemporaryDirectory(prefix="obkv-examples-", dir=shm_if(True)) as top:
        top = pathlib.Path(top).resolve()
        env = make_top(top, words[0])
        pages = all_examples(env)
        if words[1:]:
            pages = {n: e for n, e in pages.items() if {n, pathlib.Path(n).stem, n.split()[0]} & set(words[1:])}
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            ran = [one for done in pool.map(lambda n: run_page(n, pages[n], top, env), pages) for one in done]
    failed = [(e, text) for e, text, _ in ran if text]
    for example, text in failed:
        print("FAIL %s:%d: %s\n  %s" % (example.page, example.line, example.command, text.replace("\n", "\n  ")))
        failed_test(*words[:1], example.page)
    if verbose:
        for example, text, _ in ran:
            print("%s %s:%d: %s" % ("FAIL" if text else "ok  ", example.page, example.line, example.command))
    kept = [e for found in pages.values() for e in found if e.why]
    reasons = collections.Counter(e.why for e in kept)
    print("%d examples of %d pages: %d run, %d of them up to the connection to a database; %d not run%s" % (
        len(ran) + len(kept), len(pages), len(ran), sum(d for _, _, d in ran), len(kept),
        ": " + ", ".join("%s (%d)" % pair for pair in sorted(reasons.items())) if kept else ""))
    if verbose:
        for example in kept:
            print("not run %s:%d: %s [%s]" % (example.page, example.line, example.command, example.why))
    print("%d passed, %d failed, 0 skipped" % (len(ran) - len(failed), len(failed)))
    sys.exit(bool(failed))


main()
