"""Holds the traces of one cluster (trigger/election/election_trace.hpp, one file a node) to the promises of its election. Pure: it
sees values and returns what is wrong, in words, with the moment at which it went wrong. Times are nanoseconds of
CLOCK_BOOTTIME, which all processes of a host share.

    I1   an epoch belongs to one incarnation
    I2   epochs only grow: in the order of commits, and in the order in which they are believed
    I3   no two nodes, or terms, believe in their mastership at once
    I4   no belief outlasts what the database granted: the moment of asking and the ttl, or the guard's span
    I5   no node or client accepts a lower epoch after a higher one
    I6   every assignment is made while its sender believes in the epoch that it carries
    I7   every firing has one row and runs as often as it should (checker.py)
    I8   no node assigns work or believes in an epoch after its release
    I9   a node leads again within the promised time after a fault
    I10  there are no more terms than faults that call for one
    I11  beside neighbours that misbehave, while no other fault is at work, every firing begins within a second,
         unless the machine let the database stand still (`stalls`)

A *belief* lasts from the line that tells of it to its deadline, or to the line that shortens it or gives it up, or to
the death of the process.
"""

import bisect
import collections
import dataclasses

import checker

SECOND = 1_000_000_000
MILLI = 1_000_000
PROMPT = SECOND
AFTER_PAUSE = 20 * MILLI  # what a stopped process was in the midst of, it ends so soon after it goes on


@dataclasses.dataclass
class Event:
    at: int
    node: str
    incarnation: str
    what: str
    epoch: int
    fields: dict


@dataclasses.dataclass
class Commit:
    """A change of the lock row, in the order of commits. `at`: a moment before the commit, if the clock can be trusted."""
    epoch: int
    owner: str | None
    seq: int
    at: int | None = None


@dataclasses.dataclass
class Fault:
    """`clear`: the time from which a node can lead; `bound`: the span after that within which a node must lead;
    `changes`: the number of terms that it may end. `paused`: the process of `node` was frozen from `began` to `ended`."""
    kind: str
    node: str
    began: int
    ended: int
    clear: int
    bound: int
    changes: int
    paused: bool = False


@dataclasses.dataclass
class Neighbour:
    """Another service or its clients misbehaved. No term may end by it, and a master has no more time because of it.
    `prompt`: it may not delay the firings of the judged service either."""
    kind: str
    began: int
    ended: int
    prompt: bool = True


@dataclasses.dataclass
class Start:
    """A handler began in a client. `due`: when the firing was."""
    at: int
    client: str
    execution: int
    epoch: int
    due: int = 0


@dataclasses.dataclass
class Record:
    events: list
    commits: list = dataclasses.field(default_factory=list)
    starts: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)
    neighbours: list = dataclasses.field(default_factory=list)
    deaths: dict = dataclasses.field(default_factory=dict)  # by incarnation: when it was known to be dead
    ends: int = 0         # of the time that is judged
    ttl: int = 3 * SECOND
    guard: int = 300 * MILLI
    settle: int = 5 * SECOND  # within which a node leads if faults overlapped or if there were none
    stalls: list = dataclasses.field(default_factory=list)  # (begin, end) of commits of the runner's own that took long
    ledger: list = dataclasses.field(default_factory=list)  # problems found by checker.py


@dataclasses.dataclass
class Belief:
    node: str
    incarnation: str
    epoch: int
    begin: int
    end: int


@dataclasses.dataclass
class Violation:
    invariant: str
    at: int
    words: str


@dataclasses.dataclass
class Report:
    violations: list
    beliefs: list
    gaps: list         # [begin, end) without a master
    epochs: list
    lags: list = dataclasses.field(default_factory=list)  # of the firings that had to begin in time
    late: int = 0      # assignments of a process that was stopped between its last check and the line

    @property
    def good(self):
        return not self.violations


def parse_history(text):
    """The events of one file. A line without its end cannot come from a single write: it is an error, as is one that the
    disk cut short."""
    if text and not text.endswith("\n"):
        raise ValueError("the history ends within a line")
    events = []
    for line in text.splitlines():
        at, node, incarnation, what, epoch, *fields = line.split("\t")
        events.append(Event(int(at), node, incarnation, what, int(epoch), dict(each.split("=", 1) for each in fields)))
    return events


