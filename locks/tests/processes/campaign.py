"""A campaign: many processes acquire one lock in turn on its real server while faults happen. A checker then examines
the history that the processes wrote.

    campaign.py --kind record --store mysql [--processes 16] [--acquisitions 5000] [--faults stop,server] [--ttl MS]
    campaign.py --kind semaphore --permits 3 ..., --kind read_write ...

Without a fault each process makes its share of the acquisitions. With faults the processes go on until each fault has
happened --rounds times, one after the other:

    none    nothing
    clock   from the start, the wall clocks of half of the processes are an hour ahead or behind
    kill    SIGKILL of the holder; a new process replaces it
    stop    SIGSTOP of the holder until after its time
    server  SIGKILL of the store's server and a restart: of one server of redlock, Galera or a ZooKeeper ensemble, or of
            the master that the sentinels name. Not on sqlite and redis-cluster
    cut     while one of them holds the lock, the connections of half of the processes to the server hold all data back
            for longer than the lock's time: to one server of redlock, or of a quarter of the processes to one node of
            Galera. Not on sqlite, redis-sentinel, redis-cluster and zookeeper-ensemble

On Galera the processes are spread over the nodes. The exit status is 0 if never more processes held the lock than may,
tokens rose, and the lock was granted again after each fault.
"""

import argparse
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tests/cluster"))

import chaos_run
import lock_checker
import harness
import proxy

STORES = {"mysql": harness.MySql, "galera": harness.Galera, "sqlite": harness.Sqlite, "redis": harness.Redis,
          "redlock": harness.Redlock, "redis-sentinel": harness.RedisSentinel, "redis-cluster": harness.RedisCluster,
          "zookeeper": harness.ZooKeeper, "zookeeper-ensemble": harness.ZooKeeperEnsemble}
IMPOSSIBLE = {"sqlite": ("server", "cut"), "redis-sentinel": ("cut",), "redis-cluster": ("server", "cut"),
              "zookeeper-ensemble": ("cut",)}
SHARED = ("semaphore", "read_write")
LOCK_NAME = "campaign"
SLACK = 30  # s: a busy machine may be so much later than the lock's time; an idle one is not
CALM_TTL = 30_000  # ms: without a fault nothing may be lost, even on a busy machine
# ms. MySQL ends an idle session after whole seconds, and a ZooKeeper session cannot be shorter.
SHORTEST_TTL = {"row": 1000, "zookeeper": 1000}
FAULT_TTL = 600
CUT_REST = 200_000  # us: longer than the longest pause between two tries of a waiter


