"""The judge must not be lenient: right histories pass, and each wrong one is found."""

import unittest

import checker
import exclusion
import expected

SECOND = 1_000_000
START = 1_800_000_000 * SECOND
TASK = 7


def version(number, valid_from, action="edited", enabled=True, schedule=None):
    schedule = schedule or {"kind": "cron", "cron": "* * * * * *"}
    return {"task_id": TASK, "version": number, "action": action, "valid_from": valid_from, "created_at": START,
            "definition": {"schedule": schedule, "enabled": enabled}}


def row(second, **changes):
    made = {"id": 100 + second, "task_id": TASK, "task_version": 1, "scheduled_at": START + second * SECOND,
            "run_key": 0, "cause": "schedule", "state": "succeeded", "due_at": None, "ended_at": 1, "reason": None,
            "error": None, "outcome": "succeeded", "client": "a", "parent_id": None, "shard_total": 1}
    made.update(changes)
    return made


def line(what, second, boot_us, pid=1, attempt=1, outcome=None, instance="a"):
    outcome = outcome or ("-" if what == "start" else "succeeded")
    return checker.Line(what, boot_us, pid, instance, 100 + second, attempt, START + second * SECOND, "0/1", outcome,
                        "tick")


def good_history():
    """Three firings of one task, disabled after them."""
    ledger = checker.Ledger([version(1, START, "created"), version(2, START + 3 * SECOND, "disabled", False)],
                            [row(second) for second in range(3)], [])
    journal = [line(what, second, 10 * second + place)
               for second in range(3) for place, what in enumerate(("start", "end"))]
    return ledger, journal


def judge(ledger, journal, deaths=None):
    return checker.check(ledger, journal, deaths or {}, START + 100 * SECOND)


