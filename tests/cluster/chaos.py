#!/usr/bin/env python3
"""Clusters under random faults and actions: each run is drawn from a seed, judged by schedule, ledger, clients' journals and
the histories of the nodes, and reported in one line.

    chaos.py --runs N --seed S [--jobs J] [--faults KIND,KIND...]
    chaos.py --only SEED           repeats one run
    chaos.py --store galera ...    on three Galera nodes
    chaos.py --measure KIND --runs N

Ends with status 0 only if no run broke a promise. The program is that of $BATON_BUILD (build/dev by default).
"""

import argparse
import collections
import concurrent.futures
import dataclasses
import json
import math
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import traceback

import chaos_disk
import chaos_faults
import chaos_galera
import chaos_neighbours
import chaos_net
import chaos_run
import election_checker as judge
import harness
import small_disk
from stores import servers

RUN_LIMIT = 300
MEASURABLE = chaos_faults.ALL | chaos_galera.ALL
ALL = MEASURABLE | chaos_neighbours.ALL


def guard_is_built():
    schema = json.loads((harness.ROOT / "config/schema/trigger.schema.json").read_text())
    return "guard" in schema["properties"]


def kinds_of(options):
    able = chaos_galera.kinds() if options.store == "galera" else chaos_faults.kinds(options.net)
    able |= set(chaos_neighbours.ALL)
    kinds = options.faults.split(",") if options.faults else sorted(able)
    if options.store != "galera":
        able |= {fault.kind for fault in chaos_faults.ASKED_FOR}
    for kind in kinds + ([options.measure] if options.measure else []):
        if kind not in able:
            sys.exit(f"chaos: no such fault here: {kind}; there are {', '.join(sorted(able))}")
    return kinds


def tell_of_root(kinds, options):
    """Is drawn and then skipped, so that a seed means the same faults on every machine."""
    asked_for = options.faults.split(",") + [options.measure]
    disks = [kind for kind in kinds + [options.measure] if kind and ALL[kind].needs_disk]
    if not disks or small_disk.possible() or options.one is not None:
        return
    words = f"chaos: only root can mount a disk that is small enough to be filled up: {disks[0]} is skipped"
    if disks[0] in asked_for:
        sys.exit(words)
    print(words, flush=True)


# --- one run, in a separate process


def run_one(seed, options):
    chance = random.Random(f"{seed}/faults")
    drawn = chaos_faults.draw(chance, [ALL[kind] for kind in kinds_of(options)])
    outcome = {"seed": seed, "faults": [fault.text() for fault in drawn], "good": False, "figures": [], "words": []}
    with chaos_run.Run(seed, drawn, store_for(options, drawn), options.guard, network_for(options, drawn)) as run:
        try:
            record, report, ledger = run.go()
        except Exception:
            run.cluster.keep = True
            outcome["summary"] = "no verdict"
            outcome["words"] = [traceback.format_exc(), f"kept for inspection: {run.cluster.folder}"]
            return outcome
        outcome.update(good=report.good, epochs=len(report.epochs), late=report.late, summary=ledger.summary(),
                    skipped=run.skipped, lags=[lag / judge.MILLI for lag in report.lags], figures=figures(record, drawn),
                    longest=max((end - begin for begin, end in report.gaps), default=0) / judge.MILLI)
        if not report.good:
            run.cluster.keep = True
            outcome["words"] = describe(record, report) + [f"kept for inspection: {run.cluster.folder}"]
    return outcome


def store_for(options, drawn):
    clocked = any(fault.needs_clock == "database" for fault in drawn)
    if options.store == "galera":
        return lambda: chaos_galera.Store(pathlib.Path(options.server))
    small = small_disk.possible() and any(fault.needs_disk for fault in drawn)
    kind = chaos_disk.SmallServer if small else chaos_run.Server
    return lambda: kind(pathlib.Path(options.server), clocked)


def start_servers(store, folder):
    server = chaos_galera.private_galera(folder) if store == "galera" else servers.MariaDb(folder)
    server.start()


def stop_servers(store, folder):
    if store == "galera":
        chaos_galera.private_galera(folder).stop()
    else:
        chaos_run.stop_servers(folder)


def network_for(options, drawn):
    if options.net == "namespaces":
        return chaos_net.Namespaces(options.slot)
    return chaos_net.Loopback(options.one or options.seed, any(fault.needs_proxy for fault in drawn))


def describe(record, report):
    words = [f"{violation.invariant}: {violation.words}" for violation in report.violations[:20]]
    if len(report.violations) > 20:
        words.append(f"and {len(report.violations) - 20} more")
    first = report.violations[0]
    return words + [f"the lines around the first, {first.invariant}:", judge.timeline(record, first.at)]


