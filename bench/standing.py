"""Rows without a flow of firings: single requests, and the cost of an idle cluster."""

import contextlib
import datetime
import json
import secrets
import struct
import subprocess
import time

import gauges
from flow import Window, costs
from loads import HANDLER, SECOND, SERVICE
from stage import Stage, harness

CALL = struct.Struct("=3q")  # as bench/calls.cpp writes it
SETTLE = 5  # seconds until a started cluster is idle
BEATS_EVERY = 5  # seconds, of a client of the crowd
LEAST_BEATS = 0.9  # of those that the crowd sends from the time at which it is complete
HISTORY_DAYS = 90
HISTORY_TASKS = 10_000
HISTORY_CHUNK = 50_000  # rows per statement


# --- run now

def run_now(server, options):
    """Calls one after the other with pauses. Statements are not counted, because a gauge also sends some."""
    with Stage(server, options) as stage:
        tasks = begin_calls(stage, options, count=options.calls)
        with gauges.Commits(stage.store) as commits:
            result = call(stage, tasks, count=options.calls, pause=37, connections=1)
        return {**result, "bare_commit_ms": commits.read()}


def run_batch(server, options):
    """Many callers without pauses."""
    count = options.calls * 50
    with Stage(server, options) as stage:
        tasks = begin_calls(stage, options, count)
        counters = gauges.Counters(stage.store)
        result = call(stage, tasks, count, pause=0, connections=32)
        return {**result, **costs(counters.read(), count)}


def one_key(server, options):
    """Calls without pauses for one task, all of whose executions have the same concurrency key. Counts those that end
    after the last call, when they have the machine for themselves."""
    count = options.calls * 20
    with Stage(server, options) as stage:
        line = {"limit": 1, "key": "/data", "queue": 2 * count}
        tasks = begin_calls(stage, options, count, tasks=1, concurrency=line)
        result = call(stage, tasks, count, pause=0, connections=32, within=300)
        called = max(answered for _, _, answered in CALL.iter_unpack((stage.folder / "calls").read_bytes()))
        ends = [row["ended_at"] for row in stage.store.query(f"SELECT ended_at FROM execution WHERE ended_at > {called}")]
        return {**result, "rate": (len(ends) - 1) * SECOND / (max(ends) - min(ends)) if len(ends) > 1 else 0}


def begin_calls(stage, options, count, tasks=10, **more):
    """Registers the tasks to call."""
    stage.begin(web=True, room=2 * count)
    payload = {"data": "x" * (options.payload - len('{"data":""}'))}
    tasks = [stage.create(f"run {number}", {"kind": "api"}, HANDLER, SERVICE, payload=payload, **more)["id"]
             for number in range(tasks)]
    time.sleep(SETTLE)
    return tasks


def call(stage, tasks, count, pause, connections, within=60):
    file = stage.folder / "calls"
    drift, processors = gauges.Drift(), gauges.Processors(stage.pids())
    told = json.loads(stage.run_program("bench_calls", stage.addresses["web"], file, "--task", *tasks, "--count", count,
                                        "--pause", pause, "--connections", connections))
    stage.await_all_ended(within)
    result = {"rate": told["rate"], "processes": processors.read(), "drift_us": drift.read(), "expected": count}
    return {**result, **judge_calls(stage, list(CALL.iter_unpack(file.read_bytes())), count)}


def judge_calls(stage, calls, count):
    succeeded = {row["id"] for row in stage.store.query("SELECT id FROM execution WHERE state = 'succeeded'")}
    began = {}
    starts = stage.starts()
    for execution, _, _, _, at in starts:
        began.setdefault(execution, at)
    problems = stage.load_faults()
    named = {execution for execution, _, _ in calls}
    if not named == succeeded == set(began) or len(named) != count:
        problems.append(f"{len(named)} called, {len(succeeded)} succeeded, {len(began)} began, of {count}")
    return {"until_start_ms": gauges.percentiles_ms([began[id] - sent for id, sent, _ in calls if id in began]),
            "until_answer_ms": gauges.percentiles_ms([answered - sent for _, sent, answered in calls]),
            "missed": count - len(succeeded & named), "doubled": len(starts) - len(began), "problems": problems}


# --- the cost of an idle cluster

def idle_slave(server, options):
    """Two nodes without a task. The slave has its own database user, which counts its statements."""
    with Stage(server, options) as stage:
        user, password = "bench_slave", secrets.token_hex(16)
        stage.store.query(f"CREATE OR REPLACE USER {user}@'127.0.0.1' IDENTIFIED BY '{password}'")
        stage.store.query(f"GRANT ALL ON {stage.store.name}.* TO {user}@'127.0.0.1'")
        stage.begin()
        place = stage.store.url.split("@")[1]
        slave = stage.start_trigger("trigger-2", database={"url": f"mysql://{user}:{password}@{place}"})
        harness.wait_for("two nodes", lambda: len(stage.store.query("SELECT 1 AS one FROM node")) == 2, 30)
        stage.store.query("SET GLOBAL userstat = 1")
        time.sleep(SETTLE)
        before = statements_of(stage, user)
        processors = gauges.Processors({"slave": slave.pid})
        time.sleep(options.seconds)
        used = processors.read()["slave"]
        asked = statements_of(stage, user) - before
        stage.store.query("SET GLOBAL userstat = 0")
        return {"percent_of_a_core": 100 * used["cores"], "resident_mib": used["resident_mib"],
                "statements_per_second": asked / options.seconds}


def statements_of(stage, user):
    rows = stage.store.query("SELECT SELECT_COMMANDS + UPDATE_COMMANDS + OTHER_COMMANDS AS many "
                             f"FROM information_schema.USER_STATISTICS WHERE USER = '{user}'")
    return int(rows[0]["many"]) if rows else 0


