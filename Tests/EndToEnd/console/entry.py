"""Scenarios: how people come in, and what happens when the session or the server goes away."""
import json
import os
import re
import subprocess

from kit import PASSWORD, expect, one_time_code, package

# A browser logs each response with an error status; these are the ones that a scenario causes.
SIGNED_OUT = r"status of 401"
GONE = r"ERR_CONNECTION|ERR_INTERNET|ERR_EMPTY|ERR_INCOMPLETE|Failed to fetch|status of 503"


def first_run(server, person):
    """The first token makes the first admin, and the page sees the first device."""
    somebody = person()
    page = somebody.page
    somebody.open()
    somebody.press("Set up a new server…")
    expect(somebody.heading).to_have_text("Your server is running")
    somebody.look("first run")
    page.get_by_label("Initial token").fill("larder_" + "0" * 32)
    page.get_by_label("Your name").fill("ann")
    page.get_by_label("Password").fill(PASSWORD)
    somebody.press("Create the admin")
    expect(page.get_by_role("alert").filter(has_text="token")).to_be_visible()
    expect(page.get_by_label("Your name")).to_have_value("ann")
    page.get_by_label("Initial token").fill(server.token)
    page.get_by_label("Revoke the token afterwards").uncheck()
    somebody.press("Create the admin")
    somebody.press("Publish the sample")
    expect(page.get_by_text("Waiting for the first device…")).to_be_visible()
    assert server.token not in page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")
    server.see_devices(1, "hello@1.0.0", "hello")
    expect(page.get_by_text("The first device has asked for its packages.")).to_be_visible()
    somebody.press("Go to the overview")
    expect(somebody.heading).to_have_text("Overview")
    assert [user["name"] for user in server.call("GET", "/users")["users"]] == ["ann"]
    somebody.leave([SIGNED_OUT])


def second_factor(server, person):
    """A person turns on a second factor, signs out, and needs its code; a code works once."""
    server.add_user("ann")
    ann = person()
    page = ann.page
    ann.sign_in("ann", "settings/account")
    ann.press("Turn on…")
    ann.dialog.get_by_label("Current password").fill(PASSWORD)
    ann.press("Continue", ann.dialog)
    secret = page.locator("[data-totp-secret]").inner_text()
    code = one_time_code(secret)
    ann.dialog.get_by_label("Code").fill(code)
    ann.press("Turn on", ann.dialog, exact=True)
    expect(page.get_by_text("recovery codes").first).to_be_visible()
    ann.press("Done", ann.dialog)
    page.get_by_role("button", name="ann: account").click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(ann.heading).to_have_text("Sign in to Larder")
    ann.look("sign-in")
    ann.fill_in("ann", code)
    expect(page.get_by_role("alert").filter(has_text="code")).to_be_visible()
    page.get_by_label("Code").fill(one_time_code(secret, 1))
    ann.press("Sign in")
    expect(page.locator(".frame h1")).to_be_visible()
    ann.leave([SIGNED_OUT])


def wrong_password(server, person):
    """A wrong password is refused without saying which part is wrong, and the name stays."""
    server.add_user("ann")
    ann = person()
    ann.open()
    ann.page.get_by_label("Name").fill("ann")
    ann.page.get_by_label("Password").fill("wrong horse battery")
    ann.press("Sign in")
    expect(ann.page.get_by_role("alert").filter(has_text="password")).to_be_visible()
    expect(ann.page.get_by_label("Name")).to_have_value("ann")
    ann.look("wrong password")
    ann.fill_in("ann")
    expect(ann.heading).to_have_text("Overview")
    ann.leave([SIGNED_OUT])


def _typing_a_name(server, person):
    """Returns a person who has typed a name into the settings of a package, and not saved it."""
    server.prepare("news", "1.0.0")
    server.add_user("ann")
    ann = person()
    ann.sign_in("ann", "packages/news?tab=settings")
    ann.page.get_by_label("Name", exact=True).fill("News of the day")
    return ann


