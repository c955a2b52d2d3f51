"""Copies all data of a Galera node to a node that joins. The server runs this as wsrep_sst_copy on both sides.

All nodes are on one host, so the donor copies its files into the receiver's folder. What a node only missed for a while,
the nodes send to each other without this.
"""

import os
import pathlib
import shutil
import sys
import time

POLL = 0.02
# Both sides keep the files that the Galera library has open.
KEPT = ("grastate.dat", "gvwstate.dat", "galera.cache")


def parse(words):
    options = {"bypass": False}
    words = iter(words)
    for word in words:
        if word == "--bypass":
            options["bypass"] = True
        elif word in ("--role", "--address", "--datadir", "--gtid", "--parent"):
            options[word[2:]] = next(words)
    return options


def tell(line):
    """Tells the server, which reads the standard output."""
    print(line, flush=True)


def await_text(file, parent=None):
    while not file.exists() or file.stat().st_size == 0:
        if parent is not None and not pathlib.Path(f"/proc/{parent}").exists():
            sys.exit(1)
        time.sleep(POLL)
    return file.read_text().strip()


def receive(data, parent):
    done = data / "transferred"
    done.unlink(missing_ok=True)
    tell(f"ready 127.0.0.1:1/{data}")
    tell(await_text(done, parent))
    done.unlink()


def copied(folder):
    return [each for each in folder.iterdir() if each.name not in KEPT and not each.name.startswith("tables_flushed")]


def copy_owner(source, target):
    shutil.copy2(source, target)
    status = os.stat(source)
    os.chown(target, status.st_uid, status.st_gid)


def copy_all(data, target):
    for each in copied(target):
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    for each in copied(data):
        if each.is_dir():
            shutil.copytree(each, target / each.name, copy_function=copy_owner)
        elif each.is_file():  # no sockets
            copy_owner(each, target / each.name)


def send(data, target, gtid, bypass):
    if not bypass:
        flushed = data / "tables_flushed"
        flushed.unlink(missing_ok=True)
        tell("flush tables")
        await_text(flushed)
        copy_all(data, target)
        flushed.unlink()
        tell("continue")
    part = target / "transferred.part"
    part.write_text(gtid + "\n")
    part.rename(target / "transferred")
    tell(f"done {gtid}")


def main():
    options = parse(sys.argv[1:])
    data = pathlib.Path(options["datadir"])
    if options["role"] == "joiner":
        receive(data, options.get("parent"))
    else:
        send(data, pathlib.Path("/" + options["address"].partition("/")[2]), options["gtid"], options["bypass"])


if __name__ == "__main__":
    main()
