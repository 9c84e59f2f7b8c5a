#!/usr/bin/env python3
"""Operates the console in Chromium like an operator: console.py SCENARIO BASE_URL ADMIN_TOKEN [SCREENSHOTS]

Prepares the server by its API, acts by labels and buttons, and checks the result on the page and by the API. Fails if the page logs an
error, if a script throws, or if axe finds a violation. SCREENSHOTS is a folder for pictures of each step.
"""
import datetime
import io
import json
import pathlib
import re
import sys
import time
import urllib.error
import urllib.request
import zipfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".build/python"))
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
# The timeout of a step in milliseconds, far above the usual time, so that a busy machine causes no failure.
PATIENCE = 60_000
NEWS = "/apps/default/packages/news"
WIDTHS = {"narrow": 360, "wide": 1280}
ROWS_OF_A_PAGE = 25
VERSIONS_OF_PAGES = 150


class Server:
    """The operators' API, and devices that ask for /config."""

    def __init__(self, base, token):
        self.base, self.token = base, token

    def send(self, method, path, body=b"", kind="application/json"):
        request = urllib.request.Request(
            f"{self.base}{path}", data=body or None, method=method,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def call(self, method, path, value=None):
        return self.send(method, f"/api/v1{path}", json.dumps(value).encode() if value is not None else b"")

    def publish(self, version, package=NEWS, query=""):
        upload = io.BytesIO()
        with zipfile.ZipFile(upload, "w") as archive:
            archive.writestr("index.html", f"<h1>{version}</h1>")
        self.send("POST", f"/api/v1{package}/versions?version={version}{query}", upload.getvalue(), "application/zip")

    def prepare(self, *versions):
        self.call("PUT", NEWS, {"name": "News"})
        for version in versions:
            self.publish(version)

    def release(self, version, package=NEWS, **terms):
        return self.call("POST", f"{package}/releases", {"version": version, **terms})

    def releases(self):
        return {release["id"]: release for release in self.call("GET", f"{NEWS}/releases")["releases"]}

    def make_token(self, role):
        return self.call("POST", "/tokens", {"name": role, "role": role})["token"]

    def see_devices(self, count):
        """Sends requests of devices, and waits until the server counts them."""
        for number in range(count):
            urllib.request.urlopen(f"{self.base}/config?deviceId=device-{number}&have=news@1.0.0").read()
        for _ in range(600):
            if self.call("POST", f"{NEWS}/audience-estimate", {"version": "1.0.0"})["seen"] == count:
                return
            time.sleep(0.1)
        sys.exit("the server does not count the devices")


class Console:
    def __init__(self, browser, base, screenshots, *, dark=False, width=WIDTHS["wide"]):
        self.base, self.screenshots = base, screenshots
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", locale="en-GB", timezone_id="UTC")
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.name = f"{'dark' if dark else 'light'}-{width}"
        self.errors = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))

    def sign_in(self, token, path="#/apps/default/packages/news"):
        self.page.goto(f"{self.base}/console/{path}")
        self.page.get_by_label("Token").fill(token)
        self.page.get_by_role("button", name="Sign in").click()
        expect(self.page.get_by_role("heading", level=1)).to_have_text("News")

    def look(self, step):
        """Checks the current page with axe, and that it does not scroll sideways."""
        if self.screenshots:
            self.page.screenshot(path=f"{self.screenshots}/{step}-{self.name}.png", full_page=True)
        result = Axe().run(self.page)
        assert result.violations_count == 0, f"{step}, {self.name}: {result.generate_report()}"
        sideways = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert sideways <= 0, f"{step}, {self.name}: the page is {sideways} px too wide"

    def section(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def row(self, release):
        return self.section("Releases").locator(f'tr:has(td:text-is("#{release}"))')

    def act(self, release, action):
        self.row(release).locator(f'[data-action="{action}"]').click()

    @property
    def dialog(self):
        return self.page.get_by_role("dialog")

    def confirm(self, name):
        self.dialog.get_by_role("button", name=name).click()
        expect(self.dialog).to_have_count(0)

    def close(self, allowed=()):
        unexpected = [error for error in self.errors if not any(text in error for text in allowed)]
        assert not unexpected, f"the page logged errors: {unexpected}"
        self.context.close()


class Held:
    """Holds the requests of a page with a method and URL until they are released."""

    def __init__(self, page, url, method):
        self.page, self.url, self.method, self.routes = page, url, method, []
        page.route(url, self.hold)

    def hold(self, route):
        if route.request.method == self.method:
            self.routes.append(route)
        else:
            route.fallback()

    def wait(self, count=1):
        for _ in range(PATIENCE // 50):
            if len(self.routes) >= count:
                return
            self.page.wait_for_timeout(50)
        sys.exit(f"the page does not ask {self.method} {self.url}")

    def let_go(self):
        """Releases the held requests, and waits for their responses."""
        for route in self.routes:
            route.continue_()
            route.request.response().finished()
        self.page.unroute(self.url, self.hold)
        # The page's script gets the response after the browser.
        self.page.wait_for_timeout(100)


def wait_ready(console, name):
    expect(console.dialog.get_by_role("button", name=name)).to_have_attribute("aria-disabled", "false")


def course_of_a_release(server, open_console):
    """Releases to 10 %, widens, pauses, resumes, halts and rolls back."""
    server.prepare("1.0.0", "1.1.0")
    server.release("1.0.0")
    server.see_devices(40)
    console = open_console()
    console.sign_in(server.token)
    page, versions = console.page, console.section("Versions")
    expect(versions.get_by_role("row").filter(has_text="1.0.0")).to_contain_text("production: active, everyone")

    # No value is selected in advance, and the form cannot be sent without a selection.
    expect(page.get_by_label("Version to offer")).to_have_value("")
    page.get_by_role("button", name="Review the release…").click()
    expect(console.dialog).to_have_count(0)
    versions.get_by_role("button", name="Release 1.1.0…").click()
    expect(page.get_by_label("Version to offer")).to_have_value("1.1.0")
    expect(page.get_by_label("Channel")).to_have_value("production")
    page.get_by_label("Percentage").fill("10")
    page.get_by_role("button", name="Review the release…").click()
    expect(console.dialog).to_contain_text("Release News 1.1.0 to 10% of production?")
    expect(console.dialog).to_contain_text("of the 40 devices seen in the last 7 days get it")
    expect(console.dialog).to_contain_text("it replaces 1.0.0 (#1")
    wait_ready(console, "Release to 10%")
    expect(console.dialog.get_by_role("button", name="Cancel")).to_be_focused()
    console.look("release-dialog")
    assert len(server.releases()) == 1, "the dialog alone releases nothing"
    console.dialog.get_by_role("button", name="Cancel").click()
    expect(page.get_by_label("Percentage")).to_have_value("10")
    assert len(server.releases()) == 1, "cancelling releases nothing"
    page.get_by_role("button", name="Review the release…").click()
    wait_ready(console, "Release to 10%")
    console.confirm("Release to 10%")
    expect(console.row(2)).to_contain_text("10% of devices")
    assert server.releases()[2]["percent"] == 10
    expect(versions.get_by_role("row").filter(has_text="1.1.0")).to_contain_text("production: active, 10%")
    console.look("released")

    console.act(2, "widen")
    page.get_by_label("To which percentage").fill("5")
    expect(console.dialog).to_contain_text("It is at 10% now: give more")
    expect(console.dialog.get_by_role("button", name="Widen")).to_have_attribute("aria-disabled", "true")
    page.get_by_label("To which percentage").fill("25")
    expect(console.dialog).to_contain_text("It goes from 10% to 25% at once.")
    wait_ready(console, "Widen")
    # Another operator makes a change first: the dialog shows it and asks again.
    server.call("PATCH", f"{NEWS}/releases/2", {"percent": 30})
    console.dialog.get_by_role("button", name="Widen").click()
    expect(console.dialog.get_by_role("alert")).to_contain_text("has changed meanwhile")
    expect(console.dialog).to_contain_text("It is at 30% now: give more")
    expect(page.get_by_label("To which percentage")).to_have_value("25")
    console.look("widen-412")
    page.get_by_label("To which percentage").fill("50")
    wait_ready(console, "Widen")
    console.confirm("Widen")
    expect(console.row(2)).to_contain_text("50% of devices")
    assert server.releases()[2]["percent"] == 50

    console.act(2, "pause")
    expect(console.row(2)).to_contain_text("paused")
    expect(versions.get_by_role("row").filter(has_text="1.1.0")).to_contain_text("production: paused, 50%")
    assert server.releases()[2]["state"] == "paused"
    console.act(2, "resume")
    expect(console.row(2)).to_contain_text("active")

    console.act(2, "halt")
    expect(console.dialog).to_contain_text("No further device gets 1.1.0.")
    wait_ready(console, "Halt")
    console.look("halt-dialog")
    console.confirm("Halt")
    expect(console.row(2)).to_contain_text("halted")
    console.act(2, "resume")
    expect(console.dialog).to_contain_text("It was halted.")
    wait_ready(console, "Resume")
    console.confirm("Resume")
    assert server.releases()[2]["state"] == "active"

    console.act(2, "complete")
    expect(console.dialog).to_contain_text("It goes from 50% to 100% at once.")
    expect(console.dialog).to_contain_text("About 40 of the 40 devices")
    wait_ready(console, "Complete at 100%")
    console.confirm("Complete at 100%")
    expect(console.row(2)).to_contain_text("everyone")
    expect(versions.get_by_role("row").filter(has_text="1.1.0")).to_contain_text("production: completed, everyone")

    console.act(2, "rollback")
    expect(console.dialog).to_contain_text("Its devices get 1.0.0 instead: 100% of all devices.")
    expect(console.dialog.get_by_role("button", name="Roll back")).to_have_attribute("aria-disabled", "true")
    assert server.releases()[2]["state"] == "completed", "the dry run changes nothing"
    page.get_by_label("Type news to confirm").fill("news")
    wait_ready(console, "Roll back")
    console.look("roll-back-dialog")
    console.confirm("Roll back")
    expect(console.row(2)).to_contain_text("rolled-back")
    assert server.releases()[2]["state"] == "rolled-back"
    assert server.releases()[3]["version"] == "1.0.0"

    # A plan with a future activation time, which is then moved.
    page.get_by_label("Version to offer").select_option("1.1.0")
    page.get_by_label("Audience").select_option("plan")
    page.get_by_label("Plan", exact=True).fill("half")
    page.get_by_label("Takes effect").fill("2099-01-01T08:00")
    page.get_by_role("button", name="Review the release…").click()
    expect(console.section("Releases").get_by_role("alert")).to_contain_text("is no step")
    page.get_by_label("Plan", exact=True).fill("1@0s, 10@2h, 100@1d")
    page.get_by_role("button", name="Review the release…").click()
    expect(console.dialog).to_contain_text("by the plan 1% at once, 10% after 2h, 100% after 1d")
    wait_ready(console, "Release to up to 100%")
    console.confirm("Release to up to 100%")
    expect(console.row(4)).to_contain_text("scheduled")
    assert [step["percent"] for step in server.releases()[4]["plan"]] == [1, 10, 100]
    console.act(4, "reschedule")
    console.dialog.get_by_label("Takes effect").fill("2099-02-01T08:00")
    wait_ready(console, "Move")
    console.confirm("Move")
    assert server.releases()[4]["activeTime"] == "2099-02-01T08:00:00Z"
    console.look("planned")
    # The 412 of the change that came after another operator's.
    console.close(allowed=["412"])


def pre_release(server, open_console):
    """The page never selects a pre-release or a channel for one."""
    server.prepare("3.1.0", "3.2.0-rc.1")
    server.call("PUT", "/apps/default/channels/beta", {})
    server.release("3.1.0")
    console = open_console()
    console.sign_in(server.token)
    page = console.page
    version, channel = page.get_by_label("Version to offer"), page.get_by_label("Channel")
    expect(version).to_have_value("")
    expect(channel).to_have_value("")
    console.section("Versions").get_by_role("button", name="Release 3.1.0…").click()
    expect(channel).to_have_value("production")
    version.select_option("3.2.0-rc.1")
    expect(channel).to_have_value("")
    expect(page.get_by_text("3.2.0-rc.1 is a pre-release: choose its channel.")).to_be_visible()
    version.select_option("")
    console.section("Versions").get_by_role("button", name="Release 3.2.0-rc.1…").click()
    expect(channel).to_have_value("")
    expect(channel).to_be_focused()
    page.get_by_label("Percentage").fill("100")
    page.get_by_role("button", name="Review the release…").click()
    expect(console.dialog).to_have_count(0)
    console.look("pre-release")
    channel.select_option("beta")
    page.get_by_role("button", name="Review the release…").click()
    expect(console.dialog).to_contain_text("3.2.0-rc.1 is a pre-release.")
    expect(console.dialog).to_contain_text("It replaces no other release on this channel.")
    wait_ready(console, "Release to 100%")
    console.confirm("Release to 100%")
    expect(console.section("Versions").get_by_role("row").filter(has_text="3.2.0-rc.1")).to_contain_text("beta: active, everyone")
    # Publishing another one selects no value either.
    server.publish("3.2.0-rc.2")
    page.get_by_role("button", name="Refresh").click()
    expect(console.section("Versions")).to_contain_text("3.2.0-rc.2")
    expect(version).to_have_value("")
    assert {release["channel"] for release in server.releases().values() if release["version"].startswith("3.2")} == {"beta"}
    console.close()


def roles(server, open_console):
    """A publisher sees the role that releasing needs, and cannot release with the page."""
    server.prepare("1.0.0", "1.1.0")
    server.release("1.0.0", percent=1)
    console = open_console()
    console.sign_in(server.make_token("publisher"))
    page, reason = console.page, "needs the role releaser; your token has the role publisher"
    buttons = [
        console.section("Versions").get_by_role("button", name="Release 1.1.0…"),
        page.get_by_role("button", name="Review the release…"),
        *console.row(1).get_by_role("button").all(),
    ]
    assert len(buttons) == 7, [button.text_content() for button in buttons]
    for button in buttons:
        expect(button).to_have_attribute("aria-disabled", "true")
        expect(button).to_have_accessible_description(re.compile(reason))
        button.click(force=True)
        expect(console.dialog).to_have_count(0)
        expect(page.get_by_role("alert").filter(has_text=reason).first).to_be_visible()
        # The next click has to show the reason again.
        page.evaluate("for (const box of document.querySelectorAll('.outcome')) box.replaceChildren()")
    expect(page.get_by_label("Priority")).to_be_disabled()
    expect(page.get_by_label("Updates are on")).to_be_disabled()
    expect(page.get_by_label("Version to offer")).to_have_value("")
    expect(console.section("Versions").get_by_role("row").filter(has_text="1.0.0")).to_contain_text("production: active, 1%")
    console.look("publisher")
    # A publisher's permitted actions work.
    page.get_by_label("Name", exact=True).fill("Daily news")
    page.get_by_role("button", name="Save settings").click()
    expect(page.get_by_text("The settings are saved.").first).to_be_visible()
    assert server.call("GET", NEWS)["name"] == "Daily news"
    assert list(server.releases()) == [1] and server.releases()[1]["state"] == "active"
    console.close()


def pages(server, open_console):
    """Versions and releases are paged."""
    server.prepare(*[f"1.0.{number}" for number in range(VERSIONS_OF_PAGES)])
    for number in range(30):
        server.release(f"1.0.{number}")
    for name, width in WIDTHS.items():
        console = open_console(width=width)
        console.sign_in(server.token)
        page, section = console.page, console.section("Versions")
        rows = section.get_by_role("row")
        expect(rows).to_have_count(ROWS_OF_A_PAGE + 1)
        expect(section).to_contain_text(f"1–{ROWS_OF_A_PAGE} of {VERSIONS_OF_PAGES} versions")
        expect(rows.nth(1)).to_contain_text("1.0.149")
        expect(section.get_by_role("button", name="Previous versions")).to_have_attribute("aria-disabled", "true")
        following = section.get_by_role("button", name="Next versions")
        following.focus()
        for _ in range(5):
            page.keyboard.press("Enter")
        expect(section).to_contain_text("126–150 of 150 versions")
        expect(following).to_be_focused()
        expect(following).to_have_attribute("aria-disabled", "true")
        page.keyboard.press("Enter")
        expect(rows.nth(ROWS_OF_A_PAGE)).to_contain_text("1.0.0")
        # A refresh keeps the page.
        page.get_by_role("button", name="Refresh").click()
        expect(section).to_contain_text("126–150 of 150 versions")
        releases = console.section("Releases")
        expect(releases.get_by_role("row")).to_have_count(ROWS_OF_A_PAGE + 1)
        releases.get_by_role("button", name="Next releases").click()
        expect(releases.get_by_role("row")).to_have_count(6)
        height = page.evaluate("document.documentElement.scrollHeight")
        limit = 4_000 if name == "wide" else 12_000
        assert height < limit, f"the page is {height} px high at {width} px"
        console.look("pages")
        console.close()


def failures(server, open_console):
    """A failure states the remedy, and the form keeps its entries."""
    server.prepare("1.0.0", "1.1.0")
    server.release("1.0.0")
    token = server.call("POST", "/tokens", {"name": "ops", "role": "releaser"})
    console = open_console()
    console.sign_in(token["token"])
    page = console.page

    def fill():
        page.get_by_label("Version to offer").select_option("1.1.0")
        page.get_by_label("Channel").select_option("production")
        page.get_by_label("Percentage").fill("10")

    def expect_kept():
        expect(page.get_by_label("Version to offer")).to_have_value("1.1.0")
        expect(page.get_by_label("Percentage")).to_have_value("10")

    fill()
    page.get_by_role("button", name="Review the release…").click()
    wait_ready(console, "Release to 10%")
    console.context.set_offline(True)
    console.dialog.get_by_role("button", name="Release to 10%").click()
    expect(console.dialog.get_by_role("alert")).to_contain_text("The server cannot be reached. Check that it runs")
    expect(page.get_by_text("Offline since")).to_be_visible()
    console.look("offline")
    console.context.set_offline(False)
    page.route("**/news/releases", lambda route: route.abort() if route.request.method == "POST" else route.fallback())
    console.dialog.get_by_role("button", name="Release to 10%").click()
    expect(console.dialog.get_by_role("alert")).to_contain_text("It may have made the change nevertheless")
    page.unroute("**/news/releases")
    console.dialog.get_by_role("button", name="Cancel").click()
    expect_kept()
    assert len(server.releases()) == 1

    # Another operator changes the release, so the button's action is no longer allowed.
    console.act(1, "halt")
    wait_ready(console, "Halt")
    server.call("POST", f"{NEWS}/releases/1/halt", None)
    console.dialog.get_by_role("button", name="Halt", exact=True).click()
    expect(console.dialog).to_contain_text("Release 1 is halted now, at 100%: this is no longer possible.")
    expect(console.dialog.get_by_role("button", name="Halt", exact=True)).to_have_attribute("aria-disabled", "true")
    console.look("no-longer-possible")
    console.dialog.get_by_role("button", name="Keep it running").click()
    expect(console.row(1)).to_contain_text("halted")
    expect_kept()

    # The 409 of the server for a version that was retired meanwhile.
    server.call("POST", f"{NEWS}/versions/1.1.0/retire", {"reason": "crashes"})
    page.get_by_role("button", name="Review the release…").click()
    expect(console.dialog.get_by_role("alert")).to_contain_text("retired")
    expect(console.dialog.get_by_role("button", name="Release to 10%")).to_have_attribute("aria-disabled", "true")
    console.dialog.get_by_role("button", name="Cancel").click()
    expect_kept()
    server.call("POST", f"{NEWS}/versions/1.1.0/unretire")
    # The version is retired after its release was stated: the dialog shows the reason, and the release cannot be confirmed.
    page.get_by_role("button", name="Review the release…").click()
    wait_ready(console, "Release to 10%")
    server.call("POST", f"{NEWS}/versions/1.1.0/retire", {"reason": "crashes"})
    console.dialog.get_by_role("button", name="Release to 10%").click()
    expect(console.dialog).to_contain_text("This release cannot be made.")
    expect(console.dialog.get_by_role("alert")).to_contain_text("retired")
    expect(console.dialog.get_by_role("button", name="Release to 10%")).to_have_attribute("aria-disabled", "true")
    console.dialog.get_by_role("button", name="Cancel").click()
    server.call("POST", f"{NEWS}/versions/1.1.0/unretire")
    page.get_by_role("button", name="Refresh").click()
    fill()

    # The token is revoked: a dialog asks for another one.
    server.call("DELETE", f"/tokens/{token['id']}")
    page.get_by_role("button", name="Refresh").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Sign in again")).to_be_visible()
    console.look("signed-out")
    publisher = server.call("POST", "/tokens", {"name": "publisher", "role": "publisher"})
    console.dialog.get_by_label("Token").fill(publisher["token"])
    page.keyboard.press("Enter")
    expect(console.dialog).to_have_count(0)
    expect(page.get_by_role("button", name="Refresh")).to_be_focused()
    expect_kept()
    # The page of a releaser now shows the name, the role and the permissions of the other token.
    expect(page.get_by_role("banner")).to_contain_text(re.compile(r"publisher .*, publisher"))
    review = page.get_by_role("button", name="Review the release…")
    expect(review).to_have_attribute("aria-disabled", "true")
    expect(console.row(1).locator('[data-action="rollback"]')).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_label("Priority")).to_be_disabled()
    review.click(force=True)
    expect(console.section("Releases").get_by_role("alert")).to_contain_text("your token has the role publisher")
    expect(console.dialog).to_have_count(0)
    expect_kept()
    console.look("another-role")
    assert list(server.releases()) == [1]
    # With a releaser's token again, releasing is allowed.
    server.call("DELETE", f"/tokens/{publisher['id']}")
    page.get_by_role("button", name="Refresh").click()
    console.dialog.get_by_label("Token").fill(server.make_token("releaser"))
    console.dialog.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("banner")).to_contain_text(re.compile(r"releaser .*, releaser"))
    expect(page.get_by_label("Priority")).to_be_enabled()
    review.click()
    wait_ready(console, "Release to 10%")
    console.confirm("Release to 10%")
    assert sorted(server.releases()) == [1, 2]
    console.close(allowed=["401", "403", "409", "412", "ERR_INTERNET_DISCONNECTED", "ERR_FAILED"])


