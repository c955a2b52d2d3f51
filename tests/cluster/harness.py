"""A cluster of real processes on loopback, in a temporary folder: starts, kills and restarts them, registers tasks
through REST, and reads the ledger by SQL. It waits on conditions, never for a time, and ends only what it started.
"""

import atexit
import concurrent.futures
import ctypes
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

import checker

ROOT = pathlib.Path(__file__).resolve().parents[2]
HOST = "127.0.0.1"
POLL = 0.02


def boot_us():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def utc_us():
    return time.time_ns() // 1000


def boot_to_utc():
    """Microseconds to add to a boot time of now."""
    return min((utc_us() - boot_us() for _ in range(50)), key=abs)


class TimedOut(AssertionError):
    pass


class NotInstalled(Exception):
    pass


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """In a new child: dies when the harness does, however that ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_in_order(number, frame):
    """So that what is registered with atexit runs, to its end: timeout(1), for one, sends its signal twice."""
    signal.signal(signal.SIGTERM, lambda *again: None)
    sys.exit(143)


signal.signal(signal.SIGTERM, end_in_order)


def wait_for(what, condition, within):
    """The condition's first true value. What it raises while the processes come up counts as not yet."""
    end = time.monotonic() + within
    last = None
    while True:
        try:
            value = condition()
            if value:
                return value
            last = value
        except (OSError, Refused, sqlite3.OperationalError) as failure:
            last = failure
        if time.monotonic() > end:
            raise TimedOut(f"not within {within} s: {what} (last: {last!r})")
        time.sleep(POLL)


def children_of(pid):
    """The processes that a process has started and not yet reaped."""
    return [int(child) for thread in pathlib.Path(f"/proc/{pid}/task").iterdir()
            for child in (thread / "children").read_text().split()]


def state_of(pid):
    """As the kernel has it: R runs, S sleeps, T stopped, Z a zombie that nobody reaps, X gone."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return "X"


def is_alive(pid):
    return state_of(pid) not in "ZX"


def kill_server(pid, name):
    """Returns when it is gone, or is a zombie of somebody else's."""
    os.kill(pid, signal.SIGKILL)
    wait_for(f"the death of {name}", lambda: not is_alive(pid), 10)


def run_script(name, *words):
    done = subprocess.run([ROOT / "scripts" / name, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          check=True)
    return done.stdout.strip()


RESERVED = []  # for as long as this process lives


def free_port():
    """Below the ports that the kernel gives out itself, so that a killed process finds its own again; and never the same
    for two clusters at once: a name that only one process of a host can have says whose it is."""
    for _ in range(200):
        port = random.SystemRandom().randrange(20000, 32000)
        name = socket.socket(socket.AF_UNIX)
        with socket.socket() as probe:
            try:
                name.bind(f"\0baton-test-port-{port}")
                probe.bind((HOST, port))
            except OSError:
                name.close()
                continue
        RESERVED.append(name)
        return port
    raise RuntimeError("no free port")


class Refused(Exception):
    """An answer of 400 or above."""

    def __init__(self, status, body):
        super().__init__(f"{status}: {body}")
        self.status = status
        self.body = body


class Rest:
    def __init__(self, address, token=None):
        self.address = address
        self.token = token

    def call(self, method, path, body=None, headers=None, within=10):
        """(parsed body, headers) of the answer."""
        request = urllib.request.Request(self.address + path, method=method)
        for name, value in (headers or {}).items():
            request.add_header(name, value)
        if self.token:
            request.add_header("Authorization", "Bearer " + self.token)
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, data, timeout=within) as answer:
                text = answer.read()
                return (json.loads(text) if text else None), answer.headers
        except urllib.error.HTTPError as failure:
            raise Refused(failure.code, failure.read().decode(errors="replace")) from None

    def get(self, path, **query):
        return self.call("GET", path + ("?" + urllib.parse.urlencode(query) if query else ""))[0]

    def post(self, path, body=None, **more):
        return self.call("POST", path, body, **more)[0]


