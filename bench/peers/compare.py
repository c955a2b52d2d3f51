#!/usr/bin/env python3
"""Runs the trials of the harness, one process each, interleaved and repeated, and prints medians and spreads."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
CLASSPATH = f"{HERE}/target/classes:{HERE}/target/lib/*"
CLOCK_MOVED_US = 100  # a trial in which the wall clock moved by more is repeated
TRIES = 3


LOADS = ["steady", "herd", "lag"]


def numbers(text):
    return [int(part) for part in text.split(",")]


def words(text):
    return text.split(",")


def loads(text):
    if set(words(text)) - set(LOADS):
        raise argparse.ArgumentTypeError(f"of {', '.join(LOADS)}")
    return words(text)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="bench/peers/run", formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--mysql", required=True, help="mysql://user:password@host:port")
    parser.add_argument("--json", action="store_true", help="one JSON object a line for each trial, and no table")
    parser.add_argument("--only", choices=["quartz", "db-scheduler"], help="only this peer")
    parser.add_argument("--settings", type=words, help="only these settings, such as tuned,tuned-fetch")
    parser.add_argument("--loads", type=loads, default=",".join(LOADS), help="only these loads")
    parser.add_argument("--tasks", type=numbers, default="10000", help="of the loads steady and herd; N,N for several")
    parser.add_argument("--rates", type=numbers, default="50,200", help="of the load lag, a second")
    parser.add_argument("--seconds", type=int, default=15, help="measured in steady and lag")
    parser.add_argument("--warm-up", type=int, default=5, help="seconds before them")
    parser.add_argument("--herd-limit", type=int, default=150, help="seconds after which a herd is given up")
    parser.add_argument("--payload", type=int, default=256, help="bytes a task")
    parser.add_argument("--repeat", type=int, default=3, help="how often each trial is run")
    return parser.parse_args()


def java(*arguments):
    return ["java", "-Duser.timezone=UTC", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", CLASSPATH,
            "baton.peers.Main", *arguments]


def combinations(options):
    """(peer, settings, load, tasks) of all trials, grouped by load."""
    peers = json.loads(subprocess.run(java("--list"), check=True, capture_output=True, text=True).stdout)
    sizes = {"steady": options.tasks, "herd": options.tasks, "lag": options.rates}
    return [(peer, settings, load, tasks)
            for load in options.loads for tasks in sizes[load]
            for peer in sorted(peers, reverse=True) if options.only in (None, peer)
            for settings in peers[peer] if not options.settings or settings in options.settings]


def trial(options, peer, settings, load, tasks):
    """The figures, or None if there were none."""
    command = java("--mysql", options.mysql, "--database", f"baton_peers_{os.getpid()}", "--peer", peer,
                   "--settings", settings, "--load", load, "--tasks", str(tasks), "--seconds", str(options.seconds),
                   "--warm-up", str(options.warm_up), "--payload", str(options.payload),
                   "--herd-limit", str(options.herd_limit))
    measured = options.herd_limit if load == "herd" else options.seconds + options.warm_up
    limit = 90 + tasks // 50 + measured
    for _ in range(TRIES):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=limit)
        except subprocess.TimeoutExpired:
            print(f"peers: {peer} {settings} {load} {tasks}: not done after {limit} s", file=sys.stderr)
            return None
        if done.returncode != 0:
            print(f"peers: {peer} {settings} {load} {tasks}: failed", file=sys.stderr)
            return None
        figures = json.loads(done.stdout.splitlines()[-1])
        if figures["clock_moved_us"] <= CLOCK_MOVED_US:
            return figures
        print(f"peers: {peer} {settings} {load} {tasks}: the wall clock moved by {figures['clock_moved_us']} µs, "
              "again", file=sys.stderr)
    return None


def spread(values, digits=0):
    """Median, minimum and maximum."""
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    middle = f"{statistics.median(known):.{digits}f}"
    least, most = f"{min(known):.{digits}f}", f"{max(known):.{digits}f}"
    return middle if least == most else f"{middle} ({least}..{most})"


def row(trials):
    first = trials[0]
    lag = [spread([figures["lag_ms"][name] for figures in trials], 1) for name in ("p50", "p99", "p999")]
    return [first["load"], str(first["tasks"]), first["peer"], first["settings"],
            spread([figures["executions_per_s"] for figures in trials]),
            spread([figures["herd_s"] for figures in trials], 2), *lag,
            spread([figures["commits_per_execution"] for figures in trials], 2),
            spread([figures["statements_per_execution"] for figures in trials], 2),
            spread([figures["missed"] for figures in trials]), spread([figures["doubled"] for figures in trials])]


def print_table(results):
    table = [["load", "tasks", "peer", "settings", "executions/s", "herd s", "lag p50 ms", "p99", "p99.9",
              "commits/ex", "statements/ex", "missed", "doubled"]]
    table += [row(trials) for trials in results.values() if trials]
    widths = [max(len(line[column]) for line in table) for column in range(len(table[0]))]
    for line in table:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip())
    print(f"\nMedian (least..most), on {os.cpu_count()} cores. bench/peers/README.md says what loads and settings are.")


def main():
    options = parse_arguments()
    chosen = combinations(options)
    if not chosen:
        sys.exit("peers: no peer has such settings")
    results = {combination: [] for combination in chosen}
    failed = 0
    began = time.monotonic()
    for turn in range(options.repeat):
        for combination in chosen if turn % 2 == 0 else reversed(chosen):
            figures = trial(options, *combination)
            if figures is None:
                failed += 1
                continue
            results[combination].append(figures)
            if options.json:
                print(json.dumps(figures), flush=True)
            else:
                print(f"peers: {time.monotonic() - began:.0f} s: {' '.join(map(str, combination))}: "
                      f"{figures['executions_per_s']:.0f}/s", file=sys.stderr)
    if not options.json:
        print_table(results)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
