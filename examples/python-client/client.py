#!/usr/bin/env python3
"""A minimal client of baton, from docs/protocol.md alone and with nothing but the standard library.

    client.py [--fetch] http://127.0.0.1:7800 [more trigger nodes]      (the clients' token, if any, in BATON_TOKEN)

With --fetch it listens on no port, and fetches its executions.

It serves "echo" (returns its payload) and "sleep" (payload {"seconds": 2}; can be cancelled) as service "python"
of the project in BATON_PROJECT ("default"), with the tags in BATON_TAGS ("gpu,eu").
"""
import hashlib, hmac, itertools, json, os, queue, secrets, signal, socket, sys, threading, time
import urllib.error, urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SLOTS, QUEUE, ROOM, REMEMBER = 2, 100, 1000, 600
PROBE = "/baton/v1/probe"  # the one call without the secret


def echo(work, stop):
    return work.get("payload")


def sleep(work, stop):
    if stop.wait(float(work["payload"]["seconds"])):
        raise RuntimeError("asked to stop")


HANDLERS = {"echo": echo, "sleep": sleep}
# What the page shows to people who register tasks; no payload is checked by it.
SCHEMAS = [{"handler": "sleep", "description": "Sleeps, and can be cancelled", "schema": {
    "type": "object", "required": ["seconds"],
    "properties": {"seconds": {"type": "number", "minimum": 0, "examples": [2]}}}}]
FETCHES, NODES = "--fetch" in sys.argv, [each for each in sys.argv[1:] if each != "--fetch"]
TOKEN = os.environ.get("BATON_TOKEN", "")
TAGS = [tag for tag in os.environ.get("BATON_TAGS", "").split(",") if tag]
PROJECT = os.environ.get("BATON_PROJECT", "default")
SECRET = secrets.token_hex(32)
INSTANCE = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(8)}"
lock = threading.Condition()
draining, node = threading.Event(), 0
epochs = {}  # namespace: its highest epoch
generation, home, ticket = 0, 0, ""  # registrations that were sent; the last that a node took, and its ticket
trusted = 0.0  # until then the nodes surely count this client as live
polls = itertools.count(1)  # the numbers of fetches
fetched = {}  # the node, number and answers of the last envelope
answered = {}  # node: its last dispatch's number, and the answer
held, ended, unsent = {}, {}, {}  # id: job; id: (attempt, status, when); (id, attempt): report
waiting = queue.SimpleQueue()
micros = lambda: time.time_ns() // 1000


def post(url, path, body, limit=3):
    """Returns status and answer; the status is 0 if there is no answer."""
    headers = {"Content-Type": "application/json"} | ({"Authorization": "Bearer " + TOKEN} if TOKEN else {})
    try:
        call = urllib.request.Request(url + path, json.dumps(body).encode(), headers)
        with urllib.request.urlopen(call, timeout=limit) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as refusal:
        later = refusal.headers.get("Retry-After", "")
        return refusal.code, {"later": int(later)} if later.isdigit() else {}
    except (OSError, ValueError):
        return 0, {}


def conclude(job, status, value=None, error="", started=0, final=False):
    """Call it under the lock."""
    ident, attempt = job["execution"], job["attempt"]
    interrupted = status == "failed" and job.get("interrupted", False)
    final = final or (interrupted and "interrupted" in job.get("final_errors", []))
    unsent[ident, attempt] = {"execution": ident, "attempt": attempt, "status": status, "started_at": started,
                              "finished_at": micros(), "value": value, "error": error[:4000],
                              "final": final, "interrupted": interrupted and not final, "receipt": job.get("receipt", "")}
    ended[ident] = (attempt, status, time.monotonic())
    del held[ident]
    lock.notify_all()


def worker():
    while True:
        job = waiting.get()
        with lock:
            lock.wait_for(lambda: time.monotonic() < trusted or held.get(job["execution"]) is not job)
            if held.get(job["execution"]) is not job or job["started"]:
                continue
            job["started"] = begun = time.monotonic()
        limit, started = job.get("timeout_us", 0) / 1e6, micros()
        timer = threading.Timer(limit, job["stop"].set) if limit else None
        if timer:
            timer.start()
        final = False  # the class of an error is the name of its exception
        try:
            value, error = HANDLERS[job["handler"]](job, job["stop"]), ""
        except Exception as failure:
            value, error = None, str(failure) or repr(failure)
            final = type(failure).__name__ in job.get("final_errors", [])
        if timer:
            timer.cancel()
        with lock:
            late = limit and time.monotonic() - begun >= limit
            status = ("cancelled" if job["cancelled"] and error else "timed_out" if late
                      else "failed" if error else "succeeded")
            conclude(job, status, value, error, started, final and status == "failed")


