"""Compares three histories of one cluster: what was expected (expected.py), what the ledger says, and what the clients
wrote down themselves. Pure: it sees values and returns what is wrong, in words.
"""

import collections
import dataclasses

import expected

FINAL = ("succeeded", "failed", "timed_out", "cancelled", "skipped")
BY_A_PERSON = "cancelled on request"  # a firing that was cancelled before it was due stays where it is, whatever is edited


@dataclasses.dataclass
class Line:
    """One line of a recorder's journal."""
    what: str  # start, end
    boot_us: int
    pid: int
    instance: str
    execution: int
    attempt: int
    scheduled_at: int
    shard: str
    outcome: str
    task: str
    epoch: int = 0


@dataclasses.dataclass
class Ledger:
    """Rows read by SQL: lists of dicts with the columns as keys."""
    versions: list = dataclasses.field(default_factory=list)  # definition parsed
    executions: list = dataclasses.field(default_factory=list)
    attempts: list = dataclasses.field(default_factory=list)
    skipped: list = dataclasses.field(default_factory=list)  # ranges of skipped firings

    def of(self, tasks):
        """Only these tasks, by their numbers, and their executions."""
        executions = [each for each in self.executions if each["task_id"] in tasks]
        numbers = {each["id"] for each in executions}
        return Ledger([each for each in self.versions if each["task_id"] in tasks], executions,
                      [each for each in self.attempts if each["execution_id"] in numbers],
                      [each for each in self.skipped if each["task_id"] in tasks])

    def in_range(self, task, at):
        """Whether the firing is one of a range that was skipped."""
        return any(each["task_id"] == task and each["first_at"] <= at <= each["last_at"] for each in self.skipped)


@dataclasses.dataclass
class Verdict:
    problems: list = dataclasses.field(default_factory=list)
    expected: int = 0
    rows: int = 0
    starts: int = 0
    missed: int = 0
    doubled: int = 0
    after_death: int = 0  # further starts after the death of the client that had begun the execution
    retried: int = 0      # further starts after a failure

    @property
    def good(self):
        return not self.problems

    def add(self, problem):
        self.problems.append(problem)

    def summary(self):
        return (f"expected {self.expected}, rows {self.rows}, handler starts {self.starts}, missed {self.missed}, "
                f"doubled {self.doubled}, again after a death {self.after_death}, after a failure {self.retried}")


def parse_journal(text):
    """The lines of a journal. A line without its end cannot come from a single write: it is an error."""
    if text and not text.endswith("\n"):
        raise ValueError("the journal ends within a line")
    lines = []
    for row in text.splitlines():
        what, boot, pid, instance, execution, attempt, scheduled, shard, outcome, epoch, task = row.split("\t", 10)
        lines.append(Line(what, int(boot), int(pid), instance, int(execution), int(attempt), int(scheduled), shard,
                          outcome, task, int(epoch)))
    return lines


def check(ledger, journal, deaths, until, must_succeed=True):
    """`deaths`: boot-time microseconds by pid of clients that are known to be dead. `until`: firings at or after it are
    not looked at. `must_succeed`: no handler was meant to fail. Every handler of every client wrote to the journal, or
    there is none at all (None)."""
    verdict = Verdict()
    due = expected_firings(ledger, until)
    compare_schedule(verdict, ledger, due, until)
    compare_ends(verdict, ledger, must_succeed)
    if journal is not None:
        judge_starts(verdict, journal, deaths)
        compare_journal(verdict, ledger, journal)
    return verdict


def expected_firings(ledger, until):
    by_task = collections.defaultdict(list)
    for version in ledger.versions:
        by_task[version["task_id"]].append(version)
    due = {}
    for task, versions in by_task.items():
        created_at = min(versions, key=lambda version: version["version"])["created_at"]
        for at, version in expected.firings(versions, created_at, until).items():
            due[(task, at)] = version
    return due


def compare_schedule(verdict, ledger, due, until):
    free = {version["task_id"] for version in ledger.versions if not expected.foretold(version["definition"])}
    rows = collections.defaultdict(list)
    for row in ledger.executions:
        if row["cause"] == "schedule" and row["run_key"] == 0 and row["scheduled_at"] < until:
            rows[(row["task_id"], row["scheduled_at"])].append(row)
    verdict.expected = len(due)
    verdict.rows = sum(len(found) for found in rows.values())
    for (task, at), version in due.items():
        found = rows.get((task, at), [])
        if not found and ledger.in_range(task, at):
            continue
        if not found:
            verdict.missed += 1
            verdict.add(f"missed: task {task} at {at} has no row")
        elif found[0]["task_version"] != version and found[0]["reason"] != BY_A_PERSON:
            verdict.add(f"task {task} at {at} ran version {found[0]['task_version']}, not {version}")
    for (task, at), found in rows.items():
        if len(found) > 1:
            verdict.doubled += 1
            verdict.add(f"doubled: task {task} at {at} has {len(found)} rows")
        if (task, at) not in due and task not in free and found[0]["reason"] != BY_A_PERSON:
            verdict.add(f"unexpected: task {task} at {at} has a row, execution {found[0]['id']}")
    # A firing that an edit took back has given up its place in the ledger, and must not have run.
    for row in ledger.executions:
        if row["cause"] == "schedule" and row["run_key"] != 0:
            if row["run_key"] != row["id"] or row["state"] != "cancelled" or not row["reason"]:
                verdict.add(f"execution {row['id']} was taken back, but is {row['state']} ({row['reason']})")