class Process:
    """One process of the cluster; restarted, it has another pid but the same name, command and log."""

    def __init__(self, name, command, log, environment=None):
        self.name = name
        self.command = [str(word) for word in command]
        self.log = pathlib.Path(log)
        self.environment = environment
        self.child = None
        self.deaths = {}  # pid to boot time, when it was known to be dead

    def start(self):
        with self.log.open("ab") as log:
            # A session of its own: Ctrl-C is for the harness, which then ends its children in order.
            self.child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                          env={**os.environ, **(self.environment or {})}, start_new_session=True,
                                          preexec_fn=end_with_parent)
        return self

    @property
    def pid(self):
        return self.child.pid

    def alive(self):
        return self.child is not None and self.child.poll() is None

    def tail(self, lines=15):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def kill(self):
        """SIGKILL; returns the boot time just before."""
        at = boot_us()
        self.child.kill()
        self.child.wait()
        self.deaths[self.pid] = boot_us()
        return at

    def terminate(self, within):
        """SIGTERM; the exit status."""
        self.child.terminate()
        try:
            status = self.child.wait(within)
        except subprocess.TimeoutExpired:
            raise TimedOut(f"{self.name} did not end within {within} s of SIGTERM\n{self.tail()}") from None
        self.deaths[self.pid] = boot_us()
        return status

    def freeze(self):
        """SIGSTOP, which takes a moment to reach every thread; returns the boot time just before."""
        at = boot_us()
        self.child.send_signal(signal.SIGSTOP)
        return at

    def thaw(self):
        """SIGCONT; returns the boot time just before."""
        at = boot_us()
        self.child.send_signal(signal.SIGCONT)
        return at

    def end(self):
        if self.alive():
            self.kill()


