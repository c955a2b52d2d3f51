#!/usr/bin/env python3
"""Rolling deployments of the clients of a busy service: for each client a new process starts, then the old one stops in good
order. Schedule, ledger and the clients' own journal must agree; nothing fails, dies or is interrupted, and each firing begins
within a second, because the other clients always have free slots.

    deploy.py [--store sqlite] [--clients 10] [--times 3] [--rate 500] [--longest 20] [--at-once 2]

--rate: firings a second; --longest: of handlers, in seconds; --at-once: clients that are replaced side by side.

Prints one line with figures and ends with status 0 only if all is well. The program is that of $BATON_BUILD (build/dev by
default).
"""

import argparse
import concurrent.futures
import sys

import harness

SLOTS = 16
BEGINS_WITHIN_US = 1_000_000
SETTLES_WITHIN = 60


class Deployment:
    def __init__(self, chosen):
        self.chosen = chosen
        self.cluster = harness.Cluster(chosen.store)
        self.problems = []

    def start(self):
        for number in (1, 2):
            self.cluster.start_trigger(f"trigger-{number}")
        self.cluster.start_web()
        self.clients = {number: self.cluster.start_recorder(f"client-{number}-0", slots=SLOTS)
                        for number in range(self.chosen.clients)}
        self.cluster.await_ready(2, self.chosen.clients)
        self.tasks = self.create_tasks()

    def create_tasks(self):
        """Of 100 firings, 96 run for 5 to 50 ms, and the others for half a second or for the longest time."""
        longest = round(1000 * self.chosen.longest)
        spans = [5, 10, 25, 50]
        kinds = [(f"short {number}", spans[number % len(spans)]) for number in range(self.chosen.rate * 96 // 100)]
        rest = self.chosen.rate - len(kinds)
        kinds += [(f"rest {number}", longest if number % 10 == 0 else 500) for number in range(rest)]
        return self.cluster.in_parallel(
            lambda kind: self.cluster.create(kind[0], {"kind": "fixed_rate", "every_ms": 1000}, handler="nap",
                                             payload={"ms": kind[1]}, max_attempts=1), kinds)

    def replace(self, numbers, time):
        """Starts the new processes, and stops the old ones once these can be called."""
        fresh = {number: self.cluster.start_recorder(f"client-{number}-{time}", slots=SLOTS) for number in numbers}
        harness.wait_for("the new clients are reachable", lambda: self.reachable(fresh.values()), 30)
        with concurrent.futures.ThreadPoolExecutor(len(numbers)) as pool:
            ends = pool.map(lambda number: self.clients[number].terminate(self.chosen.longest + 15), numbers)
            for number, status in zip(numbers, ends, strict=True):
                if status != 0:
                    self.problems.append(f"{self.clients[number].name} ended with status {status}")
        self.clients |= fresh

    def reachable(self, processes):
        up = [client["instance"] for client in self.cluster.live_clients() if client["reach"] == "reachable"]
        return all(any(f":{process.pid}:" in instance for instance in up) for process in processes)

    def await_load(self, time):
        """Until so many firings have ended as fall due in `longest` seconds, for each deployment so far."""
        least = time * self.chosen.rate * self.chosen.longest
        harness.wait_for("the load is there", lambda: self.cluster.store.query(
            "SELECT COUNT(*) AS many FROM execution WHERE ended_at IS NOT NULL")[0]["many"] >= least, 5 * self.chosen.longest + 60)

    def deploy(self):
        for time in range(1, self.chosen.times + 1):
            self.await_load(time)
            for first in range(0, self.chosen.clients, self.chosen.at_once):
                self.replace(range(first, min(first + self.chosen.at_once, self.chosen.clients)), time)

    def end_firings(self):
        """Long handlers run all the time, so tasks are disabled when nothing waits; what runs goes on."""
        harness.wait_for("nothing waits that was due", lambda: not self.cluster.store.query(
            f"SELECT 1 AS one FROM execution WHERE due_at < {harness.utc_us() - BEGINS_WITHIN_US} AND state <> 'running' LIMIT 1"),
            SETTLES_WITHIN)
        self.cluster.disable_all(self.tasks)
        self.cluster.await_all_ended(self.chosen.longest + SETTLES_WITHIN)

    def judge(self):
        self.end_firings()
        verdict = self.cluster.verdict()
        self.problems += verdict.problems
        query = self.cluster.store.query
        late = query("SELECT COUNT(*) AS many, MAX(started_at - scheduled_at) AS most FROM execution "
                     f"WHERE started_at - scheduled_at > {BEGINS_WITHIN_US}")[0]
        if late["many"]:
            self.problems.append(f"{late['many']} began over a second late, one of them {late['most'] / 1e6:.1f} s")
        again = query("SELECT COUNT(*) AS many FROM execution WHERE attempt > 1 OR deaths > 0")[0]["many"]
        if again:
            self.problems.append(f"{again} needed a second attempt")
        most = query("SELECT MAX(started_at - scheduled_at) AS most FROM execution")[0]["most"]
        return f"the latest began {most / 1000:.0f} ms late; {verdict.summary()}"


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--store", default="sqlite")
    options.add_argument("--clients", type=int, default=10)
    options.add_argument("--times", type=int, default=3)
    options.add_argument("--rate", type=int, default=500)
    options.add_argument("--longest", type=float, default=20)
    options.add_argument("--at-once", type=int, default=2)
    chosen = options.parse_args()
    deployment = Deployment(chosen)
    try:
        deployment.start()
        deployment.deploy()
        figures = deployment.judge()
    finally:
        deployment.cluster.end()
    for problem in deployment.problems:
        print(f"  {problem}")
    print(f"{'bad' if deployment.problems else 'good'} {chosen.store}: {chosen.clients} clients replaced {chosen.times} times "
          f"beside {chosen.rate} firings a second; {figures}")
    return 1 if deployment.problems else 0


if __name__ == "__main__":
    sys.exit(main())
