#!/usr/bin/env python3
"""Tests of clients without an open port, which fetch their executions, on the store that $BATON_STORE names (sqlite by
default). The judge checks all executions."""

import os
import pathlib
import statistics
import unittest

import harness

STORE = os.environ.get("BATON_STORE", "sqlite")
BY_HAND = {"kind": "api"}
FETCHES = {"RECORDER_FETCHES": "1"}


def listening(pid):
    """The inodes of the listening TCP sockets of a process."""
    mine = set()
    for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            mine.add(os.readlink(file))
        except OSError:
            continue
    lines = [line.split() for name in ("tcp", "tcp6") for line in
             pathlib.Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return [words[9] for words in lines if words[3] == "0A" and f"socket:[{words[9]}]" in mine]


class Fetching(unittest.TestCase):
    def setUp(self):
        self.cluster = harness.Cluster.or_skip(STORE)
        self.addCleanup(self.cluster.end)

    def start(self, triggers, recorders):
        for number in range(1, triggers + 1):
            self.cluster.start_trigger(f"trigger-{number}")
        self.cluster.start_web()
        for number in range(1, recorders + 1):
            self.cluster.start_recorder(f"recorder-{number}", environment=FETCHES)
        self.cluster.await_ready(triggers, recorders)

    def starts(self):
        return [line for line in self.cluster.journal() if line.what == "start"]

    def starts_after(self, event, at, count=10, within=30):
        """Waits for so many starts of firings that were due after `at`; the milliseconds until the first of them."""
        offset = harness.boot_to_utc()

        def found():
            later = [line for line in self.starts() if line.scheduled_at > at + offset]
            return len(later) >= count and later
        later = harness.wait_for(event, found, within)
        return (min(line.boot_us for line in later) - at) / 1000

    def judge(self, task):
        self.cluster.end_firings([task], 60)  # a client and its home were killed: one ttl passes until both count as gone
        verdict = self.cluster.verdict()
        self.assertEqual(verdict.problems, [])
        self.assertEqual(verdict.doubled, 0)
        print(f"{STORE}: {verdict.summary()}")

    def test_work_goes_on_when_a_client_dies_when_its_home_dies_and_when_it_stops(self):
        cluster = self.cluster
        self.start(triggers=2, recorders=3)
        for client in cluster.live_clients():
            self.assertEqual(client["address"], "")
        for number in (1, 2, 3):
            self.assertEqual(listening(cluster.processes[f"recorder-{number}"].pid), [])
        task = cluster.create("tick", {"kind": "fixed_rate", "every_ms": 100})
        harness.wait_for("starts on all clients", lambda: len({line.instance for line in self.starts()}) == 3, 20)

        killed = cluster.processes["recorder-1"].kill()
        after_client = self.starts_after("firings without the client", killed)
        cluster.processes["recorder-1"].start()
        harness.wait_for("it works again", lambda: any(
            line.pid == cluster.processes["recorder-1"].pid for line in self.starts()), 20)

        master = cluster.master()
        killed = cluster.processes[master].kill()
        after_home = self.starts_after("firings under the other node", killed)
        seen = len(self.starts())
        harness.wait_for("starts on all clients", lambda: len(
            {line.pid for line in self.starts()[seen:]}) == 3, 30)
        cluster.processes[master].start()

        self.assertEqual(cluster.processes["recorder-2"].terminate(10), 0)
        cluster.processes["recorder-2"].start()
        harness.wait_for("it works again", lambda: any(
            line.pid == cluster.processes["recorder-2"].pid for line in self.starts()), 20)
        self.judge(task)
        print(f"{STORE}: firings go on {after_client:.0f} ms after the kill of a client, {after_home:.0f} ms after that "
              "of the master")

    def test_run_now_begins_at_once_and_a_running_execution_can_be_cancelled(self):
        cluster = self.cluster
        self.start(triggers=1, recorders=1)
        task = cluster.create("by hand", BY_HAND)
        took = []
        for _ in range(10):
            asked = harness.boot_us()
            execution = cluster.run_now(task)
            cluster.await_state(execution, "succeeded", 10)
            took.append((next(line for line in self.starts() if line.execution == execution).boot_us - asked) / 1000)
        print(f"{STORE}: run now begins after {statistics.median(took):.0f} ms (median), {max(took):.0f} ms (longest)")
        self.assertLess(statistics.median(took), 500)

        execution = cluster.run_now(cluster.create("nap", BY_HAND, handler="nap", payload={"ms": 60_000}))
        cluster.await_state(execution, "running", 10)
        cluster.rest.post(f"/api/v1/executions/{execution}/cancel")
        cluster.await_state(execution, "cancelled", 5)

    def test_an_agent_fetches_by_an_option(self):
        cluster = self.cluster
        self.start(triggers=1, recorders=0)
        file = cluster.config("agent", {"service": "agent", "triggers": cluster.triggers(),
                                        "handlers": {"echo": {"argv": ["/bin/cat"]}}})
        agent = cluster.start("agent", [cluster.baton, "agent", "--config", file, "--delivery", "fetch"])
        harness.wait_for("the agent", cluster.live_clients, 20)
        self.assertEqual(listening(agent.pid), [])
        execution = cluster.run_now(cluster.create("echo", BY_HAND, handler="echo", service="agent"))
        cluster.await_state(execution, "succeeded", 10)
        self.assertIn("(fetches)", cluster.run_baton("--server", cluster.rest.address, "clients"))
        self.assertEqual(agent.terminate(10), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