def figures(record, drawn):
    """(kind, milliseconds, whether the master changed) of each fault that no other overlaps."""
    faults = [fault for fault in drawn if fault.began]
    alone = [fault for fault in faults
             if not any(other is not fault and other.began <= fault.ended + record.settle
                        and fault.began <= other.ended + record.settle for other in faults)]
    measured = ((fault.kind, figure(record, fault)) for fault in alone)
    return [(kind, found.assigned, found.changed) for kind, found in measured if found]


@dataclasses.dataclass
class Figure:
    changed: bool
    assigned: float
    started: float
    believed: float
    late: list  # milliseconds, of the firings between the fault and the first assignment


def figure(record, fault):
    """Milliseconds from a fault, or from the moment at which a node could lead again, to the first assignment, to the
    first start of a handler, and to the mastership before them; and whether that was under a new epoch. None if the
    fault did not affect the cluster."""
    reach = fault.ended + record.settle
    since = max(fault.began, fault.cleared)
    epochs = [event.epoch for event in record.events if event.what == "assign" and event.at < fault.began]
    before = max(epochs, default=0)
    new = judge.first_assignment(record, fault.began, above=before)
    changed = new is not None and new.at <= reach
    first = new if changed else judge.first_assignment(record, since) if fault.cleared else None
    if first is None:
        return None
    starts = [start.at for start in record.starts if start.epoch == first.epoch and start.at >= first.at]
    beliefs = [event.at for event in record.events if event.what == "trust" and event.epoch == first.epoch
               and event.at >= fault.began]
    late = {}
    for start in record.starts:
        if fault.began <= start.due < first.at:
            late[start.execution] = min((start.at - start.due) / judge.MILLI, late.get(start.execution, math.inf))
    return Figure(changed, *(max(0, at - since) / judge.MILLI for at in (first.at, min(starts, default=reach),
                                                                         min(beliefs, default=reach))),
                  list(late.values()))


def measure(options):
    """Injects many faults of one kind into one cluster, one after the other."""
    kind = options.measure
    folder = tempfile.mkdtemp(prefix="baton-chaos-")
    options.server = f"{folder}/server"
    try:
        drawn = [ALL[kind]]
        store, network = store_for(options, drawn), network_for(options, drawn)
        with chaos_run.Run(options.seed, drawn, store, options.guard, network) as run:
            run.cluster.keep = True  # should it not come to an end
            record, report, ledger = run.measure(ALL[kind], options.runs, options.span)
            found = [figure(record, fault) for fault in run.drawn]
            run.cluster.keep = not report.good
            if not report.good:
                print("\n".join(describe(record, report) + [f"kept for inspection: {run.cluster.folder}"]))
    finally:
        stop_servers(options.store, options.server)
        shutil.rmtree(folder, ignore_errors=True)
    late = sorted(each for figure in found if figure for each in figure.late)
    if late:
        print(f"{kind}: firings due in between: n {len(late)}, late by p50 {statistics.median(late):.0f} ms, "
              f"max {late[-1]:.0f} ms")
    for changed in (True, False):
        for what, name in (("belief", "believed"), ("first assignment", "assigned"), ("first handler start", "started")):
            values = sorted(getattr(each, name) for each in found if each and each.changed == changed)
            if values:
                print(f"{kind}: {what}{'' if changed else ' (same epoch)'}: n {len(values)}, "
                      f"p50 {statistics.median(values):.0f} ms, max {values[-1]:.0f} ms: "
                      + " ".join(f"{value:.0f}" for value in values))
    print(f"{kind}: {len(report.epochs)} epochs, {ledger.summary()}")
    print(f"{len(found)} faults, {len(report.violations)} violations")
    return 0 if report.good else 1


# --- many


def lags(outcome):
    """In words, of the firings beside neighbours."""
    found = outcome.get("lags")
    return f"{len(found)} firings beside neighbours began {max(found):.0f} ms late at most; " if found else ""


def tell(outcome):
    gaps = " ".join(f"{kind} {gap:.0f}ms{'' if changed else ' (same epoch)'}" for kind, gap, changed in outcome["figures"])
    skipped = f" ({'; '.join(outcome['skipped'])})" if outcome.get("skipped") else ""
    print(f"{'good' if outcome['good'] else 'BAD '} seed {outcome['seed']}: {', '.join(outcome['faults'])}{skipped}; gap "
          f"{gaps or '-'}; no master for {outcome.get('longest', 0):.0f} ms at most; {outcome.get('epochs', '?')} epochs; "
          f"{lags(outcome)}"
          f"{outcome.get('summary', 'no verdict')}", flush=True)
    for line in outcome["words"]:
        print("  " + line.replace("\n", "\n  "), flush=True)


