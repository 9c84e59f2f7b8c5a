"""The checks of scripts/interop with Prometheus: the metrics of a node, and the rules and the dashboard in deploy/."""
import gzip
import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import cluster
from cluster import ROOT, call
from interop_radosgw import archive

DEPLOY = os.path.join(ROOT, "deploy")
PATHS = f"{os.environ['PATH']}:{ROOT}/.build/prometheus/usr/bin"
SECONDS = 60
NAME = re.compile(r"\blarder_[a-z_]+")
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def program(name):
    found = shutil.which(name, path=PATHS)
    assert found, f"{name} is missing: run scripts/bootstrap --interop"
    return found


def promtool(*arguments, text=None):
    result = subprocess.run([program("promtool"), *arguments], input=text, capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, f"promtool {arguments[0]} {arguments[1]}: {result.stdout}{result.stderr}"
    return result.stdout


def expressions():
    """Returns the expressions of the dashboard, with values for Grafana's variables."""
    with open(os.path.join(DEPLOY, "grafana", "dashboard.json")) as file:
        panels = json.load(file)["panels"]
    return [
        target["expr"].replace("$__rate_interval", "5m").replace("$instance", ".*")
        for panel in panels for target in panel.get("targets", [])]


class Stage:
    """A node on PostgreSQL and a bucket, which has every metric, and a Prometheus that scrapes it."""

    def __init__(self, directory):
        self.directory = directory
        self.database = cluster.PostgreSQL(directory, "database", durable=False).create()
        self.bucket = cluster.Bucket(directory)
        self.node = cluster.Node(
            directory, "node", ["--database", cluster.database_url(self.database), *self.bucket.options],
            self.bucket.environment).start().wait()
        self.report()
        folder = os.path.join(directory, "prometheus")
        shutil.copytree(os.path.join(DEPLOY, "prometheus"), folder)
        token = os.path.join(folder, "larder-token")
        with open(token, "w") as file:
            file.write(self.node.token())
        self.configuration = os.path.join(folder, "scrape.yml")
        with open(self.configuration) as file:
            text = file.read()
        for old, new in (
            ("scheme: https", "scheme: http"), ("/etc/prometheus/larder-token", token),
            ("packages.example.com:443", f"127.0.0.1:{self.node.port}"), ("_interval: 15s", "_interval: 1s"),
        ):
            assert old in text, f"scrape.yml has no {old}"
            text = text.replace(old, new)
        with open(self.configuration, "w") as file:
            file.write(text)
        self.port = cluster.free_port()
        self.log = os.path.join(directory, "prometheus.log")
        with open(self.log, "w") as log:
            self.process = subprocess.Popen(
                [program("prometheus"), "--config.file", self.configuration, "--storage.tsdb.path",
                 os.path.join(directory, "series"), "--web.listen-address", f"127.0.0.1:{self.port}"],
                stdout=log, stderr=log)

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=40)
        self.node.stop()
        self.bucket.stop()
        self.database.stop()

    def report(self):
        """Publishes a version, and sends a good report, one of an unknown version and a bad one."""
        path = "/api/v1/apps/default/packages/news"
        token = self.node.token()
        call(self.node.base, "PUT", path, b"{}", token)
        status, _, body = call(
            self.node.base, "POST", path + "/versions?version=1.0.0", archive({"index.html": b"x"}), token,
            kind="application/zip")
        assert status == 201, body
        good = {
            "eventId": "1", "deviceId": "d", "package": "news", "version": "1.0.0", "event": "pageLoad", "time": 0,
            "duration": 130}
        lines = [json.dumps(event) for event in (good, dict(good, eventId="2", version="9"), dict(good, time="never"))]
        request = urllib.request.Request(
            self.node.base + "/report", gzip.compress("\n".join(lines).encode()),
            {"Content-Type": "application/x-ndjson", "Content-Encoding": "gzip"})
        with urllib.request.urlopen(request, timeout=20) as response:
            result = json.load(response)
        assert result["accepted"] == 1 and result["refused"][0]["index"] == 2, result

    def metrics(self):
        status, _, body = call(self.node.base, "GET", "/metrics", token=self.node.token())
        assert status == 200, body
        return body.decode()

    def ask(self, path, **parameters):
        url = f"http://127.0.0.1:{self.port}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"
        try:
            with urllib.request.urlopen(url, timeout=20) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{parameters}: {error.read().decode()}") from error
        assert answer["status"] == "success", answer
        return answer["data"]

    def query(self, expression):
        return self.ask("query", query=expression)["result"]

    def wait_for(self, expression):
        """Returns the first sample that the expression has."""
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            try:
                if found := self.query(expression):
                    return found[0]
            except OSError:
                pass
            time.sleep(0.2)
        with open(self.log) as log:
            raise AssertionError(f"{expression} has no sample after {SECONDS} s: {log.read()[-2000:]}")


