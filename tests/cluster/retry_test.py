#!/usr/bin/env python3
"""Tests of retries and dead letters on the store that $BATON_STORE names (sqlite by default)."""

import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
TRIGGERS = ("trigger-1", "trigger-2")


class Retries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = harness.Cluster.or_skip(STORE)
        cls.addClassCleanup(cls.cluster.end)
        cls.cluster.start_all(triggers=len(TRIGGERS), recorders=1)

    def failing(self, name, payload, **more):
        """Runs a new task whose handler fails as the payload says. The id of the execution."""
        task = self.cluster.create(name, BY_HAND, handler="fail", payload=payload, **more)
        return self.cluster.run_now(task)

    def ended(self, execution, within=30):
        def look():
            found = self.cluster.rest.get(f"/api/v1/executions/{execution}")
            return found if found["ended_at"] else None
        return harness.wait_for(f"the end of execution {execution}", look, within)

    def pauses(self, execution):
        """Milliseconds from the end of each attempt to the start of the next one."""
        attempts = execution["attempts"]
        at = harness.checker.expected.micros
        return [(at(after["started_at"]) - at(before["finished_at"])) / 1000
                for before, after in zip(attempts, attempts[1:])]

    def letters(self, query):
        return self.cluster.rest.get(f"/api/v1/dead-letters?{query}")["items"]

    def test_exponential_pauses_double_up_to_the_longest(self):
        execution = self.ended(self.failing("backoff", {"times": 4}, max_attempts=5, retry_delay_ms=100,
                                            retry={"backoff": "exponential", "longest_ms": 400}))
        self.assertEqual(execution["state"], "succeeded")
        pauses = self.pauses(execution)
        for pause, least in zip(pauses, (100, 200, 400, 400), strict=True):
            self.assertTrue(least - 5 <= pause < least + 2000, pauses)

    def test_a_failure_of_a_final_class_is_not_retried_and_one_of_another_class_is(self):
        retry = {"final_errors": ["bad_input"]}
        bad = self.ended(self.failing("bad", {"times": 9, "class": "bad_input"}, max_attempts=3, retry_delay_ms=0,
                                      retry=retry))
        busy = self.ended(self.failing("busy", {"times": 9, "class": "busy"}, max_attempts=3, retry_delay_ms=0,
                                       retry=retry))
        self.assertEqual((bad["state"], bad["attempt"]), ("failed", 1))
        self.assertEqual((busy["state"], busy["attempt"]), ("failed", 3))

    def interrupted(self, service, **more):
        """An execution whose only client stops while its handler runs, with another client of the service at hand."""
        environment = {"RECORDER_GRACE_MS": "2000"}
        first = self.cluster.start_recorder(f"{service}-1", service, environment=environment)
        harness.wait_for(f"a client of {service}", lambda: self.clients(service) == 1, 20)
        task = self.cluster.create(service, BY_HAND, service=service, handler="nap", payload={"ms": 60000}, **more)
        execution = self.cluster.run_now(task)
        self.cluster.await_state(execution, "running", 20)
        self.cluster.start_recorder(f"{service}-2", service, environment=environment)
        harness.wait_for(f"another client of {service}", lambda: self.clients(service) == 2, 20)
        self.assertEqual(first.terminate(within=10), 0)
        return execution

    def clients(self, service):
        return sum(one["service"] == service for one in self.cluster.rest.get("/api/v1/clients?limit=100")["items"])

    def test_an_execution_whose_client_stops_goes_out_again_though_its_task_has_one_attempt(self):
        execution = self.interrupted("deployed")
        shown = self.cluster.await_state(execution, "running", 20)
        self.assertEqual([(one["cause"], one["outcome"]) for one in shown["attempts"]],
                         [("first", "interrupted"), ("interrupted", None)])
        self.assertEqual((shown["max_attempts"], shown["deaths"]), (2, 0))
        self.assertEqual(self.letters(f"task={shown['task']}"), [])
        self.cluster.rest.post(f"/api/v1/executions/{execution}/cancel")
        self.assertEqual(self.ended(execution)["state"], "cancelled")

    def test_an_execution_that_is_not_to_start_twice_fails_when_its_client_stops(self):
        for service, more in (("once", {"max_deaths": 1}), ("final", {"retry": {"final_errors": ["interrupted"]}})):
            shown = self.ended(self.interrupted(service, max_attempts=3, **more))
            self.assertEqual((shown["state"], shown["attempt"]), ("failed", 1))
            self.assertEqual(len(self.letters(f"task={shown['task']}")), 1)

    def test_a_handler_gives_up_by_its_own_word(self):
        execution = self.ended(self.failing("given-up", {"times": 9, "final": True}, max_attempts=3, retry_delay_ms=0))
        self.assertEqual((execution["state"], execution["attempt"]), ("failed", 1))

    def test_a_dead_letter_runs_again_with_its_time_and_a_changed_payload(self):
        first = self.ended(self.failing("dies", {"times": 9}))
        self.assertEqual([letter["execution"] for letter in self.letters(f"task={first['task']}")], [first["id"]])
        said = self.cluster.run_baton("dead-letters", "retry", first["id"], "--payload", '{"times": 0}', "--server",
                                      self.cluster.addresses["web"])
        self.assertIn(f"execution {first['id']}: retried as ", said)
        self.assertIn("1 retried, 0 refused", said)
        again = self.letters(f"task={first['task']}&resolution=retried")[0]
        rerun = self.ended(again["rerun"])
        self.assertEqual((rerun["state"], rerun["cause"], rerun["rerun_of"]), ("succeeded", "rerun", first["id"]))
        self.assertEqual(rerun["scheduled_at"], first["scheduled_at"])
        self.assertEqual(self.letters(f"task={first['task']}"), [])

    def test_all_dead_letters_of_a_task_run_again_and_those_that_fail_again_are_dead_letters_once_more(self):
        task = self.cluster.create("all-die", BY_HAND, handler="fail", payload={"times": 9})
        runs = [self.cluster.run_now(task) for _ in range(5)]
        for run in runs:
            self.ended(run)
        said = self.cluster.run_baton("dead-letters", "retry", "--task", "all-die", "--dry-run", "--server",
                                      self.cluster.addresses["web"])
        self.assertEqual(said.strip(), "5 open dead letters")
        said = self.cluster.run_baton("dead-letters", "retry", "--task", "all-die", "--server",
                                      self.cluster.addresses["web"])
        self.assertIn("5 retried, 0 refused", said)
        harness.wait_for("five new dead letters", lambda: len(self.letters(f"task={task['id']}")) == 5, 30)
        said = self.cluster.run_baton("dead-letters", "dismiss", "--task", "all-die", "--server",
                                      self.cluster.addresses["web"])
        self.assertIn("5 dismissed, 0 refused", said)

    def test_a_pause_outlasts_the_death_of_the_master(self):
        started = self.failing("outlasts", {"times": 1}, max_attempts=2, retry_delay_ms=2500,
                               retry={"backoff": "exponential"})
        path = f"/api/v1/executions/{started}"
        harness.wait_for("the next attempt has its instant",
                         lambda: len(self.cluster.rest.get(path)["attempts"]) == 2, 10)
        master = self.cluster.master()
        self.cluster.processes[master].kill()
        execution = self.ended(started)
        self.cluster.processes[master].start()
        self.assertEqual(execution["state"], "succeeded")
        pause = self.pauses(execution)[0]
        self.assertTrue(2495 <= pause < 7000, pause)


if __name__ == "__main__":
    unittest.main(verbosity=2)
