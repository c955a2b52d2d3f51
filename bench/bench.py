#!/usr/bin/env python3
"""Measures the data path: whole loads through real processes on a real server, on this machine.

    bench.py [--only ROW,ROW...] [--seconds S] [--rate N] [--rounds N] [--json FILE] ...

Each row runs several times, interleaved with the others; the table gives the median and the spread of each figure. A
run in which the wall clock moved against the monotonic one by more than 100 µs is discarded and repeated. The programs
are those of $BATON_BUILD. Exit status 1 when a run missed or doubled a firing.
"""

import argparse
import datetime
import json
import pathlib
import statistics
import sys

import beside
import gauges
import report
from rows import ROWS
from stage import ROOT, Server

SECONDS = 60  # of a window, except beside neighbours
# Small sizes that check that every row works; the figures mean nothing.
QUICK = {"rounds": 1, "seconds": 2, "warm": 1, "rate": 200, "lag_rate": 100, "herd": 500, "herds": 1, "many": 20_000,
         "history": 20_000, "backlog": 5_000, "crowd": 300, "calls": 20, "ceiling_sessions": [1], "ceiling_seconds": 1,
         "neighbours": "refusing"}
REPEATS = 2  # attempts after a discarded run


def arguments():
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", default=",".join(name for name in ROWS if name != "peers"),
                        help="rows, separated by commas: " + ", ".join(ROWS) + " (all but peers)")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each row (%(default)s)")
    parser.add_argument("--seconds", type=float,
                        help=f"of a window ({SECONDS}; {beside.SECONDS} of the row neighbours)")
    parser.add_argument("--warm", type=float, default=5, help="seconds before the window (%(default)s)")
    parser.add_argument("--rate", type=int, default=10_000, help="firings a second, each of a task of its own period "
                        "of one second (%(default)s)")
    parser.add_argument("--lag-rate", type=int, default=1_000, help="the same for the lag (%(default)s)")
    parser.add_argument("--herd", type=int, default=10_000, help="tasks of the herd (%(default)s)")
    parser.add_argument("--herds", type=int, default=4, help="in one run (%(default)s)")
    parser.add_argument("--many", type=int, default=1_000_000, help="tasks of the row with a million (%(default)s)")
    parser.add_argument("--history", type=int, default=2_000_000, help="executions of the row with a history "
                        "(%(default)s; 100 million take about 40 GB)")
    parser.add_argument("--backlog", type=int, default=1_000_000, help="executions of the row returned (%(default)s)")
    parser.add_argument("--crowd", type=int, default=10_000, help="clients of the row with many (%(default)s)")
    parser.add_argument("--calls", type=int, default=300, help="of run now on an idle cluster (%(default)s)")
    parser.add_argument("--payload", type=int, default=256, help="bytes, of the steady row (%(default)s)")
    parser.add_argument("--triggers", type=int, default=1, help="nodes, of the steady row (%(default)s)")
    parser.add_argument("--look-ahead", default="5s", help="of the planner (%(default)s)")
    parser.add_argument("--page", type=int, default=500, help="tasks of a transaction of the planner (%(default)s)")
    parser.add_argument("--results-pause", default="3ms", help="between transactions of results (%(default)s)")
    parser.add_argument("--neighbours", default=",".join(beside.NEIGHBOURS), help="of that row, separated by commas (all)")
    parser.add_argument("--slots", type=int, default=32, help="of the client (%(default)s)")
    parser.add_argument("--ceiling-sessions", type=int, nargs="+", default=[1, 2, 4], help="tried (%(default)s)")
    parser.add_argument("--ceiling-batch", type=int, default=500, help="rows a statement (%(default)s)")
    parser.add_argument("--ceiling-seconds", type=float, default=10, help="for each (%(default)s)")
    parser.add_argument("--json", metavar="FILE", help="write all results there")
    parser.add_argument("--join", metavar="FILE", nargs="+",
                        help="measure nothing: put these results of --json together")
    parser.add_argument("--figures", metavar="DIR", help="write the figures of docs/performance.md there")
    parser.add_argument("--record", action="store_true", help="write table and figures into docs/performance.md")
    parser.add_argument("--quick", action="store_true", help="low rates and short windows, to see that all works")
    parser.add_argument("--beside", metavar="COMMAND", help="run this during each window, such as "
                        "'perf record -g -p {trigger} -o /tmp/perf.data -- sleep {seconds}'; also {client}, {mariadbd}")
    options = parser.parse_args()
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(ROWS):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    if unknown := set(options.neighbours.split(",")) - set(beside.NEIGHBOURS):
        parser.error(f"no such neighbour: {', '.join(sorted(unknown))}")
    if options.quick:
        for name, value in QUICK.items():
            if getattr(options, name) == parser.get_default(name):
                setattr(options, name, value)
    apart = ("only", "rounds", "json", "join", "figures", "record", "beside")
    options.changed = {name: value for name, value in vars(options).items()
                       if name not in apart and value != parser.get_default(name)}
    options.neighbours = options.neighbours.split(",")
    options.window = options.seconds or beside.SECONDS
    options.seconds = options.seconds or SECONDS
    options.trigger = {"planner": {"look_ahead": options.look_ahead, "page": options.page}, "results": {"pause": options.results_pause}}
    return options


