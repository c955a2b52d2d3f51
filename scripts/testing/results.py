"""The results of a test run: CTest's reports, counts, and the slowest tests."""

import re
import threading
import xml.etree.ElementTree as tree

from testing.steps import show

LINES_REPEATED = 60  # of all failures together, at the end; the whole output stands where the test ran
FAILURES_REPEATED = 10
TELLING = re.compile(r"FAIL|Error|Sanitizer|✗|×|expected")


class Results:
    """Counts tests. A step that is no CTest run counts as one test."""

    def __init__(self):
        self.mutex = threading.Lock()
        self.passed = 0
        self.failed = []  # names
        self.outputs = []  # (name, lines) of the failed ones
        self.skipped = []  # (name, reason)
        self.seconds = []  # (seconds, name)

    def add(self, name, good, seconds=0):
        with self.mutex:
            self.seconds.append((seconds, name))
            if good:
                self.passed += 1
            else:
                self.failed.append(name)

    def add_report(self, run, file, must_have_tests):
        """Counts the tests of CTest's JUnit file. A run without a readable report is a failure."""
        try:
            cases = list(tree.parse(file).getroot().iter("testcase"))
        except (OSError, tree.ParseError):
            self.add(f"{run}: no report", False)
            return
        if not cases and must_have_tests:
            self.add(f"{run}: no tests", False)
        for case in cases:
            name = f"{case.get('name')} ({run})"
            skip = case.find("skipped")
            if case.get("status") == "run":
                self.add(name, True, float(case.get("time", 0)))
            elif skip is not None and "SKIP_RETURN_CODE" in skip.get("message", ""):
                with self.mutex:
                    self.skipped.append((name, reason_of(case)))
            elif case.get("status") != "disabled":
                self.add(name, False, float(case.get("time", 0)))
                self.outputs.append((name, (case.findtext("system-out") or "").strip().splitlines()))

    def finish(self):
        """Prints the slowest tests, the failed and the skipped ones, and the line of counts. True if no test failed."""
        repeated = self.outputs[:FAILURES_REPEATED]
        for name, lines in repeated:
            show(f"of what {name} printed:")
            for line in worth_repeating(lines, LINES_REPEATED // len(repeated)):
                show(f"    {line}")
        show("the ten slowest tests:")
        for seconds, name in sorted(self.seconds, reverse=True)[:10]:
            show(f"{seconds:8.1f} s  {name}")
        for name, reason in self.skipped:
            show(f"skipped: {name}: {reason}")
        for name in self.failed:
            show(f"failed: {name}")
        show(f"{self.passed} passed, {len(self.failed)} failed" +
             (f", {len(self.skipped)} skipped" if self.skipped else ""))
        return not self.failed


def worth_repeating(lines, most):
    """Up to `most` lines: the last ones that tell of a failure, each with the line after it, and the last lines of all."""
    telling = [at for at, line in enumerate(lines) if TELLING.search(line)][-(most // 4):]
    chosen = {at + after for at in telling for after in (0, 1)}
    chosen.update(range(max(0, len(lines) - (most - len(chosen))), len(lines)))
    return [lines[at] for at in sorted(chosen) if at < len(lines)]


def reason_of(case):
    """The line of the test's output that says why it was skipped."""
    output = case.findtext("system-out") or ""
    found = re.search(r"^skipped: (.*)$", output, re.MULTILINE)
    lines = output.strip().splitlines()
    return found.group(1) if found else lines[-1] if lines else "no reason given"
