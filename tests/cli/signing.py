#!/usr/bin/env python3
"""Signed datasets and exports: minisign and b2sum agree with the programs, and nothing that was changed passes.

    signing.py BIN [--seed N] [--keep] [-v] [NAME ...]

Keys are made by minisign, and every signature of ours is verified by it. Changes are made the way somebody would who knows the
format: checksums are made good again, so that the signature alone can tell. The last line is "N passed, N failed, N skipped".
"""
import os
import shutil
import subprocess
import sys

from planted import edit, set_to
from planted_sets import PLAIN, copy_of, file_of, findings, some_cells, told, write_as
from programs import NOW, Skip, Suite, cell_line, demand, manifest, shown, tail

LIST, SIGNATURE = "MANIFEST.b2sums", "MANIFEST.b2sums.minisig"
DDL = """CREATE TABLE `t$cf` (K varbinary(1024) NOT NULL, Q varbinary(256) NOT NULL, T bigint NOT NULL,
  V varbinary(1024) NOT NULL,
  PRIMARY KEY (K, Q, T)) KV_ATTRIBUTES = '{"Hbase": {"MaxVersions": 9}}' PARTITION BY KEY(K) PARTITIONS 3;"""


def tool(*command, cwd):
    if not shutil.which(command[0]):
        raise Skip("no %s" % command[0])
    done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    demand(done.returncode == 0, "%s: exit %d\n%s" % (" ".join(map(str, command)), done.returncode, tail(done.stdout)))


def key(suite, name):
    """A pair of keys without password; the path without its ending."""
    path = suite.tmp / name
    if not path.with_suffix(".sec").exists():
        tool("minisign", "-G", "-W", "-p", "%s.pub" % path, "-s", "%s.sec" % path, cwd=suite.tmp)
    return str(path)


def signed(suite):
    """A signed dataset of several files in each partition."""
    out = suite.tmp / "signed"
    if not out.exists():
        (suite.tmp / "table.sql").write_text(DDL)
        lines = [line for line in some_cells(suite.seed) if "\t14\t" not in line and "\t8\t" not in line]
        write_as(suite, "signed", lines, PLAIN, "key:3", "--config", "sign-key=%s" % key(suite, "a") + ".sec")
    return out


def agree(suite, output, name="a"):
    """minisign and b2sum find it good."""
    tool("minisign", "-Vqm", LIST, "-p", key(suite, name) + ".pub", cwd=output)
    tool("b2sum", "--quiet", "-c", LIST, cwd=output)
    listed = [line.split("  ", 1)[1] for line in (output / LIST).read_text().splitlines()]
    demand(listed[0] == "MANIFEST.json" and len(set(listed)) == len(listed), str(listed))
    files = {str(p.relative_to(output)) for p in output.rglob("*") if p.is_file() and ".obkv" not in p.parts}
    demand(files == set(listed) | {LIST, SIGNATURE}, "not signed: %s" % sorted(files - set(listed)))


def check(suite, path, *args, name="a", want=0):
    return findings(suite, path, "--verify-key", key(suite, name) + ".pub", *args, want=want)[0]


def writers(suite):
    """What each program writes is signed whole, and accepted by each that reads it."""
    data, sign, trust = signed(suite), ("--config", "sign-key=%s" % key(suite, "a") + ".sec"), ("--verify-key", key(suite,
                                                                                                                    "a") + ".pub")
    agree(suite, data)
    check(suite, data)
    night = suite.fresh("night")
    suite.call("compact", "--quiet", "--now", NOW, "--versions", 9, *sign, *trust, "--base", compacted(suite), "-o", night, data)
    split = suite.fresh("split")
    suite.call("split", "apply", "--quiet", "--partition", "key:5", *sign, *trust, "-o", split, night)
    export = suite.fresh("export")
    suite.call("export", "--quiet", "--ddl", suite.tmp / "table.sql", "--create", *sign, *trust, "-o", export, data)
    for out in (night, split, export):
        agree(suite, out)
    suite.call("verify", "diff", *trust, night, split)
    check(suite, night)
    check(suite, split, "--quick")
    suite.call("load", *trust, "--target", "127.0.0.1:1/x", "--retries", 0, export, want=75)
    (export / "load.sql").write_text((export / "load.sql").read_text() + "-- and more\n")
    done = suite.call("load", *trust, "--target", "127.0.0.1:1/x", "--retries", 0, export, want=5)
    demand("load.sql: its content is not what was signed" in shown(done.err), tail(done.err))


def compacted(suite):
    out = suite.tmp / "compacted"
    if not out.exists():
        suite.call("compact", "--quiet", "--now", NOW, "--versions", 9, "--config", "sign-key=%s" % key(suite, "a") + ".sec",
                   "-o", out,
                   write_as(suite, "first", some_cells(suite.seed, 40)[:60]))
    return out


