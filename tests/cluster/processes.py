"""Processes of a test: clocks, waiting for conditions, ports, and programs that tests start, freeze and kill."""

import atexit
import contextlib
import ctypes
import os
import pathlib
import random
import signal
import socket
import sqlite3
import subprocess
import sys
import time

from rest import Refused

HOST = "127.0.0.1"
POLL = 0.02


def boot_us():
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000


def utc_us():
    return time.time_ns() // 1000


def boot_to_utc():
    """Microseconds to add to a boot time of now."""
    return min((utc_us() - boot_us() for _ in range(50)), key=abs)


class TimedOut(AssertionError):
    pass


def skip(reason):
    """Ends the test so that CTest reports it as skipped."""
    print(f"skipped: {reason}", flush=True)
    sys.exit(77)


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_parent():
    """For a new child: the kernel kills it when the process of the test ends, however that ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def end_in_order(number, frame):
    """Ends the test so that the functions registered with atexit run to their end. timeout(1) sends its signal twice."""
    signal.signal(signal.SIGTERM, lambda *again: None)
    sys.exit(143)


signal.signal(signal.SIGTERM, end_in_order)


def wait_for(event, condition, within):
    """Polls until the condition is true and returns its value. An error of a process that is not up yet counts as false."""
    end = time.monotonic() + within
    last = None
    while True:
        try:
            value = condition()
            if value:
                return value
            last = value
        except (OSError, Refused, sqlite3.OperationalError) as failure:
            last = failure
        if time.monotonic() > end:
            raise TimedOut(f"not within {within} s: {event} (last: {last!r})")
        time.sleep(POLL)


def children_of(pid):
    """The processes that a process has started and not yet reaped."""
    return [int(child) for thread in pathlib.Path(f"/proc/{pid}/task").iterdir()
            for child in (thread / "children").read_text().split()]


def state_of(pid):
    """The kernel's letter for it: R runs, S sleeps, T stopped, Z zombie; X if there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return "X"


def is_alive(pid):
    return state_of(pid) not in "ZX"


def kill_server(pid, name):
    """Sends SIGKILL and returns when the process is gone or a zombie."""
    os.kill(pid, signal.SIGKILL)
    wait_for(f"the death of {name}", lambda: not is_alive(pid), 10)
    with contextlib.suppress(ChildProcessError):  # the child of another process
        os.waitpid(pid, 0)


RESERVED = []  # sockets, open for as long as this process lives
atexit.register(lambda: [claim.close() for claim in RESERVED])


def reserve(name):
    """True if no other process of this host has reserved the name."""
    claim = socket.socket(socket.AF_UNIX)
    try:
        claim.bind(f"\0baton-test-{name}")
    except OSError:
        claim.close()
        return False
    RESERVED.append(claim)
    return True


def free_port():
    """A free port, below those that the kernel gives to outgoing connections, so that a killed process finds it free again.
    Two clusters at once never get the same port: this process reserves it."""
    for _ in range(200):
        port = random.SystemRandom().randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
        if reserve(f"port-{port}"):
            return port
    raise RuntimeError("no free port")


def program_environment(more=None):
    """The variables for a program. Those that are meant for the tests, such as BATON_STORE, are left out: `baton` refuses
    variables that it does not know."""
    return {**{name: value for name, value in os.environ.items() if not name.startswith("BATON_")}, **(more or {})}


class Process:
    """One process of the cluster; restarted, it has another pid but the same name, command and log."""

    def __init__(self, name, command, log, environment=None):
        self.name = name
        self.command = [str(word) for word in command]
        self.log = pathlib.Path(log)
        self.environment = environment
        self.child = None
        self.deaths = {}  # pid to boot time, when it was known to be dead

    def start(self):
        with self.log.open("ab") as log:
            # In a separate session, so that Ctrl-C reaches only the test, which then ends its children in order.
            self.child = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                          env=program_environment(self.environment), start_new_session=True,
                                          preexec_fn=end_with_parent)
        return self

    @property
    def pid(self):
        return self.child.pid

    def alive(self):
        return self.child is not None and self.child.poll() is None

    def tail(self, lines=15):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def kill(self):
        """SIGKILL; returns the boot time just before."""
        at = boot_us()
        self.child.kill()
        self.child.wait()
        self.deaths[self.pid] = boot_us()
        return at

    def terminate(self, within):
        """SIGTERM; the exit status."""
        self.child.terminate()
        try:
            status = self.child.wait(within)
        except subprocess.TimeoutExpired:
            raise TimedOut(f"{self.name} did not end within {within} s of SIGTERM\n{self.tail()}") from None
        self.deaths[self.pid] = boot_us()
        return status

    def freeze(self):
        """SIGSTOP, which takes a moment to reach every thread; returns the boot time just before."""
        at = boot_us()
        self.child.send_signal(signal.SIGSTOP)
        return at

    def thaw(self):
        """SIGCONT; returns the boot time just before."""
        at = boot_us()
        self.child.send_signal(signal.SIGCONT)
        return at

    def end(self):
        if self.alive():
            self.kill()
