#!/usr/bin/env python3
"""Tests of projects that use the same names for services and handlers, on the store that $BATON_STORE names (sqlite by
default). The judge checks all executions."""

import os
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
PROJECTS = ("default", "blue", "green")
ROUTINGS = ("round_robin", "random", "failover", "broadcast")


class Projects(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=2, recorders=0)
        for project in PROJECTS:
            self.start_client(project)
        harness.wait_for("the clients", lambda: len(self.cluster.live_clients()) == len(PROJECTS), 20)
        self.tasks = {project: [self.cluster.create(f"mark {routing}", BY_HAND, project=project, routing=routing)
                                for routing in ROUTINGS] for project in PROJECTS}

    def start_client(self, project, name=None):
        return self.cluster.start_recorder(name or project, environment={"RECORDER_PROJECT": project})

    def pid(self, name):
        return self.cluster.processes[name].child.pid

    def run_tasks(self, project):
        """Each task five times, also while the project has no client. Returns the executions."""
        return [int(self.cluster.rest.post(f"/api/v1/tasks/{task['id']}/run?allow_unserved=true", {})["execution"])
                for task in self.tasks[project] for _ in range(5)]

    def await_succeeded(self, executions):
        for execution in executions:
            self.cluster.await_state(execution, "succeeded", 20)

    def reached(self, project):
        """The processes that have begun an execution of the project's tasks."""
        rows = self.cluster.store.query(f"SELECT id FROM execution WHERE project = '{project}'")
        ids = {row["id"] for row in rows}
        return {line.pid for line in self.cluster.journal() if line.what == "start" and line.execution in ids}

    def check_others(self):
        for project in ("default", "blue"):
            self.assertEqual(self.reached(project), {self.pid(project)}, project)

    def test_the_tasks_of_a_project_reach_only_its_own_clients(self):
        for executions in [self.run_tasks(project) for project in PROJECTS]:
            self.await_succeeded(executions)
        self.check_others()
        self.assertEqual(self.reached("green"), {self.pid("green")})
        verdict = self.cluster.verdict()
        self.assertTrue(verdict.good, verdict.problems)

    def test_a_project_without_clients_waits_for_one_of_its_own(self):
        self.cluster.processes["green"].kill()
        harness.wait_for("the client is gone", lambda: len(self.cluster.live_clients()) == 2, 30)
        waiting = self.run_tasks("green")
        for executions in [self.run_tasks(project) for project in ("default", "blue")]:
            self.await_succeeded(executions)
        self.assertEqual(self.reached("green"), set())
        self.start_client("green", "green-2")
        self.await_succeeded(waiting)
        self.assertEqual(self.reached("green"), {self.pid("green-2")})
        self.check_others()

    def test_people_see_the_project_of_a_client(self):
        self.assertEqual({client["project"] for client in self.cluster.live_clients()}, set(PROJECTS))
        # Below the table stands why a client cannot be used, also as long as its home has not called it yet.
        def shown():
            lines = self.cluster.run_baton("--server", self.cluster.rest.address, "clients").splitlines()[1:]
            return {line.split()[0] for line in lines}

        harness.wait_for("the projects of the clients", lambda: shown() == {"recorder", "blue/recorder", "green/recorder"}, 20)
        with self.assertRaises(harness.Refused) as refusal:
            self.cluster.create("strange", BY_HAND, project="green", handler="unknown")
        self.assertIn("green/recorder", str(refusal.exception))


if __name__ == "__main__":
    unittest.main(verbosity=2)
