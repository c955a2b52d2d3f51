"""The folders for temporary files of a test run."""

import os
import pathlib
import tempfile

MEMORY = pathlib.Path("/dev/shm")
NEEDED = 8 << 30  # bytes: all servers of a run take some 2 GB, the compilers up to 2 GB each

disk = None  # the folder that was chosen before choose(), or nothing if that has chosen no other


def available_memory():
    """Bytes."""
    for line in pathlib.Path("/proc/meminfo").read_text().splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return 0


def choose():
    """Sets TMPDIR to a file system in memory if the machine has room for it and the caller has not chosen.

    A disk that compilers write to lets a database wait for seconds at each commit. Tests are about what the database
    does, so they need not wait for the disk.
    """
    if "TMPDIR" in os.environ or not MEMORY.is_dir() or not os.access(MEMORY, os.W_OK):
        return
    state = os.statvfs(MEMORY)
    if state.f_flag & os.ST_NOEXEC or min(state.f_bavail * state.f_frsize, available_memory()) < NEEDED:
        return
    global disk
    disk = tempfile.gettempdir()
    os.environ["TMPDIR"] = str(MEMORY)
    tempfile.tempdir = None  # asks again