def remembered(ident):
    """Until its result is recorded, and ten minutes longer."""
    past = ended.get(ident)
    return past if past and ((ident, past[0]) in unsent or time.monotonic() - past[2] < REMEMBER) else None


def settled(ident, attempt):
    """A dispatch of this attempt brings nothing new. One that was given back may come again."""
    past = ended.get(ident)
    return past and (past[1] == "succeeded" or attempt < past[0] or attempt == past[0] and past[1] != "given back")


def take(work, moved):
    """The answer and the attempt that is held, by the table in the document."""
    try:
        ident, attempt = int(work["execution"]), int(work.get("attempt", 1))
        if ident <= 0 or attempt <= 0:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        return "invalid", 0
    mine, past = held.get(ident), remembered(ident)
    if mine and not mine["started"] and attempt > mine["attempt"]:
        mine.update(work)
        return "accepted", 0
    if mine:
        return "running", mine["attempt"]
    if past and settled(ident, attempt):
        lock.notify_all()
        return "finished", past[0]
    if moved:
        return "moved", 0
    if draining.is_set():
        return "draining", 0
    if work.get("handler") not in HANDLERS:
        return "no_handler", 0
    if free() <= 0:
        return "busy", 0
    held[ident] = {**work, "attempt": attempt, "stop": threading.Event(), "started": False, "cancelled": False}
    waiting.put(held[ident])
    return "accepted", 0


def free():
    return 0 if draining.is_set() else max(0, min(SLOTS + QUEUE - len(held), ROOM - len(held) - len(unsent)))


def dispatch(body):
    node, number = body.get("node", ""), body.get("number", 0)
    if number and node in answered and number <= answered[node][0]:
        return answered[node][1] if number == answered[node][0] else {**term(body), "executions": []}
    said = []
    for work in body["executions"]:
        answer, holds = take(work, 0 < body.get("generation", 0) < home)
        ident = work.get("execution", 0) if isinstance(work, dict) else 0
        attempt = work.get("attempt", 1) if isinstance(work, dict) else 1
        said.append({"execution": ident, "attempt": attempt, "answer": answer, "holds": holds})
    answer = {**term(body), "free": free(), "executions": said}
    if number:
        answered[node] = (number, answer)
    return answer


def run_ms(job):
    return max(1, int(1000 * (time.monotonic() - job["started"]))) if job["started"] else 0


def query(body):
    for ident in [i for i in ended if not remembered(i)]:
        del ended[ident]
    known = [{"execution": i, "attempt": held[i]["attempt"], "finished": False, "run_ms": run_ms(held[i])}
             if i in held else
             {"execution": i, "attempt": ended[i][0], "finished": True, "succeeded": ended[i][1] == "succeeded"}
             for i in body["executions"] if i in held or i in ended and ended[i][1] not in ("refused", "given back")]
    for ident, attempt in zip(body["executions"], body.get("attempts", [])):
        if ident not in held and not settled(ident, attempt):
            ended[ident] = (attempt, "refused", time.monotonic())  # it goes out as the next attempt
    return {**term(body), "held": known}


def cancel(body):
    for job in [held[i] for i in body["executions"] if i in held]:
        job["cancelled"] = True
        job["stop"].set()
        if not job["started"]:
            conclude(job, "cancelled", error="cancelled before it started")
    return query(body)


def recall(body):
    """Gives back what has not begun. A dispatch with a lower number brings nothing from now on."""
    node, number, back = body["node"], body["number"], []
    if node in answered and number < answered[node][0]:
        return {**term(body), "given_back": back}  # the node does not wait for it any more
    answered[node] = (number, {**term(body), "executions": []})
    for ident, attempt in zip(body["executions"], body["attempts"]):
        if ident in held and not held[ident]["started"] and held[ident]["attempt"] <= attempt:
            ended[ident] = (held.pop(ident)["attempt"], "given back", time.monotonic())
        if ident not in held and ident in ended and ended[ident][1] == "given back" and ended[ident][0] <= attempt:
            back.append({"execution": ident, "attempt": ended[ident][0]})
    lock.notify_all()
    return {**term(body), "given_back": back}


