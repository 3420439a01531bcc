#!/usr/bin/env python3
"""All help fits the terminal: of every program and command, short and whole, at 60, 80 and 120 columns, and 100 in a pipe.

    help_widths.py BIN [--seed N] [--keep] [-v] [NAME ...]

Also: whatever the width, the words are the same, and a command that is shown can be typed as it stands.
"""
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import threading

from programs import Suite, demand

MARK = b"\0"
PROGRAMS = ("import", "compact", "split", "export", "load", "verify")


def on_terminal(suite, columns, tool, *args):
    """What the program prints on a terminal of so many columns."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    p = subprocess.Popen(suite.command(tool, args), stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=suite.env)
    # The terminal stays open until all of it was read: a mark after the program's end, since a closed one may lose text.
    threading.Thread(target=lambda: (p.wait(), os.write(theirs, MARK))).start()
    text = b""
    while MARK not in text:
        text += os.read(ours, 65536)
    os.close(theirs)
    os.close(ours)
    demand(p.wait() == 0, "%s %s: exit %d" % (tool, args, p.returncode))
    return text.replace(MARK, b"").decode().replace("\r\n", "\n")


def helps(suite, tool):
    """All that can be asked for."""
    top = suite.call(tool, "--help").out.decode()
    found = [("--help",), ("--help", "all")]
    section = re.search(r"\ncommands:\n(.*?)\n\n", top, re.S)
    for command in re.findall(r"^  ([a-z]+) ", section.group(1), re.M) if section else ():
        found += [("help", command), ("help", command, "all")]
    return found


def commands_shown(text):
    """The examples, each as one line."""
    joined = text.replace(" \\\n      ", " ")
    return re.findall(r"^  ((?:obkv-|mysql)\S* .*)$", joined, re.M)


def fits(suite, tool):
    asked = helps(suite, tool)
    demand(len(asked) > 2 or tool not in ("split", "verify"), "no commands were found")
    for args in asked:
        texts = {columns: on_terminal(suite, columns, tool, *args) for columns in (60, 80, 120)}
        texts[100] = suite.call(tool, *args).out.decode()
        titles = re.findall(r"^([a-z ]+ options?):$", texts[100], re.M)
        demand(len(set(titles)) == len(titles), "%s has a title twice: %s" % (" ".join(args), titles))
        for columns, text in texts.items():
            for line in text.splitlines():
                demand(len(line) <= columns, "%s at %d columns: %d: %s" % (" ".join(args), columns, len(line), line))
            demand(sorted(text.replace(" \\\n", " ").split()) == sorted(texts[100].replace(" \\\n", " ").split()),
                   "%s at %d columns has other words" % (" ".join(args), columns))
            demand(commands_shown(text) == commands_shown(texts[100]), "%s at %d columns: other examples: %s" %
                   (" ".join(args), columns, commands_shown(text)))
    demand(commands_shown(texts[100]) or tool in ("split", "verify"), "no examples were found")


def main():
    suite = Suite(__doc__)
    for tool in PROGRAMS:
        suite.run("help of obkv-" + tool, fits, tool)
    sys.exit(suite.end())


if __name__ == "__main__":
    main()
