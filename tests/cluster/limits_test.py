#!/usr/bin/env python3
"""Tests of limits of rate and concurrency of tasks, services and projects, also through a death of the master, on the store
that $BATON_STORE names (sqlite by default). The recorder's journal, and not the ledger, tells what ran when."""

import os
import unittest

import exclusion
import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
DELIVERY_US = 500_000  # attempts that were sent so far apart may reach the client at once


class Limits(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=3, recorders=2)

    def limit(self, scope="services/default/recorder", **limits):
        self.cluster.rest.call("PUT", f"/api/v1/{scope}/settings", {"limits": limits})

    def rows(self, *tasks):
        ids = {int(task["id"]) for task in tasks}
        return [row for row in self.cluster.ledger().executions if row["task_id"] in ids]

    def run_many(self, task, count, payload=None):
        return self.cluster.in_parallel(lambda _: self.cluster.run_now(task, payload), range(count))

    def await_succeeded(self, tasks, count, within):
        harness.wait_for(f"{count} executions have succeeded",
                         lambda: sum(row["state"] == "succeeded" for row in self.rows(*tasks)) >= count, within)

    def starts(self, *tasks):
        executions = {row["id"] for row in self.rows(*tasks)}
        return sorted(line.boot_us for line in self.cluster.journal()
                      if line.what == "start" and line.execution in executions)

    def check_rate(self, starts, rate):
        self.assertIsNone(exclusion.above_rate(starts, rate, DELIVERY_US))

    def most_at_a_time(self, *tasks):
        calls = exclusion.calls_of(self.cluster.journal(), self.cluster.deaths(),
                                   {row["id"] for row in self.rows(*tasks)})
        return max(sum(other.began <= call.began and (other.ended is None or call.began < other.ended)
                       for other in calls) for call in calls)

    def test_a_rate_of_a_task_is_reached_and_never_exceeded(self):
        rate = {"limit": 50, "per_ms": 1000, "burst": 20}
        task = self.cluster.create("steady", BY_HAND, rate=rate)
        self.cluster.rest.post("/api/v1/services/default/recorder/pause", {"reason": "to fill the line"})
        self.run_many(task, 1000)
        self.cluster.rest.post("/api/v1/services/default/recorder/resume", {})
        self.await_succeeded([task], 1000, 120)
        starts = self.starts(task)
        self.check_rate(starts, rate)
        # The middle of the run: the rate is busy all the time. A disk may stall for longer than the burst makes up for.
        middle = [at for at in starts if starts[0] + 2_000_000 <= at < starts[-1] - 1_000_000]
        share, stalled_us = exclusion.reached_share(middle, rate)
        print(f"{STORE}: {share:.3f} of the rate, and {stalled_us / 1e6:.2f} s of stalls")
        self.assertGreaterEqual(share, 0.99)
        self.assertLess(stalled_us, (middle[-1] - middle[0]) / 10)

    def test_a_rate_holds_through_the_death_of_the_master_and_loses_nothing(self):
        rate = {"limit": 20, "per_ms": 1000, "burst": 5}
        task = self.cluster.create("deaths", BY_HAND, rate=rate)
        self.run_many(task, 300)
        self.await_succeeded([task], 60, 60)
        self.cluster.processes[self.cluster.master()].kill()
        self.await_succeeded([task], 300, 120)
        self.check_rate(self.starts(task), rate)
        self.assertEqual(len(self.rows(task)), 300)

    def test_a_slow_rate_is_known_to_the_next_master(self):
        task = self.cluster.create("slow", BY_HAND, rate={"limit": 2, "per_ms": 20_000, "burst": 2})
        runs = [self.cluster.run_now(task) for _ in range(3)]
        self.await_succeeded([task], 2, 30)
        shown = self.cluster.await_state(runs[2], "waiting", 20)
        self.assertIn("the rate limit of its task is reached", self.cluster.execution(runs[2])["reason"])
        self.cluster.processes[self.cluster.master()].kill()
        done = self.cluster.await_state(runs[2], "succeeded", 60)
        starts = self.starts(task)
        self.assertGreaterEqual(starts[2] - starts[0], 9_500_000)
        self.assertEqual([each["for"] for each in done["waits"]], ["task_rate"])
        self.assertIsNotNone(done["waits"][0]["until_at"], shown)

    def test_a_rate_that_is_taken_away_lets_those_go_on_that_wait(self):
        task = self.cluster.create("hourly", BY_HAND, rate={"limit": 1, "per_ms": 3_600_000})
        runs = [self.cluster.run_now(task) for _ in range(4)]
        self.await_succeeded([task], 1, 30)
        self.cluster.await_state(runs[3], "waiting", 20)
        self.cluster.rest.call("PATCH", f"/api/v1/tasks/{task['id']}", {"rate": None})
        self.await_succeeded([task], 4, 60)

    def test_a_service_has_so_many_under_way_and_its_other_tasks_wait_too(self):
        self.limit(concurrency=3)
        tasks = [self.cluster.create(f"nap-{number}", BY_HAND, handler="nap", payload={"ms": 300})
                 for number in range(4)]
        for task in tasks:
            self.run_many(task, 6)
        self.await_succeeded(tasks, 10, 60)
        self.cluster.processes[self.cluster.master()].kill()
        self.await_succeeded(tasks, 24, 120)
        self.assertEqual(self.most_at_a_time(*tasks), 3)

    def test_a_limit_of_a_project_holds_for_its_services_together_and_ends_when_it_is_taken_away(self):
        self.cluster.start_recorder("other-1", service="other")
        harness.wait_for("the client of the other service", lambda: len(self.cluster.live_clients()) == 3, 20)
        self.limit("projects/default", concurrency=2)
        tasks = [self.cluster.create(f"in-{service}", BY_HAND, handler="nap", service=service, payload={"ms": 20_000})
                 for service in ("recorder", "other")]
        runs = [self.cluster.run_now(task) for task in tasks for _ in range(3)]
        harness.wait_for("four wait", lambda: sum(row["state"] == "waiting" for row in self.rows(*tasks)) == 4, 30)
        waiting = next(run for run in runs if self.cluster.execution(run)["state"] == "waiting")
        self.assertIn("as many executions of its project", self.cluster.execution(waiting)["reason"])
        self.limit("projects/default")
        harness.wait_for("all run", lambda: all(row["state"] == "running" for row in self.rows(*tasks)), 15)

    def test_the_higher_priority_goes_first(self):
        self.limit(concurrency=1)
        low = self.cluster.create("low", BY_HAND, handler="nap", payload={"ms": 100})
        high = self.cluster.create("high", BY_HAND, handler="nap", payload={"ms": 100}, priority=50)
        first = self.cluster.create("first", BY_HAND, handler="nap", payload={"ms": 4000})
        self.cluster.await_state(self.cluster.run_now(first), "running", 20)
        self.run_many(low, 5)
        self.run_many(high, 5)
        self.await_succeeded([low, high], 10, 60)
        self.assertLess(max(self.starts(high)), min(self.starts(low)))

    def test_the_command_line_sets_and_shows_limits(self):
        def baton(*words):
            return self.cluster.run_baton(*words, "--server", self.cluster.addresses["web"])
        said = baton("services", "set", "recorder", "--concurrency", "7", "--rate", "100/1m", "--burst", "4")
        self.assertIn("concurrency: 7", said)
        baton("services", "set", "recorder", "--concurrency", "8")
        said = baton("services", "settings", "recorder")
        self.assertIn("concurrency: 8", said)
        self.assertIn("rate: 100/1m, burst 4", said)
        said = baton("projects", "set", "shop", "--rate", "5/1s")
        self.assertIn("rate: 5/1s, burst 3", said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
