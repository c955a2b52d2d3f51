#!/usr/bin/env python3
"""One campaign: many tasks fire every second while one process is killed and restarted; then schedule, ledger and the
clients' own journal must agree.

    faults.py --store sqlite --fault master [--seconds 60] [--tasks 200] [--seed 1]

Faults: master, slave, client, web: SIGKILL in the middle, restarted 5 s later. database (mysql): the same of the server.
foreign_writer (sqlite): another program holds the file's write lock for 3 s. full_disk (sqlite, as root): nothing more fits
on its disk for 10 s. none: nothing.

Prints one line with figures and ends with status 0 only if all is well. The program is that of $BATON_BUILD
(build/dev by default).
"""

import argparse
import datetime
import random
import sys
import tempfile
import time

import harness
import small_disk

SECOND = 1_000_000
FAULTS = {"mysql": ("none", "master", "slave", "client", "web", "database"),
          "sqlite": ("none", "master", "slave", "client", "web", "foreign_writer", "full_disk")}
RESTART_AFTER = 5
HELD_FOR = 3
FULL_FOR = 10
DISK_MB = 24
TTL, TICK = 3, 1  # election.ttl and election.tick, at their defaults
ACTS_WITHIN = TTL + TICK + 0.1
SETTLES_WITHIN = 90


def make_schedule(chance):
    """A schedule of every second, in one of three ways: on the second, from the registration, or from a given instant."""
    kind = chance.randrange(3)
    if kind == 0:
        return {"kind": "cron", "cron": "* * * * * *"}
    schedule = {"kind": "fixed_rate", "every_ms": 1000}
    if kind == 2:
        start = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=2 * chance.random())
        schedule["start_at"] = start.isoformat().replace("+00:00", "Z")
    return schedule


class SmallSqlite(harness.Sqlite):
    """On a disk that can be filled up."""

    def __init__(self):
        self.disk = small_disk.SmallDisk(tempfile.mkdtemp(prefix="baton-cluster-"), DISK_MB)
        super().__init__(self.disk.folder)

    def end(self):
        self.disk.end()


