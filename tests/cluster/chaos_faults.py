"""The faults that can hit a cluster, drawn at random or requested by name. A fault draws its parameters when it is
created, so that a seed repeats it, and chooses its target when it begins: the master of that moment, or a slave.

Each states how soon a node must lead after it and how many terms it may end (election_checker.Fault).
"""

import glob
import os
import subprocess
import sys
import threading
import time

import pymysql

import election_checker as judge
import harness
import proxy

TTL, TICK, GUARD, SILENCE = 3.0, 1.0, 0.3, 2.0  # at their defaults
SLACK = 0.5  # for a machine that does other things as well
EXPIRY = TTL + TICK + SLACK


def now():
    return harness.boot_us() * 1000


class Skipped(Exception):
    """This fault has no target at the moment."""


class Fault:
    kind = ""
    own_server = False   # the server of the database does not come through it intact
    needs_proxy = False
    needs_clock = ""     # the clock to fake: "database" or "node"
    neighbour = False    # nothing to the election (chaos_neighbours)
    needs_disk = False   # the database's data lie on a small one (chaos_disk)
    role = "master"
    changes = 1
    with_guard, without_guard = EXPIRY, EXPIRY  # seconds until a node leads

    def __init__(self, chance, at):
        self.chance = chance
        self.at = at
        self.span = 0.0
        self.node = "database"
        self.began = self.ended = self.cleared = 0
        self.paused = False
        self.over = threading.Event()
        self.plan()

    def plan(self):
        """Decides what will happen."""

    def text(self):
        return f"{self.kind}@{self.at:.1f}s" + (f" for {self.span:.2f}s" if self.span else "")

    def prepare(self, run):
        """Does what cannot be done beside other faults, before any of them."""

    def inject(self, arena):
        """Does it, from beginning to end."""
        raise NotImplementedError

    def record(self, guarded):
        bound = self.with_guard if guarded else self.without_guard
        return judge.Fault(self.kind, self.node, self.began, self.ended, self.cleared or self.began,
                           round(bound * judge.SECOND), self.changes, self.paused)


class OfProcess(Fault):
    """Hits a process, which no other fault touches meanwhile."""

    def inject(self, arena):
        with arena.one_process(self.role) as process:
            self.node = process.name
            self.hit(arena, process)
            self.ended = now()


class Kill(OfProcess):
    """SIGKILL of the master; it is started again after a while."""
    kind = "kill"
    with_guard = GUARD + SLACK

    def plan(self):
        self.span = self.chance.uniform(0.2, 3)

    def hit(self, arena, process):
        self.began = process.kill() * 1000
        time.sleep(self.span)
        process.start()


class KillSlave(Kill):
    """SIGKILL of a slave."""
    kind, role, changes = "kill_slave", "slave", 0


class KillClient(Kill):
    """SIGKILL of a client."""
    kind, role, changes = "kill_client", "client", 0


class Stop(OfProcess):
    """SIGTERM of the master: it hands over, drains, ends; and is started again."""
    kind = "stop"
    with_guard, without_guard = SLACK, TICK + SLACK

    def plan(self):
        self.span = self.chance.uniform(0.2, 2)

    def hit(self, arena, process):
        self.began = now()
        status = process.terminate(20)
        if status != 0:
            arena.complain(f"{process.name} ended with status {status} after SIGTERM")
        time.sleep(self.span)
        process.start()


class StopSlave(Stop):
    """SIGTERM of a slave."""
    kind, role, changes = "stop_slave", "slave", 0


class Freeze(OfProcess):
    """SIGSTOP of the master, for shorter and longer than each limit: the guard's span, its session's, the lease's."""
    kind = "freeze"
    with_guard = SILENCE + GUARD + SLACK + 0.5

    def plan(self):
        self.paused = True
        self.span = self.chance.uniform(*self.chance.choice(
            [(0.05, GUARD), (GUARD, SILENCE - 0.1), (SILENCE, TTL - 0.3), (TTL - 0.3, TTL + 0.2), (TTL + 0.2, 6)]))

    def hit(self, arena, process):
        self.began = process.freeze() * 1000
        time.sleep(self.span)
        process.thaw()
        self.ended = now()


class FreezeSlave(Freeze):
    """SIGSTOP of a slave."""
    kind, role, changes = "freeze_slave", "slave", 0


class OfDatabase(Fault):
    own_server = True

    def inject(self, arena):
        with arena.database:
            self.hit(arena, arena.cluster.store)
            self.ended = self.cleared = now()


class KillDatabase(OfDatabase):
    """SIGKILL of the database, and a restart."""
    kind = "kill_database"

    def plan(self):
        self.span = self.chance.uniform(0, 2)

    def hit(self, arena, store):
        self.began = store.kill() * 1000
        time.sleep(self.span)
        store.restart()


