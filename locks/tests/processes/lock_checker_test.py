"""The checker accepts each correct history and finds the fault in each wrong one."""

import unittest

import lock_checker


def history_of(**processes):
    history = lock_checker.History([])
    for process, lines in processes.items():
        lock_checker.read_process(process, [*lines, ""], history)
    return history


def hold(begin, end, token, how="released"):
    return [f"acquired {begin} {token}", f"held {(begin + end) // 2} {token}", f"leaving {end} {token}",
            f"released {end + 1} {token} {how}"]


def shared(begin, end, token, asked=None):
    return [f"asked {begin if asked is None else asked} 0", f"acquired {begin} {token} shared", f"leaving {end} {token}",
            f"released {end + 1} {token} released"]


class LockChecker(unittest.TestCase):
    def assert_found(self, text, history):
        found = lock_checker.problems(history)
        self.assertTrue(any(text in each for each in found), found)

    def test_consecutive_holds_are_accepted(self):
        self.assertEqual([], lock_checker.problems(history_of(a=[*hold(0, 10, 1), *hold(40, 50, 3)], b=hold(20, 30, 2))))

    def test_a_hold_that_begins_when_the_previous_one_is_released_is_accepted(self):
        self.assertEqual([], lock_checker.problems(history_of(a=hold(0, 10, 1), b=hold(10, 30, 2))))

    def test_two_holders_at_once_are_found(self):
        self.assert_found("two at once", history_of(a=hold(0, 20, 1), b=hold(19, 30, 2)))

    def test_a_hold_within_another_is_found_although_a_third_lies_between(self):
        self.assert_found("two at once", history_of(a=hold(0, 100, 1), b=hold(10, 20, 2), c=hold(90, 95, 3)))
        self.assertEqual(2, len(lock_checker.overlaps(history_of(a=hold(0, 100, 1), b=hold(10, 20, 2),
                                                            c=hold(90, 95, 3)).holds)))

    def test_a_lost_lock_counts_until_its_last_proof(self):
        lost = ["acquired 0 1", "held 10 1", "lost 11 1", "leaving 50 1", "released 51 1 was_lost"]
        self.assertEqual([], lock_checker.problems(history_of(a=lost, b=hold(20, 30, 2))))
        self.assert_found("two at once", history_of(a=lost, b=hold(9, 30, 2)))

    def test_the_lock_of_a_killed_process_counts_until_its_last_proof(self):
        self.assert_found("two at once", history_of(a=["acquired 0 1", "held 10 1"], b=hold(9, 30, 2)))
        self.assertEqual([], lock_checker.problems(history_of(a=["acquired 0 1", "held 10 1"], b=hold(11, 30, 2))))

    def test_a_repeated_token_is_found(self):
        self.assert_found("does not rise", history_of(a=hold(0, 10, 5), b=hold(20, 30, 5)))

    def test_a_falling_token_is_found(self):
        self.assert_found("does not rise", history_of(a=hold(0, 10, 5), b=hold(20, 30, 4)))

    def test_a_grant_without_a_token_is_found(self):
        self.assert_found("no token", history_of(a=hold(0, 10, 0)))

    def test_kinds_without_tokens_need_no_tokens(self):
        self.assertEqual([], lock_checker.problems(history_of(a=hold(0, 10, 0), b=hold(20, 30, 0)), tokens=False))

    def test_a_proof_after_the_loss_is_found(self):
        self.assert_found("after it was told", history_of(a=["acquired 0 1", "lost 5 1", "held 9 1"]))

    def test_shared_holds_at_once_are_accepted(self):
        history = history_of(a=shared(0, 20, 1), b=shared(5, 30, 2), c=hold(30, 40, 3))
        self.assertEqual([], lock_checker.problems(history))
        self.assertEqual(2, lock_checker.most_at_once(history.holds))

    def test_a_reader_beside_a_writer_is_found_in_either_order(self):
        self.assert_found("two at once", history_of(a=shared(0, 20, 1), b=hold(19, 30, 2)))
        self.assert_found("two at once", history_of(a=hold(0, 20, 1), b=shared(19, 30, 2)))

    def test_a_writer_beside_the_longest_of_several_readers_is_found(self):
        self.assert_found("two at once", history_of(a=shared(0, 50, 1), b=shared(5, 10, 2), c=hold(45, 60, 3)))

    def test_a_reader_beside_a_writer_is_found_although_another_reader_lies_between(self):
        self.assert_found("two at once", history_of(a=hold(0, 20, 1), b=shared(20, 30, 2), c=shared(19, 40, 3)))

    def test_one_holder_more_than_permits_is_found(self):
        three = dict(a=shared(0, 20, 1), b=shared(5, 30, 2), c=shared(19, 40, 3))
        self.assertEqual([], lock_checker.problems(history_of(**three), permits=3))
        found = lock_checker.problems(history_of(**three), permits=2)
        self.assertTrue(any("3 at once of 2" in each for each in found), found)

    def test_a_permit_that_is_released_and_granted_again_counts_once(self):
        history = history_of(a=shared(0, 100, 1), b=shared(5, 30, 2), c=shared(30, 60, 3), d=shared(60, 90, 4))
        self.assertEqual([], lock_checker.problems(history, permits=2))

    def test_grants_on_their_way_at_the_same_time_may_be_told_in_any_order(self):
        self.assertEqual([], lock_checker.problems(history_of(a=shared(10, 20, 2, 0), b=shared(12, 30, 1, 0))))

    def test_a_grant_requested_after_another_returned_needs_a_higher_token(self):
        self.assert_found("does not rise", history_of(a=shared(10, 20, 2, 0), b=shared(12, 30, 1, 11)))

    def test_equal_tokens_of_two_readers_are_found(self):
        self.assert_found("does not rise", history_of(a=shared(10, 20, 2, 0), b=shared(12, 30, 2, 0)))

    def test_a_token_that_falls_between_a_writer_and_a_reader_is_found(self):
        self.assert_found("does not rise", history_of(a=hold(0, 10, 5), b=shared(12, 30, 4, 0)))
        self.assert_found("does not rise", history_of(a=shared(0, 10, 5), b=hold(12, 30, 4)))

    def test_a_line_about_a_lock_that_is_not_held_is_malformed(self):
        with self.assertRaises(lock_checker.Malformed):
            history_of(a=["held 10 1"])
        with self.assertRaises(lock_checker.Malformed):
            history_of(a=[*hold(0, 10, 1), "leaving 20 1"])


if __name__ == "__main__":
    unittest.main()
