"""One run: a cluster of real processes, a schedule that fires all the while, faults, and the verdict of both judges."""

import contextlib
import os
import pathlib
import random
import signal
import threading
import time

import chaos_actions
import chaos_arena
import chaos_faults
import chaos_neighbours
import chaos_policies
import checker
import election_checker as judge
import faults as campaigns
import harness
from stores import servers

LEAST_SECONDS = 12
SETTLES_WITHIN = 120
TASKS = 50
CLIENTS = 2
LAST_RESORT = 70  # exit status of a node whose lost term did not drain (docs/election.md)
AUDIT = """
CREATE TABLE chaos_audit (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, at BIGINT NOT NULL,
    epoch BIGINT NOT NULL, owner VARCHAR(128) NULL, seq BIGINT NOT NULL) ENGINE=InnoDB"""
STALL = 300 * judge.MILLI  # a commit that takes longer, of a row that no other session touches
PROBE = "CREATE TABLE chaos_probe (id INT NOT NULL PRIMARY KEY, commits BIGINT NOT NULL) ENGINE=InnoDB"
AUDIT_TRIGGER = """
CREATE TRIGGER chaos_audit AFTER UPDATE ON `lock` FOR EACH ROW
    INSERT INTO chaos_audit (at, epoch, owner, seq)
    VALUES (CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED), NEW.version, NEW.owner, NEW.renew_seq)"""


class Clock:
    """The wall clock that a process sees: libfaketime adds what the file says. The boot clock it leaves alone."""

    def __init__(self, file):
        self.file = pathlib.Path(file)
        self.step(0)

    def step(self, seconds):
        fresh = self.file.with_suffix(".new")
        fresh.write_text(f"{seconds:+f}s\n")
        fresh.rename(self.file)

    def environment(self):
        library, = pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1")
        return {"LD_PRELOAD": str(library), "FAKETIME_TIMESTAMP_FILE": str(self.file), "FAKETIME_NO_CACHE": "1",
                "FAKETIME_DONT_FAKE_MONOTONIC": "1"}


class Server(harness.MySql):
    """A server that outlives the run. Each run has a separate database on it, and may kill and restart it."""

    audit_order = "id"  # the lock row's own lock makes the order of these the order of commits

    def __init__(self, folder, faked):
        self.folder = folder.with_name(folder.name + "-clock") if faked else folder
        self.folder.mkdir(parents=True, exist_ok=True)
        self.clock = Clock(self.folder / "clock") if faked else None
        self.environment = self.clock.environment() if faked else {}
        self.own = False
        self.prepare()
        self.open(self.private_server().start())

    def address(self, number):
        """Where the node of baton of this number finds it."""
        return self.connection["host"], self.connection["port"]

    def prepare(self):
        """Before it is started."""

    def private_server(self):
        return servers.MariaDb(self.folder, environment=self.environment)

    def freeze(self):
        os.kill(self.server_pid(), signal.SIGSTOP)

    def thaw(self):
        os.kill(self.server_pid(), signal.SIGCONT)


def stop_servers(folder):
    """Stops the server of this folder, and those beside it with a faked clock, or a small disk, or both."""
    for each in (folder, folder + "-clock", folder + "-disk", folder + "-disk-clock"):
        servers.MariaDb(each).stop()


class NoVerdict(Exception):
    """The database was gone for good, so that nothing can be judged."""


