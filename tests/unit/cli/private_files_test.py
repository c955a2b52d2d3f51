"""The files of a SQLite database belong to one user alone: private_files_test.py BATON."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))

from processes import free_port, program_environment  # noqa: E402

BATON = sys.argv.pop(1)


class PrivateFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-private-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "deep" / "data"

    def start(self, umask):
        ports = {"BATON_TRIGGER_PORT": str(free_port()), "BATON_WEB_PORT": str(free_port())}
        return subprocess.Popen([BATON, "dev", "--data", self.data], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True, umask=umask, env=program_environment(ports))

    def run_until_up(self, umask):
        """Runs it until its database is there, and stops it."""
        process = self.start(umask)
        end = time.monotonic() + 30
        while process.poll() is None and time.monotonic() < end and not (self.data / "baton-lease.db-wal").exists():
            time.sleep(0.02)
        time.sleep(0.3)
        modes = {file.name: file.stat().st_mode & 0o777 for file in self.data.iterdir()}
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[0]
        self.assertEqual(process.returncode, 0, said)
        return modes

    def refused(self):
        process = self.start(0o022)
        self.addCleanup(process.kill)
        said = process.communicate(timeout=10)[0]
        self.assertEqual(process.returncode, 1, said)
        return said

    def test_files_are_made_for_one_user_alone_whatever_the_umask(self):
        for umask in (0o000, 0o077):
            with self.subTest(umask=oct(umask)):
                modes = self.run_until_up(umask)
                self.assertTrue({"baton.db", "baton-lease.db", "baton.leader"} <= set(modes), modes)
                self.assertEqual(set(modes.values()), {0o600}, modes)
                self.assertEqual(self.data.stat().st_mode & 0o777, 0o700)
                self.assertEqual(self.data.parent.stat().st_mode & 0o777, 0o700)
                for file in self.data.iterdir():
                    file.unlink()

    def test_what_others_can_read_is_refused(self):
        self.run_until_up(0o022)
        for name, mode, remedy in (("", 0o755, "chmod 700"), ("baton.db", 0o640, "chmod 600"),
                                   ("baton-lease.db", 0o604, "chmod 600"), ("baton.leader", 0o660, "chmod 600")):
            with self.subTest(name=name):
                file = self.data / name
                before = file.stat().st_mode
                file.chmod(mode)
                self.assertIn(remedy, self.refused())
                file.chmod(before)
        self.run_until_up(0o022)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_what_others_own_is_refused(self):
        self.run_until_up(0o022)
        for name in ("", "baton.db", "baton-lease.db", "baton.leader"):
            with self.subTest(name=name):
                os.chown(self.data / name, 1, 1)
                self.assertIn("another user", self.refused())
                os.chown(self.data / name, 0, 0)


if __name__ == "__main__":
    unittest.main()
