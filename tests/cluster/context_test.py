#!/usr/bin/env python3
"""Tests of what a handler is told of earlier executions, on the store that $BATON_STORE names (sqlite by default)."""

import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}


class Context(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=2, recorders=1)

    def run_to_its_end(self, task, payload, state):
        execution = self.cluster.run_now(task, payload)
        self.cluster.await_state(execution, state, 30)
        return execution

    def told(self, execution):
        return self.cluster.execution(execution)["attempts"][-1]["result"]

    def test_a_handler_learns_the_execution_before_and_the_last_success_also_after_a_take_over(self):
        task = self.cluster.create("asks", BY_HAND, handler="past", context=["previous", "last_success"])
        first = self.run_to_its_end(task, {}, "succeeded")
        self.assertEqual(self.told(first), {"previous": None, "last_success": None})
        failed = self.run_to_its_end(task, {"fail": True}, "failed")
        self.cluster.processes[self.cluster.master()].kill()
        third = self.run_to_its_end(task, {}, "succeeded")
        told = self.told(third)
        self.assertEqual((told["previous"]["id"], told["previous"]["state"], told["previous"]["ended"]), (failed, "failed", True))
        self.assertEqual((told["last_success"]["id"], told["last_success"]["state"]), (first, "succeeded"))

    def test_a_handler_is_told_what_its_task_asks_for_and_no_more(self):
        one = self.cluster.create("asks-one", BY_HAND, handler="past", context=["last_success"])
        none = self.cluster.create("asks-none", BY_HAND, handler="past")
        for task, expected in ((one, True), (none, False)):
            self.run_to_its_end(task, {}, "succeeded")
            told = self.told(self.run_to_its_end(task, {}, "succeeded"))
            self.assertIsNone(told["previous"])
            self.assertEqual(told["last_success"] is not None, expected)

    def test_with_a_limit_of_one_the_execution_before_has_ended(self):
        task = self.cluster.create("in-turn", BY_HAND, handler="past", context=["previous"], concurrency={"limit": 1})
        runs = [self.cluster.run_now(task, {}) for _ in range(10)]
        for before, run in zip(runs, runs[1:]):
            self.cluster.await_state(run, "succeeded", 30)
            told = self.told(run)["previous"]
            self.assertEqual((told["id"], told["state"]), (before, "succeeded"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
