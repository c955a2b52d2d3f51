#!/usr/bin/env python3
"""Tests of concurrency limits, also through deaths of masters and clients, on the store that $BATON_STORE names (sqlite by
default). The recorder's journal, and not the ledger, tells what ran at the same time."""

import os
import unittest

import exclusion
import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
TRIGGERS = ("trigger-1", "trigger-2", "trigger-3")
DEATHS = 6  # of masters and clients in turn, each after five more successes


class Concurrency(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=len(TRIGGERS), recorders=2)

    def napping(self, name, ms, schedule=BY_HAND, payload=None, **concurrency):
        return self.cluster.create(name, schedule, handler="nap", payload={"ms": ms, **(payload or {})},
                                   concurrency=concurrency)

    def rows(self, task):
        return [row for row in self.cluster.ledger().executions if row["task_id"] == int(task["id"])]

    def calls(self, task):
        """The calls of its handler, in the order of their beginnings."""
        return exclusion.calls_of(self.cluster.journal(), self.cluster.deaths(), {row["id"] for row in self.rows(task)})

    def check_never_beside(self, task):
        """No two calls overlap. Returns how many there were."""
        calls = self.calls(task)
        self.assertEqual(exclusion.overlaps(calls), [])
        return len(calls)

    def await_ended(self, task, count, within=60):
        harness.wait_for(f"{count} executions have ended",
                         lambda: sum(row["ended_at"] is not None for row in self.rows(task)) >= count, within)

    def test_runs_wait_their_turn_in_order(self):
        task = self.napping("queue", 200, limit=1)
        runs = [self.cluster.run_now(task) for _ in range(8)]
        self.await_ended(task, len(runs))
        self.assertEqual(self.check_never_beside(task), len(runs))
        by_start = sorted(self.rows(task), key=lambda row: row["started_at"])
        self.assertEqual([row["id"] for row in by_start], sorted(runs))

    def test_a_firing_beside_one_that_runs_is_skipped_and_recorded(self):
        task = self.napping("skip", 1500, schedule={"kind": "fixed_rate", "every_ms": 500}, limit=1, when_full="skip")
        harness.wait_for("three runs and six skipped firings", lambda: self.counts(task) >= (3, 6), 30)
        self.check_never_beside(task)
        skipped = next(row for row in self.rows(task) if row["state"] == "skipped")
        self.assertIn("as many executions as may be under way", skipped["reason"])

    def counts(self, task):
        states = [row["state"] for row in self.rows(task)]
        return states.count("succeeded"), states.count("skipped")

    def test_the_newest_replaces_the_one_that_runs(self):
        task = self.napping("replace", 60_000, limit=1, when_full="replace")
        runs = [self.cluster.run_now(task)]
        self.cluster.await_state(runs[0], "running", 20)
        runs += [self.cluster.run_now(task), self.cluster.run_now(task)]
        self.cluster.await_state(runs[2], "running", 20)
        self.cluster.await_state(runs[0], "cancelled", 20)
        self.cluster.await_state(runs[1], ("skipped", "cancelled"), 20)  # it began if the first obeyed before the third came
        self.check_never_beside(task)

    def test_each_value_of_a_key_has_its_own_limit(self):
        task = self.napping("by-customer", 300, payload={"customer": 0}, limit=1, key="/customer")
        for number in range(12):
            self.cluster.run_now(task, {"ms": 300, "customer": number % 3})
        self.await_ended(task, 12)
        calls = self.calls(task)
        most = max(sum(other.began <= call.began < other.ended for other in calls) for call in calls)
        self.assertTrue(1 < most <= 3, most)

    def test_executions_that_wait_are_not_in_doubt_at_a_take_over(self):
        task = self.napping("waiting", 8_000, limit=1)
        runs = [self.cluster.run_now(task) for _ in range(3)]
        self.cluster.await_state(runs[1], "waiting", 20)
        self.cluster.await_state(runs[2], "waiting", 20)
        self.cluster.processes[self.cluster.master()].kill()
        self.cluster.await_state(runs[2], "succeeded", 60)
        self.assertEqual([row["attempt"] for row in self.rows(task)], [1, 1, 1])
        self.check_never_beside(task)

    def test_no_two_run_beside_each_other_through_deaths_of_masters_and_clients(self):
        task = self.napping("faults", 150, schedule={"kind": "fixed_rate", "every_ms": 100}, limit=1, queue=5)
        deaths = 0
        for turn in range(1, DEATHS + 1):
            harness.wait_for("firings go on", self.goes_on(task), 60)
            name = self.cluster.master() if turn % 2 else f"recorder-{1 + turn // 2 % 2}"
            if name is not None:
                self.cluster.processes[name].kill()
                self.cluster.processes[name].start()
                deaths += 1
        harness.wait_for("firings go on", self.goes_on(task), 60)
        calls = self.check_never_beside(task)
        print(f"{STORE}: {calls} calls, {deaths} deaths, none beside another")
        self.assertGreaterEqual(calls, 5 * (DEATHS + 1))

    def goes_on(self, task):
        before = self.counts(task)[0]
        return lambda: self.counts(task)[0] >= before + 5


if __name__ == "__main__":
    unittest.main(verbosity=2)
