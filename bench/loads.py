"""The tasks that a benchmark registers, and their firings.

A load is `tasks` tasks of one period, whose first instants lie evenly in `spread`, or all at once. They are written
into the tables by a few statements instead of through REST, which takes one task per request; the rows are those that
REST would write. A load is pure arithmetic, so its firings are known without asking the scheduler.
"""

import dataclasses
import json

SECOND = 1_000_000
SERVICE, HANDLER = "bench", "noop"
CHUNK = 50_000  # tasks per statement
PER_SECOND = 10_000  # tasks that can usually be registered per second


@dataclasses.dataclass
class Load:
    tasks: int = 10_000
    firings: int = 1          # of each task
    period: int = SECOND      # from one firing of a task to the next
    spread: int = SECOND      # the tasks' first firings lie evenly in this span; 0: all at once
    kind: str = "fixed_rate"  # fixed_rate, cron (every second, all together), or once
    payload: int = 256        # bytes of JSON
    service: str = SERVICE
    name: str = "bench"       # of the tasks, with a number
    routing: str = "round_robin"
    policy: dict = dataclasses.field(default_factory=dict)  # further members of the definition
    begin: int = 0            # the first firing of the first task, microseconds; set when it is registered
    first_id: int = 0

    def __post_init__(self):
        assert self.spread <= self.period or self.firings == 1, "the firings of two tasks would change places"

    @property
    def end(self):
        """An instant after all firings."""
        return self.begin + (self.period * self.firings if self.firings > 1 else max(self.period, self.spread))

    def first(self, number):
        return self.begin + self.spread * number // self.tasks

    def place(self, task, at):
        """The index of this firing, or None if it does not belong to the load."""
        number = task - self.first_id
        if not 0 <= number < self.tasks:
            return None
        turn, rest = divmod(at - self.first(number), self.period)
        return number * self.firings + turn if rest == 0 and 0 <= turn < self.firings else None

    def due_between(self, begin, end):
        """The number of firings due in [begin, end)."""
        def before(at):
            return sum(min(self.firings, max(0, -(-(at - self.first(number)) // self.period)))
                       for number in range(self.tasks))
        return before(end) - before(begin)

    def register(self, store, now, patience=1, begin=None):
        """Inserts the tasks with first firings late enough for all of them to be planned in time, or from `begin` on."""
        self.begin = begin or (now // SECOND + patience * (5 + self.tasks // PER_SECOND)) * SECOND
        self.first_id = (now // 1000) << 22
        for low in range(0, self.tasks, CHUNK):
            self.insert(store, now, low, min(low + CHUNK, self.tasks))

    def insert(self, store, now, low, high):
        first = f"({self.begin} + {self.spread} * seq DIV {self.tasks})"
        definition = self.definition(first)
        task = f"{self.first_id} + seq"
        numbers = f"seq_{low}_to_{high - 1}"
        store.query(
            "INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, definition, "
            f"next_fire_at, waiting_for, created_at, updated_at) SELECT {task}, 'default', CONCAT('{self.name} ', seq), 1, "
            f"1, '{self.service}', '{HANDLER}', '{self.kind}', {definition}, {first}, NULL, {now}, {now} FROM {numbers}")
        store.query(
            "INSERT INTO task_version (task_id, version, action, valid_from, definition, created_at) "
            f"SELECT {task}, 1, 'created', {now}, {definition}, {now} FROM {numbers}")

    def definition(self, first):
        """An SQL expression of the document of task `seq`, whose first firing is `first`."""
        document = {
            "project": "default", "name": f"{self.name} @N", "description": "", "service": self.service, "handler": HANDLER,
            "payload": {"data": "x" * (self.payload - len('{"data":""}'))}, "schedule": self.schedule(),
            "routing": self.routing, "max_attempts": 1, "retry_delay_ms": 1000, "timeout_ms": 0, "enabled": True,
            **self.policy}
        text = "'" + json.dumps(document, separators=(",", ":"), sort_keys=True) + "'"
        for mark, value in (("@N", "seq"), ("@FIRST", rfc3339(first)), ("@END", rfc3339(str(self.end)))):
            if mark in text:
                text = f"REPLACE({text}, '{mark}', {value})"
        return text

    def schedule(self):
        if self.kind == "once":
            return {"kind": "once", "at": "@FIRST"}
        if self.kind == "cron":
            return {"kind": "cron", "cron": "* * * * * *", "zone": "UTC", "end_at": "@END"}
        return {"kind": "fixed_rate", "every_ms": self.period // 1000, "start_at": "@FIRST", "end_at": "@END"}


def rfc3339(micros):
    """The same as SQL: text of an expression of microseconds."""
    return f"DATE_FORMAT('1970-01-01' + INTERVAL {micros} MICROSECOND, '%Y-%m-%dT%H:%i:%s.%fZ')"
