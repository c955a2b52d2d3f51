"""Steps of a test run: programs whose output is shown line by line, with the name of the step before it."""

import os
import pathlib
import shutil
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BEGAN = time.monotonic()
OUTPUT = threading.Lock()


def say(text):
    """Prints a headline with the seconds since the start."""
    show(f"== {text} ({time.monotonic() - BEGAN:.0f} s)")


def show(line):
    with OUTPUT:
        print(line, flush=True)


def idle():
    """The words before a command that run it only while no other process wants the processor.

    Builds run like this beside tests, so that they do not delay what the tests wait for.
    """
    if shutil.which("chrt") and subprocess.run(["chrt", "--idle", "0", "true"], stderr=subprocess.DEVNULL).returncode == 0:
        return ["chrt", "--idle", "0"]
    return ["nice", "-n", "19"]


def wait(child):
    """The status of a program that ends, and the processor time that it and its children took, in seconds."""
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return child.returncode, used.ru_utime + used.ru_stime


class Steps:
    """Runs programs, and remembers how long each took. Ends all of them when the run is broken off."""

    def __init__(self):
        self.seconds = []  # (name, seconds, seconds of processors)
        self.running = set()
        self.stopped = False

    def run(self, name, command, environment=None, low=False):
        """Runs a program and returns its status. `low` gives it only the processor time that others leave."""
        began = time.monotonic()
        command = [str(word) for word in [*(idle() if low else []), *command]]
        child = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True,
                                 env={**os.environ, **(environment or {})})
        self.running.add(child)
        for line in child.stdout:
            show(f"{name}: {line.rstrip()}")
        status, used = wait(child)
        self.running.discard(child)
        self.seconds.append((name, time.monotonic() - began, used))
        return 130 if self.stopped else status

    def stop(self):
        """Ends what runs. A test's process ends its own servers on SIGTERM."""
        self.stopped = True
        for child in list(self.running):
            try:
                os.killpg(child.pid, 15)
            except ProcessLookupError:
                pass

    def table(self):
        """A line a step: its seconds, and those of the processors."""
        return [f"{seconds:8.0f} s {used:8.0f} s of processors  {name}" for name, seconds, used in self.seconds]


def in_background(function, *arguments):
    """Starts a thread. join() on the result waits for it."""
    thread = threading.Thread(target=function, args=arguments)
    thread.start()
    return thread


def fail(text):
    print(f"test: {text}", file=sys.stderr)
    sys.exit(2)
