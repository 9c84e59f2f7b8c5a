"""Requests the same files by many devices at once, and verifies their bytes.

usage: cold_cache.py BASE_URL DEVICES < PATHS

Each device requests all paths over a connection of its own, in an order of its own. Prints one JSON object with the number
of requests, the failures (all responses but 200 with the bytes that their ETag names), and the seconds. `fetch_all` is for
other scripts.
"""
import hashlib
import http.client
import json
import sys
import threading
import time
import urllib.parse


def fetch_all(base, paths, devices):
    """Returns the number of requests, a list of the failures, and the seconds."""
    url = urllib.parse.urlsplit(base)
    failures = []

    def run(number):
        connection = http.client.HTTPConnection(url.hostname, url.port, timeout=120)
        start = number * len(paths) // devices
        for path in paths[start:] + paths[:start]:
            try:
                connection.request("GET", path)
                response = connection.getresponse()
                body = response.read()
            except OSError as error:
                failures.append(f"{path}: {error}")
                connection.close()
                continue
            if response.status != 200:
                failures.append(f"{path}: {response.status}")
            elif hashlib.sha256(body).hexdigest() not in response.headers.get("ETag", ""):
                failures.append(f"{path}: wrong bytes")
        connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(devices)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {"requests": devices * len(paths), "failures": failures, "seconds": round(time.monotonic() - begin, 2)}


if __name__ == "__main__":
    result = fetch_all(sys.argv[1], sys.stdin.read().split(), int(sys.argv[2]))
    result["failures"] = result["failures"][:10]
    print(json.dumps(result))
    sys.exit(1 if result["failures"] else 0)