def given_back():
    """In the last minute: the home may have died with the answer."""
    return [{"execution": ident, "attempt": attempt} for ident, (attempt, status, when) in ended.items()
            if status == "given back" and time.monotonic() - when < 60 and ident not in held]


def having():
    """What it has, running ones first: these take its slots at its next home, too."""
    ordered = sorted(held.items(), key=lambda one: not one[1]["started"])
    return [{"execution": ident, "attempt": job["attempt"]} for ident, job in ordered][:1000]


def probe(body):
    """Proves that this instance listens here. Any caller may ask."""
    if not 1 <= len(body["nonce"].encode()) <= 128:
        raise ValueError("nonce must have 1 to 128 bytes")
    said = f"baton probe\n{INSTANCE}\n{body['nonce']}"
    return {"instance": INSTANCE, "proof": hmac.new(SECRET.encode(), said.encode(), hashlib.sha256).hexdigest()}


def term(body):
    """The highest epoch that is known of the message's namespace. Namespace 1 is the default."""
    name_space = body.get("namespace", 1)
    return {"namespace": name_space, "epoch": epochs.get(name_space, 0)}


def terms():
    return [{"namespace": name_space, "epoch": epoch} for name_space, epoch in epochs.items()]


def observe(body):
    """False if the message's epoch is lower than one of the same namespace before."""
    known = term(body)
    if body.get("epoch", 0) < known["epoch"]:
        return False
    epochs.pop(known["namespace"], None)
    epochs[known["namespace"]] = body.get("epoch", 0)
    if len(epochs) > 64:
        del epochs[next(iter(epochs))]  # the one heard of longest ago
    return True


CALLS = {"/baton/v1/dispatch": dispatch, "/baton/v1/query": query, "/baton/v1/cancel": cancel,
         "/baton/v1/recall": recall}


def react(path, text):
    """The status and the body that answer a call. Call it under the lock."""
    if path not in CALLS and path != PROBE:
        return 404, {"title": "Not Found", "status": 404}
    try:
        body = json.loads(text)
        if path == PROBE:
            return 200, probe(body)
        if not observe(body):
            return 409, term(body)
        return 200, CALLS[path](body)
    except (ValueError, KeyError, TypeError, AttributeError) as failure:
        return 400, {"title": "Bad Request", "status": 400, "detail": repr(failure)}


