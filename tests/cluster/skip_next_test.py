#!/usr/bin/env python3
"""Tests of skip-next, on the store that $BATON_STORE names (sqlite by default)."""

import os
import unittest

import expected
import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
EVERY = {"kind": "fixed_rate", "every_ms": 500}


class SkipNext(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=2, recorders=1)

    def baton(self, *words):
        return self.cluster.run_baton(*words, "--server", self.cluster.addresses["web"])

    def rows(self, task):
        return [row for row in self.cluster.ledger().executions if row["task_id"] == int(task["id"])]

    def at(self, task, firing, state):
        when = expected.micros(firing)
        return [row for row in self.rows(task) if row["scheduled_at"] == when and row["state"] == state]

    def await_behind(self, task, firing):
        when = expected.micros(firing)
        harness.wait_for("a later firing has succeeded",
                         lambda: any(row["state"] == "succeeded" and row["scheduled_at"] > when for row in self.rows(task)), 40)

    def test_firings_that_are_planned_already_are_skipped_and_no_others(self):
        task = self.cluster.create("often", EVERY)
        harness.wait_for("it fires", lambda: any(row["state"] == "succeeded" for row in self.rows(task)), 40)
        answer = self.cluster.rest.post(f"/api/v1/tasks/{task['id']}/skip-next", {"count": 3, "by": "ann"})
        self.assertEqual(len(answer["skipped"]), 3)
        self.cluster.processes[self.cluster.master()].kill()
        self.await_behind(task, answer["skipped"][-1])
        for firing in answer["skipped"]:
            skipped = self.at(task, firing, "skipped")
            self.assertEqual([row["reason"] for row in skipped], ["skipped on request of ann"])
            self.assertEqual(self.at(task, firing, "succeeded"), [])
        ran = sorted(row["scheduled_at"] for row in self.rows(task) if row["state"] == "succeeded")
        before = expected.micros(answer["skipped"][0]) - 500_000
        after = expected.micros(answer["skipped"][-1]) + 500_000
        self.assertIn(before, ran)
        self.assertIn(after, ran)

    def test_an_undo_restores_the_firings_ahead(self):
        task = self.cluster.create("undone", {"kind": "fixed_rate", "every_ms": 4000})
        said = self.baton("task", "skip-next", "undone", "--count", "2")
        self.assertIn("task undone: skips the firing of", said)
        firing = self.cluster.rest.get(f"/api/v1/tasks/{task['id']}")["skips"][1]["firing"]
        said = self.baton("task", "skip-next", "undone", "--undo", "--expected", firing)
        self.assertIn("task undone: fires again at", said)
        self.await_behind(task, firing)
        self.assertEqual(len(self.at(task, firing, "succeeded")), 1)
        self.assertEqual(len([row for row in self.rows(task) if row["state"] == "skipped"]), 1)


if __name__ == "__main__":
    unittest.main(verbosity=2)
