"""A private MariaDB server."""

import os
import re
import secrets
import shutil
import socket
import subprocess
import tempfile

from servers.account import as_account
from servers.server import Server, command_line, require, tail, write_secret


def greets(address, port):
    """True if a server of the MySQL protocol sends its greeting, which it does once it serves clients."""
    try:
        with socket.create_connection((address, port), timeout=2) as connection:
            greeting = connection.recv(5)
    except OSError:
        return False
    return len(greeting) == 5 and greeting[4] == 10  # the version of the protocol


# The installation makes root for several hosts, and accounts without a name.
DROP_OTHERS = ("DELETE FROM mysql.global_priv WHERE User = '' OR (User = 'root' AND Host <> 'localhost');\n"
               "FLUSH PRIVILEGES;\n")


def lock_root():
    """The statements that keep everybody from the account that the server has from its installation."""
    return (f"ALTER USER 'root'@'localhost' IDENTIFIED BY '{secrets.token_hex(16)}';\n"
            "ALTER USER 'root'@'localhost' ACCOUNT LOCK;\n")


def short_socket(folder):
    """The path of the server's socket. The kernel allows 107 characters."""
    path = folder / "socket"
    return path if len(str(path)) < 100 else tempfile.mktemp(prefix="baton-db-", dir="/tmp")


class MariaDb(Server):
    """One MariaDB server with a user `baton` that may do everything. No other account can log in.

    BATON_MARIADB_ADDRESS is the address at which it listens instead of 127.0.0.1. BATON_MARIADB_OPTIONS are further
    options of the server, separated by spaces.
    """

    def __init__(self, folder, address=None, options=None, environment=None):
        super().__init__(folder, environment)
        self.address = address or os.environ.get("BATON_MARIADB_ADDRESS") or "127.0.0.1"
        self.options = os.environ.get("BATON_MARIADB_OPTIONS", "").split() if options is None else list(options)
        self.password = ""

    def check_installed(self):
        require("mariadb-server-core", "mariadbd", "mariadb-install-db")

    def is_own(self, pid):
        return f"--datadir={self.folder}/data" in command_line(pid)

    def url_of(self, port):
        return f"mysql://baton:{self.password}@{self.address}:{port}"

    def answers(self, port):
        return greets(self.address, port)

    def prepare(self):
        found = re.match(r"mysql://baton:(.*)@", self.url())
        self.password = found.group(1) if found else secrets.token_hex(16)
        (self.folder / "tmp").mkdir(exist_ok=True)
        if not (self.folder / "data/mysql").exists():
            self.install()
        write_secret(self.folder / "init.sql", self.accounts())

    def environment(self):
        # A server that starts deletes the temporary tables of any other server with the same folder for them.
        return {**super().environment(), "TMPDIR": str(self.folder / "tmp")}

    def install(self):
        self.run_once(["mariadb-install-db", "--no-defaults", f"--datadir={self.folder}/data",
                       "--auth-root-authentication-method=normal", "--skip-test-db"])

    def run_once(self, command):
        """Runs the program that makes the data folder. A folder that is left half made would look whole."""
        self.hand_over()
        done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=self.environment(), cwd=self.folder, **as_account())
        (self.folder / "install.log").write_bytes(done.stdout)
        if done.returncode != 0:
            shutil.rmtree(self.folder / "data", ignore_errors=True)
            self.fail(f"{command[0]} failed\n{tail(self.folder / 'install.log', 20)}")

    def accounts(self):
        """The statements that the server runs before it serves clients."""
        user = f"'baton'@'{'127.0.0.1' if self.address == '127.0.0.1' else '%'}'"
        return (f"CREATE USER IF NOT EXISTS {user};\n"
                f"ALTER USER {user} IDENTIFIED BY '{self.password}';\n"
                f"GRANT ALL ON *.* TO {user} WITH GRANT OPTION;\n"
                f"{lock_root()}{DROP_OTHERS}")

    def create(self, name):
        """Makes a database, and returns its URL."""
        if not re.fullmatch(r"[A-Za-z0-9_]{1,64}", name):
            self.fail(f"'{name}' cannot be the name of a database: use letters, digits and _")
        require("mariadb-client", "mariadb")
        found = re.match(r"mysql://baton:(.*)@(.*):(\d+)", self.url())
        if not found:
            self.fail("it was never started: run `start` first")
        password, address, port = found.groups()
        done = subprocess.run(["mariadb", "--no-defaults", f"--host={address}", f"--port={port}", "--user=baton",
                               f"--execute=CREATE DATABASE IF NOT EXISTS {name}"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**os.environ, "MYSQL_PWD": password})
        if done.returncode != 0:
            self.fail(done.stdout.strip())
        return f"{self.url()}/{name}"

    def program(self):
        """The command that runs the server, without the options that all servers share."""
        return ["mariadbd", "--no-defaults", "--innodb-log-file-size=64M"]

    def launch(self, port, *options):
        return self.spawn([*self.program(), f"--datadir={self.folder}/data", f"--socket={short_socket(self.folder)}",
                           f"--pid-file={self.folder}/own.pid", f"--bind-address={self.address}", f"--port={port}",
                           "--skip-name-resolve", "--skip-log-bin", "--performance-schema=OFF",
                           "--innodb-buffer-pool-size=128M", "--innodb-flush-log-at-trx-commit=1",
                           "--max-connections=300", f"--init-file={self.folder}/init.sql", *self.options, *options])
