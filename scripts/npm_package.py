"""Fetches npm into a cache folder, for a machine whose Node comes without it.

Debian's package npm needs more than 300 others. npm itself is one archive of the registry that it installs from, and needs only
Node. Debian's node-registry-url tells where that registry is, as npm's own configuration files and variables say it. The
archive is checked against the digest below. Needs no root.
"""

import base64
import fcntl
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.error
import urllib.request

VERSION = "10.8.2"  # the last of the line that came with Node 18
SHA512 = "x/AIjFIKRllrhcb48dqUNAAZl0ig9+qMuN91RpZo3Cb2+zuibfh+KISl6+kVVyktDz230JKc208UkQwwMqyB+w=="
REGISTRY = """
import url from '/usr/share/nodejs/registry-url/index.js';
console.log(url());
"""
LIMIT = 60  # seconds without a byte


class CannotFetch(Exception):
    """npm cannot be fetched on this machine. The message has the reason."""


def folder():
    """The folder that has, or will have, npm; cmake/BatonPage.cmake looks there. BATON_NPM_HOME names another one."""
    given = os.environ.get("BATON_NPM_HOME")
    if given:
        return pathlib.Path(given)
    if os.geteuid() == 0:
        return pathlib.Path("/var/cache/baton/npm")
    return pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "baton/npm"


def is_fetched():
    version = folder() / "version"
    return version.exists() and version.read_text().strip() == VERSION


def registry():
    done = subprocess.run(["node", "--input-type=module", "-e", REGISTRY], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        last = (done.stderr.strip().splitlines() or ["no output"])[-1]
        raise CannotFetch(f"node cannot tell the registry of packages: {last}")
    return done.stdout.strip()


def archive():
    """The bytes of the archive, with the digest that is expected."""
    address = f"{registry()}npm/-/npm-{VERSION}.tgz"
    try:
        with urllib.request.urlopen(address, timeout=LIMIT) as answer:
            content = answer.read()
    except (OSError, urllib.error.URLError) as failure:
        raise CannotFetch(f"{address}: {failure}") from failure
    if base64.b64encode(hashlib.sha512(content).digest()).decode() != SHA512:
        raise CannotFetch(f"{address} has not the content of npm {VERSION}")
    return content


def unpack(content, target):
    """Makes the folder whole before it gets its name."""
    work = pathlib.Path(tempfile.mkdtemp(prefix="npm-", dir=target.parent))
    try:
        with tarfile.open(fileobj=io.BytesIO(content)) as packed:
            packed.extractall(work)  # its digest is known
        (work / "bin").mkdir()
        (work / "bin/npm").symlink_to("../package/bin/npm-cli.js")
        (work / "package/bin/npm-cli.js").chmod(0o755)
        (work / "version").write_text(f"{VERSION}\n")
        work.chmod(0o755)
        shutil.rmtree(target, ignore_errors=True)
        work.rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def fetch():
    target = folder()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target.with_suffix(".lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_fetched():
                unpack(archive(), target)
    except OSError as failure:
        raise CannotFetch(str(failure)) from failure


def main():
    if is_fetched():
        return 0
    try:
        fetch()
    except CannotFetch as failure:
        print(f"setup: npm cannot be fetched, so the program is built without the dashboard: {failure}", file=sys.stderr)
        return 1
    print(f"setup: npm {VERSION} is in {folder()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
