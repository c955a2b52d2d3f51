"""Writes what scripts/lint needs of a build that compiles several sources of a library at a time.

    lint_commands.py BUILD FOLDER

FOLDER then has compile_commands.json, with a command for each source and for each group; `groups`, files that each include
some sources of a library; `groups_now`, the same of the sources to analyse at this commit; `sources`, all sources;
`generated`, the sources that the build makes, as its targets; and `alone`, shell commands that each compile one source by
itself, which shows a missing include.

Only the sources that the latest commits changed, and a thirty-second of the rest (another one at each commit), are analysed
and compiled alone: all sources would take longer than the build.
"""

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import zlib

# Tests and benchmarks are not analysed, and need not compile each by itself.
TESTS = re.compile(r"^(locks/)?(tests|bench)/")
# Programs that the build under AddressSanitizer leaves out.
PROGRAMS = re.compile(r"^(bench|examples|cli|tests/cluster|locks/(bench|program|tests/processes))/")
PARTS = 32
LATEST_COMMITS = 8
MOST_IN_A_GROUP = 24
INCLUDED = re.compile(r'^#include "(/.*\.cpp)"$', re.MULTILINE)


def members_of(file):
    """The sources that a file of CMake's unity build includes; none for other files."""
    return INCLUDED.findall(pathlib.Path(file).read_text()) if "/Unity/" in file and os.path.exists(file) else []


def command_for(entry, source):
    """The command of a group, for one of its sources."""
    return {**entry, "file": source, "command": entry["command"].replace(entry["file"], source)}


def without_cache(command):
    """Leaves out the words before the compiler: ccache keeps no result of a syntax check."""
    words = shlex.split(command)
    first = next(number for number, word in enumerate(words) if re.search(r"clang\+\+$", word))
    return shlex.join(words[first:])


def lines_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed_lately():
    """The files that differ from the commit before the latest ones; none where the history is shorter."""
    return set(lines_of("git", "diff", "--name-only", f"HEAD~{LATEST_COMMITS}"))


def part_now():
    """Which part of the rest is checked at this commit."""
    count = lines_of("git", "rev-list", "--count", "HEAD")
    return int(count[0]) % PARTS if count else 0


class Turn:
    """The sources to check now: those that changed lately, and a part of the rest."""

    def __init__(self):
        self.changed, self.part = changed_lately(), part_now()
        self.folders_of_headers = {os.path.dirname(file) for file in self.changed if self.is_header_alone(file)}

    @staticmethod
    def is_header_alone(file):
        return file.endswith(".hpp") and not os.path.exists(file.removesuffix(".hpp") + ".cpp")

    def is_changed(self, name):
        return name in self.changed or os.path.splitext(name)[0] + ".hpp" in self.changed

    def has(self, name):
        return self.is_changed(name) or zlib.crc32(name.encode()) % PARTS == self.part

    def takes(self, name):
        """One source that includes it suffices for a header: that with its name, or the first of its folder."""
        folder = os.path.dirname(name)
        first = folder in self.folders_of_headers
        self.folders_of_headers.discard(folder)
        return first or self.has(name)


class Groups:
    """Files that include sources of a library: analysed together they take a fraction of the time."""

    def __init__(self, folder, list_name):
        self.folder, self.list_name = folder / list_name, list_name
        self.files = []
        self.folder.mkdir(parents=True, exist_ok=True)

    def add(self, entry, members):
        """Returns the commands of the groups of these members."""
        made = []
        for begin in range(0, len(members), MOST_IN_A_GROUP):
            file = self.folder / f"{len(self.files)}.cxx"
            file.write_text("".join(f'#include "{member}"\n' for member in members[begin:begin + MOST_IN_A_GROUP]))
            self.files.append(str(file.resolve()))
            made.append(command_for(entry, self.files[-1]))
        return made

    def write_list(self, folder):
        (folder / f"{self.list_name}.list").write_text("".join(f"{file}\n" for file in self.files))


def is_made(file):
    return not file.startswith("..") and "CMakeFiles" not in file


def main():
    build, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    entries = json.loads((pathlib.Path(build) / "compile_commands.json").read_text())
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    groups, groups_now = Groups(folder, "groups"), Groups(folder, "groups_now")
    alone, commands = [], []
    turn = Turn()
    for entry in entries:
        commands.append(entry)
        members = members_of(entry["file"])
        tests = any(TESTS.match(os.path.relpath(member)) for member in members)
        if members and not tests:
            commands += groups.add(entry, members)
            commands += groups_now.add(entry, [member for member in members if turn.takes(os.path.relpath(member))])
        singles = [command_for(entry, source) for source in members]
        commands += singles
        for single in singles or [entry]:
            name = os.path.relpath(single["file"])
            if turn.has(name) and (PROGRAMS.match(name) or (members and not tests)):
                alone.append(f"cd {shlex.quote(entry['directory'])} && {without_cache(single['command'])} -fsyntax-only")
    named = [entry["file"] for entry in commands if "/Unity/" not in entry["file"] and str(folder) not in entry["file"]]
    sources = list(map(os.path.relpath, named))
    made = [os.path.relpath(file, build) for file in named]
    (folder / "generated").write_text("".join(f"{file}\n" for file in sorted(set(made)) if is_made(file)))
    (folder / "compile_commands.json").write_text(json.dumps(commands, indent=1))
    groups.write_list(folder)
    groups_now.write_list(folder)
    (folder / "alone").write_text("".join(f"{line}\n" for line in alone))
    (folder / "sources").write_text("".join(f"{file}\n" for file in sorted(set(sources)) if not file.startswith("build/")))


if __name__ == "__main__":
    main()
