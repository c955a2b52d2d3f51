#!/usr/bin/env python3
"""Checks that the folders include each other one way only, also inside trigger/, and that SQL, SOCI, Beast, clocks,
timers, entropy and threads stay where docs/architecture.md puts them. Headers lie in /usr/include, so the linker cannot
do it.

    check-layers.py [ROOT]        prints each violation as file:line: reason; status 1 if there is one
    check-layers.py --self-test   plants violations in a temporary tree and fails unless each is found
"""

import pathlib
import re
import sys
import tempfile

BASE = {"libs/base"}
WIRE = BASE | {"libs/protocol"}
SDK = WIRE | {"libs/http"}
PARTS = SDK | {"libs/schedule", "libs/storage", "libs/lease"}
EVERYTHING = PARTS | {"client-sdk", "trigger", "web", "agent", "cli", "libs/sim", "locks", "tests", "bench", "examples"}

# The other folders that each folder may include.
MAY_INCLUDE = {
    "libs/base": set(),
    "libs/protocol": BASE,
    "libs/schedule": WIRE,
    "libs/http": BASE,
    "libs/storage": WIRE,
    "libs/lease": WIRE | {"libs/storage"},
    "locks": WIRE | {"libs/storage"},
    "libs/sim": PARTS,
    "client-sdk": SDK,
    "trigger": PARTS,
    "web": PARTS,
    "agent": SDK | {"client-sdk", "libs/schedule"},
    "cli": PARTS | {"client-sdk", "trigger", "web", "agent"},
    "examples": {"client-sdk", "locks"},
    "tests": EVERYTHING,
    "bench": EVERYTHING,
    "locks/tests": EVERYTHING | {"locks/tests"},
    "locks/bench": EVERYTHING,
}

# The layers inside trigger/, from the bottom up: a part may include itself and the parts of lower layers. A part is a
# folder; the files directly in trigger/ are the composition. The settings of the node, which collect the settings of the
# parts, belong to the composition.
TRIGGER_LAYERS = (("election", "membership"), ("clients",), ("delivery",), ("master",), ("api",), ("composition",))
TRIGGER_LAYER = {part: layer for layer, parts in enumerate(TRIGGER_LAYERS) for part in parts}

TESTING = {"tests", "bench", "locks/tests", "locks/bench"}

# (what, pattern over code without comments, rooms where it may stand, only in .cpp files)
CONFINED = [
    ("SOCI or a database library", re.compile(r"#\s*include\s*[<\"](soci/|mysql|mariadb|sqlite3|hiredis|zookeeper)"),
     {"libs/storage", "libs/lease", "locks", "libs/sim", "examples/stock"} | TESTING, True),
    ("Beast", re.compile(r"#\s*include\s*<boost/beast"), {"libs/http"} | TESTING, False),
    ("SQL", re.compile(r"""\b(?:INSERT\s+(?:IGNORE\s+)?INTO|REPLACE\s+INTO|DELETE\s+FROM|UPDATE\s+\S+\s+SET
        |SELECT\s[^;"]*?\sFROM|(?:CREATE|ALTER|DROP)\s+(?:TABLE|INDEX|UNIQUE)|BEGIN\s+IMMEDIATE|START\s+TRANSACTION
        |GET_LOCK\s*\()|"\s*(?:insert\s+into|delete\s+from|update\s+\w+\s+set|select\s[^;"]*\sfrom)\b""", re.VERBOSE),
     {"libs/storage", "libs/lease", "locks", "libs/sim", "examples/stock"} | TESTING, False),
    ("a clock, a timer, entropy or a thread", re.compile(r"""\b(?:system_clock|steady_clock|high_resolution_clock)::now
        |\b(?:steady|system|high_resolution)_timer\b|\bdeadline_timer\b|\bclock_gettime\b|\bgettimeofday\b
        |\btime\s*\(\s*(?:nullptr|NULL|0)\s*\)|\bstd::(?:j?thread|async)\b(?!::)|\bpthread_create\b|\bthread_pool\b
        |\bthis_thread::sleep_|\bu?sleep\s*\(|\bnanosleep\b|\brandom_device\b|\bmt19937|\bgetrandom\b|\bs?rand\s*\(""",
        re.VERBOSE),
     {"libs/base", "libs/storage", "libs/http", "libs/sim", "client-sdk/src", "cli", "examples"} | TESTING, False),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]', re.MULTILINE)