def outcomes_of(ledger):
    """{execution: {attempt: (outcome, client)}}: the first attempt lies in the execution's row, further ones beside."""
    outcomes = {row["id"]: {1: (row["outcome"], row["client"])} for row in ledger.executions}
    for row in ledger.attempts:
        outcomes[row["execution_id"]][row["attempt"]] = (row["outcome"], row["client"])
    return outcomes


def compare_ends(verdict, ledger, must_succeed):
    outcomes = outcomes_of(ledger)
    parents = {row["parent_id"] for row in ledger.executions}
    for row in ledger.executions:
        if row["state"] not in FINAL or row["due_at"] is not None or row["ended_at"] is None:
            verdict.add(f"unended: execution {row['id']} is {row['state']}")
        elif must_succeed and row["state"] != "succeeded" and (row["cause"], row["run_key"]) == ("schedule", 0):
            verdict.add(f"execution {row['id']} {row['state']}: {row['reason']} {row['error']}")
        attempts = outcomes[row["id"]]
        succeeded = [number for number, (outcome, _) in attempts.items() if outcome == "succeeded"]
        if succeeded and max(attempts) > min(succeeded):
            verdict.add(f"execution {row['id']} has attempt {max(attempts)} though {min(succeeded)} succeeded")
        if row["state"] == "succeeded" and not succeeded and row["id"] not in parents:
            verdict.add(f"execution {row['id']} is succeeded without an attempt that did")


def judge_starts(verdict, journal, deaths):
    """A start is doubled while an earlier one of its execution runs in a live process, or after it has succeeded."""
    ends = {}
    starts = collections.defaultdict(list)
    for line in journal:
        if line.what == "start":
            starts[line.execution].append(line)
            verdict.starts += 1
        else:
            ends[(line.execution, line.attempt, line.pid)] = line
    for execution, begun in starts.items():
        begun.sort(key=lambda line: line.boot_us)
        for index, later in enumerate(begun):
            for earlier in begun[:index]:
                judge_pair(verdict, execution, earlier, later, ends, deaths)


def judge_pair(verdict, execution, earlier, later, ends, deaths):
    if earlier.pid != later.pid and deaths.get(earlier.pid, later.boot_us + 1) <= later.boot_us:
        verdict.after_death += 1
        return
    end = ends.get((execution, earlier.attempt, earlier.pid))
    if end is None or end.boot_us > later.boot_us:
        why = "while it runs"
    elif end.outcome == "succeeded":
        why = "after it succeeded"
    elif earlier.attempt == later.attempt:
        why = "under the same number"
    else:
        verdict.retried += 1
        return
    verdict.doubled += 1
    verdict.add(f"doubled: execution {execution} began attempt {earlier.attempt} in process {earlier.pid}, and attempt "
                f"{later.attempt} in {later.pid} {why}")


def process_of(instance):
    """A client that counted as gone goes on under a new name: its own, and a suffix."""
    return instance.split("~")[0]


def compare_journal(verdict, ledger, journal):
    rows = {row["id"]: row for row in ledger.executions}
    started = {(line.execution, line.attempt) for line in journal if line.what == "start"}
    ended = collections.defaultdict(list)
    for line in journal:
        if line.what == "end":
            ended[(line.execution, line.attempt)].append(line)
        row = rows.get(line.execution)
        if row is None:
            verdict.add(f"a client ran execution {line.execution}, which the ledger does not know")
        elif row["scheduled_at"] != line.scheduled_at:
            verdict.add(f"execution {line.execution} ran for {line.scheduled_at}, not {row['scheduled_at']}")
        elif row["cause"] == "schedule" and row["run_key"] != 0:
            verdict.add(f"execution {line.execution} was taken back, and ran")
    parents = {row["parent_id"] for row in ledger.executions} # of broadcasts: their shards run
    for execution, attempts in outcomes_of(ledger).items():
        for attempt, (outcome, client) in attempts.items():
            if outcome != "succeeded" or execution in parents:
                continue
            ends = [line.instance for line in ended[(execution, attempt)] if line.outcome == "succeeded"]
            if (execution, attempt) not in started:
                verdict.add(f"execution {execution}/{attempt} succeeded, but no client began it")
            elif not ends:
                verdict.add(f"execution {execution}/{attempt} succeeded, but no client ended it so")
            elif process_of(client) not in ends:
                verdict.add(f"execution {execution}/{attempt} ran in {ends[0]}, not in {client}")
