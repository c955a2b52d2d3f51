#!/usr/bin/env python3
"""Tests of what becomes of the executions of a task that is disabled, deleted or edited, on the store that $BATON_STORE names
(sqlite by default)."""

import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}


class StoppedTasks(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=2, recorders=1)

    def busy(self, name, ms=10_000):
        """A task of which one execution runs for so long and two wait for it."""
        task = self.cluster.create(name, BY_HAND, handler="nap", payload={"ms": ms}, concurrency={"limit": 1})
        runs = [self.cluster.run_now(task) for _ in range(3)]
        self.cluster.await_state(runs[0], "running", 20)
        self.cluster.await_state(runs[2], "waiting", 20)
        return task, runs

    def check_cancelled(self, runs, reason):
        for run in runs:
            self.cluster.await_state(run, "cancelled", 20)
            self.assertEqual(self.cluster.execution(run)["reason"], reason)
            self.assertIsNone(self.cluster.execution(run)["attempts"][0]["client"])

    def test_disabling_a_task_cancels_what_waits_and_lets_the_rest_end(self):
        task, runs = self.busy("disabled")
        self.cluster.rest.post(f"/api/v1/tasks/{task['id']}/disable")
        self.check_cancelled(runs[1:], "task disabled")
        later = self.cluster.run_now(task)  # a disabled task can be run by hand
        self.cluster.await_state(runs[0], "succeeded", 30)
        self.cluster.await_state(later, "succeeded", 30)

    def test_a_new_master_carries_out_the_deletion_of_a_task(self):
        task, runs = self.busy("deleted")
        self.cluster.rest.call("DELETE", f"/api/v1/tasks/{task['id']}")
        self.cluster.processes[self.cluster.master()].kill()
        self.check_cancelled(runs[1:], "task deleted")
        self.cluster.await_state(runs[0], "succeeded", 30)

    def test_an_edit_keeps_what_waits(self):
        task, runs = self.busy("edited", ms=4_000)
        self.cluster.rest.call("PATCH", f"/api/v1/tasks/{task['id']}", {"description": "another one"})
        for run in runs:
            self.cluster.await_state(run, "succeeded", 60)


if __name__ == "__main__":
    unittest.main(verbosity=2)
