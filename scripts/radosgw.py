"""Ceph's radosgw for scripts/interop and scripts/bench-cluster: a cluster of one monitor and one OSD, whose objects are in memory.

The programs are those that scripts/bootstrap --interop unpacked into .build/ceph, or else the installed ones. All listen on the
loopback interface only, and all files are in one folder.
"""
import glob
import hashlib
import hmac
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.parse
import urllib.request
import uuid

from cluster import ROOT, START_SECONDS, free_port

UNPACKED = os.path.join(ROOT, ".build", "ceph")
ACCESS_KEY, SECRET_KEY, BUCKET = "larder-access", "larder-secret", "larder"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}

CONF = """
[global]
fsid = {fsid}
mon host = [v2:127.0.0.1:{port}/0]
ms bind msgr1 = false
keyring = {dir}/keyring
run dir = {dir}
admin socket =
crash dir = {dir}
log file = {dir}/$name.log
mon cluster log file = {dir}/cluster.log
mon data = {dir}/mon
mon data avail crit = 1
mon allow pool size one = true
osd data = {dir}/osd
osd objectstore = memstore
memstore device bytes = 1073741824
osd crush chooseleaf type = 0
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
rgw rados pool pg num min = 1
rgw data = {dir}
rgw mime types file = {dir}/mime.types
{libraries}
[osd]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
"""


class Radosgw:
    """A running radosgw with a user and an empty bucket."""

    def __init__(self, directory):
        self.directory, self.processes = os.path.join(directory, "ceph"), []
        os.makedirs(self.path("osd"))
        open(self.path("mime.types"), "w").close()
        self.port, monitor = free_port(), free_port()
        self.endpoint = f"http://127.0.0.1:{self.port}"
        self.environment = dict(os.environ, CEPH_CONF=self.path("ceph.conf"))
        libraries = ""
        if os.path.exists(os.path.join(UNPACKED, "complete")):
            folder = glob.glob(f"{UNPACKED}/usr/lib/*-linux-gnu")[0]
            self.environment["PATH"] = f"{UNPACKED}/usr/bin:{os.environ['PATH']}"
            self.environment["LD_LIBRARY_PATH"] = ":".join(
                [folder, f"{folder}/ceph", *glob.glob(f"{UNPACKED}/lib/*-linux-gnu")])
            libraries = (
                f"plugin dir = {folder}/ceph\nerasure code dir = {folder}/ceph/erasure-code\n"
                f"osd class dir = {folder}/rados-classes")
        if not shutil.which("radosgw", path=self.environment.get("PATH")):
            sys.exit("radosgw is missing: run scripts/bootstrap --interop")
        fsid = str(uuid.uuid4())
        with open(self.path("ceph.conf"), "w") as file:
            file.write(CONF.format(dir=self.directory, fsid=fsid, port=monitor, libraries=libraries))
        try:
            self.begin(fsid, monitor)
        except BaseException:
            self.stop()
            raise

    def begin(self, fsid, monitor):
        for name, rights in (
            ("mon.", ["mon", "allow *"]), ("client.admin", ["mon", "allow *", "osd", "allow *"]),
            ("osd.0", ["mon", "allow profile osd", "osd", "allow *"]),
        ):
            caps = sum((["--cap", *rights[index:index + 2]] for index in range(0, len(rights), 2)), [])
            create = [] if os.path.exists(self.path("keyring")) else ["--create-keyring"]
            self.run("ceph-authtool", self.path("keyring"), *create, "--gen-key", "-n", name, *caps)
        self.run("monmaptool", "--create", "--addv", "a", f"[v2:127.0.0.1:{monitor}]", "--fsid", fsid,
                 "--enable-all-features", self.path("monmap"))
        # A map with one OSD, so that no command has to create it.
        self.run("osdmaptool", "--createsimple", "1", self.path("osdmap"))
        self.run("ceph-mon", "--mkfs", "-i", "a", "--monmap", self.path("monmap"), "--osdmap", self.path("osdmap"))
        self.start("ceph-mon", "-i", "a")
        self.run("ceph-osd", "-i", "0", "--mkfs", "--osd-uuid", str(uuid.uuid4()))
        self.start("ceph-osd", "-i", "0")
        self.run("radosgw-admin", "user", "create", "--uid", "larder", "--display-name", "Larder",
                 "--access-key", ACCESS_KEY, "--secret-key", SECRET_KEY)
        self.start("radosgw", "-n", "client.admin", "--rgw-frontends", f"beast endpoint=127.0.0.1:{self.port}")
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                urllib.request.urlopen(self.endpoint, timeout=5).read()
                break
            except OSError as error:
                if time.monotonic() > end or self.processes[-1].poll() is not None:
                    sys.exit(f"radosgw does not start: {error}, {self.last_lines()}")
            time.sleep(0.1)
        self.request("PUT", f"/{BUCKET}")

    def path(self, name):
        return os.path.join(self.directory, name)

    def run(self, *command):
        result = subprocess.run(
            command, env=self.environment, capture_output=True, text=True, timeout=START_SECONDS)
        if result.returncode != 0:
            sys.exit(f"{command[0]} ended with status {result.returncode}: {result.stderr}{self.last_lines()}")

    def start(self, *command):
        with open(self.path(f"{command[0]}.out"), "w") as output:
            self.processes.append(
                subprocess.Popen([*command, "-f"], env=self.environment, stdout=output, stderr=output))

    def last_lines(self):
        return "".join(
            line for name in sorted(glob.glob(self.path("*.out")) + glob.glob(self.path("*.log")))
            for line in open(name, errors="replace").readlines()[-3:])

    def stop(self):
        # Nothing is kept, so nothing has to be written.
        for process in reversed(self.processes):
            process.kill()
            process.wait()

    def request(self, method, path, query=None):
        """Sends a request with a signed URL, and returns the head and the body of the response."""
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        scope = [now[:8], "us-east-1", "s3", "aws4_request"]
        fields = {
            **(query or {}), "X-Amz-Algorithm": "AWS4-HMAC-SHA256", "X-Amz-Credential": "/".join([ACCESS_KEY, *scope]),
            "X-Amz-Date": now, "X-Amz-Expires": "60", "X-Amz-SignedHeaders": "host"}
        signed = urllib.parse.urlencode(sorted(fields.items()), quote_via=urllib.parse.quote)
        host = self.endpoint.removeprefix("http://")
        canonical = "\n".join([method, path, signed, f"host:{host}", "", "host", "UNSIGNED-PAYLOAD"])
        key = f"AWS4{SECRET_KEY}".encode()
        for part in scope:
            key = hmac.digest(key, part.encode(), "sha256")
        text = "\n".join(["AWS4-HMAC-SHA256", now, "/".join(scope), hashlib.sha256(canonical.encode()).hexdigest()])
        url = f"{self.endpoint}{path}?{signed}&X-Amz-Signature={hmac.digest(key, text.encode(), 'sha256').hex()}"
        with urllib.request.urlopen(urllib.request.Request(url, method=method), timeout=60) as response:
            return response.headers, response.read()

    def objects(self, prefix):
        """Returns the sizes of the objects whose keys begin with a prefix."""
        found = self.request("GET", f"/{BUCKET}", {"list-type": "2", "prefix": prefix})[1].decode()
        assert "<IsTruncated>false" in found, found
        return {
            key: int(size) for key, size in re.findall(r"<Key>([^<]+)</Key>.*?<Size>(\d+)</Size>", found)}
