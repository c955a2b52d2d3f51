"""Judges what people did to tasks while a cluster had faults: the ledger, the clients' journals and the log of requests.
Pure: it sees values and returns what is wrong, in words. Times are microseconds, UTC where nothing else is said.

    kept     an edit, a run and a rerun that the API confirmed are in the ledger
    stopped  no firing that is due while its task is disabled or deleted begins
             a second after that, no execution of an earlier version begins that was still to be sent. Two more seconds are
             granted; while a fault may delay what was sent, as many as the highest limit of the task may begin later
    unsent   what ended as skipped, or as cancelled because its task was disabled or deleted, has never begun, unless the
             client in which it ran died and the master changed, since the ledger does not show which client had it; nor has
             a firing that a confirmed skip-next names
    paused   what falls due more than a second after a confirmed pause does not begin before the end of the pause is requested,
             unless it is forced
    delay    no two runs of a fixed delay overlap, and none begins earlier than the shortest period that its task had after
             the end of the one before
    child    a firing whose parent succeeded (a broadcast: by its rule, with shards that were run again) has one execution,
             which succeeds; other firings of the parent have none
    limit    at no time do more executions run than the highest limit in force during these runs, forced ones left out
    bounds   attempts of an execution, and terms of the cluster, are at most so many for each fault
    ledger   each firing due has a row or is in a range of skipped ones, every execution has ended, and no run began twice
             without a cause (checker.py)

A request of unknown outcome may have been carried out or not: only the versions of tasks that the ledger has count. Where
the clock of the database steps, or a node learns it late, instants of the ledger are not compared with those of the journals.
"""

import collections
import dataclasses

import checker
import exclusion
import expected

SECOND = 1_000_000
CUTOVER = SECOND           # after the instant of a disable, until what waits is cancelled (docs/schedules.md)
GRACE = 2 * SECOND         # for what a client was about to be sent
REACH = 6 * SECOND         # after a fault, until what it delayed has been sent
PAUSE_HOLDS = SECOND       # after the answer; half of planner.edit_lead is promised
MEASURED = 250_000         # error of a delay: cluster time is an estimate of each master
LIMIT_HOLDS = 3 * SECOND   # until an edit of a limit holds for all
FOLLOWS = 4 * SECOND       # a firing planned so soon after its child was saved need not be followed
ATTEMPTS, ATTEMPTS_OF_A_FAULT = 2, 4
TERMS, TERMS_OF_A_FAULT = 4, 6
STOPPED = ("task disabled", "task deleted")


@dataclasses.dataclass
class Action:
    """A request that was not refused. `answer` is None if its outcome is unknown."""
    what: str
    asked: int
    answered: int = 0
    answer: dict | None = None
    task: int | None = None


@dataclasses.dataclass
class History:
    ledger: checker.Ledger
    journal: list
    deaths: dict                # boot-time microseconds by pid
    offset: int                 # to add to boot times
    actions: list = dataclasses.field(default_factory=list)
    faults: list = dataclasses.field(default_factory=list)  # (began, ended)
    terms: int = 1
    steady: bool = True         # the clock of the database did not step
    slow: bool = False          # the way to the database was slow, so that masters differ in their estimates of its clock

    def __post_init__(self):
        self.rows = {row["id"]: row for row in self.ledger.executions}
        self.by_task = collections.defaultdict(list)
        for row in self.ledger.executions:
            self.by_task[row["task_id"]].append(row)
        self.journal = [line for line in self.journal if line.execution in self.rows]
        self.versions = collections.defaultdict(list)
        for version in sorted(self.ledger.versions, key=lambda each: each["version"]):
            self.versions[version["task_id"]].append(version)
        self.begun = {}  # the first start of each execution
        for line in sorted(self.journal, key=lambda each: each.boot_us):
            if line.what == "start":
                self.begun.setdefault(line.execution, line.boot_us + self.offset)

    def of_task(self, task):
        return self.by_task[task]

    def spans(self, task):
        """(version, from, until) of each version."""
        versions = self.versions[task]
        return [(each, each["valid_from"], after["valid_from"] if after else 1 << 62)
                for each, after in zip(versions, versions[1:] + [None])]

    def quiet(self, begin, end):
        """No fault delays what is sent between these instants."""
        return not any(began <= end and ended + REACH >= begin for began, ended in self.faults)


def is_on(version):
    return version["action"] != "deleted" and version["definition"]["enabled"]


def kind_of(versions):
    return versions[-1]["definition"]["schedule"]["kind"]


def is_firing(row):
    return row["run_key"] == 0


def check(history):
    """The problems."""
    found = []
    for rule in (kept, stopped, unsent, paused, delay, child, limit, bounds):
        found += [f"{rule.__name__}: {words}" for words in rule(history)]
    last = max((versions[-1]["valid_from"] for versions in history.versions.values()), default=0)  # then all are off
    found += checker.check(history.ledger, history.journal, history.deaths, last, must_succeed=False).problems
    return found


# --- what was confirmed