class Listener(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path != PROBE and not hmac.compare_digest(self.headers.get("Authorization", ""), "Bearer " + SECRET):
            return self.answer(401, {"title": "Unauthorized", "status": 401})
        with lock:
            status, body = react(self.path, text)
        self.answer(status, body)

    def answer(self, status, body):
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if status in (200, 409) else "application/problem+json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


def fetch(url, mine, told=False):
    """Fetches from one home, until the client registers again; if the home has told us to, until it has no more calls."""
    global fetched
    sending = {}
    while mine == home:
        status, answer = post(url, "/client/v1/fetch", {
            "instance": INSTANCE, "secret": SECRET, "generation": mine, "ticket": ticket, "poll": next(polls), **sending}, 30)
        with lock:
            if mine != home:
                return  # the late answer of an old home
            if status == 200:
                sending = {}
            if status == 200 and answer.get("number"):
                envelope = answer["node"], answer["number"]
                if envelope != (fetched.get("node"), fetched.get("number")):
                    said = [(call["call"], *react(call["path"], json.dumps(call["body"]))) for call in answer["calls"]]
                    fetched = {"node": answer["node"], "number": answer["number"], "answers": [
                        {"call": call, "status": status, "body": body} for call, status, body in said]}
                sending = fetched
        if told and not sending:
            return
        if status != 200:
            time.sleep(0.3)


def learn(answer, asked=None):
    global trusted
    with lock:
        for one in answer.get("terms", []) + [answer] * ("epoch" in answer):
            observe(one)
        if asked is not None:
            ttl = answer.get("ttl_ms", 3 * answer.get("heartbeat_ms", 5000)) / 1000
            trusted = asked + 0.99 * ttl
            lock.notify_all()


def take_new_name():
    """This instance counts as gone and its executions go out again, so those that wait must not start here."""
    global INSTANCE, SECRET
    with lock:
        INSTANCE, SECRET = f"{INSTANCE.split('~')[0]}~{secrets.token_hex(4)}", secrets.token_hex(32)
        for ident in [i for i, job in held.items() if not job["started"]]:
            ended[ident] = (held.pop(ident)["attempt"], "refused", time.monotonic())
        lock.notify_all()


def beat(address, left):
    global node, generation, home, ticket
    period, registered = 5.0, False
    while not left.is_set():
        asked = time.monotonic()
        if registered:
            status, answer = post(NODES[node], "/client/v1/heartbeat", {
                "instance": INSTANCE, "generation": home, "ticket": ticket,
                "free_slots": max(0, SLOTS - len(held)), "terms": terms(),
                "draining": draining.is_set(), "clock_ms": time.time_ns() // 1_000_000})
        else:
            generation += 1
            with lock:
                before = {"given_back": given_back(), "held": having()}
            status, answer = post(NODES[node], "/client/v1/register", {
                **before,
                "revision": 6, "project": PROJECT, "service": "python", "instance": INSTANCE,
                "generation": generation, "address": address, "secret": SECRET,
                "handlers": list(HANDLERS), "schemas": SCHEMAS, "tags": TAGS, "slots": SLOTS, "queue": QUEUE,
                "version": "python-example", "terms": terms(), "delivery": "fetch" if FETCHES else "push"})
        if status == 410:
            take_new_name()
        fresh, registered = status == 200 and not registered, status == 200
        if registered:
            if fresh:
                home, ticket = generation, answer.get("ticket", "")
            learn(answer, asked)
            if fresh and FETCHES:
                threading.Thread(target=fetch, args=(NODES[node], home), daemon=True).start()
            elif answer.get("fetch"):  # it cannot call us at present, and has questions
                threading.Thread(target=fetch, args=(NODES[node], home, True), daemon=True).start()
            period = min(5.0, answer.get("heartbeat_ms", 5000) / 1000)
            if fresh and draining.is_set():
                continue  # a registration does not say that we drain
        elif status != 404:
            node = (node + 1) % len(NODES)
        later = answer.get("later", 0.3)  # the node's queue is full, say; not all clients may come back at once
        pause = period * 0.95 if registered else 0.0 if status == 404 else later * (1 + secrets.randbelow(1000) / 1000)
        (left if draining.is_set() else draining).wait(pause)


def report():
    """Reports to the home first, because that learns so which slots are free; to the others while it does not answer."""
    failures = 0
    while True:
        with lock:
            lock.wait_for(lambda: unsent)
            batch = list(unsent.values())[:500]
        url = NODES[(node + failures) % len(NODES)]
        status, answer = post(url, "/client/v1/results", {"instance": INSTANCE, "ticket": ticket, "results": batch}, 10)
        failures = 0 if status == 200 else failures + 1
        if status == 200:
            learn(answer)
            with lock:
                for one in answer.get("recorded", []) + answer.get("refused", []):
                    ident, attempt = one["execution"], one.get("attempt", 1)
                    if unsent.pop((ident, attempt), None) and ident in ended and ended[ident][0] == attempt:
                        ended[ident] = (*ended[ident][:2], time.monotonic())
                lock.notify_all()
        if status != 200 or len(answer.get("recorded", [])) < len(batch):
            time.sleep(0.3)


def main():
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: draining.set())
    server = None if FETCHES else ThreadingHTTPServer(("127.0.0.1", 0), Listener)
    address, left = "" if FETCHES else f"http://127.0.0.1:{server.server_port}", threading.Event()
    for task in (*([server.serve_forever] if server else []), report, *[worker] * SLOTS):
        threading.Thread(target=task, daemon=True).start()
    beats = threading.Thread(target=beat, args=(address, left), daemon=True)
    beats.start()
    print("python client", INSTANCE, "fetches" if FETCHES else "at " + address, flush=True)
    draining.wait()
    with lock:
        if not lock.wait_for(lambda: not held, 20):
            for job in held.values():
                job["interrupted"] = True
                job["stop"].set()
        lock.wait_for(lambda: not held and not unsent, 5)
    left.set()
    beats.join()
    post(NODES[node], "/client/v1/leave", {
        "instance": INSTANCE, "generation": generation, "ticket": ticket, "secret": SECRET})
    if server:
        time.sleep(1)  # the home may hear of it from another node, and answers until then tell it that we drain
        server.shutdown()


if __name__ == "__main__":
    sys.exit(__doc__ if not NODES else main())
