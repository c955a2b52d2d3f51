"""Runs the tests of the dashboard in a real browser, on the program of a build.

    run.py BUILD [--screenshots FOLDER] [WORD...]

With --screenshots it makes only the pictures of every page, in both languages, as FOLDER/en/NAME.png and FOLDER/zh/NAME.png.
The words go to vitest, such as `restart` for the tests of one file. Ends with status 77, which CTest shows as skipped, where
the program has no dashboard or the machine has no Chromium; under CI=true that is a failure.
"""

import argparse
import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys

PAGE = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77


def obstacle(build):
    """The reason why the tests cannot run, or None."""
    generated = build / "web/page/dashboard_files.cpp"
    if not generated.exists() or "built without the dashboard" in generated.read_text(errors="replace"):
        return f"the program in {build} was built without the dashboard (its build says why)"
    if not chromium():
        return "Chromium is not installed (scripts/setup --all installs it)"
    if not vitest().exists():
        return f"the packages of the dashboard are not installed (npm ci in {PAGE})"
    return None


def chromium():
    return os.environ.get("BATON_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def vitest():
    return PAGE / "node_modules/vitest/vitest.mjs"


def node():
    return shutil.which("node") or shutil.which("nodejs")


def run(command, environment):
    """Runs a program in a group of its own, which ends with it: no server or browser outlives a test that is broken off."""
    child = subprocess.Popen(command, cwd=PAGE, env=environment, start_new_session=True)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(130))
    try:
        return child.wait()
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--screenshots", type=pathlib.Path)
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    build = options.build.resolve()
    reason = obstacle(build)
    if reason:
        print(f"skipped: {reason}", flush=True)
        return 1 if os.environ.get("CI") == "true" else SKIPPED
    environment = {**os.environ, "BATON_PROGRAM": str(build / "bin/baton"), "BATON_CHROMIUM": chromium(), "NO_COLOR": "1"}
    words = options.words
    if options.screenshots:
        environment["BATON_SCREENSHOTS"] = str(options.screenshots.resolve())
        words = ["screenshots"]
    return run([node(), vitest(), "run", "--config", "vitest.browser.config.ts", *words], environment)


if __name__ == "__main__":
    sys.exit(main())