def measure(server, options, name):
    """One valid run."""
    for _ in range(1 + REPEATS):
        server.await_idle()
        result = ROWS[name].run(server, options)
        if result.get("drift_us", 0) <= gauges.DRIFT_LIMIT_US:
            return result
        print(f"{name}: discarded, the wall clock moved by {result['drift_us']:.0f} µs", file=sys.stderr)
    raise SystemExit(f"{name}: the wall clock never stood still")


def compare(runs):
    """Compares the last run of each row with the ceiling and the one-node rate of the same round."""
    for base, key in (("ceiling", "of_ceiling"), ("steady", "of_one_node")):
        for each in runs.values() if base in runs else ():
            if "rate" in each[-1]:
                each[-1][key] = each[-1]["rate"] / runs[base][-1]["rate"]


def summary(name, runs):
    """{title: median, least, most} of the figures that the runs have."""
    found = {}
    row = ROWS[name]
    for figure in row.figures(runs) if callable(row.figures) else row.figures:
        values = [value for run in runs if (value := figure.of(run)) is not None]
        if values:
            found[figure.title] = {"median": statistics.median(values), "least": min(values), "most": max(values),
                                   "unit": figure.unit, "goal": figure.goal(),
                                   "reached": figure.reached(statistics.median(values))}
    return found


def run_all(options):
    """The document with all results."""
    # Quick runs give no figures, and a busy machine may never be idle.
    server = Server(patience=0 if options.quick else 120)
    runs = {name: [] for name in options.only}
    try:
        for turn in range(options.rounds):
            for name in options.only:
                result = measure(server, options, name)
                runs[name].append(result)
                report.tell(name, turn, options.rounds, result)
            compare(runs)
    finally:
        server.end()
    rows = {name: {"title": ROWS[name].title, "figures": summary(name, each), "runs": each,
                   "table": ROWS[name].table(each) if ROWS[name].table else []}
            for name, each in runs.items()}
    return {"machine": report.machine(), "server": server.server.options, "rows": rows,
            "parts": [{"date": datetime.date.today().isoformat(), "rows": options.only, "changed": options.changed}]}


def join(files):
    """Merges documents. If two of them contain a row, the later one wins."""
    documents = [json.loads(pathlib.Path(file).read_text()) for file in files]
    whole = documents[0]
    for each in documents[1:]:
        whole["rows"].update(each["rows"])
        whole["parts"] += each["parts"]
    whole["rows"] = {name: whole["rows"][name] for name in ROWS if name in whole["rows"]}
    return whole


def main():
    options = arguments()
    document = join(options.join) if options.join else run_all(options)
    print(report.table(document))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(document, file, indent=1)
    if options.figures or options.record:
        import figures
        drawn = figures.draw(document, options.figures or ROOT / "docs/figures")
    if options.record:
        report.record(document, drawn, ROOT / "docs/performance.md")
    return 1 if any(run.get("problems") for row in document["rows"].values() for run in row["runs"]) else 0


if __name__ == "__main__":
    sys.exit(main())
