"""How a process waits for its database: database_wait_test.py BATON."""

import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

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


class DatabaseWait(unittest.TestCase):
    def test_a_wrong_password_is_tried_with_growing_pauses_and_logged_once_for_each_reason(self):
        server = RefusingServer("Access denied for user 'baton'")
        self.addCleanup(server.listener.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        log = pathlib.Path(folder.name) / "log"
        with log.open("w") as out:
            process = subprocess.Popen([BATON, "trigger"], cwd=folder.name, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                       env=program_environment({"BATON_DATABASE_URL": f"mysql://baton@127.0.0.1:{server.port}/b",
                                                                "BATON_LISTEN_PORT": str(free_port())}))
        self.addCleanup(process.wait, 30)
        self.addCleanup(process.terminate)
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