def kept(history):
    versions = {(each["task_id"], each["version"]) for each in history.ledger.versions}
    deleted = {each["task_id"] for each in history.ledger.versions if each["action"] == "deleted"}
    for action in history.actions:
        if action.answer is None:
            continue
        if "version" in action.answer and "id" in action.answer and "schedule" in action.answer:
            task, version = int(action.answer["id"]), action.answer["version"]
            if (task, version) not in versions:
                yield f"version {version} of task {task} was confirmed ({action.what}) and is not in the ledger"
        if action.what == "delete" and action.task not in deleted:
            yield f"the deletion of task {action.task} was confirmed and is not in the ledger"
        for execution in executions_of(action):
            if execution not in history.rows:
                yield f"execution {execution} was confirmed ({action.what}) and is not in the ledger"


def executions_of(action):
    """That the answer says were made."""
    if action.what in ("run", "force"):
        yield int(action.answer["execution"])
    if action.what == "rerun":
        yield from (int(item["rerun"]) for item in action.answer["items"] if item.get("rerun"))


# --- what must not begin


def stopped(history):
    if not history.steady:
        return
    for task in history.versions:
        yield from due_while_off(history, task)
        yield from sent_too_late(history, task)


def due_while_off(history, task):
    kind = kind_of(history.versions[task])
    if kind == "after":  # what has been started stays
        return
    for version, begin, end in history.spans(task):
        if is_on(version):
            continue
        for row in history.of_task(task):
            firing = history.rows.get(row["parent_id"], row)  # the broadcast of a shard
            if kind == "fixed_delay" and row["task_version"] > version["version"]:
                continue  # it was turned on again during a run, and is due a period after that
            if is_firing(firing) and begin <= row["scheduled_at"] < end and row["id"] in history.begun:
                yield (f"execution {row['id']} of task {task}, due at {row['scheduled_at']}, began at "
                       f"{history.begun[row['id']]}, but the task is {version['action']} from {begin} to {end}")


def sent_too_late(history, task):
    versions = history.versions[task]
    most = max(limit_of(each) for each in versions)
    for before, version in zip(versions, versions[1:]):
        if is_on(version) or not is_on(before):
            continue
        line = version["valid_from"] + CUTOVER + GRACE
        late = [row for row in history.of_task(task) if row["task_version"] < version["version"]
                and row["cause"] != "shard" and history.begun.get(row["id"], 0) > line]
        for row in late:
            if history.quiet(version["created_at"], history.begun[row["id"]]):
                yield (f"execution {row['id']} of task {task} began at {history.begun[row['id']]}, but the task is "
                       f"{version['action']} from {version['valid_from']}")
        bound = [row for row in late if row["cause"] != "forced"]
        if len(bound) > most:
            yield (f"{len(bound)} executions of task {task} began after {line}, though it is {version['action']} from "
                   f"{version['valid_from']} and sends {most} at a time: {', '.join(str(row['id']) for row in bound)}")


def lost_in_clients(history):
    """Executions of which each start has no end, in clients that died."""
    if history.terms < 2:
        return set()
    ended = {(line.execution, line.pid) for line in history.journal if line.what == "end"}
    starts = [(line.execution, line.pid) for line in history.journal if line.what == "start"]
    seen = {execution for execution, pid in starts if (execution, pid) in ended or pid not in history.deaths}
    return {execution for execution, _ in starts} - seen


def unsent(history):
    lost = lost_in_clients(history)
    for row in history.ledger.executions:
        never = row["state"] == "skipped" or (row["state"] == "cancelled" and row["reason"] in STOPPED)
        if never and row["id"] in history.begun and row["id"] not in lost:
            yield f"execution {row['id']} began, but is {row['state']}: {row['reason']}"
    for action in history.actions:
        if action.what != "skip" or action.answer is None:
            continue
        named = {expected.micros(firing) for firing in action.answer["skipped"]}
        for row in history.of_task(action.task):
            if row["cause"] == "schedule" and row["scheduled_at"] in named and row["id"] in history.begun:
                yield f"execution {row['id']} began, but the firing of {row['scheduled_at']} was to be skipped"


def pauses(history):
    """(begin, end) of those that were confirmed, unless an earlier resume of unknown outcome may have ended them."""
    for index, action in enumerate(history.actions):
        if action.what == "resume" and action.answer is None:
            return
        if action.what == "pause" and action.answer is not None:
            ends = [later.asked for later in history.actions[index:] if later.what == "resume"]
            yield action.answered + PAUSE_HOLDS, min(ends, default=1 << 62)


def paused(history):
    if not history.steady or history.slow:
        return
    for begin, end in pauses(history):
        for execution, at in history.begun.items():
            row = history.rows[execution]
            broadcast = history.rows.get(row["parent_id"])
            if "forced" in (row["cause"], broadcast and broadcast["cause"]):
                continue
            if max(row["scheduled_at"], row["created_at"]) > begin and at < end:
                yield f"execution {execution} began at {at}, but its service is paused from {begin} to {end}"


# --- what must not run beside what


