"""A headless Chromium to look at pages with: driven through the pipe of its DevTools protocol, in a profile of its own, with no
name of any host known to it."""
import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE_S = 120


def find():
    """The program, or None."""
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


class Browser:
    def __init__(self, program):
        self.profile = tempfile.mkdtemp(prefix="obkv-chromium-")
        to_read, self.write_fd = os.pipe()
        self.read_fd, to_write = os.pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--hide-scrollbars", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                 "--disable-extensions",
                 "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe", "--user-data-dir=" + self.profile]

        def pipes():
            os.dup2(to_read, 100)
            os.dup2(to_write, 101)
            os.dup2(100, 3)
            os.dup2(101, 4)

        self.process = subprocess.Popen([program] + flags + ["about:blank"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=pipes)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.session, self.events = b"", 0, None, []

    def receive(self):
        while b"\0" not in self.buffer:
            there = select.select([self.read_fd], [], [], PATIENCE_S)[0]
            got = os.read(self.read_fd, 1 << 16) if there else b""
            if not got:
                raise EOFError("Chromium has ended, or says nothing")
            self.buffer += got
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.write_fd, data):]
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise OSError("%s: %s" % (method, answer["error"]))
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width, dark=False, height=900):
        """A fresh tab of this width; events of it are in self.events."""
        self.session, self.events = None, []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Page.navigate", url=url)
        end = time.monotonic() + PATIENCE_S
        while not self.is_open():
            if time.monotonic() > end:
                raise OSError("%s: is not there after %d s" % (url, PATIENCE_S))
            time.sleep(0.05)

    def is_open(self):
        """The tab's own empty page is complete, too; while pages change there is none to ask."""
        with contextlib.suppress(OSError):
            return self.evaluate("document.URL != 'about:blank' && document.readyState == 'complete'")
        return False

    def evaluate(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in result:
            raise OSError(str(result["exceptionDetails"]))
        return result["result"].get("value")

    def said(self):
        """What the console and the log have."""
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [e for e in self.events if e.get("method") in kinds]

    def requested(self):
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    def screenshot(self, path, full=True):
        data = self.call("Page.captureScreenshot", captureBeyondViewport=full)["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))

    def close(self):
        """Asked to end, it ends its children too: nothing writes into the profile any more."""
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(20)
        except (OSError, EOFError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_fd)
        os.close(self.read_fd)
        shutil.rmtree(self.profile, ignore_errors=True)
