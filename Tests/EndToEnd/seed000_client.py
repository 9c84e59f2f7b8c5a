#!/usr/bin/env python3
"""An app with the offline packages of seed 000, written from clients.md §1.0 and nothing else.

It behaves like the Objective-C code of that article, faults included, and shares no code with Larder: if it misreads a
response, an app in the field would too. One run is one -update. A crash of the original ends the run with exit code 1 and
"crash"; a package that the original would silently not update is a failure, too.

    seed000_client.py --base http://127.0.0.1:8080 --cache DIR --private-key KEY.pem
"""

import argparse
import base64
import binascii
import hashlib
import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile

TIMEOUT_SECONDS = 60


class Crash(Exception):
    """The original would send a message to an object that does not understand it, and crash."""


class NotUpdated(Exception):
    """The original would silently skip the update of a package."""


def get(url):
    """A data task of NSURLSession without query and fields, which ignores the status."""
    parts = urllib.parse.urlsplit(url) if isinstance(url, str) else None
    # [NSURL URLWithString:] is nil for text beyond ASCII, and requestWithURL:nil crashes (K12, G5).
    if parts is None or not parts.scheme or not parts.netloc or not url.isascii() or " " in url:
        raise Crash(f"requestWithURL: of {url!r}")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=TIMEOUT_SECONDS) as answer:
            return answer.read()
    except urllib.error.HTTPError as answer:
        return answer.read()


