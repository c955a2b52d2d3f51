"""Judges what processes wrote down of a lock (worker.cpp): that no two held it at once, and that tokens only rise. It
knows nothing of how locks are made.
"""

import dataclasses
import pathlib


@dataclasses.dataclass
class Hold:
    """One grant: from the return of the call until the last moment at which its holder had proof that it held it."""
    process: str
    token: int
    begin: int
    end: int
    how: str = "open"  # released, was_lost, unknown, or open where the process ended before
    told: int = None  # when lost() was requested


@dataclasses.dataclass
class History:
    holds: list
    refused: int = 0
    failed: int = 0


class Malformed(Exception):
    pass


def read(folder):
    history = History([])
    for file in sorted(pathlib.Path(folder).glob("history-*")):
        read_process(file.name.removeprefix("history-"), file.read_text().split("\n"), history)
    return history


def last_line(file):
    with open(file, "rb") as lines:
        lines.seek(0, 2)
        lines.seek(max(0, lines.tell() - 200))
        whole = lines.read().decode().split("\n")
    return whole[-2] if len(whole) > 1 else ""


def read_process(process, lines, history):
    """A last line without its end is of a process that was killed in the middle of it."""
    hold, leaving = None, None
    for line in lines[:-1]:
        what, at, token, *more = line.split()
        at, token = int(at), int(token)
        if what == "acquired":
            hold, leaving = Hold(process, token, at, at), None
            history.holds.append(hold)
        elif what == "refused":
            history.refused += 1
        elif what == "failed":
            history.failed += 1
        elif hold is None or token != hold.token:
            raise Malformed(f"{process}: {line!r} of what it did not hold")
        elif what == "held":
            hold.end = max(hold.end, at)
        elif what == "lost":
            hold.told = at
        elif what == "leaving":
            leaving = at
        elif what == "released":
            hold.how = more[0]
            if hold.how == "released":
                hold.end = max(hold.end, leaving)
            hold = None
        else:
            raise Malformed(f"{process}: {line!r}")


def problems(history, tokens=True):
    return [*overlaps(history.holds), *(wrong_tokens(history.holds) if tokens else []), *late_losses(history)]


def overlaps(holds):
    """Each against the one that reaches furthest of those before it."""
    found = []
    furthest = None
    for hold in sorted(holds, key=lambda each: (each.begin, each.end)):
        if furthest and hold.begin < furthest.end:
            found.append(f"two at once: {furthest} and {hold}, for {(furthest.end - hold.begin) / 1e6:.3f} ms")
        if furthest is None or hold.end > furthest.end:
            furthest = hold
    return found


def wrong_tokens(holds):
    found = []
    before = None
    for hold in sorted(holds, key=lambda each: each.begin):
        if hold.token < 1:
            found.append(f"no token: {hold}")
        if before and hold.token <= before.token:
            found.append(f"a token that does not rise: {before}, then {hold}")
        before = hold
    return found


def late_losses(history):
    """Whoever was told of a loss has no proof of holding it from then on."""
    found = []
    for hold in history.holds:
        if hold.told is not None and hold.end > hold.told:
            found.append(f"valid after it was told of the loss: {hold}")
    return found
