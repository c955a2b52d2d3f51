#!/usr/bin/env python3
"""Tests of clients with the habits of ordinary HTTP stacks (foreign_habits.py), against real nodes, on the store that
$BATON_STORE names (sqlite by default). Whatever the habit: nothing is lost or runs twice, and the work goes on as fast as with
a good client that has the same delays."""

import collections
import contextlib
import os
import time
import unittest

import foreign_habits as habits
import harness
import neighbours
from rest import Refused

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}


class ForeignClients(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = harness.Cluster.or_skip(STORE)
        for number in (1, 2):
            cls.cluster.start_trigger(f"trigger-{number}", clients={"heartbeat": "1s"})
        cls.cluster.start_web()
        cls.cluster.await_ready(2, 0)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.end()

    def setUp(self):
        self.service = self.id().rsplit(".", 1)[1][:60]

    def client(self, habit, slots=4, queue=4, until=None, **more):
        """It has its home at the first node, and leaves with `until` (an ExitStack), or at the end of the test."""
        client = neighbours.Client(self.cluster.triggers(), self.service, habit, slots=slots, queue=queue, **more)
        (until.enter_context if until else self.enterContext)(client)
        harness.wait_for("the client is reachable", lambda: self.shown(client)["reach"] == "reachable", 20)
        return client

    def shown(self, client):
        return next((one for one in self.cluster.clients() if one["instance"] == client.instance), {"reach": None})

    def task(self, **more):
        return self.cluster.create(self.service, BY_HAND, service=self.service, **more)

    def run_many(self, task, count):
        return self.cluster.in_parallel(lambda _: self.cluster.run_now(task), range(count))

    def await_ends(self, runs, within):
        """Seconds until all have ended, and their rows."""
        begin = time.monotonic()
        ids = ", ".join(map(str, runs))
        harness.wait_for("all have ended", lambda: self.cluster.store.query(
            f"SELECT COUNT(*) AS many FROM execution WHERE id IN ({ids}) AND due_at IS NOT NULL")[0]["many"] == 0, within)
        took = time.monotonic() - begin
        return took, self.cluster.store.query(f"SELECT id, state, attempt FROM execution WHERE id IN ({ids})")

    def check_once(self, rows, attempts=1):
        self.assertEqual({row["state"] for row in rows}, {"succeeded"}, rows)
        self.assertLessEqual(max(row["attempt"] for row in rows), attempts, rows)

    def await_free(self, client, free, within=3):
        harness.wait_for(f"{free} slots are shown free", lambda: (self.shown(client).get("live") or {}).get("free_slots") == free, within)

    def log_has(self, words):
        return any(words in (self.cluster.folder / f"trigger-{number}.log").read_text() for number in (1, 2))

    def paced(self, habit, count=60):
        """The seconds that this client takes for so many executions, of which it holds four at a time."""
        client = self.client(habit, slots=2, queue=2)
        task = self.task()
        took, rows = self.await_ends(self.run_many(task, count), 60)
        self.check_once(rows)
        self.assertEqual(client.taken, count)
        self.await_free(client, 2)
        return took

    def test_results_that_come_before_the_answer_cost_no_throughput(self):
        good = self.paced(habits.Punctual)
        for habit in (habits.TwoPackets, habits.TwoPacketsSilent):
            with self.subTest(habit.__name__):
                self.service += "x"
                took = self.paced(habit)
                print(f"{STORE}: {habit.__name__} {took:.2f} s, a good client {good:.2f} s")
                self.assertLess(took, 2 * good + 2)  # beside other tests; a slot that stays taken costs ten times that

    def test_results_that_another_node_records_cost_no_throughput(self):
        good = self.paced(habits.Punctual)
        self.service += "x"
        took = self.paced(habits.Elsewhere)
        print(f"{STORE}: Elsewhere {took:.2f} s, a good client {good:.2f} s")
        self.assertLess(took, 2 * good + 2)

    def test_an_execution_that_has_ended_is_not_sent_again_when_its_answer_is_late(self):
        client = self.client(habits.TooLate)
        rows = self.await_ends(self.run_many(self.task(), 4), 60)[1]
        time.sleep(habits.PATIENCE + 2)
        self.check_once(rows)
        self.assertEqual(client.taken, 4)

    def test_an_answer_with_any_status_of_success_counts_and_others_give_the_work_to_nobody_else(self):
        for status, speaks in ((201, True), (202, True), (204, False), (302, False), (307, False), (408, False)):
            self.service += "x"
            with self.subTest(status), contextlib.ExitStack() as stack:
                pair = [self.client(habits.confirming(status, speaks), until=stack) for _ in range(2)]
                rows = self.await_ends(self.run_many(self.task(), 10), 60)[1]
                self.check_once(rows)
                self.assertEqual(sum(each.taken for each in pair), 10)

    def test_a_dispatch_is_not_posted_again_by_the_http_layer(self):
        client = self.client(habits.ClosingAfterwards)
        task = self.task()
        self.await_ends([self.cluster.run_now(task)], 30)
        run = self.cluster.run_now(task)
        time.sleep(0.05)
        times = collections.Counter(client.kind.seen)
        self.assertLessEqual(times[(run,)], 1)
        self.check_once(self.await_ends([run], 30)[1])

    def test_the_deaths_of_clients_that_do_not_answer_count(self):
        for most in (1, 2):
            self.service += "x"
            with self.subTest(most), contextlib.ExitStack() as stack:
                client = self.client(habits.DyingUnanswered, until=stack)
                run = self.cluster.run_now(self.task(max_deaths=most))
                ended = self.cluster.await_state(run, "failed", 60)
                self.assertEqual(len(client.kind.seen), most, ended)
                self.assertIn("died", str(ended["reason"]))
                self.assertEqual(ended["deaths"], most)

    def test_work_that_may_begin_at_most_once_is_not_sent_twice_whatever_its_client_does(self):
        ends = {habits.Crashing: "may begin at most once", habits.Forgetful: "died once",
                habits.SilentlyForgetful: "died once", habits.DyingUnanswered: "died once"}
        for habit, why in ends.items():
            self.service += "x"
            with self.subTest(habit.__name__), contextlib.ExitStack() as stack:
                client = self.client(habit, until=stack, slots=1, queue=1)
                run = self.cluster.run_now(self.task(max_deaths=1))
                ended = self.cluster.await_state(run, "failed", 90)
                self.assertIn(why, str(ended["reason"]))
                self.assertEqual(ended["attempt"], 1)
                self.assertIn(run, [int(letter["execution"]) for letter in
                                    self.cluster.rest.get(f"/api/v1/dead-letters?service={self.service}")["items"]])
                if hasattr(client.kind, "seen"):
                    self.assertEqual(client.kind.seen, [run])

    def test_work_that_a_client_has_lost_runs_again_and_its_slots_are_free_again(self):
        for habit in (habits.Forgetful, habits.SilentlyForgetful):
            with self.subTest(habit.__name__):
                self.service += "x"
                client = self.client(habit, slots=4, queue=2)
                runs = self.run_many(self.task(), 12)
                rows = self.await_ends(runs, 90)[1]
                self.check_once(rows, attempts=2)
                self.assertEqual(sum(row["attempt"] == 2 for row in rows), 6)
                self.await_free(client, 4)
        self.assertTrue(self.log_has("a client has lost executions that it had taken"))

    def test_results_that_another_client_sends_free_the_slots_of_the_one_that_ran_them(self):
        sender = self.client("healthy", handlers=("another",))
        client = self.client(habits.SharedOutbox, slots=2, queue=0)
        client.kind.sender = sender
        took, rows = self.await_ends(self.run_many(self.task(), 60), 30)
        self.check_once(rows)
        self.assertEqual(client.taken, 60)
        self.assertLess(took, 15, "two slots a heartbeat would take 30 s")
        self.await_free(client, 2)

    def test_a_client_gets_its_ids_as_text_if_it_wants(self):
        client = self.client(habits.Textual)
        rows = self.await_ends(self.run_many(self.task(), 12), 30)[1]
        self.check_once(rows)
        self.assertEqual(client.kind.types, {str})
        self.await_free(client, 4)

    def test_a_message_that_is_refused_is_shown_at_its_client(self):
        client = self.client(habits.Misspelling)
        self.assertIsNone(self.shown(client)["live"]["refused"])
        self.cluster.run_now(self.task())
        refused = harness.wait_for("it is shown", lambda: (self.shown(client)["live"] or {}).get("refused"), 10)
        self.assertEqual(refused["path"], "/client/v1/results")
        self.assertIn("running, succeeded, failed, timed_out, cancelled", refused["why"])

    def test_an_execution_that_waits_at_its_client_names_one_that_runs_there(self):
        client = self.client(habits.Queueing, slots=2, queue=0)
        task = self.task()
        first = self.cluster.run_now(task)
        harness.wait_for("it runs", lambda: client.kind.first, 10)
        second = self.cluster.run_now(task)

        def reason():
            return self.cluster.rest.get(f"/api/v1/executions/{second}")["reason"]
        harness.wait_for("the reason is told", lambda: reason() == f"waits at client {client.instance}, where execution {first} runs", 10)
        third = self.cluster.run_now(task)
        harness.wait_for("the slots are taken", lambda: self.cluster.rest.get(f"/api/v1/executions/{third}")["reason"] ==
                         f"{self.service} has no free slot", 10)
        client.kind.end_all(client)
        self.await_ends([first, second], 10)

    def test_a_client_that_is_busy_is_left_alone_for_a_while_whatever_room_it_names(self):
        client = self.client(habits.Grudging, slots=8)
        rows = self.await_ends(self.run_many(self.task(), 4), 30)[1]
        self.check_once(rows)
        dispatches = sum(path.endswith("/dispatch") for path in client.calls)
        self.assertLess(dispatches, 4 + 4 * 12)

    def test_a_fetch_needs_a_poll_that_rises_and_is_held_otherwise(self):
        client = self.client("healthy")
        fetch = {"instance": client.instance, "secret": client.secret, "generation": client.generation,
                 "ticket": client.ticket}
        with self.assertRaises(Refused) as refused:
            client.call("fetch", fetch)
        self.assertIn("poll is required", str(refused.exception))
        self.assertEqual(refused.exception.status, 400)


if __name__ == "__main__":
    unittest.main()
