"""One kind of lock on its real store: many processes take it in turn while something goes wrong, and a judge of its own
looks at what they wrote down.

    conformance.py --kind record --store mysql [--processes 16] [--acquisitions 5000] [--fault NAME] [--ttl MS]
    conformance.py --kind semaphore --permits 3 ..., --kind read_write ...

Without a fault to come each process has its share of the acquisitions; else they go on until all faults have come.
Faults: none; kill (SIGKILL of the holder, and a new process); stop (SIGSTOP of the holder past its time); server
(SIGKILL of the store's server, of one of redlock's, Galera's or a ZooKeeper ensemble's, or of the master that sentinels
name, and a restart; not sqlite, not redis-cluster); cut (the way of half of the processes to the server, or to one of
redlock's, or of a quarter to one of Galera's, holds what it is given for longer than the time of a lock; not sqlite, not on
a cluster of Redis nor by sentinels, nor an ensemble); clock (the wall clock of half of the processes is an hour wrong,
ahead or behind). On Galera the processes are spread over the nodes. Status 0 when no more held it at once than may, tokens
rose, and everybody went on.
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
UNFIT = {"sqlite": ("server", "cut"), "redis-sentinel": ("cut",), "redis-cluster": ("server", "cut"),
         "zookeeper-ensemble": ("cut",)}
FAULTS = ("none", "kill", "stop", "server", "cut", "clock")
CALM = ("none", "clock")  # what a process needs no luck under
SHARED = ("semaphore", "read_write")
NAME = "conformance"


class Workers:
    def __init__(self, options, folder, urls):
        self.options = options
        self.folder = folder
        self.urls = urls
        self.environments = [{}]
        self.processes = []
        self.share = -(-options.acquisitions // options.processes) if options.fault in CALM else 10**9

    def start(self, number):
        environment = {**os.environ, **self.environments[number % len(self.environments)]}
        command = [harness.build_folder() / "tests/lock_worker", self.urls[number % len(self.urls)], self.options.kind,
                   NAME, self.folder, "--count", str(self.share), "--ttl", str(self.options.ttl),
                   "--hold", str(self.options.hold), "--permits", str(self.options.permits)]
        if self.options.store == "redis-sentinel":
            command += ["--replicas", "1"]  # or a failover may forget a grant
        # To a file: nobody reads while the workers run, and a pipe that is full would stop them.
        said = open(self.folder / f"said-{len(self.processes)}", "w+")
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT,
                                 env=environment, preexec_fn=harness.end_with_parent)
        self.processes.append((child, said))
        return child

    def running(self):
        return [child for child, _ in self.processes if child.poll() is None]

    def end(self, limit):
        """The counts that each process told; what was killed told none."""
        until = time.monotonic() + limit
        told = []
        for child, said in self.processes:
            try:
                child.wait(max(1, until - time.monotonic()))
            except subprocess.TimeoutExpired:
                self.kill_all()
                raise harness.TimedOut(f"the workers do not come to an end: {self.acquired()} grants") from None
            said.seek(0)
            lines = said.read().splitlines()
            if child.returncode not in (0, -signal.SIGKILL):
                raise AssertionError(f"a worker ended with {child.returncode}: {lines[-3:]}")
            told += [json.loads(line) for line in lines if line.startswith("{")]
        return told

    def kill_all(self):
        for child in self.running():
            child.send_signal(signal.SIGCONT)
            child.kill()
            child.wait()

    def acquired(self):
        return len(lock_checker.read(self.folder).holds)


# --- what goes wrong

def none(run):
    pass


def kill(run):
    """Each time a new process begins in the place of the one that is killed."""
    for _ in range(run.options.rounds):
        victim = run.stop_holder()
        victim.kill()
        victim.wait()
        run.workers.start(run.random.randrange(run.options.processes))
        run.goes_on(run.silence + 1)
        run.pause(run.ttl / 2)


def stop(run):
    """Beside one that holds a permit others go on at once; it stands still past its time nevertheless."""
    for _ in range(run.options.rounds):
        victim = run.stop_holder()
        until = time.monotonic() + run.silence
        run.goes_on(run.silence + 1)
        run.pause(max(0, until - time.monotonic()) + run.random.uniform(0, run.ttl))
        victim.send_signal(signal.SIGCONT)
        run.pause(run.ttl / 2)


def server(run):
    for _ in range(run.options.rounds):
        run.pause(run.ttl)
        run.store.kill()
        run.pause(run.random.uniform(0, run.ttl * 1.5))
        run.store.restart()
        run.goes_on(run.silence + 6)


def cut(run):
    for _ in range(run.options.rounds):
        run.pause(run.ttl / 2)
        ways = [(proxy.UP,), (proxy.UP, proxy.DOWN)]
        # Here a client that hears nothing can still make new connections, and each keeps its session with ZooKeeper
        # alive. TCP would make none.
        if run.options.store != "zookeeper":
            ways.append((proxy.DOWN,))
        ways = run.random.choice(ways)
        run.proxy.cut(ways)
        # The server queues those who wait for a row, and ends each that is silent only when its turn has come.
        ghosts = run.options.processes // 2 if run.options.kind == "row" else 1
        run.goes_on(run.silence * ghosts + 1)
        run.pause(run.silence * run.random.uniform(1, 2))
        run.proxy.heal()


def clock(run):
    """Set up before the start; here is nothing left to do."""


class Run:
    def __init__(self, options, folder):
        self.options = options
        self.random = random.Random(options.seed)
        self.ttl = options.ttl / 1000
        self.own_folder = folder
        self.history = folder / "history"
        self.history.mkdir()
        self.proxies = None
        self.store = self.open_store(folder)
        # After so long a holder that says nothing has lost the lock.
        self.silence = 2 * self.ttl + self.store.tick if hasattr(self.store, "tick") else self.ttl
        urls = list(getattr(self.store, "urls", [self.store.url]))
        if options.fault == "cut":
            urls.append(self.through_proxy())
        self.workers = Workers(options, self.history, urls)
        if options.fault == "clock":
            ahead, behind = (chaos_run.Clock(folder / name) for name in ("ahead", "behind"))
            ahead.step(3600)
            behind.step(-3600)
            self.workers.environments = [{}, ahead.environment(), {}, behind.environment()]

    def open_store(self, folder):
        if self.options.store == "sqlite":
            return harness.Sqlite(folder)
        return STORES[self.options.store](folder, own_server=self.options.fault == "server")

    def through_proxy(self):
        self.proxies = proxy.Proxies()
        where = self.store.connection
        port = harness.free_port()
        self.proxy = self.proxies.add("way", port, (where["host"], where["port"]), self.options.seed)
        return self.store.url.replace(f":{where['port']}/", f":{port}/")

    def pause(self, seconds):
        """Faults come at moments that nothing in the run decides."""
        time.sleep(seconds)

    def stop_holder(self):
        """Who holds the lock, standing still."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            running = self.workers.running()
            for child in self.random.sample(running, len(running)):
                if not self.holds(child):
                    continue
                child.send_signal(signal.SIGSTOP)
                harness.wait_for("its standing still", lambda: harness.state_of(child.pid) in "TZX", 5)
                if self.holds(child):
                    return child
                child.send_signal(signal.SIGCONT)
        raise harness.TimedOut("nobody was found to hold the lock")

    def holds(self, child):
        file = self.history / f"history-{child.pid}"
        last = lock_checker.last_line(file) if file.exists() else ""
        return last.startswith(("acquired", "held")) and child.poll() is None

    def goes_on(self, limit):
        """Somebody is granted the lock within the limit from now."""
        before = self.workers.acquired()
        harness.wait_for("the next grant", lambda: self.workers.acquired() > before, limit)

    def play(self):
        subprocess.run([harness.build_folder() / "bin/baton-lock", "migrate", "--database", self.store.url], check=True)
        began = time.monotonic()
        for number in range(self.options.processes):
            self.workers.start(number)
        try:
            globals()[self.options.fault](self)
            if self.options.fault not in CALM:
                (self.history / "stop").touch()
            told = self.workers.end(self.options.limit)
        finally:
            self.workers.kill_all()
        return self.judge(told, time.monotonic() - began)

    def judge(self, told, seconds):
        history = lock_checker.read(self.history)
        has_tokens = self.options.kind != "row" and self.options.store != "redlock"
        violations = lock_checker.problems(history, has_tokens, self.options.permits)
        most = lock_checker.most_at_once(history.holds)
        if self.options.kind in SHARED and self.options.hold > 0 and most < 2:  # that proved nothing
            violations.append("never two at once of what may be shared")
        counter = int((self.history / "counter").read_text() or 0)
        if self.options.fault in CALM:
            done = sum(each["acquired"] for each in told)
            if not done == len(history.holds) == self.workers.share * self.options.processes:
                violations.append(f"told {done}, written down {len(history.holds)}")
            if counter != sum(not each.shared for each in history.holds):
                violations.append(f"counted {counter} alone")
            if any(each["lost"] or each["failed"] or each["refused"] for each in told):
                violations.append(f"lost, failed or refused without a cause: {told}")
        grants = len(history.holds)
        lost = sum(each.how == "was_lost" for each in history.holds)
        tokens = f"tokens to {max(each.token for each in history.holds)}" if has_tokens else "no tokens"
        print(f"{self.options.kind} on {self.options.store}, {self.options.fault}: {grants} grants in {seconds:.1f} s, "
              f"{grants / seconds:.0f}/s, {len(violations)} violations, {tokens}, {most} at once, {lost} lost, "
              f"{sum(each['fenced_off'] for each in told)} refused by the resource, {history.failed} without an answer")
        for violation in violations[:10]:
            print("  ", violation)
        return violations

    def end(self):
        if self.proxies:
            self.proxy.heal()
            self.proxy.reset()
            harness.wait_for("the end of all connections", lambda: not self.proxy.lines, 5)
            self.proxies.end()
        self.store.end()


