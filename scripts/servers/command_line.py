"""The command lines of the private servers: scripts/private-NAME COMMAND DIR [WORD...]."""

import inspect
import pathlib
import sys

import servers
from servers.redis import redis_of
from servers.server import Failed, NotInstalled

NOT_INSTALLED = 3  # the exit status; tests then are skipped

COMMON = {"start": "starts it (or finds it running) and prints its URL",
          "stop": "stops it; the data stays in DIR, and the next start has the same address"}
ONE = {**COMMON, "kill": "the same with SIGKILL", "freeze": "stops its process with SIGSTOP",
       "thaw": "lets a frozen process go on"}

WITH_DATABASES = {**ONE, "create": "makes the database NAME unless it exists, and prints its URL"}
NO_DATABASE = ["A new server has no database, and the URL that `start` prints names none. `create` makes one; its URL is what",
               "`database.url` needs, and `baton migrate` then makes the tables."]


class Program:
    """One of the programs: its class, its commands, and the words of each after DIR."""

    def __init__(self, make, commands, note=(), words=None):
        self.make = make
        self.commands = commands
        self.note = note
        self.words = words or {}

    def usage(self, name):
        lines = [inspect.cleandoc(self.make.__doc__), ""]
        for command, meaning in self.commands.items():
            call = f"scripts/{name} {command} DIR {self.words.get(command, '')}".rstrip()
            lines.append(f"  {call:<50} {meaning}")
        lines += ["", *self.note, f"The status is {NOT_INSTALLED} where the server is not installed."]
        return "\n".join(lines)


PROGRAMS = {
    "private-mariadb": Program(servers.MariaDb, WITH_DATABASES, NO_DATABASE, {"create": "NAME"}),
    "private-mysql": Program(servers.MySql, WITH_DATABASES, NO_DATABASE, {"create": "NAME"}),
    "private-galera": Program(
        servers.Galera,
        {**COMMON, "start": "starts the nodes that do not run and prints three URLs", "kill": "kills node N (1 to 3)",
         "restart": "starts node N again, and stops it first if it runs", "freeze": "stops node N with SIGSTOP",
         "thaw": "lets node N go on", "cut": "cuts node N's links to the others, not to its clients",
         "heal": "joins node N's links again"},
        words=dict.fromkeys(("kill", "restart", "freeze", "thaw", "cut", "heal"), "N")),
    "private-redis": Program(
        servers.Redis, {**ONE, "ask": "prints the server's answer"},
        ["OPTION... are options of the server. `cluster [OPTION...]` starts a node of a cluster. `sentinel PORT MS` starts a",
         "sentinel that takes the master on that port for dead after so many milliseconds of silence."],
        {"start": "[OPTION...]", "ask": "COMMAND..."}),
    "private-redis-sentinel": Program(
        servers.RedisSentinel, {**COMMON, "master": "prints the folder of the master, as the first sentinel sees it"},
        words={"start": "[MS]"}),
    "private-redis-cluster": Program(servers.RedisCluster, COMMON),
    "private-zookeeper": Program(servers.ZooKeeper, {**ONE, "ask": "prints the answer to a word of four letters: srvr, cons"},
                                 words={"ask": "WORD"}),
    "private-zookeeper-ensemble": Program(servers.ZooKeeperEnsemble, COMMON),
}


def run(program, command, folder, words):
    """Runs one command and returns the text to print."""
    if program.make is servers.Redis:
        server, words = redis_of(folder, words)
    elif program.make is servers.RedisSentinel and words:
        server, words = servers.RedisSentinel(folder, words[0]), words[1:]
    else:
        server = program.make(folder)
    if program.make is servers.Galera:
        words = [int(word) for word in words]
    said = getattr(server, command)(*words)
    return "\n".join(said) if isinstance(said, list) else said


def accepts(program, command, words):
    """False if the words after DIR do not fit the command."""
    allowed = program.words.get(command, "")
    if allowed == "N":
        return len(words) == 1 and words[0] in ("1", "2", "3")
    if allowed == "NAME":
        return len(words) == 1
    return bool(allowed) or not words


def main(name, arguments):
    program = PROGRAMS[name]
    if len(arguments) == 1 and arguments[0] in ("-h", "--help"):
        print(program.usage(name))
        return 0
    if len(arguments) < 2 or arguments[0] not in program.commands or not accepts(program, arguments[0], arguments[2:]):
        print(program.usage(name), file=sys.stderr)
        return 2
    try:
        said = run(program, arguments[0], pathlib.Path(arguments[1]), arguments[2:])
    except Failed as failure:
        print(f"{name}: {failure}", file=sys.stderr)
        return NOT_INSTALLED if isinstance(failure, NotInstalled) else 1
    if said is not None:
        print(said)
    return 0
