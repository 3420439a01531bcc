"""Runs the Java programs of tests/interop/src inside real HBase, and our own tools beside them."""
import pathlib
import socket
import subprocess

JVM_LIMIT_S = 600
TOOL_LIMIT_S = 120
VERSIONS = {"trees": "2.6.4", "codecs": "2.6.1-hadoop3"}


class Failed(Exception):
    """A program that did not do what it was asked for; the text says which and what it printed."""


class HBase:
    """One class path: "trees" (HBase 2.6.4) or "codecs" (2.6.1-hadoop3 with its compression modules)."""

    def __init__(self, profile, build, source, logs):
        self.version = VERSIONS[profile]
        self.profile, self.logs = profile, logs
        jars = (build / f"{profile}.classpath").read_text().strip()
        hosts = build / "hosts"  # a cluster asks for the names of its host, which some hosts do not know
        hosts.write_text(f"127.0.0.1 localhost {socket.gethostname()}\n")
        self.command = ["java", f"@{source / 'jvm.options'}", f"-Djdk.net.hosts.file={hosts}", "-cp",
                        f"{build / profile}:{source / 'conf'}:{source / 'conf' / profile}:{jars}"]
        self.runs = 0

    def run(self, program, args, subjects):
        """{subject: (ok, text)}: one verdict for each subject asked for, whatever happens to the JVM."""
        self.runs += 1
        log = self.logs / f"{self.runs:02d}-{program}-{self.profile}.log"
        with open(log, "wb") as err:
            try:
                p = subprocess.run(self.command + [program] + [str(a) for a in args], stdout=subprocess.PIPE, stderr=err,
                                   stdin=subprocess.DEVNULL, timeout=JVM_LIMIT_S, check=False)
                out, end = p.stdout, f"exit {p.returncode}"
            except subprocess.TimeoutExpired as e:
                out, end = e.stdout or b"", f"not done after {JVM_LIMIT_S} s"
        verdicts = {}
        for line in out.decode("utf-8", "replace").splitlines():
            word, _, rest = line.partition("\t")
            if word in ("PASS", "FAIL"):
                subject, _, text = rest.partition("\t")
                verdicts[subject] = (word == "PASS", text)
        return {s: verdicts.get(s, (False, f"no verdict from {program}: {end}, see {log}")) for s in subjects}

    def run_jobs(self, program, jobs, folder, before=()):
        """jobs: tuples whose first field is the subject."""
        if not jobs:
            return {}
        file = folder / f"{program}-{self.profile}-{self.runs}.jobs"
        file.write_text("".join("\t".join(str(f) for f in j) + "\n" for j in jobs))
        return self.run(program, [*before, f"@{file}"], [j[0] for j in jobs])


MEANT = ("all-expired", "timestamp-unit", "not-utf8", "empty-file")  # what stops a run, and random cells do on purpose


class Tools:
    """Our own programs."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)

    def missing(self):
        names = ("obkv-import", "obkv-compact", "obkv-split", "obkv-verify")
        return [n for n in names if not (self.folder / n).is_file()]

    def run(self, name, *args, out=None, want=(0,)):
        """Standard output goes to the file `out`, standard error comes back; an exit code not in `want` is Failed."""
        command = [str(self.folder / name)] + [str(a) for a in args]
        if name in ("obkv-import", "obkv-compact"):
            command += [word for code in MEANT for word in ("--allow", code)]
        with open(out or "/dev/null", "wb") as stdout:
            try:
                p = subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                   timeout=TOOL_LIMIT_S, check=False)
            except (subprocess.TimeoutExpired, OSError) as e:
                raise Failed(f"{' '.join(command)}: {e}") from e
        said = p.stderr.decode("utf-8", "replace").strip().replace("\n", " | ")
        if p.returncode not in want:
            raise Failed(f"{' '.join(command)}: exit {p.returncode}: {said[-600:]}")
        return said