SOURCES = {".hpp", ".cpp", ".h"}


def room_of(path):
    """The room that a root-relative path lies in, or None."""
    parts = pathlib.PurePosixPath(path).parts
    for depth in (2, 1):
        room = "/".join(parts[:depth])
        if room in MAY_INCLUDE and len(parts) > depth:
            return room
    return None


def lies_in(path, places):
    return any(path.startswith(place + "/") for place in places)


TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(?P<tag>[^()\s\\]{0,16})\(.*?\)(?P=tag)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'""",
                   re.DOTALL)


def without_comments(text):
    """The same text with comments blanked out; positions of lines are kept, string literals stay."""

    def blank(found):
        token = found.group(0)
        return re.sub(r"[^\n]", " ", token) if token.startswith(("//", "/*")) else token

    # An apostrophe between digits separates thousands and opens no literal.
    return TOKEN.sub(blank, re.sub(r"(?<=\d)'(?=\d)", " ", text))


# Headers that are installed, by how they are included: where they lie, whose they are, and how people call that.
PUBLIC = {"baton/client/": ("client-sdk/include/", "client-sdk", "the client SDK"),
          "baton/lock/": ("locks/include/", "locks", "the locks")}


def trigger_part(path):
    """The part of trigger/ that a root-relative path lies in."""
    parts = pathlib.PurePosixPath(path).parts
    return parts[1] if len(parts) > 2 else "composition"


def check_trigger_include(path, target):
    """The reason why this #include inside trigger/ is wrong, or None."""
    own, other = trigger_part(path), trigger_part(target)
    for part in (own, other):
        if part not in TRIGGER_LAYER:
            return f"trigger/{part} has no layer in TRIGGER_LAYERS"
    if own != other and TRIGGER_LAYER[other] >= TRIGGER_LAYER[own]:
        return f"trigger/{own} must not include trigger/{other}"
    return None


def check_include(path, room, quoted, target):
    """The reason why this #include is wrong, or None."""
    in_public = [name for folder, _, name in PUBLIC.values() if path.startswith(folder)]
    for prefix, (folder, owner, name) in PUBLIC.items():
        if target.startswith(prefix) and not (quoted and path.startswith(folder)):
            allowed = room == owner or owner in MAY_INCLUDE[room]
            return None if allowed else f"{room} must not include {name}"
    if not quoted:
        if room_of(target):
            return "own headers are included in quotes"
        return None
    other = room_of(target)
    if other is None:
        return f'"{target}" is not named from the root of the tree'
    if in_public:
        return f"public headers of {in_public[0]} include only what is installed, in angles"
    if other != room and other not in MAY_INCLUDE[room]:
        return f"{room} must not include {other}"
    return check_trigger_include(path, target) if room == other == "trigger" else None


def check_file(root, path):
    room = room_of(path)
    code = without_comments((root / path).read_text(encoding="utf-8", errors="replace"))
    line_of = lambda position: code.count("\n", 0, position) + 1
    found = []
    for include in INCLUDE.finditer(code):
        why = check_include(path, room, include.group(1) == '"', include.group(2))
        if why:
            found.append((path, line_of(include.start(1)), why))
    for what, pattern, places, only_cpp in CONFINED:
        if lies_in(path, places) and not (only_cpp and room not in TESTING and not path.endswith(".cpp")):
            continue
        for hit in pattern.finditer(code):
            start = hit.start() + len(hit.group()) - len(hit.group().lstrip())
            found.append((path, line_of(start), f"{what} has no place here: {' '.join(hit.group().split())[:60]}"))
    return found


def check_tree(root):
    found = []
    files = 0
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root).as_posix()
        if file.suffix not in SOURCES or not room_of(path) or "/node_modules/" in path:
            continue
        files += 1
        found += check_file(root, path)
    return files, found