def ended_session(server, person):
    """A session that ends in the middle of a form: the person signs in over it, and nothing typed is lost."""
    ann = _typing_a_name(server, person)
    page = ann.page
    for session in server.call("GET", "/sessions?user=ann")["sessions"]:
        server.call("DELETE", f"/sessions/{session['id']}")
    expect(ann.dialog).to_contain_text("The session has ended")
    ann.look("ended session")
    ann.dialog.get_by_label("Password").fill(PASSWORD)
    ann.press("Sign in", ann.dialog)
    expect(ann.dialog).to_have_count(0)
    expect(page.get_by_label("Name", exact=True)).to_have_value("News of the day")
    ann.press("Save")
    expect(ann.heading).to_have_text("News of the day")
    assert server.call("GET", "/apps/default/packages/news")["name"] == "News of the day"
    ann.leave([SIGNED_OUT])


def lost_server(server, person):
    """The server stops under an open page: the page says so, keeps what it shows, and is live again afterwards."""
    server.prepare("news", "1.0.0")
    server.add_user("ann")
    ann = person()
    page = ann.page
    ann.sign_in("ann", "packages")
    expect(page.locator(".connection")).to_have_text("Live")
    server.stop()
    expect(page.locator(".connection")).to_contain_text("Offline since")
    expect(page.get_by_role("link", name="News")).to_be_visible()
    expect(page.locator(".banner-place")).to_contain_text("No connection to the server")
    server.start()
    expect(page.locator(".connection")).to_have_text("Live")
    expect(page.locator(".banner-place")).to_be_empty()
    server.prepare("shop", "1.0.0")
    expect(page.get_by_role("link", name="Shop")).to_be_visible()
    ann.leave([GONE, SIGNED_OUT])


def offline_browser(server, person):
    """The browser loses its network: what is on the page stays, a form keeps its entries, and saving works later."""
    ann = _typing_a_name(server, person)
    page = ann.page
    ann.context.set_offline(True)
    ann.press("Save")
    expect(page.locator(".connection")).to_contain_text("Offline since")
    expect(page.get_by_label("Name", exact=True)).to_have_value("News of the day")
    ann.context.set_offline(False)
    expect(page.locator(".connection")).to_have_text("Live")
    ann.press("Save")
    expect(ann.heading).to_have_text("News of the day")
    ann.leave([GONE, SIGNED_OUT])


def second_app(server, person):
    """The app that is opened second stays open when the response about the first one arrives late."""
    for app in ("slow", "quick"):
        server.call("PUT", f"/apps/{app}", {})
        server.call("PUT", f"/apps/{app}/packages/from-{app}", {"name": f"From {app}"})
    server.add_user("ann")
    ann = person()
    page = ann.page
    held = []
    page.route("**/api/v1/apps/slow/channels", lambda route: held.append(route))
    ann.sign_in("ann", "packages")
    ann.open("packages", "slow/production")
    ann.wait(lambda: held, "the first app asks for nothing")
    ann.open("packages", "quick/production")
    expect(page.get_by_role("link", name="From quick")).to_be_visible()
    with page.expect_response("**/api/v1/apps/slow/channels"):
        held[0].continue_()
    ann.settle()
    expect(page).to_have_url(f"{server.base}/console/#/quick/production/packages")
    expect(page.get_by_role("link", name="From quick")).to_be_visible()
    expect(page.get_by_role("link", name="From slow")).to_have_count(0)
    expect(page.locator(".switcher").first).to_contain_text("quick")
    ann.leave([SIGNED_OUT])


def uploads_end_with_the_session(server, person):
    """An upload in progress sends nothing after its person has signed out, and does not show to the next one."""
    server.prepare("news", "1.0.0")
    server.add_user("ann")
    server.add_user("bob")
    ann = person()
    page = ann.page
    parts = []
    # The second part waits, so that the upload is in progress at the sign-out.
    page.route("**/api/v1/uploads/*", lambda route: parts.append(route) if route.request.method == "PATCH" else route.continue_())
    ann.sign_in("ann", "upload?package=news")
    ann.panel("Add files").locator('input[type="file"]').first.set_input_files(
        {"name": "news-1.1.0.zip", "mimeType": "application/zip", "buffer": package("1.1.0")})
    ann.wait(lambda: parts, "nothing is uploaded")
    page.get_by_role("button", name="ann: account").first.click()
    page.get_by_role("menuitem", name="Sign out").click()
    expect(ann.dialog).to_contain_text("Sign out during an upload?")
    ann.press("Sign out", ann.dialog)
    expect(page.get_by_label("Password")).to_be_visible()
    page.wait_for_timeout(2_000)
    assert len(parts) == 1, "a part was sent after the sign-out"
    page.unroute_all()
    ann.fill_in("bob")
    ann.open("upload?package=news")
    expect(ann.panel("Add files")).to_be_visible()
    expect(page.get_by_text("news-1.1.0.zip")).to_have_count(0)
    ann.leave([SIGNED_OUT, r"ERR_"])


