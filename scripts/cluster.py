"""A cluster of Larder on this machine, for the benchmarks and scripts/soak-cluster: PostgreSQL with a standby, a server of
S3's protocol, nodes, and nginx in front of them. All listen on the loopback interface only.
"""
import contextlib
import http.client
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LARDER = os.environ.get("LARDER_PROGRAM") or os.path.join(ROOT, ".build", "release", "larder")
NGINX = shutil.which("nginx", path=f"{os.environ['PATH']}:/usr/sbin:{ROOT}/.build/nginx/usr/sbin") or "nginx"
TICKS = os.sysconf("SC_CLK_TCK")
START_SECONDS = 60
# A test may have blocked signals, which the programs would inherit.
signal.pthread_sigmask(signal.SIG_SETMASK, [])

NGINX_CONF = """
daemon off;
worker_processes 1;
error_log {dir}/error.log;
pid {dir}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    client_max_body_size 1g;
    client_body_temp_path {dir}/t1; proxy_temp_path {dir}/t2; fastcgi_temp_path {dir}/t3;
    uwsgi_temp_path {dir}/t4; scgi_temp_path {dir}/t5;
    upstream nodes {{
        {servers}
        keepalive 64;
    }}
    upstream uploads {{
        hash $remote_addr consistent;
        {servers}
    }}
    server {{
        listen 127.0.0.1:{port};
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $http_host;
        proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
        proxy_connect_timeout 1s;
        proxy_read_timeout 75s;
        proxy_request_buffering off;
        proxy_buffering off;
        location / {{ proxy_pass http://nodes; }}
        location ~ /uploads {{ proxy_pass http://uploads; }}
    }}
}}
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def programs():
    """Returns the folder of the newest installed PostgreSQL's programs."""
    with contextlib.suppress(OSError):
        for version in sorted((name for name in os.listdir("/usr/lib/postgresql") if name.isdigit()), key=int, reverse=True):
            folder = f"/usr/lib/postgresql/{version}/bin"
            if os.access(f"{folder}/initdb", os.X_OK):
                return folder
    found = shutil.which("initdb")
    if not found:
        sys.exit("PostgreSQL is missing: run scripts/bootstrap --tests")
    return os.path.dirname(found)


class PostgreSQL:
    """A server with a data folder of its own, which outlives a stop."""

    def __init__(self, folder, name, durable=True):
        self.folder, self.port, self.durable = os.path.join(folder, name), free_port(), durable
        # PostgreSQL refuses to run as root.
        self.account = "postgres" if os.getuid() == 0 else None
        os.makedirs(self.folder)
        if self.account:
            shutil.chown(self.folder, self.account)
        self.data = os.path.join(self.folder, "data")

    def run(self, program, *arguments, check=True):
        command = [os.path.join(programs(), program), *arguments]
        if self.account:
            command = ["setpriv", f"--reuid={self.account}", f"--regid={self.account}", "--init-groups", *command]
        return subprocess.run(command, check=check, capture_output=True, text=True, cwd=self.folder)

    def create(self):
        self.run("initdb", "-D", self.data, "-U", "larder", "-A", "trust", "-E", "UTF8", "--no-locale")
        with open(os.path.join(self.data, "postgresql.conf"), "a") as file:
            file.write(
                f"listen_addresses = '127.0.0.1'\nport = {self.port}\nunix_socket_directories = '{self.folder}'\n"
                f"wal_level = replica\nmax_wal_senders = 4\nhot_standby = on\nfsync = {'on' if self.durable else 'off'}\n"
                "max_connections = 40\nshared_buffers = 64MB\n")
        with open(os.path.join(self.data, "pg_hba.conf"), "a") as file:
            file.write("host replication larder 127.0.0.1/32 trust\n")
        self.start()
        self.query("CREATE DATABASE larder ENCODING 'UTF8' TEMPLATE template0", database="postgres")
        return self

    def create_standby(self, primary):
        """Copies a running primary and follows it; the primary then waits for this standby at each commit."""
        self.run(
            "pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "larder", "-D", self.data, "-R", "-X", "stream",
            "-c", "fast")
        with open(os.path.join(self.data, "postgresql.auto.conf"), "a") as file:
            file.write(
                f"port = {self.port}\nunix_socket_directories = '{self.folder}'\n"
                f"primary_conninfo = 'host=127.0.0.1 port={primary.port} user=larder application_name=standby'\n")
        self.start()
        primary.query("ALTER SYSTEM SET synchronous_standby_names = 'standby'")
        primary.query("SELECT pg_reload_conf()")
        return self

    def start(self):
        self.run("pg_ctl", "-D", self.data, "-l", os.path.join(self.folder, "log"), "-w", "-t", str(START_SECONDS), "start")

    def stop(self, mode="fast"):
        self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "-t", str(START_SECONDS), "stop", check=False)

    def promote(self):
        # The former primary is gone, so that no standby acknowledges commits.
        self.run("pg_ctl", "-D", self.data, "-w", "-t", str(START_SECONDS), "promote")

    def cpu_seconds(self):
        """Returns the time of the server's processes, those of open sessions included."""
        with open(os.path.join(self.data, "postmaster.pid")) as file:
            pid = int(file.readline())
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return sum(cpu_seconds(process) for process in [pid, *file.read().split()])

    def query(self, statement, database="larder"):
        return self.psql(database, "-c", statement)

    def run_script(self, script, database="larder"):
        """Runs statements, of which COPY may be followed by its rows."""
        return self.psql(database, "-f", "-", input=script)

    def psql(self, database, *options, **more):
        return subprocess.run(
            ["psql", "-X", "-q", "-t", "-A", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port), "-U", "larder",
             "-d", database, *options], check=True, capture_output=True, text=True, **more).stdout.strip()


