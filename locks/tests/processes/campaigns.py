"""The campaigns (campaign.py) of the test run, some at once, since most of them wait.

    campaigns.py STORE [--jobs N]       STORE is one of mysql, galera, sqlite, redis and zookeeper
    campaigns.py --list

Each size is at least twice the smallest that found each planted fault in five of five runs (locks/tests/README.md). The exit status is 77 if
the store is not installed, or this build of the library does not support it.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shlex
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77

CAMPAIGNS = {
    "mysql": [
        "--kind record --store mysql --faults clock --acquisitions 64",
        "--kind lease --store mysql --faults clock --acquisitions 64",
        "--kind semaphore --store mysql --permits 3 --hold 100000 --acquisitions 64",
        "--kind read_write --store mysql --hold 100000 --acquisitions 64",
        "--kind classic --store mysql --acquisitions 64",
        "--kind row --store mysql --hold 2000 --acquisitions 64",
        "--kind record --store mysql --hold 5000 --faults stop,server,stop --rounds 2",
        "--kind row --store mysql --hold 2000 --faults kill,server --rounds 2",
        "--kind semaphore --store mysql --permits 3 --hold 5000 --faults stop --rounds 4",
        "--kind lease --store mysql --hold 1500000 --faults cut --rounds 2",
        "--kind read_write --store mysql --hold 1500000 --faults cut --rounds 4",
    ],
    "galera": [
        "--kind record --store galera --acquisitions 128",
        "--kind lease --store galera --faults server --rounds 2",
    ],
    "sqlite": [
        "--kind record --store sqlite --acquisitions 64",
        "--kind lease --store sqlite --acquisitions 64",
        "--kind semaphore --store sqlite --permits 3 --hold 100000 --acquisitions 128",
        "--kind read_write --store sqlite --hold 100000 --acquisitions 128",
        "--kind lease --store sqlite --hold 5000 --faults kill,stop --rounds 4",
    ],
    "redis": [
        "--kind redis --store redis --acquisitions 64",
        "--kind redis --store redlock --acquisitions 128",
        "--kind redis --store redis-cluster --acquisitions 64",
        "--kind semaphore --store redis --permits 3 --hold 100000 --acquisitions 64",
        "--kind read_write --store redis --hold 100000 --acquisitions 64",
        "--kind redis --store redis --hold 5000 --faults stop --rounds 4",
        "--kind redis --store redis-sentinel --faults server --rounds 2",
    ],
    "zookeeper": [
        "--kind zookeeper --store zookeeper --hold 2000 --acquisitions 64",
        "--kind read_write --store zookeeper --hold 100000 --acquisitions 64",
        "--kind semaphore --store zookeeper --permits 2 --hold 100000 --faults kill --rounds 4",
        "--kind zookeeper --store zookeeper-ensemble --faults server --rounds 2",
    ],
}


class Runner:
    def __init__(self):
        self.children = set()

    def run(self, options):
        """(exit status, output) of one campaign."""
        child = subprocess.Popen([sys.executable, HERE / "campaign.py", *shlex.split(options)], text=True,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.children.add(child)
        output, _ = child.communicate()
        self.children.discard(child)
        return child.returncode, output

    def end(self, number, frame):
        """Each campaign ends its own servers and processes when it is terminated."""
        for child in list(self.children):
            child.terminate()
        for child in list(self.children):
            child.wait()
        os._exit(128 + number)


def run_all(campaigns, jobs):
    """The exit statuses. Prints one line for each campaign, and the output of each that fails."""
    runner = Runner()
    signal.signal(signal.SIGTERM, runner.end)
    signal.signal(signal.SIGINT, runner.end)
    statuses = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for options, (status, output) in zip(campaigns, pool.map(runner.run, campaigns)):
            lines = output.splitlines()
            if status in (0, SKIPPED):
                print(lines[-1] if lines else "", flush=True)
            else:
                # The reason comes first, because a log may be cut off.
                print(f"FAILED: campaign.py {options}", *lines[-1:], *lines[-30:], sep="\n    ", flush=True)
            statuses.append(status)
    return statuses


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", nargs="?", choices=CAMPAIGNS)
    parser.add_argument("--jobs", type=int, default=3, help="campaigns at once")
    parser.add_argument("--list", action="store_true", help="prints all campaigns and runs none")
    options = parser.parse_args()
    if options.list:
        print(*(each for group in CAMPAIGNS.values() for each in group), sep="\n")
        return
    if options.store is None:
        parser.error("name a store")
    statuses = run_all(CAMPAIGNS[options.store], options.jobs)
    if all(status == SKIPPED for status in statuses):
        sys.exit(SKIPPED)
    sys.exit(any(status not in (0, SKIPPED) for status in statuses))


if __name__ == "__main__":
    main()
