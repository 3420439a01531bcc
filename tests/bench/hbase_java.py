"""Programs of this folder that run inside real HBase: class path and classes are those of tests/interop.

Of the options there, which are for short checks, two are replaced: both compilers of the JVM run, as they do for any user, and
the heap may have as much memory as our programs. The serial collector stays: on two processors it was the fastest."""
import os
import subprocess


def java_command(place, program, what):
    """The command that runs bench/PROGRAM.java with HBase's codecs; None, with a word, where HBase is not to be had."""
    here = os.path.dirname(os.path.abspath(__file__))
    interop = os.path.join(here, "../interop")
    done = subprocess.run(["sh", interop + "/run.sh", "--classes"], capture_output=True, text=True,
                          env=dict(os.environ, OBKV_REQUIRE_INTEROP="0"))
    if done.returncode:
        print("%s: no figures of HBase: %s" % (what, done.stdout.strip().splitlines()[0]))
        return None
    with open(os.path.join(interop, "../../build/interop/codecs.classpath")) as f:
        jars = f.read().strip()
    classes = place.path("classes")
    os.makedirs(classes, exist_ok=True)
    subprocess.run(["javac", "-nowarn", "-Xlint:none", "-cp", jars, "-d", classes, os.path.join(here, program + ".java")],
                   check=True, capture_output=True)
    path = [classes, interop + "/conf", interop + "/conf/codecs", jars]
    return ["java", "@" + interop + "/jvm.options", "-XX:TieredStopAtLevel=4", "-Xmx" + place.args.memory, "-da",
            "-Dorg.xerial.snappy.tempdir=" + classes, "-cp", ":".join(path), program]