PLANTED = [  # (file, line of code that must be found, part of the reason)
    ("libs/base/a.hpp", '#include "libs/protocol/task.hpp"', "libs/base must not include libs/protocol"),
    ("libs/protocol/a.hpp", '#include "libs/http/http.hpp"', "libs/protocol must not include libs/http"),
    ("libs/schedule/a.cpp", '#include "libs/storage/tasks.hpp"', "libs/schedule must not include libs/storage"),
    ("libs/http/a.cpp", '#include "libs/protocol/task.hpp"', "libs/http must not include libs/protocol"),
    ("libs/storage/a.cpp", '#include "trigger/node.hpp"', "libs/storage must not include trigger"),
    ("libs/storage/a.cpp", '#include "libs/lease/lease.hpp"', "libs/storage must not include libs/lease"),
    ("trigger/a.cpp", '#include "cli/main.hpp"', "trigger must not include cli"),
    ("trigger/master/a.cpp", '#include "web/site.hpp"', "trigger must not include web"),
    ("trigger/election/a.cpp", '#include "trigger/membership/membership.hpp"',
     "trigger/election must not include trigger/membership"),
    ("trigger/membership/a.hpp", '#include "trigger/election/elector.hpp"',
     "trigger/membership must not include trigger/election"),
    ("trigger/clients/a.hpp", '#include "trigger/delivery/dispatcher.hpp"',
     "trigger/clients must not include trigger/delivery"),
    ("trigger/delivery/a.cpp", '#include "trigger/master/master.hpp"',
     "trigger/delivery must not include trigger/master"),
    ("trigger/master/a.hpp", '#include "trigger/api/api.hpp"', "trigger/master must not include trigger/api"),
    ("trigger/api/a.cpp", '#include "trigger/node.hpp"', "trigger/api must not include trigger/composition"),
    ("trigger/clients/b.hpp", '#include "trigger/settings.hpp"',
     "trigger/clients must not include trigger/composition"),
    ("trigger/other/a.cpp", '#include "trigger/clients/registry.hpp"', "trigger/other has no layer"),
    ("web/a.cpp", '#include "trigger/node.hpp"', "web must not include trigger"),
    ("web/a.cpp", "#include <baton/client/service.hpp>", "web must not include the client SDK"),
    ("trigger/a.cpp", '#include "libs/sim/network.hpp"', "trigger must not include libs/sim"),
    ("agent/a.cpp", '#include "libs/storage/database.hpp"', "agent must not include libs/storage"),
    ("agent/a.cpp", '#include "libs/lease/lease.hpp"', "agent must not include libs/lease"),
    ("trigger/a.cpp", '#include "locks/core/store_core.hpp"', "trigger must not include locks"),
    ("trigger/a.cpp", "#include <baton/lock/store.hpp>", "trigger must not include the locks"),
    ("client-sdk/src/a.cpp", '#include "libs/storage/database.hpp"', "client-sdk must not include libs/storage"),
    ("client-sdk/include/baton/client/a.hpp", '#include "libs/base/time.hpp"', "public headers"),
    ("locks/include/baton/lock/a.hpp", '#include "libs/base/time.hpp"', "public headers"),
    ("client-sdk/src/a.cpp", "#include <baton/lock/store.hpp>", "client-sdk must not include the locks"),
    ("cli/a.cpp", '#include "libs/sim/time.hpp"', "cli must not include libs/sim"),
    ("examples/a.cpp", '#include "libs/base/time.hpp"', "examples must not include libs/base"),
    ("trigger/a.cpp", '#include "node.hpp"', "from the root"),
    ("trigger/a.cpp", "#include <libs/base/time.hpp>", "in quotes"),
    ("trigger/a.cpp", "#include <soci/soci.h>", "SOCI"),
    ("libs/storage/a.hpp", "#include <soci/soci.h>", "SOCI"),
    ("web/a.cpp", "#include <sqlite3.h>", "SOCI"),
    ("locks/redis/a.hpp", "#include <hiredis/hiredis.h>", "SOCI"),
    ("locks/zookeeper/a.hpp", "#include <zookeeper/zookeeper.h>", "SOCI"),
    ("libs/base/a.cpp", "#include <boost/beast/http.hpp>", "Beast"),
    ("client-sdk/src/a.cpp", "#include <boost/beast/core.hpp>", "Beast"),
    ("trigger/a.cpp", 'auto q = "SELECT id FROM task";', "SQL"),
    ("web/a.cpp", 'auto q = R"(\n  DELETE FROM task)";', "SQL"),
    ("cli/a.cpp", 'auto q = "INSERT INTO task VALUES (1)";', "SQL"),
    ("agent/a.cpp", 'auto q = "UPDATE task SET a = 1";', "SQL"),
    ("web/a.cpp", 'auto q = "select id from task";', "SQL"),
    ("trigger/a.cpp", "auto t = std::chrono::system_clock::now();", "clock"),
    ("trigger/a.cpp", "auto t = std::chrono::steady_clock::now();", "clock"),
    ("web/a.cpp", "asio::steady_timer timer(loop);", "clock"),
    ("libs/schedule/a.cpp", "std::random_device seed;", "clock"),
    ("locks/core/a.cpp", "std::thread worker;", "clock"),
    ("agent/a.cpp", "std::jthread worker;", "clock"),
    ("libs/protocol/a.cpp", "clock_gettime(CLOCK_REALTIME, &at);", "clock"),
    ("web/a.cpp", "std::this_thread::sleep_for(1s);", "clock"),
    ("client-sdk/include/baton/client/b.hpp", "std::thread worker_;", "clock"),
    ("libs/lease/a.cpp", "auto now = time(nullptr);", "clock"),
    ("trigger/a.cpp", "std::mt19937_64 generator;", "clock"),
]

