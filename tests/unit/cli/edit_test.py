"""baton task edit and history, and executions as they happen, against `baton dev`: edit_test.py BATON."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from dev_site import DevSite  # noqa: E402
from faulty_web import FaultyWeb  # noqa: E402
from processes import program_environment  # noqa: E402

DevSite.baton = sys.argv.pop(1)


class Edit(DevSite):
    def add(self, *more):
        """A task of this test's own."""
        name = self.id().rsplit(".", 1)[1]
        self.ask("task", "add", name, "--service", "agent", "--handler", "echo", *more)
        return name

    def editor(self, script):
        """An editor that runs this script with the file as $1."""
        path = self.folder / f"{self.id().rsplit('.', 1)[1]}.sh"
        path.write_text("#!/bin/sh\nset -e\n" + script + "\n")
        os.chmod(path, 0o700)
        return {"EDITOR": str(path), "VISUAL": "", "TMPDIR": str(self.folder)}

    def task(self, name):
        return json.loads(self.ask("--json", "task", "show", name))

    def leftovers(self):
        return list(self.folder.glob("baton-edit-*"))

    def test_members_are_set_without_an_editor(self):
        name = self.add("--cron", "0 2 * * *", "--payload", '{"day": 1}')
        out = self.ask("task", "edit", name, "--set", "schedule.cron=0 3 * * *", "--set", "max_attempts=5", "--set",
                       "payload.week=2")
        self.assertIn('schedule.cron: "0 2 * * *" -> "0 3 * * *"', out)
        self.assertIn("max_attempts: 1 -> 5", out)
        self.assertIn("in force from", out)
        task = self.task(name)
        self.assertEqual((task["schedule"]["cron"], task["max_attempts"], task["payload"]), ("0 3 * * *", 5, {"day": 1, "week": 2}))
        self.refused(["max_attempts"], "task", "edit", name, "--set", "max_attempts=0")
        self.refused(["--set", "member=value"], "task", "edit", name, "--set", "max_attempts", status=2)
        self.refused(["--allow-unserved"], "task", "edit", name, "--set", "handler=none")
        self.ask("task", "edit", name, "--set", "handler=none", "--allow-unserved")

    def test_a_member_that_only_the_server_writes_is_refused_by_name(self):
        name = self.add()
        for setting in ("id=5", "version=9", "created_at=2026-01-01T00:00:00Z", "next_fire_at="):
            member = setting.split("=")[0]
            self.refused([f"'{member}' cannot be set"], "task", "edit", name, "--set", setting, status=2)
        self.assertEqual(self.task(name)["version"], 1)

    def test_an_edit_that_changes_nothing_makes_no_version(self):
        name = self.add("--cron", "*/2 * * * * *", "--payload", '{"day": 1}')
        number = self.task(name)["id"]
        for words in (("max_attempts=1",), ("payload.day=1", "schedule.zone=UTC"), ("max_attempts=",)):
            out = self.ask("task", "edit", name, *(word for each in words for word in ("--set", each)))
            self.assertEqual(out, f"task {number} {name}: unchanged\n")
        self.assertEqual(self.task(name)["version"], 1)
        self.ask("task", "delete", name)

    def test_the_editor_gets_the_definition_and_its_text_is_taken(self):
        name = self.add()
        seen = self.folder / "seen"
        variables = self.editor(f'cp "$1" {seen}; stat -c %a "$1" "$(dirname "$1")" >> {seen}.modes\n'
                                """sed -i 's/"max_attempts": 1/"max_attempts": 9/' "$1\"""")
        self.assertIn("max_attempts: 1 -> 9", self.ask("task", "edit", name, variables=variables))
        self.assertEqual(self.task(name)["max_attempts"], 9)
        shown = json.loads(seen.read_text())
        self.assertEqual(shown["name"], name)
        self.assertNotIn("id", shown)
        self.assertEqual(pathlib.Path(f"{seen}.modes").read_text().split()[1], "700")
        self.assertEqual(self.leftovers(), [])

    def test_an_editor_that_changes_nothing_makes_no_version(self):
        name = self.add()
        self.assertIn("unchanged", self.ask("task", "edit", name, variables=self.editor(":")))
        self.assertEqual(self.task(name)["version"], 1)
        self.refused(["EDITOR"], "task", "edit", name, variables=self.editor("exit 1"))

    def test_a_text_that_cannot_be_used_is_kept(self):
        name = self.add()
        for script, expected in (('echo "{" > "$1"', "not JSON at line 2, column 1: unexpected end of input"),
                                 ("""sed -i 's/"max_attempts": 1/"max_attempts": 1, "max_attempts": 2/' "$1\"""",
                                  "max_attempts is given twice"),
                                 ("""sed -i 's/"max_attempts": 1/"max_attempts": 0/' "$1\"""", "max_attempts")):
            said = self.refused([expected], "task", "edit", name, variables=self.editor(script))
            self.assertNotIn("json.exception", said)
            first, second = said.splitlines()
            self.assertTrue(first.startswith("baton: "), said)
            kept = pathlib.Path(re.match("your text is in ([^;]*); .*`baton task edit (.*) --from ([^`]*)`", second)[1])
            self.assertTrue(kept.read_text().startswith("{"))
            kept.unlink()
            kept.parent.rmdir()
        self.assertEqual(self.task(name)["version"], 1)

    def test_a_task_whose_parent_was_deleted_and_made_anew_finds_it(self):
        name, parent = "orphan", "orphans-parent"
        self.ask("task", "add", parent, "--service", "agent", "--handler", "echo")
        self.ask("task", "add", name, "--service", "agent", "--handler", "echo", "--after", parent)
        same = ("task", "edit", name, "--set", f"schedule.task={parent}")
        self.assertIn("unchanged\n", self.ask(*same))
        self.ask("task", "delete", parent)
        self.assertIn("description", self.ask("task", "edit", name, "--set", "description=alone"))
        self.ask("task", "add", parent, "--service", "agent", "--handler", "echo")
        self.assertIn("unchanged; in force from", self.ask(*same))
        self.assertEqual(self.task(name)["version"], 3)
        self.assertIn("unchanged\n", self.ask(*same))
        self.ask("task", "delete", name)

    def test_a_kept_text_is_given_again_from_its_file(self):
        name = self.add()
        file = self.folder / "again.json"
        file.write_text("{")
        self.refused([f"{file}: not JSON at line 1"], "task", "edit", name, "--from", file)
        definition = self.task(name)
        definition["max_attempts"] = 4
        file.write_text(json.dumps({key: definition[key] for key in ("name", "service", "handler", "schedule", "max_attempts")}))
        self.assertIn("max_attempts: 1 -> 4", self.ask("task", "edit", name, "--from", file))
        self.assertIn("unchanged", self.ask("task", "edit", name, "--from", file))

    def test_what_show_prints_as_json_is_accepted_as_a_definition(self):
        name = self.add()
        shown = self.task(name)
        self.assertIn("next", shown)
        shown["max_attempts"] = 6
        file = self.folder / "shown.json"
        file.write_text(json.dumps(shown))
        self.assertIn("max_attempts: 1 -> 6", self.ask("task", "edit", name, "--from", file))
        file.write_text(json.dumps([shown, shown]))
        self.refused(["has 2 tasks", "task import --update"], "task", "edit", name, "--from", file)

    def test_without_a_terminal_and_a_named_editor_an_edit_is_refused(self):
        name = self.add()
        self.refused(["--set or --from: ", "terminal"], "task", "edit", name, variables={"EDITOR": "", "VISUAL": ""}, status=2)

    def test_another_kind_of_schedule_needs_only_its_own_members(self):
        name = self.add("--cron", "0 2 * * *")
        self.ask("task", "edit", name, "--set", "schedule.kind=fixed_rate", "--set", "schedule.every_ms=60000")
        self.assertEqual(self.task(name)["schedule"], {"kind": "fixed_rate", "every_ms": 60000})
        self.refused(["did you mean 'schedule.zone'?"], "task", "edit", name, "--set", "zone=Europe/Berlin", status=2)

    def test_a_daily_window_is_registered_shown_and_changed(self):
        name = self.add("--every", "15m", "--from", "09:00", "--to", "17:30", "--days", "mon-fri", "--zone", "Europe/Berlin")
        window = {"kind": "window", "every_ms": 900000, "from": "09:00", "to": "17:30", "zone": "Europe/Berlin",
                  "days": ["mon", "tue", "wed", "thu", "fri"]}
        self.assertEqual(self.task(name)["schedule"], window)
        shown = self.ask("task", "show", name, "--firings", 1)
        self.assertIn("every 15 minutes from 09:00 to 17:30 on Monday to Friday in Europe/Berlin", shown)
        self.assertIn(" in Europe/Berlin", [line for line in shown.splitlines() if line.startswith("next: ")][0])
        self.ask("task", "edit", name, "--set", "schedule.to=18:00", "--set", 'schedule.days=["sat"]')
        self.assertEqual(self.task(name)["schedule"], {**window, "to": "18:00", "days": ["sat"]})
        add = ("task", "add", "x", "--service", "s", "--handler", "h", "--every", "15m")
        self.refused(["--from", "--to"], *add, "--from", "09:00", status=2)
        self.refused(["'montag'", "mon-fri"], *add, "--from", "09:00", "--to", "10:00", "--days", "montag", status=2)
        self.refused(["schedule.from", "17:30", "'9:00'"], *add, "--from", "9:00", "--to", "10:00")

    def test_a_calendar_interval_is_registered_shown_and_changed(self):
        name = self.add("--calendar", "3 months", "--on", "15", "--roll", "next_business_day", "--time", "02:00")
        interval = {"kind": "calendar", "every": 3, "unit": "months", "on": 15, "roll": "next_business_day", "time": "02:00",
                    "zone": "UTC"}
        self.assertEqual(self.task(name)["schedule"], interval)
        self.assertIn("every 3 months, on day 15 or the next business day, at 02:00 in UTC", self.ask("task", "show", name))
        self.ask("task", "edit", name, "--set", "schedule.on=second tuesday", "--set", "schedule.roll=none")
        self.assertEqual(self.task(name)["schedule"]["on"], "second tuesday")
        add = ("task", "add", "x", "--service", "s", "--handler", "h")
        self.refused(["--calendar", "'3 months'"], *add, "--calendar", "quarterly", status=2)
        self.refused(["schedule.unit", "days, weeks, months, years"], *add, "--calendar", "3 quarters")
        self.refused(["schedule.on", "second tuesday"], *add, "--calendar", "3 months", "--on", "32")
        self.refused(["--days"], *add, "--every", "1h", "--days", "mon", status=2)

    def test_a_task_that_fires_once_in_a_span_has_the_instant_that_the_server_computes(self):
        name = self.add("--in", "2h")
        schedule = self.task(name)["schedule"]
        self.assertEqual(sorted(schedule), ["at", "kind"])
        created, at = (time.mktime(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))
                       for text in (self.task(name)["created_at"], schedule["at"]))
        self.assertAlmostEqual(at - created, 7200, delta=60)

    def test_words_that_are_not_utf8_are_refused_and_others_are_shown_as_they_are(self):
        name = self.add("--description", "Abschluß")
        self.assertIn('description: "Abschluß" -> "Übung"', self.ask("task", "edit", name, "--set", "description=Übung"))
        self.assertIn('description: "Abschluß" -> "Übung"', self.ask("task", "history", name))
        said = self.refused([r"argument 5, '\xff', is not UTF-8"], "task", "add", os.fsdecode(b"\xff"), "--service", "s",
                            "--handler", "h", status=2)
        self.assertEqual(len(said.splitlines()), 1)

    def test_a_change_by_another_person_meanwhile_is_not_overwritten(self):
        name = self.add()
        other = f"{self.baton} --server {self.web} task edit {name} --set max_deaths=9 > /dev/null"
        variables = self.editor(other + """\nsed -i 's/"max_attempts": 1/"max_attempts": 2/' "$1\"""")
        said = self.refused(["the task was changed meanwhile; edit it again\n"], "task", "edit", name, variables=variables)
        self.assertNotIn("If-Match", said)
        self.assertEqual((self.task(name)["max_deaths"], self.task(name)["max_attempts"]), (9, 1))
        for each in self.leftovers():
            (each / "task.json").unlink()
            each.rmdir()

    def test_the_history_tells_what_changed_by_each_version(self):
        name = self.add("--every", "1h", "--start-at", "2026-07-01T00:00:00Z")
        self.ask("task", "edit", name, "--set", "timeout_ms=5000")
        self.ask("task", "disable", name)
        identity = self.task(name)["id"]
        rows = self.ask("task", "history", name).splitlines()[1:]
        self.assertEqual([row.split()[:2] for row in rows], [["3", "disabled"], ["2", "edited"], ["1", "created"]])
        self.assertIn("enabled: true -> false", rows[0])
        self.assertIn("timeout_ms: 0 -> 5000", rows[1])
        self.ask("task", "delete", name)
        newest = json.loads(self.ask("--json", "task", "history", f"id:{identity}", "--limit", 1))["items"][0]
        self.assertEqual(newest["action"], "deleted")
        self.assertEqual(newest["definition"]["schedule"]["start_at"], "2026-07-01T00:00:00.000000Z")

    def test_a_run_with_the_same_key_is_the_same_execution(self):
        name = self.add()
        first, second = (self.ask("--json", "task", "run", name, "--idempotency-key", "k") for _ in range(2))
        self.assertEqual(json.loads(first)["execution"], json.loads(second)["execution"])
        self.refused(["--idempotency-key: must be 1 to 128 printable ASCII characters"], "task", "run", name,
                     "--idempotency-key", "", status=2)

    def test_executions_are_limited_to_a_span_of_time(self):
        name = self.add()
        self.ask("task", "run", name, "--wait")
        found = lambda *words: len(json.loads(self.ask("--json", "executions", "--task", name, *words))["items"])
        self.assertEqual(found("--since", "1h"), 1)
        self.assertEqual(found("--since", "2999-01-01T00:00:00Z"), 0)
        self.assertEqual(found("--until", "1h"), 0)
        self.assertEqual(found("--late"), 0)
        self.assertEqual(json.loads(self.ask("--json", "executions", "--project", "other"))["items"], [])
        self.refused(["--since", "90m"], "executions", "--since", "yesterday", status=2)

    def follow(self, *words, server=None):
        """A process that follows executions, whose standard error goes to the path `said` of this test."""
        self.said = self.folder / f"{self.id().rsplit('.', 1)[1]}.said"
        with self.said.open("w") as said:
            follower = subprocess.Popen([self.baton, "--server", server or self.web, "executions", "--follow", *words],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, text=True,
                                        env=program_environment())
        self.addCleanup(follower.stdout.close)
        self.addCleanup(follower.wait)
        self.addCleanup(follower.kill)
        return follower

    def test_followed_executions_are_printed_as_they_happen(self):
        name = self.add()
        self.ask("task", "run", name, "--wait")
        follower = self.follow("--task", name)
        self.assertIn("succeeded", follower.stdout.readline())
        execution = json.loads(self.ask("--json", "task", "run", name))["execution"]
        line = follower.stdout.readline()
        while "succeeded" not in line:  # perhaps it was seen while it ran
            line = follower.stdout.readline()
        self.assertIn(f"  {execution}  {name}  succeeded  1/1", line)
        self.refused(["--planned"], "executions", "--follow", "--planned", status=2)

    def test_more_executions_than_the_limit_are_followed_across_a_time_without_answers(self):
        name = self.add()
        run = lambda: json.loads(self.ask("--json", "task", "run", name, "--wait"))["id"]
        run()
        failing = []
        refused = []

        def fault(method, target):
            if failing:
                refused.append(target)
                return failing[0]

        proxy = FaultyWeb(self.web, fault)
        self.addCleanup(proxy.close)
        follower = self.follow("--task", name, "--limit", "1", server=proxy.url)
        self.assertIn("succeeded", follower.stdout.readline())
        for status, reason in ((503, "chosen by the test"), (0, "does not answer")):
            failing.append(status)
            refused.clear()
            end = time.monotonic() + 30
            while len(refused) < 2:
                self.assertLess(time.monotonic(), end)
                self.assertIsNone(follower.poll())
                time.sleep(0.1)
            new = [run() for _ in range(4)]
            failing.clear()
            self.assertEqual([follower.stdout.readline().split()[2] for _ in new], new)
            lines = [line for line in self.said.read_text().splitlines() if "waiting until it answers" in line]
            self.assertEqual([reason in line for line in lines][-1:], [True], lines)
        self.assertEqual(len(lines), 2)
        dead = FaultyWeb(self.web, lambda method, target: 503)
        self.addCleanup(dead.close)
        self.refused(["chosen by the test"], "executions", "--follow", server=dead.url)


if __name__ == "__main__":
    unittest.main()
