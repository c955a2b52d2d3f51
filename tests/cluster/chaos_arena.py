"""The processes, connections and clocks of a run that faults may hit."""

import contextlib
import threading
import time

import chaos_faults


class Arena:
    """The targets of faults. No two faults hit the same process or the same connection at once."""

    def __init__(self, run):
        self.cluster = run.cluster
        self.run = run
        self.complaints = []
        self.database = threading.RLock()
        self.taken = set()
        self.mutex = threading.Lock()

    def complain(self, words):
        self.complaints.append(words)

    def names(self, role):
        if role == "client":
            return [name for name in self.cluster.processes if name.startswith("recorder")]
        leader = self.run.leader()
        nodes = [name for name in self.cluster.processes if name.startswith("trigger")]
        if role == "master":
            return [leader] if leader else []
        return [name for name in nodes if name != leader]

    def await_one(self, role, what):
        """A fault of another may have left no master for the moment."""
        end = time.monotonic() + 2
        while True:
            with self.mutex:
                names = sorted(name for name in self.names(role) if (what, name) not in self.taken)
                if names:
                    name = self.run.chance.choice(names)
                    self.taken.add((what, name))
                    return name
            if time.monotonic() > end:
                raise chaos_faults.Skipped(f"no {role} is free")
            time.sleep(0.05)

    @contextlib.contextmanager
    def one(self, role, what):
        name = self.await_one(role, what)
        try:
            yield name
        finally:
            with self.mutex:
                self.taken.discard((what, name))

    @contextlib.contextmanager
    def one_process(self, role):
        with self.one(role, "process") as name:
            yield self.cluster.processes[name]

    @contextlib.contextmanager
    def one_clock(self, role):
        with self.one(role, "clock") as name:
            yield name, self.run.clocks[name]

    @contextlib.contextmanager
    def one_way(self, role):
        with self.one(role, "way") as name:
            yield name, self.run.network.ways[name]
