#!/usr/bin/env python3
"""The stop of examples/python-client, against a node of this test's own."""

import json
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import unittest
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

CLIENT = pathlib.Path(__file__).resolve().parents[2] / "examples/python-client/client.py"
WORK = {"execution": 7, "attempt": 1, "handler": "echo"}


class Node(BaseHTTPRequestHandler):
    """Takes every call of a client."""

    calls = queue.SimpleQueue()

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.calls.put((self.path.rsplit("/", 1)[1], body))
        text = json.dumps({"heartbeat_ms": 1000, "ttl_ms": 3000, "ticket": "t"}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


def await_call(name):
    while (call := Node.calls.get(timeout=30))[0] != name:
        pass
    return call[1]


class PythonClient(unittest.TestCase):
    def setUp(self):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Node)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        self.client = subprocess.Popen([sys.executable, CLIENT, f"http://127.0.0.1:{server.server_port}"],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(self.client.wait)
        self.addCleanup(self.client.kill)

    def dispatch(self, client):
        body = {"node": "n", "number": 1, "epoch": 1, "executions": [WORK]}
        call = urllib.request.Request(client["address"] + "/baton/v1/dispatch", json.dumps(body).encode(),
                                      {"Content-Type": "application/json", "Authorization": "Bearer " + client["secret"]})
        with urllib.request.urlopen(call, timeout=5) as answer:
            return json.load(answer)["executions"][0]["answer"]

    def test_a_client_that_has_left_answers_a_late_dispatch_with_draining_and_then_ends(self):
        client = await_call("register")
        self.client.send_signal(signal.SIGTERM)
        await_call("leave")
        self.assertRaises(subprocess.TimeoutExpired, self.client.wait, 0.5)
        self.assertEqual(self.dispatch(client), "draining")
        self.assertEqual(self.client.wait(30), 0)


if __name__ == "__main__":
    unittest.main()
