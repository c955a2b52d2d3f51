"""The judge of actions must not be lenient: a right history passes, and one fault of each rule is found."""

import unittest

import action_checker
import checker
from action_checker import Action, SECOND

START = 1_800_000_000 * SECOND
OFFSET = START  # boot times begin here
TASK, PARENT, CHILD = 7, 8, 9
QUIET_FAULT = [(START, START + SECOND)]


def version(number, at, action="edited", task=TASK, enabled=True, schedule=None, **more):
    schedule = schedule or {"kind": "api"}
    definition = {"name": f"act {task}", "schedule": schedule, "enabled": enabled, **more}
    return {"task_id": task, "version": number, "action": action, "valid_from": START + round(at * SECOND),
            "created_at": START + round(at * SECOND) - SECOND, "definition": definition}


def row(number, at, task=TASK, **changes):
    """A run by hand, requested `at` seconds after the start, which has succeeded."""
    made = {"id": number, "task_id": task, "task_version": 1, "scheduled_at": START + round(at * SECOND), "run_key": number,
            "cause": "manual", "state": "succeeded", "due_at": None, "ended_at": 1, "reason": None, "error": None,
            "outcome": "succeeded", "client": "a", "parent_id": None, "rerun_of": None, "shard_total": 1, "attempt": 1,
            "created_at": START + round(at * SECOND)}
    made.update(changes)
    return made


def firing(number, at, task=TASK, **changes):
    return row(number, at, task, **{"run_key": 0, "cause": "schedule", **changes})


def ran(number, due, begin, end, pid=1, attempt=1, outcome="succeeded"):
    """The lines of a handler from `begin` to `end`, of an execution that was due at `due`."""
    due = START + round(due * SECOND)
    return [checker.Line(what, round(at * SECOND), pid, "a", number, attempt, due, "0/1", said, "act")
            for what, at, said in (("start", begin, "-"), ("end", end, outcome))]


def history(versions, rows, lines=(), deaths=(), **more):
    ledger = checker.Ledger(list(versions), list(rows), [])
    return action_checker.History(ledger, list(lines), dict(deaths), OFFSET, **more)


