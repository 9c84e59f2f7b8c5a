#!/usr/bin/env python3
"""Checks the description of the operators' API against a server: openapi.py SCENARIO BASE_URL ADMIN_TOKEN FOLDER

  validate  the description is valid by the schema of OpenAPI 3.1
  fuzz      schemathesis sends requests that fit the description and some that do not; no response is undescribed
  client    a Python client that is generated from the description publishes, releases, lists and deletes

FOLDER is an empty folder for what the scenario writes.
"""
import datetime
import io
import json
import os
import pathlib
import subprocess
import sys
import urllib.request
import zipfile

PYTHON = pathlib.Path(__file__).resolve().parents[2] / ".build/python"
sys.path.insert(0, str(PYTHON))

NEWS = "/apps/default/packages/news"
# Requests for each operation and phase, and the seed of all of them.
EXAMPLES = 6
SEED = 20261124
# The seconds of a run on a busy machine; an idle one needs a quarter.
PATIENCE = 360
# Its response has no end, and schemathesis waits for one. `AppEventTests` tests it, and `OpenAPITests` its errors.
EXCLUDED = ["streamEvents"]
CHECKS = [
    "not_a_server_error", "status_code_conformance", "content_type_conformance", "response_headers_conformance",
    "response_schema_conformance", "ignored_auth",
]


class Server:
    """The operators' API."""

    def __init__(self, base, token):
        self.base, self.token = base, token

    def send(self, method, path, body=b"", kind="application/json"):
        request = urllib.request.Request(
            f"{self.base}{path}", data=body or None, method=method,
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": kind})
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def change(self, method, path, value=None):
        return self.send(method, f"/api/v1{path}", b"" if value is None else json.dumps(value).encode())

    def description(self):
        return self.send("GET", "/api/openapi.json")


def sample(text):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("index.html", f"<h1>{text}</h1>")
    return packed.getvalue()


def validate(server, _):
    from openapi_spec_validator import OpenAPIV31SpecValidator

    description = server.description()
    errors = list(OpenAPIV31SpecValidator(description).iter_errors())
    assert not errors, [f"{list(error.path)}: {error.message}"[:500] for error in errors]
    assert len(description["paths"]) > 60, len(description["paths"])


def fill(server):
    """Makes the objects that the examples of the description name."""
    for package in ("news", "common"):
        server.change("PUT", f"/apps/default/packages/{package}", {"name": package})
        for version in ("1.0.0", "1.1.0"):
            server.send(
                "POST", f"/api/v1/apps/default/packages/{package}/versions?version={version}", sample(version),
                "application/zip")
        server.change("POST", f"/apps/default/packages/{package}/releases", {"version": "1.0.0"})
    server.change("POST", "/apps/default/release-sets", {"versions": {"news": "1.1.0", "common": "1.1.0"}, "percent": 10})
    server.send("PUT", "/api/v1/apps/default/device-lists/testers", b"ann\n", "text/plain")
    server.change("PUT", "/apps/default/builds/8.3.0", {"apis": ["camera"]})
    server.change("POST", "/apps/default/presets", {"appVersion": "8.3.0", "packages": {"news": "1.0.0"}})
    expires = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(days=1)
    server.change("PUT", "/apps/default/page-grants/checkout", {
        "origin": "https://shop.example.com", "path": "/checkout/", "apis": ["pay"], "expires": expires.isoformat()})
    server.change("PUT", f"{NEWS}/waivers/source-map", {"reason": "for our crash reports"})
    server.change("POST", "/apps/default/webhooks", {"url": "http://localhost:9/hook"})


def fuzz(server, folder):
    fill(server)
    options = [
        "--url", server.base, "--header", f"Authorization: Bearer {server.token}", "--seed", str(SEED),
        "--max-examples", str(EXAMPLES), "--phases", "examples,coverage,fuzzing", "--checks", ",".join(CHECKS),
        "--suppress-health-check", "all", "--no-shrink", "--generation-deterministic", "--request-timeout", "60", "--continue-on-failure", "--warnings", "off", "--no-color",
    ]
    for operation in EXCLUDED:
        options += ["--exclude-operation-id", operation]
    run([PYTHON / "bin/schemathesis", "run", *options, f"{server.base}/api/openapi.json"], folder,
        SCHEMATHESIS_HOOKS="openapi_hooks")
    # The server is still there, and nothing of the run was lost unnoticed.
    assert any(app["id"] == "default" for app in server.change("GET", "/apps")["apps"])


def run(command, folder, **variables):
    done = subprocess.run(
        [sys.executable, *map(str, command)], cwd=folder, timeout=PATIENCE, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": f"{PYTHON}:{pathlib.Path(__file__).parent}", "HOME": str(folder), **variables})
    assert done.returncode == 0, (done.stdout + done.stderr)[-20_000:]


def client(server, folder):
    """Generates a client, and uses it as a program would."""
    (folder / "openapi.json").write_text(json.dumps(server.description()))
    # The generator writes functions for bodies of bytes only if they are called so.
    overrides = {"content_type_overrides": {"application/zip": "application/octet-stream"}}
    (folder / "generator.json").write_text(json.dumps(overrides))
    run([PYTHON / "bin/openapi-python-client", "generate", "--path", "openapi.json", "--meta", "none",
         "--config", "generator.json", "--output-path", "larder_client"], folder)
    sys.path.insert(0, str(folder))
    from larder_client import AuthenticatedClient
    from larder_client.api.packages import delete_package, list_packages, put_package
    from larder_client.api.releases import list_releases, make_release
    from larder_client.api.versions import list_versions, publish_version
    from larder_client.models import PackageSettings, ReleaseRequest
    from larder_client.types import File

    access = AuthenticatedClient(base_url=server.base, token=server.token)
    settings = PackageSettings(name="News", url_prefix="/news/")
    made = put_package.sync_detailed("default", "news", client=access, body=settings)
    assert made.status_code == 201 and made.parsed.name == "News", made
    zipped = File(payload=io.BytesIO(sample("1.0.0")), mime_type="application/zip")
    published = publish_version.sync_detailed("default", "news", client=access, version="1.0.0", body=zipped)
    assert published.status_code == 201 and published.parsed.status == "published", published
    request = ReleaseRequest(version="1.0.0", percent=10)
    released = make_release.sync_detailed("default", "news", client=access, body=request)
    assert released.status_code == 201 and released.parsed.percent == 10, released
    again = make_release.sync_detailed("default", "news", client=access, body=request)
    assert again.status_code == 409 and again.parsed.code == "release-exists", again
    versions = list_versions.sync("default", "news", client=access, limit=1)
    assert [version.version for version in versions.versions] == ["1.0.0"], versions
    releases = list_releases.sync("default", "news", client=access)
    assert [(release.id, release.state) for release in releases.releases] == [(1, "active")], releases
    assert [package.id for package in list_packages.sync("default", client=access).packages] == ["news"]
    refused = delete_package.sync_detailed("default", "news", client=access)
    assert refused.status_code == 409 and refused.parsed.code == "conflict", refused


if __name__ == "__main__":
    scenario, base, token, folder = sys.argv[1:5]
    {"validate": validate, "fuzz": fuzz, "client": client}[scenario](Server(base, token), pathlib.Path(folder))
