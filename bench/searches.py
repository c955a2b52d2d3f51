#!/usr/bin/env python3
"""Measures the lists of the REST API over many tasks and executions: the time of a page with each filter.

    searches.py [--store mysql|sqlite] [--tasks N] [--executions N] [--pages N] [--limit MS] [--json FILE]

Besides, prints the processor time of database and web for a page, which depends less on what else the machine does.
Fills a separate database on a private server (or a SQLite file), starts a real web and asks it for pages, one after the
other. Prints the median and the 99th percentile of each filter, and what a page found. Exit status 1 when a median is over
the limit.
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/cluster"))

import harness  # noqa: E402
import stores  # noqa: E402

SERVER_OPTIONS = ["--innodb-buffer-pool-size=6G", "--innodb-log-file-size=2G", "--innodb-flush-log-at-trx-commit=0",
                  "--skip-innodb-doublewrite", "--skip-log-bin", "--max-connections=100"]
CHUNK = 200_000  # rows of a statement
TOGETHER = 500  # executions of one instant
HERD = 0.02  # the share of the executions that are of one instant
FAILED = 200  # one of so many executions has failed
TIMED_OUT = 2_000
MANUAL = 10_000
OPEN = 5_000  # executions
PLANNED = 10_000
STEP_US = 20_000_000  # between two instants

# A name, the path, and the query.
FILTERS = [
    ("tasks", "tasks", ""),
    ("tasks: name", "tasks", "name=nothing"),
    ("tasks: text, frequent", "tasks", "text=INVOICE"),
    ("tasks: text, none", "tasks", "text=nothing"),
    ("tasks: project", "tasks", "project=shop"),
    ("tasks: service alone", "tasks", "service=rare"),
    ("tasks: project and service", "tasks", "project=default&service=rare"),
    ("tasks: project, service and text", "tasks", "project=default&service=s1&text=nothing"),
    ("tasks: label", "tasks", "label=team:t7"),
    ("tasks: label, rare", "tasks", "label=tier:gold"),
    ("tasks: two labels", "tasks", "label=team:t7,tier:gold"),
    ("tasks: owner", "tasks", "owner=o3"),
    ("tasks: enabled", "tasks", "enabled=true"),
    ("tasks: state=disabled", "tasks", "state=disabled"),
    ("tasks: state=parked", "tasks", "state=parked"),
    ("tasks: kind", "tasks", "kind=cron"),
    ("executions", "executions", "planned=false"),
    ("executions: task", "executions", "task=77"),
    ("executions: task, failed", "executions", "task=200&state=failed"),
    ("executions: project", "executions", "project=shop"),
    ("executions: service, frequent", "executions", "service=s1"),
    ("executions: service, rare", "executions", "service=rare"),
    ("executions: state=failed", "executions", "state=failed"),
    ("executions: state=failed,timed_out", "executions", "state=failed,timed_out"),
    ("executions: state=cancelled, none", "executions", "state=cancelled"),
    ("executions: state=succeeded", "executions", "state=succeeded"),
    ("executions: open", "executions", "open=true"),
    ("executions: open, service", "executions", "open=true&service=rare"),
    ("executions: planned", "executions", "planned=true"),
    ("executions: late, none", "executions", "late=true"),
    ("executions: cause=manual", "executions", "cause=manual"),
    ("executions: error, frequent", "executions", "error=ACCOUNT"),
    ("executions: error, none", "executions", "error=nothing"),
    ("executions: error, service", "executions", "error=account&service=rare"),
    ("executions: time range", "executions", "from={day1}&until={day2}"),
    ("executions: time range, failed", "executions", "from={day1}&until={day2}&state=failed"),
    ("executions: time range, cause", "executions", "from={day1}&until={day2}&cause=manual"),
    ("executions: in the herd, cause", "executions", "until={herd}&cause=rerun"),
    ("dead letters", "dead-letters", ""),
    ("dead letters: task", "dead-letters", "task=200"),
    ("dead letters: project", "dead-letters", "project=shop"),
    ("dead letters: service, rare", "dead-letters", "service=rare"),
    ("dead letters: error, frequent", "dead-letters", "error=ACCOUNT"),
    ("dead letters: error, none", "dead-letters", "error=nothing"),
    ("services", "services", ""),
    ("projects", "projects", ""),
    ("overview", "overview", ""),
]


class Database(stores.MySql):
    def private_server(self):
        return self.server_class(self.folder, options=SERVER_OPTIONS)

    def connect(self, database):
        import pymysql
        return pymysql.connect(database=database, autocommit=True, read_timeout=600, charset="utf8mb4", **self.connection)

    def numbers(self, first, last):
        return f"(SELECT seq AS n FROM seq_{first}_to_{last}) x"

    def text(self, *parts):
        return f"CONCAT({', '.join(map(str, parts))})"

    div, quick = "DIV", "SET SESSION unique_checks = 0"

    def run(self, sql):
        self.query(sql)


class File:
    """A SQLite file, written by this process before web opens it."""

    def __init__(self, store):
        import sqlite3
        self.connection = sqlite3.connect(urllib.parse.urlsplit(store.url).path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = OFF")

    def numbers(self, first, last):
        return (f"(WITH RECURSIVE c(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM c WHERE n < {last}) "
                "SELECT n FROM c) x")

    def text(self, *parts):
        return "(" + " || ".join(f"({part})" for part in parts) + ")"

    div = "/"

    def run(self, sql):
        self.connection.execute(sql)


class Bed(harness.Cluster):
    def open_store(self, store, own_server):
        return Database(self.folder, own_server=True) if store == "mysql" else super().open_store(store, own_server)


def tasks_sql(db, first, last):
    service = "CASE WHEN n % 100000 = 7 THEN 'rare' ELSE " + db.text("'s'", "n % 50") + " END"
    project = "CASE WHEN n % 10 = 3 THEN 'shop' ELSE 'default' END"
    name = db.text("CASE WHEN n % 1000 = 5 THEN 'invoice-' ELSE 'task-' END", "n")
    document = db.text("'{\"name\":\"'", name, "'\",\"project\":\"'", project, "'\",\"service\":\"'", service,
                       "'\",\"handler\":\"h\",\"schedule\":{\"kind\":\"fixed_rate\",\"every_ms\":60000},"
                       "\"description\":\"" + "a task as there are many " * 8 + "\"}'")
    return ("INSERT INTO task (id, project, name, version, enabled, service, handler, schedule_kind, owner, definition, "
            f"next_fire_at, created_at, updated_at) SELECT n, {project}, {name}, 1, CASE WHEN n % 5000 = 9 THEN 0 ELSE 1 END, "
            f"{service}, 'h', 'fixed_rate', {db.text(chr(39) + 'o' + chr(39), 'n % 100')}, {document}, {NEVER}, 1, 1 "
            f"FROM {db.numbers(first, last)}")


def labels_sql(db, first, last):
    rows = db.numbers(first, last)
    return [f"INSERT INTO task_label (task_id, name, value) SELECT n, 'team', {db.text(chr(39) + 't' + chr(39), 'n % 50')} "
            f"FROM {rows} WHERE n % 3 = 0",
            f"INSERT INTO task_label (task_id, name, value) SELECT n, 'tier', 'gold' FROM {rows} WHERE n % 20000 = 57"]


NEVER = 4_000_000_000_000_000


def executions_sql(db, first, last, options, base):
    herd_first = options.executions // 2
    herd_last = herd_first + int(options.executions * HERD)
    instant = (f"{base} + {STEP_US} * (CASE WHEN n BETWEEN {herd_first} AND {herd_last} THEN {herd_first} {db.div} {TOGETHER} "
               f"WHEN n > {herd_last} THEN {herd_first} {db.div} {TOGETHER} + 1 + (n - {herd_last}) {db.div} {TOGETHER} "
               f"ELSE n {db.div} {TOGETHER} END)")
    is_open = f"n > {options.executions - OPEN}"
    state = (f"CASE WHEN {is_open} THEN 'running' WHEN n % {FAILED} = 0 THEN 'failed' "
             f"WHEN n % {TIMED_OUT} = 1 THEN 'timed_out' ELSE 'succeeded' END")
    error = (f"CASE WHEN n % {FAILED} = 0 THEN {db.text(chr(39) + 'no such account: ' + chr(39), 'n')} "
             f"WHEN n % {TIMED_OUT} = 1 THEN 'the handler did not end in time' END")
    task = f"(n * 7919) % {options.tasks} + 1"
    project = f"CASE WHEN ({task}) % 10 = 3 THEN 'shop' ELSE 'default' END"
    return ("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, attempt, "
            "max_attempts, retry_delay_us, epoch, created_at, ended_at, node, client, started_at, finished_at, outcome, error) "
            f"SELECT n, {project}, {task}, 1, {instant}, n, CASE WHEN n % {MANUAL} = 3 THEN 'manual' ELSE 'schedule' END, "
            f"{state}, CASE WHEN {is_open} THEN {instant} END, 1, 1, 0, 1, {instant}, "
            f"CASE WHEN {is_open} THEN NULL ELSE {instant} + 100000 END, 'node-1', 'client-1', {instant} + 2000, "
            f"{instant} + 90000, CASE WHEN {is_open} THEN NULL ELSE {state} END, {error} FROM {db.numbers(first, last)}")


def fill(db, options, base):
    began = time.monotonic()
    if getattr(db, "quick", None):
        db.run("SET GLOBAL innodb_flush_log_at_trx_commit = 0")
    for first in range(1, options.tasks + 1, CHUNK):
        last = min(first + CHUNK - 1, options.tasks)
        db.run(tasks_sql(db, first, last))
        for each in labels_sql(db, first, last):
            db.run(each)
    for first in range(1, options.executions + 1, CHUNK):
        db.run(executions_sql(db, first, min(first + CHUNK - 1, options.executions), options, base))
        print(f"\r{first + CHUNK - 1:,} executions, {time.monotonic() - began:.0f} s", end="", file=sys.stderr)
    ahead = int(time.time() * 1e6) + 3_600_000_000
    db.run("INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, attempt, "
           f"max_attempts, retry_delay_us, epoch, created_at) SELECT n + {options.executions}, 'default', n, 1, {ahead}, 0, "
           f"'schedule', 'planned', {ahead}, 1, 1, 0, 1, 1 FROM {db.numbers(1, min(PLANNED, options.tasks))}")
    ended = "FROM execution WHERE state IN ('failed', 'timed_out')"
    db.run("INSERT INTO dead_letter (execution_id, namespace, project, task_id, died_at) "
           f"SELECT id, namespace, project, task_id, ended_at {ended}")
    db.run("INSERT INTO failure (execution_id, namespace, task_id, scheduled_at, error) "
           f"SELECT id, namespace, task_id, scheduled_at, error {ended}")
    for table in ("task", "execution", "dead_letter", "failure", "task_label"):
        db.run(f"ANALYZE TABLE {table}" if getattr(db, "quick", None) else f"ANALYZE {table}")
    print(f"\rfilled in {time.monotonic() - began:.0f} s" + " " * 20, file=sys.stderr)


def rfc3339(micros):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(micros // 1_000_000))


def processor_ms(pids):
    """The processor time of these processes so far."""
    ticks = 0
    for pid in pids:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks * 1_000 / os.sysconf("SC_CLK_TCK")


def measure(address, pids, path, query, pages):
    """Asks for the first page and those that follow, as a person who scrolls does, and begins again at the end."""
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(address).netloc, timeout=120)
    times, items, after = [], [], None
    used = processor_ms(pids)
    for _ in range(pages):
        parts = [query] if query else []
        if after:
            parts.append("after=" + after)
        began = time.perf_counter()
        connection.request("GET", f"/api/v1/{path}?" + "&".join(parts))
        answer = connection.getresponse()
        body = answer.read()
        times.append((time.perf_counter() - began) * 1_000)
        if answer.status != 200:
            raise SystemExit(f"{path}?{query}: {answer.status} {body[:300]!r}")
        found = json.loads(body)
        items.append(len(found.get("items", ())))
        after = found.get("next")
    connection.close()
    used = processor_ms(pids) - used
    times.sort()
    return {"median_ms": statistics.median(times), "p99_ms": times[min(len(times) - 1, int(len(times) * 0.99))],
            "processor_ms": used / pages, "items": statistics.mean(items)}


def parse():
    parser = argparse.ArgumentParser(prog="scripts/searches", description=__doc__.split("\n\n")[0])
    parser.add_argument("--store", choices=["mysql", "sqlite"], default="mysql")
    parser.add_argument("--tasks", type=int, default=1_000_000)
    parser.add_argument("--executions", type=int, default=10_000_000)
    parser.add_argument("--pages", type=int, default=40, help="of each filter (%(default)s)")
    parser.add_argument("--limit", type=float, default=100, help="ms, of a median (%(default)s)")
    parser.add_argument("--only", default="", help="filters whose names begin so")
    parser.add_argument("--json", type=pathlib.Path, help="file for the figures")
    return parser.parse_args()


def main():
    options = parse()
    with Bed(options.store) as bed:
        if options.store == "sqlite":
            bed.run_baton("migrate", environment={"BATON_DATABASE_URL": bed.store.url})
        db = bed.store if options.store == "mysql" else File(bed.store)
        span = STEP_US * (options.executions // TOGETHER + 2)
        base = (int(time.time() * 1e6) - span) // STEP_US * STEP_US
        fill(db, options, base)
        bed.start_web(log={"level": "warn"})
        harness.wait_for("web is ready", lambda: bed.rest.get("/readyz"), 30)
        herd = base + STEP_US * (options.executions // 2 // TOGETHER + 1)
        moments = {"day1": rfc3339(base + span // 4), "day2": rfc3339(base + span // 2), "herd": rfc3339(herd)}
        results, slow = {}, 0
        pids = [bed.processes["web"].pid] + ([bed.store.server_pid()] if options.store == "mysql" else [])
        print(f"{'filter':42}{'median ms':>11}{'p99 ms':>9}{'processor ms':>14}{'items':>8}")
        for name, path, query in FILTERS:
            if not name.startswith(options.only):
                continue
            measure(bed.addresses["web"], pids, path, query.format(**moments), 3)  # a server reads its dictionary once
            found = results[name] = measure(bed.addresses["web"], pids, path, query.format(**moments), options.pages)
            over = found["median_ms"] > options.limit
            slow += over
            print(f"{name:42}{found['median_ms']:11.1f}{found['p99_ms']:9.1f}{found['processor_ms']:14.1f}{found['items']:8.1f}{' !' if over else ''}",
                  flush=True)
        if options.json:
            options.json.write_text(json.dumps({"tasks": options.tasks, "executions": options.executions,
                                                "store": options.store, "filters": results}, indent=1))
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
