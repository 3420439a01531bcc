"""Puts libsst and its declarations into the package. OBKV_LIBSST names the library, build/release/lib/libsst.so.1 by default;
the declarations are those of the public headers (libsst/include/sst), so nothing is written twice. cffi's ABI mode needs no
compiler and no version of Python's own C interface: one wheel serves all."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

import cffi
from setuptools import Distribution, setup
from setuptools.command.build_py import build_py
from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = HERE.parents[1] / "libsst/include"
LIBRARY = pathlib.Path(os.environ.get("OBKV_LIBSST", HERE.parents[1] / "build/release/lib/libsst.so.1"))


def declarations():
    """The public headers as cffi reads them: without preprocessor lines and functions in the header itself."""
    with tempfile.TemporaryDirectory() as empty:
        for name in ("stddef.h", "stdint.h", "string.h"):
            (pathlib.Path(empty) / name).touch()
        lines = "".join("#include <sst/%s>\n" % h for h in ("arrow.h", "writer.h", "dataset_writer.h"))
        command = [os.environ.get("CC", "cc"), "-E", "-P", "-nostdinc", "-U__GNUC__", "-I", empty, "-I", HEADERS, "-"]
        text = subprocess.run(command, input=lines, capture_output=True, text=True, check=True).stdout
    return re.sub(r"(?ms)^static inline .*?^\}$", "", text)


class Build(build_py):
    def run(self):
        super().run()
        package = pathlib.Path(self.build_lib) / "obkv_sst"
        ffi = cffi.FFI()
        ffi.set_source("obkv_sst._sst", None)
        ffi.cdef(declarations())
        ffi.emit_python_code(str(package / "_sst.py"))
        shutil.copy(LIBRARY, package / "libsst.so.1")
        subprocess.run(["strip", "--strip-unneeded", package / "libsst.so.1"], check=True)


class Wheel(bdist_wheel):
    """Holds a library for this machine, and no code for one version of Python."""

    def get_tag(self):
        return "py3", "none", super().get_tag()[2]


class Binary(Distribution):
    def has_ext_modules(self):
        return True


version = re.search(r'#define SST_VERSION "(.*)"', (HEADERS / "sst/base.h").read_text()).group(1)
setup(version=version, distclass=Binary, cmdclass={"build_py": Build, "bdist_wheel": Wheel})
