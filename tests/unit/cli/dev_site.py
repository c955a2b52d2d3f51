"""`baton dev` for the tests of the command line."""

import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))

from processes import free_port, program_environment  # noqa: E402


class DevSite(unittest.TestCase):
    """A test case with a server of its own. `baton` is the program, `folder` a temporary folder."""

    baton = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="baton-cli-")
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.log = cls.folder / "log"
        ports = {"BATON_TRIGGER_PORT": str(free_port()), "BATON_WEB_PORT": str(free_port())}
        cls.trigger, cls.web = (f"http://127.0.0.1:{port}" for port in ports.values())
        with cls.log.open("w") as log:
            cls.dev = subprocess.Popen([cls.baton, "dev"], cwd=cls.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                       env=program_environment(ports))
        cls.addClassCleanup(cls.stop)
        cls.await_output('"echo"', "--json", "clients")

    @classmethod
    def stop(cls):
        cls.dev.send_signal(signal.SIGINT)
        cls.dev.wait(60)

    @classmethod
    def run_baton(cls, *words, server=None, variables=None, **more):
        """Exit status, standard output and standard error."""
        words = [cls.baton, "--server", server or cls.web, *map(str, words)]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=60, env=program_environment(variables), **more)
        return done.returncode, done.stdout, done.stderr

    @classmethod
    def await_output(cls, expected, *words):
        end = time.monotonic() + 30
        while expected not in (out := cls.run_baton(*words)[1]):
            if time.monotonic() > end:
                raise AssertionError(out + cls.log.read_text())
            time.sleep(0.1)
        return out

    def ask(self, *words, **more):
        status, out, said = self.run_baton(*words, **more)
        self.assertEqual(status, 0, out + said)
        return out

    def refused(self, expected, *words, status=1, **more):
        got, out, said = self.run_baton(*words, **more)
        self.assertEqual(got, status, out + said)
        for text in expected:
            self.assertIn(text, out + said)
        return out + said
