"""The judge of elections must not be lenient: for each promise there are histories that break it and are found, and
near-misses that pass."""

import unittest

import election_checker as judge
from election_checker import MILLI, SECOND, Commit, Event, Fault, Record, Start

T = 1000 * SECOND
TTL = 3 * SECOND
GUARD = 300 * MILLI


def ms(count):
    return T + round(count * MILLI)


class History:
    """Two nodes, A and B, with one incarnation each; times in milliseconds."""

    def __init__(self, **more):
        self.record = Record([], ends=ms(10_000), ttl=TTL, guard=GUARD, settle=4 * SECOND, **more)

    def add(self, at, node, what, epoch, **fields):
        self.record.events.append(Event(ms(at), node, node + ":1", what, epoch,
                                        {name: str(value) for name, value in fields.items()}))
        return self

    def trust(self, at, node, epoch, by="renew", asked=None, lease=2750, guard=None):
        """The request was sent at `asked`, by default a millisecond earlier. Lease and guard count from then."""
        asked = at - 1 if asked is None else asked
        return self.add(at, node, "trust", epoch, by=by, asked=ms(asked), answered=ms(at), lease=ms(asked + lease),
                        guard="-" if guard is None else ms(asked + guard))

    def lost(self, at, node, epoch):
        return self.add(at, node, "trust", epoch, by="lost", asked=0, answered=0, lease=0, guard="-")

    def lead(self, begin, end, node, epoch):
        """Renewed once a second, and given up."""
        self.trust(begin, node, epoch, "seize")
        for at in range(begin + 1000, end, 1000):
            self.trust(at, node, epoch)
        return self.lost(end, node, epoch)

    def assign(self, at, node, epoch):
        return self.add(at, node, "assign", epoch, to="B:1", n=1, executions=7)

    def commit(self, at, epoch, owner, seq):
        self.record.commits.append(Commit(epoch, owner, seq, ms(at)))
        return self

    def fault(self, kind, began, ended, bound, node="A", changes=1, paused=False, clear=None):
        self.record.faults.append(Fault(kind, node, ms(began), ms(ended), ms(began if clear is None else clear),
                                        bound * MILLI, changes, paused))
        return self


def handed_over():
    """A leads, stops, and B leads."""
    history = History().fault("stop", 5000, 5000, 1000)
    history.lead(0, 5000, "A", 2).lead(5010, 10_000, "B", 3)
    history.commit(0, 2, "A:1", 1).commit(1000, 2, "A:1", 2).commit(5001, 2, None, 2).commit(5010, 3, "B:1", 3)
    return history.assign(4999, "A", 2).assign(5011, "B", 3)