class FreezeDatabase(OfDatabase):
    """SIGSTOP of the database for 0.2 to 4 s."""
    kind = "freeze_database"

    def plan(self):
        self.span = self.chance.uniform(*self.chance.choice([(0.2, 1), (1, 2.7), (2.5, 3.2), (3, 4)]))

    def hit(self, arena, store):
        self.began = now()
        store.freeze()
        time.sleep(self.span)
        store.thaw()


class Outage(FreezeDatabase):
    """SIGSTOP of the database for longer than nodes and clients may be silent. (Only where it is asked for.)"""
    kind = "outage"

    def plan(self):
        self.span = self.chance.uniform(16, 22)


class FillDisk(OfDatabase):
    """The disk under the database is full for 0.5 to 6 s, at times to the last page, at times with a crash. (As root.)"""
    kind, needs_disk = "fill_disk", True

    def plan(self):
        self.span = self.chance.uniform(*self.chance.choice([(0.5, 2.5), (2.5, 3.5), (3.5, 6)]))
        self.to_the_last_page = self.chance.random() < 0.7
        self.crash = self.chance.random() < 0.2

    def text(self):
        return (super().text() + (" to the last page" if self.to_the_last_page else "")
                + (" with a crash" if self.crash else ""))

    def hit(self, arena, store):
        disk = getattr(store, "disk", None)
        if disk is None:
            raise Skipped("only root can mount a disk that is small enough")
        refused = self.refusals(arena)
        self.began = now()
        disk.fill()
        store.use_up(64 if self.to_the_last_page else 32 << 10)
        time.sleep(max(0, self.span - (now() - self.began) / judge.SECOND))
        if self.crash:
            store.kill()
        disk.free()
        if store.revive() and not self.crash:
            arena.run.skipped.append("the database did not live through the full disk")
        arena.run.skipped.append(f"{self.refusals(arena) - refused} statements of the nodes refused")

    @staticmethod
    def refusals(arena):
        return sum(log.read_text().count("is full (error") for log in arena.cluster.folder.glob("trigger-*.log"))


class HoldRow(Fault):
    """A foreign session holds the lock row, so that commits stall across the expiry of the lease."""
    kind = "hold_row"

    def plan(self):
        self.span = self.chance.uniform(TTL - 0.5, TTL + 0.5)

    def inject(self, arena):
        with arena.database:
            connection = arena.cluster.store.connect(arena.cluster.store.name)
            try:
                with connection.cursor() as cursor:
                    cursor.execute("START TRANSACTION")
                    cursor.execute("SELECT id FROM `lock` WHERE namespace = 'master' FOR UPDATE")
                    self.began = now()
                    time.sleep(self.span)
                    cursor.execute("ROLLBACK")
            finally:
                connection.close()
                self.ended = self.cleared = now()


class KillGuard(Fault):
    """KILL of the master's guard session."""
    kind = "kill_guard"
    with_guard = GUARD + SLACK

    def inject(self, arena):
        with arena.database:
            row = arena.cluster.store.query("SELECT guard_conn FROM `lock` WHERE namespace = 'master'")
            if not row or not row[0]["guard_conn"]:
                raise Skipped("no guard is armed")
            at = now()
            try:
                arena.cluster.store.query(f"KILL {row[0]['guard_conn']}")
            except pymysql.err.OperationalError as failure:
                raise Skipped(f"the guard is gone: {failure}") from None
            self.began, self.ended = at, now()


class OfConnection(Fault):
    """Hits the way between one node and the database."""
    needs_proxy = True
    gradual = False  # the node may lead, badly, while it lasts
    with_guard = SILENCE + GUARD + SLACK + 0.5

    def plan(self):
        self.role = self.chance.choice(["master", "master", "slave"])
        self.changes = 1 if self.role == "master" else 0
        self.span = self.chance.uniform(0.1, 6)

    def inject(self, arena):
        with arena.one_way(self.role) as (name, way):
            self.node = name
            self.began = now()
            self.spoil(way)
            time.sleep(self.span)
            way.heal()
            self.ended = now()
            if self.gradual:
                self.cleared = self.ended


class Cut(OfConnection):
    """Nothing passes between a node and the database, either way."""
    kind = "cut"

    def spoil(self, way):
        way.cut()


class CutReplies(OfConnection):
    """Requests of a node reach the database, but the answers are lost."""
    kind = "cut_replies"

    def spoil(self, way):
        way.cut((proxy.DOWN,))


class CutRequests(OfConnection):
    """Requests of a node to the database are lost."""
    kind = "cut_requests"

    def spoil(self, way):
        way.cut((proxy.UP,))


class Reset(OfConnection):
    """A node's connections to the database are reset, once or again and again for a while."""
    kind = "reset"
    changes = 1

    def plan(self):
        super().plan()
        self.span = self.chance.choice([0, 0, self.chance.uniform(0.1, 2)])
        if self.span:
            self.changes *= 2  # while it lasts, the node may lead again and lose it again

    def spoil(self, way):
        end = time.monotonic() + self.span
        way.reset()
        while time.monotonic() < end:
            time.sleep(0.05)
            way.reset()

    def inject(self, arena):
        with arena.one_way(self.role) as (name, way):
            self.node = name
            self.began = now()
            self.spoil(way)
            self.ended = now()
            self.cleared = self.ended


