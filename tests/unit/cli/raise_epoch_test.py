"""After `baton migrate --raise-epoch` the next term is above the epochs that clients may know: raise_epoch_test.py BATON."""

import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))

from processes import free_port, program_environment, wait_for  # noqa: E402

BATON = sys.argv.pop(1)


class RaiseEpoch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-epoch-")
        self.addCleanup(folder.cleanup)
        self.data = pathlib.Path(folder.name) / "data"

    def epoch_of_a_term(self):
        """Runs a node until it leads, and stops it."""
        ports = {"BATON_TRIGGER_PORT": str(free_port()), "BATON_WEB_PORT": str(free_port())}
        process = subprocess.Popen([BATON, "dev", "--data", self.data], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=program_environment(ports))
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)

        def leads():
            with urllib.request.urlopen(f"http://127.0.0.1:{ports['BATON_TRIGGER_PORT']}/healthz", timeout=5) as answer:
                told = json.load(answer)
            return told["epoch"] if told["role"] == "master" else None
        epoch = wait_for("it leads", leads, 30)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=30), 0)
        return epoch

    def migrate(self, *words):
        return subprocess.run([BATON, "migrate", "--database", f"sqlite:{self.data}/baton.db", *words], check=True, text=True,
                              stdout=subprocess.PIPE, timeout=60, env=program_environment()).stdout

    def test_the_next_term_has_a_higher_epoch_than_the_one_that_was_given(self):
        first = self.epoch_of_a_term()
        known_to_clients = first + 1000
        self.assertIn(f"from {first} to {known_to_clients}", self.migrate("--raise-epoch", str(known_to_clients)))
        self.assertIn(f"is {known_to_clients} already", self.migrate("--raise-epoch", str(first)))
        self.assertGreater(self.epoch_of_a_term(), known_to_clients)


if __name__ == "__main__":
    unittest.main()
