#!/usr/bin/env python3
"""Behaves like a client of seed 004: seed004_client.py BASE_URL PACKAGE FOLDER

Requests the list with the version of the one in FOLDER, patches the files in use or downloads missing ones, keeps each file
as <resourceID>-<version> and the list as <version>.json without patches, and deletes files that are not listed. Prints
JSON: version, patched, downloaded, and current: the names of the files in use by resourceID, which are the first active ones
of the list.
"""
import datetime
import hashlib
import json
import pathlib
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / ".build/python"))
import diff_match_patch

base, package, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
folder.mkdir(parents=True, exist_ok=True)
library = diff_match_patch.diff_match_patch()


def order(version):
    return [int(part) for part in version.split(".")]


def get(url):
    with urllib.request.urlopen(url) as answer:
        return answer.read()


def digest(data):
    return hashlib.sha256(data).hexdigest()


def in_use(listed):
    """Returns the names of the files in use by resourceID: the first ones of a list that are active by this clock."""
    now = datetime.datetime.now(datetime.timezone.utc)
    names = {}
    for resource in listed["resourceList"]:
        if datetime.datetime.fromisoformat(resource["activeTime"].replace("Z", "+00:00")) <= now:
            names.setdefault(resource["resourceID"], f'{resource["resourceID"]}-{resource["version"]}')
    return names


def patched(resource):
    """Patches the file in use if there is a patch; like the article's client, it ignores diffFrom."""
    if "diff" not in resource:
        return None
    old = (folder / before[resource["resourceID"]]).read_bytes()
    text, applied = library.patch_apply(library.patch_fromText(resource["diff"]), old.decode())
    assert all(applied), resource
    return text.encode()


held = sorted((file.stem for file in folder.glob("*.json")), key=order)
query = "?version=" + held[-1] if held else ""
before = in_use(json.loads((folder / f"{held[-1]}.json").read_text())) if held else {}
told = json.loads(get(f"{base}/packages/{package}/resources.json{query}"))
assert not held or order(told["version"]) >= order(held[-1]), (told["version"], held)
report = {"version": told["version"], "patched": [], "downloaded": [], "current": in_use(told)}
listed = {told["version"] + ".json"}
for resource in told["resourceList"]:
    name = f'{resource["resourceID"]}-{resource["version"]}'
    listed.add(name)
    if (folder / name).exists():
        assert digest((folder / name).read_bytes()) == resource["sha256"], f"{name} means two contents"
    else:
        data = patched(resource)
        report["downloaded" if data is None else "patched"].append(name)
        data = get(resource["downUrl"]) if data is None else data
        assert digest(data) == resource["sha256"] and len(data) == resource["size"], f"{name} is not what the server has"
        (folder / name).write_bytes(data)
    resource.pop("diff", None)
    resource.pop("diffFrom", None)
for file in folder.iterdir():
    if file.name not in listed:
        file.unlink()
(folder / (told["version"] + ".json")).write_text(json.dumps(told))
print(json.dumps(report))