class Judging(unittest.TestCase):
    def passes(self, history):
        report = judge.check(history.record)
        self.assertEqual([violation.words for violation in report.violations], [])
        return report

    def finds(self, invariant, words, history):
        """Exactly this promise is broken."""
        report = judge.check(history.record)
        self.assertEqual({violation.invariant for violation in report.violations}, {invariant}, report.violations)
        self.assertTrue(any(words in violation.words for violation in report.violations), report.violations)
        return report

    def test_a_handover_breaks_no_promise(self):
        report = self.passes(handed_over())
        self.assertEqual(report.epochs, [2, 3])
        self.assertEqual([round((end - begin) / MILLI) for begin, end in report.gaps], [10])

    # --- I1, I2

    def test_an_epoch_of_two_incarnations_is_found(self):
        history = History().trust(0, "A", 2, "seize", lease=100)
        history.trust(200, "B", 2, "seize").lead(2000, 10_000, "B", 3)
        history.fault("kill", 2000, 2000, 9000)
        self.finds("I1", "epoch 2 belongs to A:1, and to B:1", history)

    def test_an_epoch_that_the_database_gave_to_another_node_is_found(self):
        self.finds("I1", "belongs to A:1, and to C:1", History().lead(0, 10_000, "A", 2).commit(1, 2, "C:1", 1))

    def test_epochs_that_go_back_in_the_order_of_commits_are_found(self):
        history = handed_over()
        history.record.commits.append(Commit(2, "A:1", 9, ms(5012)))
        self.finds("I2", "epoch 2 of A:1 was committed after 3", history)

    def test_an_epoch_that_is_seized_twice_is_found(self):
        history = History().lead(0, 10_000, "A", 2).commit(0, 2, "A:1", 1).commit(100, 2, None, 1)
        history.record.commits += [Commit(2, "C:1", 2, ms(200))]
        report = judge.check(history.record)
        self.assertIn("I2", {violation.invariant for violation in report.violations})

    def test_renewals_that_go_back_are_found(self):
        self.finds("I2", "renewal 1 was committed after 2", History().lead(0, 10_000, "A", 2)
                   .commit(0, 2, "A:1", 1).commit(1000, 2, "A:1", 2).commit(2000, 2, "A:1", 1))

    def test_an_epoch_whose_term_begins_after_a_higher_epoch_is_found(self):
        history = History().lead(0, 5000, "A", 3).lead(5010, 10_000, "B", 2).fault("stop", 5000, 5000, 1000)
        self.finds("I2", "B began to believe in epoch 2 after 3", history)

    def test_a_term_that_is_resumed_after_a_higher_one_is_found(self):
        history = History().fault("freeze", 10, 5000, 5000, paused=True).trust(0, "A", 2, "seize")
        history.trust(3000, "B", 3, "seize", lease=1000)
        self.finds("I2", "A began to believe in epoch 2 after 3", history.lead(4500, 10_000, "A", 2))

    def test_a_resumed_term_does_not_count_as_a_lower_epoch(self):
        history = History().trust(0, "A", 2, "seize").trust(2760, "A", 2).lead(3000, 10_000, "A", 2)
        report = self.passes(history)
        self.assertEqual(len(report.gaps), 1)

    # --- I3

    def test_two_masters_are_found_however_short_the_overlap(self):
        self.finds("I3", "B believes in epoch 3 while A believes in 2 for another 1.000 ms", self.overlap(2748))

    def test_a_master_after_the_deadline_of_the_last_one_is_no_violation(self):
        self.passes(self.overlap(2749))

    @staticmethod
    def overlap(begin):
        history = History().fault("freeze", 10, 5000, 5000, paused=True)
        return history.trust(0, "A", 2, "seize").lead(begin, 10_000, "B", 3)

    def test_a_shortened_deadline_counts_from_the_moment_it_was_shortened(self):
        """A arms its guard, which ends its belief early, and B follows."""
        history = History().fault("freeze", 150, 5000, 2000, paused=True)
        history.trust(0, "A", 2, "seize")
        history.add(100, "A", "trust", 2, by="guard_arm", asked=ms(99), answered=ms(100), lease=ms(2749),
                    guard=ms(99 + 270))
        self.passes(history.lead(370, 10_000, "B", 3))

    def test_a_longer_deadline_between_two_shorter_ones_counts(self):
        """A believes until 2749, B from 1000 to 1100, C from 2000 on: A and C overlap."""
        history = History().fault("freeze", 10, 5000, 5000, changes=3)
        history.trust(0, "A", 2, "seize").trust(1000, "B", 3, "seize", lease=101).lead(2000, 10_000, "C", 4)
        report = self.finds("I3", "C believes in epoch 4 while A", history)
        self.assertEqual(len(report.violations), 2)

    def test_a_term_ends_when_its_process_records_the_end(self):
        history = History().fault("stop", 1000, 1000, 1000)
        self.passes(history.trust(0, "A", 2, "seize").lead(1000, 10_000, "A", 3))

    def test_a_dead_process_holds_no_lease(self):
        history = self.overlap(2000)
        history.record.deaths["A:1"] = ms(1999)
        self.passes(history)
        history.record.deaths["A:1"] = ms(2001)
        self.finds("I3", "for another 1.000 ms", history)

    # --- I4

    def test_a_lease_that_is_counted_from_the_reply_is_found(self):
        history = History().trust(0, "A", 2, "seize").trust(2000, "A", 2, asked=1000, lease=3001)
        self.finds("I4", "1.000 ms longer than its lease", history.lead(3000, 10_000, "A", 2))

    def test_a_lease_of_exactly_the_requested_length_passes(self):
        history = History().trust(0, "A", 2, "seize").trust(2000, "A", 2, asked=1000, lease=3000)
        self.passes(history.lead(3000, 10_000, "A", 2))

    def test_a_ping_that_extends_the_lease_is_found(self):
        history = History().trust(0, "A", 2, "seize", lease=3000).trust(100, "A", 2, "guard_arm", guard=270, lease=2900)
        self.passes(self.alone(history))
        history.trust(200, "A", 2, "guard_ping", guard=270, lease=3002)
        self.finds("I4", "2.000 ms longer than its lease", history)

    @staticmethod
    def alone(history):
        history.record.ends = ms(200)
        return history

    def test_a_guard_that_is_trusted_beyond_its_span_is_found(self):
        history = self.alone(History().trust(0, "A", 2, "seize").trust(10, "A", 2, "guard_arm", guard=301, lease=2740))
        self.finds("I4", "1.000 ms longer than its guard vouches", history)

    def test_a_guard_that_is_not_released_is_found(self):
        history = History().trust(0, "A", 2, "seize").trust(10, "A", 2, "guard_arm", guard=270, lease=2740)
        self.finds("I4", "forgot the guard", self.alone(history.trust(20, "A", 2, "renew")))

    def test_a_guard_that_is_released_in_order_passes(self):
        history = History().trust(0, "A", 2, "seize").trust(10, "A", 2, "guard_arm", guard=270, lease=2740)
        self.passes(self.alone(history.trust(20, "A", 2, "guard_off", lease=2730)))

    # --- I5

    def test_a_node_that_takes_a_lower_epoch_is_found(self):
        history = handed_over().add(100, "C", "take", 2).add(5100, "C", "take", 3)
        self.passes(history)
        self.finds("I5", "C took an assignment of epoch 2 after 3", history.add(5101, "C", "take", 2))

    def deliveries(self, late_sent, late_epoch=2):
        history = handed_over()
        history.add(5100, "B", "deliver", 3, client="x", executions="1,2")
        history.add(late_sent, "A", "deliver", late_epoch, client="x", executions="3")
        history.record.starts = [Start(ms(5110), "x", 1, 3), Start(ms(5120), "x", 3, late_epoch)]
        return history

    def test_a_client_that_accepts_a_lower_epoch_is_found(self):
        self.finds("I5", "client x accepted execution 3 of epoch 2 after one of 3", self.deliveries(5111))

    def test_an_epoch_that_a_client_may_have_accepted_earlier_passes(self):
        self.passes(self.deliveries(5109))
        self.passes(self.deliveries(5111, late_epoch=3))

    def test_each_client_is_judged_by_its_own_epochs(self):
        history = self.deliveries(5111)
        history.record.starts[1].client = "y"
        history.record.events[-1].fields["client"] = "y"
        self.passes(history)

    # --- I6, I8

    def test_an_assignment_without_a_lease_is_found(self):
        self.finds("I6", "without a belief in it", handed_over().assign(5012, "A", 4))

    def test_an_assignment_between_suspension_and_resumption_is_found(self):
        history = History().trust(0, "A", 2, "seize").lead(2760, 10_000, "A", 2)
        self.passes(history.assign(2748, "A", 2))
        self.finds("I6", "6.000 ms after its belief ended", history.assign(2755, "A", 2))

    def test_an_assignment_of_a_frozen_process_is_counted_but_no_violation(self):
        history = self.overlap(3000).assign(5001, "A", 2)
        self.assertEqual(self.passes(history).late, 1)
        self.finds("I6", "after its belief ended", self.overlap(3000).assign(5021, "A", 2))

    def test_an_assignment_after_the_release_is_found(self):
        history = handed_over().assign(5002, "A", 2)
        report = judge.check(history.record)
        self.assertEqual([violation.invariant for violation in report.violations], ["I6", "I8"])

    def test_an_assignment_after_the_release_is_found_even_if_the_release_is_recorded_late(self):
        history = History().lead(0, 5000, "A", 2).lead(5010, 10_000, "B", 3).fault("stop", 5000, 5000, 1000)
        history.commit(4990, 2, None, 2).assign(4995, "A", 2)
        self.finds("I8", "5.000 ms after it was given up", history)

    def test_a_lease_that_is_used_again_after_its_release_is_found(self):
        history = History().trust(0, "A", 2, "seize").lost(1000, "A", 2).trust(1001, "A", 2)
        self.finds("I8", "A believes again in epoch 2", history.lead(2000, 10_000, "A", 2))

    # --- I7, I9, I10

    def test_a_problem_of_the_ledger_is_reported(self):
        self.finds("I7", "missed: a task", History(ledger=["missed: a task"]).lead(0, 10_000, "A", 2))

    def killed(self, again, bound=1000):
        history = History().fault("kill", 1000, 1000, bound).trust(0, "A", 2, "seize").lead(again, 10_000, "B", 3)
        history.record.deaths["A:1"] = ms(1001)
        return history

    def test_a_time_without_a_master_longer_than_promised_is_found(self):
        self.passes(self.killed(2000))
        self.finds("I9", "no master for 1000 ms after kill, 1 ms longer", self.killed(2001))

    def test_a_cluster_without_a_master_at_the_end_is_found(self):
        history = self.killed(2000)
        history.record.ends = ms(15_000)
        self.finds("I9", "without a fault", history)

    def test_the_last_of_overlapping_faults_explains_the_gap(self):
        history = self.killed(5500, bound=1000).fault("freeze", 1500, 3000, 1000, node="database", clear=3000)
        self.passes(history)
        history = self.killed(7002, bound=1000).fault("freeze", 1500, 3000, 1000, node="database", clear=3000)
        self.finds("I9", "after kill, freeze", history)

    def test_a_term_that_no_fault_explains_is_found(self):
        history = History().fault("kill", 0, 0, 1000, changes=0).lead(0, 5000, "A", 2).lead(5001, 10_000, "B", 3)
        self.finds("I10", "there were 2 terms, and faults for 1", history)

    def test_a_term_that_only_the_database_recorded_counts(self):
        history = History().lead(0, 10_000, "A", 2).commit(0, 2, "A:1", 1).commit(5000, 3, "B:1", 2)
        self.finds("I10", "there were 2 terms", history)

    # --- I11

    def beside(self, start, due, began=1000, ended=9000, prompt=True):
        """A firing beside a neighbour that misbehaves."""
        history = History().lead(0, 10_000, "A", 2)
        history.record.neighbours.append(judge.Neighbour("mute_client", ms(began), ms(ended), prompt))
        history.record.starts.append(Start(ms(start), "c", 7, 2, ms(due)))
        return history

    def test_a_firing_that_is_late_beside_a_neighbour_is_found(self):
        self.finds("I11", "execution 7 began 1001 ms late beside mute_client", self.beside(3001, 2000))
        self.finds("I11", "1001 ms late", self.beside(10_500, 9499))  # after it has ended
        self.assertEqual(self.passes(self.beside(3000, 2000)).lags, [SECOND])

    def test_a_firing_is_as_late_as_its_first_start(self):
        history = self.beside(2001, 2000)
        history.record.starts.append(Start(ms(6000), "d", 7, 2, ms(2000)))
        self.passes(history)

    def test_a_firing_may_be_late_without_a_neighbour_or_beside_one_that_may_delay_it(self):
        self.assertEqual(self.passes(self.beside(999, 0, began=1)).lags, [])
        self.assertEqual(self.passes(self.beside(3001, 2000, prompt=False)).lags, [])

    def test_a_firing_may_be_late_while_another_fault_is_at_work(self):
        fault = {"kind": "freeze_slave", "began": 3500, "ended": 4000, "bound": 10, "changes": 0}
        self.assertEqual(self.passes(self.beside(9000, 2500).fault(**fault)).lags, [])
        self.assertEqual(self.passes(self.beside(9500, 8000).fault(**fault)).lags, [])
        self.finds("I11", "1001 ms late", self.beside(3500, 2499).fault(**fault))
        self.finds("I11", "1001 ms late", self.beside(9600, 8599).fault(**fault))

    def test_a_firing_may_be_late_within_a_second_of_a_stall_of_the_machine(self):
        def stalled(start, due):
            history = self.beside(start, due)
            history.record.stalls.append((ms(3500), ms(4000)))
            return history
        self.assertEqual(self.passes(stalled(9000, 2500)).lags, [])
        self.assertEqual(self.passes(stalled(9000, 5000)).lags, [])
        self.finds("I11", "1001 ms late", stalled(3500, 2499))
        self.finds("I11", "1001 ms late", stalled(6002, 5001))

    def test_a_neighbour_gives_a_master_no_more_time(self):
        history = History().lead(0, 1000, "A", 2).lead(5001, 10_000, "A", 3).fault("kill", 0, 0, 0)
        history.record.neighbours.append(judge.Neighbour("mute_client", ms(0), ms(9000)))
        self.finds("I9", "without a fault", history)

    # --- reading and telling

    def test_the_reader_understands_the_lines_that_nodes_write(self):
        event, = judge.parse_history("17\tA\tA:1\ttrust\t2\tby=renew\tasked=1\tanswered=2\tlease=3\tguard=-\n")
        self.assertEqual((event.at, event.node, event.incarnation, event.what, event.epoch), (17, "A", "A:1", "trust", 2))
        self.assertEqual(event.fields["guard"], "-")
        with self.assertRaises(ValueError):
            judge.parse_history("17\tA\tA:1\tstart\t0")

    def test_a_history_with_missing_lines_is_refused(self):
        self.finds("record", "A could not write 3 lines", History().lead(0, 10_000, "A", 2).add(7, "A", "unwritten", 0, n=3))

    def test_a_timeline_has_the_lines_of_all_processes_around_a_moment(self):
        record = self.overlap(2748).record
        text = judge.timeline(record, ms(2748))
        self.assertIn("A            trust 2 by=seize", judge.timeline(record, ms(1)))
        self.assertIn("+0.000 ms  B            trust 3 by=seize", text)
        self.assertNotIn("trust 2", text)

    def test_the_first_assignment_under_a_new_epoch_is_found(self):
        record = handed_over().record
        self.assertEqual(judge.first_assignment(record, ms(4000), above=2).at, ms(5011))
        self.assertEqual(judge.first_assignment(record, ms(4000)).at, ms(4999))
        self.assertIsNone(judge.first_assignment(record, ms(4000), above=3))


if __name__ == "__main__":
    unittest.main()