class Judging(unittest.TestCase):
    def expect(self, problem, ledger, journal, deaths=None):
        verdict = judge(ledger, journal, deaths)
        self.assertTrue(any(problem in found for found in verdict.problems), verdict.problems)
        return verdict

    def test_schedule_ledger_and_journal_that_agree_are_good(self):
        verdict = judge(*good_history())
        self.assertEqual(verdict.problems, [])
        self.assertEqual((verdict.expected, verdict.rows, verdict.starts), (3, 3, 3))

    def test_the_tasks_of_others_are_left_out(self):
        ledger, journal = good_history()
        ledger.versions.append({**version(1, START, "created"), "task_id": 8})
        ledger.executions.append(row(0, id=500, task_id=8, state="running"))
        ledger.attempts.append({"execution_id": 500, "attempt": 2, "outcome": "failed", "client": "b"})
        self.assertFalse(judge(ledger, journal).good)
        self.assertEqual(judge(ledger.of({TASK}), journal).problems, [])
        self.assertEqual(ledger.of({TASK}).attempts, [])

    def test_a_firing_without_a_row_is_missed(self):
        ledger, journal = good_history()
        del ledger.executions[1]
        verdict = self.expect("missed", ledger, [line for line in journal if line.execution != 101])
        self.assertEqual(verdict.missed, 1)

    def test_a_second_row_for_a_firing_is_doubled(self):
        ledger, journal = good_history()
        ledger.executions.append(row(1, id=555))
        self.assertEqual(self.expect("doubled", ledger, journal).doubled, 1)

    def test_firings_in_a_range_of_skipped_ones_need_no_row(self):
        ledger, journal = good_history()
        del ledger.executions[1]
        journal = [line for line in journal if line.execution != 101]
        at = START + SECOND
        ledger.skipped.append({"task_id": 8, "first_at": at, "last_at": at})
        self.expect("missed", ledger, journal)
        ledger.skipped[0]["task_id"] = TASK
        self.assertEqual(judge(ledger, journal).problems, [])

    def test_a_firing_that_a_person_cancelled_ahead_stays_in_spite_of_edits(self):
        ledger, journal = good_history()
        ledger.executions.append(row(3, state="cancelled", outcome=None, reason="an edit"))
        self.assertFalse(self.of_edits(ledger, journal).good)
        ledger.executions[-1]["reason"] = checker.BY_A_PERSON
        self.assertEqual(self.of_edits(ledger, journal).problems, [])

    @staticmethod
    def of_edits(ledger, journal):
        return checker.check(ledger, journal, {}, START + 100 * SECOND, must_succeed=False)

    def test_a_row_that_no_version_of_the_task_asks_for_is_unexpected(self):
        ledger, journal = good_history()
        ledger.executions.append(row(3))
        self.expect("unexpected", ledger, journal + [line("start", 3, 90), line("end", 3, 91)])

    def test_a_row_that_has_not_ended_is_reported(self):
        for change in ({"state": "planned"}, {"due_at": 5}, {"ended_at": None}):
            ledger, journal = good_history()
            ledger.executions[1].update(change)
            self.expect("unended", ledger, journal)

    def test_a_firing_that_failed_is_reported(self):
        ledger, journal = good_history()
        ledger.executions[1].update(state="failed", outcome="failed")
        self.expect("failed", ledger, journal)

    def test_a_firing_that_ran_a_version_that_was_not_valid_is_reported(self):
        ledger, journal = good_history()
        ledger.executions[1]["task_version"] = 2
        self.expect("ran version 2, not 1", ledger, journal)

    def test_a_start_while_the_earlier_attempt_runs_is_doubled(self):
        ledger, journal = good_history()
        ledger.attempts.append({"execution_id": 101, "attempt": 2, "outcome": "succeeded", "client": "b"})
        ledger.executions[1].update(outcome="lost")
        journal = [line for line in journal if line.execution != 101]
        journal += [line("start", 1, 10), line("start", 1, 15, pid=2, attempt=2, instance="b"), line("end", 1, 20),
                    line("end", 1, 21, pid=2, attempt=2, instance="b")]
        self.assertEqual(self.expect("while it runs", ledger, journal).doubled, 1)

    def test_a_start_after_a_success_is_doubled(self):
        ledger, journal = good_history()
        journal += [line("start", 1, 50, pid=2), line("end", 1, 51, pid=2)]
        self.expect("after it succeeded", ledger, journal)

    def test_an_attempt_after_the_death_of_its_client_is_counted_separately(self):
        ledger, journal = good_history()
        ledger.attempts.append({"execution_id": 101, "attempt": 2, "outcome": "succeeded", "client": "b"})
        ledger.executions[1].update(outcome="lost")
        journal = [line for line in journal if line.execution != 101]
        journal += [line("start", 1, 10), line("start", 1, 40, pid=2, attempt=2, instance="b"),
                    line("end", 1, 41, pid=2, attempt=2, instance="b")]
        verdict = judge(ledger, journal, {1: 30})
        self.assertEqual((verdict.problems, verdict.doubled, verdict.after_death), ([], 0, 1))
        self.expect("while it runs", ledger, journal, {1: 45})

    def test_a_retry_after_a_failure_is_not_doubled(self):
        ledger, journal = good_history()
        ledger.attempts.append({"execution_id": 101, "attempt": 2, "outcome": "succeeded", "client": "a"})
        ledger.executions[1].update(outcome="failed")
        journal = [line for line in journal if line.execution != 101]
        journal += [line("start", 1, 10), line("end", 1, 11, outcome="failed"), line("start", 1, 20, attempt=2),
                    line("end", 1, 21, attempt=2)]
        verdict = judge(ledger, journal)
        self.assertEqual((verdict.problems, verdict.retried), ([], 1))

    def test_an_attempt_after_a_success_in_the_ledger_is_reported(self):
        ledger, journal = good_history()
        ledger.attempts.append({"execution_id": 101, "attempt": 2, "outcome": None, "client": "b"})
        self.expect("though 1 succeeded", ledger, journal)

    def test_a_success_in_the_ledger_without_a_client_is_reported(self):
        ledger, journal = good_history()
        self.expect("no client began it", ledger, [line for line in journal if line.execution != 101])
        self.expect("no client ended it", ledger,
                    [line for line in journal if line.execution != 101 or line.what == "start"])

    def test_a_run_that_is_not_in_the_ledger_is_reported(self):
        ledger, journal = good_history()
        self.expect("does not know", ledger, journal + [line("start", 50, 99)])

    def test_an_execution_that_an_edit_cancelled_must_not_have_run(self):
        ledger, journal = good_history()
        ledger.executions.append(row(3, run_key=103, state="cancelled", reason="task edited", outcome=None))
        self.assertEqual(judge(ledger, journal).problems, [])
        self.expect("was taken back, and ran", ledger, journal + [line("start", 3, 95)])

    def test_a_journal_whose_last_line_is_incomplete_is_refused(self):
        with self.assertRaises(ValueError):
            checker.parse_journal("start\t1")


    def test_a_client_that_comes_back_keeps_its_name(self):
        ledger, journal = good_history()
        ledger.executions[1]["client"] = "a~1"
        self.assertEqual(judge(ledger, journal).problems, [])
        ledger.executions[1]["client"] = "b~1"
        self.expect("ran in a, not in b~1", ledger, journal)


