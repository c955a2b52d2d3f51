"""baton task import and baton agent --crontab, against `baton dev`: import_test.py BATON."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from dev_site import DevSite  # noqa: E402
from faulty_web import FaultyWeb  # noqa: E402
from processes import free_port, program_environment  # noqa: E402

DevSite.baton = sys.argv.pop(1)
SECRET = "hunter2"


class Import(DevSite):
    def crontab(self, *lines):
        """A crontab of this test's own, and the arguments that import it for a service of its own."""
        path = self.folder / f"{self.id().rsplit('.', 1)[1]}.cron"
        path.write_text("".join(line + "\n" for line in lines))
        os.chmod(path, 0o600)
        return path, ("task", "import", path, "--service", path.stem, "--zone", "Europe/Berlin", "--allow-unserved")

    def tasks(self, service):
        return json.loads(self.ask("--json", "task", "list", "--service", service))["items"]

    def test_an_import_again_changes_nothing(self):
        path, words = self.crontab("@daily a", "5 4 * * * b")
        self.assertIn("2 registered, 0 already registered, 0 refused", self.ask(*words))
        path.write_text("# moved\n\n" + path.read_text())
        self.assertIn("0 registered, 2 already registered, 0 refused", self.ask(*words))

    def test_a_changed_schedule_is_named_and_taken_with_update(self):
        path, words = self.crontab("0 2 * * * a")
        self.ask(*words)
        before = self.tasks(path.stem)[0]
        self.ask("task", "disable", f"id:{before['id']}")
        path.write_text("0 3 * * * a\n")
        expected = ['schedule.cron: "0 2 * * *" at the server, "0 3 * * *" in the file']
        self.refused([*expected, "1 differ from the file", "--update"], *words)
        self.assertEqual(self.tasks(path.stem)[0]["schedule"], before["schedule"])
        out = self.ask(*words, "--update")
        self.assertIn("1 updated", out)
        self.assertIn(expected[0], out)
        after = self.tasks(path.stem)[0]
        self.assertEqual(after["id"], before["id"])
        self.assertEqual(after["schedule"]["cron"], "0 3 * * *")
        self.assertFalse(after["enabled"])  # a person has disabled it
        self.assertIn(f"stays disabled {after['name']} (line 1): `baton task enable {after['name']}`", out)
        self.assertIn("1 stay disabled (--update --enable enables them)", out)

    def test_removed_lines_are_named_and_their_tasks_disabled_with_prune(self):
        path, words = self.crontab("@daily a", "5 4 * * * b")
        self.ask(*words)
        removed = next(task for task in self.tasks(path.stem) if task["schedule"]["cron"] == "5 4 * * *")
        other = self.folder / "other.cron"
        other.write_text("@daily x\n")
        self.ask("task", "import", other, *words[3:])
        path.write_text("@daily a\n")
        out = self.ask(*words)
        self.assertIn(f"without a line {removed['name']}", out)
        self.assertIn("--prune", out)
        enabled = lambda: {task["name"]: task["enabled"] for task in self.tasks(path.stem)}
        self.assertEqual(set(enabled().values()), {True})
        out = self.ask(*words, "--prune")
        self.assertIn(f"disabled {removed['name']}", out)
        self.assertEqual([name for name, on in enabled().items() if not on], [removed["name"]])
        self.assertNotIn(removed["name"], self.ask(*words))

    def test_a_line_that_comes_back_has_its_task_enabled_with_enable(self):
        path, words = self.crontab("@daily a", "5 4 * * * b")
        self.ask(*words)
        path.write_text("@daily a\n")
        self.ask(*words, "--update", "--prune")
        path.write_text("@daily a\n5 4 * * * b\n")
        name = next(task["name"] for task in self.tasks(path.stem) if not task["enabled"])
        for more in ((), ("--update",)):
            said = self.ask(*words, *more)
            self.assertIn(f"stays disabled {name} (line 2): ", said)
            self.assertIn("2 already registered", said)
        self.assertEqual([each["name"] for each in json.loads(self.ask("--json", *words))["stay_disabled"]], [name])
        self.refused(["--enable requires --update"], *words, "--enable", status=2)
        self.assertIn(f"enabled {name} (line 2)", self.ask(*words, "--update", "--enable", "--prune").splitlines())
        self.assertTrue(all(task["enabled"] for task in self.tasks(path.stem)))
        self.assertIn("2 already registered, 0 refused", self.ask(*words, "--disabled"))

    def test_a_policy_that_leaves_nothing_to_run_is_noted(self):
        document = {"name": "hasty", "service": "hasty", "handler": "x", "schedule": {"kind": "fixed_rate", "every_ms": 60000},
                    "misfire": {"action": "skip", "after_ms": 0}}
        path = self.folder / "hasty.json"
        path.write_text(json.dumps(document))
        words = ("task", "import", path, "--allow-unserved")
        note = "note hasty: a firing that is not sent within 0 ms is skipped"
        for more in (("--dry-run",), ()):
            self.assertIn(note, self.ask(*words, *more))
        self.assertNotIn(note, self.ask(*words))  # it is registered already
        path.write_text(json.dumps(document | {"limits": {"total_ms": 1}}))
        notes = json.loads(self.ask("--json", *words, "--update"))["notes"]
        self.assertEqual([each["task"] for each in notes], ["hasty", "hasty"])
        edited = self.ask("task", "edit", "hasty", "--set", "limits.total_ms=5", "--allow-unserved")
        self.assertIn("note: an execution ends as timed_out 5 ms after it was due", edited)

    def test_a_json_file_that_says_enabled_or_disabled_sets_it_and_another_leaves_it(self):
        document = {"name": "switched", "service": "switched", "handler": "x", "schedule": {"kind": "api"}}
        path = self.folder / "switched.json"
        enabled = lambda: self.tasks("switched")[0]["enabled"]
        words = ("task", "import", path, "--allow-unserved")
        for more, expected in (({"enabled": False}, False), ({}, False), ({"enabled": True}, True), ({}, True),
                               ({"enabled": False}, False)):
            path.write_text(json.dumps({**document, **more}))
            self.ask(*words, "--update")
            self.assertEqual(enabled(), expected)
        self.refused(["--enable", "is JSON"], *words, "--update", "--enable", status=2)

    def test_the_list_of_one_cluster_can_be_imported_into_another(self):
        self.ask("task", "add", "listed-1", "--service", "listed", "--handler", "x", "--cron", "0 2 * * *", "--zone",
                 "Europe/Berlin", "--payload", '{"a": 1}', "--attempts", "4", "--allow-unserved")
        self.ask("task", "add", "listed-2", "--service", "listed", "--handler", "x", "--every", "90s", "--disabled",
                 "--allow-unserved")
        path = self.folder / "listed.json"
        list_of = lambda *more, **where: self.ask("--json", "task", "list", "--service", "listed", *more, **where)
        path.write_text(list_of())
        words = ("task", "import", path, "--allow-unserved")
        self.assertIn("0 registered, 2 already registered, 0 refused", self.ask(*words))

        class Other(DevSite):
            """A second cluster."""

        Other.setUpClass()
        self.addCleanup(Other.doClassCleanups)
        self.assertIn("2 registered", self.ask(*words, server=Other.web))
        server_writes = ("id", "version", "created_at", "updated_at", "next_fire_at", "origins")
        definitions = lambda text: [{key: value for key, value in task.items() if key not in server_writes}
                                    for task in json.loads(text)["items"]]
        self.assertEqual(definitions(list_of(server=Other.web)), definitions(path.read_text()))
        path.write_text(self.ask("--json", "task", "show", "listed-1"))
        self.assertIn("1 already registered, 0 refused", self.ask(*words, server=Other.web))
        path.write_text(list_of("--limit", "1"))
        self.refused(["the list is not complete", "--limit"], *words, server=Other.web)

    def test_prune_waits_until_every_line_can_be_read(self):
        path, words = self.crontab("@daily a", "@daily b")
        self.ask(*words)
        path.write_text("@daily a\n@dayly b\n")
        self.refused(["--prune disables nothing", "1 refused"], *words, "--prune")
        self.assertTrue(all(task["enabled"] for task in self.tasks(path.stem)))
        path.write_text("@daily a\n@reboot b\n")  # cron runs it, and no task ever can
        out = self.ask(*words, "--prune")
        self.assertIn(f"without a time {path}: line 2: @reboot", out)
        self.assertIn("1 without a line disabled, 1 without a time: @reboot, 0 refused", out)
        self.assertEqual(json.loads(self.ask("--json", *words))["without_time"], [{"file": str(path), "line": 2, "schedule": "@reboot"}])
        self.assertEqual(sorted(task["enabled"] for task in self.tasks(path.stem)), [False, True])
        document = self.folder / "tasks.json"
        document.write_text("[]")
        self.refused(["--prune"], "task", "import", document, "--prune", status=2)

    def test_prune_disables_nothing_for_a_file_without_lines(self):
        path, words = self.crontab("@daily a")
        self.ask(*words)
        path.write_text("")
        self.refused(["--prune disables nothing", "has no line that becomes a task", "0 refused"], *words, "--prune")
        self.assertTrue(all(task["enabled"] for task in self.tasks(path.stem)))

    def test_prune_disables_the_tasks_of_an_earlier_version_from_the_same_file(self):
        path, words = self.crontab("@daily a")
        self.ask("task", "add", "former", "--service", path.stem, "--handler", "former-1", "--cron", "@daily",
                 "--description", f"line 1 of {path}", "--allow-unserved")
        self.assertIn("without a line former", self.ask(*words))
        self.assertIn("disabled former", self.ask(*words, "--prune"))
        self.assertEqual({task["name"]: task["enabled"] for task in self.tasks(path.stem)}["former"], False)

    def test_a_line_that_cannot_be_read_hides_neither_the_changes_nor_itself_when_prune_disables_nothing(self):
        path, words = self.crontab("0 2 * * * a", "@daily b")
        self.ask(*words)
        path.write_text("0 3 * * * a\n@dayly b\n@weekly c\n")
        expected = ["--prune disables nothing", "line 2: ", "updated ", "1 registered", "1 updated", "without a line "]
        said = self.refused(expected, *words, "--update", "--prune")
        self.assertNotIn("\ndisabled ", said)
        status, out, _ = self.run_baton("--json", *words, "--update", "--prune")
        self.assertEqual(status, 1)
        report = json.loads(out)
        self.assertEqual(report["already"], 2)
        self.assertEqual(len(report["refused"]), 2)
        self.assertEqual([each["disabled"] for each in report["removed"]], [False])
        self.assertTrue(all(task["enabled"] for task in self.tasks(path.stem)))

    def test_a_request_that_fails_in_the_middle_does_not_hide_the_changes_before_it(self):
        path, words = self.crontab("@daily a", "@daily b", "@daily c")
        self.ask(*words)
        path.write_text("@weekly a\n")
        disables = []

        def first_disable(method, target):
            if target.endswith("/disable"):
                disables.append(target)
                return 503 if len(disables) == 1 else None

        def no_answer_to(end):
            return lambda method, target: 0 if target.endswith(end) else None

        def no_list(method, target):
            return 503 if "service=" in target else None

        proxy = FaultyWeb(self.web)
        self.addCleanup(proxy.close)
        for fault, expected in ((no_list, ["1 updated", "tasks without a line are not known: chosen by the test"]),
                                (no_answer_to("/disable"), ["1 already registered", "was not disabled", "stopped here"]),
                                (first_disable, ["was not disabled: chosen by the test", "1 without a line disabled"])):
            with self.subTest(expected=expected):
                proxy.fault = fault
                self.refused(expected, *words, "--update", "--prune", server=proxy.url)
        self.assertEqual(sorted(task["enabled"] for task in self.tasks(path.stem)), [False, True, True])
        path.write_text("@daily a\n@hourly d\n")
        proxy.fault = lambda method, target: 0 if method == "POST" else None
        self.refused(["1 updated", "(line 2)", "does not answer", "stopped here"], *words, "--update", server=proxy.url)

    def test_a_dry_run_says_the_same_and_changes_nothing(self):
        path, words = self.crontab("0 2 * * * a", "5 4 * * * b")
        out = self.ask(*words, "--dry-run")
        self.assertIn("2 to register", out)
        self.assertEqual(self.tasks(path.stem), [])
        self.ask(*words)
        before = self.tasks(path.stem)
        path.write_text("0 3 * * * a\n")
        out = self.ask(*words, "--dry-run", "--update", "--prune")
        self.assertIn("differs", out)
        self.assertIn("without a line", out)
        self.assertEqual(self.tasks(path.stem), before)

    def test_a_dry_run_refuses_what_no_client_serves_for_the_reason_of_the_import(self):
        path, words = self.crontab("0 2 * * * a", "5 4 * * * b")
        words = words[:-1]
        real = self.refused(["no live client", "2 refused"], *words)
        dry = self.refused(["0 to register", "2 refused"], *words, "--dry-run")
        reasons = lambda text: [line for line in text.splitlines() if "no live client" in line]
        self.assertEqual(len(reasons(dry)), 2)
        self.assertEqual(reasons(dry), reasons(real))
        self.assertIn("2 to register", self.ask(*words, "--dry-run", "--allow-unserved"))

    def test_several_files_are_imported_together_and_each_refusal_names_its_file(self):
        path, words = self.crontab("@daily a", "@dayly b")
        other = self.folder / "several-other.cron"
        other.write_text("@daily c\n@reboot d\n")
        both = (*words[:3], other, *words[3:])
        self.refused([f"{path}: line 2: ", f"{other}: line 2: @reboot", "2 registered", "1 refused"], *both)
        path.write_text("@weekly e\n")
        self.assertIn("1 registered, 1 already registered, 1 without a line disabled", self.ask(*both, "--prune"))

    def test_a_crontab_that_may_have_a_user_column_is_named(self):
        path, words = self.crontab("@daily root true", "5 4 * * * daemon true")
        self.assertIn(f"note {path}: the first word of every command", self.ask(*words, "--dry-run"))
        self.assertNotIn("first word", self.ask(*words, "--dry-run", "--form", "system"))

    def test_a_span_from_the_moment_of_saving_is_refused_in_a_file(self):
        path = self.folder / "span.json"
        path.write_text(json.dumps({"name": "span", "service": "agent", "handler": "echo",
                                    "schedule": {"kind": "once", "in_ms": 7200000}}))
        self.refused([f"{path}: schedule.in_ms counts from the moment of saving", "write schedule.at"], "task", "import",
                     path)

    def test_a_json_file_is_compared_by_the_members_that_it_has(self):
        document = {"name": "from-json", "service": "agent", "handler": "echo", "schedule": {"kind": "api"}}
        path = self.folder / "tasks.json"
        path.write_text(json.dumps([document]))
        words = ("task", "import", path)
        self.ask(*words)
        request = urllib.request.Request(
            f"{self.web}/api/v1/tasks/{self.tasks('agent')[0]['id']}", json.dumps({"max_attempts": 4}).encode(),
            {"Content-Type": "application/json"}, method="PATCH")
        urllib.request.urlopen(request).close()
        self.assertIn("1 already registered", self.ask(*words))
        path.write_text(json.dumps([{**document, "max_attempts": 5}]))
        self.refused(["max_attempts: 4 at the server, 5 in the file"], *words)
        self.ask(*words, "--update")
        self.assertEqual(self.tasks("agent")[0]["max_attempts"], 5)
        path.write_text(json.dumps([{**document, "max_attempts": 0}]))
        self.refused(["max_attempts"], *words)

    def why_no_node_takes_an_agent(self, nodes):
        path, _ = self.crontab("@daily a")
        agent = subprocess.Popen([self.baton, "agent", "--crontab", path], cwd=self.folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 env=program_environment({"BATON_TRIGGERS": ",".join(nodes)}))
        try:
            return next(line for line in agent.stderr if "no trigger node takes the registration" in line)
        finally:
            agent.kill()
            agent.wait()
            agent.stderr.close()

    def test_an_agent_that_no_node_takes_names_the_addresses_that_it_tried_and_the_reasons(self):
        nodes = [f"http://127.0.0.1:{free_port()}" for _ in range(2)]
        line = self.why_no_node_takes_an_agent(nodes)
        for node in nodes:
            self.assertIn(f"cannot connect to {node}: Connection refused", line)

    def test_an_agent_with_the_address_of_web_is_told_so(self):
        line = self.why_no_node_takes_an_agent([self.web])
        self.assertIn(f"{self.web}: status 421, this is baton web; clients and nodes call a trigger node", line)

    def test_a_server_that_does_not_answer_is_named(self):
        _, words = self.crontab("@daily a")
        server = f"http://127.0.0.1:{free_port()}"
        self.refused([server], *words, server=server)

    def test_the_server_learns_nothing_of_the_commands(self):
        path, words = self.crontab("RESTIC_PASSWORD=" + SECRET, f"@daily mysqldump -p{SECRET} shop%{SECRET} stdin")
        log = self.folder / "agent.log"
        with log.open("w") as out:
            agent = subprocess.Popen(
                [self.baton, "agent", "--crontab", path], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                env=program_environment({"BATON_TRIGGERS": self.trigger, "BATON_SERVICE": path.stem}))
        try:
            self.await_output(path.stem, "clients")
            out = self.ask(*words[:-1])  # the agent serves the handlers
            self.ask("task", "run", "--wait", self.tasks(path.stem)[0]["name"])
            out += self.ask("--json", "executions")
            for task in self.tasks(path.stem):
                out += self.ask("--json", "task", "show", task["name"])
            out += self.ask("--json", "clients")
        finally:
            agent.send_signal(signal.SIGTERM)
            agent.wait(60)
        stored = b"".join(each.read_bytes() for each in (self.folder / "baton-data").iterdir() if each.is_file())
        for word in (SECRET, "mysqldump", "shop"):
            self.assertNotIn(word, out)
            self.assertNotIn(word.encode(), stored)
        self.assertIn("mysqldump", log.read_text())  # the person at the agent can check it


if __name__ == "__main__":
    unittest.main()
