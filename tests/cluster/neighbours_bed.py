"""Two nodes, and a service in good health, for the tests of neighbours. At the end the judge checks all firings of that
service.
"""

import datetime
import os
import time
import unittest

import checker
import harness
import neighbours

STORE = os.environ.get("BATON_STORE", "sqlite")
OFTEN = {"kind": "fixed_rate", "every_ms": 100}
HEALTHY = "recorder"  # the service
TASKS = 20  # of the healthy service
WINDOW = 1.0  # seconds; each healthy task fires once
LONG_WINDOW = 1.5  # where a neighbour's effect takes time
PROMPT_US = 1_000_000
NEVER = 1 << 62
EDIT_LEAD = "500ms"  # a neighbour's tasks fire soon


def every_second(number):
    """The tasks fire evenly over the second."""
    start = datetime.datetime.fromtimestamp(int(time.time()) + number / TASKS, datetime.timezone.utc)
    return {"kind": "fixed_rate", "every_ms": 1000, "start_at": start.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}


class Bed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = harness.Cluster.or_skip(STORE)
        for number in (1, 2):
            # A short queue, so that a backlog is too long for it within two seconds.
            cls.cluster.start_trigger(f"trigger-{number}", dispatcher={"queue_limit": 1000}, clients={"heartbeat": "1s"},
                                      planner={"edit_lead": EDIT_LEAD})
        cls.cluster.start_web(web={"edit_lead": EDIT_LEAD})
        cls.cluster.start_recorder("recorder-1", HEALTHY)
        cls.cluster.await_ready(2, 1)
        cls.tasks = cls.cluster.in_parallel(
            lambda number: cls.cluster.create(f"healthy {number}", every_second(number)), range(TASKS))
        harness.wait_for("a firing of each task", lambda: len({line.task for line in cls.cluster.journal()}) == TASKS, 10)
        cls.number = 0

    @classmethod
    def tearDownClass(cls):
        try:
            cls.cluster.await_none_late(cls.tasks, 60)
            cls.cluster.disable_all(cls.tasks)
            verdict = cls.verdict_on_healthy()
            assert verdict.good and verdict.doubled == 0, "\n".join(verdict.problems)
            print(f"{STORE}: {verdict.summary()}")
        except BaseException:
            cls.cluster.keep = True
            print(f"kept for inspection: {cls.cluster.folder}")
            raise
        finally:
            cls.cluster.end()

    @classmethod
    def verdict_on_healthy(cls):
        ids = {int(task["id"]) for task in cls.tasks}
        among = ", ".join(map(str, ids))
        last = cls.cluster.store.query(f"SELECT MAX(valid_from) AS at FROM task_version WHERE task_id IN ({among})")
        harness.wait_for("the last definition holds", lambda: harness.utc_us() > last[0]["at"], 10)
        harness.wait_for("the end of all that is due", lambda: not cls.cluster.store.query(
            f"SELECT 1 AS one FROM execution WHERE due_at IS NOT NULL AND task_id IN ({among})"), 30)
        ledger = cls.cluster.ledger().of(ids)
        executions = {each["id"] for each in ledger.executions}
        journal = [line for line in cls.cluster.journal() if line.execution in executions]
        return checker.check(ledger, journal, {}, harness.utc_us(), must_succeed=False)

    def setUp(self):
        type(self).number += 1
        self.service = f"{self.id().rsplit('.', 1)[1]} {self.number}"[-100:]

    # --- neighbours and their work

    def neighbour(self, kind, service=None, **more):
        client = neighbours.Client(self.cluster.triggers(), service or self.service, kind, **more)
        self.enterContext(client)
        # A task is refused while web knows no client that serves it.
        harness.wait_for("the neighbour is known", lambda: any(
            each["instance"] == client.instance for each in self.cluster.rest.get("/api/v1/clients")["items"]), 10)
        return client

    def load(self, tasks=2, schedule=None, **more):
        """Gives the neighbour's service ten firings a second for each task."""
        def create(number):
            return self.cluster.rest.post("/api/v1/tasks?allow_unserved=true", {
                "name": f"{self.service} {number}", "service": self.service, "handler": "note",
                "schedule": schedule or OFTEN, **more})
        created = self.cluster.in_parallel(create, range(tasks))
        self.addCleanup(self.cluster.in_parallel, self.discard, created)
        return created

    def discard(self, task):
        def gone():
            try:
                return [self.cluster.rest.call("DELETE", f"/api/v1/tasks/{task['id']}")]
            except harness.Refused as refusal:
                return refusal.status == 404
        harness.wait_for("a task is deleted", gone, 30)

    def begun_rows(self):
        return self.cluster.store.query(
            "SELECT COUNT(*) AS many FROM execution JOIN task ON task.id = execution.task_id "
            f"WHERE task.service = '{self.service}' AND scheduled_at < {harness.utc_us()}")[0]["many"]

    def await_due(self, many=5):
        harness.wait_for("firings of the neighbour", lambda: self.begun_rows() >= many, 15)

    # --- the healthy service

    def due(self, begin, end):
        """{(task, instant)} of the firings of the healthy service in this span."""
        found = set()
        for task in self.tasks:
            created = checker.expected.micros(task["created_at"])
            found |= {(task["name"], at)
                      for at in checker.expected.instants(task["schedule"], created, begin, end)}
        return found

    def begun(self):
        """{(task, instant): when it began}"""
        to_utc = harness.boot_to_utc()
        return {(line.task, line.scheduled_at): line.boot_us + to_utc for line in self.cluster.journal()
                if line.what == "start"}

    def unbegun(self, due):
        return due - self.begun().keys()

    def waits(self, due):
        """(instant, when it began or None, task) of those that did not begin within a second of their instant."""
        begun = self.begun()
        return [(at, begun.get((task, at)), task) for task, at in due if begun.get((task, at), NEVER) > at + PROMPT_US]

    def late(self, due):
        """The same in words."""
        return [f"{task} due at {at}: " + (f"after {(began - at) // 1000} ms" if began else "not begun")
                for at, began, task in sorted(self.waits(due), key=lambda each: each[0])]

    def undisturbed(self, seconds=WINDOW):
        """All firings of the healthy service begin within a second of their instant for so long."""
        begin = harness.utc_us()
        end = begin + int(seconds * 1_000_000)
        due = self.due(begin, end)
        self.assertGreaterEqual(len(due), int(TASKS * seconds))
        time.sleep(seconds)
        while (late := self.late(due)) and harness.utc_us() < end + PROMPT_US:
            time.sleep(0.05)
        self.assertEqual(late, [], f"{len(late)} of {len(due)} firings")

    def beside(self, kind, **more):
        client = self.neighbour(kind, **more)
        self.load()
        self.await_due()
        self.undisturbed()
        return client
