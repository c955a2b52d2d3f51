"""The demonstration of scripts/demo; needs the built program."""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/cluster"))
sys.dont_write_bytecode = True

import checker  # noqa: E402
import harness  # noqa: E402

COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ
CALM, AFTER = 8, 6  # seconds of watching before the kill and after the take-over
TICKS = {
    "tick": {"kind": "cron", "cron": "* * * * * *"},
    "tock": {"kind": "fixed_rate", "every_ms": 1000},
    "heart": {"kind": "fixed_rate", "every_ms": 1000},
    "pulse": {"kind": "cron", "cron": "* * * * * *", "zone": "Europe/Berlin"},
}
# The agent's own command for them: one line a run, so that there is a record beside the ledger.
WITNESS = 'echo "$BATON_EXECUTION $BATON_ATTEMPT" >>"$WITNESS"; echo "$BATON_TASK"'


def paint(code, text):
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def bold(text):
    return paint("1", text)


def grey(text):
    return paint("2", text)


def green(text):
    return paint("32", text)


def red(text):
    return paint("31", text)


def yellow(text):
    return paint("33", text)


def say(text=""):
    print(text, flush=True)


def step(text):
    say()
    say(bold(paint("36", "● ") + text))


def detail(text):
    say("  " + text)


def verdict_lines(verdict, witnessed):
    """The numbers for people. `witnessed` firings are of TICKS; the others' commands are only told, and write no line."""
    told = verdict.rows - witnessed
    others = f" (the other {told}: jobs of a crontab, which were only told)" if told > 0 else ""
    return [f"due by the tasks' definitions   {verdict.expected} firings",
            f"rows in the ledger              {verdict.rows} firings" + (", each of them ended" if verdict.good else ""),
            f"run by a command                {verdict.starts} of the {witnessed} firings of {', '.join(TICKS)}{others}"]


