"""The unit tests of changed code, for scripts/test --quick."""

import re
import subprocess

from testing.steps import ROOT

# The folder of the unit tests of each folder of the tree, where it is not tests/unit/NAME.
LIBRARIES = re.compile(r"^libs/(\w+)/")
TESTS = re.compile(r"^tests/unit/([\w-]+)/")
NOT_BUILT = ("docs/", "bench/", "examples/", "config/", "deploy/")


def git(*words):
    done = subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.split() if done.returncode == 0 else []


def changed_files():
    """The files that differ from the branch that this one left, or from the last commit but one if there are none."""
    base = next((found[0] for name in ("@{upstream}", "origin/HEAD", "origin/main", "main")
                 if (found := git("merge-base", "HEAD", name))), "HEAD~1")
    new = git("ls-files", "--others", "--exclude-standard")
    return git("diff", "--name-only", base) + new or git("diff", "--name-only", "HEAD~1")


def folder_of(file):
    """The folder of the unit tests of a file, or None if the file has none."""
    if file.startswith("locks/"):
        return "locks/tests/unit"
    found = LIBRARIES.match(file) or TESTS.match(file)
    name = found.group(1) if found else file.partition("/")[0]
    folder = f"tests/unit/{name}"
    return folder if (ROOT / folder / "CMakeLists.txt").exists() else None


def changed_folders():
    files = [file for file in changed_files() if not file.startswith(NOT_BUILT)]
    return sorted({folder for file in files if (folder := folder_of(file))})


def tests_of(folder):
    """The names of the tests of a folder, as CTest lists them."""
    done = subprocess.run(["ctest", "--test-dir", ROOT / "build/dev" / folder, "-N", "-L", "^unit$"], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return re.findall(r"Test +#\d+: (\S+)", done.stdout)
