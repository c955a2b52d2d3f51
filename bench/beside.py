"""The row `neighbours`: the lag of a service in good health beside each bad neighbour, and without it just before.

Each pair of windows has processes of its own, because what some neighbours do outlasts them.
"""

import contextlib
import dataclasses
import os
import signal
import statistics
import subprocess
import sys
import threading
import time

import gauges
from flow import sleep_until
from loads import HANDLER, SECOND, SERVICE, Load
from stage import Stage, harness

import neighbours

SECONDS = 5           # of a window
TASKS = 20            # of the healthy service, one firing a second each
NEIGHBOUR_TASKS = 100  # the same
PROMPT_US = SECOND    # a firing that begins later waits for something
WARM = 1              # seconds before the first window
ENTRY = 2             # seconds from the first window to the neighbour's first firing
FILLS_WITHIN = 60     # seconds that a backlog may take to grow
FACTOR, SLACK_MS = 1.5, 5  # of the p99 without the neighbour; the larger counts
BEFORE_HERD = 2       # seconds from the beginning of the window to the herd
HEARTBEAT, MISSED = 5, 3  # seconds, and how many a client may miss
STALL = 10            # seconds for which the database stands still
AFTER_STALL = 5       # seconds from its end to the window: a new master may wait for the length of the lease
AGAIN = 2             # attempts after a pair in which the wall clock moved


@dataclasses.dataclass
class Neighbour:
    """One row of the table."""
    title: str
    kind: str = None            # of the client, by neighbours.KINDS; without it there is none
    service: str = "neighbour"  # SERVICE: it is a client of the healthy service itself
    tasks: int = NEIGHBOUR_TASKS
    routing: str = "round_robin"
    triggers: int = 2
    backlog: int = 0            # seconds for which the tasks of its service have been due when it appears
    becomes: str = None         # the kind that the client turns into when it has work
    cancel: bool = False        # of an execution that the client has by then
    slots: int = 8
    queue: int = 1000
    herd: bool = False          # its tasks fire once, all in the same millisecond
    served: bool = False        # by a client of the benchmark, which takes as many as there are
    crowd: int = 0              # clients that only send heartbeats, and end in the same moment
    stall: bool = False         # they live on, and the database stands still for a while

    def load(self):
        """What falls due for it, or None."""
        if self.service == SERVICE or self.cancel or self.crowd:
            return None
        once = {"firings": 1, "spread": 0} if self.herd else {"firings": 3600}
        return Load(tasks=self.tasks, service=self.service, name="neighbour", routing=self.routing, **once)


def same(title, kind, **more):
    return Neighbour(f"{title}, of the same service", kind, service=SERVICE, **more)


NEIGHBOURS = {
    "healthy": Neighbour("another service in good health", "healthy"),
    "dead": Neighbour("a service without clients, 2,000 firings/s, one node", tasks=2000, triggers=1, backlog=60),
    "dead_broadcast": Neighbour("the same, 100 broadcasts/s", routing="broadcast", triggers=1, backlog=20),
    "swallowing_same": same("an address that swallows connections", "swallowing"),
    "cancel": Neighbour("a cancel on a client that does not answer", "hung", becomes="mute", cancel=True),
    "swallowing": Neighbour("an address that swallows connections", "swallowing"),
    "begins_to_swallow": Neighbour("an address that begins to swallow connections", "healthy", becomes="swallowing"),
    "refusing": Neighbour("an address that refuses connections", "refusing"),
    "mute": Neighbour("takes calls and never answers", "mute"),
    "mute_same": same("takes calls and never answers", "mute"),
    "becomes_mute": Neighbour("begins to answer no calls", "healthy", becomes="mute"),
    "slow": Neighbour("reads slowly", "slow"),
    "nonsense": Neighbour("answers nonsense", "nonsense"),
    "dropping": Neighbour("drops connections", "dropping"),
    "toolarge": Neighbour("answers 413", "toolarge"),
    "unacknowledging": Neighbour("never acknowledges", "unacknowledging"),
    "lying": Neighbour("acknowledges and never reports", "lying"),
    "draining": Neighbour("drains for ever", "draining"),
    "dying": Neighbour("dies of each execution and comes back", "dying"),
    "hung_same": same("all slots hung", "hung", slots=2, queue=100),
    "herd": Neighbour("100,000 firings in the same millisecond", tasks=100_000, herd=True, served=True),
    "herd_dead": Neighbour("the same, of a service without clients", tasks=100_000, herd=True),
    "deaths": Neighbour("1,000 clients that end in one moment", crowd=1000),
    "stall": Neighbour("5,000 clients, after the database has stood still for 10 s", crowd=5000, stall=True),
}


