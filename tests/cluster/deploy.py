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
        self.clients = [self.cluster.start_recorder(f"client-{number}-0", slots=SLOTS)
                        for number in range(self.chosen.clients)]
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

    def replace(self, number, time):
        name = f"client-{number}-{time}"
        started = self.cluster.start_recorder(name, slots=SLOTS)
        harness.wait_for(f"{name} is reachable", lambda: any(
            client["reach"] == "reachable" and f":{started.pid}:" in client["instance"]
            for client in self.cluster.live_clients()), 30)
        status = self.clients[number].terminate(self.chosen.longest + 15)
        if status != 0:
            self.problems.append(f"{self.clients[number].name} ended with status {status}")
        self.clients[number] = started

    def deploy(self):
        for time in range(1, self.chosen.times + 1):
            with concurrent.futures.ThreadPoolExecutor(self.chosen.at_once) as pool:
                list(pool.map(lambda number: self.replace(number, time), range(self.chosen.clients)))  # noqa: B023

    def judge(self):
        self.cluster.end_firings(self.tasks, self.chosen.longest + SETTLES_WITHIN)
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
