"""The network of a run. On loopback, each node whose connection to the database may be disturbed uses a proxy. With
namespaces, each node has a separate network, joined to that of the runner by a pair of virtual links, and the kernel
loses, refuses or delays packets; that needs root. A namespace ends with the last process in it.
"""

import contextlib
import os
import shutil
import subprocess
import sys
import time

import harness
import proxy

HUB = "10.77.0.1"  # where all but the nodes are
TOKEN = "only-for-this-run"


class Loopback:
    host = harness.HOST
    token = None

    def __init__(self, seed, proxied):
        self.seed = seed
        self.proxies = proxy.Proxies() if proxied else None
        self.ways = {}

    def join(self, name, database):
        """The node's address, what goes before its command, and where it finds the database."""
        if not self.proxies:
            return harness.HOST, [], database
        port = harness.free_port()
        self.ways[name] = self.proxies.add(name, port, database, f"{self.seed}/{name}")
        return harness.HOST, [], (harness.HOST, port)

    def end(self):
        if self.proxies:
            self.proxies.end()


def run(*command):
    subprocess.run([str(word) for word in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                   stderr=subprocess.PIPE, check=True)


def enter_hub():
    """Moves this process to a separate network, to which the namespaces of the nodes are joined."""
    if os.environ.get("BATON_CHAOS_HUB"):
        run("ip", "link", "set", "lo", "up")
        run("ip", "address", "add", f"{HUB}/32", "dev", "lo")
        with open("/proc/sys/net/ipv4/ip_forward", "w") as forward:
            forward.write("1")
        return
    missing = [program for program in ("ip", "iptables", "nsenter", "unshare") if not shutil.which(program)]
    if os.geteuid() != 0 or missing:
        sys.exit(f"chaos: namespaces need root and iproute2, iptables; missing: {' '.join(missing) or 'root'}")
    os.environ["BATON_CHAOS_HUB"] = "1"
    os.environ["BATON_MARIADB_ADDRESS"] = HUB
    os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])


class Link:
    """The way between one node and everything else, and between it and the database."""

    def __init__(self, pid, database):
        self.inside = ["nsenter", f"--net=/proc/{pid}/ns/net"]
        self.there = ["-p", "tcp", "-d", database[0], "--dport", database[1]]
        self.back = ["-p", "tcp", "-s", database[0], "--sport", database[1]]

    def rule(self, chain, match, *then):
        run(*self.inside, "iptables", "-A", chain, *match, *then)

    def cut(self, ways=(proxy.UP, proxy.DOWN)):
        if proxy.UP in ways:
            self.rule("OUTPUT", self.there, "-j", "DROP")
        if proxy.DOWN in ways:
            self.rule("INPUT", self.back, "-j", "DROP")

    def lose(self, share):
        for chain, match in (("OUTPUT", self.there), ("INPUT", self.back)):
            self.rule(chain, match, "-m", "statistic", "--mode", "random", "--probability", share, "-j", "DROP")

    def slow(self, least, most):
        """Delays all packets that the node sends. A delay of one direction counts once in a round trip."""
        run(*self.inside, "tc", "qdisc", "add", "dev", "uplink", "root", "netem", "delay",
            f"{(least + most) / 2 * 1000:.0f}ms", f"{(most - least) / 2 * 1000:.0f}ms")

    def reset(self):
        self.rule("OUTPUT", self.there, "-j", "REJECT", "--reject-with", "tcp-reset")
        time.sleep(0.1)
        run(*self.inside, "iptables", "-F")

    def unplug(self):
        run(*self.inside, "iptables", "-A", "OUTPUT", "-o", "uplink", "-j", "DROP")
        run(*self.inside, "iptables", "-A", "INPUT", "-i", "uplink", "-j", "DROP")

    def heal(self):
        run(*self.inside, "iptables", "-F")
        with contextlib.suppress(subprocess.CalledProcessError):
            run(*self.inside, "tc", "qdisc", "del", "dev", "uplink", "root")


class Namespaces:
    host = HUB
    token = TOKEN

    def __init__(self, slot):
        self.slot = slot
        self.ways = {}
        self.keepers = []

    def join(self, name, database):
        number = len(self.keepers)
        here, there = (f"10.77.{1 + self.slot}.{4 * number + last}" for last in (1, 2))
        keeper = subprocess.Popen(["unshare", "--net", "sleep", "infinity"], stdin=subprocess.DEVNULL,
                                  preexec_fn=harness.end_with_parent)
        self.keepers.append(keeper)
        harness.wait_for("a namespace", lambda: os.readlink(f"/proc/{keeper.pid}/ns/net")
                         != os.readlink("/proc/self/ns/net"), 5)
        link = f"node{self.slot}x{number}"
        inside = ["nsenter", f"--net=/proc/{keeper.pid}/ns/net"]
        run("ip", "link", "add", link, "type", "veth", "peer", "name", "uplink", "netns", keeper.pid)
        run("ip", "address", "add", f"{here}/30", "dev", link)
        run("ip", "link", "set", link, "up")
        run(*inside, "ip", "link", "set", "lo", "up")
        run(*inside, "ip", "address", "add", f"{there}/30", "dev", "uplink")
        run(*inside, "ip", "link", "set", "uplink", "up")
        run(*inside, "ip", "route", "add", "default", "via", here)
        self.ways[name] = Link(keeper.pid, database)
        return there, inside, database

    def end(self):
        for keeper in self.keepers:
            keeper.kill()
            keeper.wait()