def clock(at_us):
    return time.strftime("%H:%M:%S", time.localtime(at_us // 1_000_000))


def crontabs(folder):
    """The machine's crontabs, as cron reads them, and a copy of the example's that only its owner can write."""
    found = [pathlib.Path("/etc/crontab")]
    if pathlib.Path("/etc/cron.d").is_dir():
        found += sorted(file for file in pathlib.Path("/etc/cron.d").iterdir()
                        if re.fullmatch("[A-Za-z0-9_-]+", file.name))
    usable = [file for file in found if file.is_file() and os.access(file, os.R_OK)]
    example = folder / "crontab"
    if not example.exists():
        shutil.copyfile(ROOT / "examples/crontab", example)
        example.chmod(0o600)
    return usable + [example]


def line_of(task, number):
    """The line of the crontab that a task was imported from. The server knows the file and the number, not the command."""
    file = re.fullmatch("imported from (.*) on .*", task["description"])[1]
    return pathlib.Path(file).read_text().splitlines()[number - 1]


class Demo:
    def __init__(self, cluster):
        self.cluster = cluster
        self.witness = cluster.folder / "witness"
        self.witness.touch()
        self.ticks = {}      # task id to name
        self.shown = set()   # executions

    # --- starting

    def start(self):
        cluster = self.cluster
        store = "a private MariaDB" if cluster.store.kind == "mysql" else "one SQLite file"
        step(f"Starting three trigger nodes, web and an agent on {store}")
        for number in (1, 2, 3):
            name = f"trigger-{number}"
            cluster.start_trigger(name)
            detail(f"{name}  {cluster.addresses[name]}  {grey('pid ' + str(cluster.processes[name].pid))}")
        cluster.start_web()
        detail(f"web        {cluster.addresses['web']}  {grey('pid ' + str(cluster.processes['web'].pid))}")
        self.start_agent()
        cluster.await_ready(3, 1)
        detail(f"agent      a client of them  {grey('pid ' + str(cluster.processes['agent'].pid))}")
        detail(f"{bold(cluster.master())} was elected: it is the master, under epoch {cluster.epoch()}")

    def start_agent(self):
        cluster = self.cluster
        tick = {"argv": ["/bin/sh", "-c", WITNESS], "env": {"WITNESS": str(self.witness)},
                "description": "Notes that it ran; it needs no payload", "payload_schema": {"type": ["object", "null"]}}
        file = cluster.config("agent", {"service": "crontab", "triggers": cluster.triggers(), "slots": 8,
                                        "handlers": {"tick": tick}})
        command = [cluster.baton, "agent", "--config", file]
        for crontab in crontabs(self.cluster.folder):
            command += ["--crontab", crontab]
        cluster.start("agent", command)

    def register(self):
        step("Registering tasks through REST")
        for file in crontabs(self.cluster.folder):
            done = subprocess.run([self.cluster.baton, "--server", self.cluster.rest.address, "task", "import", file],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  env=harness.program_environment())
            *lines, summary = done.stdout.strip().splitlines() or ["nothing"]
            shown = "examples/crontab" if file.parent == self.cluster.folder else file
            detail(f"baton task import {shown}: {summary}")
            for line in lines + done.stderr.strip().splitlines():
                detail(grey(line))
        for name, schedule in TICKS.items():
            task = self.cluster.create(name, schedule, handler="tick", service="crontab")
            self.ticks[int(task["id"])] = name
            detail(f"{name:6} {task['schedule_text']}")
        detail(grey("the jobs of a crontab are only told here: `baton agent --crontab FILE --execute` runs them"))

    # --- watching

    def ended(self):
        rows = self.cluster.store.query(
            "SELECT id, task_id, scheduled_at, cause, state, ended_at, result, error FROM execution "
            "WHERE ended_at IS NOT NULL AND state <> 'cancelled' ORDER BY scheduled_at, id")
        return [row for row in rows if row["id"] not in self.shown]

    def watch(self, seconds):
        """Prints one line per second with the executions that ended in it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(min(1, max(0.05, end - time.monotonic())))
            self.show_second()

    def show_second(self):
        rows = self.ended()
        now = grey(clock(harness.utc_us()))
        if not rows:
            detail(f"{now}  {yellow('·')} nothing ended")
        self.shown.update(row["id"] for row in rows)
        ticks = [row for row in rows if row["task_id"] in self.ticks]
        if ticks:
            late = [(row["ended_at"] - row["scheduled_at"]) / 1000 for row in ticks]
            marks = "".join(green("✓") if row["state"] == "succeeded" else red("✗") for row in ticks[:40])
            names = ", ".join(sorted({self.ticks[row["task_id"]] for row in ticks}))
            detail(f"{now}  {marks} {names}  {grey(f'ended at most {max(late):.0f} ms after their time')}")
        for row in rows:
            if row["task_id"] not in self.ticks:
                self.show_job(row)

    def show_job(self, row):
        task = self.cluster.rest.get(f"/api/v1/tasks/{row['task_id']}")
        name = task["name"]
        mark = green("✓") if row["state"] == "succeeded" else red("✗")
        asked = ", asked for by hand" if row["cause"] in ("manual", "forced") else ""
        detail(f"{grey(clock(row['scheduled_at']))}  {mark} {name}{asked}")
        result = json.loads(row["result"] or "{}") or {}
        told = f"would run: {line_of(task, result['line'])}" if "dry_run" in result else row["error"] or ""
        detail(grey(f"             {told[:100]}"))

    def run_job(self):
        """One job of a crontab at once, since most of them are due at night."""
        jobs = [task for task in self.cluster.rest.get("/api/v1/tasks", service="crontab", limit=500)["items"]
                if int(task["id"]) not in self.ticks]
        if jobs:
            self.cluster.run_now(jobs[0])

    # --- the fault

    def kill_master(self):
        name, epoch = self.cluster.master(), self.cluster.epoch()
        process = self.cluster.processes[name]
        step(f"Killing the master: kill -9 {process.pid} ({name}, epoch {epoch})")
        at = process.kill()
        seconds = 1
        while (fresh := self.cluster.master()) in (None, name) or self.cluster.epoch() <= epoch:
            took = harness.boot_us() - at
            if took > 30_000_000:
                raise AssertionError("nobody took over within 30 s")
            if took > seconds * 1_000_000:
                self.show_second()
                seconds += 1
            time.sleep(harness.POLL)
        took = (harness.boot_us() - at) / 1_000
        detail(f"{bold(fresh)} took over after {took:,.0f} ms: it is the master, under epoch {self.cluster.epoch()}")
        return name

    def revive(self, name):
        self.cluster.processes[name].start()
        harness.wait_for(f"{name} is back", lambda: sum(
            node["name"] == name for node in self.cluster.live_nodes()) and len(self.cluster.live_nodes()) >= 3, 20)
        detail(f"{name} was started again, and is a slave now")

    # --- the verdict

    def judge(self):
        step("Comparing the schedule, the ledger and what the agent's commands wrote down")
        until = harness.utc_us()
        harness.wait_for("all that was due has ended", lambda: self.cluster.store.query(
            f"SELECT COUNT(*) AS many FROM execution WHERE due_at IS NOT NULL AND scheduled_at < {until}")[0]["many"] == 0,
            60)
        ledger = self.cluster.ledger()
        ledger.executions = [row for row in ledger.executions if row["scheduled_at"] < until]
        kept = {row["id"] for row in ledger.executions}
        ledger.attempts = [row for row in ledger.attempts if row["execution_id"] in kept]
        verdict = checker.check(ledger, None, {}, until)
        witnessed = self.compare_witness(verdict, ledger)
        for line in verdict_lines(verdict, witnessed):
            detail(line)
        detail(f"missed {verdict.missed}, doubled {verdict.doubled}")
        for problem in verdict.problems[:20]:
            detail(red(problem))
        detail(green("✓ ledger and schedule agree") if verdict.good else red("✗ ledger and schedule do not agree"))
        return verdict.good

    def compare_witness(self, verdict, ledger):
        """Returns the number of firings whose command writes a line: those of TICKS."""
        lines = [line.split() for line in self.witness.read_text().splitlines()]
        ticks = {row["id"] for row in ledger.executions if row["task_id"] in self.ticks and row["run_key"] == 0}
        told = [int(execution) for execution, _ in lines if int(execution) in ticks]
        verdict.starts = len(told)
        verdict.doubled += len(told) - len(set(told))
        if len(told) != len(set(told)):
            verdict.add("a command ran twice for one execution")
        for execution in ticks - set(told):
            verdict.add(f"execution {execution} has succeeded, but its command left no line")
        return len(ticks)


def has_terminal():
    """False if no one can press Ctrl-C."""
    return sys.stdin.isatty() or sys.stdout.isatty()


def main():
    parser = argparse.ArgumentParser(prog="scripts/demo")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--mysql", action="store_true")
    options = parser.parse_args()
    cluster = harness.Cluster("mysql" if options.mysql else "sqlite")
    good = False
    try:
        demo = Demo(cluster)
        demo.start()
        demo.register()
        step("Executions as they complete")
        demo.watch(CALM / 2)
        demo.run_job()
        demo.watch(CALM / 2)
        dead = demo.kill_master()
        demo.watch(AFTER)
        demo.revive(dead)
        good = demo.judge()
        if not options.once and has_terminal():
            say()
            say(bold(f"baton stays up: {cluster.addresses['web']}/") + "   Ctrl-C ends it")
            say(grey(f"  {cluster.baton} --server {cluster.addresses['web']} nodes"))
            while True:
                time.sleep(3600)
    except KeyboardInterrupt:
        say()
    finally:
        step("Ending what was started")
        cluster.stop_gently()
        cluster.end()
        detail("done")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
