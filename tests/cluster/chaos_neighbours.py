"""The faults of neighbours: other services that share the cluster with the judged one, and bad clients of that one itself.

No election may notice any of them, and while nothing else happens each firing of the judged service begins in time
(election_checker, I11). Only the executions of the judged service are judged.
"""

import contextlib
import datetime
import sys
import threading
import time

import pymysql

import chaos_faults
import election_checker as judge
import harness
import neighbours
from chaos_faults import Skipped, now

JUDGED = "recorder"  # the service
OFTEN = 100  # milliseconds between two firings of a neighbour's task
ALONE, BESIDE, INSIDE = "alone", "beside a healthy client", "of the judged service"
WORKS_FOR = 1.5  # seconds that a client is in good health, if it is bad only afterwards
CLIENT_TTL = 15  # clients.heartbeat times clients.missed, at their defaults
PROGRAM = harness.ROOT / "tests/cluster/neighbours_crowd.py"


class OfNeighbour(chaos_faults.Fault):
    neighbour = True
    prompt = True  # while it lasts, the firings of the judged service begin in time
    node = "neighbour"
    changes = 0
    every_ms = OFTEN

    def plan(self):
        self.service = f"{self.kind} {self.chance.randrange(10**6)}"
        self.tasks = 0
        self.more = {}  # of its tasks
        self.deletes = self.chance.random() < 0.3  # its tasks, in the end
        self.decide()

    def decide(self):
        """Decides what will happen."""

    def prepare(self, run):
        """Registers the tasks of the neighbour's service before anything fails. They fire from the fault on."""
        def create(number):
            first = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
                seconds=self.at + self.every_ms / 1000 * number / self.tasks)
            schedule = {"kind": "fixed_rate", "every_ms": self.every_ms,
                        "start_at": first.isoformat().replace("+00:00", "Z")}
            return self.create(run, number, schedule)
        self.made = run.cluster.in_parallel(create, range(self.tasks))

    def create(self, run, number, schedule):
        return run.cluster.rest.post("/api/v1/tasks?allow_unserved=true", {
            "name": f"{self.service} {number}", "service": self.service, "handler": "note", "schedule": schedule, **self.more})

    def inject(self, arena):
        with contextlib.ExitStack() as stack:
            self.began = now()
            try:
                self.hit(arena, stack)
            except Skipped:
                self.began = 0
                raise
        if self.deletes:
            arena.cluster.in_parallel(lambda task: self.tries(arena, "DELETE", f"/api/v1/tasks/{task['id']}"), self.made)
        self.ended = now()

    def tell(self, arena, words):
        """Adds to the line of the run, to show that the neighbour did something."""
        arena.run.skipped.append(f"{self.service}: {words}")

    @staticmethod
    def tries(arena, method, path):
        """A call that another fault may spoil."""
        with contextlib.suppress(OSError, harness.Refused):
            return arena.cluster.rest.call(method, path)[0]

    def client(self, arena, stack, kind, service=None, **more):
        network = arena.run.network
        client = neighbours.Client(arena.cluster.triggers(), service or self.service, kind, token=network.token,
                                   listen=network.host, **more)
        stack.push(client.__exit__)
        try:
            client.__enter__()
        except AssertionError as failure:
            raise Skipped(str(failure)) from None
        return client

    def span_record(self):
        return judge.Neighbour(self.kind, self.began, self.ended, self.prompt)


class BadClient(OfNeighbour):
    """A client of one of these ways (neighbour_kinds): the only one of a service, one beside a healthy client, or one of
    the judged service itself. There a way is left out if it may end executions of which no journal tells."""
    ways = ()
    idle = ("swallowing", "mute", "refusing", "dropping", "boasting")  # get no work, or give it back at once
    costly = ("slow", "nonsense", "unacknowledging")  # may keep work until they count as gone

    def decide(self):
        self.way = self.chance.choice(self.ways)
        inside = [INSIDE] if self.way in self.idle + self.costly else []
        self.place = self.chance.choice([ALONE, BESIDE, *inside])
        self.prompt = self.place != INSIDE or self.way in self.idle
        self.turns = self.place != INSIDE and self.chance.random() < 0.4
        self.tasks = 0 if self.place == INSIDE else self.chance.randint(2, 8)
        self.slots = self.chance.choice([1, 8, 100])
        self.queue = self.chance.choice([0, 1000])
        self.span = self.chance.uniform(3, 8)

    def text(self):
        return f"{super().text()} ({self.way}{', healthy at first' if self.turns else ''}, {self.place})"

    def hit(self, arena, stack):
        if self.place == BESIDE:
            self.client(arena, stack, "healthy")
        client = self.client(arena, stack, "healthy" if self.turns else self.way,
                             JUDGED if self.place == INSIDE else None, slots=self.slots, queue=self.queue)
        end = time.monotonic() + self.span
        if self.turns:
            time.sleep(WORKS_FOR)
            client.turn(self.way)
        time.sleep(max(0, end - time.monotonic()))
        self.tell(arena, f"{len(client.calls)} calls, {client.taken} executions taken")