INNOCENT = [  # these must not be found
    ("trigger/fine.cpp", '#include "trigger/node.hpp"\n#include "libs/lease/lease.hpp"\n#include <vector>\n'
     "// SELECT id FROM task; std::thread; steady_timer\n/* #include <soci/soci.h>\n   std::random_device */\n"
     "auto limit = 1'000; auto url = \"http://x\"; // it's fine\nco_await time.sleep_for(1s); auto id = std::thread::id{};\n"
     'auto says = "choose one from the list"; cron.next_time(0);\n'),
    ("trigger/master/fine.cpp", '#include "trigger/delivery/dispatcher.hpp"\n#include "trigger/election/epoch.hpp"\n'
     '#include "trigger/master/term.hpp"\n'),
    ("trigger/node.cpp", '#include "trigger/api/api.hpp"\n#include "trigger/settings.hpp"\n'),
    ("tests/unit/trigger/fine.cpp", '#include "trigger/election/epoch.hpp"\n#include "trigger/node.hpp"\n'),
    ("libs/storage/fine.cpp", '#include <soci/soci.h>\nauto q = "SELECT id FROM task"; std::thread worker;\n'),
    ("locks/sql/fine.cpp", '#include <soci/soci.h>\n#include "libs/storage/database.hpp"\nauto q = "UPDATE t SET a = 1";\n'),
    ("client-sdk/src/own.cpp", '#include "baton/client/service.hpp"\n'),
    ("libs/http/fine.cpp", "#include <boost/beast/http.hpp>\nasio::steady_timer timer(loop);\n"),
    ("client-sdk/src/fine.cpp", '#include <baton/client/service.hpp>\n#include "libs/http/http.hpp"\nstd::thread one;\n'),
    ("agent/fine.cpp", '#include <baton/client/service.hpp>\n#include "libs/schedule/crontab.hpp"\n'),
    ("cli/fine.cpp", '#include "agent/agent.hpp"\n#include "web/site.hpp"\n'),
    ("tests/unit/fine.cpp", '#include "libs/sim/time.hpp"\n#include <soci/soci.h>\nauto q = "DELETE FROM task";\n'),
    ("examples/fine.cpp", "#include <baton/client/service.hpp>\nauto t = std::chrono::system_clock::now();\n"),
]


def found_in_a_tree_with(path, text):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True)
        file.write_text(text)
        return check_tree(pathlib.Path(folder))[1]


def self_test():
    wrong = 0
    for path, code, reason in PLANTED:
        found = found_in_a_tree_with(path, "#pragma once\n" + code + "\n")
        if len(found) != 1 or reason not in found[0][2] or found[0][1] not in (2, 3):
            print(f"planted in {path}: {code!r}, expected {reason!r}, found {found}")
            wrong += 1
    for path, text in INNOCENT:
        found = found_in_a_tree_with(path, text)
        if found:
            print(f"innocent, but found: {found}")
            wrong += 1
    print(f"{len(PLANTED)} planted violations and {len(INNOCENT)} innocent files: {wrong} wrong")
    return wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 1 if self_test() else 0
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    files, found = check_tree(root)
    for path, line, why in found:
        print(f"{path}:{line}: {why}")
    print(f"{files} files, {len(found)} violations")
    # A check that saw nothing has not checked anything.
    return 1 if found or files == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
