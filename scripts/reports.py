"""A load of device reports by `larder simulate`, whose `--check` compares the server's statistics with the truth."""
import io
import json
import os
import subprocess
import sys
import zipfile

import cluster

VERSIONS = ("1.0.0", "1.0.1")
PACKAGES = "/api/v1/apps/default/packages"


def publish(base, token, package):
    """Creates a package, publishes the versions of simulated devices, and releases the last one."""
    def ask(method, path, content, kind="application/json"):
        status, _, text = cluster.call(base, method, f"{PACKAGES}/{package}{path}", content, token, kind)
        if status >= 300:
            sys.exit(f"{method} {package}{path}: {status} {text.decode()[:300]}")

    ask("PUT", "", b"{}")
    for version in VERSIONS:
        upload = io.BytesIO()
        with zipfile.ZipFile(upload, "w") as archive:
            archive.writestr("index.html", f"<!doctype html><title>{version}</title>")
        ask("POST", f"/versions?version={version}", upload.getvalue(), "application/zip")
    ask("POST", "/releases", json.dumps({"version": VERSIONS[-1]}).encode())


def begin(base, token, package, *options):
    """Starts a simulation."""
    command = [
        cluster.LARDER, "simulate", "--server", base, "--package", package, "--versions", ",".join(VERSIONS), "--json", "--check",
        *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=dict(os.environ, LARDER_TOKEN=token))


def end(simulation):
    """Waits for a simulation, whose statistics have to be right; returns its course."""
    text = simulation.communicate()[0]
    if simulation.returncode:
        wrong = json.loads(text)["wrong"] if text else []
        sys.exit(f"larder simulate ended with status {simulation.returncode}; wrong numbers: {wrong[:10]}")
    return json.loads(text)


def rate(course):
    """Returns the acknowledged reports a second."""
    return course["sent"] / course["milliseconds"] * 1000
