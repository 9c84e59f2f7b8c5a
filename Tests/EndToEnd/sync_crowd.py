#!/usr/bin/env python3
"""Runs many concurrent processes of `larder sync` while versions move: sync_crowd.py LARDER BASE_URL TOKEN FOLDER [PASSES]

Each device has a folder and makes PASSES passes (8), of which a quarter are killed. Meanwhile releases move up and down, and a further
client asks for /config. Checks of every pass that was not killed:

- It accepts no config that is older than one that any client had received completely before the pass began.
- Its folder holds the complete version of that config: each of its files, and no file of another version.

Prints the numbers of moves and passes and, for comparison, how many passes ended with a version that the further client did not see during the
pass: it polls every 0.2 s and misses versions in between, so these are no faults.
"""
import io
import json
import os
import pathlib
import random
import subprocess
import sys
import threading
import time
import urllib.request
import zipfile

LARDER, BASE, TOKEN, FOLDER = sys.argv[1:5]
PASSES = int(sys.argv[5]) if len(sys.argv) > 5 else 8
DEVICES = 20
VERSIONS = [f"1.{number}" for number in range(4)]
KILLED_SHARE = 0.25
# Times in seconds.
POLL_PAUSE = 0.2
LONGEST_MOVE_PAUSE = 0.4
LONGEST_PASS_PAUSE = 0.5
DEADLINE = 300
# The content of every version except for its last bytes, so that patches are built.
COMMON = random.Random(1).randbytes(20_000)

lock = threading.Lock()
devices_left = DEVICES
faults = []
# The time at which a client had received a config, the config's number, and its version.
received = []
# The time at which the further client had received a config, and its version.
polled = []
# The begin and the end of a pass, and its final version.
passes = []
killed = moves = 0
versions_of_configs = {}


def files(version):
    return {
        "index.html": version.encode(), "common.bin": COMMON + version.encode(), f"only-{version}.txt": version.encode()}


def call(method, path, body=b"", kind="application/json"):
    request = urllib.request.Request(
        f"{BASE}/api/v1/apps/default/packages/app{path}", method=method, data=body or None,
        headers={"Authorization": f"Bearer {TOKEN}", "Content-Type": kind})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.load(answer)


def publish(version):
    upload = io.BytesIO()
    with zipfile.ZipFile(upload, "w") as archive:
        for name, content in files(version).items():
            archive.writestr(name, content)
    call("POST", f"/versions?version={version}", upload.getvalue(), "application/zip")


def release(version):
    call("POST", "/releases", json.dumps({"version": version}).encode())


def note(number, version, at):
    """Records a config; each number has one version."""
    with lock:
        received.append((at, number, version))
        if versions_of_configs.setdefault(number, version) != version:
            faults.append(f"config {number} offers {versions_of_configs[number]} and {version}")


def move():
    global moves
    generator, last = random.Random(2), VERSIONS[0]
    while devices_left > 0:
        last = generator.choice([version for version in VERSIONS if version != last])
        release(last)
        moves += 1
        time.sleep(generator.uniform(0, LONGEST_MOVE_PAUSE))


def poll():
    while devices_left > 0:
        with urllib.request.urlopen(f"{BASE}/config", timeout=60) as answer:
            config = json.load(answer)
            polled.append((time.monotonic(), config["app"]["version"]))
            note(int(answer.headers["Larder-Config-Version"]), config["app"]["version"], time.monotonic())
        time.sleep(POLL_PAUSE)


def contents(folder):
    """Returns the files of a device's copy, except for those that the server adds."""
    copy = pathlib.Path(folder) / "app"
    return {
        str(path.relative_to(copy)): path.read_bytes() for path in copy.rglob("*")
        if path.is_file() and path.name not in ("app.config.json", "files.json")}


def make_pass(device, generator):
    global killed
    folder = f"{FOLDER}/device-{device}"
    began = time.monotonic()
    process = subprocess.Popen(
        [LARDER, "sync", BASE, folder, "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if generator.random() < KILLED_SHARE:
        time.sleep(generator.uniform(0, 0.5))
        process.kill()
        process.communicate()
        killed += 1
        return
    output, errors = process.communicate(timeout=DEADLINE)
    ended = time.monotonic()
    if process.returncode != 0:
        faults.append(f"device {device}: status {process.returncode}: {output}{errors}")
        return
    result = json.loads(output)
    number, package = result["configVersion"], result["packages"][0]
    version = package.get("to") or package["version"]
    with lock:
        newest = max((config for at, config, _ in received if at <= began), default=0)
    if number < newest:
        faults.append(f"device {device}: took config {number}, and {newest} had been received before the pass began")
    note(number, version, ended)
    if contents(folder) != files(version):
        faults.append(f"device {device}: the copy is not {version}, whole: {sorted(contents(folder))}")
    with lock:
        passes.append((began, ended, version))


def be_device(device):
    global devices_left
    generator = random.Random(device)
    try:
        for _ in range(PASSES):
            make_pass(device, generator)
            time.sleep(generator.uniform(0, LONGEST_PASS_PAUSE))
    finally:
        with lock:
            devices_left -= 1


def main():
    call("PUT", "", b"{}")
    for version in VERSIONS:
        publish(version)
    release(VERSIONS[0])
    threading.excepthook = lambda failure: faults.append(repr(failure.exc_value))
    threads = [threading.Thread(target=move), threading.Thread(target=poll)]
    threads += [threading.Thread(target=be_device, args=(device,)) for device in range(DEVICES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    unseen = 0
    for began, ended, version in passes:
        seen = {other for at, other in polled if began <= at <= ended}
        unseen += bool(seen) and version not in seen
    print(json.dumps({"moves": moves, "passes": len(passes), "killed": killed, "unseen": unseen, "faults": faults}))
    sys.exit(1 if faults or not passes or moves < 2 else 0)


main()
