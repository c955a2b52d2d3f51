#!/usr/bin/env python3
"""Tests of executions that clients have not begun, with real agents, on the store that $BATON_STORE names (sqlite by default):
they are taken back for a pause, a limit, a priority, a drain or a free slot elsewhere."""

import os
import pathlib
import sys
import time
import unittest

import harness

EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples/python-client/client.py"

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
SOON = 1.5  # seconds: one that the requirements name, and half of one for busy machines


class Recalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = harness.Cluster.or_skip(STORE)
        cls.addClassCleanup(cls.cluster.end)
        for number in (1, 2):
            cls.cluster.start_trigger(f"trigger-{number}", clients={"heartbeat": "1s"})
        cls.cluster.start_web()
        cls.cluster.await_ready(2, 0)

    def setUp(self):
        self.service = self.id().rsplit(".", 1)[1][:60]
        self.agents = []

    def tearDown(self):
        for agent in self.agents:
            agent.end()

    def agent(self, name, **more):
        """A client with one slot. A handler sleeps for as many seconds as its payload says."""
        cluster = self.cluster
        file = cluster.config(f"{self.service}-{name}", {
            "service": self.service, "triggers": cluster.triggers(),
            "handlers": {"sleep": {"argv": ["/bin/sh", "-c", "exec sleep \"$BATON_PAYLOAD\""]}}, "slots": 1, **more})
        self.agents.append(cluster.start(f"{self.service}-{name}", [cluster.baton, "agent", "--config", file]))
        harness.wait_for("the agents are reachable", lambda: len(self.reachable()) == len(self.agents), 20)
        return self.agents[-1]

    def reachable(self):
        return [one for one in self.cluster.clients() if one["service"] == self.service and one["reach"] == "reachable"]

    def task(self, name, seconds, **more):
        return self.cluster.create(f"{self.service} {name}", BY_HAND, handler="sleep", service=self.service,
                                   payload=seconds, **more)

    def run_many(self, task, count):
        return self.cluster.in_parallel(lambda _: self.cluster.run_now(task), range(count))

    def rows(self, runs):
        ids = ", ".join(map(str, runs))
        return self.cluster.store.query(
            f"SELECT id, state, attempt, deaths, client, created_at, started_at, ended_at FROM execution WHERE id IN ({ids})")

    def ended(self, runs, within):
        def look():
            rows = self.rows(runs)
            return rows if all(row["ended_at"] for row in rows) else None
        return harness.wait_for("all have ended", look, within)

    def ran_once(self, rows):
        self.assertEqual({(row["state"], row["attempt"], row["deaths"]) for row in rows}, {("succeeded", 1, 0)}, rows)

    def become_fast(self):
        """The clients are known for fast handlers, and are given many executions from then on."""
        self.ran_once(self.ended(self.run_many(self.task("fast", 0), 40), 60))

    def test_nothing_waits_behind_a_long_run_while_another_client_is_free(self):
        self.agent("a")
        self.agent("b")
        self.become_fast()
        long = self.run_many(self.task("long", 20), 1)
        harness.wait_for("the long run has begun", lambda: self.rows(long)[0]["state"] == "running", 10)
        began = time.monotonic()
        self.ran_once(self.ended(self.run_many(self.task("short", 1), 6), 15))
        took = time.monotonic() - began
        print(f"{STORE}: six runs of one second beside a long one took {took:.1f} s")
        self.assertLess(took, 6 + 3)
        self.assertIsNone(self.rows(long)[0]["ended_at"])

    def test_a_higher_priority_overtakes_what_waits_at_a_client(self):
        self.agent("a")
        self.become_fast()
        low = self.run_many(self.task("low", 2), 6)
        harness.wait_for("one runs", lambda: any(row["state"] == "running" for row in self.rows(low)), 10)
        high, = self.ended(self.run_many(self.task("high", 0, priority=5), 1), 15)
        self.assertLess(high["started_at"] - high["created_at"], (2 + SOON) * 1e6)
        self.ran_once(self.ended(low, 30))

    def test_what_cannot_begin_in_time_is_skipped_and_does_not_begin_late(self):
        self.agent("a")
        self.become_fast()
        runs = self.run_many(self.task("timely", 3, limits={"start_within_ms": 1500, "late_start": "skip"}), 5)
        rows = self.ended(runs, 30)
        self.assertEqual(sorted(row["state"] for row in rows), ["skipped"] * 4 + ["succeeded"])
        self.assertEqual({row["attempt"] for row in rows}, {1})

    def test_what_a_stopping_client_has_not_begun_runs_elsewhere_at_once(self):
        first = self.agent("a", grace="20s")
        self.become_fast()
        runs = self.run_many(self.task("queued", 4), 5)
        harness.wait_for("one runs", lambda: any(row["state"] == "running" for row in self.rows(runs)), 10)
        self.agent("b", slots=8)
        more = self.run_many(self.task("more", 0), 3)
        first.child.terminate()
        self.ran_once(self.ended(more, 10))
        rows = self.ended(runs, 15)
        self.ran_once(rows)
        self.assertEqual(len({row["client"] for row in rows}), 2)
        starts = sorted(row["started_at"] for row in rows)
        self.assertLess(starts[-1] - starts[1], SOON * 1e6, "all but the first begin together")

    def test_a_pause_holds_back_what_has_not_begun(self):
        self.agent("a")
        self.become_fast()
        runs = self.run_many(self.task("paused", 2), 5)
        harness.wait_for("one runs", lambda: any(row["state"] == "running" for row in self.rows(runs)), 10)
        self.cluster.rest.post(f"/api/v1/services/default/{self.service}/pause", {"reason": "a test"})
        time.sleep(5)  # what must not begin would have begun
        begun = sum(row["state"] in ("running", "succeeded") for row in self.rows(runs))
        self.assertLessEqual(begun, 2)
        self.cluster.rest.post(f"/api/v1/services/default/{self.service}/resume", {})
        self.ran_once(self.ended(runs, 20))


