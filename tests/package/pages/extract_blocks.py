"""Writes the C++ of pages as sources: extract_blocks.py PRELUDES OUT PAGE...

A block with a main is a program. The other blocks of a page are the parts of one function, in their order; what they need
and do not declare is in PRELUDES/PAGE.hpp. Errors of the compiler name the page and the line."""

import pathlib
import re
import sys


def blocks_of(page):
    """The C++ blocks of a page, each with the number of its first line."""
    lines, found, begin = page.read_text(encoding="utf-8").splitlines(), [], None
    for number, line in enumerate(lines, 1):
        if begin is None and re.match(r"\s*```(cpp|c\+\+)\s*$", line):
            begin = number
        elif begin is not None and line.strip() == "```":
            found.append((begin + 1, lines[begin:number - 1]))
            begin = None
    if begin is not None:
        raise SystemExit(f"{page}:{begin}: a block without an end")
    return found


def program(page, first, lines):
    return "\n".join([f'#line {first} "{page}"', *lines, ""])


def fragments(page, blocks, prelude):
    includes, body = [], []
    for first, lines in blocks:
        for number, line in enumerate(lines, first):
            (includes if line.startswith("#include") else body).append(f'#line {number} "{page}"\n{line}')
    head = [f'#include "{prelude}"'] if prelude.exists() else []
    return "\n".join(head + includes + ["void use_page();", "void use_page()", "{"] + body + ["}", ""])


def main(preludes, out, *pages):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    count = 0
    for page in map(pathlib.Path, pages):
        blocks = blocks_of(page)
        count += len(blocks)
        whole = [each for each in blocks if any(re.match(r"int main\(", line) for line in each[1])]
        for number, (first, lines) in enumerate(whole, 1):
            (out / f"program-{page.stem}-{number}.cpp").write_text(program(page, first, lines), encoding="utf-8")
        parts = [each for each in blocks if each not in whole]
        if parts:
            prelude = pathlib.Path(preludes).resolve() / f"{page.stem}.hpp"
            (out / f"fragments-{page.stem}.cpp").write_text(fragments(page, parts, prelude), encoding="utf-8")
    if count == 0:
        raise SystemExit("the pages have no C++ at all")


main(*sys.argv[1:])
