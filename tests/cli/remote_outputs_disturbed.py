"""What disturbs a run that writes to a server: threads and calls that fail here, a server that lists what it was not asked for,
does not give up uploads, or is closed while the run has failed already, and another run that begins at the worst moment. The
cases are cases of remote_outputs.py."""
import os
import random
import time

from faulty_calls import Faulty
from programs import bytes_of_files, demand, shown
from remote_kit import COLUMNS, KEY, configured, remote_call, rows

STRESS = os.environ.get("OBKV_STRESS")
ENDS = {0, 5, 6, 7, 75}


def small(suite, root):
    path = root / "small.csv"
    if not path.exists():
        path.write_bytes(rows(0, 3000))
    return path


def failing_here(suite, p):
    """A start of a thread, an allocation or a call fails: the run ends as it must, and the next one completes it."""
    source = small(suite, p.root)
    local = suite.fresh("local")
    suite.call("import", *COLUMNS, *KEY, "-o", local, source)
    good = bytes_of_files(local)
    words = ("import", *COLUMNS, *KEY, "--remote-retries", 0, "-t", 1, *p.at, "-o", p.url("out"), source)
    choice = random.Random(suite.seed)
    with configured(suite, words[1:]) as rest:
        faulty = Faulty(suite, ("import", *rest), lambda done: b"crashed in libcrypto.so.3 libcurl" in done.err)
        counts = {}
        for kind in ("thread", "alloc", "read", "socket"):
            suite.fresh("root/out")
            done, counts[kind] = faulty.run(kind)
            demand(done.code == 0, "%s: %s" % (kind, shown(done.err)))
        demand(counts["thread"] >= 13, "only %d threads" % counts["thread"])
        for kind, n in counts.items():
            most = min(n, 16 if kind == "thread" else int(os.environ.get("OBKV_POINTS") or (200 if STRESS else 2)))
            for at in sorted(choice.sample(range(1, n + 1), most)):
                for how in ("after",) if kind == "thread" and not STRESS else ("once", "after"):
                    suite.fresh("root/out")
                    done, _ = faulty.run(kind, at, how, 11 if kind == "thread" else 5)
                    if done.code < 0 or (done.code == 127 and b"thread-local data" in done.err):
                        continue  # docs/libraries.md
                    what = "%s %d %s: exit %d: %s" % (kind, at, how, done.code, shown(done.err))
                    demand(done.code in ENDS and (done.code == 0 or done.err), what)
                    finished = (p.root / "out/MANIFEST.json").exists()
                    demand(finished or done.code, "nothing was published: " + what)
                    demand(not finished or bytes_of_files(p.root / "out") == good, "other bytes: " + what)
        faulty.end()
    remote_call(suite, *words)
    demand(bytes_of_files(p.root / "out") == good, "other bytes in the end")


def names_beside(suite, p):
    """The listing that checks what was written has a name of somewhere else."""
    suite.fresh("root/out")
    p.server.trouble.before = ("p00000-000.hfile", lambda: setattr(p.server.trouble, "lie", "beside"))
    done = remote_call(suite, "import", *COLUMNS, *KEY, *p.at, "-o", p.url("out"), small(suite, p.root), want=5)
    demand(b"the server lists 'x', which is not below it" in done.err, shown(done.err))
    demand(not (p.root / "out/MANIFEST.json").exists(), "it was published")


def stubborn_uploads(suite, p):
    """Uploads that are listed on and on do not keep a run; those of others stay."""
    suite.fresh("root/out")
    p.server.uploads["stuck"] = {"key": "out/f/p00000-000.hfile", "parts": {}}
    p.server.trouble.stubborn = True
    before = p.server.requests
    remote_call(suite, "import", *COLUMNS, *KEY, *p.at, "-o", p.url("out"), small(suite, p.root))
    demand(p.server.requests - before < 60, "%d requests" % (p.server.requests - before))
    p.server.uploads.clear()
    p.server.trouble.stubborn = False
    p.server.uploads["other"] = {"key": "out/a/backup.bin", "parts": {}}
    remote_call(suite, "import", *COLUMNS, *KEY, *p.at, "--overwrite", "-o", p.url("out"), small(suite, p.root), "--partition",
                "key:2")
    demand("other" in p.server.uploads, "an upload of somebody else was given up")
    p.server.uploads.clear()


def another_before_the_manifest(suite, p):
    """Another run begins between the listing and the manifest: the manifest that came too late goes again."""
    suite.fresh("root/out")
    mark = p.root / "out/.obkv/writer"
    p.server.trouble.before = ("MANIFEST.json", lambda: mark.write_bytes(b"another\n"))
    done = remote_call(suite, "import", *COLUMNS, *KEY, *p.at, "-o", p.url("out"), small(suite, p.root), want=75)
    demand(b"another run writes there" in done.err, shown(done.err))
    demand(not (p.root / "out/MANIFEST.json").exists(), "its manifest stands beside the other run's files")
    demand(mark.read_bytes() == b"another\n", "the mark of the other run is gone")


def closed(suite, p):
    """The server takes nothing, and the run fails for another reason: it ends at once, not after all attempts."""
    made, out = suite.fresh("made"), suite.fresh("root/out")
    suite.call("import", *COLUMNS, *KEY, "--codec", "none", "-o", made, small(suite, p.root))
    last = sorted(made.rglob("*.hfile"))[-1]
    content = bytearray(last.read_bytes())
    content[200] ^= 1
    last.write_bytes(content)
    p.server.trouble.closed = True
    began = time.monotonic()
    done = remote_call(suite, "compact", "--versions", 1, "-t", 1, "--remote-retries", 100, *p.at, "-o", p.url("out"), made,
                       want=5)
    demand(b"p00002-000.hfile" in done.err, shown(done.err))
    demand(time.monotonic() - began < 20, "it took %.0f s" % (time.monotonic() - began))
    demand(not (out / "MANIFEST.json").exists(), "it was published")


CASES = ((failing_here, ("s3", "hdfs") if STRESS else ("s3",)), (names_beside, ("s3",)), (stubborn_uploads, ("s3",)),
         (another_before_the_manifest, ("s3", "hdfs")), (closed, ("s3", "hdfs")))