def repeat_command(seed, options):
    faults = f" --faults {options.faults}" if options.faults else ""
    where = f" --net {options.net}" if options.net != "loopback" else ""
    where += f" --store {options.store}" if options.store != "mysql" else ""
    return f"scripts/chaos --only {seed}{faults}{where}"


def run_apart(seed, options, servers):
    """The run's verdict, from a process that may fail or hang."""
    server = servers.pop()
    command = [sys.executable, __file__, "--one", str(seed), "--server", server]
    command += ["--faults", options.faults] if options.faults else []
    command += ["--guard", "on" if options.guard else "off", "--net", options.net, "--slot", server.rsplit("-", 1)[1]]
    command += ["--store", options.store]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, timeout=RUN_LIMIT)
        return json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, json.JSONDecodeError, IndexError) as failure:
        return {"seed": seed, "faults": [], "good": False, "figures": [], "words": [f"the run itself failed: {failure!r}"]}
    finally:
        servers.append(server)


def run_many(seeds, options):
    violations = 0
    gaps = collections.defaultdict(list)
    folder = tempfile.mkdtemp(prefix="baton-chaos-")
    servers = [f"{folder}/server-{number}" for number in range(options.jobs)]
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        for server in servers:
            start_servers(options.store, server)
        runs = [pool.submit(run_apart, seed, options, servers) for seed in seeds]
        for outcome in concurrent.futures.as_completed(runs):
            outcome = outcome.result()
            tell(outcome)
            if not outcome["good"]:
                violations += 1
                print(f"  again: {repeat_command(outcome['seed'], options)}", flush=True)
            for kind, gap, changed in outcome["figures"]:
                gaps[kind + ("" if changed else " (same epoch)")].append(gap)
    finally:
        pool.shutdown(cancel_futures=True)  # also cancels the seeds that have not started
        for server in servers:
            stop_servers(options.store, server)
        shutil.rmtree(folder, ignore_errors=True)
    print_table(gaps)
    print(f"{len(seeds)} runs, {violations} violations")
    return 1 if violations else 0


def print_table(gaps):
    if not gaps:
        return
    print(f"{'fault':<28} {'n':>4} {'p50 ms':>8} {'max ms':>8}   from the fault's effect to the first assignment")
    for kind in sorted(gaps):
        values = sorted(gaps[kind])
        print(f"{kind:<28} {len(values):>4} {statistics.median(values):>8.0f} {values[-1]:>8.0f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--faults", default="", help="kinds to draw from, with commas between; all by default")
    parser.add_argument("--guard", choices=("on", "off"), default="on" if guard_is_built() else "off",
                        help="whether the promises of the guard session hold; as the program has it by default")
    parser.add_argument("--net", choices=("loopback", "namespaces"), default="loopback",
                        help="each node in a network namespace of its own, with real packets lost; needs root")
    parser.add_argument("--store", choices=("mysql", "galera"), default="mysql",
                        help="galera: each node at one of three database nodes, where named locks are local, so that "
                        "the promises of the guard do not hold")
    parser.add_argument("--only", type=int, help="repeats the run of this seed")
    parser.add_argument("--measure", choices=sorted(MEASURABLE), metavar="KIND",
                        help="how long the cluster is without a master after this fault, --runs times")
    parser.add_argument("--span", type=float, help="of the fault that is measured, in seconds")
    parser.add_argument("--kinds", action="store_true", help="tells the kinds of faults")
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--server", help=argparse.SUPPRESS)
    parser.add_argument("--slot", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.guard = options.guard == "on" and options.store != "galera"
    if options.store == "galera" and options.net != "loopback":
        parser.error("private-galera listens on loopback only")
    tell_of_root(kinds_of(options), options)
    if options.net == "namespaces" and options.one is None:
        chaos_net.enter_hub()
    if options.one is not None:
        print(json.dumps(run_one(options.one, options)))
        return 0
    if options.kinds:
        for kind in sorted(ALL):
            print(f"{kind:<18} {ALL[kind].__doc__}")
        return 0
    if options.measure:
        return measure(options)
    seeds = [options.only] if options.only is not None else list(range(options.seed, options.seed + options.runs))
    return run_many(seeds, options)


if __name__ == "__main__":
    sys.exit(main())
