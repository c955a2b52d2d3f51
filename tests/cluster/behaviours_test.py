#!/usr/bin/env python3
"""Tests of a cluster of real processes without faults, on the store that $BATON_STORE names (sqlite by default).
At the end the checker (checker.py) checks all executions of these tests."""

import hashlib
import hmac
import http.server
import json
import os
import pathlib
import select
import socket
import statistics
import threading
import time
import unittest
import urllib.parse

import checker
import harness
import neighbours

STORE = os.environ.get("BATON_STORE", "sqlite")
EVERY_SECOND = {"kind": "fixed_rate", "every_ms": 1000}
EDIT_LEAD_US = 1_000_000  # planner.edit_lead
BY_HAND = {"kind": "api"}


def port_of(address):
    return urllib.parse.urlsplit(address).port


def connections(pid):
    """Remote ports of the established loopback connections of a process."""
    inodes = set()
    for file in pathlib.Path(f"/proc/{pid}/fd").iterdir():
        try:
            target = os.readlink(file)
        except OSError:
            continue
        if target.startswith("socket:["):
            inodes.add(target[8:-1])
    ports = set()
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[9] in inodes and words[3] == "01":
            ports.add(int(words[2].split(":")[1], 16))
    return ports


class Behaviours(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = harness.Cluster.or_skip(STORE)
        cls.cluster.start_all()

    @classmethod
    def tearDownClass(cls):
        try:
            cls.cluster.await_all_ended(60)
            verdict = cls.cluster.verdict(must_succeed=False)
            assert verdict.good, "\n".join(verdict.problems)
            assert verdict.doubled == 0 and verdict.after_death == 0, verdict.summary()
            print(f"{STORE}: {verdict.summary()}")
        except BaseException:
            cls.cluster.keep = True
            print(f"kept for inspection: {cls.cluster.folder}")
            raise
        finally:
            cls.cluster.end()

    def create(self, schedule=None, **more):
        task = self.cluster.create(self.id().rsplit(".", 1)[1], schedule or BY_HAND, **more)
        self.addCleanup(self.discard, task["id"])
        return task

    def discard(self, task):
        try:
            self.cluster.rest.call("DELETE", f"/api/v1/tasks/{task}")
        except harness.Refused as refusal:
            if refusal.status != 404:
                raise

    def starts(self, *executions):
        return [line for line in self.cluster.journal() if line.what == "start" and line.execution in executions]

    def starts_of(self, task):
        ids = {row["id"] for row in self.cluster.store.query(f"SELECT id FROM execution WHERE task_id = {task['id']}")}
        return self.starts(*ids)

    def test_an_edit_reaches_the_look_ahead(self):
        rest = self.cluster.rest
        names = {1: "version one"}
        task = self.cluster.create(names[1], EVERY_SECOND)
        path = f"/api/v1/tasks/{task['id']}"
        self.addCleanup(self.discard, task["id"])

        def fired_at_least(count, version):
            return harness.wait_for(f"{count} firings of version {version}", lambda: len(self.cluster.store.query(
                f"SELECT id FROM execution WHERE task_id = {task['id']} AND task_version = {version} "
                "AND state = 'succeeded'")) >= count, 20)

        def planned_ahead(version):
            beyond = harness.utc_us() + 2 * EDIT_LEAD_US
            return self.cluster.store.query(
                f"SELECT id FROM execution WHERE task_id = {task['id']} AND task_version = {version} "
                f"AND state = 'planned' AND scheduled_at > {beyond}")

        fired_at_least(3, 1)
        for version, schedule in ((2, {"kind": "fixed_rate", "every_ms": 300}),
                                  (3, {"kind": "cron", "cron": "*/2 * * * * *"})):
            names[version] = f"version {version}"
            harness.wait_for("firings are planned beyond the line of an edit", lambda: planned_ahead(version - 1), 20)
            edited, _ = rest.call("PATCH", path, {"name": names[version], "schedule": schedule})
            self.assertTrue(edited["master_notified"])
            self.assertGreater(edited["cancelled"], 0, "the look-ahead had planned firings of the old version")
            fired_at_least(3, version)
        for action, version in (("disable", 4), ("enable", 5)):
            names[version] = names[3]
            rest.post(f"{path}/{action}")
        fired_at_least(2, 5)
        names[6] = names[3]
        deleted, _ = rest.call("DELETE", path)
        harness.wait_for("the deletion holds", lambda: harness.utc_us() > harness.checker.expected.micros(
            deleted["valid_from"]), 10)
        self.cluster.await_all_ended(20)

        ledger = self.cluster.ledger()
        task_id = int(task["id"])
        of_task = checker.Ledger([version for version in ledger.versions if version["task_id"] == task_id],
                                 [row for row in ledger.executions if row["task_id"] == task_id])
        ids = {row["id"]: row for row in of_task.executions}
        journal = [line for line in self.cluster.journal() if line.execution in ids]
        verdict = checker.check(of_task, journal, {}, harness.utc_us())
        self.assertEqual(verdict.problems, [])
        self.assertEqual(len(of_task.versions), 6)
        for line in journal: # what was delivered is what that version said
            self.assertEqual(line.task, names[ids[line.execution]["task_version"]])

    def test_run_now_starts_the_execution_at_once(self):
        task = self.create()
        took = []
        for _ in range(10):
            asked = harness.boot_us()
            execution = self.cluster.run_now(task)
            self.cluster.await_state(execution, "succeeded", 10)
            took.append((self.starts(execution)[0].boot_us - asked) / 1000)
        print(f"{STORE}: run now begins after {statistics.median(took):.0f} ms (median), {max(took):.0f} ms (longest)")
        self.assertLess(statistics.median(took), 500)
        self.assertLess(max(took), 2000)

    def test_two_run_now_requests_with_the_same_key_run_once(self):
        task = self.create()
        answers = [self.cluster.rest.post(f"/api/v1/tasks/{task['id']}/run", {}, headers={"Idempotency-Key": "k"})
                   for _ in range(3)]
        self.assertEqual(len({answer["execution"] for answer in answers}), 1)
        self.cluster.await_state(answers[0]["execution"], "succeeded", 10)
        self.assertEqual(len(self.starts_of(task)), 1)

    def test_a_running_execution_can_be_cancelled(self):
        task = self.create(handler="nap", payload={"ms": 60_000})
        execution = self.cluster.run_now(task)
        self.cluster.await_state(execution, "running", 10)
        self.cluster.rest.post(f"/api/v1/executions/{execution}/cancel")
        self.cluster.await_state(execution, "cancelled", 5)
        ends = [line for line in self.cluster.journal() if line.execution == execution and line.what == "end"]
        self.assertEqual([line.outcome for line in ends], ["failed"])

    def test_an_execution_that_waits_for_a_client_can_be_cancelled(self):
        rest = self.cluster.rest
        task = rest.post("/api/v1/tasks?allow_unserved=true",
                         {"name": "unserved", "service": "nobody", "handler": "note", "schedule": BY_HAND})
        self.addCleanup(self.discard, task["id"])
        execution = rest.post(f"/api/v1/tasks/{task['id']}/run?allow_unserved=true", {})["execution"]
        rest.post(f"/api/v1/executions/{execution}/cancel")
        self.cluster.await_state(execution, "cancelled", 5)
        self.assertEqual(self.starts(int(execution)), [])

    def test_a_broadcast_runs_once_on_each_client(self):
        task = self.create(routing="broadcast")

        def shards_of_a_run():
            execution = self.cluster.run_now(task)
            self.cluster.await_state(execution, "succeeded", 10)
            return self.cluster.rest.get("/api/v1/executions", parent=execution)["items"]

        # The master learns of a client that joined elsewhere within a second.
        shards = harness.wait_for("a run on all clients", lambda: next(
            (found for found in [shards_of_a_run()] if len(found) == 3), None), 5)
        begun = self.starts(*(int(shard["id"]) for shard in shards))
        self.assertEqual(len({line.instance for line in begun}), 3)
        self.assertEqual(sorted(line.shard for line in begun), ["0/3", "1/3", "2/3"])
        self.assertEqual({shard["state"] for shard in shards}, {"succeeded"})

    def test_failover_always_takes_the_first_client(self):
        task = self.create(routing="failover")
        executions = [self.cluster.run_now(task) for _ in range(8)]
        for execution in executions:
            self.cluster.await_state(execution, "succeeded", 10)
        first = min(client["instance"] for client in self.cluster.live_clients())
        self.assertEqual({line.instance for line in self.starts(*executions)}, {first})

    def test_round_robin_spreads_executions_over_all_clients(self):
        task = self.create({"kind": "fixed_rate", "every_ms": 100})
        harness.wait_for("a start on each client",
                         lambda: len({line.instance for line in self.starts_of(task)}) == 3, 20)

    def test_a_failed_attempt_is_retried_after_the_retry_delay(self):
        task = self.create(handler="fail", payload={"times": 2}, max_attempts=3, retry_delay_ms=400)
        execution = self.cluster.run_now(task)
        self.cluster.await_state(execution, "succeeded", 15)
        begun = self.starts(execution)
        self.assertEqual([line.attempt for line in begun], [1, 2, 3])
        for earlier, later in zip(begun, begun[1:]):
            self.assertGreaterEqual(later.boot_us - earlier.boot_us, 390_000)
        attempts = self.cluster.execution(execution)["attempts"]
        self.assertEqual([attempt["outcome"] for attempt in attempts], ["failed", "failed", "succeeded"])

    def test_an_execution_fails_after_its_last_attempt(self):
        task = self.create(handler="fail", payload={"times": 9}, max_attempts=2, retry_delay_ms=100)
        execution = self.cluster.run_now(task)
        self.cluster.await_state(execution, "failed", 15)
        self.assertEqual([line.attempt for line in self.starts(execution)], [1, 2])

    def test_an_execution_that_exceeds_its_timeout_ends(self):
        task = self.create(handler="nap", payload={"ms": 60_000}, timeout_ms=500)
        execution = self.cluster.run_now(task)
        self.cluster.await_state(execution, "timed_out", 10)

    def test_a_fixed_delay_counts_from_the_end_of_the_last_execution(self):
        task = self.create({"kind": "fixed_delay", "every_ms": 300}, handler="nap", payload={"ms": 200})
        ended = f"SELECT scheduled_at, ended_at FROM execution WHERE task_id = {task['id']} AND ended_at IS NOT NULL " \
                "ORDER BY scheduled_at"
        rows = harness.wait_for("four runs", lambda: (found := self.cluster.store.query(ended)) and len(found) >= 4
                                and found, 20)
        for earlier, later in zip(rows, rows[1:]):
            self.assertGreaterEqual(later["scheduled_at"] - earlier["scheduled_at"], 490_000)

    def test_a_client_that_joins_gets_work_within_a_heartbeat(self):
        self.create({"kind": "fixed_rate", "every_ms": 100})
        known = {client["instance"] for client in self.cluster.live_clients()}
        process = self.cluster.start_recorder("recorder-joins")
        try:
            fresh = harness.wait_for("the new client is known", lambda: [
                client["instance"] for client in self.cluster.live_clients() if client["instance"] not in known], 20)
            joined = harness.boot_us()
            harness.wait_for("work for the new client", lambda: any(
                line.instance == fresh[0] for line in self.cluster.journal()), 5)
            print(f"{STORE}: a new client has work {(harness.boot_us() - joined) / 1000:.0f} ms after it was known")
        finally:
            self.assertEqual(process.terminate(35), 0)

    def test_a_node_that_joins_becomes_the_home_of_its_share_of_the_clients(self):
        self.create({"kind": "fixed_rate", "every_ms": 100})
        more = [self.cluster.start_recorder(f"recorder-more-{number}") for number in range(4)]
        harness.wait_for("more clients", lambda: len(self.cluster.live_clients()) >= 6, 20)
        clients = {port_of(client["address"]) for client in self.cluster.live_clients()}
        process = self.cluster.start_trigger("trigger-joins")
        try:
            harness.wait_for("the new node is known", lambda: any(
                node["name"] == "trigger-joins" for node in self.cluster.live_nodes()), 20)
            joined = harness.boot_us()
            # Only a client's home opens a connection to it: heartbeats go the other way.
            harness.wait_for("the new node calls clients", lambda: connections(process.pid) & clients, 10)
            print(f"{STORE}: a new node has clients {(harness.boot_us() - joined) / 1000:.0f} ms after it was known")
        finally:
            self.assertEqual(process.terminate(20), 0)
            del self.cluster.addresses["trigger-joins"]
            for recorder in more:
                self.assertEqual(recorder.terminate(35), 0)

    def test_no_node_calls_a_client_that_has_left(self):
        self.create({"kind": "fixed_rate", "every_ms": 100})
        known = {client["instance"] for client in self.cluster.live_clients()}
        process = self.cluster.start_recorder("recorder-leaves")
        client = harness.wait_for("the new client is known", lambda: [
            client for client in self.cluster.live_clients() if client["instance"] not in known], 20)[0]
        harness.wait_for("work for it", lambda: any(
            line.instance == client["instance"] for line in self.cluster.journal()), 10)
        self.assertEqual(process.terminate(35), 0)
        gone = time.monotonic()
        with socket.socket() as listener:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((harness.HOST, port_of(client["address"])))
            listener.listen()
            late = []
            while (left := gone + 4 - time.monotonic()) > 0:
                if select.select([listener], [], [], left)[0]:
                    listener.accept()[0].close()
                    late.append(time.monotonic() - gone)
        self.assertEqual([f"{at:.2f} s" for at in late if at > 1], [], "called after it had left")


class Stopping(unittest.TestCase):
    """Uses separate processes, because it stops them."""

    def setUp(self):
        self.cluster = harness.Cluster(STORE)
        self.addCleanup(self.cluster.end)

    def agent(self, **more):
        file = self.cluster.config("agent", {"service": "agent", "triggers": self.cluster.triggers(),
                                             "handlers": {"wait": {"argv": ["/bin/sleep", "60"]}}, **more})
        return self.cluster.start("agent", [self.cluster.baton, "agent", "--config", file])

    def test_each_process_drains_and_ends_with_status_0(self):
        cluster = self.cluster.start_all(triggers=2, recorders=1)
        agent = self.agent()
        harness.wait_for("the agent", lambda: any(client["service"] == "agent" for client in cluster.live_clients()), 20)
        cluster.create("tick", {"kind": "fixed_rate", "every_ms": 100})
        harness.wait_for("firings", lambda: len(cluster.journal()) > 20, 20)
        for name, within in ((agent.name, 10), (cluster.master(), 15), ("recorder-1", 10), ("web", 10)):
            self.assertEqual(cluster.processes[name].terminate(within), 0, name)
        last = next(name for name in cluster.addresses if name != "web" and cluster.processes[name].alive())
        self.assertEqual(cluster.processes[last].terminate(20), 0, last)

    def test_a_client_that_does_not_answer_does_not_hold_up_the_stop_of_its_node(self):
        cluster = self.cluster.start_all(triggers=1, recorders=0)
        node = cluster.processes["trigger-1"]
        with neighbours.Client(cluster.triggers(), "slow", "slow", slots=1, queue=10) as client:
            # Of an execution that a term finds at its beginning the clients are asked first, and this one never answers.
            harness.wait_for("a master that plans", lambda: cluster.rest.get("/api/v1/terms")["items"], 20)
            task = cluster.create("held", BY_HAND, service="slow")
            cluster.run_now(task)
            harness.wait_for("its delivery is on its way", lambda: "/baton/v1/dispatch" in client.calls, 20)
            asked = time.monotonic()
            self.assertEqual(node.terminate(20), 0)
            took = time.monotonic() - asked
        print(f"{STORE}: a node with a client that does not answer stops within {took:.1f} s")
        self.assertLess(took, 5)  # of a drain of 10 s

    def test_the_history_records_every_change_of_master(self):
        cluster = self.cluster.start_all(triggers=3, recorders=1)
        cluster.create("tick", {"kind": "fixed_rate", "every_ms": 100})
        harness.wait_for("firings", lambda: len(cluster.journal()) > 5, 20)

        def history():
            return cluster.rest.get("/api/v1/terms")["items"]

        def next_term(master, epoch):
            harness.wait_for("another is master", lambda: cluster.master() not in (None, master)
                             and cluster.epoch() > epoch, 15)
            return harness.wait_for("its row", lambda: (found := history()[0])["epoch"] == cluster.epoch() and found, 5)

        first = harness.wait_for("the first row", history, 5)[0]
        self.assertIsNone(first["gap_ms"])
        self.assertIsNone(first["ended_at"])
        killed, epoch = cluster.master(), cluster.epoch()
        self.assertEqual(first["node"], killed)
        before = harness.utc_us()
        cluster.processes[killed].kill()
        second = next_term(killed, epoch)
        self.assertEqual(second["node"], cluster.master())
        self.assertIn(second["how"], ("expired", "guard"))
        if second["gap_ms"] > 200:  # two firings and more; a file lock's is over within a few milliseconds
            self.assertGreater(second["replayed"], 0)
        self.assertGreater(harness.checker.expected.micros(second["acting_at"]), before)
        ended = next(term for term in history() if term["epoch"] == epoch)
        gap = harness.checker.expected.micros(second["acting_at"]) - harness.checker.expected.micros(ended["ended_at"])
        self.assertTrue(0 < gap < 6_000_000, (ended, second))
        self.assertEqual(second["gap_ms"], gap // 1000)
        self.assertIn(ended["why_ended"], ("its lease expired", "its session ended"))
        overview = cluster.rest.get("/api/v1/nodes")
        self.assertEqual(overview["last_gap_ms"], second["gap_ms"])
        self.assertEqual((overview["last_failover"]["from"], overview["last_failover"]["to"]), (killed, second["node"]))

        stopped, epoch = cluster.master(), cluster.epoch()
        self.assertEqual(cluster.processes[stopped].terminate(20), 0)
        third = next_term(stopped, epoch)
        self.assertLess(third["gap_ms"], 2500)
        self.assertEqual(history()[1]["why_ended"], "a clean stop")
        shown = cluster.run_baton("--server", cluster.rest.address, "nodes", "--terms").splitlines()
        self.assertEqual([line.split()[:2] for line in shown[1:]],
                         [[str(term["epoch"]), term["node"]] for term in history()])
        self.assertEqual(json.loads(cluster.run_baton("--server", cluster.rest.address, "--json", "nodes", "--terms"))["items"],
                         history())
        print(f"{STORE}: gaps of {second['gap_ms']} ms after a kill, {third['gap_ms']} ms after a clean stop")

    def test_nodes_that_can_write_neither_log_nor_history_still_lead_and_take_over(self):
        cluster = self.cluster
        unheard = ["/bin/sh", "-c", 'exec "$@" >/dev/full 2>&1', "sh"]
        for number in (1, 2):
            cluster.start_trigger(f"trigger-{number}", prefix=unheard, election_trace="/dev/full")
        cluster.start_web()
        cluster.start_recorder("recorder-1")
        cluster.await_ready(2, 1)
        task = cluster.create("tick", {"kind": "fixed_rate", "every_ms": 100})
        harness.wait_for("firings", lambda: len(cluster.journal()) > 20, 20)
        killed, epoch = cluster.master(), cluster.epoch()
        cluster.processes[killed].kill()
        other = harness.wait_for("the other is master", lambda: cluster.epoch() > epoch and cluster.master(), 15)
        self.assertNotEqual(other, killed)
        before = len(cluster.journal())
        harness.wait_for("firings under it", lambda: len(cluster.journal()) > before + 20, 20)
        self.assertEqual(cluster.processes[other].log.stat().st_size, 0)
        cluster.end_firings([task], 20)
        self.assertEqual(cluster.verdict().problems, [])
        self.assertEqual(cluster.processes[other].terminate(20), 0)

    def test_a_second_signal_ends_a_draining_node_at_once(self):
        cluster = self.cluster.start_all(triggers=1, recorders=1)
        client = neighbours.Client(cluster.triggers(), "silent", "healthy")
        self.enterContext(client)
        harness.wait_for("the client is known", lambda: len(cluster.live_clients()) == 2, 10)
        execution = cluster.run_now(cluster.create("first", BY_HAND, service="silent"))
        cluster.await_state(execution, "succeeded", 10)
        client.turn("mute")
        cluster.run_now(cluster.create("second", BY_HAND, service="silent"))
        status = harness.Rest(cluster.addresses["trigger-1"])
        harness.wait_for("the node carries it", lambda: status.get("/healthz")["carrying"] > 0, 10)
        process = cluster.processes["trigger-1"]
        process.child.terminate()
        harness.wait_for("it drains", lambda: "stopping" in process.tail(), 5)
        self.assertTrue(process.alive())
        self.assertEqual(process.terminate(1), 130)

    def test_a_second_signal_ends_a_draining_agent_at_once(self):
        cluster = self.cluster.start_all(triggers=1, recorders=0)
        agent = self.agent(grace="30s")
        harness.wait_for("the agent", cluster.live_clients, 20)
        execution = cluster.run_now(cluster.create("wait", BY_HAND, handler="wait", service="agent"))
        cluster.await_state(execution, "running", 10)
        agent.child.terminate()
        harness.wait_for("it drains", lambda: not cluster.live_clients(), 5)
        self.assertTrue(agent.alive())
        self.assertEqual(agent.terminate(1), 130)

    def test_a_command_dies_with_its_agent(self):
        cluster = self.cluster.start_all(triggers=1, recorders=0)
        agent = self.agent()
        harness.wait_for("the agent", cluster.live_clients, 20)
        cluster.run_now(cluster.create("wait", BY_HAND, handler="wait", service="agent"))
        command = harness.wait_for("its command", lambda: harness.children_of(agent.child.pid), 10)[0]
        agent.kill()
        harness.wait_for("the command's end", lambda: not harness.is_alive(command), 5)

    def test_no_client_can_end_a_masters_term(self):
        cluster = self.cluster.start_all(triggers=1, recorders=1)
        calls = []

        class Braggart(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                probed = self.path == "/baton/v1/probe"
                if not probed:
                    calls.append(self.path)
                said = f"baton probe\nbraggart\n{body.get('nonce')}".encode()
                proof = hmac.new(b"0123456789abcdef", said, hashlib.sha256).hexdigest()
                body = json.dumps({"instance": "braggart", "proof": proof} if probed else {"epoch": 1 << 62}).encode()
                self.send_response(200 if probed else 409)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer((harness.HOST, 0), Braggart)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.shutdown)
        node = harness.Rest(cluster.addresses["trigger-1"])
        node.post("/client/v1/register", {
            "service": "braggart", "instance": "braggart", "address": f"http://{harness.HOST}:{server.server_port}",
            "secret": "0123456789abcdef", "handlers": ["note"], "revision": 6, "generation": 1})
        before = cluster.epoch()
        cluster.run_now(cluster.create("brag", BY_HAND, service="braggart"))
        harness.wait_for("it is asked again and again", lambda: len(calls) > 2, 20)
        execution = cluster.run_now(cluster.create("honest", BY_HAND))
        cluster.await_state(execution, "succeeded", 10)
        self.assertEqual(cluster.epoch(), before)
        self.assertLess(node.get("/healthz")["epoch"], 1 << 60)

    def test_a_node_refuses_messages_of_another_namespace(self):
        cluster = self.cluster.start_all(triggers=1)
        before = cluster.epoch()
        secret = cluster.store.query("SELECT secret FROM node")[0]["secret"]
        node = harness.Rest(cluster.addresses["trigger-1"], secret)

        def announce(message):
            return node.post("/internal/v1/epoch", message, headers={"Baton-Revision": "6"})

        for path in ("epoch", "assign", "stop", "ask", "cancel", "report"):
            with self.assertRaises(harness.Refused) as refusal:
                node.post(f"/internal/v1/{path}", {"namespace": 2, "epoch": before + 5}, headers={"Baton-Revision": "6"})
            self.assertEqual(refusal.exception.status, 421, path)
            self.assertIn("the message is of namespace 2 and this node is of namespace 1", str(refusal.exception))
        self.assertEqual(announce({"epoch": before})["epoch"], before)  # nothing was learned from those
        self.assertEqual(cluster.epoch(), before)

    def test_a_node_refuses_to_listen_beyond_loopback_without_a_token(self):
        listen = {"listen": {"address": "0.0.0.0", "port": harness.free_port()}, "database": {"url": "sqlite:x.db"}}
        away = {"listen": {"address": "0.0.0.0"}, "service": "s", "triggers": ["http://127.0.0.1:7800"],
                "advertise": "127.0.0.1", "handlers": {"a": {"argv": ["/bin/true"]}}}
        for program, document in (("trigger", {**listen, "advertise": "http://127.0.0.1:7800"}), ("web", listen),
                                  ("agent", away)):
            file = self.cluster.config(f"open-{program}", document)
            process = self.cluster.start(f"open-{program}", [self.cluster.baton, program, "--config", file])
            self.assertNotEqual(process.child.wait(10), 0, program)
            self.assertIn("token", process.tail(), program)


if __name__ == "__main__":
    unittest.main(verbosity=2)