def check(record):
    beliefs = beliefs_of(record)
    gaps = gaps_between(beliefs, record.ends)
    epochs = sorted({belief.epoch for belief in beliefs} | {commit.epoch for commit in record.commits if commit.owner})
    report = Report([], beliefs, gaps, epochs)
    found = report.violations
    found += check_owners(record)
    found += check_growth(record, beliefs)
    found += check_exclusion(beliefs)
    found += check_grants(record)
    found += check_fence(record)
    found += check_assignments(record, beliefs, report)
    found += [Violation("I7", record.ends, problem) for problem in record.ledger]
    found += check_releases(record)
    found += check_gaps(record, gaps)
    found += check_churn(record, epochs)
    found += check_lags(record, report)
    found += check_whole(record)
    found.sort(key=lambda violation: violation.at)
    return report


# --- what was believed


def by_incarnation(events):
    found = collections.defaultdict(list)
    for event in events:
        found[event.incarnation].append(event)
    return found


def deadline(event):
    """Nanoseconds until which a trust event lets the node act."""
    guard = event.fields["guard"]
    lease = int(event.fields["lease"])
    return lease if guard == "-" else min(lease, int(guard))


def beliefs_of(record):
    """All beliefs, in the order of their beginnings. A suspension separates two of the same term."""
    found = []
    for incarnation, events in by_incarnation(record.events).items():
        death = record.deaths.get(incarnation)
        now = None
        for event in (event for event in events if event.what == "trust"):
            if now is not None:
                now.end = min(now.end, event.at) if not continues(now, event) else now.end
            if event.fields["by"] == "lost":
                now = None
            elif now is not None and continues(now, event):
                now.end = max(deadline(event), event.at)
            else:
                now = Belief(event.node, incarnation, event.epoch, event.at, deadline(event))
                found.append(now)
        if death is not None:
            for belief in found:
                if belief.incarnation == incarnation:
                    belief.end = min(belief.end, death)
    return sorted((belief for belief in found if belief.end > belief.begin), key=lambda belief: belief.begin)


def continues(belief, event):
    return event.fields["by"] != "lost" and event.epoch == belief.epoch and event.at <= belief.end


def gaps_between(beliefs, ends):
    gaps = []
    led_until = None
    for belief in beliefs:
        if led_until is not None and belief.begin > led_until:
            gaps.append((led_until, belief.begin))
        led_until = belief.end if led_until is None else max(led_until, belief.end)
    if led_until is not None and ends > led_until:
        gaps.append((led_until, ends))
    return gaps


# --- the promises


def check_owners(record):
    owners = {}
    told = [(event.at, event.epoch, event.incarnation) for event in record.events if event.what == "trust"]
    told += [(commit.at or record.ends, commit.epoch, commit.owner) for commit in record.commits if commit.owner]
    for at, epoch, incarnation in sorted(told):
        first = owners.setdefault(epoch, incarnation)
        if first != incarnation:
            yield Violation("I1", at, f"epoch {epoch} belongs to {first}, and to {incarnation}")


def check_growth(record, beliefs):
    highest, holder, renewals = 0, None, -1
    for commit in record.commits:
        at = commit.at or record.ends
        fresh = commit.owner is not None and commit.owner != holder
        if commit.epoch < highest or (fresh and commit.epoch == highest):
            yield Violation("I2", at, f"epoch {commit.epoch} of {commit.owner} was committed after {highest}")
        if commit.seq < renewals:
            yield Violation("I2", at, f"renewal {commit.seq} was committed after {renewals}")
        highest, renewals = max(highest, commit.epoch), max(renewals, commit.seq)
        holder = commit.owner or holder
    highest = 0
    for belief in beliefs:
        if belief.epoch < highest:
            yield Violation("I2", belief.begin, f"{belief.node} began to believe in epoch {belief.epoch} after {highest}")
        highest = max(highest, belief.epoch)


def check_exclusion(beliefs):
    last = None
    for belief in beliefs:
        same = last is not None and (last.incarnation, last.epoch) == (belief.incarnation, belief.epoch)
        if last is not None and not same and belief.begin < last.end:
            yield Violation("I3", belief.begin,
                            f"{belief.node} believes in epoch {belief.epoch} while {last.node} believes in {last.epoch} "
                            f"for another {(last.end - belief.begin) / MILLI:.3f} ms")
        if last is None or belief.end > last.end:
            last = belief


def check_grants(record):
    """Each deadline is one that was granted before, or follows from the statement that this event rests on."""
    for events in by_incarnation(record.events).values():
        epoch, lease, guard = 0, 0, None
        for event in (event for event in events if event.what == "trust"):
            if event.fields["by"] == "lost":
                epoch = 0
                continue
            if event.epoch != epoch:
                epoch, lease, guard = event.epoch, 0, None
            asked = int(event.fields["asked"])
            told = int(event.fields["lease"])
            if told > max(lease, asked + record.ttl):
                yield Violation("I4", event.at, f"{event.node} believes in epoch {epoch} "
                                f"{(told - asked - record.ttl) / MILLI:.3f} ms longer than its lease")
            until = None if event.fields["guard"] == "-" else int(event.fields["guard"])
            if until is not None and until > max(guard or 0, asked + record.guard):
                yield Violation("I4", event.at, f"{event.node} believes in epoch {epoch} "
                                f"{(until - asked - record.guard) / MILLI:.3f} ms longer than its guard vouches")
            if until is None and guard is not None and event.fields["by"] != "guard_off":
                yield Violation("I4", event.at, f"{event.node} forgot the guard of epoch {epoch}")
            lease, guard = told, until


