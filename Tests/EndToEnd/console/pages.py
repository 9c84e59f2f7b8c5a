"""Scenarios over every page: accessibility, width, size of the code, and texts that look like markup."""
import http.client
import json

from kit import NARROW, PASSWORD, WIDE, expect, soon

# A text that runs a script, or makes an image, wherever it is parsed as HTML.
MARKUP = '"><img src=x onerror="window.broken=1"><script>window.broken=1</script>'
# The bytes in source form that a page loads with an empty cache before anybody acts on it.
JAVASCRIPT_LIMIT, CSS_LIMIT = 120 * 1024, 40 * 1024


def filled(server):
    """Fills a server so that every page has content, with markup in each text that people and devices choose; returns the pages."""
    server.call("PUT", "/apps/default/packages/news", {"name": f"News {MARKUP}"})
    files = {"js/a<b>.js": "document.title = 1;", f"img/{MARKUP.replace('/', '_')}.svg": "<svg/>"}
    for version in ("1.0.0", "1.1.0", "1.2.0"):
        server.publish("news", version, **files, **{"lint.html": '<!doctype html><script src="http://cdn.example/x.js"></script>'})
    server.call("PUT", "/apps/default/packages/news/versions/1.2.0/notes", {"notes": MARKUP})
    server.prepare("shop", "1.0.0", "2.0.0")
    server.prepare("map", "1.0.0", "2.0.0")
    server.send("PUT", "/api/v1/apps/default/device-lists/testers", f"device-1\n{MARKUP}".encode(), "text/plain")
    health = {"devices": 10, "rules": [{"metric": "whiteScreens", "ceiling": 1, "action": "halt"}]}
    server.release("news", "1.0.0")
    server.release("shop", "1.0.0")
    server.release("map", "1.0.0")
    plan = [{"percent": 10, "after": "0s"}, {"percent": 100, "after": "1d"}]
    rolling = server.release("news", "1.1.0", plan=plan, health=health, whitelist="testers",
                             rules=[{"fact": "region", "in": [MARKUP[:60], "CN"]}])["id"]
    planned = server.release("news", "1.2.0", activeTime=soon(30))["id"]
    halted = server.release("shop", "2.0.0", percent=10)["id"]
    server.call("POST", f"/apps/default/packages/shop/releases/{halted}/halt")
    made = server.call("POST", "/apps/default/release-sets", {
        "versions": {"shop": "1.0.0", "map": "2.0.0"}, "channel": "production", "activeTime": soon(50), "again": True})
    server.call("POST", "/apps/default/packages/map/online", {"for": "2h"})
    server.call("PUT", "/apps/default/channels/beta", {"approvals": 1})
    waiting = server.call("POST", "/apps/default/packages/news/releases", {
        "version": "1.2.0", "channel": "beta", "approvalReason": MARKUP})["id"]
    server.call("PUT", "/apps/default/builds/8.3.0", {"apis": ["camera", "pay"]})
    server.call("POST", "/apps/default/presets", {"appVersion": "8.3.0", "packages": {"news": "1.0.0"}})
    server.call("PUT", "/apps/default/page-grants/checkout", {
        "origin": "https://shop.example", "path": "/checkout/", "apis": ["pay"], "expires": soon(999)})
    server.call("POST", "/tokens", {"name": MARKUP[:60], "role": "publisher", "app": "default"})
    server.call("POST", "/apps/default/webhooks", {"kind": "standard", "url": "https://hooks.example/x", "events": ["release.*"]})
    server.see_devices(12, "news@1.0.0")
    report(server)
    return [
        "", "packages", "packages/news", "packages/news?tab=releases", "packages/news?tab=reports", "packages/news?tab=waivers",
        "packages/news?tab=settings", "packages/news/versions/1.2.0", "packages/news/versions/1.2.0?diff=1.0.0", "upload",
        "new-release?package=news&version=1.2.0", "releases", "releases?tab=planned", "releases?tab=all", "releases?tab=sets",
        f"releases/news/{rolling}", f"releases/news/{planned}", f"releases/shop/{halted}", f"sets/{made['id']}",
        "approvals", f"approvals/{waiting}", "reports", "devices", "devices/device-1", "presets", "presets/8.3.0", "audit",
        *(f"settings/{tab}" for tab in ("channels", "health", "device-lists", "page-grants", "dialects", "keys", "webhooks", "tokens",
                                        "trusts", "members", "system", "account")),
    ]