def races(server, open_console):
    """A dialog and a list show the latest request, and the outcome of a change is never lost."""
    server.prepare("1.0.0", "1.1.0", "1.2.0")
    server.release("1.0.0")
    server.release("1.1.0", percent=1)
    console = open_console()
    page = console.page
    page.clock.install()
    console.sign_in(server.token)

    # The entry changes while the consequence of the former one is requested: the dialog states only that of the last entry.
    console.act(2, "widen")
    held = Held(page, "**/audience-estimate", "POST")
    percentage, widen = page.get_by_label("To which percentage"), console.dialog.get_by_role("button", name="Widen")
    percentage.fill("5")
    held.wait()
    page.clock.pause_at(datetime.datetime.now() + datetime.timedelta(seconds=2))
    percentage.fill("50")
    held.let_go()
    widen.click(force=True)
    expect(console.dialog).not_to_contain_text("to 5% at once")
    expect(widen).to_have_attribute("aria-disabled", "true")
    assert server.releases()[2]["percent"] == 1, "the dialog did not state this change"
    page.clock.resume()
    expect(console.dialog).to_contain_text("It goes from 1% to 50% at once.")
    wait_ready(console, "Widen")
    console.confirm("Widen")
    assert server.releases()[2]["percent"] == 50

    # Escape does not close a dialog during its change.
    def start(action, button):
        console.act(2, action)
        wait_ready(console, button)
        held = Held(page, f"**/releases/2/{action}", "POST")
        console.dialog.get_by_role("button", name=button, exact=True).click()
        held.wait()
        return held

    held = start("halt", "Halt")
    for _ in range(3):
        page.keyboard.press("Escape")
    expect(console.dialog).to_have_attribute("aria-busy", "true")
    held.let_go()
    expect(console.dialog).to_have_count(0)
    expect(console.section("Releases")).to_contain_text("Release 2 is halted.")
    # If it is closed nevertheless, the open page shows its outcome.
    held = start("resume", "Resume")
    page.evaluate("document.querySelector('dialog').close()")
    expect(console.dialog).to_have_count(0)
    held.let_go()
    expect(console.section("Releases")).to_contain_text("Release 2 continues at 50%.")
    expect(console.row(2)).to_contain_text("active")
    held = start("complete", "Complete at 100%")
    page.evaluate("location.hash = '#/apps/default'")
    expect(page.get_by_role("heading", level=1)).to_have_text("Packages")
    held.let_go()
    expect(page.get_by_role("main")).to_contain_text("Release 2 is completed")
    page.get_by_role("link", name="News").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("News")
    # An outcome that arrives while the next page loads is shown on that page.
    held = start("halt", "Halt")
    loading = Held(page, "**/apps/default/packages", "GET")
    page.evaluate("location.hash = '#/apps/default'")
    loading.wait()
    held.let_go()
    expect(console.dialog).to_have_count(0)
    loading.let_go()
    expect(page.get_by_role("heading", level=1)).to_have_text("Packages")
    expect(page.get_by_role("main")).to_contain_text("Release 2 is halted.")
    server.call("POST", f"{NEWS}/releases/2/resume")
    page.get_by_role("link", name="News").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("News")
    # A change that fails after its dialog was closed shows the failure.
    held = start("halt", "Halt")
    page.evaluate("document.querySelector('dialog').close()")
    server.call("POST", f"{NEWS}/releases/2/halt")
    held.let_go()
    expect(console.section("Releases").get_by_role("alert")).to_contain_text("has changed meanwhile")
    expect(console.row(2)).to_contain_text("halted")

    # The list shows the latest state, regardless of the order of the responses.
    former = []

    def hold_first(route):
        if former:
            route.fallback()
        else:
            former.append((route, route.fetch()))

    page.route("**/news/releases", hold_first)
    page.get_by_role("button", name="Refresh").click()
    while not former:
        page.wait_for_timeout(50)
    server.call("POST", f"{NEWS}/releases/2/resume")
    page.get_by_role("button", name="Refresh").click()
    expect(console.row(2)).to_contain_text("active")
    route, response = former[0]
    route.fulfill(response=response)
    page.wait_for_timeout(500)
    expect(console.row(2)).to_contain_text("active")

    # A release is made only as stated: another operator's release changes the releases that it replaces.
    page.get_by_label("Version to offer").select_option("1.2.0")
    page.get_by_label("Channel").select_option("production")
    page.get_by_label("Percentage").fill("100")
    page.get_by_role("button", name="Review the release…").click()
    wait_ready(console, "Release to 100%")
    expect(console.dialog).to_contain_text("it replaces 1.1.0 (#2")
    other = server.release("1.1.0", percent=50)["id"]
    before = len(server.releases())
    console.dialog.get_by_role("button", name="Release to 100%").click()
    expect(console.dialog.get_by_role("alert")).to_contain_text("Other releases have changed since this was stated")
    expect(console.dialog).to_contain_text(f"1.1.0 (#{other}, 50% of devices")
    wait_ready(console, "Release to 100%")
    console.look("stated-anew")
    assert len(server.releases()) == before, "a release that was not stated is not made"
    console.confirm("Release to 100%")
    expect(console.row(other + 1)).to_contain_text("everyone")
    console.close(allowed=["412"])