class MySql:
    """A private MariaDB of this run, or a database of its own on the server that BATON_TEST_MYSQL names."""
    kind = "mysql"

    def __init__(self, folder, own_server):
        self.folder = folder / "mariadb"
        shared = os.environ.get("BATON_TEST_MYSQL")
        self.own = own_server or not shared
        self.open(self.script("start") if self.own else shared)

    def open(self, server):
        """A new database on this server."""
        self.server = server
        parts = urllib.parse.urlsplit(self.server)
        self.connection = {"host": parts.hostname, "port": parts.port, "user": parts.username,
                           "password": urllib.parse.unquote(parts.password or "")}
        self.name = f"baton_cluster_{os.getpid()}_{random.SystemRandom().randrange(10**9)}"
        self.url = f"{self.server.rstrip('/')}/{self.name}"
        self.query(f"CREATE DATABASE {self.name}", database=None)

    def script(self, command):
        done = subprocess.run([ROOT / "scripts/private-mariadb", command, self.folder], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def connect(self, database):
        import pymysql
        try:
            return pymysql.connect(database=database, autocommit=True, connect_timeout=2, read_timeout=30,
                                   charset="utf8mb4", **self.connection)
        except pymysql.err.Error as failure:
            raise OSError(str(failure)) from None

    def query(self, sql, database=...):
        connection = self.connect(self.name if database is ... else database)
        with connection, connection.cursor() as cursor:
            cursor.execute(sql)
            names = [column[0] for column in cursor.description or ()]
            return [dict(zip(names, values)) for values in cursor.fetchall()]

    def server_pid(self):
        """Of the server that this run started."""
        return int((self.folder / "server.pid").read_text())

    def kill(self):
        """SIGKILL of the server."""
        pid = self.server_pid()
        at = boot_us()
        kill_server(pid, "mariadbd")
        return at

    def last_words(self):
        log = self.folder / "server.log"
        return log.read_text(errors="replace").splitlines()[-10:] if log.exists() else []

    def restart(self):
        self.script("start")
        return boot_us()

    def end(self):
        if self.own:
            self.script("stop")
        else:
            self.query(f"DROP DATABASE {self.name}", database=None)


class Galera(MySql):
    """Three private nodes of this run, or a database of its own on the nodes that BATON_TEST_GALERA names. What goes
    wrong does so with the first."""

    def __init__(self, folder, own_server):
        self.folder = folder / "galera"
        shared = os.environ.get("BATON_TEST_GALERA")
        self.own = own_server or not shared
        servers = self.script("start").split() if self.own else shared.split(",")
        self.open(servers[0])
        self.urls = [f"{server.rstrip('/')}/{self.name}" for server in servers]

    def script(self, *words):
        done = subprocess.run([ROOT / "scripts/private-galera", words[0], self.folder, *words[1:]],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        if done.returncode == 3:
            raise NotInstalled("Galera is not installed")
        done.check_returncode()
        return done.stdout.strip()

    def kill(self):
        at = boot_us()
        self.script("kill", "1")
        return at

    def restart(self):
        self.script("restart", "1")
        return boot_us()


class Redis:
    """A private Redis of this run that writes down what it does before it answers, or a database of its own on the
    server that BATON_TEST_REDIS names."""
    kind = "redis"

    def __init__(self, folder, own_server):
        self.folder = folder / "redis"
        shared = os.environ.get("BATON_TEST_REDIS")
        self.own = own_server or not shared
        server = self.script("start", *self.DURABLE) if self.own else shared
        parts = urllib.parse.urlsplit(server)
        self.connection = {"host": parts.hostname, "port": parts.port}
        self.url = f"{server.rstrip('/')}/{random.SystemRandom().randrange(1, 16)}"
        subprocess.run(["redis-cli", "-u", self.url, "FLUSHDB"], stdout=subprocess.DEVNULL, check=True)

    DURABLE = ("--appendonly", "yes", "--appendfsync", "always")

    def script(self, command, *options):
        done = subprocess.run([ROOT / "scripts/private-redis", command, self.folder, *options],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def kill(self):
        """SIGKILL of the server."""
        pid = int((self.folder / "server.pid").read_text())
        at = boot_us()
        kill_server(pid, "redis-server")
        return at

    def restart(self):
        self.script("start", *self.DURABLE)
        return boot_us()

    def end(self):
        if self.own:
            self.script("stop")


class Redlock:
    """Three of them that know nothing of each other. What goes wrong does so with one."""
    kind = "redlock"

    def __init__(self, folder, own_server):
        self.all = [Redis(folder / f"server-{number}", own_server=True) for number in range(3)]
        self.connection = self.all[-1].connection
        self.url = "redlock://" + ",".join(f"{each.connection['host']}:{each.connection['port']}" for each in self.all)
        self.url += "/0"

    def kill(self):
        return self.all[0].kill()

    def restart(self):
        return self.all[0].restart()

    def end(self):
        for each in self.all:
            each.end()


class RedisSentinel:
    """A master with two replicas and three sentinels of this run, of which the master goes wrong."""
    kind = "redis-sentinel"

    def __init__(self, folder, own_server):
        self.folder = folder / "sentinel"
        self.url = run_script("private-redis-sentinel", "start", self.folder, "500")

    def master(self):
        return pathlib.Path(run_script("private-redis-sentinel", "master", self.folder))

    def kill(self):
        """SIGKILL of the master."""
        self.victim = self.master()
        kill_server(int((self.victim / "server.pid").read_text()), "redis-server")

    def restart(self):
        """Not before it was replaced: it would come back as the master, with nothing."""
        wait_for("another master", lambda: self.master() != self.victim, 30)
        run_script("private-redis", "start", self.victim)

    def end(self):
        run_script("private-redis-sentinel", "stop", self.folder)


class RedisCluster:
    """Three masters of this run without replicas."""
    kind = "redis-cluster"

    def __init__(self, folder, own_server):
        self.folder = folder / "cluster"
        self.url = run_script("private-redis-cluster", "start", self.folder)

    def end(self):
        run_script("private-redis-cluster", "stop", self.folder)


class ZooKeeper:
    """A private ZooKeeper of this run, or a node of its own on the server that BATON_TEST_ZOOKEEPER names."""
    kind = "zookeeper"
    tick = 0.5  # seconds; a session ends at the first tick after its time

    def __init__(self, folder, own_server):
        self.folder = folder / "zookeeper"
        shared = os.environ.get("BATON_TEST_ZOOKEEPER")
        self.own = own_server or not shared
        self.server = self.script("start") if self.own else shared
        parts = urllib.parse.urlsplit(self.server)
        self.connection = {"host": parts.hostname, "port": parts.port}
        self.url = f"{self.server.rstrip('/')}/cluster-{os.getpid()}-{random.SystemRandom().randrange(10**9)}"

    def script(self, command):
        done = subprocess.run([ROOT / "scripts/private-zookeeper", command, self.folder], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, check=True)
        return done.stdout.strip()

    def kill(self):
        """SIGKILL of the server."""
        pid = int((self.folder / "server.pid").read_text())
        kill_server(pid, "ZooKeeper")

    def restart(self):
        self.script("start")

    def end(self):
        if self.own:
            self.script("stop")


class ZooKeeperEnsemble:
    """Three servers of this run, or a node of its own on the ensemble that BATON_TEST_ZOOKEEPER_ENSEMBLE names. What goes
    wrong does so with the leader and one that is not, in turn."""
    kind = "zookeeper-ensemble"
    tick = ZooKeeper.tick

    def __init__(self, folder, own_server):
        self.folder = folder / "ensemble"
        shared = os.environ.get("BATON_TEST_ZOOKEEPER_ENSEMBLE")
        self.own = own_server or not shared
        servers = self.script("start") if self.own else shared
        self.url = f"{servers.rstrip('/')}/cluster-{os.getpid()}-{random.SystemRandom().randrange(10**9)}"
        self.leader_next = True

    def script(self, command):
        return run_script("private-zookeeper-ensemble", command, self.folder)

    def leads(self, node):
        return "Mode: leader" in run_script("private-zookeeper", "ask", node, "srvr")

    def kill(self):
        """SIGKILL of one server."""
        victim = next(each for each in self.folder.glob("node-?") if self.leads(each) == self.leader_next)
        self.leader_next = not self.leader_next
        kill_server(int((victim / "server.pid").read_text()), "ZooKeeper")

    def restart(self):
        self.script("start")

    def end(self):
        if self.own:
            self.script("stop")


class Sqlite:
    kind = "sqlite"

    @staticmethod
    def last_words():
        return []

    def __init__(self, folder):
        self.file = folder / "baton.db"
        self.url = f"sqlite:{self.file}"

    def query(self, sql):
        connection = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True, timeout=10)
        try:
            connection.row_factory = sqlite3.Row
            return [dict(row) for row in connection.execute(sql)]
        finally:
            connection.close()

    def hold(self, seconds):
        """A foreign program that locks the whole file; the boot times at which it had it and gave it back."""
        connection = sqlite3.connect(self.file, timeout=30, isolation_level=None)
        try:
            connection.execute("BEGIN EXCLUSIVE")
            began = boot_us()
            time.sleep(seconds)
            connection.execute("ROLLBACK")
            return began, boot_us()
        finally:
            connection.close()

    def end(self):
        pass


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
            self.run_baton("migrate", "--database", self.store.url)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        if kind is not None:
            self.keep = True
            print(f"kept for inspection: {self.folder}")
        self.end()

    def open_store(self, store, own_server):
        """"mysql", "sqlite", or a function that makes a store."""
        if callable(store):
            return store()
        return MySql(self.folder, own_server) if store == "mysql" else Sqlite(self.folder)

    # --- processes

    def run_baton(self, *arguments, within=30):
        done = subprocess.run([self.baton, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=within)
        if done.returncode != 0:
            raise AssertionError(f"baton {' '.join(map(str, arguments))}: status {done.returncode}\n{done.stdout}")
        return done.stdout

    def config(self, name, document):
        file = self.folder / f"{name}.json"
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
        """SIGTERM to all, and a while to end in."""
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

    # --- what REST says

    def live_nodes(self):
        return [node for node in self.rest.get("/api/v1/nodes")["items"] if node["alive"]]

    def master(self):
        """The name of the node that is master, or None."""
        return next((node["name"] for node in self.live_nodes() if node["master"]), None)

    def epoch(self):
        return self.rest.get("/api/v1/nodes")["lease"]["epoch"]

    def live_clients(self):
        return [client for client in self.rest.get("/api/v1/clients")["items"] if client["state"] == "up"]

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
        """A busy database may be too slow for an edit, which is then refused: again."""
        def disable(task):
            wait_for("a task is disabled", lambda: [self.rest.post(f"/api/v1/tasks/{task['id']}/disable")], 60)
        self.in_parallel(disable, tasks)

    # --- what really is

    def ledger(self):
        versions = self.store.query("SELECT task_id, version, action, valid_from, definition, created_at "
                                    "FROM task_version")
        for version in versions:
            version["definition"] = json.loads(version["definition"])
        executions = self.store.query(
            "SELECT id, task_id, task_version, scheduled_at, run_key, cause, state, due_at, attempt, epoch, parent_id, "
            "shard_index, shard_total, reason, created_at, ended_at, node, client, started_at, finished_at, outcome, "
            "error FROM execution")
        attempts = self.store.query("SELECT execution_id, attempt, cause, epoch, client, outcome, error FROM attempt")
        return checker.Ledger(versions, executions, attempts)

    def open_count(self):
        return self.store.query("SELECT COUNT(*) AS many FROM execution WHERE due_at IS NOT NULL")[0]["many"]

    def journal(self):
        return checker.parse_journal(self.journal_file.read_text())

    def deaths(self):
        return {pid: at for process in self.processes.values() for pid, at in process.deaths.items()}

    def await_all_ended(self, within):
        wait_for("every execution has ended", lambda: self.open_count() == 0, within)

    def verdict(self, must_succeed=True):
        return checker.check(self.ledger(), self.journal(), self.deaths(), utc_us(), must_succeed)