def threads(suite):
    """The list does not depend on threads."""
    first = (signed(suite) / LIST).read_bytes()
    again = suite.fresh("again")
    lines = [line for line in some_cells(suite.seed) if "\t14\t" not in line and "\t8\t" not in line]
    source = suite.tmp / "signed.cells"
    demand(source.read_text() == "".join(line + "\n" for line in lines), "another input")
    suite.call("import", "--quiet", "--format", "cells", "--partition", "key:3", "--now", NOW, "--threads", 1, "--codec", "none",
               "--encoding", "none", "--set", "BLOOMFILTER=row", "--set", "BLOCKSIZE=1024", "--target-file-size", 8192,
               "--config", "sign-key=%s.sec" % key(suite, "a"), "-o", again, source)
    demand((again / LIST).read_bytes().splitlines()[1:] == first.splitlines()[1:], "other sums")


# ---- what was changed ----

def value_of(path):
    """Another byte in the last data block, wherever that is: enough for the sum."""
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 3] ^= 1
    path.write_bytes(raw)


def change_line(name, number):
    def change(copy):
        lines = (copy / name).read_text().splitlines(keepends=True)
        at = len(lines[number]) // 2
        lines[number] = lines[number][:at] + ("A" if lines[number][at] != "A" else "B") + lines[number][at + 1:]
        (copy / name).write_text("".join(lines))
    return change


def drop_line(copy):
    lines = (copy / LIST).read_text().splitlines(keepends=True)
    (copy / LIST).write_text("".join(lines[:-1]))


def signature_of_other(suite, copy):
    """A signature of the same key over another list."""
    other = compacted(suite)
    for name in (LIST, SIGNATURE):
        shutil.copy(other / name, copy)


def resealed(suite, copy, change):
    edit(suite, copy, change, True)


BYTES = "its content is not what was signed"
CHANGES = [
    ("a byte of a file", lambda s, c: value_of(file_of(c)), BYTES),
    ("now_ms, sealed again", lambda s, c: resealed(s, c, set_to(NOW + 5, "now_ms")), "MANIFEST.json: its content"),
    ("the codec of the settings, sealed again", lambda s, c: resealed(s, c, set_to("gz", "settings", "codec")),
     "MANIFEST.json: its content"),
    ("the path of an input, sealed again", lambda s, c: resealed(s, c, set_to("/x", "inputs", 0, "path")),
     "MANIFEST.json: its content"),
    ("a sum", lambda s, c: change_line(LIST, 2)(c), "forged or damaged"),
    ("a line of the list", lambda s, c: drop_line(c), "forged or damaged"),
    ("the signature", lambda s, c: change_line(SIGNATURE, 1)(c), "forged or damaged|not a signature|does not name"),
    ("the signed comment", lambda s, c: change_line(SIGNATURE, 2)(c), "forged or damaged"),
    ("the signature of the comment", lambda s, c: change_line(SIGNATURE, 3)(c), "forged or damaged"),
    ("no signature", lambda s, c: (c / SIGNATURE).unlink(), "nothing here is signed"),
    ("no list", lambda s, c: (c / LIST).unlink(), "nothing here is signed"),
    ("an empty signature", lambda s, c: (c / SIGNATURE).write_text(""), "not a signature of minisign"),
    ("list and signature of another dataset", signature_of_other, "does not list the same files|its content is not"),
]


def changed(suite, change, words):
    """check names it and ends with 1; programs that would go on with it end with 5 and leave nothing."""
    copy = copy_of(suite, signed(suite))
    change(suite, copy)
    told(check(suite, copy, want=1), "damaged: .*(%s)" % words)
    if words != BYTES:
        told(check(suite, copy, "--quick", want=1), "damaged: .*(%s)" % words)
    trust = ("--verify-key", key(suite, "a") + ".pub")
    for command in (("compact", "--versions", 1), ("split", "apply", "--partition", "none"),
                    ("export", "--ddl", suite.tmp / "table.sql")):
        out = suite.fresh("out")
        suite.call(*command, *trust, "-o", out, copy, want=5)
        demand(not out.exists(), "%s has written something" % command[0])
    suite.call("verify", "diff", *trust, signed(suite), copy, want=5)


def other_key(suite):
    """Another key is refused by its number; of several one is enough: that is how keys are changed."""
    data = signed(suite)
    told(check(suite, data, name="b", want=1), "signed with key [0-9A-F]{16}, which --verify-key does not name")
    check(suite, data, "--verify-key", key(suite, "b") + ".pub")


