#!/usr/bin/env python3
"""Signs people in by a real provider of OpenID Connect: sign_in.py BASE_URL ADMIN_TOKEN FOLDER

BASE_URL names the host localhost and the provider's URL an address, so that browsers see two sites. The first sign-in is one in
Chromium; the others send what a browser sends.
"""
import http.cookiejar
import json
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

import django_provider
from django_provider import PASSWORD, Provider
from playwright.sync_api import expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
PATIENCE = 60_000
START = "/api/v1/session/oidc/acme"
# The server reads keys again at most once a minute.
KEY_REST = 60


class Refused(Exception):
    def __init__(self, status, problem):
        super().__init__(f"{status} {problem}")
        self.status, self.code = status, problem.get("code")


class Larder:
    """The operators' API with an admin's token."""

    def __init__(self, base, token):
        self.base, self.token = base, token

    def call(self, method, path, value=None):
        body = json.dumps(value).encode() if value is not None else None
        fields = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        request = urllib.request.Request(f"{self.base}/api/v1{path}", data=body, method=method, headers=fields)
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            raise Refused(error.code, json.load(error)) from None


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


class Browser:
    """A browser without pages: it keeps cookies, and follows redirects one by one."""

    def __init__(self, base):
        self.base, self.cookies = base, {}
        self.jar = http.cookiejar.CookieJar()
        self.provider = urllib.request.build_opener(
            NoRedirect, urllib.request.HTTPCookieProcessor(self.jar), urllib.request.ProxyHandler({}))
        self.plain = urllib.request.build_opener(NoRedirect, urllib.request.ProxyHandler({}))

    @staticmethod
    def send(opener, request):
        try:
            return opener.open(request, timeout=60)
        except urllib.error.HTTPError as response:
            return response

    def ask(self, path, accept="application/json"):
        """Sends a request to Larder, whose cookies the jar would not send over HTTP."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        response = self.send(self.plain, urllib.request.Request(
            urllib.parse.urljoin(self.base, path), headers={"Cookie": cookies, "Accept": accept}))
        for line in response.headers.get_all("Set-Cookie") or []:
            name, value = line.split(";")[0].split("=", 1)
            self.cookies[name] = value
        return response

    def begin(self):
        """Begins an attempt, and returns the URL of the provider."""
        response = self.ask(START)
        assert response.status == 303, (response.status, response.read())
        return response.headers["Location"]

    def sign_in_at_provider(self, url, name):
        """Returns the URL of the callback to which the provider redirects."""
        for _ in range(5):
            response = self.send(self.provider, url)
            if response.status == 200:
                page = response.read().decode()
                form = {"csrfmiddlewaretoken": re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[1],
                        "username": name, "password": PASSWORD}
                response = self.send(self.provider, urllib.request.Request(
                    response.url, data=urllib.parse.urlencode(form).encode()))
            assert response.status == 302, (url, response.status, response.read())
            url = urllib.parse.urljoin(url, response.headers["Location"])
            if url.startswith(self.base):
                return url
        raise AssertionError(f"the provider does not redirect back: {url}")

    def callback(self, name):
        return self.sign_in_at_provider(self.begin(), name)

    def finish(self, callback, accept="application/json"):
        """Returns the code of the problem, or None once the session has begun."""
        response = self.ask(callback, accept)
        if response.status != 303:
            return json.load(response)["code"]
        assert response.headers["Location"] == f"{self.base}/console/", response.headers["Location"]
        return None

    def sign_in(self, name):
        return self.finish(self.callback(name))

    def session(self):
        return json.load(self.ask("/api/v1/session"))


def check(what, value, wanted):
    assert value == wanted, f"{what}: {value!r} instead of {wanted!r}"


def in_chromium(base):
    """A sign-in like that of a person, across two sites, with the session cookie of SameSite=Strict."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = chromium.new_context()
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{base}/console/")
        page.evaluate(f"location.href = '{START}?return=/console/%23/apps'")
        page.get_by_label("Username").fill("ann")
        page.get_by_label("Password").fill(PASSWORD)
        page.get_by_role("button", name="Continue").click()
        page.wait_for_url(f"{base}/console/#/apps")
        session = page.evaluate("fetch('/api/v1/session').then(response => response.json())")
        check("the user in Chromium", session["user"], "ann")
        cookies = {cookie["name"]: cookie for cookie in context.cookies()}
        cookie = cookies["__Host-larder-session"]
        check("the cookie", (cookie["sameSite"], cookie["httpOnly"], cookie["secure"]), ("Strict", True, True))
        assert "__Host-larder-sign-in" not in cookies, "the cookie of the attempt remains"
        changed = page.evaluate("fetch('/api/v1/session', {method: 'DELETE'}).then(response => response.status)")
        check("signing out", changed, 200)
        # The person is still signed in at the provider. A page of another site begins no attempt.
        page.goto(f"{base.replace('localhost', '127.0.0.1')}/console/")
        page.evaluate(f"location.href = '{base}{START}'")
        page.wait_for_url("**/console/#/sign-in?problem=cross-site-request")
        # A refusal opens the console's page with the code.
        page.evaluate(f"location.href = '{base}{START.replace('acme', 'none')}'")
        chromium.close()


