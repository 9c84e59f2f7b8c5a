#!/usr/bin/env python3
"""Does what a client of seed 004 does: seed004_client.py BASE_URL PACKAGE FOLDER

Asks with the version of the list in FOLDER, patches or downloads what it lacks, keeps each file as
<resourceID>-<version> and the list as <version>.json without patches, and deletes what is not listed. Prints JSON:
version, patched, downloaded, and current: the names of the files in use by resourceID.
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


def patched(resource):
    """The new bytes from a file that is here, where there is a patch from it."""
    if "diff" not in resource:
        return None
    for file in folder.glob(resource["resourceID"] + "-*"):
        old = file.read_bytes()
        if digest(old) == resource["diffFrom"]:
            text, applied = library.patch_apply(library.patch_fromText(resource["diff"]), old.decode())
            assert all(applied), resource
            return text.encode()
    return None


held = sorted((file.stem for file in folder.glob("*.json")), key=order)
query = "?version=" + held[-1] if held else ""
told = json.loads(get(f"{base}/packages/{package}/resources.json{query}"))
assert not held or order(told["version"]) >= order(held[-1]), (told["version"], held)
report = {"version": told["version"], "patched": [], "downloaded": [], "current": {}}
listed = {told["version"] + ".json"}
now = datetime.datetime.now(datetime.timezone.utc)
for resource in told["resourceList"]:
    name = f'{resource["resourceID"]}-{resource["version"]}'
    listed.add(name)
    if (folder / name).exists():
        assert digest((folder / name).read_bytes()) == resource["sha256"], f"{name} means two contents"
    else:
        data = patched(resource)
        report["downloaded" if data is None else "patched"].append(name)
        data = get(resource["downUrl"]) if data is None else data
        assert digest(data) == resource["sha256"] and len(data) == resource["size"], name
        (folder / name).write_bytes(data)
    if datetime.datetime.fromisoformat(resource["activeTime"].replace("Z", "+00:00")) <= now:
        report["current"][resource["resourceID"]] = name
    resource.pop("diff", None)
    resource.pop("diffFrom", None)
for file in folder.iterdir():
    if file.name not in listed:
        file.unlink()
(folder / (told["version"] + ".json")).write_text(json.dumps(told))
print(json.dumps(report))