def losses(server, open_console):
    """A change by which devices lose another package is rejected before it can be confirmed, with the losses."""
    server.prepare("1.0.0", "1.1.0", "2.0.0")
    other = "/apps/default/packages/app2"
    server.call("PUT", other, {})
    server.publish("0.9", other)
    server.publish("1.0", other, query="&needs=news%20~1.1")
    server.release("0.9", other)
    server.release("1.0.0")
    server.release("1.1.0")
    server.release("1.0", other)
    # Releases by which no device loses news 1.1.0 yet.
    server.release("2.0.0", percent=0)
    server.release("2.0.0", activeTime="2099-01-01T00:00:00Z", percent=0)
    ids = {(release["version"], release["state"]): number for number, release in server.releases().items()}
    fresh, current, scheduled = ids["2.0.0", "active"], ids["1.1.0", "active"], ids["2.0.0", "scheduled"]
    server.see_devices(3)
    console = open_console()
    console.sign_in(server.token)
    page = console.page

    def expect_refusal(release, action, button, fill=None):
        before = server.releases()[release]
        console.act(release, action)
        if fill:
            fill()
        alert = console.dialog.get_by_role("alert")
        expect(alert).to_contain_text("app2 1.0, which needs news ~1.1: lost by")
        expect(console.dialog.get_by_role("button", name=button)).to_have_attribute("aria-disabled", "true")
        console.look(f"refused-{action}")
        console.dialog.get_by_role("button", name=button).click(force=True)
        assert server.releases()[release] == before
        console.page.keyboard.press("Escape")
        expect(console.dialog).to_have_count(0)

    expect_refusal(fresh, "widen", "Widen", lambda: page.get_by_label("To which percentage").fill("50"))
    expect_refusal(fresh, "complete", "Complete at 100%")
    # A time that the server rejects is rejected before the click as well.
    console.act(scheduled, "reschedule")
    console.dialog.get_by_label("Takes effect").fill("2020-01-01T08:00")
    expect(console.dialog.get_by_role("alert")).to_be_visible()
    expect(console.dialog.get_by_role("button", name="Move")).to_have_attribute("aria-disabled", "true")
    page.keyboard.press("Escape")
    server.call("PATCH", f"{NEWS}/releases/{fresh}", {"percent": 50, "force": True})
    server.call("POST", f"{NEWS}/releases/{fresh}/halt")
    page.get_by_role("button", name="Refresh").click()
    expect(console.row(fresh)).to_contain_text("halted")
    expect_refusal(fresh, "resume", "Resume")
    expect_refusal(current, "rollback", "Roll back", lambda: page.get_by_label("Type news to confirm").fill("news"))
    console.close(allowed=["400", "409"])


