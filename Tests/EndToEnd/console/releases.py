"""Scenarios: releasing safely, alone and with others."""
from kit import NARROW, expect, soon

SIGNED_OUT = r"status of 401"


def _rolling(server, percent=10):
    """Prepares a package with a release for everyone and another one at a percentage; returns the number of the second."""
    server.prepare("news", "1.0.0", "1.1.0")
    server.release("news", "1.0.0")
    number = server.release("news", "1.1.0", percent=percent)["id"]
    server.see_devices(40)
    server.add_user("ann")
    return number


def _ask_to_widen(person, percent):
    """Opens the dialog, enters a percentage, and waits until the consequence is there."""
    person.press("Widen…")
    person.dialog.get_by_role("spinbutton").fill(str(percent))
    person.dialog.get_by_role("spinbutton").press("Tab")
    expect(person.dialog.get_by_role("button", name="Widen", exact=True)).not_to_have_attribute("aria-disabled", "true")


def course_of_a_release(server, person):
    """Widens, pauses, resumes, halts and rolls back a release; each dialog states the consequence before the change."""
    _rolling(server)
    planned = server.release("news", "1.1.0", again=True, plan=[{"percent": 20, "after": "0s"}, {"percent": 100, "after": "1d"}])["id"]
    ann = person()
    page = ann.page
    ann.sign_in("ann", f"releases/news/{planned}")
    expect(ann.heading).to_contain_text("1.1.0")
    ann.look("release")

    ann.press("Widen…")
    expect(ann.dialog).to_contain_text("more devices")
    expect(ann.dialog.get_by_role("button", name="Cancel")).to_be_focused()
    ann.look("widening")
    ann.press("Cancel", ann.dialog)
    assert server.releases("news")[planned]["percent"] == 20, "the dialog alone widens nothing"
    _ask_to_widen(ann, 50)
    ann.press("Widen", ann.dialog, exact=True)
    expect(ann.dialog).to_have_count(0)
    assert server.releases("news")[planned]["percent"] == 50
    expect(page.get_by_role("main")).to_contain_text("active at 50%")

    ann.press("Pause", exact=True)
    expect(page.get_by_role("status").filter(has_text="stays at 50%")).to_be_visible()
    assert server.releases("news")[planned]["state"] == "paused"
    page.get_by_role("main").get_by_role("button", name="Resume", exact=True).click()
    expect(page.get_by_role("main").get_by_role("button", name="Pause", exact=True)).to_be_visible()
    assert server.releases("news")[planned]["state"] == "active"

    ann.press("Halt…")
    expect(ann.dialog).to_contain_text("No further device gets it")
    expect(ann.dialog).to_contain_text("go back to the next lower release that is for them, at first 1.1.0.")
    ann.press("Halt", ann.dialog, exact=True)
    expect(ann.dialog).to_have_count(0)
    assert server.releases("news")[planned]["state"] == "halted"
    expect(page.locator("main .badge").first).to_contain_text("halted")
    # What reverses a halt opens a dialog, and its name says so.
    expect(page.locator("toast-area").get_by_role("button", name="Resume…", exact=True)).to_be_visible()

    page.get_by_role("main").get_by_role("button", name="Roll back…").first.click()
    confirm = ann.dialog.get_by_role("button", name="Roll back", exact=True)
    expect(ann.dialog).to_contain_text("1.0.0")
    expect(confirm).to_have_attribute("aria-disabled", "true")
    ann.look("rolling back")
    ann.dialog.get_by_role("textbox").last.fill("news")
    expect(confirm).not_to_have_attribute("aria-disabled", "true")
    confirm.click()
    expect(ann.dialog).to_have_count(0)
    assert server.releases("news")[planned]["state"] == "rolled-back"
    expect(page.get_by_role("main")).to_contain_text("rolled back")
    ann.leave([SIGNED_OUT, r"status of 4(00|09)"])


