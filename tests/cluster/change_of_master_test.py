#!/usr/bin/env python3
"""Tests of what a new master knows of executions that no client has had, on the store that $BATON_STORE names (sqlite by
default). Their policies hold as if the master had not changed, whether it stopped in good order or was killed."""

import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
EACH_SECOND = {"kind": "fixed_rate", "every_ms": 1000}
WAITING = 5  # firings that have no client


class ChangeOfMaster(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=2, recorders=0)

    def create(self, name, **more):
        return self.cluster.rest.post("/api/v1/tasks?allow_unserved=true",
                                      {"name": name, "service": "recorder", "handler": "note", "schedule": EACH_SECOND, **more})

    def rows(self, task):
        return [row for row in self.cluster.ledger().executions if row["task_id"] == int(task["id"])]

    def await_waiting(self, tasks):
        def waits():
            now = harness.utc_us()
            return all(sum(row["scheduled_at"] < now - 3_000_000 for row in self.rows(task)) >= WAITING for task in tasks)
        harness.wait_for("firings wait for a client", waits, 30)

    def change_master(self, end):
        before = self.cluster.master()
        end(self.cluster.processes[before])
        harness.wait_for("another master", lambda: self.cluster.master() not in (None, before), 20)

    def check(self, end):
        """Firings wait while there is no client, the master changes, and one task is disabled before a client comes."""
        misfire = {"action": "fire_once", "after_ms": 1000}
        once = self.create("once", misfire=misfire)
        prompt = self.create("prompt", limits={"start_within_ms": 2_000}, misfire={"action": "fire_all"})
        stopped = self.create("stopped", misfire={"action": "fire_all"})
        tasks = (once, prompt, stopped)
        self.await_waiting(tasks)
        self.change_master(end)
        came = harness.utc_us()
        self.cluster.disable_all([stopped])
        harness.wait_for("what waited of the stopped task is cancelled", lambda: not self.open(stopped), 30)
        self.cluster.start_recorder("recorder-1")
        harness.wait_for("later firings run", lambda: self.succeeded(once, after=came), 30)
        self.cluster.disable_all([once, prompt])
        self.cluster.await_all_ended(30)
        self.assertLessEqual(len(self.succeeded(once, before=came - 3_000_000)), 1, "late firings were merged")
        self.assertEqual(self.succeeded(prompt, before=came - 3_000_000), [], "start_within holds")
        self.assertEqual(self.succeeded(stopped), [], "a disabled task ran")
        for task in tasks:
            self.assertEqual({row["attempt"] for row in self.rows(task) if row["scheduled_at"] < came - 5_000_000}, {1})

    def succeeded(self, task, after=0, before=1 << 62):
        return [row for row in self.rows(task)
                if row["state"] == "succeeded" and after < row["scheduled_at"] < before]

    def open(self, task):
        return [row for row in self.rows(task) if row["ended_at"] is None]

    def test_a_master_that_stops_in_good_order(self):
        self.check(lambda process: process.terminate(20))

    def test_a_master_that_is_killed(self):
        self.check(lambda process: process.kill())


if __name__ == "__main__":
    unittest.main(verbosity=2)
