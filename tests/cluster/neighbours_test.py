#!/usr/bin/env python3
"""Tests that a bad neighbour costs no other service anything, on the store that $BATON_STORE names (sqlite by default): every
firing of a service in good health must begin within a second beside each kind of neighbour."""

import threading
import time
import unittest

import harness
from rest import Refused
from neighbours_bed import HEALTHY, LONG_WINDOW, NEVER, PROMPT_US, Bed

BY_HAND = {"kind": "api"}


class Neighbours(Bed):
    # --- clients that cannot be worked with, in a service of their own

    def test_a_healthy_client(self):
        client = self.beside("healthy")
        self.assertGreater(client.taken, 20)
        harness.wait_for("their ends", lambda: self.cluster.store.query(
            "SELECT COUNT(*) AS many FROM execution JOIN task ON task.id = execution.task_id "
            f"WHERE task.service = '{self.service}' AND state = 'succeeded'")[0]["many"] >= 20, 5)

    def test_a_client_whose_address_swallows_connections(self):
        self.beside("swallowing")

    def test_a_client_whose_address_refuses_connections(self):
        self.beside("refusing")

    def test_a_client_that_cannot_be_reached_is_shown_with_the_reason(self):
        client = self.beside("refusing")
        shown, = (each for each in self.cluster.rest.get("/api/v1/clients")["items"] if each["instance"] == client.instance)
        self.assertEqual(shown["reach"], "unreachable")
        self.assertRegex(shown["reach_why"], r"^node trigger-\d cannot reach http://[\d.:]+: Connection refused; ")
        self.assertRegex(client.told["why"], r"^node trigger-\d cannot reach ")

    def test_a_wrong_ticket_or_receipt_is_refused(self):
        client = self.neighbour("healthy")
        for what in ("heartbeat", "watch", "results", "leave"):
            with self.assertRaises(Refused, msg=what) as refused:
                client.call(what, {"instance": client.instance, "generation": client.generation, "ticket": "0" * 32,
                                   "results": []})
            self.assertEqual(refused.exception.status, 404, what)
        for node in client.nodes:
            with self.assertRaises(Refused, msg="a leave without the secret") as refused:
                node.post("/client/v1/leave", {"instance": client.instance, "generation": client.generation})
            self.assertEqual(refused.exception.status, 404)
        self.load()
        harness.wait_for("it works", lambda: client.taken > 5, 10)  # it was told nothing wrong by that
        one = {"execution": 1, "receipt": "not a receipt"}
        answer = client.call("results", {"instance": client.instance, "ticket": client.ticket, "results": [one]})
        self.assertEqual((answer["recorded"], answer["refused"]), ([], [{"execution": 1}]))

    def test_a_result_of_an_execution_of_another_service_is_refused_by_every_node(self):
        holder = self.neighbour("hung")
        task, = self.load(tasks=1, schedule=BY_HAND)
        execution = self.cluster.run_now(task)
        harness.wait_for("it has the execution", lambda: execution in holder.held, 10)
        liar = self.neighbour("healthy", service="liars")
        lie = {"execution": execution, "attempt": holder.held[execution], "status": "succeeded", "receipt": "0" * 24}
        for node in liar.nodes:
            answer = node.post("/client/v1/results", {"instance": liar.instance, "ticket": liar.ticket, "results": [lie]})
            self.assertEqual((answer["recorded"], len(answer["refused"])), ([], 1), node)
        self.assertIsNone(self.cluster.store.query(f"SELECT ended_at FROM execution WHERE id = {execution}")[0]["ended_at"])

    def test_a_client_that_never_answers(self):
        self.beside("mute")

    def test_a_client_that_drops_connections(self):
        self.beside("dropping")

    def test_a_client_that_does_not_prove_its_address(self):
        client = self.beside("impostor")
        self.assertEqual(set(client.calls), {"/baton/v1/probe"})  # no other call, which would show the secret

    def test_a_client_that_reads_slowly(self):
        self.beside("slow")

    def test_a_client_that_answers_nonsense(self):
        self.beside("nonsense")

    def test_a_client_that_finds_everything_too_large(self):
        self.beside("toolarge")

    def test_a_client_that_never_acknowledges(self):
        self.beside("unacknowledging")

    def test_a_client_that_answers_after_two_seconds(self):
        self.beside("tardy")

    def test_a_client_that_claims_free_slots_and_is_always_busy(self):
        self.beside("boasting")

    def test_a_client_that_reports_what_it_did_not_run(self):
        self.beside("fabricating")

    def test_a_client_that_acknowledges_and_never_reports(self):
        self.beside("lying")

    def test_a_client_whose_handlers_never_return(self):
        self.beside("hung", slots=2, queue=4)

    def test_a_client_that_drains_for_ever(self):
        self.beside("draining")

    def test_a_client_that_announces_new_schemas_many_times_a_second(self):
        self.beside("announcing", handlers=["note", *(f"other-{number}" for number in range(7))])
        stored = self.cluster.store.query(
            f"SELECT COUNT(*) AS many FROM handler_schema WHERE service = '{self.service}'")[0]["many"]
        self.assertIn(stored, range(1, 21))

    def test_a_client_whose_executions_kill_it(self):
        self.beside("dying")

    def beside_one_that_becomes(self, kind):
        """It has proved its address and worked."""
        client = self.neighbour("healthy")
        self.load()
        harness.wait_for("it works", lambda: client.taken > 5, 10)
        client.turn(kind)
        self.undisturbed(LONG_WINDOW)

    def test_a_client_whose_address_begins_to_swallow_connections(self):
        self.beside_one_that_becomes("swallowing")

    def test_a_client_whose_address_begins_to_refuse_connections(self):
        self.beside_one_that_becomes("refusing")

    def test_a_client_that_becomes_mute(self):
        self.beside_one_that_becomes("mute")

    # --- services without clients

    def await_calm(self):
        """Until what fell due in the last second has begun."""
        def calm():
            now = harness.utc_us()
            return not self.unbegun(self.due(now - PROMPT_US, now - 100_000))
        harness.wait_for("calm", calm, 30)

    def test_a_service_without_clients(self):
        self.addCleanup(self.await_calm)  # after its tasks are deleted
        self.load(tasks=100)
        self.await_due(2000)
        self.undisturbed(LONG_WINDOW)

    def test_a_deletion_of_all_tasks_of_a_service_without_clients(self):
        self.addCleanup(self.await_calm)
        tasks = self.load(tasks=100)
        self.await_due(2000)
        deletions = threading.Thread(target=self.cluster.in_parallel, args=(self.discard, tasks))
        deletions.start()
        try:
            self.undisturbed(LONG_WINDOW)
        finally:
            deletions.join()

    def test_a_service_without_clients_whose_tasks_are_broadcasts(self):
        self.load(tasks=10, routing="broadcast")
        self.await_due(100)
        self.undisturbed()

    # --- clients of the healthy service itself

    def beside_its_own(self, kind, **more):
        client = self.neighbour(kind, service=HEALTHY, **more)
        self.undisturbed(LONG_WINDOW)
        return client

    def test_a_client_of_the_same_service_whose_address_swallows_connections(self):
        self.beside_its_own("swallowing")

    def test_a_client_of_the_same_service_whose_address_refuses_connections(self):
        self.beside_its_own("refusing")

    def test_a_client_of_the_same_service_that_never_answers(self):
        self.beside_its_own("mute")

    def test_a_client_of_the_same_service_that_drains_for_ever(self):
        self.beside_its_own("draining")

    def test_a_client_of_the_same_service_whose_slots_are_all_hung(self):
        client = self.neighbour("hung", service=HEALTHY, slots=2, queue=100)
        harness.wait_for("its slots are taken", lambda: client.taken >= client.slots, 10)
        self.undisturbed(LONG_WINDOW)
        self.assertEqual(client.taken, client.slots)

    # They prove their addresses, so they get work.

    def costs_its_service_one_lane(self, kind):
        """Never do more firings wait than the client has slots."""
        begin = harness.utc_us()
        due = self.due(begin, begin + int(LONG_WINDOW * 1_000_000))
        client = self.neighbour(kind, service=HEALTHY, slots=2)
        harness.wait_for("it is asked to work", lambda: "/baton/v1/dispatch" in client.calls, 5)
        time.sleep(max(0, begin + LONG_WINDOW * 1_000_000 + PROMPT_US - harness.utc_us()) / 1_000_000)
        waits = self.waits(due)
        most = max((sum(at <= moment < (began or NEVER) for at, began, _ in waits) for moment, _, _ in waits), default=0)
        self.assertLessEqual(most, client.slots, self.late(due))

    def test_a_client_of_the_same_service_that_reads_slowly(self):
        self.costs_its_service_one_lane("slow")

    def test_a_client_of_the_same_service_that_answers_nonsense(self):
        self.costs_its_service_one_lane("nonsense")

    def test_a_client_of_the_same_service_that_never_acknowledges(self):
        self.costs_its_service_one_lane("unacknowledging")

    # --- cancels

    def test_a_cancel_on_a_client_that_does_not_answer(self):
        client = self.neighbour("hung")
        task, = self.load(tasks=1, schedule=BY_HAND)
        execution = self.cluster.run_now(task)
        harness.wait_for("it has the execution", lambda: execution in client.held, 10)
        client.turn("mute")
        cancel = threading.Thread(target=self.cluster.rest.post, args=(f"/api/v1/executions/{execution}/cancel",))
        cancel.start()
        try:
            self.undisturbed(LONG_WINDOW)
        finally:
            cancel.join()


if __name__ == "__main__":
    unittest.main(verbosity=2)
