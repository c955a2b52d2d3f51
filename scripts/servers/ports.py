"""Free loopback ports for servers of tests."""

import random
import socket

# Below the ports that the kernel gives to outgoing connections, so that a restarted server finds its port free.
FIRST, LAST = 20000, 32000
# For servers that are restarted during a test while others choose ports: theirs must stay free meanwhile.
KEPT_FIRST, KEPT_LAST = 12000, 20000


def is_free(port, address="127.0.0.1"):
    """True if no process accepts connections at the port."""
    try:
        socket.create_connection((address, port), timeout=2).close()
    except OSError:
        return True
    return False


def free_port(address="127.0.0.1", but=(), kept=False):
    """A port at which no process accepts connections. Another process may take it before the caller does. No other kind of
    server takes a `kept` one while its own server is down."""
    for _ in range(200):
        port = random.SystemRandom().randrange(*((KEPT_FIRST, KEPT_LAST) if kept else (FIRST, LAST)))
        if port not in but and is_free(port, address):
            return port
    raise OSError("no free port")


def free_ports(count):
    """Several free ports, all different."""
    found = []
    while len(found) < count:
        found.append(free_port(but=found))
    return found
