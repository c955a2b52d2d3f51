"""The rows of the table with their figures and targets."""

import argparse
import dataclasses
import json
import subprocess
import typing

import backlog
import beside
import flow
import gauges
import standing
from loads import SECOND, Load
from stage import ROOT, Stage, harness


ONE_AT_A_TIME = {"concurrency": {"limit": 1, "key": "/data"}}
# Of each task twice its own firings, so that the limit is asked and keeps nothing back.
WITH_A_RATE = {**ONE_AT_A_TIME, "rate": {"limit": 2, "per_ms": 1000, "burst": 4}}
RETENTION_BEGINS = 15  # seconds; a new term starts retention late


@dataclasses.dataclass
class Figure:
    """One figure of a row: its path in a run's result, and its target."""
    title: str
    path: str  # "lag_ms/p50"
    unit: str = ""
    most: float = None
    least: float = None
    slack: float = 0  # allowance below `least`, because a window cuts off work under way at both ends

    def of(self, result):
        for key in self.path.split("/"):
            if not isinstance(result, dict):
                return None
            result = result.get(key)
        return result

    def goal(self):
        if self.most is not None:
            return f"≤ {self.most:,.10g}"
        return f"≥ {self.least:,.10g}" if self.least is not None else ""

    def reached(self, value):
        if self.most is not None:
            return value <= self.most
        return self.least is None or value >= self.least * (1 - self.slack)


@dataclasses.dataclass
class Row:
    title: str
    run: typing.Callable  # (server, options) to a result
    figures: typing.Any  # a list, or a function from the runs to a list
    table: typing.Callable = None  # from the runs to lines of Markdown; without it the figures are shown


MISSED = Figure("missed", "missed", most=0)
DOUBLED = Figure("doubled", "doubled", most=0)
OF_CEILING = Figure("of the ceiling", "of_ceiling", least=0.5)
COSTS = [Figure("processor time per execution", "processor_us/all", "µs"),
         Figure("commits per execution", "commits_per_execution", most=0.05),
         Figure("statements per execution", "statements_per_execution", most=0.1)]

# Each REST call is a separate transaction, so the targets for grouped work do not apply.
COSTS_OF_SINGLES = [Figure("commits per execution", "commits_per_execution"),
                    Figure("statements per execution", "statements_per_execution")]


def rate(goal=None):
    return Figure("executions", "rate", "1/s", least=goal, slack=0.005)


def lags(p50=None, p99=None, p999=None):
    return [Figure("lag p50", "lag_ms/p50", "ms", most=p50), Figure("lag p99", "lag_ms/p99", "ms", most=p99),
            Figure("lag p99.9", "lag_ms/p99.9", "ms", most=p999), Figure("lag max", "lag_ms/max", "ms")]


def repeating(tasks, options, **more):
    """Tasks that fire every second for the duration of the run."""
    return Load(tasks=tasks, firings=int(options.warm + options.seconds) + 1, **more)


def steady(server, options):
    load = repeating(options.rate, options, payload=options.payload)
    return flow.run(server, options, load, options.warm, options.seconds, triggers=options.triggers)


def most(server, options):
    """More than the path can sustain, so that it is never idle."""
    load = repeating(options.rate * 4, options, payload=options.payload)
    return flow.run(server, options, load, options.warm, options.seconds)


def cron(server, options):
    """All on the second: a herd each second."""
    load = repeating(options.rate, options, kind="cron", spread=0)
    return flow.run(server, options, load, options.warm, options.seconds)


def payload_1k(server, options):
    load = repeating(options.rate, options, payload=1000)
    return flow.run(server, options, load, options.warm, options.seconds)


def own_task(server, options):
    """Every task fires once."""
    span = options.warm + options.seconds + 1
    load = Load(tasks=int(options.rate * span), kind="once", spread=int(span * SECOND))
    return flow.run(server, options, load, options.warm, options.seconds)


def three_nodes(server, options):
    return flow.run(server, options, repeating(options.rate, options), options.warm, options.seconds, triggers=3)


def lag(server, options):
    return flow.run(server, options, repeating(options.lag_rate, options), options.warm, options.seconds)


def lag_fetch(server, options):
    """The same with a client that fetches its executions."""
    fetching = argparse.Namespace(**vars(options), client={"BENCH_FETCHES": "1"})
    return lag(server, fetching)


def lag_no_queue(server, options):
    """The same with a client that takes no more than it has free slots."""
    return lag(server, argparse.Namespace(**vars(options), client={"BENCH_QUEUE": "0"}))


