#!/usr/bin/env python3
"""Tests of the maximum of firings, the jitter, named calendars and tasks after others, also through deaths of masters, on the
store that $BATON_STORE names (sqlite by default)."""

import datetime
import os
import unittest

import harness
from expected import micros

STORE = os.environ.get("BATON_STORE", "sqlite")
TRIGGERS = ("trigger-1", "trigger-2")
MASK = (1 << 64) - 1


def spread(value):
    """The output function of SplitMix64."""
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9 & MASK
    value = (value ^ value >> 27) * 0x94d049bb133111eb & MASK
    return value ^ value >> 31


def jitter(seed, firing_us, most_us):
    start = spread(seed + 0x9e3779b97f4a7c15 & MASK)
    return spread(start + firing_us & MASK) % (most_us + 1)


def every(ms, **more):
    return {"kind": "fixed_rate", "every_ms": ms, **more}


class Schedules(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.cluster.start_all(triggers=len(TRIGGERS), recorders=2)

    def rows(self, task):
        return [row for row in self.cluster.ledger().executions if row["task_id"] == int(task["id"])]

    def succeeded(self, task):
        return [row for row in self.rows(task) if row["state"] == "succeeded"]

    def await_succeeded(self, task, count, within=60):
        harness.wait_for(f"{count} executions of {task['name']} have succeeded",
                         lambda: len(self.succeeded(task)) >= count, within)

    def kill_master(self):
        """Kills it, waits for its successor, and starts it anew."""
        epoch = self.cluster.epoch()
        name = self.cluster.master()
        self.cluster.processes[name].kill()
        harness.wait_for("another master leads", lambda: self.cluster.epoch() > epoch, 30)
        self.cluster.processes[name].start()

    def task(self, task):
        return self.cluster.rest.get(f"/api/v1/tasks/{task['id']}")

    def test_a_task_fires_as_often_as_its_maximum_through_the_death_of_a_master(self):
        task = self.cluster.create("some", every(300, max_firings=20))
        self.await_succeeded(task, 3)
        self.kill_master()
        self.await_succeeded(task, 20)
        self.await_stands(task, 20)
        self.assertEqual(self.task(task)["firings"], 20)
        self.assertIsNone(self.task(task)["next_at"])
        # A higher maximum lets it go on.
        self.cluster.rest.call("PATCH", f"/api/v1/tasks/{task['id']}", {"schedule": {"max_firings": 25}})
        self.await_succeeded(task, 25)
        self.await_stands(task, 25)

    def await_stands(self, task, count):
        """Another task that fires at the same pace fires ten times more, while this one does not."""
        beside = self.cluster.create(f"beside-{count}", every(300))
        self.await_succeeded(beside, 10)
        self.assertEqual(len(self.rows(task)), count)

    def test_a_firing_that_is_skipped_is_given_back(self):
        task = self.cluster.create("skips", every(300, max_firings=8), handler="nap", payload={"ms": 700},
                                   concurrency={"limit": 1, "when_full": "skip"})
        self.await_succeeded(task, 8)
        self.assertTrue(any(row["state"] == "skipped" for row in self.rows(task)))
        self.await_stands_at(task, 8)

    def await_stands_at(self, task, count):
        beside = self.cluster.create("beside", every(300))
        self.await_succeeded(beside, 10)
        ran = [row for row in self.rows(task) if row["state"] != "skipped"]
        self.assertEqual(len(ran), count)

    def test_each_firing_waits_for_its_jitter_also_under_a_new_master(self):
        task = self.cluster.create("moved", every(200, jitter_ms=1500))
        seed = task["schedule"]["jitter_seed"]
        self.await_succeeded(task, 5)
        self.kill_master()
        self.await_succeeded(task, 40)
        self.cluster.disable_all([task])
        self.cluster.await_all_ended(30)
        rows = [row for row in self.succeeded(task) if row["started_at"]]  # not those whose first attempt was lost
        for row in rows:
            due = row["scheduled_at"] + jitter(seed, row["scheduled_at"], 1_500_000)
            self.assertGreaterEqual(row["started_at"], due - 50_000, "it began before it was due")
        firings = sorted(row["scheduled_at"] for row in self.rows(task))
        self.assertEqual(len(set(firings)), len(firings))
        pauses = {after - before for before, after in zip(firings, firings[1:])}
        self.assertEqual(pauses, {200_000}, "a firing is missing")
        starts = [row["id"] for row in sorted(rows, key=lambda row: row["started_at"])]
        self.assertNotEqual(starts, [row["id"] for row in sorted(rows, key=lambda row: row["scheduled_at"])])

    def test_a_task_fires_at_the_times_of_its_preview(self):
        ahead = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=8)
        schedule = every(300, start_at=ahead.isoformat(), jitter_ms=400)
        seen = self.cluster.rest.post("/api/v1/schedules/preview",
                                      {"name": "previewed", "schedule": {**schedule, "max_firings": 12}, "count": 20})
        self.assertEqual(seen["end"], "max_firings")
        task = self.cluster.create("previewed", {**schedule, "max_firings": 12})
        self.assertEqual(seen["jitter_seed"], task["schedule"]["jitter_seed"])
        self.await_succeeded(task, 12)
        rows = sorted(self.rows(task), key=lambda row: row["scheduled_at"])
        self.assertEqual([row["scheduled_at"] for row in rows], [micros(firing["at"]) for firing in seen["next"]])
        for row, firing in zip(rows, seen["next"]):
            self.assertGreaterEqual(row["started_at"], micros(firing["due_at"]) - 50_000, "it began before its preview")

    def test_a_change_of_a_calendar_leaves_out_firings_from_its_line_on_and_none_before(self):
        rest = self.cluster.rest
        calendar = rest.post("/api/v1/calendars", {"name": "closed", "dates": ["2000-01-01"]})
        schedule = every(200, calendars=[{"name": "closed"}])
        tasks = [self.cluster.create(f"open-{number}", schedule) for number in range(3)]
        for task in tasks:
            self.await_succeeded(task, 5)
        today = datetime.datetime.now(datetime.timezone.utc).date()
        span = f"{today}/{today + datetime.timedelta(days=3)}"
        changed, _ = rest.call("PUT", f"/api/v1/calendars/{calendar['id']}", {"name": "closed", "dates": [span]})
        self.assertEqual((changed["edited"], changed["left_behind"]), (3, []))
        line = harness.checker.expected.micros(changed["valid_from"])
        self.kill_master()
        beside = self.cluster.create("beside", every(200))
        harness.wait_for("the line has passed",
                         lambda: any(row["scheduled_at"] > line + 2_000_000 for row in self.succeeded(beside)), 60)
        for task in tasks:
            firings = sorted(row["scheduled_at"] for row in self.rows(task) if row["state"] != "cancelled")
            self.assertLess(firings[-1], line)
            self.assertGreaterEqual(firings[-1], line - 200_000)
            pauses = {after - before for before, after in zip(firings, firings[1:])}
            self.assertEqual(pauses, {200_000}, "a firing is missing")

    def test_tasks_after_another_run_once_for_each_of_its_successes(self):
        parent = self.cluster.create("extract", every(300, max_firings=25))
        child = self.cluster.create("load", {"kind": "after", "task": "extract"},
                                    limits={"start_within_ms": 3_600_000})
        grandchild = self.cluster.create("report", {"kind": "after", "task": "load"})
        other = self.cluster.create("broken", every(300, max_firings=5), handler="fail", payload={"times": 9})
        never = self.cluster.create("never", {"kind": "after", "task": "broken"})
        self.await_succeeded(parent, 5)
        self.kill_master()
        self.cluster.run_now(parent)  # is not followed
        self.await_succeeded(parent, 26)
        self.cluster.await_all_ended(60)
        firings = {row["scheduled_at"] for row in self.rows(parent) if row["run_key"] == 0}
        # Those that were planned before the child was saved are not followed.
        first = min(row["scheduled_at"] for row in self.rows(child))
        wanted = sorted(at for at in firings if at >= first)
        self.assertGreater(len(wanted), 5)
        harness.wait_for("all successes are followed",
                         lambda: len(self.succeeded(grandchild)) >= len(self.rows(child)) >= len(wanted), 30)
        self.assertEqual(sorted(row["scheduled_at"] for row in self.rows(child)), wanted)
        self.assertTrue(all(row["run_key"] == 0 for row in self.rows(child)))
        later = sorted(row["scheduled_at"] for row in self.rows(grandchild))
        self.assertEqual(later, [at for at in wanted if at >= later[0]])
        self.assertEqual(len(self.rows(other)), 5)
        self.assertEqual(self.rows(never), [])


if __name__ == "__main__":
    unittest.main(verbosity=2)
