"""An S3-compatible server for tests: OpenStack Swift with s3api in one process, with its objects in memory.

usage: s3_server.py FOLDER BUCKET PARENT_PID [CLOCK_OFFSET_SECONDS]

Prints the port once it serves. The access key is 'test:tester' with the secret 'testing'. The key 'test:reader' with the
secret 'reading' has no right to the bucket. SIGUSR1 closes the port and all connections and prints a line, SIGUSR2 opens
the port again and prints a line. SIGHUP prints the number of requests by method since the last SIGHUP, as JSON.
The server ends with the process PARENT_PID.
"""
import collections
import hashlib
import json
import os
import signal
import sys
import time
from array import array

folder, bucket = sys.argv[1:3]
parent = int(sys.argv[3])
offset = float(sys.argv[4]) if len(sys.argv) > 4 else 0
if offset:
    real = time.time
    time.time = lambda: real() + offset

import eventlet  # noqa: E402

eventlet.monkey_patch()

from eventlet import wsgi  # noqa: E402
from paste.deploy import loadapp  # noqa: E402
from swift.account import server as account_server  # noqa: E402
from swift.common import storage_policy, utils  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.container import server as container_server  # noqa: E402
from swift.obj import mem_server  # noqa: E402

utils.HASH_PATH_SUFFIX = b"larder"
utils.HASH_PATH_PREFIX = b""
utils.SWIFT_CONF_FILE = os.path.join(folder, "swift.conf")
storage_policy._POLICIES = storage_policy.StoragePolicyCollection(
    [storage_policy.StoragePolicy(0, "only", is_default=True)])


class Silence:
    def write(self, *_):
        pass

    flush = write


def serve(app, sock, pool=None):
    return eventlet.spawn(wsgi.server, sock, app, Silence(), custom_pool=pool, log_output=False)


settings = {"devices": folder, "swift_dir": folder, "mount_check": "false", "disable_fallocate": "true"}
os.makedirs(os.path.join(folder, "disk"), exist_ok=True)
for name, make in [
    ("account", account_server.AccountController),
    ("container", container_server.ContainerController),
    ("object", mem_server.ObjectController),
]:
    sock = eventlet.listen(("127.0.0.1", 0))
    port = sock.getsockname()[1]
    device = {"id": 0, "zone": 1, "region": 1, "weight": 1.0, "device": "disk", "ip": "127.0.0.1", "port": port,
              "replication_ip": "127.0.0.1", "replication_port": port}
    ring = RingData([array("H", [0])], [device], 32)
    ring.save(os.path.join(folder, name + ".ring.gz"))
    serve(make(dict(settings)), sock)


class Cache:
    """The cache of one process, in place of memcached."""

    values = {}

    def get(self, key, raise_on_error=False, **_):
        return self.values.get(key)

    def set(self, key, value, **_):
        self.values[key] = value

    def incr(self, key, delta=1, **_):
        self.values[key] = self.values.get(key, 0) + delta
        return self.values[key]

    def delete(self, key, **_):
        self.values.pop(key, None)


CONFIGURATION = """
[DEFAULT]
swift_dir = {folder}
log_level = CRITICAL
[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:slo]
use = egg:swift#slo
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
storage_domain = localhost
s3_acl = false
auth_pipeline_check = false
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
user_test_reader = reading
"""
path = os.path.join(folder, "proxy.conf")
with open(path, "w") as file:
    file.write(CONFIGURATION.format(folder=folder))
inner = loadapp("config:" + path)
counts = collections.Counter()
cache = Cache()


def application(environ, start_response):
    environ["swift.cache"] = cache
    counts[environ["REQUEST_METHOD"]] += 1
    return inner(environ, start_response)


def make_bucket():
    """Creates the bucket by the native API of Swift, which needs no signature."""
    from swift.common.swob import Request

    request = Request.blank("/auth/v1.0", headers={"X-Auth-User": "test:tester", "X-Auth-Key": "testing"})
    request.environ["swift.cache"] = cache
    token = request.get_response(inner).headers["X-Auth-Token"]
    request = Request.blank("/v1/AUTH_test/" + bucket, method="PUT", headers={"X-Auth-Token": token})
    request.environ["swift.cache"] = cache
    status = request.get_response(inner).status_int
    assert status in (201, 202), status


class Front:
    """The port that clients connect to."""

    def __init__(self):
        self.port = 0
        self.open()

    def open(self):
        self.sock = eventlet.listen(("127.0.0.1", self.port))
        self.port = self.sock.getsockname()[1]
        self.pool = eventlet.GreenPool(256)
        self.thread = serve(application, self.sock, self.pool)

    def close(self):
        self.thread.kill()
        for thread in list(self.pool.coroutines_running):
            thread.kill()
        self.sock.close()
        print("down", flush=True)

    def reopen(self):
        self.open()
        print("up", flush=True)


def report():
    print(json.dumps(counts), flush=True)
    counts.clear()


make_bucket()
counts.clear()
front = Front()
wanted = []
for number, action in [(signal.SIGUSR1, front.close), (signal.SIGUSR2, front.reopen), (signal.SIGHUP, report)]:
    signal.signal(number, lambda *_, action=action: wanted.append(action))
print(front.port, flush=True)
# A test that is killed leaves no server behind.
while os.getppid() == parent:
    eventlet.sleep(0.02)
    while wanted:
        wanted.pop(0)()
