"""What the tests of inputs on servers share, those of remote.py and those of tests/remote on servers that are not ours: rows of a
CSV, a call whose output must not show what is secret or temporary, and comparing an import by URLs with one by local paths.

Scripts set TMPDIR of the programs to the folder temp/ of their suite: after a call nothing may be left there."""
import contextlib
import random

import remote_servers as servers
from programs import NOW, bytes_of_files, demand, manifest, shown

COLUMNS = ("--columns", "HBASE_ROW_KEY,HBASE_TS_KEY,f:a", "--quote", "none")
KEY = ("--partition", "key:3", "--now", NOW, "--allow", "empty-file")
FLAGS = ("s3-virtual-host", "negotiate")
SETTINGS = ("s3-endpoint", "s3-region", "hdfs-namenodes", "hdfs-user", "hdfs-token-file", "ca-file", "remote-retries",
            "remote-timeout", "s3-part-size")
SECRETS = (servers.SECRET, servers.TOKEN, servers.DELEGATION, servers.IDENTITY, "delegation%2B", "presigned-and-secret")


def rows(first, n, value=20):
    r = random.Random(first)
    return "".join("row%07d,%d,%s\n" % (i, NOW - i % 7, r.randbytes(value).hex()) for i in range(first, first + n)).encode()


@contextlib.contextmanager
def configured(suite, args):
    """The arguments without the settings of servers, which are in a file of OBKV_CONFIG meanwhile."""
    words, lines, rest = [str(a) for a in args], [], []
    while words:
        word = words.pop(0)
        if word[2:] in FLAGS and word.startswith("--"):
            lines.append("%s = yes\n" % word[2:])
        elif word[2:] in SETTINGS and word.startswith("--"):
            lines.append("%s = %s\n" % (word[2:], words.pop(0)))
        else:
            rest.append(word)
    if lines:
        (suite.tmp / "servers.conf").write_text("".join(lines))
        suite.env["OBKV_CONFIG"] = str(suite.tmp / "servers.conf")
    try:
        yield rest
    finally:
        suite.env.pop("OBKV_CONFIG", None)


def server_call(suite, tool, *args, **kw):
    with configured(suite, args) as rest:
        return suite.call(tool, *rest, **kw)


def remote_call(suite, tool, *args, **kw):
    done = server_call(suite, tool, *args, **kw)
    for secret in SECRETS:
        demand(secret.encode() not in done.err + (done.out or b""), "a secret is in: %s" % shown(done.err))
    demand(b"obkv-remote" not in done.out + done.err, "a temporary path is shown: %s" % shown(done.out + done.err))
    left = [p.name for p in suite.tmp.glob("temp/obkv-remote-*")]
    demand(not left, "the run left %s" % left)
    return done


def call_import(suite, name, inputs, *options, columns=COLUMNS, want=0, **kw):
    """The dataset, which is there only if all went well, and what the run said."""
    out = suite.fresh(name)
    done = remote_call(suite, "import", *columns, *KEY, "--remote-retries", 4, *options, "-o", out, *inputs, want=want, **kw)
    if want == 0:
        text = (out / "MANIFEST.json").read_text()
        demand(not any(s in text for s in SECRETS) and "obkv-remote" not in text, "the manifest has what it must not have")
    else:
        demand(not (out / "MANIFEST.json").exists(), "a dataset was published")
    return out, done


def imported(suite, name, inputs, *options, want=0, **kw):
    """The dataset, or, of a run that is to fail, what it said."""
    out, done = call_import(suite, name, inputs, *options, want=want, **kw)
    return out if want == 0 else done


def same(suite, local, remote, *options, **kw):
    """One dataset by local paths and one by URLs. Returns what the run by URLs said."""
    a, (b, done) = imported(suite, "local", local, **kw), call_import(suite, "remote", remote, *options, **kw)
    demand(manifest(a)["totals"]["cells"] > 0, "nothing is compared")
    demand(bytes_of_files(a) == bytes_of_files(b), "%s: other cell files" % (remote,))
    demand([i["path"] for i in manifest(b)["inputs"]][0].startswith(remote[0].split("://")[0] + "://"), manifest(b)["inputs"])
    return done
