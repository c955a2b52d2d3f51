"""The program baton-lock: its subcommand reap."""

import contextlib
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests/cluster"))

import harness


class Reap(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-reap-")
        self.addCleanup(folder.cleanup)
        self.store = harness.Sqlite(pathlib.Path(folder.name))

    def run_program(self, *words):
        return subprocess.run([harness.build_folder() / "bin/baton-lock", "reap", *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)

    def assert_refused(self, part, *words, status=1):
        done = self.run_program(*words)
        self.assertEqual(status, done.returncode, done.stdout)
        self.assertIn(part, done.stdout)

    def test_old_free_locks_are_removed_and_counted(self):
        subprocess.run([harness.build_folder() / "bin/baton-lock", "migrate"], check=True,
                       env=harness.program_environment({"BATON_DATABASE_URL": self.store.url}))
        boot = pathlib.Path("/proc/sys/kernel/random/boot_id").read_text().strip().replace("-", "")
        with contextlib.closing(sqlite3.connect(self.store.file, timeout=10)) as connection, connection:
            for name, age in (("old", 7200), ("fresh", 0)):
                connection.execute("INSERT INTO lock_record (name, owner, token, took_over, renew_seq, ttl_us, renewed_at, "
                                   "boot, label) VALUES (?, NULL, 1, 0, 0, 1000, ?, ?, '')",
                                   (name, harness.boot_us() - age * 10**6, boot))
        done = self.run_program("--database", self.store.url, "--age", "1h")
        self.assertEqual((0, "1 lock removed\n"), (done.returncode, done.stdout))
        self.assertEqual([{"name": "fresh"}], self.store.query("SELECT name FROM lock_record"))

    def test_a_password_among_the_arguments_is_refused(self):
        for words in (("--database", "mysql://baton:secret@127.0.0.1:1/x"), ("--database=mysql://baton:secret@127.0.0.1:1/x",)):
            self.assert_refused("give the URL in the variable BATON_DATABASE_URL", *words, status=2)
            self.assertNotIn("secret", self.run_program(*words).stdout)
        self.assert_refused("127.0.0.1", "--database", "mysql://baton@127.0.0.1:1/x")

    def test_invalid_arguments_are_explained(self):
        self.assert_refused("no such file", "--database", "sqlite:/nowhere/locks.db")
        self.assert_refused("known are mysql:", "--database", "http://x")
        self.assert_refused("a minute at least", "--database", self.store.url, "--age", "5s")
        self.assert_refused("--age: Missing mandatory unit", "--database", self.store.url, "--age", "5", status=2)


if __name__ == "__main__":
    unittest.main()