class ForeignRecalls(unittest.TestCase):
    """With clients that are not our SDK (examples/python-client)."""

    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        for number in (1, 2, 3):
            self.cluster.start_trigger(f"trigger-{number}", clients={"heartbeat": "1s"})
        self.cluster.start_web()
        self.cluster.await_ready(3, 0)

    def client(self, name, *more):
        return self.cluster.start(name, [sys.executable, EXAMPLE, *more, *self.cluster.triggers()])

    def await_clients(self, count):
        harness.wait_for("the clients are reachable", lambda: sum(
            one["reach"] == "reachable" and one["state"] == "up" for one in self.cluster.clients()) == count, 20)

    def check(self, *more, fault=lambda: None, deaths=0):
        """Eight runs beside two long ones, which take both slots of the first client: the second one gets them all."""
        cluster = self.cluster
        first = self.client("first", *more)
        self.await_clients(1)
        task = cluster.create("sleep", BY_HAND, handler="sleep", service="python", payload={"seconds": 0})
        for run in [cluster.run_now(task) for _ in range(20)]:  # it is known for fast handlers
            cluster.await_state(run, "succeeded", 30)
        runs = [cluster.run_now(task, {"seconds": 12}) for _ in range(2)]
        runs += [cluster.run_now(task, {"seconds": 0.5}) for _ in range(8)]
        self.client("second", *more)
        self.await_clients(2)
        fault()
        for run in runs[2:]:
            cluster.await_state(run, "succeeded", 11)
        ended = [cluster.await_state(run, "succeeded", 30) for run in runs]
        self.assertLessEqual(max(one["attempt"] for one in ended), 1 + deaths, ended)
        self.assertTrue(all(one["deaths"] == 0 for one in ended), ended)
        return first

    def test_a_client_that_is_called_gives_back_what_waits_behind_its_long_runs(self):
        self.check()

    def test_a_client_that_fetches_gives_back_what_waits_behind_its_long_runs(self):
        self.check("--fetch")

    def test_what_was_given_back_is_neither_lost_nor_run_twice_when_the_master_dies(self):
        self.check(fault=lambda: self.cluster.processes[self.cluster.master()].kill(), deaths=1)

    def test_a_new_home_sends_nothing_behind_the_long_runs_of_a_client_that_has_moved_to_it(self):
        cluster = self.cluster
        self.client("first")
        self.await_clients(1)
        task = cluster.create("sleep", BY_HAND, handler="sleep", service="python", payload={"seconds": 0})
        long = [cluster.run_now(task, {"seconds": 25}) for _ in range(2)]
        harness.wait_for("both long ones run", lambda: any(
            (one["live"] or {}).get("in_flight") == 2 for one in cluster.clients()), 10)
        self.client("second")
        self.await_clients(2)
        homes = {one["node"] for one in cluster.clients() if (one["live"] or {}).get("in_flight") == 2}
        nodes = cluster.rest.get("/api/v1/nodes")["items"]
        name, = [one["name"] for one in nodes if one["incarnation"] in homes]
        cluster.processes[name].terminate(10)
        harness.wait_for("both clients have another home", lambda: all(
            one["reach"] == "reachable" and one["node"] not in homes for one in cluster.clients()), 20)
        for run in [cluster.run_now(task, {"seconds": 0.5}) for _ in range(8)]:
            cluster.await_state(run, "succeeded", 10)
        self.assertTrue(all(cluster.execution(run)["ended_at"] is None for run in long))



if __name__ == "__main__":
    unittest.main(verbosity=2)