@dataclasses.dataclass
class Window:
    begin: int
    end: int

    def weigh(self, load, starts, seen_until):
        """Lags in this window. A firing that has not begun counts with the time that it has waited."""
        begun = {(task, at): began for _, _, task, at, began in reversed(starts)}
        lags = []
        for number in range(load.tasks):
            task, first = load.first_id + number, load.first(number)
            turn = max(0, -(-(self.begin - first) // load.period))
            for at in range(first + turn * load.period, self.end, load.period):
                lags.append(begun.get((task, at), seen_until) - at)
        return {**gauges.percentiles_ms(lags), "firings": len(lags), "late": sum(lag > PROMPT_US for lag in lags)}


def run(server, options):
    """One pair for each neighbour."""
    pairs = {}
    for name in options.neighbours:
        pairs[name] = steady_pair(server, options, NEIGHBOURS[name])
        without, beside = pairs[name]["without"], pairs[name]["beside"]
        print(f"    {name}: p99 {without['p99']:.1f} ms without, {beside['p99']:.1f} ms beside; "
              f"{beside['late']} of {beside['firings']} late", file=sys.stderr, flush=True)
    return {"pairs": pairs}


def steady_pair(server, options, neighbour):
    for _ in range(1 + AGAIN):
        server.await_idle()
        drift = gauges.Drift()
        found = pair(server, options, neighbour)
        if drift.read() <= gauges.DRIFT_LIMIT_US:
            return found
        print(f"    discarded, the wall clock moved: {neighbour.title}", file=sys.stderr)
    raise SystemExit(f"the wall clock never stood still: {neighbour.title}")


def pair(server, options, neighbour):
    with Stage(server, options) as stage:
        stage.begin(triggers=neighbour.triggers, web=neighbour.cancel, room=100_000)
        healthy = Load(tasks=TASKS, firings=3600)
        healthy.register(stage.store, harness.utc_us())
        without = Window(begin := healthy.begin + WARM * SECOND, begin + int(options.window * SECOND))
        sleep_until(without.begin)
        load = neighbour.load()
        if load and not neighbour.backlog and not neighbour.herd:
            load.register(stage.store, harness.utc_us(), begin=without.end + ENTRY * SECOND)
        sleep_until(without.end)
        with contextlib.ExitStack() as until_over:
            enter(stage, neighbour, load, until_over)
            begin = harness.utc_us()
            beside = Window(begin, begin + int(options.window * SECOND))
            sleep_until(beside.end + PROMPT_US)
            starts, seen_until = record(stage)
        return {"without": without.weigh(healthy, starts, seen_until), "beside": beside.weigh(healthy, starts, seen_until)}


def record(stage):
    """The client's record, and the time until which it shows everything."""
    seen_until = harness.utc_us()
    starts = [start for start in stage.starts() if start[4] <= seen_until]
    return starts, seen_until


def enter(stage, neighbour, load, until_over):
    """Returns when the neighbour is as bad as it becomes."""
    if neighbour.herd:
        return gather_herd(stage, neighbour, load)
    if neighbour.stall:
        until_over.enter_context(crowd(stage, neighbour))
        return stall(stage)
    if neighbour.crowd:
        return end_crowd(stage, neighbour)
    client = None
    if neighbour.kind:
        client = until_over.enter_context(neighbours.Client(
            stage.triggers(), neighbour.service, neighbour.kind, [HANDLER], neighbour.slots, neighbour.queue))
    if neighbour.cancel:
        until_over.callback(start_cancel(stage, neighbour, client).join)
        return
    if neighbour.backlog:
        load.register(stage.store, harness.utc_us(), begin=harness.utc_us() - neighbour.backlog * SECOND)
        await_backlog(stage)
    elif load:
        sleep_until(load.begin + SECOND)
    elif neighbour.kind == "hung":
        harness.wait_for("its slots are taken", lambda: client.taken >= client.slots, 10)
    if neighbour.becomes:
        client.turn(neighbour.becomes)


def gather_herd(stage, neighbour, load):
    """Returns shortly before the herd falls due, while it is planned."""
    if neighbour.served:
        stage.start_client("neighbour", {"BENCH_SERVICE": neighbour.service})
    load.register(stage.store, harness.utc_us())
    sleep_until(load.begin - BEFORE_HERD * SECOND)


def crowd_program(stage, neighbour):
    return [harness.build_folder() / "bench/bench_crowd", stage.triggers()[0], "--clients", str(neighbour.crowd),
            "--ramp", "2"]


@contextlib.contextmanager
def crowd(stage, neighbour):
    """Clients that only send heartbeats, when all of them have registered. They are killed at the end."""
    with subprocess.Popen(crowd_program(stage, neighbour), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                          preexec_fn=harness.end_with_parent) as child:
        if child.stdout.readline() != "ready\n":
            raise AssertionError("the crowd did not come up")
        time.sleep(HEARTBEAT)
        yield
        check_crowd(stage, neighbour)
        child.kill()


def check_crowd(stage, neighbour):
    there = stage.store.query("SELECT COUNT(*) AS many FROM client WHERE service = 'crowd' AND state <> 'gone'")
    if there[0]["many"] != neighbour.crowd:
        raise AssertionError(f"the load is not what it claims: {there[0]['many']} of {neighbour.crowd} clients are there")


def end_crowd(stage, neighbour):
    """Returns shortly before the clients that were killed count as gone."""
    with crowd(stage, neighbour):
        pass
    time.sleep((MISSED - 1) * HEARTBEAT - 1)


def stall(stage):
    """Returns shortly after the database goes on. What fell due meanwhile is late for it, and not for the clients."""
    os.kill(stage.server.pid, signal.SIGSTOP)
    try:
        time.sleep(STALL)
    finally:
        os.kill(stage.server.pid, signal.SIGCONT)
    time.sleep(AFTER_STALL)


def await_backlog(stage):
    """Until it grows no more, or no faster than it falls due."""
    end = time.monotonic() + FILLS_WITHIN
    counted = -1
    while time.monotonic() < end:
        count = stage.store.query("SELECT COUNT(*) AS many FROM execution WHERE due_at IS NOT NULL")[0]["many"]
        if 0 < count <= counted * 1.03:
            return
        counted = count
        time.sleep(2)


def start_cancel(stage, neighbour, client):
    """The client has an execution and stops answering; then that is cancelled. Returns the thread that waits for it."""
    task = stage.create("neighbour", {"kind": "api"}, HANDLER, neighbour.service)
    execution = stage.run_now(task)
    harness.wait_for("the client has the execution", lambda: execution in client.held, 10)
    client.turn(neighbour.becomes)
    thread = threading.Thread(target=stage.rest.post, args=(f"/api/v1/executions/{execution}/cancel",), daemon=True)
    thread.start()
    return thread


# --- the table

def allowed_ms(without):
    return max(FACTOR * without, without + SLACK_MS)


def judge(pairs):
    """The medians of the pairs of one neighbour, and whether it costs others nothing."""
    def median(which, what):
        return statistics.median(each[which][what] for each in pairs)

    found = {f"{which}_{what}": median(which, what) for which in ("without", "beside") for what in ("p50", "p99")}
    found["late"] = max(each["beside"]["late"] for each in pairs)
    found["firings"] = pairs[0]["beside"]["firings"]
    excess = statistics.median(each["beside"]["p99"] - allowed_ms(each["without"]["p99"]) for each in pairs)
    found["good"] = excess <= 0 and found["late"] == 0
    return found


def table(runs):
    """Markdown."""
    lines = [f"| beside {TASKS} tasks of one second | p50 without | beside | p99 without | beside | late | reached |",
             "|---|---:|---:|---:|---:|---:|---|"]
    for name in runs[0]["pairs"]:
        found = judge([run["pairs"][name] for run in runs])
        lags = " | ".join(f"{found[f'{which}_{what}']:,.1f} ms" for what in ("p50", "p99") for which in ("without", "beside"))
        lines.append(f"| {NEIGHBOURS[name].title} | {lags} | {found['late']} of {found['firings']} | "
                     f"{'yes' if found['good'] else 'no'} |")
    return lines
