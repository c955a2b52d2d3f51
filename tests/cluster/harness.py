"""A cluster of real processes on loopback, in a temporary folder: starts, kills and restarts them, registers tasks
through REST, and reads the ledger by SQL. It waits for conditions, never for a time, and ends only what it started.
"""

import atexit
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

import checker
from processes import (HOST, LIBC, POLL, Process, TimedOut, boot_to_utc, boot_us, children_of, end_in_order, end_with_parent,
                       free_port, is_alive, kill_server, program_environment, skip, state_of, utc_us, wait_for)
from rest import Refused, Rest
from stores import (ROOT, SERVERS, Galera, MySql, MySql9, NotInstalled, Redis, RedisCluster, RedisSentinel, Redlock, Sqlite,
                    ZooKeeper, ZooKeeperEnsemble)

# The tests take all of these from here.
__all__ = ["HOST", "LIBC", "POLL", "ROOT", "Cluster", "Galera", "MySql", "MySql9", "NotInstalled", "Process", "Redis", "RedisCluster",
           "RedisSentinel", "Redlock", "Refused", "Rest", "Sqlite", "TimedOut", "ZooKeeper", "ZooKeeperEnsemble", "boot_to_utc",
           "boot_us", "build_folder", "children_of", "end_in_order", "end_with_parent", "free_port", "is_alive", "kill_server",
           "program_environment", "state_of", "utc_us", "wait_for"]


def build_folder():
    return pathlib.Path(os.environ.get("BATON_BUILD", ROOT / "build/dev"))


