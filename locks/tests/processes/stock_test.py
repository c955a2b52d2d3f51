"""The example program: of a thousand concurrent deductions from a stock of 500, exactly 500 succeed with each kind of lock
on each store that has it. Without a lock more succeed.
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "tests/cluster"))

import harness

ON_ANY = ("record", "lease", "version", "value")
ON_A_SERVER = ("row", "own-row")
SEPARATE = ("redis", "redlock", "zookeeper")


class Stock(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="baton-stock-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.mysql = harness.MySql(self.folder, own_server=False)
        self.addCleanup(self.mysql.end)
        self.sqlite = f"sqlite:{self.folder}/stock.db"

    def sell(self, kind, *urls):
        return subprocess.run([harness.build_folder() / "bin/stock", kind, *urls], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)

    def assert_sold(self, kind, *urls):
        done = self.sell(kind, *urls)
        self.assertEqual(0, done.returncode, done.stdout)
        self.assertIn("sold 500, refused 500, left 0", done.stdout)

    def test_each_unit_is_sold_once_on_a_server(self):
        for kind in ON_ANY + ON_A_SERVER:
            with self.subTest(kind):
                self.assert_sold(kind, self.mysql.url)

    def test_each_unit_is_sold_once_in_a_file(self):
        for kind in ON_ANY:
            with self.subTest(kind):
                self.assert_sold(kind, self.sqlite)

    def test_each_unit_is_sold_once_with_locks_on_a_separate_server(self):
        for kind in SEPARATE:
            with self.subTest(kind):
                servers = os.environ.get(f"BATON_TEST_{kind.upper()}")
                if not servers:
                    self.skipTest(f"BATON_TEST_{kind.upper()} names no server")
                self.assert_sold(kind, self.mysql.url, servers)

    def test_without_a_lock_units_are_sold_twice(self):
        done = self.sell("none", self.mysql.url)
        self.assertEqual(1, done.returncode, done.stdout)

    def test_an_unknown_kind_is_refused_with_its_name(self):
        for kind, url, part in (("row", self.sqlite, "row"), ("own-row", self.sqlite, "SQLite"),
                                ("other", self.sqlite, "unknown kind other"), ("record", "http://x", "known are mysql:")):
            with self.subTest(kind):
                done = self.sell(kind, url)
                self.assertEqual(1, done.returncode)
                self.assertIn(part, done.stdout)


if __name__ == "__main__":
    unittest.main()