def delay(history):
    for task, versions in history.versions.items():
        if kind_of(versions) != "fixed_delay":
            continue
        firings = {row["id"] for row in history.of_task(task) if is_firing(row)}
        calls = exclusion.calls_of(history.journal, history.deaths, firings)
        shortest = min(each["definition"]["schedule"]["every_ms"] for each in versions) * 1000
        for one, after in exclusion.overlaps(calls):
            yield (f"execution {after.execution} of task {task} began at {after.began} while {one.execution} ran, to "
                   f"{one.ended}")
        for one, after in zip(calls, calls[1:]):
            if one.execution == after.execution or one.ended is None or one.ended > after.began:
                continue
            if history.steady and not history.slow and after.began - one.ended < shortest - MEASURED:
                pause = (after.began - one.ended) // 1000
                yield (f"execution {after.execution} of task {task} began {pause} ms after the end of {one.execution}, "
                       f"with a period of {shortest // 1000} ms or more")


def limit_of(version):
    return version["definition"].get("concurrency", {}).get("limit", 0) or 1 << 30


def limit(history):
    for task in history.versions:
        rows = {row["id"] for row in history.of_task(task) if row["cause"] not in ("forced", "shard")}
        calls = exclusion.calls_of(history.journal, history.deaths, rows)
        for call in calls:
            beside = [each for each in calls
                      if each.began <= call.began and (each.ended is None or each.ended > call.began)]
            since = min(each.began for each in beside) + history.offset
            most = highest_limit(history, task, since, call.began + history.offset)
            if len({each.execution for each in beside}) > most:
                names = ", ".join(str(each.execution) for each in beside)
                yield f"{len(beside)} executions of task {task} ran at {call.began}, and {most} may: {names}"
                break


def highest_limit(history, task, begin, end):
    """Of the versions that may have been in force at some time in between."""
    if not history.steady:
        return max(limit_of(each) for each in history.versions[task])
    return max((limit_of(version) for version, since, over in history.spans(task)
                if version["created_at"] <= end + LIMIT_HOLDS and over + LIMIT_HOLDS >= begin), default=1 << 30)


# --- successors


def succeeded(history, row):
    """Whether the firing of this row succeeded. None: that it was cancelled settles nothing."""
    if row["state"] in ("succeeded", "cancelled"):
        return True if row["state"] == "succeeded" else None
    reruns, shards = collections.defaultdict(list), []
    for each in history.of_task(row["task_id"]):
        if each.get("rerun_of"):
            reruns[each["rerun_of"]].append(each)
        if each["parent_id"] == row["id"]:
            shards.append(each)

    def done(which):
        return which["state"] == "succeeded" or any(done(again) for again in reruns[which["id"]])

    if not shards:
        return done(row)
    good = sum(done(each) for each in shards)
    version = next(each for each in history.versions[row["task_id"]] if each["version"] == row["task_version"])
    any_will_do = version["definition"].get("route", {}).get("ends") == "any"
    return good > 0 if any_will_do else good == shards[0]["shard_total"]


def parent_of(history, versions):
    """The number of the task that this one runs after; None if it has none."""
    if kind_of(versions) != "after":
        return None
    name = versions[-1]["definition"]["schedule"]["task"]
    return next((task for task, each in history.versions.items() if each[-1]["definition"]["name"] == name), None)


def child(history):
    for task, versions in history.versions.items():
        parent = parent_of(history, versions)
        if parent is None:
            continue
        rows = collections.defaultdict(list)
        for row in history.of_task(task):
            if is_firing(row):
                rows[row["scheduled_at"]].append(row)
        for firing in (row for row in history.of_task(parent) if is_firing(row)):
            yield from follows(history, versions, firing, rows[firing["scheduled_at"]])


def follows(history, versions, firing, children):
    """What is wrong with the executions of the child for this firing of its parent."""
    success = succeeded(history, firing)
    if len(children) > 1:
        yield f"firing {firing['id']} is followed {len(children)} times"
    elif children and success is False:
        yield f"firing {firing['id']} did not succeed, and execution {children[0]['id']} follows it"
    elif not children and success and firing["created_at"] > versions[0]["valid_from"] + FOLLOWS:
        yield f"firing {firing['id']} succeeded, and no execution follows it"
    elif children and children[0]["state"] not in ("succeeded", "skipped"):
        yield f"firing {firing['id']} is followed by {children[0]['id']}, which is {children[0]['state']}"


# --- bounds


def bounds(history):
    faults = len(history.faults)
    for row in history.ledger.executions:
        version = next(each for each in history.versions[row["task_id"]] if each["version"] == row["task_version"])
        most = version["definition"].get("max_attempts", 1) + ATTEMPTS + ATTEMPTS_OF_A_FAULT * faults
        if row["attempt"] > most:
            yield f"execution {row['id']} has {row['attempt']} attempts, and {most} are explained by {faults} faults"
    if history.terms > TERMS + TERMS_OF_A_FAULT * faults:
        yield f"{history.terms} terms, and {TERMS + TERMS_OF_A_FAULT * faults} are explained by {faults} faults"
