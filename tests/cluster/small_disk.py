"""A disk that is small enough to be filled up: a tmpfs in a mount namespace of this process and of those that it starts
from then on, gone with the last of them. Only root can mount.
"""

import ctypes
import errno
import functools
import pathlib
import subprocess

import harness

CLONE_NEWNS = 0x20000


@functools.cache
def possible():
    """True if this process may mount a file system in a private namespace."""
    return subprocess.run(["unshare", "--mount", "true"], stdin=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


class SmallDisk:
    def __init__(self, folder, megabytes):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        if harness.LIBC.unshare(ctypes.c_int(CLONE_NEWNS)) != 0:
            raise OSError("this process cannot have a mount namespace")
        for command in (["mount", "--make-rprivate", "/"],
                        ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=700", "baton-small-disk", self.folder]):
            subprocess.run(command, stdin=subprocess.DEVNULL, check=True)
        self.ballast = self.folder / "ballast"

    def fill(self):
        """Until not a byte more fits."""
        with self.ballast.open("ab", buffering=0) as file:
            piece = 1 << 20
            while piece:
                try:
                    file.write(bytes(piece))
                except OSError as failure:
                    if failure.errno != errno.ENOSPC:
                        raise
                    piece //= 2

    def free(self):
        self.ballast.unlink(missing_ok=True)

    def end(self):
        """Unmounts the disk, which must not be in use."""
        subprocess.run(["umount", self.folder], stdin=subprocess.DEVNULL, check=True)
        self.folder.rmdir()
