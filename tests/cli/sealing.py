"""Manifests that are edited by tests: their checksum is made anew (seal.c), or every reader would refuse them."""
import os
import shutil
import subprocess

from programs import Skip


def seal(suite):
    """The program that does it; it prints a file's checksum, too."""
    program = suite.tmp / "seal"
    if not program.exists():
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "seal.c")
        for compiler in ("cc", "gcc", "clang"):
            command = [compiler, "-D_GNU_SOURCE", "-o", program, source, "-lxxhash"]
            if shutil.which(compiler) and subprocess.run(command, check=False).returncode == 0:
                return program
        raise Skip("no C compiler")
    return program


def write_sealed(suite, path, text):
    path.write_text(text)
    subprocess.run([seal(suite), path, "-"], check=True)