def command_line(server, person):
    """A command line prints a page, and acts as the person who agrees there until it signs out."""
    server.add_user("ann", "publisher")
    home = server.folder / "home"
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"]}

    def larder(*words):
        return subprocess.run([server.program, *words], env=environment, capture_output=True, text=True, timeout=120)

    def log_in(*more):
        waiting = subprocess.Popen([server.program, "login", "--browser", "--server", server.base, *more], env=environment,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        told = ""
        while "/console/" not in told:
            line = waiting.stderr.readline()
            assert line, f"larder login ends: {told}"
            told += line
        return waiting, re.search(r"https?://\S+", told).group(), re.search(r"code ([A-Z]{4}-[A-Z]{4})", told).group(1)

    ann = person()
    page = ann.page
    waiting, address, code = log_in()
    # A person who is not signed in comes to the same page.
    page.goto(address)
    ann.fill_in("ann")
    expect(ann.heading).to_have_text("Command line")
    expect(page.get_by_text(code)).to_be_visible()
    ann.look("command line")
    ann.press("Refuse")
    expect(page.get_by_text("is not signed in")).to_be_visible()
    assert waiting.wait(60) == 1 and "refused" in waiting.stderr.read()
    assert larder("app", "list").returncode != 0
    waiting, address, code = log_in()
    page.goto(address)
    expect(page.get_by_text(code)).to_be_visible()
    ann.press("Sign in the command line")
    expect(page.get_by_text("Go back to your terminal")).to_be_visible()
    assert waiting.wait(60) == 0, waiting.stderr.read()
    assert "as ann (user #1), publisher" in waiting.stdout.read()
    assert larder("app", "list").stdout == "default\n"
    assert larder("package", "create", "news").returncode == 0
    assert "role 'publisher'" in larder("user", "list").stderr
    page.reload()
    expect(page.get_by_text("This code is over")).to_be_visible()
    ann.open("settings/account")
    expect(page.get_by_text("command line on")).to_be_visible()

    def machines():
        return [session.get("machine") for session in server.call("GET", "/sessions?user=ann")["sessions"]]

    # Signing in again ends the session that the profile had.
    waiting, address, code = log_in()
    page.goto(address)
    expect(page.get_by_text(code)).to_be_visible()
    ann.press("Sign in the command line")
    assert waiting.wait(60) == 0, waiting.stderr.read()
    assert len([machine for machine in machines() if machine]) == 1, machines()
    assert larder("app", "list").stdout == "default\n"
    ended = larder("logout")
    assert ended.returncode == 0 and "its session has ended" in ended.stdout, ended
    assert machines() == [None]

    # A session that the profile had at a server that is away stays, and the person is told.
    profiles = home / ".config/larder/profiles.json"
    profiles.write_text(json.dumps({"current": "away", "profiles": {
        "away": {"server": "http://127.0.0.1:1", "token": "larder_cli_ab"}}}))
    waiting, address, code = log_in("--profile", "away")
    page.goto(address)
    expect(page.get_by_text(code)).to_be_visible()
    ann.press("Sign in the command line")
    assert waiting.wait(60) == 0
    assert "at http://127.0.0.1:1, could not be ended" in waiting.stderr.read()
    assert larder("logout").returncode == 0 and machines() == [None]

    # A session that cannot be stored ends at once.
    waiting, address, code = log_in()
    profiles.parent.rename(home / "moved")
    profiles.parent.write_text("no folder")
    page.goto(address)
    expect(page.get_by_text(code)).to_be_visible()
    ann.press("Sign in the command line")
    assert waiting.wait(60) == 1, waiting.stderr.read()
    assert machines() == [None], machines()
    ann.leave([SIGNED_OUT, r"status of 400"])
