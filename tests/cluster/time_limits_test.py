#!/usr/bin/env python3
"""Tests of handlers that do not return, on the store that $BATON_STORE names (sqlite by default)."""

import datetime
import os
import unittest

import harness
from rest import Refused

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
LONG = 600_000  # ms that a deaf handler sleeps
GRACE = 1_500


def seconds_between(begin, end):
    return (datetime.datetime.fromisoformat(end.replace("Z", "+00:00")) -
            datetime.datetime.fromisoformat(begin.replace("Z", "+00:00"))).total_seconds()


class TimeLimits(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=2, recorders=1)
        # An execution that the first term finds at its beginning may begin with its second attempt.
        harness.wait_for("a master that plans", lambda: self.cluster.rest.get("/api/v1/terms")["items"], 20)

    def deaf(self, name, **more):
        return self.cluster.create(name, BY_HAND, handler="deaf", payload={"ms": LONG}, stop_grace_ms=GRACE, **more)

    def handlers(self):
        return self.cluster.store.query("SELECT COUNT(*) AS found FROM unresponsive")[0]["found"]

    def await_handlers(self, count, within=20):
        harness.wait_for(f"{count} unresponsive handlers", lambda: self.handlers() == count, within)

    def test_a_deaf_handler_ends_with_its_grace_period_and_keeps_its_place_until_its_client_dies(self):
        task = self.deaf("deaf", timeout_ms=1500, max_attempts=3, concurrency={"limit": 1})
        first, second = self.cluster.run_now(task), self.cluster.run_now(task)
        self.cluster.await_state(first, "timed_out", 20)
        shown = self.cluster.execution(first)
        self.assertEqual(shown["attempt"], 1)  # a further one could run beside it
        self.assertIn("did not return within 1500 ms after its timeout", shown["reason"])
        self.assertEqual(shown["unresponsive"]["client"], shown["attempts"][0]["client"])
        self.cluster.await_state(second, "waiting", 20)

        self.cluster.processes[self.cluster.master()].kill()  # the next master knows of it too
        harness.wait_for("another master", lambda: self.cluster.master(), 20)
        self.assertEqual(self.cluster.execution(second)["state"], "waiting")

        self.cluster.processes["recorder-1"].kill()
        self.cluster.start_recorder("recorder-2")
        self.await_handlers(0, 60)
        harness.wait_for("the second run", lambda: self.cluster.execution(second)["state"] in ("running", "timed_out"), 30)

    def test_a_timeout_of_a_deaf_handler_shows_in_the_ledger_and_goes_on_after_a_take_over(self):
        task = self.cluster.create("stopping", BY_HAND, handler="deaf", payload={"ms": LONG}, timeout_ms=2000,
                                   stop_grace_ms=15_000, max_attempts=3)
        run = self.cluster.run_now(task)
        self.cluster.await_state(run, "stopping", 20)
        shown = self.cluster.execution(run)
        self.assertIsNone(shown["cancel_requested_at"])
        (stop,) = shown["stops"]
        self.assertEqual((stop["attempt"], stop["cause"]), (1, "timeout"))
        said = self.cluster.run_baton("executions", "show", str(run), "--server", self.cluster.addresses["web"])
        self.assertIn("asked to stop: attempt 1 at ", said)
        listed = self.cluster.rest.get("/api/v1/executions?state=stopping")["items"]
        self.assertEqual([int(each["id"]) for each in listed], [int(run)])

        self.cluster.processes[self.cluster.master()].kill()
        harness.wait_for("another master", lambda: self.cluster.master(), 20)
        self.cluster.await_state(run, "timed_out", 40)
        ended = self.cluster.execution(run)
        self.assertEqual(ended["stops"], [stop])  # the new master asked for nothing anew
        waited = seconds_between(stop["requested_at"], ended["ended_at"])
        self.assertLess(abs(waited - 15), 4, (stop, ended["ended_at"]))

    def test_a_deaf_handler_that_is_cancelled_ends_with_its_grace_period(self):
        run = self.cluster.run_now(self.deaf("cancelled"))
        self.cluster.await_state(run, "running", 20)
        self.cluster.rest.post(f"/api/v1/executions/{run}/cancel", {})
        self.cluster.await_state(run, "cancelled", 20)
        self.assertIn("after the request to cancel", self.cluster.execution(run)["reason"])
        self.assertEqual(self.handlers(), 1)

    def test_a_person_releases_an_unresponsive_handler(self):
        task = self.deaf("released", timeout_ms=1500, concurrency={"limit": 1})
        first, second = self.cluster.run_now(task), self.cluster.run_now(task)
        self.cluster.await_state(first, "timed_out", 20)
        answer = self.cluster.rest.post("/api/v1/dead-letters/retry", {"executions": [str(first)]})
        self.assertEqual(answer["items"][0]["outcome"], "still_runs")
        said = self.cluster.run_baton("executions", "release", str(first), "--server", self.cluster.addresses["web"])
        self.assertIn("its handler counts as ended", said)
        self.cluster.await_state(second, "timed_out", 20)
        with self.assertRaises(Refused):
            self.cluster.rest.post(f"/api/v1/executions/{first}/release", {})

    def test_a_handler_that_returns_late_is_forgotten_and_its_result_changes_nothing(self):
        task = self.cluster.create("late", BY_HAND, handler="deaf", payload={"ms": 6000}, stop_grace_ms=GRACE,
                                   timeout_ms=1500)
        run = self.cluster.run_now(task)
        self.cluster.await_state(run, "timed_out", 20)
        self.assertEqual(self.handlers(), 1)
        self.await_handlers(0)
        shown = self.cluster.execution(run)
        self.assertEqual(shown["state"], "timed_out")
        self.assertEqual(shown["attempts"][0]["outcome"], "timed_out")
        late = shown["late_report"]
        self.assertEqual(late["client"], shown["attempts"][0]["client"])
        self.assertGreater(late["reported_at"], shown["ended_at"])

    def test_an_execution_ends_at_its_total_through_a_take_over(self):
        task = self.cluster.create("total", BY_HAND, handler="deaf", payload={"ms": LONG}, max_attempts=5,
                                   limits={"total_ms": 8000})
        run = self.cluster.run_now(task)
        self.cluster.await_state(run, "running", 20)
        self.cluster.processes[self.cluster.master()].kill()
        self.cluster.await_state(run, "timed_out", 40)
        shown = self.cluster.execution(run)
        self.assertEqual(shown["reason"], "it did not end within 8000 ms (total)")
        self.assertEqual(len(shown["attempts"]), 1, shown["attempts"])
        self.assertEqual(self.handlers(), 1)

    def test_an_execution_that_waits_for_its_retry_ends_at_its_total(self):
        task = self.cluster.create("retries", BY_HAND, handler="fail", payload={"times": 100}, max_attempts=50, retry_delay_ms=60_000,
                                   limits={"total_ms": 4000})
        run = self.cluster.run_now(task)
        self.cluster.await_state(run, "timed_out", 20)
        self.assertEqual(self.cluster.execution(run)["reason"], "it did not end within 4000 ms (total)")

    def test_what_no_client_takes_in_time_is_skipped_or_fails(self):
        self.cluster.processes["recorder-1"].kill()
        skipped, failed = (self.cluster.create(name, BY_HAND, limits={"start_within_ms": 3000, "late_start": name})
                           for name in ("skip", "fail"))
        harness.wait_for("no client", lambda: not self.cluster.live_clients(), 60)
        runs = [self.cluster.rest.post(f"/api/v1/tasks/{task['id']}/run?allow_unserved=true")["execution"]
                for task in (skipped, failed)]
        self.cluster.await_state(int(runs[0]), "skipped", 20)
        self.cluster.await_state(int(runs[1]), "failed", 20)
        self.assertIn("no client took it within 3000 ms", self.cluster.execution(runs[1])["reason"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
