"""Gauges for a window of a run: the server's counters, the processor time of each process, and the drift between the
wall clock and the monotonic clock."""

import collections
import os
import pathlib
import threading
import time

TICKS = os.sysconf("SC_CLK_TCK")
DRIFT_LIMIT_US = 100


def processor_seconds(stat):
    """User and system time from a /proc stat file."""
    fields = stat.read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def thread_seconds(pid):
    """{thread id: (name, processor seconds)}"""
    found = {}
    for thread in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            found[int(thread.name)] = ((thread / "comm").read_text().strip(), processor_seconds(thread / "stat"))
        except (FileNotFoundError, ProcessLookupError):
            pass  # the thread has ended
    return found


class Processors:
    """Cores used by each process and each of its threads between the construction and `read`."""

    def __init__(self, pids):
        self.pids = dict(pids)
        self.began = time.monotonic()
        self.before = {name: thread_seconds(pid) for name, pid in self.pids.items()}
        self.whole = {name: processor_seconds(pathlib.Path(f"/proc/{pid}/stat")) for name, pid in self.pids.items()}

    def read_seconds(self):
        return {name: processor_seconds(pathlib.Path(f"/proc/{pid}/stat")) - self.whole[name]
                for name, pid in self.pids.items()}

    def read(self):
        seconds = time.monotonic() - self.began
        used_by = self.read_seconds()
        found = {}
        for name, pid in self.pids.items():
            threads = sorted(((now - self.before[name].get(thread, ("", 0.0))[1]) / seconds
                              for thread, (_, now) in thread_seconds(pid).items()), reverse=True)
            found[name] = {"cores": used_by[name] / seconds, "resident_mib": resident_mib(pid),
                           "threads": [round(share, 3) for share in threads if share >= 0.005]}
        return found


class Counters:
    """The server's status and its count of transactions that wrote something, as differences."""

    def __init__(self, store):
        self.store = store
        self.before = self.now()

    def now(self):
        found = {}
        for row in self.store.query("SHOW GLOBAL STATUS"):
            name, value = row["Variable_name"], row["Value"]
            if value.isdigit():
                found[name] = int(value)
        for row in self.store.query("SELECT NAME, `COUNT` FROM information_schema.INNODB_METRICS "
                                    "WHERE NAME = 'trx_rw_commits'"):
            found[row["NAME"]] = int(row["COUNT"])
        return found

    def read(self):
        after = self.now()
        return collections.Counter({name: value - self.before.get(name, 0) for name, value in after.items()})


def wall_less_monotonic_us():
    """The best of several readings, because an interruption distorts a reading."""
    pairs = []
    for _ in range(20):
        first = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        wall = time.clock_gettime_ns(time.CLOCK_REALTIME)
        last = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        pairs.append((last - first, wall - (first + last) // 2))
    return min(pairs)[1] / 1000


class Drift(threading.Thread):
    """Samples the drift of the wall clock against the monotonic clock while it runs."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen = [wall_less_monotonic_us()]
        self.over = threading.Event()
        self.start()

    def run(self):
        while not self.over.wait(0.5):
            self.seen.append(wall_less_monotonic_us())

    def read(self):
        self.over.set()
        self.join()
        self.seen.append(wall_less_monotonic_us())
        return max(self.seen) - min(self.seen)


def disk_mib():
    """MiB written to and discarded by this machine's busiest disk since its start."""
    disks = [line.split() for line in pathlib.Path("/proc/diskstats").read_text().splitlines()]
    return max((int(disk[9]) + int(disk[16]) for disk in disks if len(disk) > 16), default=0) / 2048


class Commits(threading.Thread):
    """Measures repeatedly how long the server takes to commit one small row: the lower bound for everything that must
    be durable first."""

    PAUSE = 0.05  # seconds; small load on the server

    def __init__(self, store):
        super().__init__(daemon=True)
        self.connection = store.connect(store.name)
        self.took_us = []
        self.failure = None
        self.over = threading.Event()

    def __enter__(self):
        with self.connection.cursor() as cursor:
            cursor.execute("CREATE TABLE bench_commit (id BIGINT AUTO_INCREMENT PRIMARY KEY, at BIGINT NOT NULL)")
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()

    def run(self):
        try:
            with self.connection, self.connection.cursor() as cursor:
                while not self.over.wait(self.PAUSE):
                    began = time.monotonic()
                    cursor.execute("INSERT INTO bench_commit (at) VALUES (0)")
                    self.took_us.append((time.monotonic() - began) * 1_000_000)
        except Exception as failure:  # raised by the reader
            self.failure = failure

    def read(self):
        if self.failure:
            raise self.failure
        return percentiles_ms(self.took_us)


def percentile(ordered, share):
    """The quantile of a sorted list by nearest rank."""
    return ordered[max(0, -(-len(ordered) * share // 1000) - 1)] if ordered else None


def percentiles_ms(micros):
    """p50, p99, p99.9 and the maximum."""
    ordered = sorted(micros)
    if not ordered:
        return {}
    named = (("p50", 500), ("p99", 990), ("p99.9", 999))
    return {**{name: percentile(ordered, share) / 1000 for name, share in named}, "max": ordered[-1] / 1000,
            "least": ordered[0] / 1000}
