"""What the scenarios of the console share: a server of their own, its API, and a person at a browser."""
import base64
import contextlib
import datetime
import hashlib
import hmac
import http.client
import io
import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / ".build/python"))
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
# The timeout of a step in milliseconds, far above the usual time, so that a busy machine causes no failure.
PATIENCE = 60_000
PASSWORD = "correct horse battery"
NARROW, WIDE = 390, 1280


def package(version, **files):
    """Returns the zip of a small package."""
    content = {"index.html": f'<!doctype html><html lang="en"><title>{version}</title><h1>{version}</h1>', **files}
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return body.getvalue()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A server of the scenario, which can be stopped and started again on the same port and data."""

    def __init__(self, program, folder, options=()):
        self.program, self.folder, self.options = program, pathlib.Path(folder), options
        self.port = free_port()
        # Browsers keep `__Host-` cookies over plain http for this name only.
        self.base = f"http://localhost:{self.port}"
        self.start()
        self.token = (self.folder / "data/initial-token").read_text().strip()

    def start(self):
        self.log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            [self.program, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", str(self.folder / "data"),
             "--operator-requests-per-second", "0", "--reports-per-second", "0", *self.options], stdout=self.log, stderr=self.log)
        for _ in range(600):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz", timeout=5).read()
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        sys.exit(f"the server does not start: {(self.folder / 'log').read_text()[-2000:]}")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(60)
        self.log.close()

    def send(self, method, path, body=b"", kind="application/json"):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", data=body or None, method=method,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            sys.exit(f"{method} {path}: {error.code} {error.read().decode()}")

    def call(self, method, path, value=None):
        return self.send(method, f"/api/v1{path}", json.dumps(value).encode() if value is not None else b"")

    def size(self, url):
        """Returns the number of bytes of a file of the console in source form."""
        with urllib.request.urlopen(url, timeout=60) as response:
            return len(response.read())

    def publish(self, name, version, **files):
        self.send("POST", f"/api/v1/apps/default/packages/{name}/versions?version={version}", package(version, **files),
                  "application/zip")

    def prepare(self, name, *versions):
        self.call("PUT", f"/apps/default/packages/{name}", {"name": name.capitalize()})
        for version in versions:
            self.publish(name, version)

    def release(self, name, version, **terms):
        return self.call("POST", f"/apps/default/packages/{name}/releases",
                         {"version": version, "channel": "production", **terms})

    def releases(self, name):
        listed = self.call("GET", f"/apps/default/packages/{name}/releases")["releases"]
        return {release["id"]: release for release in listed}

    def add_user(self, name, role="admin", **scope):
        return self.call("POST", "/users", {"name": name, "password": PASSWORD, "grants": [{"role": role, **scope}]})

    def see_devices(self, count, have="news@1.0.0", package_name="news", version="1.0.0"):
        """Sends requests of devices, and waits until the server counts them."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        for number in range(count):
            platform = "android" if number % 2 else "ios"
            connection.request(
                "GET", f"/config?deviceId=device-{number}&have={have}&platform={platform}&appVersion=8.3.0&region=CN")
            connection.getresponse().read()
        connection.close()
        for _ in range(600):
            where = f"/apps/default/packages/{package_name}/audience-estimate"
            if self.call("POST", where, {"version": version, "channel": "production"})["seen"] == count:
                return
            time.sleep(0.1)
        sys.exit("the server does not count the devices")


def soon(hours):
    """Returns an instant some hours ahead, as the API takes it."""
    later = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=hours)
    return later.strftime("%Y-%m-%dT%H:%M:%SZ")


def one_time_code(secret, steps=0):
    """Returns the code of RFC 6238 for now, or some steps of 30 s later."""
    key = base64.b32decode(secret.replace(" ", "") + "=" * (-len(secret.replace(" ", "")) % 8))
    digest = hmac.new(key, struct.pack(">Q", int(time.time()) // 30 + steps), hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[start:start + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


class Person:
    """A person at a browser of their own, who acts by labels and buttons."""

    def __init__(self, browser, server, *, width=WIDE, dark=False, language="en-GB"):
        self.server = server
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", locale=language,
            timezone_id="UTC", accept_downloads=True)
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.errors, self.foreign = [], []
        self.page.on("console", self.note)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self.check)

    def note(self, message):
        if message.type == "error":
            self.errors.append(f"{message.text} {message.location.get('url', '')}")

    def check(self, request):
        if not request.url.startswith((self.server.base, "data:", "blob:")):
            self.foreign.append(request.url)

    def open(self, path="", place="default/production"):
        """Opens a page by its address; a page that was open before has been left when this returns."""
        self.page.goto(f"{self.server.base}/console/#/{place}{'/' + path if path else ''}")
        # The page changes at the event of the new hash, which comes after `goto` has returned.
        self.page.evaluate("new Promise((resolve) => { setTimeout(resolve); })")

    def sign_in(self, name, path="", code=None, place="default/production"):
        self.open(path, place)
        self.fill_in(name, code)
        expect(self.page.locator(".frame h1")).to_be_visible()

    def fill_in(self, name, code=None):
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Sign in").click()
        if code:
            self.page.get_by_label("Code").fill(code)
            self.page.get_by_role("button", name="Sign in").click()

    @property
    def heading(self):
        return self.page.get_by_role("heading", level=1)

    @property
    def dialog(self):
        return self.page.get_by_role("dialog")

    def panel(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def press(self, name, within=None, exact=False):
        (within or self.page).get_by_role("button", name=name, exact=exact).click()

    def press_link(self, name):
        self.page.get_by_role("link", name=name).click()

    def settle(self):
        """Waits until no panel loads and nothing moves."""
        expect(self.page.locator('[aria-busy="true"], main[aria-busy]')).to_have_count(0)
        self.wait(lambda: self.page.evaluate("document.getAnimations().every((each) => each.playState !== 'running')"), "the page moves")

    def reveal(self):
        """Brings each panel and chart below the window into view once, since it is loaded then; returns to the top."""
        place = """document.querySelector('main .not-loaded:not([hidden])')"""

        def is_revealed():
            self.page.evaluate(f"{place}?.scrollIntoView({{ block: 'center' }})")
            return self.page.evaluate(f"{place} === null")

        self.settle()
        self.wait(is_revealed, "a panel is not loaded in view")
        self.settle()
        self.page.evaluate("scrollTo(0, 0)")

    def wait(self, is_done, problem):
        """Waits until a condition holds; the page's policy forbids Playwright's own way, which evaluates strings."""
        for _ in range(PATIENCE // 50):
            if is_done():
                return
            self.page.wait_for_timeout(50)
        sys.exit(problem)

    def look(self, step):
        """Checks the page with axe, and that it does not scroll sideways."""
        self.settle()
        result = Axe().run(self.page)
        assert result.violations_count == 0, f"{step}: {result.generate_report()}"
        sideways = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert sideways <= 0, f"{step}: the page is {sideways} px too wide"

    def leave(self, allowed=()):
        """Checks that the page logged no error and asked no other host, and closes the browser's window."""
        unexpected = [error for error in self.errors if not any(re.search(text, error) for text in allowed)]
        assert not unexpected, f"the page logged errors: {unexpected}"
        assert not self.foreign, f"the page sent requests elsewhere: {self.foreign}"
        self.context.close()
