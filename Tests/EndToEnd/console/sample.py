"""The sample of pictures and speed: an app in one afternoon, with people, packages, devices, reports and releases under way."""
import datetime
import http.client
import json
import random

from kit import package, soon

APP = "/apps/travel"
PACKAGES = ("checkout hotel-list news home flight-search member map promo coupon common search-bar train visa insurance car-rental "
            "reviews wallet orders chat help settings login onboarding events tickets weather currency rewards wishlist gift-cards "
            "invoices loyalty partners feedback tours cruise spa lounge parking transfers roaming translate").split()
DEVICES = 3_000
REPORTS_OF_A_REQUEST = 200
PLAN = [{"percent": 1, "after": "0s"}, {"percent": 10, "after": "2h"}, {"percent": 100, "after": "1d"}]
HEALTH = {"devices": 50, "rules": [
    {"metric": "whiteScreens", "ceiling": 2, "aboveControl": 25, "action": "halt"}, {"metric": "crashes", "ceiling": 2, "action": "halt"},
    {"metric": "scriptErrors", "aboveControl": 100, "action": "halt"}, {"metric": "failures", "ceiling": 5, "action": "pause"}]}


def fill(server):
    chance = random.Random(7)
    make_people(server)
    versions = publish(server, chance)
    release(server, versions)
    watch(server, versions, chance)


def make_people(server):
    server.call("PUT", APP, {})
    server.call("PUT", f"{APP}/channels/beta", {})
    server.add_user("lin")
    for name, role in (("chen", "releaser"), ("zhao", "publisher"), ("vera", "viewer")):
        server.add_user(name, role, app="travel")


def publish(server, chance):
    """Publishes the versions of all packages; returns them by package, oldest first."""
    shared = "".join(chance.choice("abcdefghijklmnopqrstuvwxyz;(){}=+ \n") for _ in range(60_000))
    versions = {}
    for index, name in enumerate(PACKAGES):
        server.call("PUT", f"{APP}/packages/{name}", {"name": name.replace("-", " ").capitalize(), "urlPrefix": f"/{name}/"})
        count = 13 if name == "checkout" else 3 if index < 10 else 1
        versions[name] = [f"3.{13 - count + number}.0" if name == "checkout" else f"{index % 7 + 1}.{number}.0" for number in range(count)]
        if name == "checkout":
            versions[name] += ["3.12.1", "3.13.0-rc.1"]
        for version in versions[name]:
            text = f'<!doctype html><html lang="en"><title>{name}</title><link rel="stylesheet" href="css/app.css"><script src="js/app.js"></script>'
            if name == "hotel-list" and version == versions[name][-1]:
                text += '<script src="http://cdn.example.com/x.js"></script><img src="missing.png" alt="">'
            files = {"index.html": text, "js/app.js": f"/* {version} {shared[chance.randrange(999):]} */", "js/vendor.js": f"/* {shared[:40_000]} */",
                     "css/app.css": f"body {{ margin: 0 }} /* {version} */", f"img/banner-{version[:3]}.svg": "<svg/>",
                     "data/config.json": json.dumps({"version": version})}
            server.send("POST", f"/api/v1{APP}/packages/{name}/versions?version={version}", package(version, **files), "application/zip")
    return versions


