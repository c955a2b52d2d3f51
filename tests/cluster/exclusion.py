"""Which calls of handlers overlapped, by the clients' journals. Pure: it sees values."""

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
