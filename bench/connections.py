"""A cluster of real nodes with many real clients, of which a share is killed in one second (scripts/connections)."""

import argparse
import collections
import datetime
import json
import os
import pathlib
import resource
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/cluster"))

import checker  # noqa: E402
import harness  # noqa: E402
import stores  # noqa: E402

import gauges  # noqa: E402

HEALTHY, CROWD = "recorder", "crowd"  # services
TASKS = 20            # of the healthy service; each fires once a second
CLIENT_FILES = 2      # connections of a client of the crowd
JOINED_WITHIN = 180   # seconds
ENDED_WITHIN = 60
GONE_WITHIN = 60      # until the ledger shows the killed clients as gone
REST_SECONDS = 10     # a window with clients and without firings
SERVER_OPTIONS = ["--innodb-buffer-pool-size=512M", "--innodb-log-file-size=512M", "--skip-log-bin",
                  "--max-connections=500"]


class Database(stores.MySql):
    def private_server(self):
        return self.server_class(self.folder, options=SERVER_OPTIONS)


class Bed(harness.Cluster):
    def open_store(self, store, own_server):
        return Database(self.folder, own_server=True)


def parse():
    parser = argparse.ArgumentParser(prog="scripts/connections", description=__doc__)
    parser.add_argument("--nodes", type=int, default=10)
    parser.add_argument("--clients", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=60, help="a third before the deaths (default: 60)")
    parser.add_argument("--gone", type=float, default=0.1, help="share of nodes and clients that is killed (default: 0.1)")
    parser.add_argument("--rate", type=int, default=100, help="firings of the crowd a second (default: 100)")
    parser.add_argument("--ramp", type=int, default=0, help="seconds over which the registrations are spread (default: 0)")
    parser.add_argument("--heartbeat", type=int, default=5, help="seconds (default: 5)")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    options = parser.parse_args()
    options.dead_nodes = max(1, round(options.nodes * options.gone))
    options.dead_clients = max(1, int(options.clients * options.gone))
    if options.nodes - options.dead_nodes < 1:
        parser.error("--nodes: one must outlive the deaths; give at least 2")
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    options.per_process = max(1, (hard - 500) // CLIENT_FILES // 2)
    # Nodes give half of their files to connections that come in.
    homed = -(-options.clients // (options.nodes - options.dead_nodes))
    if homed * CLIENT_FILES > hard // 2 - 500:
        parser.error(f"--clients: {homed} clients a node need more connections than half of the {hard} open files that a "
                     "process may have; raise the hard limit (ulimit -Hn), or start more nodes")
    return options


class Crowd:
    """The programs that play the clients, and what they have counted."""

    def __init__(self, cluster, options):
        self.cluster, self.options, self.names = cluster, options, []

    def start(self):
        staying = self.options.clients - self.options.dead_clients
        self.gone = self.start_parts("gone", self.options.dead_clients)
        self.stay = self.start_parts("stay", staying)

    def start_parts(self, word, clients):
        parts = -(-clients // self.options.per_process)
        names = [f"crowd-{word}-{part + 1}" for part in range(parts)]
        for part, name in enumerate(names):
            self.cluster.start(name, [
                harness.build_folder() / "bench/bench_fetchers", "--service", CROWD, "--journal", self.cluster.journal_file,
                "--clients", clients // parts + (part < clients % parts), "--ramp", self.options.ramp,
                "--period", self.options.heartbeat * 1000, *self.cluster.triggers()])
        self.names += names
        return names

    def lines(self, name):
        # The last line may be incomplete, and the process may have said something else.
        text = self.cluster.processes[name].log.read_text()
        return [json.loads(line) for line in text[:text.rfind("\n") + 1].splitlines() if line.startswith("{")]

    def now(self, names=None):
        """The sums of what the processes have counted."""
        sums = {}
        for name in names or self.names:
            for what, value in (self.lines(name) or [{}])[-1].items():
                sums[what] = sums.get(what, 0) + value
        return sums

    def homes(self, names=None):
        return self.now(names).get("homes", 0)

    def answer_times(self, since, until):
        """(median over intervals and processes of the p99, maximum) of heartbeats' answer times, in milliseconds."""
        lines = [line for name in self.names for line in self.lines(name) if since <= line["at"] <= until]
        return (statistics.median([line["p99_ms"] for line in lines] or [0]), max([line["max_ms"] for line in lines] or [0]))


class Window:
    """What happens between its begin and its end."""

    def __init__(self, cluster, crowd, master):
        self.cluster, self.crowd, self.master = cluster, crowd, master
        pids = {name: process.pid for name, process in cluster.processes.items() if process.alive()}
        self.processors = gauges.Processors({"database": cluster.store.server_pid(), **pids})
        self.counters = gauges.Counters(cluster.store)
        self.before = crowd.now()
        self.begin = harness.utc_us()

    def end(self):
        now = harness.utc_us()
        seconds = (now - self.begin) / 1e6
        after = self.crowd.now()
        used = self.processors.read_seconds()
        slaves = [name for name in used if name.startswith("trigger") and name != self.master]
        rates = {what: (after.get(what, 0) - self.before.get(what, 0)) / seconds
                 for what in ("joins", "beats", "fetches", "runs", "busy", "silent", "lost", "renamed")}
        nodes = used[self.master] + sum(used[name] for name in slaves)
        p99, longest = self.crowd.answer_times(self.begin, now)
        return {"begin": self.begin, "end": now, "seconds": seconds, **rates,
                "heartbeat_p99_ms": p99, "heartbeat_max_ms": longest,
                "master_cores": used[self.master] / seconds,
                "slave_cores": statistics.mean([used[name] for name in slaves] or [0]) / seconds,
                "nodes_cores": nodes / seconds, "database_cores": used["database"] / seconds,
                "crowd_cores": sum(used[name] for name in used if name.startswith("crowd")) / seconds,
                "node_us_per_beat": 1e6 * nodes / seconds / rates["beats"] if rates["beats"] else 0,
                "statements": self.counters.read()["Questions"] / seconds, "load": os.getloadavg()[0]}


def every_second(number, of):
    """The tasks fire evenly over the second."""
    start = datetime.datetime.fromtimestamp(int(time.time()) + number / of, datetime.timezone.utc)
    return {"kind": "fixed_rate", "every_ms": 1000, "start_at": start.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}


def create(cluster, service, many):
    return cluster.in_parallel(
        lambda number: cluster.rest.post("/api/v1/tasks?allow_unserved=true", {
            "name": f"{service} {number}", "service": service, "handler": "note", "schedule": every_second(number, many)}),
        range(many))


def lags(cluster, begin, end):
    """{service: p50, p99 and maximum of the lag in milliseconds} of the firings in this span, and how many there were."""
    to_utc = harness.boot_to_utc()
    begun = {}
    for line in cluster.journal():
        if line.what == "start" and begin <= line.scheduled_at < end:
            firing = (line.task, line.scheduled_at)
            begun[firing] = min(begun.get(firing, 1 << 62), line.boot_us + to_utc)
    found = {}
    for service in (HEALTHY, CROWD):
        micros = [at - firing[1] for firing, at in begun.items() if firing[0].startswith(service + " ")]
        found[service] = {**gauges.percentiles_ms(micros), "firings": len(micros),
                          "over_1s": sum(lag > 1_000_000 for lag in micros)}
    return found


def memory(cluster, master):
    """Resident MiB of the master and of the other nodes, on average."""
    sizes = {name: gauges.resident_mib(process.pid) for name, process in cluster.processes.items()
             if name.startswith("trigger") and process.alive()}
    return {"master": sizes.pop(master), "slave": statistics.mean(sizes.values()) if sizes else 0}


def up(cluster, service=CROWD):
    return cluster.store.query("SELECT COUNT(*) AS many FROM client WHERE state = 'up' AND service LIKE "
                               f"'%{service}'")[0]["many"]


def homes_of_nodes(cluster):
    """The fewest and the most clients of a node."""
    counts = [row["many"] for row in cluster.store.query(
        f"SELECT node, COUNT(*) AS many FROM client WHERE state = 'up' AND service LIKE '%{CROWD}' GROUP BY node")]
    return [min(counts), max(counts)]


def say(text):
    print(text, flush=True)


def start_nodes(cluster, options):
    """The names of the master and of the nodes that will be killed."""
    for number in range(1, options.nodes + 1):
        cluster.start_trigger(f"trigger-{number}", clients={"heartbeat": f"{options.heartbeat}s"})
    cluster.start_web()
    cluster.await_ready(options.nodes, 0, within=60)
    master = cluster.master()
    others = [name for name in cluster.processes if name.startswith("trigger") and name != master]
    return master, others[-options.dead_nodes:]


def join(cluster, crowd, options):
    """Starts the crowd. Returns how its registrations went."""
    began = time.monotonic()
    crowd.start()
    first = harness.utc_us()
    try:
        harness.wait_for("all clients have a home", lambda: crowd.homes() >= options.clients, JOINED_WITHIN)
    except harness.TimedOut as late:
        raise AssertionError(f"{late}; {crowd.now()}") from None
    seconds = time.monotonic() - began
    p99, longest = crowd.answer_times(first, harness.utc_us())
    now = crowd.now()
    return {"seconds": seconds, "per_second": options.clients / seconds, "busy": now["busy"], "silent": now["silent"],
            "joins": now["joins"], "heartbeat_max_ms": longest, "heartbeat_p99_ms": p99}


def kill(cluster, crowd, victims):
    """Returns the seconds that it took."""
    began = time.monotonic()
    for name in [*victims, *crowd.gone]:
        cluster.processes[name].child.kill()
    for name in [*victims, *crowd.gone]:
        cluster.processes[name].kill()
    return time.monotonic() - began


def after_deaths(cluster, crowd, options, report):
    """Waits until the clients of the dead nodes have another home, and the dead clients are gone in the ledger."""
    began = time.monotonic()
    staying = options.clients - options.dead_clients
    homes_before = crowd.now(crowd.stay)["joins"]
    needed = staying * options.dead_nodes // options.nodes * 0.9  # that many must have moved, or it has not begun
    harness.wait_for("the clients of the dead nodes have another home", lambda: crowd.homes(crowd.stay) == staying
                     and crowd.now(crowd.stay)["joins"] - homes_before >= needed, GONE_WITHIN)
    report["homes_again_s"] = time.monotonic() - began
    while up(cluster) != staying and time.monotonic() < began + GONE_WITHIN:
        time.sleep(0.5)
    report["gone_in_ledger_s"] = time.monotonic() - began
    report["up_in_ledger"], report["alive"] = up(cluster), staying


def warnings(cluster):
    """{area and text without the fields: how often} of the nodes' warnings and errors."""
    found = collections.Counter()
    for name, process in cluster.processes.items():
        if name.startswith("trigger"):
            for line in process.log.read_text(errors="replace").splitlines():
                words = line.split(" ", 2)
                if len(words) == 3 and words[1] in ("W", "E", "C"):
                    found[": ".join(words[2].split(" client=")[0].split(": ")[:3])] += 1
    return dict(found.most_common(15))


def verdict(cluster, tasks):
    cluster.disable_all(tasks)
    last = cluster.store.query("SELECT MAX(valid_from) AS at FROM task_version")[0]["at"]
    harness.wait_for("the last definition holds", lambda: harness.utc_us() > last, 30)
    try:
        cluster.await_all_ended(ENDED_WITHIN)
    except harness.TimedOut as late:
        say(f"{late}")  # the judge counts them
    return checker.check(cluster.ledger(), cluster.journal(), cluster.deaths(), harness.utc_us())


def play(cluster, options):
    report = {"nodes": options.nodes, "clients": options.clients, "gone": options.gone, "memory": {}, "windows": {}}
    crowd = Crowd(cluster, options)
    master, victims = start_nodes(cluster, options)
    time.sleep(2)
    report["memory"]["before"] = memory(cluster, master)
    epoch = cluster.epoch()
    say(f"{options.nodes} nodes, {master} is the master; {options.clients} clients register")
    report["join"] = join(cluster, crowd, options)
    say(f"all are registered: {report['join']}")
    # The judged service has its clients at nodes that live on.
    survivors = [cluster.addresses[name] for name in cluster.processes if name.startswith("trigger") and name not in victims]
    for number in range(1, 4):
        cluster.start(f"recorder-{number}", [cluster.recorder_program, cluster.journal_file, HEALTHY, 8, *survivors])
    harness.wait_for("the ledger has all clients", lambda: up(cluster) == options.clients and up(cluster, HEALTHY) == 3, 60)
    report["homes"] = homes_of_nodes(cluster)

    def window(name, seconds, work=None):
        begun = Window(cluster, crowd, master)
        end = time.monotonic() + seconds
        if work:
            work()
        time.sleep(max(0, end - time.monotonic()))
        report["windows"][name] = begun.end()
        say(f"{name}: " + ", ".join(f"{what} {value:.4g}" for what, value in report["windows"][name].items()
                                    if what not in ("begin", "end")))

    window("at rest", REST_SECONDS)
    report["memory"]["with clients"] = memory(cluster, master)
    tasks = create(cluster, HEALTHY, TASKS) + create(cluster, CROWD, options.rate)
    harness.wait_for("a firing of each task", lambda: len({line.task for line in cluster.journal()}) == len(tasks), 30)
    span = options.seconds / 3
    window("before", span)
    report["kill_s"] = kill(cluster, crowd, victims)
    window("deaths", span, lambda: after_deaths(cluster, crowd, options, report))
    window("after", span)
    report["memory"]["after"] = memory(cluster, master)
    report["homes after"] = homes_of_nodes(cluster)
    report["master"], report["terms begun"] = cluster.master(), cluster.epoch() - epoch
    found = verdict(cluster, tasks)
    report["lag"] = {name: lags(cluster, begun["begin"], begun["end"]) for name, begun in report["windows"].items()
                     if name != "at rest"}
    report["verdict"], report["problems"] = found.summary(), found.problems[:20]
    report["warnings"] = warnings(cluster)
    before, full = report["memory"]["before"], report["memory"]["with clients"]
    homed = options.clients / options.nodes
    report["memory"]["slave KiB per client it hears"] = 1024 * (full["slave"] - before["slave"]) / homed
    # The master hears as many itself.
    report["memory"]["master bytes per client of the cluster"] = max(
        0, 1048576 * ((full["master"] - before["master"]) - (full["slave"] - before["slave"])) / options.clients)
    return report


def main():
    options = parse()
    with Bed("mysql") as cluster:
        report = play(cluster, options)
        good = not report["problems"] and report["terms begun"] == 0
        cluster.keep = cluster.keep or not good
    text = json.dumps(report, indent=2)
    say(text)
    if options.json:
        options.json.write_text(text + "\n")
    say(report["verdict"])
    if not good:
        say(f"kept for inspection: {cluster.folder}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
