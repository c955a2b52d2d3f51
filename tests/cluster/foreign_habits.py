"""Habits of clients on ordinary HTTP stacks. Each client works, and differs from a good one (neighbour_kinds.Healthy) in one
way, which docs/protocol.md allows or which happens to programs in practice.
"""

import json
import time

from neighbour_kinds import Healthy
from processes import utc_us

LATE = 0.04  # seconds: what delayed acknowledgements add to an answer in two packets
PATIENCE = 5  # seconds that a node waits for an answer


class Punctual(Healthy):
    """Answers each dispatch after 40 ms, and runs what it took from then on: what the others are compared with."""

    def serve(self, call):
        if not call.path.endswith("/dispatch"):
            return super().serve(call)
        answer = call.client.obey(call.path, json.loads(call.body()))
        time.sleep(LATE)
        self.finish(call.client)
        call.reply(200, answer)

    def run(self, client, work):
        self.begun = [*getattr(self, "begun", []), work]

    def finish(self, client):
        with client.lock:
            for work in self.__dict__.pop("begun", []):
                client.conclude(work)


class TwoPackets(Punctual):
    """The body of its answer comes 40 ms after the header, and the results before the body."""

    def serve(self, call):
        if not call.path.endswith("/dispatch"):
            return Healthy.serve(self, call)
        body = json.dumps(call.client.obey(call.path, json.loads(call.body()))).encode()
        self.finish(call.client)
        call.send_response(200)
        call.send_header("Content-Length", str(len(body)))
        call.end_headers()
        time.sleep(LATE)
        call.wfile.write(body)


class TwoPacketsSilent(TwoPackets):
    """The same, and its heartbeats do not say how many slots are free."""
    tells_free_slots = False


class TooLate(Healthy):
    """Runs what it gets at once, and answers after the node has given up. It forgets what it has reported."""

    def serve(self, call):
        if not call.path.endswith("/dispatch"):
            return super().serve(call)
        answer = call.client.obey(call.path, json.loads(call.body()))
        call.client.over.wait(PATIENCE + 1)
        call.reply(200, answer)

    def run(self, client, work):
        super().run(client, work)
        client.ended.pop(work["execution"])


class Confirming(Healthy):
    """Confirms a dispatch with the status `status`, after it has taken it, and with or without a body."""
    status, speaks = 201, True

    def serve(self, call):
        if not call.path.endswith("/dispatch"):
            return super().serve(call)
        answer = call.client.obey(call.path, json.loads(call.body()))
        if self.speaks:
            return call.reply(self.status, answer)
        call.send_response(self.status)
        if self.status in (302, 307):
            call.send_header("Location", "/elsewhere")
        if self.status != 204:
            call.send_header("Content-Length", "0")
        call.end_headers()


def confirming(status, speaks):
    return type(f"Confirming{status}", (Confirming,), {"status": status, "speaks": speaks})


class ClosingAfterwards(Healthy):
    """Answers the first dispatch of a connection, and closes the connection when it has read the next."""

    def __init__(self):
        self.seen = []  # the executions of each dispatch that it read

    def serve(self, call):
        if not call.path.endswith("/dispatch"):
            return super().serve(call)
        body = json.loads(call.body())
        self.seen.append(tuple(work["execution"] for work in body["executions"]))
        first = not hasattr(call, "answered")
        call.answered = True
        if not first:
            return call.reset()
        call.reply(200, call.client.obey(call.path, body))


class Crashing(Healthy):
    """A handler ends the connection of its dispatch, and the client forgets what that brought. It lives on."""

    def __init__(self):
        self.seen = []  # executions, each time

    def serve(self, call):
        if not call.path.endswith("/dispatch"):
            return super().serve(call)
        self.seen += [work["execution"] for work in json.loads(call.body())["executions"]]
        call.reset()


class DyingUnanswered(Crashing):
    """Its handlers end its process before that has answered the dispatch. It starts again at once, under a new name."""

    def serve(self, call):
        if call.path.endswith("/dispatch"):
            call.client.dies.set()
            call.client.changed.set()
        super().serve(call)


class Forgetful(Healthy):
    """Loses what it takes first, as many executions as it has places, as when its worker process dies."""

    def take(self, client, work):
        if client.taken < client.slots + client.queue:
            client.taken += 1
            return {}
        return super().take(client, work)


class SilentlyForgetful(Forgetful):
    """The same, and its heartbeats do not say how many slots are free."""
    tells_free_slots = False


class Elsewhere(Healthy):
    """Sends its results to another node than its home, and its heartbeats do not say how many slots are free."""
    tells_free_slots = False

    def send_results(self, client, batch):
        return client.nodes[1].post("/client/v1/results", {"instance": client.instance, "results": batch}, within=3)


class SharedOutbox(Healthy):
    """Its results are sent by another client of its service."""
    tells_free_slots = False
    sender = None

    def send_results(self, client, batch):
        return self.sender.call("results", {"instance": self.sender.instance, "ticket": self.sender.ticket,
                                            "results": batch})


class Textual(Healthy):
    """Wants ids as text, as a program in JavaScript does, and sends them so."""
    registers = {"ids": "text"}

    def __init__(self):
        self.types = set()

    def take(self, client, work):
        self.types |= {type(work["execution"]), type(work["task"])}
        return super().take(client, work)

    def send_results(self, client, batch):
        answer = client.call("results", {"instance": client.instance, "ticket": client.ticket, "results": batch, "ids": "text"})
        self.types |= {type(each["execution"]) for each in answer["recorded"]}
        return answer


class Misspelling(Healthy):
    """Reports its results with a status that there is not."""

    def send_results(self, client, batch):
        return super().send_results(client, [{**one, "status": "success"} for one in batch])


class Queueing(Healthy):
    """Begins nothing but the first of what it has taken, reports that it runs, and ends all when it is told."""
    first = None

    def run(self, client, work):
        self.taken = [*getattr(self, "taken", []), work]
        if self.first is None:
            self.first = work["execution"]
            self.report(client, work)

    def report(self, client, work):
        self.send_results(client, [{"execution": work["execution"], "attempt": work.get("attempt", 1), "status": "running",
                                    "receipt": work.get("receipt", ""), "started_at": utc_us()}])

    def end_all(self, client):
        with client.lock:
            for work in self.__dict__.pop("taken", []):
                client.conclude(work)


class Grudging(Healthy):
    """Answers `busy` for a second after each execution, and names free places beside it."""
    until = 0

    def take(self, client, work):
        if time.monotonic() < self.until:
            return {"answer": "busy"}
        self.until = time.monotonic() + 1
        return super().take(client, work)

    def free(self, client):
        return client.slots + client.queue