class Expecting(unittest.TestCase):
    def test_a_rate_counts_from_its_anchor(self):
        schedule = {"kind": "fixed_rate", "every_ms": 700}
        self.assertEqual(expected.instants(schedule, START, START + 1, START + 3 * SECOND),
                         [START + 700_000 * k for k in (1, 2, 3, 4)])

    def test_a_rate_may_be_anchored_by_its_start(self):
        schedule = {"kind": "fixed_rate", "every_ms": 1000, "start_at": "2027-01-15T08:00:00.25Z"}
        at = expected.micros(schedule["start_at"])
        self.assertEqual(at, 1_800_000_000_250_000)
        self.assertEqual(expected.instants(schedule, START, at - 5 * SECOND, at + 2 * SECOND), [at, at + SECOND])

    def test_cron_accepts_steps_ranges_lists_and_names(self):
        def seconds(text, length):
            return [(at - START) // SECOND
                    for at in expected.instants({"kind": "cron", "cron": text}, START, START, START + length * SECOND)]
        self.assertEqual(seconds("*/20 * * * * *", 61), [0, 20, 40, 60])
        self.assertEqual(seconds("1,5-6 * * * * *", 60), [1, 5, 6])
        self.assertEqual(seconds("*/2 * * * *", 200), [0, 120])
        self.assertEqual(seconds("0 0 8 * jan fri", 10), [0])  # 15 January 2027, 08:00 UTC, is a Friday
        self.assertEqual(seconds("0 0 8 * jan mon", 10), [])
        self.assertEqual(seconds("0 0 8 15 * mon", 10), [0])  # day or weekday, when both are restricted

    def test_cron_is_evaluated_in_the_zone_of_the_task(self):
        schedule = {"kind": "cron", "cron": "0 9 * * *", "zone": "Europe/Berlin"}
        self.assertEqual(expected.instants(schedule, START, START, START + 60 * SECOND), [START])

    def test_a_window_has_both_its_ends_and_leaves_out_what_the_clock_skips_or_repeats(self):
        def local(day, **window):
            begin = expected.micros(f"2027-{day}T00:00:00+01:00")
            schedule = {"kind": "window", "every_ms": 1_800_000, "zone": "Europe/Berlin", **window}
            return [(at - begin) // SECOND / 3600 for at in expected.instants(schedule, START, begin, begin + 86_400 * SECOND)]
        window = {"from": "01:30", "to": "03:30"}
        self.assertEqual(local("03-27", **window), [1.5, 2, 2.5, 3, 3.5])
        self.assertEqual(local("03-28", **window), [1.5, 2, 2.5])  # 01:30, 03:00 and 03:30 by the clock
        self.assertEqual(local("03-28", **window, days=["mon"]), [])
        self.assertEqual(local("03-27", **{"from": "23:30", "to": "00:30"}, days=["fri"]), [0, 0.5])

    def test_each_version_of_a_task_is_valid_until_the_next(self):
        versions = [version(1, START, "created"),
                    version(2, START + 2 * SECOND, schedule={"kind": "cron", "cron": "*/4 * * * * *"}),
                    version(3, START + 10 * SECOND, "deleted")]
        due = expected.firings(versions, START, START + 60 * SECOND)
        self.assertEqual([((at - START) // SECOND, number) for at, number in sorted(due.items())],
                         [(0, 1), (1, 1), (4, 2), (8, 2)])



class Overlaps(unittest.TestCase):
    def overlapping(self, journal, deaths=None):
        executions = {line.execution for line in journal}
        return [(one.execution, two.execution)
                for one, two in exclusion.overlaps(exclusion.calls_of(journal, deaths or {}, executions))]

    def test_calls_one_after_the_other_do_not_overlap(self):
        journal = [line("start", 0, 10), line("end", 0, 20), line("start", 1, 20), line("end", 1, 30)]
        self.assertEqual(self.overlapping(journal), [])

    def test_a_call_that_begins_before_the_last_one_has_ended_is_found(self):
        journal = [line("start", 0, 10), line("start", 1, 19), line("end", 0, 20), line("end", 1, 30)]
        self.assertEqual(self.overlapping(journal), [(100, 101)])

    def test_a_call_that_still_runs_overlaps_the_next_one(self):
        self.assertEqual(self.overlapping([line("start", 0, 10), line("start", 1, 30)]), [(100, 101)])

    def test_a_call_ends_with_its_process(self):
        journal = [line("start", 0, 10), line("start", 1, 30, pid=2)]
        self.assertEqual(self.overlapping(journal, {1: 20, 2: 40}), [])
        self.assertEqual(self.overlapping(journal, {1: 31, 2: 40}), [(100, 101)])


class Rates(unittest.TestCase):
    RATE = {"limit": 10, "per_ms": 1000, "burst": 5}

    def share(self, starts):
        share, stalled_us = exclusion.reached_share(starts, self.RATE)
        return round(share, 2), round(stalled_us / SECOND, 2)

    def test_a_rate_that_is_used_at_every_instant_is_reached(self):
        self.assertEqual(self.share([number * SECOND // 10 for number in range(100)]), (1.0, 0.0))

    def test_starts_that_are_too_slow_reach_a_part_of_the_rate(self):
        self.assertEqual(self.share([number * SECOND // 8 for number in range(100)]), (0.8, 0.0))

    def test_a_pause_counts_until_the_burst_is_full(self):
        before = [number * SECOND // 10 for number in range(51)]
        burst = [7 * SECOND] * 5
        after = [7 * SECOND + number * SECOND // 10 for number in range(1, 51)]
        self.assertEqual(self.share(before + burst + after), (1.0, 1.5))


if __name__ == "__main__":
    unittest.main()