class Campaign:
    def __init__(self, cluster, options):
        self.cluster = cluster
        self.options = options
        self.chance = random.Random(options.seed)
        self.epoch = 0
        self.victim = "none"
        self.since = 0  # boot time from which a master has to act again
        self.problems = []

    def run(self):
        cluster, options = self.cluster, self.options
        schedules = [make_schedule(self.chance) for _ in range(options.tasks)]
        tasks = cluster.in_parallel(
            lambda pair: cluster.create(f"tick {pair[0]}", pair[1]), list(enumerate(schedules)))
        end = time.monotonic() + options.seconds
        time.sleep(options.seconds / 2)
        self.epoch = cluster.epoch()
        self.fault()
        time.sleep(max(0, end - time.monotonic()))
        cluster.await_ready(3, 3)
        self.settle(tasks)
        return self.judge()

    def fault(self):
        kind, cluster = self.options.fault, self.cluster
        if kind == "none":
            self.since = harness.boot_us()
        elif kind == "database":
            self.victim = "mariadbd"
            cluster.store.kill()
            time.sleep(RESTART_AFTER)
            self.since = cluster.store.restart()
        elif kind == "foreign_writer":
            self.victim = "the file"
            _, self.since = cluster.store.hold(HELD_FOR)
        elif kind == "full_disk":
            self.victim = "the disk"
            cluster.store.disk.fill()
            time.sleep(FULL_FOR)
            cluster.store.disk.free()
            self.since = harness.boot_us()
            if not any("is full" in process.log.read_text() for process in cluster.processes.values()):
                self.problems.append("no process failed on the full disk")
        else:
            self.victim = self.choose(kind)
            process = cluster.processes[self.victim]
            self.since = process.kill()
            time.sleep(RESTART_AFTER)
            process.start()

    def choose(self, kind):
        if kind == "master":
            return self.cluster.master()
        if kind == "slave":
            master = self.cluster.master()
            return self.chance.choice([node["name"] for node in self.cluster.live_nodes() if node["name"] != master])
        if kind == "client":
            return self.chance.choice([name for name in self.cluster.processes if name.startswith("recorder")])
        return "web"

    def settle(self, tasks):
        began = time.monotonic()
        self.cluster.end_firings(tasks, SETTLES_WITHIN)
        self.settled = time.monotonic() - began

    def judge(self):
        cluster = self.cluster
        ledger, journal = cluster.ledger(), cluster.journal()
        verdict = harness.checker.check(ledger, journal, cluster.deaths(), harness.utc_us())
        self.problems += verdict.problems
        offset = harness.boot_to_utc()
        starts = sorted(line.boot_us for line in journal if line.what == "start")
        lateness = sorted((line.boot_us + offset - line.scheduled_at, line.boot_us) for line in journal
                          if line.what == "start")
        late = [each for each, _ in lateness]
        worst_at = (lateness[-1][1] - starts[0]) / SECOND if starts else 0
        self.expect_life(verdict)
        if late and late[0] < -50_000:
            self.problems.append(f"a firing began {-late[0] / 1000:.0f} ms early")
        plans, begins = self.first_acts(ledger, journal, offset)
        gap = min(plans, begins)
        if gap > ACTS_WITHIN:
            self.problems.append(f"no master acted for {gap:.2f} s")
        silence = max((b - a for a, b in zip(starts, starts[1:])), default=0) / SECOND
        share = lambda part: late[min(len(late) - 1, int(part * len(late)))] / 1000 if late else 0
        return (f"{verdict.summary()}; acts after {gap:.2f} s (plans {plans:.2f}, begins {begins:.2f}), longest silence "
                f"{silence:.2f} s; late p50 {share(0.5):.0f} p99 {share(0.99):.0f} max {share(1):.0f} ms at {worst_at:.0f} s; "
                f"settled in {self.settled:.1f} s")

    def expect_life(self, verdict):
        least = self.options.tasks * (self.options.seconds - 2)
        if verdict.expected < least:
            self.problems.append(f"only {verdict.expected} firings were expected, at least {least} should be")

    def first_acts(self, ledger, journal, offset):
        """Seconds from the fault (or the database's return) to the first row planned and the first handler begun by
        whoever is master then. Nothing fires early, so what was due after the fault was sent after it."""
        since = self.since + offset
        needed = self.epoch + 1 if self.options.fault == "master" else 1
        plans = [row["created_at"] - since for row in ledger.executions
                 if row["created_at"] > since and row["epoch"] >= needed]
        begins = [line.boot_us - self.since for line in journal
                  if line.what == "start" and line.boot_us > self.since and line.scheduled_at > since]
        never = 10**12
        return min(plans, default=never) / SECOND, min(begins, default=never) / SECOND


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", choices=FAULTS, default="sqlite")
    parser.add_argument("--fault", choices=sorted({fault for faults in FAULTS.values() for fault in faults}),
                        default="master")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.fault not in FAULTS[options.store]:
        parser.error(f"{options.fault} is no fault of {options.store}")
    if options.fault == "full_disk" and not small_disk.possible():
        sys.exit("faults: only root can mount a disk that is small enough to be filled up")
    store = SmallSqlite if options.fault == "full_disk" else options.store
    with harness.Cluster(store, own_server=options.fault == "database") as cluster:
        cluster.start_all()
        campaign = Campaign(cluster, options)
        figures = campaign.run()
        name = f"{options.store} {options.fault} ({campaign.victim}), {options.tasks} tasks for {options.seconds:g} s"
        print(f"{'BAD' if campaign.problems else 'good'}: {name}, seed {options.seed}: {figures}", flush=True)
        for problem in campaign.problems[:30]:
            print("  " + problem)
        if len(campaign.problems) > 30:
            print(f"  and {len(campaign.problems) - 30} more")
        if campaign.problems:
            cluster.keep = True
            print(f"  kept for inspection: {cluster.folder}")
        return 1 if campaign.problems else 0


if __name__ == "__main__":
    sys.exit(main())
