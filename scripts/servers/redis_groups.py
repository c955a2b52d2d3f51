"""Private groups of Redis servers: a master with replicas and sentinels, and a cluster."""

import pathlib
import subprocess

from servers.redis import ClusterNode, Redis, Sentinel
from servers.server import Failed, await_condition, in_parallel

NUMBERS = (1, 2, 3)


class RedisSentinel:
    """A master with two replicas, and three sentinels.

    The servers are in the folders server-1 to 3 and sentinel-1 to 3; server-1 is the first master. A master that is silent
    for `silence_ms` milliseconds is replaced by a replica.
    """

    def __init__(self, folder, silence_ms=3000):
        self.folder = pathlib.Path(folder).absolute()
        self.servers = [Redis(self.folder / f"server-{n}") for n in NUMBERS]
        self.silence_ms = silence_ms

    def sentinels(self):
        return [Sentinel(self.folder / f"sentinel-{n}", self.servers[0].port(), self.silence_ms) for n in NUMBERS]

    def start(self):
        """Starts the servers that do not run, waits until all know each other, and returns the URL."""
        self.servers[0].start()
        first = self.servers[0].port()
        in_parallel([lambda each=each: each.start("--replicaof", "127.0.0.1", first) for each in self.servers[1:]])
        sentinels = self.sentinels()
        in_parallel([each.start for each in sentinels])
        for each in sentinels:
            # They look for each other more often than by default.
            each.ask("SENTINEL", "DEBUG", "info-period", 200, "ping-period", 100, "publish-period", 200)
        if not await_condition(self.is_complete, 15):
            raise Failed("the sentinels do not find the replicas and each other")
        return "redis-sentinel://" + ",".join(f"127.0.0.1:{each.port()}" for each in sentinels) + "/baton"

    def told(self, sentinel, field):
        """The master as a sentinel reports it."""
        words = sentinel.ask("SENTINEL", "MASTER", "baton").splitlines()
        return dict(zip(words[::2], words[1::2])).get(field)

    def is_complete(self):
        complete = all(self.told(each, "num-slaves") == "2" and self.told(each, "num-other-sentinels") == "2"
                       for each in self.sentinels())
        return complete and Redis(self.master()).ask("WAIT", 2, 1000) == "2"  # the replicas are connected

    def master(self):
        """The folder of the server that the first sentinel takes for the master."""
        port = self.told(self.sentinels()[0], "port")
        for each in self.servers:
            if str(each.port()) == port:
                return each.folder
        raise Failed(f"the sentinel's master at port {port} is none of the servers")

    def stop(self):
        for each in [*self.sentinels(), *self.servers]:
            each.kill()


class RedisCluster:
    """Three masters without replicas, in the folders node-1 to 3. The URL names two of them."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder).absolute()
        self.nodes = [ClusterNode(self.folder / f"node-{n}") for n in NUMBERS]

    def start(self):
        """Starts the nodes that do not run, waits until the cluster serves, and returns its URL."""
        addresses = [url.removeprefix("redis://") for url in in_parallel([each.start for each in self.nodes])]
        if not self.serves():
            done = subprocess.run(["redis-cli", "--cluster", "create", *addresses, "--cluster-yes"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0:
                raise Failed(f"redis-cli cannot make the cluster\n{done.stdout}")
        if not await_condition(self.serves, 15):
            raise Failed("the cluster does not serve")
        return "redis-cluster://" + ",".join(addresses[:2])

    def serves(self):
        return all("cluster_state:ok" in each.ask("CLUSTER", "INFO") for each in self.nodes)

    def stop(self):
        for each in self.nodes:
            each.kill()
