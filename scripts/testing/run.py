"""Builds with g++ and runs all tests on all stores: scripts/test [--all | --quick] [CTEST-ARGUMENT...]

  --all    also builds with clang and runs, under AddressSanitizer with UndefinedBehaviorSanitizer, the tests that are not
           judged by time, and under ThreadSanitizer those of them that have threads; builds the SDK alone; and lints
  --quick  only the unit tests of changed code, on SQLite, without a server

Installs what it needs and starts private servers in temporary folders for the time of the run: MariaDB, MySQL 9, a Galera
cluster, Redis in each of its forms, ZooKeeper and an ensemble of it. Temporary folders are in memory (/dev/shm) if 8 GiB
are free there; TMPDIR names another place. Tests with real processes wait most of the time, so
they run beside builds and other tests; builds then take only the processor time that the tests leave. Further arguments go
to ctest, such as: scripts/test -R election

The end of the output has the seconds of each step, the ten slowest tests, and a line "N passed, N failed", with
", N skipped" if tests could not run; each of these is listed with its reason. docs/testing.md has the suites.
"""

import os
import pathlib
import signal
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

from testing import quick, temporary  # noqa: E402
from testing.ctest import CTest  # noqa: E402
from testing.private import PrivateServers  # noqa: E402
from testing.results import Results  # noqa: E402
from testing.steps import ROOT, Steps, in_background, say, show  # noqa: E402

CORES = os.cpu_count() or 2
WAITING = ("cluster",)  # labels of tests that leave a core idle
ASAN = ("unit", "program", "simulation", "conformance")  # labels of tests that are not judged by time


class Run:
    def __init__(self, arguments):
        self.steps = Steps()
        self.results = Results()
        self.ctest = CTest(self.steps, self.results, arguments)

    def step(self, name, command, low=False, environment=None):
        """Runs a program that counts as one test. True if it succeeds."""
        say(name)
        began = time.monotonic()
        good = self.steps.run(name, command, environment, low) == 0
        self.results.add(name, good, time.monotonic() - began)
        return good

    def build(self, preset, *labels, low=False):
        """Builds what the tests of the labels need, or all. Only a failure counts as a test."""
        name = f"build of {preset}" + (f" for {', '.join(labels)}" if labels else "")
        say(name)
        if self.steps.run(name, ["scripts/build", preset, *(f"tests_{label}" for label in labels)], low=low) == 0:
            return True
        self.results.add(name, False)
        return False

    def quick(self):
        folders = quick.changed_folders()
        if not folders:
            show("test: no changed file has unit tests")
            return
        configured = self.steps.run("configure", ["cmake", "--preset", "dev"]) == 0
        tests = sorted({name for folder in folders for name in quick.tests_of(folder)}) if configured else []
        say(f"quick: {', '.join(folders)}")
        if not configured or self.steps.run("build", ["scripts/build", "dev", *(f"{folder}/all" for folder in folders)]) != 0:
            self.results.add("build", False)
            return
        self.ctest.run("quick", "dev", CORES, labels=("unit",), pattern=f"^({'|'.join(tests)})$",
                       environment={"BATON_TEST_ON": "sqlite"})

    def everything(self, private, with_clang):
        """Two lanes: one run of tests at a time, and beside it the builds for the next. Tests that wait for processes of
        their own may run beside any other."""
        waiting, plain = in_background(lambda: None), in_background(lambda: None)
        built = self.build("dev", *WAITING)
        private.await_started()
        if built:
            waiting = in_background(lambda: self.ctest.run("cluster", "dev", 2 * CORES, labels=WAITING))
        if self.build("dev", low=True):
            plain = in_background(lambda: self.ctest.run("dev", "dev", CORES + 1, without=WAITING))
        if with_clang:
            self.with_clang(waiting, plain)
        plain.join()
        waiting.join()

    def with_clang(self, waiting, plain):
        built = self.build("asan", *ASAN, low=True)

        def run_asan():
            plain.join()
            if built:
                self.ctest.run("asan", "asan", CORES, labels=ASAN)

        asan = in_background(run_asan)
        self.step("the SDK alone", ["scripts/sdk-alone"], low=True)
        self.step("lint", ["scripts/lint", "--no-setup"], low=True)
        tsan = self.build("tsan", "threads", low=True)
        asan.join()
        waiting.join()
        if tsan:
            self.ctest.run("tsan", "tsan", 2 * CORES, labels=("threads",))


def main():
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(__doc__.strip())
        return 0
    chosen = arguments.pop(0) if arguments[:1] in (["--all"], ["--quick"]) else None
    os.chdir(ROOT)
    temporary.choose()
    run = Run(arguments)

    def end(number, frame):
        run.steps.stop()
        sys.exit(130)

    signal.signal(signal.SIGINT, end)
    signal.signal(signal.SIGTERM, end)
    if chosen == "--quick":
        run.quick()
    else:
        if run.steps.run("setup", ["scripts/setup", "--all" if chosen else "--test"]) != 0:
            return 1
        with PrivateServers() as private:
            run.everything(private, with_clang=chosen is not None)
    say("done")
    show("the steps:")
    for line in run.steps.table():
        show(line)
    good = run.results.finish()
    return 0 if good and (run.results.passed > 0 or chosen == "--quick") else 1


sys.exit(main())
