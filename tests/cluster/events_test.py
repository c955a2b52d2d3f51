#!/usr/bin/env python3
"""The event stream of web while a master runs, which acts on changes at once, on the store that $BATON_STORE names (sqlite by
default)."""

import json
import os
import threading
import unittest
import urllib.request

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
SOON = 10  # seconds; web looks once a second


class Stream:
    """Reads the events of one connection. `topics` are those of all events that have come."""

    def __init__(self, address):
        self.answer = urllib.request.urlopen(address + "/api/v1/events", timeout=60)
        self.lock = threading.Lock()
        self.topics = set()
        self.events = 0
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.answer:
            if line.startswith(b"data: "):
                with self.lock:
                    self.events += 1
                    self.topics |= set(json.loads(line[6:])["topics"])

    def forget(self):
        with self.lock:
            self.topics.clear()

    def has(self, topics):
        with self.lock:
            return set(topics) <= self.topics


class Events(unittest.TestCase):
    def test_each_change_of_a_definition_a_setting_or_a_dead_letter_is_announced_while_a_master_runs(self):
        cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(cluster.end)
        cluster.start_all(triggers=1, recorders=1)
        stream = Stream(cluster.addresses["web"])
        cluster.start_web("web-2")  # which makes the changes
        harness.wait_for("the other web", lambda: cluster.rest.get("/readyz"), 10)
        harness.wait_for("the first look", lambda: stream.has(["zones"]), 10)
        task = cluster.create("told", BY_HAND)
        task_path = f"/api/v1/tasks/{task['id']}"
        harness.wait_for("the task is announced", lambda: stream.has(["tasks"]), SOON)

        def change(topics, method, path, body=None):
            stream.forget()
            cluster.rest.call(method, path, body, {"If-Match": "*"})
            harness.wait_for(f"{topics} after {method} {path}", lambda: stream.has(topics), SOON)

        service = f"/api/v1/services/default/{task['service']}"
        for turn in range(3):
            change(["tasks"], "PATCH", task_path, {"description": f"turn {turn}"})
        change(["services", "projects"], "POST", service + "/pause", {"reason": "a test"})
        change(["services", "projects"], "POST", service + "/resume")
        change(["executions"], "POST", task_path + "/run")
        doomed = cluster.rest.post("/api/v1/tasks?allow_unserved=true", {
            "name": "doomed", "service": task["service"], "handler": "nobody", "schedule": BY_HAND,
            "limits": {"start_within_ms": 500, "late_start": "fail"}})
        run = int(cluster.rest.post(f"/api/v1/tasks/{doomed['id']}/run?allow_unserved=true")["execution"])
        cluster.await_state(run, "failed", 20)
        harness.wait_for("the dead letter is announced", lambda: stream.has(["dead_letters"]), SOON)
        change(["dead_letters"], "POST", "/api/v1/dead-letters/dismiss", {"executions": [str(run)]})
        change(["tasks"], "DELETE", task_path)


if __name__ == "__main__":
    unittest.main()