class MuteClient(BadClient):
    """A client sends heartbeats, but its address swallows connections, or calls are never answered."""
    kind, ways = "mute_client", ("swallowing", "mute")


class RefusingClient(BadClient):
    """A client sends heartbeats, but its address refuses connections."""
    kind, ways = "refusing_client", ("refusing",)


class SlowClient(BadClient):
    """A client reads calls slowly, or answers them after two seconds."""
    kind, ways = "slow_client", ("slow", "tardy")


class LyingClient(BadClient):
    """A client answers nonsense, acknowledges or reports what it did not do, or claims free slots that it does not have."""
    kind, ways = "lying_client", ("nonsense", "lying", "unacknowledging", "boasting", "fabricating")


class DroppingClient(BadClient):
    """A client resets connections, or answers each call with 413."""
    kind, ways = "dropping_client", ("dropping", "toolarge")


class DeadService(OfNeighbour):
    """Many tasks of a service without clients are due every second, some of them broadcasts."""
    kind = "dead_service"

    def decide(self):
        self.tasks = self.chance.choice([20, 50, 100])
        self.every_ms = self.chance.choice([1000, 200])
        self.more = self.chance.choice([{}, {}, {"routing": "broadcast"}])
        self.span = self.chance.uniform(4, 8)

    def text(self):
        return f"{super().text()} ({self.tasks * 1000 // self.every_ms} firings/s{', broadcasts' if self.more else ''})"

    def hit(self, arena, stack):
        time.sleep(self.span)
        among = ", ".join(task["id"] for task in self.made)
        with contextlib.suppress(OSError, pymysql.err.Error):
            waiting = arena.cluster.store.query(f"SELECT COUNT(*) AS many FROM execution WHERE task_id IN ({among})")
            self.tell(arena, f"{waiting[0]['many']} executions")


class CancelStorm(OfNeighbour):
    """Many executions on a client that has become mute are cancelled at once."""
    kind = "cancel_storm"

    def decide(self):
        self.tasks = 1
        self.many = self.chance.choice([20, 100, 200])
        self.way = self.chance.choice(["mute", "swallowing"])
        self.span = self.chance.uniform(4, 7)

    def text(self):
        return f"{super().text()} ({self.many} cancels, {self.way})"

    def prepare(self, run):
        self.made = [self.create(run, 0, {"kind": "api"})]

    def hit(self, arena, stack):
        end = time.monotonic() + self.span
        client = self.client(arena, stack, "hung", slots=self.many)
        path = f"/api/v1/tasks/{self.made[0]['id']}/run"
        begun = arena.cluster.in_parallel(lambda _: self.tries(arena, "POST", path), range(self.many))
        try:
            harness.wait_for("they are there", lambda: len(client.held) >= sum(map(bool, begun)), 5)
        except harness.TimedOut:
            pass  # another fault is in the way; those that are there are enough
        client.turn(self.way)
        cancels = threading.Thread(target=arena.cluster.in_parallel, daemon=True, args=(
            lambda run: self.tries(arena, "POST", f"/api/v1/executions/{run['execution']}/cancel"), filter(None, begun)))
        cancels.start()
        time.sleep(max(0, end - time.monotonic()))
        cancels.join()
        self.tell(arena, f"{len(client.held)} executions held, {sum(map(bool, begun))} begun")


class MassDeath(OfNeighbour):
    """50 to 200 clients of one service end within a second, with or without a departure."""
    kind = "mass_death"

    def decide(self):
        self.tasks = self.chance.randint(2, 8)
        self.many = self.chance.choice([50, 100, 200])
        self.leave = self.chance.random() < 0.7  # otherwise they count as gone only later
        self.lives = self.chance.uniform(2, 4)
        self.span = self.lives + (2 if self.leave else CLIENT_TTL + 1)

    def text(self):
        return f"{super().text()} ({self.many} {'leave' if self.leave else 'are killed'})"

    def hit(self, arena, stack):
        end = time.monotonic() + self.span
        crowd = self.crowd(arena)
        stack.callback(crowd.end)
        try:
            harness.wait_for("a crowd of clients", lambda: "ready" in crowd.log.read_text(), 10)
        except harness.TimedOut as failure:
            raise Skipped(str(failure)) from None
        time.sleep(self.lives)
        self.tell(arena, f"{crowd.log.read_text().count('taken')} executions taken")
        if self.leave:
            with contextlib.suppress(harness.TimedOut):  # another fault is in the way
                crowd.terminate(10)
        else:
            crowd.kill()
        time.sleep(max(0, end - time.monotonic()))

    def crowd(self, arena):
        network = arena.run.network
        command = [sys.executable, PROGRAM, "--service", self.service, "--clients", self.many, "--listen", network.host,
                   *arena.cluster.triggers()]
        return harness.Process(self.service, command, arena.cluster.folder / f"{self.service}.log",
                               {"CROWD_TOKEN": network.token} if network.token else None).start()


ALL = {fault.kind: fault for fault in (MuteClient, RefusingClient, SlowClient, LyingClient, DroppingClient, DeadService,
                                       CancelStorm, MassDeath)}
