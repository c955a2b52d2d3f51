"""The address of a client of neighbours.py: takes connections, swallows them or refuses them, and passes each call of a node
to the client.
"""

import contextlib
import http.server
import json
import select
import socket
import socketserver
import struct
import threading


class Call(http.server.BaseHTTPRequestHandler):
    """One connection of a node to a client."""
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def setup(self):
        super().setup()
        self.server.connections.add(self.connection)

    def finish(self):
        with contextlib.suppress(OSError):  # it was reset
            super().finish()
        self.server.connections.discard(self.connection)

    @property
    def client(self):
        return self.server.client

    def do_POST(self):
        self.left = int(self.headers.get("Content-Length", 0))
        self.client.calls.append(self.path)
        try:
            shown = self.headers.get("Authorization")
            if shown != (None if self.path == "/baton/v1/probe" else "Bearer " + self.server.secret):
                self.body()
                self.reply(401, {"title": "Unauthorized", "status": 401})
            else:
                self.client.kind.serve(self)
        except OSError:
            self.close_connection = True  # the node has given up
        self.close_connection = self.close_connection or self.left > 0

    def read(self, size):
        data = self.rfile.read(min(size, self.left))
        self.left = self.left - len(data) if data else 0
        return data

    def body(self):
        return self.read(self.left)

    def reply(self, status, document):
        self.send(status, json.dumps(document).encode())

    def send(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def reset(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        self.close_connection = True

    def log_message(self, *_):
        pass


class Address(socketserver.ThreadingTCPServer):
    """Where nodes reach one life of a client. `door` says what happens to connections."""
    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True

    def __init__(self, client, port):
        super().__init__((client.listen, port), Call, bind_and_activate=False)
        self.client, self.secret, self.door = client, client.secret, client.kind.door
        self.connections = set()
        self.fillers = []
        if client.kind.receive_buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, client.kind.receive_buffer)
        self.server_bind()
        self.open(self.door)

    def open(self, door):
        if door != "refuses":  # a socket that is bound and does not listen refuses
            self.socket.listen(0 if door == "swallows" else 128)
        if door == "swallows":
            self.fill()
        if door == "open":
            threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    def fill(self):
        """Connects until the queue of the socket is full. From then on the kernel ignores who connects."""
        for _ in range(8):
            filler = socket.socket()
            filler.setblocking(False)
            filler.connect_ex(self.server_address)
            self.fillers.append(filler)
            if not select.select([], [filler], [], 0.1)[1]:
                return
        raise AssertionError("the queue of the socket is never full")

    def handle_error(self, request, address):
        if self.door == "open" and not self.client.over.is_set():
            super().handle_error(request, address)

    def close(self):
        if self.door == "open":
            self.shutdown()
        self.door = "refuses"
        self.server_close()
        for each in [*self.connections, *self.fillers]:
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        for each in self.fillers:
            each.close()
