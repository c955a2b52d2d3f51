"""Runs of CTest. Several may run in one build folder at once."""

import json
import re

from testing.steps import ROOT, say


def preset_environment(preset):
    """The environment that CMakePresets.json gives the tests of a preset."""
    document = json.loads((ROOT / "CMakePresets.json").read_text())
    found = next(each for each in document["testPresets"] if each["name"] == preset)
    return {name: value.replace("${sourceDir}", str(ROOT)) for name, value in found.get("environment", {}).items()}


class CTest:
    """CTest with one preset's build folder, further arguments of the caller, and the place for the results."""

    def __init__(self, steps, results, arguments):
        self.steps = steps
        self.results = results
        self.arguments = arguments

    def run(self, name, preset, jobs, labels=(), without=(), pattern=None, low=False, environment=None):
        """Runs the tests with one of `labels` (all, if there are none) and with none of `without`."""
        # CTest keeps its log and its costs in the folder of the run, so that two runs need two folders.
        folder = ROOT / "build" / preset / "runs" / re.sub(r"\W+", "-", name)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "CTestTestfile.cmake").write_text(f'subdirs("{ROOT / "build" / preset}")\n')
        report = folder / "junit.xml"
        report.unlink(missing_ok=True)
        command = ["ctest", "--test-dir", folder, "--output-on-failure", "-j", str(jobs), "--output-junit", report]
        if labels:
            command += ["-L", f"^({'|'.join(labels)})$"]
        if without:
            command += ["-LE", f"^({'|'.join(without)})$"]
        if pattern:
            command += ["-R", pattern]
        say(f"testing: {name}")
        self.steps.run(name, [*command, *self.arguments], {**preset_environment(preset), **(environment or {})}, low)
        self.results.add_report(name, report, must_have_tests=not self.arguments)
