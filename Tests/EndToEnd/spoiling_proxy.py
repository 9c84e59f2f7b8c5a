"""A proxy between a client and a server that corrupts selected responses.

usage: spoiling_proxy.py PORT-FILE SPOILING

Writes its port into PORT-FILE. SPOILING is a file that is read for each response: the server's address, and lines "PATH flip
OFFSET" (one bit of that byte) or "PATH swap OTHER-PATH" (the other's bytes in the original length); responses without a line
pass unchanged.
"""
import functools
import http.server
import sys
import urllib.request

port_file, spoiling = sys.argv[1:]


@functools.cache
def archive(server, path):
    """Returns the bytes and the type of an archive, which never change."""
    with urllib.request.urlopen(server + path) as response:
        return response.read(), response.headers["Content-Type"]


class Proxy(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        with open(spoiling) as lines:
            server = next(lines).strip()
            original, kind = archive(server, self.path)
            data = bytearray(original)
            for path, how, what in (line.split() for line in lines):
                if path != self.path:
                    continue
                if how == "flip":
                    data[int(what)] ^= 1
                else:
                    data = archive(server, what)[0][:len(data)].ljust(len(data), b"\0")
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
with open(port_file, "w") as file:
    file.write(str(proxy.server_port))
proxy.serve_forever()