class Run:
    def __init__(self, seed, drawn, store, guarded, network, tasks=TASKS):
        self.seed = seed
        self.chance = random.Random(f"{seed}/run")
        self.drawn = drawn
        self.guarded = guarded
        self.tasks = tasks
        self.network = network
        self.cluster = harness.Cluster(store)
        self.clocks = {}
        self.skipped = []
        self.judged = set()  # the numbers of the tasks that are judged
        self.policies = chaos_policies.Policies(self.cluster)
        self.actions = chaos_actions.Actions(self.cluster, seed)
        self.over = threading.Event()
        self.stalls = []  # (begin, end) of the runner's own commits that took long

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self.cluster.keep = True
        with contextlib.suppress(Exception):
            self.cluster.store.thaw()
        self.cluster.end()
        self.network.end()
        self.over.set()

    # --- the cluster

    def history_file(self, name):
        return self.cluster.folder / f"history-{name}"

    def start(self):
        cluster = self.cluster
        store = cluster.store
        store.query(PROBE)
        store.query("INSERT INTO chaos_probe VALUES (1, 0)")
        store.query(AUDIT)
        store.query(AUDIT_TRIGGER)
        for number in (1, 2, 3):
            name = f"trigger-{number}"
            host, prefix, database = self.network.join(name, store.address(number))
            if any(fault.needs_clock == "node" for fault in self.drawn):
                self.clocks[name] = Clock(cluster.folder / f"clock-{name}")
            environment = self.clocks[name].environment() if name in self.clocks else None
            url = "mysql://{user}:{password}@{0}:{1}/{2}".format(*database, store.name, **store.connection)
            token = {"token": self.network.token} if self.network.token else {}
            cluster.start_trigger(name, environment, host, prefix, database={"url": url},
                                  election_trace=str(self.history_file(name)), **token)
        cluster.start_web()
        environment = {"RECORDER_LISTEN": self.network.host}
        if self.network.token:
            environment["RECORDER_TOKEN"] = self.network.token
        for number in range(CLIENTS):
            cluster.start_recorder(f"recorder-{number + 1}", environment=environment)
        for number in range(chaos_actions.CLIENTS):
            cluster.start_recorder(f"recorder-{chaos_actions.SERVICE}-{number + 1}", chaos_actions.SERVICE,
                                   chaos_actions.SLOTS, environment)
        cluster.await_ready(3, CLIENTS + chaos_actions.CLIENTS)

    def register(self):
        """Most handlers do nothing; some take a while, so that deaths find them at it."""
        def create(number):
            schedule = campaigns.make_schedule(random.Random(f"{self.seed}/{number}"))
            nap = {"handler": "nap", "payload": {"ms": 150}} if number % 10 == 0 else {}
            return self.cluster.create(f"tick {number}", schedule, max_deaths=1000, **nap)
        tasks = self.cluster.in_parallel(create, list(range(self.tasks)))
        self.judged = {int(task["id"]) for task in tasks}
        self.actions.register()
        return tasks + self.policies.register()

    def events(self):
        found = []
        for name in self.cluster.processes:
            if self.history_file(name).exists():
                text = self.history_file(name).read_text()
                found += judge.parse_history(text[:text.rfind("\n") + 1])
        return found

    def leader(self):
        """The name of the live node that became master last, or None if no live node considers itself master."""
        events = self.events()
        pids = {event.incarnation: int(event.fields["pid"]) for event in events if event.what == "start"}
        last = {event.incarnation: event for event in events if event.what == "trust"}
        now = chaos_faults.now()
        believers = [event for event in last.values() if event.fields["by"] != "lost" and judge.deadline(event) > now
                     and harness.is_alive(pids[event.incarnation])]
        return max(believers, key=lambda event: event.epoch).node if believers else None

    # --- the run

    def go(self):
        self.start()
        tasks = self.register()
        for fault in self.drawn:
            fault.prepare(self)
        arena = chaos_arena.Arena(self)
        began = time.monotonic()
        for fault in self.drawn:
            threading.Thread(target=self.inject, args=(fault, arena, began), daemon=True).start()
        threading.Thread(target=self.watch_server, daemon=True).start()
        if not self.clock_steps():
            self.actions.start()
        last = max((fault.at + fault.span for fault in self.drawn), default=0)
        end = began + max(LEAST_SECONDS, last + 3)
        while time.monotonic() < end or not all(fault.over.is_set() for fault in self.drawn):
            self.tend(arena)
            time.sleep(0.05)
        return self.judge(arena.complaints + self.settle(tasks))

    def watch_server(self):
        """Tells a stall of the machine, or of the server, from one that the cluster makes for itself."""
        while not self.over.wait(0.1):
            asked = chaos_faults.now()
            with contextlib.suppress(Exception):  # the server is killed by some faults
                self.cluster.store.query("UPDATE chaos_probe SET commits = commits + 1 WHERE id = 1")
            if (answered := chaos_faults.now()) - asked > STALL:
                self.stalls.append((asked, answered))

    def clock_steps(self):
        """Whether edits would take effect an hour ahead."""
        return any(fault.needs_clock == "database" for fault in self.drawn)

    def measure(self, make, count, span):
        """The same fault again and again, with the cluster whole in between; the figures of each (chaos.figure)."""
        self.start()
        tasks = self.register()
        arena = chaos_arena.Arena(self)
        self.drawn = []
        for _ in range(count):
            time.sleep(self.chance.uniform(1.5, 2.5))  # so that it comes at any time of a tick
            fault = make(self.chance, 0)
            fault.span = chaos_faults.MEASURED.get(fault.kind, fault.span) if span is None else span
            if isinstance(fault, chaos_faults.OfConnection):
                fault.role, fault.changes = "master", 1
            fault.inject(arena)
            self.drawn.append(fault)
            harness.wait_for("a master and all nodes", lambda: self.leader() and len(self.cluster.live_nodes()) == 3, 30)
            harness.wait_for("what fell due meanwhile has ended", lambda: self.overdue() == 0, 30)
        time.sleep(2)
        return self.judge(arena.complaints + self.settle(tasks))

    def tend(self, arena):
        """Restarts a node that its last resort ended because its term did not drain, like a supervisor."""
        for name, process in self.cluster.processes.items():
            if ("process", name) in arena.taken or process.alive() or not name.startswith("trigger"):
                continue
            status = process.child.returncode
            if status != LAST_RESORT:
                arena.complain(f"{name} ended with status {status}")
            self.skipped.append(f"{name} ended with status {status}, and was started again")
            process.deaths[process.pid] = harness.boot_us()
            process.start()

    def of_tasks(self, numbers, select):
        """The rows of these tasks, of which neighbours have no part."""
        among = ", ".join(map(str, numbers))
        return self.cluster.store.query(f"{select} {'AND' if 'WHERE' in select else 'WHERE'} task_id IN ({among})")

    def overdue(self):
        """How many executions were due half a second ago. Those that a disable finds unsent, or in doubt, do not run."""
        return self.of_tasks(self.judged, "SELECT COUNT(*) AS many FROM execution "
                                          f"WHERE due_at < {harness.utc_us() - 500_000}")[0]["many"]

    def await_all_ended(self):
        numbers = self.judged | self.policies.kinds.keys()
        last = self.of_tasks(numbers, "SELECT MAX(valid_from) AS at FROM task_version")[0]["at"]
        harness.wait_for("the last definition holds", lambda: harness.utc_us() > last, 10)
        harness.wait_for("every execution has ended", lambda: not self.of_tasks(
            numbers, "SELECT 1 AS one FROM execution WHERE due_at IS NOT NULL"), SETTLES_WITHIN)

    def all_clients(self):
        """Those that are no neighbours are back."""
        found = [client["service"] for client in self.cluster.live_clients()
                 if not client["instance"].startswith("neighbour:")]
        return (found.count(chaos_neighbours.JUDGED) >= CLIENTS
                and found.count(chaos_actions.SERVICE) >= chaos_actions.CLIENTS)

    def inject(self, fault, arena, began):
        time.sleep(max(0, began + fault.at - time.monotonic()))
        try:
            fault.inject(arena)
        except chaos_faults.Skipped as why:
            self.skipped.append(f"{fault.kind}: {why}")
        except Exception as failure:
            arena.complain(f"{fault.kind} could not be done: {failure!r}")
        fault.over.set()
        self.over.wait()  # a process dies with the thread that started it (harness.end_with_parent)

    def settle(self, tasks):
        """Everybody is back, and everything that fell due has ended."""
        cluster = self.cluster
        try:
            harness.wait_for("a master and all nodes",
                             lambda: cluster.master() and len(cluster.live_nodes()) == 3, 30)
            harness.wait_for("all clients", self.all_clients, 30)
            if not self.clock_steps():
                harness.wait_for("what fell due has ended", lambda: self.overdue() == 0, 30)
            self.ends = chaos_faults.now()
            cluster.disable_all(tasks)
            problems = self.actions.finish()
            self.await_all_ended()
            return problems
        except harness.TimedOut as late:
            self.ends = chaos_faults.now()
            return [str(late)]

    def judge(self, problems):
        cluster = self.cluster
        try:
            rows = cluster.ledger()
        except OSError as failure:
            raise NoVerdict("; ".join([*problems, *cluster.store.last_words(), f"no ledger: {failure}"])) from failure
        journal, deaths = cluster.journal(), cluster.deaths()
        problems += self.policies.problems(rows, journal, deaths)
        problems += self.actions.problems(journal, deaths, self.drawn)
        self.skipped.append(self.actions.summary())
        if self.stalls:
            self.skipped.append(f"{len(self.stalls)} commits of the runner took over {STALL // judge.MILLI} ms")
        judged = rows.of(self.judged)
        starts = self.lines_of(judged, journal)
        ledger = checker.check(judged, starts, deaths, harness.utc_us())
        if ledger.expected < self.tasks * (LEAST_SECONDS - 3):
            problems.append(f"only {ledger.expected} firings were expected")
        record = self.record(starts, problems + ledger.problems)
        return record, judge.check(record), ledger

    @staticmethod
    def lines_of(ledger, journal):
        numbers = {row["id"] for row in ledger.executions}
        return [line for line in journal if line.execution in numbers]

    def record(self, journal, problems):
        events = self.events()
        pids = {int(event.fields["pid"]): event.incarnation for event in events if event.what == "start"}
        deaths = {pids[pid]: at * 1000 for pid, at in self.cluster.deaths().items() if pid in pids}
        done = [fault for fault in self.drawn if fault.began]
        record = judge.Record(
            events=events, commits=self.commits(), starts=self.starts(journal), deaths=deaths, ends=self.ends, ledger=problems,
            faults=[fault.record(self.guarded) for fault in done if not fault.neighbour],
            neighbours=[fault.span_record() for fault in done if fault.neighbour],
            ttl=round(chaos_faults.TTL * judge.SECOND), guard=round(chaos_faults.GUARD * judge.SECOND),
            settle=round((chaos_faults.EXPIRY + 0.5) * judge.SECOND), stalls=list(self.stalls))
        self.excuse_slaves(record)
        return record

    @staticmethod
    def excuse_slaves(record):
        """A fault of a slave may end a term if the slave is master before it is over."""
        for fault in record.faults:
            led = any(event.node == fault.node and event.what == "trust" and event.fields["by"] != "lost"
                      and fault.began <= event.at <= fault.ended for event in record.events)
            fault.changes = max(fault.changes, 1 if led else 0)

    def commits(self):
        offset = harness.boot_to_utc()
        store = self.cluster.store
        rows = store.query(f"SELECT at, epoch, owner, seq FROM chaos_audit ORDER BY {store.audit_order}")
        faked = self.clock_steps()
        return [judge.Commit(row["epoch"], row["owner"], row["seq"], None if faked else (row["at"] - offset) * 1000)
                for row in rows]

    @staticmethod
    def starts(journal):
        offset = harness.boot_to_utc()
        return [judge.Start(line.boot_us * 1000, checker.process_of(line.instance), line.execution, line.epoch,
                            (line.scheduled_at - offset) * 1000)
                for line in journal if line.what == "start"]
