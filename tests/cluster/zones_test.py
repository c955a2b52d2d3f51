#!/usr/bin/env python3
"""Tests of a zone database that changes under a running cluster, on the store that $BATON_STORE names (sqlite by default).
The zone files are private and compiled by zic."""

import datetime
import os
import pathlib
import shutil
import subprocess
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
ZIC = shutil.which("zic", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
SETTINGS = {"zones": {"check": "200ms", "lead": "2s"}, "planner": {"look_ahead": "2s"}}
HOUR = datetime.timedelta(hours=1)
MINUTE = datetime.timedelta(minutes=1)
SECOND = datetime.timedelta(seconds=1)


def compile_zones(folder, release, **zones):
    """`zones`: names and offsets such as Moving="1:30"; they lie below Test/."""
    folder.mkdir(exist_ok=True)
    source = folder.parent / f"{folder.name}-{release}.zi"
    source.write_text("".join(f"Zone Test/{name} {offset} - TEST\n" for name, offset in zones.items()))
    subprocess.run([ZIC, "-d", folder, source], check=True)
    (folder / "tzdata.zi").write_text(f"# version {release}\n")


def in_cron(reading):
    return f"{reading.second} {reading.minute} {reading.hour} * * *"


@unittest.skipUnless(ZIC, "zic is not installed")
class Zones(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)
        self.folder = self.cluster.folder / "zoneinfo"
        compile_zones(self.folder, "2025a", Moving="1:00", Steady="1:00")
        self.addCleanup(os.environ.pop, "TZDIR", None)
        os.environ["TZDIR"] = str(self.folder)

    def start(self, older_node=False):
        self.cluster.start_trigger("trigger-1", **SETTINGS)
        environment = {}
        if older_node:
            harness.wait_for("trigger-1 leads", lambda: "the cluster plans by the zone database" in self.log_of("trigger-1"), 30)
            shutil.copytree(self.folder, self.cluster.folder / "older")
            environment["TZDIR"] = str(self.cluster.folder / "older")
        self.cluster.start_trigger("trigger-2", environment, **SETTINGS)
        self.cluster.start_web(zones={"check": "200ms"})
        self.cluster.start_recorder("recorder-1")
        self.cluster.await_ready(2, 1)
        harness.wait_for("the first zone database is recorded", lambda: len(self.versions()) == 1, 20)

    def versions(self):
        return self.cluster.rest.get("/api/v1/zones")["items"]

    def await_version(self, count):
        harness.wait_for(f"version {count} of the zone database", lambda: len(self.versions()) == count, 30)
        return self.versions()[0]

    def next_at(self, task):
        """For the planner."""
        row = self.cluster.store.query(f"SELECT next_fire_at FROM task WHERE id = {task['id']}")[0]
        return datetime.datetime.fromtimestamp(row["next_fire_at"] // 1_000_000, datetime.timezone.utc)

    def shown_next(self, task):
        """By web."""
        at = self.cluster.rest.get(f"/api/v1/tasks/{task['id']}")["next_at"]
        return datetime.datetime.fromisoformat(at.replace("Z", "+00:00"))

    def rows(self, task):
        return sorted(row["scheduled_at"] for row in self.cluster.ledger().executions if row["task_id"] == int(task["id"]))

    def baton(self, *words):
        return self.cluster.run_baton(*words, "--server", self.cluster.addresses["web"])

    def log_of(self, name):
        return pathlib.Path(self.cluster.processes[name].log).read_text()

    def daily(self, name, zone, utc, offset):
        """A task that is due once a day, at this instant by this offset."""
        return self.cluster.create(name, {"kind": "cron", "cron": in_cron(utc + offset), "zone": zone})

    def test_a_rule_that_changes_moves_the_next_firing_without_a_restart(self):
        self.start()
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        soon = now + 40 * SECOND
        # By the old offset due half an hour after `soon`, by the new one at `soon`.
        moves = self.daily("moves", "Test/Moving", soon, HOUR + 30 * MINUTE)
        stays = self.daily("stays", "Test/Steady", soon + HOUR, HOUR)
        seconds = self.cluster.create("seconds", {"kind": "cron", "cron": "* * * * * *", "zone": "Test/Moving"})
        self.assertEqual(self.next_at(moves), soon + 30 * MINUTE)
        harness.wait_for("the firings of each second", lambda: len(self.rows(seconds)) >= 3, 20)

        compile_zones(self.folder, "2025b", Moving="1:30", Steady="1:00")
        found = self.await_version(2)
        self.assertTrue(found["zones"].startswith("2025b-"))
        self.assertEqual(found["changed"], ["Test/Moving"])
        harness.wait_for("the next firing moves", lambda: self.next_at(moves) == soon, 20)
        self.assertEqual(self.next_at(stays), soon + HOUR)
        harness.wait_for("both nodes say so",
                         lambda: [node["zones"] for node in self.cluster.live_nodes()] == [found["zones"]] * 2, 20)
        self.assertIn(found["zones"], self.baton("zones"))
        harness.wait_for("web shows it", lambda: self.shown_next(moves) == soon, 20)

        self.cluster.processes[self.cluster.master()].kill()
        harness.wait_for("the task fires by the new rule", lambda: self.rows(moves) == [int(soon.timestamp() * 1e6)], 70)
        self.assertEqual(len(self.versions()), 2, "a successor with the same files changes nothing")
        line = int(datetime.datetime.fromisoformat(found["valid_from"].replace("Z", "+00:00")).timestamp() * 1e6)
        fired = self.rows(seconds)
        self.assertGreater(fired[-1], line)
        self.assertEqual(fired, list(range(fired[0], fired[-1] + 1, 1_000_000)), "none is missed or doubled")
        self.assertEqual(self.rows(stays), [])

    def test_a_node_with_an_older_database_is_shown_and_makes_it_the_clusters_when_it_leads(self):
        self.start(older_node=True)
        now = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
        task = self.daily("moves", "Test/Moving", now + 5 * HOUR, HOUR)
        compile_zones(self.folder, "2025b", Moving="1:30", Steady="1:00")
        newer = self.await_version(2)
        harness.wait_for("the next firing moves", lambda: self.next_at(task) == now + 5 * HOUR - 30 * MINUTE, 20)
        harness.wait_for("the master tells of the other node",
                         lambda: "a node has another zone database" in self.log_of("trigger-1"), 20)
        self.assertIn("trigger-2 has another zone database: 2025a-", self.baton("zones"))

        self.cluster.processes["trigger-1"].kill()
        older = self.await_version(3)
        self.assertTrue(older["zones"].startswith("2025a-"))
        self.assertEqual((older["recorded_by"], older["changed"]), ("trigger-2", ["Test/Moving"]))
        harness.wait_for("the next firing moves back", lambda: self.next_at(task) == now + 5 * HOUR, 20)
        self.assertIn("has an older zone database", self.log_of("trigger-2"))
        self.assertIn("this web has another zone database: " + newer["zones"], self.baton("zones"))
        # A task that this web saves by its own database is corrected.
        other = self.daily("other", "Test/Moving", now + 6 * HOUR, HOUR)
        harness.wait_for("the master corrects it", lambda: self.next_at(other) == now + 6 * HOUR, 20)


if __name__ == "__main__":
    unittest.main(verbosity=2)
