#!/usr/bin/env python3
"""A registry of npm for rehearsals, on this machine alone and in memory.

    packaging/release/registry.py PORT

It takes what 'npm publish' sends, and serves it to 'npm install' and npx.
"""

import base64
import http.server
import json
import sys
import urllib.parse

packages, tarballs = {}, {}


class Registry(http.server.BaseHTTPRequestHandler):
    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        name = urllib.parse.unquote(self.path.lstrip("/"))
        if name == "-/ping":
            self.answer(200, b"{}")
        elif name in tarballs:
            self.answer(200, tarballs[name], "application/octet-stream")
        elif name in packages:
            self.answer(200, json.dumps(packages[name]).encode())
        else:
            self.answer(404, b'{"error": "not found"}')

    def do_PUT(self):
        document = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for file, attachment in document.pop("_attachments").items():
            tarballs[f"tarballs/{file}"] = base64.b64decode(attachment["data"])
            for version in document["versions"].values():
                version["dist"]["tarball"] = f"http://{self.headers['Host']}/tarballs/{urllib.parse.quote(file)}"
        packages[document["name"]] = document
        self.answer(201, b'{"ok": true}')

    def log_message(self, *args):
        pass


http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Registry).serve_forever()