def settings(server, open_console):
    """Entries stay until they are saved, changes of other operators are never overwritten, and turning updates off needs a confirmation."""
    server.prepare("1.0.0")
    console = open_console()
    console.sign_in(server.token)
    page, section = console.page, console.section("Settings")
    prefix, save = page.get_by_label("URL prefix"), page.get_by_role("button", name="Save settings")

    # A refresh keeps unsaved entries, and shows the current values of the other settings.
    prefix.fill("/daily")
    server.call("PUT", NEWS, {"entry": "start.html"})
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_label("Entry page")).to_have_value("start.html")
    expect(prefix).to_have_value("/daily")
    save.click()
    expect(section).to_contain_text("The settings are saved.")
    expect(prefix).to_have_value("/daily/")

    # The page knows its own change, even if a refresh fails.
    page.route("**/news/stats", lambda route: route.abort())
    page.get_by_label("Priority").fill("3")
    save.click()
    expect(page.get_by_role("main")).to_contain_text("The server cannot be reached.")
    page.get_by_label("Priority").fill("0")
    save.click()
    expect(section).to_contain_text("The settings are saved.")
    assert server.call("GET", NEWS)["priority"] == 0
    page.unroute("**/news/stats")
    page.get_by_role("button", name="Refresh").click()
    expect(page.get_by_role("main")).not_to_contain_text("The server cannot be reached.")

    # Another operator's change is neither overwritten by shown values nor by unseen entries.
    page.get_by_label("Entry page").fill("mine.html")
    server.call("PUT", NEWS, {"name": "News of today", "entry": "theirs.html"})
    save.click()
    alert = section.get_by_role("alert")
    expect(alert).to_contain_text("Someone else has changed the settings since you saw them. Name: “News of today” now.")
    expect(alert).to_contain_text("Entry page: “theirs.html” now, you entered “mine.html”.")
    expect(page.get_by_label("Name", exact=True)).to_have_value("News of today")
    expect(page.get_by_label("Entry page")).to_have_value("mine.html")
    console.look("settings-412")
    assert server.call("GET", NEWS)["entry"] == "theirs.html"
    save.click()
    expect(section).to_contain_text("The settings are saved.")
    kept = server.call("GET", NEWS)
    assert (kept["name"], kept["urlPrefix"], kept["entry"]) == ("News of today", "/daily/", "mine.html"), kept
    # A refresh reports it too if an entry would replace another operator's change.
    page.get_by_label("Entry page").fill("index.html")
    server.call("PUT", NEWS, {"entry": "other.html"})
    page.get_by_role("button", name="Refresh").click()
    expect(alert).to_contain_text("Entry page: “other.html” now, you entered “index.html”.")
    page.get_by_label("Entry page").fill("other.html")
    save.click()
    expect(section).to_contain_text("nothing is sent")

    # Turning updates off shows a dialog with the effect on devices.
    switch = page.get_by_label("Updates are on")
    switch.uncheck()
    prefix.fill("/weekly/")
    save.click()
    expect(console.dialog).to_contain_text("Turn updates of News of today off?")
    expect(console.dialog).to_contain_text("config gets no update, and continues to use the copy that it has.")
    expect(console.dialog).to_contain_text("Saved with it: URL prefix.")
    wait_ready(console, "Turn off")
    console.look("updates-off")
    console.confirm("Keep them on")
    assert server.call("GET", NEWS)["enable"] is True
    expect(switch).not_to_be_checked()
    save.click()
    wait_ready(console, "Turn off")
    server.call("PUT", NEWS, {"priority": 5})
    console.confirm("Turn off")
    expect(alert).to_contain_text("Priority: “5” now.")
    assert server.call("GET", NEWS)["enable"] is True
    save.click()
    wait_ready(console, "Turn off")
    console.confirm("Turn off")
    expect(section).to_contain_text("The settings are saved.")
    kept = server.call("GET", NEWS)
    assert (kept["enable"], kept["urlPrefix"], kept["priority"]) == (False, "/weekly/", 5), kept
    switch.check()
    save.click()
    expect(console.dialog).to_contain_text("Devices get the releases of the package again.")
    wait_ready(console, "Turn on")
    console.confirm("Turn on")
    expect(section).to_contain_text("The settings are saved.")
    assert server.call("GET", NEWS)["enable"] is True
    console.close(allowed=["412", "ERR_FAILED"])


