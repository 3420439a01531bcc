"""Runs the commands of a page, lines "    $ command" of its indented blocks, one after the other in this folder, and compares
what follows each of them with what it prints. A script that the run.sh of its example calls as well is not run here once more:
what it prints is in expected.txt, which the case samples_guide proves. `blocks.py PAGE`; with a second argument the page is
written there as it should be."""
import os
import re
import subprocess
import sys


def blocks(lines):
    """(first line behind the command, line behind its output, command)"""
    i = 0
    while i < len(lines):
        if not lines[i].startswith("    $ "):
            i += 1
            continue
        end = i + 1
        while end < len(lines) and lines[end].startswith("    ") and not lines[end].startswith("    $ "):
            end += 1
        yield i + 1, end, lines[i][6:]
        i = end


def proven(command, want):
    """Whether samples_guide runs this command, and WANT stands in what it demands."""
    script = re.fullmatch(r"sh (guide/[^/ ]+)/([^/ ]+\.sh)", command)
    if not script or script[2] == "run.sh":
        return False
    texts = []
    for name in "run.sh", "expected.txt":
        with open(os.path.join(script[1], name), encoding="utf-8") as f:
            texts.append(f.read())
    return 'sh "$here/%s"' % script[2] in texts[0] and "".join(line[4:] + "\n" for line in want) in texts[1]


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        lines = f.read().split("\n")
    out, at, bad, count = [], 0, 0, 0
    for begin, end, command in blocks(lines):
        count += 1
        if proven(command, lines[begin:end]):
            continue
        done = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        got = [("    " + line).rstrip() for line in (done.stdout + done.stderr).splitlines()]
        if got != [line.rstrip() for line in lines[begin:end]] or done.returncode:
            bad += 1
            print("line %d: %s\n%s\nexit %d, in the page:\n%s" % (
                begin, command, "\n".join(got), done.returncode, "\n".join(lines[begin:end])))
        out += lines[at:begin] + got
        at = end
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as f:
            f.write("\n".join(out + lines[at:]))
    if count < 5:
        sys.exit("%d commands in %s: has its form changed?" % (count, sys.argv[1]))
    sys.exit(bad != 0)


main()
