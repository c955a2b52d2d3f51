"""Commands that are given while `baton dev` starts: start_test.py BATON."""

import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))

from processes import free_port, program_environment  # noqa: E402

BATON = sys.argv.pop(1)


def run_baton(port, *words):
    done = subprocess.run([BATON, "--server", f"http://127.0.0.1:{port}", *words], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60, env=program_environment())
    return done.returncode, done.stdout, done.stderr


def first_answer(port):
    """The status of a registration that is sent as soon as the port accepts a connection."""
    task = json.dumps({"name": "first", "service": "agent", "handler": "echo", "schedule": {"kind": "api"}}).encode()
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            request = urllib.request.Request(f"http://127.0.0.1:{port}/api/v1/tasks", task, {"Content-Type": "application/json"})
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status
        except urllib.error.HTTPError as refusal:
            return refusal.code
        except urllib.error.URLError:
            pass  # the port is not bound yet
    return None


class Start(unittest.TestCase):
    def test_a_task_that_is_added_at_once_after_the_start_of_dev_is_accepted_and_neither_start_nor_stop_warns(self):
        for _ in range(3):
            with tempfile.TemporaryDirectory(prefix="baton-cli-") as folder:
                web = free_port()
                ports = {"BATON_TRIGGER_PORT": str(free_port()), "BATON_WEB_PORT": str(web)}
                log = open(f"{folder}/log", "w+")
                self.addCleanup(log.close)
                dev = subprocess.Popen([BATON, "dev"], cwd=folder, stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, env=program_environment(ports))
                try:
                    self.assertEqual(first_answer(web), 201)
                    status, out, said = run_baton(web, "task", "add", "greet", "--service", "agent", "--handler", "echo")
                    self.assertEqual((status, said), (0, ""), out)
                    status, out, said = run_baton(web, "task", "run", "greet", "--wait")
                    self.assertEqual(status, 0, said)
                finally:
                    dev.terminate()
                    self.assertEqual(dev.wait(60), 0)
                    log.seek(0)
                    self.assertEqual([line for line in log if " W " in line or " E " in line], [])

    def test_a_server_that_does_not_start_is_reported_after_some_seconds(self):
        began = time.monotonic()
        status, _, said = run_baton(free_port(), "task", "list")
        self.assertEqual(status, 1)
        self.assertIn("is `baton web` or `baton dev` running?", said)
        self.assertGreater(time.monotonic() - began, 2)


if __name__ == "__main__":
    unittest.main()
