"""The common base of all private servers: one process in one folder, its address, its signals."""

import contextlib
import fcntl
import os
import pathlib
import shutil
import signal
import subprocess
import time

from servers import account, ports

POLL = 0.02  # seconds


class Failed(Exception):
    """A server could not do what was asked. The message ends with the last lines of the server's log."""


class NotInstalled(Failed):
    """The server's program is not on this machine."""


def require(package, *programs):
    """Raises NotInstalled unless all programs are on the path. `package` is the Debian package that has them."""
    for program in programs:
        if shutil.which(program) is None:
            raise NotInstalled(f"{program} is not installed (Debian: {package})")


def await_condition(condition, within):
    """Polls until the condition is true, and returns its value. Returns a false value after `within` seconds."""
    end = time.monotonic() + within
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(POLL)


def in_parallel(calls):
    """Runs functions without arguments in threads. Returns their results in order, or raises the first error."""
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor(max(len(calls), 1)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


@contextlib.contextmanager
def start_lock(folder):
    """Holds off other processes that start a server in the same folder."""
    with open(folder / "start.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def tail(file, lines):
    """The last lines of a text file, or nothing if there is no such file."""
    if not file.exists():
        return ""
    return "\n".join(file.read_text(errors="replace").splitlines()[-lines:])


def write_secret(file, text):
    """Writes a file that only its owner can read."""
    with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
        out.write(text)


def command_line(pid):
    """The words with which a process was started; empty if there is no such process."""
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace").split("\0")[:-1]
    except OSError:
        return []


def is_running(pid):
    """True if the process exists and is no zombie. Reaps the process if it is a child of the caller."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        # The first thread of a killed process is a zombie before the others have ended and closed its sockets.
        return state not in "ZX" or len(os.listdir(f"/proc/{pid}/task")) > 1
    except OSError:
        return False


def all_stopped(pid):
    """True if every thread of the process is stopped."""
    try:
        return all((task / "stat").read_text().rsplit(")", 1)[1].split()[0] == "T"
                   for task in pathlib.Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        return False


class Server:
    """One server process in a folder.

    It runs under the caller's account, or as nobody if that is root. The folder has the files `url` (its address),
    `server.pid` and `server.log`. A subclass says how to launch the server
    on a port, how to tell that it answers, and how to recognise its process.
    """

    tries = 3  # another process may take the free port first
    patience = 30  # seconds until the server answers

    def __init__(self, folder, environment=None):
        """`environment` has variables that the process gets in addition to the caller's."""
        self.added_environment = environment or {}
        self.folder = pathlib.Path(folder).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder = self.folder.resolve()
        self.pid_file = self.folder / "server.pid"
        self.url_file = self.folder / "url"
        self.log_file = self.folder / "server.log"
        self.address = "127.0.0.1"

    # --- for subclasses

    def check_installed(self):
        """Raises NotInstalled if a program is missing."""
        raise NotImplementedError

    def prepare(self):
        """Runs before the first launch of a start."""

    def launch(self, port, *options):
        """Starts the process on a port and returns the Popen object."""
        raise NotImplementedError

    def answers(self, port):
        """True when clients can use the server at the port."""
        raise NotImplementedError

    def url_of(self, port):
        raise NotImplementedError

    def is_own(self, pid):
        """True if this process is the server of this folder: the kernel may have given the number to another one."""
        raise NotImplementedError

    # --- for callers

    def fail(self, text):
        raise Failed("\n".join(part for part in (text, tail(self.log_file, 20)) if part))

    def url(self):
        """The address, or an empty text before the first start."""
        return self.url_file.read_text().strip() if self.url_file.exists() else ""

    def port(self):
        """The port of the last start, or None."""
        return int(self.url().rpartition(":")[2]) if self.url() else None

    def pid(self):
        """The process id of the running server, or None."""
        try:
            pid = int(self.pid_file.read_text())
        except (OSError, ValueError):
            return None
        return pid if is_running(pid) and self.is_own(pid) else None

    def start(self, *options):
        """Starts the server unless it runs, waits until it answers, and returns its URL."""
        self.check_installed()
        with start_lock(self.folder):
            if self.pid() is None or not self.url():
                self.prepare()
                if not any(self._try_port(self._next_port(), options) for _ in range(self.tries)):
                    self.fail("the server did not start")
        return self.url()

    def stop(self):
        """SIGTERM. The data stays in the folder, and the next start has the same address."""
        self._end(signal.SIGTERM)

    def kill(self):
        """SIGKILL."""
        self._end(signal.SIGKILL)

    def freeze(self):
        """SIGSTOP. Returns when every thread has stopped: a thread on another core may answer until then."""
        pid = self._running_pid()
        os.kill(pid, signal.SIGSTOP)
        if not await_condition(lambda: all_stopped(pid), 10):
            self.fail("the server does not stop on SIGSTOP")

    def thaw(self):
        """SIGCONT."""
        os.kill(self._running_pid(), signal.SIGCONT)

    # --- own steps

    def _next_port(self):
        last = self.port()
        return last if last and ports.is_free(last, self.address) else ports.free_port(self.address)

    def _try_port(self, port, options):
        child = self.launch(port, *options)
        self.pid_file.write_text(f"{child.pid}\n")
        if await_condition(lambda: self.answers(port) or child.poll() is not None, self.patience) and \
                child.poll() is None:
            write_secret(self.url_file, self.url_of(port) + "\n")
            child.returncode = 0  # it goes on without its parent: Popen must not warn of that
            return True
        if child.poll() is None:
            child.kill()
            child.wait()
        return False

    def _running_pid(self):
        pid = self.pid()
        if pid is None:
            self.fail("the server does not run")
        return pid

    def _end(self, number):
        pid = self.pid()
        if pid is not None:
            os.kill(pid, number)
            # Not until pid() is None: a process that ends loses its command line before its sockets.
            await_condition(lambda: not is_running(pid), float("inf"))
        self.pid_file.unlink(missing_ok=True)

    def environment(self):
        return {**os.environ, **self.added_environment}

    def hand_over(self):
        """Lets the account that the server runs under use the folder."""
        closed = account.hand_over(self.folder)
        if closed:
            self.fail(closed)

    def spawn(self, command, append=False, **more):
        """Starts a process in a session of its own, with the log file as its output."""
        self.hand_over()
        with self.log_file.open("ab" if append else "wb") as log:
            return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                    start_new_session=True, env=self.environment(), **account.as_account(), **more)
