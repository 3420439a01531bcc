"""The two database servers that loads are tested on, each private to a test run: own folder, a free port, stopped at the end.

Engine: OceanBase's own storage and SQL engine, a server program inside the Python package pylibseekdb (samples/setup.sh oceanbase
unpacks it into the cache folder). It binds all addresses, so its first statement gives root a password.
MariaDb: mariadbd of Debian, a second implementation of the protocol and of LOAD DATA; its KEY hash is another one, so it checks
bytes, not placement.

As a program: peers.py engine|mariadb COMMAND… runs the command beside a server.
"""
import contextlib
import glob
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

VERSION = "1.3.0.post5"


def cache_folder():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "obkv-tests", "pylibseekdb-" + VERSION)


def free_port():
    """None of those that the system gives to connections: it stays free until the server begins, and while it is down."""
    with open("/proc/sys/net/ipv4/ip_local_port_range") as f:
        first, last = map(int, f.read().split())
    fixed = [n for n in range(10000, 65536) if not first <= n <= last]
    while True:
        port = secrets.choice(fixed or range(10000, 65536))
        with socket.socket() as s, contextlib.suppress(OSError):
            s.bind(("", port))
            return port


class SqlError(Exception):
    pass


class CannotStart(RuntimeError):
    pass


class Peer:
    """A running server. self.user may do everything; its password lies in self.password_file."""

    user = first_user = "root"

    def __init__(self, folder):
        self.folder = tempfile.mkdtemp(prefix=self.name + "-", dir=folder)
        self.port = free_port()
        self.password = ""
        self.process = None
        self.password_file = os.path.join(self.folder, "password")

    def target(self, db="test"):
        return "127.0.0.1:%d/%s" % (self.port, db)

    def options(self):
        return ["--target", self.target(), "--user", self.user, "--password-file", self.password_file]

    def sql(self, text, db="test", timeout=120):
        """Rows of all statements, each a list of fields as text; NULL is None."""
        command = ["mariadb", "--no-defaults", "--comments", "--batch", "--skip-column-names", "-h127.0.0.1",
                   "-P%d" % self.port, "-u" + self.first_user] + ([db] if db else [])
        env = dict(os.environ, MYSQL_PWD=self.password)
        done = subprocess.run(command, input=text.encode(), capture_output=True, env=env, timeout=timeout)
        if done.returncode:
            raise SqlError(done.stderr.decode(errors="replace").strip().split("\n")[-1])
        rows = done.stdout.decode(errors="replace").splitlines()
        return [[None if field == "NULL" else field for field in row.split("\t")] for row in rows]

    def one(self, text, **options):
        return self.sql(text, **options)[0][0]

    def start(self, seconds=90):
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=open(self.folder + "/out.log", "ab"),
                                        stderr=subprocess.STDOUT, start_new_session=True, cwd=self.folder)
        end = time.monotonic() + seconds
        while True:
            try:
                self.sql("SELECT 1", db=None, timeout=20)
                return self
            except (SqlError, subprocess.TimeoutExpired) as error:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise CannotStart("%s does not come up: %s\n%s" % (self.name, error, self.log_end())) from error
                time.sleep(0.2)

    def set_password(self, statement):
        password = secrets.token_hex(12)
        self.sql(statement % password, db=None, timeout=30)
        self.password, self.first_user = password, self.user
        with open(os.open(self.password_file, os.O_WRONLY | os.O_CREAT, 0o600), "w") as f:
            f.write(password + "\n")
        self.sql("CREATE DATABASE IF NOT EXISTS test", db=None)
        return self

    def log_end(self):
        with open(self.folder + "/out.log", "rb") as f:
            return f.read()[-2000:].decode(errors="replace")

    def kill(self):
        """kill -9, as a crash."""
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        if self.process:
            self.process.wait()

    def processor_time(self):
        """So far, of a server that runs; that of one that was waited for is among the times of children."""
        try:
            with open("/proc/%d/stat" % self.process.pid) as f:
                fields = f.read().rpartition(")")[2].split()
        except (AttributeError, FileNotFoundError):
            return 0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Engine(Peer):
    name = "engine"
    datafile = "3G"  # each partition with rows takes 2 MB
    memory = "1G"

    @staticmethod
    def missing():
        """Why it cannot be run here; None when it can."""
        if not os.path.exists(Engine.program()):
            return "the engine is not in %s (samples/setup.sh oceanbase)" % cache_folder()
        return None if shutil.which("mariadb") else "the mariadb client is missing (samples/setup.sh oceanbase)"

    @staticmethod
    def program():
        return os.path.join(cache_folder(), "pylibseekdb", "seekdb")

    def command(self):
        return [self.program(), "--nodaemon", "--port", str(self.port), "--base-dir", os.path.join(self.folder, "db"),
                "--log-level", "ERROR", "--parameter", "memory_limit=" + self.memory, "--parameter",
                "datafile_size=" + self.datafile, "--parameter", "datafile_maxsize=" + self.datafile, "--parameter",
                "log_disk_size=2G"]

    def prepare(self):
        return self.start().set_password("ALTER USER root IDENTIFIED BY '%s'")