def old_one(suite):
    """An older dataset put back whole is signed as well: the time of the signature tells."""
    told(check(suite, signed(suite), "--signed-after", "2100-01-01T00:00:00Z", want=1), "signed before --signed-after")
    check(suite, signed(suite), "--signed-after", "2020-01-01T00:00:00Z")
    suite.call("verify", "check", "--signed-after", 1, signed(suite), want=2)


def by_hand(suite):
    """A list that b2sum wrote, signed with minisign."""
    copy = copy_of(suite, signed(suite))
    names = ["MANIFEST.json"] + [f["path"] for f in manifest(copy)["files"]]
    with open(copy / LIST, "wb") as out:
        subprocess.run(["b2sum", *names], cwd=copy, stdout=out, check=True)
    told(check(suite, copy, name="b", want=1), "does not name|forged")
    tool("minisign", "-Sm", LIST, "-s", key(suite, "b") + ".sec", cwd=copy)
    check(suite, copy, name="b")
    # a file that is left out of the list is not vouched for, whoever signed it
    lines = (copy / LIST).read_text().splitlines(keepends=True)
    (copy / LIST).write_text("".join(lines[:-1]))
    tool("minisign", "-Sm", LIST, "-s", key(suite, "b") + ".sec", cwd=copy)
    told(check(suite, copy, name="b", want=1), "does not list the same files as the manifest")


def again(suite):
    """The same run has nothing to do, unless another key is to sign; an unsigned one leaves no old signature."""
    out, source = suite.fresh("again"), suite.tmp / "few.cells"
    source.write_text(cell_line(b"r", b"cf", b"q", 1, 4, 0, b"v", b"") + "\n")
    run = ("import", "--format", "cells", "--partition", "none", "--now", NOW, "-o", out, source, "--config")
    suite.call(*run, "sign-key=%s.sec" % key(suite, "a"))
    demand("nothing to do" in shown(suite.call(*run, "sign-key=%s.sec" % key(suite, "a")).err), "not finished")
    done = suite.call(*run, "sign-key=%s.sec" % key(suite, "b"), want=2)
    demand("made with other signature" in shown(done.err), tail(done.err))
    suite.call(*run, "sign-key=%s.sec" % key(suite, "b"), "--overwrite")
    agree(suite, out, "b")
    suite.call(*run[:-1], "--overwrite", "--codec", "gz")
    demand(not (out / LIST).exists() and not (out / SIGNATURE).exists(), "the old signature is there still")
    suite.call("verify", "check", out)
    told(check(suite, out, want=1), "nothing here is signed")


def bad_keys(suite):
    """Files that are no keys, and a key with a password, are refused before any work."""
    source = suite.tmp / "few.cells"
    source.write_text(cell_line(b"r", b"cf", b"q", 1, 4, 0, b"v", b"") + "\n")
    run = ("import", "--format", "cells", "--partition", "none", "-o", suite.fresh("bad"), source, "--config")
    locked = suite.tmp / "locked"
    text = open(key(suite, "a") + ".sec", encoding="ascii").read().splitlines()
    locked.write_text(text[0] + "\n" + text[1][:3] + "TY" + text[1][5:] + "\n")  # "Sc": scrypt
    broken = suite.tmp / "broken"
    broken.write_text(text[0] + "\n" + text[1][:120] + "AAAA" + text[1][124:] + "\n")
    for path, words in ((key(suite, "a") + ".pub", "not a secret key"), (source, "not a secret key"),
                        (locked, "has a password"), (broken, "damaged; its two halves"), ("/dev/null", "not a secret key")):
        done = suite.call(*run, "sign-key=%s" % path, want=2)
        demand(words in shown(done.err), tail(done.err))
    locked.chmod(0o604)
    done = suite.call(*run, "sign-key=%s" % locked, want=2)
    demand("chmod 600" in shown(done.err), tail(done.err))
    suite.call(*run, suite.tmp / "nowhere", want=5)
    demand(not (suite.tmp / "bad").exists(), "something was written")
    done = suite.call("verify", "check", "--verify-key", key(suite, "a") + ".sec", signed(suite), want=2)
    demand("not a public key" in shown(done.err), tail(done.err))
    suite.call("compact", "--versions", 1, "--verify-key", key(suite, "a") + ".pub", "-o", suite.fresh("bad"), source, want=2)


def main():
    suite = Suite(__doc__, in_memory=True)
    for test in (writers, threads, other_key, old_one, by_hand, again, bad_keys):
        suite.run(test.__name__.replace("_", " "), test)
    for name, change, words in CHANGES:
        suite.run("changed: " + name, changed, change, words)
    return suite.end()


if __name__ == "__main__":
    os.umask(0o077)
    sys.exit(main())