class Cluster:
    def __init__(self, store="sqlite", own_server=False, keep=None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="baton-cluster-"))
        self.keep = bool(os.environ.get("BATON_KEEP")) if keep is None else keep
        self.baton = build_folder() / "bin/baton"
        self.recorder_program = build_folder() / "tests/cluster_recorder"
        self.processes = {}
        self.addresses = {}
        self.journal_file = self.folder / "journal"
        self.journal_file.touch()
        self.store = None
        self.rest = None
        self.ended = False
        atexit.register(self.end)
        self.store = self.open_store(store, own_server)
        if self.store.kind == "mysql":
            self.run_baton("migrate", environment={"BATON_DATABASE_URL": self.store.url})

    @classmethod
    def or_skip(cls, store):
        """A cluster on this store. Without the store's server the whole test counts as skipped."""
        try:
            return cls(store)
        except NotInstalled as failure:
            skip(failure)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self.keep = True
            print(f"kept for inspection: {self.folder}")
        self.end()

    def open_store(self, store, own_server):
        """`store` is "sqlite", a name in SERVERS, or a function that makes a store."""
        if callable(store):
            return store()
        return SERVERS[store](self.folder, own_server) if store in SERVERS else Sqlite(self.folder)

    # --- processes

    def run_baton(self, *arguments, within=30, environment=None):
        done = subprocess.run([self.baton, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=within, env=program_environment(environment))
        if done.returncode != 0:
            raise AssertionError(f"baton {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stdout}")
        return done.stdout

    def config(self, name, document):
        file = self.folder / f"{name}.json"
        file.touch(mode=0o600)  # the URL of a database has a password
        file.write_text(json.dumps(document, indent=2))
        return file

    def start(self, name, command, environment=None):
        process = Process(name, command, self.folder / f"{name}.log", environment)
        self.processes[name] = process
        return process.start()

    def start_trigger(self, name, environment=None, host=HOST, prefix=(), **more):
        port = free_port()
        self.addresses[name] = f"http://{host}:{port}"
        file = self.config(name, {"name": name, "listen": {"address": host, "port": port},
                                  "database": {"url": self.store.url}, **more})
        return self.start(name, [*prefix, self.baton, "trigger", "--config", file], environment)

    def start_web(self, name="web", **more):
        port = free_port()
        self.addresses[name] = f"http://{HOST}:{port}"
        self.rest = Rest(self.addresses[name])
        file = self.config(name, {"listen": {"port": port}, "database": {"url": self.store.url}, **more})
        return self.start(name, [self.baton, "web", "--config", file])

    def triggers(self):
        return [address for name, address in self.addresses.items() if not name.startswith("web")]

    def start_recorder(self, name, service="recorder", slots=8, environment=None):
        return self.start(name, [self.recorder_program, self.journal_file, service, slots, *self.triggers()], environment)

    def start_all(self, triggers=3, recorders=3):
        for number in range(1, triggers + 1):
            self.start_trigger(f"trigger-{number}")
        self.start_web()
        for number in range(1, recorders + 1):
            self.start_recorder(f"recorder-{number}")
        self.await_ready(triggers, recorders)
        return self

    def await_ready(self, triggers, recorders, within=30):
        try:
            wait_for("web is ready", lambda: self.rest.get("/readyz"), within)
            wait_for("a master and all nodes", lambda: self.master() and len(self.live_nodes()) == triggers, within)
            wait_for("all clients", lambda: len(self.live_clients()) == recorders, within)
        except TimedOut as failure:
            raise AssertionError(f"{failure}\n" + "\n".join(f"--- {process.name}\n{process.tail()}"
                                                            for process in self.processes.values())) from None

    def stop_gently(self, within=10):
        """SIGTERM to all processes; returns when they have ended, or after `within` seconds."""
        running = [process for process in self.processes.values() if process.alive()]
        for process in running:
            process.child.terminate()
        end = time.monotonic() + within
        while any(process.alive() for process in running) and time.monotonic() < end:
            time.sleep(POLL)

    def end(self):
        if self.ended:
            return
        self.ended = True
        for process in self.processes.values():
            process.end()
        if self.store is not None:
            self.store.end()
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    # --- through REST

    def live_nodes(self):
        return [node for node in self.rest.get("/api/v1/nodes")["items"] if node["alive"]]

    def master(self):
        """The name of the node that is master, or None."""
        return next((node["name"] for node in self.live_nodes() if node["master"]), None)

    def epoch(self):
        return self.rest.get("/api/v1/nodes")["lease"]["epoch"]

    def live_clients(self):
        return [client for client in self.clients() if client["state"] == "up"]

    def clients(self, **query):
        found, after = [], {}
        while True:
            page = self.rest.get("/api/v1/clients", **query, **after)
            found += page["items"]
            if page["next"] is None:
                return found
            after = {"after": page["next"]}

    def create(self, name, schedule, handler="note", service="recorder", **more):
        return self.rest.post("/api/v1/tasks",
                              {"name": name, "service": service, "handler": handler, "schedule": schedule, **more})

    def run_now(self, task, payload=None):
        body = {} if payload is None else {"payload": payload}
        return int(self.rest.post(f"/api/v1/tasks/{task['id']}/run", body)["execution"])

    def execution(self, execution):
        return self.rest.get(f"/api/v1/executions/{execution}")

    def await_state(self, execution, states, within):
        states = (states,) if isinstance(states, str) else states
        found = {}

        def reached():
            found.update(self.execution(execution))
            return found["state"] in states

        try:
            wait_for(f"execution {execution} is {' or '.join(states)}", reached, within)
        except TimedOut as late:
            raise TimedOut(f"{late}: {found}") from None
        return found

    def in_parallel(self, work, items, workers=8):
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            return list(pool.map(work, items))

    def disable_all(self, tasks):
        """Repeats an edit that is refused because the database is busy."""
        def disable(task):
            wait_for("a task is disabled", lambda: [self.rest.post(f"/api/v1/tasks/{task['id']}/disable")], 60)
        self.in_parallel(disable, tasks)

    # --- the ledger and the journal

    def ledger(self):
        versions = self.store.query("SELECT task_id, version, action, valid_from, definition, created_at "
                                    "FROM task_version")
        for version in versions:
            version["definition"] = json.loads(version["definition"])
        executions = self.store.query(
            "SELECT id, task_id, task_version, scheduled_at, run_key, cause, state, due_at, attempt, epoch, parent_id, "
            "shard_index, shard_total, reason, created_at, ended_at, node, client, started_at, finished_at, outcome, "
            "error, rerun_of FROM execution")
        attempts = self.store.query("SELECT execution_id, attempt, cause, epoch, client, outcome, error FROM attempt")
        return checker.Ledger(versions, executions, attempts)

    def open_count(self):
        return self.store.query("SELECT COUNT(*) AS many FROM execution WHERE due_at IS NOT NULL")[0]["many"]

    def journal(self):
        def whole():
            text = self.journal_file.read_text()
            return (text,) if not text or text.endswith("\n") else None

        # A read beside a write may see only the beginning of its line.
        text, = wait_for("the end of the last line of the journal", whole, 5)
        return checker.parse_journal(text)

    def deaths(self):
        return {pid: at for process in self.processes.values() for pid, at in process.deaths.items()}

    def await_none_late(self, tasks, within):
        """Waits until all that was due a second ago has ended. What a disable finds unsent, or in doubt, does not run."""
        numbers = ", ".join(str(int(task["id"])) for task in tasks)
        wait_for("every execution that was due has ended", lambda: not self.store.query(
            f"SELECT 1 AS one FROM execution WHERE task_id IN ({numbers}) AND due_at < {utc_us() - 1_000_000} LIMIT 1"),
            within)

    def end_firings(self, tasks, within):
        """Disables the tasks so that all that was due before has run, and waits until every execution has ended."""
        self.await_none_late(tasks, within)
        self.disable_all(tasks)
        last = max(row["valid_from"] for row in self.store.query("SELECT valid_from FROM task_version"))
        wait_for("the last definition holds", lambda: utc_us() > last, 10)
        self.await_all_ended(within)

    def await_all_ended(self, within):
        wait_for("every execution has ended", lambda: self.open_count() == 0, within)

    def verdict(self, must_succeed=True):
        return checker.check(self.ledger(), self.journal(), self.deaths(), utc_us(), must_succeed)
