#!/usr/bin/env python3
"""Tests of the defaults of services and projects, on the store that $BATON_STORE names (sqlite by default)."""

import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}


class Defaults(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=1, recorders=1)

    def baton(self, *words):
        return self.cluster.run_baton(*words, "--server", self.cluster.addresses["web"])

    def shown(self, task):
        return self.cluster.rest.get(f"/api/v1/tasks/{task['id']}")

    def test_a_task_runs_under_the_defaults_of_its_service_and_project(self):
        self.baton("projects", "set", "default", "--default", "max_attempts=9", "--default", "retry_delay_ms=0")
        self.baton("services", "set", "recorder", "--default", "max_attempts=3")
        task = self.cluster.create("fails", BY_HAND, handler="fail", payload={"times": 5})
        run = self.cluster.run_now(task)
        self.cluster.await_state(run, "failed", 30)
        self.assertEqual(self.cluster.execution(run)["attempt"], 3)
        origins = self.shown(task)["origins"]
        self.assertEqual((origins["max_attempts"], origins["retry_delay_ms"]), ("service", "project"))

    def test_apply_defaults_changes_the_tasks_that_have_no_value_of_their_own(self):
        self.baton("task", "add", "plain", "--service", "recorder", "--handler", "note", "--cron", "0 2 * * *")
        self.baton("task", "add", "own", "--service", "recorder", "--handler", "note", "--attempts", "2")
        self.baton("services", "set", "recorder", "--default", "max_attempts=4", "--default", "zone=Europe/Berlin")
        said = self.baton("services", "apply-defaults", "recorder", "--dry-run")
        self.assertIn("task plain would change: ", said)
        self.assertIn("max_attempts 1 -> 4", said)
        tasks = {task["name"]: task for task in self.cluster.rest.get("/api/v1/tasks")["items"]}
        self.assertEqual((tasks["plain"]["version"], tasks["plain"]["max_attempts"]), (1, 1))
        self.baton("services", "apply-defaults", "recorder")
        tasks = {task["name"]: task for task in self.cluster.rest.get("/api/v1/tasks")["items"]}
        self.assertEqual((tasks["plain"]["max_attempts"], tasks["plain"]["schedule"]["zone"]), (4, "Europe/Berlin"))
        self.assertEqual((tasks["own"]["max_attempts"], tasks["own"]["version"]), (2, 1))
        self.assertIn("nothing to change", self.baton("services", "apply-defaults", "recorder"))
        self.baton("services", "set", "recorder", "--no-default", "max_attempts")
        self.assertIn("max_attempts 4 -> 1", self.baton("services", "apply-defaults", "recorder"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
