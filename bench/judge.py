"""Missed and doubled, counted against the schedule twice: from the ledger and from the client's own record. Pure."""

import dataclasses
import struct

START = struct.Struct("=5q")  # as bench/client.cpp writes it


@dataclasses.dataclass
class Verdict:
    expected: int = 0
    rows: int = 0            # expected rows of the ledger
    succeeded: int = 0
    starts: int = 0          # expected starts of handlers
    missed: int = 0          # by the ledger: no row that succeeded
    missed_by_client: int = 0
    doubled: int = 0         # by the ledger: a second row, or a second attempt
    doubled_by_client: int = 0
    problems: list = dataclasses.field(default_factory=list)

    @property
    def good(self):
        return not self.problems


def parse_starts(data):
    """(execution, attempt, task, scheduled_at, began_at) of each start."""
    return list(START.iter_unpack(data))


def judge(load, until, ledger, starts):
    """`ledger`: (id, task_id, scheduled_at, state, attempt) of each execution. Executions due at `until` or later are
    ignored."""
    verdict = Verdict(expected=load.due_between(load.begin, until))
    places = load.tasks * load.firings
    rows, done, begun = bytearray(places), bytearray(places), bytearray(places)
    succeeded, begun_ids = set(), set()
    strangers = 0
    for execution, task, at, state, attempt in ledger:
        if at >= until:
            continue
        place = load.place(task, at)
        if place is None:
            strangers += 1
            continue
        verdict.rows += 1
        verdict.doubled += (rows[place] > 0) + attempt - 1
        rows[place] = 1
        if state == "succeeded":
            done[place] = 1
            succeeded.add(execution)
    for execution, _, task, at, _ in starts:
        if at >= until:
            continue
        place = load.place(task, at)
        if place is None:
            strangers += 1
            continue
        verdict.starts += 1
        verdict.doubled_by_client += begun[place]
        begun[place] = 1
        begun_ids.add(execution)
    verdict.succeeded = done.count(1)
    verdict.missed = verdict.expected - verdict.succeeded
    verdict.missed_by_client = verdict.expected - begun.count(1)
    complain(verdict, strangers, succeeded, begun_ids)
    return verdict


def complain(verdict, strangers, succeeded, begun):
    for what, ledger, client in (("missed", verdict.missed, verdict.missed_by_client),
                                 ("doubled", verdict.doubled, verdict.doubled_by_client)):
        if ledger or client:
            verdict.problems.append(f"{what}: {ledger} by the ledger, {client} by the client")
    if strangers:
        verdict.problems.append(f"{strangers} rows or starts are none of the schedule")
    if succeeded != begun:
        verdict.problems.append(f"{len(succeeded - begun)} succeeded without a start, "
                                f"{len(begun - succeeded)} began and did not succeed")