def check_fence(record):
    for events in by_incarnation(record.events).values():
        highest = 0
        for event in (event for event in events if event.what == "take"):
            if event.epoch < highest:
                yield Violation("I5", event.at, f"{event.node} took an assignment of epoch {event.epoch} after {highest}")
            highest = max(highest, event.epoch)
    yield from check_clients(record)


def check_clients(record):
    """A client accepts between the sending of a delivery and the start of its handler. So what ran under one epoch, and
    was first sent after a handler of a higher one had begun there, was accepted too late."""
    sent = {}
    for event in record.events:
        if event.what == "deliver":
            for execution in event.fields["executions"].split(","):
                key = (checker.process_of(event.fields["client"]), int(execution or 0), event.epoch)
                sent[key] = min(event.at, sent.get(key, event.at))
    begun = collections.defaultdict(list)
    for start in record.starts:
        begun[start.client].append(start)
    for client, starts in begun.items():
        starts.sort(key=lambda start: start.at)
        times, highest = [], []
        for start in starts:
            times.append(start.at)
            highest.append(max(start.epoch, highest[-1] if highest else 0))
        for start in starts:
            since = sent.get((client, start.execution, start.epoch))
            before = bisect.bisect_left(times, since) if since is not None else 0
            if before and highest[before - 1] > start.epoch:
                yield Violation("I5", start.at, f"client {client} accepted execution {start.execution} of epoch "
                                f"{start.epoch} after one of {highest[before - 1]}")


def check_assignments(record, beliefs, report):
    spans = collections.defaultdict(list)
    for belief in beliefs:
        spans[(belief.incarnation, belief.epoch)].append(belief)
    for event in (event for event in record.events if event.what == "assign"):
        mine = spans[(event.incarnation, event.epoch)]
        if any(belief.begin <= event.at < belief.end for belief in mine):
            continue
        if any(was_paused(fault, event, mine) for fault in record.faults):
            report.late += 1
            continue
        last = max((belief.end for belief in mine if belief.end <= event.at), default=None)
        when = "without a belief in it" if last is None else f"{(event.at - last) / MILLI:.3f} ms after its belief ended"
        yield Violation("I6", event.at, f"{event.node} assigned under epoch {event.epoch} {when}")


def was_paused(fault, event, mine):
    """True if the process was frozen between its last check and this line, which only the epoch protects against."""
    return (fault.paused and fault.node == event.node and fault.ended <= event.at <= fault.ended + AFTER_PAUSE
            and any(belief.begin <= fault.began < belief.end for belief in mine))


def check_releases(record):
    released = {}
    for event in record.events:
        if event.what == "trust" and event.fields["by"] == "lost":
            released[event.epoch] = min(event.at, released.get(event.epoch, event.at))
    for commit in record.commits:
        if commit.owner is None and commit.at is not None:
            released[commit.epoch] = min(commit.at, released.get(commit.epoch, commit.at))
    over = set()
    for event in record.events:
        if event.what == "trust":
            if event.fields["by"] == "lost":
                over.add((event.incarnation, event.epoch))
            elif (event.incarnation, event.epoch) in over:
                yield Violation("I8", event.at, f"{event.node} believes again in epoch {event.epoch}, which it gave up")
    for event in record.events:
        if event.what == "assign" and event.at > released.get(event.epoch, event.at):
            yield Violation("I8", event.at, f"{event.node} assigned under epoch {event.epoch} "
                            f"{(event.at - released[event.epoch]) / MILLI:.3f} ms after it was given up")


def check_gaps(record, gaps):
    for begin, end in gaps:
        near = [fault for fault in record.faults if fault.began <= end and max(fault.ended, due(fault)) >= begin]
        if len(near) == 1 and due(near[0]) >= begin:
            limit, why = due(near[0]), f"after {near[0].kind}"
        elif near:
            limit = max(begin, *(max(fault.ended, fault.clear) for fault in near)) + record.settle
            why = "after " + ", ".join(fault.kind for fault in near)
        else:
            limit, why = begin + record.settle, "without a fault"
        if end > limit:
            yield Violation("I9", end, f"no master for {(end - begin) / MILLI:.0f} ms {why}, "
                            f"{(end - limit) / MILLI:.0f} ms longer than promised")


