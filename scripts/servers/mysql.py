"""A private MySQL server, the newest 9.x that Debian has."""

import os
import subprocess

from servers import mysql_package
from servers.account import UNPRIVILEGED, blocked_at, other
from servers.mariadb import DROP_OTHERS, MariaDb, greets
from servers.server import NotInstalled, require


class MySql(MariaDb):
    """One MySQL server with a user `baton` that may do everything. No other account can log in.

    scripts/setup --mysql fetches the server. BATON_MYSQL_OPTIONS are further options, separated by spaces.
    """

    def __init__(self, folder, options=None):
        super().__init__(folder, address="127.0.0.1",
                         options=os.environ.get("BATON_MYSQL_OPTIONS", "").split() if options is None else options)

    def check_installed(self):
        require("mariadb-client", "mariadb")
        if not mysql_package.is_fetched():
            raise NotInstalled("MySQL is not installed: run scripts/setup --mysql")
        closed = blocked_at(mysql_package.folder() / "version") if other() else None
        if closed:
            raise NotInstalled(f"MySQL cannot be run: {UNPRIVILEGED} cannot enter {closed}")

    def program(self):
        root = mysql_package.folder()
        return [*mysql_package.loader(), root / "usr/sbin/mysqld", "--no-defaults",
                f"--basedir={root}/usr", f"--lc-messages-dir={root}/usr/share/mysql",
                f"--character-sets-dir={root}/usr/share/mysql/charsets", f"--plugin-dir={root}/usr/lib/mysql/plugin",
                "--secure-file-priv=NULL", "--mysqlx=OFF", "--innodb-redo-log-capacity=128M",
                f"--tmpdir={self.folder}/tmp"]

    def install(self):
        self.run_once([*self.program(), f"--datadir={self.folder}/data", "--initialize-insecure"])

    def accounts(self):
        return super().accounts().replace(DROP_OTHERS, "")  # MySQL makes none of them

    def answers(self, port):
        return greets(self.address, port) and self.logs_in(port)

    def launch(self, port, *options):
        # The server would take another process with the number of a killed server for its user.
        (self.folder / "socket.lock").unlink(missing_ok=True)
        return super().launch(port, *options)

    def logs_in(self, port):
        """The server remembers an account after its first login, so that later ones need no key exchange.

        The Python module that the tests use has no key exchange.
        """
        done = subprocess.run(["mariadb", "--no-defaults", f"--host={self.address}", f"--port={port}", "--user=baton",
                               "--connect-timeout=2", "--execute=DO 1"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "MYSQL_PWD": self.password})
        return done.returncode == 0
