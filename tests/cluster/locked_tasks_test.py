#!/usr/bin/env python3
"""A web that stalls in the middle of an edit keeps the row of its task locked; here a session of the test does. No other task
may wait for it. For a server with locks of rows: the store that $BATON_STORE names (mysql by default)."""

import os
import time
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "mysql")
STALL = 4  # seconds; a lock is waited for at least one second
LATEST = 900_000  # µs from the instant of a firing to its start


class LockedTasks(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=1, recorders=1)

    def count(self, task):
        return self.cluster.store.query(f"SELECT COUNT(started_at) AS n FROM execution WHERE task_id = {task['id']}")[0]["n"]

    def await_runs(self, task, more, within=15):
        before = self.count(task)
        harness.wait_for(f"{more} runs of {task['name']}", lambda: self.count(task) >= before + more, within)

    def check_unrelated_fires_while_locked(self, locked, unrelated):
        self.await_runs(locked, 2)
        self.await_runs(unrelated, 2)
        with self.cluster.store.connect(self.cluster.store.name) as stalled, stalled.cursor() as cursor:
            began = harness.utc_us()
            cursor.execute("START TRANSACTION")
            cursor.execute(f"SELECT version FROM task WHERE id = {locked['id']} FOR UPDATE")
            time.sleep(STALL)
            cursor.execute("ROLLBACK")
        ended = harness.utc_us()
        self.await_runs(unrelated, 2)
        rows = self.cluster.store.query(
            f"SELECT scheduled_at, started_at FROM execution WHERE task_id = {unrelated['id']} AND scheduled_at BETWEEN {began} AND {ended}")
        self.assertGreater(len(rows), STALL * 4)
        self.assertLess(max((row["started_at"] or ended) - row["scheduled_at"] for row in rows), LATEST)
        self.await_runs(locked, 2)  # it goes on

    def test_a_fixed_delay_that_is_locked_does_not_delay_another_task(self):
        locked = self.cluster.create("delayed", {"kind": "fixed_delay", "every_ms": 300})
        unrelated = self.cluster.create("unrelated", {"kind": "fixed_rate", "every_ms": 200})
        self.check_unrelated_fires_while_locked(locked, unrelated)

    def test_a_rate_that_is_locked_does_not_delay_another_task(self):
        locked = self.cluster.create("locked", {"kind": "fixed_rate", "every_ms": 200})
        unrelated = self.cluster.create("unrelated", {"kind": "fixed_rate", "every_ms": 200})
        self.check_unrelated_fires_while_locked(locked, unrelated)


if __name__ == "__main__":
    unittest.main(verbosity=2)
