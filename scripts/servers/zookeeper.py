"""Private ZooKeeper servers: one alone, and an ensemble of three."""

import pathlib
import socket

from servers.ports import free_ports
from servers.server import Failed, NotInstalled, Server, command_line, in_parallel, require

JARS = pathlib.Path("/usr/share/java")

CONFIGURATION = """tickTime=500
dataDir={folder}/data
clientPort={port}
clientPortAddress=127.0.0.1
admin.enableServer=false
maxClientCnxns=0
4lw.commands.whitelist=srvr,cons
"""

# A server that has lost its leader goes on for syncLimit ticks at most.
MEMBERS = """maxSessionTimeout=60000
initLimit=20
syncLimit=4
server.1=127.0.0.1:{0}:{3}
server.2=127.0.0.1:{1}:{4}
server.3=127.0.0.1:{2}:{5}
"""


class ZooKeeper(Server):
    """One ZooKeeper server. Its tick is half a second, so that sessions last from one second to ten.

    The lines of the file more.cfg in its folder are added to its configuration.
    """

    def check_installed(self):
        require("default-jre-headless", "java")
        if not (JARS / "zookeeper.jar").exists():
            raise NotInstalled("ZooKeeper is not installed (Debian: libzookeeper-java)")

    def is_own(self, pid):
        return f"{self.folder}/zoo.cfg" in command_line(pid)

    def url_of(self, port):
        return f"zookeeper://127.0.0.1:{port}"

    def answers(self, port):
        """The server accepts connections before it serves; then its answer to srvr has a mode."""
        return "Mode:" in self.ask_port(port, "srvr")

    @staticmethod
    def ask_port(port, word):
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
                connection.sendall(word.encode())
                parts = []
                while part := connection.recv(4096):
                    parts.append(part)
        except OSError:
            return ""
        return b"".join(parts).decode(errors="replace")

    def ask(self, word):
        """The answer to a word of four letters: srvr, cons."""
        answer = self.ask_port(self.port(), word)
        if not answer:
            self.fail("the server does not answer")
        return answer.rstrip("\n")

    def launch(self, port, *options):
        more = self.folder / "more.cfg"
        (self.folder / "zoo.cfg").write_text(CONFIGURATION.format(folder=self.folder, port=port) +
                                             (more.read_text() if more.exists() else ""))
        return self.spawn(["java", "-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                           "-Dzookeeper.jmx.log4j.disable=true", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp",
                           f"{JARS}/zookeeper.jar:{JARS}/slf4j-simple.jar",
                           "org.apache.zookeeper.server.quorum.QuorumPeerMain", self.folder / "zoo.cfg", *options],
                          append=True)


class ZooKeeperEnsemble:
    """Three ZooKeeper servers in the folders node-1 to 3. Sessions last from one second to sixty."""

    NUMBERS = (1, 2, 3)

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).absolute()
        self.nodes = [ZooKeeper(self.folder / f"node-{n}") for n in self.NUMBERS]

    def describe(self):
        members = MEMBERS.format(*free_ports(6))
        for number, node in zip(self.NUMBERS, self.nodes):
            (node.folder / "data").mkdir(exist_ok=True)
            (node.folder / "data/myid").write_text(f"{number}\n")
            (node.folder / "more.cfg").write_text(members)

    def start(self):
        """Starts the servers that do not run, waits until all three serve, and returns their URL."""
        if not (self.nodes[-1].folder / "more.cfg").exists():
            self.describe()
        try:
            urls = self.start_nodes()
        except NotInstalled:
            raise
        except Failed:
            self.stop()
            self.describe()  # another process may have taken a port
            urls = self.start_nodes()
        return "zookeeper://" + ",".join(url.removeprefix("zookeeper://") for url in urls)

    def start_nodes(self):
        """In parallel: none serves without another."""
        return in_parallel([each.start for each in self.nodes])

    def stop(self):
        for each in self.nodes:
            each.stop()
