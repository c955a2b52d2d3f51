"""A private Redis server, alone, as a node of a cluster, or as a sentinel."""

import os
import pathlib
import shutil
import socket
import subprocess

from servers.server import NotInstalled, Server


class Redis(Server):
    """One Redis server. It keeps everything in memory unless the options say otherwise, such as
    `--appendonly yes --appendfsync always`.
    """

    patience = 10

    def check_installed(self):
        self.program()

    @staticmethod
    def program():
        """Debian's package redis-server would start a server of its own. redis-tools has the same program under the name
        redis-check-rdb; it runs as the server when it is called redis-server."""
        found = shutil.which("redis-server") or shutil.which("redis-check-rdb")
        if found is None:
            raise NotInstalled("redis-server is not installed (Debian: redis-tools)")
        return found

    def is_own(self, pid):
        try:
            return pathlib.Path(f"/proc/{pid}/cwd").readlink() == self.folder
        except OSError:
            return False

    def url_of(self, port):
        return f"redis://127.0.0.1:{port}"

    def answers(self, port):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
                connection.sendall(b"PING\r\n")
                answer = connection.recv(64)
        except OSError:
            return False
        return answer.startswith((b"+PONG", b"-NOAUTH"))

    def arguments(self, port):
        """(name under which the program runs, its arguments)."""
        return "redis-server", ["--bind", "127.0.0.1", "--port", port, "--save", "", "--repl-diskless-sync-delay", "0"]

    def launch(self, port, *options):
        name, arguments = self.arguments(port)
        return self.spawn([name, *arguments, *options], executable=self.program(), cwd=self.folder)

    def ask(self, *command):
        """The server's answer to a command, as redis-cli prints it."""
        return subprocess.run(["redis-cli", "-u", self.url(), *map(str, command)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, text=True, check=True, env=dict(os.environ)).stdout.rstrip("\n")


class ClusterNode(Redis):
    """A Redis server that can join a Redis cluster."""

    def arguments(self, port):
        name, arguments = super().arguments(port)
        # The nodes' own port must not be one that the kernel gives to outgoing connections. A replica would never replace
        # its node if it had heard nothing for half a minute, which a busy machine can cause: 0 has no such limit.
        return name, [*arguments, "--cluster-enabled", "yes", "--cluster-port", port - 10000, "--cluster-node-timeout",
                      "2000", "--cluster-replica-validity-factor", "0"]


class Sentinel(Redis):
    """A sentinel of one master, which it calls "baton"."""

    CONFIGURATION = """bind 127.0.0.1
port {port}
sentinel monitor baton 127.0.0.1 {master} 2
sentinel down-after-milliseconds baton {silence}
sentinel failover-timeout baton 1000
sentinel parallel-syncs baton 2
"""

    def __init__(self, folder, master, silence_ms):
        """`silence_ms` is how long the master at port `master` must be silent before the sentinel takes it for dead."""
        super().__init__(folder)
        self.master = master
        self.silence_ms = silence_ms

    def arguments(self, port):
        # A sentinel writes into this file: the master's address, and the other sentinels.
        file = self.folder / "sentinel.conf"
        if not file.exists() or f"port {port}" not in file.read_text().splitlines():
            file.write_text(self.CONFIGURATION.format(port=port, master=self.master, silence=self.silence_ms))
        return "redis-sentinel", [file]


def redis_of(folder, options):
    """(server, options of its start) of the command line: `cluster [OPTION...]`, `sentinel PORT MS` or `[OPTION...]`."""
    if options[:1] == ["cluster"]:
        return ClusterNode(folder), options[1:]
    if options[:1] == ["sentinel"]:
        return Sentinel(folder, *options[1:3]), options[3:]
    return Redis(folder), options
