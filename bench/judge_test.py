#!/usr/bin/env python3
"""The judge and the schedule must find planted faults."""

import unittest

import judge
import loads


def load():
    return loads.Load(tasks=4, firings=3, begin=10_000_000, first_id=100)


def history(of):
    """The records of a faultless run: the ledger's rows and the client's starts."""
    due = [(of.first_id + number, of.first(number) + turn * of.period)
           for number in range(of.tasks) for turn in range(of.firings)]
    rows = [(1000 + place, task, at, "succeeded", 1) for place, (task, at) in enumerate(due)]
    return rows, [(execution, 1, task, at, at + 700) for execution, task, at, _, _ in rows]


class Schedule(unittest.TestCase):
    def test_each_firing_has_its_own_index(self):
        rows, _ = history(load())
        self.assertEqual(sorted(load().place(task, at) for _, task, at, _, _ in rows), list(range(12)))

    def test_an_instant_outside_the_schedule_has_no_index(self):
        for task, at in ((99, 10_000_000), (104, 10_000_000), (100, 10_000_001), (100, 9_000_000), (100, 13_000_000)):
            self.assertIsNone(load().place(task, at))

    def test_a_span_includes_its_begin_and_excludes_its_end(self):
        of = load()
        self.assertEqual(of.due_between(of.begin, of.end), 12)
        self.assertEqual(of.due_between(10_250_000, 11_250_000), 4)
        self.assertEqual(of.due_between(10_250_001, 11_250_001), 4)
        self.assertEqual(of.due_between(of.begin, 10_000_001), 1)


class Judge(unittest.TestCase):
    def setUp(self):
        self.load = load()
        self.rows, self.starts = history(self.load)

    def verdict(self, until=None):
        return judge.judge(self.load, until or self.load.end, self.rows, self.starts)

    def test_a_faultless_run_is_good(self):
        verdict = self.verdict()
        self.assertTrue(verdict.good, verdict.problems)
        self.assertEqual((verdict.expected, verdict.rows, verdict.starts), (12, 12, 12))

    def test_a_firing_without_a_row_is_missed_by_both(self):
        del self.rows[3], self.starts[3]
        verdict = self.verdict()
        self.assertEqual((verdict.missed, verdict.missed_by_client), (1, 1))
        self.assertFalse(verdict.good)

    def test_a_firing_that_has_not_ended_is_missed_by_the_ledger(self):
        self.rows[3] = self.rows[3][:3] + ("running", 1)
        verdict = self.verdict()
        self.assertEqual((verdict.missed, verdict.missed_by_client), (1, 0))
        self.assertEqual(len(verdict.problems), 2)

    def test_a_success_without_a_start_is_found(self):
        del self.starts[3]
        self.assertFalse(self.verdict().good)

    def test_a_second_row_and_a_second_attempt_are_doubled(self):
        self.rows.append((5000,) + self.rows[0][1:])
        self.rows[1] = self.rows[1][:4] + (2,)
        self.assertEqual(self.verdict().doubled, 2)

    def test_a_second_start_is_doubled(self):
        self.starts.append(self.starts[0])
        verdict = self.verdict()
        self.assertEqual((verdict.doubled, verdict.doubled_by_client), (0, 1))
        self.assertFalse(verdict.good)

    def test_a_row_without_a_firing_is_found(self):
        self.rows.append((5000, 100, 10_000_500, "succeeded", 1))
        self.assertFalse(self.verdict().good)

    def test_firings_after_the_span_are_ignored(self):
        del self.rows[2], self.starts[2]
        self.assertTrue(self.verdict(until=12_000_000).good)


if __name__ == "__main__":
    unittest.main()
