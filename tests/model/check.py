#!/usr/bin/env python3
"""Checks the model of the election: the protocol must hold in every variant, and every flaw must be found.

A line for each case. "holds": searched to the end. "found": a flaw, by a breadth-first search, so that its trail is a
shortest one. "seen": something that must be possible. tests/model/README.md says what the model covers.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

MODEL = pathlib.Path(__file__).resolve().parent / "election.pml"

LARGE_HELP = """--large adds the larger bounds, one after the other: seven minutes and 1.6 GB, measured on two
busy cores; the longest takes four. The four longest keep a hash of each state instead of the state, so that about one
state in a thousand may be taken for another."""


@dataclasses.dataclass
class Case:
    name: str
    flags: str
    expect: str  # "holds"; "found": a flaw, which must break the promise; "seen": something that must be possible
    compact: bool = False
    depth: int = 200_000


def holds(name, flags, **more):
    return Case(name, flags, "holds", **more)


TTL = "TTL_PATH ANY_CLOCK"
GUARD = "GUARD_PATH"
ROAMING = "GUARD_PATH SERVERS=2 ROAMING"
ALL = "TTL_PATH GUARD_PATH ANY_CLOCK"


def found(name, flags):
    return Case(name, flags + " PROMISE_ONLY", "found")


def seen(name, flags):
    return Case(name, flags, "seen")


SMALL = [
    holds("ttl: a database clock that does what it likes", f"{TTL} WITH_RELEASE TTL=3"),
    holds("ttl: a true database clock, NOW frozen at the start of a statement", "TTL_PATH"),
    holds("guard: held, lost, taken", f"{GUARD} WITH_RELEASE"),
    holds("guard: given up by disarming", f"{GUARD} WITH_DISARM"),
    holds("guard: disarming only where nobody has the lock", f"{GUARD} WITH_DISARM DISARM_IF_FREE"),
    holds("guard: three nodes at two servers of one row", f"{GUARD} N=3 SERVERS=2", depth=1_000_000),
    found("the plain protocol: by version, expiry not tested again", "TTL_PATH SEED"),
    found("a seizure that does not compare renew_seq", f"{TTL} NO_SEQ"),
    found("a lease that counts from the reply", f"{TTL} FROM_REPLY"),
    found("the database's clock only, which steps once", "TTL_PATH DATABASE_CLOCK_ONLY STEP=2"),
    found("the database's clock only, and a renewal that was given up", "TTL_PATH DATABASE_CLOCK_ONLY"),
    found("an observation that counts from the request", f"{TTL} OBSERVED_FROM_REQUEST"),
    found("a term that was ended comes back", f"{TTL} WITH_RELEASE CONFIRM_ENDED"),
    found("a master that acts on until its release is answered", f"{TTL} WITH_RELEASE RELEASE_WHILE_ACTING"),
    found("an early seizure that does not wait", f"{GUARD} NO_WAIT"),
    found("an early seizure that waited the slave's own d", f"{GUARD} OWN_D"),
    found("an early seizure that waited from its asking for the lock", f"{GUARD} WAIT_FROM_REQUEST"),
    found("an early seizure that does not test the lock", f"{GUARD} NO_LOCK_TEST"),
    found("an early seizure on another session than was granted the lock", f"{GUARD} OTHER_SESSION"),
    found("an early seizure of a row that is not armed", f"{GUARD} SEIZE_UNARMED"),
    found("an early seizure that does not compare the server", f"{GUARD} SERVERS=2 NO_SERVER_TEST"),
    found("a master that ignores the guard's deadline", f"{GUARD} NO_GUARD_DEADLINE"),
    found("a ping that counts from its reply", f"{GUARD} FROM_REPLY"),
    found("a ping that counts on a session that is not armed", f"{GUARD} PINGED_UNARMED"),
    found("a renewal that counts as a ping", f"{ALL} RENEWAL_RESUMES"),
    found("an arm that does not test the lock", f"{GUARD} ARM_WITHOUT_LOCK"),
    found("guarded only when the arm is answered", f"{GUARD} GUARDED_FROM_REPLY"),
    found("a second arm that counts before it is answered", f"{GUARD} REARMED_FROM_REQUEST"),
    found("a lost early seizure, confirmed as a lease without guard", f"{GUARD} CONFIRM_UNGUARDED"),
    found("unguarded before the disarm is answered", f"{GUARD} WITH_DISARM DISARM_UNACKNOWLEDGED"),
    found("a disarm while an arm is under way", f"{GUARD} WITH_DISARM DISARM_WHILE_ARMING"),
    found("a disarm after an arm that was given up", f"{GUARD} WITH_DISARM DISARM_BLIND"),
    found("the same, with the lock free at another server", f"{GUARD} N=3 SERVERS=2 WITH_DISARM DISARM_IF_FREE"),
    found("the same, once the lock was granted at another server", f"{ROAMING} WITH_DISARM SETTLED_ANYWHERE"),
    found("a second arm at another server than the one given up", f"{ROAMING} ARM_ANYWHERE"),
    found("an arm while a disarm is under way", f"{GUARD} WITH_DISARM ARM_WHILE_DISARMING"),
    seen("an early seizure", f"{GUARD} SEE=1"),
    seen("a master that arms anew after its session ended", f"{GUARD} SEE=2"),
    seen("a master that goes on without a guard", f"{GUARD} WITH_DISARM SEE=3"),
    seen("an early seizure that was given up and executes", f"{GUARD} SEE=4"),
]

LARGE = [
    holds("ttl: three nodes", f"{TTL} WITH_RELEASE N=3 TTL=3", depth=2_000_000),
    holds("ttl: a database clock that steps both ways", "TTL_PATH STEP=2", compact=True, depth=2_000_000),
    holds("guard: release and disarm, longer d", f"{GUARD} WITH_DISARM WITH_RELEASE D0=3 D1=2", depth=2_000_000),
    holds("guard: three nodes", f"{GUARD} WITH_RELEASE N=3", compact=True, depth=5_000_000),
    holds("guard: sessions at either of two servers", f"{ROAMING} WITH_DISARM", compact=True, depth=2_000_000),
    holds("ttl and guard, release and disarm", f"{ALL} WITH_RELEASE WITH_DISARM", compact=True, depth=5_000_000),
]


def run(command, folder):
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def build(case, folder):
    shutil.copy(MODEL, folder / MODEL.name)
    flags = ["-D" + flag for flag in case.flags.split()]
    search = "-DNOREDUCE -DSAFETY -DMEMLIM=20000".split()
    search += ["-O0", "-DBFS", "-DCOLLAPSE"] if case.expect != "holds" else ["-O1"]
    search += ["-DHC4"] if case.compact else ["-DCOLLAPSE"] if case.expect == "holds" else []
    for command in (["spin", *flags, "-a", MODEL.name], ["gcc", "-w", *search, "-o", "pan", "pan.c"]):
        status, said = run(command, folder)
        if status != 0 or "syntax error" in said or not (folder / "pan.c").exists():
            raise RuntimeError(f"{' '.join(command)}: {said}")
    return flags


def judge(case, trail):
    """Runs one case in a separate folder and returns (good, line)."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="baton-model-") as name:
        folder = pathlib.Path(name)
        flags = build(case, folder)
        _, said = run(["./pan", "-n", f"-m{case.depth}"], folder)
        errors = re.search(r"errors: (\d+)", said)
        states = re.search(r"(\d+(?:\.\d+e\+\d+)?) states, stored", said)
        memory = re.search(r"([\d.]+)\s+total actual memory", said)
        whole = "Search not completed" not in said and "max search depth too small" not in said
        broken = "assertion violated" in said
        if errors is None or states is None:
            raise RuntimeError(said)
        good = broken if case.expect != "holds" else whole and errors.group(1) == "0"
        verdict = "broken" if broken else "holds" if whole and errors.group(1) == "0" else "unfinished"
        if case.expect == "seen":
            verdict = "seen" if broken else "never seen"
        elif case.expect == "found":
            verdict = "found" if broken else "not found"
        seconds = time.monotonic() - began
        line = (f"{'ok  ' if good else 'FAIL'} {verdict:9} {float(states.group(1)):>11,.0f} states {seconds:6.1f} s "
                f"{float(memory.group(1)):7,.0f} MB  {case.name}  [{case.flags}]")
        if broken and (trail or not good):
            _, steps = run(["spin", "-t", *flags, MODEL.name], folder)
            line += "\n" + "\n".join("       " + step for step in steps.splitlines()
                                     if not re.search(r"^spin:|^#|= 0$|proc|processes", step))
    return good, line


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=LARGE_HELP,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--large", action="store_true", help="also the larger bounds")
    parser.add_argument("--only", metavar="WORD", default="", help="only the cases with this in their name or flags")
    parser.add_argument("--trail", action="store_true", help="print what leads to each flaw")
    options = parser.parse_args()
    for tool in ("spin", "gcc"):
        if shutil.which(tool) is None:
            sys.exit(f"model: there is no {tool}; scripts/setup --test installs it")

    began = time.monotonic()
    workers = min(2, os.cpu_count() or 1)
    bad = total = 0
    for cases, at_once in ((SMALL, workers), (LARGE if options.large else [], 1)):
        cases = [case for case in cases if options.only in case.name or options.only in case.flags]
        with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
            for good, line in pool.map(lambda case: judge(case, options.trail), cases):
                print(line, flush=True)
                total += 1
                bad += not good
    print(f"model: {total - bad} of {total} as they should be, {time.monotonic() - began:.0f} s")
    return 1 if bad or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
