#!/usr/bin/env python3
"""Tests of routing on the store that $BATON_STORE names (sqlite by default): which client gets which execution."""

import os
import time
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
TRIGGERS = 2
# By instance: the tag of each client. Two of them are on one host.
CLIENTS = {"alpha:1": "cpu", "beta:1": "gpu", "beta:2": "cpu", "gamma:1": "gpu"}


class Routing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = harness.Cluster.or_skip(STORE)
        cls.addClassCleanup(cls.cluster.end)
        for number in range(1, TRIGGERS + 1):
            cls.cluster.start_trigger(f"trigger-{number}")
        cls.cluster.start_web()
        for instance, tag in CLIENTS.items():
            cls.start_client(instance, tag)
        cls.cluster.await_ready(TRIGGERS, len(CLIENTS))
        harness.wait_for("the master knows all clients", cls.master_knows_all, 20)

    @classmethod
    def master_knows_all(cls):
        """It learns of a client that joined at another node within a second."""
        task = cls.cluster.create(f"all-{time.monotonic()}", BY_HAND, routing="broadcast")
        broadcast = cls.cluster.run_now(task)
        cls.cluster.await_state(broadcast, "succeeded", 20)
        return len(cls.cluster.rest.get("/api/v1/executions", parent=broadcast)["items"]) == len(CLIENTS)

    @classmethod
    def start_client(cls, instance, tag):
        return cls.cluster.start_recorder(instance, environment={"RECORDER_INSTANCE": instance, "RECORDER_TAG": tag})

    def create(self, name, routing, schedule=BY_HAND, **more):
        return self.cluster.create(name, schedule, routing=routing, **more)

    def clients_of(self, task, payloads):
        """Runs the task with each payload. The instance that each execution ran on."""
        runs = [self.cluster.run_now(task, payload) for payload in payloads]
        found = [self.cluster.await_state(run, "succeeded", 20) for run in runs]
        return [execution["attempts"][-1]["client"] for execution in found]

    def test_first_and_last_are_those_by_name(self):
        self.assertEqual(set(self.clients_of(self.create("first", "first"), [{}] * 5)), {"alpha:1"})
        self.assertEqual(set(self.clients_of(self.create("last", "last"), [{}] * 5)), {"gamma:1"})

    def test_a_tag_limits_the_clients_of_each_routing(self):
        for routing in ("round_robin", "random", "least_loaded", "skip_busy", "first", "failover"):
            task = self.create(f"tag-{routing}", routing, route={"tag": "gpu"})
            self.assertLessEqual(set(self.clients_of(task, [{}] * 6)), {"beta:1", "gamma:1"}, routing)

    def test_an_instance_is_named_by_its_beginning(self):
        task = self.create("instance", "instance", route={"instance": "beta"})
        self.assertLessEqual(set(self.clients_of(task, [{}] * 6)), {"beta:1", "beta:2"})
        task = self.create("one-instance", "instance", route={"instance": "beta:2"})
        self.assertEqual(set(self.clients_of(task, [{}] * 3)), {"beta:2"})

    def test_a_key_stays_with_its_client_and_only_the_keys_of_a_client_that_goes_move(self):
        task = self.create("hash", "consistent_hash", route={"key": "/customer"})
        payloads = [{"customer": f"c{number}"} for number in range(24)]
        before = self.clients_of(task, payloads)
        self.assertEqual(self.clients_of(task, payloads), before)
        self.assertGreater(len(set(before)), 1)
        gone = "delta:1"
        self.start_client(gone, "cpu")
        harness.wait_for("a client more", lambda: len(self.cluster.live_clients()) == len(CLIENTS) + 1, 20)
        wider = harness.wait_for("keys at the new client",
                                 lambda: next((now for now in [self.clients_of(task, payloads)] if gone in now), None), 20)
        self.assertEqual([now for now, then in zip(wider, before) if now != then], [gone] * wider.count(gone))
        process = self.cluster.processes.pop(gone)
        process.end()
        harness.wait_for("one client fewer", lambda: len(self.cluster.live_clients()) == len(CLIENTS), 30)
        harness.wait_for("the keys are back", lambda: self.clients_of(task, payloads) == before, 20)

    def test_an_absent_client_is_named_as_the_reason_and_holds_up_nothing_else(self):
        absent = self.create("absent", "instance", route={"instance": "omega"})
        tagged = self.create("absent-tag", "round_robin", route={"tag": "tpu"})
        waiting = {self.cluster.run_now(absent): "no client of recorder has the name omega",
                   self.cluster.run_now(tagged): "no client of recorder that serves note has the tag tpu"}
        self.clients_of(self.create("beside", "round_robin"), [{}] * 5)
        for execution, reason in waiting.items():
            self.assertEqual(self.cluster.execution(execution)["reason"], reason)
        self.start_client("omega:7", "tpu")
        try:
            for execution in waiting:
                found = self.cluster.await_state(execution, "succeeded", 20)
                self.assertEqual(found["attempts"][-1]["client"], "omega:7")
        finally:
            self.cluster.processes.pop("omega:7").end()
            harness.wait_for("one client fewer", lambda: len(self.cluster.live_clients()) == len(CLIENTS), 30)

    def test_further_attempts_go_to_other_clients_or_to_the_same_one(self):
        def clients(on, routing="round_robin"):
            task = self.create(f"retry-{on}-{routing}", routing, handler="fail", payload={"times": 2}, max_attempts=3,
                               retry_delay_ms=10, retry={"on": on})
            found = self.cluster.await_state(self.cluster.run_now(task), "succeeded", 20)
            return [attempt["client"] for attempt in found["attempts"]]
        for routing in ("round_robin", "first"):
            one, two, three = clients("other", routing)
            self.assertNotEqual(one, two)
            self.assertNotEqual(two, three)
        self.assertEqual(len(set(clients("same"))), 1)

    def test_the_failed_shards_of_a_number_run_again_alone(self):
        task = self.create("shards", "broadcast", handler="fail", payload={"times": 1}, route={"shards": 6})
        broadcast = self.cluster.run_now(task)
        self.cluster.await_state(broadcast, "failed", 20)
        shards = self.cluster.rest.get("/api/v1/executions", parent=broadcast)["items"]
        self.assertEqual(sorted((shard["shard_index"], shard["shard_total"]) for shard in shards),
                         [(index, 6) for index in range(6)])
        said = self.cluster.run_baton("dead-letters", "retry", "--broadcast", str(broadcast), "--payload",
                                      '{"times": 0}', "--server", self.cluster.addresses["web"])
        self.assertIn("6 retried, 0 refused", said)
        letters = self.cluster.rest.get(f"/api/v1/dead-letters?broadcast={broadcast}&resolution=retried")["items"]
        again = [self.cluster.await_state(int(letter["rerun"]), "succeeded", 20) for letter in letters]
        self.assertEqual(sorted(rerun["shard_index"] for rerun in again), list(range(6)))
        self.assertEqual({rerun["cause"] for rerun in again}, {"rerun"})

    def test_a_broadcast_ends_with_the_first_shard_that_succeeds(self):
        task = self.create("any", "broadcast", handler="nap", payload={"ms": 600000, "shard": 0},
                           route={"shards": 2, "ends": "any"})
        broadcast = self.cluster.run_now(task)
        self.cluster.await_state(broadcast, "succeeded", 20)
        shards = {shard["shard_index"]: shard
                  for shard in self.cluster.rest.get("/api/v1/executions", parent=broadcast)["items"]}
        cancelled = self.cluster.await_state(int(shards[0]["id"]), "cancelled", 20)
        self.assertEqual(cancelled["reason"], "another shard of its broadcast has succeeded")
        self.assertEqual(shards[1]["state"], "succeeded")

    def test_the_command_line_registers_each_routing(self):
        server = ["--server", self.cluster.addresses["web"]]
        common = ["--service", "recorder", "--handler", "note", *server]
        self.cluster.run_baton("task", "add", "cli-hash", "--routing", "consistent_hash", "--route-key", "/a",
                               "--payload", '{"a": 1}', "--tag", "gpu", "--retry-on", "other", *common)
        self.cluster.run_baton("task", "add", "cli-shards", "--routing", "broadcast", "--shards", "4", "--ends", "any",
                               *common)
        self.cluster.run_baton("task", "add", "cli-instance", "--routing", "instance", "--instance", "beta", *common)
        tasks = {task["name"]: task for task in self.cluster.rest.get("/api/v1/tasks?limit=200")["items"]}
        self.assertEqual(tasks["cli-hash"]["route"], {"tag": "gpu", "key": "/a"})
        self.assertEqual(tasks["cli-hash"]["retry"]["on"], "other")
        self.assertEqual(tasks["cli-shards"]["route"], {"tag": "", "shards": 4, "ends": "any"})
        self.assertEqual(tasks["cli-instance"]["route"], {"tag": "", "instance": "beta"})
        self.assertIn("gpu", self.cluster.run_baton("clients", *server))


if __name__ == "__main__":
    unittest.main(verbosity=2)