def database_url(*servers, name="larder"):
    """Returns the URL of a database on a primary and its standbys."""
    hosts = ",".join(f"127.0.0.1:{server.port}" for server in servers)
    return f"postgresql://larder@{hosts}/{name}"


def cpu_seconds(pid):
    """Returns the user and system time of a process; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0
    return (int(fields[11]) + int(fields[12])) / TICKS


class Bucket:
    """A server of S3's protocol with one bucket, whose objects are in memory."""

    def __init__(self, folder):
        folder = os.path.join(folder, "s3")
        os.makedirs(folder)
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", os.path.join(ROOT, "Tests", "EndToEnd", "s3_server.py"), folder, "larder",
             str(os.getpid())],
            stdout=subprocess.PIPE, text=True, env=dict(os.environ, PYTHONPATH=os.path.join(ROOT, ".build", "python")))
        line = self.process.stdout.readline()
        if not line.strip().isdigit():
            sys.exit("the server of S3's protocol does not start: run scripts/bootstrap --tests")
        self.port = int(line)
        self.environment = {"AWS_ACCESS_KEY_ID": "test:tester", "AWS_SECRET_ACCESS_KEY": "testing"}
        self.options = ["--blobs", "s3://larder/live", "--s3-endpoint", f"http://127.0.0.1:{self.port}", "--s3-path-style", "on"]

    def order(self, number):
        self.process.send_signal(number)
        if not select.select([self.process.stdout], [], [], START_SECONDS)[0]:
            sys.exit("the server of S3's protocol does not respond")
        return self.process.stdout.readline()

    def go_down(self):
        self.order(signal.SIGUSR1)

    def come_back(self):
        self.order(signal.SIGUSR2)

    def take_counts(self):
        """Returns the number of requests by method since the last call."""
        return json.loads(self.order(signal.SIGHUP))

    def stop(self):
        self.process.kill()
        self.process.wait()


class Node:
    """A `larder serve` with a data directory of its own."""

    def __init__(self, folder, name, options, environment=None, program=LARDER):
        self.name, self.port = name, free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.data, self.log = os.path.join(folder, name), os.path.join(folder, f"{name}.log")
        self.program = program
        self.arguments = [
            "serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.data, "--operator-requests-per-second", "0",
            "--reports-per-second", "0", "--drain-seconds", "5", *options]
        self.environment = dict(os.environ, **(environment or {}))
        self.process = None

    def start(self):
        with open(self.log, "a") as log:
            self.process = subprocess.Popen(
                [self.program, *self.arguments], stdout=subprocess.DEVNULL, stderr=log, env=self.environment)
        return self

    def wait(self):
        """Waits until the node serves."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            if self.process.poll() is not None:
                sys.exit(f"{self.name} ended with status {self.process.returncode}: {self.last_lines()}")
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{self.base}/healthz", timeout=2).read()
                return self
            time.sleep(0.02)
        sys.exit(f"{self.name} does not serve: {self.last_lines()}")

    def last_lines(self):
        with open(self.log) as file:
            return "".join(file.readlines()[-5:])

    def token(self):
        with open(os.path.join(self.data, "initial-token")) as file:
            return file.read().strip()

    def send(self, number):
        self.process.send_signal(number)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.send(signal.SIGCONT)
            self.send(signal.SIGTERM)
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.kill()

    def cpu_seconds(self):
        return cpu_seconds(self.process.pid)

    def resident_megabytes(self):
        with open(f"/proc/{self.process.pid}/status") as file:
            return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) / 1024


class Front:
    """nginx, which distributes requests over nodes."""

    def __init__(self, folder, nodes, port):
        self.port = port
        self.base = f"http://127.0.0.1:{self.port}"
        folder = os.path.join(folder, "nginx")
        os.makedirs(folder)
        conf = os.path.join(folder, "nginx.conf")
        servers = "\n        ".join(f"server 127.0.0.1:{node.port} max_fails=1 fail_timeout=1s;" for node in nodes)
        with open(conf, "w") as file:
            file.write(NGINX_CONF.format(dir=folder, port=self.port, servers=servers))
        self.process = subprocess.Popen([NGINX, "-c", conf, "-p", folder])
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            time.sleep(0.02)
        sys.exit("nginx does not start")

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=30)


def call(base, method, path, body=None, token=None, kind="application/json", timeout=30):
    """Sends one request on a connection of its own; returns status, header fields and body."""
    connection = http.client.HTTPConnection(base.removeprefix("http://"), timeout=timeout)
    try:
        fields = {"Content-Type": kind} if body is not None else {}
        if token:
            fields["Authorization"] = f"Bearer {token}"
        connection.request(method, path, body, fields)
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()
