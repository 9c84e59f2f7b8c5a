"""The bars of the benchmarks, and their comparison with measurements. docs/benchmarks.md has the figures behind the bars.

A bar is the worst figure that passes, a least or a most by its name; a worse one makes the script exit with status 1.
"""
import sys

# Bars of scripts/bench, by row: larder divided by nginx in the same run. The 8 MB rows vary by a fifth between repetitions.
BENCH = {
    "/config, 64 connections": {"least rate": 1.2, "most CPU": 0.8},
    "/config, 256 connections": {"least rate": 1.2, "most CPU": 0.8},
    "/config, 1024 connections": {"least rate": 1.2, "most CPU": 0.8},
    "/config, a browser's fields, 64 connections": {"least rate": 1.2, "most CPU": 0.8},
    "/config, 304, 64 connections": {"least rate": 1.0, "most CPU": 1.0},
    "16 KB zip, 64 connections": {"least rate": 1.0, "most CPU": 1.0},
    "8 MB zip, 4 connections": {"least rate": 0.8},
    "8 MB zip, 32 connections": {"least rate": 0.8},
    "TLS, /config, 64 connections": {"least rate": 1.0, "most CPU": 0.9},
    "TLS, 8 MB zip, 4 connections": {"least rate": 1.0, "most CPU": 0.9},
    "memory": {"most MB after the start": 40},
}
# Bars of scripts/bench-config, by packages and releases: the median of a device's request.
BENCH_CONFIG = {
    "10 ended": {"most ms": 1}, "10 gray": {"most ms": 1}, "10 rules": {"most ms": 1},
    "100 ended": {"most ms": 1}, "100 gray": {"most ms": 1}, "100 rules": {"most ms": 1},
    "1000 ended": {"most ms": 1}, "1000 gray": {"most ms": 8}, "1000 rules": {"most ms": 8},
}
# Bar of every row of scripts/bench-lists: the median of a request.
BENCH_LISTS = {"most ms": 30}
# Bars of scripts/bench-patches, by versions apart: the geometric mean of each method, in percent of the full package.
BENCH_PATCHES = {
    "1 apart": {"most delta, fast": 1.1, "most delta, small": 1.0},
    "3 apart": {"most delta, fast": 2.3, "most delta, small": 2.2},
}
# Bars of scripts/bench-cluster: nodes on PostgreSQL and a bucket, divided by one server on SQLite and a folder in the same run.
BENCH_CLUSTER = {
    "/config, 64 connections": {"least rate": 0.97},
    "8 MB zip, 4 connections": {"least rate": 0.97},
    "a release, files in Ceph": {"most time": 3},
    "a release, files in a folder": {"most time": 3},
    "reports": {"least thousands per second": 20},
    "a change to the waiting devices, p99": {"most time": 1.5},
    "a cold cache, 500 blobs, 64 devices": {"least GETs per blob": 1, "most GETs per blob": 1},
    "start with 1,000 packages of 20 versions": {"most seconds": 2, "most memory": 1.2},
}
# Bars of scripts/bench-reports: what simulated devices report, with the statistics of the reports.
BENCH_REPORTS = {
    "SQLite, 50 reports a request": {
        "least thousands per second": 50, "most MB": 200, "most /config p99 ms": 20},
    "SQLite, 1 report a request": {"least thousands per second": 8},
}
# Bars of scripts/bench-console: every page over 500 packages, 20,000 versions and 1,000,000 devices.
BENCH_CONSOLE = {
    "each page": {"most ms to the first paint": 300, "most ms to the first rows": 1_000, "most early requests": 3},
}


class Bars:
    def __init__(self, bars):
        self.bars = bars
        self.missed = []

    def check(self, row, figures):
        """Compares figures by name with the bars of a row; a row or figure without a bar passes."""
        for bar, limit in self.bars.get(row, {}).items():
            kind, name = bar.split(" ", 1)
            figure = figures[name]
            if (figure < limit) if kind == "least" else (figure > limit):
                self.missed.append(f"{row}: {name} is {figure:.2f}, {'at least' if kind == 'least' else 'at most'} {limit} passes")

    def end(self):
        """Exits with status 1 if a bar was missed."""
        for line in self.missed:
            print(f"MISSED  {line}", file=sys.stderr)
        if self.missed:
            sys.exit(1)