def widths(server, open_console):
    """The page keeps its width and contrast, narrow and wide, light and dark, and never interprets text as HTML."""
    hostile = "<img src=x onerror=alert(1)>"
    server.prepare("1.0.0", "1.1.0", "1.2.0-beta.1")
    server.call("PUT", NEWS, {"name": "News", "urlPrefix": "/news/"})
    server.call("POST", f"{NEWS}/versions/1.2.0-beta.1/retire", {"reason": hostile})
    server.release("1.0.0")
    server.release("1.1.0", percent=1, rules=[{"fact": "region", "in": ["CN"]}], mandatory=True)
    server.release("1.1.0", activeTime="2099-01-01T00:00:00Z", plan=[{"percent": 1, "after": "0s"}, {"percent": 50, "after": "2h"}])
    for width in WIDTHS.values():
        for dark in (False, True):
            console = open_console(width=width, dark=dark)
            console.page.goto(f"{console.base}/console/")
            expect(console.page.get_by_label("Token")).to_be_visible()
            console.look("sign-in")
            console.sign_in(server.token)
            expect(console.section("Versions")).to_contain_text(hostile)
            expect(console.section("Releases")).to_contain_text("1% of devices that meet its rules")
            console.look("package")
            console.act(2, "rollback")
            expect(console.dialog).to_contain_text("1.0.0")
            console.look("roll-back")
            console.page.keyboard.press("Escape")
            expect(console.dialog).to_have_count(0)
            expect(console.row(2).locator('[data-action="rollback"]')).to_be_focused()
            console.close()


