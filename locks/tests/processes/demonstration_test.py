"""Two processes demonstrate a lock: a waiter is granted the lock when its holder releases it; a holder that exceeds its
limit loses the lock to the waiter, is told of the loss, and cannot free the lock for others by its late release.

No step depends on how fast the machine is: each waits for the one before.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests/cluster"))

import harness
import lock_checker

LONG = 60000  # ms: no test waits for this to pass
SHORT = 1000
WITHIN = 60  # s, for what happens at once on an idle machine


class Holder:
    """A process that acquires the lock once and holds it until it is told to leave."""

    def __init__(self, test, name, *options):
        self.leave_file = test.folder / f"leave-{name}"
        self.history = test.history
        self.child = subprocess.Popen(
            [harness.build_folder() / "tests/lock_worker", test.url, test.kind, "demonstration", test.history, "--count",
             "1", "--leave", self.leave_file, *map(str, options)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, preexec_fn=harness.end_with_parent)
        test.addCleanup(self.child.stdout.close)
        test.addCleanup(self.child.wait)
        test.addCleanup(self.child.kill)

    def await_line(self, beginning):
        """The log is between the lines."""
        for line in self.child.stdout:
            if line.startswith(beginning):
                return
        raise AssertionError(f"the process ended before it printed {beginning!r}")

    def await_ready(self):
        self.await_line("ready")

    def await_grant(self):
        self.await_line("acquired")

    def hold(self):
        """The grant in the history so far; None before it."""
        history = lock_checker.read(self.history)
        return next((hold for hold in history.holds if hold.process == str(self.child.pid)), None)

    def leave(self):
        """Lets it release the lock and end; its counts."""
        self.leave_file.touch()
        said, _ = self.child.communicate(timeout=WITHIN)
        assert self.child.returncode == 0, said
        return next(json.loads(line) for line in said.splitlines() if line.startswith("{"))


class Demonstration:
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-demonstration-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.history = self.folder / "history"
        self.history.mkdir()
        self.url = self.open_store()
        made = subprocess.run([harness.build_folder() / "bin/baton-lock", "migrate"], stderr=subprocess.PIPE, text=True,
                              env=harness.program_environment({"BATON_DATABASE_URL": self.url}))
        if "this build has no" in made.stderr:
            self.skipTest(made.stderr)
        self.assertEqual(0, made.returncode, made.stderr)

    def start_holder(self, *options):
        holder = Holder(self, "holder", *options)
        holder.await_ready()
        holder.await_grant()
        return holder

    def start_waiter(self):
        waiter = Holder(self, "waiter", "--ttl", LONG)
        waiter.await_ready()
        return waiter

    def assert_nothing_wrong(self):
        self.assertEqual([], lock_checker.problems(lock_checker.read(self.history), tokens=self.kind != "row"))

    def test_the_waiter_is_granted_the_lock_when_the_holder_releases_it(self):
        holder = self.start_holder("--ttl", LONG)
        waiter = self.start_waiter()
        holder.leave()
        waiter.await_grant()
        waiter.leave()
        before, after = holder.hold(), waiter.hold()
        self.assertEqual(("released", "released"), (before.how, after.how))
        pause = (after.begin - before.end) / 1e6
        print(f"{self.id()}: {pause:.1f} ms after the release", file=sys.stderr)
        self.assertLess(pause, LONG / 2, "granted by the end of the holder's limit, not by its release")
        self.assert_nothing_wrong()

    def test_a_holder_that_exceeds_its_limit_loses_the_lock_and_is_told(self):
        holder = self.start_holder("--ttl", SHORT, "--no-watchdog")
        waiter = self.start_waiter()
        waiter.await_grant()
        self.assert_lost(holder, waiter)

    def test_a_holder_that_stands_still_past_its_limit_is_told_when_it_goes_on(self):
        holder = self.start_holder("--ttl", SHORT)
        waiter = self.start_waiter()
        holder.child.send_signal(signal.SIGSTOP)
        waiter.await_grant()
        holder.child.send_signal(signal.SIGCONT)
        self.assert_lost(holder, waiter)

    def assert_lost(self, holder, waiter):
        harness.wait_for("the holder is told of its loss", lambda: holder.hold().told, WITHIN)
        counts = holder.leave()
        waiter.leave()
        before, after = holder.hold(), waiter.hold()
        self.assertEqual(("was_lost", "released"), (before.how, after.how))
        if self.kind != "row":
            self.assertLess(before.token, after.token)
            self.assertEqual(1, counts["fenced_off"])
        self.assert_nothing_wrong()


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