class MariaDb(Peer):
    name = "mariadb"
    user = "tester"
    extra = []

    @staticmethod
    def program():
        return shutil.which("mariadbd") or next(iter(glob.glob("/usr/sbin/mariadbd")), None)

    @staticmethod
    def missing():
        if MariaDb.program() and shutil.which("mariadb") and shutil.which("mariadb-install-db"):
            return None
        return "MariaDB is missing (samples/setup.sh oceanbase)"

    def command(self):
        user = ["--user=root"] if os.getuid() == 0 else []
        return [self.program(), "--no-defaults", "--datadir=" + self.folder + "/db", "--port=%d" % self.port,
                "--bind-address=127.0.0.1", "--skip-name-resolve", "--socket=" + self.folder + "/sock",
                "--local-infile=1", "--secure-file-priv=",
                "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M", "--performance-schema=OFF",
                "--innodb-flush-method=nosync",
                "--innodb-flush-log-at-trx-commit=2", "--innodb-doublewrite=0",
                "--max-allowed-packet=64M"] + user + self.extra

    def prepare(self):
        user = ["--user=root"] if os.getuid() == 0 else []
        # --force: whatever this host is called.
        made = subprocess.run(["mariadb-install-db", "--no-defaults", "--datadir=" + self.folder + "/db", "--skip-test-db",
                               "--force", "--auth-root-authentication-method=normal"] + user, capture_output=True)
        if made.returncode:
            raise CannotStart("mariadb-install-db: " + (made.stdout + made.stderr).decode(errors="replace")[-2000:])
        return self.start().set_password("CREATE USER tester@127.0.0.1 IDENTIFIED BY '%s'; "
                                         "GRANT ALL ON *.* TO tester@127.0.0.1 WITH GRANT OPTION")


def trial_size(disk_free, memory_bytes):
    """MiB of the data file and of memory for a trial: half of the free disk, a quarter of the memory. None: too little."""
    disk, memory = disk_free >> 21, memory_bytes >> 22
    return (min(disk, 65536), max(1024, min(memory, 8192))) if disk >= 1024 else None


class TrialEngine(Engine):
    """As large as this machine permits. The data file is made at once: one that grows makes a load several times slower."""

    def __init__(self, folder):
        super().__init__(folder)
        free = shutil.disk_usage(folder).free
        size = trial_size(free - (2 << 30), os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        if not size:
            raise CannotStart("the engine needs 4 GB of disk in %s, %d MB are free; set TMPDIR" % (folder, free >> 20))
        self.datafile, self.memory = ["%dM" % n for n in size]

    def limits(self):
        """Measured: 2,000,000 cells of 100 bytes take 300 MB, and twice that while they are replaced."""
        return ("data file %s (half of the free disk of %s; TMPDIR sets the place), memory %s: about %d million cells of 100 "
                "bytes, half of it if they are loaded twice, as TRUNCATE gives space back later" % (
                    self.datafile, tempfile.gettempdir(), self.memory, int(self.datafile[:-1]) // 300 * 2))


def run_with(name, command):
    """Runs a command beside a server; it finds it by TARGET, TARGET_USER and PASSWORD_FILE in its environment."""
    peer = {"engine": TrialEngine, "mariadb": MariaDb}[name]
    why = peer.missing()
    if why:
        required = os.environ.get("OBKV_REQUIRE_INTEROP") == "1"
        print("%s: %s" % ("FAIL" if required else "skip", why))
        print("0 passed, %d failed, %d skipped" % (required, not required))
        return 1 if required else 77
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="obkv-peer-") as folder:
        server = None
        try:
            server = peer(folder)
            server.prepare()
            env = dict(os.environ, TARGET=server.target(), TARGET_USER=server.user, PASSWORD_FILE=server.password_file,
                       OBKV_TARGET=server.target(), OBKV_USER=server.user, OBKV_PASSWORD_FILE=server.password_file)
            if isinstance(server, TrialEngine):
                env["TARGET_LIMITS"] = server.limits()
            return subprocess.run(command, env=env).returncode
        except CannotStart as error:
            print("FAIL: %s\n0 passed, 1 failed, 0 skipped" % error)
            return 1
        finally:
            if server:
                server.stop()


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[1] not in ("engine", "mariadb"):
        sys.exit(__doc__)
    sys.exit(run_with(sys.argv[1], sys.argv[2:]))