def keys(server, options):
    """Each execution under a concurrency key of its own task: half of the steady rate, with so many keys."""
    load = repeating(options.rate // 2, options, policy=ONE_AT_A_TIME)
    return flow.run(server, options, load, options.warm, options.seconds)


def keys_and_rates(server, options):
    """The same with a rate limit on each task beside its key."""
    load = repeating(options.rate // 2, options, policy=WITH_A_RATE)
    return flow.run(server, options, load, options.warm, options.seconds)


def ceiling(server, options):
    """The rate of the database alone for the same rows, with the best number of sessions."""
    tried = []
    for sessions in options.ceiling_sessions:
        with Stage(server, options) as stage:
            load = Load(tasks=options.rate, firings=2)
            load.register(stage.store, harness.utc_us())
            begun = gauges.Processors({"mariadbd": server.pid})
            tried.append(json.loads(stage.run_program(
                "bench_ceiling", stage.store.url, "--first-id", load.first_id, "--begin", load.begin, "--tasks",
                load.tasks, "--sessions", sessions, "--batch", options.ceiling_batch, "--seconds",
                options.ceiling_seconds)))
            tried[-1]["mariadbd_cores"] = begun.read()["mariadbd"]["cores"]
    return {"rate": max(each["rate"] for each in tried), "tried": tried}


def million(server, options):
    """Each task fires once in a thousand seconds; measures a window and then kills the master."""
    load = Load(tasks=options.many, period=options.many * SECOND // options.lag_rate,
                spread=options.many * SECOND // options.lag_rate)
    return flow.run(server, options, load, options.warm, options.seconds, triggers=2, until=0,
                    after=standing.take_over)


def thousand(server, options):
    """The load of `lag` on as many nodes as `million` has, for comparison."""
    return flow.run(server, options, repeating(options.lag_rate, options), options.warm, options.seconds, triggers=2)


def history(server, options):
    """The load of `lag` on a ledger with a long history, two thirds of which are due for deletion."""
    warm = max(options.warm, RETENTION_BEGINS)
    load = Load(tasks=options.lag_rate, firings=int(warm + options.seconds) + 1)
    found = flow.run(server, options, load, warm, options.seconds, web=True,
                     prepare=lambda stage: standing.fill_history(stage, options.history), after=standing.read_pages)
    found["deleted_per_s"] = found["counters"]["Handler_delete"] / options.seconds
    return found


def peers(server, options):
    """Other schedulers under the same loads on the same server; bench/peers/README.md has their settings."""
    trials = subprocess.run(
        [ROOT / "bench/peers/run", "--json", "--mysql", server.url, "--repeat", "1", "--tasks", str(options.rate),
         "--seconds", str(int(min(options.seconds, 15)))], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
        check=True).stdout
    found = {}
    for line in trials.splitlines():
        trial = json.loads(line)
        load = f"{trial['load']} {trial['tasks']:,}"
        found.setdefault(load, {})[f"{trial['peer']} {trial['settings']}"] = trial
    return {"trials": found}


def figures_of_peers(runs):
    told = {"steady": [("executions_per_s", "executions", "1/s"),
                       ("commits_per_execution", "commits per execution", ""),
                       ("statements_per_execution", "statements per execution", "")],
            "herd": [("herd_s", "last job began", "s"), ("missed", "missed", "")],
            "lag": [("lag_ms/p50", "lag p50", "ms"), ("lag_ms/p99", "lag p99", "ms"), ("missed", "missed", "")]}
    return [Figure(f"{peer}, {load}: {title}", f"trials/{load}/{peer}/{key}", unit)
            for load, each in runs[0]["trials"].items() for peer in each for key, title, unit in told[load.split()[0]]]


def herd(server, options):
    """Several herds, five seconds apart; the worst counts."""
    load = Load(tasks=options.herd, firings=options.herds, period=5 * SECOND, spread=0)
    return flow.run(server, options, load, 0, 5 * options.herds)


ROWS = {
    "steady": Row("steady rate", steady, [rate(10_000), *COSTS, *lags(), MISSED, DOUBLED]),
    "most": Row("four times that offered: the most that it bears", most,
                [rate(), OF_CEILING, *COSTS, MISSED, DOUBLED]),
    "ceiling": Row("ceiling: the database alone", ceiling, [rate()]),
    "herd": Row("herd: all at the same instant", herd,
                [Figure("last handler began", "lag_ms/max", "ms", most=1000), Figure("half began", "lag_ms/p50", "ms"),
                 Figure("last result committed", "committed_after_ms/max", "ms"), MISSED, DOUBLED]),
    "lag": Row("lag at 1,000 firings/s", lag, [rate(), *lags(2, 10, 50), MISSED, DOUBLED]),
    "lag_fetch": Row("lag at 1,000 firings/s, the client fetches", lag_fetch, [rate(), *lags(2, 10, 50), MISSED, DOUBLED]),
    "lag_no_queue": Row("lag at 1,000 firings/s, nothing queued at the client", lag_no_queue,
                        [rate(), *lags(2, 10, 50), MISSED, DOUBLED]),
    "keys": Row("steady rate, each task with a concurrency key", keys, [rate(5_000), *COSTS, *lags(), MISSED, DOUBLED]),
    "keys_and_rates": Row("steady rate, each task with a concurrency key and a rate limit", keys_and_rates,
                          [rate(5_000), *COSTS, *lags(), MISSED, DOUBLED]),
    "one_key": Row("one concurrency key: one execution after the other", standing.one_key, [rate(), MISSED, DOUBLED]),
    "run_now": Row("run now through REST, idle cluster", standing.run_now,
                   [Figure("call to handler p50", "until_start_ms/p50", "ms", most=5),
                    Figure("call to handler p99", "until_start_ms/p99", "ms", most=20),
                    Figure("call to answer p50", "until_answer_ms/p50", "ms"),
                    Figure("a bare commit meanwhile p50", "bare_commit_ms/p50", "ms"),
                    Figure("a bare commit meanwhile p99", "bare_commit_ms/p99", "ms"), MISSED, DOUBLED]),
    "run_batch": Row("run now through REST, as fast as it goes", standing.run_batch,
                     [rate(), *COSTS_OF_SINGLES, Figure("call to handler p50", "until_start_ms/p50", "ms"), MISSED,
                      DOUBLED]),
    "cron": Row("steady rate, cron: all on the second", cron, [rate(), *COSTS, *lags(), MISSED, DOUBLED]),
    "payload_1k": Row("steady rate, 1 kB payloads", payload_1k, [rate(), *COSTS, *lags(), MISSED, DOUBLED]),
    "own_task": Row("every firing from a task of its own", own_task, [rate(), *COSTS, *lags(), MISSED, DOUBLED]),
    "three_nodes": Row("steady rate, three nodes", three_nodes,
                       [rate(), Figure("of one node", "of_one_node", least=0.95), *COSTS, *lags(), MISSED, DOUBLED]),
    "idle_slave": Row("idle slave", standing.idle_slave,
                      [Figure("processor", "percent_of_a_core", "% of a core", most=0.5),
                       Figure("statements", "statements_per_second", "1/s", most=4),
                       Figure("resident", "resident_mib", "MiB", most=30)]),
    "crowd": Row("10,000 clients that beat every 5 s", standing.crowd,
                 [Figure("processor of the node", "percent_of_a_core", "% of a core", most=10),
                  Figure("statements", "statements_per_second", "1/s", most=5),
                  Figure("resident", "resident_mib", "MiB"), Figure("heartbeats", "beats/heartbeats"),
                  Figure("not answered", "beats/failed", most=0)]),
    "million": Row("one million tasks, 1,000 firings/s", million,
                   [rate(), *lags(2, 10, 50), Figure("memory of the master", "master_mib", "MiB", most=150),
                    Figure("seizure to the first planned page", "planning_after_ms", "ms", most=500), MISSED, DOUBLED]),
    "thousand": Row("one thousand tasks, 1,000 firings/s, two nodes", thousand,
                    [rate(), *lags(2, 10, 50), MISSED, DOUBLED]),
    "history": Row("1,000 firings/s on a long history", history,
                   [Figure("finished executions before", "history"), rate(), *lags(2, 10, 50),
                    Figure("rows deleted by retention meanwhile", "deleted_per_s", "1/s", least=1),
                    Figure("first page of the list", "first_page_ms/p50", "ms"),
                    Figure("first page of one task", "page_of_task_ms/p50", "ms"),
                    Figure("a search that finds nothing", "none_found_ms/p50", "ms"),
                    Figure("a page of long ago", "long_ago_ms/p50", "ms"), MISSED, DOUBLED]),
    "returned": Row("a backlog of a million, whose client comes under a new master", backlog.returned,
                    [Figure("executions that waited", "backlog"), rate(), COSTS[0],
                     Figure("memory of the last master", "master_mib", "MiB"),
                     Figure("seizure to the first planned page", "planning_after_ms", "ms", most=500), MISSED, DOUBLED]),
    "neighbours": Row("neighbours", beside.run, [], beside.table),
    "peers": Row("peers", peers, figures_of_peers),
}
