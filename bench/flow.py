"""One run of a load through the whole path: register, warm up, measure a window, wait for the end, check."""

import collections
import shlex
import subprocess
import sys
import time

import gauges
import judge
from loads import SECOND
from stage import Stage, harness

COUNTED = ("Questions", "trx_rw_commits", "Com_commit", "Com_insert", "Com_update", "Com_select", "Com_delete",
           "Handler_commit", "Handler_write", "Handler_update", "Handler_delete", "Innodb_data_fsyncs",
           "Innodb_os_log_written", "Bytes_received", "Bytes_sent")
SETTLES_WITHIN = 120  # an overloaded path may take this long for its backlog


def sleep_until(utc_us):
    time.sleep(max(0, (utc_us - harness.utc_us()) / SECOND))


class Window:
    """Measures the machine between two instants."""

    def __init__(self, stage, begin, end, beside=None):
        sleep_until(begin)
        drift = gauges.Drift()
        counters = gauges.Counters(stage.store)
        processors = gauges.Processors(stage.pids())
        child = start_beside(beside, stage, (end - begin) / SECOND)
        sleep_until(end)
        self.processors = processors.read()
        counted = counters.read()
        self.drift_us = drift.read()
        self.counters = {name: counted[name] for name in COUNTED if name in counted}
        if child:
            child.wait()

    def facts(self):
        return {"drift_us": self.drift_us, "counters": self.counters, "processes": self.processors}


def costs(counters, executions):
    """The server's counters. InnoDB's count of commits includes autocommitted transactions; Com_commit does not."""
    return {"commits_per_execution": counters["trx_rw_commits"] / max(executions, 1),
            "statements_per_execution": counters["Questions"] / max(executions, 1)}


def start_beside(command, stage, seconds):
    """A command that runs during the window, such as a profiler: {trigger}, {client}, {mariadbd} are pids."""
    if not command:
        return None
    pids = {name.replace("trigger-1", "trigger"): pid for name, pid in stage.pids().items()}
    words = [word.format(seconds=int(seconds), **pids) for word in shlex.split(command)]
    return subprocess.Popen(words, stdin=subprocess.DEVNULL)


def nothing(stage):
    return {}


def run(*arguments, **more):
    """Calls try_run with a longer warm-up each time."""
    for patience in (1, 2, 4, 8):
        result = try_run(*arguments, **more, patience=patience)
        if result is not None:
            return result
        print("the machine has other work, and the tasks were registered too late: again", file=sys.stderr)
    raise SystemExit("the tasks were always registered too late")


def try_run(server, options, load, warm, seconds, patience, triggers=1, web=False, until=None, prepare=nothing,
            after=nothing):
    """Returns None if the first firings fell due before all tasks were registered.

    `until`: microseconds after the window; executions due then or later are not waited for. By default all are.
    `prepare` is called before the nodes start, `after` when all executions have ended; their results are merged."""
    with Stage(server, options) as stage:
        more = prepare(stage)
        room = int(min(load.tasks * load.firings, 5 * options.rate * (warm + seconds))) + 100_000
        stage.begin(triggers=triggers, web=web, room=room)
        load.register(stage.store, harness.utc_us(), patience)
        if harness.utc_us() > load.begin - 2 * SECOND:
            return None
        whole = gauges.Processors(stage.pids())
        begin = load.begin + int(warm * SECOND)
        end = begin + int(seconds * SECOND)
        until = load.end if until is None else end + until
        window = Window(stage, begin, end, options.beside)
        sleep_until(until)
        settled = stage.await_ended(until, SETTLES_WITHIN)
        broken = stage.load_faults()
        used = whole.read_seconds()
        rows = stage.rows(load.begin)
        more.update(after(stage))
        starts = stage.starts()
        found = weigh(load, begin, end, until, rows, starts)
        found["problems"] += broken
        if found["problems"]:
            stage.keep = True
            found["problems"].append(f"what the processes logged is kept in {stage.folder}")
        return {**more, **window.facts(), **costs(window.counters, sum(found["by_second"])), **found,
                "processor_us": per_execution(used, len(rows)), "settled_s": settled}


def weigh(load, begin, end, until, rows, starts):
    """The records of ledger and client for the window, and the verdict on everything due before `until`."""
    verdict = judge.judge(load, until, [row[:5] for row in rows], starts)
    by_second = ends_by_second(rows, begin, end)
    lags = [began - at for _, _, _, at, began in starts if begin <= at < end]
    commits = [ended - at for _, _, at, _, _, ended in rows if begin <= at < end and ended]
    return {"rate": sum(by_second) * SECOND / (end - begin), "by_second": by_second,
            "lag_ms": gauges.percentiles_ms(lags), "committed_after_ms": gauges.percentiles_ms(commits),
            "lag_samples_us": sample(lags), "expected": verdict.expected, "missed": verdict.missed,
            "doubled": verdict.doubled, "starts": verdict.starts, "problems": verdict.problems}


def per_execution(seconds, executions):
    """Processor time per execution of each process and of all, from the registration to the last result."""
    found = {name: each * SECOND / max(executions, 1) for name, each in seconds.items()}
    return {"all": sum(found.values()), **found}


def ends_by_second(rows, begin, end):
    """The number of executions committed as succeeded in each second of the window."""
    counts = collections.Counter((row[5] - begin) // SECOND for row in rows
                                 if row[3] == "succeeded" and begin <= row[5] < end)
    return [counts[second] for second in range(-(-(end - begin) // SECOND))]


def sample(values, most=1000):
    """Samples the sorted values evenly, for a figure."""
    ordered = sorted(values)
    if len(ordered) <= most:
        return ordered
    return [ordered[(len(ordered) - 1) * place // (most - 1)] for place in range(most)]
