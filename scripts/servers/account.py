"""The account under which private servers run: that of the caller, but never root."""

import contextlib
import functools
import os
import pathlib
import pwd
import tempfile

UNPRIVILEGED = "nobody"
# Files of a server's folder that have passwords of accounts, or that only the scripts use.
KEPT = {"url", "urls", "start.lock"}
# Files that the scripts themselves put into the folder. Anything else there is not the server's.
# `clock` is the time that libfaketime gives the server in scripts/chaos.
MADE = KEPT | {"clock", "server.pid", "server.log", "install.log", "data", "tmp", "init.sql", "zoo.cfg", "more.cfg",
               "sentinel.conf", "group-ports", "installed", "bin", "1", "2", "3", "own.pid", "socket", "socket.lock"}


@functools.cache
def other():
    """The account to change to, or None if the caller is not root."""
    return pwd.getpwnam(UNPRIVILEGED) if os.geteuid() == 0 else None


def as_account():
    """The options of subprocess for a process of a server."""
    account = other()
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []} if account else {}


def blocked_at(path):
    """The first folder above that the account cannot enter, or None."""
    return next((each for each in reversed(path.parents) if not each.stat().st_mode & 0o001), None)


def open_way(folder):
    """Lets the account enter the folders above, as far as they are the caller's temporary ones. Nobody can list them.
    Returns the first folder that stays closed, or None."""
    temporary = {pathlib.Path(name).resolve() for name in ("/tmp", "/dev/shm", tempfile.gettempdir())}
    for each in reversed(folder.parents):
        status = each.stat()
        if not status.st_mode & 0o001 and status.st_uid == os.geteuid() and temporary & set(each.parents):
            each.chmod(status.st_mode & 0o7777 | 0o011)
    return blocked_at(folder)


def hand_over(folder):
    """Gives a server's folder and what is in it to the account. Returns the reason if the account cannot reach it."""
    account = other()
    if account is None:
        return None
    closed = open_way(folder)
    if closed is not None:
        return f"the server runs as {UNPRIVILEGED}, who cannot enter {closed}: use a folder below /tmp, or chmod o+x {closed}"
    foreign = [each.name for each in folder.iterdir()
               if each.name not in MADE and each.lstat().st_uid != account.pw_uid]
    if foreign:
        return f"{folder} has {foreign[0]}, which is not of a private server: use a folder of its own"
    for place, folders, files in os.walk(folder):
        for name in ["", *folders, *files]:
            file = os.path.join(place, name)
            with contextlib.suppress(FileNotFoundError):  # another server of the folder has removed it
                if name not in KEPT and os.lstat(file).st_uid != account.pw_uid:
                    os.lchown(file, account.pw_uid, account.pw_gid)
    return None