def crowd(server, options):
    """Clients that only send heartbeats. The statements of the node without clients are subtracted."""
    with Stage(server, options) as stage:
        stage.begin()
        time.sleep(SETTLE)
        before = stand_by(stage, options.seconds)
        program = [harness.build_folder() / "bench/bench_crowd", stage.triggers()[0], "--clients", str(options.crowd)]
        with subprocess.Popen(program, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              preexec_fn=harness.end_with_parent) as child:
            try:
                if child.stdout.readline() != "ready\n":
                    raise AssertionError("the crowd did not come up")
                time.sleep(SETTLE)
                window = stand_by(stage, options.seconds)
            finally:
                child.terminate()
            beats = json.loads(child.stdout.readline())
        expected = options.crowd * (SETTLE + options.seconds) / BEATS_EVERY
        broken = stage.load_faults()
        if beats["failed"] or beats["heartbeats"] < LEAST_BEATS * expected or broken:
            raise AssertionError(f"the load is not what it claims: {beats}, {expected:.0f} expected, {broken}")
        node = window.processors["trigger-1"]
        asked = [each.counters["Questions"] / options.seconds for each in (before, window)]
        return {"percent_of_a_core": 100 * node["cores"], "resident_mib": node["resident_mib"], "beats": beats,
                "statements_per_second": asked[1] - asked[0], "statements_in_all_per_second": asked[1],
                "processes": window.processors, "drift_us": window.drift_us}


def stand_by(stage, seconds):
    begin = harness.utc_us()
    return Window(stage, begin, begin + int(seconds * SECOND))


# --- before and after a flow

def take_over(stage):
    """Kills the master and measures its successor from the seizure to the first planned page."""
    master = stage.store.query("SELECT name FROM node WHERE role = 'master'")[0]["name"]
    memory = gauges.resident_mib(stage.processes[master].pid)
    before = last_term(stage)
    stage.processes[master].kill()
    harness.wait_for("the next term", lambda: last_term(stage)["epoch"] > before["epoch"], 60)
    term = last_term(stage)
    return {"master_mib": memory, "planning_after_ms": (term["acting_at"] - term["began_at"]) / 1000,
            "gap_ms": term["gap_us"] / 1000, "replayed": term["replayed"]}


def last_term(stage):
    return stage.store.query("SELECT epoch, began_at, acting_at, gap_us, replayed FROM term "
                             "ORDER BY epoch DESC LIMIT 1")[0]


def fill_history(stage, rows):
    """Finished executions, evenly over the last three months, written by the server itself."""
    now = harness.utc_us()
    step = HISTORY_DAYS * 86_400 * SECOND // max(rows, 1)
    begin = now - rows * step - 3600 * SECOND
    with server_settings(stage, innodb_io_capacity_max=20_000, innodb_io_capacity=20_000,
                         innodb_flush_log_at_trx_commit=0):
        for low in range(0, rows, HISTORY_CHUNK):
            fill_chunk(stage, low, min(low + HISTORY_CHUNK, rows), f"({begin} + seq * {step})")
        write_out(stage)
    stage.server.await_idle()
    return {"history": rows}


def fill_chunk(stage, low, high, at):
    stage.store.query(
        "INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, "
        "attempt, max_attempts, retry_delay_us, epoch, created_at, ended_at, node, client, started_at, "
        f"finished_at, outcome, progress) SELECT seq + 1, 'default', 1 + seq % {HISTORY_TASKS}, 1, {at}, 0, "
        f"'schedule', 'succeeded', NULL, 1, 1, 1000000, 1, {at} - 5000000, {at} + 3000, "
        "'benchmark:4712:2f9c01d3:8c1f6f4ce05a9b3f', 'benchmark:4711:2f9c01d3:8c1f6f4ce05a9b3f', "
        f"{at} + 1000, {at} + 1100, 'succeeded', 0 FROM seq_{low}_to_{high - 1}")


def write_out(stage):
    """Waits until the server has written all pages, as it would have for a history of months."""
    def dirty():
        return int(stage.store.query("SHOW GLOBAL STATUS LIKE 'Innodb_buffer_pool_pages_dirty'")[0]["Value"])
    with server_settings(stage, innodb_max_dirty_pages_pct=0):
        harness.wait_for("the server to write its pages", lambda: dirty() < 100, 300)


@contextlib.contextmanager
def server_settings(stage, **settings):
    """Changes settings of the server temporarily."""
    before = {name: stage.store.query(f"SELECT @@GLOBAL.{name} AS value")[0]["value"] for name in settings}
    for name, value in settings.items():
        stage.store.query(f"SET GLOBAL {name} = {value}")
    try:
        yield
    finally:
        for name in reversed(before):
            stage.store.query(f"SET GLOBAL {name} = {before[name]}")


def read_pages(stage):
    """Measures pages of the list: the first, one of a single task, a search without result, and an old one."""
    since = harness.utc_us() // SECOND - HISTORY_DAYS // 2 * 86_400
    long_ago = datetime.datetime.fromtimestamp(since, datetime.timezone.utc)
    asked = {"first_page_ms": {}, "page_of_task_ms": {"task": HISTORY_TASKS // 2}, "none_found_ms": {"state": "failed"},
             "long_ago_ms": {"until": long_ago.strftime("%Y-%m-%dT%H:%M:%SZ")}}
    return {name: spans_of(stage, filters) for name, filters in asked.items()}


def spans_of(stage, filters):
    spans = []
    for _ in range(20):
        began = time.monotonic_ns()
        stage.rest.get("/api/v1/executions", limit=50, **filters)
        spans.append((time.monotonic_ns() - began) // 1000)
    return gauges.percentiles_ms(spans)
