#!/usr/bin/env python3
"""Runs the command line cases tests/cli/<tool>/<case>/ against the programs of one build.

    run.py --bin build/release/bin [--tsan] [--draw N] [--jobs N] [-v] [TOOL | TOOL/CASE ...]

A case is a folder with
    cmd          shell snippet (sh), run in a fresh empty folder; the programs are first in PATH,
                 $CASE is the case folder, $DATA tests/data, $SAMPLES samples; exit 77 = skipped (last line of stdout says why)
    want.exit    exit code of the snippet (missing = 0)
    want.stdout  all of standard output (missing = nothing may be printed)
    want.stderr  all of standard error (missing = not looked at; a case with another exit code than 0 must have it,
                 unless it has a want.stdout)
    not_tsan     why the case has no threads but those of other cases: --tsan, for ThreadSanitizer's build, leaves it out
In want.stdout and want.stderr a line that starts with "~" is a regular expression for one whole line; the fresh folder
is shown as @TMP@, the case folder as @CASE@, tests/data as @DATA@, samples as @SAMPLES@.

UPDATE=1 rewrites what was printed by cases that differ: read the diff before you commit it. It never rewrites an exit code, and
leaves a case with another exit code alone: a program that fails early must not become what is wanted. Death by signal and
sanitizer reports fail, whatever a case wants.

The last line is "N passed, N failed, N skipped".
"""
import argparse
import concurrent.futures
import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from programs import drawn, failed_test, shm_if

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
SAMPLES = HERE.parent.parent / "samples"
SANITIZER_EXIT = 99
SKIP_EXIT = 77
# How a shell reports death by a signal; INT and TERM are left out, they have codes of their own.
SIGNAL_EXITS = {128 + n for n in (3, 4, 5, 6, 7, 8, 9, 11, 25, 31)}
SIGNAL_WORDS = re.compile(rb"^(.*: line \d+: +\d+ )?(Segmentation fault|Aborted|Bus error|Illegal instruction|"
                          rb"Floating point exception|Trace/breakpoint trap)\b", re.M)
SANITIZER_WORDS = re.compile(rb"ERROR: \w+Sanitizer|WARNING: ThreadSanitizer|runtime error: ")


def environment(args, case, tmp):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("OBKV_", "LC_", "OMP_"))}
    report = "exitcode=%d:halt_on_error=1:log_path=%s" % (SANITIZER_EXIT, tmp.parent / "sanitizer")
    env.update(PATH="%s:%s" % (pathlib.Path(args.bin).resolve(), env["PATH"]), CASE=str(case), DATA=str(DATA),
               SAMPLES=str(SAMPLES), LC_ALL="C", TZ="UTC", HOME=str(tmp),
               ASAN_OPTIONS=report + ":detect_leaks=1:allocator_may_return_null=1",
               UBSAN_OPTIONS=report + ":print_stacktrace=1",
               TSAN_OPTIONS=report + ":ignore_noninstrumented_modules=1:allocator_may_return_null=1:suppressions=%s"
               % (HERE.parent / "tsan.supp"))
    return env


def shown(raw, case, tmp):
    for path, name in ((tmp, b"@TMP@"), (case, b"@CASE@"), (DATA, b"@DATA@"), (SAMPLES, b"@SAMPLES@")):
        raw = raw.replace(os.fsencode(path), name)
    return raw.decode("utf-8", "backslashreplace").splitlines(keepends=True)


def line_agrees(want, got):
    if want.startswith("~"):
        return re.fullmatch(want[1:].rstrip("\n"), got.rstrip("\n")) is not None
    return want == got


def agrees(want, got):
    return len(want) == len(got) and all(map(line_agrees, want, got))


def read_lines(path):
    return path.read_text().splitlines(keepends=True) if path.exists() else None


def show_difference(name, want, got):
    want = [g if line_agrees(w, g) else w for w, g in zip(want, got)] + want[len(got):]
    lines = difflib.unified_diff(want, got, "want." + name, "got " + name, n=2)
    return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def crash_of(rc, out, err, tmp):
    reports = [p.read_bytes() for p in sorted(tmp.parent.glob("sanitizer*"))]
    if reports or SANITIZER_WORDS.search(err + out):
        return "sanitizer report:\n" + b"\n".join(reports or [err]).decode("utf-8", "backslashreplace")[:6000]
    if rc < 0 or rc in SIGNAL_EXITS or rc == SANITIZER_EXIT or SIGNAL_WORDS.search(err):
        return "died by a signal or a sanitizer: exit %d\n%s" % (rc, err.decode("utf-8", "backslashreplace")[-2000:])
    return None