def release(server, versions):
    def make(name, version, **terms):
        made = server.call("POST", f"{APP}/packages/{name}/releases", {"version": version, "channel": "production", **terms})
        return made["id"]

    server.send("PUT", f"/api/v1{APP}/device-lists/qa-phones", "\n".join(f"device-{each}" for each in range(40)).encode(), "text/plain")
    for name in PACKAGES:
        make(name, versions[name][0])
    make("checkout", "3.11.0")
    make("checkout", "3.12.0", plan=PLAN, health=HEALTH, whitelist="qa-phones")
    make("hotel-list", versions["hotel-list"][-1], percent=30, health=HEALTH)
    make("news", versions["news"][-1], percent=50, health=HEALTH)
    paused = make("flight-search", versions["flight-search"][-1], plan=PLAN)
    server.call("POST", f"{APP}/packages/flight-search/releases/{paused}/pause")
    make("home", versions["home"][-1], activeTime=soon(17.5), mandatory=True)
    make("checkout", "3.13.0-rc.1", channel="beta")
    server.call("POST", f"{APP}/release-sets", {
        "versions": {name: versions[name][-1] for name in ("promo", "coupon", "common")}, "channel": "production", "activeTime": soon(57)})
    server.call("POST", f"{APP}/packages/map/online", {"for": "2h"})
    server.call("PUT", f"{APP}/channels/production", {"approvals": 1})
    server.call("POST", f"{APP}/packages/member/releases", {
        "version": versions["member"][-1], "channel": "production", "approvalReason": "Fixes the birthday coupon."})
    for version, apis in (("8.4.0", ["camera", "pay", "share"]), ("8.3.0", ["camera", "share"])):
        server.call("PUT", f"{APP}/builds/{version}", {"apis": apis})
    server.call("PUT", f"{APP}/page-grants/checkout", {
        "origin": "https://shop.example.com", "path": "/checkout/", "apis": ["pay", "camera"], "expires": soon(9_999)})
    server.call("POST", f"{APP}/presets", {"appVersion": "8.4.0", "packages": {name: versions[name][0] for name in PACKAGES[:6]}})
    server.call("POST", "/tokens", {"name": "ci", "role": "publisher", "app": "travel", "expiresAt": soon(24 * 60)})
    server.call("POST", f"{APP}/webhooks", {"kind": "standard", "url": "https://hooks.example.com/larder", "events": ["release.*"]})


def watch(server, versions, chance):
    """Lets devices ask for their packages and report."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    now = datetime.datetime.now(datetime.timezone.utc)
    reports = []

    def ask(method, path, value=None):
        connection.request(method, path, json.dumps(value) if value else None, {"Content-Type": "application/json"})
        response = connection.getresponse()
        body = response.read()
        assert response.status in (200, 202), (path[:80], response.status, body)

    for number in range(DEVICES):
        uses = {"checkout": chance.choice(versions["checkout"][-5:-2]), "hotel-list": chance.choice(versions["hotel-list"]),
                "news": chance.choice(versions["news"]), "home": versions["home"][0]}
        have = ",".join(f"{name}@{version}" for name, version in uses.items())
        app_version = chance.choice(["8.4.0", "8.4.0", "8.3.0", "7.9.0"])
        ask("GET", f"/apps/travel/config?deviceId=device-{number}&have={have}&appVersion={app_version}"
            f"&platform={chance.choice(['android', 'android', 'ios'])}&region={chance.choice(['CN', 'CN', 'SG', 'DE'])}&network=wifi")
        for name in ("checkout", "hotel-list", "news"):
            # A half of the reports is newer than the releases, so that the health rules have something to judge.
            age = chance.random() * 60 + 65 if number % 2 else chance.random() * 18_000 + 120
            start = now - datetime.timedelta(seconds=age)
            is_bad = name == "hotel-list" and uses[name] == versions[name][-1]
            events = [("downloaded", 0, {"bytes": 24_000}), ("applied", 5, {}), ("opened", 60, {}),
                      ("pageLoad", 61, {"duration": max(1, int(chance.gauss(650, 120)))})]
            events += [("whiteScreen", 62, {})] * (chance.random() < (0.15 if is_bad else 0.004))
            events += [("scriptError", 62, {"message": "x is undefined"})] * (chance.random() < (0.02 if is_bad else 0.006))
            events += [("applyFailed", 6, {"reason": "disk full"})] * (chance.random() < 0.003)
            reports += [
                {"eventId": f"{number}-{name}-{event}", "deviceId": f"device-{number}", "package": name, "version": uses[name],
                 "event": event, "time": (start + datetime.timedelta(seconds=after)).strftime("%Y-%m-%dT%H:%M:%SZ"), **details}
                for event, after, details in events]
    for first in range(0, len(reports), REPORTS_OF_A_REQUEST):
        ask("POST", "/apps/travel/report", reports[first:first + REPORTS_OF_A_REQUEST])
    connection.close()
