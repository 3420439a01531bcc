"""What the tests of everyday mistakes share: a run judged by its exit code, its warning and the words of its message."""
import os
import pathlib
import subprocess
import sys

BIN = pathlib.Path(sys.argv[1]).resolve()
NOW = 1_767_225_600_000  # 2026-01-01
T = 1_700_000_000_000
STOPS = ("empty-file", "not-utf8", "all-expired")  # warnings that stop every run
results = []  # of judge: was it right?


def run(where, tool, *args, stdin=None, open_files=None, **variables):
    limit = ["sh", "-c", f'ulimit -n {open_files}; exec "$@"', "sh"] if open_files else []
    p = subprocess.run([*limit, str(BIN / ("obkv-" + tool)), *map(str, args)], cwd=where, capture_output=True, timeout=60,
                       input=stdin, env={**os.environ, "LC_ALL": "C", **variables})
    return p.returncode, p.stderr.decode("utf-8", "backslashreplace")


def judge(name, got, code, *words):
    """code: of a warning, or the exit code of a refusal."""
    rc, text = got
    if isinstance(code, str):
        stopped = rc == 4 and f"nothing is published with a warning of {code}" in text
        good = f"[{code}]" in text and (stopped if code in STOPS else rc == 0 or (stopped and code == "timestamp-unit"))
    else:
        good = rc == code
    good = good and all(w in text for w in words)
    results.append(good)
    if not good:
        print(f"not ok {name}: exit {rc}, wanted {code} and {words}\n    " + text.replace("\n", "\n    "))


def mistake(where, name, code, words, *args, **files):
    """An import that warns, and the same with --strict, which must not publish."""
    got = run(where, "import", "--partition", "key:3", *args, "-o", "./" + name)
    judge(name, got, code, *words)
    if isinstance(code, str):
        strict = run(where, "import", "--partition", "key:3", *args, "-o", f"./{name}-strict", "--strict")
        judge(name + " --strict", strict, 4, code)
        if (where / (name + "-strict") / "MANIFEST.json").exists():
            judge(name + " published", strict, -1)
        allowed = run(where, "import", "--partition", "key:3", *args, "-o", f"./{name}-allow", "--strict", "--allow", code)
        judge(name + " --allow", allowed, 0)


def rows(n, *fields):
    return "".join(",".join(str(f(i)) if callable(f) else f for f in fields) + "\n" for i in range(n))


def key(i):
    return f"k{i:05d}"