class Delay(OfConnection):
    """The way between a node and the database is slow."""
    kind, gradual = "delay", True
    with_guard = EXPIRY

    def plan(self):
        super().plan()
        self.least = self.chance.choice([0.01, 0.05, 0.1, 0.3, 1.0])
        self.most = self.least * self.chance.choice([1, 2])
        self.changes *= 2  # while it lasts, the node may lead again and lose it again

    def text(self):
        return super().text() + f" of {1000 * self.least:.0f}-{1000 * self.most:.0f}ms"

    def spoil(self, way):
        way.slow(self.least, self.most)


class Loss(OfConnection):
    """The way between a node and the database loses what then comes later."""
    kind, gradual = "loss", True
    with_guard = EXPIRY

    def plan(self):
        super().plan()
        self.share = self.chance.choice([0.1, 0.3])
        self.changes *= 2

    def spoil(self, way):
        way.lose(self.share)


class StepClock(Fault):
    """The clock steps by up to an hour, and after a while steps back."""
    changes = 2  # one a step
    by = (1.5, -1.5, 5, -5, 3600, -3600)

    def plan(self):
        self.offset = self.chance.choice(self.by)
        self.span = self.chance.uniform(0.5, 6)

    def text(self):
        return super().text() + f" by {self.offset:+g}s"

    def step(self, clock):
        self.began = now()
        clock.step(self.offset)
        time.sleep(self.span)
        clock.step(0)
        self.ended = now()


class StepDatabase(StepClock):
    """The database's clock is set, and set right again."""
    kind, needs_clock = "step_database", "database"

    def inject(self, arena):
        with arena.database:
            self.step(arena.cluster.store.clock)
            self.cleared = self.ended


class StepNode(StepClock):
    """The wall clock of a node is set, and set right again."""
    kind, needs_clock, changes = "step_node", "node", 0
    with_guard = without_guard = 0.0  # it is nothing to the election

    def plan(self):
        super().plan()
        self.role = self.chance.choice(["master", "slave"])

    def inject(self, arena):
        with arena.one_clock(self.role) as (name, clock):
            self.node = name
            self.step(clock)


class Unplug(OfConnection):
    """A node is partitioned from all others. (With namespaces only.)"""
    kind = "unplug"

    def spoil(self, way):
        way.unplug()


class Hog(Fault):
    """Six busy loops beside everything. (Only where it is asked for.)"""
    kind, changes = "hog", 0

    def plan(self):
        self.node = "host"
        self.span = 60

    def inject(self, arena):
        self.began = now()
        loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=harness.end_with_parent)
                 for _ in range(6)]
        time.sleep(self.span)
        for loop in loops:
            loop.kill()
            loop.wait()
        self.ended = self.cleared = now()


PROCESSES = [Kill, KillSlave, KillClient, Stop, StopSlave, Freeze, FreezeSlave]
DATABASE = [KillDatabase, FreezeDatabase, FillDisk, HoldRow, KillGuard]
CONNECTIONS = [Cut, CutReplies, CutRequests, Reset, Delay, Loss]
# How long each lasts when it is measured: until another master leads, but for what the same master outlives.
MEASURED = {"kill": 1.0, "stop": 0.5, "freeze": 5.0, "freeze_database": 1.0, "kill_database": 0.0, "cut": 5.0,
            "cut_replies": 5.0, "cut_requests": 5.0, "hold_row": TTL + 0.2, "fill_disk": 2.0, "reset": 0.0, "hog": 60.0}
CLOCKS = [StepDatabase, StepNode]
NAMESPACES = [Unplug]
ASKED_FOR = [Hog, Outage]
ALL = {fault.kind: fault for fault in PROCESSES + DATABASE + CONNECTIONS + CLOCKS + NAMESPACES + ASKED_FOR}


def kinds(net):
    """Those that can happen there."""
    able = {fault.kind for fault in PROCESSES + DATABASE + CONNECTIONS + CLOCKS}
    if net == "namespaces":
        able |= {fault.kind for fault in NAMESPACES}
        if not glob.glob(f"/lib/modules/{os.uname().release}/kernel/net/sched/sch_netem.ko*"):
            able.discard(Delay.kind)  # only netem holds packets up
    return able


def draw(chance, faults):
    """One to three of these, which may overlap."""
    count = chance.choice([1, 1, 2, 2, 3])
    at = chance.uniform(1, 2.5)
    drawn = []
    for _ in range(count):
        drawn.append(chance.choice(faults)(chance, at))
        at += chance.choice([chance.uniform(0, 0.5), chance.uniform(0.5, 4)])
    return drawn
