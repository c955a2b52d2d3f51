#!/usr/bin/env python3
"""Holds a running web against docs/openapi.yaml with schemathesis; scripts/fuzz-api --help has the options."""

import argparse
import os
import pathlib
import random
import secrets
import subprocess
import sys

import yaml

import harness
from processes import skip
from rest import Rest

VERSION = "4.32.5"
HERE = pathlib.Path(__file__).resolve().parent


def installed(within):
    """The program, in a folder of its own. Skips the test if it cannot be installed."""
    folder = pathlib.Path.home() / ".cache/baton" / f"schemathesis-{VERSION}"
    program = folder / "bin/schemathesis"
    if program.exists():
        return program
    for command in ([sys.executable, "-m", "venv", "--clear", folder],
                    [folder / "bin/pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1",
                     f"schemathesis=={VERSION}"]):
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=within)
        except (OSError, subprocess.TimeoutExpired) as failure:
            skip(f"schemathesis cannot be installed: {failure}")
        if done.returncode != 0:
            skip(f"schemathesis cannot be installed: {done.stdout.strip().splitlines()[-1:]}")
    return program


def start(cluster, token):
    cluster.start_trigger("trigger-1")
    cluster.start_web(token=token, log={"level": "warn"})
    cluster.rest = Rest(cluster.addresses["web"], token)
    cluster.start_recorder("recorder-1")
    cluster.await_ready(1, 1)
    # So that lists have several pages and executions of several states.
    for number in range(3):
        task = cluster.rest.post("/api/v1/tasks", {"name": f"seed {number}", "service": "recorder", "handler": "note",
                                                   "schedule": {"kind": "fixed_rate", "every_ms": 60000}})
        cluster.rest.post(f"/api/v1/tasks/{task['id']}/run")


def described(folder):
    """The description, for a site that has a token: without the alternative of showing none."""
    document = yaml.safe_load((harness.ROOT / "docs/openapi.yaml").read_text())
    document["security"] = [{"token": []}]
    file = folder / "openapi.yaml"
    file.write_text(yaml.safe_dump(document))
    return file


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--seconds", type=int, default=600)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options, rest = parser.parse_known_args()
    program = installed(within=90)  # so that the test is skipped before its own limit
    print(f"seed {options.seed}", flush=True)
    token = secrets.token_hex(16)
    with harness.Cluster("sqlite") as cluster:
        start(cluster, token)
        config = cluster.folder / "schemathesis.toml"
        config.write_text('[auth.openapi.token]\nbearer = "${BATON_FUZZ_TOKEN}"\n')
        bound = ["--max-time", str(options.seconds)] if options.seconds else []
        command = [program, "--config-file", config, "run", described(cluster.folder), "--url", cluster.addresses["web"],
                   "--checks", "all", "--seed", str(options.seed), "--max-examples", str(options.examples),
                   "--request-timeout", "10", "--exclude-path", "/api/v1/events", "--warnings", "off", *bound, *rest]
        environment = {**os.environ, "BATON_FUZZ_TOKEN": token, "SCHEMATHESIS_HOOKS": "fuzz_hooks", "PYTHONPATH": str(HERE)}
        done = subprocess.run(command, cwd=cluster.folder, env=environment, stdin=subprocess.DEVNULL, check=False)
        for name, process in cluster.processes.items():
            if not process.alive():
                print(f"{name} has ended:\n{process.tail()}")
                return 1
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
