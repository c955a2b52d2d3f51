"""The private servers of the tests: none runs as root, and none has an account without a password."""

import os
import pathlib
import pwd
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

import servers  # noqa: E402
from servers import account  # noqa: E402

OPEN_ACCOUNTS = {
    "MariaDb": "SELECT CONCAT(User, '@', Host) FROM mysql.global_priv WHERE COALESCE(JSON_VALUE(Priv, '$.account_locked'), 0) = 0 "
               "AND COALESCE(JSON_VALUE(Priv, '$.authentication_string'), '') = ''",
    "MySql": "SELECT CONCAT(User, '@', Host) FROM mysql.user WHERE account_locked = 'N' AND authentication_string = ''"}
ROOT_ACCOUNTS = {
    "MariaDb": "SELECT COUNT(*) FROM mysql.global_priv WHERE User = 'root' AND "
               "(COALESCE(JSON_VALUE(Priv, '$.authentication_string'), '') IN ('', 'invalid') OR "
               "COALESCE(JSON_VALUE(Priv, '$.account_locked'), 0) = 0)",
    "MySql": "SELECT COUNT(*) FROM mysql.user WHERE User = 'root' AND (authentication_string = '' OR account_locked = 'N')"}


class Started:
    """A server in a temporary folder, stopped at the end of the test."""

    def __init__(self, test, make):
        folder = tempfile.TemporaryDirectory(prefix="baton-servers-")
        test.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "server"
        self.server = make(self.folder)
        test.addCleanup(self.server.stop)
        try:
            self.url = self.server.start()
        except servers.NotInstalled as failure:
            test.skipTest(str(failure))


def run_sql(url, statement):
    parts = urllib.parse.urlsplit(url)
    done = subprocess.run(["mariadb", "--no-defaults", f"--host={parts.hostname}", f"--port={parts.port}",
                           f"--user={parts.username}", "--batch", "--skip-column-names", f"--execute={statement}"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "MYSQL_PWD": parts.password or ""})
    return done.returncode, done.stdout.strip()


def owner_of(pid):
    return pathlib.Path(f"/proc/{pid}").stat().st_uid


class PrivateServers(unittest.TestCase):
    def assert_unprivileged(self, pid):
        self.assertIsNotNone(pid)
        expected = pwd.getpwnam("nobody").pw_uid if os.geteuid() == 0 else os.geteuid()
        self.assertEqual(owner_of(pid), expected)
        self.assertNotEqual(owner_of(pid), 0)

    def check_accounts(self, kind, url):
        self.assertEqual(run_sql(url, OPEN_ACCOUNTS[kind]), (0, ""))
        self.assertEqual(run_sql(url, ROOT_ACCOUNTS[kind]), (0, "0"))
        without = urllib.parse.urlsplit(url)
        for user in ("root", "baton", "", "mysql"):
            status, said = run_sql(f"mysql://{user}@{without.hostname}:{without.port}", "SELECT 1")
            self.assertNotEqual(status, 0, f"{user} {said}")

    def check_sockets(self, server):
        """The socket of the server lets no account in without a password either."""
        for user in ("root", "nobody", "mysql"):
            done = subprocess.run(["mariadb", "--no-defaults", f"--socket={server.folder}/socket", f"--user={user}",
                                   "--execute=SELECT 1"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, **account.as_account())
            self.assertNotEqual(done.returncode, 0, user)

    def test_mariadb_and_mysql(self):
        for kind in ("MariaDb", "MySql"):
            with self.subTest(kind=kind):
                it = Started(self, getattr(servers, kind))
                self.assert_unprivileged(it.server.pid())
                self.check_accounts(kind, it.url)
                self.check_sockets(it.server)
                url = it.server.create("shop")
                self.assertEqual(url, it.url + "/shop")
                self.assertEqual(it.server.create("shop"), url)
                self.assertEqual(run_sql(url, "SHOW DATABASES LIKE 'shop'"), (0, "shop"))
                with self.assertRaisesRegex(servers.Failed, "cannot be the name of a database"):
                    it.server.create("a b")
                it.server.kill()
                self.assertEqual(it.server.start(), it.url)  # a second start finds data and account
                self.check_accounts(kind, it.url)
                self.assertEqual((it.folder / "url").stat().st_mode & 0o777, 0o600)

    def test_galera(self):
        it = Started(self, servers.Galera)
        for node in it.server.nodes:
            self.assert_unprivileged(node.pid())
        for url in it.url:
            self.check_accounts("MariaDb", url)
        it.server.kill(2)
        it.server.restart(2)
        self.assert_unprivileged(it.server.nodes[1].pid())

    def test_redis_and_zookeeper(self):
        for make in (servers.Redis, servers.ZooKeeper):
            with self.subTest(make=make.__name__):
                self.assert_unprivileged(Started(self, make).server.pid())
        for each in Started(self, servers.RedisSentinel).server.sentinels():
            self.assert_unprivileged(each.pid())

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_folder_that_the_account_cannot_enter_is_named(self):
        with tempfile.TemporaryDirectory(prefix="baton-closed-", dir="/root") as closed:
            with self.assertRaisesRegex(servers.Failed, "nobody, who cannot enter /root"):
                servers.Redis(pathlib.Path(closed) / "server").start()

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_a_folder_with_other_files_is_not_given_away(self):
        with tempfile.TemporaryDirectory(prefix="baton-full-") as folder:
            other = pathlib.Path(folder) / "letter"
            other.write_text("mine")
            with self.assertRaisesRegex(servers.Failed, "has letter"):
                servers.Redis(folder).start()
            self.assertEqual(other.stat().st_uid, 0)


if __name__ == "__main__":
    unittest.main()
