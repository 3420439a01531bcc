#!/usr/bin/env python3
"""Help, completion and version of all programs, which are made from one table of options.

    completion.py BIN [--seed N] [--keep] [-v] [NAME ...]

Completion is tried in the shells that are installed, as a user would: bash calls the function, fish answers `complete -C`, zsh
gets a line and a TAB through a terminal. A shell that is missing is skipped. The last line is "N passed, N failed, N skipped".
"""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import time

import programs
from programs import Skip, Suite, shown, tail

PROGRAMS = {"import": (), "compact": (), "export": (), "load": (), "split": ("plan", "simulate", "apply", "join"),
            "verify": ("account", "check", "diff", "dump", "hashtable", "info", "page", "skew", "target")}
BASH = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
$(complete -p "$1" | sed 's/.*-F \([^ ]*\) .*/\1/')
printf '%s\n' "${COMPREPLY[@]}"
"""


def demand(held, text, *values):
    programs.demand(held, text % values if values else text)


def said(suite, program, *args):
    return suite.call(program, *args).out.decode()


def options_of(help_text):
    """{name: argument or None} of every line of options"""
    found = {}
    for line in help_text.splitlines():
        m = re.match(r"  (?:-., |    )--([a-z][a-z0-9-]*)(?: ([A-Z][A-Z|%:=]*))?(?: |$)", line)
        if m:
            found[m[1]] = m[2]
    return found


def lines_of_all(suite):
    for program, commands in PROGRAMS.items():
        for command in commands or (None,):
            yield program, command, said(suite, program, *((command,) if command else ()), "--help", "all")


def helps(suite):
    for program, command, text in lines_of_all(suite):
        words = (command,) if command else ()
        every, short = options_of(text), said(suite, program, *words, "--help")
        named = set(re.findall(r"--([a-z][a-z0-9-]*)", short))
        demand(set(every) <= named, "%s %s --help does not name %s", program, words, sorted(set(every) - named))
        explained = options_of(short)
        demand(len(explained) <= 18, "%s %s --help explains %d options", program, words, len(explained))
        demand(len(every) <= 18 or 8 <= len(explained) <= 11, "%s %s --help explains %d of %d", program, words, len(explained),
               len(every))
        wide = [line for line in text.splitlines() if len(line) > 118]
        demand(not wide, "%s %s: lines too wide: %s", program, words, wide[:1])
        if command:
            demand(said(suite, program, "help", command) == short, "help %s is another text than %s --help", command, command)
    demand("--raw" in said(suite, "verify", "help", "dump", "all"), "help dump all does not explain --raw")
    suite.call("verify", "help", "dmp", want=2)


def topics(suite):
    """After help and --help, words with and without dashes are the same, in every program and command."""
    for program, command, text in lines_of_all(suite):
        words = (command,) if command else ()
        for asked in (("help", *words), (*words, "--help")):
            demand(said(suite, program, *asked, "--all") == text, "%s %s --all is another text", program, asked)
            some = said(suite, program, *asked, "quiet")
            demand("--quiet" in some and len(some.splitlines()) < 6, "%s %s quiet: %s", program, asked, some)
            for word in ("--quiet", "-q"):
                demand(said(suite, program, *asked, word) == some, "%s %s %s is another text", program, asked, word)
            suite.call(program, *asked, "--nothing", want=2)


def commands_of_others(suite):
    """A command that is typed to another program names the right one; so does the name of a program."""
    own = {}
    for program in PROGRAMS:
        section = re.search(r"\ncommands:\n(.*?)\n\n", said(suite, program, "--help"), re.S)
        own[program] = tuple(re.findall(r"^  ([a-z]+) ", section[1], re.M)) if section else ()
        demand(sorted(own[program]) == sorted(PROGRAMS[program]), "commands of %s: %s", program, own[program])
    meant = {command: "obkv-%s %s" % (program, command) for program, commands in own.items() for command in commands}
    meant.update((program, "obkv-" + program) for program in PROGRAMS)
    for program in PROGRAMS:
        names = {name for of, _, text in lines_of_all(suite) if of == program for name in options_of(text)}
        for word in (w for w in meant if w != program and w not in own[program]):
            is_option = any(name.startswith(word) for name in names)  # help target: --target-file-size
            for words in ((word,), (word, "--no-such-option", "x"), *([] if is_option else [("help", word)])):
                text = shown(suite.call(program, *words, want=2).err)
                demand("did you mean '%s'?" % meant[word] in text, "obkv-%s %s: %s", program, words, text)
    (suite.tmp / "check").mkdir()
    text = shown(suite.call("import", "check", "--partition", "none", "-o", suite.fresh("out"), want=None).err)
    demand("command of another program" not in text, "a directory named as a command is an input: %s", text)


def suggestions(suite):
    for words, meant in ((("import", "--outptu", "x"), "'--output'"), (("import", "--Header"), "'--header'"),
                         (("split", "paln"), "'plan'"), (("verify", "dif", "a", "b"), "'diff'"),
                         (("verify", "check", "--qick", "x"), "'--quick'"), (("compact", "--memroy=1G"), "'--memory'")):
        text = shown(suite.call(*words, want=2).err)
        demand("did you mean " + meant in text, "%s: %s", words, text)
    samples = pathlib.Path(__file__).resolve().parents[2] / "samples"
    root = suite.tmp / "root"
    root.mkdir(exist_ok=True)
    subprocess.run(["tar", "-xzf", samples / "simple_snapshot.tar.gz", "-C", root], check=True)
    root = root / "export"
    mapping = suite.tmp / "map.json"
    mapping.write_text('{"row": "id", "cells": {"info:name": "Name"}}')
    partition = ("--partition", "none", "-o", suite.tmp / "never")
    for words, meant in ((("--snapshot", "snap-a", *partition, root), "'snap_a'"),
                         (("--header", "--columns", "id=HBASE_ROW_KEY,nmae=info:name", *partition, samples / "users.csv"),
                          "'name'"),
                         (("--header", "--map", mapping, *partition, samples / "users.csv"), "'name'")):
        text = shown(suite.call("import", *words, want={2, 5}).err)
        demand("did you mean " + meant in text, "%s: %s", words, text)
    for words in (("import", "--completely-different", "x"), ("split", "reshard"), ("verify", "check", "-ö", "x")):
        demand("did you mean" not in shown(suite.call(*words, want=2).err), "%s is near to nothing", words)


def versions(suite):
    for program in PROGRAMS:
        lines = said(suite, program, "--version").splitlines()
        demand(re.fullmatch(r"obkv-%s \d+\.\d+\.\d+" % program, lines[0]), "the first line is %s", lines[0])
        demand(re.fullmatch(r"commit: ([0-9a-f]{7,40}(-dirty)?|unknown)", lines[1]), "the commit is %s", lines[1])
        demand(re.match(r"compiler: (gcc|clang) .*\d", lines[2]), "the compiler is %s", lines[2])
        demand(lines[3].startswith("codecs: NONE ") and "ZSTD" in lines[3] and "LZO" in lines[3].split("read only:")[1],
               "the codecs are %s", lines[3])
        rest = " ".join(lines[4:])
        demand(max(map(len, lines)) <= 80, "a line of %d columns", max(map(len, lines)))
        libraries = "libarchive zlib libdeflate ISA-L bzip2 liblzma lz4 zstd brotli snappy xxHash jansson expat libsodium"
        for library in libraries.split():
            demand(re.search(library + r" \d+\.\d+", rest), "no version of %s in %s", library, rest)
        demand(("MariaDB" in rest) == (program in ("import", "load", "verify")), "the database library of %s: %s", program, rest)


def shell_of(name):
    path = shutil.which(name)
    if not path:
        raise Skip(name + " is not installed")
    return path


def script_of(suite, program, shell):
    path = suite.tmp / ("%s.%s" % (program, shell))
    path.write_text(said(suite, program, "--help", "completion:%s" % shell))
    return path


def every_option_stands(suite, answers):
    """answers(program, words): what completes the last word"""
    for program, command, text in lines_of_all(suite):
        words = ["obkv-" + program] + ([command] if command else []) + ["--"]
        got = {w[2:].rstrip("=") for w in answers(program, words) if w.startswith("--")}
        demand(got == set(options_of(text)), "%s: %s", words, sorted(got ^ set(options_of(text))))


def usual_values(answers, place):
    for program, words, wanted in (("import", ["--codec", ""], {"none", "gz", "snappy", "lz4", "zstd", "brotli"}),
                                   ("import", ["--rules", ""], {"changes", "hbase", "none", "oceanbase"}),
                                   ("import", ["--timestamp-unit", ""], {"s", "ms", "us", "ns"}),
                                   ("split", ["plan", "--progress", ""], {"auto", "never", "lines", "json"}),
                                   ("split", ["pl"], {"plan"}), ("import", ["--ddl", place + "/tab"], {place + "/table.sql"})):
        got = set(answers(program, ["obkv-" + program] + words))
        demand(wanted <= got and len(got) <= len(wanted) + 1, "%s: %s", words, sorted(got))


def place_of(suite):
    place = suite.tmp / "place"
    place.mkdir(exist_ok=True)
    (place / "table.sql").touch()
    (place / "other.sql").touch()
    return str(place)


def bash(suite):
    shell = shell_of("bash")
    scripts = {}

    def answers(program, words):
        script = scripts.setdefault(program, script_of(suite, program, "bash"))
        done = subprocess.run([shell, "--norc", "-c", BASH, "bash", script, *words], capture_output=True, text=True, timeout=60,
                              check=False)
        demand(done.returncode == 0 and not done.stderr, "%s: %s", words, done.stderr)
        return done.stdout.split("\n")[:-1]
    every_option_stands(suite, answers)
    usual_values(answers, place_of(suite))
    demand(answers("import", ["obkv-import", "--codec", "=", "z"]) == ["zstd"], "--codec=z is not completed")


def fish(suite):
    shell = shell_of("fish")
    scripts = {}

    def answers(program, words):
        script = scripts.setdefault(program, script_of(suite, program, "fish"))
        line = " ".join(words)
        done = subprocess.run([shell, "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', str(script), line],
                              capture_output=True, text=True, timeout=60, check=False, env=dict(os.environ, HOME=str(suite.tmp)))
        demand(done.returncode == 0 and not done.stderr, "%s: %s", line, done.stderr)
        return [got.split("\t")[0] for got in done.stdout.splitlines()]
    every_option_stands(suite, answers)
    usual_values(answers, place_of(suite))


def zsh_line(shell, home, script, line, wanted):
    """What the terminal shows after the line and a TAB."""
    pid, fd = pty.fork()
    if not pid:
        os.environ.update(HOME=str(home), TERM="dumb", PS1="> ", LC_ALL="C.UTF-8")
        os.execl(shell, "zsh", "-f", "-i")
    seen = b""

    def until(mark, seconds=20):
        nonlocal seen
        end = time.monotonic() + seconds
        while mark not in seen and time.monotonic() < end:
            if select.select([fd], [], [], 0.1)[0]:
                seen += os.read(fd, 4096)
        return mark in seen
    try:
        os.write(fd, b"autoload -Uz compinit; compinit -u -D; source %s; print rea''dy\n" % os.fsencode(script))
        demand(until(b"ready"), "zsh does not begin: %s", tail(seen))
        seen = b""
        os.write(fd, line.encode() + b"\t")
        until(wanted.encode(), 10)
        return shown(seen)
    finally:
        os.close(fd)
        os.kill(pid, 9)
        os.waitpid(pid, 0)


def zsh(suite):
    shell = shell_of("zsh")
    for program in PROGRAMS:
        done = subprocess.run([shell, "-n", script_of(suite, program, "zsh")], capture_output=True, check=False)
        demand(done.returncode == 0 and not done.stderr, "%s: %s", program, tail(done.stderr))
    for program, line, wanted in (("import", "obkv-import --targ", "--target-file-size"),
                                  ("import", "obkv-import --codec z", "zstd"),
                                  ("split", "obkv-split si", "simulate"), ("split", "obkv-split plan --expe", "--expect"),
                                  ("import", "obkv-import --ddl %s/tab" % place_of(suite), "table.sql")):
        got = zsh_line(shell, suite.tmp, script_of(suite, program, "zsh"), line, wanted)
        demand(wanted in got, "%s: %r", line, got)


def unknown_shell(suite):
    suite.call("import", "--help", "completion:tcsh", want=2)


def main():
    suite = Suite(__doc__)
    for test in (helps, topics, commands_of_others, suggestions, versions, bash, fish, zsh, unknown_shell):
        suite.run(test.__name__, test)
    return suite.end()


if __name__ == "__main__":
    sys.exit(main())
