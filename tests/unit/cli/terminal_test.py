"""No command of the command line prints a control character that a server has sent: terminal_test.py BATON."""

import fcntl
import http.server
import json
import os
import pathlib
import pty
import struct
import subprocess
import sys
import termios
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))

from processes import program_environment  # noqa: E402

BATON = sys.argv.pop(1)
EVIL = "a\x1b]0;x\x07\x1b[2J\r\n\x7f\x9b31m\u202eb"
TIME = "2026-03-29T01:30:00.000000Z"

# One object that serves as task, execution, attempt, client, node and term.
ITEM = {key: EVIL for key in (
    "name", "project", "service", "handler", "schedule_text", "instance", "address", "reach_why", "why", "node", "owner",
    "role", "state", "cause", "reason", "task_name", "client", "error", "result", "outcome", "version", "why_ended", "how",
    "cannot_plan", "detail", "description", "local", EVIL)}
ITEM |= {"id": "1", "enabled": True, "handlers": [EVIL], "reach": "unreachable", "attempt": 1, "max_attempts": 1, "epoch": 1,
         "age_ms": 1, "alive": True, "joined_at": TIME, "scheduled_at": TIME, "next_fire_at": TIME, "ended_at": EVIL,
         "live_why": EVIL,
         "live": {"heard_ms": 1, "in_flight": EVIL, "free_slots": EVIL}, "drained": {"since": TIME, "by": EVIL, "reason": EVIL},
         "failed_parts": [{"part": EVIL, "since": TIME, "cause": EVIL}],
         "payload": {EVIL: EVIL}, "version": 1, "action": EVIL, "schedule": {}, "definition": {"schedule": {}}}
ANSWER = {**ITEM, "failing": [ITEM], "due_next": [ITEM], "services_without_client": [ITEM],
          "items": [ITEM], "attempts": [ITEM], "next": [{"at": TIME, "local": EVIL}], "notes": [{"text": EVIL}], "lease": ITEM,
          "last_failover": {"to": EVIL, "from": EVIL, "gap_ms": 1, "at": TIME}}
COMMANDS = ("task list", "task show 1", "task add x --service s --handler h --cron 0*****", "task run 1", "task run 1 --wait",
            "task enable 1", "task delete 1", "task history 1", "task edit 1 --set x=1",
            "executions", "executions show 1", "executions cancel 1", "clients", "nodes", "nodes --terms", "terms", "overview", "upcoming",
            "cron explain x", "schedule preview")


class Handler(http.server.BaseHTTPRequestHandler):
    status = 200
    changes = {}

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        # A list ends with `next` null; its last page is the first.
        body = {**ANSWER, "next": None} if self.path.split("?")[0].endswith(
            ("tasks", "executions", "terms", "versions", "clients")) else ANSWER
        body = {**body, "items": [{**item, **self.changes} for item in body["items"]]}
        text = json.dumps(body).encode()
        self.send_response(self.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.addClassCleanup(cls.server.server_close)
        cls.addClassCleanup(cls.server.shutdown)

    def run_baton(self, command, *more):
        words = [BATON, "--server", f"http://127.0.0.1:{self.server.server_port}", *command.split(), *more]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30,
                              env=program_environment())
        return done.stdout.decode()

    def check(self, text, command):
        wrong = sorted({letter for letter in text
                        if letter != "\n" and (ord(letter) < 32 or 127 <= ord(letter) < 160 or letter == "\u202e")})
        self.assertEqual(wrong, [], command)

    def test_answers(self):
        Handler.status = 200
        shown = 0
        for command in COMMANDS:
            for more in ((), ("--json",)):
                with self.subTest(command=command, more=more):
                    text = self.run_baton(command, *more)
                    self.check(text, command)
                    shown += "]0;x" in text
        self.assertGreater(shown, len(COMMANDS))  # the names were printed, without what is harmful

    def on_terminal(self, columns, **variables):
        """The output of a list on a terminal of that width."""
        control, output = pty.openpty()
        fcntl.ioctl(output, termios.TIOCSWINSZ, struct.pack("HHHH", 25, columns, 0, 0))
        words = [BATON, "--server", f"http://127.0.0.1:{self.server.server_port}", "executions"]
        done = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                env=program_environment({"TERM": "xterm", **variables}))
        os.close(output)
        text = b""
        while True:
            try:
                text += os.read(control, 65536)
            except OSError:  # the other end is closed
                break
        os.close(control)
        self.assertEqual(done.wait(30), 0)
        return text.decode().replace("\r\n", "\n")

    def test_a_list_follows_the_terminal_and_is_whole_and_plain_in_a_pipe(self):
        Handler.status = 200
        reason = "because " * 60
        Handler.changes = {"reason": reason, "state": "failed", "task_name": "greet", "cause": "manual"}
        self.addCleanup(Handler.changes.clear)
        shown = self.on_terminal(150)
        self.assertIn("\x1b[31mfailed\x1b[0m", shown)
        self.assertIn("…", shown)
        plain = self.on_terminal(150, NO_COLOR="1")
        self.assertNotIn("\x1b", plain)
        self.assertEqual({len(line) for line in plain.splitlines()[1:]}, {150})
        self.assertNotIn("\x1b", self.on_terminal(150, TERM="dumb"))
        piped = self.run_baton("executions")
        self.assertNotIn("\x1b", piped)
        self.assertIn(reason, piped)

    def test_refusals(self):
        Handler.status = 409
        for command in COMMANDS:
            with self.subTest(command=command):
                text = self.run_baton(command)
                self.check(text, command)
                self.assertIn("]0;x", text)


if __name__ == "__main__":
    unittest.main()
