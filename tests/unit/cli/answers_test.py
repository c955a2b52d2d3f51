"""The answers of the command line, against `baton dev`: answers_test.py BATON."""

import datetime
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from dev_site import DevSite  # noqa: E402
from processes import program_environment  # noqa: E402

DevSite.baton = BATON = sys.argv.pop(1)


class Answers(DevSite):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in ("first", "2", "second"):
            status, _, said = cls.run_baton("task", "add", name, "--service", "agent", "--handler", "echo")
            assert status == 0, said
        cls.run_baton("task", "run", "first", "--wait")

    def test_a_fresh_start_warns_of_nothing_and_keeps_its_data_here(self):
        text = self.log.read_text()
        self.assertEqual(re.findall("^[^ ]+ [WE] .*", text, re.M), [], text)
        self.assertTrue((self.folder / "baton-data" / "baton.db").exists())

    def test_a_service_is_named_alone_or_with_its_project(self):
        for service in ("agent", "default/agent"):
            with self.subTest(service=service):
                self.ask("services", "pause", service, "--reason", "deployment")
                self.ask("services", "resume", service)
                self.assertIn("agent", self.ask("services", "show", service))
                self.ask("services", "set", service, "--rate", "100/1s")
                self.assertIn("100/1s", self.ask("services", "settings", service))
                self.ask("services", "set", service, "--rate", "none")
                self.ask("services", "apply-defaults", service, "--dry-run")
                self.assertIn("first", self.ask("task", "list", "--service", service))
        self.refused(["'shop/agent' is of the project 'shop'", "leave one of them out"], "services", "show", "shop/agent",
                     "--project", "default", status=2)
        self.refused(["project/name, such as shop/billing, not 'a/b/c'"], "services", "show", "a/b/c", status=2)

    def test_the_handlers_of_a_service_are_shown_with_what_its_clients_announce(self):
        self.assertRegex(self.ask("services", "handlers", "agent"), "echo +1 +yes +Returns its payload")
        shown = self.ask("services", "handlers", "default/agent", "echo")
        self.assertIn("description: Returns its payload", shown)
        self.assertIn('"description": "any text"', shown)
        items = json.loads(self.ask("--json", "services", "handlers", "agent"))["items"]
        self.assertEqual([(each["handler"], each["schemas"]) for each in items], [("echo", 1)])
        self.assertEqual(json.loads(self.ask("--json", "services", "handlers", "agent", "echo")), items[0])
        self.refused(["no client of the service has the handler 'nix'"], "services", "handlers", "agent", "nix")

    def test_a_service_or_project_that_nobody_names_is_refused_with_its_name(self):
        for command in ("settings", "show"):
            said = self.refused(["no task and no client names the service 'nix' of the project 'shop'"], "services", command,
                                "shop/nix")
            self.assertNotIn("service:", said)
            self.refused(["no task and no client belongs to the project 'nix'"], "projects", command, "nix")

    def test_a_new_task_names_its_service_alone_or_with_its_project(self):
        self.ask("task", "add", "bill", "--service", "shop/billing", "--handler", "bill", "--allow-unserved")
        self.assertIn("bill", self.ask("task", "list", "--service", "shop/billing"))
        self.assertEqual(json.loads(self.ask("--json", "task", "show", "bill", "--project", "shop"))["service"], "billing")
        self.refused(["leave one of them out"], "task", "add", "other", "--project", "store", "--service", "shop/billing",
                     "--handler", "bill", status=2)

    def test_refusals_name_the_option_that_is_wrong(self):
        self.refused(["--weekly: 'funday' is no day"], "calendars", "set", "x", "--weekly", "funday", status=2)
        self.refused(["nothing to change: give --concurrency"], "services", "set", "agent", status=2)
        said = self.refused(["defaults.max_attempts must be a whole number"], "services", "set", "agent", "--default",
                            "max_attempts=none")
        self.assertNotIn("defaults:", said)

    def test_a_calendar_is_left_without_days_only_on_purpose(self):
        self.ask("calendars", "set", "closed", "--date", "2026-12-24")
        self.refused(["'closed' would have no day", "--date", "--empty"], "calendars", "set", "closed", status=2)
        self.assertIn("2026-12-24", self.ask("calendars", "show", "closed"))
        self.ask("calendars", "set", "closed", "--empty")
        self.assertNotIn("2026-12-24", self.ask("calendars", "show", "closed"))
        versions = self.ask("calendars", "versions", "closed")
        self.assertIn("version 2, saved ", versions)
        self.assertIn("2026-12-24", versions.split("version 1, saved ")[1])
        self.refused(["--weekly excludes --empty"], "calendars", "set", "closed", "--empty", "--weekly", "sat", status=2)

    def test_a_rate_is_refused_with_the_form_that_is_right(self):
        for rate in ("1/", "/1s", "1", "x/1s", "0/1s", "99999999/1s"):
            self.refused(["--rate", "such as 100/1m"], "services", "set", "agent", "--rate", rate, status=2)

    def test_json_is_what_rest_answers(self):
        for words, path in ((("task", "list"), "tasks"), (("executions",), "executions"), (("nodes", "--terms"), "terms"),
                            (("clients",), "clients")):
            with self.subTest(path=path):
                with urllib.request.urlopen(f"{self.web}/api/v1/{path}") as answer:
                    rest = json.load(answer)
                shown = json.loads(self.ask("--json", *words))
                self.assertEqual(set(shown), set(rest))
                self.assertEqual(len(shown["items"]), len(rest["items"]))
        cut = json.loads(self.ask("--json", "task", "list", "--limit", "1"))
        self.assertEqual(len(cut["items"]), 1)
        self.assertIsInstance(cut["next"], str)

    def test_the_next_of_a_cut_list_is_the_place_after_its_last_item(self):
        for number in range(520):
            document = {"name": f"many-{number}", "service": "agent", "handler": "echo", "schedule": {"kind": "api"}}
            request = urllib.request.Request(f"{self.web}/api/v1/tasks", json.dumps(document).encode(),
                                             {"Content-Type": "application/json"})
            urllib.request.urlopen(request).close()
        everything = json.loads(self.ask("--json", "task", "list"))["items"]
        cut = json.loads(self.ask("--json", "task", "list", "--limit", "510"))
        self.assertEqual(cut["items"], everything[:510])
        with urllib.request.urlopen(f"{self.web}/api/v1/tasks?after={cut['next']}") as answer:
            self.assertEqual(json.load(answer)["items"], everything[510:])

    def test_a_name_wins_over_an_id(self):
        ids = {task["name"]: task["id"] for task in json.loads(self.ask("--json", "task", "list"))["items"]}
        shown = lambda text: json.loads(self.ask("--json", "task", "show", text))["name"]
        self.assertEqual(shown("2"), "2")
        self.assertEqual(shown("name:2"), "2")
        for name, number in ids.items():
            self.assertEqual(shown(f"id:{number}"), name)
        self.assertEqual(shown(ids["first"]), "first")
        self.refused(["no task '77'"], "task", "show", "name:77")

    def test_times_are_local_with_the_zone_named_or_in_utc(self):
        at = {}
        for zone, words in (("Asia/Tokyo", ()), ("UTC", ("--utc",))):
            done = subprocess.run([BATON, "--server", self.web, "clients", *words], stdout=subprocess.PIPE, text=True,
                                  timeout=60, env=program_environment({"TZ": "Asia/Tokyo"}))
            title, row = done.stdout.splitlines()[:2]
            self.assertIn(f"JOINED ({zone})", title)
            at[zone] = datetime.datetime.fromisoformat(row[-23:].strip())
        self.assertEqual(at["Asia/Tokyo"] - at["UTC"], datetime.timedelta(hours=9))

    def test_the_next_firings_are_local_with_the_schedules_own_zone_beside(self):
        self.ask("task", "add", "zoned", "--service", "agent", "--handler", "echo", "--cron", "30 2 * * *", "--zone",
                 "Asia/Tokyo", "--disabled")
        for words in (("task", "show", "zoned", "--firings", 3), ("cron", "explain", "30 2 * * *", "--zone", "Asia/Tokyo")):
            for more, zone, clock in (((), "Asia/Kolkata", "23:00:00.000"), (("--utc",), "UTC", "17:30:00.000")):
                with self.subTest(words=words, zone=zone):
                    out = self.ask(*words, *more, variables={"TZ": "Asia/Kolkata"})
                    lines = [line for line in out.splitlines() if line.startswith("next: ")]
                    self.assertEqual(len(lines), 3 if "show" in words else 5, out)
                    for line in lines:
                        self.assertRegex(line, rf"^next: \S+ {clock} {zone}, \S+ 02:30:00 in Asia/Tokyo$")
        same = self.ask("cron", "explain", "30 2 * * *", "--zone", "Asia/Tokyo", variables={"TZ": "Asia/Tokyo"})
        self.assertIn("02:30:00.000 Asia/Tokyo\n", same)

    def test_a_time_that_the_clock_skips_is_told_when_it_is_explained_added_or_edited(self):
        explained = self.ask("cron", "explain", "30 2 * * *", "--zone", "Europe/Berlin")
        self.assertRegex(explained, "note: on .* the clock of Europe/Berlin skips 02:30: fires once, at 03:00\n")
        self.assertNotIn("note:", self.ask("cron", "explain", "0,30 2 * * *"))
        added = self.ask("task", "add", "skipped", "--service", "agent", "--handler", "echo", "--cron", "0 30 2 * * ?",
                         "--dialect", "quartz", "--gap", "shift", "--zone", "Europe/Berlin", "--disabled")
        self.assertRegex(added, "note: on .* skips 02:30: fires at 03:30\n")
        self.assertIn("shows 02:30 twice: fires the second time only", added)
        self.assertIn("skips 02:30: no firing", self.ask("task", "edit", "skipped", "--set", "schedule.gap=skip"))

    def test_a_window_and_a_calendar_interval_take_the_policies_for_changes_of_the_clock(self):
        window = self.ask("schedule", "preview", "--every", "30m", "--from", "02:00", "--to", "02:30", "--zone", "Europe/Berlin",
                          "--gap", "shift", "--overlap", "second")
        self.assertRegex(window, "note: on .* skips 02:00 and 02:30: fires 60 minutes later, from 03:00 on\n")
        self.assertIn("shows 02:00 and 02:30 twice: fires the second time only", window)
        daily = self.ask("schedule", "preview", "--calendar", "1 day", "--time", "02:30", "--zone", "Europe/Berlin", "--gap", "skip")
        self.assertRegex(daily, "note: on .* skips 02:30: no firing\n")
        self.refused(["--gap", "needs --cron, --from or --calendar"], "schedule", "preview", "--every", "1h", "--gap", "skip",
                     status=2)

    def test_a_schedule_of_any_kind_is_previewed_with_what_clocks_and_calendars_do(self):
        self.ask("calendars", "set", "weekend", "--zone", "Europe/Berlin", "--weekly", "sat,sun")
        out = self.ask("schedule", "preview", "--every", "15m", "--from", "09:00", "--to", "17:30", "--zone", "Europe/Berlin",
                       "--exclude", "weekend", "--start-at", "2031-03-01T00:00:00Z", "--count", 2, "--utc")
        self.assertIn("next: 2031-03-03 08:00:00.000 UTC, 2031-03-03 09:00:00 in Europe/Berlin "
                      "(70 times before it are left out by weekend)\n", out)
        self.assertEqual(out.count("next: "), 2, out)
        twice = self.ask("schedule", "preview", "--cron", "30 2 * * *", "--zone", "Europe/Berlin", "--overlap", "both",
                         "--start-at", "2031-10-25T12:00:00Z", "--count", 2, "--utc")
        self.assertIn("(the clock shows this time twice: the first)\n", twice)
        self.assertIn("(the clock shows this time twice: the second)\n", twice)
        self.assertIn("these are all of its firings\n", self.ask("schedule", "preview", "--in", "2h"))
        self.assertIn("it has no planned times: each run is due", self.ask("schedule", "preview", "--delay", "30s"))
        self.refused(["schedule.cron: day of month (column 5)", "it never fires"], "schedule", "preview", "--cron", "0 0 30 2 *")

    def test_a_preview_for_a_task_is_what_it_has_once_it_is_edited(self):
        self.ask("task", "add", "hourly", "--service", "agent", "--handler", "echo", "--every", "1h", "--jitter", "5m")
        firings = [line for line in self.ask("task", "show", "hourly", "--firings", 3).splitlines() if line.startswith("next: ")]
        seen = self.ask("schedule", "preview", "--task", "hourly", "--every", "1h", "--jitter", "5m", "--count", 3)
        for firing in firings:
            self.assertIn(firing + ", due ", seen)

    def test_a_hashed_value_is_the_same_in_the_explanation_and_in_the_task(self):
        self.ask("task", "add", "hashed", "--service", "agent", "--handler", "echo", "--cron", "H H * * *", "--disabled")
        of_name = self.ask("cron", "explain", "H H * * *", "--name", "hashed")
        schedule = json.loads(self.ask("--json", "task", "show", "hashed"))["schedule"]
        self.assertEqual(self.ask("cron", "explain", "H H * * *", "--hash-seed", schedule["hash_seed"]), of_name)
        self.ask("task", "edit", "hashed", "--set", "name=renamed", "--set", "schedule.cron=H 2 * * *")
        renamed = json.loads(self.ask("--json", "task", "show", "renamed"))["schedule"]
        self.assertEqual(renamed["hash_seed"], schedule["hash_seed"])

    def test_tasks_are_listed_by_each_filter_of_rest(self):
        self.ask("task", "add", "off", "--service", "agent", "--handler", "echo", "--every", "1h", "--disabled")
        names = lambda *words: [task["name"] for task in json.loads(self.ask("--json", "task", "list", *words))["items"]]
        self.assertIn("off", names("--kind", "fixed_rate"))
        self.assertNotIn("off", names("--kind", "cron"))
        self.assertIn("off", names("--disabled"))
        self.assertNotIn("off", names("--enabled"))
        self.assertEqual(names("--handler", "none"), [])

    def test_a_run_that_waits_says_why_and_the_deletion_of_its_task_says_that_it_is_still_running(self):
        self.ask("task", "add", "unserved", "--service", "agent", "--handler", "nothing", "--allow-unserved")
        run = subprocess.Popen([BATON, "--server", self.web, "task", "run", "unserved", "--wait", "--allow-unserved"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=program_environment())
        self.addCleanup(run.wait, 60)
        told = run.stderr.readline()
        self.assertIn("no client of agent serves handler nothing", told)
        execution = told.split()[1].rstrip(":")
        self.assertIn("it is still running: 1 execution has not ended", self.ask("task", "delete", "unserved"))
        shown = json.loads(self.ask("--json", "executions", "show", execution))
        self.assertEqual((shown["task_name"], shown["reason"]), ("unserved", "no client of agent serves handler nothing"))
        self.ask("executions", "cancel", execution)
        out, _ = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(out, f"execution {execution}: cancelled: cancelled on request\n")

    def test_an_interrupted_wait_says_that_the_execution_goes_on(self):
        self.ask("task", "add", "endless", "--service", "agent", "--handler", "nothing", "--allow-unserved")
        run = subprocess.Popen([BATON, "--server", self.web, "task", "run", "endless", "--wait", "--allow-unserved"],
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               env=program_environment(), preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        self.addCleanup(run.kill)
        execution = run.stderr.readline().split()[1].rstrip(":")
        run.send_signal(signal.SIGINT)
        out, said = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 130)
        self.assertEqual(said, f"execution {execution}: still running; baton executions cancel {execution} ends it\n")
        self.ask("executions", "cancel", execution)
        self.assertIn("130", self.ask("task", "run", "--help"))

    def test_what_is_only_planned_is_listed_apart(self):
        self.ask("task", "add", "soon", "--service", "agent", "--handler", "echo", "--every", "1s")
        self.addCleanup(self.ask, "task", "delete", "soon")
        end = time.monotonic() + 30
        while "succeeded" not in self.ask("executions", "--task", "soon"):
            self.assertLess(time.monotonic(), end)
            time.sleep(0.1)
        now = datetime.datetime.now(datetime.timezone.utc)
        due = json.loads(self.ask("--json", "executions"))["items"]
        planned = json.loads(self.ask("--json", "executions", "--planned"))["items"]
        at = lambda each: datetime.datetime.fromisoformat(each["scheduled_at"])
        self.assertTrue(all(at(each) < now + datetime.timedelta(seconds=5) for each in due), due)
        self.assertTrue(planned)
        self.assertTrue(all(at(each) > now for each in planned), planned)
        self.assertEqual(planned, sorted(planned, key=at))

    def test_an_empty_list_of_planned_executions_says_where_the_next_firings_are(self):
        self.ask("task", "add", "late", "--service", "agent", "--handler", "echo", "--every", "1h")
        self.addCleanup(self.ask, "task", "delete", "late")
        out = self.ask("executions", "--planned", "--task", "late")
        self.assertIn("firings are planned 5 s ahead; `baton task show late` lists the next firings, and `baton upcoming` those of all tasks", out)
        self.assertNotIn("planned", self.ask("executions", "--task", "late"))
        self.assertIn("planned 5 s ahead", " ".join(self.ask("executions", "--help").split()))

    def test_enable_disable_and_delete_name_the_task(self):
        self.ask("task", "add", "switched", "--service", "agent", "--handler", "echo")
        number = json.loads(self.ask("--json", "task", "show", "switched"))["id"]
        for word in ("disable", "enable", "delete"):
            self.assertIn(f"task {number} switched: {word}d, in force from", self.ask("task", word, f"id:{number}"))

    def test_a_trigger_says_that_it_is_one(self):
        self.refused(["is a trigger node", "`baton web`", "7801"], "task", "list", server=self.trigger)

    def test_the_command_line_uses_its_own_words(self):
        said = self.refused(["--allow-unserved"], "task", "add", "x", "--service", "nobody", "--handler", "h")
        self.assertNotIn("query", said)
        self.refused(["'foo'", "planned", "succeeded", "timed_out"], "executions", "--state", "foo", status=2)
        self.refused(["'foo'", "planned"], "executions", "--state", "failed,foo", status=2)
        self.ask("executions", "--state", "failed,cancelled")
        self.refused(["round_robin", "broadcast"], "task", "add", "x", "--service", "s", "--handler", "h", "--routing", "foo",
                     status=2)
        self.refused(["--zone", "--cron"], "task", "add", "x", "--service", "s", "--handler", "h", "--zone", "Asia/Tokyo",
                     status=2)

    def test_a_check_tells_all_problems_at_once(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder) / "config.json"
            for program, wrong in (("trigger", {"database": {"sessions": 0}, "drain": 3}), ("web", {"database": {}, "port": 1}),
                                   ("agent", {"servce": "x", "slots": -1}), ("dev", {"data": "", "web": {"port": "x"}})):
                with self.subTest(program=program):
                    config.write_text(json.dumps(wrong))
                    status, _, said = self.run_baton(program, "--config", config, "--check")
                    self.assertEqual(status, 1, said)
                    lines = said.splitlines()
                    self.assertGreaterEqual(len(lines), 2, said)
                    for line in lines:
                        self.assertTrue(line.startswith(f"baton: {config}: "), said)

    def test_a_check_says_what_it_checked(self):
        for program in ("trigger", "web"):
            with self.subTest(program=program), tempfile.TemporaryDirectory() as folder:
                config = pathlib.Path(folder) / "config.json"
                database = pathlib.Path(folder) / "none" / "baton.db"
                config.write_text(json.dumps({"database": {"url": f"sqlite:{database}"}}))
                status, out, said = self.run_baton(program, "--config", config, "--check")
                self.assertEqual(status, 0, said)
                self.assertIn(f"ok: {config}", out)
                self.assertIn("was not tried", out)
                status, out, said = self.run_baton(program, "--config", config, "--check-database")
                self.assertEqual(status, 0, said)
                self.assertIn("is not there yet", out)
                self.assertFalse(database.parent.exists())
                config.write_text(json.dumps({"database": {"url": f"sqlite:{self.folder}/baton-data/baton.db"}}))
                status, out, said = self.run_baton(program, "--config", config, "--check-database")
                self.assertEqual(status, 0, said)
                self.assertIn("has this program's version", out)
                config.write_text(json.dumps({"database": {"url": "mysql://baton@127.0.0.1:1/baton"}}))
                self.assertEqual(self.run_baton(program, "--config", config, "--check-database")[0], 1)

    def test_a_check_and_the_log_of_a_start_name_the_variables_that_override_the_file(self):
        token = self.folder / "other-token"
        token.write_text("token-of-the-variable\n")
        os.chmod(token, 0o600)
        told = "configuration: taken from the environment: BATON_TOKEN_FILE, BATON_LOG_LEVEL"
        variables = {"BATON_TOKEN_FILE": str(token), "BATON_LOG_LEVEL": "info", "BATON_SERVER": self.web}
        for program in ("trigger", "web", "agent"):
            with self.subTest(program=program), tempfile.TemporaryDirectory() as folder:
                config = pathlib.Path(folder) / "config.json"
                config.write_text(json.dumps({"service": "s", "triggers": ["http://127.0.0.1:1"], "handlers": {"h": {"argv": ["/bin/cat"]}}}
                                             if program == "agent" else {"database": {"url": f"sqlite:{folder}/data/baton.db"},
                                                                         "listen": {"port": 0}}))
                status, out, said = self.run_baton(program, "--config", config, "--check", variables=variables)
                self.assertEqual(status, 0, said)
                self.assertEqual(out.splitlines()[-1], told)
                self.assertNotIn("token-of-the-variable", out)
                self.assertNotIn("taken from", self.run_baton(program, "--config", config, "--check")[1])
                started = subprocess.Popen([BATON, program, "--config", str(config)], stdin=subprocess.DEVNULL,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                           env=program_environment(variables))
                try:
                    lines = [started.stderr.readline() for _ in range(3)]
                finally:  # before its folder goes
                    started.kill()
                    started.wait(60)
                    started.stderr.close()
                self.assertTrue(any(told in line for line in lines), lines)

    def test_the_check_of_dev_says_what_it_checked_and_makes_no_folder(self):
        config = self.folder / "dev.json"
        data = self.folder / "not-made"
        config.write_text(json.dumps({"data": str(data)}))
        status, out, said = self.run_baton("dev", "--config", config, "--check")
        self.assertEqual(status, 0, said)
        self.assertIn(f"ok: {config}", out)
        self.assertIn("web at port 7801", out)
        self.assertIn(f"data in {data}, 1 handlers", out)
        self.assertFalse(data.exists())
        config.write_text(json.dumps({"dta": str(data)}))
        self.assertEqual(self.run_baton("dev", "--config", config, "--check")[0], 1)

    def test_the_check_of_an_agent_counts_its_handlers(self):
        config = self.folder / "agent.json"
        config.write_text(json.dumps({"service": "s", "triggers": [self.trigger], "handlers": {"h": {"argv": ["/bin/cat"]}}}))
        status, out, said = self.run_baton("agent", "--config", config, "--check")
        self.assertEqual(status, 0, said)
        self.assertIn("ok:", out)
        self.assertIn("1 handlers", out)

    def test_the_history_and_executions_of_a_deleted_task_are_found_by_its_name(self):
        made = []
        for _ in range(2):
            made.append(json.loads(self.ask("--json", "task", "add", "passing", "--service", "agent", "--handler", "echo"))["id"])
            self.ask("task", "run", "passing", "--wait")
            self.ask("task", "delete", "passing")
        for words in (("task", "history", "passing"), ("executions", "--task", "passing")):
            with self.subTest(words=words):
                status, out, said = self.run_baton("--json", *words)
                self.assertEqual(status, 0, said)
                self.assertIn(f"is deleted; this is the newest deleted one of this name, id:{made[1]}", said)
                self.assertEqual(out, self.ask("--json", *words[:-1], f"id:{made[1]}"))
                self.assertTrue(json.loads(out)["items"])
                self.assertIn("none of this name was deleted", self.run_baton(*words[:-1], "never")[2])
        live = json.loads(self.ask("--json", "task", "add", "passing", "--service", "agent", "--handler", "echo"))["id"]
        status, out, said = self.run_baton("--json", "task", "history", "passing")
        self.assertEqual((said, out), ("", self.ask("--json", "task", "history", f"id:{live}")))

    def test_the_check_of_an_agent_refuses_commands_that_cannot_start(self):
        config = self.folder / "broken-agent.json"
        config.write_text(json.dumps({"service": "s", "triggers": [self.trigger], "handlers": {
            "a": {"argv": ["/none/such"]}, "b": {"argv": ["/bin/cat"], "cwd": "/none/folder", "user": "no-such-user"}}}))
        status, out, said = self.run_baton("agent", "--config", config, "--check")
        self.assertEqual(status, 1, said)
        self.assertNotIn("ok:", out)
        self.assertEqual([line.split(": ")[1:3] for line in said.splitlines()],
                         [["handlers.a.argv", "'/none/such' does not exist"],
                          ["handlers.b.user", "user 'no-such-user' does not exist"],
                          ["handlers.b.cwd", "'/none/folder' does not exist"]])

    def test_the_help_of_each_command_ends_with_an_example(self):
        groups = {"": ["dev", "trigger", "web", "agent", "migrate", "task", "executions", "nodes", "terms", "overview", "clients", "cron", "version"],
                  "task": ["list", "add", "show", "run", "edit", "history", "enable", "disable", "delete", "import"],
                  "executions": ["list", "show", "cancel"], "clients": ["drain", "resume"], "cron": ["explain"]}
        for group, commands in groups.items():
            for command in commands:
                with self.subTest(command=f"{group} {command}"):
                    out = self.ask(*group.split(), command, "--help")
                    self.assertTrue(out.rstrip().splitlines()[-1].startswith("Example: baton "), out)
        self.assertIn("Exit status: 0 done; 1 refused or failed; 2 wrong usage", self.ask("--help"))


if __name__ == "__main__":
    unittest.main()