def reference(server, open_console):
    """The reference of the API shows every operation without a sign-in, and is searched."""
    description = server.send("GET", "/api/openapi.json")
    operations = [each for methods in description["paths"].values() for each in methods.values()]
    for width in WIDTHS.values():
        for dark in (False, True):
            console = open_console(width=width, dark=dark)
            console.page.goto(f"{console.base}/console/api#putPackage")
            expect(console.page.locator("details.operation")).to_have_count(len(operations))
            opened = console.page.locator("#putPackage")
            expect(opened).to_have_attribute("open", "")
            expect(opened).to_contain_text("name-taken")
            expect(opened).to_contain_text('"urlPrefix"?: string')
            console.look("reference")
            console.page.get_by_label("Search").fill("/release-sets")
            expect(console.page.locator("details.operation:visible")).to_have_count(
                sum("/release-sets" in path for path in description["paths"] for _ in description["paths"][path]))
            console.page.get_by_label("Search").fill("no such text")
            expect(console.page.get_by_text("No operation has this text.")).to_be_visible()
            console.close()


def main():
    scenario, base, token = sys.argv[1:4]
    screenshots = sys.argv[4] if len(sys.argv) > 4 else None
    scenarios = {each.__name__: each for each in (course_of_a_release, pre_release, roles, pages, failures, races, losses, settings, widths, reference)}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--headless", "--no-sandbox", "--disable-gpu"])
        expect.set_options(timeout=PATIENCE)
        scenarios[scenario](
            Server(base, token), lambda **options: Console(browser, base, screenshots, **options))
        browser.close()


main()
