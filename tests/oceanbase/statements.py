"""The server is killed at each statement of a load: before the statement reaches it, while it runs, and when it has answered but
the answer is lost. The load waits for the server or ends with 75; the same command ends with 0, and each row is there once.

A proxy between client and server reads MySQL's protocol and counts statements. OBKV_STRESS=1 (make stress) kills at every
statement in each of the three ways, otherwise at three drawn ones. The cases are cases of loads.py. As a program, all of it:

    statements.py BIN [SEED]
"""
import contextlib
import copy
import os
import random
import shutil
import socket
import sys
import tempfile
import threading
import time

from peers import Engine
from rig import NOW, Bench, demand, plain_rows, wait_until

STRESS = float(os.environ.get("OBKV_STRESS") or 0)
DUPLICATE = b"\xff" + (1062).to_bytes(2, "little") + b"#23000Duplicated primary key"
WAYS = "before", "while it runs", "its answer is lost"
QUERY = 3
KEY5 = "PARTITION BY KEY(K) PARTITIONS 5"


class Proxy:
    """Forwards connections to a server, and calls strike() once after arm, at statement number `at`."""

    def __init__(self, port, strike):
        self.server, self.strike = port, strike
        self.lock = threading.Lock()
        self.arm(0, "")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def arm(self, at, way):
        with self.lock:
            self.at, self.way, self.statements, self.lost = at, way, [], set()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                threading.Thread(target=self.connection, args=(client,), daemon=True).start()

    def connection(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.server), 5)
        except OSError:
            client.close()
            return
        threading.Thread(target=self.answers, args=(server, client), daemon=True).start()
        with contextlib.suppress(OSError):
            self.requests(client, server)
        for s in client, server:
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)

    def answers(self, server, client):
        with contextlib.suppress(OSError):
            while data := server.recv(65536):
                if server not in self.lost:
                    client.sendall(data)
                elif not self.lose(server, data):
                    break
        for s in client, server:
            with contextlib.suppress(OSError):
                s.shutdown(socket.SHUT_RDWR)
            s.close()

    def lose(self, server, data):
        """Whether the connection lives on without this answer."""
        self.strike()
        return False

    def requests(self, client, server):
        whole = client.makefile("rb")
        while head := whole.read(4):
            body = whole.read(int.from_bytes(head[:3], "little"))
            strikes = False
            if head[3] == 0 and body[:1] == bytes([QUERY]):
                with self.lock:
                    self.statements.append(body[1:60].decode(errors="replace"))
                    strikes = len(self.statements) == self.at
            if strikes and self.way == WAYS[0]:
                self.strike()
                return
            if strikes and self.way == WAYS[2]:
                self.lost.add(server)
            server.sendall(head + body)
            if strikes and self.way == WAYS[1]:
                time.sleep(0.02)
                self.strike()
                return

    def close(self):
        self.listener.close()


class Doubting(Proxy):
    """Says once, of the second LOAD DATA of files, that rows exist already: without sending it on, or in place of its answer."""

    def __init__(self, port, sends):
        super().__init__(port, None)
        self.sends, self.answer = sends, b""

    def requests(self, client, server):
        whole = client.makefile("rb")
        while head := whole.read(4):
            body = whole.read(int.from_bytes(head[:3], "little"))
            doubts = False
            if body[:10] == bytes([QUERY]) + b"LOAD DATA" and b".kqvt" in body:
                with self.lock:
                    self.statements.append(body)
                    doubts = len(self.statements) == 2
            if doubts and self.sends:
                self.lost.add(server)
            if not doubts or self.sends:
                server.sendall(head + body)
            if doubts:
                wait_until(lambda: server not in self.lost)
                client.sendall(len(DUPLICATE).to_bytes(3, "little") + b"\1" + DUPLICATE)

    def lose(self, server, data):
        self.answer = data
        self.lost.discard(server)
        return True