def compare(case, rc, got):
    """The complaints about one run, and the want files that would have taken it."""
    text, update = "", {}
    want_exit = int((read_lines(case / "want.exit") or ["0"])[0])
    if rc != want_exit:
        text += "exit %d, wanted %d\n" % (rc, want_exit)
    for name in ("stdout", "stderr"):
        want = read_lines(case / ("want." + name))
        if want is None and name == "stderr":
            if want_exit != 0 and not (case / "want.stdout").exists():
                text += "a failing case must say what is printed: no want.stderr\n"
                update["want.stderr"] = "".join(got[name])
            elif text:
                text += "stderr was:\n" + "".join(got[name])
        elif not agrees(want or [], got[name]):
            text += show_difference(name, want or [], got[name])
            update["want." + name] = "".join(got[name])
    return text, update


def run_case(args, case):
    """(verdict, text): verdict is passed, failed or skipped."""
    with tempfile.TemporaryDirectory(prefix="obkv-cli-", dir=shm_if(True)) as top:
        tmp = pathlib.Path(top).resolve() / "w"  # as programs tell it
        tmp.mkdir()
        try:
            p = subprocess.run(["sh", str(case / "cmd")], cwd=tmp, env=environment(args, case, tmp), stdin=subprocess.DEVNULL,
                               capture_output=True, timeout=args.timeout)
        except subprocess.TimeoutExpired:
            return "failed", "no end after %d s\n" % args.timeout
        crash = crash_of(p.returncode, p.stdout, p.stderr, tmp)
        if crash:
            return "failed", crash
        got = {"stdout": shown(p.stdout, case, tmp), "stderr": shown(p.stderr, case, tmp)}
    if p.returncode in (126, 127):
        return "failed", "a command of the case cannot be run:\n" + "".join(got["stderr"])
    if p.returncode == SKIP_EXIT:
        return "skipped", (got["stdout"] or ["no reason given\n"])[-1]
    text, update = compare(case, p.returncode, got)
    if update and not text.startswith("exit ") and os.environ.get("UPDATE") == "1":
        for name, content in update.items():
            (case / name).write_text(content)
        return "passed", "rewritten: %s\n" % " ".join(sorted(update))
    return ("failed" if text else "passed"), text


def find_cases(args):
    cases = sorted(p.parent for p in HERE.glob("*/*/cmd") if not (args.tsan and (p.parent / "not_tsan").exists()))
    if args.names:
        known = {str(c.relative_to(HERE)) for c in cases} | {c.parent.name for c in cases}
        for name in args.names:
            if name.rstrip("/") not in known:
                sys.exit("run.py: no case %s" % name)
        wanted = {n.rstrip("/") for n in args.names}
        return [c for c in cases if str(c.relative_to(HERE)) in wanted or c.parent.name in wanted]
    tools = sorted({c.parent.name for c in cases})
    return [c for tool in tools for c in drawn([c for c in cases if c.parent.name == tool], args.draw, args.bin + tool)]


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--bin", required=True, help="folder of the programs")
    ap.add_argument("--tsan", action="store_true", help="leave out cases that have a file not_tsan")
    ap.add_argument("--draw", type=int, default=1, metavar="N", help="one in N of each tool's cases, others in each run "
                    "(`drawn` of programs.py), when none are named")
    ap.add_argument("--jobs", type=int, default=2)
    ap.add_argument("--timeout", type=int, default=int(os.environ.get("CLI_TIMEOUT", "120")))
    ap.add_argument("-v", "--verbose", action="store_true", help="name the cases that pass, too")
    ap.add_argument("names", nargs="*")
    args = ap.parse_args()
    if not list(pathlib.Path(args.bin).glob("obkv-*")):
        sys.exit("run.py: no programs in %s: build first" % args.bin)
    count = {"passed": 0, "failed": 0, "skipped": 0}
    cases = find_cases(args)
    with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for case, (verdict, text) in zip(cases, pool.map(lambda c: run_case(args, c), cases)):
            count[verdict] += 1
            if verdict == "failed":
                failed_test(str(case.relative_to(HERE)))
            if verdict != "passed" or args.verbose or text:
                print("%s %s" % ({"passed": "ok", "failed": "not ok", "skipped": "skipped"}[verdict], case.relative_to(HERE)))
                sys.stdout.write("".join("    " + line + "\n" for line in text.splitlines()))
    print("%(passed)d passed, %(failed)d failed, %(skipped)d skipped" % count)
    sys.exit(1 if count["failed"] or not cases else 0)


if __name__ == "__main__":
    main()
