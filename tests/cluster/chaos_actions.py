"""What people do to tasks while faults happen: edits, disable and enable, delete and create, pauses, runs by hand and by
force, cancels, reruns of failed executions, changes of a limit, skip-next, on tasks of a separate service. Drawn from the
seed of the run, sent to web, and judged by action_checker.py, which has the rules. Requests may fail; what was confirmed
counts.
"""

import http.client
import random
import threading
import time

import action_checker
import harness

SERVICE = "actions"
CLIENTS = 2
SLOTS = 32               # more than ever run at once, so that nothing waits in a client
MOST = 250               # actions in a run
WITHIN = 4               # seconds for a request
ENDS_WITHIN = 90         # seconds after the faults
PAUSE = f"/api/v1/services/default/{SERVICE}"
SHARDS = 3

# `acts`: the actions that this task is drawn for.
TASKS = {
    "toggled": dict(schedule={"kind": "fixed_rate", "every_ms": 500}, acts="toggle recreate describe reschedule skip run"),
    "busy": dict(schedule={"kind": "fixed_rate", "every_ms": 500}, handler="nap", payload={"ms": 600},
                 concurrency={"limit": 1, "queue": 10}, acts="toggle describe reschedule run force cancel limit limit"),
    "delay": dict(schedule={"kind": "fixed_delay", "every_ms": 800}, handler="nap", payload={"ms": 300},
                  acts="toggle toggle describe describe reschedule cancel"),
    "hourly": dict(schedule={"kind": "fixed_delay", "every_ms": 3_600_000}, handler="nap", payload={"ms": 1500},
                   acts="toggle describe"),
    "failing": dict(schedule={"kind": "fixed_rate", "every_ms": 1000}, handler="fail", payload={"times": 1},
                    routing="broadcast", route={"shards": SHARDS}, acts="rerun rerun rerun rerun describe toggle cancel"),
    "good": dict(schedule={"kind": "fixed_rate", "every_ms": 1000}, routing="broadcast", route={"shards": SHARDS},
                 acts="describe toggle"),
    "after failing": dict(schedule={"kind": "after", "task": "act failing"}, acts="describe describe"),
    "after good": dict(schedule={"kind": "after", "task": "act good"}, acts="describe describe"),
}
ACTS = [(act, name) for name, task in TASKS.items() for act in task["acts"].split()]
PAUSES = [("pause", "")] * 2
OPEN = "planned", "waiting", "running", "stopping", "retrying"



