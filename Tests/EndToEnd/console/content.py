"""Scenarios: publishing a build, explaining a device, and working without a mouse."""
import re

from kit import PASSWORD, expect, package, soon

SIGNED_OUT = r"status of 401"
LINTED = {"lint.html": '<!doctype html><html lang="en"><script src="http://cdn.example/x.js"></script></html>'}


def upload_with_lint(server, person):
    """A dropped zip is checked before it is published; the findings are shown, and nothing is published without a click."""
    server.prepare("news", "1.0.0")
    server.add_user("ann", "publisher", app="default")
    ann = person()
    page = ann.page
    ann.sign_in("ann", "upload?package=news")
    add = ann.panel("Add files").locator('input[type="file"]').first
    add.set_input_files(
        {"name": "news-1.1.0.zip", "mimeType": "application/zip", "buffer": package("1.1.0", **LINTED)})
    expect(ann.panel("Findings")).to_contain_text("http://cdn.example/x.js")
    expect(page.get_by_label("Version", exact=True)).to_have_value("1.1.0")
    ann.look("upload")
    listed = lambda: [each["version"] for each in server.call("GET", "/apps/default/packages/news/versions")["versions"]]
    assert listed() == ["1.0.0"], "checking publishes nothing"
    # What is typed just before the click is published as well.
    page.get_by_label("Notes").fill("Fixes the header.")
    ann.press("Publish 1.1.0")
    expect(page.get_by_role("main")).to_contain_text("1.1.0 is published")
    assert listed() == ["1.0.0", "1.1.0"]
    assert server.call("GET", "/apps/default/packages/news/versions/1.1.0")["notes"] == "Fixes the header."

    # The same version with other content is refused with what to do; the file stays on the page.
    add.set_input_files(
        {"name": "news-1.1.0.zip", "mimeType": "application/zip", "buffer": package("1.1.0", other="x")})
    expect(page.get_by_role("main")).to_contain_text("1.1.0")
    expect(page.get_by_role("main")).to_contain_text("is published already")
    add.set_input_files(
        {"name": "broken.zip", "mimeType": "application/zip", "buffer": b"PK no zip"})
    expect(page.get_by_text("broken").first).to_be_visible()
    assert listed() == ["1.0.0", "1.1.0"]
    ann.leave([SIGNED_OUT, r"status of 4(09|22)"])


def device_explanation(server, person):
    """A device's page says in one sentence why it has what it has."""
    server.prepare("news", "1.0.0", "1.1.0")
    server.release("news", "1.0.0")
    server.release("news", "1.1.0", rules=[{"fact": "platform", "in": ["ios"]}])
    server.see_devices(4)
    server.add_user("ann")
    ann = person()
    page = ann.page
    ann.sign_in("ann")
    page.keyboard.press("Control+k")
    ann.dialog.get_by_role("combobox").fill("@device-1")
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{server.base}/console/#/default/production/devices/device-1")
    expect(page.get_by_role("main")).to_contain_text("It should have 1.0.0, not 1.1.0")
    expect(page.get_by_role("main")).to_contain_text("1.0.0")
    expect(page.get_by_role("main")).to_contain_text("the rule “Platform is iOS” is not met")
    ann.look("device")

    # From the page of a release the question is about that release, of whichever package comes first.
    server.prepare("about", "1.0.0", "1.1.0")
    server.release("about", "1.0.0")
    planned = soon(30)
    server.release("about", "1.1.0", activeTime=planned)
    ann.open("releases/news/2")
    ann.reveal()
    page.get_by_role("link", name="Explain for a device").click()
    expect(page.get_by_role("main")).to_contain_text("About release #2 of news.")
    ann.look("devices for a release")
    page.get_by_role("textbox", name="Device id").first.fill("device-3")
    ann.press("Look up")
    asked = page.locator("main li.selected")
    expect(asked).to_contain_text("1.1.0, release #2")
    expect(asked).to_contain_text("asked about")
    expect(ann.panel("news")).to_be_visible()
    ann.look("device for a release")
    page.get_by_role("button", name="about", exact=True).click()
    expect(asked).to_have_count(0)
    # A time within the sentence of the server is in the person's zone, with UTC in the tooltip.
    moment = ann.panel("about").locator("p.small time").first
    expect(moment).to_have_attribute("title", f"{planned[:10]} {planned[11:19]} UTC")
    expect(ann.panel("about")).not_to_contain_text(planned)
    ann.look("device with a planned release")

    # The page opens on the package that the device has, and keeps it for other facts and another time.
    ann.open("devices/device-1")
    expect(ann.panel("Packages")).to_contain_text("2: 0 different, 1 to be installed")
    expect(ann.panel("news")).to_contain_text("the rule “Platform is iOS” is not met (device: Android)")
    ann.press_link("Change facts or time…")
    expect(ann.panel("news")).to_be_visible()
    page.get_by_label("Attributes of the app").fill("city")
    ann.press("Explain", exact=True)
    expect(page.get_by_text("Write each line as name=value.")).to_be_visible()
    page.get_by_label("Attributes of the app").fill("city=Shenzhen")
    page.get_by_label("Platform").fill("ios")
    page.get_by_label("At", exact=True).fill(f"{planned[:4]}-12-31T23:59")
    ann.press("Explain", exact=True)
    expect(page.get_by_role("heading", name="Explanation")).to_be_focused()
    expect(ann.panel("Explanation")).to_contain_text("This assumes that nobody changes anything until then")
    expect(ann.panel("news")).to_contain_text("It should have 1.1.0")
    expect(page).to_have_url(re.compile(r"platform=ios.*package=news.*attr\.city=Shenzhen"))
    ann.look("explained facts")
    ann.leave([SIGNED_OUT])


def keyboard_only(server, person):
    """Somebody signs in and releases a version without a mouse."""
    server.prepare("news", "1.0.0", "1.1.0")
    server.release("news", "1.0.0")
    server.add_user("ann")
    ann = person()
    page, keys = ann.page, ann.page.keyboard
    ann.open()
    page.locator("input[name=username]").wait_for()
    keys.type("ann")
    keys.press("Tab")
    keys.type(PASSWORD)
    keys.press("Enter")
    expect(ann.heading).to_have_text("Overview")
    expect(page.locator(".connection")).to_have_text("Live")
    keys.press("?")
    expect(ann.dialog).to_contain_text("Keyboard shortcuts")
    ann.look("shortcuts")
    keys.press("Escape")
    keys.press("g")
    keys.press("p")
    expect(ann.heading).to_have_text("Packages")
    expect(page.locator(".row-link")).to_have_count(1)
    keys.press("j")
    keys.press("Enter")
    expect(ann.heading).to_have_text("News")
    keys.press("r")
    version = page.get_by_label("Version to release")
    version.focus()
    keys.type("1.1.0")
    expect(version).to_have_value("1.1.0")
    for step in ("Step 2", "Step 3", "Step 4"):
        keys.press("Control+Enter")
        expect(page.get_by_role("main")).to_contain_text(step)
    release = page.get_by_role("button", name="Release now")
    expect(release).not_to_have_attribute("aria-disabled", "true")
    keys.press("Control+Enter")
    ann.wait(lambda: len(server.releases("news")) == 2, "nothing is released")
    expect(page.locator(".frame h1")).to_contain_text("1.1.0")
    assert {release["version"] for release in server.releases("news").values()} == {"1.0.0", "1.1.0"}
    ann.leave([SIGNED_OUT])
