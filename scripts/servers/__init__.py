"""Private servers for tests, the demo, the benchmarks and the campaigns: MariaDB, MySQL, Galera, Redis and ZooKeeper.

Each class starts and stops one kind of server in a folder of the caller, on free loopback ports, without reading or
changing the configuration of the machine. A second start in the same folder finds the running server or starts it again
at the same address. The programs scripts/private-NAME are the command lines of these classes (command_line.py).
"""

from servers.galera import Galera
from servers.mariadb import MariaDb
from servers.mysql import MySql
from servers.ports import free_port
from servers.redis import Redis
from servers.redis_groups import RedisCluster, RedisSentinel
from servers.server import Failed, NotInstalled, Server, in_parallel
from servers.zookeeper import ZooKeeper, ZooKeeperEnsemble

__all__ = ["Failed", "Galera", "MariaDb", "MySql", "NotInstalled", "Redis", "RedisCluster", "RedisSentinel", "Server",
           "ZooKeeper", "ZooKeeperEnsemble", "free_port", "in_parallel"]
