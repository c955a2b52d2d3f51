"""Fetches MySQL's server from Debian's development suite into a cache folder, beside the machine's own packages.

Debian 12 has no MySQL. The development suite has mysql-server-core, built for newer libraries than the machine's. So the
server and its libraries are unpacked into one folder, and the server runs by the loader of that folder. apt works with
lists and folders of its own here and changes nothing on the machine. Needs no root.
"""

import fcntl
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

PACKAGE = "mysql-server-core"
SUITE = "sid"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
# Dependencies that the server itself does not use.
LEFT_OUT = re.compile(r"(perl|libperl|gcc-|libc-gconv|libgdbm|libdb5)")

CONFIGURATION = """
Dir::Etc::SourceList "/dev/null";
Dir::Etc::SourceParts "{folder}/sources";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
APT::Install-Recommends "false";
APT::Sandbox::User "";
"""

SOURCES = """Types: deb
URIs: {mirror}
Suites: {suite}
Components: main
Signed-By: {keyring}
"""


class CannotFetch(Exception):
    """The server cannot be fetched on this machine. The message has the reason."""


def folder():
    """The folder that has, or will have, the unpacked server. BATON_MYSQL_HOME names another one."""
    given = os.environ.get("BATON_MYSQL_HOME")
    if given:
        return pathlib.Path(given)
    # Root's own cache is closed to the account that the server runs under.
    return pathlib.Path("/var/cache/baton/mysql") if os.geteuid() == 0 else own_cache()


def own_cache():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return cache / "baton/mysql"


def is_fetched():
    return (folder() / "version").exists()


def libraries():
    machine = subprocess.run(["dpkg-architecture", "-qDEB_HOST_MULTIARCH"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True).stdout.strip() if shutil.which("dpkg-architecture") \
        else f"{os.uname().machine}-linux-gnu"
    return folder() / "usr/lib" / machine


def loader():
    """The words before a program of the folder that make it use the libraries of the folder."""
    found = sorted(libraries().glob("ld-linux*.so.*"))
    if not found:
        raise CannotFetch(f"no loader in {libraries()}")
    return [found[0], "--library-path", libraries()]


def run(command, **more):
    done = subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        last = (done.stdout.strip().splitlines() or ["no output"])[-1]
        raise CannotFetch(f"{command[0]} {command[1]} failed: {last}")
    return done.stdout


def debian_mirror():
    """The address of the mirror of Debian that this machine's apt uses."""
    release = pathlib.Path("/etc/os-release").read_text()
    codename = re.search(r"^VERSION_CODENAME=(.*)$", release, re.MULTILINE)
    if not re.search(r"^ID=debian$", release, re.MULTILINE) or codename is None:
        raise CannotFetch("this is not Debian")
    targets = run(["apt-get", "indextargets", "--format", "$(RELEASE) $(COMPONENT) $(REPO_URI)", "Created-By: Packages"])
    for line in targets.splitlines():
        release, component, address = line.split()
        if (release, component) == (codename.group(1), "main"):
            return address
    raise CannotFetch(f"apt has no source for {codename.group(1)}")


def configure(work):
    """Writes a configuration of apt that knows only the development suite. Returns the environment that selects it."""
    mirror = debian_mirror()
    for name in ("sources", "state/lists/partial", "cache/archives/partial"):
        (work / name).mkdir(parents=True)
    (work / "status").touch()
    (work / "apt.conf").write_text(CONFIGURATION.format(folder=work))
    (work / "sources/suite.sources").write_text(SOURCES.format(mirror=mirror, suite=SUITE, keyring=KEYRING))
    return {**os.environ, "APT_CONFIG": str(work / "apt.conf"), "DEBIAN_FRONTEND": "noninteractive"}


def fetch():
    """Fetches and unpacks the server unless the folder has it. Returns its version; raises CannotFetch."""
    target = folder()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with open(target.parent / "mysql.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_fetched() and (own_cache() / "version").exists():
                shutil.copytree(own_cache(), target, symlinks=True, dirs_exist_ok=True)
            if not is_fetched():
                fetch_into(target)
    except OSError as failure:
        raise CannotFetch(str(failure)) from None
    return (target / "version").read_text().strip()


def fetch_into(target):
    with tempfile.TemporaryDirectory(prefix="mysql-", dir=target.parent) as name:
        work = pathlib.Path(name)
        environment = configure(work)
        run(["apt-get", "update"], env=environment)
        run(["apt-get", "install", "--yes", "--download-only", PACKAGE], env=environment)
        packages = sorted((work / "cache/archives").glob("*.deb"))
        version = next((each.name.split("_")[1] for each in packages if each.name.startswith(PACKAGE + "_")), "")
        if not version.startswith("9."):
            raise CannotFetch(f"the suite {SUITE} has no MySQL 9 but {version or 'none'}")
        for package in packages:
            if not LEFT_OUT.match(package.name):
                run(["dpkg-deb", "-x", package, work / "root"])
        (work / "root/version").write_text(version + "\n")
        shutil.rmtree(target, ignore_errors=True)
        (work / "root").rename(target)


if __name__ == "__main__":
    try:
        print(f"setup: MySQL {fetch()} is in {folder()}")
    except CannotFetch as failure:
        raise SystemExit(f"setup: MySQL cannot be fetched, so the tests on it will be skipped: {failure}") from None
