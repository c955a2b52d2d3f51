"""Tasks with policies beside the judged ones: their firings may be skipped or cancelled, but never run beside each other or
faster than their rate, and a handler that never returns does not keep its execution open.
"""

import dataclasses

import exclusion

DEAF_FOR = 5_000  # milliseconds: well beyond the time limit and the grace
TIMEOUT, GRACE = 500, 1000  # milliseconds


@dataclasses.dataclass
class Kind:
    """Tasks of one kind, of which none may run beside itself, or one with a rate above that."""
    name: str
    count: int
    definition: dict


APART_US = 3_000_000  # attempts that were sent so far apart may come at once after a fault
RATE = {"limit": 5, "per_ms": 1000, "burst": 3}
SLOW_RATE = {"limit": 1, "per_ms": 4000, "burst": 1}

KINDS = (
    Kind("one after the other", 1, {"handler": "nap", "payload": {"ms": 150}, "every_ms": 100,
                                    "concurrency": {"limit": 1, "queue": 5}}),
    Kind("one after the other of a key", 1, {"handler": "nap", "payload": {"ms": 150, "customer": "a"}, "every_ms": 100,
                                             "concurrency": {"limit": 1, "queue": 5, "key": "/customer"}}),
    Kind("the newest replaces", 1, {"handler": "nap", "payload": {"ms": 4_000}, "every_ms": 700,
                                    "concurrency": {"limit": 1, "when_full": "replace"}}),
    Kind("never returns", 1, {"handler": "deaf", "payload": {"ms": DEAF_FOR}, "every_ms": 500, "timeout_ms": TIMEOUT,
                              "stop_grace_ms": GRACE, "concurrency": {"limit": 1, "when_full": "skip"}}),
    Kind("at a rate", 1, {"handler": "note", "every_ms": 150, "rate": RATE, "limits": {"start_within_ms": 3000}}),
    Kind("at a slow rate", 1, {"handler": "note", "every_ms": 3000, "rate": SLOW_RATE,
                               "limits": {"start_within_ms": 10_000}}),
)


class Policies:
    def __init__(self, cluster):
        self.cluster = cluster
        self.kinds = {}  # by the numbers of the tasks

    def register(self):
        """Returns the tasks."""
        tasks = []
        for kind in KINDS:
            for number in range(kind.count):
                more = dict(kind.definition)
                schedule = {"kind": "fixed_rate", "every_ms": more.pop("every_ms")}
                task = self.cluster.create(f"{kind.name} {number}", schedule, max_deaths=1000, **more)
                self.kinds[int(task["id"])] = kind
                tasks.append(task)
        return tasks

    def problems(self, ledger, journal, deaths):
        """What is wrong, in words."""
        found = []
        for task, kind in self.kinds.items():
            rows = [row for row in ledger.executions if row["task_id"] == task]
            calls = exclusion.calls_of(journal, deaths, {row["id"] for row in rows})
            rate = kind.definition.get("rate")
            above = rate and exclusion.above_rate([call.began for call in calls], rate, APART_US)
            if above:
                found.append(f"rate: {kind.name}: {above[2]} calls from {above[0]} to {above[1]}")
            found += [f"overlap: {kind.name}: execution {two.execution} began {two.began} while {one.execution}, begun "
                      f"{one.began}, had not ended" for one, two in exclusion.overlaps(calls) if not rate]
            found += [f"unended: {kind.name}: execution {row['id']} is {row['state']}"
                      for row in rows if row["ended_at"] is None]
            # Without a master for as long as a firing may wait all of them are skipped.
            late = bool(rows) and all(row["state"] == "skipped" and "start_within" in (row["reason"] or "") for row in rows)
            if not calls and not late:
                ends = ", ".join(sorted(f"{row['state']} ({row['reason']})" for row in rows))
                found.append(f"{kind.name}: no call; its executions: {ends or 'none'}")
        return found
