#!/usr/bin/env python3
"""The lags beside a neighbour, and the verdict on them."""

import unittest

import beside
import loads

SECOND = loads.SECOND


def load():
    return loads.Load(tasks=2, firings=60, begin=10 * SECOND, first_id=100)


def window():
    return beside.Window(12 * SECOND, 14 * SECOND)


def starts(late=700):
    """Of all firings; an execution's id is of no interest."""
    of = load()
    return [(1, 1, of.first_id + number, at, at + late) for number in range(of.tasks)
            for at in range(of.first(number), 20 * SECOND, of.period)]


def pair(without, beside_it, late=0):
    return {"without": {"p50": 0.3, "p99": without, "late": 0, "firings": 100},
            "beside": {"p50": 0.3, "p99": beside_it, "late": late, "firings": 100}}


class Weigh(unittest.TestCase):
    def test_only_the_firings_of_the_window_count(self):
        found = window().weigh(load(), starts(), 20 * SECOND)
        self.assertEqual((found["firings"], found["late"], found["p99"], found["max"]), (4, 0, 0.7, 0.7))

    def test_a_firing_that_began_late_is_late(self):
        found = window().weigh(load(), starts(late=SECOND + 1), 20 * SECOND)
        self.assertEqual((found["late"], found["p50"]), (4, 1000.001))

    def test_a_firing_that_never_began_has_waited_until_the_end(self):
        found = window().weigh(load(), [start for start in starts() if start[3] != 12 * SECOND], 20 * SECOND)
        self.assertEqual((found["firings"], found["late"], found["max"]), (4, 1, 8000))

    def test_the_first_start_of_a_firing_counts(self):
        found = window().weigh(load(), starts() + starts(late=5 * SECOND), 20 * SECOND)
        self.assertEqual(found["late"], 0)


class Judge(unittest.TestCase):
    def test_a_lag_within_the_factor_or_the_slack_is_good(self):
        self.assertTrue(beside.judge([pair(1, 6)])["good"])
        self.assertTrue(beside.judge([pair(100, 150)])["good"])

    def test_a_longer_lag_is_not(self):
        self.assertFalse(beside.judge([pair(1, 6.1)])["good"])
        self.assertFalse(beside.judge([pair(100, 151)])["good"])

    def test_a_single_late_firing_is_not(self):
        self.assertFalse(beside.judge([pair(1, 1), pair(1, 1, late=1), pair(1, 1)])["good"])

    def test_the_median_of_the_pairs_decides(self):
        self.assertTrue(beside.judge([pair(1, 1), pair(1, 900), pair(1, 1)])["good"])


if __name__ == "__main__":
    unittest.main()