def main():
    base, token, folder = sys.argv[1:4]
    larder = Larder(base, token)
    provider = Provider(folder, f"{base}{START}/callback")
    provider.set_person("ann", "staff")
    provider.set_person("bob", "visitors")
    larder.call("POST", "/users", {"name": "eve", "password": PASSWORD, "grants": [{"role": "viewer"}]})
    larder.call("PUT", "/sign-in-providers/acme", {
        "issuer": provider.issuer, "label": "Acme", "clientId": django_provider.CLIENT,
        "clientSecret": django_provider.SECRET, "scopes": ["openid", "profile", "email"],
        "groups": [{"group": "staff", "grants": [{"role": "viewer"}]},
                   {"group": "release-managers", "grants": [{"role": "releaser", "app": "default"}]}]})
    began = time.monotonic()
    in_chromium(base)

    browser = Browser(base)
    check("a sign-in", browser.sign_in("ann"), None)
    check("the grants", browser.session()["grants"], [{"role": "viewer"}])
    provider.set_person("ann", "staff", "release-managers")
    check("a sign-in with another group", Browser(base).sign_in("ann"), None)
    check("the grants of the older session", browser.session()["grants"],
          [{"role": "viewer"}, {"role": "releaser", "app": "default"}])
    check("a person without a group", Browser(base).sign_in("bob"), "no-matching-group")
    provider.set_person("eve", "staff")
    check("a person with the name of a user", Browser(base).sign_in("eve"), "user-exists")

    browser = Browser(base)
    callback = browser.callback("ann")
    check("a foreign browser", Browser(base).finish(callback), "sign-in-expired")
    forged = re.sub(r"state=[0-9a-f]{8}", "state=00000000", callback)
    check("another state", browser.finish(forged), "sign-in-expired")
    check("the right browser", browser.finish(callback), None)
    check("a replayed code", browser.finish(callback), "sign-in-expired")
    # The code of a person in the attempt of another browser, as in a forged login.
    attacker, victim = Browser(base), Browser(base)
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(attacker.callback("ann")).query)["code"][0]
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(victim.begin()).query)["state"][0]
    check("a foreign code", victim.finish(f"{START}/callback?code={code}&state={state}"), "sign-in-refused")

    for claims in {"aud": "other"}, {"exp": int(time.time()) - 120}, {"nonce": "other"}, {"iss": "https://evil.example"}:
        django_provider.overrides.update(claims)
        check(f"an ID token with {claims}", Browser(base).sign_in("ann"), "sign-in-refused")
        django_provider.overrides.clear()
    check("a right ID token", Browser(base).sign_in("ann"), None)

    provider.rotate()
    while (problem := Browser(base).sign_in("ann")) is not None:
        check("the next key", problem, "sign-in-refused")
        assert time.monotonic() - began < 4 * KEY_REST, "the next key of the provider is not read"
        time.sleep(KEY_REST / 10)

    browser = Browser(base)
    callback = browser.callback("ann")
    provider.stop()
    check("a provider that is down", browser.finish(callback), "provider-unavailable")
    signed_in = larder.call("POST", "/session", {"user": "eve", "password": PASSWORD})
    check("a password meanwhile", signed_in["user"], "eve")


main()
