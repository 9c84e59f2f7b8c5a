"""The checks of scripts/interop for a node whose files are in Ceph's radosgw."""
import contextlib
import hashlib
import http.client
import http.server
import io
import json
import os
import re
import shutil
import struct
import subprocess
import threading
import urllib.parse
import zipfile

import radosgw
from cluster import LARDER, ROOT, Node, call

HOUR = 3600
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Stage:
    """A radosgw, whose bucket has a prefix for each check."""

    def __init__(self, directory):
        self.directory = directory
        self.clock = os.path.join(directory, "moved-clock.so")
        source = os.path.join(ROOT, "Tests", "EndToEndTests", "moved-clock.c")
        subprocess.run(
            [shutil.which("cc") or "clang", "-shared", "-fPIC", "-O2", "-o", self.clock, source], check=True)
        # Last: nothing stops its programs if a later step fails.
        self.gateway = radosgw.Radosgw(directory)

    def stop(self):
        self.gateway.stop()

    def location(self, prefix, bucket=radosgw.BUCKET, endpoint=None):
        return [
            "--blobs", f"s3://{bucket}/{prefix}", "--s3-endpoint", endpoint or self.gateway.endpoint,
            "--s3-path-style", "on"]

    @staticmethod
    def keys(access=radosgw.ACCESS_KEY, secret=radosgw.SECRET_KEY):
        return {"AWS_ACCESS_KEY_ID": access, "AWS_SECRET_ACCESS_KEY": secret}

    def moved(self, prefix):
        """Returns the environment of a program whose clock `move` sets."""
        self.move(prefix, 0)
        return {"LD_PRELOAD": self.clock, "CLOCK_OFFSET_FILE": self.offset(prefix)}

    def move(self, prefix, seconds):
        # The program has mapped the file, which keeps its inode.
        with open(self.offset(prefix), "r+b" if os.path.exists(self.offset(prefix)) else "wb") as file:
            file.write(struct.pack("=q", seconds * 1_000_000_000))

    def offset(self, prefix):
        return os.path.join(self.directory, f"{prefix}.offset")

    @contextlib.contextmanager
    def node(self, prefix, *options, environment=None, endpoint=None):
        """Runs a node below a prefix; one of an earlier call goes on with its data directory."""
        node = Node(
            self.directory, prefix, [*self.location(prefix, endpoint=endpoint), *options],
            {**self.keys(), **(environment or {})}).start()
        try:
            yield node.wait()
        finally:
            node.stop()

    def failing_start(self, options, environment):
        """Returns the error of a server that has to fail at its start."""
        result = subprocess.run(
            [LARDER, "serve", "--listen", "127.0.0.1:0", "--data", os.path.join(self.directory, "failing"), *options],
            env=dict(os.environ, **environment), capture_output=True, text=True, timeout=60)
        assert result.returncode == 1, f"the start ended with {result.returncode}: {result.stderr}"
        return result.stderr

    @contextlib.contextmanager
    def spoiler(self):
        """Runs a proxy in front of radosgw, whose `is_spoiling` says whether it changes uploads."""
        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Spoiler)
        proxy.daemon_threads, proxy.gateway, proxy.is_spoiling = True, self.gateway, False
        thread = threading.Thread(target=proxy.serve_forever)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()
            proxy.server_close()

    @staticmethod
    def prune(node):
        return subprocess.run(
            [LARDER, "prune", "--server", node.base], env=dict(os.environ, LARDER_TOKEN=node.token()), check=True,
            capture_output=True, text=True, timeout=60).stdout

    def doctor(self, node):
        return subprocess.run(
            [LARDER, "doctor", "--data", node.data, *self.location(node.name)], env=dict(os.environ, **self.keys()),
            capture_output=True, text=True, timeout=60)


