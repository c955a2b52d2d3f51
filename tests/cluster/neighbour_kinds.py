"""The ways in which a client of neighbours.py behaves: in good health, or bad in one way each. A bad client that can be called
proves its address first, and is bad at its work only.
"""

import json

from processes import utc_us


class Healthy:
    """Takes what it is given, ends it at once and reports it. The other kinds differ from it in one way each."""
    door = "open"  # what happens to a connection to its address: also "swallows" or "refuses"
    draining = False
    tells_free_slots = True
    restless = False  # registers again and again
    receive_buffer = None  # bytes
    registers = {}  # further members of its registrations

    def announces(self, client):
        """The schemas of its next registration."""
        return []

    def serve(self, call):
        """Answers one call of a node, on the thread of its connection."""
        body = json.loads(call.body())
        if call.client.knows(call.path):
            call.reply(200, call.client.obey(call.path, body))
        else:
            call.reply(404, {"title": "Not Found", "status": 404})

    def take(self, client, work):
        """The answer for one execution, beside its name."""
        if client.free() <= 0:
            return {"answer": "busy"}
        client.taken += 1
        client.held[work["execution"]] = work.get("attempt", 1)
        self.run(client, work)
        return {}

    def run(self, client, work):
        client.conclude(work)

    def free(self, client):
        return client.slots + client.queue - len(client.held)

    def send_results(self, client, batch):
        return client.call("results", {"instance": client.instance, "ticket": client.ticket, "results": batch})


class Swallowing(Healthy):
    """Its address takes no connection and refuses none, as behind a firewall that drops packets."""
    door = "swallows"


class Refusing(Healthy):
    """Nothing listens at its address."""
    door = "refuses"


class Mute(Healthy):
    """Takes each call and never answers."""

    def serve(self, call):
        call.body()
        call.client.over.wait()


class Dropping(Healthy):
    """Resets each connection when a call has arrived."""

    def serve(self, call):
        call.body()
        call.reset()


class Impostor(Healthy):
    """Listens at its address, but does not know the secret of the registration."""

    def serve(self, call):
        call.body()
        call.reply(200, {"instance": call.client.instance, "proof": "0" * 64})


class BadAtWork(Healthy):
    """Proves its address."""

    def serve(self, call):
        if call.path == "/baton/v1/probe":
            super().serve(call)
        else:
            self.fail(call)


class Slow(BadAtWork):
    """Reads a call so slowly that no node waits for the end."""
    receive_buffer = 4096

    def fail(self, call):
        while call.left > 0 and not call.client.over.wait(0.5):
            call.read(8)
        call.close_connection = True


class Nonsense(BadAtWork):
    """Answers with what is no JSON, with JSON that means nothing, and with 500, in turn."""
    ANSWERS = ((200, b"{]"), (200, b'{"epoch": "soon", "executions": {"all": true}}'), (500, b"<h1>oops</h1>"))

    def __init__(self):
        self.turn = 0

    def fail(self, call):
        call.body()
        self.turn += 1
        call.send(*self.ANSWERS[self.turn % len(self.ANSWERS)])


class TooLarge(BadAtWork):
    """Finds every call too large."""

    def fail(self, call):
        call.body()
        call.reply(413, {"title": "Content Too Large", "status": 413})


class Unacknowledging(BadAtWork):
    """Answers 200 without a word on any execution."""

    def fail(self, call):
        call.body()
        call.reply(200, {"epoch": call.client.epoch, "free": call.client.slots, "executions": []})


class Tardy(BadAtWork):
    """Works, but answers each call after two seconds."""

    def fail(self, call):
        call.client.over.wait(2)
        super(BadAtWork, self).serve(call)


class Boasting(Healthy):
    """Claims that all of its slots are free, and is too busy for each execution."""

    def take(self, client, work):
        return {"answer": "busy"}


class Fabricating(Healthy):
    """Runs nothing. It reports each execution as a success that ended a minute before it began, or that a later attempt
    had, with the receipt of another execution; asked, it still holds the execution."""

    def __init__(self):
        self.receipt = "none"

    def take(self, client, work):
        client.taken += 1
        execution, attempt, now = work["execution"], work.get("attempt", 1), utc_us()
        client.held[execution] = attempt
        result = {"execution": execution, "attempt": attempt, "started_at": now, "finished_at": now,
                  "receipt": work["receipt"]}
        if client.taken % 2:
            result["finished_at"] -= 60_000_000
        else:
            result.update(attempt=attempt + 1, receipt=self.receipt)
        self.receipt = work["receipt"]
        client.results[execution] = result
        return {}

    def free(self, client):
        return client.slots + client.queue


class Lying(Healthy):
    """Acknowledges everything, always has room, and knows nothing of it afterwards."""

    def take(self, client, work):
        client.taken += 1
        return {}

    def free(self, client):
        return client.slots + client.queue


class Hung(Healthy):
    """Its handlers never return."""

    def run(self, client, work):
        pass


class Draining(Healthy):
    """Is about to stop, for ever."""
    draining = True

    def take(self, client, work):
        return {"answer": "draining"}

    def free(self, client):
        return 0


class Announcing(Healthy):
    """Registers many times a second, with other schemas each time, as large as they may be."""
    restless = True

    def announces(self, client):
        return [{"handler": handler, "schema": {"title": f"{client.generation:010}" + "x" * 8_100}}
                for handler in client.handlers[:8]]


class Dying(Healthy):
    """Each execution ends its process, which is started again at once."""

    def run(self, client, work):
        client.dies.set()
        client.changed.set()


KINDS = {kind.__name__.lower(): kind for kind in (
    Healthy, Swallowing, Refusing, Mute, Dropping, Impostor, Slow, Nonsense, TooLarge, Unacknowledging, Tardy,
    Boasting, Fabricating, Lying, Hung, Draining, Announcing, Dying)}
