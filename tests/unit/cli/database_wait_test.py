"""How a process waits for its database: database_wait_test.py BATON."""

import json
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))

from processes import free_port, program_environment  # noqa: E402

BATON = sys.argv.pop(1)


class RefusingServer:
    """Takes connections as MySQL does, and refuses each with the same words."""

    def __init__(self, words):
        self.words, self.tries = words, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer = self.listener.accept()[0]
            except OSError:
                return
            with peer:
                body = b"\xff" + struct.pack("<H", 1045) + self.words.encode()
                peer.sendall(struct.pack("<I", len(body))[:3] + b"\0" + body)
            self.tries += 1


def wait_for(what, condition, within=30):
    end = time.monotonic() + within
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"not within {within} s: {what}")
        time.sleep(0.05)


def ask(port, path, token=None):
    """Status and document of the answer."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(f"http://127.0.0.1:{port}{path}", headers=headers), timeout=5) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        return refusal.code, json.load(refusal)


class DatabaseWait(unittest.TestCase):
    def start(self, command, server, **variables):
        """The port and the log of a process that waits for the server."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        log, port = pathlib.Path(folder.name) / "log", free_port()
        variables = {"BATON_DATABASE_URL": f"mysql://baton@127.0.0.1:{server.port}/b", "BATON_LISTEN_PORT": str(port), **variables}
        with log.open("w") as out:
            process = subprocess.Popen([BATON, command], cwd=folder.name, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       env=program_environment(variables))
        self.addCleanup(process.wait, 30)
        self.addCleanup(process.terminate)
        return port, log

    def test_a_process_answers_while_it_waits_for_its_database(self):
        server = RefusingServer("Access denied for user 'baton'")
        self.addCleanup(server.listener.close)
        for command, path in (("trigger", "/client/v1/heartbeat"), ("web", "/api/v1/tasks")):
            with self.subTest(command):
                port, log = self.start(command, server, BATON_TOKEN="its-token")
                wait_for("the first try", lambda: "not available yet" in log.read_text())
                self.assertEqual(ask(port, "/healthz")[0], 200)
                self.assertEqual(ask(port, "/healthz", "its-token")[0], 200)
                for each in ("/readyz", path):
                    status, problem = ask(port, each)
                    self.assertEqual((status, problem["detail"]), (503, "the database is not available yet"))
                    status, problem = ask(port, each, "its-token")
                    self.assertEqual(status, 503)
                    self.assertIn("the database is not available yet: ", problem["detail"])
                    self.assertIn("Access denied", problem["detail"])

    def test_a_wrong_password_names_its_file_which_is_read_again_at_each_try(self):
        server = RefusingServer("Access denied for user 'baton'")
        self.addCleanup(server.listener.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        password = pathlib.Path(folder.name) / "password"
        password.touch(mode=0o600)
        password.write_text("mistyped\n")
        port, log = self.start("trigger", server, BATON_DATABASE_PASSWORD_FILE=str(password), BATON_TOKEN="its-token")
        remedy = "check database.password_file, which is read again at each try"
        wait_for("the first reason", lambda: remedy in log.read_text())
        self.assertIn(remedy, ask(port, "/readyz", "its-token")[1]["detail"])
        password.write_text("")
        wait_for("the next reading of the file", lambda: "password is empty" in log.read_text())

    def test_a_wrong_password_is_tried_with_growing_pauses_and_logged_once_for_each_reason(self):
        server = RefusingServer("Access denied for user 'baton'")
        self.addCleanup(server.listener.close)
        _, log = self.start("trigger", server)
        begun = time.monotonic()
        wait_for("three tries", lambda: server.tries >= 3)
        self.assertGreaterEqual(time.monotonic() - begun, 2.5)  # pauses of 1 s and 2 s
        lines = lambda text: [line for line in log.read_text().splitlines() if text in line]
        self.assertEqual(len(lines("not available yet")), 1, log.read_text())
        self.assertEqual(len(lines("Access denied")), 1)
        server.words = "Unknown database 'b'"
        wait_for("the other reason", lambda: lines("Unknown database"))
        self.assertEqual(len(lines("not available yet")), 2, log.read_text())


if __name__ == "__main__":
    unittest.main()
