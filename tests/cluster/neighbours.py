"""Clients that speak docs/protocol.md, in good health or bad in one way each, for tests and benchmarks. They are threads of
the caller's process; each has its own address, heartbeats and results, so nodes cannot tell it from a process.
"""

import contextlib
import hashlib
import hmac
import os
import secrets
import threading
import time

from neighbour_address import Address
from neighbour_kinds import KINDS
from processes import HOST, utc_us
from rest import Refused, Rest

ANSWER_LIMIT = 3  # seconds, of a call to a node
RESULTS_AT_ONCE = 500
REPORT_PAUSE = 0.2  # seconds, before results are sent again
RESTLESS_PAUSE = 0.02  # seconds between two registrations
LAST_WORDS = 0.05  # seconds that a dying client has for its answer


def made(kind):
    """`kind`: a name of KINDS, or a class like those."""
    return KINDS[kind]() if isinstance(kind, str) else kind()


class Client:
    """One client of `service`, in the way of `kind`, registered with the first of `nodes`. `with` ends it: it leaves."""

    def __init__(self, nodes, service, kind="healthy", handlers=("note",), slots=8, queue=1000, token=None,
                 listen=HOST):
        self.nodes = [Rest(node, token) for node in nodes]
        self.service, self.handlers = service, list(handlers)
        self.slots, self.queue = slots, queue
        self.listen = listen
        self.kind = made(kind)
        self.lock = threading.Lock()
        self.epoch = 0
        self.taken = 0  # executions, in all lives
        self.calls = []  # their paths
        self.over, self.dies = threading.Event(), threading.Event()
        self.changed = threading.Event()  # the heartbeat is not to wait for its time
        self.ready = threading.Event()  # a node has taken the registration
        self.beats = threading.Thread(target=self.live, daemon=True)
        self.reports = threading.Thread(target=self.report, daemon=True)
        self.address = None
        self.begin_life()

    def __enter__(self):
        self.beats.start()
        self.reports.start()
        if not self.ready.wait(10):
            raise AssertionError(f"no node took the registration of a client that is {type(self.kind).__name__.lower()}")
        return self

    def __exit__(self, *_):
        self.over.set()
        self.changed.set()
        self.beats.join()
        self.reports.join()
        with contextlib.suppress(OSError, Refused):
            self.call("leave", {"instance": self.instance, "generation": self.generation, "ticket": self.ticket,
                                "secret": self.secret})
        self.address.close()

    def turn(self, kind):
        """From now on it behaves so. Connections that the new behaviour would not have taken end."""
        self.kind = made(kind)
        if self.kind.door != self.address.door:
            self.reopen(self.address.server_address[1])
        self.changed.set()

    def begin_life(self):
        self.instance = f"neighbour:{os.getpid()}:{secrets.token_hex(8)}"
        self.secret = secrets.token_hex(32)
        self.held, self.ended, self.results = {}, {}, {}
        self.registered, self.generation, self.ticket = False, 0, ""
        self.reopen(0)

    def reopen(self, port):
        if self.address:
            self.address.close()
        self.address = Address(self, port)

    # --- what nodes ask

    def knows(self, path):
        return path in self.OBEYS

    def obey(self, path, body):
        with self.lock:
            self.epoch = max(self.epoch, body.get("epoch", 0))
            return {"epoch": self.epoch, **self.OBEYS[path](self, body)}

    def dispatch(self, body):
        said = [{"execution": work["execution"], "attempt": work.get("attempt", 1), **self.take(work)}
                for work in body["executions"]]
        return {"free": self.free(), "executions": said}

    def take(self, work):
        execution, attempt = work["execution"], work.get("attempt", 1)
        if execution in self.held:
            return {"answer": "running", "holds": self.held[execution]}
        if self.ended.get(execution, 0) >= attempt:
            return {"answer": "finished", "holds": self.ended[execution]}
        return self.kind.take(self, work)

    def query(self, body):
        held = [{"execution": each, "attempt": self.held[each]} for each in body["executions"] if each in self.held]
        ended = [{"execution": each, "attempt": self.ended[each], "finished": True, "succeeded": True}
                 for each in body["executions"] if each in self.ended]
        return {"held": held + ended}

    def probe(self, body):
        said = f"baton probe\n{self.instance}\n{body['nonce']}"
        return {"instance": self.instance,
                "proof": hmac.new(self.secret.encode(), said.encode(), hashlib.sha256).hexdigest()}

    OBEYS = {"/baton/v1/dispatch": dispatch, "/baton/v1/query": query, "/baton/v1/cancel": query,
             "/baton/v1/probe": probe}

    def free(self):
        return max(0, self.kind.free(self))

    def conclude(self, work):
        execution, attempt, now = work["execution"], work.get("attempt", 1), utc_us()
        del self.held[execution]
        self.ended[execution] = attempt
        self.results[execution] = {"execution": execution, "attempt": attempt, "started_at": now, "finished_at": now,
                                   "receipt": work["receipt"]}

    # --- what it tells nodes

    def call(self, what, body):
        return self.nodes[0].post(f"/client/v1/{what}", body, within=ANSWER_LIMIT)

    def live(self):
        """Beats until it is over, also through deaths."""
        while not self.over.is_set():
            pause = self.beat()
            if self.changed.wait(pause):
                self.changed.clear()
            if self.dies.is_set():
                self.over.wait(LAST_WORDS)
                self.dies.clear()
                with self.lock:
                    self.begin_life()

    def beat(self):
        """One registration or heartbeat. Returns the seconds until the next."""
        try:
            if self.registered:
                free = {"free_slots": max(0, self.slots - len(self.held))} if self.kind.tells_free_slots else {}
                answer = self.call("heartbeat", {
                    "instance": self.instance, "generation": self.generation, "ticket": self.ticket,
                    "terms": [{"epoch": self.epoch}], "draining": self.kind.draining, **free})
            else:
                self.generation += 1
                answer = self.call("register", {
                    "revision": 6, "service": self.service, "instance": self.instance, "generation": self.generation,
                    "secret": self.secret,
                    "address": "http://%s:%d" % self.address.server_address, "handlers": self.handlers,
                    "schemas": self.kind.announces(self),
                    "slots": self.slots, "queue": self.queue, "terms": [{"epoch": self.epoch}], **self.kind.registers})
                self.ready.set()
        except Refused as refusal:
            self.registered = False
            if refusal.status == 410:
                self.dies.set()
            return LAST_WORDS
        except OSError:
            self.registered = False
            self.nodes.append(self.nodes.pop(0))
            return 0.3
        self.told = answer
        self.ticket = answer["ticket"] or self.ticket
        fresh, self.registered = not self.registered, True
        if self.kind.restless:
            self.registered = False
            return RESTLESS_PAUSE
        if fresh and self.kind.draining:
            return 0  # a registration does not say that it drains
        return answer["heartbeat_ms"] / 1000 * 0.9

    def report(self):
        while not self.over.wait(0.01):
            with self.lock:
                batch = list(self.results.values())[:RESULTS_AT_ONCE]
            if not batch:
                continue
            try:
                answer = self.kind.send_results(self, batch)
                done = answer["recorded"] + answer["refused"]
            except (OSError, Refused):
                done = []
            with self.lock:
                for each in done:
                    self.results.pop(each["execution"], None)
            if len(done) < len(batch):
                time.sleep(REPORT_PAUSE)
