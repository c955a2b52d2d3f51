#!/usr/bin/env python3
"""Many clients of one service in one process, at one address: each proves its address, takes what it is given and never ends
it. They end all at once: at SIGKILL without a word, at SIGTERM with a departure each.

    neighbours_crowd.py --service NAME --clients N [--listen HOST] NODE...

Prints "ready" when all are registered, and "taken" for each execution that one of them takes. $CROWD_TOKEN is for nodes
that want one.
"""

import argparse
import concurrent.futures
import contextlib
import hashlib
import hmac
import http.server
import json
import os
import secrets
import signal
import threading

from processes import HOST
from rest import Refused, Rest

AT_ONCE = 16  # calls to nodes


class Member:
    """One client; the path of its address is its number."""

    def __init__(self, number, node):
        self.number, self.node = number, node
        self.instance = f"crowd:{os.getpid()}:{secrets.token_hex(8)}"
        self.secret = secrets.token_hex(32)
        self.generation, self.ticket, self.epoch = 0, "", 0
        self.held = {}

    def call(self, what, body):
        return self.node.post(f"/client/v1/{what}", {"instance": self.instance, "generation": self.generation,
                                                     "ticket": self.ticket, **body}, within=5)

    def register(self, service, address):
        self.generation += 1
        answer = self.node.post("/client/v1/register", {
            "revision": 6, "service": service, "instance": self.instance, "generation": self.generation,
            "secret": self.secret, "address": f"{address}/{self.number}", "handlers": ["note"], "slots": 1, "queue": 1,
            "terms": [{"epoch": self.epoch}]}, within=5)
        self.ticket = answer["ticket"]
        return answer["heartbeat_ms"] / 1000

    def answer(self, path, body):
        if path.endswith("/probe"):
            said = f"baton probe\n{self.instance}\n{body['nonce']}"
            return {"instance": self.instance,
                    "proof": hmac.new(self.secret.encode(), said.encode(), hashlib.sha256).hexdigest()}
        self.epoch = max(self.epoch, body.get("epoch", 0))
        if path.endswith("/dispatch"):
            said = [{"execution": work["execution"], "attempt": work.get("attempt", 1), **self.take(work)}
                    for work in body["executions"]]
            return {"epoch": self.epoch, "free": max(0, 2 - len(self.held)), "executions": said}
        return {"epoch": self.epoch, "held": [{"execution": each, "attempt": self.held[each]}
                                              for each in body["executions"] if each in self.held]}

    def take(self, work):
        if work["execution"] in self.held:
            return {"answer": "running", "holds": self.held[work["execution"]]}
        if len(self.held) == 2:
            return {"answer": "busy"}
        self.held[work["execution"]] = work.get("attempt", 1)
        print("taken", flush=True)
        return {}


class Crowd(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, options):
        super().__init__((options.listen, 0), Door)
        self.service = options.service
        token = os.environ.get("CROWD_TOKEN")
        nodes = [Rest(node, token) for node in options.nodes]
        self.members = [Member(number, nodes[number % len(nodes)]) for number in range(options.clients)]
        self.pool = concurrent.futures.ThreadPoolExecutor(AT_ONCE)
        self.over = threading.Event()
        self.beat_every = 5.0

    def join(self, member):
        while not self.over.is_set():
            try:
                self.beat_every = member.register(self.service, "http://%s:%d" % self.server_address)
                return
            except (OSError, Refused):
                self.over.wait(0.3)

    def beat(self, member):
        try:
            member.call("heartbeat", {"free_slots": max(0, 1 - len(member.held)), "terms": [{"epoch": member.epoch}]})
        except (OSError, Refused):
            self.join(member)

    @staticmethod
    def leave(member):
        with contextlib.suppress(OSError, Refused):
            member.call("leave", {})

    def live(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        list(self.pool.map(self.join, self.members))
        print("ready", flush=True)
        while not self.over.wait(self.beat_every * 0.8):
            list(self.pool.map(self.beat, self.members))
        list(self.pool.map(self.leave, self.members))


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        _, number, path = self.path.split("/", 2)
        said = json.dumps(self.server.members[int(number)].answer("/" + path, body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(said)))
        self.end_headers()
        self.wfile.write(said)

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--service", required=True)
    parser.add_argument("--clients", type=int, required=True)
    parser.add_argument("--listen", default=HOST)
    parser.add_argument("nodes", nargs="+")
    crowd = Crowd(parser.parse_args())
    signal.signal(signal.SIGTERM, lambda *_: crowd.over.set())
    crowd.live()


if __name__ == "__main__":
    main()
