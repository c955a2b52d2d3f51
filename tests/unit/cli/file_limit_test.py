"""Each program that holds connections raises its limit of open files and logs it: file_limit_test.py BATON."""

import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import threading
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "cluster"))

from processes import free_port, program_environment  # noqa: E402

BATON = sys.argv.pop(1)
SOFT, HARD = 200, 1000


class FileLimit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-files-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def raised_by(self, *words, **environment):
        """The line that it logs, and its limits then."""
        process = subprocess.Popen([BATON, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, env=program_environment(environment),
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (SOFT, HARD)))
        self.addCleanup(process.wait)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        too_long = threading.Timer(20, process.kill)
        self.addCleanup(too_long.cancel)
        too_long.start()
        said = []
        for line in process.stdout:
            said.append(line)
            if "limit of open files" in line:
                return line, resource.prlimit(process.pid, resource.RLIMIT_NOFILE)
        self.fail("it said nothing of a limit: " + "".join(said))

    def check(self, *words, **environment):
        line, limits = self.raised_by(*words, **environment)
        self.assertEqual(limits, (HARD, HARD))
        self.assertRegex(line, rf"\b{HARD}\b.*\b{SOFT}\b")

    def config(self, **members):
        file = self.folder / "config.json"
        file.write_text(json.dumps(members))
        return "--config", str(file)

    def listen(self):
        return {"address": "127.0.0.1", "port": free_port()}

    def database(self):
        return {"url": f"sqlite:{self.folder}/data/baton.db"}

    def test_dev(self):
        self.check("dev", BATON_TRIGGER_PORT=str(free_port()), BATON_WEB_PORT=str(free_port()))

    def test_trigger(self):
        self.check("trigger", *self.config(listen=self.listen(), database=self.database()))

    def test_web(self):
        self.check("web", *self.config(listen=self.listen(), database=self.database()))

    def test_agent(self):
        self.check("agent", *self.config(service="s", triggers=[f"http://127.0.0.1:{free_port()}"], listen=self.listen(),
                                         handlers={"h": {"argv": ["/bin/true"]}}))


if __name__ == "__main__":
    unittest.main()
