"""The archive of `make executors` where there is nothing else: a root directory that has the C library, a shell and readlink.
jobs.py runs it."""
import os
import re
import shutil
import subprocess

from spark_kit import COLUMNS, NOW, csv_file, demand, demand_same
from programs import Skip

C_LIBRARY = re.compile(r"\s(/\S*/(?:ld-linux\S*|lib(?:c|m|dl|rt|pthread|resolv|util)\.so\.\d))\s")


def executors_alone(suite):
    """The programs import and check, and find libcurl; the name of the archive says a C library that is not newer than ours."""
    programs, root = suite.shared.executors, suite.tmp / "root"
    name = suite.shared.executors_file.name
    glibc = re.fullmatch(r"obkv-executors-1\.2\.3-glibc(\d+)\.(\d+)-\w+\.tar\.gz", name)
    here = os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")
    demand(glibc and (2, 17) <= tuple(map(int, glibc.groups())) <= tuple(map(int, here[:2])), name)
    if os.getuid():
        raise Skip("only root changes the root directory")
    shutil.copytree(programs, root / "obkv", symlinks=True)
    tools = {name: shutil.which(name) for name in ("sh", "readlink")}
    files = [*tools.values(), *(programs / "lib/obkv").iterdir(), *(programs / "lib").glob("*.so*")]
    linked = subprocess.run(["ldd", *files], check=True, stdout=subprocess.PIPE, text=True)
    for path in set(C_LIBRARY.findall(linked.stdout)):
        (root / path[1:]).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, root / path[1:])
    (root / "bin").mkdir()
    for name, path in tools.items():
        shutil.copy(path, root / "bin" / name)
    for folder in ("tmp", "proc", "dev"):
        (root / folder).mkdir()
    one, path = suite.fresh("one"), csv_file(root / "a.csv", 2000)

    def inside(program, *arguments):
        done = subprocess.run(["env", "-i", "PATH=/bin", shutil.which("chroot"), root, "/obkv/bin/obkv-" + program, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    imported = ("import", "--quiet", "--now", NOW, *COLUMNS, "-o", "/out", "/a.csv")
    for arguments in (imported, ("verify", "check", "--quiet", "/out")):
        code, text = inside(*arguments)
        demand(code == 0, "%s: %d: %s" % (arguments, code, text))
    code, text = inside("import", *COLUMNS, "-o", "/none", "http://127.0.0.1:9/a.csv")
    demand(code == 75 and "onnect" in text, "libcurl: %d: %s" % (code, text))
    shutil.move(root / "out", suite.tmp / "out")
    suite.call("import", "--quiet", "--now", NOW, *COLUMNS, "-o", one, path)
    text = (suite.tmp / "out/MANIFEST.json").read_text()
    (suite.tmp / "out/MANIFEST.json").write_text(text.replace('"/a.csv"', '"%s"' % path))
    demand_same(one, suite.tmp / "out")


TESTS = (executors_alone,)