def main():
    read = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    read.add_argument("--kind", required=True)
    read.add_argument("--store", choices=STORES, required=True)
    read.add_argument("--permits", type=int, default=1, help="of a semaphore")
    read.add_argument("--processes", type=int, default=16)
    read.add_argument("--acquisitions", type=int, default=5000)
    read.add_argument("--fault", choices=FAULTS, default="none")
    read.add_argument("--rounds", type=int, default=4, help="how often it goes wrong")
    read.add_argument("--ttl", type=int, help="milliseconds; 1000 by default, and 5000 where nobody is to lose it")
    read.add_argument("--hold", type=int, default=0, help="microseconds that each holder works")
    read.add_argument("--seed", type=int, default=random.randrange(10**6))
    read.add_argument("--limit", type=float, default=200, help="seconds in all")
    options = read.parse_args()
    if options.fault in UNFIT.get(options.store, ()):
        read.error(f"no fault {options.fault} on {options.store}")
    options.ttl = options.ttl or (5000 if options.fault in CALM else 1000)
    print(f"seed {options.seed}", flush=True)
    signal.signal(signal.SIGTERM, harness.end_in_order)
    with tempfile.TemporaryDirectory(prefix="baton-locks-") as folder:
        try:
            run = Run(options, pathlib.Path(folder))
        except harness.NotInstalled as what:
            print(what)
            sys.exit(77)
        try:
            violations = run.play()
        finally:
            run.end()
    sys.exit(1 if violations else 0)


if __name__ == "__main__":
    main()