def stopped_before_its_start(server, person):
    """A release that was stopped before its activeTime never began; the toast about that covers no button of a narrow page."""
    server.prepare("news", "1.0.0", "1.1.0")
    server.release("news", "1.0.0")
    number = server.release(
        "news", "1.1.0", activeTime=soon(30), plan=[{"percent": 5, "after": "0s"}, {"percent": 100, "after": "1d"}])["id"]
    server.add_user("ann")
    ann = person(width=NARROW)
    page, main = ann.page, ann.page.get_by_role("main")
    ann.sign_in("ann")
    expect(ann.panel("Planned")).to_contain_text(f"#{number}, starts with 5%, plan to 100%")
    ann.open(f"releases/news/{number}")
    ann.press("Halt…")
    expect(ann.dialog).to_contain_text("It does not begin until you resume it.")
    ann.press("Halt", ann.dialog, exact=True)
    toast = page.locator(".toast")
    toast.hover()
    assert toast.bounding_box()["y"] < 100, "the toast is among the buttons at the bottom"
    expect(main).to_contain_text("Halted before it began: no device gets it.")
    expect(main).to_contain_text("never began")
    expect(main).not_to_contain_text("Since")
    expect(ann.panel("What you can do")).to_contain_text("It ends for good, and no device changes.")
    ann.look("release that was halted before its start")
    ann.open()
    expect(ann.panel("Needs you")).to_contain_text("news 1.1.0 was halted before it began")
    ann.open(f"releases/news/{number}")
    expect(main.get_by_role("button", name="Roll back…")).to_have_count(0)
    main.get_by_role("button", name="Cancel release…").first.click()
    expect(ann.dialog).to_contain_text("It never begins. Devices keep what they have.")
    ann.dialog.get_by_role("textbox").last.fill("news")
    confirm = ann.dialog.get_by_role("button", name="Cancel release", exact=True)
    expect(confirm).not_to_have_attribute("aria-disabled", "true")
    confirm.click()
    expect(ann.dialog).to_have_count(0)
    expect(page.get_by_role("status").filter(has_text="news 1.1.0 is cancelled.")).to_be_visible()
    expect(main).to_contain_text("Cancelled before it began.")
    expect(main).to_contain_text("Not reached")
    ann.reveal()
    expect(ann.panel("History")).to_contain_text("ann cancelled news 1.1.0 before it began")
    ann.look("release that was cancelled")
    ann.open("releases?tab=all")
    expect(main.get_by_role("row").filter(has_text="1.1.0")).to_contain_text("cancelled")
    # The page asks for the way back and the readiness of a release that is over by then.
    ann.leave([SIGNED_OUT, r"status of 409"])


def two_browsers(server, person):
    """Two people see each other's changes without a reload, and a change of an outdated state is refused with both states."""
    number = _rolling(server)
    server.add_user("bob", "releaser", app="default")
    ann, bob = person(), person()
    ann.sign_in("ann", f"releases/news/{number}")
    bob.sign_in("bob", f"releases/news/{number}")
    _ask_to_widen(ann, 60)

    _ask_to_widen(bob, 25)
    bob.press("Widen", bob.dialog, exact=True)
    expect(bob.dialog).to_have_count(0)

    ann.press("Widen", ann.dialog, exact=True)
    expect(ann.dialog).to_contain_text("bob")
    expect(ann.dialog).to_contain_text("25%")
    assert server.releases("news")[number]["percent"] == 25, "the second change is not made unseen"
    ann.page.keyboard.press("Escape")
    expect(ann.page.get_by_role("main")).to_contain_text("25%")
    # A dry run for a percentage that the other person has overtaken is 400.
    ann.leave([SIGNED_OUT, r"status of 4(00|12)"])
    bob.leave([SIGNED_OUT, r"status of 400"])


def approval(server, person):
    """On a protected channel a release waits for a second person, who sees what it does; the first cannot approve it."""
    server.prepare("news", "1.0.0", "1.1.0")
    server.release("news", "1.0.0")
    server.see_devices(40)
    server.add_user("ann", "releaser", app="default")
    server.add_user("bob", "releaser", app="default")
    server.call("PUT", "/apps/default/channels/production", {"approvals": 1})
    ann, bob = person(), person()
    bob.sign_in("bob")
    ann.sign_in("ann", "new-release?package=news&version=1.1.0")
    ann.page.get_by_role("link", name="Review").click()
    ann.page.get_by_label("Reason for the second person").fill("Fixes the header.")
    ann.press("Request approval")
    expect(ann.page.get_by_text("waits for approval").first).to_be_visible()
    assert len(server.releases("news")) == 1, "nothing begins without the second person"

    # The request appears on the other screen by itself.
    needs = bob.panel("Needs you")
    expect(needs).to_contain_text("news 1.1.0")
    expect(needs).to_contain_text("ann")
    needs.get_by_role("link", name="Approve or reject").click()
    expect(bob.page.get_by_role("main")).to_contain_text("Fixes the header.")
    expect(bob.page.get_by_role("main")).to_contain_text("of 40 devices")
    bob.look("approval")
    bob.press("Approve", exact=True)
    expect(bob.page.get_by_role("main")).to_contain_text("approved")
    assert len(server.releases("news")) == 2

    waiting = server.call("GET", "/apps/default/approvals")["approvals"][0]
    assert waiting["state"] == "approved" and waiting["requestedBy"].startswith("ann") and waiting["decidedBy"].startswith("bob")
    ann.leave([SIGNED_OUT])
    bob.leave([SIGNED_OUT])


def roles(server, person):
    """What a role may not do is disabled with the reason, and is not a form that fails."""
    number = _rolling(server)
    server.add_user("vera", "viewer", app="default")
    vera = person()
    vera.sign_in("vera", f"releases/news/{number}")
    widen = vera.page.get_by_role("button", name="Widen…")
    expect(widen).to_have_attribute("aria-disabled", "true")
    expect(widen).to_have_attribute("title", "Needs the role Releaser; yours is Viewer.")
    widen.click(force=True)
    expect(vera.dialog).to_have_count(0)
    vera.look("release for a viewer")
    vera.open("settings/keys")
    expect(vera.page.get_by_text("Needs the role Admin; yours is Viewer.").first).to_be_visible()
    vera.look("keys for a viewer")
    vera.leave([SIGNED_OUT])
