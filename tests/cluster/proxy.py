"""TCP proxies on loopback, one for each node's way to its database, so that nodes are cut off one by one: what passes is
held, delayed, or broken off. Nothing is lost or changed on the way: what TCP lost it would send again.
"""

import asyncio
import random
import socket
import struct
import threading

UP, DOWN = "requests", "replies"


class Line:
    """One connection: what came from one side waits, in order, until it may go on to the other."""

    def __init__(self, proxy, near_reader, near_writer):
        self.proxy = proxy
        self.near = (near_reader, near_writer)
        self.far = None
        self.tasks = []

    async def run(self):
        try:
            await self.proxy.gates[UP].wait()  # a connection that is asked for during a cut comes about after it
            self.far = await asyncio.open_connection(*self.proxy.target)
            for _, writer in (self.near, self.far):
                writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.tasks = [asyncio.ensure_future(each) for each in (self.pass_on(UP, self.near, self.far),
                                                                   self.pass_on(DOWN, self.far, self.near))]
            await asyncio.gather(*self.tasks)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            self.break_off()

    async def pass_on(self, way, source, target):
        held = asyncio.Queue()
        sender = asyncio.ensure_future(self.send(way, held, target[1]))
        self.tasks.append(sender)
        loop = asyncio.get_running_loop()
        while True:
            data = await source[0].read(65536)
            held.put_nowait((loop.time() + self.proxy.lag(), data))
            if not data:
                break
        await sender

    async def send(self, way, held, writer):
        loop = asyncio.get_running_loop()
        while True:
            at, data = await held.get()
            if at > loop.time():
                await asyncio.sleep(at - loop.time())
            await self.proxy.gates[way].wait()
            if not data:
                break
            writer.write(data)
            await writer.drain()
        if writer.can_write_eof():
            writer.write_eof()  # the end of a side is news as well

    def break_off(self, reset=False):
        for task in self.tasks:
            task.cancel()
        for side in (self.near, self.far):
            if side is None:
                continue
            if reset:
                side[1].get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            side[1].transport.abort() if reset else side[1].close()


class Proxy:
    def __init__(self, loop, port, target, seed):
        self.loop = loop
        self.port = port
        self.target = target
        self.chance = random.Random(seed)
        self.lines = set()
        self.gates = {}
        self.delay = (0, 0)   # seconds at least and at most
        self.loss = 0         # how likely a piece has to be sent again
        self.again = (0, 0)   # and how much later it then comes

    async def start(self):
        for way in (UP, DOWN):
            self.gates[way] = asyncio.Event()
            self.gates[way].set()
        self.listener = await asyncio.start_server(self.accept, "127.0.0.1", self.port)

    async def accept(self, reader, writer):
        line = Line(self, reader, writer)
        self.lines.add(line)
        try:
            await line.run()
        finally:
            self.lines.discard(line)

    def lag(self):
        lag = self.chance.uniform(*self.delay)
        return lag + self.chance.uniform(*self.again) if self.chance.random() < self.loss else lag

    # --- from any thread

    def do(self, change):
        done = threading.Event()

        def run():
            try:
                change()
            finally:
                done.set()

        self.loop.call_soon_threadsafe(run)
        done.wait()

    def cut(self, ways=(UP, DOWN)):
        self.do(lambda: [self.gates[way].clear() for way in ways])

    def heal(self):
        def run():
            self.delay, self.loss = (0, 0), 0
            for gate in self.gates.values():
                gate.set()
        self.do(run)

    def slow(self, least, most):
        self.do(lambda: setattr(self, "delay", (least, most)))

    def lose(self, share, least=0.2, most=0.6):
        def run():
            self.loss, self.again = share, (least, most)
        self.do(run)

    def reset(self):
        self.do(lambda: [line.break_off(reset=True) for line in list(self.lines)])


class Proxies:
    """All proxies of a run, on a loop and a thread of their own."""

    def __init__(self):
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.all = {}

    def add(self, name, port, target, seed):
        proxy = Proxy(self.loop, port, target, seed)
        asyncio.run_coroutine_threadsafe(proxy.start(), self.loop).result(5)
        self.all[name] = proxy
        return proxy

    def end(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)