class OfflinePackages:
    """SHOfflinePackage: one device's packages under cachePath/<appId>."""

    def __init__(self, base, cache_path, private_key):
        self.base = base
        self.cache_path = cache_path
        self.private_key = private_key
        self.outcomes = []

    # -update

    def update(self):
        try:
            config = json.loads(get(self.base + "/config"))
        except ValueError:
            config = None
        for entry in self.filter_update_config(config):
            self.update_package(entry)

    def update_package(self, entry):
        app_id = entry["appId"]
        outcome = {"appId": app_id, "from": self.local_version(app_id), "to": entry["version"]}
        self.outcomes.append(outcome)
        kind, source = self.check_update_type(entry)
        outcome["kind"] = kind
        try:
            archive = self.download_offline_package(source)
            outcome["bytes"] = len(archive)
            if kind == "full":
                self.update_full_package(source["appId"], archive)
            else:
                outcome["deleted"] = self.update_incremental_package(source["appId"], archive)
        except NotUpdated as reason:
            outcome["outcome"] = "failed"
            outcome["reason"] = str(reason)
            return
        outcome["installed"] = self.local_version(app_id)
        # K6: otherwise it would download the package again at every start.
        if outcome["installed"] == entry["version"]:
            outcome["outcome"] = "updated"
        else:
            outcome["outcome"] = "failed"
            outcome["reason"] = "the version in the package is not the one in the config: it will never be current"

    # -filterUpdateConfig:

    def filter_update_config(self, config):
        # K1: allValues, which only a dictionary understands.
        if not isinstance(config, dict):
            raise Crash("allValues sent to something that is no dictionary")
        wanted = [entry for entry in config.values() if self.is_wanted(entry)]
        if len(wanted) > 1:
            # K7: -compare: of the priorities.
            for entry in wanted:
                priority = entry.get("priority")
                if isinstance(priority, bool) or not isinstance(priority, (int, float)):
                    raise Crash(f"compare: of the priority {priority!r}")
            wanted.sort(key=lambda entry: entry["priority"], reverse=True)
        return wanted

    def is_wanted(self, entry):
        # K2
        if not isinstance(entry, dict):
            self.outcomes.append({"outcome": "skipped", "reason": "not a dictionary"})
            return False
        app_id = entry.get("appId")
        # K3: an existing copy stays in use.
        if entry.get("enable") in (None, False, 0):
            self.outcomes.append({"appId": app_id, "outcome": "skipped", "reason": "not enabled"})
            return False
        path = self.local_config_path(app_id)
        # K4
        if not os.path.exists(path):
            return True
        local = self.local_config(app_id)
        if local is None:
            self.outcomes.append({"appId": app_id, "outcome": "failed", "reason": "app.config.json is broken"})
            return False
        # K5, K6: [new isEqualToString:old].
        if not isinstance(entry.get("version"), str):
            raise Crash(f"isEqualToString: sent to {entry.get('version')!r}")
        if entry["version"] == local.get("version"):
            self.outcomes.append({"appId": app_id, "outcome": "unchanged", "installed": entry["version"]})
            return False
        return True

    # -checkUpdateType:

    def check_update_type(self, entry):
        incremental = entry.get("incrementalPackages")
        # K8
        if not isinstance(incremental, dict):
            return "full", entry
        local = self.local_config(entry["appId"])
        # K9
        if local is None:
            return "full", entry
        # K10, K11: only the nested object counts from here on.
        nested = incremental.get(local.get("version"))
        return ("full", entry) if nested is None else ("incremental", nested)

    # -downloadOfflinePackage:

    def download_offline_package(self, source):
        archive = get(source.get("url"))
        # K13: md5String of the data against the decrypted signature.
        if hashlib.md5(archive).hexdigest().encode() != self.decrypt(source.get("signature")):
            raise NotUpdated("the signature is not one of this archive")
        return archive

    def decrypt(self, signature):
        """[SHRSA decryptString:privateKey:]: nil for text that cannot be decrypted (K14)."""
        if not isinstance(signature, str):
            return None
        try:
            encrypted = base64.b64decode(signature, validate=True)
        except binascii.Error:
            return None
        command = ["openssl", "pkeyutl", "-decrypt", "-inkey", self.private_key, "-pkeyopt", "rsa_padding_mode:pkcs1"]
        result = subprocess.run(command, input=encrypted, capture_output=True, check=False)
        return result.stdout if result.returncode == 0 else None

    # -updateFullPackage:, -updateIncrementalPackage:

    def update_full_package(self, app_id, archive):
        # K15
        shutil.rmtree(os.path.join(self.cache_path, app_id), ignore_errors=True)
        self.unzip(archive)

    def update_incremental_package(self, app_id, archive):
        # K16
        self.unzip(archive)
        folder = os.path.join(self.cache_path, app_id)
        file_dict = self.read_dictionary(os.path.join(folder, "files.json"))
        # K17
        if file_dict is None:
            return []
        keep = {path.lstrip("/") for path in file_dict.values()}
        deleted = []
        for parent, _, names in os.walk(folder):
            for name in names:
                path = os.path.relpath(os.path.join(parent, name), folder)
                if path not in keep:
                    os.remove(os.path.join(folder, path))
                    deleted.append(path)
        return sorted(deleted)

    def unzip(self, archive):
        """SSZipArchive into cachePath: the archive's top folder determines the destination of its files."""
        path = os.path.join(self.cache_path, ".download.zip")
        with open(path, "wb") as file:
            file.write(archive)
        try:
            with zipfile.ZipFile(path) as archive_file:
                archive_file.extractall(self.cache_path)
        except (zipfile.BadZipFile, OSError) as error:
            raise NotUpdated(f"the archive cannot be unzipped: {error}") from error
        finally:
            os.remove(path)

    # The copies

    def local_config_path(self, app_id):
        return os.path.join(self.cache_path, app_id, "app.config.json")

    def local_config(self, app_id):
        return self.read_dictionary(self.local_config_path(app_id))

    def local_version(self, app_id):
        return (self.local_config(app_id) or {}).get("version")

    @staticmethod
    def read_dictionary(path):
        try:
            with open(path, "rb") as file:
                value = json.loads(file.read())
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) else None


def main():
    parser = argparse.ArgumentParser(description="Updates a folder of packages as seed 000's app does.")
    parser.add_argument("--base", required=True, help="the client's base URL, to which /config is added")
    parser.add_argument("--cache", required=True, help="the folder of packages (cachePath)")
    parser.add_argument("--private-key", required=True, help="the PEM that the app embeds")
    arguments = parser.parse_args()
    os.makedirs(arguments.cache, exist_ok=True)
    packages = OfflinePackages(arguments.base, arguments.cache, arguments.private_key)
    result = {"base": arguments.base}
    try:
        packages.update()
    except Crash as crash:
        result["crash"] = str(crash)
    except OSError as error:
        result["error"] = str(error)
    result["packages"] = packages.outcomes
    failed = any(outcome["outcome"] == "failed" for outcome in packages.outcomes if "outcome" in outcome)
    result["success"] = not failed and "crash" not in result and "error" not in result
    json.dump(result, sys.stdout, ensure_ascii=False, indent=2)
    print()
    return 0 if result["success"] else 1


if __name__ == "__main__":
    sys.exit(main())