@check
def promtool_accepts_the_rules_and_the_configuration(stage):
    promtool("check", "rules", os.path.join(DEPLOY, "prometheus", "rules.yml"))
    promtool("check", "config", stage.configuration)
    promtool("check", "config", "--syntax-only", os.path.join(DEPLOY, "compose", "prometheus.yml"))


@check
def promtool_finds_no_fault_in_the_metrics(stage):
    text = promtool("check", "metrics", text=stage.metrics())
    assert not text, text


@check
def prometheus_scrapes_the_node_with_its_token(stage):
    up = stage.wait_for('up{job="larder"} == 1')
    assert up["metric"]["instance"] == f"127.0.0.1:{stage.node.port}", up
    for outcome in ("accepted", "unknown_version", "refused"):
        sample = stage.wait_for(f'larder_reports_total{{app="default",package="news",outcome="{outcome}"}} == 1')
        assert sample["value"][1] == "1", sample


@check
def every_metric_of_the_rules_and_the_dashboard_is_one_of_the_node(stage):
    families = set(re.findall(r"^# TYPE (\S+) ", stage.metrics(), re.M))
    with open(os.path.join(DEPLOY, "prometheus", "rules.yml")) as file:
        used = set(NAME.findall(file.read()))
    for expression in expressions():
        used.update(NAME.findall(expression))
    named = {re.sub(r"_bucket$", "", name) for name in used}
    assert named <= families, f"unknown: {sorted(named - families)}"
    with open(os.path.join(ROOT, "docs", "operations.md")) as file:
        section = file.read().split("\n## Metrics\n")[1].split("\n## ")[0]
    documented = {name for row in section.splitlines() if row.startswith("| `larder_") for name in NAME.findall(row.split("|")[1])}
    assert documented == families, f"only in one of operations.md and /metrics: {sorted(documented ^ families)}"


@check
def prometheus_evaluates_all_rules_and_all_panels(stage):
    stage.wait_for("count_over_time(larder_connections[1m]) > 2")
    for expression in expressions():
        stage.query(expression)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        rules = [rule for group in stage.ask("rules")["groups"] for rule in group["rules"]]
        if rules and all(rule["health"] == "ok" for rule in rules):
            break
        time.sleep(0.2)
    bad = [(rule["name"], rule.get("lastError")) for rule in rules if rule["health"] != "ok"]
    assert rules and not bad, f"rules: {bad}"
    firing = {alert["labels"]["alertname"] for alert in stage.ask("alerts")["alerts"] if alert["state"] == "firing"}
    assert not firing, f"a healthy node causes alerts: {firing}"


@check
def prometheus_raises_an_alert_for_a_node_that_is_down(stage):
    stage.wait_for('up{job="larder"} == 1')
    stage.node.stop()
    try:
        stage.wait_for('ALERTS{alertname="LarderDown"}')
    finally:
        stage.node.start().wait()
