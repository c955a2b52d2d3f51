"""Free loopback ports for servers of tests."""

import random
import socket

# Below the ports that the kernel gives to outgoing connections, so that a restarted server finds its port free.
FIRST, LAST = 20000, 32000


def is_free(port, address="127.0.0.1"):
    """True if no process accepts connections at the port."""
    try:
        socket.create_connection((address, port), timeout=2).close()
    except OSError:
        return True
    return False


def free_port(address="127.0.0.1", but=()):
    """A port at which no process accepts connections. Another process may take it before the caller does."""
    for _ in range(200):
        port = random.SystemRandom().randrange(FIRST, LAST)
        if port not in but and is_free(port, address):
            return port
    raise OSError("no free port")


def free_ports(count):
    """Several free ports, all different."""
    found = []
    while len(found) < count:
        found.append(free_port(but=found))
    return found