def report(server):
    """Reports of devices with markup as their reasons."""
    events = [
        {"eventId": f"{name}-{event}-{number}", "deviceId": f"device-{number}", "package": name, "version": version, "event": event,
         "time": soon(-1), "reason": MARKUP, "message": MARKUP}
        for name, version in (("news", "1.1.0"), ("shop", "1.0.0"), ("map", "1.0.0")) for number in range(12)
        for event in ("applied", "opened", "whiteScreen", "applyFailed", MARKUP[:40])
    ]
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("POST", "/report", json.dumps(events), {"Content-Type": "application/json"})
    response = connection.getresponse()
    assert response.status == 202, response.read()
    connection.close()


def every_page(server, person):
    """Each page is accessible in light and dark, English and Chinese, wide and narrow; markup is shown as text."""
    places = filled(server)
    server.add_user("ann")
    failures = []
    for language, dark, width in (("en-GB", False, WIDE), ("zh-CN", True, NARROW)):
        ann = person(language=language, dark=dark, width=width)
        page = ann.page
        ann.open()
        page.locator("input[name=username]").fill("ann")
        page.locator("input[name=password]").fill(PASSWORD)
        page.keyboard.press("Enter")
        expect(page.locator(".frame h1")).to_be_visible()
        for place in places:
            ann.open(place)
            expect(ann.heading).to_be_visible()
            ann.reveal()
            try:
                ann.look(f"{place} in {language}")
            except AssertionError as failure:
                failures.append(str(failure))
            if page.locator(".notice.bad .problem-code").count():
                failures.append(f"{place}: {page.locator('.notice.bad').first.inner_text()}")
            assert not page.evaluate("window.broken"), f"{place} runs markup"
            assert page.locator("img[src=x]").count() == 0, f"{place} parses markup"
        ann.leave([r"status of 401"])
    assert not failures, "\n\n".join(failures)


def size_of_the_code(server, person):
    """No page loads more JavaScript or CSS in source form than the limits."""
    places = filled(server)
    server.add_user("ann")
    ann = person()
    page = ann.page
    page.set_viewport_size({"width": WIDE, "height": 800})
    ann.sign_in("ann")
    known, failures, sums = {}, [], {}
    for place in places:
        urls = set()
        note = lambda response: urls.add(response.url) if response.url.endswith((".js", ".css")) else None
        # The page before this one may still load code, which does not count here.
        page.goto("about:blank")
        page.on("response", note)
        ann.open(place)
        expect(ann.heading).to_be_visible()
        ann.settle()
        # Waits until no code has arrived for half a second.
        count = -1
        while count != len(urls):
            count = len(urls)
            page.wait_for_timeout(500)
        page.remove_listener("response", note)
        known.update((url, server.size(url)) for url in urls - known.keys())
        javascript, css = (sum(known[url] for url in urls if url.endswith(end)) for end in (".js", ".css"))
        assert javascript > 50_000 and css > 10_000, f"{place}: the code was not counted"
        sums[place] = f"{javascript / 1024:.0f} + {css / 1024:.0f} KB"
        if javascript > JAVASCRIPT_LIMIT:
            failures.append(f"{place}: {javascript} bytes of JavaScript, more than {JAVASCRIPT_LIMIT}")
        if css > CSS_LIMIT:
            failures.append(f"{place}: {css} bytes of CSS, more than {CSS_LIMIT}")
    print(sums)
    assert not failures, "\n".join(failures)
    ann.leave([r"status of 401"])
