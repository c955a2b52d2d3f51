"""A backlog: executions that waited for the clients of their service, under a new master, when a client comes."""

import flow
import gauges
import standing
from loads import SECOND, Load
from stage import Stage, harness

TASKS = 10_000
CHUNK = 50_000  # rows per statement
WITHIN = 600  # seconds


def returned(server, options):
    """The clients return to a backlog that one master has left and the next has taken over."""
    with Stage(server, options) as stage:
        first = stage.start_trigger("trigger-1", **options.trigger)
        harness.wait_for("a master", lambda: roles(stage) == ["master"], 30)
        first.terminate(30)
        fill(stage, options.backlog)
        for number in (2, 3):
            stage.start_trigger(f"trigger-{number}", **options.trigger)
        harness.wait_for("a master and another node", lambda: roles(stage) == ["master", "slave"], 30)
        await_loaded(stage, options.backlog)
        found = standing.take_over(stage)
        await_loaded(stage, options.backlog, terms=2)
        stage.start_client("client", None, stage.starts_file, options.backlog + 1000)
        processors = gauges.Processors({name: pid for name, pid in stage.pids().items() if harness.is_alive(pid)})
        harness.wait_for("the end of all", lambda: stage.nothing_open(harness.utc_us()), WITHIN)
        used, processes = processors.read_seconds(), processors.read()
        ends = stage.store.query("SELECT COUNT(*) AS many, MIN(ended_at) AS first, MAX(ended_at) AS last FROM execution "
                                 "WHERE state = 'succeeded' AND attempt = 1")[0]
        by_second = stage.store.query("SELECT COUNT(*) AS many FROM execution WHERE state = 'succeeded' "
                                      f"GROUP BY ended_at DIV {SECOND} ORDER BY ended_at DIV {SECOND}")
        problems = stage.load_faults()
        if ends["many"] != options.backlog:
            problems.append(f"{ends['many']} succeeded at their first attempt")
        starts = stage.starts()
        began = {execution for execution, *_ in starts}
        return {**found, "backlog": options.backlog,
                "ends_by_second": [row["many"] for row in by_second],
                "rate": ends["many"] * SECOND / max(ends["last"] - ends["first"], 1),
                "processor_us": flow.per_execution(used, options.backlog), "processes": processes,
                "missed": options.backlog - len(began), "doubled": len(starts) - len(began),
                "problems": problems}


def roles(stage):
    return sorted(row["role"] for row in stage.store.query("SELECT role FROM node"))


def await_loaded(stage, backlog, terms=1):
    def count():
        logs = "".join(process.log.read_text() for process in stage.processes.values())
        return logs.count(f"executions={backlog} past_due=0")
    harness.wait_for("all are loaded", lambda: count() >= terms, WITHIN)


def fill(stage, count):
    """Runs that were requested in the last minute, in the form in which web writes them, below the watermark."""
    now = harness.utc_us()
    load = Load(tasks=min(TASKS, count), kind="once", spread=0)
    load.register(stage.store, now, begin=now + 86_400 * SECOND)
    begin = now - 60 * SECOND
    first = load.first_id + TASKS
    with standing.server_settings(stage, innodb_flush_log_at_trx_commit=0):
        for low in range(0, count, CHUNK):
            at = f"({begin} + seq * {30 * SECOND} DIV {count})"
            stage.store.query(
                "INSERT INTO execution (id, project, task_id, task_version, scheduled_at, run_key, cause, state, due_at, "
                f"attempt, max_attempts, retry_delay_us, epoch, created_at) SELECT {first} + seq, 'default', "
                f"{load.first_id} + seq % {load.tasks}, 1, {at}, seq + 1, 'manual', 'planned', {at}, 1, 1, 1000000, 1, {at} "
                f"FROM seq_{low}_to_{min(low + CHUNK, count) - 1}")
        standing.write_out(stage)
    stage.store.query(f"UPDATE lock_fence SET watermark = {begin + 30 * SECOND}")
    stage.server.await_idle()
