#!/usr/bin/env python3
"""Runs the trials of both harnesses, baton's and the one in Java beside this file, and prints medians and spreads. Each trial
is a process; the rounds interleave the products."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
BATON = pathlib.Path(os.environ.get("BATON_BUILD", HERE.resolve().parents[2] / "build/release")) / "bench/bench_lock_turns"
JAVA = ["java", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", f"{HERE}/target/classes:{HERE}/target/lib/*",
        "baton.lockpeers.Main"]

# By server. "bare" stands for the minimal commands, sent through each client library.
PRODUCTS = {
    "redis": ["baton", "redisson", "redisson-fair"],
    "zookeeper": ["baton", "curator"],
}
BARE = {"redis": ["bare", "scripts", "redisson-bare"], "zookeeper": ["bare", "curator-bare"]}
LOADS = ["free", "turns", "handover"]


def numbers(text):
    return [int(part) for part in text.split(",")]


def loads(text):
    if set(text.split(",")) - set(LOADS):
        raise argparse.ArgumentTypeError(f"of {', '.join(LOADS)}")
    return text.split(",")


def parse_arguments():
    parser = argparse.ArgumentParser(prog="locks/bench/peers/run", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--redis", required=True, help="redis://host:port")
    parser.add_argument("--zookeeper", required=True, help="zookeeper://host:port")
    parser.add_argument("--json", action="store_true", help="one JSON object a line for each trial, and no table")
    parser.add_argument("--only", choices=sorted(PRODUCTS), help="only on this server")
    parser.add_argument("--loads", type=loads, default=",".join(LOADS), help="only these loads")
    parser.add_argument("--contenders", type=numbers, default="2,4,16", help="of the load turns")
    parser.add_argument("--waiters", type=numbers, default="1,15", help="of the load handover, beside the holder")
    parser.add_argument("--hand-overs", type=int, default=200, help="of each trial of the load handover")
    parser.add_argument("--seconds", type=float, default=5, help="of each trial of the loads free and turns")
    parser.add_argument("--warm-up", type=float, default=5, help="seconds before the measurement")
    parser.add_argument("--rounds", type=int, default=3, help="how often each trial is run")
    return parser.parse_args()


def combinations(options):
    """(server, load, contenders, product) of all trials, the products of one load beside each other."""
    sizes = {"free": [1], "turns": options.contenders, "handover": [waiters + 1 for waiters in options.waiters]}
    return [(server, load, contenders, product)
            for server in PRODUCTS if options.only in (None, server)
            for load in options.loads for contenders in sizes[load]
            for product in PRODUCTS[server] + (BARE[server] if load == "free" else [])]


def trial(options, server, load, contenders, product):
    """The figures, or None if there were none."""
    program = [BATON] if product in ("baton", "bare", "scripts") else JAVA
    command = [*program, "--server", getattr(options, server), "--product", product, "--load", load,
               "--contenders", str(contenders), "--seconds", str(options.seconds), "--warm-up", str(options.warm_up),
               "--hand-overs", str(options.hand_overs)]
    limit = 60 + options.warm_up + options.seconds + options.hand_overs * 0.5
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        done = None
    if done is None or done.returncode != 0:
        print(f"lock_peers: {server} {load} {contenders} {product}: {'failed' if done else f'not done in {limit:.0f} s'}",
              file=sys.stderr)
        return None
    return {"server": server, "load": load, "contenders": contenders, "product": product,
            **json.loads(done.stdout.splitlines()[-1])}


def spread(values, digits):
    """Median, and the least and the most."""
    if not values:
        return "-"
    middle, least, most = (f"{value:.{digits}f}" for value in (statistics.median(values), min(values), max(values)))
    return middle if least == most else f"{middle} ({least}..{most})"


def cells(load, trials):
    if load == "turns":
        return [spread([each["grants_per_s"] for each in trials], 0), spread([each["fewest"] for each in trials], 0),
                spread([each["most"] for each in trials], 0)]
    name, digits = ("pair_us", 0) if load == "free" else ("hand_over_ms", 2)
    return [spread([each[name][quantile] for each in trials], digits) for quantile in ("p50", "p99")]


HEADS = {"free": ["lock and unlock p50 us", "p99"], "turns": ["grants/s", "fewest of one", "most of one"],
         "handover": ["hand-over p50 ms", "p99"]}


def print_tables(options, results):
    for load in options.loads:
        table = [["server", "contenders", "product", *HEADS[load]]]
        table += [[server, str(contenders), product, *cells(load, trials)]
                  for (server, name, contenders, product), trials in results.items() if name == load and trials]
        widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
        print(f"\n{load}")
        for line in table:
            print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    print(f"\nMedian (least..most) of {options.rounds} rounds, on {os.cpu_count()} cores, load average "
          f"{os.getloadavg()[2]:.1f} over the last 15 minutes. locks/bench/peers/README.md describes the loads.")


def main():
    options = parse_arguments()
    chosen = combinations(options)
    results = {combination: [] for combination in chosen}
    bad = 0
    began = time.monotonic()
    for turn in range(options.rounds):
        for combination in chosen if turn % 2 == 0 else reversed(chosen):
            busy = os.getloadavg()[0]
            figures = trial(options, *combination)
            if figures is None or figures["overlaps"]:
                bad += 1
            if figures is None:
                continue
            results[combination].append(figures)
            line = json.dumps({**figures, "round": turn + 1, "load_average_before": busy})
            print(line if options.json else f"lock_peers: {time.monotonic() - began:.0f} s: {line}",
                  file=sys.stdout if options.json else sys.stderr, flush=True)
    if not options.json:
        print_tables(options, results)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
