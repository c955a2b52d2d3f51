"""Tasks with policies beside the judged ones: their firings may be skipped or cancelled, but never run beside each other,
and a handler that never returns does not keep its execution open.
"""

import dataclasses

import exclusion

DEAF_FOR = 5_000  # milliseconds: well beyond the time limit and the grace
TIMEOUT, GRACE = 500, 1000  # milliseconds


@dataclasses.dataclass
class Kind:
    """Tasks of one kind, of which none may run beside itself."""
    name: str
    count: int
    definition: dict


KINDS = (
    Kind("one after the other", 2, {"handler": "nap", "payload": {"ms": 150}, "every_ms": 100,
                                    "concurrency": {"limit": 1, "queue": 5}}),
    Kind("the newest replaces", 1, {"handler": "nap", "payload": {"ms": 4_000}, "every_ms": 700,
                                    "concurrency": {"limit": 1, "when_full": "replace"}}),
    Kind("never returns", 1, {"handler": "deaf", "payload": {"ms": DEAF_FOR}, "every_ms": 500, "timeout_ms": TIMEOUT,
                              "stop_grace_ms": GRACE, "concurrency": {"limit": 1, "when_full": "skip"}}),
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
            found += [f"overlap: {kind.name}: execution {two.execution} began {two.began} while {one.execution}, begun "
                      f"{one.began}, had not ended" for one, two in exclusion.overlaps(calls)]
            found += [f"unended: {kind.name}: execution {row['id']} is {row['state']}"
                      for row in rows if row["ended_at"] is None]
            if not calls:
                found.append(f"{kind.name}: no call")
        return found
