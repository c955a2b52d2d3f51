"""The processes of one run: a separate database on the benchmark's server, nodes, web and one counting client."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/cluster"))

import harness  # noqa: E402
from stores import servers  # noqa: E402

from judge import parse_starts  # noqa: E402

# Full durability, and the memory of a working server.
SERVER_OPTIONS = ["--innodb-buffer-pool-size=2G", "--innodb-log-file-size=2G", "--innodb-flush-log-at-trx-commit=1",
                  "--innodb-doublewrite=ON", "--skip-log-bin", "--max-allowed-packet=64M", "--max-connections=300",
                  "--innodb-monitor-enable=trx_rw_commits"]
IDLE_SHARE = 0.05  # of a core, used by an idle server
# Log lines that void a run: a node refused a message of the load, or counted its client as gone.
VOIDING = ("a client's message is refused", "it counts as gone", "a client counts as gone")
MOST_TOLD = 3  # lines
IDLE_MIB = 2  # per second, written by an idle server


class Server:
    """A MariaDB for all runs of a benchmark, in a temporary folder."""

    def __init__(self, patience):
        """`patience`: seconds to wait at most for the server to be idle."""
        self.patience = patience
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="baton-bench-"))
        self.server = servers.MariaDb(self.folder, options=SERVER_OPTIONS)
        self.url = self.server.start()
        os.environ["BATON_TEST_MYSQL"] = self.url
        self.pid = self.server.pid()

    def await_idle(self):
        """Waits until the server has purged and written its pages and the disk has discarded deleted files. Until then
        commits take a hundred times as long."""
        from gauges import Processors, disk_mib
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            gauge, before = Processors({"mariadbd": self.pid}), disk_mib()
            time.sleep(1)
            if gauge.read()["mariadbd"]["cores"] < IDLE_SHARE and disk_mib() - before < IDLE_MIB:
                return
        if self.patience > 0:
            print(f"the server is still busy after {self.patience} s", file=sys.stderr)

    def end(self):
        self.server.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Stage(harness.Cluster):
    """Nodes, web and the client of one run; `with` ends them all."""

    def __init__(self, server, options):
        super().__init__(store="mysql")
        self.server = server
        self.options = options
        self.starts_file = self.folder / "starts"

    def run_program(self, name, *arguments, within=600):
        """Runs a program of this folder and returns its output."""
        done = subprocess.run([harness.build_folder() / "bench" / name, *map(str, arguments)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, check=True, timeout=within)
        return done.stdout

    def begin(self, triggers=1, web=False, room=0):
        """Returns when there is a master, all nodes see each other, and the client is up."""
        for number in range(1, triggers + 1):
            self.start_trigger(f"trigger-{number}", **self.options.trigger)
        if web:
            self.start_web(log={"level": "warn"})
        self.start_client("client", getattr(self.options, "client", None), self.starts_file, room)
        try:
            harness.wait_for("a master, all nodes and the client", lambda: self.ready(triggers), 30)
        except harness.TimedOut as failure:
            raise AssertionError(f"{failure}\n" + "\n".join(
                f"--- {process.name}\n{process.tail()}" for process in self.processes.values())) from None
        return self

    def start_client(self, name, environment=None, starts_file="/dev/null", room=0):
        """A counting client. One whose record is of no interest ends with status 3, for want of room."""
        program = harness.build_folder() / "bench/bench_client"
        return self.start(name, [program, starts_file, room, self.options.slots, *self.triggers()], environment)

    def ready(self, triggers):
        roles = [row["role"] for row in self.store.query("SELECT role FROM node")]
        clients = self.store.query("SELECT COUNT(*) AS many FROM client WHERE state = 'up'")[0]["many"]
        return len(roles) == triggers and "master" in roles and clients == 1

    def pids(self):
        return {"mariadbd": self.server.pid, **{name: process.pid for name, process in self.processes.items()}}

    def await_ended(self, until, within):
        """Seconds until every execution that is due before `until` has ended; None if that is not within the limit."""
        began = time.monotonic()
        try:
            harness.wait_for("the end of all that is due", lambda: self.nothing_open(until), within)
        except harness.TimedOut:
            return None
        return time.monotonic() - began

    def nothing_open(self, until):
        unplanned = self.store.query(f"SELECT 1 AS one FROM task WHERE next_fire_at < {until} LIMIT 1")
        return not unplanned and not self.store.query(f"SELECT 1 AS one FROM execution WHERE due_at < {until} LIMIT 1")

    def load_faults(self):
        """The log lines of the nodes that void the run."""
        found = []
        for name, process in self.processes.items():
            if name.startswith("trigger-"):
                found += [f"{name}: {line}" for line in process.log.read_text(errors="replace").splitlines()
                          if any(words in line for words in VOIDING)]
        return found[:MOST_TOLD]

    def starts(self):
        """Ends the client and returns its record."""
        status = self.processes["client"].terminate(60)
        if status != 0:
            raise AssertionError(f"the client ended with status {status}\n{self.processes['client'].tail()}")
        return parse_starts(self.starts_file.read_bytes())

    def rows(self, since):
        """(id, task_id, scheduled_at, state, attempt, ended_at) of all executions that were due since then."""
        import pymysql.cursors
        connection = self.store.connect(self.store.name)
        with connection, connection.cursor(pymysql.cursors.SSCursor) as cursor:
            cursor.execute("SELECT id, task_id, scheduled_at, state, attempt, ended_at FROM execution "
                           f"WHERE scheduled_at >= {since}")
            return list(cursor)