class Actions:
    def __init__(self, cluster, seed):
        self.cluster = cluster
        self.chance = random.Random(f"{seed}/actions")
        self.log = []  # of action_checker.Action
        self.refused = self.unknown = 0
        self.runs = []
        self.resume_at = None  # by the monotonic clock, while a pause may be in force
        self.enable_at = {}    # likewise, by the names of tasks that are disabled or deleted
        self.failures = []     # of the worker itself
        self.over = threading.Event()
        self.thread = None

    def register(self):
        for name in TASKS:
            self.create(name)

    def start(self):
        self.thread = threading.Thread(target=self.act_all, daemon=True)
        self.thread.start()

    # --- requests

    def send(self, what, method, path, body=None, task=None):
        """The answer, or None if the request was refused. What may have been done is in the log."""
        action = action_checker.Action(what, harness.utc_us(), task=task)
        try:
            action.answer = self.cluster.rest.call(method, path, body, within=WITHIN)[0]
        except harness.Refused as failure:
            if failure.status < 500:
                self.refused += 1
                return None
            self.unknown += 1
        except (OSError, http.client.HTTPException, ValueError):
            self.unknown += 1
        action.answered = harness.utc_us()
        self.log.append(action)
        return action.answer

    def tasks(self):
        """By their names in TASKS."""
        items = self.cluster.rest.call("GET", f"/api/v1/tasks?service={SERVICE}&limit=100", within=WITHIN)[0]["items"]
        return {item["name"].removeprefix("act "): item for item in items}

    def items(self, path):
        return self.cluster.rest.call("GET", path, within=WITHIN)[0]["items"]

    def create(self, name):
        definition = {key: value for key, value in TASKS[name].items() if key != "acts"}
        self.send("create", "POST", "/api/v1/tasks", {
            "name": f"act {name}", "service": SERVICE, "handler": "note", "max_deaths": 1000, **definition})

    # --- the worker

    def act_all(self):
        for _ in range(MOST):
            if self.over.wait(self.chance.uniform(0.03, 0.2)):
                return
            try:
                self.act()
            except (OSError, http.client.HTTPException, ValueError, harness.Refused):
                pass  # a list could not be read
            except Exception as failure:
                self.failures.append(f"actions could not be done: {failure!r}")
                return

    def act(self):
        if self.resume_at is not None and time.monotonic() >= self.resume_at:
            self.resume()
        what, name = self.chance.choice(ACTS + PAUSES)
        if what == "pause":
            return self.pause()
        back = [("bring_back", each) for each, at in self.enable_at.items() if time.monotonic() >= at]
        what, name = (*back, (what, name))[0]
        task = self.tasks().get(name)
        if task is None:
            self.enable_at.pop(name, None)
            return self.create(name)
        return getattr(self, what)(name, int(task["id"]), task)

    def bring_back(self, name, number, task):
        del self.enable_at[name]
        if not task["enabled"]:
            self.toggle(name, number, task)

    def pause(self):
        span = self.chance.uniform(0.5, 4)
        firings = self.chance.choice(["hold", "skip"])
        if self.resume_at is None:
            self.resume_at = time.monotonic() + span
            self.send("pause", "POST", f"{PAUSE}/pause", {"reason": "an action", "firings": firings})

    def resume(self):
        """Also after a pause of unknown outcome."""
        asked = len(self.log)
        answer = self.send("resume", "POST", f"{PAUSE}/resume", {})
        if answer is not None or len(self.log) == asked:  # or it was refused, since nothing is paused
            self.resume_at = None

    def edit(self, what, number, **change):
        self.send(what, "PATCH", f"/api/v1/tasks/{number}", change, number)

    def toggle(self, name, number, task):
        what = "disable" if task["enabled"] else "enable"
        if task["enabled"]:
            self.enable_at[name] = time.monotonic() + self.chance.uniform(0, 2)
        self.send(what, "POST", f"/api/v1/tasks/{number}/{what}", None, number)

    def recreate(self, name, number, _):
        self.send("delete", "DELETE", f"/api/v1/tasks/{number}", None, number)
        if self.chance.random() < 0.7:
            self.create(name)
        else:
            self.enable_at[name] = time.monotonic() + self.chance.uniform(0, 2)

    def describe(self, _, number, __):
        self.edit("describe", number, description=f"text {self.chance.randrange(10**6)}")

    def reschedule(self, _, number, task):
        schedule = {"kind": task["schedule"]["kind"], "every_ms": self.chance.choice([400, 500, 700, 900])}
        self.edit("reschedule", number, schedule=schedule)

    def limit(self, _, number, task):
        self.edit("limit", number, concurrency={**task["concurrency"], "limit": self.chance.choice([1, 2, 4])})

    def skip(self, _, number, __):
        self.send("skip", "POST", f"/api/v1/tasks/{number}/skip-next", {"count": self.chance.choice([1, 1, 2])}, number)

    def run(self, _, number, __, **more):
        answer = self.send("force" if more else "run", "POST", f"/api/v1/tasks/{number}/run", more, number)
        if answer:
            self.runs.append(answer["execution"])

    def force(self, name, number, task):
        self.run(name, number, task, force=True)

    def cancel(self, _, number, __):
        rows = [row["id"] for row in self.items(f"/api/v1/executions?task={number}&limit=20") if row["state"] in OPEN]
        if rows:
            self.send("cancel", "POST", f"/api/v1/executions/{self.chance.choice(rows)}/cancel", None, number)

    def rerun(self, _, number, __):
        """Most of what failed succeeds when it is run again: one shard, some, or all of a broadcast."""
        letters = [letter["execution"] for letter in self.items(f"/api/v1/dead-letters?task={number}&limit=20")]
        if letters:
            first = self.chance.randrange(len(letters))
            some = letters[first:first + self.chance.choice([1, 2, 3, 6, 20])]
            payload = {"times": self.chance.choice([0, 0, 0, 1])}
            self.send("rerun", "POST", "/api/v1/dead-letters/retry", {"executions": some, "payload": payload}, number)

    # --- the end

    def finish(self):
        """Ends the pause, disables the tasks but those after others, and waits for the ends. Returns what did not end."""
        self.over.set()
        if self.thread:
            self.thread.join(3 * WITHIN)
        harness.wait_for("the service of the actions is resumed", self.is_resumed, 60)
        harness.wait_for("the tasks of the actions are disabled", self.are_disabled, 60)
        last = self.query("SELECT MAX(valid_from) AS at FROM task_version", "task_id")[0]["at"]
        harness.wait_for("the last definition of them holds", lambda: harness.utc_us() > last, 10)
        try:
            harness.wait_for("every execution of the actions has ended and is followed", self.is_over, ENDS_WITHIN)
        except harness.TimedOut as late:
            return [str(late)]
        return []

    def is_resumed(self):
        self.resume()
        return self.resume_at is None and not self.query_pauses()

    def query_pauses(self):
        return self.cluster.store.query(f"SELECT id FROM pause WHERE service = '{SERVICE}' AND ended_at = 0")

    def are_disabled(self):
        going = [task for task in self.tasks().values() if task["enabled"] and task["schedule"]["kind"] != "after"]
        for task in going:
            self.toggle(task["name"], int(task["id"]), task)
        return not going

    def is_over(self):
        opened = self.query("SELECT COUNT(*) AS many FROM execution WHERE due_at IS NOT NULL", "task_id")[0]["many"]
        return not opened and not list(action_checker.child(action_checker.History(self.ledger(), [], {}, 0)))

    def numbers(self):
        """Of all tasks that the actions have ever had."""
        return {row["task_id"] for row in self.cluster.store.query(
            f"SELECT DISTINCT task_id FROM task_version WHERE definition LIKE '%\"service\":\"{SERVICE}\"%'")}

    def query(self, select, column):
        among = ", ".join(map(str, self.numbers()))
        return self.cluster.store.query(f"{select} {'AND' if 'WHERE' in select else 'WHERE'} {column} IN ({among})")

    def ledger(self):
        ledger = self.cluster.ledger().of(self.numbers())
        ledger.skipped = self.query("SELECT task_id, first_at, last_at FROM skipped_range", "task_id")
        return ledger

    def problems(self, journal, deaths, drawn):
        """What is wrong, in words. `drawn`: the faults of the run."""
        offset = harness.boot_to_utc()
        done = [fault for fault in drawn if fault.began]
        history = action_checker.History(
            self.ledger(), journal, deaths, offset, self.log,
            faults=[(fault.began // 1000 + offset, fault.ended // 1000 + offset) for fault in done],
            terms=self.cluster.store.query("SELECT COUNT(*) AS many FROM term")[0]["many"],
            steady=not any(fault.needs_clock == "database" for fault in drawn),
            slow=any(getattr(fault, "gradual", False) for fault in drawn))
        return self.failures + [f"actions: {problem}" for problem in action_checker.check(history)]

    def summary(self):
        confirmed = sum(action.answer is not None for action in self.log)
        return f"{confirmed} actions confirmed, {self.refused} refused, {self.unknown} of unknown outcome"
