"""Three private MariaDB servers as a Galera cluster."""

import contextlib
import os
import pathlib
import re
import secrets
import shutil
import signal
import subprocess
import sys

from servers.account import as_account, hand_over
from servers.mariadb import DROP_OTHERS, lock_root
from servers.ports import free_port, is_free
from servers.server import (Failed, NotInstalled, await_condition, command_line, is_running, require, start_lock,
                            tail, write_secret)

NUMBERS = (1, 2, 3)
LIBRARIES = ("/usr/lib/galera/libgalera_smm.so", "/usr/lib64/galera-4/libgalera_smm.so")
NOWHERE = "00000000-0000-0000-0000-000000000000"


def library():
    """The path of the Galera library."""
    require("mariadb-server-core, mariadb-client", "mariadbd", "mariadb-install-db", "mariadb")
    for file in LIBRARIES:
        if pathlib.Path(file).exists():
            return file
    raise NotInstalled("the Galera library is not installed (Debian: galera-4)")


class Node:
    """One server of the cluster, in the folder of its number."""

    def __init__(self, cluster, number):
        self.cluster = cluster
        self.number = number
        self.folder = cluster.folder / str(number)

    # --- its addresses

    def sql_port(self):
        return self.cluster.sql_ports()[self.number - 1]

    def group_port(self):
        """The port for the other nodes. The next port is for what the node missed."""
        return self.cluster.group_ports()[self.number - 1]

    # --- its process

    def pid(self):
        try:
            pid = int((self.folder / "server.pid").read_text())
        except (OSError, ValueError):
            return None
        return pid if f"--datadir={self.folder}/data" in command_line(pid) and is_running(pid) else None

    def send(self, number):
        pid = self.pid()
        if pid is None:
            self.cluster.fail(f"node {self.number} does not run")
        os.kill(pid, number)

    def wake(self):
        pid = self.pid()
        if pid is not None:
            os.kill(pid, signal.SIGCONT)

    def end(self, number):
        """Sends a signal and waits for the end. A node that looks for the others ignores SIGTERM and is killed."""
        pid = self.pid()
        if pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
                os.kill(pid, signal.SIGCONT)
            if not await_condition(lambda: self.pid() is None, 5):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
                await_condition(lambda: self.pid() is None, float("inf"))
        (self.folder / "server.pid").unlink(missing_ok=True)

    # --- what it says

    def ask(self, statement):
        """The server's answer, or None if it gives none within two seconds."""
        try:
            done = subprocess.run(["mariadb", "--no-defaults", "--host=127.0.0.1", f"--port={self.sql_port()}",
                                   "--user=baton", "--connect-timeout=2", "--batch", "--skip-column-names",
                                   f"--execute={statement}"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True, timeout=2,
                                  env={**os.environ, "MYSQL_PWD": self.cluster.password()})
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def status(self, name):
        return (self.ask(f"SHOW STATUS LIKE 'wsrep_{name}'") or "\t").partition("\t")[2]

    def is_primary(self):
        return self.status("cluster_status") == "Primary"

    def is_synced(self):
        return self.status("local_state_comment") == "Synced" and self.is_primary()

    def isolate(self, isolated):
        """Cuts or restores the links to the other nodes. False if the node does not answer."""
        return self.ask(f"SET GLOBAL wsrep_provider_options = 'gmcast.isolate={int(isolated)}'") is not None

    # --- its start

    def base_options(self):
        """The options that every run of the node has."""
        socket = self.folder / "socket"
        if len(str(socket)) >= 100:  # the kernel allows 107 characters
            socket = f"/tmp/baton-galera-{self.sql_port()}"
        members = ",".join(f"127.0.0.1:{port}" for port in self.cluster.group_ports())
        return ["--no-defaults", f"--datadir={self.folder}/data", f"--socket={socket}",
                f"--pid-file={self.folder}/own.pid", "--innodb-buffer-pool-size=64M", "--innodb-log-file-size=16M",
                "--innodb-flush-log-at-trx-commit=1", "--performance-schema=OFF", "--skip-log-bin", "--binlog-format=ROW",
                "--innodb-autoinc-lock-mode=2", "--wsrep-on=ON", f"--wsrep-provider={library()}",
                f"--wsrep-cluster-address=gcomm://{members}", "--wsrep-sst-method=copy"]

    def environment(self):
        # A server that starts deletes the temporary tables of any other server with the same folder for them.
        return {**os.environ, "TMPDIR": str(self.folder / "tmp"),
                "PATH": f"{self.cluster.folder / 'bin'}:{os.environ.get('PATH', '')}"}

    def run(self, *options):
        (self.folder / "tmp").mkdir(parents=True, exist_ok=True)
        self.cluster.hand_over()
        port = self.group_port()
        provider = (f"base_host=127.0.0.1;base_port={port};gmcast.listen_addr=tcp://127.0.0.1:{port};"
                    f"ist.recv_addr=127.0.0.1:{port + 1};gcache.size=16M;{self.cluster.provider_options}")
        with (self.folder / "server.log").open("ab") as log:
            child = subprocess.Popen(
                ["mariadbd", *self.base_options(), "--bind-address=127.0.0.1", f"--port={self.sql_port()}",
                 f"--server-id={self.number}", "--skip-name-resolve", "--max-connections=300",
                 "--wsrep-cluster-name=baton", f"--wsrep-node-name={self.number}", "--wsrep-node-address=127.0.0.1",
                 "--wsrep-sst-receive-address=127.0.0.1:1", f"--wsrep-provider-options={provider}", *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=self.environment(),
                **as_account())
        (self.folder / "server.pid").write_text(f"{child.pid}\n")
        child.returncode = 0  # it goes on without its parent: Popen must not warn of that

    def position(self):
        """How far the node has come, as UUID:SEQNO. Only its storage engine knows what a killed node has committed."""
        state = self.folder / "data/grastate.dat"
        if not state.exists():
            return f"{NOWHERE}:-1"
        fields = dict(re.findall(r"^(\w+): *(\S+)$", state.read_text(), re.MULTILINE))
        if fields["seqno"] != "-1" or fields["uuid"] == NOWHERE:
            return f"{fields['uuid']}:{fields['seqno']}"
        done = subprocess.run(["mariadbd", *self.base_options(), "--wsrep-recover"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self.environment(),
                              **as_account())
        (self.folder / "recover.log").write_bytes(done.stdout)
        found = re.findall(rb"WSREP: Recovered position: *(\S+:-?\d+)", done.stdout)
        return found[-1].decode() if found else f"{fields['uuid']}:-1"

    def bootstrap(self, position):
        """Starts the node as the first of a new majority."""
        state = self.folder / "data/grastate.dat"
        (self.folder / "data/gvwstate.dat").unlink(missing_ok=True)
        if state.exists():
            state.write_text(re.sub(r"^safe_to_bootstrap:.*$", "safe_to_bootstrap: 1", state.read_text(),
                                    flags=re.MULTILINE))
        self.run("--wsrep-new-cluster", f"--wsrep-start-position={position}")

    def await_synced(self):
        await_condition(lambda: self.is_synced() or self.pid() is None, 60)
        return self.is_synced()

    def join(self):
        """Starts the node and waits until it is synced. A start can fail on a busy machine, so there are three."""
        for _ in range(3):
            self.run(f"--wsrep-start-position={self.position()}")
            if self.await_synced():
                return True
            self.end(signal.SIGKILL)
        return False

    # --- what a start finds

    def await_answer(self):
        """False if the node runs but gives no answer within 20 seconds."""
        await_condition(lambda: self.pid() is None or self.status("cluster_status"), 20)
        return self.pid() is None or bool(self.status("cluster_status"))

    def await_view(self):
        """Gives a node that counts dead nodes as members the time to notice."""
        def knows():
            if self.pid() is None or not self.is_primary():
                return True
            return int(self.status("cluster_size") or 0) <= sum(each.pid() is not None for each in self.cluster.nodes)
        await_condition(knows, 30)


class Galera:
    """A cluster of three nodes with one account, `baton`. Nodes have the numbers 1 to 3.

    start and restart return when the nodes are synced. If no majority is left they bootstrap anew, from a node that still
    runs or else from the node that has committed most. BATON_GALERA_OPTIONS are further options of the Galera library, such
    as "evs.suspect_timeout=PT1S".
    """

    def __init__(self, folder, provider_options=""):
        self.provider_options = os.environ.get("BATON_GALERA_OPTIONS", provider_options)
        self.folder = pathlib.Path(folder).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.folder = self.folder.resolve()
        self.nodes = [Node(self, number) for number in NUMBERS]

    def fail(self, text):
        parts = [text]
        for node in self.nodes:
            lines = [line for line in tail(node.folder / "server.log", 200).splitlines()
                     if re.search(r"ERROR|SST|non-prim", line)]
            parts += [f"{node.number}: {line}" for line in lines[-8:]]
        raise Failed("\n".join(parts))

    # --- addresses

    def urls(self):
        file = self.folder / "urls"
        return file.read_text().split() if file.exists() else []

    def sql_ports(self):
        return [int(url.rpartition(":")[2]) for url in self.urls()]

    def group_ports(self):
        file = self.folder / "group-ports"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def password(self):
        return re.match(r"mysql://baton:(.*)@", self.urls()[0]).group(1)

    def choose_addresses(self):
        """Keeps the addresses of the last start while a node uses them or no other process does."""
        if self.urls() and self.group_ports():
            if any(node.pid() for node in self.nodes) or all(map(is_free, self.sql_ports() + self.group_ports())):
                return
        password = self.password() if self.urls() else secrets.token_hex(16)
        found = []
        while len(found) < 6:
            port = free_port(kept=True) & ~1
            if port not in found and is_free(port) and is_free(port + 1):
                found.append(port)
        write_secret(self.folder / "urls", "".join(f"mysql://baton:{password}@127.0.0.1:{port}\n" for port in found[:3]))
        (self.folder / "group-ports").write_text("".join(f"{port}\n" for port in found[3:]))

    # --- installation

    def install(self):
        """Makes the data of the first node; the others copy it when they join."""
        installed = self.folder / "installed"
        if installed.exists():
            return
        subprocess.run(["rm", "-rf", *(node.folder for node in self.nodes)], check=True)
        for name in ("bin", "1/tmp", "2/data", "3/data"):
            (self.folder / name).mkdir(parents=True, exist_ok=True)
        common = ["--no-defaults", f"--datadir={self.folder}/1/data", "--innodb-log-file-size=16M"]
        self.run_once(["mariadb-install-db", *common, "--auth-root-authentication-method=normal", "--skip-test-db"])
        self.run_once(["mariadbd", *common, "--bootstrap"],
                      "FLUSH PRIVILEGES;\n"
                      f"CREATE USER 'baton'@'127.0.0.1' IDENTIFIED BY '{self.password()}';\n"
                      "GRANT ALL ON *.* TO 'baton'@'127.0.0.1';\n"
                      f"{lock_root()}{DROP_OTHERS}")
        installed.touch()

    def hand_over(self):
        closed = hand_over(self.folder)
        if closed:
            self.fail(closed)

    def run_once(self, command, given=""):
        self.hand_over()
        log = self.folder / "install.log"
        with log.open("ab") as out:
            done = subprocess.run(command, input=given.encode(), stdout=out, stderr=out, env=self.nodes[0].environment(),
                                  cwd=self.folder, **as_account())
        if done.returncode != 0:
            self.fail(f"{command[0]} failed\n{tail(log, 20)}")

    def write_transfer_program(self):
        """The server looks for a program called wsrep_sst_METHOD on its path."""
        program = self.folder / "bin/wsrep_sst_copy"
        script = self.folder / "bin/galera_transfer.py"  # the account may not be able to read this folder
        shutil.copyfile(pathlib.Path(__file__).with_name(script.name), script)
        python = "/usr/bin/python3" if pathlib.Path("/usr/bin/python3").exists() else sys.executable
        program.write_text(f"#!/bin/sh\nexec '{python}' '{script}' \"$@\"\n")
        program.chmod(0o755)

    # --- the state of the whole

    def settle(self):
        """Wakes frozen nodes and ends nodes that run but do not answer, as a broken start leaves them."""
        for node in self.nodes:
            node.wake()
        for node in self.nodes:
            if not node.await_answer():
                node.end(signal.SIGKILL)
        for node in self.nodes:
            node.await_view()

    def make_primary(self):
        """Sees to it that a node runs and has a majority."""
        self.settle()
        if any(node.is_primary() for node in self.nodes):
            return True
        for node in self.nodes:
            if node.pid() is None:
                continue
            if node.ask("SET GLOBAL wsrep_provider_options = 'pc.bootstrap=true'") is not None and node.await_synced():
                return True
            node.end(signal.SIGKILL)
        positions = {node: node.position() for node in self.nodes}
        best = max(self.nodes, key=lambda node: int(positions[node].rpartition(":")[2]))
        best.bootstrap(positions[best])
        return best.await_synced()

    # --- commands

    def start(self):
        """Starts the nodes that do not run, joins them, and returns the three URLs."""
        library()
        with start_lock(self.folder):
            self.choose_addresses()
            self.install()
            self.write_transfer_program()
            if not self.make_primary():
                self.fail("no node could be started")
            absent = [node for node in self.nodes if not self.revive(node)]
            # In turn: two that join at once wait six seconds for one another.
            if not all(node.join() for node in absent) or not all(node.await_synced() for node in self.nodes):
                self.fail("the nodes did not come together")
        return self.urls()

    def revive(self, node):
        """Restores the links of a running node. False if the node has to be started."""
        if node.status("cluster_status") == "Disconnected":  # it has given up its links for good
            node.end(signal.SIGKILL)
        if node.pid() is None:
            return False
        if not node.is_synced():
            node.isolate(False)
        return True

    def restart(self, number):
        library()
        with start_lock(self.folder):
            if not (self.folder / "installed").exists():
                self.fail(f"there is no cluster in {self.folder}")
            node = self.nodes[number - 1]
            node.end(signal.SIGTERM)
            if not self.make_primary():
                self.fail("no node could be started")
            if node.pid() is None and not node.join():
                self.fail(f"node {number} did not come back")

    def stop(self):
        for node in reversed(self.nodes):
            node.end(signal.SIGTERM)

    def kill(self, number):
        self.nodes[number - 1].end(signal.SIGKILL)

    def freeze(self, number):
        self.nodes[number - 1].send(signal.SIGSTOP)

    def thaw(self, number):
        self.nodes[number - 1].send(signal.SIGCONT)

    def cut(self, number):
        """Cuts the node's links to the other nodes, not to its clients."""
        self.set_links(number, True)

    def heal(self, number):
        self.set_links(number, False)

    def set_links(self, number, isolated):
        if not self.nodes[number - 1].isolate(isolated):
            self.fail(f"node {number} does not answer")
