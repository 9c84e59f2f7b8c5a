"""Scenarios: the wizard of releases as a release manager uses it."""
import datetime
import http.client
import re

from kit import NARROW, WIDE, expect, soon

SIGNED_OUT = r"status of 401"
# The devices of the city and all others.
LOCAL, OTHERS = 200, 60


def _see_city(server):
    """Sends requests of devices with the app's attribute `city`, and waits until the server counts them."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    for number in range(LOCAL + OTHERS):
        city = "Lisbon" if number < LOCAL else "Porto"
        # A value as long as one may be.
        note = "n" * 128 if number < 2 else "short"
        # Some devices of the other city have another platform, so that each rule leaves devices out.
        platform = "android" if number < LOCAL + 20 else "ios"
        connection.request(
            "GET", f"/config?deviceId=device-{number}&have=news@3.1.0&platform={platform}&appVersion=8.3.0&attr.city={city}&attr.note={note}")
        connection.getresponse().read()
    connection.close()


def _estimate(server):
    return server.call("POST", "/apps/default/packages/news/audience-estimate", {"version": "3.2.0", "channel": "production"})


def _manager(server, person):
    """Returns a release manager of a server that has counted the devices of the city and the others."""
    _see_city(server)
    server.add_user("ann")
    ann = person()
    ann.wait(lambda: _estimate(server)["seen"] == LOCAL + OTHERS, "the server does not count the devices")
    return ann


def _choose_audience(ann):
    """Chooses 5 % of the Android devices of one city."""
    page = ann.page
    page.get_by_label("Version to release").select_option("3.2.0")
    page.get_by_text("One percentage", exact=True).click()
    page.get_by_role("spinbutton").fill("5")
    page.get_by_role("spinbutton").press("Tab")
    for number, (fact, value) in enumerate((("platform", "android"), ("attr.", "Lisbon")), 1):
        ann.press("Add a rule")
        page.get_by_label(f"Fact, rule {number}").select_option(fact)
        example = "android, ios" if fact == "platform" else "gold, silver"
        expect(page.get_by_label(f"Values, rule {number}")).to_have_attribute("placeholder", example)
        if fact == "platform":
            # The 200 of the city and 20 others, of 260 devices.
            ann.press("Add android, which 84.6% of the devices send")
            expect(page.get_by_label("Values, rule 1")).to_have_value("android")
            expect(page.get_by_label("Values, rule 1")).to_be_focused()
        else:
            page.get_by_label(f"Values, rule {number}").fill(value)
    name = page.get_by_label("Name of the attribute, rule 2")
    ann.press("Add a rule")
    page.get_by_label("Fact, rule 3").select_option(label="note")
    for width in (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": 900})
        ann.look("rule with a long value")
    ann.press("Remove rule 3")
    for width in (NARROW, WIDE):
        page.set_viewport_size({"width": width, "height": 900})
        fields = [page.get_by_label(f"{label}, rule 2") for label in ("Fact", "Comparison", "Values")]
        places = [field.bounding_box() for field in (fields[0], name, *fields[1:])]
        rows = [(round(place["y"]), place["x"]) for place in places]
        assert rows == sorted(rows), f"the fields of the rule are out of order: {rows}"
    # The list of facts has the attribute, since devices send it; it needs no name.
    page.get_by_label("Fact, rule 2").select_option(label="city")
    expect(name).to_have_count(0)
    expect(page.get_by_label("Values, rule 2")).to_have_value("Lisbon")
    expect(page.get_by_role("button", name=re.compile("Add Porto, which"))).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Add Lisbon, which"))).to_have_count(0)


def _stays_in_view(ann, reach, field):
    """Checks that the sentence about the audience stays in view while a field is edited, and does not cover it."""
    sentence = reach.locator("p").first
    for width in (NARROW, WIDE):
        ann.page.set_viewport_size({"width": width, "height": 900})
        ann.page.evaluate("scrollTo(0, 0)")
        field.focus()
        expect(sentence).to_be_in_viewport(ratio=1)
        ann.page.evaluate("scrollTo(0, document.body.scrollHeight)")
        expect(sentence).to_be_in_viewport(ratio=1)
        # The field goes behind the sentence, if the page is long enough below it.
        field.blur()
        field.evaluate("(field) => scrollBy(0, field.getBoundingClientRect().top - 60)")
        field.focus()
        is_uncovered = field.evaluate(
            """(field) => { const { x, y, width, height } = field.getBoundingClientRect();
            return [y + 1, y + height - 1].every((edge) => document.elementFromPoint(x + width / 2, edge) === field); }""")
        assert is_uncovered, f"the field is covered at {width} px"


def _widen(ann, percent):
    """Widens the release of the open page to a percentage, once the dialog has stated the consequence."""
    ann.press("Widen…")
    share = ann.dialog.get_by_role("spinbutton")
    share.fill(str(percent))
    share.press("Tab")
    confirm = ann.dialog.get_by_role("button", name="Widen", exact=True)
    expect(ann.dialog).to_contain_text("more devices")
    expect(confirm).not_to_have_attribute("aria-disabled", "true")
    confirm.click()
    expect(ann.dialog).to_have_count(0)


def release_to_a_city(server, person):
    """A release manager schedules 5 % of the Android devices of a city, pauses, widens, completes and rolls back."""
    server.prepare("news", "3.1.0", "3.2.0")
    server.release("news", "3.1.0")
    ann = _manager(server, person)
    page, main = ann.page, ann.page.get_by_role("main")

    # Step 1: the sentence about the audience follows the rules, and says which devices they leave out.
    ann.sign_in("ann", "new-release?package=news")
    _choose_audience(ann)
    reach = ann.panel("Estimate")
    expect(reach).to_contain_text("This will reach about 10 of 260 devices on production.")
    expect(reach).to_contain_text("Left out: 40 because the rule “Platform is Android” is not met; 20 because the rule “Attribute city is Lisbon” is not met.")
    _stays_in_view(ann, reach, page.get_by_label("Values, rule 2"))
    _stays_in_view(ann, reach, page.get_by_label("Version to release"))
    ann.look("audience")

    # Step 2: a time in the future.
    ann.press_link("Continue to start and delivery")
    page.get_by_text("At a time", exact=True).click()
    begin = datetime.datetime.now(datetime.timezone.utc).replace(second=0, microsecond=0) + datetime.timedelta(hours=3)
    page.locator('input[type="datetime-local"]').first.fill(begin.strftime("%Y-%m-%dT%H:%M"))
    expect(main).to_contain_text(re.compile(rf"{begin:%A}, .*{begin:%H:%M}, in (2 hr 59 min|3 hr)"))
    ann.look("start and delivery")

    # Step 3: the rule halts the release if twice as many devices of the release crash as of the control group.
    ann.press_link("Continue to health rules")
    expect(main).to_contain_text("A rule acts once one of its limits is passed.")
    for _ in range(2):
        ann.press("Remove rule 1")
    rule = page.get_by_role("group", name="Rule 1", exact=True)
    rule.get_by_label("Signal").select_option("crashes")
    rule.get_by_label("Above, rule 1").fill("")
    rule.get_by_label("Above control by, rule 1").fill("100")
    rule.get_by_label("Then, rule 1").select_option("halt")
    expect(page.get_by_role("group", name="Rule 2")).to_have_count(0)
    expect(main).to_contain_text("Halt: no further device gets it; devices that have it keep it.")
    deciding = page.get_by_label("Devices before it decides")
    expect(deciding).to_have_accessible_description(re.compile("The first step reaches only about 10 devices"))
    deciding.fill("10")
    expect(deciding).to_have_accessible_description("10 to 1,000,000")
    deciding.fill("50")
    ann.look("health rules")

    # Step 4: the review says whom it reaches and when, in one sentence.
    ann.press_link("Continue to review")
    expect(reach).to_contain_text("This will reach about 10 of 260 devices on production from ")
    expect(reach).to_contain_text(begin.strftime("%H:%M UTC"))
    expect(main).to_contain_text("The first step reaches about 10 devices; the rules decide from 50 on")
    summary = ann.panel("Summary")
    for text in ("Platform is Android", "Attribute city is Lisbon", "5%", "Halt if crashes are 100% above control", "1 rule"):
        expect(page.locator("main")).to_contain_text(text)
    expect(summary).to_contain_text(begin.strftime("%H:%M"))
    expect(summary).to_contain_text("Times in UTC")
    ann.look("review")
    page.get_by_role("button", name="Decide from 10 devices on").click()
    expect(summary).to_contain_text("Decides from 10 devices on.")
    expect(main).not_to_contain_text("the rules decide from")
    assert len(server.releases("news")) == 1, "the review releases nothing"
    ann.press("Schedule", exact=True)
    expect(page.locator("main .badge").first).to_contain_text("scheduled")
    expect(ann.panel("Terms")).to_be_visible()
    expect(ann.panel("From offer to opening")).to_have_count(0)
    number = max(server.releases("news"))
    made = server.releases("news")[number]
    assert made["state"] == "scheduled" and made["percent"] == 5, made
    assert made["activeTime"] == begin.strftime("%Y-%m-%dT%H:%M:%SZ"), made
    assert made["rules"] == [{"fact": "platform", "in": ["android"]}, {"fact": "attr.city", "in": ["Lisbon"]}], made
    assert [(each["metric"], each["aboveControl"], each["action"]) for each in made["health"]["rules"]] == [("crashes", 100, "halt")], made
    assert made["health"]["devices"] == 10, made

    # It begins earlier, and the open page notices that by itself.
    ann.press("Reschedule…")
    sooner = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=8)
    ann.dialog.locator('input[type="datetime-local"]').fill(sooner.strftime("%Y-%m-%dT%H:%M:%S"))
    ann.press("Reschedule", ann.dialog, exact=True)
    expect(ann.dialog).to_have_count(0)
    expect(page.locator("main .badge").first).to_contain_text("active at 5%")

    ann.press("Pause", exact=True)
    expect(page.locator("main .badge").first).to_contain_text("paused")
    expect(page.get_by_role("button", name="Widen…")).to_have_count(0)
    main.get_by_role("button", name="Resume", exact=True).click()
    expect(page.locator("main .badge").first).to_contain_text("active at 5%")
    _widen(ann, 25)
    expect(page.locator("main .badge").first).to_contain_text("active at 25%")
    ann.press("Complete now…")
    expect(ann.dialog).to_contain_text(re.compile(r"About 1\d\d more devices, 100% of the audience"))
    ann.press("Complete now", ann.dialog, exact=True)
    expect(ann.dialog).to_have_count(0)
    expect(page.locator("main .badge").first).to_contain_text("complete")
    assert server.releases("news")[number]["state"] == "completed"
    ann.look("completed release")

    main.get_by_role("button", name="Roll back…").first.click()
    expect(ann.dialog).to_contain_text("A new release of 3.1.0 begins for the same audience, at 100%")
    expect(ann.dialog.get_by_label("Go back to")).to_contain_text("3.1.0, as in the next lower release")
    ann.dialog.get_by_role("textbox").last.fill("news")
    confirm = ann.dialog.get_by_role("button", name="Roll back", exact=True)
    expect(confirm).not_to_have_attribute("aria-disabled", "true")
    confirm.click()
    expect(ann.dialog).to_have_count(0)
    expect(page.locator("main .badge").first).to_contain_text("rolled back")
    assert server.releases("news")[number]["state"] == "rolled-back"

    # The page of the ended release and that of the one that follows name each other.
    follower = max(server.releases("news"))
    expect(main).to_contain_text(f"To bring its devices back to 3.1.0, release #{follower} was made.")
    main.get_by_role("link", name=f"release #{follower}").click()
    expect(ann.heading).to_contain_text("news 3.1.0")
    expect(main).to_contain_text(f"It brings the devices of release #{number} back to this version.")
    expect(main).not_to_contain_text("The server does not judge this release")
    main.get_by_role("link", name=f"release #{number}").click()
    expect(ann.heading).to_contain_text("news 3.2.0")
    ann.leave([SIGNED_OUT, r"status of 4(00|09)"])


def prerelease_without_a_channel(server, person):
    """A pre-release version preselects no channel, and is released only to the one that a person chooses."""
    server.prepare("news", "3.1.0", "3.2.0-rc.1")
    server.release("news", "3.1.0")
    server.call("PUT", "/apps/default/channels/beta", {})
    server.see_devices(20, version="3.1.0", have="news@3.1.0")
    server.add_user("ann")
    ann = person()
    page = ann.page
    ann.sign_in("ann", "new-release?package=news&version=3.2.0-rc.1")
    channel = page.get_by_label("Channel", exact=True)
    expect(channel).to_have_value("")
    expect(page.get_by_role("main")).to_contain_text("A pre-release has no default channel: choose one.")
    expect(ann.panel("Estimate")).to_contain_text("Choose a version and a channel")
    page.get_by_role("link", name="Review").click()
    expect(page.get_by_role("main")).to_contain_text("Choose a channel.")
    expect(page.get_by_role("button", name="Release now")).to_have_attribute("aria-disabled", "true")
    ann.look("review without a channel")

    # A release version takes the channel of the page, and the pre-release loses it again.
    page.get_by_role("link", name="Version and audience").click()
    version = page.get_by_label("Version to release")
    version.select_option("3.1.0")
    expect(channel).to_have_value("production")
    version.select_option("3.2.0-rc.1")
    expect(channel).to_have_value("")
    channel.select_option("beta")
    page.get_by_role("link", name="Review").click()
    release = page.get_by_role("button", name="Release now")
    expect(release).not_to_have_attribute("aria-disabled", "true")
    release.click()
    expect(page).to_have_url(re.compile(r"#/default/beta/releases/news/\d+$"))
    made = max(server.releases("news").values(), key=lambda each: each["id"])
    assert (made["version"], made["channel"]) == ("3.2.0-rc.1", "beta"), made
    ann.leave([SIGNED_OUT])


def beyond_the_rules(server, person):
    """A release manager plans a few devices of a city and then everyone, and drops the rules earlier by hand."""
    server.prepare("news", "3.1.0", "3.2.0")
    server.release("news", "3.1.0")
    ann = _manager(server, person)
    page, main = ann.page, ann.page.get_by_role("main")

    # Without rules there is nothing to go beyond.
    ann.sign_in("ann", "new-release?package=news")
    page.get_by_label("Version to release").select_option("3.2.0")
    everyone = page.get_by_role("button", name="Then to everyone")
    expect(everyone).to_have_attribute("aria-disabled", "true")
    expect(everyone).to_have_attribute("title", "Add an audience rule first. Without rules the plan reaches everyone at 100%.")
    ann.press("Add a rule")
    page.get_by_label("Fact, rule 1").select_option("platform")
    page.get_by_label("Values, rule 1").fill("android")
    expect(everyone).not_to_have_attribute("aria-disabled", "true")
    everyone.click()
    expect(everyone).to_have_attribute("title", "The plan already ends with everyone.")
    plan = ann.panel("Share of devices")
    expect(plan.get_by_role("row").last).to_contain_text("Everyone without rules")
    reach = ann.panel("Estimate")
    expect(reach).to_contain_text("This will reach about 260 of 260 devices on production, 2 first.")
    expect(reach).to_contain_text(
        re.compile("Left out at first: 40 because the rule “Platform is Android” is not met. These rules apply until .* UTC.* at least"))
    ann.look("plan to everyone")

    page.get_by_role("link", name="Review").first.click()
    expect(main).to_contain_text("1% → 10% → 100% → everyone")
    limited = "Before “everyone”, only devices that meet: Platform is Android"
    expect(ann.panel("Summary")).to_contain_text(limited)
    checks, chart = ann.panel("Checked"), ann.panel("What happens when")
    old_clients = checks.get_by_role("listitem").filter(has_text="Old clients that send no facts")
    expect(old_clients).to_contain_text("Note:")
    expect(old_clients).to_contain_text("get this release at the last step of the plan.")
    assert checks.bounding_box()["y"] < chart.bounding_box()["y"], "the checks are below the chart"
    ann.look("review of a plan to everyone")
    ann.press("Release now", exact=True)
    expect(page.locator("main .badge").first).to_contain_text("active at 1%")
    number = max(server.releases("news"))
    made = server.releases("news")[number]
    assert made["plan"][-1] == {"percent": 100, "after": "2d", "withoutRules": True}, made
    expect(ann.panel("Plan")).to_contain_text("everyone")
    ann.reveal()
    expect(ann.panel("Terms")).to_contain_text(limited)
    expect(ann.panel("Terms")).to_contain_text("Times in UTC")

    ann.press("Widen…")
    beyond = ann.dialog.get_by_label("Drop the audience rules")
    expect(beyond).not_to_be_checked()
    beyond.check()
    share = ann.dialog.get_by_role("spinbutton")
    share.fill("10")
    share.press("Tab")
    expect(ann.dialog).to_contain_text("The audience rules no longer apply: Platform is Android.")
    expect(ann.dialog).to_contain_text(re.compile(r"About \d+ more devices, 10% of the audience"))
    ann.look("dialog to drop the rules")
    confirm = ann.dialog.get_by_role("button", name="Widen", exact=True)
    expect(confirm).not_to_have_attribute("aria-disabled", "true")
    confirm.click()
    expect(ann.dialog).to_have_count(0)
    expect(page.locator("main .badge").first).to_contain_text("active at 10%")
    changed = server.releases("news")[number]
    assert "rules" not in changed and changed["percent"] == 10, changed
    assert changed["plan"] == [{"percent": 100, "after": "1d"}], changed
    ann.reveal()
    expect(main).to_contain_text("dropped the audience rules of")

    # The first step of a planned release begins by the clock; the health rules are judged before each further one.
    planned = server.release("news", "3.2.0", activeTime=soon(5), plan=made["plan"][:2], health={
        "devices": 10, "rules": [{"metric": "crashes", "ceiling": 1, "action": "halt"}]})["id"]
    ann.open(f"releases/news/{planned}")
    expect(page.locator("main .badge").first).to_contain_text("scheduled")
    first, second = (ann.panel("Plan").get_by_role("listitem").nth(index) for index in (0, 1))
    expect(second).to_contain_text("Only while healthy")
    expect(first).not_to_contain_text("Only while healthy")
    ann.leave([SIGNED_OUT])


def packages_by_keyboard(server, person):
    """Without a mouse the package of a release is chosen, and another one added; the focus goes on with each choice."""
    for name in ("news", "shop"):
        server.prepare(name, "1.0.0", "1.1.0")
    server.add_user("ann")
    ann = person()
    page, keys = ann.page, ann.page.keyboard
    ann.sign_in("ann", "new-release")
    field = page.get_by_label("Package to release")
    expect(field).to_have_attribute("placeholder", "Search by id or name")
    field.focus()
    keys.type("nws")
    keys.press("Tab")
    expect(page.get_by_role("button", name="Continue to version and audience")).to_be_focused()
    keys.press("Enter")
    expect(page.get_by_role("main")).to_contain_text("No package has the id nws.")
    expect(field).to_be_focused()
    field.fill("news")
    ann.look("choosing a package")
    keys.press("Tab")
    keys.press("Enter")
    expect(ann.heading).to_contain_text("Release news")
    expect(ann.heading).to_be_focused()

    page.get_by_role("button", name="Add a package").focus()
    keys.press("Enter")
    added = page.get_by_label("Package to release together")
    expect(added).to_be_focused()
    keys.type("news")
    keys.press("Enter")
    expect(page.get_by_role("main")).to_contain_text("news is in the draft already.")
    added.fill("shop")
    ann.look("adding a package")
    keys.press("Enter")
    expect(page.get_by_label("shop", exact=True)).to_be_focused()
    ann.look("two packages")
    ann.leave([SIGNED_OUT])
