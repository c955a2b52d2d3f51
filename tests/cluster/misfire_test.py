#!/usr/bin/env python3
"""Tests of late firings after an outage of all nodes and of all clients, on the store that $BATON_STORE names (sqlite by
default). A second is late here, so that the outages are short."""

import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
FAST = {"kind": "fixed_rate", "every_ms": 100}
OUTAGE = 6  # seconds
TRIGGERS = ("trigger-1", "trigger-2")
SHORT_PLANS = {"look_ahead": "1s"}  # most firings of the outage have no row at its end


class Misfires(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        for name in TRIGGERS:
            self.cluster.start_trigger(name, planner=SHORT_PLANS)
        self.cluster.start_web()
        self.cluster.start_recorder("recorder-1")
        self.cluster.await_ready(len(TRIGGERS), 1)

    def create(self, name, **policy):
        return self.cluster.create(name, FAST, misfire={"after_ms": 1000, **policy})

    def rows(self, task):
        return [row for row in self.cluster.ledger().executions if row["task_id"] == int(task["id"])]

    def skipped(self, task):
        """The instants of all firings that were skipped, and the number of firings in ranges."""
        single = [row["scheduled_at"] for row in self.rows(task) if row["state"] == "skipped"]
        ranges = self.cluster.rest.get(f"/api/v1/tasks/{task['id']}/skipped")["items"]
        return single, sum(each["firings"] for each in ranges)

    def await_runs(self, task, after):
        """Until a firing that is due after this instant (UTC, in microseconds) has succeeded."""
        def ran():
            return [row for row in self.rows(task) if row["state"] == "succeeded" and row["scheduled_at"] > after]
        harness.wait_for("the task runs again", ran, 30)

    def check_every_firing(self, task):
        """Each instant has one row, or is in a range: the instants between the first row and the last are counted."""
        scheduled = [row["scheduled_at"] for row in self.rows(task)]
        self.assertEqual(len(scheduled), len(set(scheduled)))
        due = (max(scheduled) - min(scheduled)) // 100_000 + 1
        self.assertEqual(len(scheduled) + self.skipped(task)[1], due)

    def outlast(self):
        began = harness.utc_us()
        harness.wait_for("the outage is over", lambda: harness.utc_us() - began > OUTAGE * 1_000_000, OUTAGE + 5)
        return began, harness.utc_us()

    def late_runs(self, task, began, ended):
        """The firings of the outage that are over a second late at its end, and that ran."""
        return [row for row in self.rows(task) if row["state"] == "succeeded" and row["cause"] == "schedule"
                and began + 1_500_000 < row["scheduled_at"] < ended - 1_000_000]

    def test_after_an_outage_of_all_nodes_the_late_firings_are_skipped_by_policy(self):
        once, none = self.create("once"), self.create("none", action="skip")
        some = self.create("some", action="fire_all", limit=1000)
        self.await_runs(once, 0)
        triggers = [self.cluster.processes[name] for name in TRIGGERS]
        for trigger in triggers:
            trigger.kill()
        began, ended = self.outlast()
        for trigger in triggers:
            trigger.start()
        for task in (once, none, some):
            self.await_runs(task, ended)
            self.check_every_firing(task)
        for task in (once, none):
            self.assertEqual(self.late_runs(task, began, ended), [])
            self.assertGreater(self.skipped(task)[1], 10)
        self.assertGreater(len(self.late_runs(some, began, ended)), 10)
        self.assertEqual(self.skipped(some), ([], 0))

    def test_after_an_outage_of_all_clients_the_late_firings_are_skipped_by_policy(self):
        once, some = self.create("once"), self.create("some", action="fire_all", limit=1000)
        self.await_runs(once, 0)
        self.cluster.processes["recorder-1"].terminate(within=10)
        began, ended = self.outlast()
        self.cluster.processes["recorder-1"].start()
        for task in (once, some):
            self.await_runs(task, ended)
            self.check_every_firing(task)
        self.assertEqual(self.late_runs(once, began, ended), [])
        self.assertGreater(len(self.skipped(once)[0]), 10)
        self.assertGreater(len(self.late_runs(some, began, ended)), 10)
        self.assertEqual(self.skipped(some), ([], 0))


if __name__ == "__main__":
    unittest.main(verbosity=2)