class Killed:
    """A load of `where` that is killed at one statement, and what its repetition gives."""

    def __init__(self, b, where, name, rows, options):
        self.b, self.where, self.name, self.rows, self.options = b, where, name, rows, options
        self.codes = {}
        self.begun, self.back = threading.Event(), threading.Event()
        self.proxy = Proxy(b.peer.port, self.strike)
        self.seen = copy.copy(b)
        self.seen.peer = copy.copy(b.peer)
        self.seen.peer.port = self.proxy.port

    def strike(self):
        self.begun.set()
        self.b.peer.kill()
        self.b.peer.start()
        self.back.set()

    def through(self, at, way):
        """One load, through the proxy; the statements that it sent."""
        self.begun.clear()
        self.back.clear()
        self.proxy.arm(at, way)
        p = self.seen.begin_load(self.where, *self.options, "--strict", "--journal", self.b.path("journal"))
        out, errors = (x.decode(errors="replace") for x in p.communicate(timeout=300))
        struck = self.begun.is_set()
        demand(not struck or self.back.wait(120), "the engine does not come back")
        demand(p.returncode in ((0, 75) if struck else (0,)), "exit %d, killed at %d of %s (%s): %s%s" % (
            p.returncode, at, self.proxy.statements, way, out, errors))
        if struck:
            self.codes[p.returncode] = self.codes.get(p.returncode, 0) + 1
        return self.proxy.statements

    def anew(self):
        self.b.peer.sql("DROP TABLE IF EXISTS `%s$f`; DROP TABLEGROUP IF EXISTS %s" % (self.name, self.name))
        with contextlib.suppress(FileNotFoundError):
            os.remove(self.b.path("journal"))

    def kill(self, at, way):
        self.anew()
        self.through(at, way)
        self.through(0, "")
        demand(self.b.rows(self.name) == self.rows, "killed at %d (%s): %d rows of %d" % (
            at, way, self.b.rows(self.name), self.rows))
        self.b.expect_equal(self.where)

    def run(self, seed):
        self.anew()
        n = len(self.through(0, ""))
        points = [(at, way) for at in range(1, n + 1) for way in WAYS]
        if not STRESS:
            points = random.Random(seed).sample(points, 3)
        for at, way in points:
            self.kill(at, way)
        self.proxy.close()
        return "%d kills at %d statements, exit codes %s" % (len(points), n, self.codes)


def case_killed_at_statements(b, seed=1):
    where = b.export("stm", plain_rows(60000), partition=KEY5)
    return Killed(b, where, "stm", 60000, ["--create"]).run(seed)


def case_repeated_by_the_server(b):
    """The server says of rows that it has just loaded, and of rows that it never had, that they exist: its sums decide."""
    dataset = b.dataset("sdu", plain_rows(20000), partition=KEY5)
    for sends in True, False:
        proxy, seen = Doubting(b.peer.port, sends), copy.copy(b)
        seen.peer = copy.copy(b.peer)
        seen.peer.port = proxy.port
        told = seen.load(dataset, "--create", "--now", NOW, "--disk-limit", "1M", "--restart")[1]
        demand("Duplicated primary key" in told and "trying again" in told, told)
        b.expect_equal(dataset)
        worked = proxy.answer[4:5] == b"\0"  # where it did not, by itself, the statement is sent again in both ways
        sent = proxy.statements.count(proxy.statements[1])
        demand(sent == (1 if worked else 2), "sent %d times, the server said %r" % (sent, proxy.answer))
        proxy.close()
        b.peer.sql("DROP TABLE `sdu$f`")


def case_dataset_killed_at_statements(b, seed=2):
    where = b.dataset("std", plain_rows(60000), partition=KEY5)
    options = ["--create", "--now", str(NOW), "--disk-limit", "4M"]
    return Killed(b, where, "std", 60000, options).run(seed)


def main():
    global STRESS
    STRESS = 1
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    folder = tempfile.mkdtemp(prefix="obkv-statements-")
    peer = Engine(folder)
    try:
        b = Bench(peer.prepare(), os.path.abspath(sys.argv[1]), folder, False)
        for case in case_killed_at_statements, case_dataset_killed_at_statements:
            print(case.__name__, case(b, seed), flush=True)
    finally:
        peer.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
