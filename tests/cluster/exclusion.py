"""Which calls of handlers overlapped or came too fast, by the clients' journals. Pure: it sees values."""

import dataclasses


@dataclasses.dataclass(order=True, frozen=True)
class Call:
    """A call of a handler, in boot-time microseconds. `ended` is None while it still runs."""
    began: int
    ended: int | None
    execution: int
    attempt: int


def calls_of(journal, deaths, executions):
    """The calls of these executions, in the order of their beginnings. A call of a process that was killed ended at its
    death (`deaths`: boot-time microseconds by pid)."""
    began, ended = {}, {}
    for line in journal:
        if line.execution in executions:
            (began if line.what == "start" else ended)[line.pid, line.execution, line.attempt] = line.boot_us
    return sorted((Call(at, ended.get(key, deaths.get(key[0])), *key[1:]) for key, at in began.items()),
                  key=lambda call: call.began)


def overlaps(calls):
    """The first call that had not ended when the next one began, with that one, and so on."""
    return [(one, next_one) for one, next_one in zip(calls, calls[1:])
            if one.ended is None or one.ended > next_one.began]


def above_rate(starts, rate, apart_us):
    """The first span that has more starts than the rate (as in a task's definition) lets, as (begin, end, starts); None if
    there is none. Starts that were sent up to `apart_us` apart may come at once. `starts`: sorted microseconds."""
    per_us = rate["limit"] / (rate["per_ms"] * 1000)
    most = None  # of index - rate * time, over the starts before: the best beginning of a span
    for index, at in enumerate(starts):
        if most is None or index - per_us * at < most[0]:
            most = index - per_us * at, index
        first = most[1]
        if index - first + 1 > per_us * (at - starts[first] + apart_us) + rate["burst"]:
            return starts[first], at, index - first + 1
    return None


def reached_share(starts, rate):
    """The share of the rate that the starts reached, with the time in microseconds that was left out: a pause counts only
    until it has filled the burst, because a rate makes up for no more than its burst. `starts`: sorted microseconds."""
    per_us = rate["limit"] / (rate["per_ms"] * 1000)
    full_us = rate["burst"] / per_us
    gaps = [next_one - one for one, next_one in zip(starts, starts[1:])]
    counted = sum(min(gap, full_us) for gap in gaps)
    return len(gaps) / (counted * per_us), sum(gaps) - counted
