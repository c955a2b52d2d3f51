"""The stores of a test: a private server, or a separate database on a server that BATON_TEST_* names.

A test with `own_server` may kill the server.
"""

import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import time
import urllib.parse

from processes import boot_us, kill_server, reserve, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import servers  # noqa: E402
from servers import NotInstalled  # noqa: E402, F401


def random_number(limit):
    return random.SystemRandom().randrange(limit)


class MySql:
    """A database on a server of the MySQL protocol: MariaDB."""
    kind = "mysql"
    server_class = servers.MariaDb
    shared = "BATON_TEST_MYSQL"
    folder_name = "mariadb"

    def __init__(self, folder, own_server=False):
        self.folder = folder / self.folder_name
        shared = os.environ.get(self.shared)
        self.own = own_server or not shared
        self.open(self.private_server().start() if self.own else shared)

    def private_server(self):
        return self.server_class(self.folder)

    def open(self, server):
        """Makes a new database on this server."""
        self.server = server
        parts = urllib.parse.urlsplit(self.server)
        self.connection = {"host": parts.hostname, "port": parts.port, "user": parts.username,
                           "password": urllib.parse.unquote(parts.password or "")}
        self.name = f"baton_cluster_{os.getpid()}_{random_number(10**9)}"
        self.url = f"{self.server.rstrip('/')}/{self.name}"
        self.query(f"CREATE DATABASE {self.name}", database=None)

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
        """The process id of the server that this test started."""
        return int((self.folder / "server.pid").read_text())

    def kill(self):
        """SIGKILL of the server. Returns the boot time just before."""
        pid = self.server_pid()
        at = boot_us()
        kill_server(pid, "the database server")
        return at

    def last_words(self):
        """The end of the server's log."""
        log = self.folder / "server.log"
        return log.read_text(errors="replace").splitlines()[-10:] if log.exists() else []

    def restart(self):
        self.private_server().start()
        return boot_us()

    def end(self):
        if self.own:
            self.private_server().stop()
        else:
            self.query(f"DROP DATABASE {self.name}", database=None)


class MySql9(MySql):
    """The same on MySQL itself."""
    server_class = servers.MySql
    shared = "BATON_TEST_MYSQL9"
    folder_name = "mysql"


class Galera(MySql):
    """A database on three nodes of a Galera cluster. Faults hit the first node."""
    server_class = servers.Galera
    shared = "BATON_TEST_GALERA"
    folder_name = "galera"

    def open(self, server):
        nodes = server.split(",") if isinstance(server, str) else server
        super().open(nodes[0])
        self.urls = [f"{node.rstrip('/')}/{self.name}" for node in nodes]

    def kill(self):
        at = boot_us()
        self.private_server().kill(1)
        return at

    def restart(self):
        self.private_server().restart(1)
        return boot_us()


class Redis:
    """A private Redis that writes each change to disk before it answers, or one of the databases of a shared server."""
    kind = "redis"
    DURABLE = ("--appendonly", "yes", "--appendfsync", "always")

    def __init__(self, folder, own_server=False):
        self.folder = folder / "redis"
        shared = os.environ.get("BATON_TEST_REDIS")
        self.own = own_server or not shared
        server = self.private_server().start(*self.DURABLE) if self.own else shared
        parts = urllib.parse.urlsplit(server)
        self.connection = {"host": parts.hostname, "port": parts.port}
        self.url = f"{server.rstrip('/')}/{self.free_database()}"
        subprocess.run(["redis-cli", "-u", self.url, "FLUSHDB"], stdout=subprocess.DEVNULL, check=True)

    def private_server(self):
        return servers.Redis(self.folder)

    def free_database(self):
        """The number of a database that no other test uses."""
        for number in random.SystemRandom().sample(range(1, 16), 15):
            if reserve(f"redis-{self.connection['port']}-{number}"):
                return number
        raise RuntimeError("all databases of the shared Redis are in use")

    def kill(self):
        """SIGKILL of the server. Returns the boot time just before."""
        pid = int((self.folder / "server.pid").read_text())
        at = boot_us()
        kill_server(pid, "redis-server")
        return at

    def restart(self):
        self.private_server().start(*self.DURABLE)
        return boot_us()

    def end(self):
        if self.own:
            self.private_server().stop()


class Redlock:
    """Three Redis servers that do not know each other. Faults hit the first."""
    kind = "redlock"

    def __init__(self, folder, own_server=True):
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
    """A master with two replicas and three sentinels. Faults hit the master."""
    kind = "redis-sentinel"

    def __init__(self, folder, own_server=True):
        self.group = servers.RedisSentinel(folder / "sentinel", silence_ms=500)
        self.url = self.group.start()

    def kill(self):
        """SIGKILL of the master."""
        self.victim = self.group.master()
        kill_server(int((self.victim / "server.pid").read_text()), "redis-server")

    def restart(self):
        """Starts the victim once the sentinels have replaced it. Before, it would come back as an empty master."""
        wait_for("another master", lambda: self.group.master() != self.victim, 30)
        servers.Redis(self.victim).start()
        # Until it follows again, the next fault could promote a server that has lost all grants.
        wait_for("a replica again", self.group.is_complete, 30)

    def end(self):
        self.group.stop()


class RedisCluster:
    """A Redis cluster of three masters without replicas."""
    kind = "redis-cluster"

    def __init__(self, folder, own_server=True):
        self.group = servers.RedisCluster(folder / "cluster")
        self.url = self.group.start()

    def end(self):
        self.group.stop()


class ZooKeeper:
    """A private ZooKeeper, or a separate path on a shared server."""
    kind = "zookeeper"
    tick = 0.5  # seconds; a session ends at the first tick after its time

    def __init__(self, folder, own_server=False):
        self.folder = folder / "zookeeper"
        shared = os.environ.get("BATON_TEST_ZOOKEEPER")
        self.own = own_server or not shared
        self.server = self.private_server().start() if self.own else shared
        parts = urllib.parse.urlsplit(self.server)
        self.connection = {"host": parts.hostname, "port": parts.port}
        self.url = f"{self.server.rstrip('/')}/cluster-{os.getpid()}-{random_number(10**9)}"

    def private_server(self):
        return servers.ZooKeeper(self.folder)

    def kill(self):
        """SIGKILL of the server."""
        kill_server(int((self.folder / "server.pid").read_text()), "ZooKeeper")

    def restart(self):
        self.private_server().start()

    def end(self):
        if self.own:
            self.private_server().stop()


class ZooKeeperEnsemble:
    """A private ensemble of three ZooKeeper servers, or a separate path on a shared one. Faults hit the leader and a
    follower in turn."""
    kind = "zookeeper-ensemble"
    tick = ZooKeeper.tick

    def __init__(self, folder, own_server=False):
        shared = os.environ.get("BATON_TEST_ZOOKEEPER_ENSEMBLE")
        self.own = own_server or not shared
        self.group = servers.ZooKeeperEnsemble(folder / "ensemble") if self.own else None
        address = self.group.start() if self.own else shared
        self.url = f"{address.rstrip('/')}/cluster-{os.getpid()}-{random_number(10**9)}"
        self.leader_next = True

    def kill(self):
        """SIGKILL of one server."""
        victim = next(each for each in self.group.nodes if ("Mode: leader" in each.ask("srvr")) == self.leader_next)
        self.leader_next = not self.leader_next
        victim.kill()

    def restart(self):
        self.group.start()

    def end(self):
        if self.own:
            self.group.stop()


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
        """Locks the whole file, as another program may. Returns the boot times of the lock and of its release."""
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


SERVERS = {"mysql": MySql, "mysql9": MySql9, "galera": Galera}
