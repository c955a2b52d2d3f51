"""Chaos on three Galera nodes: the store of such a run, in which each node of baton uses a separate database node,
and the faults of one or all database nodes.
"""

import contextlib
import time
import urllib.parse

import pymysql

import chaos_faults
import harness
from stores import servers

NODES = range(3)
# The others give up a lost node after about three seconds; by default it takes them twice as long, and with shorter
# limits they lose one another on a busy machine (docs/election.md).
OPTIONS = ("evs.keepalive_period=PT0.25S;evs.inactive_check_period=PT0.25S;evs.suspect_timeout=PT2S;"
           "evs.inactive_timeout=PT6S;evs.install_timeout=PT4S")
NOTICED = 4.0  # seconds after which they have given it up, and commit again


def private_galera(folder):
    return servers.Galera(folder, provider_options=OPTIONS)


class Store(harness.MySql):
    """A cluster that outlives the run. Its first node also serves web and the judges."""

    # Each database node numbers the audit's rows for itself: the lock row's own counter has to order its changes.
    audit_order = "seq, epoch, at"

    def __init__(self, folder):
        self.folder = folder
        self.own = False
        self.clock = None
        self.lost_majority = False
        urls = private_galera(folder).start()
        self.addresses = [(parts.hostname, parts.port) for parts in map(urllib.parse.urlsplit, urls)]
        self.open(urls[0])

    def address(self, number):
        return self.addresses[number - 1]

    def connect(self, database):
        """The session waits for all earlier commits of other nodes before it reads."""
        connection = super().connect(database)
        with connection.cursor() as cursor:
            cursor.execute("SET SESSION wsrep_sync_wait = 1")
        return connection

    def query(self, sql, database=...):
        try:
            return super().query(sql, database)
        except pymysql.err.OperationalError as failure:  # such as that it has no majority now
            raise OSError(str(failure)) from None

    def do(self, command, which):
        getattr(private_galera(self.folder), command)(which + 1)

    def state(self, which):
        """Of this node, as it sees itself; empty when it does not answer."""
        host, port = self.addresses[which]
        try:
            link = pymysql.connect(**{**self.connection, "host": host, "port": port}, connect_timeout=2, read_timeout=2)
            with link, link.cursor() as cursor:
                cursor.execute("SHOW STATUS WHERE Variable_name IN ('wsrep_ready', 'wsrep_cluster_size')")
                return dict(cursor.fetchall())
        except pymysql.err.Error:
            return {}

    def has_majority(self, among=NODES):
        """True if one of these nodes accepts statements."""
        found = any(self.state(which).get("wsrep_ready") == "ON" for which in among)
        self.lost_majority = self.lost_majority or not found
        return found

    def is_whole(self):
        whole = {"wsrep_ready": "ON", "wsrep_cluster_size": str(len(NODES))}
        return self.has_majority() and all(self.state(which) == whole for which in NODES)

    def await_whole(self):
        """Waits until all nodes accept statements again; until then the database may be the reason for a missing master.
        Returns False if a node had to be restarted, as Galera sometimes demands ("backend must be restarted")."""
        try:
            harness.wait_for("all nodes of Galera", self.is_whole, 30)
            return True
        except harness.TimedOut:
            private_galera(self.folder).start()
            return False

    def thaw(self):
        for which in NODES:
            self.do("thaw", which)

    def end(self):
        with contextlib.suppress(OSError):  # the next run's database has another name
            super().end()


class OfGalera(chaos_faults.Fault):
    """Hits one of the three, whichever node of baton is at it; the other two go on when they have given it up."""
    without_guard = NOTICED + chaos_faults.EXPIRY
    begin = end = ""
    has_others = True  # nodes that continue without those that are hit

    def plan(self):
        self.span = self.chance.uniform(*self.chance.choice([(0.2, 1), (1, 4), (4, 10)]))
        self.hits = [self.chance.randrange(len(NODES))]

    def text(self):
        return super().text() + " of " + "+".join(str(which + 1) for which in self.hits)

    def inject(self, arena):
        store = arena.cluster.store
        with arena.database:
            store.lost_majority = not self.has_others
            try:
                self.began = chaos_faults.now()
                self.all(store, self.begin)
                self.last(store)
            except servers.Failed as failure:
                self.began = 0
                raise chaos_faults.Skipped(str(failure)) from None
            finally:
                with contextlib.suppress(servers.Failed):  # a later wait reports a failure
                    self.all(store, self.end)
                if not store.await_whole():
                    arena.run.skipped.append(f"Galera did not recover by itself from {self.kind}")
            self.ended = chaos_faults.now()
            if store.lost_majority:
                self.cleared = self.ended
                if self.has_others:
                    arena.run.skipped.append(f"Galera lost its majority by {self.kind}")

    def last(self, store):
        end = time.monotonic() + self.span
        others = [which for which in NODES if which not in self.hits]
        while time.monotonic() < end:
            if self.has_others:
                store.has_majority(others)
            time.sleep(max(0, min(0.2, end - time.monotonic())))

    def all(self, store, command):
        for which in self.hits:
            store.do(command, which)


class KillGalera(OfGalera):
    """SIGKILL of a node of Galera, and a restart."""
    kind, begin, end = "kill_galera", "kill", "restart"


class FreezeGalera(OfGalera):
    """SIGSTOP of a node of Galera, for shorter and longer than the others wait for it."""
    kind, begin, end = "freeze_galera", "freeze", "thaw"


class CutGalera(OfGalera):
    """A node of Galera is partitioned from the other two, but not from its clients."""
    kind, begin, end = "cut_galera", "cut", "heal"


class FreezeAllGalera(OfGalera):
    """SIGSTOP of all three nodes of Galera, also for longer than nodes and clients of baton may be silent."""
    kind, begin, end = "freeze_all_galera", "freeze", "thaw"
    without_guard = chaos_faults.EXPIRY
    has_others = False

    def plan(self):
        self.span = self.chance.uniform(*self.chance.choice([(1, 5), (5, 12), (16, 22)]))
        self.hits = list(NODES)


class SplitGalera(OfGalera):
    """Cuts all links between the nodes of Galera, so that none has a majority."""
    kind, begin, end = "split_galera", "cut", "heal"
    without_guard = chaos_faults.EXPIRY
    has_others = False

    def plan(self):
        self.span = self.chance.uniform(*self.chance.choice([(1, 5), (5, 12), (16, 22)]))
        self.hits = self.chance.sample(NODES, 2)


ALL = {fault.kind: fault for fault in (KillGalera, FreezeGalera, CutGalera, FreezeAllGalera, SplitGalera)}


def kinds():
    """Those that can happen there. (The clock of one node of three is no clock of the database's.)"""
    return {fault.kind for fault in chaos_faults.PROCESSES + chaos_faults.CONNECTIONS} | set(ALL)
