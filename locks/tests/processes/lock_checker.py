"""Checks the history that processes wrote about a lock (worker.cpp): there are never more holders than permits, an
exclusive holder is alone, and tokens only rise. It does not know how the locks work.
"""

import dataclasses
import pathlib


@dataclasses.dataclass
class Hold:
    """One grant: from the return of the call until the last moment at which its holder had proof that it held the lock."""
    process: str
    token: int
    begin: int
    end: int
    asked: int = None  # when the holder called
    shared: bool = False  # others may hold the lock too
    how: str = "open"  # released, was_lost, unknown, or open if the process ended before
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
    """An incomplete last line means that the process was killed while it wrote."""
    asked, hold, leaving = None, None, None
    for line in lines[:-1]:
        what, at, token, *more = line.split()
        at, token = int(at), int(token)
        if what == "asked":
            asked = at
        elif what == "acquired":
            hold, leaving = Hold(process, token, at, at, asked, more == ["shared"]), None
            history.holds.append(hold)
        elif what == "refused":
            history.refused += 1
        elif what == "failed":
            history.failed += 1
        elif hold is None or token != hold.token:
            raise Malformed(f"{process}: {line!r} about a lock that it did not hold")
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


def problems(history, tokens=True, permits=1):
    holds = history.holds
    return [*overlaps(holds), *excess_holders(holds, permits), *(wrong_tokens(holds) if tokens else []), *late_losses(history)]


def overlaps(holds):
    """Two holds at once of which one is exclusive. Compares each exclusive hold with the earlier hold that ends last, and
    each shared hold with the earlier exclusive hold that ends last.
    """
    found = []
    furthest, furthest_alone = None, None
    for hold in sorted(holds, key=lambda each: (each.begin, each.end)):
        before = furthest_alone if hold.shared else furthest
        if before and hold.begin < before.end:
            found.append(f"two at once: {before} and {hold}, for {(before.end - hold.begin) / 1e6:.3f} ms")
        if furthest is None or hold.end > furthest.end:
            furthest = hold
        if not hold.shared and (furthest_alone is None or hold.end > furthest_alone.end):
            furthest_alone = hold
    return found


def excess_holders(holds, permits):
    """More holders of a semaphore at once than permits."""
    found = []
    for hold, others in with_concurrent(holds):
        if permits > 1 and len(others) >= permits:
            found.append(f"{len(others) + 1} at once of {permits}: {hold} beside {others}")
    return found


def most_at_once(holds):
    return max((len(others) + 1 for _, others in with_concurrent(holds)), default=0)


def with_concurrent(holds):
    """Each hold with the holds that were open when it began."""
    open_holds = []
    for hold in sorted(holds, key=lambda each: (each.begin, each.end)):
        open_holds = [each for each in open_holds if each.end > hold.begin]
        yield hold, list(open_holds)
        open_holds.append(hold)


def wrong_tokens(holds):
    """A token must be higher than those of the grants that returned before its call, and of the earlier grants that exclude
    it.
    """
    found = []
    order = sorted(holds, key=lambda each: each.begin)
    seen = {}
    highest, highest_alone = None, None
    for hold in order:
        if hold.token < 1:
            found.append(f"no token: {hold}")
        if hold.token in seen:
            found.append(f"a token that does not rise: {seen[hold.token]}, then {hold}")
        seen[hold.token] = hold
        before = highest_alone if hold.shared else highest
        if before and hold.token < before.token:
            found.append(f"a token that does not rise: {before}, then {hold}")
        if highest is None or hold.token > highest.token:
            highest = hold
        if not hold.shared and (highest_alone is None or hold.token > highest_alone.token):
            highest_alone = hold
    return [*found, *wrong_shared_tokens(order)]


def wrong_shared_tokens(order):
    found = []
    begun = 0  # how many holds had begun before the call
    highest = None
    for hold in sorted((each for each in order if each.shared), key=lambda each: each.asked):
        while begun < len(order) and order[begun].begin < hold.asked:
            if highest is None or order[begun].token > highest.token:
                highest = order[begun]
            begun += 1
        if highest and hold.token < highest.token:
            found.append(f"a token that does not rise: {highest}, then {hold}")
    return found


def late_losses(history):
    """A holder has no proof of holding the lock after it was told of the loss."""
    found = []
    for hold in history.holds:
        if hold.told is not None and hold.end > hold.told:
            found.append(f"valid after it was told of the loss: {hold}")
    return found