class Workers:
    """The processes (worker.cpp) and what they print."""

    def __init__(self, options, folder, urls):
        self.options = options
        self.folder = folder
        self.urls = urls
        self.environments = [{}]
        self.processes = []
        self.url_of = {}  # by pid
        self.share = -(-options.acquisitions // options.processes) if options.calm else 10**9

    def start(self, number):
        environment = {**os.environ, **self.environments[number % len(self.environments)]}
        url = self.urls[number % len(self.urls)]
        command = [harness.build_folder() / "tests/lock_worker", url, self.options.kind, LOCK_NAME, self.folder, "--count", str(self.share), "--ttl", str(self.options.ttl),
                   "--hold", str(self.options.hold), "--permits", str(self.options.permits)]
        if "cut" in self.options.faults:
            # A process that asks again at once would keep the lock, and cut() waits for one with a proxied connection.
            command += ["--rest", str(CUT_REST)]
        if self.options.store == "redis-sentinel":
            command += ["--replicas", "1"]  # or a failover may forget a grant
        # To a file: nobody reads a pipe while the workers run, and a full pipe would stop them.
        output = open(self.folder / f"output-{len(self.processes)}", "w+")
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                 env=environment, preexec_fn=harness.end_with_parent)
        self.processes.append((child, output))
        self.url_of[child.pid] = url
        return child

    def running(self):
        return [child for child, _ in self.processes if child.poll() is None]

    def end(self, limit):
        """The counts that each process printed. A killed process printed none."""
        until = time.monotonic() + limit
        counts = []
        for child, output in self.processes:
            try:
                child.wait(max(1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.kill_all()
                raise harness.TimedOut(f"the workers do not end: {self.acquired()} grants") from None
            output.seek(0)
            lines = output.read().splitlines()
            if child.returncode not in (0, -signal.SIGKILL):
                raise AssertionError(f"a worker ended with {child.returncode}: {lines[-3:]}")
            counts += [json.loads(line) for line in lines if line.startswith("{")]
        return counts

    def kill_all(self):
        for child in self.running():
            child.send_signal(signal.SIGCONT)
            child.kill()
            child.wait()

    def acquired(self):
        return len(lock_checker.read(self.folder).holds)


# --- faults

def do_nothing(campaign):
    """The clocks were set before the processes started."""


def kill(campaign):
    for _ in range(campaign.options.rounds):
        victim = campaign.stop_holder()
        victim.kill()
        victim.wait()
        campaign.workers.start(campaign.random.randrange(campaign.options.processes))
        campaign.await_grant(campaign.silence)
        campaign.pause(campaign.ttl / 2)


def stop(campaign):
    """The holder of a permit stays stopped past its time, though other permits are granted at once."""
    for _ in range(campaign.options.rounds):
        victim = campaign.stop_holder()
        until = time.monotonic() + campaign.silence
        campaign.await_grant(campaign.silence)
        campaign.pause(max(0, until - time.monotonic()) + campaign.random.uniform(0, campaign.ttl))
        victim.send_signal(signal.SIGCONT)
        campaign.pause(campaign.ttl / 2)


def server(campaign):
    for _ in range(campaign.options.rounds):
        campaign.pause(campaign.ttl)
        campaign.store.kill()
        campaign.pause(campaign.random.uniform(0, campaign.ttl * 1.5))
        campaign.store.restart()
        campaign.await_grant(campaign.silence)


def cut(campaign):
    for _ in range(campaign.options.rounds):
        campaign.pause(campaign.ttl / 2)
        directions = [(proxy.UP,), (proxy.UP, proxy.DOWN)]
        # With only the answers cut, a client can still connect here, and each new connection keeps its session with
        # ZooKeeper alive. Over TCP it could not.
        if campaign.options.store != "zookeeper":
            directions.append((proxy.DOWN,))
        campaign.await_proxied_holder()
        campaign.proxy.cut(campaign.random.choice(directions))
        # The server queues the waiters for a row, and ends a silent one only when its turn has come.
        silent = campaign.options.processes // 2 if campaign.options.kind == "row" else 1
        campaign.await_grant(campaign.silence * silent)
        campaign.pause(campaign.silence * campaign.random.uniform(1, 2))
        campaign.proxy.heal()


FAULTS = {"none": do_nothing, "clock": do_nothing, "kill": kill, "stop": stop, "server": server, "cut": cut}
CALM = ("none", "clock")  # no process loses the lock or waits in vain


class Campaign:
    def __init__(self, options, folder):
        self.options = options
        self.random = random.Random(options.seed)
        self.ttl = options.ttl / 1000
        self.history = folder / "history"
        self.history.mkdir()
        self.proxies = None
        self.store = self.open_store(folder)
        # A holder that has been silent for so long has lost the lock.
        self.silence = 2 * self.ttl + self.store.tick if hasattr(self.store, "tick") else self.ttl
        urls = list(getattr(self.store, "urls", [self.store.url]))
        if "cut" in options.faults:
            urls.append(self.through_proxy())
        self.workers = Workers(options, self.history, urls)
        if "clock" in options.faults:
            ahead, behind = (chaos_run.Clock(folder / name) for name in ("ahead", "behind"))
            ahead.step(3600)
            behind.step(-3600)
            self.workers.environments = [{}, ahead.environment(), {}, behind.environment()]

    def open_store(self, folder):
        if self.options.store == "sqlite":
            return harness.Sqlite(folder)
        return STORES[self.options.store](folder, own_server="server" in self.options.faults)

    def through_proxy(self):
        self.proxies = proxy.Proxies()
        address = self.store.connection
        port = harness.free_port()
        self.proxy = self.proxies.add("way", port, (address["host"], address["port"]), self.options.seed)
        return self.store.url.replace(f":{address['port']}/", f":{port}/")

    def pause(self, seconds):
        """Faults happen at random moments of the run."""
        time.sleep(seconds)

    def stop_holder(self):
        """A process that holds the lock, stopped."""
        until = time.monotonic() + 60
        while time.monotonic() < until:
            running = self.workers.running()
            for child in self.random.sample(running, len(running)):
                if not self.holds(child):
                    continue
                child.send_signal(signal.SIGSTOP)
                harness.wait_for("the holder has stopped", lambda: harness.state_of(child.pid) in "TZX", 60)
                if self.holds(child):
                    return child
                child.send_signal(signal.SIGCONT)
        raise harness.TimedOut("no process was found to hold the lock")

    def await_proxied_holder(self):
        """Waits until a process holds the lock whose connection can be cut."""
        proxied = [child for child in self.workers.running() if self.workers.url_of[child.pid] == self.workers.urls[-1]]
        harness.wait_for("a holder with a connection through the proxy", lambda: any(map(self.holds, proxied)), 60)

    def holds(self, child):
        file = self.history / f"history-{child.pid}"
        last = lock_checker.last_line(file) if file.exists() else ""
        return last.startswith(("acquired", "held")) and child.poll() is None

    def await_grant(self, limit):
        before = self.workers.acquired()
        harness.wait_for("the next grant", lambda: self.workers.acquired() > before, limit + SLACK)

    def run(self):
        subprocess.run([harness.build_folder() / "bin/baton-lock", "migrate"], check=True,
                       env=harness.program_environment({"BATON_DATABASE_URL": self.store.url}))
        began = time.monotonic()
        for number in range(self.options.processes):
            self.workers.start(number)
        try:
            for fault in self.options.faults:
                FAULTS[fault](self)
            if not self.options.calm:
                (self.history / "stop").touch()
            counts = self.workers.end(self.options.limit)
        finally:
            self.workers.kill_all()
        return self.judge(counts, time.monotonic() - began)

    def judge(self, counts, seconds):
        history = lock_checker.read(self.history)
        has_tokens = self.options.kind != "row" and self.options.store != "redlock"
        violations = lock_checker.problems(history, has_tokens, self.options.permits)
        most = lock_checker.most_at_once(history.holds)
        if self.options.kind in SHARED and self.options.hold > 0 and most < 2:
            violations.append("no two processes held the shared lock at once, so this run proves nothing")
        if self.options.calm:
            violations += self.unexpected(history, counts)
        grants = len(history.holds)
        lost = sum(each.how == "was_lost" for each in history.holds)
        tokens = f"tokens to {max((each.token for each in history.holds), default=0)}" if has_tokens else "no tokens"
        print(f"{self.options.kind} on {self.options.store}, {','.join(self.options.faults)}: {grants} grants in "
              f"{seconds:.1f} s, {grants / seconds:.0f}/s, {len(violations)} violations, {tokens}, {most} at once, "
              f"{lost} lost, {sum(each['fenced_off'] for each in counts)} refused by the resource, "
              f"{history.failed} without an answer")
        for violation in violations[:10]:
            print("  ", violation)
        return violations

    def unexpected(self, history, counts):
        """Without a fault each acquisition succeeds and is counted."""
        found = []
        done = sum(each["acquired"] for each in counts)
        if not done == len(history.holds) == self.workers.share * self.options.processes:
            found.append(f"the processes counted {done} grants, the history has {len(history.holds)}")
        counter = int((self.history / "counter").read_text() or 0)
        if counter != sum(not each.shared for each in history.holds):
            found.append(f"the shared counter says {counter}: an update was lost")
        if any(each["lost"] or each["failed"] or each["refused"] for each in counts):
            found.append(f"lost, failed or refused without a cause: {counts}")
        return found

    def end(self):
        if self.proxies:
            self.proxy.heal()
            self.proxy.reset()
            harness.wait_for("the end of all connections", lambda: not self.proxy.lines, 60)
            self.proxies.end()
        self.store.end()


def read_options(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", required=True)
    parser.add_argument("--store", choices=STORES, required=True)
    parser.add_argument("--permits", type=int, default=1, help="of a semaphore")
    parser.add_argument("--processes", type=int, default=16)
    parser.add_argument("--acquisitions", type=int, default=5000, help="in all, without a fault")
    parser.add_argument("--faults", type=lambda text: text.split(","), default=["none"], help="comma-separated")
    parser.add_argument("--rounds", type=int, default=4, help="how often each fault happens")
    parser.add_argument("--ttl", type=int,
                        help=f"milliseconds; {FAULT_TTL} by default or the shortest possible, {CALM_TTL} without a fault")
    parser.add_argument("--hold", type=int, default=0, help="microseconds that each holder works")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    parser.add_argument("--limit", type=float, default=200, help="seconds in all")
    options = parser.parse_args(words)
    for fault in options.faults:
        if fault not in FAULTS:
            parser.error(f"unknown fault {fault}: use {', '.join(FAULTS)}")
        if fault in IMPOSSIBLE.get(options.store, ()):
            parser.error(f"the fault {fault} is not possible on {options.store}")
    options.calm = all(fault in CALM for fault in options.faults)
    shortest = max(FAULT_TTL, SHORTEST_TTL.get(options.kind, 0), SHORTEST_TTL.get(options.store.split("-")[0], 0))
    options.ttl = options.ttl or (CALM_TTL if options.calm else shortest)
    return options


def main():
    options = read_options()
    print(f"seed {options.seed}", flush=True)
    signal.signal(signal.SIGTERM, harness.end_in_order)
    with tempfile.TemporaryDirectory(prefix="baton-locks-") as folder:
        try:
            campaign = Campaign(options, pathlib.Path(folder))
        except harness.NotInstalled as missing:
            print(missing)
            sys.exit(77)
        try:
            violations = campaign.run()
        finally:
            campaign.end()
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
