"""No command of the command line prints a control character that a server has sent: terminal_test.py BATON."""

import http.server
import json
import pathlib
import subprocess
import sys
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
         "payload": {EVIL: EVIL}}
ANSWER = {**ITEM, "items": [ITEM], "attempts": [ITEM], "next": [{"at": TIME, "local": EVIL}], "lease": ITEM,
          "last_failover": {"to": EVIL, "from": EVIL, "gap_ms": 1, "at": TIME}}
COMMANDS = ("task list", "task show 1", "task add x --service s --handler h --cron 0*****", "task run 1", "task run 1 --wait",
            "task enable 1", "task delete 1",
            "executions", "executions show 1", "executions cancel 1", "clients", "nodes", "nodes --terms", "cron explain x")


class Handler(http.server.BaseHTTPRequestHandler):
    status = 200

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        self.rfile.read(length)
        # A list ends with `next` null; its last page is the first.
        body = {**ANSWER, "next": None} if self.path.split("?")[0].endswith(("tasks", "executions", "terms")) else ANSWER
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

    def test_refusals(self):
        Handler.status = 409
        for command in COMMANDS:
            with self.subTest(command=command):
                text = self.run_baton(command)
                self.check(text, command)
                self.assertIn("]0;x", text)


if __name__ == "__main__":
    unittest.main()
