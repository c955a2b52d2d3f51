#!/usr/bin/env python3
"""Tests of what is shown of clients, on the store that $BATON_STORE names (sqlite by default)."""

import os
import signal
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
SLOTS = 2
INSTANCES = ("alpha:1", "beta:1")


class Clients(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        for number in (1, 2):
            self.cluster.start_trigger(f"trigger-{number}")
        self.cluster.start_web()
        for instance in INSTANCES:
            self.start_client(instance)
        self.cluster.await_ready(2, len(INSTANCES))

    def start_client(self, instance):
        return self.cluster.start_recorder(instance, slots=SLOTS, environment={"RECORDER_INSTANCE": instance})

    def baton(self, *words):
        return self.cluster.run_baton(*words, "--server", self.cluster.addresses["web"])

    def shown(self, instance):
        return next(client for client in self.cluster.clients() if client["instance"] == instance)

    def home_of(self, instance):
        home = self.shown(instance)["node"]
        return next(node["name"] for node in self.cluster.live_nodes() if node["incarnation"] == home)

    def test_the_figures_of_clients_come_from_their_homes_and_one_that_is_silent_keeps_nothing_back(self):
        task = self.cluster.create("nap", BY_HAND, handler="nap", payload={"ms": 120_000})
        for _ in range(3):
            self.cluster.await_state(self.cluster.run_now(task), "running", 20)
        live = harness.wait_for("figures of each client", lambda: self.figures(lambda all_of: sum(
            each["in_flight"] for each in all_of) == 3), 20)
        self.assertEqual(sum(each["free_slots"] for each in live), 2 * SLOTS - 3)
        for each in live:
            self.assertGreaterEqual(each["heard_ms"], 0)
            self.assertIsNotNone(each["answered_ms"])
        # All processes of this test have one clock, and a heartbeat is never there before it was sent.
        clocks = harness.wait_for("clocks of clients", lambda: self.figures(lambda all_of: all(
            each["clock_offset_ms"] is not None for each in all_of)), 20)
        self.assertLess(max(each["clock_offset_ms"] for each in clocks), 1000)
        rows = [line for line in self.baton("clients").splitlines() if "recorder" in line]
        self.assertEqual(sorted(word for line in rows for word in line.split() if word.endswith("/2")), ["0/2", "1/2"])

        silent = self.home_of("alpha:1")
        self.cluster.processes[silent].freeze()
        why = harness.wait_for("a client without figures", lambda: self.shown("alpha:1")["live_why"], 20)
        self.assertIn(f"node {silent}", why)
        self.assertEqual({client["instance"] for client in self.cluster.clients()}, set(INSTANCES))
        self.assertIn("no figures", self.baton("clients"))
        self.cluster.processes[silent].child.send_signal(signal.SIGCONT)
        harness.wait_for("figures again", lambda: self.figures(lambda _: True), 30)

    def starts_on(self, instance):
        pids = {process.pid for name, process in self.cluster.processes.items() if name == instance}
        return {line.execution for line in self.cluster.journal() if line.what == "start" and line.pid in pids}

    def await_next(self, task, more, instance=None):
        """Waits until so many further executions of the task began, on this client or on any."""
        begun = lambda: len(self.starts_on(instance) if instance else set().union(*map(self.starts_on, INSTANCES)))
        before = begun()
        harness.wait_for(f"{more} more executions", lambda: begun() >= before + more, 40)

    def test_a_drained_client_gets_nothing_new_through_the_death_of_its_home_until_it_is_resumed(self):
        busy = self.cluster.create("nap", BY_HAND, handler="nap", payload={"ms": 2_000}, routing="instance",
                                   route={"instance": "alpha:1"})
        held = self.cluster.run_now(busy)
        self.cluster.await_state(held, "running", 20)
        task = self.cluster.create("load", {"kind": "fixed_rate", "every_ms": 100})
        self.await_next(task, 5, "alpha:1")
        self.assertIn("2", self.clients_of_service())
        said = self.baton("clients", "drain", "alpha:1", "--reason", "new disk", "--by", "ann")
        self.assertIn("client alpha:1: drained since", said)
        self.assertNotIn("note:", said)
        self.assertIn("1, 1 drained", self.clients_of_service())
        self.assertIn("drained since", self.baton("clients"))
        # What was on its way may still begin. Then executions begin on the other client only.
        self.await_next(task, 10, "beta:1")
        before = self.starts_on("alpha:1")
        self.await_next(task, 20, "beta:1")
        self.assertEqual(self.starts_on("alpha:1"), before)
        self.assertEqual(self.cluster.await_state(held, "succeeded", 20)["attempts"][-1]["client"], "alpha:1")

        home = self.home_of("alpha:1")
        self.cluster.processes[home].kill()
        harness.wait_for("another home", lambda: self.home_now("alpha:1") not in (None, home), 40)
        self.await_next(task, 20, "beta:1")
        self.assertEqual(self.starts_on("alpha:1"), before)
        shown = self.shown("alpha:1")["drained"]
        self.assertEqual((shown["by"], shown["reason"]), ("ann", "new disk"))

        self.assertIn("resumed", self.baton("clients", "resume", "alpha:1"))
        self.await_next(task, 5, "alpha:1")
        self.cluster.end_firings([task], 60)
        self.assertEqual(self.cluster.verdict().problems, [])

    def clients_of_service(self):
        return next(line for line in self.baton("services", "list").splitlines() if "recorder" in line)

    def home_now(self, instance):
        home = self.shown(instance)["node"]
        return next((node["name"] for node in self.cluster.live_nodes() if node["incarnation"] == home), None)

    def figures(self, wanted):
        live = [client["live"] for client in self.cluster.clients()]
        return live if None not in live and wanted(live) else None


if __name__ == "__main__":
    unittest.main()
