"""Two processes, as locks are always shown: one holds for 4 s of 6 and the other has it right after the release; one works
for 10 s on a limit of 6 that nobody renews, is taken over, finds out, and its release changes nothing.

    demonstration_test.py            a quarter of these times
    BATON_SCALE=1 demonstration_test.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests/cluster"))

import harness
import lock_checker

SCALE = float(os.environ.get("BATON_SCALE", "0.25"))
SOON = 0.1  # seconds from a release to the next grant


class Demonstration:
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-demonstration-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.history = self.folder / "history"
        self.history.mkdir()
        self.url = self.open_store()
        made = subprocess.run([harness.build_folder() / "bin/baton-lock", "migrate", "--database", self.url], stderr=subprocess.PIPE, text=True)
        if "this build has no" in made.stderr:
            self.skipTest(made.stderr)
        self.assertEqual(0, made.returncode, made.stderr)

    def start(self, works, *more):
        child = subprocess.Popen(
            [harness.build_folder() / "tests/lock_worker", self.url, self.kind, "demonstration", self.history, "--count",
             "1", "--ttl", str(int(6000 * SCALE)), "--work", str(int(1000 * works * SCALE)), *more],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, preexec_fn=harness.end_with_parent)
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        return child

    def start_first(self, works, *more):
        first = self.start(works, *more)
        self.assertEqual("ready\n", first.stdout.readline())
        self.assertTrue(first.stdout.readline().startswith("acquired"))
        return first

    def holds(self):
        history = lock_checker.read(self.history)
        self.assertEqual([], lock_checker.problems(history, tokens=self.kind != "row"))
        return sorted(history.holds, key=lambda hold: hold.begin)

    def test_the_waiter_has_it_right_after_the_release(self):
        first = self.start_first(4)
        second = self.start(0.1)
        self.assertEqual(0, first.wait(60))
        self.assertEqual(0, second.wait(60))
        one, other = self.holds()
        self.assertEqual(("released", "released"), (one.how, other.how))
        after = (other.begin - one.end) / 1e9
        print(f"{self.id()}: {after * 1e3:.1f} ms after the release", file=sys.stderr)
        self.assertLess(after, SOON)

    def test_who_overstays_is_taken_over_and_finds_out(self):
        first = self.start_first(10, "--no-watchdog")
        second = self.start(6)  # beyond the first one's end
        self.assertEqual(0, first.wait(60))
        self.assertEqual(0, second.wait(60))
        one, other = self.holds()
        self.assertEqual(("was_lost", "released"), (one.how, other.how))
        self.assertIsNotNone(one.told)
        self.assertLess((other.begin - one.begin) / 1e9, 6 * SCALE + 1)
        if self.kind != "row":
            self.assertLess(one.token, other.token)


class OnMysql(Demonstration):
    def open_store(self):
        store = harness.MySql(self.folder, own_server=False)
        self.addCleanup(store.end)
        return store.url


class OnSqlite(Demonstration):
    def open_store(self):
        return harness.Sqlite(self.folder).url


class RecordOnMysql(OnMysql, unittest.TestCase):
    kind = "record"


class LeaseOnMysql(OnMysql, unittest.TestCase):
    kind = "lease"


class RowOnMysql(OnMysql, unittest.TestCase):
    kind = "row"


class RecordOnSqlite(OnSqlite, unittest.TestCase):
    kind = "record"


class LeaseOnSqlite(OnSqlite, unittest.TestCase):
    kind = "lease"


class RedisOnRedis(Demonstration, unittest.TestCase):
    kind = "redis"

    def open_store(self):
        store = harness.Redis(self.folder, own_server=False)
        self.addCleanup(store.end)
        return store.url


class ZooKeeperOnZooKeeper(Demonstration, unittest.TestCase):
    kind = "zookeeper"

    def open_store(self):
        store = harness.ZooKeeper(self.folder, own_server=False)
        self.addCleanup(store.end)
        return store.url


if __name__ == "__main__":
    unittest.main()