class Judging(unittest.TestCase):
    def problems(self, rule, *parts, **more):
        return list(getattr(action_checker, rule)(history(*parts, **more)))

    def expect(self, words, rule, *parts, **more):
        found = self.problems(rule, *parts, **more)
        self.assertTrue(any(words in problem for problem in found), found)

    def expect_none(self, rule, *parts, **more):
        self.assertEqual(self.problems(rule, *parts, **more), [])

    def test_a_right_history_passes(self):
        rate = {"kind": "fixed_rate", "every_ms": 1000}
        versions = [version(1, 0, "created", schedule=rate), version(2, 3, "disabled", enabled=False, schedule=rate)]
        for each in versions:
            each["created_at"] = START
        rows = [firing(100 + at, at) for at in range(3)]
        lines = [line for at in range(3) for line in ran(100 + at, at, at + 0.1, at + 0.2)]
        self.assertEqual(action_checker.check(history(versions, rows, lines)), [])
        self.assertTrue(action_checker.check(history(versions, rows[1:], lines[2:])))  # a firing without a row
        rows[0].update(state="running", ended_at=None)
        self.assertTrue(any("unended" in words for words in action_checker.check(history(versions, rows, lines))))

    def test_what_was_confirmed_is_in_the_ledger(self):
        edit = Action("describe", START, START + 1, {"id": str(TASK), "version": 2, "schedule": {}}, TASK)
        self.expect("is not in the ledger", "kept", [version(1, 0)], [], actions=[edit])
        self.expect_none("kept", [version(1, 0), version(2, 1)], [], actions=[edit])
        run = Action("run", START, START + 1, {"execution": "5"}, TASK)
        self.expect("execution 5", "kept", [version(1, 0)], [], actions=[run])
        self.expect_none("kept", [version(1, 0)], [row(5, 1)], actions=[run])
        self.expect("deletion", "kept", [version(1, 0)], [], actions=[Action("delete", START, START + 1, {}, TASK)])
        self.expect_none("kept", [version(1, 0)], [], actions=[Action("delete", START, START + 1, None, TASK)])

    def test_a_firing_that_is_due_while_its_task_is_disabled_does_not_begin(self):
        versions = [version(1, 0), version(2, 3, "disabled", enabled=False), version(3, 6, "enabled")]
        faults = [(START, START + 90 * SECOND)]
        self.expect("due at", "stopped", versions, [firing(1, 4)], ran(1, 4, 4.1, 4.2), faults=faults)
        self.expect_none("stopped", versions, [firing(1, 6, task_version=3)], ran(1, 6, 6.1, 6.2))
        self.expect_none("stopped", versions, [row(1, 4, task_version=2)], ran(1, 4, 4.1, 4.2))  # by hand
        broadcast, shard = firing(1, 4), row(2, 4, cause="shard", parent_id=1)
        self.expect("execution 2", "stopped", versions, [broadcast, shard], ran(2, 4, 4.1, 4.2))

    def test_what_waits_when_its_task_is_deleted_does_not_begin_later(self):
        versions = [version(1, 0, concurrency={"limit": 1}), version(2, 10, "deleted", concurrency={"limit": 1})]
        rows = [row(1, 9), row(2, 9)]
        self.expect_none("stopped", versions, rows[:1], ran(1, 9, 12.5, 13), faults=QUIET_FAULT)
        self.expect("execution 1", "stopped", versions, rows[:1], ran(1, 9, 13.5, 14), faults=QUIET_FAULT)
        beside = {"faults": [(START + 9 * SECOND, START + 12 * SECOND)]}
        self.expect_none("stopped", versions, rows[:1], ran(1, 9, 13.5, 14), **beside)
        self.expect("sends 1 at a time", "stopped", versions, rows, ran(1, 9, 13.5, 14) + ran(2, 9, 14, 15), **beside)

    def test_what_was_never_sent_has_not_begun(self):
        skipped, cancelled = row(1, 1, state="skipped"), row(2, 1, state="cancelled", reason="task disabled")
        self.expect("execution 1", "unsent", [version(1, 0)], [skipped], ran(1, 1, 1, 2))
        self.expect("execution 2", "unsent", [version(1, 0)], [cancelled], ran(2, 1, 1, 2))
        self.expect_none("unsent", [version(1, 0)], [row(3, 1, state="cancelled", reason="by a person")], ran(3, 1, 1, 2))
        died = {"deaths": {1: 3 * SECOND}}
        self.expect_none("unsent", [version(1, 0)], [cancelled], ran(2, 1, 1, 2)[:1], terms=2, **died)
        self.expect("execution 2", "unsent", [version(1, 0)], [cancelled], ran(2, 1, 1, 2)[:1], terms=1, **died)
        self.expect("execution 2", "unsent", [version(1, 0)], [cancelled], ran(2, 1, 1, 2), terms=2, **died)
        skip = Action("skip", START, START + 1, {"skipped": ["2027-01-15T08:00:05Z"]}, TASK)
        self.expect("was to be skipped", "unsent", [version(1, 0)], [firing(4, 5)], ran(4, 5, 5, 6), actions=[skip])
        self.expect_none("unsent", [version(1, 0)], [firing(4, 6)], ran(4, 6, 6, 7), actions=[skip])

    def test_what_falls_due_in_a_pause_begins_after_it(self):
        actions = [Action("pause", START, START + SECOND, {}), Action("resume", START + 8 * SECOND, START + 9 * SECOND)]
        one = [version(1, 0)]
        self.expect("is paused", "paused", one, [row(1, 3)], ran(1, 3, 4, 5), actions=actions)
        self.expect_none("paused", one, [row(1, 2)], ran(1, 2, 4, 5), actions=actions)  # it was out
        self.expect_none("paused", one, [row(1, 3)], ran(1, 3, 8.1, 9), actions=actions)
        self.expect_none("paused", one, [row(1, 3, cause="forced")], ran(1, 3, 4, 5), actions=actions)
        late = Action("resume", START - SECOND, START)  # it may arrive in the pause
        self.expect_none("paused", one, [row(1, 3)], ran(1, 3, 4, 5), actions=[late, *actions])
        actions[0].answer = None
        self.expect_none("paused", one, [row(1, 3)], ran(1, 3, 4, 5), actions=actions)

    def test_a_fixed_delay_overlaps_nothing_and_keeps_its_pause(self):
        versions = [version(1, 0, schedule={"kind": "fixed_delay", "every_ms": 2000}),
                    version(2, 5, schedule={"kind": "fixed_delay", "every_ms": 1000})]
        rows = [firing(1, 1), firing(2, 4)]
        self.expect_none("delay", versions, rows, ran(1, 1, 1, 3) + ran(2, 4, 4, 5))
        self.expect("3000000", "delay", versions, rows, ran(1, 1, 1, 3) + ran(2, 4, 2.9, 5))
        self.expect("700 ms after", "delay", versions, rows, ran(1, 1, 1, 3) + ran(2, 4, 3.7, 5))
        self.expect_none("delay", versions, rows, ran(1, 1, 1, 3) + ran(2, 4, 3.7, 5), slow=True)
        self.expect_none("delay", versions, [firing(1, 1), row(2, 1)], ran(1, 1, 1, 3) + ran(2, 1, 2, 5))  # by hand

    def test_no_more_run_than_the_limit_lets(self):
        versions = [version(1, 0, concurrency={"limit": 2}), version(2, 20, concurrency={"limit": 1})]
        rows = [row(1, 1), row(2, 1), row(3, 1)]

        def together(at, count):
            return [line for number in range(1, count + 1) for line in ran(number, 1, at, at + 2)]
        self.expect_none("limit", versions, rows, together(1, 2))
        self.expect("3 executions", "limit", versions, rows, together(1, 3))
        self.expect_none("limit", versions, rows, together(21, 2))  # the edit need not hold for all yet
        self.expect("2 executions", "limit", versions, rows, together(30, 2))
        rows[2]["cause"] = "forced"
        self.expect_none("limit", versions, rows, together(1, 3))

    def family(self, states, child=True, reruns=()):
        """A broadcast at second 10 with shards of these states, some of them run again with success, and its child."""
        versions = [version(1, 0, "created", PARENT, routing="broadcast", route={"shards": len(states)}),
                    version(1, 0, "created", CHILD, schedule={"kind": "after", "task": f"act {PARENT}"})]
        whole = "succeeded" if set(states) == {"succeeded"} else "failed"
        rows = [firing(1, 10, PARENT, state=whole)]
        rows += [row(10 + index, 10, PARENT, cause="shard", parent_id=1, shard_total=len(states), state=state)
                 for index, state in enumerate(states)]
        rows += [row(20 + index, 10, PARENT, cause="rerun", rerun_of=10 + index) for index in reruns]
        return versions, rows + ([firing(30, 10, CHILD)] if child else [])

    def test_a_child_runs_once_for_each_success_of_its_parent(self):
        self.expect_none("child", *self.family(["succeeded"] * 2))
        self.expect("no execution follows", "child", *self.family(["succeeded"] * 2, child=False))
        self.expect("did not succeed", "child", *self.family(["succeeded", "failed"]))
        self.expect_none("child", *self.family(["succeeded", "failed"], child=False))
        self.expect_none("child", *self.family(["failed", "failed"], reruns=[0, 1]))
        self.expect("did not succeed", "child", *self.family(["failed", "failed"], reruns=[0]))
        self.expect("no execution follows", "child", *self.family(["failed", "failed"], child=False, reruns=[0, 1]))
        versions, rows = self.family(["succeeded"] * 2)
        self.expect("followed 2 times", "child", versions, rows + [firing(31, 10, CHILD)])
        rows[-1]["state"] = "failed"
        self.expect("which is failed", "child", versions, rows)

    def test_attempts_and_terms_are_bounded_by_the_faults(self):
        self.expect_none("bounds", [version(1, 0)], [row(1, 1, attempt=7)], faults=QUIET_FAULT, terms=10)
        self.expect("8 attempts", "bounds", [version(1, 0)], [row(1, 1, attempt=8)], faults=QUIET_FAULT)
        self.expect("11 terms", "bounds", [version(1, 0)], [row(1, 1)], faults=QUIET_FAULT, terms=11)


if __name__ == "__main__":
    unittest.main()