def due(fault):
    """The time at which a node must lead after the fault."""
    return max(fault.began, fault.clear) + fault.bound


def check_churn(record, epochs):
    allowed = 1 + sum(fault.changes for fault in record.faults)
    if len(epochs) > allowed:
        yield Violation("I10", record.ends, f"there were {len(epochs)} terms, and faults for {allowed}")


def check_lags(record, report):
    """What fell due shortly before another fault, or before a master had to lead again after it, is not judged; nor is
    what fell due within a second of a stall."""
    if not record.neighbours:
        return
    excused = [(fault.began - PROMPT, max(fault.ended, due(fault)) + record.settle) for fault in record.faults]
    excused += [(each.began - PROMPT, each.ended + record.settle) for each in record.neighbours if not each.prompt]
    excused += [(begin - PROMPT, end + PROMPT) for begin, end in record.stalls]
    since = min(each.began for each in record.neighbours)
    begun = {}
    for start in sorted(record.starts, key=lambda start: start.at):
        if since <= start.due < record.ends and not any(begin <= start.due <= end for begin, end in excused):
            begun.setdefault(start.execution, start)
    for start in begun.values():
        lag = start.at - start.due
        report.lags.append(lag)
        if lag > PROMPT:
            kinds = ", ".join(each.kind for each in record.neighbours if each.began <= start.at)
            yield Violation("I11", start.at,
                            f"execution {start.execution} began {lag / MILLI:.0f} ms late beside {kinds}")


def check_whole(record):
    """A history with lost lines proves nothing."""
    for event in (event for event in record.events if event.what == "unwritten"):
        yield Violation("record", event.at, f"{event.node} could not write {event.fields['n']} lines of its history")


# --- figures, and what people read


def first_assignment(record, after, above=0, of=None):
    """The first assignment at or after a moment, under an epoch above a number, or under one."""
    fits = (event for event in record.events if event.what == "assign" and event.at >= after and event.epoch > above
            and (of is None or event.epoch == of))
    return min(fits, key=lambda event: event.at, default=None)


def timeline(record, around, before=2 * SECOND, after=SECOND, most=120):
    """The lines of all processes around a moment, in order, as text; runs of the same thing are drawn together."""
    lines = [(event.at, event.node, f"{event.what} {event.epoch}", event) for event in record.events]
    lines += [(commit.at, "database", f"commit {commit.epoch}", commit) for commit in record.commits if commit.at]
    for fault in record.faults:
        lines.append((fault.began, "fault", f"{fault.kind} {fault.node} begins", None))
        lines.append((fault.ended, "fault", f"{fault.kind} {fault.node} ends", None))
    for each in record.neighbours:
        lines += [(each.began, "neighbour", f"{each.kind} begins", None), (each.ended, "neighbour", f"{each.kind} ends", None)]
    lines += [(at, "fault", f"{incarnation} is dead", None) for incarnation, at in record.deaths.items()]
    near = sorted((line for line in lines if around - before <= line[0] <= around + after), key=lambda line: line[0])
    out = []
    routine = []
    for at, who, what, source in near:
        if isinstance(source, Event) and source.what in ("assign", "take", "deliver") and at != around:
            routine.append((at, f"{who} {what}"))
            continue
        out += told_together(routine, around)
        routine = []
        out.append((at, f"{who:<12} {what}{details(source, around)}"))
    out += told_together(routine, around)
    centre = next((index for index, line in enumerate(out) if line[0] >= around), len(out))
    first = max(0, min(centre - most * 2 // 3, len(out) - most))
    return "\n".join(f"{(at - around) / MILLI:+10.3f} ms  {text}" for at, text in out[first:first + most])


def told_together(routine, around):
    """The first and the last of each kind of everyday lines, with how many there were."""
    kinds = collections.defaultdict(list)
    for at, what in routine:
        kinds[what].append(at)
    return sorted((times[0], f"{what}" + (f" ({len(times)} until {(times[-1] - around) / MILLI:+.3f})"
                                          if len(times) > 1 else "")) for what, times in kinds.items())


def details(source, around):
    if isinstance(source, Commit):
        return f" {source.owner or 'released'} renewal {source.seq}"
    if not isinstance(source, Event):
        return ""
    text = ""
    for name, value in source.fields.items():
        if name in ("asked", "answered", "lease", "guard") and value != "-" and int(value):
            value = f"{(int(value) - around) / MILLI:+.3f}"
        if name != "executions":
            text += f" {name}={value}"
    return text
