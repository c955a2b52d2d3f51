#!/usr/bin/env python3
"""Tests of pauses of services and projects, on the store that $BATON_STORE names (sqlite by default)."""

import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
EVERY = {"kind": "fixed_rate", "every_ms": 500}


class Pauses(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=2, recorders=1)
        self.cluster.start_recorder("other-1", service="other")
        harness.wait_for("the client of the other service", lambda: len(self.cluster.live_clients()) == 2, 20)

    def baton(self, *words):
        return self.cluster.run_baton(*words, "--server", self.cluster.addresses["web"])

    def rows(self, task):
        return [row for row in self.cluster.ledger().executions if row["task_id"] == int(task["id"])]

    def states(self, task):
        found = [row["state"] for row in self.rows(task)]
        return found.count("succeeded"), found.count("skipped")

    def await_more(self, task, index, more):
        before = self.states(task)[index]
        harness.wait_for(f"{more} more executions", lambda: self.states(task)[index] >= before + more, 40)

    def started(self):
        return {line.execution for line in self.cluster.journal() if line.what == "start"}

    def test_a_paused_service_waits_through_a_take_over_and_no_other_does(self):
        task = self.cluster.create("held", BY_HAND)
        other = self.cluster.create("beside", EVERY, service="other")
        said = self.baton("services", "pause", "recorder", "--reason", "deployment", "--by", "ann")
        self.assertIn("service recorder: paused since", said)
        runs = [self.cluster.run_now(task) for _ in range(3)]
        self.await_more(other, 0, 3)
        self.cluster.processes[self.cluster.master()].kill()
        self.await_more(other, 0, 3)
        for run in runs:
            shown = self.cluster.execution(run)
            self.assertEqual(shown["state"], "planned")
            self.assertEqual(shown["reason"], "service 'recorder' is paused: deployment (by ann)")
        self.assertFalse(self.started() & set(runs))
        self.assertEqual(self.cluster.rest.get(f"/api/v1/tasks/{task['id']}")["paused"]["begun_by"], "ann")
        self.baton("services", "resume", "recorder", "--by", "bob")
        for run in runs:
            self.cluster.await_state(run, "succeeded", 30)

    def test_firings_of_a_paused_project_are_held_and_the_misfire_policy_decides_at_the_end(self):
        task = self.cluster.create("firings", EVERY, misfire={"action": "fire_once", "after_ms": 1000})
        self.await_more(task, 0, 2)
        self.baton("projects", "pause", "default", "--reason", "incident")
        harness.wait_for("the task is parked with the reason",
                         lambda: "is paused: incident" in str(self.cluster.rest.get(f"/api/v1/tasks/{task['id']}")["parked_reason"]), 20)
        before = self.states(task)[0]
        waiting = self.cluster.create("clock", BY_HAND, service="other")
        run = self.cluster.run_now(waiting)
        harness.wait_for("firings are late", lambda: harness.utc_us() - self.last_due(task) > 4_000_000, 20)
        self.assertLessEqual(self.states(task)[0], before + 1)  # one was on its way
        self.baton("projects", "resume", "default")
        self.cluster.await_state(run, "succeeded", 30)
        self.await_more(task, 0, 3)
        self.assertGreater(self.states(task)[1], 0, "late firings were skipped")

    def test_a_run_by_force_is_sent_in_a_pause_and_once_through_a_take_over(self):
        task = self.cluster.create("forced", BY_HAND, handler="nap", payload={"ms": 4000}, concurrency={"limit": 1})
        first = self.cluster.run_now(task)
        self.cluster.await_state(first, "running", 20)
        self.baton("services", "pause", "recorder", "--reason", "deployment")
        waiting = self.cluster.run_now(task)
        said = self.baton("task", "run", "forced", "--force")
        forced = int(said.split()[1])
        self.cluster.await_state(forced, "running", 20)  # beside the first one
        self.assertEqual(self.cluster.execution(forced)["cause"], "forced")
        self.cluster.processes[self.cluster.master()].kill()
        self.cluster.await_state(forced, "succeeded", 40)
        self.cluster.await_state(first, "succeeded", 40)
        self.assertEqual(self.cluster.execution(forced)["attempt"], 1)
        self.assertIn(self.cluster.execution(waiting)["state"], ("planned", "waiting"))  # for the pause, and for the limit
        self.assertEqual(len([line for line in self.cluster.journal() if line.what == "start" and line.execution == forced]), 1)
        self.baton("services", "resume", "recorder")
        self.cluster.await_state(waiting, "succeeded", 40)

    def last_due(self, task):
        return max(row["scheduled_at"] for row in self.rows(task) if row["state"] == "succeeded")

    def test_firings_of_a_pause_that_skips_are_recorded_as_skipped(self):
        task = self.cluster.create("skipped", EVERY)
        by_hand = self.cluster.create("by-hand", BY_HAND)
        self.await_more(task, 0, 2)
        self.baton("services", "pause", "recorder", "--reason", "incident", "--firings", "skip", "--by", "ann")
        self.await_more(task, 1, 4)
        run = self.cluster.run_now(by_hand)
        self.await_more(task, 1, 2)
        self.assertEqual(self.cluster.execution(run)["state"], "planned")
        skipped = next(row for row in self.rows(task) if row["state"] == "skipped")
        self.assertEqual(skipped["reason"], "service 'recorder' is paused: incident (by ann)")
        self.baton("services", "resume", "recorder")
        self.cluster.await_state(run, "succeeded", 30)
        self.await_more(task, 0, 2)
        pause = self.cluster.rest.get("/api/v1/services/default/recorder")["pauses"][0]
        self.assertIsNotNone(pause["ended_at"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