class Spoiler(http.server.BaseHTTPRequestHandler):
    """Passes requests on to radosgw, and flips one bit of each large body while `is_spoiling` is set."""
    protocol_version = "HTTP/1.1"
    least_bytes = 50_000

    def pass_on(self):
        body = bytearray(self.rfile.read(int(self.headers.get("Content-Length", 0))))
        if self.server.is_spoiling and len(body) >= self.least_bytes:
            body[len(body) // 2] ^= 1
        link = http.client.HTTPConnection("127.0.0.1", self.server.gateway.port, timeout=60)
        # The signature covers the name and the port of the proxy.
        link.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("connection", "expect"):
                link.putheader(name, value)
        link.endheaders(bytes(body))
        response = link.getresponse()
        content = response.read()
        self.send_response(response.status)
        for name, value in response.getheaders():
            if name.lower() not in ("connection", "transfer-encoding", "content-length", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", response.headers.get("Content-Length", str(len(content))))
        self.end_headers()
        self.wfile.write(content)
        link.close()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = pass_on

    def log_message(self, *_):
        pass


def archive(files):
    upload = io.BytesIO()
    with zipfile.ZipFile(upload, "w") as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return upload.getvalue()


def equal(left, right):
    assert left == right, f"{left!r} is not {right!r}"


def contains(text, part):
    assert part in text, f"no {part!r} in {text!r}"


def succeed(response, *statuses):
    status, _, body = response
    assert status in (statuses or (200, 201, 204)), f"{status}: {body.decode(errors='replace')}"
    return body


def publish(node, version, files, is_released=True):
    path = "/api/v1/apps/default/packages/news"
    token = node.token()
    succeed(call(node.base, "PUT", path, b"{}", token))
    succeed(call(node.base, "POST", f"{path}/versions?version={version}", archive(files), token, "application/zip", 60))
    if is_released:
        succeed(call(node.base, "POST", f"{path}/releases", json.dumps({"version": version}).encode(), token))


def archive_path(node):
    """Returns the path of the released archive, whose second-last part is its SHA-256."""
    url = json.loads(succeed(call(node.base, "GET", "/config")))["news"]["url"]
    return urllib.parse.urlsplit(url).path


def expect_archive(content, path):
    equal(hashlib.sha256(content).hexdigest(), path.split("/")[-2])


def remove_cache(node):
    shutil.rmtree(os.path.join(node.data, "cache"))


def log(node):
    with open(node.log) as file:
        return file.read()


@check
def radosgw_has_the_files_of_a_node_that_lost_its_cache(stage):
    page = os.urandom(300_000)
    with stage.node("lost") as node:
        publish(node, "1.0.0", {"index.html": b"<p>news", "blob.bin": page})
    remove_cache(node)
    with stage.node("lost") as node:
        path = archive_path(node)
        expect_archive(succeed(call(node.base, "GET", path)), path)
        equal(succeed(call(node.base, "GET", "/online/news/1.0.0/blob.bin")), page)
        equal(succeed(call(node.base, "GET", "/online/news/1.0.0/index.html")), b"<p>news")
        # The store has no object for it, and says so by 404.
        succeed(call(node.base, "GET", f"/blobs/{'0' * 64}/x.zip"), 404)


@check
def radosgw_assembles_an_archive_above_16_mb_from_parts(stage):
    with stage.node("parts") as node:
        publish(node, "1.0.0", {"index.html": b"x", "blob.bin": os.urandom(40 << 20)})
        path = archive_path(node)
    digest = path.split("/")[-2]
    head, _ = stage.gateway.request("HEAD", f"/{radosgw.BUCKET}/parts/blobs/{digest[:2]}/{digest}")
    assert head["ETag"].strip('"').endswith("-3"), f"not uploaded in three parts: {head['ETag']}"
    remove_cache(node)
    with stage.node("parts") as node:
        expect_archive(succeed(call(node.base, "GET", path)), path)
    started = stage.gateway.request("GET", f"/{radosgw.BUCKET}", {"uploads": ""})[1].decode()
    assert "<UploadId>" not in started, f"an upload is left over: {started}"


@check
def radosgw_refuses_an_upload_that_was_changed_on_its_way(stage):
    with stage.spoiler() as proxy:
        with stage.node("spoiled", endpoint=f"http://127.0.0.1:{proxy.server_port}") as node:
            for size in (100_000, 20 << 20):
                files = {"index.html": b"x", "blob.bin": os.urandom(size)}
                proxy.is_spoiling = True
                upload = ("POST", f"/api/v1/apps/default/packages/news/versions?version={size}")
                succeed(call(node.base, "PUT", "/api/v1/apps/default/packages/news", b"{}", node.token()))
                status, _, body = call(node.base, *upload, archive(files), node.token(), "application/zip", 60)
                assert status in (500, 503), f"{status}: {body}"
                kept = [key for key, length in stage.gateway.objects("spoiled/").items() if length >= size]
                equal(kept, [])
                proxy.is_spoiling = False
                publish(node, str(size), files)
                contains(" ".join(stage.gateway.objects("spoiled/")), archive_path(node).split("/")[-2])
            contains(log(node), "event=bucket.failed")


@check
def curl_follows_a_redirect_to_radosgw(stage):
    with stage.node("redirect", "--blob-delivery", "redirect") as node:
        publish(node, "1.0.0", {"index.html": b"x", "blob.bin": os.urandom(3 << 20)})
        path = archive_path(node)
        target = os.path.join(stage.directory, "redirected")
        got = subprocess.run(
            ["curl", "-sS", "-f", "-L", "-o", target, "-w", "%{num_redirects} %{url_effective} %{content_type}",
             node.base + path], check=True, capture_output=True, text=True).stdout
        redirects, url, kind = got.split()
        equal((redirects, kind), ("1", "application/zip"))
        assert url.startswith(f"{stage.gateway.endpoint}/{radosgw.BUCKET}/redirect/blobs/"), url
        with open(target, "rb") as file:
            content = file.read()
        expect_archive(content, path)
        part = subprocess.run(["curl", "-sS", "-f", "-r", "100-199", url], check=True, capture_output=True).stdout
        equal(part, content[100:200])
        # The URL is for this object only.
        other = re.sub(r"/blobs/../[0-9a-f]{64}", "/larder.json", url)
        for wrong, status in ((other, "403"), (url[:-1] + ("0" if url[-1] != "0" else "1"), "403")):
            equal(subprocess.run(["curl", "-s", "-o", os.devnull, "-w", "%{http_code}", wrong],
                                 capture_output=True, text=True).stdout, status)


@check
def a_wrong_key_or_bucket_of_radosgw_ends_the_start(stage):
    secret = stage.failing_start(stage.location("x"), stage.keys(secret="very-secret"))
    contains(secret, "(SignatureDoesNotMatch)")
    assert "very-secret" not in secret, secret
    contains(stage.failing_start(stage.location("x"), stage.keys(access="stranger")), "(InvalidAccessKeyId)")
    contains(stage.failing_start(stage.location("x", bucket="absent"), stage.keys()), "The bucket 'absent' does not exist.")


@check
def a_clock_20_minutes_off_is_corrected_by_radosgw(stage):
    for name, minutes in (("ahead", 20), ("behind", -20)):
        environment = stage.moved(name)
        stage.move(name, minutes * 60)
        with stage.node(name, "--blob-delivery", "redirect", environment=environment) as node:
            contains(log(node), "event=bucket.clock")
            publish(node, "1.0.0", {"index.html": b"x", "blob.bin": os.urandom(1 << 20)})
            path = archive_path(node)
            # The URL is signed with the time of the store.
            got = subprocess.run(["curl", "-sS", "-f", "-L", node.base + path], check=True, capture_output=True).stdout
            expect_archive(got, path)


@check
def larder_doctor_finds_radosgw_sound_and_names_a_missing_object(stage):
    with stage.node("doctor") as node:
        publish(node, "1.0.0", {"index.html": b"x", "blob.bin": os.urandom(200_000)})
        digest = archive_path(node).split("/")[-2]
    sound = stage.doctor(node)
    assert sound.returncode == 0, f"{sound.returncode}: {sound.stdout}{sound.stderr}"
    stage.gateway.request("DELETE", f"/{radosgw.BUCKET}/doctor/blobs/{digest[:2]}/{digest}")
    broken = stage.doctor(node)
    assert broken.returncode == 2, f"{broken.returncode}: {broken.stdout}{broken.stderr}"
    contains(broken.stdout + broken.stderr, digest)


@check
def larder_prune_deletes_objects_of_radosgw(stage):
    options = ["--prune", "off", "--keep-versions", "1", "--grace-hours", "24"]
    with stage.node("prune", *options, environment=stage.moved("prune")) as node:
        publish(node, "1.0.0", {"index.html": b"one", "blob.bin": os.urandom(100_000)}, is_released=False)
        publish(node, "2.0.0", {"index.html": b"two", "blob.bin": os.urandom(100_000)})
        # The grace period of a version begins with the first run that finds it outdated.
        contains(stage.prune(node), "removed versions: 0,")
        before = stage.gateway.objects("prune/")
        # So far off, every request to the store needs the corrected clock.
        stage.move("prune", 48 * HOUR)
        contains(stage.prune(node), "removed versions: 1,")
        after = stage.gateway.objects("prune/")
        assert after.items() < before.items(), f"{sorted(before)} became {sorted(after)}"
        contains(log(node), "event=bucket.clock")
        path = archive_path(node)
        expect_archive(succeed(call(node.base, "GET", path)), path)
    sound = stage.doctor(node)
    assert sound.returncode == 0, f"{sound.returncode}: {sound.stdout}{sound.stderr}"
