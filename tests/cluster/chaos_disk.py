"""A private MariaDB of a run, with its data on a disk that can be filled."""

import pymysql

import chaos_run
import harness
import small_disk

SIZE_MB = 256  # of which MariaDB takes 190 for a moment, and 90 before anything is stored


class SmallServer(chaos_run.Server):
    """All tables share one file that grows in small steps, so that a full disk soon affects all of them."""

    def __init__(self, folder, faked):
        super().__init__(folder.with_name(folder.name + "-disk"), faked)
        self.own = True

    def prepare(self):
        self.private_server().stop()  # that of a run that was ended from outside
        self.disk = small_disk.SmallDisk(self.folder / "data", SIZE_MB)

    def open(self, server):
        super().open(server)
        self.query("SET GLOBAL innodb_file_per_table = OFF")
        self.query("SET GLOBAL innodb_autoextend_increment = 1")
        self.query("CREATE TABLE chaos_ballast (filling LONGBLOB NOT NULL) ENGINE=InnoDB")

    def use_up(self, least):
        """Fills the free space in the file of the tables until fewer than `least` bytes fit."""
        size = 256 << 10
        while size >= least:
            try:
                self.query(f"INSERT INTO chaos_ballast VALUES (REPEAT('x', {size}))")
            except pymysql.err.Error:
                size //= 2
            except OSError:  # it is dead
                return

    def revive(self):
        """Starts it again if it did not live through it; whether that was so."""
        if harness.is_alive(self.server_pid()):
            return False
        self.restart()
        return True
